//! Queries run with the kernels of the processor.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::bvh::kernel::avx2;
use crate::query::closest_point::AroundPoint;
use crate::query::ray_query::AlongRay;
use crate::simd::kernel;

kernel! {
    /// CountedRuns a query along rays.
    #[inline]
    pub(crate) fn cast<Q: AlongRay>(query: Q) -> Q::Answer {
        avx2 => query.run(
            |triangles, numbers| avx2::block(triangles, numbers),
            |node, ray, limit| avx2::boxes(node, ray, limit),
            |block, ray, limit| avx2::sift(block, ray, limit),
        ),
        _ => query.run(crate::bvh::kernel::block, crate::bvh::kernel::boxes, crate::bvh::kernel::sift),
    }
}

kernel! {
    /// CountedRuns a query around a point.
    #[inline]
    pub(crate) fn around<Q: AroundPoint>(query: Q) -> Q::Answer {
        avx2 => query.run(
            |triangles, numbers| avx2::block(triangles, numbers),
            |node, point, limit| avx2::distances(node, point, limit),
            |block, point, limit| avx2::approach(block, point, limit),
        ),
        _ => query.run(crate::bvh::kernel::block, crate::bvh::kernel::distances, crate::bvh::kernel::approach),
    }
}
