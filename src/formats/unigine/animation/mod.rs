//! Bone animations of UNIGINE, either embedded in mesh files (ms10, ms11 and ms12) or stored in
//! `.anim` files (an10 to an13).
//!
//! | magic number | engine | differences |
//! |---|---|---|
//! | embedded | 2.0 to 2.18 | floats; an animation frame stores only the changes |
//! | `an10` | 2.0 to 2.18 | quantized in boxes; an animation frame stores only the changes |
//! | `an11` | 2.19 | floats; an animation frame stores all components that differ from the default |
//! | `an12` | 2.20 | like an11, with a reference to the skeleton and a frame rate |
//! | `an13` | 2.21 | like an12, with twelve additional bytes of unknown meaning, which are preserved |
//!
//! # The files
//!
//! | field | type | generations |
//! |---|---|---|
//! | magic number | 4 bytes | all |
//! | bounds | box and sphere, 10 f32 | an10 |
//! | bones: count; name, parent | compact int, from an12 on i32; string, i16 | all |
//! | animations: count; name | compact int; string | an10 |
//! | skeleton's GUID; its path | string with a length of 32 bits | an12, an13 |
//! | animated bones: count; numbers | compact int; i16 | an12, an13 |
//! | frames per second | i32 | an12, an13 |
//! | root motion; unknown | u8; 12 bytes in an13 only | an12, an13 |
//! | magic number | 4 bytes | all |
//! | bind transform of each bone, relative to its parent | 10 f32 | an10, an11 |
//! | animation blocks | below | all |
//! | magic number | 4 bytes | all |
//!
//! # An animation block
//!
//! | field | type | present in |
//! |---|---|---|
//! | animated bones: count; numbers | compact int; i16 | embedded, an10, an11 |
//! | box of positions, box of scales | minimum x, y, z and size, 6 f32 each | an10 |
//! | global flags | u8 | embedded, an10 |
//! | frame count | compact int | all |
//! | one key per frame and bone, frame by frame | flags u8, then the flagged components in the order of their bits | all |
//!
//! In keys of embedded animations and an10, bits 0, 1 and 2 of the flags are position x, y and z.
//! In embedded animations and an10, bit 3 of the flags is the rotation: four i16, which the reader
//! divides by 32767. In embedded animations and an10, bits 4, 5 and 6 of the flags are scale x, y
//! and z. Positions and scales are f32 in embedded animations. In an10, positions and scales are
//! 16-bit codes relative to a quantization box. In embedded animations and an10, the keys of frame
//! 0 store every component whose bit is set in the global flags of the animation. In frames after
//! frame 0 of embedded animations and an10, a component that a key does not store keeps its value
//! from the frame before. A component that no key of the bone up to the current frame stores has
//! the value of the bind transform.
//!
//! In the keys of an11 to an13, bit 0 of the flags is the position (three f32), bit 1 is the
//! rotation (four f32), and bit 2 is the scale (three f32). From an11 on, a component that a key
//! does not store has its default value, independent of the frame before: position 0, no rotation,
//! scale 1.
//!
//! In the flags of a key, bit 7 of embedded animations and an10, and bits 3 to 7 of an11 to an13,
//! have no known meaning. The reader assumes that unknown flag bits add no component bytes, and
//! ignores unknown flag bits. `validate` reports keys with unknown flag bits. If the fields after
//! such keys cannot be read, the error refers to the first of these keys.

mod bone_keys;
pub(crate) mod cache;
mod checkpoints;
mod clips;
pub(crate) mod coding;
mod fields;
pub(crate) mod file;
pub(super) mod key_values;
pub(in crate::formats::unigine) mod playback;
pub(crate) mod reader;
mod scan;
pub(crate) mod stored_checkpoints;
pub(crate) mod view;

pub use file::Animation;
pub use view::AnimationView;
