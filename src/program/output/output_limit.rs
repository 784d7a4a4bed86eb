//! The greatest size of an output that a command makes of its input files.

use std::io::{self, Seek, SeekFrom, Write};

use crate::error::Cause;
use crate::program::outcome::UsageError;

/// The size that every output may have, in bytes.
const LEAST: u64 = 16 << 20;
/// The number of bytes that an output may have for each byte of the input.
const PER_BYTE: u64 = 32;

/// The greatest size of an output: 16 MiB and 32 bytes for each byte of the input, or the size on
/// the command line. The outputs of real files are far smaller.
#[derive(Clone, Copy, Debug)]
pub struct OutputLimit {
    pub bytes: u64,
}

impl OutputLimit {
    /// Returns the limit for an input of `input` bytes. `chosen` is the size on the command line.
    pub fn new(input: u64, chosen: Option<u64>) -> Self {
        Self { bytes: chosen.unwrap_or_else(|| input.saturating_mul(PER_BYTE).saturating_add(LEAST)) }
    }

    /// Returns the error for an output that is too large.
    fn error(self) -> UsageError {
        let bytes = self.bytes;
        UsageError(format!("the output would have more than {bytes} bytes; --max-output SIZE allows a larger one"))
    }

    /// Returns a clear error for an error of the library about the size of the output, and any
    /// other error as it is.
    pub fn explain(self, error: anyhow::Error) -> anyhow::Error {
        match error.downcast_ref::<crate::Error>().map(crate::Error::cause) {
            Some(Cause::Limit { name: "output", .. }) => self.error().into(),
            _ => error,
        }
    }

    /// Runs `write` with a writer that refuses a larger output.
    pub fn write<W: Write, T>(
        self,
        out: W,
        write: impl FnOnce(&mut LimitedWriter<W>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut out = LimitedWriter { out, left: self.bytes, is_exceeded: false };
        let written = write(&mut out);
        // The refused write is the cause of the other error.
        if out.is_exceeded { Err(self.error().into()) } else { written }
    }
}

/// A writer that refuses to write more than a number of bytes.
pub struct LimitedWriter<W> {
    out: W,
    left: u64,
    is_exceeded: bool,
}

impl<W: Write> Write for LimitedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if self.left < length {
            self.is_exceeded = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.out.write(bytes)?;
        self.left = self.left.saturating_sub(u64::try_from(written).unwrap_or(u64::MAX));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Seek> Seek for LimitedWriter<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_ends_at_the_limit() {
        let limit = OutputLimit::new(0, Some(10));
        let mut out = Vec::new();
        limit.write(&mut out, |out| Ok(out.write_all(b"0123456789")?)).unwrap();
        let error = limit.write(&mut out, |out| Ok(out.write_all(b"01234567890")?)).unwrap_err();
        assert!(error.to_string().contains("more than 10 bytes") && error.is::<UsageError>(), "{error}");
        assert_eq!(out, b"0123456789");
        assert_eq!(OutputLimit::new(1000, None).bytes, (16 << 20) + 32_000);
    }
}
