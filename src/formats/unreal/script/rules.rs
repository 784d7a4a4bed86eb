//! The validation rules for scripts. Each rule is a constant.

use crate::parse::rules;

rules! {
    /// All validation rules for scripts. The id of a rule is never reused for another rule.
    pub(crate) const RULES;
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
