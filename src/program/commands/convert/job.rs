//! The conversion of one mesh.

// Rule: this file sorts and maps by copies only.

use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::args::ConvertArgs;
use super::outputs::{self, ChosenPaths, FileSink};
use crate::ErrorKind;
use crate::export::{Export, ExportFormat, Loss, SceneInput, SourceInfo};
use crate::io::{prefetch, read_start};
use crate::program::args::STDIN;
use crate::program::atomic_write::{PendingOutput, folder};
use crate::program::formats::has_extension;
use crate::program::input::{AnimationFile, InputAsset, at_output};
use crate::program::outcome::usage;
use crate::program::output::text::shown;
use crate::program::output::{OutputLimit, refuse};
use crate::program::{atomic_write, threads};

/// The size of the buffer between the writer of a format and the system.
const BUFFER: usize = 256 << 10;
/// The number of bytes that are hashed before the pages of a mapped file are released.
const HASH_BLOCK: usize = 4 << 20;
/// The greatest number of entries of a folder that are searched for images.
const MAX_ENTRIES: usize = 10_000;

/// A mesh to convert.
pub struct ConvertJob {
    /// The path on the command line, or in a folder.
    pub path: PathBuf,
    pub asset: InputAsset,
    /// The path of the main output file, or `-`.
    pub output: PathBuf,
    /// Whether each mesh gets a file of its own in a folder.
    pub is_in_folder: bool,
    /// The paths of the output files of all meshes.
    pub chosen: ChosenPaths,
}

/// The path and the size of each file that was written.
pub type WrittenFiles = Vec<(PathBuf, u64)>;

impl ConvertJob {
    /// Converts the mesh. `losses` receives what the output does not contain, also if the
    /// conversion fails because of it.
    pub fn run(
        &self,
        args: &ConvertArgs,
        format: ExportFormat,
        animations: &[AnimationFile],
        losses: &mut Vec<Loss>,
    ) -> anyhow::Result<WrittenFiles> {
        let contents = self.asset.model.contents();
        let is_stream = self.output == Path::new(STDIN);
        let target = folder(&self.output);
        let options = args.options(&*contents.asset(args.asset.unwrap_or_default())?)?;
        let options = options.with_source(source_facts(&self.path, &self.asset, (!is_stream).then_some(target)));
        let options = options.with_max_bytes(self.limit(args, animations).bytes);
        let clips = animations.iter().map(AnimationFile::source).collect::<Vec<_>>();
        let release = || self.asset.release();
        let input = SceneInput::of_contents(contents).with_clips(&clips).with_release(&release);
        // The hash reads the whole file, and so brings the pages of a large file into memory.
        let hash = || options.source.set_hash(source_hash(&self.asset));
        let (_, export) = threads::both(hash, || Export::new(&input, format, &options));
        let export = export?;
        *losses = export.losses().to_vec();
        refuse(losses, args.allow_loss, |first, more| {
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            format!("{}: the output would lack {first}{more}; --allow-loss leaves it out", shown(&self.path))
        })?;
        if is_stream { self.write_stream(&export) } else { self.write_files(&export, args.force) }
    }

    /// Returns an error of the conversion with the file that it is about.
    pub fn explain(&self, error: anyhow::Error, args: &ConvertArgs, animations: &[AnimationFile]) -> anyhow::Error {
        let error = at_output(self.limit(args, animations).explain(error), &self.output);
        self.asset.locate_any_error(error, &self.path)
    }

    /// Returns the greatest size of the output.
    fn limit(&self, args: &ConvertArgs, animations: &[AnimationFile]) -> OutputLimit {
        let sizes = animations.iter().map(|file| file.asset.size());
        OutputLimit::new(sizes.fold(self.asset.size(), u64::saturating_add), args.max_output)
    }

    /// Writes all files of the output, and then gives them their names together.
    fn write_files(&self, export: &Export<'_>, force: bool) -> anyhow::Result<WrittenFiles> {
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut paths = vec![self.output.clone()];
        for file in 1..export.file_count() {
            let path = self.output.with_file_name(export.file_name(file, &stem));
            if path == self.output || !self.chosen.take(&path) {
                usage!("{}: another file of the output has this path; choose another OUT", shown(&path));
            }
            paths.push(path);
        }
        let mut files = OutputFiles { paths: &paths, force, pending: Vec::new(), outputs: Vec::new() };
        outputs::write(&mut files, |receive| Ok(export.write_files(&stem, receive)?))?;
        files.complete_last()?;
        let OutputFiles { pending, outputs, .. } = files;
        self.asset.check()?;
        PendingOutput::finish_all(pending)?;
        Ok(outputs)
    }

    fn write_stream(&self, export: &Export<'_>) -> anyhow::Result<WrittenFiles> {
        if export.file_count() > 1 {
            usage!("-o -: the output has several files; choose a file, or --to glb, ply, stl, ezm, ezb or json");
        }
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        // The mesh is open, so an error of the system is one of the output.
        export.write_file(0, "mesh", &mut out).map_err(|error| match error.kind() {
            ErrorKind::Io => error.at_path(Path::new("standard output")),
            _ => error,
        })?;
        out.flush()?;
        self.asset.check()?;
        Ok(Vec::new())
    }
}

/// Returns the facts about a mesh that is exported to a file in `folder`, or to standard output if
/// there is no folder.
fn source_facts(path: &Path, asset: &InputAsset, folder: Option<&Path>) -> SourceInfo {
    let facts = SourceInfo::default().with_name(asset.stem(path));
    let own = atomic_write::folder(path);
    let is_same = folder.is_some_and(|folder| {
        fs::canonicalize(own).ok().zip(fs::canonicalize(folder).ok()).is_some_and(|(own, folder)| own == folder)
    });
    if is_same && path != Path::new(STDIN) { facts.with_images(images(own)) } else { facts }
}

/// Returns the hash of the bytes of all files of a mesh.
fn source_hash(asset: &InputAsset) -> String {
    let mut hash = Xxh3::new();
    let file = asset.model.file();
    for source in (0..file.source_count()).filter_map(|source| file.source(source)) {
        for block in source.as_ref().chunks(HASH_BLOCK) {
            prefetch(block);
            hash.update(block);
            source.release_part(block);
        }
    }
    format!("xxh3-128:{:032x}", hash.digest128())
}

/// Returns the names of the PNG and JPEG files in a folder, sorted.
fn images(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES).filter_map(Result::ok);
    let is_image = |path: &PathBuf| has_image_name(path) && is_image(path);
    let paths = entries.map(|entry| entry.path()).filter(is_image);
    let mut names: Vec<String> =
        paths.filter_map(|path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned)).collect();
    names.sort_unstable();
    names
}

fn has_image_name(path: &Path) -> bool {
    ["png", "jpg", "jpeg"].iter().any(|name| has_extension(path, name))
}

/// Returns whether a file starts with the magic number of PNG or JPEG.
fn is_image(path: &Path) -> bool {
    let start = read_start(path, 8).unwrap_or_default();
    start == *b"\x89PNG\r\n\x1a\n" || start.starts_with(b"\xff\xd8\xff")
}

/// The files of an output, which are written one after another.
struct OutputFiles<'p> {
    paths: &'p [PathBuf],
    force: bool,
    /// The files that were started. All but the last are complete.
    pending: Vec<PendingOutput>,
    /// The path and the size of each complete file.
    outputs: WrittenFiles,
}

impl OutputFiles<'_> {
    fn complete_last(&mut self) -> anyhow::Result<()> {
        let path = self.paths.get(self.outputs.len());
        if let Some((file, path)) = self.pending.last_mut().zip(path) {
            self.outputs.push((path.clone(), file.complete(path)?));
        }
        Ok(())
    }
}

impl FileSink for OutputFiles<'_> {
    fn write(&mut self, file: usize, bytes: &[u8]) -> anyhow::Result<()> {
        let Some(path) = self.paths.get(file) else { return Ok(()) };
        if file == self.pending.len() {
            self.complete_last()?;
            self.pending.push(PendingOutput::create(path, self.force)?);
        }
        let Some(output) = self.pending.get_mut(file) else { return Ok(()) };
        output.write_part(path, |out| Ok(out.write_all(bytes)?))
    }
}
