//! Runs queries on surfaces, such as ray casts. The queries of a batch run in parallel.

use std::thread;

use meshpeek::Bounds;
use meshpeek::query::{Attributes, Frustum, Hit, Nearest, PagesTouched, PointAttributes, Ray, Scene};

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
    /// The interpolated vertex attributes at each hit or nearest point. The list `attributes` is
    /// empty if attributes were not requested. An element of `attributes` is `None` if a vertex
    /// index in the file is out of range.
    pub attributes: Vec<Option<PointAttributes>>,
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
    /// The indices of the queried surfaces in the file, in ascending order.
    pub numbers: &'a [usize],
    /// The attributes of the queried surfaces, in the same order as `numbers`. The slice
    /// `attributes` is empty if attributes were not requested.
    pub attributes: &'a [Attributes<'a>],
    /// Whether an animation has moved the vertices. The stored normals do not match moved vertices,
    /// so they are not printed.
    pub moved: bool,
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
                "--vertex: surface {surface} has {count} vertices, expected a lower number, found {vertex}"
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
