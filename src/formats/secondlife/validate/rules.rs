//! The rules, by name.

use crate::parse::{Rule, Severity, rule};

pub(super) const MALFORMED_HEADER: &str = "SL01";
pub(super) const BLOCK_OUTSIDE_FILE: &str = "SL02";
pub(super) const UNKNOWN_VERSION: &str = "SL03";
pub(super) const NO_LEVEL_OF_DETAIL: &str = "SL04";
pub(super) const DAMAGED_ZLIB_STREAM: &str = "SL05";
pub(super) const DAMAGED_BLOCK_VALUE: &str = "SL06";
pub(super) const WRONG_BLOCK_TYPE: &str = "SL07";
pub(super) const INCOMPLETE_SUBMESH: &str = "SL08";
pub(super) const ATTRIBUTE_COUNT: &str = "SL09";
pub(super) const INDEX_OUT_OF_RANGE: &str = "SL10";
pub(super) const INVALID_DOMAIN: &str = "SL11";
pub(super) const WEIGHT_LIST_COUNT: &str = "SL12";
pub(super) const INVALID_SKIN: &str = "SL13";
pub(super) const HULL_SIZES: &str = "SL14";
pub(super) const WRONG_HASH: &str = "SL15";
pub(super) const MISSING_BLOCK: &str = "SL16";
pub(super) const MISSING_HIGHER_LEVEL: &str = "SL17";
pub(super) const SUBMESH_COUNT: &str = "SL18";
pub(super) const LEVEL_NOT_SIMPLER: &str = "SL19";
pub(super) const POSITION_BOX: &str = "SL20";
pub(super) const PLACEHOLDER: &str = "SL21";
pub(super) const UNUSED_VERTEX: &str = "SL22";
pub(super) const DEGENERATE_COLLISION_TRIANGLE: &str = "SL23";
pub(super) const HULLS_AND_PHYSICS_MESH: &str = "SL24";
pub(super) const WEIGHTS_WITHOUT_SKIN: &str = "SL25";
pub(super) const WEIGHT_SUM: &str = "SL26";
pub(super) const UNUSUAL_JOINTS: &str = "SL27";
pub(super) const TOO_MANY_HULLS: &str = "SL28";
pub(super) const BLOCK_OVERLAP_OR_GAP: &str = "SL29";
pub(super) const TRAILING_OR_SHARED_BYTES: &str = "SL30";
pub(super) const UNUSUAL_ORDER: &str = "SL31";
pub(super) const UNUSUAL_FORM: &str = "SL32";
pub(super) const DUPLICATE_KEY_OR_LONG_HEADER: &str = "SL33";
pub(super) const UNKNOWN_KEY: &str = "SL34";
pub(super) const WIDE_UV_DOMAIN: &str = "SL35";
pub(super) const SMALL_HULL: &str = "SL36";
pub(super) const NO_SIMULATOR_DATA: &str = "SL37";
pub(super) const INTEGER_FOR_REAL: &str = "SL38";
pub(super) const TOO_MANY_VERTICES: &str = "SL39";
pub(super) const HEADER_VALUE_TYPE: &str = "SL40";

/// The rules. Ids are stable and never given to another rule.
pub const RULES: &[Rule] = &[
    rule(MALFORMED_HEADER, Severity::Error, "The header is one well-formed LLSD map."),
    rule(
        BLOCK_OUTSIDE_FILE,
        Severity::Error,
        "Offsets and sizes of blocks are not negative, and blocks end within the file.",
    ),
    rule(UNKNOWN_VERSION, Severity::Error, "The version is at most 999."),
    rule(NO_LEVEL_OF_DETAIL, Severity::Error, "There is at least one level of detail."),
    rule(
        DAMAGED_ZLIB_STREAM,
        Severity::Error,
        "A block is one zlib stream, complete, with the right Adler-32; warning for gzip.",
    ),
    rule(
        DAMAGED_BLOCK_VALUE,
        Severity::Error,
        "A block inflates, within the limit, to one LLSD value and nothing else.",
    ),
    rule(
        WRONG_BLOCK_TYPE,
        Severity::Error,
        "A level of detail, and a physics mesh, is an array of maps that is not empty; skin and hulls are maps.",
    ),
    rule(
        INCOMPLETE_SUBMESH,
        Severity::Error,
        "A submesh with geometry has whole positions, one at least, and whole triangles.",
    ),
    rule(ATTRIBUTE_COUNT, Severity::Error, "Normals, texture coordinates and tangents are one to a vertex."),
    rule(INDEX_OUT_OF_RANGE, Severity::Error, "Every index is below the number of vertices."),
    rule(
        INVALID_DOMAIN,
        Severity::Error,
        "A domain is two times the right number of finite numbers, the lower ones first; texture coordinates have one.",
    ),
    rule(WEIGHT_LIST_COUNT, Severity::Error, "There is one list of weights to a vertex, and nothing behind the last."),
    rule(
        INVALID_SKIN,
        Severity::Error,
        "Weights name joints of the skin; each joint has its matrices, of 16 finite numbers each.",
    ),
    rule(HULL_SIZES, Severity::Error, "The hulls' sizes sum up to their points; hulls have both sizes and points."),
    rule(WRONG_HASH, Severity::Error, "A hash is the MD5 of the stored block."),
    rule(
        MISSING_BLOCK,
        Severity::Warning,
        "There are high_lod and physics_convex, and in the latter the hull around everything.",
    ),
    rule(MISSING_HIGHER_LEVEL, Severity::Warning, "low_lod comes with medium_lod, lowest_lod with low_lod."),
    rule(SUBMESH_COUNT, Severity::Warning, "All levels of detail have as many submeshes, and at most 8."),
    rule(LEVEL_NOT_SIMPLER, Severity::Info, "A level of detail has fewer triangles than the next higher one."),
    rule(POSITION_BOX, Severity::Warning, "A submesh says the box of its positions, which is within ±0.501."),
    rule(PLACEHOLDER, Severity::Warning, "NoGeometry is true, and the only key."),
    rule(UNUSED_VERTEX, Severity::Warning, "Every vertex is used by a triangle, and no triangle uses one twice."),
    rule(
        DEGENERATE_COLLISION_TRIANGLE,
        Severity::Warning,
        "No triangle to collide with is degenerate; info for slivers, which have an area.",
    ),
    rule(HULLS_AND_PHYSICS_MESH, Severity::Warning, "There is a list of hulls or a physics mesh, and not both."),
    rule(WEIGHTS_WITHOUT_SKIN, Severity::Warning, "Submeshes have weights where there is a skin, and only there."),
    rule(WEIGHT_SUM, Severity::Warning, "A vertex has weights, which sum up to 1: 65532 to 65535."),
    rule(UNUSUAL_JOINTS, Severity::Warning, "There are at most 110 joints, all of the avatar's, and none twice."),
    rule(TOO_MANY_HULLS, Severity::Warning, "There are at most 256 hulls."),
    rule(BLOCK_OVERLAP_OR_GAP, Severity::Warning, "Blocks do not overlap in part, and nothing lies between them."),
    rule(TRAILING_OR_SHARED_BYTES, Severity::Info, "Nothing follows the last block, and no two entries share one."),
    rule(
        UNUSUAL_ORDER,
        Severity::Info,
        "Keys are sorted, blocks in the usual order, and compressed at the highest level.",
    ),
    rule(UNUSUAL_FORM, Severity::Info, "There is no marker line, no text between quotes, and no cache preamble."),
    rule(DUPLICATE_KEY_OR_LONG_HEADER, Severity::Warning, "No key stands twice, and the header fits 4096 bytes."),
    rule(UNKNOWN_KEY, Severity::Info, "All keys are known."),
    rule(
        WIDE_UV_DOMAIN,
        Severity::Info,
        "Texture coordinates span less than a million: beyond, nothing of them is left.",
    ),
    rule(SMALL_HULL, Severity::Info, "A hull has 4 points or more."),
    rule(
        NO_SIMULATOR_DATA,
        Severity::Info,
        "A simulator has filled in version, creator, date, and the hashes of physics blocks.",
    ),
    rule(INTEGER_FOR_REAL, Severity::Info, "Numbers are reals where they need not be whole."),
    rule(
        TOO_MANY_VERTICES,
        Severity::Warning,
        "A submesh has at most 65535 vertices, which is all that importers allow.",
    ),
    rule(
        HEADER_VALUE_TYPE,
        Severity::Error,
        "What the header says beside where blocks are is of the kind that it must be.",
    ),
];
