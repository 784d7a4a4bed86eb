//! The rules that `validate` knows for UNIGINE meshes.
//!
//! UG01 to UG24 hold on thousands of real files; UG25 and UG26 follow from the engine's 16-bit numbers and from what
//! blending needs. A finding is about one rule at one place; where many items of an array breach a rule, there is one
//! finding, which counts them and points at the first. Of one file, at most 1,000 findings by a rule are told.
//!
//! Floats that are not finite are a warning where thousands of files have none: positions, UV set 0, bounds. Nobody has
//! counted those of UV set 1, bind transforms and keys, and drawing can do without; there they are for information.

mod animations;
mod skeleton;
mod structure;
mod values;

use super::{Generation, Mesh};
use crate::error::{Error, Result};
use crate::finding::{Finding, Report, Rule, Severity, Tally, rule};

/// The rules for ms10 to ms13. Ids are stable and never given to another rule; UG19 to UG21 belong to generations that
/// this version does not read.
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
        "An animation's bone numbers name bones, each once; bit 7 of a key's flags is never set.",
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
    rule("UG22", Severity::Info, "Every position and frame is used; the lightmap code is 0 to 7."),
    rule("UG23", Severity::Info, "The first frame of an animation is not the bind pose."),
    rule("UG24", Severity::Warning, "Nothing follows the closing magic."),
    rule(
        "UG25",
        Severity::Warning,
        "There are at most 32,767 surfaces, and as many bones: the engine's numbers have 16 bits.",
    ),
    rule("UG26", Severity::Warning, "The shapes of a surface have as many positions and frames as its base shape."),
];

/// Starts a report by these rules.
fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink)
}

/// Returns the finding that tells of a fault in the bytes of a mesh: what keeps a file from being opened is a breach of
/// a rule, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let known = Generation::ALL.iter().any(|generation| generation.format() == error.format());
    let offset = error.offset().filter(|_| known)?;
    let mut found = None;
    let text = error.kind().to_string();
    report(&mut |finding| found = Some(finding)).say(structure::rule_of(error), error.field(), offset, text);
    found
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reports what the structure alone shows: counts, strings, parents. Looks at no vertex, so its cost is that of
    /// [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read; it is reported, too, as UG01 or UG02.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = self::report(report);
        structure::check(self, &mut report)?;
        skeleton::check_structure(self, &mut report)
    }

    /// Reports every breach of [`RULES`](super::RULES): the structure's, and those of every value in the file.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)?;
        let mut report = self::report(report);
        skeleton::check_values(self, &mut report)?;
        animations::check(self, &mut report)?;
        for index in 0..self.surface_count() {
            values::check_surface(self, index, &mut report)?;
        }
        values::check_mesh(self, &mut report)
    }
}
