//! The rules, by name.

use crate::parse::{Rule, Severity, rule};

/// Defines a constant for each rule, and the table of them all.
macro_rules! rules {
    ($($severity:ident $name:ident $id:literal $text:literal;)*) => {
        $(pub(super) const $name: Rule = rule($id, Severity::$severity, $text);)*
        /// The rules. Ids are stable and never given to another rule.
        pub const RULES: &[Rule] = &[$($name),*];
    };
}

rules! {
    Error MALFORMED_HEADER "SL01" "The header is one well-formed LLSD map.";
    Error BLOCK_OUTSIDE_FILE "SL02" "Offsets and sizes of blocks are not negative, and blocks end within the file.";
    Error UNKNOWN_VERSION "SL03" "The version is at most 999.";
    Error NO_LEVEL_OF_DETAIL "SL04" "There is at least one level of detail.";
    Error DAMAGED_ZLIB_STREAM "SL05" "A block is one zlib stream, complete, with the right Adler-32; warning for gzip.";
    Error DAMAGED_BLOCK_VALUE "SL06" "A block inflates, within the limit, to one LLSD value and nothing else.";
    Error WRONG_BLOCK_TYPE "SL07"
        "A level of detail, and a physics mesh, is an array of maps that is not empty; skin and hulls are maps.";
    Error INCOMPLETE_SUBMESH "SL08" "A submesh with geometry has whole positions, one at least, and whole triangles.";
    Error ATTRIBUTE_COUNT "SL09" "Normals, texture coordinates and tangents are one to a vertex.";
    Error INDEX_OUT_OF_RANGE "SL10" "Every index is below the number of vertices.";
    Error INVALID_DOMAIN "SL11"
        "A domain is two times the right number of finite numbers, the lower ones first; texture coordinates have one.";
    Error WEIGHT_LIST_COUNT "SL12" "There is one list of weights to a vertex, and nothing behind the last.";
    Error INVALID_SKIN "SL13"
        "Weights name joints of the skin; each joint has its matrices, of 16 finite numbers each.";
    Error HULL_SIZES "SL14" "The hulls' sizes sum up to their points; hulls have both sizes and points.";
    Error WRONG_HASH "SL15" "A hash is the MD5 of the stored block.";
    Warning MISSING_BLOCK "SL16" "There are high_lod and physics_convex, and in the latter the hull around everything.";
    Warning MISSING_HIGHER_LEVEL "SL17" "low_lod comes with medium_lod, lowest_lod with low_lod.";
    Warning SUBMESH_COUNT "SL18" "All levels of detail have as many submeshes, and at most 8.";
    Info LEVEL_NOT_SIMPLER "SL19" "A level of detail has fewer triangles than the next higher one.";
    Warning POSITION_BOX "SL20" "A submesh says the box of its positions, which is within ±0.501.";
    Warning PLACEHOLDER "SL21" "NoGeometry is true, and the only key.";
    Warning UNUSED_VERTEX "SL22" "Every vertex is used by a triangle, and no triangle uses one twice.";
    Warning DEGENERATE_COLLISION_TRIANGLE "SL23"
        "No triangle to collide with is degenerate; info for slivers, which have an area.";
    Warning HULLS_AND_PHYSICS_MESH "SL24" "There is a list of hulls or a physics mesh, and not both.";
    Warning WEIGHTS_WITHOUT_SKIN "SL25" "Submeshes have weights where there is a skin, and only there.";
    Warning WEIGHT_SUM "SL26" "A vertex has weights, which sum up to 1: 65532 to 65535.";
    Warning UNUSUAL_JOINTS "SL27" "There are at most 110 joints, all of the avatar's, and none twice.";
    Warning TOO_MANY_HULLS "SL28" "There are at most 256 hulls.";
    Warning BLOCK_OVERLAP_OR_GAP "SL29" "Blocks do not overlap in part, and nothing lies between them.";
    Info TRAILING_OR_SHARED_BYTES "SL30" "Nothing follows the last block, and no two entries share one.";
    Info UNUSUAL_ORDER "SL31" "Keys are sorted, blocks in the usual order, and compressed at the highest level.";
    Info UNUSUAL_FORM "SL32" "There is no marker line, no text between quotes, and no cache preamble.";
    Warning DUPLICATE_KEY_OR_LONG_HEADER "SL33" "No key stands twice, and the header fits 4096 bytes.";
    Info UNKNOWN_KEY "SL34" "All keys are known.";
    Info WIDE_UV_DOMAIN "SL35" "Texture coordinates span less than a million: beyond, nothing of them is left.";
    Info SMALL_HULL "SL36" "A hull has 4 points or more.";
    Info NO_SIMULATOR_DATA "SL37" "A simulator has filled in version, creator, date, and the hashes of physics blocks.";
    Info INTEGER_FOR_REAL "SL38" "Numbers are reals where they need not be whole.";
    Warning TOO_MANY_VERTICES "SL39" "A submesh has at most 65535 vertices, which is all that importers allow.";
    Error HEADER_VALUE_TYPE "SL40" "What the header says beside where blocks are is of the kind that it must be.";
}
