//! Prints the results of `query` as text or JSON.

use std::io::{self, Write};

use meshpeek::query::{Hit, Nearest, PointAttributes};
use meshpeek::{Geometry, Surface};
use serde_json::{Value, json};

use super::answer::{Answer, AnswerKind, VertexNeighbors};
use crate::render::json::{extend, number, numbers, with};

/// Prints the results of queries on the surfaces of a file.
pub struct AnswerRenderer<'a> {
    pub geometry: &'a dyn Geometry,
    /// Whether the attributes at each hit are printed.
    pub attributes: bool,
}

impl AnswerRenderer<'_> {
    pub fn json(&self, answer: &Answer) -> Value {
        let first = answer.attributes.first();
        let object = match &answer.kind {
            AnswerKind::First(Some(hit)) => extend(json!({ "hit": true }), &self.with_attributes(hit_json(hit), first)),
            AnswerKind::Nearest(Some(near)) => {
                extend(json!({ "hit": true }), &self.with_attributes(nearest_json(near), first))
            }
            AnswerKind::First(None) | AnswerKind::Nearest(None) => json!({ "hit": false }),
            AnswerKind::Any(hit) => json!({ "hit": hit }),
            AnswerKind::All(hits) => {
                let mut attributes = answer.attributes.iter();
                let all = hits.iter().map(|hit| self.with_attributes(hit_json(hit), attributes.next()));
                json!({ "hit": !hits.is_empty(), "hits": all.collect::<Value>() })
            }
            AnswerKind::Triangles(triangles) => {
                json!({ "hit": !triangles.is_empty(), "count": triangles.len(), "triangles": triangles })
            }
            AnswerKind::Vertex(VertexNeighbors { surface, number: vertex, point, triangles, neighbors }) => {
                let point = numbers(point);
                return json!({
                    "surface": surface, "vertex": vertex, "point": point, "triangles": triangles, "neighbors": neighbors
                });
            }
        };
        with(object, "pages_touched", answer.pages.into())
    }

    fn with_attributes(&self, object: Value, here: Option<&Option<PointAttributes>>) -> Value {
        if !self.attributes {
            return object;
        }
        let here = here.and_then(Option::as_ref).map_or(Value::Null, attributes_json);
        with(object, "attributes", here)
    }

    pub fn print(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let pages = match answer.pages {
            1 => "1 page".to_owned(),
            count => format!("{count} pages"),
        };
        match &answer.kind {
            AnswerKind::First(None) | AnswerKind::Nearest(None) | AnswerKind::Any(false) => {
                writeln!(out, "nothing; {pages} touched")
            }
            AnswerKind::Any(true) => writeln!(out, "something; {pages} touched"),
            AnswerKind::First(Some(hit)) => {
                self.print_place(out, &SurfacePoint::of(hit), &format!("; {pages} touched"))?;
                self.print_attributes(out, answer.attributes.first())
            }
            AnswerKind::Nearest(Some(near)) => {
                self.print_place(out, &SurfacePoint::at(near), &format!("; {pages} touched"))?;
                self.print_attributes(out, answer.attributes.first())
            }
            AnswerKind::All(hits) => {
                writeln!(out, "{} hits; {pages} touched", hits.len())?;
                let mut attributes = answer.attributes.iter();
                hits.iter().try_for_each(|hit| {
                    write!(out, "  ")?;
                    self.print_place(out, &SurfacePoint::of(hit), "")?;
                    self.print_attributes(out, attributes.next())
                })
            }
            AnswerKind::Triangles(triangles) => {
                writeln!(out, "{} triangles; {pages} touched", triangles.len())?;
                triangles.chunk_by(|(one, _), (other, _)| one == other).try_for_each(|run| {
                    let surface = run.first().map(|(surface, _)| *surface).unwrap_or_default();
                    let numbers: Vec<_> = run.iter().map(|(_, triangle)| triangle).collect();
                    writeln!(out, "  {}: {}", self.named(surface), joined(numbers))
                })
            }
            AnswerKind::Vertex(VertexNeighbors { surface, number: vertex, point, triangles, neighbors }) => {
                writeln!(out, "{}, vertex {vertex}: at {}", self.named(*surface), floats(point))?;
                writeln!(out, "  {} triangles: {}", triangles.len(), joined(triangles))?;
                writeln!(out, "  {} neighbors: {}", neighbors.len(), joined(neighbors))
            }
        }
    }

    /// Returns the index of a surface as text, followed by the name of the surface if the surface
    /// has a name.
    fn named(&self, surface: usize) -> String {
        let name = Surface::new(self.geometry, surface).name().map(|name| name.to_string()).unwrap_or_default();
        if name.is_empty() { format!("surface {surface}") } else { format!("surface {surface} ({name})") }
    }

    fn print_place(&self, out: &mut dyn Write, place: &SurfacePoint, end: &str) -> io::Result<()> {
        let SurfacePoint { surface, triangle, point, barycentric, distance, crossing } = place;
        write!(out, "{}, triangle {triangle}: at {}, ", self.named(*surface), floats(point))?;
        if let Some((t, is_front)) = crossing {
            write!(out, "from {}, t {t:?}, ", if *is_front { "the front" } else { "the back" })?;
        }
        writeln!(out, "distance {distance:?}, barycentric {}{end}", floats(barycentric))
    }

    fn print_attributes(&self, out: &mut dyn Write, here: Option<&Option<PointAttributes>>) -> io::Result<()> {
        let Some(here) = here.filter(|_| self.attributes) else { return Ok(()) };
        let Some(PointAttributes { normal, uvs, color, influences, .. }) = here else {
            return writeln!(out, "    no attributes: an index is out of range");
        };
        if let Some(normal) = normal {
            writeln!(out, "    normal {}", floats(normal))?;
        }
        for (set, uv) in uvs.iter().enumerate() {
            if let Some(uv) = uv {
                writeln!(out, "    uv{set} {}", floats(uv))?;
            }
        }
        if let Some(color) = color {
            writeln!(out, "    color {}", floats(color))?;
        }
        if !influences.is_empty() {
            let all = influences.iter().map(|influence| format!("{} {:?}", influence.bone, influence.weight));
            writeln!(out, "    weights {}", all.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

/// A point on a surface that a query found: the hit of a ray, or the nearest point.
struct SurfacePoint {
    surface: usize,
    triangle: u32,
    point: [f32; 3],
    barycentric: [f32; 2],
    distance: f32,
    /// For the hit of a ray, the parameter t of the hit along the ray, and whether the ray hit the
    /// front face. `None` for a nearest point.
    crossing: Option<(f32, bool)>,
}

impl SurfacePoint {
    const fn of(hit: &Hit) -> Self {
        let Hit { surface, triangle, t, distance, point, barycentric, is_front } = *hit;
        Self { surface, triangle, point, barycentric, distance, crossing: Some((t, is_front)) }
    }

    const fn at(near: &Nearest) -> Self {
        let Nearest { surface, triangle, distance, point, barycentric } = *near;
        Self { surface, triangle, point, barycentric, distance, crossing: None }
    }
}

fn hit_json(hit: &Hit) -> Value {
    json!({
        "surface": hit.surface,
        "triangle": hit.triangle,
        "t": number(hit.t),
        "point": numbers(&hit.point),
        "barycentric": numbers(&hit.barycentric),
        "distance": number(hit.distance),
        "front": hit.is_front,
    })
}

fn nearest_json(near: &Nearest) -> Value {
    json!({
        "surface": near.surface,
        "triangle": near.triangle,
        "point": numbers(&near.point),
        "barycentric": numbers(&near.barycentric),
        "distance": number(near.distance),
    })
}

fn attributes_json(here: &PointAttributes) -> Value {
    let weights = here.influences.iter().map(|influence| json!([influence.bone, number(influence.weight)]));
    let last = here.uvs.iter().rposition(Option::is_some).map_or(0, |last| last.saturating_add(1));
    let uvs = here.uvs.iter().take(last).map(|uv| uv.map(|uv| numbers(&uv)));
    json!({
        "normal": here.normal.map(|normal| numbers(&normal)),
        "uvs": uvs.collect::<Vec<_>>(),
        "color": here.color.map(|color| numbers(&color)),
        "weights": weights.collect::<Value>(),
    })
}

fn floats(values: &[f32]) -> String {
    joined(values.iter().map(|value| format!("{value:?}")))
}

fn joined<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}
