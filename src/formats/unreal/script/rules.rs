//! The validation rules for scripts. Each rule is a constant.

use crate::parse::rules;

rules! {
    /// All validation rules for scripts. The id of a rule is never reused for another rule.
    pub(crate) const RULES;
    Warning LONG_LINE "UR30" "A line has at most 65,536 bytes. A longer line is skipped.";
    Warning TEXT_ENCODING "UR31" "The text has one byte per character and no NUL. Commands with a NUL are skipped.";
    Warning UNCLOSED_QUOTE "UR32" "Every quote is closed on its line.";
    Warning INVALID_NUMBER "UR33" "The value of a numeric key is a number, and its type can hold it.";
    Info TEXT_AFTER_NUMBER "UR34" "Nothing follows a number in its value.";
    Warning MISSING_KEY "UR35" "A command has all keys that it needs, and they have values.";
    Warning SEQUENCE_RANGE "UR36"
        "The first frame and the number of frames of a sequence are 0 or more, and their sum is at most 65,535.";
    Info UNKNOWN_KEY "UR37" "A command has only known keys, and no words without a value.";
    Info DUPLICATE_KEY "UR38" "A command has each key once.";
    Info DUPLICATE_COMMAND "UR39"
        "A script defines everything once: the files of a mesh, its scale, a sequence, a texture.";
    Info UNKNOWN_MESH "UR40" "A command refers to a mesh that the script imports.";
    Info INVALID_NOTIFY "UR41" "A notification belongs to a sequence of its mesh, at a time of 0 to 1.";
    Info UNKNOWN_TEXTURE "UR42" "A texture is imported by the script, or its name includes a package.";
    Info TEXTURE_NUMBER "UR43" "A texture number is 0 to 255, the range that a polygon can store.";
    Info UNCLOSED_COMMENT "UR44" "Every block comment is closed. Commands in a block comment are skipped.";
}
