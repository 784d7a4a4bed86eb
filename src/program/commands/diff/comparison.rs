//! Compares everything that two meshes contain, in the order in which it is printed.

// Rule: this file sorts and maps by copies only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::both::Both;
use super::difference::{DiffPlace, Difference};
use super::items::FoundItems;
use super::options::{DiffKind, DiffOptions, ItemOrder};
use super::pairing::{Pairing, names};
use super::regions::RegionTotals;
use super::side::DiffSide;
use super::sink::DiffSink;
use super::value::DiffValue;
use crate::model::{Asset, Contents, Geometry, LevelStorage};
use crate::program::formats::LodFilter;
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

    /// Compares the numbers of findings by each rule. The formats have different rules, so the
    /// findings of two formats are compared only on request.
    fn compare_findings(&mut self, place: &DiffPlace<'_>) -> anyhow::Result<()> {
        let is_asked = self.options().only.contains(&DiffKind::Findings);
        if !self.options().wants(DiffKind::Findings)
            || self.sink.is_decided()
            || !self.sides.have_same_format() && !is_asked
        {
            return Ok(());
        }
        let counts = self.read(self.sides, finding_counts)?;
        let rules: BTreeSet<_> = counts.a.keys().chain(counts.b.keys()).collect();
        for rule in rules {
            let counts = counts.as_ref().map(|counts| DiffValue::Number(counts.get(rule).copied().unwrap_or_default()));
            self.sink.compare(DiffKind::Findings, &place.part(rule, &format!("findings of {rule}")), counts)?;
        }
        Ok(())
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
    pub fn add_unpaired(&mut self, place: &DiffPlace<'_>, list: &str, pairing: &Pairing) -> io::Result<()> {
        let Both { a, b } = &pairing.unpaired;
        for (index, is_in_a) in a.iter().map(|index| (index, true)).chain(b.iter().map(|index| (index, false))) {
            let indices = Both::new(*index, *index);
            let names = pairing.names(indices);
            let name = if is_in_a { names.a } else { names.b };
            self.sink.add(DiffKind::Names, || {
                let (value, missing) = (DiffValue::name(Some(Name::new(name))), DiffValue::Missing);
                Difference {
                    kind: DiffKind::Names,
                    place: place.item(list, indices, name).text(),
                    values: if is_in_a { Both::new(value, missing) } else { Both::new(missing, value) },
                    items: None,
                }
            })?;
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
        let is_chosen = |name: &[u8]| match filter {
            LodFilter::One(number) => number.has_name(name),
            LodFilter::All => true,
            LodFilter::None => false,
        };
        let chosen = all.as_ref().map(|names| names.iter().filter(|name| is_chosen(name)).count());
        if let (LodFilter::One(number), Both { a: 0, b: 0 }) = (filter, chosen) {
            usage!("--lod {number}: neither mesh has this level of detail; leave it out");
        }
        if filter == LodFilter::All {
            self.compare_counts(place, "levels", "levels of detail", counts)?;
        }
        let are_named = all.a.iter().chain(&all.b).any(|name| !name.is_empty());
        let pairing = Pairing::of_names(all);
        for pair in &pairing.pairs {
            let name = pairing.names(*pair).a;
            if !is_chosen(name) || self.sink.is_decided() {
                continue;
            }
            let levels = self.read(assets.zip(*pair), |(asset, level)| asset.level(level))?;
            let text = Name::new(name).to_string();
            let place = if are_named { place.part(&text, &text) } else { *place };
            let levels: Both<&dyn Geometry> = Both { a: &*levels.a, b: &*levels.b };
            self.compare_surfaces(&place, levels)?;
        }
        if are_named && filter == LodFilter::All {
            self.add_unpaired(place, "level", &pairing)?;
        }
        Ok(())
    }
}

/// Returns the number of findings by each rule.
fn finding_counts(side: &DiffSide) -> Result<BTreeMap<&'static str, u64>> {
    let mut counts = BTreeMap::new();
    side.asset.findings(true, true, &mut |finding| {
        let count: &mut u64 = counts.entry(finding.rule).or_default();
        *count = count.saturating_add(1);
    })?;
    Ok(counts)
}

/// Returns the names of the levels of detail. A format without levels has one level without a name,
/// and so has a mesh here whose levels have the surfaces of one list.
fn level_names(contents: &dyn Contents, asset: &dyn Asset) -> Result<Vec<Vec<u8>>> {
    if contents.level_storage() == LevelStorage::Shared {
        return Ok(vec![Vec::new()]);
    }
    names(asset.level_count()?, |level| Ok(asset.level_name(level)?.unwrap_or_default()))
}
