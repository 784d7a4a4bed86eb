//! Writes files on a second thread, while the first one makes their bytes.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::program::threads;

/// The size of a block in bytes.
const BLOCK: usize = 1 << 20;
/// The number of blocks that wait to be written.
const WAITING: usize = 2;

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
