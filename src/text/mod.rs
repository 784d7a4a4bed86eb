//! Text output: blocks of bytes with numbers as text, JSON, escapes, and a writer that counts its
//! bytes.

pub(crate) mod block;
pub(crate) mod escape;
pub(crate) mod json_text;
