//! Computed normals: those of an exported file are compared with naive sums.

use std::fmt::Write as _;

use crate::support::unreal::builder;
use meshpeek::export::{ExportFormat, ExportOptions, NormalChoice};
use meshpeek::model::{Contents, Geometry};
use meshpeek::unreal::{Mesh, RawPolygon, Variant};
use meshpeek::{Array, Surface};

use crate::gltf_reader::{Part, Reader};
use crate::support::cases::number;
use crate::support::corpus;
use crate::support::random::Random;
use crate::{Model, export, meshes, sample};

/// The crease angle if none is chosen.
const CREASE: f64 = 65.0;

type Point = [f64; 3];
type Triangle = [Point; 3];

fn subtract(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Point) -> Point {
    a.map(|part| part / length(a))
}

fn facet([a, b, c]: Triangle) -> Point {
    let ([ux, uy, uz], [vx, vy, vz]) = (subtract(b, a), subtract(c, a));
    [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
}

/// Triangles with the indices of their vertices.
struct Twin {
    indices: Vec<[u32; 3]>,
    /// The positions of the corners, in the base shape and in the shape of the normals.
    base: Vec<Triangle>,
    shape: Vec<Triangle>,
    /// Whether a triangle has the normal of its plane.
    flat: Vec<bool>,
    angle: f64,
    /// Whether the mesh has other frames, in which a triangle without area may have one.
    has_frames: bool,
}

impl Twin {
    /// Returns the triangles whose facets are summed at a vertex of a triangle: those that it
    /// reaches over smooth edges.
    fn reached(&self, triangle: usize, vertex: u32) -> Vec<usize> {
        let ring: Vec<usize> = (0..self.indices.len()).filter(|other| self.indices[*other].contains(&vertex)).collect();
        let others = |triangle: usize, corner: usize| [1, 2].map(|step| self.indices[triangle][(corner + step) % 3]);
        let ends = |triangle: usize| {
            let corners = (0..3).filter(move |corner| self.indices[triangle][*corner] == vertex);
            corners.flat_map(move |corner| others(triangle, corner)).collect::<Vec<_>>()
        };
        let meet = |one: usize, other: usize| ends(one).iter().any(|end| ends(other).contains(end));
        let normal = |triangle: usize| facet(self.base[triangle]);
        let has_area = |triangle: usize| length(normal(triangle)) > 0.0;
        let between = |one: usize, other: usize| dot(unit(normal(one)), unit(normal(other))).clamp(-1.0, 1.0).acos();
        let real: Vec<usize> = ring.iter().copied().filter(|one| has_area(*one)).collect();
        let is_two_sided = real.iter().any(|one| real.iter().any(|other| between(*one, *other) > 3.12));
        let limit = if is_two_sided { self.angle.min(90.0) } else { self.angle };
        let is_smooth = |one: usize, other: usize| between(one, other).to_degrees() <= limit + 1e-4;
        // A triangle without area belongs to a neighbour with area.
        let owner = |one: usize| real.iter().copied().find(|other| meet(*other, one));
        let start = if has_area(triangle) { Some(triangle) } else { owner(triangle) };
        let mut found = vec![start.unwrap_or(triangle)];
        let mut next = 0;
        while next < found.len() {
            for other in real.iter().copied().filter(|_| start.is_some()) {
                if !found.contains(&other) && meet(found[next], other) && is_smooth(found[next], other) {
                    found.push(other);
                }
            }
            next += 1;
        }
        let others = ring.iter().copied().filter(|one| !has_area(*one) && *one != triangle);
        let others: Vec<usize> = others.filter(|one| owner(*one).is_some_and(|owner| found.contains(&owner))).collect();
        found.extend(others.into_iter().chain((!has_area(triangle) && start.is_some()).then_some(triangle)));
        found
    }

    /// Returns the normal of a corner, or `None` if its triangles have no area.
    fn normal(&self, triangle: usize, corner: usize) -> Option<Point> {
        let own = facet(self.shape[triangle]);
        let (mut sum, mut size) = ([0.0; 3], 0.0);
        let vertex = self.indices[triangle][corner];
        let reached = if self.flat[triangle] { Vec::new() } else { self.reached(triangle, vertex) };
        for other in reached {
            for place in (0..3).filter(|place| self.indices[other][*place] == vertex) {
                let [a, b, c] = [0, 1, 2].map(|step| self.shape[other][(place + step) % 3]);
                let (ab, ac) = (subtract(b, a), subtract(c, a));
                let cosine = dot(ab, ac) / (length(ab) * length(ac));
                let angle = if cosine.is_finite() { cosine.clamp(-1.0, 1.0).acos() } else { 0.0 };
                let part = facet(self.shape[other]).map(|part| part * angle);
                (sum, size) = ([0, 1, 2].map(|axis| sum[axis] + part[axis]), size + length(part));
            }
        }
        // Facets that nearly cancel each other out have no exact sum. The creases of triangles that
        // have an area only after the base shape are those of a later frame.
        let is_line = |other: usize| self.has_frames && length(facet(self.base[other])) == 0.0;
        let grows = |other: &usize| is_line(*other) && (*other == triangle || length(facet(self.shape[*other])) > 0.0);
        let ring = (0..self.indices.len()).filter(|other| self.indices[*other].contains(&vertex));
        if !self.flat[triangle]
            && (ring.clone().any(|other| grows(&other)) || (1e-12..1e-3).contains(&(length(sum) / size)))
        {
            return None;
        }
        let sum = if length(sum) > 1e-6 * size { sum } else { own };
        (length(sum) > 0.0).then(|| unit(sum))
    }

    /// Compares the normals of the corners of all triangles, and returns the number of them.
    fn expect(&self, found: &[Triangle], name: &str) -> usize {
        assert_eq!(found.len(), self.indices.len(), "{name}");
        let mut compared = 0;
        for (triangle, corners) in found.iter().enumerate() {
            for (corner, normal) in corners.iter().enumerate() {
                let normal = *normal;
                assert!((length(normal) - 1.0).abs() < 1e-5, "{name}: {normal:?}");
                let Some(expected) = self.normal(triangle, corner) else { continue };
                let difference = length(subtract(normal, expected));
                assert!(difference < 1e-4, "{name}: triangle {triangle}, corner {corner}: {normal:?}, {expected:?}");
                compared += 1;
            }
        }
        compared
    }
}

/// Returns an attribute of the corners of all triangles of the first mesh.
fn corners(parts: &[Part], get: impl Fn(&Part, usize) -> [f32; 3]) -> Vec<[[f32; 3]; 3]> {
    let triangles = parts.iter().flat_map(|part| {
        part.indices.chunks(3).map(|triangle| [0, 1, 2].map(|corner| get(part, triangle[corner] as usize)))
    });
    triangles.collect()
}

fn parts(contents: &dyn Contents, options: &ExportOptions) -> Vec<Part> {
    let reader = Reader::glb(&export(contents, ExportFormat::Glb, options).unwrap().0[0]);
    reader.document.meshes().flat_map(|mesh| reader.parts(&mesh)).collect()
}

fn wide(triangles: &[[[f32; 3]; 3]]) -> Vec<Triangle> {
    triangles.iter().map(|triangle| triangle.map(|point| point.map(f64::from))).collect()
}

/// Returns an EZ-Mesh file of positions and triangles without normals.
fn mesh(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Model {
    let (mut vertices, mut indices) = (String::new(), String::new());
    for [x, y, z] in positions {
        write!(vertices, "{x} {y} {z} ").unwrap();
    }
    for [a, b, c] in triangles {
        write!(indices, "{a} {b} {c} ").unwrap();
    }
    let text = format!(
        "<MeshSystem><Meshes><Mesh><vertexbuffer count='{}' ctype='fff' semantic='position'>{vertices}</vertexbuffer>\
         <MeshSection><indexbuffer triangle_count='{}'>{indices}</indexbuffer></MeshSection></Mesh></Meshes></MeshSystem>",
        positions.len(),
        triangles.len()
    );
    Model::open(meshpeek::io::FileBytes::from(text.into_bytes())).unwrap()
}

/// Returns the normals of a mesh without normals, for each corner.
fn exported(model: &Model, choice: Option<NormalChoice>) -> Vec<[[f32; 3]; 3]> {
    let parts = parts(model.contents(), &ExportOptions::default().with_normals(choice));
    corners(&parts, |part, vertex| part.normals.as_ref().unwrap()[vertex])
}

#[test]
fn normals_of_random_meshes_equal_naive_sums() {
    let random = &mut Random::new(47);
    let mut compared = 0;
    for _ in 0..number(400, 8) {
        let count = random.within(4..14);
        // Positions on a coarse grid: some triangles have no area, and some are stored twice.
        let positions: Vec<[f32; 3]> =
            (0..count).map(|_| std::array::from_fn(|_| (random.below(7) as f32 - 3.0) * 0.37)).collect();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for _ in 0..random.within(2..30) {
            let triangle = match triangles.last() {
                Some([a, b, c]) if random.one_in(4) => [*c, *b, *a],
                Some([_, b, c]) if !random.one_in(3) => [*c, *b, random.below(count) as u32],
                _ => std::array::from_fn(|_| random.below(count) as u32),
            };
            triangles.push(triangle);
        }
        let model = mesh(&positions, &triangles);
        for (choice, angle) in [
            (None, CREASE),
            (Some(NormalChoice::Creased(30.0)), 30.0),
            (Some(NormalChoice::Creased(180.0)), 180.0),
            (Some(NormalChoice::Creased(0.0)), 0.0),
        ] {
            let base: Vec<Triangle> = triangles
                .iter()
                .map(|triangle| triangle.map(|index| positions[index as usize].map(f64::from)))
                .collect();
            let flat = vec![angle == 0.0; triangles.len()];
            // An EZ-Mesh has one index for all attributes, so equal positions are one vertex.
            let first = |index: u32| positions.iter().position(|one| *one == positions[index as usize]).unwrap() as u32;
            let indices = triangles.iter().map(|triangle| triangle.map(first)).collect();
            let twin = Twin { indices, base: base.clone(), shape: base, flat, angle, has_frames: false };
            compared +=
                twin.expect(&wide(&exported(&model, choice)), &format!("{positions:?} {triangles:?} {choice:?}"));
        }
        let stored = ExportOptions::default().with_normals(Some(NormalChoice::Stored));
        assert!(parts(model.contents(), &stored).iter().all(|part| part.normals.is_none()));
    }
    assert!(compared > 1000, "{compared} corners");
}

#[test]
fn a_box_has_hard_edges_and_a_limb_with_six_sides_is_round() {
    let positions: Vec<[f32; 3]> =
        (0_u8..8).map(|corner| std::array::from_fn(|axis| f32::from(corner >> axis & 1))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cube: Vec<[u32; 3]> = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let model = mesh(&positions, &cube);
    let found = parts(model.contents(), &ExportOptions::default());
    assert_eq!(found[0].positions.len(), 24);
    for normal in found[0].normals.as_ref().unwrap() {
        assert_eq!(normal.iter().filter(|part| part.abs() == 1.0).count(), 1, "{normal:?}");
    }
    let around = |corner: u32| [f64::from(corner % 6).mul_add(60.0, 0.0).to_radians(), f64::from(corner / 6)];
    let limb: Vec<[f32; 3]> =
        (0..12).map(around).map(|[angle, y]| [angle.cos() as f32, (y * 4.0) as f32, -angle.sin() as f32]).collect();
    let sides = (0..6).flat_map(|side| {
        let next = (side + 1) % 6;
        [[side, next, next + 6], [side, next + 6, side + 6]]
    });
    let model = mesh(&limb, &sides.collect::<Vec<_>>());
    let found = parts(model.contents(), &ExportOptions::default());
    assert_eq!(found[0].positions.len(), 12);
    for (position, normal) in found[0].positions.iter().zip(found[0].normals.as_ref().unwrap()) {
        let out = unit([position[0].into(), 0.0, position[2].into()]);
        assert!(dot(out, normal.map(f64::from)) > 0.95, "{position:?} {normal:?}");
    }
}

#[test]
fn both_sides_of_a_surface_have_their_own_normals() {
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]];
    let model = mesh(&positions, &[[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]]);
    for choice in [None, Some(NormalChoice::Creased(180.0))] {
        let found = exported(&model, choice);
        for (triangle, sign) in found.iter().zip([1.0, 1.0, -1.0, -1.0]) {
            assert!(triangle.iter().all(|[.., z]| z * sign > 0.9), "{choice:?}: {found:?}");
        }
    }
}

#[test]
fn vertices_of_a_seam_are_smoothed_together() {
    // The two ends of a seam are computed with an error, far from the origin, too.
    for shift in [0.0, 40.0] {
        let positions: Vec<[f32; 3]> = (0..26_u16)
            .map(|number| {
                let angle = f64::from(number % 13) / 12.0 * std::f64::consts::TAU;
                [angle.cos() as f32 + shift, f32::from(number / 13), -angle.sin() as f32]
            })
            .collect();
        assert_ne!(positions[0], positions[12]);
        let sides = (0..12).flat_map(|side| [[side, side + 1, side + 14], [side, side + 14, side + 13]]);
        let model = mesh(&positions, &sides.collect::<Vec<_>>());
        let found = parts(model.contents(), &ExportOptions::default());
        assert_eq!(found[0].positions.len(), 26);
        for (position, normal) in found[0].positions.iter().zip(found[0].normals.as_ref().unwrap()) {
            let out = unit([f64::from(position[0] - shift), 0.0, position[2].into()]);
            assert!(dot(out, normal.map(f64::from)) > 0.99, "{position:?} {normal:?}");
        }
    }
}

#[test]
fn triangles_that_grow_in_a_frame_have_the_creases_of_this_frame() {
    let corner = |number: u16| [0, 1, 2].map(|axis| if number >> axis & 1 == 0 { 0_i16 } else { 80 });
    let cube: Vec<[i16; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for (name, start) in [
        ("a point", vec![[0; 3]; 8]),
        ("a plate", cube.iter().map(|[x, y, _]| [*x, *y, 0]).collect()),
        ("a line", cube.iter().map(|[x, ..]| [*x, 0, 0]).collect()),
    ] {
        let mut mesh = builder::Mesh::new(Variant::Classic, 8);
        let polygon = |corners: [u16; 3]| RawPolygon { vertices: corners.map(Into::into), ..RawPolygon::EMPTY };
        mesh.polygons = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).map(polygon).collect();
        // In frame 1, the mesh still has no area.
        mesh.frames = vec![start.clone(), start, cube.clone()];
        let model = Mesh::open(mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()).unwrap();
        let options = ExportOptions::default().with_frame(Some(2.0));
        let found = parts(&model, &options);
        let normals = corners(&found, |part, vertex| part.normals.as_ref().unwrap()[vertex]);
        assert_eq!(normals.len(), 12, "{name}");
        for normal in normals.as_flattened() {
            let along = normal.iter().filter(|part| (part.abs() - 1.0).abs() < 1e-6).count();
            assert_eq!(along, 1, "{name}: {normal:?}");
        }
    }
}

/// Compares the normals of the base shape and of some frames of an Unreal mesh. Returns the number
/// of compared corners.
fn check_frames(model: &Model, name: &str) -> usize {
    let geometry: &dyn Geometry = model.geometry();
    let conversion = geometry.space().conversion_to(&meshpeek::model::Space::GLTF).unwrap();
    let (mut indices, mut flat) = (Vec::new(), Vec::new());
    for surface in Surface::all(geometry).unwrap().filter(|surface| surface.is_drawn().unwrap()) {
        let stream: Vec<u32> = surface.indices().unwrap().iter().collect();
        indices.extend(stream.chunks(3).map(|corners| conversion.triangle([corners[0], corners[1], corners[2]])));
        flat.resize(indices.len(), surface.draw_style().unwrap().flat);
    }
    let parts = parts(model.contents(), &ExportOptions::default());
    let base = corners(&parts, |part, vertex| part.positions[vertex]);
    if base.len() != indices.len() {
        return 0; // Some triangles are damaged.
    }
    let normals = corners(&parts, |part, vertex| part.normals.as_ref().unwrap()[vertex]);
    let twin = |shape| Twin {
        indices: indices.clone(),
        base: wide(&base),
        shape,
        flat: flat.clone(),
        angle: CREASE,
        has_frames: true,
    };
    let mut compared = twin(wide(&base)).expect(&wide(&normals), name);
    let targets = parts.first().map_or(0, |part| part.targets.len());
    for target in [targets / 3, targets.saturating_sub(1)].into_iter().filter(|target| *target < targets) {
        let moved = |attribute: usize, base: &[[[f32; 3]; 3]]| {
            let changes = corners(&parts, |part, vertex| part.targets[target][attribute].as_ref().unwrap()[vertex]);
            let (mut sums, changes) = (wide(base), wide(&changes));
            for (sum, change) in sums.iter_mut().flatten().flatten().zip(changes.iter().flatten().flatten()) {
                *sum += change;
            }
            sums
        };
        compared += twin(moved(0, &base)).expect(&moved(1, &normals), &format!("{name}, target {target}"));
    }
    compared
}

#[test]
fn normals_of_vertex_frames_equal_naive_sums() {
    assert!(check_frames(&sample("unreal/guard_d.3d"), "guard") > 0);
}

#[test]
fn normals_of_real_unreal_meshes_equal_naive_sums() {
    let Some(folder) = corpus("unreal") else { return };
    let (mut files, mut compared) = (0, 0);
    for path in meshes(&folder) {
        let Ok(model) = meshpeek::open(&path) else { continue };
        let triangles: u32 = model.surfaces().unwrap().map(|one| one.counts().unwrap().corners / 3).sum();
        // The naive sums take a time in proportion to the square of the triangles.
        if triangles < 400 {
            compared += check_frames(&model, &path.display().to_string());
            files += 1;
        }
    }
    assert!(files > 100 && compared > 10_000, "{files} files, {compared} corners");
}
