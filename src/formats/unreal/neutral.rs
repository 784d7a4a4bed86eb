//! Lowering to the neutral view.

use super::check::RULES;
use super::mesh::Mesh;
use super::read::{ANIV, DATA, FRAMES_AT, POLYGONS_AT};
use super::uc::Script;
use crate::array::{Bounds, Consecutive, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::animation::{Animations, Clip, Notify};
use crate::model::{Bone, Colors, Counts, FormatVersion, Frames, Geometry, Indices, MeshFile, Positions, Uvs, Weights};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, Rule};
use std::io::Write;

/// Frames per second of a sequence that gives no rate.
const RATE: f32 = 30.0;

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        "unreal"
    }

    fn version(&self) -> &'static str {
        self.variant().name()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    fn bone_count(&self) -> usize {
        0
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        Err(no_such("bone", 0, bone))
    }

    fn clip_count(&self) -> usize {
        match self.sequence_count() {
            0 => usize::from(self.frame_count() > 0),
            count => count,
        }
    }

    /// A script's sequences; without any, all frames are one clip that has no name.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        if clip >= self.clip_count() {
            return Err(no_such("clip", self.clip_count(), clip));
        }
        let all = self.shape.frames;
        let Some(sequence) = self.script().and_then(|script| script.sequence(clip)) else {
            return Ok(Clip { name: Name::default(), frames: all, bones: 0, rate: None, first_vertex_frame: Some(0) });
        };
        // A script may name frames that do not exist: a clip has those that do.
        let [first, end] =
            [sequence.start, sequence.start.saturating_add(sequence.frames)].map(|frame| clamp(frame).min(all));
        let frames = end.saturating_sub(first);
        // What is no rate gives way to the default, as what is missing does.
        let rate = sequence.rate.filter(|rate| rate.is_finite() && *rate > 0.0).or(Some(RATE));
        Ok(Clip { name: sequence.name, frames, bones: 0, rate, first_vertex_frame: Some(first) })
    }

    fn notify(&self, clip: usize, index: usize) -> Result<Option<Notify<'_>>> {
        self.clip(clip)?;
        let notify = self.script().and_then(|script| script.notify(clip, index));
        Ok(notify.map(|notify| Notify { time: notify.time, function: notify.function }))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    /// Files hold no box: this is the one around frame 0.
    fn bounds(&self) -> Bounds {
        Self::bounds(self)
    }

    fn sphere(&self) -> Option<Sphere> {
        None
    }

    fn vertex_frame_count(&self) -> usize {
        self.frame_count()
    }

    /// All surfaces share one array of positions.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        self.surface(surface)?;
        self.frame(frame).map(|frame| frame.positions())
    }

    fn surface_count(&self) -> usize {
        Self::surface_count(self)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        let label = self.surface(surface)?.label();
        Ok(self.surface_material(surface)?.unwrap_or(Name::new(label.as_bytes())))
    }

    /// Files hold no box: this is the one around the vertices that the surface uses, in frame 0.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        let view = self.surface(surface)?;
        let positions = self.positions(surface, 0)?;
        self.note_polygons();
        self.note_aniv(FRAMES_AT, as_u64(positions.as_bytes().len()));
        let used = view.indices().iter().filter_map(|vertex| positions.get(as_index(vertex)));
        Ok(used.fold(Bounds::EMPTY, |bounds, at| bounds.union(&Bounds { min: at, max: at })))
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.surface(surface).map(|_| None)
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let number = self.surface(surface)?.texture();
        Ok(self.script().and_then(|script| script.texture(number.into())).map(|texture| texture.name))
    }

    fn is_drawn(&self, surface: usize) -> Result<bool> {
        self.surface(surface).map(|view| view.is_drawn())
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        let corners = self.surface(surface)?.triangle_count().saturating_mul(3);
        let [corners, vertices] = [corners, self.positions(surface, 0).map_or(0, |positions| positions.len())]
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Ok(Counts {
            // Fewer than the mesh has where the file's end cuts frame 0.
            vertices,
            attribute_vertices: corners,
            corners,
            index_widths: [2, 0],
            uv_sets: 1,
            targets: 1,
            ..Counts::default()
        })
    }

    /// The base shape is frame 0.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        self.surface(surface)?;
        match target {
            // Of a file that ends before its first frame, too, there are no positions.
            0 => Ok(self.frame(0).map_or_else(|_| self.no_positions(), |frame| frame.positions())),
            _ => Err(no_such("target", 1, target)),
        }
    }

    /// The format stores no normals: [`Mesh::normals`] computes them.
    fn frames(&self, surface: usize, target: usize) -> Result<Option<Frames<'_>>> {
        self.positions(surface, target).map(|_| None)
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let view = self.surface(surface)?;
        Ok((set == 0).then(|| view.uvs(self.uv_divisor())))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        self.surface(surface).map(|_| None)
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.surface(surface).map(|_| None)
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.surface(surface).map(|view| view.indices())
    }

    /// Texture coordinates stand one to a corner, so each corner's number is its index.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        let corners = self.counts(surface)?.corners;
        Ok(Some(Indices::Consecutive(Consecutive::new(corners))))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let field = Field::new(name).of("surface", as_u64(surface));
        match name {
            "indices" | "attribute_indices" => Error::new(DATA, field, POLYGONS_AT.saturating_add(into), kind),
            "positions" => Error::new(ANIV, field, FRAMES_AT.saturating_add(into), kind),
            _ => Error::without_offset(DATA, field, kind),
        }
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the number of sequences that a script gives the mesh.
    fn sequence_count(&self) -> usize {
        self.script().map_or(0, |script| script.sequence_count())
    }
}

/// What a script counts may be negative, or more than there is room for.
fn clamp(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
    Error::without_offset(DATA, Field::new("").of(list, as_u64(index)), kind)
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn options(&self) -> &OpenOptions {
        Self::options(self)
    }

    fn source(&self, source: usize) -> Option<&D> {
        match source {
            0 => Some(self.data()),
            1 => Some(self.aniv()),
            2 => self.whole_script().map(Script::data),
            _ => None,
        }
    }

    fn source_count(&self) -> usize {
        if self.whole_script().is_some() { 3 } else { 2 }
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.access_logs().get(source).copied().flatten()
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        match (source, self.whole_script()) {
            (0, _) => self.data_regions(visit),
            (1, _) => self.aniv_regions(visit),
            (2, Some(script)) => script.regions(visit),
            _ => self.expect_source(source),
        }
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)?;
        self.validate_script(report);
        Ok(())
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        Self::validate(self, report)?;
        self.validate_script(report);
        Ok(())
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        match (source, self.whole_script()) {
            (0, _) => self.write_data(out),
            (1, _) => self.write_aniv(out),
            (2, Some(script)) => script.write_to(out),
            _ => self.expect_source(source),
        }
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reports what is wrong with the script, if there is one.
    fn validate_script(&self, report: &mut dyn FnMut(Finding)) {
        if let Some(script) = self.whole_script() {
            script.validate(&mut |finding| report(Finding { source: 2, ..finding }));
        }
    }
}
