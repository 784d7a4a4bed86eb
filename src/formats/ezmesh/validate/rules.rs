//! The validation rules for EZ-Mesh files.
//!
//! A finding with the severity `Error` reports data that no reader can use as stored. A finding
//! with the severity `Info` reports a harmless property of the file, or data that this reader
//! accepts and other readers cannot read. Each finding is about one rule and one element of the
//! file. If many items of an element violate a rule, one finding reports the number of these items,
//! and the byte offset of the first of these items. If the byte offset of an item in the text of a
//! file is not known, the finding reports the byte offset at which the list of numbers starts.

use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::parse::{Finding, Report, Rule, limited, rules};

rules! {
    /// All validation rules for EZ-Mesh files. The id of a rule is never reused for another rule.
    pub const RULES;
    Error UNKNOWN_FILE "EZ01"
        "The file is XML with the root MeshSystem, Mesh or SceneGraph, or binary of version 100 or 101.";
    Error ELEMENT_NESTING "EZ02" "Elements are nested correctly, and nothing is outside the root element.";
    Error ATTRIBUTE_SYNTAX "EZ03" "An attribute has a name and a value, and appears once in its element.";
    Error LIMIT_EXCEEDED "EZ04" "Depth, attributes, values and numbers are within the limits.";
    Error INVALID_BINARY_FIELD "EZ05"
        "The fields of a binary file lie within it. There are no unknown vertex flags, tetrahedra or collision shapes.";
    Error MISSING_NUMBERS "EZ06" "A block has at least the numbers that its count requires.";
    Error NUMBER_TYPE "EZ07" "Numbers have the declared types, and an attribute has all of its numbers.";
    Warning SURPLUS_NUMBERS "EZ08"
        "A block has no more numbers than its count requires. Surplus numbers are ignored.";
    Error VERTEX_DECLARATION "EZ09" "Blocks have a count. Vertices have a ctype and a semantic that agree.";
    Warning INVALID_SEMANTIC "EZ10"
        "Each word of a semantic is known, has the right number of components and appears once.";
    Warning INTERPOLATED_FLOATS "EZ11"
        "The attributes to interpolate have the number of floats that ctype declares.";
    Error INDEX_OUT_OF_RANGE "EZ12" "Every index is below the number of vertices.";
    Warning LIST_COUNT "EZ13" "Lists have the declared number of items.";
    Warning BONE_PARENT "EZ14" "A bone's parent is a bone of its skeleton.";
    Error BONE_CYCLE "EZ15" "No bone is its own ancestor.";
    Warning DUPLICATE_BONE "EZ16" "No two bones of a skeleton have the same name.";
    Warning UNKNOWN_MATERIAL "EZ17" "If the file lists materials, the material of a section is one of them.";
    Warning UNKNOWN_SKELETON "EZ18" "The skeleton of a mesh is in the file, unless its name is empty or `null`.";
    Warning UNKNOWN_TRACK_BONE "EZ19" "If the file has bones, a track moves one of them.";
    Warning KEY_SCALE "EZ20" "Keys have a scale if has_scale is set, and only then.";
    Warning BOUNDING_BOX "EZ21" "A declared box contains its positions.";
    Warning NOT_FINITE "EZ22" "Numbers are finite.";
    Info ROTATION_LENGTH "EZ23" "Rotations have unit length.";
    Warning WEIGHT_SUM "EZ24" "The weights of a vertex are not negative, and they sum to 1.";
    Error WEIGHT_BONE "EZ25" "Weights refer to bones of the mesh's skeleton.";
    Info WEIGHTS_WITHOUT_SKELETON "EZ26" "If vertices have weights, the mesh has a skeleton.";
    Info DEGENERATE_TRIANGLE "EZ27" "No triangle uses a vertex twice.";
    Info UNKNOWN_ELEMENT "EZ28" "Elements are known. Warning for a known element inside the wrong element.";
    Info UNKNOWN_ATTRIBUTE "EZ29" "Attributes are known.";
    Info TEXT_BETWEEN_NUMBERS "EZ30" "Blocks of numbers contain no other text.";
    Info ORIGINAL_IMPORTER "EZ31" "The original importer can read the file unchanged.";
    Warning MESH_STRUCTURE "EZ32"
        "A mesh has sections, and a vertexbuffer for itself or for each section. A section has an indexbuffer. Error if there are no vertices.";
    Info NAME_ENCODING "EZ33" "Names are UTF-8.";
    Warning SECTION_VERTEX_TYPES "EZ34" "Sections repeat the vertex types of their mesh.";
    Warning TRACK_FRAME_COUNT "EZ35" "A track has the same number of frames as its animation.";
    Warning TRAILING_BYTES "EZ36" "Nothing follows the last field of a binary file.";
    Warning HEXADECIMAL_DIGIT "EZ37"
        "Hexadecimal numbers contain only hexadecimal digits. Other characters count as 0.";
    Info DOCTYPE "EZ38" "There is no DOCTYPE.";
    Info ENTITY "EZ39" "Names and values contain no entities. Entities are not expanded.";
    Info COMMENT_OR_INSTRUCTION "EZ40"
        "There are no comments, and no processing instructions except the declaration.";
    Warning UNKNOWN_INSTANCE_MESH "EZ41" "An instance refers to a mesh of the file.";
    Warning BINARY_BYTE_ORDER "EZ42" "Binary version 100 is little-endian, and version 101 is big-endian.";
    Warning SURPLUS_BLOCK "EZ43"
        "An element has at most one MeshAABB, one vertexbuffer and one indexbuffer. Only the first is read.";
    Info MARKUP_IN_VALUE "EZ44" "Names and values contain no quotation marks and no `<`.";
}

/// The names of the attributes whose values are numbers.
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

/// Returns the finding for an error in the bytes of a file, or `None` for any other error, such as
/// a failed allocation.
///
/// Every error about data that cannot be read belongs to one of the validation rules.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let (Rule { id, severity, .. }, offset) = broken_rule(error)?;
    Some(Finding { rule: id, severity, field: error.field(), offset, source: 0, text: limited(error.cause()) })
}

/// Returns the rule that an error in the bytes of a file belongs to, and the byte offset of the
/// error, or `None` for any other error.
fn broken_rule(error: &Error) -> Option<(Rule, u64)> {
    let offset = error.offset().filter(|_| error.format() == FORMAT)?;
    let field = error.field();
    let list = field.inner().or(field.outer()).filter(|_| field.name().is_empty());
    let name = list.map_or(field.name(), |step| step.list);
    let rule = match (error.cause(), name) {
        (Cause::Limit { .. }, _) => LIMIT_EXCEEDED,
        (Cause::UnexpectedEnd { .. } | Cause::Count { .. }, _)
        | (_, "flags" | "tetra_meshes" | "collision_representations") => INVALID_BINARY_FIELD,
        (Cause::Empty | Cause::Unknown { .. } | Cause::Unsupported { .. }, _) => UNKNOWN_FILE,
        (Cause::Missing { .. }, "vertexbuffer") => MESH_STRUCTURE,
        (Cause::Value { .. }, "attribute") => ATTRIBUTE_SYNTAX,
        (Cause::Value { .. }, "element") => ELEMENT_NESTING,
        (Cause::Missing { .. }, "semantic")
        | (_, "ctype" | "semantic" | "count" | "triangle_count" | "trianglecount") => VERTEX_DECLARATION,
        (Cause::Value { expected, .. }, _) if expected.starts_with("an attribute ") => VERTEX_DECLARATION,
        (Cause::Value { expected, .. }, "vertexbuffer" | "indexbuffer" | "keys" | "corners") => {
            if expected.contains(" numbers, ") { MISSING_NUMBERS } else { NUMBER_TYPE }
        }
        (Cause::Value { .. }, name) if NUMBERS.contains(&name) => NUMBER_TYPE,
        (Cause::Value { .. }, _) => ELEMENT_NESTING,
        _ => return None,
    };
    Some((rule, offset))
}

/// Adds an error in the bytes of a file to the report as a finding. Returns any other error to the
/// caller.
fn report_error(report: &mut Report<'_>, error: Error) -> Result<()> {
    let Some((rule, offset)) = broken_rule(&error) else { return Err(error) };
    report.add(rule, error.field(), offset, error.cause());
    Ok(())
}

/// Returns the value of the result `read`. If `read` is an error in the bytes of the file, adds the
/// error to the report and returns `None`.
pub(super) fn reported<T>(report: &mut Report<'_>, read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) => report_error(report, error).map(|()| None),
    }
}

/// Adds a finding to the report: the text of an element has more numbers than declared.
pub(super) fn report_surplus(report: &mut Report<'_>, field: Field, start: u64, count: usize) {
    report.add(
        SURPLUS_NUMBERS,
        field,
        start,
        format_args!("expected numbers for {count} items, as declared, found more numbers"),
    );
}
