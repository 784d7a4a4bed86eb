//! Tests the names of output files in the formats that meshpeek reads, so that no file gets the
//! extension of another format.

use std::path::Path;

use crate::Model;
use crate::export::ExportFormat;
use crate::formats::FormatFile;

use super::names::{EXTENSIONS, UNREAL_EXTENSIONS, has_extension};
use crate::program::args::STDIN;
use crate::program::outcome::UsageError;
use crate::program::render::text::shown;

/// Extensions of files that no verb writes as meshes.
const OTHERS: [&str; 12] = ["3ds", "blend", "csv", "dae", "fbx", "npy", "npz", "png", "svg", "usd", "usda", "usdz"];

/// Returns an error if the output has the extension of another format than the file that `verb`
/// writes. `extensions` are those of the written file. An extension of no known format is allowed,
/// and so is none.
pub fn check_extension(output: &Path, extensions: &[&str], verb: &str) -> Result<(), UsageError> {
    let Some(extension) = output.extension().filter(|_| output != Path::new(STDIN)) else { return Ok(()) };
    if extensions.iter().any(|own| has_extension(output, own)) {
        return Ok(());
    }
    let found = extension.to_string_lossy().to_ascii_lowercase();
    let advice = if found.parse::<ExportFormat>().is_ok() {
        format!("`meshpeek convert FILE -o {}` makes it", shown(output))
    } else if is_known(&found) {
        let all = ExportFormat::ALL.map(ExportFormat::extension).join(", ");
        format!("`meshpeek convert` makes files of other formats: {all}")
    } else {
        return Ok(());
    };
    let (own, output) = (extensions.join(" or ."), shown(output));
    Err(UsageError(format!("{output}: {verb} writes .{own}, and not .{found}; {advice}")))
}

fn is_known(extension: &str) -> bool {
    let native = EXTENSIONS.iter().map(|(name, _)| *name);
    native.chain(UNREAL_EXTENSIONS).chain(OTHERS).any(|known| known == extension)
}

/// Returns the extensions of a mesh file that is written again in its own format.
pub fn own_extensions<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> &'static [&'static str] {
    match model.format_file() {
        FormatFile::Unigine(_) => &["mesh"],
        FormatFile::UnigineAnimation(_) => &["anim"],
        FormatFile::SecondLife(_) => &["llmesh", "slm", "asset"],
        FormatFile::EzMesh(mesh) if mesh.dialect().is_some() => &["ezm", "xml"],
        FormatFile::EzMesh(_) => &["ezb"],
        FormatFile::Unreal(_) => &["3d"],
    }
}
