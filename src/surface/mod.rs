//! The neutral view: what every mesh has, whatever its format.
//!
//! A format's owner implements [`Geometry`]; [`Surface`] is one of its surfaces. Both are lazy: an array is located when
//! it is asked for, and nothing of it is read. Most formats index positions by one stream and everything else by
//! another; a *vertex* here is a position with its weights, an *attribute vertex* is a frame with its UVs and colour,
//! and a triangle's [`Corner`] is one of each. [`weld`](Surface::weld) makes single-stream vertices of them, and costs
//! what it says.

mod arrays;
mod between;
mod bounds;
mod corners;
mod counting;
mod forms;
mod lanes;
mod partition;
mod weights;
mod weld;

pub use arrays::{Colors, Frames, Indices, IndicesIter, Influences, InfluencesIter, Normals, Positions, Uvs};
pub use between::Between;
pub use bounds::{Bounds, Sphere};
pub use corners::{Corner, Corners};
pub use counting::Counting;
pub(crate) use lanes::LaneLists;
pub use lanes::Lanes;
pub use partition::{Division, Partition};
pub(crate) use weights::Visit;
pub use weights::{Weights, WeightsIter};
pub use weld::Welded;

use crate::bytes::as_u64;
use crate::clip::Motion;
use crate::error::{Error, ErrorKind, Result};
use crate::name::Name;

/// A joint of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// The number of the bone that it hangs from, −1 for a root. It may come after its children, and a damaged file may
    /// hold any number.
    pub parent: i32,
    /// Where it rests, relative to its parent.
    pub bind: Transform,
}

/// A position, a rotation and a scale; applied in the order scale, rotation, position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Offset in scene units.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w, as stored: nearly unit length in a sound file.
    pub rotation: [f32; 4],
    /// Factor along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

/// A place on a mesh where something else hangs: a weapon in a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// Where, in the units of the positions it was asked for in.
    pub position: [f32; 3],
    /// The directions of x, y and z there, each of unit length; `None` where the mesh gives no direction.
    pub axes: Option<[[f32; 3]; 3]>,
}

/// How many there are of each thing in a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions of the base shape.
    pub vertices: u32,
    /// Items that the second index stream points into: tangent frames, UVs, colours.
    pub attribute_vertices: u32,
    /// Corners of triangles: three each.
    pub corners: u32,
    /// Bytes of one index into the positions, and of one into the attributes.
    pub index_widths: [u8; 2],
    /// UV sets.
    pub uv_sets: u32,
    /// Whether there are vertex colours.
    pub colors: bool,
    /// Whether vertices have bone weights.
    pub weights: bool,
    /// Shapes, the base shape included.
    pub targets: u32,
}

/// A mesh file of any format, as its surfaces. Implemented by each format's owner type.
///
/// Surfaces are numbered from 0, in file order where a format has them in its files. Every method that takes a number fails as
/// [`ErrorKind::NoSuch`] where there is no such item, and as the format says where the
/// bytes on the way to the array are damaged.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Geometry: Motion {
    /// Returns the box that the file declares, which may be wrong in a damaged file; in formats that declare none, the box
    /// around the positions of the base shape.
    fn bounds(&self) -> Bounds;
    /// Returns the sphere that the file declares.
    fn sphere(&self) -> Option<Sphere>;
    /// Returns how many whole shapes of every vertex there are, which animations play one after another; 0 in formats
    /// that move vertices by bones.
    fn vertex_frame_count(&self) -> usize {
        0
    }
    /// Locates the positions of a surface in a vertex frame.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        let kind = ErrorKind::NoSuch { count: 0, index: as_u64(frame) };
        Err(self.fault(surface, "frame", 0, kind))
    }
    /// Returns the number of surfaces.
    fn surface_count(&self) -> usize;
    /// Returns a surface's name.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
    /// Returns the box that the file declares for a surface; in formats that declare none, the box around the positions that
    /// its corners use.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
    /// Returns the sphere that the file declares for a surface.
    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>>;
    /// Returns the name of a surface's material or texture, where the file or its script has one.
    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Tells whether a surface is there to be seen. What is not marks places, and who draws or exports leaves it out.
    fn is_drawn(&self, surface: usize) -> Result<bool> {
        let _ = surface;
        Ok(true)
    }
    /// Counts what a surface has; looks at every count of it, and at no vertex.
    fn counts(&self, surface: usize) -> Result<Counts>;
    /// Locates the positions of a shape: target 0 is the base shape, the others are whole shapes to blend it with.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
    /// Locates the tangent frames of a shape; `None` where the format has none.
    fn frames(&self, surface: usize, target: usize) -> Result<Option<Frames<'_>>>;
    /// Locates the normals of a shape, alone or as part of its tangent frames; `None` where the surface has none.
    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        Ok(self.frames(surface, target)?.map(Normals::from))
    }
    /// Locates a UV set; `None` where the surface does not have it.
    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>>;
    /// Locates the vertex colours.
    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>>;
    /// Locates the bone weights, one list per position.
    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>>;
    /// Locates the indices into positions and weights, one per corner.
    fn indices(&self, surface: usize) -> Result<Indices<'_>>;
    /// Locates the indices into frames, UVs and colours, one per corner; `None` where they are those into positions.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>>;
    /// Lends the tree over a surface's triangles that the file itself has; `None` where it has none.
    fn partition(&self, surface: usize) -> Result<Option<Box<dyn Partition + '_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Makes an error about the region `name` of a surface, `into` bytes from its start.
    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error;
}

/// One surface of a mesh file of any format: a name, a box, and arrays lent on request.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Geometry;
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = meshpeek::Surface::new(&mesh, 0);
/// let corners = surface.corners()?;
/// let positions = surface.positions()?;
/// let first = corners.get(0).and_then(|corner| positions.get(corner.position as usize));
/// assert!(first.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    geometry: &'a dyn Geometry,
    index: usize,
}

#[allow(clippy::missing_errors_doc, reason = "each fails as the method of `Geometry` that it calls")]
impl<'a> Surface<'a> {
    /// Names surface `index` of `geometry`. Whether it exists shows when something is asked of it.
    #[must_use]
    pub const fn new(geometry: &'a dyn Geometry, index: usize) -> Self {
        Self { geometry, index }
    }

    /// Returns all surfaces of `geometry`, in file order.
    pub fn all(geometry: &'a dyn Geometry) -> impl ExactSizeIterator<Item = Self> {
        (0..geometry.surface_count()).map(move |index| Self::new(geometry, index))
    }

    /// Returns its number in the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns its name.
    pub fn name(&self) -> Result<Name<'a>> {
        self.geometry.surface_name(self.index)
    }

    /// Returns its box: the one that the file declares or, in formats that declare none, the one around what it uses.
    pub fn bounds(&self) -> Result<Bounds> {
        self.geometry.surface_bounds(self.index)
    }

    /// Returns the sphere that the file declares.
    pub fn sphere(&self) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.index)
    }

    /// Returns the name of its material or texture.
    pub fn material(&self) -> Result<Option<Name<'a>>> {
        self.geometry.surface_material(self.index)
    }

    /// Tells whether it is there to be seen: who draws or exports leaves the others out.
    pub fn is_drawn(&self) -> Result<bool> {
        self.geometry.is_drawn(self.index)
    }

    /// Locates its positions in a vertex frame.
    pub fn vertex_frame(&self, frame: usize) -> Result<Positions<'a>> {
        self.geometry.vertex_frame(self.index, frame)
    }

    /// Counts what it has.
    pub fn counts(&self) -> Result<Counts> {
        self.geometry.counts(self.index)
    }

    /// Locates the positions of the base shape.
    pub fn positions(&self) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, 0)
    }

    /// Locates the positions of a morph target; 0 is the base shape.
    pub fn target_positions(&self, target: usize) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, target)
    }

    /// Locates the tangent frames of the base shape.
    pub fn frames(&self) -> Result<Option<Frames<'a>>> {
        self.geometry.frames(self.index, 0)
    }

    /// Locates the tangent frames of a morph target; 0 is the base shape.
    pub fn target_frames(&self, target: usize) -> Result<Option<Frames<'a>>> {
        self.geometry.frames(self.index, target)
    }

    /// Locates the normals of the base shape, alone or as part of its tangent frames.
    pub fn normals(&self) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, 0)
    }

    /// Locates the normals of a morph target; 0 is the base shape.
    pub fn target_normals(&self, target: usize) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, target)
    }

    /// Locates a UV set.
    pub fn uvs(&self, set: usize) -> Result<Option<Uvs<'a>>> {
        self.geometry.uvs(self.index, set)
    }

    /// Locates the vertex colours.
    pub fn colors(&self) -> Result<Option<Colors<'a>>> {
        self.geometry.colors(self.index)
    }

    /// Locates the bone weights.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        self.geometry.weights(self.index)
    }

    /// Locates the indices into positions and weights.
    pub fn indices(&self) -> Result<Indices<'a>> {
        self.geometry.indices(self.index)
    }

    /// Locates the indices into frames, UVs and colours; those into positions where the format has one stream.
    pub fn attribute_indices(&self) -> Result<Indices<'a>> {
        match self.geometry.attribute_indices(self.index)? {
            Some(indices) => Ok(indices),
            None => self.indices(),
        }
    }

    /// Lends the tree over its triangles that the file itself has.
    pub fn partition(&self) -> Result<Option<Box<dyn Partition + 'a>>> {
        self.geometry.partition(self.index)
    }

    /// Locates both index streams together, after testing that they are of one length and make whole triangles.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they do not.
    pub fn corners(&self) -> Result<Corners<'a>> {
        Corners::new(self.geometry, self.index, self.indices()?, self.attribute_indices()?)
    }

    pub(crate) fn fault(&self, name: &'static str, kind: ErrorKind) -> Error {
        self.geometry.fault(self.index, name, 0, kind)
    }

    /// Makes single-stream vertices, as a GPU wants them: see [`Welded`] for what it does and costs.
    ///
    /// # Errors
    ///
    /// As [`corners`](Self::corners); [`ErrorKind::Value`] where a corner's index is out of range,
    /// [`ErrorKind::OutOfMemory`].
    pub fn weld(&self) -> Result<Welded> {
        weld::weld(self)
    }
}
