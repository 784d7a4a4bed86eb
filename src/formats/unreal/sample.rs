//! Generates Unreal meshes: an animated cloth in the wind, with many vertex frames.

use std::io::Write as _;

use zerocopy::IntoBytes as _;
use zerocopy::little_endian::U32;

use super::layout::{RawAnivHeader, RawDataHeader, RawPolygon, UNUSED};
use crate::decode::packed32;
use crate::error::Result;
use crate::formats::samples::{CreateFile, SampleKind, random};

/// The maximum number of vertices of a generated mesh. With 8,192 vertices, readers that use signed
/// 16-bit integers would compute a negative number of bytes per vertex frame.
const MAX_VERTICES: u64 = 8191;
/// The maximum number of vertex frames of a generated mesh.
const MAX_FRAMES: u64 = 65_535;
/// The total size of the two files of the largest generated mesh, in bytes.
const MAX_BYTES: u64 = MAX_VERTICES * 4 * MAX_FRAMES + MAX_VERTICES * 2 * 16;
/// The maximum number of different vertex frames of a generated mesh. A generated mesh with more
/// than 64 vertex frames repeats its first 64 vertex frames.
const MOMENTS: u16 = 64;
/// The number of vertices in a row of the cloth.
const ROW: u16 = 91;
/// The number of consecutive polygons of a generated mesh that have the same texture index.
const TEXTURE_POLYGONS: u16 = 4096;

/// The type of Unreal meshes that is generated.
pub(in crate::formats) static KIND: SampleKind = SampleKind {
    id: "unreal",
    help: "Classic Unreal vertex mesh with many frames",
    growth: 5,
    max_size: Some((MAX_BYTES, "65,535 frames of 8,191 vertices, which all readers accept")),
    write: |size, create| PairPlan::of(size).write(create),
    asset: None,
};

/// The numbers of vertices, vertex frames and polygons of a generated mesh.
#[derive(Clone, Copy, Debug)]
struct PairPlan {
    vertices: u16,
    polygons: u16,
    frames: u16,
}

impl PairPlan {
    /// Returns the numbers of vertices, vertex frames and polygons for a mesh whose two files have
    /// about `size` bytes in total.
    fn of(size: u64) -> Self {
        let vertices = (size / 120).clamp(16, MAX_VERTICES);
        let polygons = vertices.saturating_mul(2);
        let left = size.saturating_sub(polygons.saturating_mul(16));
        let frames = left.checked_div(vertices.saturating_mul(4)).unwrap_or_default().clamp(1, MAX_FRAMES);
        let [vertices, polygons, frames] =
            [vertices, polygons, frames].map(|count| u16::try_from(count).unwrap_or(u16::MAX));
        Self { vertices, polygons, frames }
    }

    /// Writes the data file and the aniv file.
    fn write(self, create: CreateFile<'_>) -> Result<()> {
        let mut out = create("d.3d")?;
        let [polygons, vertices] = [self.polygons, self.vertices].map(Into::into);
        out.write_all(RawDataHeader { polygons, vertices, unused: [0; UNUSED] }.as_bytes())?;
        (0..self.polygons).try_for_each(|number| out.write_all(self.polygon(number).as_bytes()))?;
        out.flush()?;
        let frame = |number: u16| -> Vec<U32> {
            let vertices = 0..self.vertices;
            vertices.map(|vertex| packed32::encode(position(vertex, number)).unwrap_or_default()).collect()
        };
        let moments: Vec<_> = (0..self.frames.min(MOMENTS)).map(frame).collect();
        let frame_size = self.vertices.saturating_mul(4).into();
        let mut out = create("a.3d")?;
        out.write_all(RawAnivHeader { frames: self.frames.into(), frame_size }.as_bytes())?;
        for frame in moments.iter().cycle().take(self.frames.into()) {
            out.write_all(frame.as_bytes())?;
        }
        Ok(out.flush()?)
    }

    /// Returns a triangle of two adjacent vertices and one vertex of the next row. Vertex indices
    /// wrap around to 0 after the last vertex.
    fn polygon(self, number: u16) -> RawPolygon {
        let [first, second, third, fourth] = random(number.into()).to_le_bytes();
        let vertex = |step: u16| number.wrapping_add(step).checked_rem(self.vertices).unwrap_or_default();
        RawPolygon {
            vertices: [0, 1, ROW].map(|step| vertex(step).into()),
            uvs: [[first, second], [second, third], [third, fourth]],
            texture: u8::try_from(number / TEXTURE_POLYGONS).unwrap_or_default(),
            ..RawPolygon::EMPTY
        }
    }
}

fn position(vertex: u16, frame: u16) -> [i16; 3] {
    let (x, y, time) = (f32::from(vertex % ROW), f32::from(vertex / ROW), f32::from(frame));
    let wind = (x * 0.2 + time * 0.05).sin() * (y * 0.1 + time * 0.03).cos();
    [x * 22.0 - 1000.0 + wind * 20.0, y * 22.0 - 1000.0 + wind * 20.0, wind * 500.0].map(whole)
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "far within the range")]
fn whole(value: f32) -> i16 {
    value as i16
}
