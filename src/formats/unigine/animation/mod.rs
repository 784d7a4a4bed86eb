//! Animations of bones: those embedded in ms10, ms11 and ms12 meshes, and `.anim` files, an10 to an13.
//!
//! | magic | engine | what is particular |
//! |---|---|---|
//! | embedded | 2.0 to 2.18 | floats; a frame tells what changed |
//! | `an10` | 2.0 to 2.18 | quantized in boxes; a frame tells what changed |
//! | `an11` | 2.19 | floats; a frame tells all that is not the default |
//! | `an12` | 2.20 | the same, with the skeleton's name and a rate |
//! | `an13` | 2.21 | the same, with twelve bytes more that nobody has explained: kept, and called unknown |
//!
//! # The files
//!
//! | field | type | generations |
//! |---|---|---|
//! | magic | 4 bytes | all |
//! | bounds | box and sphere, f32 × 10 | an10 |
//! | bones: count; name, parent | compact int, from an12 on i32; string, i16 | all |
//! | animations: count; name | compact int; string | an10 |
//! | skeleton's GUID; its path | string with a length of 32 bits | an12, an13 |
//! | animated bones: count; numbers | compact int; i16 | an12, an13 |
//! | frames per second | i32 | an12, an13 |
//! | root motion; unknown | u8; 12 bytes in an13 only | an12, an13 |
//! | magic | 4 bytes | all |
//! | bind transform of each bone, relative to its parent | f32 × 10 | an10, an11 |
//! | animation blocks | below | all |
//! | magic | 4 bytes | all |
//!
//! # An animation block
//!
//! | field | type | of |
//! |---|---|---|
//! | animated bones: count; numbers | compact int; i16 | embedded, an10, an11 |
//! | box of positions, box of scales | least x, y, z and size, f32 × 6 each | an10 |
//! | global flags | u8 | embedded, an10 |
//! | frame count | compact int | all |
//! | frames × bones keys, frame by frame | flags u8, then the flagged components in the order of their bits | all |
//!
//! Keys of embedded animations and an10: bits 0, 1, 2 position x, y, z; bit 3 rotation (four i16 / 32767); bits 4, 5, 6
//! scale x, y, z. Positions and scales are f32 where embedded, and 16 bits in the box in an10. Frame 0 holds every
//! component of the global flags; in a later frame an absent component keeps its value. A component that no frame so
//! far held is that of the bind transform.
//!
//! Keys from an11 on: bit 0 position, three f32; bit 1 rotation, four f32; bit 2 scale, three f32. What is absent is the
//! default, position 0, no rotation, scale 1, whatever the frame before had.
//!
//! Bits beyond these have no known meaning. They are taken to announce no bytes and are passed over; `validate` tells of
//! them, and where the keys then do not end where they must, the first such key is to blame.

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
