//! Checks the rules about vertices, indices and bounds. The checks of a surface read every vertex
//! and every index.

use super::rules;
use zerocopy::little_endian::I16;

use super::trees;
use crate::array::runs::CountedRuns;
use crate::array::{Array, Bounds, Packed};
use crate::decode::Floats;
use crate::decode::influence4::RawInfluence4;
use crate::error::{Field, Result, counted};
use crate::formats::unigine::blocks::inflated::InflateBuffer;
use crate::formats::unigine::bounds::{center, distance};
use crate::formats::unigine::layout::RawBounds;
use crate::formats::unigine::reader::arrays::ArrayKind;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::{as_index, as_u64};
use crate::model::equal_normals::{SAME_NORMALS, are_meaningless};
use crate::model::{Counts, Normals, PositionEncoding, Positions, TangentFrameEncoding, TangentFrames};
use crate::parse::{Rule, Severity};
use crate::validate::{IndexCheck, Report, Tally, length, nearly_equal};
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
    let remark = rules::NOT_FINITE.with(Severity::Info);
    let sets = [(0, ArrayKind::Uv0, "uv0", rules::NOT_FINITE), (1, ArrayKind::Uv1, "uv1", remark)];
    for (set, kind, name, rule) in sets {
        if let Ok(Some(uvs)) = view.uvs(set) {
            let at = surface.at(kind)?;
            surface.finite(uvs, at, field.named(name), rule);
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

    fn add_any(&mut self, tally: Tally, rule: Rule, name: &'static str, offset: u64, text: impl std::fmt::Display) {
        self.report.add_any(tally, rule, self.field.named(name), offset, text);
    }

    fn finite<const N: usize>(&mut self, values: Packed<'a, Floats<N>>, at: u64, field: Field, rule: Rule) {
        let scan::NonFinite { count, first } = values.non_finite();
        let wild = Tally { count, first };
        let offset = wild.offset(at, as_u64(size_of::<[f32; N]>()));
        self.report.add_any(wild, rule, field, offset, wild.text("item", "with a value that is not finite"));
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
                    let positions = Packed::new(self.view.cast(&array)?, Floats::<3>);
                    self.finite(positions, array.at, field, rules::NOT_FINITE);
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
        let (mut long, mut flat) = (Tally::default(), Tally::default());
        let mut look = |item, quaternion: [f32; 4], lifted: bool| {
            long.add(item, (length(quaternion) - 1.0).abs() > 0.002);
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
        for (tally, what) in [(long, "without unit length"), (flat, "with an unreliable sign of w")] {
            let (offset, text) = (tally.offset(at, size), tally.text("quaternion", what));
            self.report.add_any(tally, rules::TANGENT_QUATERNION, field, offset, text);
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
            self.add_any(tally, rule, "weights", tally.first, tally.text("quaternion", what));
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
        let cases = [
            (self.view.indices()?, ArrayKind::Indices, "indices", positions, "position"),
            (self.view.attribute_indices()?, ArrayKind::AttributeIndices, "attribute_indices", frames, "tangent frame"),
        ];
        let mut flat = (Tally::default(), 0);
        for (stream, kind, name, count, what) in cases {
            let at = self.at(kind)?;
            let mut check = IndexCheck::new(count).with_unused(self.view.generation.format())?;
            check.add_all(&stream);
            let IndexCheck { beyond, degenerate, .. } = check;
            let size = as_u64(stream.byte_offset(1));
            let text = format_args!(
                "{} out of range, expected below {count}, the number of {what}s",
                counted(beyond.count, "index")
            );
            self.add_any(beyond, rules::INDEX_OUT_OF_RANGE, name, beyond.offset(at, size), text);
            let unused = check.unused();
            let text = format_args!(
                "{} of {} in no corner; the first is {}",
                unused.count,
                counted(count, what),
                unused.first
            );
            self.add_any(unused, rules::UNUSED_ITEM, name, at, text);
            if kind == ArrayKind::Indices {
                flat = (degenerate, degenerate.offset(at, size.saturating_mul(3)));
            }
        }
        let (flat, at) = flat;
        let text = flat.text_to_first("triangle", "with two corners at one position; the first is");
        self.add_any(flat, rules::DEGENERATE_TRIANGLE, "indices", at, text);
        Ok(())
    }
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

pub(super) fn shown(bounds: &Bounds) -> String {
    format!("{:?} to {:?}", bounds.min, bounds.max)
}
