//! Meshes of any size that `bench` generates, with the writers of the crate.
//!
//! For a large generated file, one mesh element or surface is built in memory, and its bytes are
//! written repeatedly. The generated file has the same bytes as if all its meshes or surfaces had
//! been built in memory.

use std::io::{self, Write};
use std::iter;

use crate::decode::Influence;
use crate::error::Result;

/// The number of columns of quads between two texture seams.
const CHART: u16 = 4;

/// Creates a file of a generated mesh, whose name ends with the given text.
pub(crate) type CreateFile<'c> = &'c mut dyn FnMut(&str) -> io::Result<Box<dyn Write>>;

/// Writes a small asset of about the given number of bytes.
pub(crate) type WriteAsset = fn(u64, &mut dyn Write) -> Result<()>;

/// A type of mesh that `bench` can generate. Each format describes its own types.
#[derive(Debug)]
pub(crate) struct SampleKind {
    /// The name of the type on the command line and in JSON, such as `unreal`.
    pub(crate) id: &'static str,
    pub(crate) help: &'static str,
    /// The memory that a copying loader needs while it loads a mesh of this type, as a multiple of
    /// the file size. The memory was measured with generated meshes of 100 MB, and its quotient by
    /// the file size was rounded up to an integer.
    pub(crate) growth: u64,
    /// The approximate maximum size of a generated mesh in bytes, and the reason for this maximum.
    /// `None` if generated meshes may have any size.
    pub(crate) max_size: Option<(u64, &'static str)>,
    /// Writes a mesh of about the given number of bytes. The first file that is created is the one
    /// by which the mesh is opened.
    pub(crate) write: fn(u64, CreateFile<'_>) -> Result<()>,
    /// For a format of small assets with levels of detail: the extension of an asset, and a
    /// function that writes one.
    pub(crate) asset: Option<(&'static str, WriteAsset)>,
}

/// A square height field with `side` quads on each side. The methods for texture seams expect a
/// multiple of four.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct HeightField {
    side: u16,
    /// The seed of the pseudo-random offsets that are added to the positions.
    seed: u32,
}

impl HeightField {
    /// Returns a height field of about `quads` quads. Each side of the height field has at least
    /// four and at most `most` quads.
    pub(in crate::formats) fn of_quads(quads: u64, most: u16) -> Self {
        let side = u16::try_from(quads.isqrt()).unwrap_or(u16::MAX).min(most);
        Self { side: (side / CHART).max(1).saturating_mul(CHART), seed: 0 }
    }

    /// Returns a height field with `side` quads on each side, at least one.
    pub(in crate::formats) fn of_side(side: u16) -> Self {
        Self { side: side.max(1), seed: 0 }
    }

    /// Returns a copy of this height field in which `seed` determines the pseudo-random offsets of
    /// the positions.
    pub(in crate::formats) const fn with_seed(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    pub(in crate::formats) fn vertex_count(self) -> u32 {
        let along = u32::from(self.side).saturating_add(1);
        along.saturating_mul(along)
    }

    fn steps(self) -> impl Iterator<Item = (u16, u16)> {
        (0..=self.side).flat_map(move |y| (0..=self.side).map(move |x| (x, y)))
    }

    /// Returns the column and the row of each vertex, with a texture seam after every fourth column
    /// of quads. The vertices on a texture seam are returned twice, once for each side of the seam.
    fn seamed(self) -> impl Iterator<Item = (u16, u16)> {
        let columns = move || (0..self.side).flat_map(|x| if x % CHART == 0 { vec![x, x] } else { vec![x] }).skip(1);
        (0..=self.side).flat_map(move |y| columns().chain(iter::once(self.side)).map(move |x| (x, y)))
    }

    fn place(self, (x, y): (u16, u16)) -> [f32; 2] {
        [x, y].map(|step| f32::from(step) / f32::from(self.side) - 0.5)
    }

    fn position(self, step: (u16, u16)) -> [f32; 3] {
        let [x, y] = self.place(step);
        let [right, down, up, _] =
            random(random(self.seed) ^ u32::from(step.0) << 16 ^ u32::from(step.1)).to_le_bytes().map(f32::from);
        // The pseudo-random offset is less than the distance between two adjacent vertices.
        let uneven = 0.002 / f32::from(self.side);
        let inside = |value: f32| value.clamp(-0.5, 0.5);
        [inside(x + right * uneven), inside(y + down * uneven), (x * 9.0).sin() * (y * 13.0).cos() * 0.2 + up * uneven]
    }

    fn normal(self, step: (u16, u16)) -> [f32; 3] {
        let [x, y] = self.place(step);
        let right = (x * 9.0).cos() * (y * 13.0).cos() * -1.8;
        let down = (x * 9.0).sin() * (y * 13.0).sin() * 2.6;
        let length = (right * right + down * down + 1.0).sqrt();
        [right / length, down / length, 1.0 / length]
    }

    fn uv(self, step: (u16, u16)) -> [f32; 2] {
        let [x, y] = self.place(step);
        [x + 0.5, 0.5 - y]
    }

    pub(in crate::formats) fn positions(self) -> Vec<[f32; 3]> {
        self.steps().map(|step| self.position(step)).collect()
    }

    pub(in crate::formats) fn normals(self) -> Vec<[f32; 3]> {
        self.steps().map(|step| self.normal(step)).collect()
    }

    pub(in crate::formats) fn uvs(self) -> Vec<[f32; 2]> {
        self.steps().map(|step| self.uv(step)).collect()
    }

    pub(in crate::formats) fn seamed_normals(self) -> Vec<[f32; 3]> {
        self.seamed().map(|step| self.normal(step)).collect()
    }

    pub(in crate::formats) fn seamed_uvs(self) -> Vec<[f32; 2]> {
        self.seamed().map(|step| self.uv(step)).collect()
    }

    /// Returns two triangles for each quad of the height field.
    pub(in crate::formats) fn triangles(self) -> impl Iterator<Item = [u32; 3]> {
        let stride = u32::from(self.side).saturating_add(1);
        self.quads(stride, |x| x)
    }

    /// Returns two triangles for each quad of the height field, as indices of the vertices that
    /// `seamed` returns.
    pub(in crate::formats) fn seamed_triangles(self) -> impl Iterator<Item = [u32; 3]> {
        let charts = u32::from(self.side / CHART);
        let stride = u32::from(self.side).saturating_add(charts);
        self.quads(stride, |x| x.saturating_add(x.checked_div(CHART.into()).unwrap_or_default()))
    }

    fn quads(self, stride: u32, column: impl Fn(u32) -> u32) -> impl Iterator<Item = [u32; 3]> {
        let quads = (0..self.side).flat_map(move |y| (0..self.side).map(move |x| (u32::from(x), u32::from(y))));
        quads.flat_map(move |(x, y)| {
            let at = y.saturating_mul(stride).saturating_add(column(x));
            let below = at.saturating_add(stride);
            let [next, across] = [at, below].map(|at| at.saturating_add(1));
            [[at, next, across], [at, across, below]]
        })
    }
}

/// Returns a pseudo-random number that depends only on `seed`.
pub(in crate::formats) const fn random(seed: u32) -> u32 {
    let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x21f0_aaad);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x735a_2d97);
    mixed ^ (mixed >> 15)
}

/// Returns one to four bone influences with equal weights. The bone indices are less than `bones`
/// and depend only on the vertex index.
pub(in crate::formats) fn influences(vertex: u32, bones: u16) -> Vec<Influence> {
    let random = random(vertex);
    let count = u8::try_from(random % 4).unwrap_or_default().saturating_add(1);
    let bone = |number: u8| (random >> 2).wrapping_add(number.into()).checked_rem(bones.into()).unwrap_or_default();
    let influence =
        |number| Influence { bone: i32::try_from(bone(number)).unwrap_or_default(), weight: 1.0 / f32::from(count) };
    (0..count).map(influence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_vertices_that_its_triangles_use() {
        for quads in [0, 16, 17, 400, 10_000] {
            let field = HeightField::of_quads(quads, 60);
            let most = |triangles: &mut dyn Iterator<Item = [u32; 3]>| triangles.flatten().max().unwrap();
            assert_eq!(most(&mut field.triangles()) + 1, field.vertex_count());
            assert_eq!(field.positions().len(), usize::try_from(field.vertex_count()).unwrap());
            let seamed = field.seamed_uvs().len();
            assert_eq!(usize::try_from(most(&mut field.seamed_triangles())).unwrap() + 1, seamed);
            assert_eq!(seamed, field.seamed_normals().len());
            let (uvs, positions) = (field.seamed_uvs(), field.uvs());
            for (seam, corner) in field.seamed_triangles().flatten().zip(field.triangles().flatten()) {
                let [seam, corner] = [seam, corner].map(|at| usize::try_from(at).unwrap());
                assert!(uvs[seam].map(f32::to_bits) == positions[corner].map(f32::to_bits));
            }
        }
    }
}
