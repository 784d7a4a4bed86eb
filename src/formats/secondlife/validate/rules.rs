//! The rules of `validate` for Second Life meshes. Each rule has a severity, a name, an id and a
//! text.

use super::super::layout::INFLATED;
use crate::error::{ErrorKind, Rule};
use crate::parse::{Finding, rules};
use crate::validate::Report;

rules! {
    /// All rules of `validate` for Second Life meshes. If a rule is removed, its id is never used
    /// for another rule.
    pub const RULES;
    Error MALFORMED_HEADER "SL01" "The header is one well-formed LLSD map."
        why "The header locates all blocks. If it is not one complete map, no part of the asset can be read."
        mend "Fetch the asset again, and check that the file is not a web page with an error message.";
    Error BLOCK_OUTSIDE_FILE "SL02" "Offsets and sizes of blocks are not negative, and blocks end within the file."
        why "The bytes of the block are not in the file, so the block cannot be read. A file that was fetched in part \
             has such blocks."
        mend "Fetch the whole asset again.";
    Error UNKNOWN_VERSION "SL03" "The version is at most 999."
        why "A version above 999 is reserved for changes that present programs cannot read, so they refuse the asset."
        mend "Write an integer of at most 999 as the version, or leave the version out.";
    Error NO_LEVEL_OF_DETAIL "SL04" "There is at least one level of detail."
        why "An asset without a level of detail has nothing to draw. Viewers treat it as an asset that does not \
             exist."
        mend "Upload the model again with at least a highest level of detail.";
    Error DAMAGED_ZLIB_STREAM "SL05"
        "A block is one complete zlib stream with the right Adler-32 checksum. gzip is only a warning."
        why "A stream that is cut or damaged gives no data or wrong data, and viewers do not read gzip."
        mend "Fetch the asset again, or compress the content of the block again with zlib.";
    Error DAMAGED_BLOCK_VALUE "SL06" "A block inflates, within the limit, to one LLSD value and no other bytes."
        why "A block has exactly one value. If it is damaged, too large or followed by other bytes, programs disagree \
             about the content."
        mend "Fetch the asset again, or write the block again with one value and nothing after it.";
    Error WRONG_BLOCK_TYPE "SL07"
        "A level of detail or a physics mesh is a non-empty array of maps. Skins and hulls are maps."
        why "Programs read a level as a list of submeshes, and a skin or hulls as a map. They cannot use another \
             type."
        mend "Write the block with the type of value that the finding expects, and with at least one submesh in a \
              level.";
    Error INCOMPLETE_SUBMESH "SL08"
        "A submesh with geometry has at least one position, and only complete positions and triangles."
        why "A submesh without positions, or with bytes that are no complete position or triangle, cannot be drawn as \
             a whole."
        mend "Write the missing bytes, or mark a submesh without triangles with `NoGeometry`.";
    Error ATTRIBUTE_COUNT "SL09" "Normals, texture coordinates and tangents, if present, have one item per vertex."
        why "These values belong to vertices by their order. If the array has another length, some vertices have \
             none."
        mend "Write one item for each position, or leave the array out.";
    Error INDEX_OUT_OF_RANGE "SL10" "Every index is below the number of vertices."
        why "The triangle has no vertex for this corner. A program that does not check the index reads outside of the \
             vertices."
        mend "Correct the index or add the vertex, then export the submesh again.";
    Error INVALID_DOMAIN "SL11"
        "A domain has finite numbers, with min <= max, per component. Texture coordinates have a domain."
        why "Stored 16-bit codes mean numbers between the ends of the domain. Without valid ends, positions or \
             texture coordinates are wrong or missing."
        mend "Write finite ends with `Min` not above `Max`, and a `TexCoord0Domain` if there are texture coordinates.";
    Error WEIGHT_LIST_COUNT "SL12" "There is one list of weights per vertex, and no byte after the last list."
        why "The lists follow each other without an index, so one missing or surplus byte shifts the weights of all \
             vertices after it."
        mend "Write one list for each vertex, and the byte 255 after a list of fewer than 4 influences.";
    Error INVALID_SKIN "SL13"
        "Weights refer to joints of the skin. Each joint has its matrices, of 16 finite numbers each."
        why "Weights name joints by their numbers, and each joint needs its matrices. If their number is wrong, \
             viewers drop the whole binding."
        mend "Bind the model to its joints again, with one inverse bind matrix for each joint, and upload it again.";
    Error HULL_SIZES "SL14" "The sum of the hull sizes is the number of hull points. Hulls have both sizes and points."
        why "The points of all hulls follow each other, and the sizes divide them. If the sum differs, a hull has \
             points of another one."
        mend "Write the number of points of each hull into `HullList`, with 0 for 256, and all points into \
              `Positions`.";
    Error WRONG_HASH "SL15" "A hash is the MD5 of the stored block."
        why "A hash that differs from its block shows that the block is damaged, or was changed without its hash."
        mend "Fetch the asset again. After a wanted change, write the MD5 of the stored block, or remove the hash.";
    Warning MISSING_BLOCK "SL16" "An asset has high_lod and physics_convex, and physics_convex has the bounding hull."
        why "The published page requires these blocks. Without them, there is no highest level, or no shape for \
             collisions."
        mend "Upload the model again with a highest level of detail and a physics shape.";
    Warning MISSING_HIGHER_LEVEL "SL17" "low_lod requires medium_lod, and lowest_lod requires low_lod."
        why "The published page requires an unbroken row of levels. In place of a missing one, viewers show another \
             level, which may be much simpler or slower."
        mend "Add the missing level, or remove the levels below it.";
    Warning SUBMESH_COUNT "SL18" "All levels of detail have the same number of submeshes, at most 8."
        why "A submesh is a face with its own material. If the numbers differ, a face of one level has no counterpart \
             in another. Viewers support 8 faces."
        mend "Give all levels the same faces, with `NoGeometry` for an empty one, and at most 8 of them.";
    Info LEVEL_NOT_SIMPLER "SL19" "A level of detail has fewer triangles than the next higher one."
        why "A lower level with the same number of triangles or more saves no time. Many real uploads have such \
             levels."
        mend "Simplify the lower level further, or leave it out.";
    Warning POSITION_BOX "SL20" "A submesh has a box of its positions, and the box is within ±0.501."
        why "Positions are stored relative to this box. Programs assume different boxes if it is missing, and the \
             published page limits it to ±0.501."
        mend "Write the least and the greatest position of the level as `PositionDomain`, with the model scaled to \
              ±0.5.";
    Warning PLACEHOLDER "SL21" "NoGeometry is true, and it is the only key."
        why "Viewers test only if the key `NoGeometry` is present, and then ignore all other keys of the submesh."
        mend "Write `NoGeometry` as true and as the only key, or remove it from a submesh with triangles.";
    Warning UNUSED_VERTEX "SL22" "Every vertex is used by a triangle, and no triangle uses a vertex twice."
        why "An unused vertex takes space, and a triangle that uses a vertex twice draws nothing. The published page \
             forbids both."
        mend "Remove these vertices and triangles before the upload.";
    Warning DEGENERATE_COLLISION_TRIANGLE "SL23"
        "No collision triangle is degenerate. Slivers, which have an area, are only an info finding."
        why "Viewers refuse to upload a physics shape with triangles that have almost no area."
        mend "Remove or merge the thin triangles of the physics model, or use hulls in their place.";
    Warning HULLS_AND_PHYSICS_MESH "SL24" "An asset does not have both a list of hulls and a physics mesh."
        why "Simulators use the hulls, so the physics mesh takes space without an effect."
        mend "Remove one of the two shapes.";
    Warning WEIGHTS_WITHOUT_SKIN "SL25" "Submeshes have weights if and only if the asset has a skin."
        why "Weights name joints of a skin, and a skin moves only vertices with weights. One without the other has no \
             effect."
        mend "Upload the model again with both the skin and the weights, or with neither.";
    Warning WEIGHT_SUM "SL26" "Every vertex has weights, and their stored sum is 65532 to 65535, which means 1."
        why "Viewers normalise the weights and move a vertex without weights with joint 0. Other programs may show \
             another shape."
        mend "Give each vertex at least one weight, and normalise the weights, before the upload.";
    Warning UNUSUAL_JOINTS "SL27" "There are at most 110 joints. All are joints of the avatar, and none occurs twice."
        why "Viewers support 110 joints, and use mPelvis for a joint that the avatar lacks. The vertices of such \
             joints move wrongly."
        mend "Rename the joints to those of the avatar, use each of them once, and remove unused ones.";
    Warning TOO_MANY_HULLS "SL28" "There are at most 256 hulls."
        why "An asset may have 256 hulls, so programs may refuse a shape with more, or ignore some of them."
        mend "Merge or simplify hulls, and upload the model again.";
    Warning BLOCK_OVERLAP_OR_GAP "SL29" "Blocks do not partly overlap, and there are no bytes between them."
        why "Blocks that overlap in part cannot both be right. A gap has bytes that no entry of the header uses, so \
             an entry may be wrong."
        mend "Write the blocks one after another, and compute all offsets again.";
    Info TRAILING_OR_SHARED_BYTES "SL30" "There are no bytes after the last block, and no two entries share a block."
        why "Bytes after the last block have no meaning. If two entries share a block, a change of one of them \
             changes the other."
        mend "Cut the bytes off, and store a copy of a shared block for each entry.";
    Info UNUSUAL_ORDER "SL31" "Keys are sorted. Blocks are in the usual order and compressed at the highest level."
        why "The asset means the same, but its bytes differ from those that a viewer writes. Lower compression takes \
             more space."
        mend "Upload the model again if the bytes must be those of a viewer; all readers accept it as it is.";
    Info UNUSUAL_FORM "SL32" "There is no marker line, no quoted text, and no cache preamble."
        why "Viewers do not upload assets in these forms, and simple readers may not know them. A preamble and \
             missing blocks come from the cache of a viewer."
        mend "Fetch the asset from its source and not from a cache, or write it as plain binary LLSD.";
    Warning DUPLICATE_KEY_OR_LONG_HEADER "SL33" "No key occurs twice in a map, and the header has at most 4096 bytes."
        why "Of two equal keys, only the first counts. A viewer fetches 4096 bytes to read the header, so it lacks \
             the end of a longer one."
        mend "Remove the repeated key, or shorten the header.";
    Info UNKNOWN_KEY "SL34" "All keys are known."
        why "Programs ignore the key. If it is a misspelt one, a value is missing."
        mend "Correct the key, or leave it: meshpeek keeps unknown keys.";
    Info WIDE_UV_DOMAIN "SL35" "Texture coordinates span at most a million. Beyond, 16-bit codes are too coarse."
        why "A texture coordinate has 65,536 steps between the ends of its domain. Over a million, each step is more \
             than 15 repetitions of the texture."
        mend "Correct the few vertices with extreme texture coordinates, and upload the model again.";
    Info SMALL_HULL "SL36" "A hull has at least 4 points."
        why "Fewer than 4 points enclose no volume, so the hull is flat. Real uploads have hulls of 3 points."
        mend "Add a point outside of the plane of the others, or remove the hull.";
    Info NO_SIMULATOR_DATA "SL37"
        "The asset has the values that a simulator adds: version, creator, date, and hashes of physics blocks."
        why "The simulator adds these values after an upload. They are missing in assets from other sources, which is \
             no fault."
        mend "Nothing needs to be mended before an upload. Otherwise, fetch the asset from the grid.";
    Info INTEGER_FOR_REAL "SL38" "Numbers that need not be integers are stored as reals."
        why "meshpeek reads the integer as a real. A strict reader may ignore the value."
        mend "Store the number as a real, which takes 9 bytes in binary LLSD.";
    Warning TOO_MANY_VERTICES "SL39" "A submesh has at most 65535 vertices, the limit of importers."
        why "Indices have 16 bits, and importers accept at most 65,535 vertices in a submesh."
        mend "Split the submesh into several faces, or reduce its vertices.";
    Error HEADER_VALUE_TYPE "SL40" "Header values other than block entries have the right type."
        why "A program that expects another type ignores the value, or refuses the header."
        mend "Write the header value with the type that the finding expects.";
    Warning SINGULAR_BIND_MATRIX "SL41" "Every inverse bind matrix has an inverse."
        why "The place of a joint is the inverse of its matrix. Without an inverse, all vertices of the joint collapse \
             into a plane, a line or a point, and exporters leave the skin out."
        mend "Bind the mesh to the joints again, and upload it again.";
    Info EQUAL_NORMALS "SL42" "The normals of a submesh are not all equal, unless all its triangles face their way."
        why "Viewers show such a submesh as a flat silhouette. Leaves may have such normals on purpose, to be as light as \
             the ground."
        mend "Compute the normals in the modelling program, unless they are meant, and upload the model again.";
}

/// Makes a report for violations of the rules, which passes each finding to `sink`.
pub(super) fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink).with_inflated(INFLATED)
}

/// Returns the rule that a file breaks by an error whose reader names no rule.
pub(in super::super) const fn rule_of(kind: ErrorKind, _: bool) -> Option<&'static Rule> {
    match kind {
        ErrorKind::Choice | ErrorKind::Missing => None,
        _ => Some(&MALFORMED_HEADER),
    }
}
