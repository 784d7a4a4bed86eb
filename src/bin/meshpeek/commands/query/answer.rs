//! Runs queries on surfaces, such as ray casts. The queries of a batch run in parallel.

use std::thread;

use meshpeek::Bounds;
use meshpeek::query::{Frustum, Hit, Nearest, PagesTouched, Ray, Scene};

use crate::outcome::UsageError;

/// A query on the surfaces of a file, with its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    Ray(Ray, RayMode),
    /// Finds the surface point that is nearest to the given point. The `f32` is the maximum
    /// distance between the given point and the found surface point.
    Nearest([f32; 3], f32),
    Box(Bounds),
    Frustum(Frustum),
    Vertex {
        surface: usize,
        vertex: u32,
    },
}

/// Selects whether a ray query returns the first hit, all hits, or only whether there is a hit.
#[derive(Clone, Copy, Debug)]
pub enum RayMode {
    First,
    All,
    Any,
}

/// The result of one query, and the number of memory pages in which the query read positions,
/// indices or tree nodes.
#[derive(Debug)]
pub struct Answer {
    pub kind: AnswerKind,
    pub pages: usize,
}

#[derive(Debug)]
pub enum AnswerKind {
    First(Option<Hit>),
    All(Vec<Hit>),
    Any(bool),
    Nearest(Option<Nearest>),
    /// The triangles that a query found: for each triangle, the index of its surface and the index
    /// of the triangle in this surface.
    Triangles(Vec<(usize, u32)>),
    Vertex(VertexNeighbors),
}

/// The triangles that contain a given vertex, and the vertices that share a triangle edge with it.
#[derive(Debug)]
pub struct VertexNeighbors {
    pub surface: usize,
    pub number: u32,
    pub point: [f32; 3],
    pub triangles: Vec<u32>,
    pub neighbors: Vec<u32>,
}

/// The surfaces that are queried, with their query trees.
pub struct SurfaceSet<'a> {
    pub scene: &'a Scene<'a>,
}

impl SurfaceSet<'_> {
    /// Runs the queries in parallel on all processor cores, and returns the results in the order of
    /// the queries.
    pub fn answer_all(&self, questions: &[Question]) -> anyhow::Result<Vec<Answer>> {
        let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let each = questions.len().div_ceil(threads).max(1);
        let answer = |part: &[Question]| part.iter().map(|question| self.answer(question)).collect();
        if questions.len() <= 1 {
            return answer(questions);
        }
        let answer: &(dyn Fn(&[Question]) -> anyhow::Result<Vec<Answer>> + Sync) = &answer;
        thread::scope(|scope| {
            let start = |part| thread::Builder::new().spawn_scoped(scope, move || answer(part)).map_err(|_| part);
            let parts: Vec<_> = questions.chunks(each).map(start).collect();
            let mut all = Vec::new();
            for part in parts {
                let answers = match part {
                    Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    // If no further thread can be made, this thread answers the queries.
                    Err(part) => answer(part),
                };
                all.extend(answers?);
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
        Ok(Answer { kind, pages: pages.total() })
    }

    fn around(&self, surface: usize, vertex: u32) -> anyhow::Result<VertexNeighbors> {
        let triangles = self.scene.triangles(surface);
        let count = triangles.map_or(0, meshpeek::query::Triangles::vertex_count);
        let point = triangles.and_then(|triangles| triangles.point(vertex)).ok_or_else(|| {
            UsageError(format!(
                "--vertex: surface {surface} has {count} vertices, expected a lower number, found {vertex}"
            ))
        })?;
        let (triangles, neighbors) =
            (self.scene.triangles_around(surface, vertex), self.scene.neighbors(surface, vertex));
        Ok(VertexNeighbors { surface, number: vertex, point, triangles, neighbors })
    }
}
