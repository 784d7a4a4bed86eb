//! Writes a file on a second thread, while the first one makes its bytes.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The size of a block in bytes.
const BLOCK: usize = 1 << 20;
/// The number of blocks that wait to be written.
const WAITING: usize = 2;

/// Writes what `produce` passes to its writer. At most a few blocks are in memory.
pub fn write(
    out: &mut (impl Write + Send),
    produce: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    thread::scope(|scope| {
        let (full, blocks) = sync_channel(WAITING);
        let (empty, returned) = channel();
        let writer = scope.spawn(move || write_blocks(out, &blocks, &empty));
        let mut pipe = Pipe { block: Vec::new(), full, returned };
        let produced = produce(&mut pipe).and_then(|()| Ok(pipe.send()?));
        drop(pipe);
        let written = writer.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes has ended")));
        // A failed write is the cause of the error of the producer.
        written.map_err(anyhow::Error::from).and(produced)
    })
}

fn write_blocks(out: &mut impl Write, blocks: &Receiver<Vec<u8>>, empty: &Sender<Vec<u8>>) -> io::Result<()> {
    for mut block in blocks {
        out.write_all(&block)?;
        block.clear();
        // The producer may have ended.
        let _ = empty.send(block);
    }
    out.flush()
}

/// The writer that collects blocks for the other thread.
struct Pipe {
    block: Vec<u8>,
    full: SyncSender<Vec<u8>>,
    /// Blocks that were written, whose memory is used again.
    returned: Receiver<Vec<u8>>,
}

impl Pipe {
    /// Passes the block to the other thread.
    fn send(&mut self) -> io::Result<()> {
        let next = self.returned.try_recv().unwrap_or_default();
        let block = std::mem::replace(&mut self.block, next);
        self.full.send(block).map_err(|_| io::Error::other("the output cannot be written"))
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() >= BLOCK {
            self.send()?;
        }
        let room = BLOCK.saturating_sub(self.block.len());
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.block.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_all_bytes_in_order() {
        for size in [0, 1, BLOCK, 3 * BLOCK + 7] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut out = Vec::new();
            write(&mut out, |pipe| Ok(bytes.chunks(1000).try_for_each(|part| pipe.write_all(part))?)).unwrap();
            assert!(out == bytes);
        }
    }

    #[test]
    fn a_failed_write_is_the_error() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let long = vec![0; 9 * BLOCK];
        let error = write(&mut Full(BLOCK), |pipe| Ok(pipe.write_all(&long)?)).unwrap_err();
        assert_eq!(error.downcast::<io::Error>().unwrap().kind(), io::ErrorKind::StorageFull);
        let error = write(&mut Vec::new(), |_| anyhow::bail!("made no bytes")).unwrap_err();
        assert_eq!(error.to_string(), "made no bytes");
    }
}
