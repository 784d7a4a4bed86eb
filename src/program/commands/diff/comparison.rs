//! Compares everything that two meshes contain, in the order in which it is printed.

use std::io;

use super::both::Both;
use super::difference::{DiffPlace, Difference};
use super::items::FoundItems;
use super::options::{DiffKind, DiffOptions, ItemOrder};
use super::pairing::Pairing;
use super::regions::RegionTotals;
use super::side::DiffSide;
use super::sink::DiffSink;
use super::value::DiffValue;
use crate::model::{Asset, Contents, Geometry, LevelStorage};
use crate::program::formats::level_args::LodFilter;
use crate::program::outcome::usage;
use crate::{Name, Result};

/// The result of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum DiffVerdict {
    /// All bytes are the same.
    Identical,
    /// All compared values are equal. The regions whose bytes differ are counted if both files have
    /// the same format.
    SameValues(Option<RegionTotals>),
    /// At least one difference was found.
    Different,
}

/// A running comparison of two meshes.
pub struct MeshComparison<'c, 'o> {
    pub sides: Both<&'c DiffSide>,
    pub sink: DiffSink<'o>,
    /// For each bone of the mesh B, the number of its partner in A. `None` if all numbers are the
    /// same.
    pub bone_partners: Option<Vec<Option<usize>>>,
}

impl<'c, 'o> MeshComparison<'c, 'o> {
    pub const fn new(sides: Both<&'c DiffSide>, sink: DiffSink<'o>) -> Self {
        Self { sides, sink, bone_partners: None }
    }

    pub const fn options(&self) -> &'o DiffOptions {
        self.sink.options
    }

    /// Compares the two meshes.
    pub fn run(&mut self) -> anyhow::Result<DiffVerdict> {
        if self.sides.are_identical() {
            return Ok(DiffVerdict::Identical);
        }
        let root = DiffPlace::default();
        self.compare_contents(&root)?;
        self.compare_findings(&root)?;
        if self.options().wants(DiffKind::Bytes) && !self.sink.is_decided() {
            self.compare_encoding(&root)?;
        }
        let is_summed = !self.sink.has_differences() && !self.options().wants(DiffKind::Bytes);
        match is_summed && self.sides.have_same_format() {
            _ if self.sink.has_differences() => Ok(DiffVerdict::Different),
            true => Ok(DiffVerdict::SameValues(Some(self.sum_regions()?))),
            false => Ok(DiffVerdict::SameValues(None)),
        }
    }

    /// Calls a function of the library for both meshes, and adds the path to an error.
    pub fn read<T, U>(&self, of: Both<T>, f: impl Fn(T) -> Result<U>) -> Result<Both<U>> {
        Ok(Both { a: self.sides.a.locate(f(of.a))?, b: self.sides.b.locate(f(of.b))? })
    }

    /// Adds a difference if two counts are not the same.
    pub fn compare_counts(
        &mut self,
        place: &DiffPlace<'_>,
        name: &str,
        label: &str,
        counts: Both<usize>,
    ) -> io::Result<()> {
        self.sink.compare(DiffKind::Counts, &place.part(name, label), counts.map(DiffValue::count))
    }

    /// Adds a difference for each item that only one of the meshes has.
    pub fn add_unpaired(
        &mut self,
        place: &DiffPlace<'_>,
        list: &str,
        names: Both<&[Vec<u8>]>,
        pairing: &Pairing,
    ) -> io::Result<()> {
        let mut add = |names: &[Vec<u8>], index: usize, values: fn(DiffValue) -> Both<DiffValue>| {
            let name = names.get(index).map(Vec::as_slice).unwrap_or_default();
            self.sink.add(DiffKind::Names, || Difference {
                kind: DiffKind::Names,
                place: place.item(list, Both::new(index, index), name).text(),
                values: values(DiffValue::name(Some(Name::new(name)))),
                items: None,
            })
        };
        for index in &pairing.unpaired.a {
            add(names.a, *index, |value| Both::new(value, DiffValue::Missing))?;
        }
        for index in &pairing.unpaired.b {
            add(names.b, *index, |value| Both::new(DiffValue::Missing, value))?;
        }
        Ok(())
    }

    /// Adds the differences between the items of two arrays.
    pub fn add_items(&mut self, kind: DiffKind, place: &DiffPlace<'_>, found: Option<FoundItems>) -> io::Result<()> {
        let Some(FoundItems { items, values }) = found else { return Ok(()) };
        self.sink.add(kind, || Difference { kind, place: place.text(), values, items: Some(items) })
    }

    /// Returns whether the values of surfaces are compared corner by corner.
    pub fn is_by_corner(&self) -> bool {
        self.options().order.map_or_else(|| !self.sides.have_same_format(), |order| order == ItemOrder::Corner)
    }

    /// Compares the levels of detail of an asset, which are paired by name.
    pub fn compare_levels(
        &mut self,
        place: &DiffPlace<'_>,
        contents: Both<&dyn Contents>,
        assets: Both<&(dyn Asset + '_)>,
    ) -> anyhow::Result<()> {
        let all = self.read(contents.zip(assets), |(contents, asset)| level_names(contents, asset))?;
        let counts = all.as_ref().map(Vec::len);
        let filter = self.options().lod;
        let is_chosen = |name: &&Vec<u8>| match filter {
            LodFilter::One(number) => number.has_name(name),
            LodFilter::All => true,
            LodFilter::None => false,
        };
        let chosen = all.as_ref().map(|names| names.iter().filter(is_chosen).count());
        if let (LodFilter::One(number), Both { a: 0, b: 0 }) = (filter, chosen) {
            usage!("--lod {number}: neither mesh has this level of detail; leave it out");
        }
        if filter == LodFilter::All {
            self.compare_counts(place, "levels", "levels of detail", counts)?;
        }
        let names = all.as_ref().map(Vec::as_slice);
        let pairing = Pairing::of_names(names);
        let are_named = names.a.iter().chain(names.b).any(|name| !name.is_empty());
        for pair in &pairing.pairs {
            let name = names.a.get(pair.a).cloned().unwrap_or_default();
            if !is_chosen(&&name) || self.sink.is_decided() {
                continue;
            }
            let levels = self.read(assets.zip(*pair), |(asset, level)| asset.level(level))?;
            let text = Name::new(&name).to_string();
            let place = if are_named { place.part(&text, &text) } else { *place };
            let levels: Both<&dyn Geometry> = Both { a: &*levels.a, b: &*levels.b };
            self.compare_surfaces(&place, levels)?;
        }
        if are_named && filter == LodFilter::All {
            self.add_unpaired(place, "level", names, &pairing)?;
        }
        Ok(())
    }
}

/// Returns the names of the levels of detail. A format without levels has one level without a name,
/// and so has a mesh here whose levels have the surfaces of one list.
fn level_names(contents: &dyn Contents, asset: &dyn Asset) -> Result<Vec<Vec<u8>>> {
    if contents.level_storage() == LevelStorage::Shared {
        return Ok(vec![Vec::new()]);
    }
    let names = (0..asset.level_count()?).map(|level| asset.level_name(level));
    names.map(|name| Ok(name?.map(|name| name.to_vec()).unwrap_or_default())).collect()
}
