//! Index of the elements of a file: the offset of each mesh, bone, track and other element, without
//! its contents.
//!
//! For each kind of element, the index has a list of the offsets at which the elements of this kind
//! start, in file order. The children of an element start after the start of the element, and
//! before the start of the next element of the same kind, because no element contains another
//! element of its kind. The index stores 8 bytes per element, and 16 bytes per element whose text
//! is a list of numbers. All other data of an element is read from the file on each request.

use std::ops::Range;

use crate::math::as_u64;

/// The kinds of elements. The index has one list of offsets for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// The declared bounding box of the whole file.
    SystemBox,
    Texture,
    Skeleton,
    Bone,
    Animation,
    Track,
    Material,
    UserData,
    UserBinary,
    Mesh,
    MeshBox,
    /// The vertices of a mesh, which all sections of the mesh share.
    MeshVertices,
    Section,
    SectionBox,
    /// The vertices of one section, which no other section uses.
    SectionVertices,
    /// The triangles of a section.
    Triangles,
    Tetra,
    Instance,
    Representation,
    Collision,
    HullVertices,
    HullTriangles,
    /// A skeleton element inside a mesh element. The skeleton belongs to this mesh.
    OwnSkeleton,
}

impl ElementKind {
    pub(crate) const COUNT: usize = 23;

    /// Returns the index of the kind: its position among the variants of [`ElementKind`].
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(crate) const fn number(self) -> usize {
        self as usize
    }
}

/// The offsets in the file at which the elements start, by kind of element.
#[derive(Debug)]
pub(crate) struct ElementIndex {
    starts: [Vec<u64>; ElementKind::COUNT],
    /// The offsets at which the text of an element ends, for kinds of elements whose text is a list
    /// of numbers.
    ///
    /// The list of ends is empty for any other kind, and for all kinds in a binary file.
    ends: [Vec<u64>; ElementKind::COUNT],
    /// The offset of the root element of a text file, or of the first field after the header of a
    /// binary file.
    pub(crate) root: u64,
    /// The offset of the plane, which is the last field of a binary file.
    pub(crate) plane: u64,
}

impl ElementIndex {
    pub(crate) fn new() -> Self {
        Self {
            starts: std::array::from_fn(|_| Vec::new()),
            ends: std::array::from_fn(|_| Vec::new()),
            root: 0,
            plane: 0,
        }
    }

    /// Adds an element of a kind that starts at an offset. Returns `false` if the allocation fails.
    pub(crate) fn push(&mut self, kind: ElementKind, start: u64) -> bool {
        let Some(list) = self.starts.get_mut(kind.number()) else { return false };
        let room = list.try_reserve(1).is_ok();
        if room {
            list.push(start);
        }
        room
    }

    /// Adds the offset at which the text of the last added element of a kind ends. Returns `false`
    /// if the allocation fails.
    pub(crate) fn push_end(&mut self, kind: ElementKind, end: u64) -> bool {
        let Some(list) = self.ends.get_mut(kind.number()) else { return false };
        let room = list.try_reserve(1).is_ok();
        if room {
            list.push(end);
        }
        room
    }

    /// Returns the offsets at which the elements of a kind start, in file order.
    pub(crate) fn list(&self, kind: ElementKind) -> &[u64] {
        self.starts.get(kind.number()).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn count(&self, kind: ElementKind) -> usize {
        self.list(kind).len()
    }

    /// Returns the offset at which an element starts. `index` counts the elements of its kind.
    pub(crate) fn start(&self, kind: ElementKind, index: usize) -> Option<u64> {
        self.list(kind).get(index).copied()
    }

    /// Returns the offset at which the text of an element ends, or `None` if the element has no
    /// text of numbers.
    pub(crate) fn end(&self, kind: ElementKind, index: usize) -> Option<usize> {
        let end = *self.ends.get(kind.number())?.get(index)?;
        usize::try_from(end).ok()
    }

    /// Returns, for each kind, the number of elements whose text is a list of numbers. All numbers
    /// are 0 in a binary file.
    pub(crate) fn block_counts(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().map(Vec::len)
    }

    /// Returns the number of elements of a kind whose text is a list of numbers. The number is 0 in
    /// a binary file.
    pub(crate) fn block_count(&self, kind: ElementKind) -> usize {
        self.ends.get(kind.number()).map_or(0, Vec::len)
    }

    /// Returns the indices of the elements of a kind that belong to an element of another kind.
    pub(crate) fn within(&self, kind: ElementKind, outer: ElementKind, index: usize) -> Range<usize> {
        let list = self.list(outer);
        let Some(start) = list.get(index) else { return 0..0 };
        let end = index.checked_add(1).and_then(|next| list.get(next)).copied().unwrap_or(u64::MAX);
        let inner = self.list(kind);
        inner.partition_point(|at| at < start)..inner.partition_point(|at| *at < end)
    }

    /// Returns the index of the element of kind `outer` that contains the offset `start`.
    ///
    /// The returned element is the last element of kind `outer` that starts at or before the
    /// offset.
    pub(crate) fn around(&self, outer: ElementKind, start: u64) -> Option<usize> {
        self.list(outer).partition_point(|at| *at <= start).checked_sub(1)
    }

    /// Returns the size of the memory that the index has allocated for its lists, in bytes.
    pub(crate) fn size(&self) -> u64 {
        let starts = self.starts.iter().map(|list| as_u64(list.capacity()).saturating_mul(8));
        let ends = self.ends.iter().map(|list| as_u64(list.capacity()).saturating_mul(8));
        starts.chain(ends).fold(0, u64::saturating_add)
    }
}
