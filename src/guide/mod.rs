//! The guide: the program, the library, the formats and the design, one page each.
//!
//! The pages are also plain files in `src/guide`.
#![allow(clippy::doc_markdown, reason = "the pages are also read as plain files, and name fields of formats")]

#[doc = include_str!("architecture.md")]
pub mod architecture {}
#[doc = include_str!("command_line.md")]
pub mod command_line {}
#[doc = include_str!("costs.md")]
pub mod costs {}
#[doc = include_str!("export.md")]
pub mod export {}
#[doc = include_str!("ezmesh.md")]
pub mod ezmesh {}
#[doc = include_str!("json.md")]
pub mod json {}
#[doc = include_str!("library.md")]
pub mod library {}
#[doc = include_str!("pictures.md")]
pub mod pictures {}
#[doc = include_str!("safety.md")]
pub mod safety {}
#[doc = include_str!("secondlife.md")]
pub mod secondlife {}
#[doc = include_str!("sidecars.md")]
pub mod sidecars {}
#[doc = include_str!("speed.md")]
pub mod speed {}
#[doc = include_str!("tasks.md")]
pub mod tasks {}
#[doc = include_str!("unigine.md")]
pub mod unigine {}
#[doc = include_str!("unreal.md")]
pub mod unreal {}
