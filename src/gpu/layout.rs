//! The layout of vertices in memory: which attributes a vertex has, in which formats, and where.
//! Also the octahedral mapping of unit vectors to two numbers.

use std::str::FromStr;

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::simd::kernel;

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

/// Declares the formats: the variant, its names in WebGPU and in Vulkan, and its size in bytes.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident, $wgpu:literal, $vulkan:literal, $size:literal;)+) => {
        /// The format of a vertex attribute in memory: the type and the number of its components.
        ///
        /// The variants have the names of the formats of WebGPU. Components of more than one byte
        /// are little-endian.
        ///
        /// ```
        /// use meshpeek::gpu::VertexFormat;
        /// # fn main() -> meshpeek::Result<()> {
        /// let format: VertexFormat = "snorm8x4".parse()?;
        /// assert_eq!((format, format.size()), (VertexFormat::Snorm8x4, 4));
        /// assert_eq!(format.vulkan_name(), "VK_FORMAT_R8G8B8A8_SNORM");
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum VertexFormat {
            $($(#[$doc])* $variant,)+
        }

        impl VertexFormat {
            /// All formats.
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the size of the attribute in bytes.
            #[must_use]
            pub const fn size(self) -> u32 {
                match self { $(Self::$variant => $size,)+ }
            }

            /// Returns the name of the format in WebGPU (`GPUVertexFormat`), such as `snorm8x4`.
            #[must_use]
            pub const fn wgpu_name(self) -> &'static str {
                match self { $(Self::$variant => $wgpu,)+ }
            }

            /// Returns the name of the format in Vulkan (`VkFormat`), such as
            /// `VK_FORMAT_R8G8B8A8_SNORM`.
            #[must_use]
            pub const fn vulkan_name(self) -> &'static str {
                match self { $(Self::$variant => $vulkan,)+ }
            }
        }
    };
}

formats! {
    /// One float.
    Float32, "float32", "VK_FORMAT_R32_SFLOAT", 4;
    /// Two floats.
    Float32x2, "float32x2", "VK_FORMAT_R32G32_SFLOAT", 8;
    /// Three floats.
    Float32x3, "float32x3", "VK_FORMAT_R32G32B32_SFLOAT", 12;
    /// Four floats.
    Float32x4, "float32x4", "VK_FORMAT_R32G32B32A32_SFLOAT", 16;
    /// Two half floats.
    Float16x2, "float16x2", "VK_FORMAT_R16G16_SFLOAT", 4;
    /// Four half floats.
    Float16x4, "float16x4", "VK_FORMAT_R16G16B16A16_SFLOAT", 8;
    /// Two unsigned bytes, which represent 0 to 1.
    Unorm8x2, "unorm8x2", "VK_FORMAT_R8G8_UNORM", 2;
    /// Four unsigned bytes, which represent 0 to 1.
    Unorm8x4, "unorm8x4", "VK_FORMAT_R8G8B8A8_UNORM", 4;
    /// Two signed bytes, which represent -1 to 1.
    Snorm8x2, "snorm8x2", "VK_FORMAT_R8G8_SNORM", 2;
    /// Four signed bytes, which represent -1 to 1.
    Snorm8x4, "snorm8x4", "VK_FORMAT_R8G8B8A8_SNORM", 4;
    /// Two unsigned 16-bit integers, which represent 0 to 1.
    Unorm16x2, "unorm16x2", "VK_FORMAT_R16G16_UNORM", 4;
    /// Four unsigned 16-bit integers, which represent 0 to 1.
    Unorm16x4, "unorm16x4", "VK_FORMAT_R16G16B16A16_UNORM", 8;
    /// Two signed 16-bit integers, which represent -1 to 1.
    Snorm16x2, "snorm16x2", "VK_FORMAT_R16G16_SNORM", 4;
    /// Four signed 16-bit integers, which represent -1 to 1.
    Snorm16x4, "snorm16x4", "VK_FORMAT_R16G16B16A16_SNORM", 8;
    /// Four bytes, which a shader reads as integers.
    Uint8x4, "uint8x4", "VK_FORMAT_R8G8B8A8_UINT", 4;
    /// Two unsigned 16-bit integers, which a shader reads as integers.
    Uint16x2, "uint16x2", "VK_FORMAT_R16G16_UINT", 4;
    /// Four unsigned 16-bit integers, which a shader reads as integers.
    Uint16x4, "uint16x4", "VK_FORMAT_R16G16B16A16_UINT", 8;
    /// One unsigned 32-bit integer.
    Uint32, "uint32", "VK_FORMAT_R32_UINT", 4;
}

impl VertexFormat {
    /// Returns the names of the formats in WebGPU for which `is_listed` returns true, as a list.
    pub(super) fn names(is_listed: impl Fn(Self) -> bool) -> String {
        let names: Vec<&str> =
            Self::ALL.iter().filter(|format| is_listed(**format)).map(|one| one.wgpu_name()).collect();
        names.join(", ")
    }
}

impl FromStr for VertexFormat {
    type Err = Error;

    /// Returns the format with a name of WebGPU, such as `snorm8x4`, or
    /// [`ErrorKind::Choice`](crate::ErrorKind::Choice) if there is no such format.
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|format| format.wgpu_name() == name).ok_or_else(|| {
            let kind = Cause::Choice { names: Self::names(|_| true), found: name.to_owned().into() };
            Error::without_offset("vertex layout", Field::new("format"), kind)
        })
    }
}

kernel! {
    /// Maps normals to points of the square from -1, -1 to 1, 1.
    pub(super) fn encode_octahedral(normals: &[[f32; 3]], out: &mut [[f32; 2]]) {
        for (out, normal) in out.iter_mut().zip(normals) {
            *out = octahedral_point(*normal);
        }
    }
}

/// Maps a normal of any length to a point of the square. A normal without length, or with a
/// component that is not finite, becomes 0, 0, which is the direction 0, 0, 1.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loop must be compiled for the instructions of the kernel")]
fn octahedral_point([x, y, z]: [f32; 3]) -> [f32; 2] {
    let sum = x.abs() + y.abs() + z.abs();
    let has_direction = sum > 0.0 && sum < f32::INFINITY;
    let flat = [x, y].map(|part| if has_direction { part / sum } else { 0.0 });
    if z < 0.0 && has_direction { fold(flat) } else { flat }
}

/// Maps a point of the upper half of the octahedron to the point of the lower half above or below
/// it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loop must be compiled for the instructions of the kernel")]
fn fold([u, v]: [f32; 2]) -> [f32; 2] {
    let sign = |part: f32| if part < 0.0 { -1.0 } else { 1.0 };
    [(1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v)]
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
