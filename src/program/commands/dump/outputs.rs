//! Writes arrays to a file or to standard output.

use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use super::npz::{NpzWriter, SeekableOutput};
use super::output_args::{ArrayFormat, OutputArgs};
use super::summary::Summary;
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::PendingOutput;
use crate::program::input::InputAsset;
use crate::program::output::OutputLimit;

/// The number of bytes that are collected before they are written.
const BLOCK: usize = 256 << 10;
/// The number of bytes of an archive for standard output that are held in memory. More bytes are
/// held in a temporary file without a name.
const HELD_IN_MEMORY: usize = 8 << 20;

/// Arrays that can be written in every format.
pub trait ArrayContent {
    /// Writes the only array.
    fn write_npy(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()>;
    /// Adds all arrays to an archive.
    fn write_npz(&self, out: &mut NpzWriter<'_>, summary: &mut Summary) -> anyhow::Result<()>;
    /// Writes all arrays as a table.
    fn write_csv(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()>;
}

impl OutputArgs {
    /// Writes arrays, checks the input for changes, and prints a summary.
    pub fn write(
        &self,
        content: &dyn ArrayContent,
        format: ArrayFormat,
        asset: &InputAsset,
        path: &Path,
        global: &Global,
    ) -> anyhow::Result<()> {
        let Some(output) = self.output.as_deref().filter(|output| *output != Path::new(STDIN)) else {
            return print_arrays(content, format, asset, self.limit(asset));
        };
        let mut summary = Summary::new(global.json);
        let mut bytes = 0;
        let file = PendingOutput::write(output, self.force, |file| {
            self.limit(asset).write(&mut *file, |out| write_format(content, format, out, &mut summary))?;
            bytes = file.size()?;
            Ok(())
        })?;
        asset.check()?;
        file.finish()?;
        summary.print(path, output, bytes, global)
    }
}

/// Writes arrays to a seekable output.
fn write_format(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    out: &mut dyn SeekableOutput,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    match format {
        ArrayFormat::Npz => {
            let mut archive = NpzWriter::new(out);
            content.write_npz(&mut archive, summary)?;
            archive.finish()
        }
        _ => write_stream(content, format, out, summary),
    }
}

/// Writes arrays in a format without an archive.
fn write_stream(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    out: &mut dyn Write,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    if format == ArrayFormat::Npy {
        return content.write_npy(out, summary);
    }
    let mut out = BufWriter::with_capacity(BLOCK, out);
    content.write_csv(&mut out, summary)?;
    Ok(out.flush()?)
}

/// Writes arrays to standard output. An archive is completed first, because the checksum of an
/// array precedes its values.
fn print_arrays(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    asset: &InputAsset,
    limit: OutputLimit,
) -> anyhow::Result<()> {
    let (mut out, mut summary) = (io::stdout().lock(), Summary::new(false));
    match format {
        ArrayFormat::Npz => {
            let mut held = SpooledTempFile::new(HELD_IN_MEMORY);
            limit.write(&mut held, |out| write_format(content, format, out, &mut summary))?;
            asset.check()?;
            held.seek(SeekFrom::Start(0))?;
            io::copy(&mut held, &mut out)?;
        }
        _ => limit.write(&mut out, |out| write_stream(content, format, out, &mut summary))?,
    }
    out.flush()?;
    Ok(asset.check()?)
}
