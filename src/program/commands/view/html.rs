//! Writes a page of all meshes.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::args::{HTML, ViewArgs};
use super::drawing::Drawing;
use super::page::{PageFiles, PageMesh, PageStart, PageWriter};
use super::report::{DrawTotals, ViewResult, print_results};
use crate::program::args::{Global, STDIN, first_set};
use crate::program::describe::rows::selected::SelectedFiles;
use crate::program::formats::expect_extension;
use crate::program::input::animation_files::AnimationFile;
use crate::program::input::asset::{InputAsset, at_output};
use crate::program::input::not_opened::PassedBy;
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::{note, shown};
use crate::program::picture::png::png_bytes;
use crate::program::picture::textures::small_png;
use crate::render::{Background, Overlay, Shading};

/// The size of the picture of a mesh on a page if none is given.
const SIZE: [u32; 2] = [384, 384];
/// The size of the picture of a mesh after the first hundred, so that thousands take minutes less.
const SMALL: [u32; 2] = [128, 128];
/// The number of meshes after which pictures are smaller.
const MANY: usize = 100;
/// The largest picture in bytes. A picture with half the width and height has about a quarter.
const MAX_PICTURE: usize = 96 << 10;
/// The greatest width and height of the small picture of a mesh.
const THUMBNAIL: u32 = 96;
/// The size of the buffer between the page and the system.
const BUFFER: usize = 256 << 10;

/// Writes a page with all meshes that can be drawn. If there are none, nothing is written.
pub fn write(args: &ViewArgs, drawing: &Drawing<'_>, output: &Path, global: &Global) -> anyhow::Result<Outcome> {
    check_options(args)?;
    let mut page = HtmlPage { args, drawing, output, global, results: Vec::new(), passed_by: PassedBy::default() };
    let outputs = if output == Path::new(STDIN) {
        page.write_stdout()?;
        Vec::new()
    } else {
        expect_extension(output, &HTML, "view --html")?;
        page.write_files()?
    };
    if page.results.is_empty() {
        usage!("the folders and patterns contain no meshes, so there is nothing to show");
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
    match first_set(&missing) {
        Some(option) => usage!("{option}: applies to pictures, and not to a page; leave it out"),
        None => Ok(()),
    }
}

/// The picture of a mesh.
struct DrawnPicture {
    facts: DrawTotals,
    /// A PNG file.
    png: Vec<u8>,
    /// A small picture: a PNG file.
    thumbnail: Vec<u8>,
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
    /// Writes the page to its file, or several pages and an index. Returns the paths and sizes of
    /// the files, or nothing if no mesh can be drawn.
    fn write_files(&mut self) -> anyhow::Result<Vec<(PathBuf, u64)>> {
        let (title, start) = (self.title(), start(self.args));
        let (mut files, mut pages) = (PageFiles::new(self.output, &title, &start, self.args.force)?, Vec::new());
        self.draw_all(|mesh| {
            let (page, error) = files.add(mesh)?;
            pages.push(page);
            Ok(error)
        })?;
        let mut outputs = files.finish()?;
        if let [(path, bytes)] = outputs.as_mut_slice() {
            self.output.clone_into(path);
            if let [ViewResult { drawn: Ok(facts), .. }] = self.results.as_mut_slice() {
                facts.bytes = Some(*bytes);
            }
        } else {
            let drawn = self.results.iter_mut().filter(|result| result.drawn.is_ok());
            for (result, page) in drawn.zip(pages) {
                // The first file is the index.
                let path = outputs.get(page.saturating_add(1)).map(|(path, _)| path.clone());
                result.output = path.unwrap_or_default();
            }
        }
        Ok(outputs)
    }

    /// Writes one page to standard output.
    fn write_stdout(&mut self) -> anyhow::Result<()> {
        let (title, start) = (self.title(), start(self.args));
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        let mut page = PageWriter::new(title, &start);
        self.draw_all(|mesh| page.add(&mut out, mesh))?;
        page.finish(&mut out, None)?;
        Ok(out.flush()?)
    }

    /// Draws all meshes, and passes them to `add` one after another.
    fn draw_all(
        &mut self,
        mut add: impl FnMut(&PageMesh<'_>) -> anyhow::Result<Option<crate::Error>>,
    ) -> anyhow::Result<()> {
        let args = self.args;
        let (_, omitted) = SelectedFiles::for_output(&args.files)?.each(self.global, |path, asset| {
            let drawn = asset.map_err(anyhow::Error::from).and_then(|asset| Ok((self.draw(path, &asset)?, asset)));
            let drawn = match drawn {
                Ok((picture, asset)) => {
                    let facts = picture.facts.clone();
                    self.add(path, &asset, picture, &mut add)?;
                    Ok(facts)
                }
                Err(error) => Err(error),
            };
            self.results.push(ViewResult { path: path.to_owned(), output: self.output.to_owned(), drawn });
            Ok(Outcome::Fine)
        })?;
        self.passed_by = omitted.passed_by;
        Ok(())
    }

    /// Draws the picture of a mesh. A picture of many bytes is drawn smaller, unless the command
    /// line has its size.
    fn draw(&self, path: &Path, asset: &InputAsset) -> anyhow::Result<DrawnPicture> {
        let size = if self.results.len() < MANY { SIZE } else { SMALL };
        let mut options = self.drawing.options(asset, size)?.with_background(Background::Transparent);
        loop {
            let drawn = self.drawing.draw(asset, path, &options)?;
            let png = png_bytes(&drawn.picture)?;
            if png.len() <= MAX_PICTURE || self.args.size.is_some() {
                let thumbnail = small_png(&drawn.picture, THUMBNAIL).unwrap_or_default();
                return Ok(DrawnPicture { facts: DrawTotals::new(&drawn), png, thumbnail });
            }
            options.size = options.size.map(|side| side / 2);
        }
    }

    /// Adds a mesh to the page.
    fn add(
        &self,
        path: &Path,
        asset: &InputAsset,
        picture: DrawnPicture,
        add: &mut dyn FnMut(&PageMesh<'_>) -> anyhow::Result<Option<crate::Error>>,
    ) -> anyhow::Result<()> {
        let images = self.drawing.textures(path);
        let mesh = PageMesh {
            name: asset.stem(path),
            path,
            asset,
            clips: &self.drawing.animations.iter().map(AnimationFile::source).collect::<Vec<_>>(),
            options: self.drawing.export_options(asset)?,
            clip: self.drawing.clip_name(asset)?,
            images: images.as_deref(),
            png: picture.png,
            thumbnail: picture.thumbnail,
        };
        let added = add(&mesh).map_err(|error| at_output(error, self.output));
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
