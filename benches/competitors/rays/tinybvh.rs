//! The crate tinybvh-rs, which wraps a C++ library. Its documentation recommends this tree for rays
//! on processors.

use meshpeek_competitors::version;
use tinybvh_rs::{INFINITE, Intersection, Intersector, bvh, bvh8_cpu, mbvh};

use crate::mesh::Mesh;
use crate::questions::Ray;
use crate::{Contestant, Tree};

pub fn contestants() -> [Contestant; 1] {
    let (name, version) = ("tinybvh-rs", version("tinybvh-rs"));
    [Contestant { name, version, tolerance: 1, build: Box::new(|mesh| Box::new(build(mesh))) }]
}

/// A ray as the C++ library has it. The ray of the crate lacks the last 64 bytes and the alignment,
/// so the crate's constructor would write beyond it.
#[repr(C, align(64))]
struct WholeRay {
    part: tinybvh_rs::Ray,
    rest: [u64; 8],
}

impl WholeRay {
    fn new(origin: [f32; 3], dir: [f32; 3]) -> Self {
        let hit = Intersection::new();
        // The field after the origin is a mask.
        let part = tinybvh_rs::Ray {
            origin,
            padding_0: 0xffff,
            dir,
            r_d: dir.map(|part| 1.0 / part),
            hit,
            ..Default::default()
        };
        Self { part, rest: [0; 8] }
    }
}

/// Builds a tree with two children for each node, and converts it to one with eight, which has its
/// own triangles.
fn build(mesh: &Mesh) -> bvh8_cpu::BVH {
    let corners = (0..mesh.triangles.len()).flat_map(|triangle| mesh.corners(triangle));
    let corners = corners.map(|[x, y, z]| [x, y, z, 0.0]).collect::<Vec<_>>();
    let mut binary = bvh::BVH::new(corners.as_slice().into()).unwrap();
    binary.split_leaves(4);
    binary.compact();
    bvh8_cpu::BVH::new(&mbvh::BVH::new(&binary)).unwrap()
}

impl Tree for bvh8_cpu::BVH {
    fn bytes(&self) -> Option<usize> {
        None
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        for (Ray { origin, direction }, hit) in rays.iter().zip(hits) {
            let mut ray = WholeRay::new(*origin, *direction);
            self.intersect(&mut ray.part);
            *hit = if ray.part.hit.t < INFINITE { ray.part.hit.t } else { f32::INFINITY };
        }
        true
    }

    fn any(&mut self, _: &[Ray], _: &mut [f32]) -> bool {
        false
    }

    fn nearest(&mut self, _: &[[f32; 3]], _: &mut [f32]) -> bool {
        false
    }
}
