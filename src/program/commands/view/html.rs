//! Writes a page of all meshes.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::args::{HTML, ViewArgs};
use super::drawing::Drawing;
use super::page::{PageMesh, PageStart, PageWriter};
use super::report::{DrawnFacts, ViewResult, print_results};
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::commands::convert::stem;
use crate::program::describe::rows::selected::SelectedFiles;
use crate::program::formats::native_output::expect_extension;
use crate::program::input::asset::{InputAsset, at_output};
use crate::program::input::open::Repeated;
use crate::program::input::passed_by::PassedBy;
use crate::program::outcome::{Outcome, UsageError};
use crate::program::picture::png::write_png;
use crate::program::render::note::note;
use crate::program::render::text::shown;
use crate::render::{Background, Overlay, Shading};

/// The size of the picture of a mesh on a page if none is given.
const SIZE: [u32; 2] = [384, 384];
/// The largest picture in bytes. A picture with half the width and height has about a quarter.
const MAX_PICTURE: usize = 96 << 10;
/// The size of the buffer between the page and the system.
const BUFFER: usize = 256 << 10;

/// Returns an error if a page is wanted that has no output.
pub fn expect_no_page(args: &ViewArgs) -> Result<(), UsageError> {
    if !args.html {
        return Ok(());
    }
    Err(UsageError(
        "--html: expected -o with the path of the page, such as -o page.html, or -o - for standard output".into(),
    ))
}

/// Writes a page with all meshes that can be drawn. If there are none, nothing is written.
pub fn write(args: &ViewArgs, drawing: &Drawing<'_>, output: &Path, global: &Global) -> anyhow::Result<Outcome> {
    check_options(args)?;
    let mut page = HtmlPage { args, drawing, output, global, results: Vec::new(), passed_by: PassedBy::default() };
    let mut outputs = Vec::new();
    if output == Path::new(STDIN) {
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        page.write(&mut out)?;
        out.flush()?;
    } else {
        expect_extension(output, &HTML, "view --html")?;
        check_target(output, args.force)?;
        outputs.extend(page.write_file()?);
    }
    if page.results.is_empty() {
        let text = "the folders and patterns contain no meshes, so there is nothing to show";
        return Err(UsageError(text.to_owned()).into());
    }
    print_results(&page.results, &outputs, &page.passed_by, global)
}

/// Returns an error for options that a page does not have.
fn check_options(args: &ViewArgs) -> Result<(), UsageError> {
    let missing = [
        (args.sheet, "--sheet"),
        (args.turntable.is_some(), "--turntable"),
        (args.animate, "--animate"),
        (args.columns.is_some(), "--columns"),
        (args.style == Shading::Uv, "--style uv"),
        (args.overlays.contains(&Overlay::Normals), "--overlay normals"),
        (args.overlays.contains(&Overlay::Bounds), "--overlay bounds"),
        (args.overlays.contains(&Overlay::Hulls), "--overlay hulls"),
    ];
    match missing.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(UsageError(format!("{option}: applies to pictures, and not to a page; leave it out"))),
        None => Ok(()),
    }
}

/// A page that is being written.
struct HtmlPage<'a> {
    args: &'a ViewArgs,
    drawing: &'a Drawing<'a>,
    output: &'a Path,
    global: &'a Global,
    results: Vec<ViewResult>,
    passed_by: PassedBy,
}

impl HtmlPage<'_> {
    /// Writes the page to its file. Returns its path and size, or `None` if no mesh can be drawn.
    fn write_file(&mut self) -> anyhow::Result<Option<(PathBuf, u64)>> {
        let mut bytes = 0;
        let pending = PendingOutput::write(self.output, self.args.force, |out| {
            let mut buffer = BufWriter::with_capacity(BUFFER, &mut *out);
            self.write(&mut buffer)?;
            buffer.flush()?;
            drop(buffer);
            bytes = out.size()?;
            Ok(())
        })?;
        if self.results.iter().all(|result| result.drawn.is_err()) {
            return Ok(None);
        }
        pending.finish()?;
        if let [ViewResult { drawn: Ok(facts), .. }] = self.results.as_mut_slice() {
            facts.bytes = Some(bytes);
        }
        Ok(Some((self.output.to_owned(), bytes)))
    }

    /// Writes the page. If no mesh can be drawn, nothing is written.
    fn write(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let (args, title) = (self.args, self.title());
        let start = start(args);
        let mut page = PageWriter::new(out, &title, &start);
        let (_, omitted) =
            SelectedFiles::for_output(&args.files)?.each(self.global, Repeated::Refused, |path, asset| {
                let drawn = asset.map_err(anyhow::Error::from).and_then(|asset| Ok((self.draw(path, &asset)?, asset)));
                let drawn = match drawn {
                    Ok(((facts, picture), asset)) => {
                        self.add(&mut page, path, &asset, picture)?;
                        Ok(facts)
                    }
                    Err(error) => Err(error),
                };
                self.results.push(ViewResult { path: path.to_owned(), output: self.output.to_owned(), drawn });
                Ok(Outcome::Fine)
            })?;
        self.passed_by = omitted.passed_by;
        Ok(page.finish()?)
    }

    /// Draws the picture of a mesh. Returns the facts about it, and a PNG file. A picture of many
    /// bytes is drawn smaller, unless the command line has its size.
    fn draw(&self, path: &Path, asset: &InputAsset) -> anyhow::Result<(DrawnFacts, Vec<u8>)> {
        let mut options = self.drawing.options(asset, SIZE)?.with_background(Background::Transparent);
        loop {
            let drawn = self.drawing.draw(asset, path, &options)?;
            let mut png = Vec::new();
            write_png(&mut png, &drawn.picture, &[])?;
            if png.len() <= MAX_PICTURE || self.args.size.is_some() {
                return Ok((DrawnFacts::new(&drawn), png));
            }
            options.size = options.size.map(|side| side / 2);
        }
    }

    /// Adds a mesh to the page.
    fn add(&self, page: &mut PageWriter<'_>, path: &Path, asset: &InputAsset, png: Vec<u8>) -> anyhow::Result<()> {
        let images = self.drawing.textures(path);
        let mesh = PageMesh {
            name: stem(path, asset),
            path,
            asset,
            clips: &self.drawing.animations().sources()?,
            options: self.drawing.export_options(asset)?,
            clip: self.drawing.clip_name(asset)?,
            images: images.as_deref(),
            png,
        };
        let added = page.add(&mesh).map_err(|error| at_output(error, self.output));
        if let Some(error) = added.map_err(|error| asset.locate_any_error(error, path))? {
            note(&format!("{}: the page has only a picture of it: {error}", shown(path)), self.global);
        }
        Ok(())
    }

    /// Returns the title of the page.
    fn title(&self) -> String {
        match self.args.files.files.as_slice() {
            [only] if only != Path::new(STDIN) => shown(Path::new(only.file_name().unwrap_or(only.as_os_str()))),
            _ => "Meshes".to_owned(),
        }
    }
}

/// Returns how the page shows a mesh at first.
fn start(args: &ViewArgs) -> PageStart {
    PageStart {
        camera: args.camera,
        background: args.background,
        style: match args.style {
            Shading::Facets => "flat",
            Shading::Wireframe => "wireframe",
            Shading::Surfaces => "surface",
            _ => "smooth",
        },
        is_wired: args.overlays.contains(&Overlay::Wireframe),
        has_skeleton: args.overlays.contains(&Overlay::Skeleton),
        has_textures: !args.plain,
        frame: args.frame.as_ref().map(|frame| frame.value),
    }
}
