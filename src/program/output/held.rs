//! Output that is held back until the input files have been checked for changes.

use std::io::{self, BufWriter, Seek as _, Write};

use tempfile::SpooledTempFile;

use crate::text::block::CountingWriter;

/// The number of bytes of output that are held in memory. More bytes are held in a temporary file
/// without a name.
const HELD_IN_MEMORY: usize = 8 << 20;

/// Output that is held back.
pub type HeldOutput = CountingWriter<BufWriter<SpooledTempFile>>;

impl HeldOutput {
    pub fn start() -> Self {
        Self::new(BufWriter::new(SpooledTempFile::new(HELD_IN_MEMORY)))
    }

    /// Prints the output that is held, and forgets it.
    pub fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = self.rewound()?;
        io::copy(file, out)?;
        file.set_len(0)?;
        file.rewind()?;
        self.written = 0;
        Ok(())
    }

    /// Returns the held output, at its start.
    pub fn rewound(&mut self) -> io::Result<&mut SpooledTempFile> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.rewind()?;
        Ok(file)
    }
}
