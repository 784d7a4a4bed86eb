//! Pictures of open files.

use std::path::Path;

use crate::program::input::asset::InputAsset;
use crate::render::{Background, ClipSource, Picture, PictureOptions, SceneInput, draw};

/// The number of pixels for each triangle that is drawn, if a mesh has levels of detail.
const PIXELS_PER_TRIANGLE: u64 = 16;

/// Calls `run` with what is drawn of a file. `clips` are those of another file.
///
/// Returns an error if the file changed meanwhile. Errors have the path of the file.
pub fn with_scene<T>(
    asset: &InputAsset,
    path: &Path,
    clips: &[ClipSource<'_>],
    run: impl FnOnce(&SceneInput<'_>) -> crate::Result<T>,
) -> anyhow::Result<T> {
    let release = || asset.release();
    let input = SceneInput::new(asset.model.contents()).with_clips(clips).with_release(&release);
    let found = run(&input).and_then(|found| asset.check().map(|()| found));
    found.map_err(|error| asset.locate_error(error, path).into())
}

/// Returns options with the lowest level of detail that has enough triangles for the picture.
pub fn with_enough_detail(options: PictureOptions) -> PictureOptions {
    let [width, height] = options.size.map(u64::from);
    let enough = width.saturating_mul(height) / PIXELS_PER_TRIANGLE;
    options.with_enough_triangles(Some(enough))
}

/// Draws a small picture of a file.
pub fn draw_small(asset: &InputAsset, path: &Path, size: [u32; 2]) -> anyhow::Result<Picture> {
    let options = PictureOptions::default().with_size(size).with_background(Background::Transparent);
    let options = with_enough_detail(options);
    with_scene(asset, path, &[], |input| Ok(draw(input, &options)?.picture))
}
