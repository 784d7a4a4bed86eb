//! WGSL functions that decode the attributes of a file in a shader.
//!
//! A program uploads the bytes of a file unchanged, as an `array<u32>` in a storage buffer, and
//! appends [`SOURCE`] to its shader. The shader declares the buffer with the name
//! `meshpeek_words`:
//!
//! ```
//! let shader = format!(
//!     "@group(0) @binding(0) var<storage, read> meshpeek_words: array<u32>;
//!      @vertex fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {{
//!          return vec4<f32>(meshpeek_unpack_packed32(4u * index), 1.0);
//!      }}
//!      {}",
//!     meshpeek::gpu::wgsl::SOURCE,
//! );
//! # assert!(shader.contains("fn meshpeek_unpack_packed32(at: u32) -> vec3<f32>"));
//! ```
//!
//! The first argument of each function is the byte offset of an item in the buffer, which does not
//! have to be aligned. It is a `u32`, so a buffer has at most 4 GiB.
//! [`StoredAttribute::function`](crate::gpu::StoredAttribute::function) is the name of the function
//! for an array. The names begin with `meshpeek_unpack_`:
//!
//! | name | stride in bytes | result | decoder in `src/decode` | results differ from the decoder by |
//! |---|---|---|---|---|
//! | `f32x2`, `f32x3` | 8, 12 | `vec2`, `vec3` | `Floats` | 0 |
//! | `f32x2_big_endian`, `f32x3_big_endian` | 8, 12 | `vec2`, `vec3` | `EndianFloats` | 0 |
//! | `packed32`, `packed64` | 4, 8 | `vec3` | `Packed32`, `Packed64` | 0 |
//! | `min_max16x2`, `min_max16x3` | 4, 6 | `vec2`, `vec3` | `MinMax16` | 2^-21 of the larger magnitude of `scale` and `offset` |
//! | `unit16` | 6 | `vec3` | `Unit16` | 2^-24 |
//! | `quat8_normal` | 8 | `vec3` | `NormalOf` of `Quat8` | 1e-5 |
//! | `quat8_tangent` | 8 | `vec4`: tangent and handedness | `Quat8` | 1e-5 |
//! | `quat7_normal` | 7 | `vec3` | `NormalOf` of `Quat7` | 0.002 near w = 0, else as `quat8_normal` |
//! | `quat7_tangent` | 7 | `vec4`: tangent and handedness | `Quat7` | the same |
//! | `unorm8x4` | 4 | `vec4` | `Unorm8` | 0 |
//! | `argb8`, `argb8_big_endian` | 4 | `vec4` | `Argb8` | 0 |
//! | `influence4`, `influence3` | 4, 3 | `vec2`: bone and weight | `Influence4`, `Influence3` | 0 |
//!
//! `min_max16x2` and `min_max16x3` have two more arguments, the two vectors of
//! [`StoredAttribute::offset_scale`](crate::gpu::StoredAttribute::offset_scale). The text has more
//! functions, such as `meshpeek_unpack_u16`, which reads two bytes at any offset.
//!
//! Integers are divided by 255, 32767 and 65535 with integer operations, because WGSL does not
//! promise exact divisions. The last column is the largest difference that other operations can
//! cause: WGSL does not say whether sums and products are rounded up or down, and allows errors in
//! divisions and square roots. On a GPU that rounds each operation to the nearest float, and fuses
//! no products and sums, all results are bit for bit those of the decoders. A GPU may also replace
//! subnormal floats by 0, and change the payload of a NaN.

/// The text of all functions, which is valid anywhere in a WGSL shader that declares
/// `meshpeek_words`.
pub const SOURCE: &str = include_str!("unpack.wgsl");
