//! Prints the output of the program: results as text or JSON on standard output, errors and
//! progress on standard error.

pub mod arrays;
pub mod base64;
pub mod counting_writer;
pub mod escape;
pub mod held;
pub mod json;
pub mod json_writer;
pub mod losses;
pub mod note;
pub mod numbers;
pub mod output_limit;
mod process_io;
pub mod progress;
pub mod report;
pub mod svg;
pub mod text;
pub mod units;
pub mod values;
