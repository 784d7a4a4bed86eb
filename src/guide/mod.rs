//! The guide: the library, the formats, the program, its JSON output and the design.
//!
//! The pages are also plain files in `src/guide`.
#![allow(clippy::doc_markdown, reason = "the pages are also read as plain files, and name fields of formats")]

#[doc = include_str!("library.md")]
pub mod library {}

/// The formats: UNIGINE, Unreal, Second Life and EZ-Mesh.
///
#[doc = include_str!("unigine.md")]
#[doc = include_str!("unreal.md")]
#[doc = include_str!("secondlife.md")]
#[doc = include_str!("ezmesh.md")]
pub mod formats {}

/// The program: its tasks and verbs, pictures, exports and sidecars.
///
#[doc = include_str!("tasks.md")]
#[doc = include_str!("command_line.md")]
#[doc = include_str!("pictures.md")]
#[doc = include_str!("export.md")]
#[doc = include_str!("sidecars.md")]
pub mod program {}

#[doc = include_str!("json.md")]
pub mod json {}

/// The design: the architecture, the costs of each call, the measured speed, and the safety.
///
#[doc = include_str!("architecture.md")]
#[doc = include_str!("costs.md")]
#[doc = include_str!("speed.md")]
#[doc = include_str!("safety.md")]
pub mod design {}
