//! Converts errors of the reader to findings of `validate`.

use std::fmt;

use super::super::asset_part::AssetPart;
use super::super::header::OFFSET_AND_SIZE;
use super::super::layout::FORMAT;
use super::super::level::BELOW;
use super::rules;
use crate::error::{Cause, Error};
use crate::parse::{Finding, Rule, limited};

/// Returns the finding of `validate` that corresponds to an error in the bytes of a file.
///
/// If the error is caused by the bytes of the file, these bytes also break a rule of `validate`,
/// and the returned finding refers to the broken rule. Returns `None` if the error has another
/// cause than the bytes of the file, such as a request for a level of detail that the asset does
/// not have.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let (rule, offset) = broken_rule(error)?;
    let text = limited(WithInflatedOffset(error.cause(), error.inflated_offset()));
    Some(Finding::new(rule, error.field(), offset, text))
}

/// Returns the rule that the bytes of a file break if reading them returns `error`, and the byte
/// offset of the error. Returns `None` if the error has another cause than the bytes of the file.
pub(super) fn broken_rule(error: &Error) -> Option<(Rule, u64)> {
    let offset = error.offset().filter(|_| error.format() == FORMAT)?;
    let field = error.field();
    // If the field of the error is an item of an array, the field has no name, and the name of the
    // array is used instead.
    let list = field.inner().or(field.outer()).filter(|_| field.name().is_empty());
    let name = list.map_or(field.name(), |step| step.list);
    let is_block = AssetPart::ALL.iter().any(|part| part.key() == name);
    let rule = match (error.cause(), name) {
        (Cause::Choice { .. }, _) => return None,
        (Cause::Missing { .. }, _) if error.inflated_offset().is_none() => {
            return (name == "high_lod" && is_stub(error)).then_some((rules::NO_LEVEL_OF_DETAIL, offset));
        }
        (_, "version") => rules::UNKNOWN_VERSION,
        (_, "offset" | "size") => rules::BLOCK_OUTSIDE_FILE,
        (Cause::Value { expected, .. }, "TriangleList") if expected.starts_with(BELOW) => rules::INDEX_OUT_OF_RANGE,
        (_, "Position" | "TriangleList") => rules::INCOMPLETE_SUBMESH,
        (_, "Normal" | "TexCoord0" | "Tangent") => rules::ATTRIBUTE_COUNT,
        (_, "PositionDomain" | "TexCoord0Domain" | "NormalizedScale" | "Min") => rules::INVALID_DOMAIN,
        (_, "Weights") => rules::WEIGHT_LIST_COUNT,
        (_, "HullList" | "Positions" | "BoundingVerts") => rules::HULL_SIZES,
        (
            _,
            "joint_names"
            | "bind_shape_matrix"
            | "inverse_bind_matrix"
            | "alt_inverse_bind_matrix"
            | "pelvis_offset"
            | "lock_scale_if_joint_position",
        ) => rules::INVALID_SKIN,
        (Cause::Limit { .. }, _) if is_block => rules::DAMAGED_BLOCK_VALUE,
        (Cause::Value { expected, .. }, _) if is_block && expected == OFFSET_AND_SIZE => rules::BLOCK_OUTSIDE_FILE,
        (Cause::Value { expected, .. }, _) if is_block && is_shape(expected) => rules::WRONG_BLOCK_TYPE,
        (Cause::Value { .. }, _) if is_block && error.inflated_offset().is_none() => rules::DAMAGED_ZLIB_STREAM,
        _ if is_block && error.inflated_offset().is_some() => rules::DAMAGED_BLOCK_VALUE,
        _ if is_block => rules::DAMAGED_ZLIB_STREAM,
        _ => rules::MALFORMED_HEADER,
    };
    Some((rule, offset))
}

/// Returns whether the error reports that the asset has no level of detail.
fn is_stub(error: &Error) -> bool {
    matches!(error.cause(), Cause::Missing { expected } if expected.starts_with("a level of detail"))
}

/// Returns whether `expected`, an error's description of the expected LLSD value, names a map or an
/// array.
fn is_shape(expected: &str) -> bool {
    ["a map", "an array of submeshes", "a map as the submesh"].contains(&expected)
}

/// The text of a finding, followed by the byte offset in the inflated block, if any.
pub(super) struct WithInflatedOffset<T>(pub(super) T, pub(super) Option<u64>);

impl<T: fmt::Display> fmt::Display for WithInflatedOffset<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, inflated) = self;
        write!(out, "{text}")?;
        inflated.map_or(Ok(()), |at| write!(out, " (inflated byte {at})"))
    }
}
