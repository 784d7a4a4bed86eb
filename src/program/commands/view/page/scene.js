// The contents of a GLB file: nodes, surfaces, skins and clips, and how they move.

/** The greatest number of frames of a clip that the camera takes into account. */
const MAX_FRAMES = 240;

/** A primitive at a node. Surfaces of the list may have several. */
class Part {
  constructor(glb, node, primitive, surface) {
    Object.assign(this, { glb, node, primitive, surface });
    this.material = glb.list("materials")[primitive.material] ?? {};
    this.isPoints = primitive.mode === 0;
    this.count = glb.accessor(primitive.attributes.POSITION).count;
    this.targets = primitive.targets ?? [];
    this.weights = new Float32Array(this.targets.length);
    this.isMorphed = false;
  }

  get triangles() {
    if (this.isPoints) return 0;
    const { indices } = this.primitive;
    return Math.floor((indices === undefined ? this.count : this.glb.accessor(indices).count) / 3);
  }

  /** Returns the weights of the morph targets that are used now, each with its differences, if any. */
  shifts(name) {
    const used = [...this.weights.entries()].filter(([target, weight]) => weight !== 0 && this.targets[target][name] !== undefined);
    return used.map(([target, weight]) => [weight, this.glb.floats(this.targets[target][name])]);
  }

  /** Returns the indices of the corners of all triangles. */
  corners() {
    const { indices } = this.primitive;
    return indices === undefined ? Uint32Array.from({ length: this.count }, (_, index) => index) : this.glb.numbers(indices);
  }
}

class Scene {
  /** @param {Glb} glb */
  constructor(glb, level = 0) {
    this.glb = glb;
    const scenes = glb.list("scenes");
    this.levels = scenes.map((scene, index) => scene.name ?? `level ${index}`);
    this.nodes = glb.list("nodes").map((node, index) => ({
      index,
      name: node.name,
      mesh: node.mesh,
      skin: node.skin,
      children: node.children ?? [],
      rest: [node.translation ?? [0, 0, 0], node.rotation ?? [0, 0, 0, 1], node.scale ?? [1, 1, 1]],
      parent: null,
      world: IDENTITY,
    }));
    for (const node of this.nodes) for (const child of node.children) this.nodes[child].parent = node;
    this.order = this.nodesFrom(scenes[level]?.nodes ?? []);
    this.skins = glb.list("skins").map((skin) => ({
      joints: skin.joints.map((joint) => this.nodes[joint]),
      inverses: glb.numbers(skin.inverseBindMatrices),
      // The node of the place of the skeleton, or `null` if its only root is a joint.
      place: skin.joints.includes(skin.skeleton) ? null : this.nodes[skin.skeleton],
    }));
    this.addSurfaces();
    this.findBones();
    this.clips = glb.list("animations").map((animation, index) => new Clip(this, animation, index));
    this.rest();
  }

  /** Returns the nodes of a scene, each parent before its children. */
  nodesFrom(roots) {
    const order = [];
    const left = roots.toReversed().map((root) => this.nodes[root]);
    while (left.length && order.length < this.nodes.length) {
      const node = left.pop();
      order.push(node);
      for (const child of node.children.toReversed()) left.push(this.nodes[child]);
    }
    return order;
  }

  addSurfaces() {
    this.surfaces = [];
    this.parts = [];
    for (const node of this.order) {
      if (node.mesh === undefined) continue;
      const mesh = this.glb.json.meshes[node.mesh];
      for (const primitive of mesh.primitives) {
        const name = primitive.extras?.name ?? mesh.name ?? "surface";
        const last = this.surfaces.at(-1);
        // A large surface is written as several primitives, one after another.
        const isSame = last && last.node === node && last.name === name && primitive.extras?.name;
        const surface = isSame ? last : { name, node, parts: [], isVisible: true };
        if (!isSame) this.surfaces.push(surface);
        const part = new Part(this.glb, node, primitive, surface);
        surface.parts.push(part);
        this.parts.push(part);
      }
    }
  }

  /** Finds the nodes that are bones: the joints of skins, or else all nodes without a mesh. */
  findBones() {
    const shown = new Set(this.order);
    const joints = new Set(this.skins.flatMap((skin) => skin.joints).filter((joint) => shown.has(joint)));
    for (const { joints: all } of this.skins) {
      const last = all.at(-1);
      // The joint of the vertices that no bone moves.
      if (last?.name === "without bones") joints.delete(last);
    }
    const isBone = (node) => node.mesh === undefined && !node.children.some((child) => this.nodes[child].mesh !== undefined);
    this.bones = this.order.filter((node) => (this.skins.length ? joints.has(node) : isBone(node)));
    const bones = new Set(this.bones);
    for (const bone of this.bones) {
      bone.isBone = true;
      bone.depth = bones.has(bone.parent) ? bone.parent.depth + 1 : 0;
    }
  }

  /** Moves all nodes and morph targets to their rest state. */
  rest() {
    for (const node of this.nodes) [node.translation, node.rotation, node.scale] = node.rest;
    for (const part of this.parts) this.setWeights(part, null);
    this.isAtRest = true;
    this.update();
  }

  /** Returns the matrix of a part, and its skin if bones move it. Without a clip, a part has its
      stored shape, which the rest pose of the bones may change. */
  placeOf({ node }) {
    const skin = this.skins[node.skin];
    if (!skin) return { matrix: node.world };
    return this.isAtRest ? { matrix: skin.place?.world ?? IDENTITY } : { matrix: IDENTITY, skin };
  }

  setWeights(part, weights) {
    if (!part.targets.length) return;
    for (let target = 0; target < part.weights.length; target++) {
      const weight = weights?.[target] ?? 0;
      if (part.weights[target] !== weight) {
        part.weights[target] = weight;
        part.isMorphed = true;
      }
    }
  }

  /** Computes the matrices of all nodes. */
  update() {
    for (const node of this.order) {
      const local = composed(node.translation, node.rotation, node.scale);
      node.world = node.parent ? multiply(node.parent.world, local) : local;
    }
  }

  /** Returns the matrices that move the vertices of a skin. */
  jointMatrices(skin) {
    return skin.joints.map((joint, index) => multiply(joint.world, skin.inverses.subarray(index * 16, index * 16 + 16)));
  }

  /** Returns at most about `most` points of the visible surfaces, where they are now, or the ends of
      the bones of a mesh without surfaces. */
  points(most) {
    if (!this.parts.length) return this.bones.map(({ world }) => [...world.subarray(12, 15)]);
    const parts = this.parts.filter((part) => part.surface.isVisible);
    const total = parts.reduce((sum, part) => sum + part.count, 0);
    const step = Math.max(1, Math.floor(total / most));
    return parts.flatMap((part) => this.partPoints(part, step));
  }

  /** Returns each `step`-th vertex of a part, where it is now. */
  partPoints(part, step) {
    const { attributes } = part.primitive;
    const positions = this.glb.floats(attributes.POSITION);
    const shifts = part.shifts("POSITION");
    const { matrix, skin } = this.placeOf(part);
    const matrices = skin && this.jointMatrices(skin);
    const sets = [0, 1, 2, 3].filter((set) => skin && attributes[`JOINTS_${set}`] !== undefined);
    const joints = sets.map((set) => this.glb.numbers(attributes[`JOINTS_${set}`]));
    const weights = sets.map((set) => this.glb.floats(attributes[`WEIGHTS_${set}`]));
    const points = [];
    for (let vertex = 0; vertex < part.count; vertex += step) {
      let [x, y, z] = positions.subarray(vertex * 3, vertex * 3 + 3);
      for (const [weight, differences] of shifts) {
        x += weight * differences[vertex * 3];
        y += weight * differences[vertex * 3 + 1];
        z += weight * differences[vertex * 3 + 2];
      }
      if (!skin) {
        points.push(moved(matrix, x, y, z));
        continue;
      }
      let point = [0, 0, 0];
      for (let set = 0; set < sets.length; set++) {
        for (let item = vertex * 4; item < vertex * 4 + 4; item++) {
          const weight = weights[set][item];
          if (weight) point = add(point, scaled(moved(matrices[joints[set][item]], x, y, z), weight));
        }
      }
      points.push(point);
    }
    return points;
  }

  /** Returns at most about `most` points of the visible surfaces in all frames of a clip. The scene
      is then at `time` again. */
  clipPoints(clip, time, most) {
    const last = clamp(Math.round(clip.frames ? clip.frames - 1 : clip.seconds * 30), 1, MAX_FRAMES);
    const points = [];
    for (let frame = 0; frame <= last; frame++) {
      clip.apply((clip.seconds * frame) / last);
      for (const point of this.points(most / (last + 1))) points.push(point);
    }
    clip.apply(time);
    return points;
  }
}

/** An animation. */
class Clip {
  constructor(scene, animation, index) {
    this.scene = scene;
    this.name = animation.name ?? `clip ${index}`;
    const { frames, rate, assumed_rate: assumed } = animation.extras ?? {};
    Object.assign(this, { frames, rate: rate ?? assumed, isAssumed: rate === undefined });
    const { glb } = scene;
    this.events = animation.extras?.notifies ?? [];
    this.channels = animation.channels.map(({ sampler, target }) => {
      const { input, output } = animation.samplers[sampler];
      const [times, values] = [glb.floats(input), glb.floats(output)];
      return { times, values, node: scene.nodes[target.node], path: target.path, width: values.length / times.length };
    });
    this.channels = this.channels.filter(({ times, width }) => times.length && Number.isInteger(width));
    this.seconds = this.channels.reduce((most, { times }) => Math.max(most, times.at(-1)), 0);
  }

  /** Moves the scene to a time, in seconds. */
  apply(time) {
    const { scene } = this;
    scene.isAtRest = false;
    for (const { times, values, node, path, width } of this.channels) {
      const [key, part] = place(times, time);
      const row = (index) => values.subarray(index * width, index * width + width);
      const [one, other] = [row(key), row(Math.min(key + 1, times.length - 1))];
      if (path === "weights") {
        const weights = mix(one, other, part);
        for (const each of scene.parts) if (each.node === node) scene.setWeights(each, weights);
      } else {
        node[path] = path === "rotation" ? slerp(one, other, part) : mix(one, other, part);
      }
    }
    scene.update();
  }
}

/** Returns the key at or before a time, and how far the time is on the way to the next key. */
function place(times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  const length = times[low + 1] - times[low];
  return [low, length > 0 ? clamp((time - times[low]) / length, 0, 1) : 0];
}
