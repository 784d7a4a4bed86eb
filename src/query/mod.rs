//! Queries of surfaces by rays, points and regions, on a mesh that stays in its file.
//!
//! A [`Scene`] contains surfaces of any format that are queried together, and a [`Tree`] over the
//! triangles of each surface. A tree copies no positions and no indices. The leaves of a tree refer
//! to triangles of the file by their numbers, and these triangles are decoded during a query.
//! [`write_sidecar`] stores the trees in a file next to the mesh. [`Scene::indexed`] uses the trees
//! of that sidecar and reads only the pages that a query needs.
//!
//! # Answers
//!
//! A query returns the same result as a loop over all triangles in `f64`. The test of a ray against
//! a triangle is the watertight test of Woop, Benthin and Wald. Trees, instruction sets and batches
//! change only the time that a query takes. A tree is only used to exclude triangles that cannot be
//! part of the result, with a margin for rounding errors.
//!
//! - Both sides of a triangle can be hit. A ray through an edge or a corner that triangles share
//!   hits one or several of them. If several hits have the same distance, the triangle that comes
//!   first in the file is returned.
//! - A triangle is valid if its indices are in range, and its coordinates are finite and not beyond
//!   ±2^60. Queries ignore all other triangles. A ray never hits a triangle without area, but a
//!   point on an edge of such a triangle can be the nearest point.
//! - A ray hits nothing if its origin is not finite or beyond ±2^60, or if its direction is zero or
//!   not finite. A search for the nearest point returns `None` if the given point is not finite or
//!   beyond ±2^60.
//!
//! # Costs
//!
//! | | |
//! |---|---|
//! | memory or sidecar size of a tree | 4 to 5 bytes per triangle; 9 bytes if the triangles of the file are in no spatial order, which the builder detects |
//! | building a tree | 2 to 4 bytes of additional memory per triangle, or 16 bytes if the triangles are in no spatial order; uses all processors with the feature `rayon` |
//! | casting a ray | reads the nodes on the path of the ray, 96 bytes each (about 9 nodes in a mesh of a million triangles), and two or three leaves |
//! | casting the first ray after opening a mesh of ten million triangles with a sidecar | reads 14 pages of the mesh file and the sidecar together |
//!
//! Many rays are cast fastest in one call of [`Scene::rays`], which sorts the rays and continues
//! with other rays while one ray waits for memory. A surface that moves keeps its tree:
//! [`Scene::refit`] adjusts the boxes of the tree to a pose or to another vertex frame.
//! [`Scene::from_file_trees`] converts the spatial trees that UNIGINE files of the versions ms14
//! and ms15 contain.

mod attributes;
mod batch;
mod closest_on_triangle;
mod closest_point;
mod frustum;
mod hit;
mod hit_collector;
mod overlap;
mod pages_touched;
mod probed_scene;
#[cfg(test)]
mod random;
mod ray;
mod ray_query;
mod ray_sort;
mod scene;
mod scene_surface;
mod triangle_overlap;
mod watertight_ray;

pub use crate::bvh::persist::{worth_storing, write_sidecar};
pub use crate::bvh::probe::Probe;
pub use crate::bvh::tree::Tree;
pub use crate::bvh::triangles::Triangles;
pub use attributes::{Attributes, PointAttributes};
pub use frustum::Frustum;
pub use hit::{Hit, Nearest};
pub use pages_touched::PagesTouched;
pub use probed_scene::ProbedScene;
pub use ray::Ray;
pub use scene::Scene;
