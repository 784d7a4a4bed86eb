//! A writer that counts the bytes that are written to it.

use std::io::{self, Write};

/// A writer that counts the bytes that are written to it, and passes them to another writer.
pub struct CountingWriter<W> {
    pub out: W,
    pub written: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written = self.written.saturating_add(u64::try_from(written).unwrap_or(u64::MAX));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
