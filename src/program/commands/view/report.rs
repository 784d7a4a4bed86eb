//! The result of `view`: a line of text, a note or a JSON object for each picture.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::args::{Global, STDIN};
use crate::program::describe::picture::MissingParts;
use crate::program::input::not_opened::PassedBy;
use crate::program::outcome::Outcome;
use crate::program::output::json::document;
use crate::program::output::{complain_about, counted, error_json, note, print_json, shown};
use crate::render::MeshPicture;

/// A mesh that was drawn, or the error that prevented it.
pub struct ViewResult {
    pub path: PathBuf,
    /// The file with the picture.
    pub output: PathBuf,
    pub drawn: anyhow::Result<DrawTotals>,
}

/// The facts about a picture.
#[derive(Clone, Debug, Default)]
pub struct DrawTotals {
    pub size: [u32; 2],
    /// The frames of a turntable or an animation, or `None` for a single picture.
    pub frames: Option<MovieFrames>,
    pub triangles: u64,
    /// The number of bones that are drawn.
    pub bones: u64,
    pub left_out: MissingParts,
    /// The number of bytes of the output file, if it has only this picture.
    pub bytes: Option<u64>,
}

/// The frames of a movie.
#[derive(Clone, Copy, Debug)]
pub struct MovieFrames {
    pub written: u32,
    /// The frames that the clip has.
    pub all: u32,
}

impl DrawTotals {
    pub fn new(drawn: &MeshPicture) -> Self {
        Self {
            size: drawn.picture.size(),
            frames: None,
            triangles: drawn.triangles,
            bones: drawn.bones,
            left_out: MissingParts::new(drawn),
            bytes: None,
        }
    }
}

/// Returns what is not in the picture as text: a number and a reason.
pub fn left_out_texts(facts: &DrawTotals) -> Vec<String> {
    let frames = facts.frames.filter(|frames| frames.written < frames.all).map(|MovieFrames { written, all }| {
        format!("{} of {all} frames: {written} are written, at the speed of the clip", all.saturating_sub(written))
    });
    facts.left_out.texts().into_iter().chain(frames).collect()
}

impl ViewResult {
    /// Prints a note for each kind of triangles that are left out, and the error.
    pub fn print_notes(&self, global: &Global) -> Outcome {
        match &self.drawn {
            Ok(facts) => {
                for text in left_out_texts(facts) {
                    note(&format!("{}: not in the picture: {text}", shown(&self.path)), global);
                }
                Outcome::Fine
            }
            Err(error) => complain_about(error),
        }
    }

    fn json(&self) -> Value {
        match &self.drawn {
            Ok(facts) => {
                let [width, height] = facts.size;
                json!({
                    "path": self.path.to_string_lossy(), "output": self.output.to_string_lossy(), "width": width,
                    "height": height, "frames": facts.frames.map(|frames| frames.written), "triangles": facts.triangles, "bones": facts.bones, "bytes": facts.bytes,
                    "left_out": left_out_texts(facts),
                })
            }
            Err(error) => json!({ "path": self.path.to_string_lossy(), "error": error_json(error) }),
        }
    }
}

/// Prints the results: notes and errors on standard error, and a document with `--json`, or else
/// the lines of `outputs`, the written files with their sizes in bytes.
pub fn print_results(
    results: &[ViewResult],
    outputs: &[(PathBuf, u64)],
    passed_by: &PassedBy,
    global: &Global,
) -> anyhow::Result<Outcome> {
    let outcome = results.iter().map(|result| result.print_notes(global)).fold(Outcome::Fine, Outcome::max);
    if global.json {
        let files = results.iter().map(ViewResult::json).collect::<Value>();
        print_json(&document(&json!({ "files": files, "passed_by": passed_by.total() })))?;
    } else if !global.quiet {
        let mut out = anstream::stdout().lock();
        for (path, bytes) in outputs.iter().filter(|(path, _)| path != Path::new(STDIN)) {
            writeln!(out, "{}: {}", shown(path), counted(*bytes, "byte"))?;
        }
    }
    Ok(outcome)
}
