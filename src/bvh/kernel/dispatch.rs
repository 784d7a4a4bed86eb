//! Runs a job with the fastest kernels that the processor supports.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::bvh::kernel::avx2;
use crate::bvh::kernel::conservative_ray::ConservativeRay;
use crate::bvh::kernel::portable;
use crate::bvh::lanes::{CornerIndices, TriangleBlock};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::triangles::Triangles;
use crate::simd::kernel;

/// The kernels: tests of eight bounding boxes or eight triangles at a time.
pub(crate) trait Kernels {
    /// Decodes the positions of the corners of eight triangles.
    fn block(&self, triangles: &Triangles<'_>, corners: &CornerIndices) -> TriangleBlock;
    /// Tests a ray against the bounding boxes of the eight children of a node.
    ///
    /// Returns a bit mask with a bit set for each child box that the ray enters at a distance of at
    /// most `limit`, and the distance of each box.
    fn ray_boxes(&self, node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit mask with a bit set for each triangle that a ray may hit at a distance of at
    /// most `limit`.
    fn ray_triangles(&self, block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32;
    /// Tests a point against the bounding boxes of the eight children of a node.
    ///
    /// Returns a bit mask with a bit set for each child box whose squared distance from the point
    /// is at most `limit`, and the squared distance of each box.
    fn point_boxes(&self, node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit mask with a bit set for each triangle whose squared distance from a point may
    /// be at most `limit`.
    fn point_triangles(&self, block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32;
}

/// A job that uses kernels. The job is compiled once for each generation of processors.
pub(crate) trait KernelJob {
    type Output;
    fn run(self, kernels: &impl Kernels) -> Self::Output;
}

/// The kernels of one generation of processors.
///
/// The kernels are stored as closures, because only closures inherit the target features of the
/// function that makes them.
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
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn block(&self, triangles: &Triangles<'_>, corners: &CornerIndices) -> TriangleBlock {
        (self.block)(triangles, corners)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn ray_boxes(&self, node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
        (self.ray_boxes)(node, ray, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn ray_triangles(&self, block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32 {
        (self.ray_triangles)(block, ray, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn point_boxes(&self, node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
        (self.point_boxes)(node, point, limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn point_triangles(&self, block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32 {
        (self.point_triangles)(block, point, limit)
    }
}

kernel! {
    /// Runs a job with the kernels for the newest generation that the processor supports.
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
