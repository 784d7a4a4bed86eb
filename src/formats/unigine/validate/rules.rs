//! The list of validation rules, with their ids.

use crate::error::{ErrorKind, Rule};
use crate::parse::{Finding, rules};
use crate::validate::Report;

rules! {
    /// The validation rules for meshes (ms10 to ms15) and animations (an10 to an13). The id of a
    /// removed rule is never used again.
    pub const RULES;
    Error WRONG_MAGIC "UG01" "All magic numbers are equal and in their places."
        why "Magic numbers mark the start, the parts and the end of a file. If one is wrong, the bytes before it were \
             read at a wrong place, or the file is damaged or cut."
        mend "Fetch the file again as binary, or export it again.";
    Error COUNT_OUT_OF_RANGE "UG02"
        "Every count is 0 or more, and the remaining bytes can hold the items that it counts."
        why "A count that the remaining bytes cannot hold is damaged, or the file is cut. The arrays after it cannot \
             be located."
        mend "Compare the size of the file with the original, and fetch or export it again.";
    Error INDEX_STREAM_LENGTH "UG03" "Both index streams have the same length, a multiple of 3."
        why "Each corner of a triangle has one index in each stream. With streams of different lengths, or an \
             incomplete last triangle, a corner lacks its position or its attributes."
        mend "Write three indices for each triangle into both streams, or export the mesh again.";
    Error INDEX_OUT_OF_RANGE "UG04" "Every index is below the number of items that it refers to."
        why "A program that trusts the index reads outside of the array, and may crash. The triangle has no vertex \
             for this corner."
        mend "Remove the triangles with such indices, or export the mesh again. The finding has the offset of the \
              first one.";
    Error ATTRIBUTE_COUNT "UG05" "A UV set or colour array is empty or has one item per tangent frame."
        why "Texture coordinates and colours are found with the same indices as tangent frames. An array of another \
             length does not belong to them."
        mend "Write one item for each tangent frame, or leave the array empty.";
    Error INVALID_WEIGHTS "UG06"
        "Weights are absent, or each position has one list of at most 4 weights on existing bones."
        why "The weights of a vertex have the number of its position, and each names a bone by its number. Without \
             the list or the bone, the vertex cannot be moved by the skeleton."
        mend "Bind the mesh to its skeleton again, with at most 4 influences for each vertex, and export it again.";
    Error BONE_PARENT "UG07" "A bone's parent is -1 or another bone, and no bone is its own ancestor."
        why "The pose of a bone is computed from the pose of its parent. With an unknown parent or a cycle, there is \
             no pose."
        mend "Correct the hierarchy of the bones in the source scene, and export it again.";
    Error ANIMATED_BONE "UG08"
        "The bone numbers of an animation refer to existing bones, each once. Key flags have no unknown bits."
        why "A key moves the bone with this number, and each known flag adds bytes to the key. With other numbers or \
             flags, wrong bones move, or the keys after it are misread."
        mend "Export the animation again, together with the skeleton of its mesh.";
    Warning KEY_FLAGS "UG09" "The flags of a key are among those of its animation, and frame 0 has all of them."
        why "The flags of an animation list the components that it changes, and later frames store only changes. A \
             component that frame 0 lacks has no first value."
        mend "Export the animation again, with every animated component in frame 0.";
    Warning BOUNDING_BOX "UG10"
        "Boxes are tight: the box of a surface around its positions, the box of the mesh around its surfaces."
        why "Programs skip a surface whose box is outside of the picture. If the box is too small, visible parts \
             disappear; if it is too large, time is lost."
        mend "Compute the boxes from the positions, for example by exporting the mesh again.";
    Warning BOUNDING_SPHERE "UG11"
        "The sphere of a surface is centred on its box. The sphere of the mesh tightly encloses the spheres of its surfaces."
        why "A program that culls by spheres loses visible parts if a sphere is too small, and draws hidden parts if \
             it is too large."
        mend "Compute the spheres of the surfaces from their boxes and positions, then the sphere of the mesh, or \
              export the mesh again.";
    Info TANGENT_QUATERNION "UG12" "Tangent quaternions have unit length, and abs(w) is at least 32."
        why "The quaternion holds the normal and the tangent, and the sign of w holds the handedness. Readers \
             normalise it, but a w near 0 may have lost its sign, which mirrors a normal map."
        mend "Give the affected triangles texture coordinates with an area, and compute the tangents again. A few \
              such frames are harmless.";
    Info WEIGHT_SUM "UG13"
        "The weights of a vertex sum to 65532..65535. No list is empty, no weight is 0, and no bone appears twice."
        why "Weights that do not sum to 1 move a vertex too little or too far, unless the program normalises them. \
             Weights of 0 and repeated bones only take space."
        mend "Normalise the weights, and remove those of 0, before the export. A vertex that no bone moves may have \
              an empty list.";
    Info ENCODING "UG14" Reencoded
        "Compact integers have the length that the engine writes. Strings are UTF-8 with one NUL at the end."
        why "The file can be read, but the engine would write other bytes, so a rewritten file differs. A name that \
             is not UTF-8 cannot be shown as it was meant."
        mend "`meshpeek rewrite FILE -o OUT` writes numbers and strings in the form of the engine. Rename an item \
              whose name is not UTF-8.";
    Info DUPLICATE_NAME "UG15" "The names of surfaces are unique, and so are the names of bones."
        why "A lookup by name finds only the first of the items with this name."
        mend "Give each surface and each bone a name that no other has, in the source scene.";
    Info DEGENERATE_TRIANGLE "UG16" "The three positions of a triangle differ."
        why "A triangle with two corners at one position has no area. It draws nothing, and only takes space and \
             time."
        mend "Remove such triangles in the modelling program, or ignore the finding: many sound files have some.";
    Warning NOT_FINITE "UG17"
        "Floats are finite. Info only for UV set 1, bind transforms and keys, which drawing does not need."
        why "NaN and infinities spread to all values that are computed from them, such as bounds and skinned \
             positions."
        mend "Find the values with `meshpeek dump`, correct them in the source, and export it again.";
    Info ROTATION_LENGTH "UG18" "Quaternions of bind transforms and animations have unit length."
        why "A quaternion of another length scales the bone in programs that do not normalise it."
        mend "Normalise the rotations of the bones and keys before the export.";
    Error INVALID_BLOCK "UG19"
        "Blocks of ms14 and ms15 have sizes that fit, inflate to their declared size and are filled by their contents."
        why "Geometry and tree of a surface are in these blocks. A block that does not inflate to its declared \
             contents is damaged, and its part of the surface cannot be read."
        mend "Fetch the file again, or export it again. The blocks of the other surfaces can still be read.";
    Error BLOCK_TABLE "UG20" Reencoded "The table of ms14 and ms15 has the offset of the block of each surface."
        why "Readers locate the geometry of a surface by this table. With a wrong offset, they read the bytes of \
             another part."
        mend "`meshpeek rewrite FILE -o OUT` writes the right table.";
    Warning SPATIAL_TREE "UG21"
        "Trees are in pre-order with nested boxes, and their leaves partition the triangles. Edge records have 3 bits. Info only for a loose box of a leaf, and for a box that is too small by rounding."
        why "Ray casts and collision tests search the tree. They miss a triangle outside of the box of its leaf, and \
             cannot use a tree of invalid nodes."
        mend "Build the trees again, for example by importing the source of the mesh into the engine again.";
    Info UNUSED_ITEM "UG22"
        "Every position and tangent frame is used. The lightmap code is 0 to 7. Unknown fields of an13 are 0."
        why "A vertex that no triangle uses takes space. A code or byte of unknown meaning may be a feature that \
             readers ignore."
        mend "Remove unused vertices before the export, and choose a lightmap resolution of 32 to 4096 texels.";
    Info BIND_POSE_FRAME "UG23" "The first frame of an animation differs from the bind pose."
        why "The vendor's page on ms10 advises against it, because the skeleton already has the bind pose."
        mend "Start the exported range one frame later if the first frame was added only for the export.";
    Warning TRAILING_BYTES "UG24" LeftOut "Nothing follows the closing magic number."
        why "No field refers to these bytes. They may be the rest of an older, longer file, or come from a damaged \
             copy."
        mend "`meshpeek rewrite FILE -o OUT --allow-loss` leaves the bytes out.";
    Warning TOO_MANY_ITEMS "UG25"
        "There are at most 32,767 surfaces and 32,767 bones, because the engine stores their numbers in 16 bits."
        why "The engine stores these numbers in 16 bits with a sign, so a number above 32,767 means another item."
        mend "Split the mesh, join surfaces that share a material, or remove bones.";
    Warning MORPH_TARGET_COUNT "UG26"
        "Every morph target of a surface has the same numbers of positions and tangent frames as its base shape."
        why "A morph target has a position and a tangent frame for each one of the base shape. With other numbers, \
             they cannot be matched."
        mend "Make each target from a copy of the base shape without adding or removing vertices, and export it \
              again.";
    Warning FRAME_RATE "UG27" "The rate of an12 and an13 is above 0 frames per second."
        why "The rate determines how long a frame lasts. With 0 or less, no time belongs to a frame."
        mend "Set the frames per second in the source of the animation, and export it again.";
    Info EQUAL_NORMALS "UG28" "The normals of a surface are not all equal, unless all its triangles face their way."
        why "A surface that is lit by equal normals looks like a flat silhouette. Grass may have such normals on purpose, \
             to be as light as the ground."
        mend "Compute the normals in the modelling program, unless they are meant, and export the mesh again.";
}

/// Creates a [`Report`] for violations of the UNIGINE rules. The report passes each finding to
/// `sink`.
pub(super) fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink)
}

/// Returns the rule that a file breaks by an error whose reader names no rule.
#[allow(clippy::unnecessary_wraps, reason = "the signature of the rules of every format")]
pub(in crate::formats::unigine) const fn rule_of(_: ErrorKind, is_inflated: bool) -> Option<&'static Rule> {
    Some(if is_inflated { &INVALID_BLOCK } else { &COUNT_OUT_OF_RANGE })
}
