// Vectors are arrays of 3 numbers. Matrices have 16 numbers, column after column.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** Returns the map that applies `b`, and then `a`. */
function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row++) {
      out[column + row] =
        a[row] * b[column] + a[4 + row] * b[column + 1] + a[8 + row] * b[column + 2] + a[12 + row] * b[column + 3];
    }
  }
  return out;
}

/** Returns the point to which a matrix moves the point (x, y, z). */
function moved(matrix, x, y, z) {
  return [
    matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12],
    matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13],
    matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14],
  ];
}

/** Returns the matrix of a translation, a rotation (quaternion) and a scale. */
function composed([tx, ty, tz], [x, y, z, w], [sx, sy, sz]) {
  return new Float32Array([
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
    2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
    2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
    tx, ty, tz, 1,
  ]);
}

/** Returns the determinant of the part of a matrix without translation. */
const determinant = (m) => dot([m[0], m[1], m[2]], cross([m[4], m[5], m[6]], [m[8], m[9], m[10]]));

/** Interpolates two quaternions. */
function slerp(a, b, t) {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(cosine * sign, 1);
  const angle = Math.acos(cosine);
  const sine = Math.sin(angle);
  const [one, other] = sine > 1e-4 ? [Math.sin((1 - t) * angle) / sine, Math.sin(t * angle) / sine] : [1 - t, t];
  const mixed = [0, 1, 2, 3].map((part) => a[part] * one + b[part] * other * sign);
  const length = Math.hypot(...mixed) || 1;
  return mixed.map((part) => part / length);
}

/** Interpolates two lists of numbers. */
const mix = (a, b, t) => Array.from(a, (part, index) => part + (b[index] - part) * t);
