//! The rules, by their ids.

use crate::parse::{Finding, Report, Rule, Severity, rule};

/// The rules for meshes, ms10 to ms15, and animations, an10 to an13. Ids are stable and never given to another rule.
pub const RULES: &[Rule] = &[
    rule("UG01", Severity::Error, "All magics are equal and at their places."),
    rule("UG02", Severity::Error, "Every count is 0 or more, and the bytes left can hold what it counts."),
    rule("UG03", Severity::Error, "Both index streams have one length, a multiple of 3."),
    rule("UG04", Severity::Error, "Every index is below the number of items it points into."),
    rule("UG05", Severity::Error, "UV sets and colours have no items, or one per tangent frame."),
    rule(
        "UG06",
        Severity::Error,
        "Weights are absent or one list per position, of at most 4, naming bones that exist.",
    ),
    rule("UG07", Severity::Error, "Every bone's parent is -1 or a bone, and no bone is its own ancestor."),
    rule(
        "UG08",
        Severity::Error,
        "An animation's bone numbers name bones, each once; no flags have bits of unknown meaning, which announce nothing.",
    ),
    rule("UG09", Severity::Warning, "A key's flags are among the animation's, and frame 0 has all of them."),
    rule(
        "UG10",
        Severity::Warning,
        "Boxes are tight: a surface's around its positions, the mesh's around its surfaces'.",
    ),
    rule(
        "UG11",
        Severity::Warning,
        "A surface's sphere is around its box's middle; the mesh's covers and touches theirs.",
    ),
    rule("UG12", Severity::Info, "Tangent quaternions have unit length, and abs(w) of 32 or more."),
    rule("UG13", Severity::Info, "A vertex's weights sum to 65532..65535; none is empty, 0, or twice on one bone."),
    rule("UG14", Severity::Info, "Compact ints have the engine's length; strings are UTF-8 with one NUL, at the end."),
    rule("UG15", Severity::Info, "Names of surfaces, and of bones, are unique."),
    rule("UG16", Severity::Info, "The three positions of a triangle differ."),
    rule(
        "UG17",
        Severity::Warning,
        "Floats are finite; info only for UV set 1, bind transforms and keys, which drawing can do without.",
    ),
    rule("UG18", Severity::Info, "Bind and animation quaternions have unit length."),
    rule(
        "UG19",
        Severity::Error,
        "Blocks of ms14 and ms15 have sizes that fit, inflate to their size, and are filled by what they hold.",
    ),
    rule("UG20", Severity::Error, "The table of ms14 and ms15 says where each surface's block is."),
    rule(
        "UG21",
        Severity::Warning,
        "A tree is in pre-order, its boxes nest and are tight, and its leaves part the triangles; an edge record has 3 bits.",
    ),
    rule(
        "UG22",
        Severity::Info,
        "Every position and frame is used; the lightmap code is 0 to 7; what is unknown in an13 is 0.",
    ),
    rule("UG23", Severity::Info, "The first frame of an animation is not the bind pose."),
    rule("UG24", Severity::Warning, "Nothing follows the closing magic."),
    rule(
        "UG25",
        Severity::Warning,
        "There are at most 32,767 surfaces, and as many bones: the engine's numbers have 16 bits.",
    ),
    rule("UG26", Severity::Warning, "The shapes of a surface have as many positions and frames as its base shape."),
    rule("UG27", Severity::Warning, "The rate of an12 and an13 is above 0 frames per second."),
];

/// Starts a report by these rules.
pub(super) fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink)
}
