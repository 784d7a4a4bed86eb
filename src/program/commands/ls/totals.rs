//! The totals of all rows that `ls` prints, and the condition of `--fail-if`.

use serde_json::{Map, Value, json};

use crate::program::describe::rows::column::{Cell, TableColumn};
use crate::program::describe::rows::filter::Condition;
use crate::program::describe::rows::row::TableRow;
use crate::program::outcome::Outcome;
use crate::program::output::json::extend;
use crate::program::output::text::{complain, count, counted, mesh_suffix, shown};
use crate::program::output::units::bytes;

/// The number of rows that the message names.
const NAMED: usize = 3;

/// The sums over the printed rows.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    is_of_surfaces: bool,
    finds_duplicates: bool,
    rows: u64,
    /// The number of rows about animations.
    animations: u64,
    pub unreadable: u64,
    /// The number of rows about meshes whose damaged arrays are not counted.
    damaged: u64,
    pub bytes: u64,
    pub triangles: u64,
    pub vertices: u64,
    /// The sums of the vertices and bytes on a GPU, or `None` if those of a row are not known.
    gpu: Option<[u64; 2]>,
    rigged: u64,
    duplicates: u64,
    duplicate_bytes: u64,
    /// The number of rows with findings, or `None` if they were not requested.
    with_findings: Option<u64>,
    /// The number of files in folders that are no meshes.
    pub passed_by: u64,
}

impl Totals {
    pub fn new(is_of_surfaces: bool, finds_duplicates: bool) -> Self {
        Self { is_of_surfaces, finds_duplicates, gpu: Some([0, 0]), with_findings: Some(0), ..Self::default() }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &TableRow) {
        let add = |sum: &mut u64, value: u64| *sum = sum.saturating_add(value);
        let Ok(values) = &row.values else {
            add(&mut self.unreadable, 1);
            return;
        };
        add(&mut self.rows, 1);
        let number = |column| row.number(column);
        let bytes = number(TableColumn::Bytes).unwrap_or_default();
        add(&mut self.bytes, bytes);
        add(&mut self.triangles, number(TableColumn::Triangles).unwrap_or_default());
        add(&mut self.vertices, number(TableColumn::Vertices).unwrap_or_default());
        add(&mut self.animations, u64::from(row.cell(TableColumn::Kind) == Cell::Text("animation".to_owned())));
        add(&mut self.rigged, u64::from(row.cell(TableColumn::Rigged) == Cell::Flag(true)));
        add(&mut self.damaged, u64::from(values.is_damaged));
        if row.duplicate_of.is_some() {
            add(&mut self.duplicates, 1);
            add(&mut self.duplicate_bytes, bytes);
        }
        let gpu = number(TableColumn::GpuVertices).zip(number(TableColumn::GpuBytes));
        self.gpu = self
            .gpu
            .zip(gpu)
            .map(|([vertices, bytes], (more, size))| [vertices.saturating_add(more), bytes.saturating_add(size)]);
        let found = number(TableColumn::Findings).map(|findings| u64::from(findings > 0));
        self.with_findings = self.with_findings.zip(found).map(|(sum, found)| sum.saturating_add(found));
    }

    /// Returns the numbers of meshes and of animations.
    pub const fn kinds(&self) -> [u64; 2] {
        [self.rows.saturating_sub(self.animations), self.animations]
    }

    /// Returns the totals as a sentence.
    pub fn text(&self) -> String {
        let [meshes, animations] = self.kinds();
        let mut parts = if self.is_of_surfaces {
            vec![counted(self.rows, "surface")]
        } else {
            let all = [(meshes, "mesh"), (animations, "animation")];
            // A list of animations has no meshes to count.
            let all = all.into_iter().filter(|(count, noun)| *count > 0 || *noun == "mesh" && animations == 0);
            all.map(|(count, noun)| counted(count, noun)).collect()
        };
        parts.push(counted(self.triangles, "triangle"));
        if let Some([vertices, size]) = self.gpu.filter(|[vertices, _]| *vertices > 0) {
            parts.push(format!("{} on a GPU ({})", counted(vertices, "vertex"), bytes(size)));
        }
        if !self.is_of_surfaces {
            parts.push(format!("{} of files", bytes(self.bytes)));
            parts.push(format!("{} rigged", count(self.rigged)));
            if let Some(found) = self.with_findings.filter(|_| self.rows > 0) {
                parts.push(format!("{} with findings", count(found)));
            }
        }
        if self.duplicates > 0 {
            parts.push(format!("{} of {}", counted(self.duplicates, "duplicate"), bytes(self.duplicate_bytes)));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} unreadable", count(self.unreadable)));
        }
        if self.damaged > 0 && !self.is_of_surfaces {
            parts.push(format!("{} damaged (see `meshpeek validate`)", count(self.damaged)));
        }
        if self.passed_by > 0 {
            parts.push(format!("{} passed by", counted(self.passed_by, "other file")));
        }
        parts.join(", ")
    }

    /// Returns the totals as a JSON object.
    pub fn json(&self) -> Value {
        let [meshes, animations] = self.kinds();
        let of_files = |value: u64| if self.is_of_surfaces { Value::Null } else { value.into() };
        let mut object = Map::new();
        if self.is_of_surfaces {
            object.insert("surfaces".into(), self.rows.into());
        } else {
            object.insert("meshes".into(), meshes.into());
            object.insert("animations".into(), animations.into());
            // No format of today has files that only place meshes.
            object.insert("scenes".into(), 0.into());
        }
        let fields = json!({
            "unreadable": self.unreadable,
            "bytes": of_files(self.bytes),
            "triangles": self.triangles,
            "vertices": self.vertices,
            "gpu_vertices": self.gpu.map(|[vertices, _]| vertices),
            "gpu_bytes": self.gpu.map(|[_, bytes]| bytes),
            "rigged": of_files(self.rigged),
            "with_findings": self.with_findings,
            "passed_by": self.passed_by,
            "duplicates": self.finds_duplicates.then_some(self.duplicates),
        });
        extend(object.into(), &fields)
    }
}

/// Counts the rows that meet the condition.
pub struct Gate {
    condition: Condition,
    text: String,
    is_of_surfaces: bool,
    found: u64,
    names: Vec<String>,
}

impl Gate {
    pub const fn new(condition: Condition, text: String, is_of_surfaces: bool) -> Self {
        Self { condition, text, is_of_surfaces, found: 0, names: Vec::new() }
    }

    /// Tests a row.
    pub fn add(&mut self, row: &TableRow) {
        if !self.condition.holds(row) {
            return;
        }
        self.found = self.found.saturating_add(1);
        if self.names.len() < NAMED {
            let surface = row.number(TableColumn::Surface).map(|number| format!(" surface {number}"));
            let surface = surface.unwrap_or_default();
            self.names.push(format!("{}{}{surface}", shown(&row.path), mesh_suffix(row.mesh.as_deref())));
        }
    }

    /// Prints the number of rows that meet the condition, and returns the outcome.
    pub fn finish(self) -> Outcome {
        if self.found == 0 {
            return Outcome::Fine;
        }
        let rows = counted(self.found, if self.is_of_surfaces { "surface" } else { "file" });
        let meet = if self.found == 1 { "meets" } else { "meet" };
        let rest = usize::try_from(self.found).unwrap_or(usize::MAX).saturating_sub(self.names.len());
        let more = if rest > 0 { format!(" and {} more", count(rest)) } else { String::new() };
        complain(&format!("--fail-if: {rows} {meet} the condition {}: {}{more}", self.text, self.names.join(", ")));
        Outcome::Findings
    }
}
