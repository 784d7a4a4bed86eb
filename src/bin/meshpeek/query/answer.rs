//! Questions and their answers, many at a time.

use std::thread;

use meshpeek::Bounds;
use meshpeek::query::{Attributes, Frustum, Hit, Nearest, PagesTouched, PointAttributes, Ray, Scene};

use crate::output::Misuse;

/// A question.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    Ray(Ray, Want),
    /// A point, and how far from it counts.
    Nearest([f32; 3], f32),
    Box(Bounds),
    Frustum(Frustum),
    Vertex {
        surface: usize,
        vertex: u32,
    },
}

/// Which hits of a ray.
#[derive(Clone, Copy, Debug)]
pub enum Want {
    First,
    All,
    Any,
}

/// An answer, and how many pages were looked at for it.
#[derive(Debug)]
pub struct Answer {
    pub found: Found,
    /// What the surface has at each place that was found, where that was asked; `None` where it cannot be told.
    pub attributes: Vec<Option<PointAttributes>>,
    pub pages: usize,
}

#[derive(Debug)]
pub enum Found {
    First(Option<Hit>),
    All(Vec<Hit>),
    Any(bool),
    Nearest(Option<Nearest>),
    /// Surfaces and triangles.
    Triangles(Vec<(usize, u32)>),
    Vertex(Vertex),
}

/// What is around a vertex.
#[derive(Debug)]
pub struct Vertex {
    pub surface: usize,
    pub number: u32,
    pub point: [f32; 3],
    pub triangles: Vec<u32>,
    pub neighbors: Vec<u32>,
}

/// The surfaces that are asked.
pub struct Surfaces<'a> {
    pub scene: &'a Scene<'a>,
    /// Their numbers, from the least on.
    pub numbers: &'a [usize],
    /// Their arrays, in the same order; none where nothing of them is asked.
    pub attributes: &'a [Attributes<'a>],
    /// Whether this is another shape than that of the arrays, whose places and normals are not these then.
    pub moved: bool,
}

impl Surfaces<'_> {
    /// Answers in order, on all processors.
    pub fn answer_all(&self, questions: &[Question]) -> anyhow::Result<Vec<Answer>> {
        let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let each = questions.len().div_ceil(threads).max(1);
        let answer = |part: &[Question]| part.iter().map(|question| self.answer(question)).collect();
        if questions.len() <= 1 {
            return answer(questions);
        }
        let answer: &(dyn Fn(&[Question]) -> anyhow::Result<Vec<Answer>> + Sync) = &answer;
        thread::scope(|scope| {
            let parts: Vec<_> = questions.chunks(each).map(|part| scope.spawn(move || answer(part))).collect();
            let mut all = Vec::new();
            for part in parts {
                all.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(all)
        })
    }

    fn answer(&self, question: &Question) -> anyhow::Result<Answer> {
        let mut pages = PagesTouched::default();
        let found = match question {
            Question::Ray(ray, Want::First) => Found::First(self.scene.probed(&mut pages).ray(ray)),
            Question::Ray(ray, Want::All) => Found::All(self.scene.probed(&mut pages).all_hits(ray)),
            Question::Ray(ray, Want::Any) => Found::Any(self.scene.probed(&mut pages).is_hit(ray)),
            Question::Nearest(point, limit) => Found::Nearest(self.scene.probed(&mut pages).nearest(*point, *limit)),
            Question::Box(bounds) => Found::Triangles(self.scene.probed(&mut pages).overlapping_box(bounds)),
            Question::Frustum(frustum) => Found::Triangles(self.scene.probed(&mut pages).overlapping_frustum(frustum)),
            Question::Vertex { surface, vertex } => Found::Vertex(self.around(*surface, *vertex)?),
        };
        let attributes = match &found {
            Found::First(hit) => hit.iter().map(|hit| self.at(hit.surface, hit.triangle, hit.barycentric)).collect(),
            Found::All(hits) => hits.iter().map(|hit| self.at(hit.surface, hit.triangle, hit.barycentric)).collect(),
            Found::Nearest(near) => {
                near.iter().map(|near| self.at(near.surface, near.triangle, near.barycentric)).collect()
            }
            Found::Any(_) | Found::Triangles(_) | Found::Vertex(_) => Vec::new(),
        };
        Ok(Answer { found, attributes, pages: pages.total() })
    }

    fn around(&self, surface: usize, vertex: u32) -> anyhow::Result<Vertex> {
        let triangles = self.scene.triangles(surface);
        let count = triangles.map_or(0, meshpeek::query::Triangles::vertex_count);
        let point = triangles.and_then(|triangles| triangles.point(vertex)).ok_or_else(|| {
            Misuse(format!(
                "--vertex: surface {surface} has {count} vertices, expected a number below that, found {vertex}"
            ))
        })?;
        let (triangles, neighbors) =
            (self.scene.triangles_around(surface, vertex), self.scene.neighbors(surface, vertex));
        Ok(Vertex { surface, number: vertex, point, triangles, neighbors })
    }

    fn at(&self, surface: usize, triangle: u32, barycentric: [f32; 2]) -> Option<PointAttributes> {
        let place = self.numbers.binary_search(&surface).ok()?;
        let mut here = self.attributes.get(place)?.at(usize::try_from(triangle).ok()?, barycentric)?;
        if self.moved {
            here.normal = None;
        }
        Some(here)
    }
}
