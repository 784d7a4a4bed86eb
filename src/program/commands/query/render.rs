//! Prints the results of `query` as text or JSON.

// Rule: this file sorts and maps by copies only.

use std::cell::RefCell;
use std::io::{self, Write};

use crate::Geometry;
use crate::model::SpaceConversion;
use crate::query::{Attributes, PointAttributes};
use serde_json::{Value, json};

use super::answer::{Answer, AnswerKind, SurfacePoint, VertexNeighbors};
use crate::program::output::json::{number, numbers};
use crate::program::output::{JsonWriter, counted};

/// Prints the results of queries on the surfaces of a file.
pub struct AnswerRenderer<'a> {
    geometry: &'a dyn Geometry,
    /// Whether the attributes at each hit are printed.
    attributes: bool,
    /// The map that places the surfaces, or `None` if an animation has moved the vertices. The
    /// stored normals do not match moved vertices, so they are not printed.
    placement: Option<SpaceConversion>,
    /// Whether the text output has the number of pages that each query touched.
    verbose: bool,
    /// The attributes of the surface of the last hit, with the index of the surface.
    last: RefCell<Option<(usize, Attributes<'a>)>>,
}

impl<'a> AnswerRenderer<'a> {
    pub const fn new(
        geometry: &'a dyn Geometry,
        attributes: bool,
        placement: Option<SpaceConversion>,
        verbose: bool,
    ) -> Self {
        Self { geometry, attributes, placement, verbose, last: RefCell::new(None) }
    }

    /// Prefetches the attributes that are printed with the answers.
    pub fn prefetch(&self, answers: &[Answer]) {
        if !self.attributes {
            return;
        }
        let points = answers.iter().flat_map(|answer| answer.kind.points());
        let mut places: Vec<(usize, u32)> = points.map(|point| (point.surface, point.triangle)).collect();
        places.sort_unstable();
        for run in places.chunk_by(|(one, _), (other, _)| one == other) {
            let triangles: Vec<u32> = run.iter().map(|(_, triangle)| *triangle).collect();
            let surface = run.first().and_then(|(surface, _)| self.geometry.surface(*surface).ok());
            // An error in an array was returned before the first query.
            if let Some(attributes) = surface.and_then(|surface| Attributes::new(&surface).ok()) {
                attributes.prefetch(&triangles);
            }
        }
    }

    /// Writes the fields of the JSON object of an answer.
    pub fn write_json(&self, answer: &Answer, out: &mut JsonWriter<'_>) -> io::Result<()> {
        match &answer.kind {
            AnswerKind::One(point) => {
                out.field("hit", point.is_some())?;
                point.iter().try_for_each(|point| self.write_point(point, out))?;
            }
            AnswerKind::Any(hit) => out.field("hit", *hit)?,
            AnswerKind::All(hits) => {
                out.field("hit", !hits.is_empty())?;
                out.key("hits").objects(hits, |out, hit| self.write_point(hit, out))?;
            }
            AnswerKind::Triangles(triangles) => {
                out.field("hit", !triangles.is_empty())?;
                out.field("count", triangles.len())?;
                let pairs = triangles.iter().map(|(surface, triangle)| json!([surface, triangle]));
                out.key("triangles").values(pairs)?;
            }
            AnswerKind::Vertex(VertexNeighbors { surface, number: vertex, point, triangles, neighbors }) => {
                out.field("surface", *surface)?;
                out.field("vertex", *vertex)?;
                out.field("point", numbers(point))?;
                out.key("triangles").values(triangles.iter().map(|triangle| (*triangle).into()))?;
                return out.key("neighbors").values(neighbors.iter().map(|neighbor| (*neighbor).into()));
            }
        }
        out.field("pages_touched", answer.pages)
    }

    /// Writes the fields of a hit or of a nearest point, and its attributes.
    fn write_point(&self, place: &SurfacePoint, out: &mut JsonWriter<'_>) -> io::Result<()> {
        let SurfacePoint { surface, triangle, point, barycentric, distance, crossing } = place;
        out.field("surface", *surface)?;
        out.field("triangle", *triangle)?;
        crossing.map_or(Ok(()), |(t, ..)| out.field("t", number(t)))?;
        out.field("point", numbers(point))?;
        out.field("barycentric", numbers(barycentric))?;
        out.field("distance", number(*distance))?;
        if let Some((_, is_front, normal)) = crossing {
            out.field("front", *is_front)?;
            out.field("geometric_normal", numbers(normal))?;
        }
        if !self.attributes {
            return Ok(());
        }
        out.field("attributes", self.at(place).as_ref().map_or(Value::Null, attributes_json))
    }

    /// Returns the attributes at a point of a surface, or `None` if an index is out of range.
    fn at(&self, place: &SurfacePoint) -> Option<PointAttributes> {
        let mut last = self.last.borrow_mut();
        if last.is_none_or(|(surface, _)| surface != place.surface) {
            *last = Some((place.surface, Attributes::new(&self.geometry.surface(place.surface).ok()?).ok()?));
        }
        let (_, attributes) = last.as_ref()?;
        let mut here = attributes.at(usize::try_from(place.triangle).ok()?, place.barycentric)?;
        here.normal = here.normal.zip(self.placement).and_then(|(normal, placement)| {
            // Rounding would change a normal that is not moved.
            let is_still = placement == SpaceConversion::IDENTITY;
            let normal = if is_still { normal } else { placement.normal(normal) };
            // A placement that flattens the surface leaves no normal.
            normal.iter().any(|part| *part != 0.0).then_some(normal)
        });
        Some(here)
    }

    pub fn print(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let pages = if self.verbose { format!("; {} touched", counted(answer.pages, "page")) } else { String::new() };
        match &answer.kind {
            AnswerKind::One(None) | AnswerKind::Any(false) => writeln!(out, "nothing{pages}"),
            AnswerKind::Any(true) => writeln!(out, "something{pages}"),
            AnswerKind::One(Some(point)) => self.print_point(out, point, &pages),
            AnswerKind::All(hits) => {
                writeln!(out, "{}{pages}", counted(hits.len(), "hit"))?;
                hits.iter().try_for_each(|hit| {
                    write!(out, "  ")?;
                    self.print_point(out, hit, "")
                })
            }
            AnswerKind::Triangles(triangles) => {
                writeln!(out, "{}{pages}", counted(triangles.len(), "triangle"))?;
                triangles.chunk_by(|(one, _), (other, _)| one == other).try_for_each(|run| {
                    let surface = run.first().map(|(surface, _)| *surface).unwrap_or_default();
                    write!(out, "  {}:", self.named(surface))?;
                    run.iter().try_for_each(|(_, triangle)| write!(out, " {triangle}"))?;
                    writeln!(out)
                })
            }
            AnswerKind::Vertex(VertexNeighbors { surface, number: vertex, point, triangles, neighbors }) => {
                writeln!(out, "{}, vertex {vertex}: at {}", self.named(*surface), floats(point))?;
                for (numbers, what) in [(triangles, "triangle"), (neighbors, "neighbor")] {
                    writeln!(out, "  {}: {}", counted(numbers.len(), what), joined(numbers))?;
                }
                Ok(())
            }
        }
    }

    /// Returns the index of a surface as text, followed by the name of the surface if the surface
    /// has a name.
    fn named(&self, surface: usize) -> String {
        let name = self.geometry.surface(surface).and_then(|surface| surface.name());
        let name = name.map(|name| name.to_string()).unwrap_or_default();
        if name.is_empty() { format!("surface {surface}") } else { format!("surface {surface} ({name})") }
    }

    fn print_point(&self, out: &mut dyn Write, place: &SurfacePoint, end: &str) -> io::Result<()> {
        let SurfacePoint { surface, triangle, point, barycentric, distance, crossing } = place;
        write!(out, "{}, triangle {triangle}: at {}, ", self.named(*surface), floats(point))?;
        if let Some((t, is_front, normal)) = crossing {
            let side = if *is_front { "the front" } else { "the back" };
            write!(out, "from {side}, t {t:?}, geometric normal {}, ", floats(normal))?;
        }
        writeln!(out, "distance {distance:?}, barycentric {}{end}", floats(barycentric))?;
        if self.attributes { self.print_attributes(out, place) } else { Ok(()) }
    }

    fn print_attributes(&self, out: &mut dyn Write, place: &SurfacePoint) -> io::Result<()> {
        let Some(PointAttributes { normal, uvs, color, influences, .. }) = self.at(place) else {
            return writeln!(out, "    no attributes: an index is out of range");
        };
        if let Some(normal) = normal {
            writeln!(out, "    normal {}", floats(&normal))?;
        }
        for (set, uv) in uvs.iter().enumerate() {
            if let Some(uv) = uv {
                writeln!(out, "    uv{set} {}", floats(uv))?;
            }
        }
        if let Some(color) = color {
            writeln!(out, "    color {}", floats(&color))?;
        }
        if !influences.is_empty() {
            let all = influences.iter().map(|influence| format!("{} {:?}", influence.bone, influence.weight));
            writeln!(out, "    weights {}", all.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
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
