//! Checks the rules about vertices, indices and bounds. The checks of a surface read every vertex
//! and every index.

use super::rules;
use zerocopy::little_endian::I16;

use super::{animations, trees};
use crate::array::runs::CountedRuns;
use crate::array::{Array, Bounds, Packed};
use crate::decode::Floats;
use crate::decode::influence4::RawInfluence4;
use crate::error::{Field, Result, counted};
use crate::formats::unigine::blocks::buffer::InflateBuffer;
use crate::formats::unigine::bounds::{center, distance};
use crate::formats::unigine::layout::RawBounds;
use crate::formats::unigine::reader::arrays::ArrayKind;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::{as_index, as_u64};
use crate::model::equal_normals::{SAME_NORMALS, are_meaningless};
use crate::model::{Counts, Indices, Normals, PositionEncoding, Positions, TangentFrameEncoding, TangentFrames};
use crate::parse::{Report, Rule, Severity, Tally, filled};
use crate::{io, scan};

/// The maximum error of the centre and radius of a bounding sphere, relative to the radius.
const SPHERE_SLACK: f32 = 1e-4;
/// The accepted range for the sum of the 16-bit bone weights of a vertex.
const WEIGHT_SUMS: std::ops::RangeInclusive<u32> = 65532..=65535;

/// One surface, and the report for the findings about it.
struct SurfaceCheck<'a, 'c, 'r> {
    view: SurfaceView<'a>,
    field: Field,
    counts: Counts,
    report: &'c mut Report<'r>,
}

pub(super) fn check_surface(
    mesh: MeshReader<'_>,
    index: usize,
    buffer: &mut InflateBuffer,
    report: &mut Report<'_>,
) -> Result<()> {
    let view = match mesh.surface_in(index, buffer) {
        Ok(view) => view,
        // The function `structure::check` has already reported the error for this surface, and the
        // other surfaces can still be read.
        Err(_) if mesh.generation().is_compressed() => return Ok(()),
        Err(error) => return Err(error),
    };
    let field = Field::new("").in_list("surface", as_u64(index));
    let mut surface = SurfaceCheck { view, field, counts: view.counts()?, report };
    surface.bounds()?;
    surface.report.turn_into(view.inflated_from());
    surface.targets()?;
    if mesh.generation().has_bones() {
        surface.weights(mesh.file().bone_count())?;
    }
    let sets = [(0, ArrayKind::Uv0, "uv0", Severity::Warning), (1, ArrayKind::Uv1, "uv1", Severity::Info)];
    for (set, kind, name, severity) in sets {
        if let Ok(Some(uvs)) = view.uvs(set) {
            let at = surface.at(kind)?;
            surface.finite(uvs, at, field.named(name), severity);
        }
    }
    surface.indices()?;
    surface.normals()?;
    surface.report.turn_into(None);
    trees::check(mesh, index, &view, surface.report)
}

impl<'a> SurfaceCheck<'a, '_, '_> {
    fn add(&mut self, rule: Rule, name: &'static str, offset: u64, text: impl std::fmt::Display) {
        self.report.add(rule, self.field.named(name), offset, text);
    }

    fn at(&self, kind: ArrayKind) -> Result<u64> {
        Ok(self.view.find(kind)?.at)
    }

    fn finite<const N: usize>(&mut self, values: Packed<'a, Floats<N>>, at: u64, field: Field, severity: Severity) {
        let scan::NonFinite { count, first } = values.non_finite();
        let wild = Tally { count, first };
        if wild.any() {
            let size = as_u64(size_of::<[f32; N]>());
            let text = format_args!("{} with a value that is not finite", counted(wild.count, "item"));
            let offset = wild.offset(at, size);
            self.report.add_as(severity, rules::NOT_FINITE, field, offset, text);
        }
    }

    /// Checks the positions and tangent frames of the base shape and of all morph targets.
    ///
    /// The method reads the arrays of the surface in a single iteration, because a surface may have
    /// many morph targets.
    fn targets(&mut self) -> Result<()> {
        let mut arrays = self.view.arrays()?;
        while let Some(array) = arrays.next()? {
            match array.kind {
                ArrayKind::Positions(target) => {
                    let field = self.field.in_inner_list("target", target.into()).named("positions");
                    self.finite(Packed::new(self.view.cast(&array)?, Floats::<3>), array.at, field, Severity::Warning);
                }
                ArrayKind::TangentFrames(target) => {
                    let frames = self.view.cast_tangent_frames(&array)?;
                    self.frames(&frames, array.at, self.field.in_inner_list("target", target.into()).named("tangents"));
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn bounds(&mut self) -> Result<()> {
        let positions = self.view.positions()?;
        let (stored, at) = (self.view.header().bounds, self.view.header().bounds_at);
        check_finite_bounds(stored, self.field, at, self.report);
        if positions.is_empty() {
            return Ok(());
        }
        let (bounds, sphere) = (stored.bounds(), stored.sphere());
        let found = Positions(PositionEncoding::F32(positions)).bounds();
        if !nearly_equal(&bounds, &found) {
            let text = format_args!("stored {}, but computed {}", shown(&bounds), shown(&found));
            self.add(rules::BOUNDING_BOX, "bounds", at, text);
        }
        let middle = center(&bounds);
        let slack = slack(&bounds, sphere.radius);
        let off = middle.iter().zip(sphere.center).any(|(middle, stored)| (middle - stored).abs() > slack);
        if off {
            let text = format_args!("sphere centre {:?}, but the middle of the box is {middle:?}", sphere.center);
            self.add(rules::BOUNDING_SPHERE, "bounds", at, text);
        }
        let radius = scan::sphere::max_distance(sphere.center, positions.raw());
        if (radius - sphere.radius).abs() > slack {
            let text = format_args!("sphere radius {}, but the farthest position is {radius} away", sphere.radius);
            self.add(rules::BOUNDING_SPHERE, "bounds", at, text);
        }
        Ok(())
    }

    fn frames(&mut self, frames: &TangentFrames<'_>, at: u64, field: Field) {
        let (mut length, mut flat) = (Tally::default(), Tally::default());
        let mut look = |item, quaternion: [f32; 4], lifted: bool| {
            length.add(item, (animations::length(quaternion) - 1.0).abs() > 0.002);
            flat.add(item, !lifted);
        };
        io::prefetch(frames.as_bytes());
        match frames {
            TangentFrames(TangentFrameEncoding::Quat8(frames)) => {
                for (item, raw) in (0..).zip(frames.raw()) {
                    look(item, raw.map(scaled), raw[3].get().unsigned_abs() >= 32);
                }
            }
            TangentFrames(TangentFrameEncoding::Quat7(frames)) => {
                for (item, raw) in (0..).zip(frames.raw()) {
                    let [x, y, z] = raw.xyz.map(scaled);
                    // In a seven-byte tangent frame, the component w of the quaternion is computed
                    // from x, y and z, so the length of the quaternion differs from 1 only if the
                    // vector (x, y, z) is longer than 1.
                    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
                    look(item, [x, y, z, w], raw.sign.unsigned_abs() == 127);
                }
            }
        }
        let size = as_u64(frames.byte_offset(1));
        let cases = [(length, "without unit length"), (flat, "with an unreliable sign of w")];
        for (tally, what) in cases {
            if tally.any() {
                self.report.add(
                    rules::TANGENT_QUATERNION,
                    field,
                    tally.offset(at, size),
                    format_args!("{} {what}", counted(tally.count, "quaternion")),
                );
            }
        }
    }

    fn weights(&mut self, bones: usize) -> Result<()> {
        let array = self.view.find(ArrayKind::Weights)?;
        io::prefetch(array.bytes);
        let runs = CountedRuns::<RawInfluence4>::new(array.bytes, as_index(array.count));
        let [mut unknown, mut sums, mut none, mut zero, mut twice] = [Tally::default(); 5];
        let mut at = array.at;
        for run in &runs {
            let bone = |one: &RawInfluence4| usize::try_from(one.bone.get()).ok();
            unknown.add(at, run.iter().any(|one| bone(one).is_none_or(|bone| bone >= bones)));
            let sum: u32 = run.iter().map(|one| u32::from(one.weight.get())).sum();
            none.add(at, run.is_empty());
            sums.add(at, !run.is_empty() && !WEIGHT_SUMS.contains(&sum));
            zero.add(at, run.iter().any(|one| one.weight.get() == 0));
            let again =
                |(item, one): (usize, &RawInfluence4)| run.iter().take(item).any(|other| other.bone == one.bone);
            twice.add(at, run.iter().enumerate().any(again));
            at = at.saturating_add(1).saturating_add(as_u64(size_of_val(run)));
        }
        let cases = [
            (rules::INVALID_WEIGHTS, unknown, "vertices refer to a bone that does not exist"),
            (rules::WEIGHT_SUM, sums, "vertices have weights that do not sum to 65532..65535"),
            (rules::WEIGHT_SUM, none, "vertices have no influence"),
            (rules::WEIGHT_SUM, zero, "vertices have an influence of weight 0"),
            (rules::WEIGHT_SUM, twice, "vertices refer to the same bone twice"),
        ];
        for (rule, tally, what) in cases {
            if tally.any() {
                self.add(rule, "weights", tally.first, format_args!("{} {what}", counted(tally.count, "quaternion")));
            }
        }
        Ok(())
    }

    fn normals(&mut self) -> Result<()> {
        let normals = Normals::from(self.view.tangent_frames()?);
        let positions = Positions(PositionEncoding::F32(self.view.positions()?));
        if are_meaningless(&normals, &positions, &self.view.indices()?, &self.view.attribute_indices()?) {
            let (field, at) = (self.field.in_inner_list("target", 0), self.at(ArrayKind::TangentFrames(0))?);
            self.report.add(rules::EQUAL_NORMALS, field.named("tangents"), at, SAME_NORMALS);
        }
        Ok(())
    }

    fn indices(&mut self) -> Result<()> {
        let (positions, frames) = (self.counts.vertices, self.counts.attribute_vertices);
        let indices = self.view.indices()?;
        let cases = [
            (indices, ArrayKind::Indices, "indices", positions, "position"),
            (self.view.attribute_indices()?, ArrayKind::AttributeIndices, "attribute_indices", frames, "tangent frame"),
        ];
        for (stream, kind, name, count, what) in cases {
            let at = self.at(kind)?;
            let (beyond, unused) = uses(self.view.generation.format(), &stream, count)?;
            if beyond.any() {
                let text = format_args!(
                    "{} out of range, expected below {count}, the number of {what}s",
                    counted(beyond.count, "index")
                );
                self.add(rules::INDEX_OUT_OF_RANGE, name, beyond.offset(at, as_u64(stream.byte_offset(1))), text);
            }
            if unused.any() {
                let text = format_args!(
                    "{} of {} in no corner; the first is {}",
                    unused.count,
                    counted(count, what),
                    unused.first
                );
                self.add(rules::UNUSED_ITEM, name, at, text);
            }
        }
        let mut flat = Tally::default();
        let mut corners = indices.iter();
        for triangle in 0_u64.. {
            let (Some(a), Some(b), Some(c)) = (corners.next(), corners.next(), corners.next()) else { break };
            flat.add(triangle, a == b || b == c || c == a);
        }
        if flat.any() {
            let size = as_u64(indices.byte_offset(1)).saturating_mul(3);
            let text = format_args!(
                "{} with two corners at one position; the first is {}",
                counted(flat.count, "triangle"),
                flat.first
            );
            self.add(rules::DEGENERATE_TRIANGLE, "indices", flat.offset(self.at(ArrayKind::Indices)?, size), text);
        }
        Ok(())
    }
}

/// Counts the indices that are out of range, and the vertices (positions or tangent frames) that no
/// index refers to.
fn uses(format: &'static str, indices: &Indices<'_>, count: u32) -> Result<(Tally, Tally)> {
    let (mut beyond, mut unused) = (Tally::default(), Tally::default());
    let mut used = filled(format, "indices", as_index(count.div_ceil(64)), 0_u64)?;
    let mut item = 0_u64;
    indices.for_each(|index| {
        beyond.add(item, index >= count);
        item = item.saturating_add(1);
        if let Some(word) = used.get_mut(as_index(index / 64)) {
            *word |= 1_u64.wrapping_shl(index % 64);
        }
    });
    for number in 0..count {
        let word = used.get(as_index(number / 64)).copied().unwrap_or_default();
        unused.add(number.into(), word & 1_u64.wrapping_shl(number % 64) == 0);
    }
    Ok((beyond, unused))
}

/// Compares the bounding box and sphere of the whole mesh with the boxes and spheres of its
/// surfaces.
pub(super) fn check_mesh(mesh: MeshReader<'_>, report: &mut Report<'_>) -> Result<()> {
    let field = Field::new("");
    let at = mesh.bounds_at();
    let stored = mesh.raw_bounds()?;
    check_finite_bounds(stored, field, at, report);
    let mut union = Bounds::EMPTY;
    let sphere = stored.sphere();
    let (bounds, mut farthest) = (stored.bounds(), f32::NEG_INFINITY);
    for index in 0..mesh.surface_count() {
        let head = mesh.surface_header(index)?;
        let (bounds, of_surface) = (head.bounds.bounds(), head.bounds.sphere());
        if bounds.is_empty() || of_surface.radius < 0.0 {
            continue;
        }
        union = union.union(&bounds);
        farthest = farthest.max(distance(sphere.center, of_surface.center) + of_surface.radius);
    }
    if union.is_empty() {
        return Ok(());
    }
    if !nearly_equal(&bounds, &union) {
        let text = format_args!("stored {}, but the union of the surfaces' boxes is {}", shown(&bounds), shown(&union));
        report.add(rules::BOUNDING_BOX, field.named("bounds"), at, text);
    }
    let slack = slack(&bounds, sphere.radius);
    if farthest > sphere.radius + slack {
        let text = format_args!("radius {}, but a surface's sphere reaches {farthest} from the centre", sphere.radius);
        report.add(rules::BOUNDING_SPHERE, field.named("bounds"), at, text);
    } else if farthest < sphere.radius - slack {
        let text =
            format_args!("radius {}, but the surfaces' spheres reach only {farthest} from the centre", sphere.radius);
        report.add(rules::BOUNDING_SPHERE, field.named("bounds"), at, text);
    }
    Ok(())
}

/// Returns the tolerance for the centre and radius of a bounding sphere: a fraction of the radius
/// (`SPHERE_SLACK`), plus the rounding error of the coordinates.
fn slack(bounds: &Bounds, radius: f32) -> f32 {
    let largest = bounds.min.iter().chain(&bounds.max).fold(0.0_f32, |largest, value| largest.max(value.abs()));
    SPHERE_SLACK * radius.abs() + 4.0 * f32::EPSILON * largest
}

pub(super) fn check_finite_bounds(bounds: &RawBounds, field: Field, at: u64, report: &mut Report<'_>) {
    if !bounds.floats().iter().all(|value| value.is_finite()) {
        let text = "bounds with a value that is not finite";
        report.add(rules::NOT_FINITE, field.named("bounds"), at, text);
    }
}

fn scaled(component: I16) -> f32 {
    f32::from(component.get()) / 32767.0
}

/// Returns whether all coordinates of two bounding boxes are equal to within one unit in the last
/// place (ULP).
pub(super) fn nearly_equal(one: &Bounds, other: &Bounds) -> bool {
    let pairs = one.min.iter().zip(&other.min).chain(one.max.iter().zip(&other.max));
    pairs.into_iter().all(|(one, other)| ordered(*one).abs_diff(ordered(*other)) <= 1)
}

/// Maps floats to integers with the same order: a greater float has a greater integer. Two adjacent
/// floats are mapped to integers that differ by 1, and positive and negative zero are mapped to the
/// same integer.
fn ordered(value: f32) -> i64 {
    let bits = i64::from(value.to_bits() & 0x7fff_ffff);
    if value.is_sign_negative() { bits.wrapping_neg() } else { bits }
}

pub(super) fn shown(bounds: &Bounds) -> String {
    format!("{:?} to {:?}", bounds.min, bounds.max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart() {
        assert_eq!(ordered(0.0), ordered(-0.0));
        assert_eq!(ordered(1.0) + 1, ordered(1.0_f32.next_up()));
        assert_eq!(ordered(-1.0) - 1, ordered((-1.0_f32).next_down()));
        assert_eq!(ordered(f32::MIN_POSITIVE) - ordered(f32::MIN_POSITIVE.next_down()), 1);
    }
}
