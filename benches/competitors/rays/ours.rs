//! meshpeek: a tree with eight children per node. Its leaves refer to triangles in the borrowed
//! arrays.

use std::sync::Arc;

use meshpeek::Packed;
use meshpeek::decode::{Floats, Index, MinMax16};
use meshpeek::model::{IndexEncoding, Indices, PositionEncoding, Positions};
use meshpeek::query::{self, Scene, Triangles};
use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, IntoBytes};

use crate::mesh::Mesh;
use crate::questions::Ray;
use crate::{Contestant, Tree};

pub fn contestants() -> [Contestant; 3] {
    let version = || meshpeek_competitors::version("meshpeek");
    let contestant = |name, build| Contestant { name, version: version(), tolerance: 1, build };
    [
        contestant("meshpeek", Box::new(|mesh| Box::new(Ours::build(mesh, floats(mesh), Asked::OneByOne)))),
        contestant(
            "meshpeek, many at once",
            Box::new(|mesh| Box::new(Ours::build(mesh, floats(mesh), Asked::Together))),
        ),
        // It answers for a slightly different mesh, because its positions are rounded.
        Contestant {
            tolerance: 10,
            ..contestant(
                "meshpeek, 16 bits",
                Box::new(|mesh| Box::new(Ours::build(mesh, quantized(mesh), Asked::Rays))),
            )
        },
    ]
}

/// Half of the side of the cube that is the domain of the 16-bit codes.
const REACH: f32 = 1.1;

struct Ours<'a> {
    scene: Scene<'a>,
    asked: Asked,
}

/// The questions of a contestant, and how they are answered.
#[derive(PartialEq)]
enum Asked {
    OneByOne,
    /// Rays, all in one call.
    Together,
    /// Only rays: with rounded positions, the distances of points differ by the rounding error.
    Rays,
}

fn floats(mesh: &Mesh) -> Positions<'_> {
    let raw = <[[F32; 3]]>::ref_from_bytes(mesh.positions.as_bytes()).expect("the type has no alignment requirement");
    Positions(PositionEncoding::F32(Packed::new(raw, Floats)))
}

/// Rounds positions to codes, once for each mesh.
fn quantized(mesh: &Mesh) -> Positions<'_> {
    let decoder = MinMax16::new([-REACH; 3], [REACH; 3]);
    let codes = mesh.codes.get_or_init(|| mesh.positions.iter().map(|position| decoder.encode(*position)).collect());
    Positions(PositionEncoding::MinMax16(Packed::new(codes, decoder)))
}

pub fn ray(ray: &Ray) -> query::Ray {
    query::Ray::new(ray.origin, ray.direction)
}

/// Returns a scene of the positions as they are.
pub fn scene(mesh: &Mesh) -> Scene<'_> {
    Ours::build(mesh, floats(mesh), Asked::OneByOne).scene
}

impl<'a> Ours<'a> {
    fn build(mesh: &'a Mesh, positions: Positions<'a>, asked: Asked) -> Self {
        let raw = <[U32]>::ref_from_bytes(mesh.triangles.as_bytes()).expect("the type has no alignment requirement");
        let indices = Indices(IndexEncoding::U32(Packed::new(raw, Index::default())));
        let triangles = Triangles::from_arrays(positions, indices);
        let mut scene = Scene::empty();
        scene.add(0, triangles, Arc::new(query::Tree::new(&triangles).expect("there is enough memory")));
        Self { scene, asked }
    }
}

impl Tree for Ours<'_> {
    fn bytes(&self) -> Option<usize> {
        Some(self.scene.trees().map(|(_, tree)| tree.bytes() as usize).sum())
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        if self.asked == Asked::Together {
            let rays = rays.iter().map(ray).collect::<Vec<_>>();
            for (hit, found) in hits.iter_mut().zip(self.scene.rays(&rays)) {
                *hit = found.map_or(f32::INFINITY, |found| found.t);
            }
        } else {
            for (hit, asked) in hits.iter_mut().zip(rays) {
                *hit = self.scene.ray(&ray(asked)).map_or(f32::INFINITY, |found| found.t);
            }
        }
        true
    }

    fn any(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        if self.asked == Asked::Together {
            return false;
        }
        rays.iter().zip(hits).for_each(|(asked, hit)| *hit = f32::from(self.scene.is_hit(&ray(asked))));
        true
    }

    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool {
        if self.asked != Asked::OneByOne {
            return false;
        }
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = self.scene.nearest(*point, f32::INFINITY).map_or(f32::INFINITY, |found| found.distance);
        }
        true
    }
}
