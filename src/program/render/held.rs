//! Output that is held back until the input files have been checked for changes.

use std::io::{self, BufWriter, Seek as _, Write};

use tempfile::SpooledTempFile;

/// The number of bytes of output that are held in memory. More bytes are held in a temporary file
/// without a name.
const HELD_IN_MEMORY: usize = 8 << 20;

/// Output that is held back.
pub struct HeldOutput {
    file: BufWriter<SpooledTempFile>,
    bytes: u64,
}

impl HeldOutput {
    pub fn new() -> Self {
        Self { file: BufWriter::new(SpooledTempFile::new(HELD_IN_MEMORY)), bytes: 0 }
    }

    /// Returns the number of bytes that are held.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Prints the output that is held, and forgets it.
    pub fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = self.rewound()?;
        io::copy(file, out)?;
        file.set_len(0)?;
        file.rewind()?;
        self.bytes = 0;
        Ok(())
    }

    /// Returns the held output, at its start.
    pub fn rewound(&mut self) -> io::Result<&mut SpooledTempFile> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.rewind()?;
        Ok(file)
    }
}

impl Write for HeldOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes = self.bytes.saturating_add(u64::try_from(written).unwrap_or(u64::MAX));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
