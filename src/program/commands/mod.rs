//! The verbs (subcommands) of the command line, such as `info` and `dump`. Each module implements
//! one or two verbs.

pub mod bench;
mod bench_stream;
pub mod convert;
pub mod diff;
pub mod dump;
pub mod index;
pub mod info;
pub mod lod;
pub mod ls;
pub mod manual;
pub mod map;
pub mod query;
pub mod rewrite;
pub mod validate;
pub mod view;
