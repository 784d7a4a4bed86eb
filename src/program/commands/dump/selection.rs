//! The surfaces and attributes that are written to a file, and the range of their items.

use std::ops::Range;

use crate::model::ItemOwner;

use super::arrays::{ArrayContext, ChosenArrays, numbered_hulls};
use super::attribute::Attribute;
use crate::program::formats::{Selector, surfaces};
use crate::program::outcome::{UsageError, usage};

/// A range of item indices. `None` as the end means that the range extends to the last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    start: usize,
    end: Option<usize>,
}

impl IndexRange {
    /// The range of all items.
    pub const ALL: Self = Self { start: 0, end: None };

    /// Returns the indices in an array of `len` items.
    pub fn within(self, len: usize) -> Result<Range<usize>, UsageError> {
        let range = self.start..self.end.unwrap_or(len);
        if range.end > len || range.start > len {
            usage!("--range: expected a range within 0..{len}, found {}..{}", range.start, range.end);
        }
        Ok(range)
    }
}

/// Parses a range, or the index of one item.
pub fn parse_range(text: &str) -> Result<IndexRange, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text:?}: {error}"));
    let Some((start, end)) = text.split_once("..") else {
        let start = number(text)?;
        return Ok(IndexRange { start, end: start.checked_add(1) });
    };
    let start = if start.is_empty() { 0 } else { number(start)? };
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if end.is_some_and(|end| end < start) {
        return Err(format!("expected an end of at least {start}"));
    }
    Ok(IndexRange { start, end })
}

/// Returns what has an attribute: a hull, the bounding hull, or `Vertex` for a part of a surface.
fn owner(attribute: Attribute) -> ItemOwner {
    match attribute.owner() {
        hull @ (ItemOwner::Hull | ItemOwner::BoundingHull) => hull,
        _ => ItemOwner::Vertex,
    }
}

/// The surfaces, or hulls, and the attributes that are written.
pub struct ArraySelection {
    owner: ItemOwner,
    pub numbers: Vec<usize>,
    pub attributes: Vec<Attribute>,
    /// Whether the command line names the attributes. At least one surface must then have each of
    /// them.
    pub is_named: bool,
}

impl ArraySelection {
    /// Returns the selection of the command line. Without `chosen` surfaces, all are selected, and
    /// without `named` attributes, those of `default`.
    pub fn new(
        chosen: &[Selector],
        named: &[Attribute],
        default: &[Attribute],
        context: &ArrayContext<'_>,
    ) -> anyhow::Result<Self> {
        let owner = owner_of(named)?;
        let numbers = match owner {
            ItemOwner::Hull if chosen.is_empty() => (0..numbered_hulls(context.asset)?).collect(),
            ItemOwner::Hull => chosen.iter().map(hull_number).collect::<Result<_, _>>()?,
            ItemOwner::BoundingHull => vec![0],
            _ if chosen.is_empty() => (0..context.geometry.surface_count()?).collect(),
            _ => surfaces(chosen, context.geometry)?,
        };
        let mut attributes: Vec<Attribute> = Vec::new();
        for attribute in if named.is_empty() { default } else { named } {
            if !attributes.contains(attribute) {
                attributes.push(*attribute);
            }
        }
        Ok(Self { owner, numbers, attributes, is_named: !named.is_empty() })
    }

    /// Passes the arrays of each selected surface or hull to `visit`. Inflated arrays are freed
    /// after the visit.
    pub fn visit(
        &self,
        context: &ArrayContext<'_>,
        mut visit: impl FnMut(&ChosenArrays<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for number in &self.numbers {
            if self.owner == ItemOwner::Vertex {
                let lent = context.geometry.lend(*number)?;
                visit(&context.lent_arrays(lent.surface()))?;
            } else {
                visit(&context.arrays(*number))?;
            }
        }
        Ok(())
    }

    /// Returns whether an attribute of a surface is selected, if the surface has it.
    pub fn contains(&self, arrays: &ChosenArrays<'_>, attribute: Attribute) -> anyhow::Result<bool> {
        Ok(self.is_named || arrays.is_default(attribute)?)
    }

    /// Returns the error that an attribute exists on none of the surfaces.
    pub fn missing(&self, attribute: Attribute, context: &ArrayContext<'_>) -> anyhow::Error {
        if let [only] = *self.numbers {
            return context.arrays(only).missing(attribute);
        }
        let name = attribute.name();
        let text = format!("no surface has {name}; `meshpeek info` lists the attributes of each surface");
        UsageError(text).into()
    }

    /// Returns the name of an array in a file.
    pub fn array_name(&self, number: usize, attribute: &str) -> String {
        match self.owner {
            ItemOwner::Hull => format!("hull{number}"),
            ItemOwner::BoundingHull => attribute.to_owned(),
            _ => format!("surface{number}.{attribute}"),
        }
    }
}

/// Returns what has all these attributes.
fn owner_of(attributes: &[Attribute]) -> Result<ItemOwner, UsageError> {
    let mut owners = attributes.iter().copied().map(owner);
    let first = owners.next().unwrap_or(ItemOwner::Vertex);
    if owners.any(|other| other != first) {
        usage!("--attribute: hull and bounding-hull do not go with other attributes; write them to another file");
    }
    Ok(first)
}

/// Returns the number of a hull, which has no name.
pub fn hull_number(selector: &Selector) -> Result<usize, UsageError> {
    let text = "--surface: a hull has no name; give its number";
    selector.number.ok_or_else(|| UsageError(text.to_owned()))
}

/// Returns all attributes of surfaces.
pub fn all_attributes() -> Vec<Attribute> {
    Attribute::all().into_iter().filter(|attribute| owner(*attribute) == ItemOwner::Vertex).collect()
}

/// Returns the attributes of the vertices and corners of surfaces.
pub fn vertex_attributes() -> Vec<Attribute> {
    Attribute::all().into_iter().filter(|attribute| attribute.owner() == ItemOwner::Vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges() {
        let range = |start, end| Ok(IndexRange { start, end });
        assert_eq!(parse_range("3..7"), range(3, Some(7)));
        assert_eq!(parse_range("3.."), range(3, None));
        assert_eq!(parse_range("..7"), range(0, Some(7)));
        assert_eq!(parse_range("5"), range(5, Some(6)));
        assert!(parse_range("7..3").is_err() && parse_range("a..b").is_err() && parse_range("").is_err());
    }
}
