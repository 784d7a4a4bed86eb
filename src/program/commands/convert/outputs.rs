//! The output files: their paths, and the second thread that writes them while the first one makes
//! their bytes.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::{fs, io, thread};

use super::args::ConvertArgs;
use super::job::ConvertJob;
use crate::export::ExportFormat;
use crate::program::args::STDIN;
use crate::program::formats::is_mesh_file;
use crate::program::input::InputAsset;
use crate::program::outcome::usage;
use crate::program::output::shown;
use crate::program::threads;

/// The size of a block in bytes.
const BLOCK: usize = 1 << 20;
/// The number of blocks that wait to be written.
const WAITING: usize = 2;

/// Chooses the path of the output of each mesh.
pub struct OutputNames {
    /// The path on the command line.
    output: PathBuf,
    is_folder: bool,
    format: ExportFormat,
    /// The folders on the command line, whose structure the output repeats.
    folders: Vec<PathBuf>,
    /// The files and folders on the command line, without links.
    inputs: Vec<PathBuf>,
    chosen: ChosenPaths,
}

/// The paths of all output files, in lower case. Clones share the list.
#[derive(Clone, Default)]
pub struct ChosenPaths(Arc<Mutex<BTreeSet<String>>>);

impl ChosenPaths {
    /// Adds a path. Returns `false` if another output file has it.
    pub fn take(&self, path: &Path) -> bool {
        let mut paths = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        paths.insert(path.to_string_lossy().to_lowercase())
    }
}

impl OutputNames {
    pub fn new(args: &ConvertArgs, format: ExportFormat) -> Self {
        let folders = args.files.files.iter().filter(|path| path.is_dir()).cloned().collect();
        let is_folder = args.writes_to_folder();
        let inputs = args.files.files.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        Self { output: args.output.clone(), is_folder, format, folders, inputs, chosen: ChosenPaths::default() }
    }

    /// Makes the output a folder, because a script has several meshes. Returns `false` if it is one
    /// already, or if its path is not that of a new folder.
    pub fn become_folder(&mut self) -> bool {
        let output = &self.output;
        let is_new = !self.is_folder && output != Path::new(STDIN) && output.extension().is_none() && !output.exists();
        self.is_folder |= is_new;
        is_new
    }

    /// Returns the conversion of a mesh. `number` counts the meshes from 1.
    pub fn job(&self, path: &Path, asset: InputAsset, number: usize) -> anyhow::Result<ConvertJob> {
        let output = self.output(path, &asset, number)?;
        if self.is_folder && self.is_other_input(&output, path) {
            usage!(
                "{}: the output {} is another mesh of the input; choose another folder",
                shown(path),
                shown(&output)
            );
        }
        let chosen = if self.is_folder { self.chosen.clone() } else { ChosenPaths::default() };
        Ok(ConvertJob { path: path.to_owned(), asset, output, is_in_folder: self.is_folder, chosen })
    }

    /// Returns the path of the output of a mesh.
    ///
    /// If two meshes of a folder differ in their extension only, the second keeps its extension.
    fn output(&self, path: &Path, asset: &InputAsset, number: usize) -> anyhow::Result<PathBuf> {
        if !self.is_folder {
            if number > 1 {
                usage!(
                    "{}: a second mesh for one output; give a folder as OUT, or choose one with --mesh",
                    shown(path)
                );
            }
            return Ok(self.output.clone());
        }
        let folder = self.output.join(self.inner_folder(path));
        let stem = asset.stem(path);
        let extension = self.format.extension();
        let mut output = folder.join(format!("{stem}.{extension}"));
        if !self.chosen.take(&output) {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            output = folder.join(format!("{own}.{extension}"));
            if path == Path::new(STDIN) || !self.chosen.take(&output) {
                usage!("{}: another mesh has the same output, {}", shown(path), shown(&output));
            }
        }
        Ok(output)
    }

    /// Returns whether an output would replace a mesh that may be an input, other than `path`.
    fn is_other_input(&self, output: &Path, path: &Path) -> bool {
        let Ok(existing) = fs::canonicalize(output) else { return false };
        is_mesh_file(&existing)
            && fs::canonicalize(path).ok().as_ref() != Some(&existing)
            && self.inputs.iter().any(|input| existing.starts_with(input))
    }

    /// Returns the folder of a mesh, relative to the folder on the command line that contains it.
    fn inner_folder(&self, path: &Path) -> PathBuf {
        let parent = path.parent().unwrap_or(Path::new(""));
        let inner = self.folders.iter().find_map(|folder| parent.strip_prefix(folder).ok());
        inner.unwrap_or(Path::new("")).to_owned()
    }
}

/// What writes the blocks of one or several files.
pub trait FileSink: Send {
    /// Writes bytes to the file with this index. The files follow one another.
    fn write(&mut self, file: usize, bytes: &[u8]) -> anyhow::Result<()>;
}

/// What receives the bytes of the file with an index.
pub type Receive<'r> = dyn FnMut(usize, &[u8]) -> io::Result<()> + 'r;

/// The bytes of a file that are written together, and the index of the file.
type FileBlock = (usize, Vec<u8>);

/// Writes what `produce` passes to its argument. At most a few blocks are in memory.
pub fn write(
    out: &mut impl FileSink,
    produce: impl FnOnce(&mut Receive<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let shared = &Mutex::new(out);
    thread::scope(|scope| {
        let (full, blocks) = sync_channel(WAITING);
        let (empty, returned) = channel();
        let mut pipe = Pipe { block: (0, Vec::new()), full, returned };
        let writer = threads::start(scope, move || {
            // No other thread has the lock.
            shared.lock().map_or(Ok(()), |mut out| write_blocks(&mut **out, blocks, empty))
        });
        let Some(writer) = writer else { return write_directly(shared, produce) };
        let produced = produce(&mut |file, bytes| pipe.write(file, bytes)).and_then(|()| Ok(pipe.send()?));
        drop(pipe);
        let ended = || Err(io::Error::other("the thread that writes has ended").into());
        let written = writer.join().unwrap_or_else(|_| ended());
        // A failed write is the cause of the error of the producer.
        written.and(produced)
    })
}

/// Writes without a second thread.
fn write_directly(
    out: &Mutex<&mut impl FileSink>,
    produce: impl FnOnce(&mut Receive<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut out = out.lock().map_err(|_| io::Error::other("the output cannot be written"))?;
    let mut failed = None;
    let produced = produce(&mut |file, bytes| {
        out.write(file, bytes).map_err(|error| {
            failed = Some(error);
            io::Error::other("the output cannot be written")
        })
    });
    failed.map_or(produced, Err)
}

#[allow(clippy::needless_pass_by_value, reason = "the end of the thread ends the channels")]
fn write_blocks(out: &mut impl FileSink, blocks: Receiver<FileBlock>, empty: Sender<Vec<u8>>) -> anyhow::Result<()> {
    for (file, mut block) in blocks {
        out.write(file, &block)?;
        block.clear();
        // The producer may have ended.
        let _ = empty.send(block);
    }
    Ok(())
}

/// Collects blocks for the other thread.
struct Pipe {
    block: FileBlock,
    full: SyncSender<FileBlock>,
    /// Blocks that were written, whose memory is used again.
    returned: Receiver<Vec<u8>>,
}

impl Pipe {
    /// Passes the block to the other thread.
    fn send(&mut self) -> io::Result<()> {
        let next = (self.block.0, self.returned.try_recv().unwrap_or_default());
        let block = std::mem::replace(&mut self.block, next);
        self.full.send(block).map_err(|_| io::Error::other("the output cannot be written"))
    }

    fn write(&mut self, file: usize, mut bytes: &[u8]) -> io::Result<()> {
        if self.block.0 != file {
            self.send()?;
            self.block.0 = file;
        }
        while !bytes.is_empty() {
            if self.block.1.len() >= BLOCK {
                self.send()?;
            }
            let room = BLOCK.saturating_sub(self.block.1.len());
            let (taken, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.block.1.extend_from_slice(taken);
            bytes = rest;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds the bytes of each file, and fails after a number of bytes.
    #[derive(Default)]
    struct Files {
        bytes: Vec<Vec<u8>>,
        most: Option<usize>,
    }

    impl FileSink for Files {
        fn write(&mut self, file: usize, bytes: &[u8]) -> anyhow::Result<()> {
            if let Some(most) = &mut self.most {
                *most = most.checked_sub(bytes.len()).ok_or(io::Error::from(io::ErrorKind::StorageFull))?;
            }
            self.bytes.resize_with(file + 1, Vec::new);
            self.bytes[file].extend_from_slice(bytes);
            Ok(())
        }
    }

    type Write = fn(&mut Files, &mut dyn FnMut(&mut Receive<'_>) -> anyhow::Result<()>) -> anyhow::Result<()>;

    /// The ways to write: with and without a second thread.
    const WAYS: [Write; 2] =
        [|files, produce| write(files, produce), |files, produce| write_directly(&Mutex::new(files), produce)];

    #[test]
    fn writes_all_bytes_in_order() {
        for (size, way) in [0, 1, BLOCK, 3 * BLOCK + 7].into_iter().flat_map(|size| WAYS.map(|way| (size, way))) {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut files = Files::default();
            way(&mut files, &mut |receive| {
                for file in 0..3 {
                    receive(file, &[])?;
                    bytes.chunks(1000).try_for_each(|part| receive(file, part))?;
                }
                Ok(())
            })
            .unwrap();
            assert!(files.bytes == vec![bytes; 3], "{size}");
        }
    }

    #[test]
    fn a_failed_write_is_the_error() {
        for way in WAYS {
            let long = vec![0; 9 * BLOCK];
            let mut full = Files { most: Some(BLOCK), ..Files::default() };
            let error = way(&mut full, &mut |receive| Ok(receive(0, &long)?)).unwrap_err();
            assert_eq!(error.downcast::<io::Error>().unwrap().kind(), io::ErrorKind::StorageFull);
            let error = way(&mut Files::default(), &mut |_| anyhow::bail!("made no bytes")).unwrap_err();
            assert_eq!(error.to_string(), "made no bytes");
        }
    }
}
