//! Decodes every array of every surface into a separate list, as a loader that copies does. The
//! verb `bench` and the benches compare the crate with it.
//!
//! The arrays are decoded by the bulk decoders of the crate. An array that several surfaces share
//! is decoded once, and an index buffer with the indices 0, 1, 2 and so on is not stored. The
//! loader does no unnecessary work, so its additional cost compared with meshpeek is the cost of
//! copying.
//!
//! The copying loader and the reading loader of `bench` differ in their [`ArraySource`].

use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;
use std::rc::Rc;

use crate::array::rebase::Rebase;
use crate::array::{Array, Bounds, Packed};
use crate::decode::{Floats, Influence, TangentFrame};
use crate::error::Result;
use crate::model::{Geometry, Surface, Weights};
use bytemuck::{NoUninit, cast_slice};
use zerocopy::FromBytes as _;
use zerocopy::little_endian::F32;

/// The way in which a loader gets the values of an array.
pub(crate) trait ArraySource {
    /// Decodes all items of an array.
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>>;

    /// Decodes the influences on all vertices.
    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights>;
}

/// The source of meshpeek and of the copying loader: arrays are decoded from the memory of the
/// model, which is a map or a copy of the file.
pub(crate) struct InMemory;

impl ArraySource for InMemory {
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>> {
        Ok(array.to_vec())
    }

    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights> {
        Ok(FlatWeights::of(weights))
    }
}

/// The bone influences on all vertices of a position array, one vertex after another.
#[derive(Default)]
pub struct FlatWeights {
    /// For each vertex, the index of its first influence in `all`. The last element of `starts` is
    /// the total number of influences.
    pub starts: Vec<u32>,
    /// The influences, one vertex after another.
    pub all: Vec<Influence>,
}

impl FlatWeights {
    /// Decodes the influences on all vertices.
    #[must_use]
    pub fn of(weights: &Weights<'_>) -> Self {
        let mut flat = Self { starts: Vec::with_capacity(weights.len().saturating_add(1)), all: Vec::new() };
        let at = |flat: &Self| u32::try_from(flat.all.len()).unwrap_or(u32::MAX);
        weights.iter().for_each(|influences| {
            flat.starts.push(at(&flat));
            influences.for_each(|one| flat.all.push(one));
        });
        flat.starts.push(at(&flat));
        flat
    }

    /// Returns the influences on a vertex.
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<&[Influence]> {
        let [start, end] =
            self.starts.get(vertex..)?.first_chunk()?.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        self.all.get(start..end)
    }
}

/// The decoded arrays of a mesh.
#[derive(Default)]
pub struct Lists {
    /// The number of vertices in each vertex frame, or 0 for a mesh without vertex frames.
    pub frame_vertices: usize,
    /// The surfaces of the mesh.
    pub surfaces: Vec<SurfaceLists>,
    /// The decoded position arrays of all base shapes and morph targets, each with the bone weights
    /// of its vertices. A position array that several surfaces share is contained once. For a mesh
    /// with vertex frames, the only list has the positions of one vertex frame after another.
    pub shapes: Vec<PositionList>,
}

/// The decoded arrays of a surface.
#[derive(Clone, Default)]
pub struct SurfaceLists {
    /// The decoded arrays of the base shape, followed by the decoded arrays of each morph target.
    /// The positions of a morph target are absolute, and not differences from the base shape.
    pub targets: Vec<TargetLists>,
    /// The bone influences on the vertices.
    pub weights: Option<Rc<FlatWeights>>,
    /// The sets of texture coordinates.
    pub uvs: Vec<Rc<Vec<[f32; 2]>>>,
    /// The colours.
    pub colors: Option<Rc<Vec<[f32; 4]>>>,
    /// The position index of each triangle corner.
    pub indices: Rc<Vec<u32>>,
    /// The attribute index of each triangle corner. `None` means that the attribute indices are
    /// equal to the position indices, or are the numbers 0, 1, 2 and so on.
    pub attribute_indices: Option<Rc<Vec<u32>>>,
}

/// The decoded positions, tangent frames and normals of the base shape or of one morph target of a
/// surface.
#[derive(Clone, Default)]
pub struct TargetLists {
    /// The positions of the base shape or of the morph target. The list is empty in a mesh with
    /// vertex frames, whose base shape is in `Lists::shapes`.
    pub positions: Rc<Vec<[f32; 3]>>,
    /// The tangent frames of the base shape or of the morph target. If the format stores normals
    /// without tangents, `frames` is `None`, and the field `normals` contains the normals.
    pub frames: Option<Rc<Vec<TangentFrame>>>,
    /// The normals, if there are no tangent frames.
    pub normals: Option<Rc<Vec<[f32; 3]>>>,
}

/// The decoded positions of a base shape or of a morph target, and the bone weights of its
/// vertices.
pub struct PositionList {
    /// The positions.
    pub positions: Rc<Vec<[f32; 3]>>,
    /// The bone influences on the vertices.
    pub weights: Option<Rc<FlatWeights>>,
}

/// The identity of an array in a file: its address range, its number of elements, and the byte
/// offset of its first element in the address range.
type ArrayId = (Range<*const u8>, usize, usize);

/// The list that was decoded last for one attribute, such as positions. Keeping one list is
/// sufficient, because surfaces that share an array are adjacent.
struct LastList<T>(Option<(ArrayId, Rc<T>)>);

impl<T> LastList<T> {
    const NONE: Self = Self(None);

    fn list(&mut self, key: ArrayId, decode: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        match &self.0 {
            Some((known, list)) if *known == key => Ok(list.clone()),
            _ => {
                let list = Rc::new(decode()?);
                self.0 = Some((key, list.clone()));
                Ok(list)
            }
        }
    }
}

/// Returns the `ArrayId` of an array in a file.
macro_rules! key {
    ($array:expr) => {
        ($array.as_bytes().as_ptr_range(), $array.len(), $array.byte_offset(0))
    };
}

/// Decodes the surfaces of a mesh one after another, and decodes an array that adjacent surfaces
/// share only once.
pub(crate) struct Loader<S> {
    source: S,
    positions: LastList<Vec<[f32; 3]>>,
    frames: LastList<Vec<TangentFrame>>,
    normals: LastList<Vec<[f32; 3]>>,
    uvs: [LastList<Vec<[f32; 2]>>; 4],
    colors: LastList<Vec<[f32; 4]>>,
    weights: LastList<FlatWeights>,
}

impl<S: ArraySource> Loader<S> {
    pub(crate) const fn new(source: S) -> Self {
        Self {
            source,
            positions: LastList::NONE,
            frames: LastList::NONE,
            normals: LastList::NONE,
            uvs: [LastList::NONE; 4],
            colors: LastList::NONE,
            weights: LastList::NONE,
        }
    }

    /// Decodes the arrays of a surface. The positions are decoded only if `positions` is true.
    pub(crate) fn surface(&mut self, surface: &Surface<'_>, positions: bool) -> Result<SurfaceLists> {
        // The first array inflates a compressed surface, and its counts are cached then.
        let indices = surface.indices()?;
        let counts = surface.counts()?;
        let mut lists = SurfaceLists::default();
        for target in 0..usize::try_from(counts.targets).unwrap_or(usize::MAX) {
            lists.targets.push(self.target(surface, target, positions)?);
        }
        if let Some(weights) = surface.weights()? {
            let base = surface.positions()?;
            lists.weights = Some(self.weights.list(key!(base), || self.source.weights(&weights))?);
        }
        for (set, last) in self.uvs.iter_mut().enumerate() {
            if let Some(uvs) = surface.uvs(set)? {
                lists.uvs.push(last.list(key!(uvs), || self.source.list(&uvs))?);
            }
        }
        if let Some(colors) = surface.colors()? {
            lists.colors = Some(self.colors.list(key!(colors), || self.source.list(&colors))?);
        }
        lists.indices = Rc::new(self.source.list(&indices)?);
        let attributes = surface.second_indices()?;
        if let Some(indices) = attributes
            .filter(|indices| !matches!(indices, crate::model::Indices(crate::model::IndexEncoding::Consecutive(_))))
        {
            lists.attribute_indices = Some(Rc::new(self.source.list(&indices)?));
        }
        Ok(lists)
    }

    fn target(&mut self, surface: &Surface<'_>, target: usize, positions: bool) -> Result<TargetLists> {
        let mut lists = TargetLists::default();
        if positions {
            let positions = surface.target_positions(target)?;
            lists.positions = self.positions.list(key!(positions), || self.source.list(&positions))?;
        }
        if let Some(frames) = surface.target_tangent_frames(target)? {
            lists.frames = Some(self.frames.list(key!(frames), || self.source.list(&frames))?);
        } else if let Some(normals) = surface.target_normals(target)? {
            lists.normals = Some(self.normals.list(key!(normals), || self.source.list(&normals))?);
        }
        Ok(lists)
    }
}

impl Lists {
    /// Decodes all arrays of a mesh from its memory.
    ///
    /// # Errors
    ///
    /// Returns the first error of an array.
    pub fn load(geometry: &dyn Geometry) -> Result<Self> {
        Self::of(geometry, InMemory)
    }

    /// Decodes all arrays of the mesh, which are read from `source`.
    pub(crate) fn of(geometry: &dyn Geometry, source: impl ArraySource) -> Result<Self> {
        let mut lists = Self::default();
        let frames = geometry.vertex_frame_count()?;
        let mut loader = Loader::new(source);
        for surface in geometry.surfaces()? {
            let one = loader.surface(&surface, frames == 0)?;
            for target in one.targets.iter().filter(|_| frames == 0) {
                if lists.shapes.last().is_none_or(|last| !Rc::ptr_eq(&last.positions, &target.positions)) {
                    lists
                        .shapes
                        .push(PositionList { positions: target.positions.clone(), weights: one.weights.clone() });
                }
            }
            lists.surfaces.push(one);
        }
        if let Some(surface) = geometry.surfaces()?.next().filter(|_| frames > 0) {
            lists.frame_vertices = surface.vertex_frame(0)?.len();
            let mut positions = Vec::new();
            match surface.vertex_frames()? {
                Some(all) => positions = loader.source.list(&all)?,
                None => {
                    for frame in 0..frames {
                        positions.append(&mut loader.source.list(&surface.vertex_frame(frame)?)?);
                    }
                }
            }
            lists.shapes.push(PositionList { positions: Rc::new(positions), weights: None });
        }
        Ok(lists)
    }

    /// Returns the positions of a vertex frame, or an empty list if the mesh does not have it.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[[f32; 3]] {
        let start = frame.saturating_mul(self.frame_vertices);
        let positions = self.shapes.first().map(|shape| shape.positions.as_slice()).unwrap_or_default();
        positions.get(start..start.saturating_add(self.frame_vertices)).unwrap_or_default()
    }

    /// Returns the decoded arrays of the first surface that has at least one vertex.
    #[must_use]
    pub fn first(&self) -> Option<&SurfaceLists> {
        let has = |surface: &&SurfaceLists| surface.targets.first().is_some_and(|base| !base.positions.is_empty());
        if self.frame_vertices > 0 { self.surfaces.first() } else { self.surfaces.iter().find(has) }
    }

    /// Returns a hash of all decoded values of the mesh.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = DefaultHasher::new();
        self.shapes.iter().filter(|_| self.frame_vertices > 0).for_each(|shape| put(&mut digest, &shape.positions));
        self.surfaces.iter().for_each(|surface| surface.put(&mut digest));
        digest.finish()
    }
}

impl SurfaceLists {
    /// Returns a hash of all decoded values of the surface and of `positions`. For a mesh with
    /// vertex frames, `positions` contains the positions of a vertex frame, which are not stored in
    /// the surface.
    #[must_use]
    pub fn digest(&self, positions: &[[f32; 3]]) -> u64 {
        let mut digest = DefaultHasher::new();
        put(&mut digest, positions);
        self.put(&mut digest);
        digest.finish()
    }

    fn put(&self, digest: &mut DefaultHasher) {
        for target in &self.targets {
            put(digest, &target.positions);
            target.normals.iter().for_each(|normals| put(digest, normals));
            for frame in target.frames.iter().flat_map(|frames| frames.iter()) {
                put(digest, &frame.rotation);
                put(digest, &[frame.handedness]);
            }
        }
        if let Some(weights) = &self.weights {
            put(digest, &weights.starts);
            for one in &weights.all {
                digest.write_i32(one.bone);
                digest.write_u32(one.weight.to_bits());
            }
        }
        self.uvs.iter().for_each(|uvs| put(digest, uvs));
        self.colors.iter().for_each(|colors| put(digest, colors));
        put(digest, &self.indices);
        self.attribute_indices.iter().for_each(|indices| put(digest, indices));
    }
}

/// Returns the bounding box of the positions in a list. The bounding box is computed with the same
/// SIMD kernel that the crate uses for positions in files.
#[must_use]
pub fn bounds(positions: &[[f32; 3]]) -> Bounds {
    let native = |bounds: Bounds, at: &[f32; 3]| bounds.union(&Bounds { min: *at, max: *at });
    let raw = <[[F32; 3]]>::ref_from_bytes(cast_slice(positions));
    match raw {
        Ok(raw) if cfg!(target_endian = "little") => Packed::new(raw, Floats::<3>).bounds(),
        _ => positions.iter().fold(Bounds::EMPTY, native),
    }
}

fn put<T: NoUninit>(digest: &mut DefaultHasher, list: &[T]) {
    digest.write(cast_slice(list));
}
