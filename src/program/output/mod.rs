//! Prints the output of the program: results as text or JSON on standard output, errors and
//! progress on standard error.

mod arrays;
mod base64;
mod escape;
mod held;
pub mod json;
mod numbers;
mod output_limit;
mod process_io;
pub mod progress;
mod report;
pub mod svg;
pub mod text;
pub mod units;
mod values;

pub use arrays::{FrameAxes, FrameAxis};
pub use base64::base64;
pub use escape::{FloatCell, csv_cell, markdown_cell, xml_text};
pub use held::HeldOutput;
pub use json::{JsonWriter, SCHEMA, print_document, print_json};
pub use numbers::{Layout, Sink, pass_on, pass_on_full};
pub use output_limit::OutputLimit;
pub use progress::{ProgressMeter, suspended};
pub use report::{
    complain_about, error_json, is_pipe_closed, loss_line, losses_json, print_usage_failure, refuse, report,
};
pub use svg::{Anchor, SvgPicture, style_sheet};
pub use text::{complain, count, counted, mesh_suffix, note, print_findings, shown, terminal_width};
pub use units::{bytes, decimals, ratio, short, thousands, whole};
pub use values::{ComputedVectors, Item, Values, boxed};
