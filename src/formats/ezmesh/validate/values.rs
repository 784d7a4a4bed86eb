//! Checks the validation rules about the values of numbers: positions, bone weights and indices.

use super::rules;
use crate::array::{Array, Bounds};
use crate::error::{Field, Result, counted};
use crate::formats::ezmesh::elements::buffers::{IndexBuffer, VertexBuffer};
use crate::formats::ezmesh::elements::{Collision, MeshElement, Section};
use crate::formats::ezmesh::surface::Vertices;
use crate::formats::ezmesh::view::View;
use crate::math::{as_index, as_u64};
use crate::model::equal_normals::{SAME_NORMALS, are_meaningless};
use crate::validate::{IndexCheck, Report, Tally, contains};

/// Maximum accepted difference between the sum of the bone weights of a vertex and 1.
const ROUNDED: f32 = 1e-3;
/// The text of a finding about numbers that are not finite, before the index of the first item.
const NOT_FINITE: &str = "with numbers that are not finite, first";

pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let mut all = Bounds::EMPTY;
    for mesh in view.meshes() {
        let (place, start) = mesh.element.located();
        let mut bounds = Bounds::EMPTY;
        if let Ok(Some(buffer)) = mesh.vertex_buffer() {
            bounds = bounds.union(&check_vertices(mesh, &buffer, report)?);
        }
        for section in mesh.sections() {
            if let (true, Ok(buffer)) = (section.has_own_vertices(), section.vertex_buffer()) {
                bounds = bounds.union(&check_vertices(mesh, &buffer, report)?);
            }
            check_triangles(section, report)?;
            check_normals(section, report)?;
        }
        check_box(report, place, start, mesh.declared_bounds().ok().flatten(), bounds);
        all = all.union(&bounds);
    }
    for collision in view.collisions() {
        check_hull(collision, report)?;
    }
    for tetra in view.tetra_meshes() {
        let Ok(corners) = tetra.corners() else { continue };
        let wild = Tally::of(corners.iter(), |corner| !corner.iter().all(|value| value.is_finite()));
        if wild.any() {
            let text = wild.text_to_first("tetrahedron", NOT_FINITE);
            report.add(rules::NOT_FINITE, tetra.element.place.named("corners"), tetra.offset()?, text);
        }
    }
    let start = view.state.elements.root;
    check_box(report, Field::new(""), start, view.declared_bounds().ok().flatten(), all);
    Ok(())
}

fn check_normals(section: Section<'_>, report: &mut Report<'_>) -> Result<()> {
    let (Ok(buffer), Ok(Some(triangles))) = (section.vertex_buffer(), section.index_buffer()) else { return Ok(()) };
    let (Ok(vertices), Ok(indices)) = (buffer.vertices(), triangles.indices()) else { return Ok(()) };
    let Some((normals, positions)) = vertices.normals().zip(vertices.positions()) else { return Ok(()) };
    if are_meaningless(&normals, &positions, &indices, &indices) {
        let place = section.element.place;
        report.add(rules::EQUAL_NORMALS, place.named("normal"), buffer.offset()?, SAME_NORMALS);
    }
    Ok(())
}

/// Checks the points and the triangles of a convex hull in a collision shape.
fn check_hull(collision: Collision<'_>, report: &mut Report<'_>) -> Result<()> {
    let Ok(Some(points)) = collision.hull_points() else { return Ok(()) };
    if let Ok(vertices) = points.vertices() {
        check_finite(&vertices, points.element.place, points.offset()?, report);
    }
    if let Ok(Some(triangles)) = collision.hull_triangles() {
        let place = collision.element.place;
        check_indices(&triangles, &points, place.named("indexbuffer"), report)?;
    }
    Ok(())
}

/// Checks every number of the given vertices, and returns the bounding box of their positions.
fn check_vertices(mesh: MeshElement<'_>, buffer: &VertexBuffer<'_>, report: &mut Report<'_>) -> Result<Bounds> {
    let Ok(vertices) = buffer.vertices() else { return Ok(Bounds::EMPTY) };
    let (place, start) = (buffer.element.place, buffer.offset()?);
    check_finite(&vertices, place, start, report);
    check_weights(mesh, &vertices, (place, start), report)?;
    let bad = buffer.element.known_block().map_or(0, |parsed| parsed.bad_digits);
    if bad > 0 {
        let text = format_args!("expected hexadecimal digits, found {bad} other characters, which are read as 0");
        report.add(rules::HEXADECIMAL_DIGIT, place.named("vertexbuffer"), start, text);
    }
    Ok(vertices.positions().map_or(Bounds::EMPTY, |positions| positions.bounds()))
}

fn check_finite(vertices: &Vertices<'_>, place: Field, start: u64, report: &mut Report<'_>) {
    let fields = vertices.float_fields();
    let all = 0..if fields.is_empty() { 0 } else { vertices.len() };
    let is_wild = |vertex| fields.iter().filter_map(|field| field.get(vertex)).any(|[float]| !float.is_finite());
    let wild = Tally::of(all, is_wild);
    let text = wild.text_to_first("vertex", NOT_FINITE);
    report.add_any(wild, rules::NOT_FINITE, place.named("vertexbuffer"), start, text);
}

fn check_weights(
    mesh: MeshElement<'_>,
    vertices: &Vertices<'_>,
    (place, start): (Field, u64),
    report: &mut Report<'_>,
) -> Result<()> {
    let Some((numbers, weights)) = vertices.lanes() else { return Ok(()) };
    let (field, bones) = (place.named("blendweights"), mesh.bones()?.len());
    let count = mesh.element.view.bone_count();
    if count == 0 {
        report.add(rules::WEIGHTS_WITHOUT_SKELETON, field, start, "expected a skeleton for the weights, found none");
    }
    let (mut unknown, mut odd) = (Tally::default(), Tally::default());
    for vertex in 0..vertices.len() {
        let (Some(numbers), Some(weights)) = (numbers.get(vertex), weights.get(vertex)) else { continue };
        let beyond = |(bone, weight): (&u16, &f32)| *weight != 0.0 && usize::from(*bone) >= bones;
        unknown.add(as_u64(vertex), numbers.iter().zip(&weights).any(beyond));
        let sum: f32 = weights.iter().sum();
        // If the sum of the bone weights is NaN, `is_one` is false. Hence a NaN sum is also
        // reported.
        let is_one = (sum - 1.0).abs() <= ROUNDED && weights.iter().all(|weight| *weight >= 0.0);
        odd.add(as_u64(vertex), !is_one);
    }
    if count > 0 {
        let (all, first) = (counted(unknown.count, "vertex"), unknown.first);
        let text =
            format_args!("{all} with bones beyond the {} of the skeleton, first {first}", counted(bones, "bone"));
        report.add_any(unknown, rules::WEIGHT_BONE, place.named("blendindices"), start, text);
    }
    let text = odd.text_to_first("vertex", "with weights that do not sum up to 1, first");
    report.add_any(odd, rules::WEIGHT_SUM, field, start, text);
    Ok(())
}

fn check_triangles(section: Section<'_>, report: &mut Report<'_>) -> Result<()> {
    let (place, at) = section.element.located();
    let (Ok(Some(triangles)), Ok(buffer)) = (section.index_buffer(), section.vertex_buffer()) else { return Ok(()) };
    let bounds = check_indices(&triangles, &buffer, place.named("indexbuffer"), report)?;
    check_box(report, place, at, section.declared_bounds().ok().flatten(), bounds);
    Ok(())
}

/// Checks the indices of triangles, and returns the bounding box of the vertices that the triangles
/// use.
fn check_indices(
    triangles: &IndexBuffer<'_>,
    buffer: &VertexBuffer<'_>,
    field: Field,
    report: &mut Report<'_>,
) -> Result<Bounds> {
    let Ok(indices) = triangles.indices() else { return Ok(Bounds::EMPTY) };
    let positions = buffer.vertices().ok().and_then(|vertices| vertices.positions());
    let (mut check, mut bounds) = (IndexCheck::new(buffer.count()), Bounds::EMPTY);
    indices.for_each_chunk(|_, chunk| {
        check.add_chunk(chunk);
        let position = |index: &u32| positions?.get(as_index(*index));
        bounds.extend(chunk.iter().filter_map(position));
    });
    let IndexCheck { beyond, first_beyond, degenerate, .. } = check;
    if beyond.any() {
        let (end, value, Tally { count, first }) = (buffer.count(), first_beyond.cast_signed(), beyond);
        let text = format_args!(
            "expected indices below {end}, found {count} out of range; the first is number {first} with value {value}"
        );
        report.add(rules::INDEX_OUT_OF_RANGE, field, triangles.offset_of(beyond.first)?, text);
    }
    if degenerate.any() {
        let text = degenerate.text_to_first("triangle", "with a vertex used twice, first");
        report.add(rules::DEGENERATE_TRIANGLE, field, triangles.offset()?, text);
    }
    Ok(bounds)
}

/// Compares a declared bounding box with the computed bounding box of the positions.
fn check_box(report: &mut Report<'_>, place: Field, start: u64, declared: Option<Bounds>, found: Bounds) {
    let Some(declared) = declared.filter(|_| !found.is_empty()) else { return };
    if !contains(&declared, &found) {
        let Bounds { min, max } = found;
        let text =
            format_args!("expected a box around {min:?} to {max:?}, found {:?} to {:?}", declared.min, declared.max);
        report.add(rules::BOUNDING_BOX, place.named("MeshAABB"), start, text);
    }
}
