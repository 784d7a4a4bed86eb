//! The callbacks between a viewer and the program that draws.

use super::view_state::ViewState;
use crate::render::Picture;

/// Meshes that a terminal shows, one at a time.
pub trait TerminalScene {
    /// Draws a mesh. `size` is the width and height in pixels.
    fn draw(&mut self, view: &ViewState, size: [u32; 2]) -> anyhow::Result<Picture>;

    /// Returns the number of meshes.
    fn mesh_count(&self) -> usize;

    /// Returns one line about the mesh, such as its name.
    fn caption(&self, view: &ViewState) -> String;

    /// Returns the length of the mesh's animation in seconds, or `None` if it has none.
    fn duration(&self, view: &ViewState) -> Option<f64>;
}

/// Returns a picture as the bytes of a PNG file.
pub type PngEncoder<'p> = &'p dyn Fn(&Picture) -> anyhow::Result<Vec<u8>>;
