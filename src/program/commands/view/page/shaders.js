// The programs of the GPU, in the shading language of WebGL 2.

/** The attributes of a vertex, by their location. */
const LOCATIONS = {
  position: 0, normal: 1, uv: 2, color: 3, joints0: 4, joints1: 5, joints2: 6, joints3: 7,
  weights0: 8, weights1: 9, weights2: 10, weights3: 11,
};
/** The number of joints in a row of the texture with their matrices. */
const JOINTS_PER_ROW = 256;

const MESH_VERTEX = `#version 300 es
precision highp float;
precision highp int;
in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 color;
in uvec4 joints0, joints1, joints2, joints3;
in vec4 weights0, weights1, weights2, weights3;
uniform mat4 model, view, projection;
uniform int sets;
uniform highp sampler2D palette;
out vec3 place, direction;
out vec2 coordinates;
out vec4 tint;

mat4 joint(uint index) {
  ivec2 at = ivec2(int(index % ${JOINTS_PER_ROW}u) * 3, int(index / ${JOINTS_PER_ROW}u));
  vec4 a = texelFetch(palette, at, 0), b = texelFetch(palette, at + ivec2(1, 0), 0), c = texelFetch(palette, at + ivec2(2, 0), 0);
  return transpose(mat4(a, b, c, vec4(0, 0, 0, 1)));
}

mat4 blend(uvec4 joints, vec4 weights) {
  return joint(joints.x) * weights.x + joint(joints.y) * weights.y + joint(joints.z) * weights.z + joint(joints.w) * weights.w;
}

void main() {
  mat4 map = model;
  if (sets > 0) map = blend(joints0, weights0);
  if (sets > 1) map += blend(joints1, weights1);
  if (sets > 2) map += blend(joints2, weights2);
  if (sets > 3) map += blend(joints3, weights3);
  vec4 seen = view * (map * vec4(position, 1.0));
  // The cofactors also keep normals upright under scales that differ by axis.
  mat3 m = mat3(map);
  mat3 turn = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * (determinant(m) < 0.0 ? -1.0 : 1.0);
  direction = mat3(view) * (turn * normal);
  place = seen.xyz;
  coordinates = uv;
  tint = color;
  gl_Position = projection * seen;
  gl_PointSize = 4.0;
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, direction;
in vec2 coordinates;
in vec4 tint;
uniform vec4 base, accent;
uniform vec3 up;
uniform bool isFlat, isTwoSided, isUnlit, isMasked, hasTexture, isEnvironment;
uniform sampler2D image;
out vec4 pixel;

vec3 encode(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

/* The light from a direction. Light that wraps around the surface softens the edge of the shade. */
vec3 lamp(vec3 normal, vec3 from, vec3 color) {
  float cosine = max(dot(normal, normalize(from)) * 0.75 + 0.25, 0.0);
  return color * cosine * cosine * (0.4 + 0.6 * cosine);
}

/* The studio of the pictures of the command view: src/render/shade/light.rs. */
vec3 studio(vec3 normal) {
  vec3 light = mix(vec3(0.13, 0.12, 0.11), vec3(0.26, 0.27, 0.29), dot(normal, up) * 0.5 + 0.5);
  light += lamp(normal, vec3(-0.45, 0.65, 0.75), vec3(1.02, 1.0, 0.96));
  light += lamp(normal, vec3(0.85, 0.15, 0.45), vec3(0.2, 0.22, 0.26));
  return light + lamp(normal, vec3(0.25, 0.55, -0.85), vec3(0.22, 0.22, 0.24));
}

void main() {
  vec3 face = normalize(cross(dFdx(place), dFdy(place)));
  if (dot(face, place) > 0.0) face = -face;
  bool isFront = gl_FrontFacing;
  vec3 normal = normalize(direction) * (isFront ? 1.0 : -1.0);
  if (isFlat || dot(direction, direction) < 1e-20) normal = face;
  vec4 color = base * vec4(tint.rgb * (tint.rgb * (tint.rgb * 0.305306 + 0.682171) + 0.012523), tint.a);
  if (hasTexture) color *= texture(image, isEnvironment ? normal.xy * vec2(0.5, -0.5) + 0.5 : coordinates);
  if (isMasked && color.a < 0.5) discard;
  if (!isUnlit) color.rgb *= studio(normal) * (isFront || isTwoSided ? vec3(1.0) : vec3(0.42, 0.44, 0.5));
  pixel = vec4(mix(encode(color.rgb), accent.rgb, accent.a), color.a);
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, direction;
in vec2 coordinates;
in vec4 tint;
uniform vec4 base;
out vec4 pixel;
void main() { pixel = base; }`;

/* A line between two points with a width in pixels, or a disc if the points are equal. */
const BONE_VERTEX = `#version 300 es
precision highp float;
in vec3 from, to;
in vec4 color;
uniform mat4 view, projection;
uniform vec2 size;
uniform float width;
out vec2 corner;
out vec4 tint;
flat out int isDisc;
void main() {
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  vec4 a = projection * view * vec4(from, 1.0), b = projection * view * vec4(to, 1.0);
  isDisc = from == to ? 1 : 0;
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  vec4 end = corner.x < 0.0 ? a : b;
  vec2 offset = vec2(-along.y, along.x) * corner.y * width;
  if (isDisc == 1) { end = a; offset = corner * width * 2.4; }
  tint = color;
  gl_Position = vec4(end.xy + offset / size * end.w, end.zw);
}`;

const BONE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 corner;
in vec4 tint;
flat in int isDisc;
out vec4 pixel;
void main() {
  float edge = isDisc == 1 ? length(corner) : abs(corner.y);
  float alpha = 1.0 - smoothstep(1.0 - fwidth(edge) * 1.5, 1.0, edge);
  pixel = vec4(tint.rgb, tint.a * alpha);
}`;

const BACKGROUND_VERTEX = `#version 300 es
precision highp float;
out vec2 at;
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
  gl_Position = vec4(at * 2.0 - 1.0, 1.0, 1.0);
}`;

/* A gradient from top to bottom, with noise below one step of colour against bands. */
const BACKGROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform vec3 high, low;
uniform float noise;
out vec4 pixel;
void main() {
  float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  pixel = vec4(mix(low, high, at.y) + grain * noise / 255.0, 1.0);
}`;
