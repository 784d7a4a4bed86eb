//! The elements of arrays in a glTF file: their types, and their layout in a buffer.

use crate::math::as_u64;

/// The type of the components of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    U8,
    U16,
    I16,
    U32,
    F32,
}

impl ComponentType {
    /// Returns the number of the type in glTF.
    pub(super) const fn code(self) -> u16 {
        match self {
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// Returns the size of a component in bytes.
    pub(super) const fn size(self) -> u32 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// The elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessorType {
    pub(super) component: ComponentType,
    /// The number of components: 1 to 4, or 16 for a matrix.
    pub(super) width: u8,
    /// Whether integers represent numbers of 0 to 1 or of -1 to 1.
    pub(super) is_normalized: bool,
}

impl AccessorType {
    /// Makes the type of elements of floats.
    pub(super) const fn floats(width: u8) -> Self {
        Self { component: ComponentType::F32, width, is_normalized: false }
    }

    /// Makes the type of elements of integers.
    pub(super) const fn integers(component: ComponentType, width: u8) -> Self {
        Self { component, width, is_normalized: false }
    }

    /// Makes the type of elements of integers that represent numbers of 0 to 1, or of -1 to 1.
    pub(super) const fn normalized(component: ComponentType, width: u8) -> Self {
        Self { component, width, is_normalized: true }
    }

    /// Numbers, such as times.
    pub(super) const SCALARS: &'static [Self] = &[Self::floats(1)];
    /// Texture coordinates.
    pub(super) const FLOATS2: &'static [Self] = &[Self::floats(2)];
    /// Positions and directions.
    pub(super) const FLOATS3: &'static [Self] = &[Self::floats(3)];
    /// Tangents and rotations.
    pub(super) const FLOATS4: &'static [Self] = &[Self::floats(4)];
    /// Matrices.
    pub(super) const MATRICES: &'static [Self] = &[Self::floats(16)];
    /// Colours.
    pub(super) const COLORS: &'static [Self] = &[Self::normalized(ComponentType::U8, 4)];

    /// Returns the name of the type in glTF.
    pub(super) const fn name(self) -> &'static str {
        match self.width {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        }
    }

    /// Returns the size of an element in bytes.
    pub(super) fn size(self) -> u32 {
        self.component.size().saturating_mul(self.width.into())
    }
}

/// What a GPU uses an array for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferUsage {
    Vertices,
    Indices,
    /// Matrices and keys, which a GPU does not read from a buffer of vertices.
    Other,
}

/// Items in a file: the arrays of one or more attributes, of which all items have the same size.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArraySpec<'s> {
    /// The type of each attribute of an item.
    pub(super) elements: &'s [AccessorType],
    /// The number of items.
    pub(super) count: usize,
    pub(super) usage: BufferUsage,
    /// Whether the JSON contains the bounds of the array, which has one attribute of floats.
    pub(super) has_bounds: bool,
}

impl<'s> ArraySpec<'s> {
    /// Makes the description of an array of vertices.
    pub(super) const fn vertices(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Vertices, has_bounds: false }
    }

    /// Makes the description of an array of indices.
    pub(super) const fn indices(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Indices, has_bounds: false }
    }

    /// Makes the description of an array that a GPU does not read as vertices or indices.
    pub(super) const fn other(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Other, has_bounds: false }
    }

    /// Returns the description of an array whose bounds are in the JSON.
    pub(super) const fn with_bounds(self) -> Self {
        Self { has_bounds: true, ..self }
    }

    /// Returns the distance of two items in bytes. Vertices are aligned to 4 bytes.
    pub(super) fn stride(&self) -> u32 {
        let size = |element: &AccessorType| match self.usage {
            BufferUsage::Vertices => element.size().next_multiple_of(4),
            BufferUsage::Indices | BufferUsage::Other => element.size(),
        };
        self.elements.iter().map(size).fold(0, u32::saturating_add)
    }

    /// Returns the size of the array in bytes.
    pub(super) fn size(&self) -> u64 {
        as_u64(self.count).saturating_mul(self.stride().into())
    }
}
