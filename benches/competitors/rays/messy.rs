//! Generated meshes with the traits of two real ones on which trees do worse than on a sphere.

use crate::mesh::{Mesh, Random, positions, quads};

/// Returns copies of a model of overlapping shells: a body, and parts that reach into it, each as
/// an inner shell whose triangles are all present 16 times, and as an outline slightly farther out
/// whose triangles are present 32 times. The copies of a triangle follow each other in the file:
/// either alone, or by turns with those of the other triangle of its quad. Few positions are shared
/// by all triangles. A game model of 100,512 triangles and 2,241 vertices is like this.
pub fn shells(triangles: usize) -> Mesh {
    let model = model();
    let copies = triangles.div_ceil(model.triangles.len());
    model.repeated(copies)
}

/// The number of rows of the body and of each part.
const BODY: u32 = 17;
const PART: u32 = 6;

fn model() -> Mesh {
    let mut model = Mesh { name: "overlapping shells".into(), ..Mesh::default() };
    for (grown, times) in [(1.0, 16), (1.03, 32)] {
        let mut random = Random::new(4);
        let radii = [0.4, 1.0, 0.9];
        shell(&mut model, BODY, [0.0; 3], radii.map(|radius| radius * grown), times);
        for _ in 0..8 {
            let at = random.in_ball();
            let length = at.iter().map(|value| value * value).sum::<f32>().sqrt();
            let center = [0, 1, 2].map(|axis| at[axis] / length * radii[axis]);
            let radius = 0.15 + 0.15 * random.unit();
            shell(&mut model, PART, center, [radius * grown, radius * grown, 1.5 * radius * grown], times);
        }
    }
    model
}

/// Appends an ellipsoid whose triangles are present `times` times.
fn shell(model: &mut Mesh, rows: u32, center: [f32; 3], radii: [f32; 3], times: usize) {
    let positions = positions(rows, |latitude, longitude| {
        let [sin, cos] = [latitude.sin() as f32, latitude.cos() as f32];
        let direction = [sin * longitude.cos() as f32, sin * longitude.sin() as f32, cos];
        [0, 1, 2].map(|axis| center[axis] + radii[axis] * direction[axis])
    });
    // At a pole, one of the two triangles has no area.
    let poles = [0..2 * rows, 2 * rows * rows..2 * rows * (rows + 1)];
    let has_area =
        |corners: &[u32; 3]| poles.iter().all(|pole| corners.iter().filter(|at| pole.contains(at)).count() < 2);
    let mut triangles = Vec::new();
    for (number, quad) in quads(rows).enumerate() {
        let quad = quad.into_iter().filter(has_area).collect::<Vec<_>>();
        if number % 2 == 0 {
            triangles.extend(quad.iter().flat_map(|corners| vec![*corners; times]));
        } else {
            triangles.extend(quad.repeat(times));
        }
    }
    model.append(&positions, &triangles);
}

/// Returns copies of a level made of rectangles that mostly share no corners with others: few are
/// near-squares, many are long and thin, and some are slivers. Three of four are parallel to two
/// axes. The positions are in the order in which the rectangles were made, and the triangles are
/// sorted by material, so the file jumps between the two orders. Some corners are far from the
/// others in the file. A level of 7,803 triangles and 13,201 vertices is like this.
pub fn soup(triangles: usize) -> Mesh {
    let level = level();
    let copies = triangles.div_ceil(level.triangles.len());
    level.repeated(copies)
}

/// The number of rectangles and of materials of a level, and its size.
const RECTANGLES: usize = 3900;
const MATERIALS: usize = 9;
const SIZE: [f32; 3] = [300.0, 36.0, 300.0];

fn level() -> Mesh {
    let mut random = Random::new(5);
    let (mut at, mut material) = (SIZE.map(|size| size / 2.0), 0);
    let mut positions = Vec::new();
    let mut late = Vec::new();
    let mut materials = vec![Vec::new(); MATERIALS];
    for _ in 0..RECTANGLES {
        if random.below(5) == 0 {
            material = random.below(MATERIALS);
        }
        at = next(&mut random, at);
        let corners = rectangle(&mut random, at);
        let first = positions.len() as u32;
        if random.below(4) == 0 {
            positions.extend([0, 1, 2, 0, 2, 3].map(|corner: usize| corners[corner]));
            materials[material].extend([[first, first + 1, first + 2], [first + 3, first + 4, first + 5]]);
        } else if random.below(20) == 0 {
            positions.extend(&corners[..3]);
            late.push((material, first, corners[3]));
        } else {
            positions.extend(corners);
            materials[material].extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    for (material, first, corner) in late {
        materials[material].extend([[first, first + 1, first + 2], [first, first + 2, positions.len() as u32]]);
        positions.push(corner);
    }
    Mesh { name: "a level of rectangles".into(), positions, triangles: materials.concat(), ..Mesh::default() }
}

/// Returns a place near the last one, or sometimes anywhere in the level.
fn next(random: &mut Random, last: [f32; 3]) -> [f32; 3] {
    let anywhere = random.below(50) == 0;
    [0, 1, 2].map(|axis| {
        let place = if anywhere { SIZE[axis] * random.unit() } else { last[axis] + 6.0 * random.signed() };
        place.clamp(0.0, SIZE[axis])
    })
}

/// Returns the corners of a rectangle around a place.
fn rectangle(random: &mut Random, at: [f32; 3]) -> [[f32; 3]; 4] {
    let large = if random.below(100) == 0 { 5.0 } else { 1.0 };
    let long = large * 15.0 * (0.02 + 0.98 * random.unit());
    let short = long / 10f32.powf(3.0 * random.unit().powi(3));
    let axis = random.below(3);
    let turn = random.below(4);
    let (mut along, mut across) = ([0.0; 3], [0.0; 3]);
    along[axis] = long / 2.0;
    across[(axis + 1 + turn % 2) % 3] = short / 2.0;
    if turn == 3 {
        let (sin, cos) = (3.0 * random.signed()).sin_cos();
        [along, across] = [along, across].map(|[x, y, z]| [x * cos - z * sin, y, x * sin + z * cos]);
    }
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[u, v]: [f32; 2]| [0, 1, 2].map(|axis| at[axis] + u * along[axis] + v * across[axis]))
}
