//! What is reported of a mesh, and when.

use super::files;
use super::rules::RULES;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA};
use crate::parse::{Finding, Report};

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
pub(in crate::formats::unreal) fn check_strictly<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> Result<()> {
    let mut first = None;
    files::check_structure(
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

/// Reports what headers and polygons show, and which sequences of the script name frames that do not exist. Reads no
/// vertex, except of a file that is cut.
pub(in crate::formats::unreal) fn validate_structure<D: AsRef<[u8]>>(
    mesh: &Mesh<D>,
    report: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut report = Report::new(RULES, report);
    files::check_structure(mesh, &mut report)?;
    files::check_sequences(mesh, &mut report);
    Ok(())
}

/// Reports every breach of the rules about vertices.
pub(in crate::formats::unreal) fn validate_vertices<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut dyn FnMut(Finding)) {
    files::check_vertices(mesh, &mut Report::new(RULES, report));
}

/// Reports what is wrong with the script, if there is one.
pub(in crate::formats::unreal) fn validate_script<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut dyn FnMut(Finding)) {
    if let Some(script) = mesh.whole_script() {
        script.validate(&mut |finding| report(Finding { source: 2, ..finding }));
    }
}
