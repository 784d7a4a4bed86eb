//! Outputs that fail.

use std::io::{ErrorKind, Result, Write};

/// An output with room for the given number of bytes.
pub struct FullOutput(pub usize);

impl Write for FullOutput {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.0 == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// An output that refuses every byte.
pub struct NoOutput;

impl Write for NoOutput {
    fn write(&mut self, _: &[u8]) -> Result<usize> {
        panic!("something was written");
    }

    fn flush(&mut self) -> Result<()> {
        panic!("something was flushed");
    }
}
