//! `bench --stream`: flies over a mesh or a folder of assets, and measures what the thread that
//! draws notices.

pub mod flight;
pub mod mesh;
pub mod plot;
pub mod report;
pub mod world;
