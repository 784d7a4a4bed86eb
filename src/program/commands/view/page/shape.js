// Vertices that move: morph targets.

/** The vertices of a part that morph targets move. */
class Shape {
  constructor(part) {
    const { glb, primitive } = part;
    const { POSITION, NORMAL } = primitive.attributes;
    this.part = part;
    this.base = glb.floats(POSITION);
    this.positions = new Float32Array(this.base);
    this.baseNormals = NORMAL === undefined ? null : glb.floats(NORMAL);
    if (this.baseNormals) this.normals = new Float32Array(this.baseNormals);
  }

  /** Moves the vertices by the morph targets. */
  update() {
    this.blend(this.positions, this.base, "POSITION");
    if (this.baseNormals) this.blend(this.normals, this.baseNormals, "NORMAL");
  }

  blend(out, base, name) {
    out.set(base);
    for (const [weight, differences] of this.part.shifts(name)) {
      for (let item = 0; item < out.length; item++) out[item] += differences[item] * weight;
    }
  }
}
