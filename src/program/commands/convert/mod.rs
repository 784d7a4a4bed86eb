//! `convert`: writes meshes in the formats of other programs.

// Rule: this file sorts and maps by copies only.

mod args;
mod job;
mod outputs;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::thread;

use serde_json::{Value, json};

pub use args::ConvertArgs;
use job::{ConvertJob, WrittenFiles};
use outputs::OutputNames;

use crate::export::{ExportFormat, Loss, LossKind};
use crate::program::args::{Global, STDIN};
use crate::program::describe::rows::selected::SelectedFiles;
use crate::program::input::animation_files::{AnimationFile, open_animations};
use crate::program::input::not_opened::PassedBy;
use crate::program::outcome::{Outcome, UsageError};
use crate::program::output::json::{document, error as error_json};
use crate::program::output::{complain_about, count, counted, loss_line, losses_json, note, print_json, refuse, shown};
use crate::program::threads;

/// The result of one mesh, in the order of the command line.
struct ConvertResult {
    /// The path of the mesh.
    path: String,
    output: String,
    /// Whether each mesh gets a file of its own in a folder.
    is_in_folder: bool,
    losses: Vec<Loss>,
    done: anyhow::Result<WrittenFiles>,
}

impl ConvertArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let format = self.format()?;
        let animations = open_animations(&self.animations, &self.files.walk, global)?;
        let results = Mutex::new(Vec::new());
        let (outcome, passed_by) = self.convert_all(format, &animations, &results, global)?;
        let mut results = results.into_inner().unwrap_or_default();
        results.sort_unstable_by_key(|(number, _)| *number);
        let outcome = results.iter().map(|(_, result)| self.report(result, global)).fold(outcome, Outcome::max);
        self.report_all(&results, format, global);
        if global.json && self.output != Path::new(STDIN) {
            let files = results.iter().map(|(_, result)| result.json(format)).collect::<Value>();
            print_json(&document(&json!({ "files": files, "passed_by": passed_by.total() })))?;
        }
        Ok(outcome)
    }

    /// Opens all meshes in order, and converts them on several threads.
    fn convert_all(
        &self,
        format: ExportFormat,
        animations: &[AnimationFile],
        results: &Mutex<Vec<(usize, ConvertResult)>>,
        global: &Global,
    ) -> anyhow::Result<(Outcome, PassedBy)> {
        let mut names = OutputNames::new(self, format);
        let count = if self.writes_to_folder() { threads::count() } else { 1 };
        let (sender, receiver) = mpsc::sync_channel::<(usize, ConvertJob)>(count);
        let receiver = Mutex::new(receiver);
        let work = || {
            loop {
                let job = receiver.lock().ok().and_then(|receiver| receiver.recv().ok());
                let Some((number, job)) = job else { break };
                add_result(results, number, self.result(&job, format, animations));
            }
        };
        thread::scope(|scope| {
            let started = (0..count).filter_map(|_| threads::start(scope, work)).count();
            let convert = |number, job| {
                if started > 0 {
                    drop(sender.send((number, job)));
                } else {
                    add_result(results, number, self.result(&job, format, animations));
                }
            };
            let (mut number, mut only) = (0_usize, None);
            let (outcome, omitted) = SelectedFiles::for_output(&self.files)?.each(global, |path, asset| {
                number = number.saturating_add(1);
                if number > 1 && names.become_folder() {
                    // A script with several meshes: the first is written into the folder, too.
                    if let Some(ConvertJob { path, asset, .. }) = only.take() {
                        match names.job(&path, asset, 1) {
                            Ok(job) => convert(1, job),
                            Err(error) => add_result(results, 1, ConvertResult::failed(&path, error)),
                        }
                    }
                }
                match asset.map_err(anyhow::Error::from).and_then(|asset| names.job(path, asset, number)) {
                    Ok(job) if job.is_in_folder => convert(number, job),
                    // Nothing is written if another mesh follows.
                    Ok(job) => only = Some(job),
                    Err(error) => add_result(results, number, ConvertResult::failed(path, error)),
                }
                Ok(Outcome::Fine)
            })?;
            if let Some(job) = only.filter(|_| number == 1) {
                convert(number, job);
            }
            drop(sender);
            Ok((outcome, omitted.passed_by))
        })
    }

    fn result(&self, job: &ConvertJob, format: ExportFormat, animations: &[AnimationFile]) -> ConvertResult {
        let mut losses = Vec::new();
        let done = job.run(self, format, animations, &mut losses);
        let done = done.map_err(|error| job.explain(error, self, animations));
        let [path, output] = [&job.path, &job.output].map(|path| path.to_string_lossy().into_owned());
        ConvertResult { path, output, is_in_folder: job.is_in_folder, losses, done }
    }

    /// Prints the result of one mesh.
    fn report(&self, result: &ConvertResult, global: &Global) -> Outcome {
        let path = shown(Path::new(&result.path));
        // The error about refused losses names the mesh.
        let has_path = refuse(&result.losses, self.allow_loss, |_, _| String::new()).is_err();
        for loss in result.losses.iter().filter(|loss| global.verbose || !loss.by_format) {
            note(&loss_line(&path, loss), global);
        }
        match &result.done {
            Err(error) => match error.downcast_ref::<UsageError>() {
                Some(usage) if result.is_in_folder && !has_path => {
                    complain_about(&UsageError(format!("{path}: {}", usage.0)).into())
                }
                _ => complain_about(error),
            },
            Ok(_) if global.json || global.quiet || self.output == Path::new(STDIN) => Outcome::Fine,
            Ok(written) => {
                let mut out = anstream::stdout().lock();
                let mut lines = written.iter();
                let done =
                    lines.try_for_each(|(path, bytes)| writeln!(out, "{}: {}", shown(path), counted(*bytes, "byte")));
                done.map_or_else(|error| complain_about(&error.into()), |()| Outcome::Fine)
            }
        }
    }

    /// Prints what the format could not hold of all meshes, and the number of meshes of a folder
    /// that were written.
    fn report_all(&self, results: &[(usize, ConvertResult)], format: ExportFormat, global: &Global) {
        let mut left_out = LeftOutByFormat::new(format);
        let written = || results.iter().filter(|(_, result)| result.done.is_ok());
        for (_, result) in written() {
            left_out.add(&result.losses);
        }
        left_out.text().into_iter().for_each(|text| note(&text, global));
        if self.writes_to_folder() || results.iter().any(|(_, result)| result.is_in_folder) {
            let written = written().count();
            let failed = results.len().saturating_sub(written);
            note(&format!("{} written, {} failed", count(written), count(failed)), global);
        }
    }
}

/// The data that a format could not hold, of all meshes that were written.
struct LeftOutByFormat {
    format: ExportFormat,
    /// The number of items of each kind.
    kinds: BTreeMap<LossKind, usize>,
    /// The number of meshes of which data is left out.
    meshes: usize,
}

impl LeftOutByFormat {
    const fn new(format: ExportFormat) -> Self {
        Self { format, kinds: BTreeMap::new(), meshes: 0 }
    }

    /// Adds the losses of a mesh.
    fn add(&mut self, losses: &[Loss]) {
        let by_format = losses.iter().filter(|loss| loss.by_format);
        for loss in by_format.clone() {
            let count = self.kinds.entry(loss.kind).or_default();
            *count = count.saturating_add(loss.count);
        }
        self.meshes = self.meshes.saturating_add(usize::from(by_format.count() > 0));
    }

    /// Returns the line, or `None` if nothing is left out.
    fn text(&self) -> Option<String> {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| self.name(*kind, *count)).collect();
        let (last, first) = kinds.split_last()?;
        let named = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
        let meshes = if self.meshes > 1 { format!(" of {}", counted(self.meshes, "mesh")) } else { String::new() };
        Some(format!("{} holds {}: left out{meshes}: {named}", self.format, self.format.names().holds))
    }

    /// Returns the name of the items of a kind.
    fn name(&self, kind: LossKind, count: usize) -> String {
        let is_flat = self.format == ExportFormat::Stl;
        match kind {
            LossKind::Skin => "bones and weights".to_owned(),
            LossKind::Clips => counted(count, "clip"),
            LossKind::MorphTargets => counted(count, "morph target"),
            LossKind::VertexFrames => counted(count, "vertex frame"),
            LossKind::UvSets if is_flat => "UVs".to_owned(),
            LossKind::UvSets => counted(count, "further UV set"),
            LossKind::Colors => "vertex colours".to_owned(),
            LossKind::DataColors
                if matches!(self.format, ExportFormat::Glb | ExportFormat::Gltf | ExportFormat::Ply) =>
            {
                "colours to draw, because the vertex colours are data or black (--colors albedo draws them)".to_owned()
            }
            LossKind::DataColors => "vertex colours that are data".to_owned(),
            LossKind::Materials if self.format == ExportFormat::Obj => "draw styles of materials".to_owned(),
            other => other.id().replace('-', " "),
        }
    }
}

/// Adds a result to the list of all results.
fn add_result(results: &Mutex<Vec<(usize, ConvertResult)>>, number: usize, result: ConvertResult) {
    if let Ok(mut results) = results.lock() {
        results.push((number, result));
    }
}

impl ConvertResult {
    fn failed(path: &Path, error: anyhow::Error) -> Self {
        let path = path.to_string_lossy().into_owned();
        Self { path, output: String::new(), is_in_folder: false, losses: Vec::new(), done: Err(error) }
    }

    fn json(&self, format: ExportFormat) -> Value {
        let losses = losses_json(&self.losses);
        match &self.done {
            Ok(written) => {
                let outputs = written.iter();
                let outputs: Value =
                    outputs.map(|(path, bytes)| json!({ "path": path.to_string_lossy(), "bytes": bytes })).collect();
                let format = format.extension();
                json!({ "path": self.path, "output": self.output, "format": format, "outputs": outputs, "losses": losses })
            }
            Err(error) => {
                let error = match error.downcast_ref::<crate::Error>() {
                    Some(fault) => error_json(fault),
                    None => other_error_json(error),
                };
                json!({ "path": self.path, "error": error, "losses": losses })
            }
        }
    }
}

/// Returns an error that is not one of the library as JSON.
fn other_error_json(error: &anyhow::Error) -> Value {
    let kind = if error.is::<UsageError>() { "refused" } else { "io" };
    json!({ "format": "export", "field": "output", "offset": null, "kind": kind, "message": format!("{error:#}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::loss::LossList;

    #[test]
    fn one_line_names_the_kinds_of_all_meshes() {
        let mut all = LeftOutByFormat::new(ExportFormat::Stl);
        assert_eq!(all.text(), None);
        let mut losses = LossList::default();
        losses.add(LossKind::Triangles, Some(0), "1 triangle with an invalid index");
        all.add(&losses.finish());
        assert_eq!(all.text(), None, "a loss of the mesh");
        for clips in [1, 2] {
            let mut losses = LossList::default();
            losses.add_by_format(LossKind::Clips, clips, "clips");
            losses.add_by_format(LossKind::UvSets, 2, "2 UV sets");
            losses.add_by_format(LossKind::Normals, 1, "normals");
            all.add(&losses.finish());
            if clips == 1 {
                let text = "STL holds triangles only: left out: 1 clip, UVs and normals";
                assert_eq!(all.text().as_deref(), Some(text));
            }
        }
        let text = "STL holds triangles only: left out of 2 meshes: 3 clips, UVs and normals";
        assert_eq!(all.text().as_deref(), Some(text));
    }
}
