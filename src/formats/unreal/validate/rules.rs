//! The validation rules for Unreal vertex meshes.
//!
//! The rules UR01 to UR18 are about the data file and the aniv file, and the rules with numbers
//! from UR30 upwards are about scripts. A mesh without findings of the severity error loads in
//! lenient mode and can be used. Deviations from the format are reported even if they occur in the
//! files of real games. Each finding is about one rule at one byte offset in a file. If many items
//! of one kind (polygons or vertices) violate a rule, one finding contains the number of violating
//! items and the offset of the first violating item.

use crate::formats::unreal::script;
use crate::parse::{Rule, rules};

/// All validation rules for Unreal meshes, including the rules about scripts. The id of a rule is
/// stable and is never reused for another rule.
pub const RULES: &[Rule] = &all();

rules! {
    /// The validation rules about the data file and the aniv file.
    const PAIR;
    Error TRUNCATED_FILE "UR01" "Both files contain their headers, and the data file contains all of its polygons.";
    Error VERTEX_SIZE "UR02" "A frame has 4 or 8 bytes per vertex.";
    Warning FRAME_SIZE "UR03" "The declared frame size is the size of the frames.";
    Warning MISSING_FRAMES "UR04" "The aniv file contains every declared frame completely.";
    Warning BYTES_AFTER_FRAMES "UR05" "Nothing follows the last frame.";
    Warning BYTES_AFTER_POLYGONS "UR06" "Nothing follows the polygons.";
    Error INDEX_OUT_OF_RANGE "UR07" "Every vertex index is below the number of vertices.";
    Warning MISSING_VERTEX "UR08" "Every vertex that a polygon uses is in the last frame.";
    Warning CONVERTED_LINE_ENDS "UR09" "No program has converted line ends in the aniv file as if it were text.";
    Warning EMPTY_MESH "UR10" "There is at least one polygon, one vertex and one frame.";
    Info UNUSED_HEADER_BYTES "UR11" "The 44 unused bytes of the header are 0.";
    Info POLYGON_COLOR "UR12" "The colour byte of a polygon is 0.";
    Info POLYGON_FLAGS "UR13" "The flags byte of a polygon is 0. Its type byte determines how it is drawn.";
    Info VERTEX_PADDING "UR14" "The padding of a Deus Ex vertex is 0.";
    Info AMBIGUOUS_FRAME_SIZE "UR15"
        "The frame size determines how vertices are stored. It does not if two vertices have 16 bytes.";
    Info FRAME_CONTENT "UR16"
        "Frames contain only vertices. Frames of the prototype also contain their bounding box.";
    Warning POLYGON_STYLE "UR17"
        "The style of a polygon is 0 to 4. Info only for 5, which one late patch supports.";
    Warning SEQUENCE_FRAMES "UR18" "The frames that the sequences of a script name exist.";
}

/// Returns the rules about the data file and the aniv file, followed by the rules about scripts.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs when the crate is compiled")]
const fn all() -> [Rule; PAIR.len() + script::RULES.len()] {
    let mut all = [PAIR[0]; PAIR.len() + script::RULES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < PAIR.len() { PAIR[at] } else { script::RULES[at - PAIR.len()] };
        at += 1;
    }
    all
}
