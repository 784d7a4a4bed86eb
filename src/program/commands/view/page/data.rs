//! Writes binary data in a page, as Base64 in `<script>` elements that the browser does not run.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::program::output::base64;

/// The number of bytes that are encoded at a time: a multiple of 3, which needs no padding.
const BLOCK: usize = 48 << 10;
/// The number of blocks in an element. A browser keeps the text of an element as one string.
const MAX_BLOCKS: usize = 256;

/// Writes bytes as Base64 in one or more elements.
pub struct DataElements<'o> {
    out: &'o mut dyn Write,
    attributes: String,
    block: Vec<u8>,
    /// The number of blocks in the open element, or `None` if no element is open.
    blocks: Option<usize>,
}

impl<'o> DataElements<'o> {
    /// Makes a writer. Each element has the given attributes.
    pub fn new(out: &'o mut dyn Write, attributes: &str) -> Self {
        Self { out, attributes: attributes.to_owned(), block: Vec::new(), blocks: None }
    }

    /// Writes all bytes that `produce` writes, compressed with zlib, and closes the last element.
    pub fn compressed(self, produce: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut encoder = ZlibEncoder::new(self, Compression::default());
        produce(&mut encoder)?;
        Ok(encoder.finish()?.finish()?)
    }

    /// Writes bytes as they are, and closes the last element.
    pub fn whole(mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.finish()
    }

    fn finish(mut self) -> io::Result<()> {
        self.end_block()?;
        self.close()
    }

    /// Writes the bytes of the block.
    fn end_block(&mut self) -> io::Result<()> {
        if self.blocks.is_none() {
            write!(self.out, "<script type=\"application/octet-stream\" {}>", self.attributes)?;
        }
        self.out.write_all(base64(&self.block).as_bytes())?;
        self.block.clear();
        let blocks = self.blocks.unwrap_or_default().saturating_add(1);
        self.blocks = Some(blocks);
        if blocks < MAX_BLOCKS { Ok(()) } else { self.close() }
    }

    /// Closes the open element, if any.
    fn close(&mut self) -> io::Result<()> {
        if self.blocks.take().is_some() { self.out.write_all(b"</script>\n") } else { Ok(()) }
    }
}

impl Write for DataElements<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(BLOCK.saturating_sub(self.block.len()));
        self.block.extend_from_slice(bytes.get(..count).unwrap_or_default());
        if self.block.len() == BLOCK {
            self.end_block()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns bytes as a URL that contains them.
pub fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", base64(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::tests::decode_base64;
    use super::*;

    #[test]
    #[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
    fn elements_together_have_all_bytes() {
        for size in [0, 1, BLOCK - 1, BLOCK, BLOCK * MAX_BLOCKS + 2] {
            let bytes: Vec<u8> = (0..=255).cycle().take(size).collect();
            let mut text = Vec::new();
            DataElements::new(&mut text, "class=\"x\"").whole(&bytes).unwrap();
            let text = String::from_utf8(text).unwrap();
            let start = "<script type=\"application/octet-stream\" class=\"x\">";
            let mut read = Vec::new();
            for element in text.split_terminator("</script>\n") {
                read.extend(decode_base64(element.strip_prefix(start).unwrap()));
            }
            assert!(read == bytes, "{size} bytes");
        }
    }
}
