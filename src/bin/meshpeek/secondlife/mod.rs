//! What only Second Life meshes have: levels of detail, blocks that are inflated on request, several assets in a file.

mod look;
mod told;

use std::io::{self, Write};
use std::path::Path;

use clap::{Args, ValueEnum};
use meshpeek::model::Positions;
use meshpeek::secondlife::{Detail, Lod, Mesh, Part};

use crate::dump::Attribute;
use crate::opened::Data;
use crate::values::Values;
use crate::{Global, input, output};

pub use look::{Block, Look};
pub use told::with_header;

/// The levels of detail that `info` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Described {
    High,
    Medium,
    Low,
    Lowest,
    /// Every level, and the triangles to collide with
    All,
    /// None: nothing is inflated
    None,
}

impl Described {
    /// Returns the one level that is asked for.
    const fn lod(self) -> Option<Lod> {
        match self {
            Self::High => Some(Lod::High),
            Self::Medium => Some(Lod::Medium),
            Self::Low => Some(Lod::Low),
            Self::Lowest => Some(Lod::Lowest),
            Self::All | Self::None => None,
        }
    }
}

/// A level of detail, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    High,
    Medium,
    Low,
    Lowest,
}

impl From<Level> for Lod {
    fn from(level: Level) -> Self {
        match level {
            Level::High => Self::High,
            Level::Medium => Self::Medium,
            Level::Low => Self::Low,
            Level::Lowest => Self::Lowest,
        }
    }
}

/// What submeshes can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Submeshes {
    High,
    Medium,
    Low,
    Lowest,
    /// The triangles to collide with
    Physics,
}

/// Which submeshes of a file to look at.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Second Life meshes")]
pub struct Place {
    /// The level of detail, or `physics` for the triangles to collide with; the highest that there is by default
    #[arg(long, value_enum)]
    lod: Option<Submeshes>,
    /// Which asset of an .slm container
    #[arg(long, value_name = "N")]
    pub asset: Option<usize>,
}

impl Place {
    /// Returns the first of the options that only a Second Life mesh has a meaning for.
    pub fn asked(&self) -> Option<&'static str> {
        let asked = [(self.lod.is_some(), "--lod"), (self.asset.is_some(), "--asset")];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, name)| name)
    }

    /// Returns the key of the level that was asked for.
    pub fn key(&self) -> Option<&'static str> {
        self.lod.map(|_| self.part(|_| false).key())
    }

    /// Finds the submeshes.
    pub fn detail<'a>(&self, mesh: &'a Mesh<Data>) -> meshpeek::Result<Detail<'a>> {
        let view = mesh.view();
        let header = view.header()?;
        let detail = Detail::new(view, self.part(|part| !header.has(part)));
        // Where there is none, this says which there are.
        detail.level()?;
        Ok(detail)
    }

    /// Tells whether this is what a file's surfaces are to who asks for no place: the highest level of the first asset.
    pub fn is_first(&self) -> bool {
        self.lod.is_none() && self.asset.unwrap_or_default() == 0
    }

    /// Says that there are several assets, where none was chosen.
    pub fn note(&self, mesh: &Mesh<Data>, path: &Path, global: &Global) {
        if mesh.asset_count() > 1 && self.asset.is_none() {
            let path = output::shown(path);
            input::note(&format!("{path}: asset 0 of {}; --asset chooses", mesh.asset_count()), global);
        }
    }

    fn part(&self, is_absent: impl Fn(Part) -> bool) -> Part {
        match self.lod {
            None => Lod::High.nearest(|lod| !is_absent(lod.part())).unwrap_or(Lod::High).part(),
            Some(Submeshes::High) => Part::HighLod,
            Some(Submeshes::Medium) => Part::MediumLod,
            Some(Submeshes::Low) => Part::LowLod,
            Some(Submeshes::Lowest) => Part::LowestLod,
            // The old name of the same thing.
            Some(Submeshes::Physics) if is_absent(Part::PhysicsMesh) && !is_absent(Part::PhysicsShape) => {
                Part::PhysicsShape
            }
            Some(Submeshes::Physics) => Part::PhysicsMesh,
        }
    }
}

/// Locates what other formats do not have; `None` where the neutral view will do, or there is none.
pub fn locate<'a>(detail: &Detail<'a>, surface: usize, attribute: Attribute) -> meshpeek::Result<Option<Values<'a>>> {
    let convex = || detail.view().convex();
    let points = match attribute {
        Attribute::Tangents => return Ok(detail.level()?.submesh(surface)?.tangents()?.map(Values::Tangents)),
        Attribute::Hull => match convex()? {
            Some(convex) => convex.hulls()?.nth(surface),
            None => None,
        },
        Attribute::BoundingHull => match convex()? {
            Some(convex) => convex.bounding_points()?,
            None => None,
        },
        _ => None,
    };
    Ok(points.map(|points| Values::Positions(Positions::MinMax16(points))))
}

/// Prints the blocks of a file: what they take, and what inflating them showed.
pub fn print_blocks(out: &mut dyn Write, blocks: &[Block]) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let inflated = blocks.iter().filter(|block| block.inflated.is_some()).count();
    writeln!(out, "  blocks    {}, {inflated} of them inflated", blocks.len())?;
    for block in blocks {
        let asset = block.asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
        write!(out, "    {asset}{}: {} bytes", block.part.key(), block.bytes)?;
        match (&block.inflated, block.ratio()) {
            (Some(inflated), Some(ratio)) => {
                write!(out, ", inflated {} ({ratio:.2} times)", inflated.bytes)?;
                match inflated.counts {
                    Some((submeshes, triangles)) => writeln!(out, ", {submeshes} submeshes, {triangles} triangles")?,
                    None => writeln!(out)?,
                }
            }
            _ => writeln!(out, ", not inflated")?,
        }
    }
    Ok(())
}
