//! Where a value stands in a file's structure.

use std::fmt;

/// A step into a list: its name and the item's number, as in `surface[3]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSegment {
    /// The list's name, in the singular.
    pub list: &'static str,
    /// Which item, counted from 0; [`ONLY`](Self::ONLY) of what is no list but one thing.
    pub index: u64,
}

impl PathSegment {
    /// The number of what there is only one of. It is not printed.
    pub const ONLY: u64 = u64::MAX;
}

/// Names one value of a file by its place in the structure: `surface[3].target[0].positions`.
///
/// Errors, findings and regions all speak of a file through this one type, so that what an error names can be
/// looked up in the map of the file. It owns nothing and is printed only when somebody looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    outer: Option<PathSegment>,
    inner: Option<PathSegment>,
    name: &'static str,
}

impl Field {
    /// Names a value that stands in no list.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { outer: None, inner: None, name }
    }

    /// Puts this value inside item `index` of `list`: `name` becomes `list[index].name`.
    #[must_use]
    pub const fn in_list(self, list: &'static str, index: u64) -> Self {
        Self { outer: Some(PathSegment { list, index }), ..self }
    }

    /// Puts this value inside something that there is one of: `name` becomes `thing.name`.
    #[must_use]
    pub const fn in_struct(self, thing: &'static str) -> Self {
        self.in_list(thing, PathSegment::ONLY)
    }

    /// Puts this value inside item `index` of a list that is itself inside the outer item.
    #[must_use]
    pub const fn in_inner_list(self, list: &'static str, index: u64) -> Self {
        Self { inner: Some(PathSegment { list, index }), ..self }
    }

    /// Puts this value, with the innermost list item that it is in, inside item `index` of a list around both.
    #[must_use]
    pub const fn in_outer_list(self, list: &'static str, index: u64) -> Self {
        let inner = match self.inner {
            Some(inner) => Some(inner),
            None => self.outer,
        };
        Self { outer: Some(PathSegment { list, index }), inner, ..self }
    }

    /// Names another value at the same place.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the last part of the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the list item that the value belongs to, if it stands in a list.
    #[must_use]
    pub const fn outer(&self) -> Option<PathSegment> {
        self.outer
    }

    /// Returns the inner list item that the value belongs to, if it stands in a list of a list.
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
