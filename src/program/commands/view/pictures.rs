//! Writes one picture, or a picture for each mesh in a folder.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context as _;

use super::args::ViewArgs;
use super::drawing::Drawing;
use super::movie::Movie;
use super::report::{DrawTotals, ViewResult, print_results};
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::describe::picture::with_enough_detail;
use crate::program::describe::rows::SelectedFiles;
use crate::program::input::InputAsset;
use crate::program::outcome::{Outcome, usage};
use crate::program::output::shown;
use crate::program::picture::file_format::PictureFormat;
use crate::text::escape::percent_encoded;

/// The size of a picture if none is given.
const SIZE: [u32; 2] = [1024, 1024];
/// The size of a thumbnail if none is given.
const THUMBNAIL_SIZE: [u32; 2] = [256, 256];

/// Writes the picture of the only mesh.
pub fn write_one(args: &ViewArgs, drawing: &Drawing<'_>, output: &Path, global: &Global) -> anyhow::Result<Outcome> {
    if output != Path::new(STDIN) {
        check_target(output, args.replaces())?;
    }
    let (mut results, mut outputs) = (Vec::new(), Vec::new());
    let (_, omitted) = SelectedFiles::for_output(&args.files)?.each(global, |path, asset| {
        if !results.is_empty() {
            usage!(
                "{}: a second mesh for one picture; choose one with --mesh, or draw a contact sheet with --sheet",
                shown(path)
            );
        }
        let drawn = asset.map_err(anyhow::Error::from);
        let drawn = drawn.and_then(|asset| write_picture(args, drawing, (&asset, path), output, global));
        outputs.extend(drawn.as_ref().ok().map(|facts| (output.to_owned(), facts.bytes.unwrap_or_default())));
        results.push(ViewResult { path: path.to_owned(), output: output.to_owned(), drawn });
        Ok(Outcome::Fine)
    })?;
    print_results(&results, &outputs, &omitted.passed_by, global)
}

/// Draws a mesh and writes the picture or the movie.
fn write_picture(
    args: &ViewArgs,
    drawing: &Drawing<'_>,
    (asset, path): (&InputAsset, &Path),
    output: &Path,
    global: &Global,
) -> anyhow::Result<DrawTotals> {
    if args.is_movie() {
        let format = PictureFormat::of(output);
        let movie = Movie::new(args, drawing, (asset, path), format)?;
        return write_to(args, output, |out| movie.write(drawing, (asset, path), out, global));
    }
    let texts = if args.thumbnail { thumbnail_texts(asset, path) } else { Vec::new() };
    let options = if args.thumbnail {
        with_enough_detail(drawing.options(asset, THUMBNAIL_SIZE)?)
    } else {
        drawing.options(asset, SIZE)?
    };
    let drawn = drawing.draw(asset, path, &options)?;
    write_to(args, output, |out| {
        let format = if args.thumbnail { PictureFormat::Png } else { PictureFormat::of(output) };
        let texts: Vec<_> = texts.iter().map(|(keyword, text)| (*keyword, text.as_str())).collect();
        format.write(out, &drawn.picture, &texts)?;
        Ok(DrawTotals::new(&drawn))
    })
}

/// Returns the keywords and texts of the PNG file: the address and the time of the last change of
/// the file at `path`, or of the file of a pair that the path names.
fn thumbnail_texts(asset: &InputAsset, path: &Path) -> Vec<(&'static str, String)> {
    let files = asset.files();
    let path = files.get(asset.source).map_or(path, |file| file);
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let seconds = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    let time = seconds.map(|seconds| ("Thumb::MTime", seconds.as_secs().to_string()));
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    [("Thumb::URI", file_uri(&absolute))].into_iter().chain(time).collect()
}

/// Returns the address of a file. The characters that are not escaped are those of `GLib`.
fn file_uri(path: &Path) -> String {
    format!("file://{}", percent_encoded(path.as_os_str().as_encoded_bytes(), b"-._~!$&'()*+,;=:@/"))
}

/// Writes a file, or standard output. Returns the facts with the size of the file.
fn write_to(
    args: &ViewArgs,
    output: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> anyhow::Result<DrawTotals>,
) -> anyhow::Result<DrawTotals> {
    if output == Path::new(STDIN) {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let facts = write(&mut out)?;
        out.flush()?;
        return Ok(facts);
    }
    let mut facts = DrawTotals::default();
    let pending = PendingOutput::write(output, args.replaces(), |out| {
        facts = write(out)?;
        facts.bytes = Some(out.size()?);
        Ok(())
    })?;
    pending.finish()?;
    Ok(facts)
}

/// Writes a picture of each mesh to a folder.
pub fn write_folder(args: &ViewArgs, drawing: &Drawing<'_>, folder: &Path, global: &Global) -> anyhow::Result<Outcome> {
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", shown(folder)))?;
    let (mut results, mut outputs, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (_, omitted) = SelectedFiles::for_output(&args.files)?.each(global, |path, asset| {
        let asset = asset.map_err(anyhow::Error::from);
        let named = asset.and_then(|asset| Ok((output_name(path, &asset, folder, &mut taken)?, asset)));
        let drawn = named.and_then(|(output, asset)| {
            let facts = write_picture(args, drawing, (&asset, path), &output, global)?;
            outputs.push((output, facts.bytes.unwrap_or_default()));
            Ok(facts)
        });
        let output = outputs.last().map(|(output, _)| output.clone()).unwrap_or_default();
        results.push(ViewResult { path: path.to_owned(), output, drawn });
        Ok(Outcome::Fine)
    })?;
    print_results(&results, &outputs, &omitted.passed_by, global)
}

/// Returns the path of the picture of a mesh: its name, or its whole file name if another mesh has
/// that name.
fn output_name(
    path: &Path,
    asset: &InputAsset,
    folder: &Path,
    taken: &mut BTreeSet<String>,
) -> anyhow::Result<PathBuf> {
    let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for name in [asset.stem(path), own] {
        if taken.insert(name.to_lowercase()) {
            return Ok(folder.join(format!("{name}.png")));
        }
    }
    usage!("{}: another mesh has a picture of the same name; draw it into another folder", shown(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(file_uri(Path::new("/a b/\u{e9}#1.mesh")), "file:///a%20b/%C3%A9%231.mesh");
    }
}
