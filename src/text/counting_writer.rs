//! A writer that counts the bytes that are written to it.

use std::io::{self, Write};

use crate::math::as_u64;

/// A writer that counts the bytes that are written to it, and passes them to another writer.
pub(crate) struct CountingWriter<W> {
    pub(crate) out: W,
    pub(crate) written: u64,
}

impl<W: Write> CountingWriter<W> {
    pub(crate) const fn new(out: W) -> Self {
        Self { out, written: 0 }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written = self.written.saturating_add(as_u64(written));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
