//! UNIGINE files that are built field by field, for files that the builder refuses to write.

use meshpeek::unigine::Generation;

/// A file under construction, field by field.
#[derive(Clone, Debug, Default)]
pub struct RawFile(pub Vec<u8>);

impl RawFile {
    /// Starts a file with its magic and bounds.
    pub fn new(generation: Generation) -> Self {
        Self::default().put(generation.magic().as_bytes()).bounds()
    }

    pub fn put(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub fn count(self, count: i32) -> Self {
        self.put(&compact(count))
    }

    pub fn text(self, name: &[u8]) -> Self {
        self.count(i32::try_from(name.len()).unwrap() + 1).put(name).put(&[0])
    }

    /// Adds bounds around nothing, as the engine stores them.
    pub fn bounds(self) -> Self {
        let floats = [1e9, 1e9, 1e9, -1e9, -1e9, -1e9, 0.0, 0.0, 0.0, -1.0_f32];
        self.put(&floats.map(f32::to_le_bytes).concat())
    }

    /// Adds a bone transform that does nothing.
    pub fn transform(self) -> Self {
        let floats = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0_f32];
        self.put(&floats.map(f32::to_le_bytes).concat())
    }

    /// Repeats what `one` appends.
    pub fn times(mut self, times: i32, one: impl Fn(Self, i32) -> Self) -> Self {
        for number in 0..times {
            self = one(self, number);
        }
        self
    }
}

/// Encodes a compact int as the engine does.
pub fn compact(value: i32) -> Vec<u8> {
    let (bytes, length) = meshpeek::decode::compact::encode(value);
    bytes[..length].to_vec()
}

/// Encodes a compact int in `length` bytes, which must be enough for it.
pub fn long_compact(value: i32, length: usize) -> Vec<u8> {
    let mut magnitude = value.unsigned_abs();
    let mut bytes = Vec::new();
    for position in 0..length {
        let bits = if position == 0 { 6 } else { 7 };
        let low = u8::try_from(magnitude & ((1 << bits) - 1)).unwrap();
        let sign = if position == 0 && value < 0 { 0x40 } else { 0 };
        bytes.push(low | sign | if position + 1 < length { 0x80 } else { 0 });
        magnitude >>= bits;
    }
    assert_eq!(magnitude, 0, "{value} does not fit in {length} bytes");
    bytes
}
