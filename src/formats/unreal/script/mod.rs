//! Scripts of the Unreal engine (`.uc`): reads the `#exec` lines that are about meshes.
//!
//! The two binary files of a mesh hold polygons and animation frames. Names, ranges of animation
//! frames, textures, scale and origin are in a script, in lines that the compiler of the engine
//! executes as commands. This crate skips the lines of a script that are not `#exec` lines.
//!
//! # The lines
//!
//! A command is a line that starts with `#exec`, in any case of letters, followed by a blank.
//! Blanks may precede `#exec`. After `#exec`, a command has two words, such as `MESH IMPORT`, and
//! then arguments in any order. An argument has the form `KEY=value`; blanks or tabs separate the
//! arguments. A value with blanks is written in double quotes, without escapes. `//` outside quotes
//! starts a comment. Lines inside a block comment `/* */` are not commands; block comments can be
//! nested. Lines end with LF, CR LF or CR. Names and keys are compared without regard to the case
//! of ASCII letters. The bytes of a script need not be valid UTF-8. A script in UTF-16 is read as
//! the same text in UTF-8, and all offsets are those of bytes in the file.
//!
//! | command | keys | meaning |
//! |---|---|---|
//! | `MESH IMPORT` | MESH ANIVFILE DATAFILE; UNMIRROR MIRROR ZEROTEX MLOD LODSTYLE .. | [`Import`]: the files of a mesh |
//! | `MESH ORIGIN` | MESH; X Y Z YAW PITCH ROLL | [`Origin`]: offset, and rotation in 1/256 of a turn |
//! | `MESH SEQUENCE` | MESH SEQ STARTFRAME NUMFRAMES; RATE GROUP | [`Sequence`]: a named range of frames |
//! | `MESH NOTIFY` | MESH SEQ TIME FUNCTION | [`Notify`]: a function call at a time of a sequence |
//! | `MESH LODPARAMS` | MESH; MINVERTS STRENGTH MORPH HYSTERESIS ZDISP | [`LodParams`]: parameters for the levels of detail |
//! | `MESH DROPFRAMES` | MESH STARTFRAME NUMFRAMES | [`DropFrames`]: frames to leave out on import |
//! | `MESHMAP NEW` | MESHMAP MESH | another name for a mesh; optional |
//! | `MESHMAP SCALE` | MESHMAP; X Y Z | factors for the stored integers |
//! | `MESHMAP SETTEXTURE` | MESHMAP NUM TEXTURE; TLOD | [`SetTexture`]: the texture of a texture number |
//! | `TEXTURE IMPORT` | FILE; NAME GROUP FLAGS MIPS LODSET PALETTE .. | [`TextureImport`]: the file of a texture |
//!
//! One script often imports several meshes, and the name of a mesh often differs from the names of
//! its files. [`Script::select`] selects the commands about a mesh by the name of the mesh, and not
//! by a file name. Numbers in scripts are read like C's `atof`: the longest prefix of the value
//! that is a number is used.
//!
//! This description of the script format was checked on about 8,000 lines of real scripts.

mod command;
mod encoding;
mod file;
mod line;
mod number;
pub(crate) mod properties;
mod select;
mod statements;
mod validate;
#[cfg(any(feature = "cli", feature = "internals"))]
mod write;

pub(super) use select::choice;
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) use write::refused;

pub use file::Script;
pub use select::{MeshScript, Selected, Texture};
pub use statements::{Import, Sequence};
#[cfg(any(feature = "cli", feature = "internals"))]
pub use write::Line;
#[cfg(feature = "internals")]
pub use {
    command::{Command, Verb},
    line::{Argument, Arguments, Quote},
    statements::{DropFrames, LodParams, Notify, Origin, SetTexture, TextureImport},
};
