//! Questions about surfaces: rays, nearest points and boxes, against a mesh that stays in its file.

mod adopted;
mod attributes;
mod cast;
mod frustum;
pub(crate) mod kernel;
mod many;
mod near;
mod pages;
mod part;
mod ray;
mod reach;
mod scene;
mod tree;
mod triangle;
mod triangles;
mod visit;

pub use attributes::{Attributes, Interpolated};
pub use frustum::Frustum;
pub use pages::PagesTouched;
pub use ray::Ray;
pub use scene::{Hit, Nearest, Scene};
pub use tree::Tree;
pub use tree::store::{worth_storing, write_sidecar};
pub use triangles::Triangles;

pub(crate) use cast::AlongRay;
pub(crate) use near::AroundPoint;
pub(crate) use tree::build;
pub(crate) use tree::split::{Grid, Item};
