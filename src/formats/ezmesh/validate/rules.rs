//! The rules that `validate` knows for EZ-Mesh files.
//!
//! Those of severity error name a part that cannot be used as it is. What sound files have, or only other readers stumble
//! over, is info. A finding is about one rule at one place; where many items breach a rule, there is one finding, which counts
//! them and points at the first, or at the block where a text hides where that stands.

use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::parse::{Finding, Report, Rule, Severity, rule};

/// The rules. Ids are stable and never given to another rule.
pub const RULES: &[Rule] = &[
    rule(
        "EZ01",
        Severity::Error,
        "The file is XML whose root is MeshSystem, Mesh or SceneGraph, or binary of version 100 or 101.",
    ),
    rule("EZ02", Severity::Error, "Elements end in the order in which they start, and nothing stands around the root."),
    rule("EZ03", Severity::Error, "An attribute has a name and a value, and stands once in its element."),
    rule("EZ04", Severity::Error, "Depth, attributes, values and numbers are within the limits."),
    rule(
        "EZ05",
        Severity::Error,
        "The fields of a binary file lie within it; there are no unknown vertex flags, no tetrahedra and no collision shapes.",
    ),
    rule("EZ06", Severity::Error, "A block has as many numbers as are counted."),
    rule("EZ07", Severity::Error, "Numbers are of the types that are declared, and as many as an attribute needs."),
    rule("EZ08", Severity::Warning, "A block has no more numbers than are counted; they are left out."),
    rule("EZ09", Severity::Error, "Blocks have a count, and vertices a ctype and a semantic that agree."),
    rule(
        "EZ10",
        Severity::Warning,
        "Each word of a semantic is known, has the numbers that belong to it, and stands once.",
    ),
    rule("EZ11", Severity::Warning, "What is to be interpolated has as many floats as are declared."),
    rule("EZ12", Severity::Error, "Every index is below the number of vertices."),
    rule("EZ13", Severity::Warning, "Lists have as many items as they say."),
    rule("EZ14", Severity::Warning, "A bone's parent is a bone of its skeleton."),
    rule("EZ15", Severity::Error, "No bone is its own ancestor."),
    rule("EZ16", Severity::Warning, "No two bones of a skeleton have the same name."),
    rule("EZ17", Severity::Warning, "The material of a section is one of the file's, where it lists any."),
    rule("EZ18", Severity::Warning, "The skeleton of a mesh is one of the file's, unless it is empty or `null`."),
    rule("EZ19", Severity::Warning, "A track moves a bone of the file, where it has any."),
    rule("EZ20", Severity::Warning, "Keys have a scale where has_scale says so, and only there."),
    rule("EZ21", Severity::Warning, "A declared box holds the positions that belong to it."),
    rule("EZ22", Severity::Warning, "Numbers are finite."),
    rule("EZ23", Severity::Info, "Rotations are of unit length."),
    rule("EZ24", Severity::Warning, "The weights of a vertex are not negative, and sum up to 1."),
    rule("EZ25", Severity::Error, "Weights name bones of the mesh's skeleton."),
    rule("EZ26", Severity::Info, "Where vertices have weights, there is a skeleton."),
    rule("EZ27", Severity::Info, "No triangle uses a vertex twice."),
    rule("EZ28", Severity::Info, "Elements are known; warning for those that are known and belong to nothing."),
    rule("EZ29", Severity::Info, "Attributes are known."),
    rule("EZ30", Severity::Info, "Beside numbers there is no text."),
    rule("EZ31", Severity::Info, "The original importer reads the file as it is."),
    rule(
        "EZ32",
        Severity::Warning,
        "A mesh has sections and one vertexbuffer, or each section has; a section has one indexbuffer; error without vertices.",
    ),
    rule("EZ33", Severity::Info, "Names are UTF-8."),
    rule("EZ34", Severity::Warning, "Sections repeat the vertex types of their mesh."),
    rule("EZ35", Severity::Warning, "A track has as many frames as its animation."),
    rule("EZ36", Severity::Warning, "Nothing follows the last field of a binary file."),
    rule("EZ37", Severity::Warning, "Hexadecimal numbers have no other digits; others count as 0."),
    rule("EZ38", Severity::Info, "There is no DOCTYPE."),
    rule("EZ39", Severity::Info, "Names and values have no entities; none is expanded."),
    rule("EZ40", Severity::Info, "There are no comments and no instructions beside the declaration."),
    rule("EZ41", Severity::Warning, "An instance names a mesh of the file."),
    rule("EZ42", Severity::Warning, "Binary version 100 is little-endian, 101 big-endian."),
];

/// Attributes that are made of numbers.
const NUMBERS: [&str; 14] = [
    "MeshAABB",
    "position",
    "orientation",
    "rotation",
    "scale",
    "transform",
    "duration",
    "dtime",
    "trackcount",
    "framecount",
    "submesh_count",
    "mesh_system_version",
    "mesh_system_asset_version",
    "parent",
];

/// Returns the finding that tells of a fault in the bytes of a file: what keeps a part from being read is a breach of a
/// rule, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let offset = error.offset().filter(|_| error.format() == FORMAT)?;
    let field = error.field();
    let list = field.inner().or(field.outer()).filter(|_| field.name().is_empty());
    let name = list.map_or(field.name(), |step| step.list);
    let rule = match (error.kind(), name) {
        (ErrorKind::Limit { .. }, _) => "EZ04",
        (ErrorKind::UnexpectedEnd { .. } | ErrorKind::Count { .. }, _)
        | (_, "flags" | "tetra_meshes" | "collision_representations") => "EZ05",
        (ErrorKind::Empty | ErrorKind::Unknown { .. } | ErrorKind::Unsupported { .. }, _) => "EZ01",
        (ErrorKind::Missing { .. }, "vertexbuffer") => "EZ32",
        (ErrorKind::Value { .. }, "attribute") => "EZ03",
        (ErrorKind::Value { .. }, "element") => "EZ02",
        (ErrorKind::Missing { .. }, "semantic")
        | (_, "ctype" | "semantic" | "count" | "triangle_count" | "trianglecount") => "EZ09",
        (ErrorKind::Value { expected, .. }, _) if expected.starts_with("an attribute ") => "EZ09",
        (ErrorKind::Value { expected, .. }, "vertexbuffer" | "indexbuffer" | "keys" | "corners") => {
            if expected.contains(" numbers, ") { "EZ06" } else { "EZ07" }
        }
        (ErrorKind::Value { .. }, name) if NUMBERS.contains(&name) => "EZ07",
        (ErrorKind::Value { .. }, _) => "EZ02",
        _ => return None,
    };
    let mut found = None;
    Report::new(RULES, &mut |finding| found = Some(finding)).say(rule, field, offset, error.kind().to_string());
    found
}

/// Says what keeps a part from being read, as a finding. What is no fault of the bytes is an error.
fn report_error(report: &mut Report<'_>, error: Error) -> Result<()> {
    let found = finding(&error).ok_or(error)?;
    report.pass(found);
    Ok(())
}

/// Returns what was read, or says why it cannot be.
pub(super) fn reported<T>(report: &mut Report<'_>, read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) => report_error(report, error).map(|()| None),
    }
}

/// Reports numbers beyond those that are counted.
pub(super) fn report_surplus(report: &mut Report<'_>, field: Field, start: u64, count: usize) {
    report.say("EZ08", field, start, format!("expected numbers for {count}, as they are counted, found more"));
}
