//! The validation rules for Unreal vertex meshes.
//!
//! The rules UR01 to UR19 are about the data file and the aniv file, and the rules with numbers
//! from UR30 upwards are about scripts. A mesh without findings of the severity error loads in
//! lenient mode and can be used. Deviations from the format are reported even if they occur in the
//! files of real games. Each finding is about one rule at one byte offset in a file. If many items
//! of one kind (polygons or vertices) violate a rule, one finding contains the number of violating
//! items and the offset of the first violating item.

use crate::error::{ErrorKind, Rule};
use crate::parse::rules;

rules! {
    /// All validation rules for Unreal meshes, including the rules about scripts. The id of a rule
    /// is stable and is never reused for another rule.
    pub const RULES;
    Error TRUNCATED_FILE "UR01" "Both files contain their headers, and the data file contains all of its polygons."
        why "A file that ends within its header, or before the counted polygons, is cut. The mesh cannot be opened."
        mend "Fetch both files again, or export the mesh again.";
    Error VERTEX_SIZE "UR02" "A frame has 4 or 8 bytes per vertex."
        why "The frame size and the number of vertices determine how a vertex is stored. With any other size, the \
             vertices cannot be read."
        mend "Check that the data file and the aniv file belong to the same mesh, and export both again.";
    Warning FRAME_SIZE "UR03" "The declared frame size is the size of the frames."
        why "A program that trusts the declared size reads every frame but the first at a wrong place. meshpeek \
             computes the size from the length of the file."
        mend "Write the real size of a frame into bytes 2 and 3 of the aniv file, or export the mesh again.";
    Warning MISSING_FRAMES "UR04" "The aniv file contains every declared frame completely."
        why "The end of the animation is missing, so a sequence that uses these frames cannot be played to its end."
        mend "Fetch the aniv file again, or export it again. If exactly one vertex is missing, the exporter probably \
              counts from 1.";
    Warning BYTES_AFTER_FRAMES "UR05" "Nothing follows the last frame."
        why "No field refers to these bytes. If the number of frames or vertices is wrong, they may be frames."
        mend "Check the counts in the headers. If they are right, cut the aniv file after its last frame.";
    Warning BYTES_AFTER_POLYGONS "UR06" "Nothing follows the polygons."
        why "No field refers to these bytes. If the number of polygons is wrong, they may be polygons."
        mend "Check the count in the header. If it is right, cut the data file after its last polygon.";
    Error INDEX_OUT_OF_RANGE "UR07" "Every vertex index is below the number of vertices."
        why "A program that does not check the index reads outside of the frame. The polygon has no position for this \
             corner."
        mend "Correct an exporter that counts vertices from 1, or remove the polygon.";
    Warning MISSING_VERTEX "UR08" "Every vertex that a polygon uses is in the last frame."
        why "The last frame is incomplete, and these polygons use vertices that it lacks. They cannot be drawn in \
             this frame."
        mend "Fetch or export the aniv file again, or leave the last frame out of all sequences.";
    Warning CONVERTED_LINE_ENDS "UR09" "No program has converted line ends in the aniv file as if it were text."
        why "A program took the file for text and changed CR LF to LF. All data after the first lost byte is shifted, \
             so frames show wrong positions."
        mend "Fetch the file again as binary. In git, mark such files with `*.3d binary` in `.gitattributes`.";
    Warning EMPTY_MESH "UR10" "There is at least one polygon, one vertex and one frame."
        why "A mesh without polygons, vertices or frames shows nothing."
        mend "Export the mesh again, or remove its files and the commands of the script about it.";
    Info UNUSED_HEADER_BYTES "UR11" "The 44 unused bytes of the header are 0."
        why "The published specification calls these bytes unused. Other values are mostly left over from the memory \
             of an exporter."
        mend "Leave them as they are, or write 0. `meshpeek rewrite` keeps them.";
    Info POLYGON_COLOR "UR12" "The colour byte of a polygon is 0."
        why "The byte has no effect. Another value than 0 may show that an exporter stores data here that readers do \
             not know."
        mend "Write 0, or ignore the finding: real meshes with such bytes can be read.";
    Info POLYGON_FLAGS "UR13" "The flags byte of a polygon is 0. Its type byte determines how it is drawn."
        why "The byte has no effect, so flags that were set here by mistake are not used."
        mend "Set the style and the flags of the polygon in its type byte, and write 0 here.";
    Info VERTEX_PADDING "UR14" "The padding of a Deus Ex vertex is 0."
        why "The fourth number of a Deus Ex vertex is no coordinate. If it has values, the vertices may be stored in \
             another way."
        mend "Check the positions with `meshpeek dump`. If they are right, write 0 into the padding.";
    Info AMBIGUOUS_FRAME_SIZE "UR15"
        "The frame size determines how vertices are stored. It does not if two vertices have 16 bytes."
        why "Two vertices in 16 bytes can be a frame of Deus Ex, or one of the prototype. meshpeek reads the former, \
             so a prototype mesh gets wrong positions."
        mend "Check the positions with `meshpeek dump`, or export the mesh with a third vertex.";
    Info FRAME_CONTENT "UR16"
        "Frames contain only vertices. Frames of the prototype also contain their bounding box."
        why "A frame of the prototype has 8 bytes more than its vertices need. Programs for the released games refuse \
             such a file, or read wrong positions."
        mend "Use a program that knows the prototype, such as `meshpeek convert`, and export the mesh from there.";
    Warning POLYGON_STYLE "UR17"
        "The style of a polygon is 0 to 4. Info only for 5, which one late patch supports."
        why "Styles 6 and 7 have no known meaning, and only patch 227 draws style 5. The look of the polygon depends \
             on the program."
        mend "Give the polygon a style of 0 to 4, in the three lowest bits of its type byte.";
    Warning SEQUENCE_FRAMES "UR18" "The frames that the sequences of a script name exist."
        why "The sequence plays frames that the mesh lacks, so it cannot be played as it is written."
        mend "Correct STARTFRAME and NUMFRAMES of the sequence, or export the mesh with all of its frames.";
    Warning SCRAMBLED_VERTICES "UR19" "The vertices are in the order to which the polygons refer."
        why "An exporter has written the vertices in another order, so each polygon connects vertices from anywhere. \
             The mesh looks like a ball of spikes."
        mend "Look at the mesh with `meshpeek view`, and export it again with another version of the exporter.";
    Warning LONG_LINE "UR30" "A line has at most 65,536 bytes. A longer line is skipped."
        why "The line is skipped, so its command has no effect. Text of this length mostly comes from a file that is \
             no script."
        mend "Split the line, or restore the script from its source.";
    Warning TEXT_ENCODING "UR31" "The text has no NUL. Commands with a NUL are skipped."
        why "A command with a NUL is skipped. In a text of four bytes per character, such as UTF-32, no command is \
             found at all."
        mend "Save the script as ASCII, UTF-8 or UTF-16, without NUL characters.";
    Warning UNCLOSED_QUOTE "UR32" "Every quote is closed on its line."
        why "The value extends to the end of the line, and contains the keys that were meant to follow it."
        mend "Add the closing quote after the value.";
    Warning INVALID_NUMBER "UR33" "The value of a numeric key is a number, and its type can hold it."
        why "The key has no usable value, so the scale, rotation or frame is not the one that was meant."
        mend "Write a decimal number that is in the range of the key.";
    Info TEXT_AFTER_NUMBER "UR34" "Nothing follows a number in its value."
        why "The number at the start of the value is used, and the text after it is ignored without a message."
        mend "Remove the text, or put a blank before it if it is a key.";
    Warning MISSING_KEY "UR35" "A command has all keys that it needs, and they have values."
        why "The command needs this key, such as the files of an import. Without it, the command has no effect or a \
             wrong one."
        mend "Add the key that the finding names, with a value.";
    Warning SEQUENCE_RANGE "UR36"
        "The first frame and the number of frames of a sequence are 0 or more, and their sum is at most 65,535."
        why "Frames are numbered in 16 bits without a sign, so no mesh has these frames."
        mend "Correct the first frame or the number of frames in the command.";
    Info UNKNOWN_KEY "UR37" "A command has only known keys, and no words without a value."
        why "The key is ignored. If it is misspelt, a setting of the mesh is missing."
        mend "Correct the spelling of the key, give it a value, or remove it.";
    Info DUPLICATE_KEY "UR38" "A command has each key once."
        why "The first value of the key is used, and the later ones are ignored."
        mend "Remove all values but the one that is meant.";
    Info DUPLICATE_COMMAND "UR39"
        "A script defines everything once: the files of a mesh, its scale, a sequence, a texture."
        why "Two commands set the same item, so one of them has no effect."
        mend "Remove one of the commands. The finding has the number of the earlier one.";
    Info UNKNOWN_MESH "UR40" "A command refers to a mesh that the script imports."
        why "The script does not import the mesh. The command has an effect only if another script imports it."
        mend "Correct the name of the mesh, or move the command to the script that imports it.";
    Info INVALID_NOTIFY "UR41" "A notification belongs to a sequence of its mesh, at a time of 0 to 1."
        why "The function is called when the sequence reaches a time, from 0 at its start to 1 at its end. With an \
             unknown sequence or another time, no such moment exists."
        mend "Correct the sequence or the time of the notification.";
    Info UNKNOWN_TEXTURE "UR42" "A texture is imported by the script, or its name includes a package."
        why "The script gives no file for the texture, so a converted mesh lacks this picture."
        mend "Import the texture in the script, or write its name with its package, such as `Skins.Metal`.";
    Info TEXTURE_NUMBER "UR43" "A texture number is 0 to 255, the range that a polygon can store."
        why "A polygon stores its texture number in one byte, so no polygon can use this texture."
        mend "Choose a number of 0 to 255, and the same number in the polygons.";
    Info UNCLOSED_COMMENT "UR44" "Every block comment is closed. Commands in a block comment are skipped."
        why "All lines after the start of the comment belong to it, so their commands have no effect."
        mend "Close the comment with `*/`, or remove its start.";
}

/// Returns the rule that a file breaks by an error whose reader names no rule.
#[allow(clippy::unnecessary_wraps, reason = "the signature of the rules of every format")]
pub(in crate::formats::unreal) const fn rule_of(kind: ErrorKind, _: bool) -> Option<&'static Rule> {
    Some(if matches!(kind, ErrorKind::Value) { &INDEX_OUT_OF_RANGE } else { &TRUNCATED_FILE })
}
