//! Validation: the report that collects findings, and the checks of values that all formats share.
//! The folder `validate` of a format contains the rules of the format and its own checks.

mod boxes;
mod cycles;
mod indices;
mod report;
mod tally;
mod transforms;

pub(crate) use boxes::{contains, nearly_equal};
pub(crate) use cycles::cycles;
pub(crate) use transforms::{is_finite, length};

internal_use!(indices::IndexCheck, report::Report, tally::Tally);
