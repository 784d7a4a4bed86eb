//! Writes contact sheets.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread;

use super::args::ViewArgs;
use super::drawing::Drawing;
use super::report::{DrawTotals, ViewResult, print_results};
use crate::ErrorKind;
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::describe::picture::with_enough_detail;
use crate::program::describe::rows::selected::SelectedFiles;
use crate::program::input::asset::InputAsset;
use crate::program::input::not_opened::PassedBy;
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::counted;
use crate::program::picture::caption::{common_start, fitted_caption};
use crate::program::picture::sheet::{SheetWriter, Tile};
use crate::program::picture::sheet_layout::SheetLayout;
use crate::program::threads;
use crate::render::{Background, MeshPicture};

/// The size of a tile if none is given.
const TILE: [u32; 2] = [256, 256];
/// The colour of a sheet between its pictures.
const PAPER: [u8; 4] = [236, 237, 239, 255];
/// The greatest number of levels of detail in one row.
const MAX_ROW: u32 = 8;
/// The greatest number of tiles that wait until they are written.
const MAX_WAITING: usize = 16;

/// A mesh on a contact sheet.
struct SheetMesh {
    tile: Tile,
    result: ViewResult,
}

/// Writes the contact sheets of all meshes.
pub fn write(args: &ViewArgs, drawing: &Drawing<'_>, output: &Path, global: &Global) -> anyhow::Result<Outcome> {
    let (tiles, passed_by) = count_tiles(args, global)?;
    let (tiles, names): (Vec<usize>, Vec<String>) = tiles.into_iter().unzip();
    // The levels of a single mesh are in one row.
    let row = u32::try_from(tiles.len()).ok().filter(|_| args.shows_all_levels()).filter(|meshes| *meshes == 1);
    let count = tiles.into_iter().fold(0, usize::saturating_add);
    let common = common_start(&names);
    let columns = args.columns.or(row.and(u32::try_from(count).ok()).filter(|count| *count <= MAX_ROW));
    let layout = SheetLayout::new(args.size.unwrap_or(TILE), count, columns)?;
    if output == Path::new(STDIN) {
        usage!("-o -: contact sheets may be several files; name a file");
    }
    let paths: Vec<PathBuf> = (0..layout.sheet_count()).map(|sheet| layout.path(output, sheet)).collect();
    for path in &paths {
        check_target(path, args.replaces())?;
    }
    let (mut results, mut outputs) = (Vec::new(), Vec::new());
    let mut write = |tiles| write_sheets(args, (&layout, common), &paths, tiles, &mut results, &mut outputs);
    thread::scope(|scope| {
        let (sender, tiles) = sync_channel(MAX_WAITING);
        let producer = threads::start(scope, move || draw_all(args, drawing, global, |tile| sender.send(tile).ok()));
        let Some(producer) = producer else {
            // Without a second thread, all tiles are drawn before the first is written.
            let (sender, tiles) = channel();
            draw_all(args, drawing, global, move |tile| sender.send(tile).ok())?;
            return write(tiles);
        };
        let written = write(tiles);
        written.and(producer.join().unwrap_or(Ok(())))
    })?;
    print_results(&results, &outputs, &passed_by, global)
}

/// Returns the number of tiles and the name of each mesh in the files on the command line.
fn count_tiles(args: &ViewArgs, global: &Global) -> anyhow::Result<(Vec<(usize, String)>, PassedBy)> {
    let mut counts = Vec::new();
    let quiet = Global { quiet: true, verbose: false, json: true, ..global.clone() };
    let omitted = SelectedFiles::for_output(&args.files)?.each_in_parallel(
        &quiet,
        |path, asset| {
            vec![match asset {
                Ok(asset) => (level_count(args, &asset), asset.stem(path)),
                Err(_) => (1, file_name(path)),
            }]
        },
        |_| 1,
        |found| {
            counts.extend(found);
            Ok(())
        },
    )?;
    if let Some(error) = omitted.no_mesh() {
        return Err(error.into());
    }
    if counts.is_empty() {
        usage!("the folders and patterns contain no meshes, so there is nothing to draw");
    }
    Ok((counts, omitted.passed_by))
}

/// Returns the number of levels of detail of a mesh that have a tile each: those that all shown
/// assets have.
fn level_count(args: &ViewArgs, asset: &InputAsset) -> usize {
    if !args.shows_all_levels() {
        return 1;
    }
    let contents = asset.model.contents();
    let all = 0..contents.asset_count().unwrap_or(1);
    let shown = args.asset.map_or(all, |number| number..number.saturating_add(1));
    let counts = shown.filter_map(|number| contents.asset(number).ok()?.level_count().ok());
    counts.min().unwrap_or(1).max(1)
}

/// Draws all meshes on all processors, and sends them in order.
fn draw_all(
    args: &ViewArgs,
    drawing: &Drawing<'_>,
    global: &Global,
    send_one: impl Fn(SheetMesh) -> Option<()>,
) -> anyhow::Result<()> {
    let describe = |path: &Path, asset: crate::Result<InputAsset>| match asset {
        Ok(asset) if args.shows_all_levels() => {
            (0..level_count(args, &asset)).map(|level| draw_level(args, drawing, path, &asset, level)).collect()
        }
        asset => vec![draw_tile(drawing, path, asset)],
    };
    let send = |meshes: Vec<SheetMesh>| {
        // The receiver ends early only if a sheet cannot be written, which is then reported.
        for mesh in meshes {
            send_one(mesh).ok_or_else(|| UsageError(String::new()))?;
        }
        Ok(())
    };
    SelectedFiles::for_output(&args.files)?.each_in_parallel(global, describe, |_| 1, send)?.note_passed_by(global);
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn draw_tile(drawing: &Drawing<'_>, path: &Path, asset: crate::Result<InputAsset>) -> SheetMesh {
    let mut name = file_name(path);
    let drawn = asset.map_err(anyhow::Error::from).and_then(|asset| {
        name = asset.stem(path);
        let options = drawing.options(&asset, TILE)?;
        drawing.draw(&asset, path, &with_enough_detail(options))
    });
    SheetMesh::new(name, path, drawn)
}

/// Draws a level of detail of a mesh, or of all assets of a container.
fn draw_level(args: &ViewArgs, drawing: &Drawing<'_>, path: &Path, asset: &InputAsset, level: usize) -> SheetMesh {
    let shown = asset.model.contents().asset(args.asset.unwrap_or_default());
    let name = shown.and_then(|shown| Ok(shown.level_name(level)?.map(|name| name.to_string_lossy())));
    let name = name.ok().flatten().unwrap_or_default();
    let drawn = drawing.options(asset, TILE).and_then(|options| {
        let options = options.with_level(Some(level));
        drawing.draw(asset, path, &options)
    });
    SheetMesh::new(format!("{} {name}", asset.stem(path)).trim_end().to_owned(), path, drawn)
}

/// Returns a few words about an error, for the tile of the mesh that cannot be drawn.
fn error_words(error: &anyhow::Error) -> String {
    let kind = error.downcast_ref::<crate::Error>().map(crate::Error::kind);
    let words = match kind {
        Some(ErrorKind::Io | ErrorKind::NotRegular) => "not readable",
        Some(ErrorKind::Empty) => "empty file",
        Some(ErrorKind::UnexpectedEnd | ErrorKind::Truncated) => "file is cut short",
        Some(ErrorKind::Count | ErrorKind::Magic | ErrorKind::Value) => "damaged file",
        Some(ErrorKind::Unsupported) => "not supported",
        Some(ErrorKind::Unknown) => "not a known mesh",
        Some(ErrorKind::Limit | ErrorKind::OutOfMemory) => "too large",
        Some(ErrorKind::Missing | ErrorKind::Outside) => "a part is missing",
        Some(ErrorKind::NoSuch | ErrorKind::Choice) => "no such part",
        _ => "not drawn",
    };
    words.to_owned()
}

/// Writes each sheet as soon as its tiles arrive. Nothing is left if no mesh can be drawn.
#[allow(clippy::needless_pass_by_value, reason = "the end of the receiver ends the sender")]
fn write_sheets(
    args: &ViewArgs,
    (layout, common): (&SheetLayout, &str),
    paths: &[PathBuf],
    receiver: Receiver<SheetMesh>,
    results: &mut Vec<ViewResult>,
    outputs: &mut Vec<(PathBuf, u64)>,
) -> anyhow::Result<()> {
    let background = match args.background {
        Background::Transparent => [0; 4],
        Background::Color([red, green, blue]) => [red, green, blue, 255],
        _ => PAPER,
    };
    let mut pending = Vec::new();
    for (sheet, path) in paths.iter().enumerate() {
        let mut bytes = 0;
        pending.push(PendingOutput::write(path, args.replaces(), |out| {
            let mut writer = SheetWriter::new(out, layout, sheet, background)?;
            for _ in layout.tiles(sheet) {
                let SheetMesh { mut tile, mut result } = receiver.recv().unwrap_or_else(|_| SheetMesh::missing());
                let [width, _] = layout.tile;
                tile.name = fitted_caption(&tile.name, common, layout.text_size(), width);
                writer.add(&tile)?;
                path.clone_into(&mut result.output);
                results.push(result);
            }
            writer.finish()?;
            bytes = out.size()?;
            Ok(())
        })?);
        outputs.push((path.clone(), bytes));
    }
    if results.iter().all(|result| result.drawn.is_err()) {
        outputs.clear();
        return Ok(());
    }
    PendingOutput::finish_all(pending)
}

impl SheetMesh {
    fn new(name: String, path: &Path, drawn: anyhow::Result<MeshPicture>) -> Self {
        let (content, detail, drawn) = match drawn {
            Ok(drawn) => {
                let facts = DrawTotals::new(&drawn);
                let MeshPicture { picture, triangles, bones, .. } = drawn;
                let detail =
                    if triangles == 0 && bones > 0 { counted(bones, "bone") } else { counted(triangles, "triangle") };
                (Ok(picture), detail, Ok(facts))
            }
            Err(error) => (Err(error_words(&error)), String::new(), Err(error)),
        };
        let result = ViewResult { path: path.to_owned(), output: PathBuf::new(), drawn };
        Self { tile: Tile { content, name, detail }, result }
    }

    /// A file that was counted, but does not exist any more.
    fn missing() -> Self {
        let error = UsageError("a mesh was removed while the contact sheet was drawn; draw it again".to_owned());
        let tile = Tile { content: Err("removed".to_owned()), name: String::new(), detail: String::new() };
        Self { tile, result: ViewResult { path: PathBuf::new(), output: PathBuf::new(), drawn: Err(error.into()) } }
    }
}
