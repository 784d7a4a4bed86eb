//! Lowering to the neutral view: a surface for each section of each mesh.

use super::FORMAT;
use super::animation::Animation;
use super::check::RULES;
use super::mesh::{Mesh, Section};
use super::outline::Kind;
use super::semantic::Semantic as S;
use super::system::MeshSystem;
use super::view::View;
use crate::array::{Array, Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::animation::{Animations, Clip};
use crate::model::{
    Bone, Colors, Counts, FormatVersion, Frames, Geometry, Indices, MeshFile, Normals, Positions, Transform, Uvs,
    Weights,
};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, Rule, expect_length};
use crate::sidecar::{Builder, Sidecar};
use std::io::Write;
use std::sync::Arc;

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for MeshSystem<D> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        self.form().name()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for MeshSystem<D> {
    /// The bones of all skeletons, one skeleton behind another.
    fn bone_count(&self) -> usize {
        self.view().bone_count()
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        self.view().bone(bone)
    }

    fn clip_count(&self) -> usize {
        self.view().count(Kind::Animation)
    }

    /// No rate: what files say of time cannot be relied on.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        let animation = self.animation(clip)?;
        let bones = u32::try_from(animation.track_range().len()).unwrap_or(u32::MAX);
        let (name, frames) = (animation.name()?, animation.frame_count()?);
        Ok(Clip { name, frames, bones, rate: None, first_vertex_frame: None })
    }

    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let view = self.view();
        let animation = self.animation(clip)?;
        expect_length(FORMAT, "out", view.bone_count(), out.len())?;
        let count = animation.frame_count()?;
        if frame >= as_index(count) {
            let kind = ErrorKind::NoSuch { count: count.into(), index: as_u64(frame) };
            return Err(Error::without_offset(FORMAT, Field::new("frame").of("animation", as_u64(clip)), kind));
        }
        for (bone, out) in out.iter_mut().enumerate() {
            *out = view.bone(bone)?.bind;
        }
        for track in animation.tracks() {
            let bone = view.find_bone(track.name()?).and_then(|bone| out.get_mut(bone));
            let keys = track.keys()?;
            // A track that is shorter than others stays at its last frame.
            let last = keys.len().checked_sub(1);
            if let (Some(bone), Some(key)) = (bone, last.and_then(|last| keys.get(frame.min(last)))) {
                *bone = key;
            }
        }
        Ok(())
    }

    /// Those that a track names, if it has a frame.
    fn moves(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        let view = self.view();
        let animation = self.animation(clip)?;
        expect_length(FORMAT, "out", view.bone_count(), out.len())?;
        out.fill(false);
        for track in animation.tracks() {
            let bone = view.find_bone(track.name()?).and_then(|bone| out.get_mut(bone));
            if let Some(moved) = bone {
                *moved |= track.frame_count()? > 0;
            }
        }
        Ok(())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for MeshSystem<D> {
    /// The box around all positions: what files declare cannot be relied on. Unfolds the vertices of text; those of a damaged
    /// block are left out.
    fn bounds(&self) -> Bounds {
        *self.state().bounds.get_or_init(|| {
            let view = self.view();
            let own = view.sections().filter(Section::has_own_vertices).map(|section| section.vertex_buffer());
            let shared = view.meshes().filter_map(|mesh| mesh.vertex_buffer().transpose());
            let boxes = shared.chain(own).filter_map(|buffer| {
                let buffer = buffer.ok()?;
                let positions = buffer.vertices().ok()?.positions()?;
                buffer.note_positions();
                Some(positions.bounds())
            });
            boxes.fold(Bounds::EMPTY, |all, one| all.union(&one))
        })
    }

    fn sphere(&self) -> Option<Sphere> {
        None
    }

    fn surface_count(&self) -> usize {
        self.view().count(Kind::Section)
    }

    /// The mesh's name.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.section(surface)?.mesh().name()
    }

    /// The box around the vertices that the section's triangles use; around all, where no other section shares them.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        let section = self.section(surface)?;
        let positions = self.positions(surface, 0)?;
        section.vertex_buffer()?.note_positions();
        if section.has_own_vertices() || section.mesh().section_range().len() == 1 {
            return Ok(positions.bounds());
        }
        let mut bounds = Bounds::EMPTY;
        if let Some(triangles) = section.index_buffer()? {
            triangles.note();
        }
        self.indices(surface)?.for_each(|index| {
            if let Some(at) = positions.get(as_index(index)) {
                bounds = bounds.union(&Bounds { min: at, max: at });
            }
        });
        Ok(bounds)
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.section(surface).map(|_| None)
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let name = self.section(surface)?.material_name()?;
        Ok((!name.as_bytes().is_empty()).then_some(name))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        let section = self.section(surface)?;
        let buffer = section.vertex_buffer()?;
        let corners = section.index_buffer()?.map_or(0, |triangles| triangles.index_count());
        let has = |semantic| buffer.layout().column(semantic).is_some();
        let uv_sets = (0..4).rev().find(|set| has(S::Texcoord(*set))).map_or(0, |set| u32::from(set).saturating_add(1));
        Ok(Counts {
            vertices: buffer.count(),
            attribute_vertices: buffer.count(),
            corners: u32::try_from(corners).unwrap_or(u32::MAX),
            index_widths: [4, 4],
            uv_sets,
            colors: has(S::Color),
            weights: has(S::BlendWeights) && has(S::BlendIndices),
            targets: 1,
        })
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        let section = self.section(surface)?;
        if target > 0 {
            return Err(no_such("target", 1, target));
        }
        let buffer = section.vertex_buffer()?;
        buffer.vertices()?.positions().ok_or_else(|| {
            let kind = ErrorKind::Missing { expected: "positions, as three floats".into() };
            Error::new(FORMAT, buffer.place().named("semantic"), buffer.offset().unwrap_or_default(), kind)
        })
    }

    /// The format has tangents and binormals beside normals, and no frames that hold all of them.
    fn frames(&self, surface: usize, target: usize) -> Result<Option<Frames<'_>>> {
        self.positions(surface, target).map(|_| None)
    }

    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        if target > 0 {
            return Err(no_such("target", 1, target));
        }
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.normals())
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.uvs(set))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.colors())
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        let section = self.section(surface)?;
        let first = section.mesh().bones()?.start;
        Ok(section.vertex_buffer()?.vertices()?.weights(first))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        match self.section(surface)?.index_buffer()? {
            Some(triangles) => triangles.indices(),
            None => Ok(Indices::Consecutive(crate::array::Consecutive::new(0))),
        }
    }

    /// All attributes of a vertex have its index.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.section(surface).map(|_| None)
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let field = Field::new(name).of("surface", as_u64(surface));
        let Ok(section) = self.section(surface) else { return Error::without_offset(FORMAT, field, kind) };
        let start = match name {
            "indices" | "attribute_indices" => section.index_buffer().ok().flatten().and_then(|all| all.offset().ok()),
            _ => section.vertex_buffer().ok().and_then(|all| all.offset().ok()),
        };
        // Where a number stands in a text only its reader knows: of text, the block is to blame.
        let into = if self.dialect().is_some() { 0 } else { into };
        match start {
            Some(start) => Error::new(FORMAT, field, start.saturating_add(into), kind),
            None => Error::without_offset(FORMAT, field, kind),
        }
    }
}

impl<D: AsRef<[u8]>> MeshSystem<D> {
    /// Returns the section that is a surface.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`].
    pub fn section(&self, surface: usize) -> Result<Section<'_>> {
        let view = self.view();
        let count = view.count(Kind::Section);
        if surface < count { Ok(Section::new(view, surface)) } else { Err(no_such("surface", count, surface)) }
    }

    /// Returns an animation.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`].
    pub fn animation(&self, clip: usize) -> Result<Animation<'_>> {
        let view = self.view();
        let count = view.count(Kind::Animation);
        if clip < count { Ok(Animation::new(view, clip)) } else { Err(no_such("clip", count, clip)) }
    }

    /// Returns a mesh.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`].
    pub fn mesh(&self, mesh: usize) -> Result<Mesh<'_>> {
        let view: View<'_> = self.view();
        let count = view.count(Kind::Mesh);
        if mesh < count { Ok(Mesh::new(view, mesh)) } else { Err(no_such("mesh", count, mesh)) }
    }
}

fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
    Error::without_offset(FORMAT, Field::new("").of(list, as_u64(index)), kind)
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for MeshSystem<D> {
    type Data = D;

    fn options(&self) -> &OpenOptions {
        &self.state().context.options
    }

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then(|| self.data())
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state().context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        Self::regions(self, visit)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        Self::validate(self, report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        Self::write_to(self, out)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        self.take_sidecar(sidecar);
    }

    fn index(&self, builder: &mut Builder) -> Result<()> {
        Self::index(self, builder)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}
