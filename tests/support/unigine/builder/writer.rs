//! Appends the fields of UNIGINE files to bytes.

use meshpeek::decode::{OffsetScale16, compact};
use meshpeek::unigine::layout::RawBounds;
use meshpeek::unigine::{Coding, Generation, Storage};
use zerocopy::IntoBytes as _;
use zerocopy::little_endian::I16;

/// The lightmap bytes of nearly every surface in real files.
const DEFAULT_LIGHTMAP: [u8; 2] = [1, 3];

/// The bytes of a file, with its magic number.
pub struct Writer {
    magic: &'static str,
    pub bytes: Vec<u8>,
}

impl Writer {
    pub const fn new(magic: &'static str) -> Self {
        Self { magic, bytes: Vec::new() }
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub fn magic(&mut self) {
        self.put(self.magic.as_bytes());
    }

    /// Writes a count as a compact int, in the shortest encoding.
    pub fn count(&mut self, count: u32) {
        let (bytes, length) = compact::encode(i32::try_from(count).unwrap_or(i32::MAX));
        self.put(bytes.get(..length).unwrap_or_default());
    }

    pub fn length(&mut self, length: usize) {
        self.count(u32::try_from(length).unwrap_or(u32::MAX));
    }

    pub fn text(&mut self, name: &[u8]) {
        self.length(name.len().saturating_add(1));
        self.put(name);
        self.put(&[0]);
    }

    /// Writes a count as a 32-bit integer.
    pub fn length_32(&mut self, length: usize) {
        self.put(&i32::try_from(length).unwrap_or(i32::MAX).to_le_bytes());
    }

    pub fn text_32(&mut self, name: &[u8]) {
        self.length_32(name.len().saturating_add(1));
        self.put(name);
        self.put(&[0]);
    }

    pub fn lightmap(&mut self, generation: Generation, lightmap: Option<[u8; 2]>) {
        if generation.has_lightmap() {
            self.put(&lightmap.unwrap_or(DEFAULT_LIGHTMAP));
        }
    }

    /// Writes the header entry of a target: its name (not in ms15) and its number of positions
    /// (only in ms14 and ms15).
    pub fn target(&mut self, generation: Generation, name: &[u8], positions: Option<u32>) {
        if generation.has_targets() {
            self.text(name);
        }
        if let Some(positions) = positions {
            self.count(positions);
        }
    }

    pub fn bounds(&mut self, bounds: RawBounds) {
        self.put(bounds.as_bytes());
    }

    /// Writes an index in one, two or four bytes, depending on the number of items that it may
    /// refer to.
    pub fn index(&mut self, index: u32, items: usize) {
        match (items, u8::try_from(index), u16::try_from(index)) {
            (..=0xff, Ok(index), _) => self.put(&[index]),
            (..=0xffff, _, Ok(index)) => self.put(&index.to_le_bytes()),
            _ => self.put(&index.to_le_bytes()),
        }
    }

    /// Writes the fields of an animation before its frames. The flags byte is written only if
    /// `flags` is not `None`.
    pub fn animation_head(&mut self, bones: &[I16], coding: &Coding, flags: Option<u8>) {
        self.length(bones.len());
        self.put(bones.as_bytes());
        if let Coding::Quantized(boxes) = coding {
            for OffsetScale16 { min, size } in boxes {
                min.iter().chain(size).for_each(|value| self.put(&value.to_le_bytes()));
            }
        }
        self.put(flags.as_slice());
    }

    /// Writes a block with this content. The content is compressed if that makes it shorter, unless
    /// `storage` is [`Storage::Raw`].
    pub fn block(&mut self, content: &[u8], storage: Storage) {
        let compressed = (storage != Storage::Raw).then(|| lz4_flex::block::compress(content));
        let stored = compressed.as_deref().filter(|stored| stored.len() < content.len()).unwrap_or(content);
        self.put(&as_u64(content.len()).to_le_bytes());
        self.put(&as_u64(stored.len()).to_le_bytes());
        self.put(stored);
    }
}

pub fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
