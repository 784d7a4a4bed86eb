//! The verbs of the command line. Each verb has a separate module.

pub mod bench;
pub mod dump;
pub mod index;
pub mod info;
pub mod lod;
pub mod manual;
pub mod map;
pub mod query;
pub mod rewrite;
pub mod validate;
