//! The validation rules for EZ-Mesh files.
//!
//! A finding with the severity `Error` reports data that no reader can use as stored. A finding
//! with the severity `Info` reports a harmless property of the file, or data that this reader
//! accepts and other readers cannot read. Each finding is about one rule and one element of the
//! file. If many items of an element violate a rule, one finding reports the number of these items,
//! and the byte offset of the first of these items. If the byte offset of an item in the text of a
//! file is not known, the finding reports the byte offset at which the list of numbers starts.

use crate::error::{ErrorKind, Rule};
use crate::parse::rules;

rules! {
    /// All validation rules for EZ-Mesh files. The id of a rule is never reused for another rule.
    pub const RULES;
    Error UNKNOWN_FILE "EZ01"
        "The file is XML with the root MeshSystem, Mesh or SceneGraph, or binary of version 100 or 101."
        why "A file of another kind or version has another layout, so nothing in it can be read."
        mend "Check that the file is an EZ-Mesh, and save it as XML or as binary version 100 or 101.";
    Error ELEMENT_NESTING "EZ02" "Elements are nested correctly, and nothing is outside the root element."
        why "If elements overlap or have no end, their contents cannot be assigned. The file is cut, or was edited \
             incorrectly."
        mend "Close all elements in the reverse order of their start, within one root element.";
    Error ATTRIBUTE_SYNTAX "EZ03" "An attribute has a name and a value, and appears once in its element."
        why "An attribute without a name or value, or with two values, has no clear meaning."
        mend "Write each attribute once, in the form `name=\"value\"`.";
    Error LIMIT_EXCEEDED "EZ04" "Depth, attributes, values and numbers are within the limits."
        why "The limits prevent that a damaged or malicious file takes all memory or time."
        mend "Check the file for damage. If it is sound, split it, or raise the limits in a program that uses the \
              library.";
    Error INVALID_BINARY_FIELD "EZ05"
        "The fields of a binary file lie within it. There are no unknown vertex flags, tetrahedra or collision shapes."
        why "The fields of a binary file have no names, so one wrong length shifts all fields after it. The unknown \
             parts were never specified."
        mend "Fetch the file again, or make it again from its text form.";
    Error MISSING_NUMBERS "EZ06" "A block has at least the numbers that its count requires."
        why "Vertices, triangles or keys are counted that do not exist, so the block cannot be used."
        mend "Write the missing numbers, or lower the count.";
    Error NUMBER_TYPE "EZ07" "Numbers have the declared types, and an attribute has all of its numbers."
        why "A word in place of a number has no value, so the block or the attribute cannot be read."
        mend "Write numbers of the declared types, separated by blanks or commas.";
    Warning SURPLUS_NUMBERS "EZ08" LeftOut
        "A block has no more numbers than its count requires. Surplus numbers are ignored."
        why "The surplus numbers are ignored. If the count is wrong, they are vertices, triangles or keys."
        mend "Raise the count if they are wanted. Otherwise, `meshpeek rewrite FILE -o OUT --allow-loss` leaves them \
              out.";
    Error VERTEX_DECLARATION "EZ09" "Blocks have a count. Vertices have a ctype and a semantic that agree."
        why "The count, the ctype and the semantic determine how numbers form vertices or triangles. Without them, \
             the numbers have no meaning."
        mend "Add the missing attribute, and write one word in the semantic for each word in the ctype.";
    Warning INVALID_SEMANTIC "EZ10"
        "Each word of a semantic is known, has the right number of components and appears once."
        why "The values are kept without a meaning, so no program uses them. The original importer then misreads the \
             vertices."
        mend "Use a known word, such as `normal` or `texcoord1`, once and with its number of components.";
    Warning INTERPOLATED_FLOATS "EZ11" Reencoded
        "The attributes to interpolate have the number of floats that ctype declares."
        why "meshpeek finds the number of floats by counting the numbers of the block. Programs that trust the ctype \
             lose the mesh or misread it."
        mend "`meshpeek rewrite FILE -o OUT` declares the number of floats that the file has.";
    Error INDEX_OUT_OF_RANGE "EZ12" "Every index is below the number of vertices."
        why "The triangle has no vertex for this corner. The original importer does not check the index, so a program \
             may read outside of its vertices."
        mend "Correct the index, or add the vertex. Indices count from 0.";
    Warning LIST_COUNT "EZ13" Reencoded "Lists have the declared number of items."
        why "A program that trusts the declared number reserves too little space, or expects items that do not exist."
        mend "`meshpeek rewrite FILE -o OUT` declares the number of items that the list has.";
    Warning BONE_PARENT "EZ14" LeftOut "A bone's parent is a bone of its skeleton."
        why "The bone becomes a root, so it does not follow the bone that was meant."
        mend "Correct the parent, or add the missing bone to the skeleton.";
    Error BONE_CYCLE "EZ15" "No bone is its own ancestor."
        why "The transform of such a bone would depend on itself, so the skeleton has no pose."
        mend "Remove the parent of one bone in the cycle.";
    Warning DUPLICATE_BONE "EZ16" "No two bones of a skeleton have the same name."
        why "Children and tracks refer to bones by name. A repeated name always means the first of its bones."
        mend "Rename one of the bones, together with the children and tracks that refer to it.";
    Warning UNKNOWN_MATERIAL "EZ17" "If the file lists materials, the material of a section is one of them."
        why "No material describes the section, so its textures are not known."
        mend "Correct the name in the section, or add the material to the list.";
    Warning UNKNOWN_SKELETON "EZ18" "The skeleton of a mesh is in the file, unless its name is empty or `null`."
        why "Weights are numbers of bones in the skeleton of the mesh. If it is not clear which one this is, vertices \
             may move with wrong bones."
        mend "Write the name of a skeleton of the file, or `null` if the mesh has none.";
    Warning UNKNOWN_TRACK_BONE "EZ19" "If the file has bones, a track moves one of them."
        why "The keys of this track move no bone, so a part of the animation is lost."
        mend "Correct the name of the track, or add the bone to a skeleton.";
    Warning KEY_SCALE "EZ20" Reencoded "Keys have a scale if has_scale is set, and only then."
        why "meshpeek counts the numbers of a key, but programs that trust has_scale misread all keys of the track."
        mend "`meshpeek rewrite FILE -o OUT` writes the has_scale that fits the keys.";
    Warning BOUNDING_BOX "EZ21" "A declared box contains its positions."
        why "A program that culls by the declared box may not draw the positions outside of it."
        mend "Write the box of the positions, or leave `MeshAABB` out.";
    Warning NOT_FINITE "EZ22" "Numbers are finite."
        why "Bounds, triangles and poses that depend on NaN or an infinity have no usable values."
        mend "Replace the numbers in the file, or correct the source and export it again.";
    Info ROTATION_LENGTH "EZ23" "Rotations have unit length."
        why "A rotation of another length scales the bone in programs that do not normalise it. One known file has \
             keys of four zeros."
        mend "Normalise the rotations, and write 0 0 0 1 for no rotation.";
    Warning WEIGHT_SUM "EZ24" "The weights of a vertex are not negative, and they sum to 1."
        why "A vertex whose weights do not sum to 1 moves too little or too far, and a negative weight moves it the \
             wrong way."
        mend "Normalise the weights of each vertex, and remove negative ones.";
    Error WEIGHT_BONE "EZ25" "Weights refer to bones of the mesh's skeleton."
        why "The vertex would move with a bone that does not exist. A program that does not check this reads outside \
             of the skeleton."
        mend "Correct the numbers of the bones, or name the skeleton that has them.";
    Info WEIGHTS_WITHOUT_SKELETON "EZ26" "If vertices have weights, the mesh has a skeleton."
        why "Without bones, the weights have no effect."
        mend "Add the skeleton to the file, or remove `blendweights` and `blendindices`.";
    Info DEGENERATE_TRIANGLE "EZ27" "No triangle uses a vertex twice."
        why "Such a triangle has no area, so it draws nothing."
        mend "Remove these triangles from the indexbuffer, and lower its count.";
    Info UNKNOWN_ELEMENT "EZ28" LeftOut "Elements are known. Warning for a known element inside the wrong element."
        why "An unknown element is ignored together with its contents. A known element in a wrong place is lost, too."
        mend "Correct the name of the element, or move it into the element that it belongs to.";
    Info UNKNOWN_ATTRIBUTE "EZ29" LeftOut "Attributes are known."
        why "The attribute is ignored. If its name is misspelt, a value is missing."
        mend "Correct the name of the attribute, or remove it.";
    Info TEXT_BETWEEN_NUMBERS "EZ30" LeftOut "Blocks of numbers contain no other text."
        why "The text is ignored. It may be numbers that were meant for a block."
        mend "Move the text into its block, or remove it.";
    Info ORIGINAL_IMPORTER "EZ31" Reencoded "The original importer can read the file unchanged."
        why "The original importer, and programs that contain it, lose a part of the file without a message, or \
             crash."
        mend "`meshpeek rewrite FILE -o OUT` writes the dialect that this importer reads.";
    Warning MESH_STRUCTURE "EZ32"
        "A mesh has sections, and a vertexbuffer for itself or for each section. A section has an indexbuffer. Error if there are no vertices."
        why "Without sections, vertices, positions or triangles, nothing can be drawn."
        mend "Add the missing block, or remove the empty mesh or section.";
    Info NAME_ENCODING "EZ33" "Names are UTF-8."
        why "Programs that expect UTF-8 show wrong characters in the name, or refuse the file."
        mend "Save the file as UTF-8. meshpeek keeps the bytes of the name.";
    Warning SECTION_VERTEX_TYPES "EZ34" Reencoded "Sections repeat the vertex types of their mesh."
        why "A section uses the vertices of its mesh, so other types in the section are wrong. A program that uses \
             them misreads the vertices."
        mend "`meshpeek rewrite FILE -o OUT` repeats the types of the mesh in its sections.";
    Warning TRACK_FRAME_COUNT "EZ35" "A track has the same number of frames as its animation."
        why "The tracks end at different frames, so a bone has no key in some frames of the animation, or has keys \
             that are never used."
        mend "Give each track one key for each frame, or correct the number of frames.";
    Warning TRAILING_BYTES "EZ36" LeftOut "Nothing follows the last field of a binary file."
        why "No field refers to these bytes. A count or length before them may be wrong."
        mend "Check the counts. If they are right, `meshpeek rewrite FILE -o OUT --allow-loss` leaves the bytes out.";
    Warning HEXADECIMAL_DIGIT "EZ37" Reencoded
        "Hexadecimal numbers contain only hexadecimal digits. Other characters count as 0."
        why "The character counts as the digit 0, so the number, mostly a colour, may be wrong."
        mend "Write hexadecimal numbers with the digits 0 to 9 and A to F. `meshpeek rewrite FILE -o OUT` writes the \
              digits that were read.";
    Info DOCTYPE "EZ38" LeftOut "There is no DOCTYPE."
        why "A DOCTYPE has no effect. Its entities are not expanded, because they could name other files or take all \
             memory."
        mend "Remove it. `meshpeek rewrite FILE -o OUT --allow-loss` leaves it out.";
    Info ENTITY "EZ39" "Names and values contain no entities. Entities are not expanded."
        why "A name contains the entity as it is written, such as five characters for one `&`. The original importer \
             reads it in this way, too."
        mend "Write the character in place of the entity, or decode the name in the program that shows it.";
    Info COMMENT_OR_INSTRUCTION "EZ40" LeftOut
        "There are no comments, and no processing instructions except the declaration."
        why "Comments and instructions have no effect. The original importer loses a mesh that contains a comment."
        mend "Remove them. `meshpeek rewrite FILE -o OUT --allow-loss` leaves them out.";
    Warning UNKNOWN_INSTANCE_MESH "EZ41" "An instance refers to a mesh of the file."
        why "The instance shows nothing, because its mesh is not in the file."
        mend "Correct the name of the mesh in the instance, or add the mesh.";
    Warning BINARY_BYTE_ORDER "EZ42" "Binary version 100 is little-endian, and version 101 is big-endian."
        why "Programs take the byte order from the version, and misread a file in the other one. meshpeek tries both."
        mend "Write version 100 in little-endian and version 101 in big-endian byte order.";
    Warning SURPLUS_BLOCK "EZ43" LeftOut
        "An element has at most one MeshAABB, one vertexbuffer and one indexbuffer. Only the first is read."
        why "The first block is read, and the data in the others is ignored."
        mend "Keep one block, or give each section a block of its own.";
    Info MARKUP_IN_VALUE "EZ44" Reencoded "Names and values contain no quotation marks and no `<`."
        why "A quotation mark or a `<` ends the value in programs with simple XML readers, and a `<` is not allowed \
             by XML."
        mend "`meshpeek rewrite FILE -o OUT` writes the characters as entities.";
    Warning EQUAL_NORMALS "EZ45" "The normals of a surface are not all equal, unless all its triangles face their way."
        why "Programs that light the surface by equal normals show a flat silhouette. The normals were never computed, or \
             got lost in an export. meshpeek draws the surface with computed ones."
        mend "Compute the normals in the modelling program, and export the mesh again.";
}

/// Returns the rule that a file breaks by an error whose reader names no rule.
pub(in crate::formats::ezmesh) const fn rule_of(kind: ErrorKind, _: bool) -> Option<&'static Rule> {
    Some(match kind {
        ErrorKind::Limit => &LIMIT_EXCEEDED,
        ErrorKind::UnexpectedEnd | ErrorKind::Count => &INVALID_BINARY_FIELD,
        ErrorKind::Empty | ErrorKind::Unknown | ErrorKind::Unsupported => &UNKNOWN_FILE,
        ErrorKind::Value => &ELEMENT_NESTING,
        _ => return None,
    })
}
