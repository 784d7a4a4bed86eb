//! The rules that `validate` knows for Unreal vertex meshes.
//!
//! UR01 to UR18 are about the two files, UR30 and up about scripts. Everything below severity error loads in the lenient
//! mode and can be used; what real games have been shipped with is told as what it is. A finding is about one rule at one
//! place; where many items breach a rule, there is one finding, which counts them and points at the first.

use crate::formats::unreal::script;
use crate::parse::{Rule, Severity, rule};

/// The rules, those about scripts included. Ids are stable and never given to another rule.
pub const RULES: &[Rule] = &all();

/// The rules about the two files.
const PAIR: [Rule; 18] = [
    rule("UR01", Severity::Error, "Both files hold their headers, and the data file all its polygons."),
    rule("UR02", Severity::Error, "A frame has 4 or 8 bytes for each vertex."),
    rule("UR03", Severity::Warning, "The declared frame size is the size of the frames."),
    rule("UR04", Severity::Warning, "The aniv file holds every declared frame whole."),
    rule("UR05", Severity::Warning, "Nothing follows the last frame."),
    rule("UR06", Severity::Warning, "Nothing follows the polygons."),
    rule("UR07", Severity::Error, "Every vertex index is below the number of vertices."),
    rule("UR08", Severity::Warning, "Every vertex that a polygon uses is in the last frame."),
    rule("UR09", Severity::Warning, "No program took the aniv file for text and converted its line ends."),
    rule("UR10", Severity::Warning, "There are polygons, vertices and frames."),
    rule("UR11", Severity::Info, "The 44 header bytes that nobody reads are 0."),
    rule("UR12", Severity::Info, "The colour byte of a polygon is 0."),
    rule("UR13", Severity::Info, "The flags byte of a polygon is 0; what it draws like is in its type byte."),
    rule("UR14", Severity::Info, "The pad of a Deus Ex vertex is 0."),
    rule(
        "UR15",
        Severity::Info,
        "The frame size alone tells how vertices are stored: 16 bytes for two of them do not.",
    ),
    rule("UR16", Severity::Info, "Frames hold nothing but vertices; those of the prototype hold their box, too."),
    rule("UR17", Severity::Warning, "A polygon's style is 0 to 4; info only for 5, which one late patch knows."),
    rule("UR18", Severity::Warning, "The frames that a script's sequences name exist."),
];

/// Puts the rules about the files and those about scripts together.
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
