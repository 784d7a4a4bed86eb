//! The rows of the table that `ls` prints.

use std::path::{Path, PathBuf};

use super::column::{Cell, Column};
use crate::program::describe::file_summary::FileSummary;
use crate::program::formats::summary::{GpuSize, SurfaceSummary};

/// The maximum number of names of materials and of clips in one cell.
const MAX_NAMES: usize = 64;

/// A row: a mesh, or one of its surfaces.
pub struct Row {
    pub path: PathBuf,
    /// The name that a script gives to the mesh.
    pub mesh: Option<String>,
    /// The values, or the error if the file could not be read.
    pub values: Result<RowValues, crate::Error>,
    /// The path of the first row with the same content or topology.
    pub duplicate_of: Option<PathBuf>,
}

/// The values of a row that come from the file.
#[derive(Clone, Debug, Default)]
pub struct RowValues {
    pub format: &'static str,
    pub version: &'static str,
    pub bytes: u64,
    pub triangles: u64,
    pub vertices: u64,
    pub attribute_vertices: u64,
    pub gpu: Option<GpuSize>,
    pub surfaces: u64,
    pub bones: u64,
    pub clips: u64,
    pub clip_names: Vec<String>,
    pub seconds: Option<f32>,
    pub lods: u64,
    pub materials: Vec<String>,
    pub size: Option<[f32; 3]>,
    /// The numbers of errors and of warnings, if they were requested.
    pub findings: Option<[u64; 2]>,
    pub content: Option<u128>,
    pub topology: Option<u128>,
    pub surface: Option<SurfaceValues>,
}

/// The values of a row that only a surface has.
#[derive(Clone, Debug)]
pub struct SurfaceValues {
    index: u64,
    name: String,
    material: Option<String>,
    lod: Option<&'static str>,
    uv_sets: u64,
    weights: bool,
    drawn: bool,
}

impl RowValues {
    /// Returns the values of a whole mesh.
    pub fn of_mesh(summary: &FileSummary) -> Self {
        let own = || summary.surfaces.iter().filter(|surface| !surface.shares).map(|surface| surface.counts);
        let mut materials: Vec<String> = Vec::new();
        for material in summary.surfaces.iter().filter_map(|surface| surface.material.as_ref()) {
            if materials.len() < MAX_NAMES && !materials.contains(material) {
                materials.push(material.clone());
            }
        }
        let lods = summary.described.blocks.iter().filter(|block| block.is_lod).count();
        let seconds = summary.clips.iter().filter_map(|clip| clip.seconds);
        Self {
            triangles: summary.triangles(),
            vertices: match summary.vertex_frames {
                Some((_, vertices)) => number(vertices),
                None => own().map(|counts| u64::from(counts.vertices)).sum(),
            },
            attribute_vertices: own().map(|counts| u64::from(counts.attribute_vertices)).sum(),
            gpu: summary.gpu(),
            surfaces: number(summary.surfaces.len().saturating_add(summary.left_out)),
            bones: number(summary.bones.len()),
            clips: number(summary.clips.len()),
            clip_names: summary.clips.iter().take(MAX_NAMES).map(|clip| clip.name.clone()).collect(),
            seconds: seconds.reduce(f32::max),
            lods: number(lods),
            materials,
            size: (!summary.drawn_bounds.is_empty()).then(|| summary.drawn_bounds.size()),
            ..Self::of_file(summary)
        }
    }

    /// Returns the values of one surface of a mesh.
    pub fn of_surface(summary: &FileSummary, surface: &SurfaceSummary) -> Self {
        let SurfaceSummary { counts, bounds, .. } = surface;
        Self {
            triangles: u64::from(counts.corners / 3),
            vertices: counts.vertices.into(),
            attribute_vertices: counts.attribute_vertices.into(),
            gpu: surface.gpu,
            size: (!bounds.is_empty()).then(|| bounds.size()),
            surface: Some(SurfaceValues {
                index: number(surface.index),
                name: surface.name.clone(),
                material: surface.material.clone(),
                lod: surface.lod,
                uv_sets: counts.uv_sets.into(),
                weights: counts.weights,
                drawn: surface.drawn,
            }),
            ..Self::of_file(summary)
        }
    }

    fn of_file(summary: &FileSummary) -> Self {
        let FileSummary { format, version, bytes, .. } = *summary;
        Self { format, version, bytes, ..Self::default() }
    }

    fn cell(&self, column: Column) -> Cell {
        let text = |text: &str| Cell::Text(text.to_owned());
        let flag =
            |of: fn(&SurfaceValues) -> bool| self.surface.as_ref().map_or(Cell::Null, |values| Cell::Flag(of(values)));
        let part = |part: fn([f32; 3]) -> f32| self.size.map_or(Cell::Null, |size| Cell::Float(part(size)));
        let surface = self.surface.as_ref();
        match column {
            Column::Format => text(self.format),
            Column::Version => text(self.version),
            Column::Bytes => Cell::Number(self.bytes),
            Column::Triangles => Cell::Number(self.triangles),
            Column::Vertices => Cell::Number(self.vertices),
            Column::AttributeVertices => Cell::Number(self.attribute_vertices),
            Column::GpuVertices => optional(self.gpu.map(|gpu| gpu.vertices)),
            Column::GpuBytes => optional(self.gpu.map(|gpu| gpu.bytes)),
            Column::Surfaces => Cell::Number(self.surfaces),
            Column::Bones => Cell::Number(self.bones),
            Column::Rigged => Cell::Flag(self.bones > 0),
            Column::Clips => Cell::Number(self.clips),
            Column::ClipNames => Cell::List(self.clip_names.clone()),
            Column::Seconds => self.seconds.map_or(Cell::Null, Cell::Float),
            Column::Lods => Cell::Number(self.lods),
            Column::Materials => Cell::List(self.materials.clone()),
            Column::SizeX => part(|[x, _, _]| x),
            Column::SizeY => part(|[_, y, _]| y),
            Column::SizeZ => part(|[_, _, z]| z),
            Column::Findings => optional(self.findings.map(|[errors, warnings]| errors.saturating_add(warnings))),
            Column::Errors => optional(self.findings.map(|[errors, _]| errors)),
            Column::Warnings => optional(self.findings.map(|[_, warnings]| warnings)),
            Column::Content => hash(self.content),
            Column::Topology => hash(self.topology),
            Column::Surface => optional(surface.map(|surface| surface.index)),
            Column::Name => surface.map_or(Cell::Null, |surface| text(&surface.name)),
            Column::Material => surface.and_then(|surface| surface.material.as_deref()).map_or(Cell::Null, text),
            Column::Lod => surface.and_then(|surface| surface.lod).map_or(Cell::Null, text),
            Column::UvSets => optional(surface.map(|surface| surface.uv_sets)),
            Column::Weights => flag(|surface| surface.weights),
            Column::Drawn => flag(|surface| surface.drawn),
            Column::Path | Column::Mesh | Column::Readable | Column::DuplicateOf => Cell::Null,
        }
    }
}

impl Row {
    /// Returns the value of a column.
    pub fn cell(&self, column: Column) -> Cell {
        let path = |path: &Path| Cell::Text(path.to_string_lossy().into_owned());
        match column {
            Column::Path => path(&self.path),
            Column::Mesh => self.mesh.clone().map_or(Cell::Null, Cell::Text),
            Column::Readable => Cell::Flag(self.values.is_ok()),
            Column::DuplicateOf => self.duplicate_of.as_deref().map_or(Cell::Null, path),
            _ => self.values.as_ref().map_or(Cell::Null, |values| values.cell(column)),
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn optional(number: Option<u64>) -> Cell {
    number.map_or(Cell::Null, Cell::Number)
}

fn hash(hash: Option<u128>) -> Cell {
    hash.map_or(Cell::Null, |hash| Cell::Text(format!("{hash:032x}")))
}
