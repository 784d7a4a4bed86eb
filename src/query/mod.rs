//! Questions about surfaces: rays, nearest points and regions, against a mesh that stays in its file.
//!
//! A [`Scene`] holds the surfaces that are asked together, of any format, and a [`Tree`] over the triangles of each. A tree
//! copies no position and no index: its leaves name triangles of the file, and what they are is decoded while it is
//! asked. [`write_sidecar`] keeps trees beside the file, from where [`Scene::indexed`] takes them page by page as they are
//! needed.
//!
//! # What an answer is
//!
//! That of a loop over all triangles in `f64`, with the watertight test of Woop, Benthin and Wald for rays: trees, instructions of the processor, and
//! batches change how long it takes, and nothing else. Trees only sift, with room for their rounding.
//!
//! - Both sides of a triangle are hit; a ray through an edge or a corner that triangles share hits one of them or several. Of hits
//!   as near as each other, the first in the file counts.
//! - A triangle counts where its indices are in range and its coordinates finite, none beyond ±2^60. One without an area is never hit, and its
//!   edges may be nearest.
//! - A ray from where there is no number, or in no direction, hits nothing; nothing is near a point that is no number.
//!
//! # What it costs
//!
//! | | |
//! |---|---|
//! | a tree | 4 to 5 bytes per triangle; 9 where the triangles follow no order of place, which is found out |
//! | building it | 2 to 4 bytes per triangle beside it, 16 where they follow no order; on all processors with the feature `rayon` |
//! | a ray | the nodes on its way, 96 bytes each, 9 of them or so in a million triangles, and two or three leaves |
//! | the first ray after opening a mesh of ten million triangles with a sidecar | 14 pages of both files |
//!
//! Rays are asked fastest together, by [`Scene::rays`]: they are sorted, and while one waits for memory others go on. A
//! surface that moves keeps its tree: [`Scene::refit`] fits the boxes to a pose or another frame. The trees that ms14 and
//! ms15 files bring along are used by [`Scene::from_file_trees`].

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
