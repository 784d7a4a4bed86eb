//! `query`: casts rays at surfaces, and finds nearest points, triangles in regions and neighbours
//! of vertices. The queries read the vertices of the surfaces directly from the mapped file.

mod answer;
mod args;
mod render;
mod shape;

use std::io::{self, Write as _};
use std::path::Path;

use clap::{Args, Subcommand};
use meshpeek::query::{Attributes, Scene};
use meshpeek::{Geometry, Surface};
use serde_json::json;

use crate::args::{Global, OneFile, STDIN};
use crate::input::asset::InputAsset;
use crate::input::open::open_indexed;
use crate::outcome::{Outcome, UsageError};
use crate::render::json::{document, extend};

use answer::{Answer, Question, SurfaceSet};
use args::SharedArgs;
use render::AnswerRenderer;
use shape::AnimatedShape;

const HELP: &str = "\
Answers refer to a triangle by the number of its surface and by its own number within that surface, both from 0 and in file order. \
Barycentric coordinates are the weights of the second and the third corner of the triangle. Coordinates are in the units of the file, \
in which `dump` prints positions. If nothing is hit, the exit code is still 0.

With trees over the triangles, a query need not test every triangle. The trees are read from the sidecar that `meshpeek index` writes; \
without a sidecar they are built first. The answers are the same.

Examples:
  meshpeek query cube.mesh ray --from 0,0,9 --toward 0,0,0
  meshpeek query cube.mesh ray --from 0,0,9 --direction 0,0,-1 --all --json
  meshpeek query city.mesh nearest --point 10,-2,3 --limit 5 --attributes
  meshpeek query city.mesh overlap --min -1,-1,-1 --max 1,1,1
  meshpeek query city.mesh vertex --surface 3 --vertex 1000
  meshpeek query city.mesh ray --batch rays.txt --json > hits.jsonl";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct QueryArgs {
    #[command(flatten)]
    file: OneFile,
    #[command(subcommand)]
    kind: QueryKind,
}

#[derive(Debug, Subcommand)]
enum QueryKind {
    /// Cast a ray and print where it hits a surface
    Ray(args::RayArgs),
    /// Find the point on a surface that is nearest to a given point
    Nearest(args::NearestArgs),
    /// Find the triangles that overlap a box or a view frustum
    Overlap(args::OverlapArgs),
    /// Find the triangles around a vertex, and the vertices connected to it
    Vertex(args::VertexArgs),
}

impl QueryKind {
    const fn shared(&self) -> &SharedArgs {
        match self {
            Self::Ray(args) => &args.shared,
            Self::Nearest(args) => &args.shared,
            Self::Overlap(args) => &args.shared,
            Self::Vertex(args) => &args.shared,
        }
    }

    /// Returns whether the command line requests the attributes at each hit.
    const fn wants_attributes(&self) -> bool {
        match self {
            Self::Ray(args) => args.attributes,
            Self::Nearest(args) => args.attributes,
            Self::Overlap(_) | Self::Vertex(_) => false,
        }
    }

    /// Returns whether a batch of queries is read from standard input.
    fn reads_stdin(&self) -> bool {
        let batch = match self {
            Self::Ray(args) => args.batch.as_deref(),
            Self::Nearest(args) => args.batch.as_deref(),
            Self::Overlap(args) => args.batch.as_deref(),
            Self::Vertex(_) => None,
        };
        batch == Some(Path::new(STDIN))
    }

    /// Returns the queries in order, and whether the queries were read from a batch file.
    fn questions(&self) -> anyhow::Result<(Vec<Question>, bool)> {
        match self {
            Self::Ray(args) => args.questions(),
            Self::Nearest(args) => args.questions(),
            Self::Overlap(args) => args.questions(),
            Self::Vertex(args) => Ok((vec![args.question()], false)),
        }
    }
}

impl QueryArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        if self.kind.reads_stdin() && path == Path::new(STDIN) {
            return Err(
                UsageError("--batch -: standard input is the mesh; name a file for the batch".to_owned()).into()
            );
        }
        let (questions, is_batch) = self.kind.questions()?;
        let asset = open_indexed(path, self.kind.shared().level.asset, global)?;
        self.answer(&asset, &questions, is_batch, global).map_err(|error| asset.locate_any_error(error, path))
    }

    fn answer(
        &self,
        asset: &InputAsset,
        questions: &[Question],
        is_batch: bool,
        global: &Global,
    ) -> anyhow::Result<Outcome> {
        let SharedArgs { level: options, .. } = self.kind.shared();
        let facts = asset.facts();
        if facts.is_animation() {
            let text = "an animation has no surface; query the mesh that it moves";
            return Err(UsageError(text.to_owned()).into());
        }
        asset.note_other_assets(options.asset, &self.file.file, global);
        let level = facts.level(options)?;
        if let (Some(option), None) = (options.first_option(), &level) {
            return Err(UsageError(format!("{option}: applies to Second Life meshes only; leave it out")).into());
        }
        let geometry = level.as_deref().unwrap_or(asset.model.geometry()?);
        let answers = self.answers(asset, geometry, questions)?;
        // The file is checked for changes before any result of a query is printed.
        asset.check()?;
        self.print(geometry, &answers, is_batch, global)?;
        Ok(Outcome::Fine)
    }

    fn answers(
        &self,
        asset: &InputAsset,
        geometry: &dyn Geometry,
        questions: &[Question],
    ) -> anyhow::Result<Vec<Answer>> {
        let shared = self.kind.shared();
        let numbers = match (&self.kind, shared.surface) {
            (_, Some(number)) => vec![number],
            // A vertex index refers to the vertices of one surface, which is the first surface by
            // default.
            (QueryKind::Vertex(_), None) => vec![0],
            _ => (0..geometry.surface_count()).collect(),
        };
        // A sidecar contains the query trees of the default level of detail only.
        let sidecar = asset.sidecar.as_ref().filter(|_| shared.level.is_default());
        let base = Scene::from_surfaces(geometry, numbers.iter().copied(), sidecar)?;
        let shape = AnimatedShape::new((geometry, asset.model.animations()?), &numbers, shared.clip, shared.frame)?;
        let scene = match &shape {
            Some(shape) => base.refit(|surface| shape.triangles(geometry, surface))?,
            None => base,
        };
        let attributes = self.kind.wants_attributes();
        if attributes {
            // An array that cannot be located is an error, even on a surface that is not hit.
            numbers.iter().try_for_each(|number| Attributes::new(&Surface::new(geometry, *number)).map(drop))?;
        }
        let moved = shape.is_some();
        SurfaceSet { scene: &scene, geometry, attributes, moved }.answer_all(questions)
    }

    fn print(
        &self,
        geometry: &dyn Geometry,
        answers: &[Answer],
        is_batch: bool,
        global: &Global,
    ) -> anyhow::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let renderer = AnswerRenderer { geometry, attributes: self.kind.wants_attributes() };
        for answer in answers {
            match (global.json, is_batch) {
                (true, true) => writeln!(out, "{}", renderer.json(answer))?,
                (true, false) => {
                    let head = json!({ "path": self.file.file.to_string_lossy() });
                    let head = document(head);
                    writeln!(out, "{}", extend(head, &renderer.json(answer)))?;
                }
                (false, _) => renderer.print(answer, &mut out)?,
            }
        }
        Ok(out.flush()?)
    }
}
