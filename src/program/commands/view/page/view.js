// Draws a scene with WebGL 2.

/** The colour of surfaces without material, linear. */
const CLAY = [0.6, 0.59, 0.57, 1];
/** The factor of colours and textures, which makes white as light as paper. */
const PAPER = 0.7;
/** The largest number of corners of a part whose back and front are drawn one after the other. */
const MAX_SORTED = 1_000_000;
/** The modes of WebGL for `gl.drawElements`. */
const [POINTS, LINES, TRIANGLES] = [0, 1, 4];

class View {
  /** Throws an error if the browser has no WebGL 2. */
  constructor(canvas, keepsPixels) {
    const options = { alpha: false, antialias: true, preserveDrawingBuffer: keepsPixels };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) throw new Error("this browser has no WebGL 2");
    Object.assign(this, { gl, canvas, made: [], buffers: new Map(), items: [] });
    this.mesh = this.program(MESH_VERTEX, MESH_FRAGMENT);
    this.lines = this.program(MESH_VERTEX, LINE_FRAGMENT);
    this.boneProgram = this.program(BONE_VERTEX, BONE_FRAGMENT, { from: 0, to: 1, color: 2 });
    this.background = this.program(BACKGROUND_VERTEX, BACKGROUND_FRAGMENT, {});
    this.boneArray = gl.createVertexArray();
    this.boneBuffer = gl.createBuffer();
    this.emptyArray = gl.createVertexArray();
    this.textures = [];
    // What a vertex has without an array.
    gl.vertexAttrib4f(LOCATIONS.color, 1, 1, 1, 1);
    gl.vertexAttrib3f(LOCATIONS.normal, 0, 0, 0);
    for (const set of [0, 1, 2, 3]) gl.vertexAttribI4ui(LOCATIONS[`joints${set}`], 0, 0, 0, 0);
  }

  program(vertex, fragment, locations = LOCATIONS) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    for (const [name, location] of Object.entries(locations)) gl.bindAttribLocation(program, location, name);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`the shaders cannot be compiled: ${[...logs, gl.getProgramInfoLog(program)].join(" ")}`);
    }
    const uniforms = {};
    for (let index = 0; index < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); index++) {
      const { name } = gl.getActiveUniform(program, index);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  /** Prepares a scene. `images` has the bitmap of each image, or `null`. */
  load(scene, images) {
    this.unload();
    this.scene = scene;
    this.textures = images.map((image) => image && this.texture(image));
    this.items = scene.parts.map((part) => this.item(part));
    this.palettes = scene.skins.map(() => this.keep("Texture", this.gl.createTexture()));
    this.check();
  }

  check() {
    const error = this.gl.getError();
    if (error !== this.gl.NO_ERROR) throw new Error(`WebGL reports the error ${error}`);
  }

  /** Remembers an object, which `unload` deletes. */
  keep(kind, object) {
    this.made.push([kind, object]);
    return object;
  }

  unload() {
    for (const [kind, object] of this.made) this.gl[`delete${kind}`](object);
    Object.assign(this, { made: [], buffers: new Map(), items: [] });
  }

  texture(image) {
    const { gl } = this;
    const texture = this.keep("Texture", gl.createTexture());
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    return texture;
  }

  buffer(target, data) {
    const { gl } = this;
    const buffer = this.keep("Buffer", gl.createBuffer());
    gl.bindBuffer(target, buffer);
    gl.bufferData(target, data, gl.STATIC_DRAW);
    return buffer;
  }

  /** Returns the buffer with the bytes of a view of the file. */
  viewBuffer(glb, view, target) {
    const key = `${view} ${target}`;
    if (!this.buffers.has(key)) this.buffers.set(key, this.buffer(target, glb.view(view)));
    return this.buffers.get(key);
  }

  /** Prepares a part of the scene. */
  item(part) {
    const { gl } = this;
    const { glb, primitive, material } = part;
    const { attributes, indices } = primitive;
    const array = this.keep("VertexArray", gl.createVertexArray());
    gl.bindVertexArray(array);
    const item = { part, array, sets: 0, count: part.count, edges: null };
    const attach = (name, accessor) => this.attach(LOCATIONS[name], glb, accessor, name.startsWith("joints"));
    attach("position", attributes.POSITION);
    if (attributes.NORMAL !== undefined) attach("normal", attributes.NORMAL);
    if (attributes.TEXCOORD_0 !== undefined) attach("uv", attributes.TEXCOORD_0);
    if (attributes.COLOR_0 !== undefined) attach("color", attributes.COLOR_0);
    if (part.node.skin !== undefined) {
      for (; attributes[`JOINTS_${item.sets}`] !== undefined && item.sets < 4; item.sets++) {
        attach(`joints${item.sets}`, attributes[`JOINTS_${item.sets}`]);
        attach(`weights${item.sets}`, attributes[`WEIGHTS_${item.sets}`]);
      }
    }
    if (indices !== undefined) {
      const { view, offset, count, componentType } = glb.accessor(indices);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.viewBuffer(glb, view, gl.ELEMENT_ARRAY_BUFFER));
      Object.assign(item, { count, offset, type: componentType });
    }
    if (part.targets.length) this.addShape(item);
    const { pbrMetallicRoughness: { baseColorFactor, baseColorTexture } = {}, extras = {}, extensions = {} } = material;
    item.texture = this.textures[glb.list("textures")[baseColorTexture?.index]?.source];
    const isColored = baseColorFactor || item.texture || attributes.COLOR_0 !== undefined;
    const [red, green, blue, alpha] = baseColorFactor ?? [1, 1, 1, 1];
    item.base = isColored ? [red * PAPER, green * PAPER, blue * PAPER, alpha] : CLAY;
    item.isUnlit = part.isPoints || "KHR_materials_unlit" in extensions;
    item.style = extras;
    return item;
  }

  attach(location, glb, accessor, isInteger = false) {
    const { gl } = this;
    const { view, offset, stride, componentType, width, normalized } = glb.accessor(accessor);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.viewBuffer(glb, view, gl.ARRAY_BUFFER));
    gl.enableVertexAttribArray(location);
    if (isInteger) gl.vertexAttribIPointer(location, width, componentType, stride, offset);
    else gl.vertexAttribPointer(location, width, componentType, normalized, stride, offset);
  }

  /** Prepares an item whose positions and normals change. */
  addShape(item) {
    const { gl } = this;
    const shape = new Shape(item.part);
    const lists = [[LOCATIONS.position, shape.positions], [LOCATIONS.normal, shape.normals]];
    item.shape = shape;
    item.arrays = lists.filter(([, data]) => data).map(([location, data]) => {
      const buffer = this.buffer(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
      return [buffer, data];
    });
  }

  /** Copies the positions and normals of an item to the GPU. */
  upload({ arrays }) {
    const { gl } = this;
    for (const [buffer, data] of arrays) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    }
  }

  /** Copies what moved since the last picture to the GPU. */
  update() {
    for (const item of this.items.filter(({ part, shape }) => shape && part.isMorphed)) {
      item.part.isMorphed = false;
      item.shape.update();
      this.upload(item);
    }
    this.scene.skins.forEach((skin, index) => this.updatePalette(skin, this.palettes[index]));
  }

  updatePalette(skin, texture) {
    const { gl } = this;
    const rows = Math.ceil(skin.joints.length / JOINTS_PER_ROW);
    const data = new Float32Array(rows * JOINTS_PER_ROW * 12);
    this.scene.jointMatrices(skin).forEach((m, joint) => {
      data.set([m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]], joint * 12);
    });
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, JOINTS_PER_ROW * 3, rows, 0, gl.RGBA, gl.FLOAT, data);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  }

  /** Draws the scene. `look` has the choices of the reader. */
  draw(camera, look) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawBackground(look.background);
    this.update();
    const { view, projection } = camera.matrices(canvas.width / canvas.height);
    const visible = this.items.filter((item) => item.part.surface.isVisible);
    const isBlended = (item) => item.part.material.alphaMode === "BLEND";
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    const [isWire, hasEdges] = [look.style === "wireframe", look.isWired || look.style === "wireframe"];
    this.offset = hasEdges ? 1 : 0;
    // The surfaces of a wireframe only hide the edges of other ones.
    gl.colorMask(!isWire, !isWire, !isWire, true);
    this.use(this.mesh, view, projection);
    gl.uniform3f(this.mesh.uniforms.up, view[4], view[5], view[6]);
    for (const item of visible.filter((one) => !isBlended(one))) this.drawItem(item, look);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    for (const item of visible.filter(isBlended)) this.drawItem(item, look);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.CULL_FACE);
    if (hasEdges) this.drawEdges(visible, view, projection, isWire ? look.wire : [0.05, 0.07, 0.1, 0.4]);
    gl.disable(gl.DEPTH_TEST);
    if (look.hasSkeleton) this.drawBones(view, projection, look);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }

  use({ program, uniforms }, view, projection) {
    this.gl.useProgram(program);
    this.gl.uniformMatrix4fv(uniforms.view, false, view);
    this.gl.uniformMatrix4fv(uniforms.projection, false, projection);
  }

  drawBackground({ high, low, noise }) {
    const { gl } = this;
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.background.program);
    gl.uniform3fv(this.background.uniforms.high, high);
    gl.uniform3fv(this.background.uniforms.low, low);
    gl.uniform1f(this.background.uniforms.noise, noise);
    gl.bindVertexArray(this.emptyArray);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Selects the vertices of an item and the matrices that move them. */
  place(item, { uniforms }) {
    const { gl } = this;
    const { matrix, skin } = this.scene.placeOf(item.part);
    gl.uniformMatrix4fv(uniforms.model, false, matrix);
    gl.uniform1i(uniforms.sets, skin ? item.sets : 0);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, skin ? this.palettes[item.part.node.skin] : null);
    gl.uniform1i(uniforms.palette, 0);
    gl.bindVertexArray(item.array);
  }

  drawItem(item, look) {
    const { gl } = this;
    const { uniforms } = this.mesh;
    const { part, style, texture } = item;
    const { material, surface } = part;
    const isBySurface = look.style === "surface";
    const hasTexture = Boolean(texture && look.hasTextures && !isBySurface);
    this.place(item, this.mesh);
    gl.uniform1i(uniforms.isFlat, Number(look.style === "flat"));
    gl.uniform1i(uniforms.isTwoSided, Number(Boolean(material.doubleSided)));
    gl.uniform1i(uniforms.isUnlit, Number(item.isUnlit));
    gl.uniform1i(uniforms.isMasked, Number(material.alphaMode === "MASK"));
    gl.uniform1i(uniforms.isEnvironment, Number(style.environment === "true"));
    gl.uniform1i(uniforms.hasTexture, Number(hasTexture));
    gl.uniform4fv(uniforms.accent, surface === look.hovered || surface === look.selected ? look.accent : [0, 0, 0, 0]);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, hasTexture ? texture : null);
    if (hasTexture) {
      const filter = style.unfiltered === "true" ? gl.NEAREST : gl.LINEAR;
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    }
    gl.uniform1i(uniforms.image, 1);
    const base = isBySurface ? hue(this.scene.surfaces.indexOf(surface)) : item.base.slice();
    if (material.alphaMode === "BLEND") this.setBlend(style.blend, hasTexture, base);
    gl.uniform4fv(uniforms.base, base);
    const isCulled = look.isCulled && !material.doubleSided;
    const { matrix } = this.scene.placeOf(part);
    gl.frontFace(determinant(matrix) < 0 ? gl.CW : gl.CCW);
    gl.enable(gl.CULL_FACE);
    // Of two triangles at the same place, the one that shows its front is seen.
    const isLarge = item.count > MAX_SORTED;
    if (!isCulled && !isLarge) {
      gl.cullFace(gl.FRONT);
      gl.polygonOffset(this.offset, this.offset + 2);
      this.drawTriangles(item);
    }
    if (!isCulled && isLarge) gl.disable(gl.CULL_FACE);
    gl.cullFace(gl.BACK);
    gl.polygonOffset(this.offset, this.offset);
    this.drawTriangles(item);
  }

  drawTriangles({ part, type, count, offset }) {
    const { gl } = this;
    const mode = part.isPoints ? POINTS : TRIANGLES;
    if (type === undefined) gl.drawArrays(mode, 0, count);
    else gl.drawElements(mode, count, type, offset);
  }

  /** Sets how a translucent or modulated surface changes the colour under it. */
  setBlend(blend, hasTexture, base) {
    const { gl } = this;
    if (hasTexture && blend === "translucent") gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_COLOR);
    else if (hasTexture && blend === "modulated") gl.blendFunc(gl.DST_COLOR, gl.SRC_COLOR);
    else gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (!hasTexture && base[3] === 1) base[3] = 0.5;
  }

  drawEdges(items, view, projection, color) {
    const { gl } = this;
    this.use(this.lines, view, projection);
    gl.uniform4fv(this.lines.uniforms.base, color);
    for (const item of items) {
      if (item.part.isPoints) continue;
      this.place(item, this.lines);
      item.edges ??= this.edges(item.part);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, item.edges.buffer);
      gl.drawElements(LINES, item.edges.count, gl.UNSIGNED_INT, 0);
      if (item.type !== undefined) {
        const { view: indices } = item.part.glb.accessor(item.part.primitive.indices);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.viewBuffer(item.part.glb, indices, gl.ELEMENT_ARRAY_BUFFER));
      }
    }
  }

  /** Returns a buffer with the edges of all triangles. */
  edges(part) {
    const corners = part.corners();
    const count = part.triangles * 6;
    const ends = new Uint32Array(count);
    for (let first = 0, at = 0; at < count; first += 3, at += 6) {
      const [a, b, c] = [corners[first], corners[first + 1], corners[first + 2]];
      ends.set([a, b, b, c, c, a], at);
    }
    return { buffer: this.buffer(this.gl.ELEMENT_ARRAY_BUFFER, ends), count };
  }

  /** Draws the skeleton over everything. */
  drawBones(view, projection, { selectedBone, accent, pixelRatio }) {
    const { gl, canvas, boneProgram } = this;
    const lines = [];
    const end = (node) => node.world.subarray(12, 15);
    for (const bone of this.scene.bones) {
      const color = bone === selectedBone ? [...accent.slice(0, 3), 1] : [0.96, 0.56, 0.12, 0.95];
      if (bone.parent?.isBone) lines.push(...end(bone.parent), ...end(bone), ...color);
      lines.push(...end(bone), ...end(bone), ...color);
    }
    this.use(boneProgram, view, projection);
    gl.uniform2f(boneProgram.uniforms.size, canvas.width, canvas.height);
    gl.uniform1f(boneProgram.uniforms.width, 2.2 * pixelRatio);
    gl.bindVertexArray(this.boneArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.boneBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(lines), gl.DYNAMIC_DRAW);
    [[0, 3, 0], [1, 3, 12], [2, 4, 24]].forEach(([location, width, offset]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, width, gl.FLOAT, false, 40, offset);
      gl.vertexAttribDivisor(location, 1);
    });
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.length / 10);
  }
}

/** Returns a colour for a surface. Neighbours in the list differ clearly. */
function hue(index) {
  const angle = index * 2.399963;
  const part = (shift) => 0.42 + 0.3 * Math.cos(angle + shift);
  return [part(0), part(2.1), part(4.2), 1];
}
