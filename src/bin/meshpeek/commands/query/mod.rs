//! `query`: rays, nearest points, regions and neighbours, against surfaces that stay in their file.

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
Every question is about triangles, by the number of their surface and their own among those of the surface, in file order. \
Barycentric coordinates are the parts of the second corner and the third. Places are in the units of the file, as `dump` prints \
positions. That nothing is hit is an answer: the exit code is 0.

Trees over the triangles spare looking at all of them. They are in the sidecar that `meshpeek index` writes; without, they are \
built first. Answers are the same.

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
    /// Where a ray meets a surface
    Ray(args::RayArgs),
    /// The point of a surface that is nearest to another
    Nearest(args::NearestArgs),
    /// The triangles that reach into a box, or into what a camera sees
    Overlap(args::OverlapArgs),
    /// The triangles that have a vertex as a corner, and the vertices next to it
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

    /// Returns whether the attributes of the surface at each place are to be printed.
    const fn wants_attributes(&self) -> bool {
        match self {
            Self::Ray(args) => args.attributes,
            Self::Nearest(args) => args.attributes,
            Self::Overlap(_) | Self::Vertex(_) => false,
        }
    }

    /// Returns whether the questions come from standard input.
    fn reads_stdin(&self) -> bool {
        let batch = match self {
            Self::Ray(args) => args.batch.as_deref(),
            Self::Nearest(args) => args.batch.as_deref(),
            Self::Overlap(args) => args.batch.as_deref(),
            Self::Vertex(_) => None,
        };
        batch == Some(Path::new(STDIN))
    }

    /// Returns the questions in order, and whether they are a batch.
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
            return Err(UsageError("--batch -: standard input is the mesh; name a file".to_owned()).into());
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
            let text = "an animation has no surface; ask the mesh that it moves";
            return Err(UsageError(text.to_owned()).into());
        }
        asset.note_other_assets(options.asset, &self.file.file, global);
        let level = facts.level(options)?;
        if let (Some(option), None) = (options.first_option(), &level) {
            return Err(UsageError(format!("{option}: only a Second Life mesh has that; leave it out")).into());
        }
        let geometry = level.as_deref().unwrap_or(asset.model.geometry()?);
        let answers = self.answers(asset, geometry, questions)?;
        // Before anything is printed.
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
            // A vertex number belongs to one surface.
            (QueryKind::Vertex(_), None) => vec![0],
            _ => (0..geometry.surface_count()).collect(),
        };
        // The trees of a sidecar are those of the default level.
        let sidecar = asset.sidecar.as_ref().filter(|_| shared.level.is_default());
        let base = Scene::from_surfaces(geometry, numbers.iter().copied(), sidecar)?;
        let shape = AnimatedShape::new((geometry, asset.model.animations()?), &numbers, shared.clip, shared.frame)?;
        let scene = match &shape {
            Some(shape) => base.refit(|surface| shape.triangles(geometry, surface))?,
            None => base,
        };
        let attributes = if self.kind.wants_attributes() { numbers.as_slice() } else { &[] };
        let attributes = attributes.iter().map(|number| Attributes::new(&Surface::new(geometry, *number)));
        let attributes = attributes.collect::<meshpeek::Result<Vec<_>>>()?;
        let moved = shape.is_some();
        let surfaces = SurfaceSet { scene: &scene, numbers: &numbers, attributes: &attributes, moved };
        surfaces.answer_all(questions)
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
