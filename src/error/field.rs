//! The name of a value of a file, with its path in the structure of the file.

use std::fmt;

/// A step into a list, such as `surface[3]`: the name of the list, and the index of an item of this
/// list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSegment {
    /// Name of the list, in the singular, such as `surface`.
    pub list: &'static str,
    /// Index of the item in the list, from 0, or [`ONLY`](Self::ONLY) for a single structure that
    /// is not in a list.
    pub index: u64,
}

impl PathSegment {
    /// The index for a single structure that is not in a list. This index is not printed.
    pub const ONLY: u64 = u64::MAX;
}

/// Names one value of a file by its path in the structure of the file, such as
/// `surface[3].target[0].positions`.
///
/// Errors, findings and regions all name a value or an array of a file with this type. The name in
/// an error can therefore be looked up in the region list of the file. A `Field` owns no memory,
/// and its text is formatted only when it is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    outer: Option<PathSegment>,
    inner: Option<PathSegment>,
    name: &'static str,
}

impl Field {
    /// Makes the name of a value that is not an item of a list and not inside one.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { outer: None, inner: None, name }
    }

    /// Puts this value inside item `index` of `list`: the name `name` becomes `list[index].name`.
    #[must_use]
    pub const fn in_list(self, list: &'static str, index: u64) -> Self {
        Self { outer: Some(PathSegment { list, index }), ..self }
    }

    /// Puts this value inside a single structure, such as `thing`: the name `name` becomes
    /// `thing.name`.
    #[must_use]
    pub const fn in_struct(self, thing: &'static str) -> Self {
        self.in_list(thing, PathSegment::ONLY)
    }

    /// Puts this value inside item `index` of an inner list `list`: the name `surface[3].name`
    /// becomes `surface[3].list[index].name`.
    #[must_use]
    pub const fn in_inner_list(self, list: &'static str, index: u64) -> Self {
        Self { inner: Some(PathSegment { list, index }), ..self }
    }

    /// Puts this value, with the list item that contains it, inside item `index` of an outer list
    /// `list`: the name `skin.name` becomes `list[index].skin.name`.
    #[must_use]
    pub const fn in_outer_list(self, list: &'static str, index: u64) -> Self {
        let inner = match self.inner {
            Some(inner) => Some(inner),
            None => self.outer,
        };
        Self { outer: Some(PathSegment { list, index }), inner, ..self }
    }

    /// Returns the field of another value, called `name`, in the same list items as this value.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the last component of the path, such as `positions`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the item of the outermost list that contains the value, or `None` if the value is
    /// not in a list.
    #[must_use]
    pub const fn outer(&self) -> Option<PathSegment> {
        self.outer
    }

    /// Returns the item of the innermost list that contains the value, or `None` if fewer than two
    /// nested lists contain the value.
    #[must_use]
    pub const fn inner(&self) -> Option<PathSegment> {
        self.inner
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
