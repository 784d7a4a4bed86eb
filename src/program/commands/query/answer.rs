//! Runs queries on surfaces, such as ray casts. The queries of a batch run in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::Bounds;
use crate::query::{Frustum, Hit, Nearest, PagesTouched, ProbedScene, Ray, Scene};

use crate::program::outcome::UsageError;
use crate::program::threads;

/// The number of queries whose answers are held in memory at most.
const MAX_HELD_ANSWERS: usize = 4096;
/// The size in bytes of the answers in memory from which on no further query is started.
const MAX_HELD_BYTES: usize = 16 << 20;

/// A query on the surfaces of a file, with its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    Ray(Ray, RayMode),
    /// Finds the surface point that is nearest to the given point. The `f32` is the maximum
    /// distance between the given point and the found surface point.
    Nearest([f32; 3], f32),
    Box(Bounds),
    Frustum(Frustum),
    /// Finds the triangles around a vertex of the first surface.
    Vertex(u32),
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
    /// The first hit of a ray, or the nearest point.
    One(Option<SurfacePoint>),
    All(Vec<SurfacePoint>),
    Any(bool),
    /// The triangles that a query found: for each triangle, the index of its surface and the index
    /// of the triangle in this surface.
    Triangles(Vec<(usize, u32)>),
    Vertex(VertexNeighbors),
}

impl Answer {
    /// Returns the size of the answer in memory, in bytes.
    fn bytes(&self) -> usize {
        let lists = match &self.kind {
            AnswerKind::One(_) | AnswerKind::Any(_) => 0,
            AnswerKind::All(hits) => size_of_val(&**hits),
            AnswerKind::Triangles(triangles) => size_of_val(&**triangles),
            AnswerKind::Vertex(around) => {
                size_of_val(&*around.triangles).saturating_add(size_of_val(&*around.neighbors))
            }
        };
        lists.saturating_add(size_of::<Self>())
    }
}

/// A point on a surface that a query found: the hit of a ray, or the nearest point.
#[derive(Debug)]
pub struct SurfacePoint {
    pub surface: usize,
    pub triangle: u32,
    pub point: [f32; 3],
    pub barycentric: [f32; 2],
    pub distance: f32,
    /// For the hit of a ray, the parameter t of the hit along the ray, whether the ray hit the
    /// front face, and the geometric normal. `None` for a nearest point.
    pub crossing: Option<(f32, bool, [f32; 3])>,
}

impl SurfacePoint {
    const fn of(hit: &Hit) -> Self {
        let Hit { surface, triangle, t, distance, point, barycentric, is_front, normal, .. } = *hit;
        Self { surface, triangle, point, barycentric, distance, crossing: Some((t, is_front, normal)) }
    }

    const fn at(near: &Nearest) -> Self {
        let Nearest { surface, triangle, distance, point, barycentric, .. } = *near;
        Self { surface, triangle, point, barycentric, distance, crossing: None }
    }
}

impl AnswerKind {
    /// Returns the points that have attributes.
    pub fn points(&self) -> &[SurfacePoint] {
        match self {
            Self::One(point) => point.as_slice(),
            Self::All(hits) => hits,
            Self::Any(_) | Self::Triangles(_) | Self::Vertex(_) => &[],
        }
    }

    /// Exchanges the front and the back of the triangles that were hit, because a map mirrored
    /// them.
    pub fn turn_over(&mut self) {
        let hits = match self {
            Self::One(hit) => hit.as_mut_slice(),
            Self::All(hits) => hits,
            Self::Any(_) | Self::Triangles(_) | Self::Vertex(_) => &mut [],
        };
        for (_, is_front, normal) in hits.iter_mut().filter_map(|hit| hit.crossing.as_mut()) {
            *is_front = !*is_front;
            *normal = normal.map(|part| 0.0 - part);
        }
    }
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
    /// The number of the first surface.
    pub first: usize,
}

impl SurfaceSet<'_> {
    /// Runs the first queries in parallel on all processor cores, and returns their answers in the
    /// order of the queries. At least one query is run, and at most [`MAX_HELD_ANSWERS`].
    ///
    /// Each thread takes the next `together` queries until the answers have [`MAX_HELD_BYTES`]
    /// bytes in total. All threads are busy if the answers are small, and the memory for large
    /// answers is limited.
    pub fn answer_first(&self, questions: &[Question], together: usize) -> anyhow::Result<Vec<Answer>> {
        let questions = questions.get(..MAX_HELD_ANSWERS).unwrap_or(questions);
        let runs: Vec<&[Question]> = questions.chunks(together.max(1)).collect();
        let (next, held) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut done = Vec::new();
            while held.load(Ordering::Relaxed) < MAX_HELD_BYTES {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(number) else { break };
                let answers: anyhow::Result<Vec<Answer>> = run.iter().map(|question| self.answer(question)).collect();
                let bytes = answers.iter().flatten().map(Answer::bytes).fold(0, usize::saturating_add);
                held.fetch_add(bytes, Ordering::Relaxed);
                done.push((number, answers));
            }
            done
        };
        let count = threads::count().min(runs.len());
        let mut slots: Vec<Option<anyhow::Result<Vec<Answer>>>> = Vec::new();
        slots.resize_with(runs.len(), || None);
        let mut keep = |done: Vec<(usize, anyhow::Result<Vec<Answer>>)>| {
            for (number, answers) in done {
                if let Some(slot) = slots.get_mut(number) {
                    *slot = Some(answers);
                }
            }
        };
        thread::scope(|scope| {
            // This thread also answers queries. If no further thread can be made, it answers all.
            let others: Vec<_> = (1..count).filter_map(|_| threads::start(scope, work)).collect();
            keep(work());
            for other in others {
                keep(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
        // A thread answers every run that it takes, so the answered runs are the first ones.
        let mut answers = Vec::new();
        for run in slots.into_iter().map_while(|slot| slot) {
            answers.extend(run?);
        }
        Ok(answers)
    }

    fn answer(&self, question: &Question) -> anyhow::Result<Answer> {
        let mut pages = PagesTouched::default();
        let mut scene = ProbedScene::new(self.scene, &mut pages);
        let kind = match question {
            Question::Ray(ray, RayMode::First) => AnswerKind::One(scene.ray(ray).as_ref().map(SurfacePoint::of)),
            Question::Ray(ray, RayMode::All) => {
                let hits = filled(|list| scene.all_hits_into(ray, list));
                AnswerKind::All(hits.iter().map(SurfacePoint::of).collect())
            }
            Question::Ray(ray, RayMode::Any) => AnswerKind::Any(scene.is_hit(ray)),
            Question::Nearest(point, limit) => {
                AnswerKind::One(scene.nearest(*point, *limit).as_ref().map(SurfacePoint::at))
            }
            Question::Box(bounds) => AnswerKind::Triangles(filled(|list| scene.overlapping_box_into(bounds, list))),
            Question::Frustum(frustum) => {
                AnswerKind::Triangles(filled(|list| scene.overlapping_frustum_into(frustum, list)))
            }
            Question::Vertex(vertex) => AnswerKind::Vertex(self.around(self.first, *vertex)?),
        };
        Ok(Answer { kind, pages: pages.total() })
    }

    fn around(&self, surface: usize, vertex: u32) -> anyhow::Result<VertexNeighbors> {
        let triangles = self.scene.triangles(surface);
        let count = triangles.map_or(0, crate::query::Triangles::vertex_count);
        let point = triangles.and_then(|triangles| triangles.point(vertex)).ok_or_else(|| {
            UsageError(format!(
                "--vertex: surface {surface} has {count} vertices, expected a lower number, found {vertex}"
            ))
        })?;
        let triangles = filled(|list| self.scene.triangles_around_into(surface, vertex, list));
        let neighbors = filled(|list| self.scene.neighbors_into(surface, vertex, list));
        Ok(VertexNeighbors { surface, number: vertex, point, triangles, neighbors })
    }
}

/// Returns the list that a query fills.
fn filled<T>(fill: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut list = Vec::new();
    fill(&mut list);
    list
}
