//! `map`: lists the byte ranges of a file with their names, explains one byte, and shows the bytes
//! of a file by kind, as a table and as a picture.

mod explain;
mod kinds;
mod listing;
mod picture;
mod shapes;
mod summary;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use crate::program::args::{Global, OneFile, STDIN};
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::formats::expect_extension;
use crate::program::input::{RegionFile, SourceFile, open_source_file};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::json::error;
use crate::program::output::{complain, print_document, progress, shown, terminal_width};
use explain::{BytePosition, explain, parse_position};
use listing::RegionListing;
pub use picture::style_of_all;
use shapes::{MAX_SHAPES, SizeHistogram};
use summary::KindTotals;

const HELP: &str = "\
Ranges are listed in file order, without gaps and without overlaps. `aligned` reports whether a range starts at a multiple of the \
alignment of its native type; meshpeek itself does not need that alignment. An Unreal mesh has several files: the named file is \
described, or the data file if only the stem is named.

Examples:
  meshpeek map data/unigine/cube_ms13.mesh
  meshpeek map data/unigine/cube_ms13.mesh --at 0x70
  meshpeek map data/secondlife/arm.llmesh --summary
  meshpeek map data/unigine/room_ms11.mesh --svg room.svg";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct MapArgs {
    #[command(flatten)]
    file: OneFile,
    /// Explain the byte at this offset, and print the value that contains it
    ///
    /// The offset is decimal, or hexadecimal with 0x. A negative offset counts from the end of the
    /// file: -1 is its last byte.
    #[arg(long, value_name = "OFFSET", value_parser = parse_position, allow_hyphen_values = true,
        conflicts_with_all = ["summary", "svg"])]
    at: Option<BytePosition>,
    /// Print how many bytes each kind of data takes, such as positions, indices or names
    #[arg(long)]
    summary: bool,
    /// Draw the file to scale, with a colour for each kind of data, and print the summary; - for
    /// standard output
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long, requires = "svg")]
    force: bool,
}

/// Draws a file to scale, with at most `max_shapes` shapes, for a document that has the style sheet
/// [`style_of_all`]. `path` is the name in its heading.
pub fn draw_file(file: RegionFile<'_>, path: &str, max_shapes: u64) -> String {
    let mut sizes = SizeHistogram::default();
    // The bytes after an error are drawn as unreadable.
    let (totals, _) = KindTotals::of(file, &mut |region| sizes.add(region.len()));
    picture::draw(file, path, &totals, sizes.least_size(max_shapes), false)
}

impl MapArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        if let Some(svg) = self.svg.as_deref().filter(|svg| *svg != Path::new(STDIN)) {
            expect_extension(svg, &["svg"], "map --svg")?;
            check_target(svg, self.force)?;
        } else if self.svg.is_some() && global.json {
            usage!("--svg -: standard output is JSON; name a file for the picture");
        }
        let file = open_source_file(path, global)?;
        if let Some(position) = self.at {
            explain(&file, path, position, global)?;
            return Ok(Outcome::Fine);
        }
        if self.summary || self.svg.is_some() {
            return self.summarise(&file, global);
        }
        let mut out = io::BufWriter::new(io::stdout().lock());
        progress::end();
        let mut listing = RegionListing::new(&file, global.json, &mut out);
        listing.start(path)?;
        let walked = file.regions(&mut |region| listing.add(&region));
        let fault = walked.and_then(|()| file.check()).map_err(|error| file.locate_error(error, path)).err();
        listing.end(fault.as_ref())?;
        // If an error stops the listing, the byte ranges before the error have already been
        // printed, and the error is printed after them.
        Ok(outcome(fault.as_ref()))
    }

    fn summarise(&self, file: &SourceFile, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let mut sizes = SizeHistogram::default();
        let (totals, fault) = KindTotals::of(file.region_file(), &mut |region| sizes.add(region.len()));
        file.check().map_err(|error| file.locate_error(error, path))?;
        let fault = fault.map(|error| file.locate_error(error, path));
        let is_piped = self.svg.as_deref() == Some(Path::new(STDIN));
        if let Some(svg) = &self.svg {
            let picture = picture::draw(file.region_file(), &shown(path), &totals, sizes.least_size(MAX_SHAPES), true);
            file.check().map_err(|error| file.locate_error(error, path))?;
            if is_piped {
                io::stdout().lock().write_all(picture.as_bytes())?;
            } else {
                PendingOutput::write(svg, self.force, |out| Ok(out.write_whole(picture.as_bytes())?))?.finish()?;
            }
        }
        if global.json {
            self.print_json(&totals, fault.as_ref())?;
        } else if self.svg.is_none() || !(is_piped || global.quiet) {
            let mut out = io::BufWriter::new(io::stdout().lock());
            totals.print(&shown(path), terminal_width(), &mut out)?;
            out.flush()?;
        }
        Ok(outcome(fault.as_ref()))
    }

    fn print_json(&self, totals: &KindTotals, fault: Option<&crate::Error>) -> io::Result<()> {
        print_document(|out| {
            out.field("path", self.file.file.to_string_lossy())?;
            totals.write_json(out)?;
            if let Some(svg) = &self.svg {
                out.field("svg", Value::from(svg.to_string_lossy()))?;
            }
            fault.map_or(Ok(()), |fault| out.field("error", error(fault)))
        })
    }
}

/// Prints the error that ended the list of regions, if any, and returns the outcome.
fn outcome(fault: Option<&crate::Error>) -> Outcome {
    fault.map_or(Outcome::Fine, |fault| {
        complain(fault);
        Outcome::Unreadable
    })
}
