//! Writes the arrays of surfaces as `.npy` and `.npz` files, and as tables.

use std::io::Write;
use std::ops::Range;

use super::arrays::{ArrayContext, ChosenArrays};
use super::attribute::{Attribute, NeutralAttribute};
use super::csv;
use super::influences::{InfluencePart, largest_count, write_padded};
use super::npz::{ArrayHead, NpzWriter, write_npy, write_text};
use super::outputs::{ArrayContent, Summary};
use super::selection::{ArraySelection, IndexRange};
use crate::model::NumberType;
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{Layout, Values};

/// The largest number of characters of a name in an array.
const MAX_NAME: usize = 256;

/// The selected arrays of a model.
pub struct MeshArrays<'a> {
    pub context: &'a ArrayContext<'a>,
    pub selection: ArraySelection,
    pub range: Option<IndexRange>,
}

impl MeshArrays<'_> {
    /// Returns the range of the items that are written, of an array with `len` items.
    pub fn range(&self, len: usize) -> Result<Range<usize>, UsageError> {
        self.range.unwrap_or(IndexRange::ALL).within(len)
    }

    /// Returns the name, the head and the range of an array of numbers, or `None` for influences.
    /// Indices are grouped into triangles, if they are complete.
    fn described(
        &self,
        arrays: &ChosenArrays<'_>,
        attribute: Attribute,
        values: &dyn Values,
    ) -> anyhow::Result<Option<(String, ArrayHead, Range<usize>)>> {
        use NeutralAttribute::{AttributeIndices, Indices};
        let Layout::Numbers { number, width } = values.layout(self.context.raw) else { return Ok(None) };
        let range = self.range(values.count())?;
        let is_index = matches!(attribute, Attribute::Neutral(Indices | AttributeIndices));
        let shape = match (width, range.len()) {
            (1, count) if is_index && self.range.is_none() && count.is_multiple_of(3) => vec![count / 3, 3],
            (1, count) => vec![count],
            (_, count) => vec![count, width],
        };
        let name = self.selection.array_name(arrays.number, &attribute.name());
        Ok(Some((name, ArrayHead::numbers(number, &shape), range)))
    }

    /// Passes every selected array to `visit`, one after another.
    pub fn visit(
        &self,
        mut visit: impl FnMut(&ChosenArrays<'_>, Attribute, &dyn Values) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut missing = self.selection.attributes.clone();
        self.selection.visit(self.context, |arrays| {
            for attribute in &self.selection.attributes {
                let is_selected = self.selection.contains(arrays, *attribute)?;
                let values = if is_selected { arrays.values(*attribute)? } else { None };
                if let Some(values) = values {
                    missing.retain(|one| one != attribute);
                    visit(arrays, *attribute, &*values)?;
                }
            }
            Ok(())
        })?;
        match missing.first().filter(|_| self.selection.is_named) {
            Some(attribute) => Err(self.selection.missing(*attribute, self.context)),
            None => Ok(()),
        }
    }

    /// Adds the bones and the weights of a surface as two arrays.
    fn add_influences(
        &self,
        out: &mut NpzWriter<'_>,
        summary: &mut Summary,
        arrays: &ChosenArrays<'_>,
        values: &dyn Values,
    ) -> anyhow::Result<()> {
        let Layout::Influences { bone, weight } = values.layout(self.context.raw) else { return Ok(()) };
        let range = self.range(values.count())?;
        let width = largest_count(values, range.clone(), self.context.raw, arrays.number)?;
        for (part, number) in [(InfluencePart::Bones, bone), (InfluencePart::Weights, weight)] {
            let name = if part == InfluencePart::Bones { "bones" } else { "weights" };
            let name = self.selection.array_name(arrays.number, name);
            let head = ArrayHead::numbers(number, &[range.len(), width]);
            let options = (range.clone(), self.context.raw);
            out.add(&name, &head, &|sink| Ok(write_padded(values, options.clone(), (part, number, width), sink)?))?;
            summary.add(&name, &head)?;
        }
        Ok(())
    }

    /// Adds the names of all surfaces and bones, and the parents of the bones.
    fn add_names(&self, out: &mut NpzWriter<'_>, summary: &mut Summary) -> anyhow::Result<()> {
        let ArrayContext { geometry, animations, .. } = self.context;
        let name = |surface| Ok(geometry.surface(surface)?.name()?.to_string_lossy());
        add_texts("surface_names", geometry.surface_count()?, &name, out, summary)?;
        let count = animations.bone_count()?;
        if count == 0 {
            return Ok(());
        }
        let name = |bone| Ok(animations.bone(bone)?.name.to_string_lossy());
        add_texts("bone_names", count, &name, out, summary)?;
        let head = ArrayHead::numbers(NumberType::I32, &[count]);
        out.add("bone_parents", &head, &|sink| {
            (0..count).try_for_each(|bone| Ok(sink(&animations.bone(bone)?.parent.to_le_bytes())?))
        })?;
        Ok(summary.add("bone_parents", &head)?)
    }
}

/// Adds an array of names. Longer names are cut.
pub fn add_texts(
    key: &str,
    count: usize,
    name: &dyn Fn(usize) -> crate::Result<String>,
    out: &mut NpzWriter<'_>,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let mut longest = 1;
    for index in 0..count {
        longest = longest.max(name(index)?.chars().count());
    }
    let longest = longest.min(MAX_NAME);
    let head = ArrayHead::texts(longest, count);
    out.add(key, &head, &|sink| (0..count).try_for_each(|index| write_text(longest, &name(index)?, sink)))?;
    Ok(summary.add(key, &head)?)
}

impl ArrayContent for MeshArrays<'_> {
    fn write_npy(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
        self.visit(|arrays, attribute, values| {
            let Some((name, head, range)) = self.described(arrays, attribute, values)? else {
                usage!("weights: each vertex has a list of another length; write them to a file .npz or .csv");
            };
            summary.add(&name, &head)?;
            write_npy(out, &head, &|sink| Ok(values.write_bytes(range.clone(), self.context.raw, sink)?))
        })
    }

    fn write_npz(&self, out: &mut NpzWriter<'_>, summary: &mut Summary) -> anyhow::Result<()> {
        self.visit(|arrays, attribute, values| {
            let Some((name, head, range)) = self.described(arrays, attribute, values)? else {
                return self.add_influences(out, summary, arrays, values);
            };
            out.add(&name, &head, &|sink| Ok(values.write_bytes(range.clone(), self.context.raw, sink)?))?;
            Ok(summary.add(&name, &head)?)
        })?;
        if self.selection.is_named { Ok(()) } else { self.add_names(out, summary) }
    }

    fn write_csv(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
        csv::write_csv(self, out, summary)
    }
}
