//! Runs a query (a job) with the fastest kernels that the processor supports.

use std::ops::{ControlFlow, Range};

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::bvh::kernel::avx2;
use crate::bvh::kernel::conservative_ray::ConservativeRay;
use crate::bvh::kernel::portable;
use crate::bvh::kernel::watertight_ray::{FoundCrossing, WatertightRay};
use crate::bvh::lanes::{CornerIndices, TriangleBlock};
use crate::bvh::layout::{RawNode, StackEntry, WIDTH};
use crate::bvh::triangles::Triangles;
use crate::simd::kernel;

/// Defines [`Kernels`] and a set of closures that implements it.
///
/// The kernels for one SIMD instruction set are stored as closures, because closures (unlike
/// function pointers) inherit the target features of the function that creates them.
macro_rules! kernels {
    ($($(#[$meta:meta])* $name:ident: $kernel:ident($($arg:ident: $type:ty),*) -> $value:ty;)*) => {
        /// The kernels: tests of several bounding boxes or triangles at a time.
        pub(crate) trait Kernels {
            $($(#[$meta])* fn $name(&self, $($arg: $type),*) -> $value;)*
        }

        struct KernelSet<$($kernel),*> {
            $($name: $kernel,)*
        }

        impl<$($kernel),*> Kernels for KernelSet<$($kernel),*>
        where
            $($kernel: Fn($($type),*) -> $value,)*
        {
            $(
                #[inline(always)]
                fn $name(&self, $($arg: $type),*) -> $value {
                    (self.$name)($($arg),*)
                }
            )*
        }

        kernel! {
            /// Runs a job with the kernels for the newest SIMD instruction set that the processor
            /// supports.
            #[inline]
            pub(crate) fn run<J: KernelJob>(job: J) -> J::Output {
                avx2 => job.run(&KernelSet { $($name: |$($arg: $type),*| avx2::$name($($arg),*),)* }),
                _ => job.run(&KernelSet { $($name: portable::$name,)* }),
            }
        }
    };
}

kernels! {
    /// Decodes the positions of the corners of eight triangles.
    block: B(triangles: &Triangles<'_>, corners: &CornerIndices) -> TriangleBlock;
    /// Tests a ray against the bounding boxes of the eight children of a node.
    ///
    /// Returns a bit mask and the distance at which the ray enters each bounding box. Bit *k* of
    /// the mask is set if the ray enters the bounding box of child *k* at a distance of at most
    /// `limit`.
    ray_boxes: R(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]);
    /// Tests a ray exactly against the triangles of a leaf whose numbers are in `lanes`, and calls
    /// `found` for each crossing.
    ray_triangles: T(
        triangles: &Triangles<'_>,
        corners: &CornerIndices,
        lanes: Range<usize>,
        ray: &WatertightRay,
        found: FoundCrossing<'_>
    ) -> ControlFlow<()>;
    /// Tests a point against the bounding boxes of the eight children of a node.
    ///
    /// Returns a bit mask and, for each child, the squared distance of its bounding box from the
    /// point. Bit *k* of the mask is set if the squared distance of the point from the bounding box
    /// of child *k* is at most `limit`.
    point_boxes: P(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]);
    /// Returns a bit mask with a bit set for each triangle whose squared distance from a point may
    /// be at most `limit`.
    point_triangles: S(block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32;
    /// Returns the stack entry of each child of a node, for the distances that a test returned.
    entries: E(node: &RawNode, near: &[f32; WIDTH]) -> [StackEntry; WIDTH];
}

/// A job that uses kernels, such as a query in a tree. The job is compiled once for each supported
/// SIMD instruction set.
pub(crate) trait KernelJob {
    type Output;
    fn run(self, kernels: &impl Kernels) -> Self::Output;
}
