//! Builds the two files of an Unreal mesh, without the writer of the crate.

use std::io::{Result, Write};

use zerocopy::IntoBytes;

use meshpeek::decode::{packed32, packed64};
use meshpeek::unreal::layout::{RawAnivHeader, RawDataHeader, UNUSED};
use meshpeek::unreal::{RawPolygon, Variant};

/// A new mesh with vertex animation, which can be written as an Unreal data file and aniv file. Its
/// vertex positions are the integers that the aniv file stores.
///
/// A mesh can have at most 65,535 polygons, 65,535 animation frames, and 16,383 classic, 16,381
/// prototype or 8,191 Deus Ex vertices. Each vertex index must be below `vertices`, each animation
/// frame must have `vertices` positions in the range of the vertex format, and a mesh in the
/// prototype format must not have exactly two vertices. The methods of `Mesh` do not check this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// The storage format of the vertices.
    pub variant: Variant,
    /// The number of vertices of each animation frame.
    pub vertices: u32,
    /// The triangles of the mesh.
    pub polygons: Vec<RawPolygon>,
    /// For each animation frame, the x, y and z of every vertex, as the integers that the aniv file
    /// stores.
    pub frames: Vec<Vec<[i16; 3]>>,
    /// The 44 unused bytes in the header of the data file, which are written without change.
    pub unused: [u8; UNUSED],
}

impl Mesh {
    /// Makes a mesh with the given number of vertices, without polygons and animation frames.
    pub const fn new(variant: Variant, vertices: u32) -> Self {
        Self { variant, vertices, polygons: Vec::new(), frames: Vec::new(), unused: [0; UNUSED] }
    }

    /// Returns the bytes of the data file.
    pub fn data_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_data(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the bytes of the aniv file.
    pub fn aniv_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_aniv(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the data file to `out`.
    pub fn write_data(&self, mut out: impl Write) -> Result<()> {
        let header = RawDataHeader {
            polygons: narrow(self.polygons.len()).into(),
            vertices: u16::try_from(self.vertices).unwrap_or(u16::MAX).into(),
            unused: self.unused,
        };
        let mut put = |bytes: &[u8]| out.write_all(bytes);
        put(header.as_bytes())?;
        put(self.polygons.as_bytes())?;
        out.flush()
    }

    /// Writes the aniv file to `out`.
    ///
    /// `write_aniv` makes one write call per vertex, so `out` should be a
    /// [`BufWriter`](std::io::BufWriter) or memory.
    pub fn write_aniv(&self, mut out: impl Write) -> Result<()> {
        let size = self.variant.frame_size(self.vertices);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let header = RawAnivHeader { frames: narrow(self.frames.len()).into(), frame_size: narrow(size).into() };
        let mut put = |bytes: &[u8]| out.write_all(bytes);
        put(header.as_bytes())?;
        for frame in &self.frames {
            let extremes = if self.variant == Variant::Prototype { extremes(frame) } else { vec![] };
            for vertex in frame.iter().chain(&extremes) {
                match self.variant {
                    Variant::Classic | Variant::Prototype => {
                        put(packed32::encode(*vertex).unwrap_or_default().as_bytes())?;
                    }
                    Variant::DeusEx => put(packed64::encode(*vertex).as_bytes())?,
                }
            }
        }
        out.flush()
    }
}

/// Returns the minimum and maximum corners of the bounding box of an animation frame. In the
/// prototype format, an animation frame stores the minimum and maximum corners after its vertices.
fn extremes(frame: &[[i16; 3]]) -> Vec<[i16; 3]> {
    let Some(first) = frame.first() else { return vec![[0; 3]; 2] };
    let corner = |pick: fn(i16, i16) -> i16| {
        frame.iter().fold(*first, |[x, y, z], [nx, ny, nz]| [pick(x, *nx), pick(y, *ny), pick(z, *nz)])
    };
    vec![corner(i16::min), corner(i16::max)]
}

/// Converts a length of at most 65,535 to a 16-bit count. Greater lengths become 65,535.
fn narrow(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}
