// Vertices that move: morph targets, and normals that are computed for them.

/** The largest number of vertices for which normals are computed. */
const MAX_SMOOTHED = 300_000;

/** The vertices of a part that morph targets move, or that have computed normals. */
class Shape {
  constructor(part, isSmooth) {
    const { glb, primitive } = part;
    const { POSITION, NORMAL } = primitive.attributes;
    this.part = part;
    this.base = glb.floats(POSITION);
    this.positions = new Float32Array(this.base);
    this.baseNormals = NORMAL === undefined ? null : glb.floats(NORMAL);
    this.hasTargetNormals = part.targets.some((target) => target.NORMAL !== undefined);
    this.isSmooth = isSmooth && !this.hasTargetNormals && !part.isPoints;
    if (this.baseNormals || this.isSmooth) this.normals = new Float32Array(this.baseNormals ?? this.base.length);
    part.current = this.positions;
  }

  get isAtRest() {
    return this.part.weights.every((weight) => weight === 0);
  }

  /** Moves the vertices by the morph targets. */
  update() {
    this.blend(this.positions, this.base, "POSITION");
    if (this.baseNormals) this.blend(this.normals, this.baseNormals, "NORMAL");
  }

  blend(out, base, name) {
    out.set(base);
    this.part.weights.forEach((weight, index) => {
      const accessor = this.part.targets[index][name];
      if (weight === 0 || accessor === undefined) return;
      const differences = this.part.glb.floats(accessor);
      for (let item = 0; item < out.length; item++) out[item] += differences[item] * weight;
    });
  }
}

/** Computes the normals of the shapes of a node. Vertices at the same place share a normal, unless
    the file stores different normals for them. */
class Smoother {
  constructor(shapes) {
    this.shapes = shapes;
    const numbers = new Map();
    this.groups = shapes.map(({ base, baseNormals, part }) => {
      const groups = new Uint32Array(part.count);
      for (let vertex = 0, at = 0; vertex < part.count; vertex++, at += 3) {
        const normal = baseNormals && baseNormals.subarray(at, at + 3).map((part) => Math.round(part * 16));
        const key = `${base[at]},${base[at + 1]},${base[at + 2]},${normal}`;
        if (!numbers.has(key)) numbers.set(key, numbers.size);
        groups[vertex] = numbers.get(key);
      }
      return groups;
    });
    this.corners = shapes.map(({ part }) => part.corners());
    this.sums = new Float32Array(numbers.size * 3);
  }

  update() {
    if (this.shapes.every((shape) => shape.baseNormals && shape.isAtRest)) return;
    this.sums.fill(0);
    this.shapes.forEach(({ positions }, index) => this.addTriangles(positions, this.groups[index], this.corners[index]));
    this.shapes.forEach(({ normals }, index) => {
      this.groups[index].forEach((group, vertex) => {
        const [x, y, z] = [this.sums[group * 3], this.sums[group * 3 + 1], this.sums[group * 3 + 2]];
        const length = Math.hypot(x, y, z) || 1;
        [normals[vertex * 3], normals[vertex * 3 + 1], normals[vertex * 3 + 2]] = [x / length, y / length, z / length];
      });
    });
  }

  /** Adds the weighted normal of each triangle to its corners. */
  addTriangles(positions, groups, corners) {
    const { sums } = this;
    for (let first = 0; first + 2 < corners.length; first += 3) {
      const [a, b, c] = [corners[first] * 3, corners[first + 1] * 3, corners[first + 2] * 3];
      const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
      const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
      const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz];
      const [ab, ca, bc] = [ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz];
      // The weights of N. Max do not depend on how a flat face is split into triangles.
      [ab * ca, ab * bc, bc * ca].forEach((product, corner) => {
        const group = groups[corners[first + corner]] * 3;
        const weight = product > 0 ? 1 / product : 0;
        sums[group] += x * weight;
        sums[group + 1] += y * weight;
        sums[group + 2] += z * weight;
      });
    }
  }
}
