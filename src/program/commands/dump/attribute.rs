//! The attributes on the command line: those of all formats, and the extra arrays of some formats.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

use crate::formats::descriptions;
use crate::model::{ExtraArrayInfo, ItemOwner};
use crate::program::args::{possible_values, value_name};

/// An attribute that `dump` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    Neutral(NeutralAttribute),
    /// An array that not every format has.
    Extra(&'static ExtraArrayInfo),
}

/// An attribute that every format may have.
#[allow(clippy::enum_variant_names, reason = "the names are the command line's")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NeutralAttribute {
    /// Position of each vertex: x, y, z
    Positions,
    /// Normal of each vertex, of unit length: x, y, z
    Normals,
    /// Tangent of each vertex: x, y, z
    Tangents,
    /// Bitangent of each vertex: x, y, z
    Bitangents,
    /// Texture coordinates of the first set: u, v
    Uv0,
    /// Texture coordinates of the second set: u, v
    Uv1,
    /// Texture coordinates of the third set: u, v
    Uv2,
    /// Texture coordinates of the fourth set: u, v
    Uv3,
    /// Colour of each vertex, each component from 0 to 1
    Colors,
    /// Bones and weights that move each vertex
    Weights,
    /// Index buffer of the positions: three indices for each triangle
    Indices,
    /// Index buffer of normals, texture coordinates and other attributes
    AttributeIndices,
}

impl Attribute {
    /// Returns all attributes in the order of the help. An extra array with the name of another
    /// attribute is that attribute.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = NeutralAttribute::value_variants().iter().copied().map(Self::Neutral).collect();
        for info in descriptions().flat_map(|format| format.extra_arrays) {
            if !all.iter().any(|other| other.name() == info.name) {
                all.push(Self::Extra(info));
            }
        }
        all
    }

    /// Returns whether each morph target has separate values of this attribute.
    pub const fn has_targets(self) -> bool {
        use NeutralAttribute::{Bitangents, Normals, Positions, Tangents};
        matches!(self, Self::Neutral(Positions | Normals | Tangents | Bitangents))
    }

    /// Returns what one item describes. The items of attributes of all formats describe vertices
    /// and corners.
    pub const fn owner(self) -> ItemOwner {
        match self {
            Self::Neutral(_) => ItemOwner::Vertex,
            Self::Extra(info) => info.owner,
        }
    }

    /// Returns the command line name of the attribute, such as `positions`.
    pub fn name(self) -> String {
        match self {
            Self::Neutral(attribute) => value_name(&attribute),
            Self::Extra(info) => info.name.to_owned(),
        }
    }

    fn possible_value(self) -> Option<PossibleValue> {
        match self {
            Self::Neutral(attribute) => attribute.to_possible_value(),
            Self::Extra(ExtraArrayInfo { name, description: "", .. }) => Some(PossibleValue::new(*name)),
            Self::Extra(info) => Some(PossibleValue::new(info.name).help(info.description)),
        }
    }
}

/// Parses the name of an attribute. The list of all names is made only if it is needed.
#[derive(Clone)]
pub struct AttributeParser;

impl TypedValueParser for AttributeParser {
    type Value = Attribute;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Attribute, clap::Error> {
        let all = Attribute::all().into_iter();
        let named = all.filter_map(|attribute| Some((attribute, attribute.possible_value()?)));
        possible_values(named.collect()).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Attribute::all().into_iter().filter_map(Attribute::possible_value)))
    }
}
