//! Checks the rules about submeshes.

use crate::array::Array;
use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::super::asset_block::AssetBlock;
use super::super::asset_part::AssetPart;
use super::super::layout::{MAX_VERTICES, TRIPLE};
use super::super::llsd::LlsdValue;
use super::super::physics::{Degeneracy, degeneracy};
use super::super::surface::{Submesh, SubmeshKey};
use super::report::AssetReport;
use super::rules;
use super::summary::AssetSummary;
use crate::error::{Field, counted};
use crate::math::as_u64;
use crate::model::equal_normals::{SAME_NORMALS, are_meaningless};
use crate::model::{IndexEncoding, Indices, NormalEncoding, Normals, PositionEncoding, Positions};
use crate::parse::{Rule, Severity, Tally};

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
pub(super) fn check(
    check: &mut AssetReport<'_, '_>,
    block: AssetBlock<'_>,
    summary: &AssetSummary,
) -> Option<(usize, usize)> {
    let level = check.take(block.level())?;
    if level.is_empty() {
        let field = Field::new(block.part().key());
        check.add_in(rules::WRONG_BLOCK_TYPE, field, block, block.value_at(), "an array without submeshes");
    }
    let mut triangles = 0_usize;
    let mut bad = Tally::default();
    let mut fault = None;
    for (number, submesh) in (0..).zip(level.submeshes()) {
        match submesh {
            Ok(submesh) => {
                SubmeshCheck { check, block, submesh: &submesh, summary }.all();
                triangles = triangles.saturating_add(submesh.triangle_count());
            }
            Err(error) => {
                bad.add(number, true);
                fault.get_or_insert(error);
            }
        }
    }
    if let Some(error) = fault {
        let at = error.inflated_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
        let more = if bad.count > 1 { format!("; {} such", bad.count) } else { String::new() };
        let text = format_args!("{}{more}", error.cause());
        check.add_in(rules::WRONG_BLOCK_TYPE, error.field(), block, at, text);
    }
    Some((level.len(), triangles))
}

/// A submesh that is being checked, with its block and the asset report that receives the findings.
struct SubmeshCheck<'l, 'r, 'v, 'a> {
    check: &'l mut AssetReport<'r, 'v>,
    block: AssetBlock<'a>,
    submesh: &'l Submesh<'a>,
    summary: &'l AssetSummary,
}

impl SubmeshCheck<'_, '_, '_, '_> {
    fn all(&mut self) {
        let known = SubmeshKey::ALL.map(SubmeshKey::name);
        let place = Field::new("").in_list(self.block.part().key(), as_u64(self.submesh.index()));
        self.check.check_map_in(place, self.block, self.submesh.map(), &known);
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
        self.check.add_in(rule, self.submesh.field(key), self.block, at, text);
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
            && error.field().name() == SubmeshKey::Position.name()
        {
            self.check.add_error(&error);
            return self.submesh.vertex_count() > 0;
        }
        let vertices = self.submesh.vertex_count();
        let at = self.submesh.get(SubmeshKey::Position).map_or(self.submesh.at(), |(at, _)| at);
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
            if error.field().name() != SubmeshKey::TexCoord0Domain.name() {
                self.check.add_error(&error);
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
            let at = self.submesh.get(SubmeshKey::Normal).map_or(self.submesh.at(), |(at, _)| at);
            self.add(rules::EQUAL_NORMALS, SubmeshKey::Normal, at, SAME_NORMALS);
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
        if let Some((at, value)) = self.submesh.get(SubmeshKey::NormalizedScale) {
            match self.check.take(self.submesh.normalized_scale()).flatten() {
                Some(scale) if scale.iter().all(|one| one.is_finite()) => {
                    let field = self.submesh.field(SubmeshKey::NormalizedScale);
                    self.check.check_reals(field, self.block, at, value);
                }
                Some(scale) => {
                    self.add(
                        rules::INVALID_DOMAIN,
                        SubmeshKey::NormalizedScale,
                        at,
                        format_args!("{scale:?} are not finite numbers"),
                    );
                }
                None => {}
            }
        }
    }

    fn domain<const N: usize>(&mut self, key: SubmeshKey, at: usize, value: LlsdValue<'_>) -> Option<[[f64; N]; 2]> {
        let field = self.submesh.field(key);
        self.check.check_domain(field, self.block, at, value)
    }

    fn triangles(&mut self) {
        let Some(indices) = self.check.take(self.submesh.indices()) else { return };
        let Some((at, bytes)) = self.submesh.bytes(SubmeshKey::TriangleList).ok().flatten() else { return };
        if bytes.len() % TRIPLE != 0 {
            let whole = indices.len() / 3;
            let text = format_args!(
                "{}, not a multiple of 6: {} complete",
                counted(bytes.len(), "byte"),
                counted(whole, "triangle")
            );
            self.add(rules::INCOMPLETE_SUBMESH, SubmeshKey::TriangleList, at, text);
        }
        // The range check includes the vertex indices after the last complete triangle.
        let all = <[U16]>::ref_from_prefix_with_elems(bytes, bytes.len() / 2).map_or(&[][..], |(all, _)| all);
        let vertices = self.submesh.vertex_count();
        let mut beyond = Tally::default();
        let mut highest = 0;
        // One bit for each vertex that an index of 16 bits can refer to.
        let mut used = [0_u64; (1 << 16) / 64];
        for (number, index) in (0..).zip(all) {
            let index = index.get();
            beyond.add(number, usize::from(index) >= vertices);
            highest = highest.max(index);
            if let Some(word) = used.get_mut(usize::from(index) / 64) {
                *word |= 1_u64.wrapping_shl(u32::from(index) % 64);
            }
        }
        let first = at.saturating_add(5);
        let item = |tally: Tally, size: u64| usize::try_from(tally.offset(as_u64(first), size)).unwrap_or(first);
        if beyond.any() {
            let text = format_args!(
                "{} out of range, greatest {highest}: the submesh has {}",
                counted(beyond.count, "index"),
                counted(vertices, "vertex")
            );
            self.add(rules::INDEX_OUT_OF_RANGE, SubmeshKey::TriangleList, item(beyond, 2), text);
        }
        let mut equal = Tally::default();
        let is_lod = self.block.part().lod().is_some();
        for (number, triangle) in (0..).zip(all.as_chunks::<3>().0) {
            let [a, b, c] = triangle.map(U16::get);
            // In collision geometry, a triangle with three vertex indices 0 is a placeholder.
            let placeholder = !is_lod && [a, b, c] == [0; 3];
            equal.add(number, !placeholder && (a == b || b == c || a == c));
        }
        if equal.any() {
            let text = format_args!(
                "{} with a vertex used twice, first triangle {}",
                counted(equal.count, "triangle"),
                equal.first
            );
            self.add(rules::UNUSED_VERTEX, SubmeshKey::TriangleList, item(equal, 6), text);
        }
        // The bit set `used` may have bits of vertex indices that are out of range.
        let within = (0..vertices).filter(|vertex| is_set(&used, *vertex)).count();
        if within < vertices {
            let unused = vertices.saturating_sub(within);
            let first_unused = (0..vertices).find(|vertex| !is_set(&used, *vertex)).unwrap_or_default();
            let text = format_args!("{unused} of {} in no triangle, first {first_unused}", counted(vertices, "vertex"));
            self.add(rules::UNUSED_VERTEX, SubmeshKey::TriangleList, at, text);
        }
        if self.block.part() == AssetPart::PhysicsMesh || self.block.part() == AssetPart::PhysicsShape {
            self.collisions(all, item);
        }
    }

    /// Reports degenerate collision triangles, with the test of a viewer before an upload.
    fn collisions(&mut self, indices: &[U16], item: impl Fn(Tally, u64) -> usize) {
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
        if flat.any() {
            let text =
                format_args!("{} without an area, first triangle {}", counted(flat.count, "triangle"), flat.first);
            self.add(rules::DEGENERATE_COLLISION_TRIANGLE, SubmeshKey::TriangleList, item(flat, 6), text);
        }
        if sliver.any() {
            // Slivers have their own finding of severity info, because real uploads have slivers.
            let text = format_args!(
                "{}, degenerate for viewers, first triangle {}",
                counted(sliver.count, "sliver"),
                sliver.first
            );
            let rule = Rule { severity: Severity::Info, ..rules::DEGENERATE_COLLISION_TRIANGLE };
            self.add(rule, SubmeshKey::TriangleList, item(sliver, 6), text);
        }
    }

    fn weights(&mut self) {
        let is_lod = self.block.part().lod().is_some();
        let Some((at, bytes)) = self.check.take(self.submesh.bytes(SubmeshKey::Weights)).flatten() else {
            if is_lod && self.summary.is_skinned && self.submesh.get(SubmeshKey::Weights).is_none() {
                let text = "no weights, although the asset has a skin";
                self.add(rules::WEIGHTS_WITHOUT_SKIN, SubmeshKey::Weights, self.submesh.at(), text);
            }
            return;
        };
        if is_lod && !self.summary.is_skinned {
            self.add(
                rules::WEIGHTS_WITHOUT_SKIN,
                SubmeshKey::Weights,
                at,
                "weights, although the asset has no skin".to_owned(),
            );
        }
        let Ok(Some(runs)) = self.submesh.weight_runs() else { return };
        let first = at.saturating_add(5);
        let (whole, used) = runs.measure();
        let used = usize::try_from(used).unwrap_or(usize::MAX);
        if whole < runs.len() {
            let place = if used < bytes.len() { "ends inside an influence" } else { "ends" };
            let text = format_args!("the data {place} after {whole} of {}", counted(runs.len(), "vertex"));
            self.add(rules::WEIGHT_LIST_COUNT, SubmeshKey::Weights, first.saturating_add(used), text);
        } else if used < bytes.len() {
            let rest = bytes.len().saturating_sub(used);
            let text = format_args!("{} after the list of the last vertex", counted(rest, "byte"));
            self.add(rules::WEIGHT_LIST_COUNT, SubmeshKey::Weights, first.saturating_add(used), text);
        }
        let (mut beyond, mut sums, mut none) = (Tally::default(), Tally::default(), Tally::default());
        let mut highest = 0;
        for (vertex, run) in (0..).zip(runs.iter()) {
            let joint = run.iter().map(|one| one.bone).max().unwrap_or_default();
            if let Some(joints) = self.summary.joints
                && !run.is_empty()
                && usize::from(joint) >= joints
            {
                highest = highest.max(joint);
                beyond.add(vertex, true);
            }
            let sum = run.iter().map(|one| u32::from(one.weight.get())).fold(0, u32::saturating_add);
            none.add(vertex, run.is_empty());
            sums.add(vertex, !run.is_empty() && !SUMS.contains(&sum));
        }
        if beyond.any() {
            let joints = self.summary.joints.unwrap_or_default();
            let text = format_args!(
                "{} with joints out of range, greatest {highest}, first {}: the skin has {}",
                counted(beyond.count, "vertex"),
                beyond.first,
                counted(joints, "joint")
            );
            self.add(rules::INVALID_SKIN, SubmeshKey::Weights, first, text);
        }
        if none.any() {
            let text = format_args!(
                "{} without influences, first {}; viewers use joint 0 instead",
                counted(none.count, "vertex"),
                none.first
            );
            self.add(rules::WEIGHT_SUM, SubmeshKey::Weights, first, text);
        }
        if sums.any() {
            let (least, most) = SUMS.into_inner();
            let text = format_args!(
                "{} with weights that do not sum to {least}..{most}, first {}",
                counted(sums.count, "vertex"),
                sums.first
            );
            self.add(rules::WEIGHT_SUM, SubmeshKey::Weights, first, text);
        }
    }
}

fn is_set(words: &[u64], bit: usize) -> bool {
    let shift = u32::try_from(bit % 64).unwrap_or_default();
    words.get(bit / 64).is_some_and(|word| word.wrapping_shr(shift) & 1 == 1)
}
