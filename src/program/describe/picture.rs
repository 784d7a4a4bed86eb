//! Pictures of open files.

use std::path::Path;

use crate::model::animation::Animations;
use crate::program::args::Global;
use crate::program::input::InputAsset;
use crate::program::output::{counted, note, shown};
use crate::render::{Background, LeftOutTriangles, MeshPicture, Picture, PictureOptions, SceneInput, draw};

/// The number of pixels for each triangle that is drawn, if a mesh has levels of detail.
const PIXELS_PER_TRIANGLE: u64 = 16;

/// Calls `run` with what is drawn of a file. `clips` are those of another file.
///
/// Returns an error if the file changed meanwhile. Errors have the path of the file.
pub fn with_scene<T>(
    asset: &InputAsset,
    path: &Path,
    clips: &[(&str, &dyn Animations)],
    run: impl FnOnce(&SceneInput<'_>) -> crate::Result<T>,
) -> anyhow::Result<T> {
    let release = || asset.release();
    let input = SceneInput::new(&asset.model).with_clips(clips).with_release(&release);
    let found = run(&input).and_then(|found| asset.check().map(|()| found));
    found.map_err(|error| asset.locate_error(error, path).into())
}

/// Returns options with the lowest level of detail that has enough triangles for the picture.
pub fn with_enough_detail(options: PictureOptions) -> PictureOptions {
    let [width, height] = options.size.map(u64::from);
    let enough = width.saturating_mul(height) / PIXELS_PER_TRIANGLE;
    options.with_enough_triangles(Some(enough))
}

/// What is not in a picture.
#[derive(Clone, Debug, Default)]
pub struct MissingParts {
    pub triangles: LeftOutTriangles,
    /// The number of lines and bones of overlays.
    pub lines: u64,
    /// The number of surfaces in the picture, if it does not have all.
    pub first_surfaces: Option<u64>,
    /// The damaged levels of detail and skins.
    pub damaged: Vec<String>,
}

impl MissingParts {
    pub fn new(drawn: &MeshPicture) -> Self {
        Self {
            triangles: drawn.left_out,
            lines: drawn.left_out_lines,
            first_surfaces: drawn.first_surfaces,
            damaged: drawn.damaged_parts.clone(),
        }
    }

    /// Returns a number that is greater if more is left out.
    pub fn amount(&self) -> (bool, u64) {
        let LeftOutTriangles { invalid, not_finite, too_many, too_deep } = self.triangles;
        let counts = [invalid, not_finite, too_many, too_deep, self.lines];
        (self.first_surfaces.is_some(), counts.into_iter().fold(0, u64::saturating_add))
    }

    /// Returns what is left out as texts: a number and a reason.
    pub fn texts(&self) -> Vec<String> {
        let triangles = &self.triangles;
        let reasons = [
            (triangles.invalid, "triangle", "with an index that is out of range"),
            (triangles.not_finite, "triangle", "with a position that is not finite"),
            (triangles.too_many, "triangle", "with a number above 4,294,967,294"),
            (triangles.too_deep, "triangle", "that would cover the picture again and again"),
            (self.lines, "or more line", "and bones of overlays, because there are too many"),
        ];
        let reasons = reasons.iter().filter(|(count, ..)| *count > 0);
        let texts = reasons.map(|(count, noun, reason)| format!("{} {reason}", counted(*count, noun)));
        let surfaces = self.first_surfaces.map(|surfaces| {
            let surfaces = counted(surfaces, "surface");
            format!("everything after the first {surfaces}, because a file of its size may not have more in a picture")
        });
        self.damaged.iter().cloned().chain(texts).chain(surfaces).collect()
    }

    /// Prints a note for each text.
    pub fn print_notes(&self, path: &Path, global: &Global) {
        for text in self.texts() {
            note(&format!("{}: not in the picture: {text}", shown(path)), global);
        }
    }
}

/// Draws a small picture of a file.
pub fn draw_small(asset: &InputAsset, path: &Path, size: [u32; 2], global: &Global) -> anyhow::Result<Picture> {
    let options = PictureOptions::default().with_size(size).with_background(Background::Transparent);
    let options = with_enough_detail(options);
    let drawn = with_scene(asset, path, &[], |input| draw(input, &options))?;
    MissingParts::new(&drawn).print_notes(path, global);
    Ok(drawn.picture)
}
