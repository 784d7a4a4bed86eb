//! The rules that `validate` knows for UNIGINE meshes and animations.
//!
//! UG01 to UG24 hold on thousands of real files; UG25 to UG27 follow from the engine's 16-bit numbers and from what
//! blending and playing need. A finding is about one rule at one place; where many items of an array breach a rule, there is one
//! finding, which counts them and points at the first. Of one file, at most 1,000 findings by a rule are told.
//!
//! Floats that are not finite are a warning where thousands of files have none: positions, UV set 0, bounds. Nobody has
//! counted those of UV set 1, bind transforms and keys, and drawing can do without; there they are for information.

mod animations;
mod skeleton;
mod structure;
mod trees;
mod values;

use super::{Animation, AnimationGeneration, Buffer, Generation, Mesh};
use crate::error::{Error, Result};
use crate::parse::{Finding, Report, Rule, Severity, Tally, rule};

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
fn report(sink: &mut dyn FnMut(Finding)) -> Report<'_> {
    Report::new(RULES, sink)
}

/// Returns the finding that tells of a fault in the bytes of a mesh or animation: what keeps a file from being opened is a breach of
/// a rule, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let known = Generation::ALL.iter().any(|generation| generation.format() == error.format())
        || AnimationGeneration::ALL.iter().any(|generation| generation.format() == error.format());
    error.offset().filter(|_| known)?;
    let mut found = None;
    structure::say_fault(error, &mut report(&mut |finding| found = Some(finding)));
    found
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reports what the structure alone shows: counts, strings, parents. Looks at no vertex, but inflates compressed geometry,
    /// surface by surface, to see the counts in it; so its cost is that of [`check`](Self::check). A block of a compressed
    /// generation that cannot be read keeps no other from being looked at.
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read; it is reported, too, as UG01 or UG02.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = self::report(report);
        let checked = structure::check(self, &mut report);
        if !self.generation().is_compressed() {
            checked.as_ref().map_err(Error::clone)?;
        }
        skeleton::check_structure(self, &mut report)?;
        checked
    }

    /// Reports every breach of [`RULES`](super::RULES): the structure's, and those of every value in the file.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let surveyed = self.survey(report);
        if !self.generation().is_compressed() {
            surveyed.as_ref().map_err(Error::clone)?;
        }
        let mut report = self::report(report);
        skeleton::check_values(self, &mut report)?;
        animations::check(self, self.animation_count(), |index| self.animation(index), &mut report)?;
        let mut buffer = Buffer::default();
        for index in 0..self.surface_count() {
            values::check_surface(self, index, &mut buffer, &mut report)?;
        }
        values::check_mesh(self, &mut report)?;
        surveyed
    }
}

impl<D: AsRef<[u8]>> Animation<D> {
    /// Reports what the structure alone shows: counts, strings, parents. Looks at the flags of every key, and at nothing
    /// else of them, so its cost is that of [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read; it is reported, too, as UG01, UG02 or UG08.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = self::report(report);
        let bytes = self.as_bytes();
        let walked = self.regions(&mut |region| structure::check_region(bytes, &region, &mut report));
        structure::tell(walked, &mut report)?;
        animations::check_tail(self, &mut report)?;
        skeleton::check_structure(self, &mut report)
    }

    /// Reports every breach of [`RULES`](super::RULES): the structure's, and those of every key.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)?;
        let mut report = self::report(report);
        if let Some(bounds) = self.raw_bounds()? {
            values::check_finite_bounds(bounds, crate::error::Field::new(""), super::header::BOUNDS_AT, &mut report);
        }
        skeleton::check_values(self, &mut report)?;
        animations::check(self, self.animation_count(), |index| self.animation(index), &mut report)
    }
}
