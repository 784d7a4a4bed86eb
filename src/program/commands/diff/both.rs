//! Two values of the same kind: one of the first mesh, and one of the second mesh.

/// A value of the mesh A and a value of the mesh B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both<T> {
    pub a: T,
    pub b: T,
}

impl<T> Both<T> {
    pub const fn new(a: T, b: T) -> Self {
        Self { a, b }
    }

    /// Returns both values as references.
    pub const fn as_ref(&self) -> Both<&T> {
        Both { a: &self.a, b: &self.b }
    }

    /// Pairs the values of each mesh with other values of it.
    pub fn zip<U>(self, other: Both<U>) -> Both<(T, U)> {
        Both { a: (self.a, other.a), b: (self.b, other.b) }
    }

    /// Calls a function with each of the two values, and returns the two results.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Both<U> {
        Both { a: f(self.a), b: f(self.b) }
    }
}

impl<T> Both<Option<T>> {
    /// Returns the two values if both of them exist.
    pub fn all(self) -> Option<Both<T>> {
        Some(Both { a: self.a?, b: self.b? })
    }
}
