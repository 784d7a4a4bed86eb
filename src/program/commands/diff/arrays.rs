//! Compares the arrays of two surfaces.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::items::{DiffItem, ItemCounter, ItemSource, StoredArray, compare};
use super::options::DiffKind;
use super::surfaces::ComparedPools;
use super::value::DiffValue;
use super::weights::{InfluenceReader, compare_influences};
use crate::math::{as_index, as_u64};
use crate::model::{Geometry, Indices, SurfaceArrays, Weights};
use crate::scene::whole_frames;
use crate::{Result, Surface};

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
            self.compare_items(&place.part("indices", "indices"), indices, None)?;
            let place = place.part("attribute_indices", "attribute indices");
            if !single.a || !single.b {
                self.compare_items(&place, attribute_indices, None)?;
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
            self.compare_items(&place.part("positions", "positions"), positions, corners)?;
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
                self.compare_items(&place.part("normals", "normals"), normals, corners)?;
            }
            if let Some(frames) = self.read(surfaces, |surface| surface.target_tangent_frames(target))?.all() {
                self.compare_items(&place.part("tangents", "tangents"), frames, corners)?;
            }
        }
        let sets = self.read(surfaces, |surface| surface.counts())?.map(|counts| as_index(counts.uv_sets));
        for set in 0..sets.a.min(sets.b) {
            if let Some(uvs) = self.read(surfaces, |surface| surface.uvs(set))?.all() {
                let name = format!("uv{set}");
                self.compare_items(&place.part(&name, &name), uvs, corners)?;
            }
        }
        if let Some(colors) = self.read(surfaces, |surface| surface.colors())?.all() {
            self.compare_items(&place.part("colors", "colours"), colors, corners)?;
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

    /// Compares the items of two arrays.
    pub fn compare_items<A: StoredArray<Item: DiffItem>>(
        &mut self,
        place: &DiffPlace<'_>,
        arrays: Both<A>,
        corners: CornerStreams<'_>,
    ) -> anyhow::Result<()> {
        self.compare_items_as(DiffKind::Attributes, place, arrays, corners)
    }

    /// Compares the items of two arrays, and adds a difference of the kind `kind`.
    pub fn compare_items_as<A: StoredArray<Item: DiffItem>>(
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
            self.compare_items_as(DiffKind::Animations, &place.part("positions", "positions"), positions, None)?;
        }
        Ok(())
    }
}
