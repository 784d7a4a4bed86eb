//! Runs a query (a job) with the fastest kernels that the processor supports.

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
    /// Returns a bit mask and the distance at which the ray enters each bounding box. Bit *k* of
    /// the mask is set if the ray enters the bounding box of child *k* at a distance of at most
    /// `limit`.
    fn ray_boxes(&self, node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit mask with a bit set for each triangle that a ray may hit at a distance of at
    /// most `limit`.
    fn ray_triangles(&self, block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32;
    /// Tests a point against the bounding boxes of the eight children of a node.
    ///
    /// Returns a bit mask and, for each child, the squared distance of its bounding box from the
    /// point. Bit *k* of the mask is set if the squared distance of the point from the bounding box
    /// of child *k* is at most `limit`.
    fn point_boxes(&self, node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit mask with a bit set for each triangle whose squared distance from a point may
    /// be at most `limit`.
    fn point_triangles(&self, block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32;
}

/// A job that uses kernels, such as a query in a tree. The job is compiled once for each supported
/// SIMD instruction set.
pub(crate) trait KernelJob {
    type Output;
    fn run(self, kernels: &impl Kernels) -> Self::Output;
}

/// The kernels for one SIMD instruction set.
///
/// The kernels are stored as closures, because closures (unlike function pointers) inherit the
/// target features of the function that creates them.
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
    /// Runs a job with the kernels for the newest SIMD instruction set that the processor supports.
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
