//! The name of a value in a file, with its path in the file structure, such as
//! `surface[3].positions`.

use std::fmt;

/// One segment of the path of a value, such as `surface[3]`: the name of a list and the index of an
/// item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathSegment {
    /// Name of a list in the file structure, in the singular, such as `surface`.
    pub(crate) list: &'static str,
    /// Index of the item in the list, from 0, or [`ONLY`](Self::ONLY) if the segment names a single
    /// structure and not a list.
    pub(crate) index: u64,
}

impl PathSegment {
    /// The value of the field `index` in a path segment that names a single structure and not a
    /// list.
    ///
    /// A path segment whose index is `ONLY` is printed without an index, such as `skin`.
    pub(crate) const ONLY: u64 = u64::MAX;
}

/// The path of one value in the file structure, such as `surface[3].target[0].positions`.
///
/// Errors, findings and regions all identify a value or an array of a file by a `Field`. The
/// `Field` of an error can therefore be looked up among the [`Region`](crate::parse::Region)s of
/// the file. A `Field` allocates no memory, and its text is formatted only when it is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    outer: Option<PathSegment>,
    inner: Option<PathSegment>,
    name: &'static str,
}

impl Field {
    /// Makes the path of a value that is not inside a list or structure. The path consists only of
    /// `name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { outer: None, inner: None, name }
    }

    /// Adds item `index` of `list` to the path: `name` becomes `list[index].name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_list(self, list: &'static str, index: u64) -> Self {
        Self { outer: Some(PathSegment { list, index }), ..self }
    }

    /// Adds a single structure, such as `thing`, before the last component of the path: `name`
    /// becomes `thing.name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_struct(self, thing: &'static str) -> Self {
        self.in_list(thing, PathSegment::ONLY)
    }

    /// Adds item `index` of an inner list to the path: `surface[3].name` becomes
    /// `surface[3].list[index].name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_inner_list(self, list: &'static str, index: u64) -> Self {
        Self { inner: Some(PathSegment { list, index }), ..self }
    }

    /// Adds item `index` of a list inside the items of the path: the path has at most two lists.
    pub(crate) const fn in_next_list(self, list: &'static str, index: u64) -> Self {
        if self.outer.is_some() { self.in_inner_list(list, index) } else { self.in_list(list, index) }
    }

    /// Adds item `index` of an outer list to the path: `skin.name` becomes `list[index].skin.name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_outer_list(self, list: &'static str, index: u64) -> Self {
        let inner = match self.inner {
            Some(inner) => Some(inner),
            None => self.outer,
        };
        Self { outer: Some(PathSegment { list, index }), inner, ..self }
    }

    /// Returns the path with its last component replaced by `name`: `surface[3].positions` becomes
    /// `surface[3].name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the last component of the path, such as `positions`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the first list of the path and the index of an item, such as `surface` and 3, or
    /// `None` if the path has only a name. A single structure, such as `skin`, has the greatest
    /// index.
    #[must_use]
    pub fn outer(&self) -> Option<(&'static str, u64)> {
        self.outer.map(|segment| (segment.list, segment.index))
    }

    /// Returns the second list of the path and the index of an item, such as `target` and 0 of
    /// `surface[3].target[0].positions`, or `None` if the path has no second list.
    #[must_use]
    pub fn inner(&self) -> Option<(&'static str, u64)> {
        self.inner.map(|segment| (segment.list, segment.index))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = [self.outer, self.inner];
        for PathSegment { list, index } in steps.into_iter().flatten() {
            out.write_str(list)?;
            if index != PathSegment::ONLY {
                write!(out, "[{index}]")?;
            }
            if !self.name.is_empty() || Some(PathSegment { list, index }) != self.inner.or(self.outer) {
                out.write_str(".")?;
            }
        }
        out.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_its_path() {
        let positions = Field::new("positions");
        assert_eq!(positions.to_string(), "positions");
        assert_eq!(positions.in_list("surface", 3).to_string(), "surface[3].positions");
        assert_eq!(
            positions.in_list("surface", 3).in_inner_list("target", 1).to_string(),
            "surface[3].target[1].positions"
        );
        assert_eq!(Field::new("offset").in_struct("skin").to_string(), "skin.offset");
        assert_eq!(Field::new("").in_struct("skin").in_inner_list("joint", 1).to_string(), "skin.joint[1]");
        assert_eq!(Field::new("size").in_struct("skin").in_outer_list("asset", 2).to_string(), "asset[2].skin.size");
        assert_eq!(Field::new("skin").in_outer_list("asset", 2).to_string(), "asset[2].skin");
        assert_eq!(Field::new("").in_list("surface", 3).to_string(), "surface[3]");
        assert_eq!(Field::new("").in_list("surface", 3).in_inner_list("target", 1).to_string(), "surface[3].target[1]");
    }
}
