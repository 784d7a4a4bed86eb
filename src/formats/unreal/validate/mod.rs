//! Validation of an Unreal vertex mesh against the rules of the format.

mod files;
pub(super) mod rules;

use crate::error::{Cause, Error, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA};
use crate::parse::{Finding, Rule};
use crate::validate::Report;

pub use rules::RULES;

/// The validation rules whose violation is an error in strict mode.
const STRICT: [&Rule; 6] = [
    &rules::FRAME_SIZE,
    &rules::MISSING_FRAMES,
    &rules::BYTES_AFTER_FRAMES,
    &rules::BYTES_AFTER_POLYGONS,
    &rules::INDEX_OUT_OF_RANGE,
    &rules::FRAME_CONTENT,
];

/// Returns an error for the first violation of a rule in `STRICT`. In lenient mode, such a
/// violation is only a finding and not an error.
pub(in crate::formats::unreal) fn check_strictly<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> Result<()> {
    let mut first = None;
    files::check_structure(
        mesh,
        &mut Report::new(RULES, &mut |finding: Finding| {
            if let Some(rule) = STRICT.into_iter().find(|rule| rule.id == finding.rule) {
                first.get_or_insert((rule, finding));
            }
        }),
    )?;
    let Some((rule, Finding { field, offset, text, source, .. })) = first else { return Ok(()) };
    let format = if source == 0 { DATA } else { ANIV };
    let kind = Cause::value(strictly(rule), text);
    Err(Error::new(format, field, offset, kind).of_source(source.into()).breaking(rule))
}

/// Returns the text of a rule, followed by `(in strict mode)`. An error of strict mode contains the
/// returned text as the expected value.
fn strictly(rule: &Rule) -> String {
    format!("\"{}\" (in strict mode)", rule.text.trim_end_matches('.'))
}

/// Passes a finding to `report` for every violation of a rule about headers and polygons, and for
/// every sequence of the script with animation frames that do not exist. `validate_structure` reads
/// the bytes of vertices only if the aniv file is shorter than its header declares.
pub(in crate::formats::unreal) fn validate_structure<D: AsRef<[u8]>>(
    mesh: &Mesh<D>,
    report: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut report = Report::new(RULES, report);
    files::check_structure(mesh, &mut report)?;
    files::check_sequences(mesh, &mut report);
    Ok(())
}

/// Passes a finding to `report` for every violation of the rules about vertices.
pub(in crate::formats::unreal) fn validate_vertices<D: AsRef<[u8]>>(
    mesh: &Mesh<D>,
    report: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut report = Report::new(RULES, report);
    files::check_vertices(mesh, &mut report);
    if let Ok(frame) = mesh.frame(0) {
        files::check_order(mesh.polygons()?, &frame.positions(), mesh.variant(), &mut report);
    }
    Ok(())
}

/// Passes a finding to `report` for every violation of a rule about scripts, if the mesh has a
/// script.
pub(in crate::formats::unreal) fn validate_script<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut dyn FnMut(Finding)) {
    if let Some(script) = mesh.whole_script() {
        script.validate(&mut |finding| report(Finding { source: 2, ..finding }));
    }
}
