//! The rules that `validate` knows for Unreal vertex meshes.
//!
//! UR01 to UR18 are about the two files, UR30 and up about scripts. Everything below severity error loads in the lenient
//! mode and can be used; what real games have been shipped with is told as what it is. A finding is about one rule at one
//! place; where many items breach a rule, there is one finding, which counts them and points at the first.

mod pair;

use super::mesh::Mesh;
use super::read::{ANIV, DATA};
use super::uc;
use crate::error::{Error, ErrorKind, Result};
use crate::parse::{Finding, Report, Rule, Severity, rule};

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
const fn all() -> [Rule; PAIR.len() + uc::RULES.len()] {
    let mut all = [PAIR[0]; PAIR.len() + uc::RULES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < PAIR.len() { PAIR[at] } else { uc::RULES[at - PAIR.len()] };
        at += 1;
    }
    all
}

/// Rules whose breach the strict mode does not put up with.
const STRICT: [&str; 6] = ["UR03", "UR04", "UR05", "UR06", "UR07", "UR16"];

/// Returns the finding that tells of a fault in the bytes of a pair: what keeps it from being opened is a breach of a
/// rule, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let known = [DATA, ANIV].contains(&error.format());
    let offset = error.offset().filter(|_| known)?;
    let strictly = match error.kind() {
        ErrorKind::Value { expected, .. } => STRICT.into_iter().find(|rule| strictly(rule) == **expected),
        _ => None,
    };
    let rule = strictly.unwrap_or(match (error.kind(), error.field().name()) {
        (_, "frame_size") => "UR02",
        (ErrorKind::Value { .. }, _) => "UR07",
        _ => "UR01",
    });
    let mut found = None;
    let text = error.kind().to_string();
    let mut sink = |finding| found = Some(finding);
    let mut report = Report::new(RULES, &mut sink);
    report.turn_to(u8::from(error.format() == ANIV));
    report.say(rule, error.field(), offset, text);
    found
}

/// Tests what the lenient mode would only tell of.
pub(super) fn strict<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> Result<()> {
    let mut first = None;
    pair::check_structure(
        mesh,
        &mut Report::new(RULES, &mut |finding: Finding| {
            if STRICT.contains(&finding.rule) {
                first.get_or_insert(finding);
            }
        }),
    )?;
    let Some(Finding { rule, field, offset, text, source, .. }) = first else { return Ok(()) };
    let format = if source == 0 { DATA } else { ANIV };
    let kind = ErrorKind::Value { expected: strictly(rule).into(), found: text.into() };
    Err(Error::new(format, field, offset, kind))
}

/// Says what the strict mode wants.
fn strictly(rule: &str) -> String {
    let expected = RULES.iter().find(|known| known.id == rule).map_or("", |known| known.text).trim_end_matches('.');
    format!("strictly, that \"{expected}\"")
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reports what headers and polygons show, and which sequences of its script name frames that do not exist; looks at no
    /// vertex, except of a file that is cut. What is wrong with the script itself, [`Script::validate`](super::uc::Script)
    /// tells.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = Report::new(RULES, report);
        pair::check_structure(self, &mut report)?;
        pair::check_sequences(self, &mut report);
        Ok(())
    }

    /// Reports every breach of the rules about the two files: those of headers and polygons, and of every vertex.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)?;
        pair::check_vertices(self, &mut Report::new(RULES, report));
        Ok(())
    }

    /// Tests that the owners' bytes still are what was opened. [`open`](Self::open) has found every fault that is one.
    ///
    /// # Errors
    ///
    /// Where they are not.
    pub fn check(&self) -> Result<()> {
        self.groups()?;
        self.aniv_header().map(drop)
    }
}
