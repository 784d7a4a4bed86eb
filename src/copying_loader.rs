//! Decodes every array of every surface into a separate list, as a loader that copies does.
//!
//! The arrays are decoded by the bulk decoders of the crate. An array that several surfaces share
//! is decoded once, and an index buffer with the indices 0, 1, 2 and so on is not stored. The
//! loader does no unnecessary work, so its additional cost compared with meshpeek is the cost of
//! copying.
//!
//! The copying loader and the reading loader differ in their [`ArraySource`].

use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;
use std::rc::Rc;

use crate::array::Packed;
use crate::array::rebase::Rebase;
use crate::decode::{Floats, Influence, TangentFrame};
use crate::{Array, Bounds, Geometry, Result, Surface, Weights};
use bytemuck::{NoUninit, cast_slice};
use zerocopy::FromBytes as _;
use zerocopy::little_endian::F32;

/// The way in which a loader gets the values of an array.
pub trait ArraySource {
    /// Decodes all items of an array.
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>>;

    /// Decodes the influences on all vertices.
    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights>;
}

/// The source of meshpeek and of the copying loader: arrays are decoded from the memory of the
/// model, which is a map or a copy of the file.
pub struct InMemory;

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
    pub all: Vec<Influence>,
}

impl FlatWeights {
    /// Decodes the influences on all vertices.
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
    pub fn get(&self, vertex: usize) -> Option<&[Influence]> {
        let [start, end] =
            self.starts.get(vertex..)?.first_chunk()?.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        self.all.get(start..end)
    }
}

/// The decoded arrays of a mesh.
pub struct Lists {
    /// The positions of all vertex frames, one vertex frame after another. For a mesh without
    /// vertex frames, the list `frames` is empty.
    pub frames: Vec<[f32; 3]>,
    /// The number of vertices in each vertex frame.
    pub frame_vertices: usize,
    pub surfaces: Vec<SurfaceLists>,
    /// The decoded position arrays of all base shapes and morph targets, each with the bone weights
    /// of its vertices. The positions of vertex frames are not included. A position array that
    /// several surfaces share is contained once.
    pub shapes: Vec<PositionList>,
}

/// The decoded arrays of a surface.
#[derive(Clone, Default)]
pub struct SurfaceLists {
    /// The decoded arrays of the base shape, followed by the decoded arrays of each morph target.
    /// The positions of a morph target are absolute, and not differences from the base shape.
    pub targets: Vec<TargetLists>,
    pub weights: Option<Rc<FlatWeights>>,
    pub uvs: Vec<Rc<Vec<[f32; 2]>>>,
    pub colors: Option<Rc<Vec<[f32; 4]>>>,
    pub indices: Rc<Vec<u32>>,
    /// The attribute index of each triangle corner. `None` means that the attribute indices are
    /// equal to the position indices, or are the numbers 0, 1, 2 and so on.
    pub attribute_indices: Option<Rc<Vec<u32>>>,
}

/// The decoded positions, tangent frames and normals of the base shape or of one morph target of a
/// surface.
#[derive(Clone, Default)]
pub struct TargetLists {
    /// The positions of the base shape or of the morph target. In a mesh with vertex frames, the
    /// list `positions` is empty, because the positions of the base shape are in `Lists::frames`.
    pub positions: Rc<Vec<[f32; 3]>>,
    /// The tangent frames of the base shape or of the morph target. If the format stores normals
    /// without tangents, `frames` is `None`, and the field `normals` contains the normals.
    pub frames: Option<Rc<Vec<TangentFrame>>>,
    pub normals: Option<Rc<Vec<[f32; 3]>>>,
}

/// The decoded positions of a base shape or of a morph target, and the bone weights of its
/// vertices.
pub struct PositionList {
    pub positions: Rc<Vec<[f32; 3]>>,
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
pub struct Loader<S> {
    source: S,
    positions: LastList<Vec<[f32; 3]>>,
    frames: LastList<Vec<TangentFrame>>,
    normals: LastList<Vec<[f32; 3]>>,
    uvs: [LastList<Vec<[f32; 2]>>; 4],
    colors: LastList<Vec<[f32; 4]>>,
    weights: LastList<FlatWeights>,
}

impl<S: ArraySource> Loader<S> {
    pub const fn new(source: S) -> Self {
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
    pub fn surface(&mut self, surface: &Surface<'_>, positions: bool) -> Result<SurfaceLists> {
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
    /// Decodes all arrays of the mesh, which are read from `source`.
    pub fn of(geometry: &dyn Geometry, source: impl ArraySource) -> Result<Self> {
        let mut lists = Self { frames: Vec::new(), frame_vertices: 0, surfaces: Vec::new(), shapes: Vec::new() };
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
            if let Some(all) = surface.vertex_frames()? {
                lists.frames = loader.source.list(&all)?;
                return Ok(lists);
            }
            for frame in 0..frames {
                lists.frames.append(&mut loader.source.list(&surface.vertex_frame(frame)?)?);
            }
        }
        Ok(lists)
    }

    /// Returns the decoded arrays of the first surface that has at least one vertex.
    pub fn first(&self) -> Option<&SurfaceLists> {
        let has = |surface: &&SurfaceLists| surface.targets.first().is_some_and(|base| !base.positions.is_empty());
        if self.frame_vertices > 0 { self.surfaces.first() } else { self.surfaces.iter().find(has) }
    }

    /// Returns a hash of all decoded values of the mesh.
    pub fn digest(&self) -> u64 {
        let mut digest = DefaultHasher::new();
        put(&mut digest, &self.frames);
        self.surfaces.iter().for_each(|surface| surface.put(&mut digest));
        digest.finish()
    }
}

impl SurfaceLists {
    /// Returns a hash of all decoded values of the surface and of `positions`. For a mesh with
    /// vertex frames, `positions` contains the positions of a vertex frame, which are not stored in
    /// the surface.
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
pub fn bounds(positions: &[[f32; 3]]) -> Bounds {
    let native = |bounds: Bounds, at: &[f32; 3]| bounds.union(&Bounds { min: *at, max: *at });
    let raw = <[[F32; 3]]>::ref_from_bytes(cast_slice(positions));
    match raw {
        Ok(raw) if cfg!(target_endian = "little") => Packed::new(raw, Floats::<3>).bounds(),
        _ => positions.iter().fold(Bounds::EMPTY, native),
    }
}

/// Returns the index of the first surface that has a vertex.
pub fn first_surface(geometry: &dyn Geometry) -> Result<Option<usize>> {
    for surface in geometry.surfaces()? {
        if !surface.positions()?.is_empty() {
            return Ok(Some(surface.index()));
        }
    }
    Ok(None)
}

fn put<T: NoUninit>(digest: &mut DefaultHasher, list: &[T]) {
    digest.write(cast_slice(list));
}
