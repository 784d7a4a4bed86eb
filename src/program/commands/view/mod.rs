//! `view`: draws meshes, to files and in the terminal.

mod args;
mod drawing;
mod html;
mod movie;
mod page;
mod pictures;
mod report;
mod sheet;
mod terminal;

use std::path::Path;

use args::OutputKind;
pub use args::ViewArgs;
use drawing::Drawing;

use crate::program::args::{Global, STDIN};
use crate::program::formats::{check_extension, expect_extension};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::shown;
use crate::program::picture::file_format::PictureFormat;

/// The extensions of pictures, and those of pages, which are another kind of output.
const PICTURES_AND_PAGES: [&str; 5] = ["png", "gif", "webp", "html", "htm"];

impl ViewArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let global = &Global { quiet: global.quiet || self.thumbnail, ..global.clone() };
        let drawing = Drawing::new(self, global)?;
        let outcome = self.draw(&drawing, global);
        drawing.print_notes(global);
        outcome
    }

    /// Writes or shows the pictures.
    fn draw(&self, drawing: &Drawing<'_>, global: &Global) -> anyhow::Result<Outcome> {
        let Some(output) = &self.output else {
            if self.html {
                usage!(
                    "--html: expected -o with the path of the page, such as -o page.html, or -o - for standard output"
                );
            }
            if self.shows_all_levels() {
                usage!("--lod all: a contact sheet of all levels is a file; give -o OUT.png");
            }
            return terminal::show(self, drawing, global);
        };
        if output == Path::new(STDIN) && global.json {
            usage!("-o -: standard output is JSON; name a file for the output");
        }
        match self.output_kind(output) {
            OutputKind::Picture => {
                if self.thumbnail {
                    // A file manager may give a temporary file any name.
                    check_extension(output, &["png"], "view --thumbnail")?;
                } else if self.is_movie() {
                    expect_extension(output, &PictureFormat::MOVIES, "a movie of view")?;
                } else {
                    expect_extension(output, &PICTURES_AND_PAGES, "view")?;
                }
                pictures::write_one(self, drawing, output, global)
            }
            OutputKind::Page => html::write(self, drawing, output, global),
            OutputKind::Folder => pictures::write_folder(self, drawing, output, global),
            OutputKind::Sheet if self.is_movie() => {
                usage!("{}: a movie shows one mesh; name a folder for several meshes", shown(output))
            }
            OutputKind::Sheet => {
                expect_extension(output, &["png"], "a contact sheet of view")?;
                sheet::write(self, drawing, output, global)
            }
        }
    }
}
