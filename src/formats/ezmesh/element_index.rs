//! Where everything starts: the structure of a file without its contents.
//!
//! For each kind of element there is a list of the offsets at which its elements start, in the order of the file. What
//! belongs to an element is what starts behind it and before the next of its kind, since none stands within another of its
//! kind. Eight bytes are kept for an element, sixteen for a block of numbers; everything else is read again where it is
//! asked for.

use std::ops::Range;

use crate::math::as_u64;

/// Kinds of things that a file has lists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// The box of everything.
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
    /// The vertices that a mesh's sections share.
    MeshVertices,
    Section,
    SectionBox,
    /// The vertices of one section.
    SectionVertices,
    /// The triangles of a section.
    Triangles,
    Tetra,
    Instance,
    Representation,
    Collision,
    HullVertices,
    HullTriangles,
    /// A skeleton that stands within a mesh: it is that mesh's.
    OwnSkeleton,
}

impl ElementKind {
    pub(crate) const COUNT: usize = 23;

    /// Returns its number among all.
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(crate) const fn number(self) -> usize {
        self as usize
    }
}

/// Where everything starts.
#[derive(Debug)]
pub(crate) struct ElementIndex {
    starts: [Vec<u64>; ElementKind::COUNT],
    /// Where the text of blocks of numbers ends; empty for other kinds, and in binary files.
    ends: [Vec<u64>; ElementKind::COUNT],
    /// Where the root element starts; behind the header of a binary file, its fields.
    pub(crate) root: u64,
    /// Where the plane at the end of a binary file starts.
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

    /// Adds an element. `false` where there is no memory for it.
    pub(crate) fn push(&mut self, kind: ElementKind, start: u64) -> bool {
        let Some(list) = self.starts.get_mut(kind.number()) else { return false };
        let room = list.try_reserve(1).is_ok();
        if room {
            list.push(start);
        }
        room
    }

    /// Says where the text of the block that was added last ends.
    pub(crate) fn push_end(&mut self, kind: ElementKind, end: u64) -> bool {
        let Some(list) = self.ends.get_mut(kind.number()) else { return false };
        let room = list.try_reserve(1).is_ok();
        if room {
            list.push(end);
        }
        room
    }

    /// Returns where the elements of a kind start.
    pub(crate) fn list(&self, kind: ElementKind) -> &[u64] {
        self.starts.get(kind.number()).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn count(&self, kind: ElementKind) -> usize {
        self.list(kind).len()
    }

    /// Returns where an element starts.
    pub(crate) fn start(&self, kind: ElementKind, index: usize) -> Option<u64> {
        self.list(kind).get(index).copied()
    }

    /// Returns where the text of a block ends.
    pub(crate) fn end(&self, kind: ElementKind, index: usize) -> Option<usize> {
        let end = *self.ends.get(kind.number())?.get(index)?;
        usize::try_from(end).ok()
    }

    /// Returns the number of blocks of numbers of each kind: none in a binary file.
    pub(crate) fn block_counts(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().map(Vec::len)
    }

    /// Returns the number of blocks of numbers of a kind: 0 in a binary file.
    pub(crate) fn block_count(&self, kind: ElementKind) -> usize {
        self.ends.get(kind.number()).map_or(0, Vec::len)
    }

    /// Returns the numbers of the elements of a kind that belong to an element of another.
    pub(crate) fn within(&self, kind: ElementKind, outer: ElementKind, index: usize) -> Range<usize> {
        let list = self.list(outer);
        let Some(start) = list.get(index) else { return 0..0 };
        let end = index.checked_add(1).and_then(|next| list.get(next)).copied().unwrap_or(u64::MAX);
        let inner = self.list(kind);
        inner.partition_point(|at| at < start)..inner.partition_point(|at| *at < end)
    }

    /// Returns the number of the element of a kind that another belongs to: the last that starts before it.
    pub(crate) fn around(&self, outer: ElementKind, start: u64) -> Option<usize> {
        self.list(outer).partition_point(|at| *at <= start).checked_sub(1)
    }

    /// Returns the bytes that are kept.
    pub(crate) fn size(&self) -> u64 {
        let starts = self.starts.iter().map(|list| as_u64(list.capacity()).saturating_mul(8));
        let ends = self.ends.iter().map(|list| as_u64(list.capacity()).saturating_mul(8));
        starts.chain(ends).fold(0, u64::saturating_add)
    }
}
