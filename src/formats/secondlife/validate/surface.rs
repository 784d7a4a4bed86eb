//! Checks the rules about submeshes, and about the consistency between the blocks of an asset.

use crate::array::{Array as _, Packed};
use crate::decode::Index;
use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::super::asset_block::AssetBlock;
use super::super::layout::{AssetPart, FORMAT, MAX_VERTICES, TRIPLE};
use super::super::llsd::LlsdValue;
use super::super::physics::{Degeneracy, degeneracy};
use super::super::surface::{Submesh, SubmeshKey};
use super::maps::{check_domain, check_map, check_reals};
use super::rules;
use crate::error::{Field, counted};
use crate::formats::secondlife::asset_view::AssetView;
use crate::formats::secondlife::layout::MAX_SUBMESHES;
use crate::math::as_u64;
use crate::model::equal_normals::{SAME_NORMALS, are_meaningless};
use crate::model::{IndexEncoding, Indices, Lod, NormalEncoding, Normals, PositionEncoding, Positions};
use crate::parse::{Rule, Severity};
use crate::validate::{IndexCheck, Report, Tally};

/// The greatest absolute coordinate of a `PositionDomain` that `validate` does not report.
const REACH: f64 = 0.501;
/// The greatest extent of a `TexCoord0Domain` for which 16-bit coordinates are precise enough.
const ABSURD: f64 = 1e6;
/// The allowed sums of the 16-bit weights of one vertex. A sum of 65535 represents a total weight
/// of 1, and rounding each of up to four weights down reduces the sum by at most 3.
const SUMS: std::ops::RangeInclusive<u32> = 65_532..=65_535;
/// The scale of positions in the test for degenerate triangles: a viewer's, of an object of 1 m.
const HALF: f32 = 0.5;

/// Checks every submesh of a block. Returns the number of submeshes and the number of triangles in
/// the block, or `None` if the block cannot be read.
pub(super) fn check(report: &mut Report<'_>, block: AssetBlock<'_>, summary: &AssetSummary) -> Option<(usize, usize)> {
    let level = report.take(block.level())?;
    if level.is_empty() {
        let (field, at) = (Field::new(block.part().key()), as_u64(block.value_at()));
        report.add(rules::WRONG_BLOCK_TYPE, field, at, "an array without submeshes");
    }
    let mut triangles = 0_usize;
    let mut fault = None;
    let bad = Tally::of(level.submeshes(), |submesh| match submesh {
        Ok(submesh) => {
            SubmeshCheck { report, block, submesh: &submesh, summary }.all();
            triangles = triangles.saturating_add(submesh.triangle_count());
            false
        }
        Err(error) => {
            fault.get_or_insert(error);
            true
        }
    });
    if let Some(error) = fault {
        let text = format_args!("{}{}", error.cause(), bad.such());
        let at = error.inflated_offset().unwrap_or_default();
        report.add(rules::WRONG_BLOCK_TYPE, error.field(), at, text);
    }
    Some((level.len(), triangles))
}

/// A submesh that is being checked, with its block and the report that receives the findings.
struct SubmeshCheck<'l, 'r, 'a> {
    report: &'l mut Report<'r>,
    block: AssetBlock<'a>,
    submesh: &'l Submesh<'a>,
    summary: &'l AssetSummary,
}

impl SubmeshCheck<'_, '_, '_> {
    fn all(&mut self) {
        let known = SubmeshKey::ALL.map(SubmeshKey::name);
        let place = Field::new("").in_list(self.block.part().key(), as_u64(self.submesh.index()));
        check_map(self.report, place, self.submesh.map(), &known);
        if self.submesh.is_placeholder() {
            self.placeholder();
            return;
        }
        self.domains();
        let any = self.positions();
        self.per_vertex();
        // Without positions, every index is out of range and all weights are missing.
        if any {
            self.triangles();
            self.normals();
            self.weights();
        }
    }

    fn add(&mut self, rule: Rule, key: SubmeshKey, at: usize, text: impl std::fmt::Display) {
        self.report.add(rule, self.submesh.field(key), as_u64(at), text);
    }

    fn add_any(&mut self, tally: Tally, rule: Rule, key: SubmeshKey, at: usize, text: impl std::fmt::Display) {
        self.report.add_any(tally, rule, self.submesh.field(key), as_u64(at), text);
    }

    /// Returns the offset of the value of a key, or of the submesh without the key.
    fn at(&self, key: SubmeshKey) -> usize {
        self.submesh.get(key).map_or(self.submesh.at(), |(at, _)| at)
    }

    fn placeholder(&mut self) {
        let Some((at, value)) = self.submesh.get(SubmeshKey::NoGeometry) else { return };
        if !matches!(value, LlsdValue::Boolean(true)) {
            let found = value.kind();
            self.add(rules::PLACEHOLDER, SubmeshKey::NoGeometry, at, format_args!("expected true, found {found}"));
        }
        if self.submesh.map().len() > 1 {
            let others = self.submesh.map().len().saturating_sub(1);
            let text = format_args!("{others} other keys, which viewers ignore");
            self.add(rules::PLACEHOLDER, SubmeshKey::NoGeometry, at, text);
        }
    }

    /// Checks the positions of the submesh. Returns whether the submesh has at least one vertex.
    fn positions(&mut self) -> bool {
        if let Err(error) = self.submesh.positions()
            && error.rule() != Some(&rules::INVALID_DOMAIN)
        {
            self.report.add_error(&error);
            return self.submesh.vertex_count() > 0;
        }
        let vertices = self.submesh.vertex_count();
        let at = self.at(SubmeshKey::Position);
        if vertices == 0 {
            self.add(rules::INCOMPLETE_SUBMESH, SubmeshKey::Position, at, "no positions in a submesh with geometry");
        }
        if vertices > MAX_VERTICES {
            let text = format_args!("{vertices} vertices, expected at most {MAX_VERTICES}");
            self.add(rules::TOO_MANY_VERTICES, SubmeshKey::Position, at, text);
        }
        vertices > 0
    }

    fn per_vertex(&mut self) {
        let looks = [self.submesh.normals().map(drop), self.submesh.tangents().map(drop), self.submesh.uvs().map(drop)];
        for error in looks.into_iter().filter_map(Result::err) {
            // The function `domains` has already reported errors in `TexCoord0Domain`.
            if error.rule() != Some(&rules::INVALID_DOMAIN) {
                self.report.add_error(&error);
            }
        }
    }

    fn normals(&mut self) {
        let Ok(Some(normals)) = self.submesh.normals() else { return };
        let (Ok(positions), Ok(indices)) = (self.submesh.positions(), self.submesh.indices()) else { return };
        let (normals, positions) =
            (Normals(NormalEncoding::Unit16(normals)), Positions(PositionEncoding::MinMax16(positions)));
        let indices = Indices(IndexEncoding::U16(indices));
        if are_meaningless(&normals, &positions, &indices, &indices) {
            self.add(rules::EQUAL_NORMALS, SubmeshKey::Normal, self.at(SubmeshKey::Normal), SAME_NORMALS);
        }
    }

    fn domains(&mut self) {
        match self.submesh.get(SubmeshKey::PositionDomain) {
            None => {
                let text = "no box of the positions: ±0.5 is assumed, but a viewer assumes 0";
                self.add(rules::POSITION_BOX, SubmeshKey::PositionDomain, self.submesh.at(), text);
            }
            Some((at, value)) => {
                let ends = self.domain::<3>(SubmeshKey::PositionDomain, at, value);
                if let Some([min, max]) = ends
                    && min.iter().chain(&max).any(|end| end.abs() > REACH)
                {
                    let text = format_args!("{min:?} to {max:?} reaches beyond ±{REACH}");
                    self.add(rules::POSITION_BOX, SubmeshKey::PositionDomain, at, text);
                }
            }
        }
        match self.submesh.get(SubmeshKey::TexCoord0Domain) {
            None => {
                if let Some((at, _)) = self.submesh.get(SubmeshKey::TexCoord0) {
                    let text = "texture coordinates without their domain: 0 to 1 is assumed";
                    self.add(rules::INVALID_DOMAIN, SubmeshKey::TexCoord0Domain, at, text);
                }
            }
            Some((at, value)) => {
                let ends = self.domain::<2>(SubmeshKey::TexCoord0Domain, at, value);
                if let Some([min, max]) = ends
                    && min.iter().zip(&max).any(|(min, max)| max - min > ABSURD)
                {
                    let text = format_args!("{min:?} to {max:?} is too wide for 16-bit texture coordinates");
                    self.add(rules::WIDE_UV_DOMAIN, SubmeshKey::TexCoord0Domain, at, text);
                }
            }
        }
        if let Some((at, value)) = self.submesh.get(SubmeshKey::NormalizedScale)
            && let Some(scale) = self.report.take(self.submesh.normalized_scale()).flatten()
        {
            let field = self.submesh.field(SubmeshKey::NormalizedScale);
            if scale.iter().all(|one| one.is_finite()) {
                check_reals(self.report, field, at, value);
            } else {
                let text = format_args!("{scale:?} are not finite numbers");
                self.report.add(rules::INVALID_DOMAIN, field, as_u64(at), text);
            }
        }
    }

    fn domain<const N: usize>(&mut self, key: SubmeshKey, at: usize, value: LlsdValue<'_>) -> Option<[[f64; N]; 2]> {
        check_domain(self.report, self.submesh.field(key), at, value)
    }

    fn triangles(&mut self) {
        const KEY: SubmeshKey = SubmeshKey::TriangleList;
        let Some(indices) = self.report.take(self.submesh.indices()) else { return };
        let Some((at, bytes)) = self.submesh.bytes(KEY).ok().flatten() else { return };
        if bytes.len() % TRIPLE != 0 {
            let [length, whole] = [counted(bytes.len(), "byte"), counted(indices.len() / 3, "triangle")];
            let text = format_args!("{length}, not a multiple of 6: {whole} complete");
            self.add(rules::INCOMPLETE_SUBMESH, KEY, at, text);
        }
        // The range check includes the vertex indices after the last complete triangle.
        let all = <[U16]>::ref_from_prefix_with_elems(bytes, bytes.len() / 2).map_or(&[][..], |(all, _)| all);
        let vertices = u32::try_from(self.submesh.vertex_count()).unwrap_or(u32::MAX);
        // In collision geometry, a triangle with three vertex indices 0 is a placeholder.
        let check = IndexCheck::new(vertices).with_placeholders(self.block.part().lod().is_none());
        let Ok(mut check) = check.with_unused(FORMAT) else { return };
        check.add_all(&Indices(IndexEncoding::U16(Packed::new(all, Index::new()))));
        let IndexCheck { beyond, degenerate, greatest, .. } = check;
        let text = format_args!(
            "{} out of range, greatest {greatest}: the submesh has {}",
            counted(beyond.count, "index"),
            counted(vertices, "vertex")
        );
        self.add_any(beyond, rules::INDEX_OUT_OF_RANGE, KEY, item(at, beyond, 2), text);
        let text = degenerate.text_to_first("triangle", "with a vertex used twice, first triangle");
        self.add_any(degenerate, rules::UNUSED_VERTEX, KEY, item(at, degenerate, 6), text);
        let unused = check.unused();
        let Tally { count, first } = unused;
        let text = format_args!("{count} of {} in no triangle, first {first}", counted(vertices, "vertex"));
        self.add_any(unused, rules::UNUSED_VERTEX, KEY, at, text);
        if matches!(self.block.part(), AssetPart::PhysicsMesh | AssetPart::PhysicsShape) {
            self.collisions(all, at);
        }
    }

    /// Reports degenerate collision triangles, with the test of a viewer before an upload.
    fn collisions(&mut self, indices: &[U16], at: usize) {
        let Ok(positions) = self.submesh.positions() else { return };
        let (mut flat, mut sliver) = (Tally::default(), Tally::default());
        for (number, triangle) in (0..).zip(indices.as_chunks::<3>().0) {
            let corners = triangle.map(|index| positions.get(usize::from(index.get())));
            let [Some(a), Some(b), Some(c)] = corners else { continue };
            let placeholder = triangle.iter().all(|index| index.get() == 0);
            let halves = [a, b, c].map(|corner| corner.map(|value| value * HALF));
            let found = if placeholder { None } else { degeneracy(halves) };
            flat.add(number, found == Some(Degeneracy::Flat));
            sliver.add(number, found == Some(Degeneracy::Sliver));
        }
        let (rule, key) = (rules::DEGENERATE_COLLISION_TRIANGLE, SubmeshKey::TriangleList);
        let text = flat.text_to_first("triangle", "without an area, first triangle");
        self.add_any(flat, rule, key, item(at, flat, 6), text);
        // Slivers have their own finding of severity info, because real uploads have slivers.
        let Tally { count, first } = sliver;
        let text = format_args!("{}, degenerate for viewers, first triangle {first}", counted(count, "sliver"));
        self.add_any(sliver, rule.with(Severity::Info), key, item(at, sliver, 6), text);
    }

    fn weights(&mut self) {
        const KEY: SubmeshKey = SubmeshKey::Weights;
        let is_lod = self.block.part().lod().is_some();
        let Some((at, bytes)) = self.report.take(self.submesh.bytes(KEY)).flatten() else {
            if is_lod && self.summary.is_skinned && self.submesh.get(KEY).is_none() {
                let text = "no weights, although the asset has a skin";
                self.add(rules::WEIGHTS_WITHOUT_SKIN, KEY, self.submesh.at(), text);
            }
            return;
        };
        if is_lod && !self.summary.is_skinned {
            self.add(rules::WEIGHTS_WITHOUT_SKIN, KEY, at, "weights, although the asset has no skin");
        }
        let Ok(Some(runs)) = self.submesh.weight_runs() else { return };
        let first = at.saturating_add(5);
        let (whole, used) = runs.measure();
        let used = usize::try_from(used).unwrap_or(usize::MAX);
        if whole < runs.len() {
            let place = if used < bytes.len() { "ends inside an influence" } else { "ends" };
            let text = format_args!("the data {place} after {whole} of {}", counted(runs.len(), "vertex"));
            self.add(rules::WEIGHT_LIST_COUNT, KEY, first.saturating_add(used), text);
        } else if used < bytes.len() {
            let rest = bytes.len().saturating_sub(used);
            let text = format_args!("{} after the list of the last vertex", counted(rest, "byte"));
            self.add(rules::WEIGHT_LIST_COUNT, KEY, first.saturating_add(used), text);
        }
        let [mut beyond, mut sums, mut none] = [Tally::default(); 3];
        let mut highest = 0;
        let joints = self.summary.joints.unwrap_or(usize::MAX);
        for (vertex, run) in (0..).zip(runs.iter()) {
            let joint = run.iter().map(|one| one.bone).max().unwrap_or_default();
            if !run.is_empty() && usize::from(joint) >= joints {
                highest = highest.max(joint);
                beyond.add(vertex, true);
            }
            let sum = run.iter().map(|one| u32::from(one.weight.get())).fold(0, u32::saturating_add);
            none.add(vertex, run.is_empty());
            sums.add(vertex, !run.is_empty() && !SUMS.contains(&sum));
        }
        let text = format_args!(
            "{} with joints out of range, greatest {highest}, first {}: the skin has {}",
            counted(beyond.count, "vertex"),
            beyond.first,
            counted(joints, "joint")
        );
        self.add_any(beyond, rules::INVALID_SKIN, KEY, first, text);
        let text = none.text_to_first("vertex", "without influences, first");
        self.add_any(none, rules::WEIGHT_SUM, KEY, first, format_args!("{text}; viewers use joint 0 instead"));
        let text = sums.text_to_first("vertex", "with weights that do not sum to 65532..65535, first");
        self.add_any(sums, rules::WEIGHT_SUM, KEY, first, text);
    }
}

/// Returns the offset of the first item of a tally in binary data at offset `at`, whose items have
/// `size` bytes. The data start after the marker byte and the length of the value.
fn item(at: usize, tally: Tally, size: u64) -> usize {
    let first = at.saturating_add(5);
    usize::try_from(tally.offset(as_u64(first), size)).unwrap_or(first)
}

/// The numbers of submeshes, triangles and joints of an asset, and the presence of some of its
/// blocks, for the checks that compare the blocks with each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AssetSummary {
    /// The number of submeshes and the number of triangles of each level of detail, from the
    /// highest to the lowest level.
    pub(super) levels: [Option<(usize, usize)>; Lod::ALL.len()],
    /// The number of joints of the skin, or `None` if the skin is absent or cannot be read.
    pub(super) joints: Option<usize>,
    /// Whether the asset header has an entry for a skin.
    pub(super) is_skinned: bool,
    /// Whether the asset has convex hulls in addition to the bounding hull.
    pub(super) hulls: bool,
    /// Whether the asset has collision triangles.
    pub(super) physics_mesh: bool,
}

/// Checks that the blocks of an asset are consistent with each other.
pub(super) fn check_summary(view: AssetView<'_>, report: &mut Report<'_>, summary: &AssetSummary) {
    let start = view.start();
    let there = Lod::ALL.into_iter().zip(summary.levels);
    let there: Vec<(Lod, (usize, usize))> = there.filter_map(|(lod, counts)| Some((lod, counts?))).collect();
    let Some((highest, (most, _))) = there.first().copied() else { return };
    for (lod, (submeshes, _)) in &there {
        let field = Field::new(lod.part().key());
        if submeshes != &most && *submeshes > 0 && most > 0 {
            let text = format_args!("{}, but {} has {most}", counted(*submeshes, "submesh"), highest.part().key());
            report.add(rules::SUBMESH_COUNT, field, start, text);
        }
        if *submeshes > MAX_SUBMESHES {
            let text = format_args!("{submeshes} submeshes, expected at most {MAX_SUBMESHES}");
            report.add(rules::SUBMESH_COUNT, field, start, text);
        }
    }
    for ((higher, (_, more)), (lod, (_, triangles))) in there.iter().zip(there.iter().skip(1)) {
        if triangles >= more {
            let (field, higher) = (Field::new(lod.part().key()), higher.part().key());
            let text = if triangles == more {
                format!("as many triangles as {higher} ({more})")
            } else {
                format!("{}, more than {higher} ({more})", counted(*triangles, "triangle"))
            };
            report.add(rules::LEVEL_NOT_SIMPLER, field, start, text);
        }
    }
    // An asset in a viewer's `.slm` file can have both an array of hulls and collision triangles.
    let is_cache = report.asset().is_some() || view.header().is_ok_and(|header| header.material_list().is_some());
    if summary.hulls && summary.physics_mesh && !is_cache {
        let text = "both a list of hulls and a physics mesh: simulators use the hulls";
        report.add(rules::HULLS_AND_PHYSICS_MESH, Field::new(AssetPart::PhysicsConvex.key()), start, text);
    }
}
