//! Writes the parts of a page that need no script: facts, findings, and the bytes drawn to scale.

use std::io::{self, Write};
use std::path::Path;

use crate::Finding;
use crate::export::Loss;
use crate::program::commands::map::draw_file;
use crate::program::commands::validate::all_rules;
use crate::program::input::{InputAsset, RegionFile};
use crate::program::output::{bytes, count, counted, shown, xml_text};

/// The greatest number of findings on a page. A damaged file may have thousands.
const MAX_FINDINGS: usize = 200;
/// The greatest number of shapes in the picture of the bytes of a file.
const MAX_SHAPES: u64 = 700;

/// Returns the format and the size of a mesh as text of the page.
pub fn facts(asset: &InputAsset) -> String {
    let contents = asset.model.contents();
    xml_text(&format!("{} {}, {}", contents.format(), contents.version(), bytes(asset.size())))
}

/// Writes why a mesh has no interactive view.
pub fn write_error(out: &mut dyn Write, error: &crate::Error) -> io::Result<()> {
    let error = xml_text(&error.to_string());
    writeln!(out, "<p class=\"problem\">This mesh has no interactive view: {error}</p>")
}

/// Writes what the interactive view leaves out.
pub fn write_left_out(out: &mut dyn Write, losses: &[Loss]) -> io::Result<()> {
    if losses.is_empty() {
        return Ok(());
    }
    write!(out, "<details class=\"left-out\"><summary>The interactive view leaves data out</summary><ul>")?;
    losses.iter().try_for_each(|loss| write!(out, "<li>{}</li>", xml_text(&loss.to_string())))?;
    writeln!(out, "</ul></details>")
}

/// Validates a mesh, and writes the findings as a table.
pub fn write_findings(out: &mut dyn Write, asset: &InputAsset) -> io::Result<()> {
    let (mut found, mut total) = (Vec::new(), 0_usize);
    let done = asset.findings(true, true, &mut |finding| {
        total = total.saturating_add(1);
        if found.len() < MAX_FINDINGS {
            found.push(finding);
        }
    });
    let title = if total == 0 { "Findings".to_owned() } else { format!("Findings ({})", count(total)) };
    write!(out, "<section class=\"findings\"><h2>{title}</h2>")?;
    match &done {
        Err(error) => write!(out, "<p class=\"problem\">{}</p>", xml_text(&error.to_string()))?,
        Ok(()) if total == 0 => write!(out, "<p>None: the file follows all rules of its format.</p>")?,
        Ok(()) => {}
    }
    if !found.is_empty() {
        write!(out, "<div class=\"scroll\"><table><thead><tr><th>Severity<th>Rule<th>Place<th>Text</thead><tbody>")?;
        for (index, finding) in found.iter().enumerate() {
            let is_first = found.iter().take(index).all(|other| other.rule != finding.rule);
            write_finding(out, finding, is_first)?;
        }
        write!(out, "</tbody></table></div>")?;
    }
    let more = total.saturating_sub(found.len());
    if more > 0 {
        write!(out, "<p>{} not shown. <code>meshpeek validate</code> lists all.</p>", counted(more, "more finding"))?;
    }
    writeln!(out, "</section>")
}

/// Writes a finding. `is_first` is whether it is the first of its rule, which is explained there.
fn write_finding(out: &mut dyn Write, finding: &Finding, is_first: bool) -> io::Result<()> {
    let Finding { rule, severity, field, offset, text, .. } = finding;
    let class = severity.to_string();
    let place = xml_text(&format!("{field} at byte {offset}"));
    let text = xml_text(text);
    write!(out, "<tr class=\"{class}\"><td>{class}<td>{rule}<td>{place}<td>{text}")?;
    if let Some((_, rule)) = all_rules().find(|(_, known)| known.id == *rule).filter(|_| is_first) {
        let [rule, why, mend] = [rule.text, rule.why, rule.mend].map(xml_text);
        write!(out, "<details><summary>Why, and how to mend it</summary><p>{rule}<p>{why}<p>{mend}</details>")?;
    }
    write!(out, "</tr>")
}

/// Draws the files of a mesh to scale.
pub fn write_byte_map(out: &mut dyn Write, asset: &InputAsset, path: &Path) -> io::Result<()> {
    write!(out, "<section class=\"bytes\"><h2>Bytes</h2>")?;
    for source in 0..asset.model.file().source_count() {
        let own = asset.pair.as_ref().and_then(|pair| pair.source(u8::try_from(source).unwrap_or(u8::MAX)));
        let name = own.unwrap_or(path).file_name().map_or_else(|| shown(path), |name| shown(Path::new(name)));
        let picture = draw_file(RegionFile::Mesh(asset, source), &name, MAX_SHAPES);
        write!(out, "<div class=\"scroll\">{picture}</div>")?;
    }
    writeln!(out, "</section>")
}
