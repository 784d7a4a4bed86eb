//! One surface among those that are asked together: its triangles, and the tree that finds them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::array::Bounds;
use crate::bvh::check;
use crate::bvh::kernel::dispatch;
use crate::bvh::traverse::{Unwatched, Watch};
use crate::bvh::tree::{Damaged, Tree};
use crate::bvh::triangles::Triangles;
use crate::math::narrow;
use crate::query::batch::{Job, Many};
use crate::query::closest_point::{self, Center, Near, Nearby};
use crate::query::overlap::{self, Region};
use crate::query::ray::Ray;
use crate::query::ray_query::{Ask, Cast, Found, One};
use crate::query::scene::Hit;
use crate::sidecar::Trust;

/// One surface.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) surface: usize,
    pub(crate) triangles: Triangles<'a>,
    pub(crate) bounds: Bounds,
    pub(crate) tree: Arc<Tree>,
    /// Whether the tree, which is stored, has shown to be damaged; then another is built.
    damaged: AtomicBool,
    built: OnceLock<Option<Arc<Tree>>>,
}

/// Tells whether a stored tree may be used.
pub(crate) fn fits(tree: &Tree, triangles: &Triangles<'_>, trust: Trust) -> bool {
    let view = tree.view();
    let fits = view.shape.triangles == triangles.len() && matches!(view.shape.cluster, 1..=8);
    fits && (trust == Trust::Trusted || check::check(&view, triangles).is_ok())
}

impl<'a> Part<'a> {
    pub(crate) fn new(surface: usize, triangles: Triangles<'a>, tree: Arc<Tree>) -> Self {
        let bounds = tree.bounds();
        Self { surface, triangles, bounds, tree, damaged: AtomicBool::new(false), built: OnceLock::new() }
    }

    pub(crate) fn misses(&self, cast: &Cast) -> bool {
        cast.meets(&self.bounds).is_none()
    }

    /// Asks the tree; where that is damaged, another.
    fn ask<T>(&self, mut ask: impl FnMut(&Tree) -> std::result::Result<T, Damaged>) -> Option<T> {
        if !self.damaged.load(Ordering::Relaxed) {
            if let Ok(answer) = ask(&self.tree) {
                return Some(answer);
            }
            self.damaged.store(true, Ordering::Relaxed);
        }
        let built = self.built.get_or_init(|| Tree::new(&self.triangles).ok().map(Arc::new));
        ask(built.as_ref()?).ok()
    }

    pub(crate) fn cast(&self, cast: &mut Cast, ask: &mut impl Ask, watch: &mut impl Watch) {
        cast.blur(&self.bounds);
        let start = cast.limit();
        let asked = self.ask(|tree| {
            cast.reach_to(start);
            ask.clear();
            dispatch::cast(One {
                view: tree.view(),
                triangles: &self.triangles,
                cast: &mut *cast,
                ask: &mut *ask,
                watch: &mut *watch,
            })
        });
        if asked.is_none() {
            cast.reach_to(start);
            ask.clear();
            crate::query::ray_query::every(&self.triangles, cast, ask, watch);
        }
    }

    pub(crate) fn cast_many(&self, jobs: &mut [Option<Job>]) {
        let asked = {
            let tree = if self.damaged.load(Ordering::Relaxed) { None } else { Some(&*self.tree) };
            tree.map(|tree| dispatch::cast(Many { view: tree.view(), triangles: &self.triangles, jobs: &mut *jobs }))
        };
        if asked != Some(Ok(())) {
            for job in jobs.iter_mut().flatten() {
                self.cast(&mut job.cast, &mut job.best, &mut Unwatched);
            }
        }
    }

    pub(crate) fn near(&self, center: &mut Center, best: &mut Option<Nearby>, watch: &mut impl Watch) {
        let start = *center;
        let asked = self.ask(|tree| {
            (*center, *best) = (start, None);
            dispatch::around(Near {
                view: tree.view(),
                triangles: &self.triangles,
                center: &mut *center,
                best: &mut *best,
                watch: &mut *watch,
            })
        });
        if asked.is_none() {
            (*center, *best) = (start, None);
            closest_point::every(&self.triangles, center, best, watch);
        }
    }

    pub(crate) fn reach(&self, region: &impl Region, watch: &mut impl Watch) -> Vec<u32> {
        let asked = self.ask(|tree| {
            let mut found = Vec::new();
            overlap::reach(&tree.view(), &self.triangles, region, &mut *watch, |triangle| found.push(triangle))?;
            Ok(found)
        });
        asked.unwrap_or_else(|| {
            let mut found = Vec::new();
            overlap::every(&self.triangles, region, watch, |triangle| found.push(triangle));
            found
        })
    }

    pub(crate) fn hit(&self, ray: &Ray, found: &Found) -> Hit {
        let crossing = found.crossing;
        let length = ray.direction.iter().map(|part| f64::from(*part) * f64::from(*part)).sum::<f64>().sqrt();
        Hit {
            surface: self.surface,
            triangle: found.triangle,
            t: narrow(crossing.t),
            distance: narrow(crossing.t.abs() * length),
            point: ray.at(crossing.t).map(narrow),
            barycentric: crossing.barycentric.map(narrow),
            is_front: crossing.front,
        }
    }
}
