//! The layout of vertices in memory: which attributes a vertex has, in which formats, and where.

use super::vertex_format::VertexFormat;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// The greatest number of bytes between two vertices: the limit of WebGPU and of most other APIs.
const MAX_STRIDE: u32 = 2048;

/// The meaning of a vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Semantic {
    /// The position: x, y, z. A fourth component is 1.
    Position,
    /// The normal: x, y, z, of unit length. A fourth component is 0.
    Normal,
    /// The normal as two numbers of -1 to 1: the octahedral mapping.
    ///
    /// The normal is divided by the sum of the absolute values of its components. If the quotient
    /// has a negative z, its x and y become `(1 - |y|) * sign(x)` and `(1 - |x|) * sign(y)`, where
    /// the sign of 0 is 1.
    OctahedralNormal,
    /// The tangent: x, y, z, of unit length, and a sign: the bitangent is
    /// `sign * cross(normal, tangent)`.
    Tangent,
    /// The texture coordinates of a UV set, counted from 0.
    Uv(u32),
    /// The colour: red, green, blue, alpha.
    Color,
    /// The numbers of the four bones with the greatest weights.
    Joints,
    /// The weights of the four bones of [`Joints`](Self::Joints), in the same order. Their sum is
    /// 1.
    Weights,
}

impl Semantic {
    /// Returns the name that errors contain.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::OctahedralNormal => "octahedral normal",
            Self::Tangent => "tangent",
            Self::Uv(_) => "uv",
            Self::Color => "color",
            Self::Joints => "joints",
            Self::Weights => "weights",
        }
    }

    /// Returns whether the writer can store this attribute in `format`.
    pub(super) const fn fits(self, format: VertexFormat) -> bool {
        use VertexFormat as F;

        match self {
            Self::Position => matches!(format, F::Float32x3 | F::Float32x4 | F::Float16x4),
            Self::Normal => {
                matches!(format, F::Float32x3 | F::Float32x4 | F::Float16x4 | F::Snorm8x4 | F::Snorm16x4)
            }
            Self::OctahedralNormal => matches!(format, F::Float32x2 | F::Float16x2 | F::Snorm8x2 | F::Snorm16x2),
            Self::Tangent => matches!(format, F::Float32x4 | F::Float16x4 | F::Snorm8x4 | F::Snorm16x4),
            Self::Uv(_) => {
                matches!(format, F::Float32x2 | F::Float16x2 | F::Unorm8x2 | F::Unorm16x2 | F::Snorm8x2 | F::Snorm16x2)
            }
            Self::Color => {
                matches!(format, F::Float32x4 | F::Float16x4 | F::Unorm8x4 | F::Unorm16x4)
            }
            Self::Joints => matches!(format, F::Uint8x4 | F::Uint16x4),
            Self::Weights => matches!(format, F::Float32x4 | F::Unorm8x4 | F::Unorm16x4),
        }
    }
}

/// One attribute of a vertex: its meaning, its format and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexAttribute {
    semantic: Semantic,
    format: VertexFormat,
    offset: u32,
}

impl VertexAttribute {
    /// Makes an attribute at `offset` bytes from the start of the vertex.
    #[must_use]
    pub const fn new(semantic: Semantic, format: VertexFormat, offset: u32) -> Self {
        Self { semantic, format, offset }
    }

    /// Returns the meaning of the attribute.
    #[must_use]
    pub const fn semantic(&self) -> Semantic {
        self.semantic
    }

    /// Returns the format of the attribute.
    #[must_use]
    pub const fn format(&self) -> VertexFormat {
        self.format
    }

    /// Returns the offset of the attribute from the start of the vertex, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    const fn end(&self) -> u32 {
        self.offset.saturating_add(self.format.size())
    }
}

/// The layout of vertices in memory: the attributes of a vertex, and the distance of two vertices.
///
/// Planar output, with one array for each attribute, is one layout of one attribute for each
/// array.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
///
/// let layout = VertexLayout::packed(&[
///     (Semantic::Position, VertexFormat::Float32x3),
///     (Semantic::Normal, VertexFormat::Snorm8x4),
///     (Semantic::Uv(0), VertexFormat::Float16x2),
/// ])?;
/// assert_eq!(layout.stride(), 20);
/// assert_eq!(layout.attributes()[2].offset(), 16);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexLayout {
    stride: u32,
    attributes: Vec<VertexAttribute>,
}

impl VertexLayout {
    /// Makes the layout of vertices that are `stride` bytes apart.
    ///
    /// The bytes of a vertex that belong to no attribute are written as zeros.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if the stride is not 1 to 2048, or if an attribute ends
    /// beyond the stride, overlaps another, repeats the meaning of another, or has a format that
    /// cannot hold its meaning. The error names the attribute, its offset and the allowed values.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn new(stride: u32, attributes: impl Into<Vec<VertexAttribute>>) -> Result<Self> {
        let attributes = attributes.into();
        if !(1..=MAX_STRIDE).contains(&stride) {
            let kind = refused(format!("a stride of 1 to {MAX_STRIDE} bytes"), format!("{stride} bytes"));
            return Err(Error::without_offset("vertex layout", Field::new("stride"), kind));
        }
        for (number, attribute) in attributes.iter().enumerate() {
            check(attribute, stride, attributes.get(..number).unwrap_or_default())
                .map_err(|kind| fault(number, attribute.semantic, kind))?;
        }
        Ok(Self { stride, attributes })
    }

    /// Makes the layout of attributes that follow each other without gaps. The stride is the sum of
    /// their sizes, rounded up to a multiple of 4 bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new).
    pub fn packed(attributes: &[(Semantic, VertexFormat)]) -> Result<Self> {
        let mut end = 0_u32;
        let place = |(semantic, format): &(Semantic, VertexFormat)| {
            let offset = end;
            end = end.saturating_add(format.size());
            VertexAttribute::new(*semantic, *format, offset)
        };
        let attributes: Vec<_> = attributes.iter().map(place).collect();
        Self::new(end.checked_next_multiple_of(4).unwrap_or(end), attributes)
    }

    /// Returns the distance from the start of a vertex to the start of the next, in bytes.
    #[must_use]
    pub const fn stride(&self) -> u32 {
        self.stride
    }

    /// Returns the attributes of a vertex, in the order in which they were given.
    #[must_use]
    pub const fn attributes(&self) -> &[VertexAttribute] {
        self.attributes.as_slice()
    }
}

/// Checks an attribute against the stride and the attributes before it.
fn check(attribute: &VertexAttribute, stride: u32, before: &[VertexAttribute]) -> Result<(), Cause> {
    let VertexAttribute { semantic, format, offset } = *attribute;
    let found = || format!("{} at offset {offset}", format.wgpu_name());
    if !semantic.fits(format) {
        let formats = VertexFormat::names(|format| semantic.fits(format));
        return Err(refused(format!("one of the formats {formats}"), found()));
    }
    if attribute.end() > stride {
        let most = stride.checked_sub(format.size());
        let expected = most.map_or_else(
            || format!("a stride of at least {} bytes", format.size()),
            |most| format!("an offset of at most {most} for a stride of {stride} bytes"),
        );
        return Err(refused(expected, found()));
    }
    if let Some(other) = before.iter().find(|other| other.semantic == semantic) {
        let expected = format!("each meaning once, which the attribute at offset {} has", other.offset);
        return Err(refused(expected, found()));
    }
    let overlaps = |other: &&VertexAttribute| other.offset < attribute.end() && offset < other.end();
    if let Some(other) = before.iter().find(overlaps) {
        let [from, to] = [other.offset, other.end()];
        let expected =
            format!("an attribute outside the bytes {from} to {to}, which are the {}", other.semantic.name());
        return Err(refused(expected, found()));
    }
    Ok(())
}

fn refused(expected: String, found: String) -> Cause {
    Cause::Refused { expected: expected.into(), found: found.into() }
}

/// Returns an error about attribute `number` of a layout.
fn fault(number: usize, semantic: Semantic, kind: Cause) -> Error {
    Error::without_offset("vertex layout", Field::new(semantic.name()).in_list("attribute", as_u64(number)), kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_layouts_that_cannot_be_written() {
        use Semantic::{Color, Normal, Position, Uv};
        use VertexFormat::{Float16x2, Float32x3, Snorm8x4, Unorm8x4};
        let message = |stride, attributes: &[(Semantic, VertexFormat, u32)]| {
            let attributes: Vec<_> =
                attributes.iter().map(|(semantic, format, at)| VertexAttribute::new(*semantic, *format, *at)).collect();
            VertexLayout::new(stride, attributes).map_err(|error| error.to_string()).err().unwrap_or_default()
        };
        let position = (Position, Float32x3, 0);
        for (stride, attributes, expected) in [
            (16, vec![position, (Normal, Snorm8x4, 12)], ""),
            (0, vec![], "stride: expected a stride of 1 to 2048 bytes, found 0 bytes"),
            (2049, vec![position], "found 2049 bytes"),
            (11, vec![position], "attribute[0].position: expected a stride of at least 12 bytes"),
            (20, vec![position, (Uv(1), Float16x2, 17)], "attribute[1].uv: expected an offset of at most 16"),
            (2048, vec![(Position, Float32x3, u32::MAX)], "found float32x3 at offset 4294967295"),
            (16, vec![position, (Color, Unorm8x4, 11)], "outside the bytes 0 to 12, which are the position"),
            (16, vec![(Color, Unorm8x4, 11), (Normal, Snorm8x4, 8)], "outside the bytes 11 to 15"),
            (40, vec![position, (Position, Float32x3, 20)], "each meaning once"),
            (16, vec![(Uv(0), Float16x2, 0), (Uv(1), Float16x2, 4)], ""),
            (16, vec![(Normal, Unorm8x4, 0)], "one of the formats float32x3, float32x4, float16x4, snorm8x4"),
        ] {
            let message = message(stride, &attributes);
            assert!(message.contains(expected) && expected.is_empty() == message.is_empty(), "{message}");
        }
        let packed = VertexLayout::packed(&[(Uv(0), VertexFormat::Unorm8x2), (Normal, Snorm8x4)]).unwrap();
        assert_eq!((packed.stride(), packed.attributes()[1].offset()), (8, 2));
        assert!(VertexLayout::packed(&[]).is_err() && VertexLayout::packed(&[(Position, Float32x3); 171]).is_err());
    }

    #[test]
    fn formats_have_names() {
        let names = VertexFormat::names(|_| true);
        for name in names.split(", ") {
            let format: VertexFormat = name.parse().unwrap();
            assert_eq!(format.wgpu_name(), name);
            assert!(format.vulkan_name().starts_with("VK_FORMAT_R"));
            let (bits, count) = name.trim_start_matches(char::is_alphabetic).split_once('x').unwrap_or(("32", "1"));
            let bits: u32 = bits.parse().unwrap();
            assert_eq!(format.size(), bits / 8 * count.parse::<u32>().unwrap(), "{name}");
            assert_eq!(format.vulkan_name().matches(&bits.to_string()).count(), count.parse::<usize>().unwrap());
        }
        let message = "snorm8x3".parse::<VertexFormat>().unwrap_err().to_string();
        assert!(message.contains("float32x3") && message.contains("snorm8x3"), "{message}");
    }
}
