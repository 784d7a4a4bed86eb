//! Formats of vertex attributes in memory that a GPU reads, and the octahedral mapping of unit
//! vectors to two numbers.

use std::str::FromStr;

use crate::error::{Cause, Error, Field, Result};
use crate::simd::kernel;

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
