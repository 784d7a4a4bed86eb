//! Compares the surfaces of two meshes.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::DiffKind;
use super::pairing::{Pairing, names};
use super::value::DiffValue;
use crate::array::Sphere;
use crate::math::as_index;
use crate::model::{Counts, Geometry, SurfaceArrays, VertexPool};
use crate::{Bounds, Name, Surface};

/// The pairs of vertex pools that were compared.
pub type ComparedPools = BTreeSet<(VertexPool, VertexPool)>;

impl MeshComparison<'_, '_> {
    /// Compares two lists of surfaces, and the vertex frames of the meshes.
    pub fn compare_surfaces(&mut self, place: &DiffPlace<'_>, levels: Both<&dyn Geometry>) -> anyhow::Result<()> {
        let counts = self.read(levels, SurfaceArrays::surface_count)?;
        self.compare_counts(place, "surfaces", "surfaces", counts)?;
        if self.options().wants(DiffKind::Bounds) && counts.a > 0 && counts.b > 0 {
            let bounds = self.read(levels, Geometry::bounds)?;
            let spheres = self.read(levels, Geometry::sphere)?;
            self.compare_bounds(place, bounds, spheres)?;
        }
        let name = |level: &dyn Geometry| names(level.surface_count()?, |surface| level.surface(surface)?.name());
        let pairing = Pairing::of_names(self.read(levels, name)?);
        self.compare_counts(place, "surfaces.order", "surfaces in another order", Both::new(0, pairing.misplaced()))?;
        let mut pools = ComparedPools::new();
        for pair in &pairing.pairs {
            if self.sink.is_decided() {
                return Ok(());
            }
            let place = pairing.place(place, "surface", *pair);
            self.sink.compare_names(&place, "name", pairing.names(*pair).map(|name| Some(Name::new(name))))?;
            self.compare_pair(&place, levels, *pair, &mut pools)?;
        }
        self.add_unpaired(place, "surface", &pairing)?;
        self.compare_vertex_frames(place, levels)
    }

    /// Compares two surfaces. A compressed surface is inflated, and freed afterwards.
    fn compare_pair(
        &mut self,
        place: &DiffPlace<'_>,
        levels: Both<&dyn Geometry>,
        pair: Both<usize>,
        pools: &mut ComparedPools,
    ) -> anyhow::Result<()> {
        let lent = self.read(levels.zip(pair), |(level, surface)| level.lend(surface))?;
        let surfaces = Both { a: lent.a.surface(), b: lent.b.surface() };
        self.compare_surface_facts(place, surfaces)?;
        if self.options().wants(DiffKind::Attributes) {
            self.compare_arrays(place, surfaces, pools)?;
            self.compare_own_arrays(place, surfaces)?;
        }
        Ok(())
    }

    fn compare_surface_facts(&mut self, place: &DiffPlace<'_>, surfaces: Both<Surface<'_>>) -> anyhow::Result<()> {
        if self.options().wants(DiffKind::Counts) {
            let counts = self.read(surfaces, |surface| surface.counts())?;
            self.compare_surface_counts(place, &counts)?;
        }
        if self.options().wants(DiffKind::Names) {
            let materials = self.read(surfaces, |surface| surface.material())?;
            if self.sides.have_same_format() || materials.all().is_some() {
                self.sink.compare_names(place, "material", materials)?;
            }
            let drawn = self.read(surfaces, |surface| surface.is_drawn())?.map(DiffValue::Flag);
            self.sink.compare(DiffKind::Names, &place.part("drawn", "visible"), drawn)?;
            let styles = self.read(surfaces, |surface| surface.draw_style())?;
            let shown = |style| DiffValue::Text(format!("{style:?}"));
            self.sink.compare_as(DiffKind::Names, &place.part("style", "draw style"), styles, shown)?;
        }
        if self.options().wants(DiffKind::Bounds) {
            let bounds = self.read(surfaces, |surface| surface.bounds())?;
            let spheres = self.read(surfaces, |surface| surface.sphere())?;
            self.compare_bounds(place, bounds, spheres)?;
        }
        Ok(())
    }

    /// Compares the counts of two surfaces. The numbers of vertices are part of the encoding if
    /// values are compared corner by corner.
    fn compare_surface_counts(&mut self, place: &DiffPlace<'_>, counts: &Both<Counts>) -> anyhow::Result<()> {
        type Count = (&'static str, &'static str, fn(&Counts) -> u32);
        let by_vertex: &[Count] = &[
            ("vertices", "vertices", |counts| counts.vertices),
            ("attribute_vertices", "attribute vertices", |counts| counts.attribute_vertices),
        ];
        let by_corner: &[Count] = &[
            ("corners", "triangle corners", |counts| counts.corners),
            ("uv_sets", "UV sets", |counts| counts.uv_sets),
            ("colors", "colour arrays", |counts| counts.colors.into()),
            ("weights", "weight arrays", |counts| counts.weights.into()),
            ("targets", "shapes", |counts| counts.targets),
        ];
        let by_vertex = if self.is_by_corner() { &[][..] } else { by_vertex };
        for (name, label, count) in by_vertex.iter().chain(by_corner) {
            let counts = counts.as_ref().map(|counts| as_index(count(counts)));
            self.compare_counts(place, name, label, counts)?;
        }
        Ok(())
    }

    fn compare_bounds(
        &mut self,
        place: &DiffPlace<'_>,
        bounds: Both<Bounds>,
        spheres: Both<Option<Sphere>>,
    ) -> anyhow::Result<()> {
        let place = place.part("bounds", "bounds");
        let kind = DiffKind::Bounds;
        let Both { a, b } = &bounds;
        self.sink.compare_floats(kind, &place.part("min", "min"), Both::new(&a.min, &b.min))?;
        self.sink.compare_floats(kind, &place.part("max", "max"), Both::new(&a.max, &b.max))?;
        if let Some(Both { a, b }) = spheres.all() {
            self.sink.compare_floats(kind, &place.part("center", "centre"), Both::new(&a.center, &b.center))?;
            self.sink.compare_floats(kind, &place.part("radius", "radius"), Both::new(&[a.radius], &[b.radius]))?;
        }
        Ok(())
    }
}
