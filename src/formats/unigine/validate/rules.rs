//! The list of validation rules, with their ids.

use crate::parse::{Finding, Report, rules};

rules! {
    /// The validation rules for meshes (ms10 to ms15) and animations (an10 to an13). The id of a
    /// removed rule is never used again.
    pub const RULES;
    Error WRONG_MAGIC "UG01" "All magic numbers are equal and in their places.";
    Error COUNT_OUT_OF_RANGE "UG02"
        "Every count is 0 or more, and the remaining bytes can hold the items that it counts.";
    Error INDEX_STREAM_LENGTH "UG03" "Both index streams have the same length, a multiple of 3.";
    Error INDEX_OUT_OF_RANGE "UG04" "Every index is below the number of items that it refers to.";
    Error ATTRIBUTE_COUNT "UG05" "A UV set or colour array is empty or has one item per tangent frame.";
    Error INVALID_WEIGHTS "UG06"
        "Weights are absent, or each position has one list of at most 4 weights on existing bones.";
    Error BONE_PARENT "UG07" "A bone's parent is -1 or another bone, and no bone is its own ancestor.";
    Error ANIMATED_BONE "UG08"
        "The bone numbers of an animation refer to existing bones, each once. Key flags have no unknown bits.";
    Warning KEY_FLAGS "UG09" "The flags of a key are among those of its animation, and frame 0 has all of them.";
    Warning BOUNDING_BOX "UG10"
        "Boxes are tight: the box of a surface around its positions, the box of the mesh around its surfaces.";
    Warning BOUNDING_SPHERE "UG11"
        "The sphere of a surface is centred on its box. The sphere of the mesh tightly encloses the spheres of its surfaces.";
    Info TANGENT_QUATERNION "UG12" "Tangent quaternions have unit length, and abs(w) is at least 32.";
    Info WEIGHT_SUM "UG13"
        "The weights of a vertex sum to 65532..65535. No list is empty, no weight is 0, and no bone appears twice.";
    Info ENCODING "UG14"
        "Compact integers have the length that the engine writes. Strings are UTF-8 with one NUL at the end.";
    Info DUPLICATE_NAME "UG15" "The names of surfaces are unique, and so are the names of bones.";
    Info DEGENERATE_TRIANGLE "UG16" "The three positions of a triangle differ.";
    Warning NOT_FINITE "UG17"
        "Floats are finite. Info only for UV set 1, bind transforms and keys, which drawing does not need.";
    Info ROTATION_LENGTH "UG18" "Quaternions of bind transforms and animations have unit length.";
    Error INVALID_BLOCK "UG19"
        "Blocks of ms14 and ms15 have sizes that fit, inflate to their declared size and are filled by their contents.";
    Error BLOCK_TABLE "UG20" "The table of ms14 and ms15 has the offset of the block of each surface.";
    Warning SPATIAL_TREE "UG21"
        "Trees are in pre-order with nested boxes, and their leaves partition the triangles. Edge records have 3 bits. Info only for a loose box of a leaf.";
    Info UNUSED_ITEM "UG22"
        "Every position and tangent frame is used. The lightmap code is 0 to 7. Unknown fields of an13 are 0.";
    Info BIND_POSE_FRAME "UG23" "The first frame of an animation differs from the bind pose.";
    Warning TRAILING_BYTES "UG24" "Nothing follows the closing magic number.";
    Warning TOO_MANY_ITEMS "UG25"
        "There are at most 32,767 surfaces and 32,767 bones, because the engine stores their numbers in 16 bits.";
    Warning MORPH_TARGET_COUNT "UG26"
        "Every morph target of a surface has the same numbers of positions and tangent frames as its base shape.";
    Warning FRAME_RATE "UG27" "The rate of an12 and an13 is above 0 frames per second.";
}

/// Creates a [`Report`] for violations of the UNIGINE rules. The report passes each finding to
/// `sink`.
pub(super) fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink)
}
