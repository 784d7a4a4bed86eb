//! The crates parry3d and obvhs, each used as its documentation recommends.

use std::time::Duration;

use meshpeek_competitors::version;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2_from_tris;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::RayHit;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;
use parry3d::math::Vector;
use parry3d::query::{PointQuery, RayCast};
use parry3d::shape::TriMesh;

use crate::mesh::Mesh;
use crate::questions::Ray;
use crate::{Contestant, Tree};

pub fn contestants() -> [Contestant; 4] {
    let contestant = |name, package, build| Contestant { name, version: version(package), tolerance: 1, build };
    let (fast, medium) = (BvhBuildParams::fast_build, BvhBuildParams::medium_build);
    [
        contestant("parry3d", "parry3d", Box::new(|mesh| Box::new(parry(mesh)))),
        contestant("obvhs, CwBvh fast", "obvhs", Box::new(move |mesh| Box::new(Obvhs::compressed(mesh, fast())))),
        contestant("obvhs, CwBvh medium", "obvhs", Box::new(move |mesh| Box::new(Obvhs::compressed(mesh, medium())))),
        contestant("obvhs, Bvh2 medium", "obvhs", Box::new(move |mesh| Box::new(Obvhs::binary(mesh, medium())))),
    ]
}

fn parry(mesh: &Mesh) -> TriMesh {
    let positions = mesh.positions.iter().map(|position| Vector::from(*position)).collect();
    TriMesh::new(positions, mesh.triangles.clone()).unwrap()
}

impl Tree for TriMesh {
    fn bytes(&self) -> Option<usize> {
        Some(self.total_memory_size())
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        for (Ray { origin, direction }, hit) in rays.iter().zip(hits) {
            let ray = parry3d::query::Ray::new((*origin).into(), (*direction).into());
            *hit = self.cast_local_ray(&ray, f32::MAX, false).unwrap_or(f32::INFINITY);
        }
        true
    }

    fn any(&mut self, _: &[Ray], _: &mut [f32]) -> bool {
        false
    }

    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool {
        for (point, distance) in points.iter().zip(distances) {
            let point = Vector::from(*point);
            *distance = (self.project_local_point(point, false).point - point).length();
        }
        true
    }
}

/// A tree, and its triangles in the order of the tree, which avoids looking up their indices.
struct Obvhs<T> {
    tree: T,
    triangles: Vec<RtTriangle>,
}

impl Obvhs<CwBvh> {
    fn compressed(mesh: &Mesh, parameters: BvhBuildParams) -> Self {
        let all = triangles(mesh);
        let tree = build_cwbvh_from_tris(&all, parameters, &mut Duration::default());
        Self { triangles: ordered(&all, &tree.primitive_indices), tree }
    }
}

impl Obvhs<Bvh2> {
    fn binary(mesh: &Mesh, parameters: BvhBuildParams) -> Self {
        let all = triangles(mesh);
        let tree = build_bvh2_from_tris(&all, parameters, &mut Duration::default());
        Self { triangles: ordered(&all, &tree.primitive_indices), tree }
    }
}

fn triangles(mesh: &Mesh) -> Vec<Triangle> {
    let triangle = |number| mesh.corners(number).map(Into::into);
    (0..mesh.triangles.len()).map(triangle).map(|[v0, v1, v2]| Triangle { v0, v1, v2 }).collect()
}

fn ordered(all: &[Triangle], order: &[u32]) -> Vec<RtTriangle> {
    order.iter().map(|number| (&all[*number as usize]).into()).collect()
}

/// Casts each ray with a tree of obvhs. Both kinds of trees have the same method, but no common
/// trait.
macro_rules! cast {
    ($self:ident, $rays:ident, $hits:ident) => {
        for (Ray { origin, direction }, answer) in $rays.iter().zip($hits) {
            let mut hit = RayHit::none();
            let ray = obvhs::ray::Ray::new_inf((*origin).into(), (*direction).into());
            $self.tree.ray_traverse(ray, &mut hit, |ray, number| $self.triangles[number].intersect(ray));
            *answer = hit.t;
        }
    };
}

/// Finds whether each ray hits anything.
macro_rules! cast_any {
    ($self:ident, $rays:ident, $hits:ident) => {
        for (Ray { origin, direction }, hit) in $rays.iter().zip($hits) {
            let ray = obvhs::ray::Ray::new_inf((*origin).into(), (*direction).into());
            *hit = f32::from(!$self.tree.ray_traverse_miss(ray, |ray, number| $self.triangles[number].intersect(ray)));
        }
    };
}

impl Tree for Obvhs<CwBvh> {
    fn bytes(&self) -> Option<usize> {
        let CwBvh { nodes, primitive_indices, .. } = &self.tree;
        let tree = size_of_val(&nodes[..]) + size_of_val(&primitive_indices[..]);
        Some(tree + size_of_val(&self.triangles[..]))
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        cast!(self, rays, hits);
        true
    }

    fn any(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        cast_any!(self, rays, hits);
        true
    }

    fn nearest(&mut self, _: &[[f32; 3]], _: &mut [f32]) -> bool {
        false
    }
}

impl Tree for Obvhs<Bvh2> {
    fn bytes(&self) -> Option<usize> {
        let Bvh2 { nodes, primitive_indices, parents, .. } = &self.tree;
        let tree = size_of_val(&nodes[..]) + size_of_val(&primitive_indices[..]) + size_of_val(&parents[..]);
        Some(tree + size_of_val(&self.triangles[..]))
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        cast!(self, rays, hits);
        true
    }

    fn any(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        cast_any!(self, rays, hits);
        true
    }

    fn nearest(&mut self, _: &[[f32; 3]], _: &mut [f32]) -> bool {
        false
    }
}
