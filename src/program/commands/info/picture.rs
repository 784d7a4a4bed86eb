//! The pictures of `info --picture`.

use std::io::{self, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};

use crate::error::copy_text;
use crate::program::args::Global;
use crate::program::describe::picture::draw_small;
use crate::program::input::InputAsset;
use crate::program::outcome::Outcome;
use crate::program::output::complain_about;
use crate::program::terminal::{Terminal, print_with_text};
use crate::render::Picture;

/// The greatest number of columns of a picture.
const COLUMNS: u16 = 24;

/// Draws and prints the pictures of meshes, if the terminal gets pictures.
pub struct InfoPictures(pub Option<Terminal>);

impl InfoPictures {
    /// Draws a mesh. An error is reported, and the mesh is printed without a picture.
    pub fn draw(&self, asset: &InputAsset, path: &Path, global: &Global) -> (Option<Picture>, Outcome) {
        let Some(terminal) = &self.0 else { return (None, Outcome::Fine) };
        let (_, size) = terminal.square(COLUMNS);
        match draw_small(asset, path, size, global) {
            Ok(picture) => (Some(picture), Outcome::Fine),
            Err(error) => (None, complain_about(&error)),
        }
    }

    /// Prints a picture and the text that `print` writes.
    pub fn print(&self, picture: &Picture, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        let Some(terminal) = &self.0 else { return Ok(()) };
        let mut text = Vec::new();
        print(&mut text)?;
        let text = copy_text(&text);
        let stdout = io::stdout();
        let is_plain = AutoStream::choice(&stdout) == ColorChoice::Never;
        let text = if is_plain { anstream::adapter::strip_str(&text).to_string() } else { text };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (cells, _) = terminal.square(COLUMNS);
        let mut out = AutoStream::always(stdout.lock());
        Ok(print_with_text(&mut out, picture, &lines, (terminal.protocol, cells))?)
    }
}
