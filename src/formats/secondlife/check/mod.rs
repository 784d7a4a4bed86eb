//! The rules that `validate` knows for Second Life meshes.
//!
//! Those of severity error name a part that cannot be used as it is; what the published page calls a must and no program
//! minds is a warning, or info where sound files have it, too. A finding is about one rule at one place; where many items
//! breach a rule, there is one finding, which counts them and points at the first.

mod header;
mod level;
mod physics;
mod skin;
mod tree;

use super::block::{Block, Buffer};
use super::header::OFFSET_AND_SIZE;
use super::layout::{FORMAT, Lod, Part};
use super::llsd::{Item, Map, Value};
use super::mesh::Mesh;
use super::view::View;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::parse::{Finding, Report, Rule, Severity, rule};

/// The rules. Ids are stable and never given to another rule.
pub const RULES: &[Rule] = &[
    rule("SL01", Severity::Error, "The header is one well-formed LLSD map."),
    rule("SL02", Severity::Error, "Offsets and sizes of blocks are not negative, and blocks end within the file."),
    rule("SL03", Severity::Error, "The version is at most 999."),
    rule("SL04", Severity::Error, "There is at least one level of detail."),
    rule("SL05", Severity::Error, "A block is one zlib stream, complete, with the right Adler-32; warning for gzip."),
    rule("SL06", Severity::Error, "A block inflates, within the limit, to one LLSD value and nothing else."),
    rule(
        "SL07",
        Severity::Error,
        "A level of detail, and a physics mesh, is an array of maps that is not empty; skin and hulls are maps.",
    ),
    rule("SL08", Severity::Error, "A submesh with geometry has whole positions, one at least, and whole triangles."),
    rule("SL09", Severity::Error, "Normals, texture coordinates and tangents are one to a vertex."),
    rule("SL10", Severity::Error, "Every index is below the number of vertices."),
    rule(
        "SL11",
        Severity::Error,
        "A domain is two times the right number of finite numbers, the lower ones first; texture coordinates have one.",
    ),
    rule("SL12", Severity::Error, "There is one list of weights to a vertex, and nothing behind the last."),
    rule(
        "SL13",
        Severity::Error,
        "Weights name joints of the skin; each joint has its matrices, of 16 finite numbers each.",
    ),
    rule("SL14", Severity::Error, "The hulls' sizes sum up to their points; hulls have both sizes and points."),
    rule("SL15", Severity::Error, "A hash is the MD5 of the stored block."),
    rule(
        "SL16",
        Severity::Warning,
        "There are high_lod and physics_convex, and in the latter the hull around everything.",
    ),
    rule("SL17", Severity::Warning, "low_lod comes with medium_lod, lowest_lod with low_lod."),
    rule("SL18", Severity::Warning, "All levels of detail have as many submeshes, and at most 8."),
    rule("SL19", Severity::Info, "A level of detail has fewer triangles than the next higher one."),
    rule("SL20", Severity::Warning, "A submesh says the box of its positions, which is within ±0.501."),
    rule("SL21", Severity::Warning, "NoGeometry is true, and the only key."),
    rule("SL22", Severity::Warning, "Every vertex is used by a triangle, and no triangle uses one twice."),
    rule("SL23", Severity::Warning, "No triangle to collide with is degenerate; info for slivers, which have an area."),
    rule("SL24", Severity::Warning, "There is a list of hulls or a physics mesh, and not both."),
    rule("SL25", Severity::Warning, "Submeshes have weights where there is a skin, and only there."),
    rule("SL26", Severity::Warning, "A vertex has weights, which sum up to 1: 65532 to 65535."),
    rule("SL27", Severity::Warning, "There are at most 110 joints, all of the avatar's, and none twice."),
    rule("SL28", Severity::Warning, "There are at most 256 hulls."),
    rule("SL29", Severity::Warning, "Blocks do not overlap in part, and nothing lies between them."),
    rule("SL30", Severity::Info, "Nothing follows the last block, and no two entries share one."),
    rule("SL31", Severity::Info, "Keys are sorted, blocks in the usual order, and compressed at the highest level."),
    rule("SL32", Severity::Info, "There is no marker line, no text between quotes, and no cache preamble."),
    rule("SL33", Severity::Warning, "No key stands twice, and the header fits 4096 bytes."),
    rule("SL34", Severity::Info, "All keys are known."),
    rule("SL35", Severity::Info, "Texture coordinates span less than a million: beyond, nothing of them is left."),
    rule("SL36", Severity::Info, "A hull has 4 points or more."),
    rule("SL37", Severity::Info, "A simulator has filled in version, creator, date, and the hashes of physics blocks."),
    rule("SL38", Severity::Info, "Numbers are reals where they need not be whole."),
    rule("SL39", Severity::Warning, "A submesh has at most 65535 vertices, which is all that importers allow."),
    rule("SL40", Severity::Error, "What the header says beside where blocks are is of the kind that it must be."),
];

/// Returns the finding that tells of a fault in the bytes of a file: what keeps a part from being read is a breach of a
/// rule, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(error: &Error) -> Option<Finding> {
    let offset = error.offset().filter(|_| error.format() == FORMAT)?;
    let field = error.field();
    // An item of a list has the list's name.
    let list = field.inner().or(field.outer()).filter(|_| field.name().is_empty());
    let name = list.map_or(field.name(), |step| step.list);
    let is_block = Part::ALL.iter().any(|part| part.key() == name);
    let rule = match (error.kind(), name) {
        (ErrorKind::Choice { .. }, _) => return None,
        (ErrorKind::Missing { .. }, _) if error.inflated_offset().is_none() => {
            return (name == "high_lod" && is_stub(error)).then(|| tell("SL04", error, offset));
        }
        (_, "version") => "SL03",
        (_, "offset" | "size") => "SL02",
        (_, "Position" | "TriangleList") => "SL08",
        (_, "Normal" | "TexCoord0" | "Tangent") => "SL09",
        (_, "PositionDomain" | "TexCoord0Domain" | "NormalizedScale" | "Min") => "SL11",
        (_, "Weights") => "SL12",
        (_, "HullList" | "Positions" | "BoundingVerts") => "SL14",
        (
            _,
            "joint_names"
            | "bind_shape_matrix"
            | "inverse_bind_matrix"
            | "alt_inverse_bind_matrix"
            | "pelvis_offset"
            | "lock_scale_if_joint_position",
        ) => "SL13",
        (ErrorKind::Limit { .. }, _) if is_block => "SL06",
        (ErrorKind::Value { expected, .. }, _) if is_block && expected == OFFSET_AND_SIZE => "SL02",
        (ErrorKind::Value { expected, .. }, _) if is_block && is_shape(expected) => "SL07",
        (ErrorKind::Value { .. }, _) if is_block && error.inflated_offset().is_none() => "SL05",
        _ if is_block && error.inflated_offset().is_some() => "SL06",
        _ if is_block => "SL05",
        _ => "SL01",
    };
    Some(tell(rule, error, offset))
}

/// Tells whether an error says that an asset has nothing to show.
fn is_stub(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Missing { expected } if expected.starts_with("a level of detail"))
}

/// Tells whether what was expected is a kind of value.
fn is_shape(expected: &str) -> bool {
    ["a map", "an array of submeshes", "a submesh, a map"].contains(&expected)
}

/// Words an error as a finding.
fn tell(rule: &'static str, error: &Error, offset: u64) -> Finding {
    let mut found = None;
    let text = with_place(error.kind().to_string(), error.inflated_offset());
    Report::new(RULES, &mut |finding| found = Some(finding)).say(rule, error.field(), offset, text);
    found.unwrap_or(Finding {
        rule,
        severity: Severity::Error,
        field: error.field(),
        offset,
        source: 0,
        text: String::new(),
    })
}

fn with_place(text: String, inflated: Option<u64>) -> String {
    match inflated {
        Some(at) => format!("{text} (inflated byte {at})"),
        None => text,
    }
}

/// What the checks of one asset share.
struct Check<'r, 'v> {
    report: &'r mut Report<'v>,
    /// The number of the asset, in a container.
    asset: Option<u64>,
}

impl Check<'_, '_> {
    /// Says that a rule is breached at an offset of the file.
    fn say(&mut self, rule: &'static str, field: Field, offset: u64, text: String) {
        let field = self.place(field);
        self.report.say(rule, field, offset, text);
    }

    /// Says that a rule is breached at a byte of an inflated block.
    fn say_in(&mut self, rule: &'static str, field: Field, block: Block<'_>, at: usize, text: String) {
        self.say(rule, field, block.stored_at(), with_place(text, Some(crate::math::as_u64(at))));
    }

    /// Says what keeps a part from being read.
    fn say_error(&mut self, error: &Error) {
        if let Some(finding) = finding(error) {
            let field = self.place(finding.field);
            self.report.pass(Finding { field, ..finding });
        }
    }

    /// Says what a fallible look found wrong, and goes on.
    fn take<T>(&mut self, looked: Result<T>) -> Option<T> {
        looked.map_err(|error| self.say_error(&error)).ok()
    }

    /// Names the asset, too, in a container.
    fn place(&self, field: Field) -> Field {
        self.asset.map_or(field, |asset| field.beneath("asset", asset))
    }

    /// Tells of keys of a map that are not known.
    fn check_keys(&mut self, field: Field, map: Map<'_>, known: &[&str], at: impl Fn(usize) -> (u64, Option<u64>)) {
        let mut unknown = Vec::new();
        let mut first_unknown = None;
        for entry in map.iter() {
            if !known.iter().any(|key| entry.key.is(key)) {
                first_unknown.get_or_insert(entry.key_at);
                if unknown.len() < 8 {
                    unknown.push(entry.key.to_string());
                } else if unknown.len() == 8 {
                    unknown.push("..".to_owned());
                }
            }
        }
        if let Some(key_at) = first_unknown {
            let (offset, inflated) = at(key_at);
            let text = with_place(format!("keys that are not known, and kept: {}", unknown.join(", ")), inflated);
            self.say("SL34", field, offset, text);
        }
    }

    /// As [`check_keys`](Self::check_keys), of a map in a block.
    fn check_keys_in(&mut self, field: Field, block: Block<'_>, map: Map<'_>, known: &[&str]) {
        let stored = block.stored_at();
        self.check_keys(field, map, known, |at| (stored, Some(crate::math::as_u64(at))));
    }

    /// Tells of integers where reals are expected: the value itself, or those in it, or in the arrays in it.
    fn check_reals(&mut self, field: Field, block: Block<'_>, at: usize, value: Value<'_>) {
        let first = match value {
            Value::Integer(_) => Some(at),
            Value::Array(array) => {
                let within = array
                    .iter()
                    .map(|item| item.value.array().map_or(Some(item), |array| array.iter().find(is_integer)));
                within.flatten().find(is_integer).map(|item| item.at)
            }
            _ => None,
        };
        if let Some(at) = first {
            let text = "an integer where a real is expected, taken for one".to_owned();
            self.say_in("SL38", field, block, at, text);
        }
    }
}

fn is_integer(item: &Item<'_>) -> bool {
    matches!(item.value, Value::Integer(_))
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reports what the headers show, of all assets of a container; inflates nothing.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = Report::new(RULES, report);
        header::check_file(self, &mut report);
        self.each(&mut report, header::check);
        Ok(())
    }

    /// Reports every breach of the rules, of all assets of a container: those of headers, and of every block and value in
    /// it. Blocks are inflated one after another into one buffer, and not kept.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut report = Report::new(RULES, report);
        let mut buffer = Buffer::default();
        header::check_file(self, &mut report);
        self.each(&mut report, |view, check| {
            header::check(view, check);
            check_blocks(view, check, &mut buffer);
        });
        Ok(())
    }

    /// Tests the header, and inflates every block; looks at no vertex.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    pub fn check(&self) -> Result<()> {
        let mut buffer = Buffer::default();
        for asset in self.assets() {
            for part in Part::ALL {
                if let Some(block) = asset.view().block_into(part, &mut buffer)?
                    && part.is_geometry()
                {
                    block.level()?.submeshes().try_for_each(|submesh| submesh.map(drop))?;
                }
            }
        }
        Ok(())
    }

    /// Visits each asset whose header can be read; tells why others cannot.
    fn each(&self, report: &mut Report<'_>, mut visit: impl FnMut(View<'_>, &mut Check<'_, '_>)) {
        let is_container = self.container().is_some();
        for (number, asset) in (0..).zip(self.assets()) {
            let mut check = Check { report, asset: is_container.then_some(number) };
            match asset.header() {
                Ok(_) => visit(asset.view(), &mut check),
                Err(error) => check.say_error(&error),
            }
        }
    }
}

impl Block<'_> {
    /// Reports what is wrong with the block as a whole: its wrapper, what stands behind its end, keys that stand twice.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) {
        header::check_block(&mut Check { report: &mut Report::new(RULES, report), asset: None }, *self);
    }
}

/// What is compared between the blocks of an asset.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// Submeshes and triangles of each level, the most detailed first.
    levels: [Option<(usize, usize)>; Lod::ALL.len()],
    /// Joints of the skin, where there is one that can be read.
    joints: Option<usize>,
    /// Whether the header names a skin.
    is_skinned: bool,
    /// Whether there are hulls, and triangles to collide with.
    hulls: bool,
    physics_mesh: bool,
}

/// Looks at every block.
fn check_blocks(view: View<'_>, check: &mut Check<'_, '_>, buffer: &mut Buffer) {
    let is_skinned = view.header().is_ok_and(|header| header.has(Part::Skin));
    let mut shape = Shape { is_skinned, ..Shape::default() };
    // The skin first: weights name its joints.
    let others = Part::ALL.into_iter().filter(|part| *part != Part::Skin);
    for part in [Part::Skin].into_iter().chain(others) {
        // That a block lies outside the file, or was not fetched, was told with the header.
        let Ok(Some((stored, bytes))) = view.stored(part) else { continue };
        header::check_stored(view, check, &stored, bytes);
        let Some(Some(block)) = check.take(view.block_into(part, buffer)) else { continue };
        header::check_block(check, block);
        match part {
            Part::Skin => shape.joints = skin::check(check, block),
            Part::PhysicsConvex => shape.hulls = physics::check(check, block),
            _ if part.is_geometry() => {
                let counts = level::check(check, block, &shape);
                match part.lod() {
                    Some(lod) => {
                        let place = Lod::ALL.iter().position(|one| *one == lod);
                        if let Some(place) = place.and_then(|place| shape.levels.get_mut(place)) {
                            *place = counts;
                        }
                    }
                    None => shape.physics_mesh |= counts.is_some(),
                }
            }
            _ => {}
        }
    }
    header::check_shape(view, check, &shape);
}
