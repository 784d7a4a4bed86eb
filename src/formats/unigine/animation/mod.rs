//! Bone animations, which are embedded in ms10, ms11 and ms12 meshes or stored in `.anim` files,
//! an10 to an13.
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
//! Bit 3 is the rotation, four i16 divided by 32767. Bits 4, 5 and 6 are scale x, y and z.
//! Positions and scales are f32 in embedded animations. In an10, they are 16-bit codes relative to
//! a quantization box. Frame 0 stores every component of the global flags. In a later frame, a
//! component that a key does not store keeps its value from the frame before. A component that
//! neither this frame nor an earlier frame stores has the value of the bind transform.
//!
//! In keys from an11 on, bit 0 of the flags is the position, three f32. Bit 1 is the rotation, four
//! f32. Bit 2 is the scale, three f32. A component that a key does not store has its default value,
//! independent of the frame before: position 0, no rotation, scale 1.
//!
//! The other bits of the flags have no known meaning. The reader assumes that these bits add no
//! component bytes, and ignores them. `validate` reports keys with such bits. If the keys then do
//! not end at the correct offset, the error refers to the first key with such bits.

pub(crate) mod cache;
mod checkpoints;
mod clips;
pub(crate) mod coding;
mod fields;
pub(crate) mod file;
mod geometry;
mod header;
mod playback;
pub(crate) mod reader;
mod scan;
pub(crate) mod stored_checkpoints;
pub(crate) mod view;

pub use coding::{AnimationKey, Coding};
pub use file::Animation;
pub use playback::Playback;
pub use view::AnimationView;
