//! Index of the elements of a file: the byte offset of each mesh, bone, track and other element,
//! without the contents of the elements.
//!
//! For each kind of element, the index has a list of the offsets at which the elements of this kind
//! start, in file order. The children of a mesh, for example, start after the start of the mesh and
//! before the start of the next mesh, because no element contains another element of its kind. The
//! element index takes 8 bytes per element, or 16 bytes for an element whose text is a list of
//! numbers. The element index stores only offsets; all other data of an element is read from the
//! file on each request.

use std::ops::Range;

use crate::math::as_u64;

/// The kinds of elements, such as meshes, bones and textures. The element index has one list of
/// start offsets for each kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// The bounding box that a file declares for all its contents.
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
    /// The vertices that all sections of a mesh share.
    MeshVertices,
    Section,
    SectionBox,
    /// Vertices that belong to one section, and that no other section uses.
    SectionVertices,
    /// The triangles of a section.
    Triangles,
    Tetra,
    Instance,
    Representation,
    Collision,
    HullVertices,
    HullTriangles,
    /// A skeleton element that is nested in a mesh element and belongs to this mesh.
    OwnSkeleton,
}

impl ElementKind {
    pub(crate) const COUNT: usize = 23;

    /// Returns the position of this element kind among the variants of [`ElementKind`], counted
    /// from 0.
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(crate) const fn number(self) -> usize {
        self as usize
    }
}

/// The element index of a file: for each kind of element, the byte offsets at which the elements
/// start.
#[derive(Debug, Default)]
pub(crate) struct ElementIndex {
    starts: [Vec<u64>; ElementKind::COUNT],
    /// For each kind of element whose text is a list of numbers, the byte offsets at which the
    /// texts of the elements end.
    ///
    /// The list of end offsets is empty for a kind of element whose text contains no numbers. In a
    /// binary file, all lists of end offsets are empty.
    ends: [Vec<u64>; ElementKind::COUNT],
    /// The byte offset of the root element of a text file, or of the first field after the tag
    /// `EZMESH` of a binary file.
    pub(crate) root: u64,
    /// The byte offset of the last field of a binary file: a plane of four floats.
    pub(crate) plane: u64,
}

impl ElementIndex {
    /// Adds an element of the kind `kind` that starts at the byte offset `start`. Returns `false`
    /// if the allocation fails.
    pub(crate) fn push(&mut self, kind: ElementKind, start: u64) -> bool {
        self.starts.get_mut(kind.number()).is_some_and(|list| push_to(list, start))
    }

    /// Adds the byte offset at which the text of the most recently added element of the kind `kind`
    /// ends. Returns `false` if the allocation fails.
    pub(crate) fn push_end(&mut self, kind: ElementKind, end: u64) -> bool {
        self.ends.get_mut(kind.number()).is_some_and(|list| push_to(list, end))
    }

    /// Returns the byte offsets at which the elements of the kind `kind` start, in file order.
    pub(crate) fn list(&self, kind: ElementKind) -> &[u64] {
        self.starts.get(kind.number()).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn count(&self, kind: ElementKind) -> usize {
        self.list(kind).len()
    }

    /// Returns the byte offset at which an element starts. `index` is the index of the element
    /// among all elements of the kind `kind`.
    pub(crate) fn start(&self, kind: ElementKind, index: usize) -> Option<u64> {
        self.list(kind).get(index).copied()
    }

    /// Returns the byte offset at which the text of an element ends, or `None` if the text of the
    /// element does not consist of numbers.
    pub(crate) fn end(&self, kind: ElementKind, index: usize) -> Option<usize> {
        let end = *self.ends.get(kind.number())?.get(index)?;
        usize::try_from(end).ok()
    }

    /// Returns, for each kind of element, the number of elements whose text is a list of numbers.
    /// In a binary file, no element has a text, and all returned numbers are 0.
    pub(crate) fn block_counts(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().map(Vec::len)
    }

    /// Returns the indices of the elements of the kind `kind` that are inside the element with the
    /// index `index` of the kind `outer`.
    pub(crate) fn within(&self, kind: ElementKind, outer: ElementKind, index: usize) -> Range<usize> {
        let list = self.list(outer);
        let Some(start) = list.get(index) else { return 0..0 };
        let end = index.checked_add(1).and_then(|next| list.get(next)).copied().unwrap_or(u64::MAX);
        let inner = self.list(kind);
        inner.partition_point(|at| at < start)..inner.partition_point(|at| *at < end)
    }

    /// Returns the index of the element of kind `outer` that contains the file offset `start`.
    ///
    /// The element that contains an offset is the last element of kind `outer` that starts at or
    /// before this offset.
    pub(crate) fn around(&self, outer: ElementKind, start: u64) -> Option<usize> {
        self.list(outer).partition_point(|at| *at <= start).checked_sub(1)
    }

    /// Returns the size of the memory that the element index has allocated for its lists, in bytes.
    pub(crate) fn size(&self) -> u64 {
        let lists = self.starts.iter().chain(&self.ends);
        lists.map(|list| as_u64(list.capacity()).saturating_mul(8)).fold(0, u64::saturating_add)
    }
}

/// Adds an offset to a list. Returns `false` if the allocation fails.
fn push_to(list: &mut Vec<u64>, offset: u64) -> bool {
    let has_room = list.try_reserve(1).is_ok();
    if has_room {
        list.push(offset);
    }
    has_room
}
