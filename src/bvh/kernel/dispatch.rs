//! Jobs that run with the kernels of the processor.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::bvh::kernel::avx2;
use crate::bvh::kernel::conservative_ray::ConservativeRay;
use crate::bvh::kernel::portable;
use crate::bvh::lanes::{CornerIndices, TriangleBlock};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::triangles::Triangles;
use crate::simd::kernel;

/// The tests of eight boxes or eight triangles at a time.
pub(crate) trait Kernels {
    /// Decodes the positions of eight triangles.
    fn block(&self, triangles: &Triangles<'_>, corners: &CornerIndices) -> TriangleBlock;
    /// Tests a ray against the boxes of a node: which it meets at a distance of at most `limit`, and where.
    fn ray_boxes(&self, node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit for each triangle that a ray may meet at a distance of at most `limit`.
    fn ray_triangles(&self, block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32;
    /// Returns which boxes of a node are within the square root of `limit` of a point, and their squared distances.
    fn point_boxes(&self, node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit for each triangle that may be within the square root of `limit` of a point.
    fn point_triangles(&self, block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32;
}

/// What is run with kernels: compiled once for each generation of processors.
pub(crate) trait KernelJob {
    type Output;
    fn run(self, kernels: &impl Kernels) -> Self::Output;
}

/// The kernels of one generation. Closures, because only they take on the instructions of the function that makes them.
struct KernelSet<B, RB, RT, PB, PT> {
    block: B,
    ray_boxes: RB,
    ray_triangles: RT,
    point_boxes: PB,
    point_triangles: PT,
}

impl<B, RB, RT, PB, PT> Kernels for KernelSet<B, RB, RT, PB, PT>
where
    B: Fn(&Triangles<'_>, &CornerIndices) -> TriangleBlock,
    RB: Fn(&RawNode, &ConservativeRay, f32) -> (u32, [f32; WIDTH]),
    RT: Fn(&TriangleBlock, &ConservativeRay, f32) -> u32,
    PB: Fn(&RawNode, &[f32; 3], f32) -> (u32, [f32; WIDTH]),
    PT: Fn(&TriangleBlock, &[f32; 3], f32) -> u32,
{
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn block(&self, triangles: &Triangles<'_>, corners: &CornerIndices) -> TriangleBlock {
        (self.block)(triangles, corners)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn ray_boxes(&self, node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
        (self.ray_boxes)(node, ray, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn ray_triangles(&self, block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32 {
        (self.ray_triangles)(block, ray, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn point_boxes(&self, node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
        (self.point_boxes)(node, point, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn point_triangles(&self, block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32 {
        (self.point_triangles)(block, point, limit)
    }
}

kernel! {
    /// Runs a job with the kernels of the processor.
    #[inline]
    pub(crate) fn run<J: KernelJob>(job: J) -> J::Output {
        avx2 => job.run(&KernelSet {
            block: |triangles: &Triangles<'_>, corners: &CornerIndices| avx2::block(triangles, corners),
            ray_boxes: |node: &RawNode, ray: &ConservativeRay, limit: f32| avx2::ray_boxes(node, ray, limit),
            ray_triangles: |block: &TriangleBlock, ray: &ConservativeRay, limit: f32| avx2::ray_triangles(block, ray, limit),
            point_boxes: |node: &RawNode, point: &[f32; 3], limit: f32| avx2::point_boxes(node, point, limit),
            point_triangles: |block: &TriangleBlock, point: &[f32; 3], limit: f32| avx2::point_triangles(block, point, limit),
        }),
        _ => job.run(&KernelSet {
            block: portable::block,
            ray_boxes: portable::ray_boxes,
            ray_triangles: portable::ray_triangles,
            point_boxes: portable::point_boxes,
            point_triangles: portable::point_triangles,
        }),
    }
}
