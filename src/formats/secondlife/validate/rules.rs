//! The rules of `validate` for Second Life meshes. Each rule has a severity, a name, an id and a
//! text.

use crate::parse::rules;

rules! {
    /// All rules of `validate` for Second Life meshes. If a rule is removed, its id is never used
    /// for another rule.
    pub const RULES;
    Error MALFORMED_HEADER "SL01" "The header is one well-formed LLSD map.";
    Error BLOCK_OUTSIDE_FILE "SL02" "Offsets and sizes of blocks are not negative, and blocks end within the file.";
    Error UNKNOWN_VERSION "SL03" "The version is at most 999.";
    Error NO_LEVEL_OF_DETAIL "SL04" "There is at least one level of detail.";
    Error DAMAGED_ZLIB_STREAM "SL05"
        "A block is one complete zlib stream with the right Adler-32 checksum. gzip is only a warning.";
    Error DAMAGED_BLOCK_VALUE "SL06" "A block inflates, within the limit, to one LLSD value and no other bytes.";
    Error WRONG_BLOCK_TYPE "SL07"
        "A level of detail or a physics mesh is a non-empty array of maps. Skins and hulls are maps.";
    Error INCOMPLETE_SUBMESH "SL08"
        "A submesh with geometry has at least one position, and only complete positions and triangles.";
    Error ATTRIBUTE_COUNT "SL09" "Normals, texture coordinates and tangents, if present, have one item per vertex.";
    Error INDEX_OUT_OF_RANGE "SL10" "Every index is below the number of vertices.";
    Error INVALID_DOMAIN "SL11"
        "A domain has finite numbers, with min <= max, per component. Texture coordinates have a domain.";
    Error WEIGHT_LIST_COUNT "SL12" "There is one list of weights per vertex, and no byte after the last list.";
    Error INVALID_SKIN "SL13"
        "Weights refer to joints of the skin. Each joint has its matrices, of 16 finite numbers each.";
    Error HULL_SIZES "SL14" "The sum of the hull sizes is the number of hull points. Hulls have both sizes and points.";
    Error WRONG_HASH "SL15" "A hash is the MD5 of the stored block.";
    Warning MISSING_BLOCK "SL16" "An asset has high_lod and physics_convex, and physics_convex has the bounding hull.";
    Warning MISSING_HIGHER_LEVEL "SL17" "low_lod requires medium_lod, and lowest_lod requires low_lod.";
    Warning SUBMESH_COUNT "SL18" "All levels of detail have the same number of submeshes, at most 8.";
    Info LEVEL_NOT_SIMPLER "SL19" "A level of detail has fewer triangles than the next higher one.";
    Warning POSITION_BOX "SL20" "A submesh has a box of its positions, and the box is within ±0.501.";
    Warning PLACEHOLDER "SL21" "NoGeometry is true, and it is the only key.";
    Warning UNUSED_VERTEX "SL22" "Every vertex is used by a triangle, and no triangle uses a vertex twice.";
    Warning DEGENERATE_COLLISION_TRIANGLE "SL23"
        "No collision triangle is degenerate. Slivers, which have an area, are only an info finding.";
    Warning HULLS_AND_PHYSICS_MESH "SL24" "An asset does not have both a list of hulls and a physics mesh.";
    Warning WEIGHTS_WITHOUT_SKIN "SL25" "Submeshes have weights if and only if the asset has a skin.";
    Warning WEIGHT_SUM "SL26" "Every vertex has weights, and their stored sum is 65532 to 65535, which means 1.";
    Warning UNUSUAL_JOINTS "SL27" "There are at most 110 joints. All are joints of the avatar, and none occurs twice.";
    Warning TOO_MANY_HULLS "SL28" "There are at most 256 hulls.";
    Warning BLOCK_OVERLAP_OR_GAP "SL29" "Blocks do not partly overlap, and there are no bytes between them.";
    Info TRAILING_OR_SHARED_BYTES "SL30" "There are no bytes after the last block, and no two entries share a block.";
    Info UNUSUAL_ORDER "SL31" "Keys are sorted. Blocks are in the usual order and compressed at the highest level.";
    Info UNUSUAL_FORM "SL32" "There is no marker line, no quoted text, and no cache preamble.";
    Warning DUPLICATE_KEY_OR_LONG_HEADER "SL33" "No key occurs twice in a map, and the header has at most 4096 bytes.";
    Info UNKNOWN_KEY "SL34" "All keys are known.";
    Info WIDE_UV_DOMAIN "SL35" "Texture coordinates span at most a million. Beyond, 16-bit codes are too coarse.";
    Info SMALL_HULL "SL36" "A hull has at least 4 points.";
    Info NO_SIMULATOR_DATA "SL37"
        "The asset has the values that a simulator adds: version, creator, date, and hashes of physics blocks.";
    Info INTEGER_FOR_REAL "SL38" "Numbers that need not be integers are stored as reals.";
    Warning TOO_MANY_VERTICES "SL39" "A submesh has at most 65535 vertices, the limit of importers.";
    Error HEADER_VALUE_TYPE "SL40" "Header values other than block entries have the right type.";
}
