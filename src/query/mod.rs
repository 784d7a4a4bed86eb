//! Spatial queries of meshes: ray casts, nearest points, and overlap with boxes and frustums.
//!
//! Queries do not copy the mesh, but decode its triangles directly from the bytes of the file.
//!
//! A [`Scene`] contains surfaces from files of any format, and one bounding volume hierarchy (a
//! tree) for the triangles of each surface. A query searches all surfaces of the scene. A tree
//! contains no copies of positions or indices: its leaves store the indices of triangles, and a
//! query decodes these triangles from the bytes of the file. A sidecar is a separate file that
//! stores the trees of a mesh. [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed)
//! opens a mesh with its sidecar and writes one if there is none.
//! [`Model::scene`](crate::Model::scene) makes a scene that uses the trees in it. A query of such a
//! scene reads only the memory pages that it needs.
//!
//! A `Scene` borrows from the owner of the mesh. [`SceneTrees`] contains only the trees and borrows
//! nothing, so a struct can contain it together with the owner. It lends a `Scene` for a batch of
//! queries.
//!
//! [`InstancedScene`] places scenes in a world, each with a transform. [`Adjacency`] contains the
//! neighbours of the triangles of a surface, across seams of UVs.
//!
//! # Answers
//!
//! A query returns the same result as a test of every triangle in `f64`. The test of a ray against
//! a triangle is the watertight test of Woop, Benthin and Wald. The trees, the CPU instruction set
//! and the batching of rays change only the time of a query, and not its result. A tree is only
//! used to exclude triangles that cannot be part of the result, with a margin for rounding errors.
//!
//! - Both sides of a triangle can be hit, unless [`Ray::with_faces`] excludes one. A ray through an
//!   edge or a corner that several triangles share hits one or several of these triangles. If
//!   several hits have the same distance, the triangle that comes first in the file is returned.
//! - Queries ignore every triangle that has an index out of range, or a coordinate that is not
//!   finite or beyond ±2^60. All other triangles are called *valid*. A ray never hits a triangle
//!   without area, but a point on an edge of such a triangle can be the nearest point.
//! - A ray hits nothing if its origin is not finite or beyond ±2^60, or if its direction is zero or
//!   not finite. A nearest-point query returns `None` if the query point is not finite or beyond
//!   ±2^60.
//!
//! # Costs
//!
//! | | |
//! |---|---|
//! | memory or sidecar size of a tree | 2.5 to 3 bytes per triangle, or 5 to 6; 8 bytes if the triangles of the file are in no spatial order, which the builder detects; none for a surface of at most 8 triangles, which are all tested |
//! | building a tree | 2 to 4 bytes of additional memory per triangle, or 16 bytes if the triangles are in no spatial order; uses all processors with the feature `rayon` |
//! | lending a scene with [`SceneTrees::scene`] | locates the arrays of each surface and reads at most 16 triangles; one allocation of 112 bytes per surface |
//! | finding the surfaces that a first hit, any hit or nearest points need | a tree over their bounding boxes, which the first query of a scene with several surfaces builds: 112 bytes per surface |
//! | filling a list, with a method whose name ends with `_into` | allocates only if the capacity of the list is too small |
//! | casting a ray | reads the nodes on the path of the ray, 96 bytes each (about 9 nodes in a mesh of a million triangles), and two or three leaves |
//! | casting the first ray after opening a mesh of ten million triangles with a sidecar | reads 15 pages of the mesh file and the sidecar together |
//!
//! [`Scene::rays`] is the fastest method for casting many incoherent rays: in large scenes, it
//! interleaves their searches, because each waits for data from memory. An animated surface needs
//! no new tree: [`Scene::refit`] adjusts the bounding boxes in the tree to a pose or to another
//! vertex frame. [`Scene::from_file_trees`] converts the spatial trees that a file stores to query
//! trees.

#![allow(
    clippy::inline_always,
    reason = "functions with kernels must be compiled with the target features of their caller"
)]

mod adjacency;
mod attributes;
mod batch;
mod box_tree;
mod closest_on_triangle;
mod closest_point;
mod frustum;
mod instance_search;
mod instance_transform;
mod instanced_scene;
mod nearest_list;
mod overlap;
#[cfg(any(feature = "cli", feature = "internals"))]
mod pages_touched;
#[cfg(test)]
pub(crate) mod random;
mod ray;
mod ray_query;
mod scene;
mod scene_queries;
mod scene_surface;
mod scene_trees;
mod surface_search;
mod surface_trees;
mod triangle_overlap;

pub use crate::bvh::triangles::Triangles;
pub use adjacency::Adjacency;
pub use attributes::Attributes;
#[cfg(any(feature = "cli", feature = "internals"))]
internal_use!(attributes::PointAttributes);
pub use frustum::Frustum;
pub use instance_transform::SceneInstance;
pub use instanced_scene::InstancedScene;
pub use ray::{Faces, Hit, Nearest, Ray};
pub use scene::Scene;
pub use scene_trees::SceneTrees;

internal_use!(crate::bvh::persist::worth_storing, crate::bvh::persist::write_sidecar);
#[cfg(feature = "internals")]
pub use crate::bvh::probe::Probe;
#[cfg(feature = "internals")]
pub use crate::bvh::tree::Tree;
#[cfg(feature = "internals")]
pub use batch::interleave;
#[cfg(any(feature = "cli", feature = "internals"))]
internal_use!(pages_touched::PagesTouched, scene_queries::ProbedScene);
