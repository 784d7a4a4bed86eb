//! Queries run with the kernels of the processor.

use super::super::cast::AlongRay;
use super::super::near::AroundPoint;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::avx2;
use crate::simd::kernel;

kernel! {
    /// Runs a query along rays.
    #[inline]
    pub(crate) fn cast<Q: AlongRay>(query: Q) -> Q::Answer {
        avx2 => query.run(
            |triangles, numbers| avx2::block(triangles, numbers),
            |node, ray, limit| avx2::boxes(node, ray, limit),
            |block, ray, limit| avx2::sift(block, ray, limit),
        ),
        _ => query.run(super::block, super::boxes, super::sift),
    }
}

kernel! {
    /// Runs a query around a point.
    #[inline]
    pub(crate) fn around<Q: AroundPoint>(query: Q) -> Q::Answer {
        avx2 => query.run(
            |triangles, numbers| avx2::block(triangles, numbers),
            |node, point, limit| avx2::distances(node, point, limit),
            |block, point, limit| avx2::approach(block, point, limit),
        ),
        _ => query.run(super::block, super::distances, super::approach),
    }
}
