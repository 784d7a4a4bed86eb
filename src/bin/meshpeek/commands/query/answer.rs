//! Questions and their answers, many at a time.

use std::thread;

use meshpeek::Bounds;
use meshpeek::query::{Attributes, Frustum, Hit, Nearest, PagesTouched, PointAttributes, Ray, Scene};

use crate::outcome::UsageError;

/// A question.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    Ray(Ray, RayMode),
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
pub enum RayMode {
    First,
    All,
    Any,
}

/// An answer, and how many pages were read for it.
#[derive(Debug)]
pub struct Answer {
    pub kind: AnswerKind,
    /// The attributes at each place, if they were requested; `None` if an index is out of range.
    pub attributes: Vec<Option<PointAttributes>>,
    pub pages: usize,
}

#[derive(Debug)]
pub enum AnswerKind {
    First(Option<Hit>),
    All(Vec<Hit>),
    Any(bool),
    Nearest(Option<Nearest>),
    /// Surfaces and triangles.
    Triangles(Vec<(usize, u32)>),
    Vertex(VertexNeighbors),
}

/// What is around a vertex.
#[derive(Debug)]
pub struct VertexNeighbors {
    pub surface: usize,
    pub number: u32,
    pub point: [f32; 3],
    pub triangles: Vec<u32>,
    pub neighbors: Vec<u32>,
}

/// The surfaces that are queried.
pub struct SurfaceSet<'a> {
    pub scene: &'a Scene<'a>,
    /// Their numbers, in ascending order.
    pub numbers: &'a [usize],
    /// Their attributes in the same order; empty if none were requested.
    pub attributes: &'a [Attributes<'a>],
    /// Whether vertices are animated, so that the stored normals do not apply.
    pub moved: bool,
}

impl SurfaceSet<'_> {
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
        let kind = match question {
            Question::Ray(ray, RayMode::First) => AnswerKind::First(self.scene.probed(&mut pages).ray(ray)),
            Question::Ray(ray, RayMode::All) => AnswerKind::All(self.scene.probed(&mut pages).all_hits(ray)),
            Question::Ray(ray, RayMode::Any) => AnswerKind::Any(self.scene.probed(&mut pages).is_hit(ray)),
            Question::Nearest(point, limit) => {
                AnswerKind::Nearest(self.scene.probed(&mut pages).nearest(*point, *limit))
            }
            Question::Box(bounds) => AnswerKind::Triangles(self.scene.probed(&mut pages).overlapping_box(bounds)),
            Question::Frustum(frustum) => {
                AnswerKind::Triangles(self.scene.probed(&mut pages).overlapping_frustum(frustum))
            }
            Question::Vertex { surface, vertex } => AnswerKind::Vertex(self.around(*surface, *vertex)?),
        };
        let attributes = match &kind {
            AnswerKind::First(hit) => {
                hit.iter().map(|hit| self.at(hit.surface, hit.triangle, hit.barycentric)).collect()
            }
            AnswerKind::All(hits) => {
                hits.iter().map(|hit| self.at(hit.surface, hit.triangle, hit.barycentric)).collect()
            }
            AnswerKind::Nearest(near) => {
                near.iter().map(|near| self.at(near.surface, near.triangle, near.barycentric)).collect()
            }
            AnswerKind::Any(_) | AnswerKind::Triangles(_) | AnswerKind::Vertex(_) => Vec::new(),
        };
        Ok(Answer { kind, attributes, pages: pages.total() })
    }

    fn around(&self, surface: usize, vertex: u32) -> anyhow::Result<VertexNeighbors> {
        let triangles = self.scene.triangles(surface);
        let count = triangles.map_or(0, meshpeek::query::Triangles::vertex_count);
        let point = triangles.and_then(|triangles| triangles.point(vertex)).ok_or_else(|| {
            UsageError(format!(
                "--vertex: surface {surface} has {count} vertices, expected a number below that, found {vertex}"
            ))
        })?;
        let (triangles, neighbors) =
            (self.scene.triangles_around(surface, vertex), self.scene.neighbors(surface, vertex));
        Ok(VertexNeighbors { surface, number: vertex, point, triangles, neighbors })
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
