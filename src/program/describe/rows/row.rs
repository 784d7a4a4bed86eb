//! The row of a mesh or of a surface.

use std::path::{Path, PathBuf};

use super::column::{Cell, TableColumn};
use crate::Severity;
use crate::math::as_u64;
use crate::program::describe::file_summary::FileSummary;
use crate::program::describe::kind::ContentKind;
use crate::program::formats::summary::{GpuSize, SurfaceLod, SurfaceSummary};

/// The maximum number of names of materials and of clips in one cell.
const MAX_NAMES: usize = 64;

/// The columns whose values are not known if a Second Life file was not inflated.
const COUNTS: [TableColumn; 6] = [
    TableColumn::Triangles,
    TableColumn::Vertices,
    TableColumn::AttributeVertices,
    TableColumn::Surfaces,
    TableColumn::Bones,
    TableColumn::Rigged,
];

/// A row: a mesh, or one of its surfaces.
pub struct TableRow {
    pub path: PathBuf,
    /// The name that a script gives to the mesh.
    pub mesh: Option<String>,
    /// The values, or the error if the file could not be read.
    pub values: Result<RowValues, crate::Error>,
    /// The path of the first row with the same content or topology.
    pub duplicate_of: Option<PathBuf>,
    /// The lines of the picture of the mesh, or no lines.
    pub picture: Vec<String>,
}

/// The values of a row that come from the file.
#[derive(Clone, Debug, Default)]
pub struct RowValues {
    pub kind: ContentKind,
    pub format: &'static str,
    pub version: &'static str,
    pub bytes: u64,
    pub triangles: u64,
    pub vertices: u64,
    pub attribute_vertices: u64,
    pub gpu: Option<GpuSize>,
    pub surfaces: u64,
    pub bones: u64,
    /// Whether the mesh has bones, and weights that attach vertices to them.
    pub rigged: bool,
    /// The number of vertex frames, or of frames of all clips together.
    pub frames: u64,
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
    /// Whether the surfaces of a Second Life file were not inflated, so that their counts are not
    /// known.
    pub is_unknown: bool,
    /// Whether the mesh has damaged arrays, which are not counted.
    pub is_damaged: bool,
}

/// The values of a row that only a surface has.
#[derive(Clone, Debug)]
pub struct SurfaceValues {
    /// The index of the asset in its container.
    asset: Option<u64>,
    index: u64,
    name: String,
    material: Option<String>,
    lod: Option<SurfaceLod>,
    uv_sets: u64,
    weights: bool,
    drawn: bool,
}

impl RowValues {
    /// Returns the values of a whole mesh.
    pub fn of_mesh(summary: &FileSummary) -> Self {
        let [vertices, attribute_vertices] = summary.stored_vertices();
        let lods = summary.described.blocks.iter().filter(|block| block.is_lod).count().max(summary.levels.len());
        let seconds = summary.clips.iter().filter_map(|clip| clip.seconds);
        Self {
            triangles: summary.triangles(),
            vertices,
            attribute_vertices,
            gpu: summary.gpu(),
            surfaces: as_u64(summary.surface_count()),
            bones: as_u64(summary.bones.len()),
            rigged: summary.is_rigged(),
            frames: summary.frames(),
            clips: as_u64(summary.clips.len()),
            clip_names: {
                let named = summary.clips.iter().filter(|clip| !clip.name.is_empty());
                named.take(MAX_NAMES).map(|clip| clip.name.clone()).collect()
            },
            seconds: seconds.reduce(f32::max),
            lods: as_u64(lods),
            materials: summary.materials(MAX_NAMES).into_iter().map(str::to_owned).collect(),
            size: Some(summary.placed.map_or(summary.drawn_bounds, |placed| placed.bounds))
                .filter(|bounds| !bounds.is_empty())
                .map(|bounds| bounds.size()),
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
                asset: surface.in_block.and_then(|in_block| in_block.asset).map(as_u64),
                index: as_u64(surface.index),
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
        let (kind, is_unknown) = (summary.kind(), !summary.is_inflated());
        let is_damaged = summary.findings.iter().any(|finding| finding.severity == Severity::Error);
        Self { kind, format, version, bytes, is_unknown, is_damaged, ..Self::default() }
    }

    fn cell(&self, column: TableColumn) -> Cell {
        let text = |text: &str| Cell::Text(text.to_owned());
        let flag =
            |of: fn(&SurfaceValues) -> bool| self.surface.as_ref().map_or(Cell::Null, |values| Cell::Flag(of(values)));
        let part = |part: fn([f32; 3]) -> f32| self.size.map_or(Cell::Null, |size| Cell::Float(part(size)));
        let surface = self.surface.as_ref();
        if self.is_unknown && COUNTS.contains(&column) {
            return Cell::Null;
        }
        match column {
            TableColumn::Kind => text(self.kind.name()),
            TableColumn::Format => text(self.format),
            TableColumn::Version => text(self.version),
            TableColumn::Bytes => Cell::Number(self.bytes),
            TableColumn::Triangles => Cell::Number(self.triangles),
            TableColumn::Vertices => Cell::Number(self.vertices),
            TableColumn::AttributeVertices => Cell::Number(self.attribute_vertices),
            TableColumn::GpuVertices => optional(self.gpu.map(|gpu| gpu.vertices)),
            TableColumn::GpuBytes => optional(self.gpu.as_ref().map(GpuSize::bytes)),
            TableColumn::Surfaces => Cell::Number(self.surfaces),
            TableColumn::Bones => Cell::Number(self.bones),
            TableColumn::Rigged => Cell::Flag(self.rigged),
            TableColumn::Clips => Cell::Number(self.clips),
            TableColumn::Frames => Cell::Number(self.frames),
            TableColumn::ClipNames => Cell::List(self.clip_names.clone()),
            TableColumn::Seconds => self.seconds.map_or(Cell::Null, Cell::Float),
            TableColumn::Lods => Cell::Number(self.lods),
            TableColumn::Materials => Cell::List(self.materials.clone()),
            TableColumn::SizeX => part(|[x, _, _]| x),
            TableColumn::SizeY => part(|[_, y, _]| y),
            TableColumn::SizeZ => part(|[_, _, z]| z),
            TableColumn::Findings => optional(self.findings.map(|[errors, warnings]| errors.saturating_add(warnings))),
            TableColumn::Errors => optional(self.findings.map(|[errors, _]| errors)),
            TableColumn::Warnings => optional(self.findings.map(|[_, warnings]| warnings)),
            TableColumn::Content => hash(self.content),
            TableColumn::Topology => hash(self.topology),
            TableColumn::Asset => optional(surface.and_then(|surface| surface.asset)),
            TableColumn::Surface => optional(surface.map(|surface| surface.index)),
            TableColumn::Name => surface.map_or(Cell::Null, |surface| text(&surface.name)),
            TableColumn::Material => surface.and_then(|surface| surface.material.as_deref()).map_or(Cell::Null, text),
            TableColumn::Lod => match surface.and_then(|surface| surface.lod) {
                Some(SurfaceLod::Block(name)) => text(name),
                Some(SurfaceLod::Number(number)) => Cell::Number(number.into()),
                None => Cell::Null,
            },
            TableColumn::UvSets => optional(surface.map(|surface| surface.uv_sets)),
            TableColumn::Weights => flag(|surface| surface.weights),
            TableColumn::Drawn => flag(|surface| surface.drawn),
            TableColumn::Path | TableColumn::Mesh | TableColumn::Readable | TableColumn::DuplicateOf => Cell::Null,
        }
    }
}

impl TableRow {
    /// Returns the value of a column.
    pub fn cell(&self, column: TableColumn) -> Cell {
        let path = |path: &Path| Cell::Text(path.to_string_lossy().into_owned());
        match column {
            TableColumn::Path => path(&self.path),
            TableColumn::Mesh => self.mesh.clone().map_or(Cell::Null, Cell::Text),
            TableColumn::Readable => Cell::Flag(self.values.is_ok()),
            TableColumn::DuplicateOf => self.duplicate_of.as_deref().map_or(Cell::Null, path),
            _ => self.values.as_ref().map_or(Cell::Null, |values| values.cell(column)),
        }
    }
}

fn optional(number: Option<u64>) -> Cell {
    number.map_or(Cell::Null, Cell::Number)
}

fn hash(hash: Option<u128>) -> Cell {
    hash.map_or(Cell::Null, |hash| Cell::Text(format!("{hash:032x}")))
}
