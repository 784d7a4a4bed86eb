//! Guides to the crate.

#[doc = include_str!("architecture.md")]
pub mod architecture {}
