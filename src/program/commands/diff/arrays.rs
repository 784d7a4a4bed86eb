//! Compares the arrays of two surfaces.

// Rule: this file sorts and maps by copies only.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::items::{DiffItem, ItemCounter, ItemSource, StoredArray, compare};
use super::options::{DiffKind, Tolerance};
use super::surfaces::ComparedPools;
use super::value::DiffValue;
use crate::math::{as_index, as_u64, narrow};
use crate::model::{ExtraArray, ExtraArrayInfo, Geometry, Indices, ItemOwner, SurfaceArrays, Weights, WeightsIter};
use crate::scene::whole_frames;
use crate::{Array, Result, Surface};

/// The number of items that are decoded at a time.
const CHUNK: usize = 4096;

/// The indices of both surfaces through which an array is read, or `None` for each item in order.
type CornerStreams<'a> = Option<Both<Indices<'a>>>;

impl MeshComparison<'_, '_> {
    /// Compares all arrays of two surfaces. Arrays that the surfaces share with surfaces that were
    /// compared before are left out.
    pub fn compare_arrays(
        &mut self,
        place: &DiffPlace<'_>,
        surfaces: Both<Surface<'_>>,
        pools: &mut ComparedPools,
    ) -> anyhow::Result<()> {
        let indices = self.read(surfaces, |surface| surface.indices())?;
        let attribute_indices = self.read(surfaces, |surface| surface.attribute_indices())?;
        let by_corner = self.is_by_corner();
        let [corners, attribute_corners] = [indices, attribute_indices].map(|indices| by_corner.then_some(indices));
        let new_pool = self.is_new_pool(surfaces, pools)? || by_corner;
        if new_pool {
            self.compare_vertices(place, surfaces, corners)?;
        }
        let single = self.read(surfaces, |surface| surface.is_single_stream())?;
        if new_pool || !single.a || !single.b {
            self.compare_attribute_vertices(place, surfaces, attribute_corners)?;
        }
        if !by_corner {
            self.compare_items(DiffKind::Attributes, &place.part("indices", "indices"), indices, None)?;
            let place = place.part("attribute_indices", "attribute indices");
            if !single.a || !single.b {
                self.compare_items(DiffKind::Attributes, &place, attribute_indices, None)?;
            }
        }
        Ok(())
    }

    fn is_new_pool(&self, surfaces: Both<Surface<'_>>, pools: &mut ComparedPools) -> Result<bool> {
        let Both { a, b } = self.read(surfaces, |surface| surface.vertex_pool())?;
        Ok(pools.insert((a, b)))
    }

    /// Compares the positions of all shapes, and the weights.
    fn compare_vertices(
        &mut self,
        place: &DiffPlace<'_>,
        surfaces: Both<Surface<'_>>,
        corners: CornerStreams<'_>,
    ) -> anyhow::Result<()> {
        for (target, place) in self.shapes(place, surfaces)? {
            let positions = self.read(surfaces, |surface| surface.target_positions(target))?;
            self.compare_items(DiffKind::Attributes, &place.part("positions", "positions"), positions, corners)?;
        }
        if let Some(weights) = self.read(surfaces, |surface| surface.weights())?.all() {
            self.compare_weights(&place.part("weights", "weights"), &weights, corners)?;
        }
        Ok(())
    }

    /// Compares normals, tangents, texture coordinates and colours.
    fn compare_attribute_vertices(
        &mut self,
        place: &DiffPlace<'_>,
        surfaces: Both<Surface<'_>>,
        corners: CornerStreams<'_>,
    ) -> anyhow::Result<()> {
        for (target, place) in self.shapes(place, surfaces)? {
            if let Some(normals) = self.read(surfaces, |surface| surface.target_normals(target))?.all() {
                self.compare_items(DiffKind::Attributes, &place.part("normals", "normals"), normals, corners)?;
            }
            if let Some(frames) = self.read(surfaces, |surface| surface.target_tangent_frames(target))?.all() {
                self.compare_items(DiffKind::Attributes, &place.part("tangents", "tangents"), frames, corners)?;
            }
        }
        let sets = self.read(surfaces, |surface| surface.counts())?.map(|counts| as_index(counts.uv_sets));
        for set in 0..sets.a.min(sets.b) {
            if let Some(uvs) = self.read(surfaces, |surface| surface.uvs(set))?.all() {
                let name = format!("uv{set}");
                self.compare_items(DiffKind::Attributes, &place.part(&name, &name), uvs, corners)?;
            }
        }
        if let Some(colors) = self.read(surfaces, |surface| surface.colors())?.all() {
            self.compare_items(DiffKind::Attributes, &place.part("colors", "colours"), colors, corners)?;
        }
        Ok(())
    }

    /// Returns the shapes that both surfaces have, each with its place.
    fn shapes<'p>(&self, place: &'p DiffPlace<'_>, surfaces: Both<Surface<'_>>) -> Result<Vec<(usize, DiffPlace<'p>)>> {
        let targets = self.read(surfaces, |surface| surface.counts())?.map(|counts| as_index(counts.targets));
        let shape = |target: usize| match target {
            0 => (target, *place),
            _ => (target, place.target(target)),
        };
        Ok((0..targets.a.min(targets.b)).map(shape).collect())
    }

    /// Compares the items of two arrays, and adds a difference of the kind `kind`.
    pub fn compare_items<A: StoredArray<Item: DiffItem>>(
        &mut self,
        kind: DiffKind,
        place: &DiffPlace<'_>,
        arrays: Both<A>,
        corners: CornerStreams<'_>,
    ) -> anyhow::Result<()> {
        let sources = Both {
            a: ItemSource { array: arrays.a, corners: corners.map(|corners| corners.a) },
            b: ItemSource { array: arrays.b, corners: corners.map(|corners| corners.b) },
        };
        let sides = self.sides;
        let (a, b) = (|error| sides.a.locate_error(error), |error| sides.b.locate_error(error));
        let found = compare(sources, &self.options().tolerance, Both { a: &a, b: &b })?;
        Ok(self.add_items(kind, place, found)?)
    }

    fn compare_weights(
        &mut self,
        place: &DiffPlace<'_>,
        weights: &Both<Weights<'_>>,
        corners: CornerStreams<'_>,
    ) -> anyhow::Result<()> {
        let bones = self.bone_partners.clone();
        let readers = Both {
            a: InfluenceReader::new(weights.a, corners.map(|corners| corners.a), None),
            b: InfluenceReader::new(weights.b, corners.map(|corners| corners.b), bones),
        };
        let count = readers.a.len().min(readers.b.len());
        let mut counter = ItemCounter::default();
        for (number, (a, b)) in readers.a.zip(readers.b).enumerate() {
            if let Some(largest) = compare_influences(&a, &b, &self.options().tolerance) {
                let values = || Both::new(DiffValue::Influences(a), DiffValue::Influences(b));
                counter.add(as_u64(number), Some(largest), values);
            }
        }
        Ok(self.add_items(DiffKind::Attributes, place, counter.finish(as_u64(count)))?)
    }

    /// Compares the complete vertex frames that both meshes have. Surfaces share the vertices of a
    /// frame.
    pub fn compare_vertex_frames(&mut self, place: &DiffPlace<'_>, levels: Both<&dyn Geometry>) -> anyhow::Result<()> {
        let frames = self.read(levels, Geometry::vertex_frame_count)?;
        self.compare_counts(place, "vertex_frames", "vertex frames", frames)?;
        let surfaces = self.read(levels, SurfaceArrays::surface_count)?;
        let is_wanted = self.options().wants(DiffKind::Animations) && !self.is_by_corner();
        if !is_wanted || surfaces.a == 0 || surfaces.b == 0 {
            return Ok(());
        }
        let whole = self.read(levels, |level| whole_frames(level, 0))?.map(as_index);
        if whole != frames {
            self.compare_counts(place, "whole_vertex_frames", "vertex frames that are complete", whole)?;
        }
        for frame in 0..whole.a.min(whole.b) {
            if self.sink.is_decided() {
                break;
            }
            let positions = self.read(levels, |level| level.surface(0)?.vertex_frame(frame))?;
            let place = place.item("frame", Both::new(frame, frame), &[]);
            self.compare_items(DiffKind::Animations, &place.part("positions", "positions"), positions, None)?;
        }
        Ok(())
    }
}

impl MeshComparison<'_, '_> {
    /// Compares the arrays of two surfaces that only the format of both files has.
    ///
    /// Trees are left out, because they follow from the triangles.
    pub fn compare_own_arrays(&mut self, place: &DiffPlace<'_>, surfaces: Both<Surface<'_>>) -> anyhow::Result<()> {
        if !self.options().wants(DiffKind::Attributes) || !self.sides.have_same_format() || self.is_by_corner() {
            return Ok(());
        }
        for info in surfaces.a.geometry.extra_arrays() {
            if self.sink.is_decided() {
                break;
            }
            if matches!(info.owner, ItemOwner::Vertex | ItemOwner::Triangle) {
                self.compare_own_array(place, surfaces, info)?;
            }
        }
        Ok(())
    }

    fn compare_own_array(
        &mut self,
        place: &DiffPlace<'_>,
        surfaces: Both<Surface<'_>>,
        info: &ExtraArrayInfo,
    ) -> anyhow::Result<()> {
        let Both { a, b } = self.read(surfaces, |surface| surface.extra_array(info.name))?;
        // Older versions of a format do not store what follows from the triangles.
        if info.owner == ItemOwner::Triangle && (a.is_none() || b.is_none()) {
            return Ok(());
        }
        let name = info.name;
        let key = name.replace('-', "_");
        let place = place.part(&key, name);
        let counts = Both::new(&a, &b).map(|array| array.as_ref().map_or(0, ExtraArray::count));
        self.sink.compare(DiffKind::Counts, &place, counts.map(DiffValue::count))?;
        let Some(Both { a, b }) = Both::new(a, b).all() else { return Ok(()) };
        let (count, width) = (counts.a.min(counts.b), a.width());
        let mut counter = ItemCounter::default();
        for start in (0..count).step_by(CHUNK) {
            let range = start..start.saturating_add(CHUNK).min(count);
            let values = Both { a: a.values(range.clone()), b: b.values(range) };
            let rows = Both::new(&values.a, &values.b).map(|values| values.chunks_exact(width.max(1)));
            for ((a, b), number) in rows.a.zip(rows.b).zip(as_u64(start)..) {
                if let Some(largest) = self.options().tolerance.greatest(a, b) {
                    counter.add(number, Some(largest), || Both::new(shown(a), shown(b)));
                }
            }
        }
        Ok(self.add_items(DiffKind::Attributes, &place, counter.finish(as_u64(count)))?)
    }
}

fn shown(row: &[f64]) -> DiffValue {
    match row {
        [only] => DiffValue::Float(narrow(*only)),
        _ => DiffValue::Floats(row.iter().map(|part| narrow(*part)).collect()),
    }
}

/// Reads the influences on one vertex after another, or on the vertices that the corners of
/// triangles refer to.
///
/// The influences are sorted by bone. Influences with the weight 0 are left out.
struct InfluenceReader<'a> {
    order: InfluenceOrder<'a>,
    /// For each bone of the file, the number that it gets, if it gets another one.
    bones: Option<Vec<Option<usize>>>,
}

/// The order in which the vertices are read.
enum InfluenceOrder<'a> {
    Vertices(WeightsIter<'a>, usize),
    Corners { weights: Weights<'a>, corners: Indices<'a>, next: usize },
}

impl<'a> InfluenceReader<'a> {
    fn new(weights: Weights<'a>, corners: Option<Indices<'a>>, bones: Option<Vec<Option<usize>>>) -> Self {
        let order = match corners {
            Some(corners) => InfluenceOrder::Corners { weights, corners, next: 0 },
            None => InfluenceOrder::Vertices(weights.iter(), weights.len()),
        };
        Self { order, bones }
    }

    /// Returns the number of lists of influences.
    fn len(&self) -> usize {
        match &self.order {
            InfluenceOrder::Vertices(_, count) => *count,
            InfluenceOrder::Corners { corners, .. } => corners.len(),
        }
    }

    /// Returns the number of a bone in the other mesh. A bone without a partner gets a number that
    /// no bone has.
    fn renumbered(&self, bone: i32) -> i32 {
        let Some(bones) = &self.bones else { return bone };
        let Some(partner) = usize::try_from(bone).ok().and_then(|bone| bones.get(bone)) else { return bone };
        let missing = bone.saturating_neg().saturating_sub(1);
        partner.and_then(|partner| i32::try_from(partner).ok()).unwrap_or(missing)
    }
}

impl Iterator for InfluenceReader<'_> {
    type Item = Vec<(i32, f32)>;

    fn next(&mut self) -> Option<Self::Item> {
        let influences = match &mut self.order {
            InfluenceOrder::Vertices(lists, _) => lists.next()?,
            InfluenceOrder::Corners { weights, corners, next } => {
                let vertex = corners.get(*next)?;
                *next = next.saturating_add(1);
                match weights.get(vertex) {
                    Some(influences) => influences,
                    None => return Some(Vec::new()),
                }
            }
        };
        let mut list = Vec::with_capacity(influences.len());
        influences.for_each(|one| {
            if one.weight != 0.0 {
                list.push((self.renumbered(one.bone), one.weight));
            }
        });
        list.sort_unstable_by_key(|(bone, _)| *bone);
        Some(list)
    }
}

/// Returns the largest difference of the weights of a bone, or `None` if all weights count as
/// equal. Both lists are in the order of the bones. A bone that is not in a list has the weight 0.
fn compare_influences(mut a: &[(i32, f32)], mut b: &[(i32, f32)], tolerance: &Tolerance) -> Option<f64> {
    let mut largest: Option<f64> = None;
    while let Some(bone) = a.first().into_iter().chain(b.first()).map(|(bone, _)| *bone).min() {
        let difference = tolerance.difference(take_weight(&mut a, bone), take_weight(&mut b, bone));
        largest = largest.into_iter().chain(difference).reduce(f64::max);
    }
    largest
}

/// Removes the weights of a bone from the start of a list, and returns their sum.
fn take_weight(list: &mut &[(i32, f32)], bone: i32) -> f64 {
    let mut sum = 0.0;
    while let Some(((_, weight), rest)) = list.split_first().filter(|((first, _), _)| *first == bone) {
        sum += f64::from(*weight);
        *list = rest;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_bone_has_no_weight() {
        let tolerance = Tolerance { absolute: 0.01, relative: 0.0 };
        assert_eq!(compare_influences(&[(0, 1.0)], &[(0, 0.995), (3, 0.005)], &tolerance), None);
        assert_eq!(compare_influences(&[(0, 0.5), (1, 0.5)], &[(0, 0.5), (2, 0.5)], &tolerance), Some(0.5));
        assert_eq!(compare_influences(&[(0, 0.25), (0, 0.25)], &[(0, 0.5)], &Tolerance::default()), None);
        assert_eq!(compare_influences(&[(0, f32::NAN)], &[(0, f32::NAN)], &tolerance), None);
    }
}
