//! Scripts of the Unreal engine (`.uc`): what the `#exec` lines of a script say about meshes.
//!
//! The two binary files of a mesh hold polygons and frames. Names, frame ranges, textures, scale and origin stand in a
//! script, in lines that the engine's compiler runs as commands. Everything else in a script is skipped.
//!
//! # The lines
//!
//! A command is a line whose first text is `#exec`, in any case of letters, and a blank. Then follow two words, and
//! arguments in any order: `KEY=value`, apart by blanks or tabs. A value with blanks stands in double quotes, without
//! escapes. `//` outside quotes begins a comment; lines inside `/* */`, which nest, are no commands. Lines end with
//! LF, CR LF or CR. Names and keys are compared without regard to the case of ASCII letters; bytes need not be UTF-8.
//!
//! | command | keys | says |
//! |---|---|---|
//! | `MESH IMPORT` | MESH ANIVFILE DATAFILE; UNMIRROR MIRROR ZEROTEX MLOD LODSTYLE … | [`Import`]: the files of a mesh |
//! | `MESH ORIGIN` | MESH; X Y Z YAW PITCH ROLL | [`Origin`]: offset, and rotation in 1/256 of a turn |
//! | `MESH SEQUENCE` | MESH SEQ STARTFRAME NUMFRAMES; RATE GROUP | [`Sequence`]: a named range of frames |
//! | `MESH NOTIFY` | MESH SEQ TIME FUNCTION | [`Notify`]: a call at a time of a sequence |
//! | `MESH LODPARAMS` | MESH; MINVERTS STRENGTH MORPH HYSTERESIS ZDISP | [`LodParams`] |
//! | `MESH DROPFRAMES` | MESH STARTFRAME NUMFRAMES | [`DropFrames`] |
//! | `MESHMAP NEW` | MESHMAP MESH | another name for a mesh; optional |
//! | `MESHMAP SCALE` | MESHMAP; X Y Z | factors for the stored integers |
//! | `MESHMAP SETTEXTURE` | MESHMAP NUM TEXTURE; TLOD | [`SetTexture`]: the texture of a texture number |
//! | `TEXTURE IMPORT` | FILE; NAME GROUP FLAGS MIPS LODSET PALETTE … | [`TextureImport`]: the file of a texture |
//!
//! One script often imports several meshes, and a mesh's name often differs from its files': everything goes by the
//! mesh's name ([`Script::select`]). Numbers are read as C's `atof` does: the longest prefix that is a number.
//!
//! These facts were checked on some 8,000 lines of real scripts.

mod command;
mod commands;
mod file;
mod line;
mod number;
mod select;
mod statements;
mod validate;
mod write;

pub(super) use select::choice;
pub(super) use validate::RULES;
pub(super) use write::refused;

pub use command::{Command, Verb};
pub use file::Script;
pub use line::{Argument, Arguments, Quote};
pub use select::{MeshScript, Selected, Texture};
pub use statements::{DropFrames, Import, LodParams, Notify, Origin, Sequence, SetTexture, TextureImport};
pub use write::Line;
