// The camera, and how the mouse, fingers and keys move it.

/** Half of the angle of view along the shorter side of the picture, as a tangent: 15 degrees. */
const HALF_VIEW = Math.tan(Math.PI / 12);
/** The part of the picture that a mesh fills. */
const FILL = 0.92;
/** The directions of the camera: degrees to the right of the front, and degrees up. */
const DIRECTIONS = {
  iso: [30, 20], front: [0, 0], right: [90, 0], back: [180, 0], left: [-90, 0], top: [0, 90], bottom: [0, -90],
};

/** Returns the tangents of half the angles of view along x and y. `aspect` is width by height. */
const tangents = (aspect) => [HALF_VIEW * Math.max(aspect, 1), HALF_VIEW * Math.max(1 / aspect, 1)];

class Camera {
  constructor() {
    Object.assign(this, { yaw: 0, pitch: 0, target: [0, 0, 0], distance: 1, radius: 1, center: [0, 0, 0], aspect: 1 });
  }

  /** Turns to a direction, given in degrees. */
  turnTo([yaw, pitch]) {
    [this.yaw, this.pitch] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  }

  /** Looks from a point at another. */
  look(from, to) {
    const back = subtract(from, to);
    const distance = Math.hypot(...back);
    [this.yaw, this.pitch] = [Math.atan2(back[0], back[2]), Math.asin(clamp(back[1] / distance, -1, 1))];
    Object.assign(this, { target: to, distance });
  }

  /** Returns the directions to the right, up, and toward the viewer. */
  axes() {
    const { yaw, pitch } = this;
    const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
    return [right, cross(back, right), back];
  }

  /** Moves so near that all points are just seen. */
  fit(points, aspect) {
    const finite = points.filter((point) => point.every(Number.isFinite));
    const [right, up, back] = this.axes();
    const [width, height] = tangents(aspect).map((tangent) => tangent * FILL);
    const sides = [-Infinity, -Infinity, -Infinity, -Infinity];
    const [least, most] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const point of finite) {
      const [x, y, z] = [dot(point, right), dot(point, up), dot(point, back)];
      const reach = [x + width * z, -x + width * z, y + height * z, -y + height * z];
      reach.forEach((value, side) => (sides[side] = Math.max(sides[side], value)));
      point.forEach((value, axis) => {
        least[axis] = Math.min(least[axis], value);
        most[axis] = Math.max(most[axis], value);
      });
    }
    if (!finite.length) return;
    this.center = scaled(add(least, most), 0.5);
    this.radius = Math.max(Math.hypot(...subtract(most, least)) / 2, 1e-6);
    const [x, y] = [(sides[0] - sides[1]) / 2, (sides[2] - sides[3]) / 2];
    const z = Math.max((sides[0] + sides[1]) / (2 * width), (sides[2] + sides[3]) / (2 * height));
    const depth = dot(this.center, back);
    this.target = add(add(scaled(right, x), scaled(up, y)), scaled(back, depth));
    this.distance = Math.max(z - depth, this.radius * 0.01);
  }

  matrices(aspect) {
    this.aspect = aspect;
    const [right, up, back] = this.axes();
    const eye = add(this.target, scaled(back, this.distance));
    const view = new Float32Array([
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
    ]);
    const depth = dot(subtract(eye, this.center), back);
    const near = Math.max(depth - this.radius * 1.5, this.distance * 0.01);
    const far = Math.max(depth + this.radius * 1.5, near * 2);
    const projection = new Float32Array(16);
    [projection[0], projection[5]] = tangents(aspect).map((tangent) => 1 / tangent);
    projection[10] = (near + far) / (near - far);
    projection[11] = -1;
    projection[14] = (2 * near * far) / (near - far);
    return { view, projection };
  }

  /** Turns around the target, by angles in radians. */
  orbit(right, up) {
    this.yaw -= right;
    this.pitch = clamp(this.pitch + up, -Math.PI / 2, Math.PI / 2);
  }

  /** Moves in the plane of the picture, by parts of its height. */
  pan(right, up) {
    const [x, y] = this.axes();
    const height = 2 * tangents(this.aspect)[1] * this.distance;
    this.target = add(this.target, add(scaled(x, -right * height), scaled(y, -up * height)));
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, this.radius * 0.02, this.radius * 100);
  }
}

/** Lets the reader move the camera. `changed` draws a new picture, and `reset` fits the camera. */
function addControls(canvas, camera, changed, reset, toggle) {
  const pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { distance: Math.hypot(a[0] - b[0], a[1] - b[1]), middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const height = canvas.clientHeight || 1;
    const before = pointers.get(event.pointerId);
    const wide = pointers.size === 2 && spread();
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const [x, y] = [(event.clientX - before[0]) / height, (event.clientY - before[1]) / height];
    if (wide) {
      const now = spread();
      camera.zoom(wide.distance / Math.max(now.distance, 1));
      camera.pan((now.middle[0] - wide.middle[0]) / height, -(now.middle[1] - wide.middle[1]) / height);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(x, -y);
    else camera.orbit(x * Math.PI, y * Math.PI);
    changed();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 16 : 1), -300, 300) * 0.0015));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? (x, y) => camera.pan(x * 0.05, y * 0.05) : (x, y) => camera.orbit(x * 0.13, y * 0.13);
    const keys = {
      ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, 1), ArrowDown: () => step(0, -1),
      "+": () => camera.zoom(0.9), "=": () => camera.zoom(0.9), "-": () => camera.zoom(1 / 0.9), Home: reset, " ": toggle,
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
    changed();
  });
}
