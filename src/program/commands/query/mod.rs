//! `query`: casts rays at surfaces, and finds nearest points, triangles in regions and neighbours
//! of vertices. The queries read the vertices of the surfaces directly from the mapped file.

mod answer;
mod args;
mod render;
mod shape;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Geometry;
use crate::model::animation::Affine;
use crate::model::{LevelStorage, Space, Winding};
use crate::query::{Attributes, Scene};
use crate::scene::is_bound;
use clap::{Args, Subcommand};

use crate::program::args::{Global, STDIN};
use crate::program::input::{InputAsset, open_indexed};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::{HeldOutput, JsonWriter, SCHEMA, progress, shown};

use answer::{Answer, Question, SurfaceSet};
use args::SharedArgs;
use render::AnswerRenderer;
use shape::AnimatedShape;

const HELP: &str = "\
Answers refer to a triangle by the number of its surface and by its own number within that surface, both from 0 and in file order. \
Barycentric coordinates are the weights of the second and the third corner of the triangle. Coordinates are in the units of the file, \
in which `dump` prints positions; with --placed, they are those of exports and pictures, with the axes of the file. --up, --front, --rotate and --scale turn and scale \
the mesh first: rays, points and answers are then in the turned space. If nothing is hit, the exit code is still 0.

With trees over the triangles, a query need not test every triangle. The trees are read from the sidecar that `meshpeek index` writes; \
without a sidecar they are built first. The answers are the same.

Examples:
  meshpeek query data/unigine/cube_ms13.mesh ray --from 0,0,9 --toward 0,0,0
  meshpeek query ray data/unigine/cube_ms13.mesh --from 0,0,9 --direction 0,0,-1 --all --json
  meshpeek query data/ezmesh/flag.ezm nearest --point 0,0,5 --limit 9 --attributes
  meshpeek query data/unigine/cube_ms13.mesh overlap --min -1,-1,-1 --max 1,1,1
  meshpeek query data/unigine/room_ms11.mesh vertex --surface 2 --vertex 5
  echo 0 0 9 0 0 0 | meshpeek query data/unigine/cube_ms13.mesh ray --batch - --json";

const USAGE: &str = "\
meshpeek query <FILE> <KIND> [OPTIONS]
       meshpeek query <KIND> <FILE> [OPTIONS]";

#[derive(Debug, Args)]
#[command(after_help = HELP, override_usage = USAGE, subcommand_precedence_over_arg = true)]
pub struct QueryArgs {
    /// A file, or - for standard input; for an Unreal mesh, either of its files, their stem or the
    /// script
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(subcommand)]
    kind: QueryKind,
}

#[derive(Debug, Subcommand)]
enum QueryKind {
    /// Cast a ray and print where it hits a surface
    #[command(override_usage = "meshpeek query <FILE> ray [OPTIONS]")]
    Ray(args::RayArgs),
    /// Find the point on a surface that is nearest to a given point
    #[command(override_usage = "meshpeek query <FILE> nearest [OPTIONS]")]
    Nearest(args::NearestArgs),
    /// Find the triangles that overlap a box or a view frustum
    #[command(override_usage = "meshpeek query <FILE> overlap [OPTIONS]")]
    Overlap(args::OverlapArgs),
    /// Find the triangles around a vertex, and the vertices connected to it
    #[command(override_usage = "meshpeek query <FILE> vertex [OPTIONS]")]
    Vertex(args::VertexArgs),
}

impl QueryKind {
    /// Returns the options of every kind, whether the attributes at each hit are requested, and the
    /// batch file.
    fn common(&self) -> (&SharedArgs, bool, Option<&Path>) {
        match self {
            Self::Ray(args) => (&args.shared, args.attributes, args.batch.as_deref()),
            Self::Nearest(args) => (&args.shared, args.attributes, args.batch.as_deref()),
            Self::Overlap(args) => (&args.shared, false, args.batch.as_deref()),
            Self::Vertex(args) => (&args.shared, false, None),
        }
    }

    /// Returns the number of queries that a thread takes at a time. The number is 1 for queries
    /// whose answer may contain every triangle.
    const fn taken_together(&self) -> usize {
        match self {
            Self::Ray(args) if !args.all => 64,
            Self::Nearest(_) => 64,
            Self::Ray(_) | Self::Overlap(_) | Self::Vertex(_) => 1,
        }
    }

    /// Returns the queries in order.
    fn questions(&self) -> anyhow::Result<Vec<Question>> {
        match self {
            Self::Ray(args) => args.questions(),
            Self::Nearest(args) => args.questions(),
            Self::Overlap(args) => args.questions(),
            Self::Vertex(args) => Ok(vec![Question::Vertex(args.vertex)]),
        }
    }
}

impl QueryArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = self.path()?;
        let (shared, _, batch) = self.kind.common();
        if batch == Some(Path::new(STDIN)) && path == Path::new(STDIN) {
            usage!("--batch -: standard input is the mesh; name a file for the batch");
        }
        let questions = self.kind.questions()?;
        let asset = open_indexed(path, shared.level.asset, global)?;
        self.answer(&asset, &questions, global).map_err(|error| asset.locate_any_error(error, path))
    }

    /// Returns the path of the file, which is given before or after the kind of query.
    fn path(&self) -> Result<&Path, UsageError> {
        match (&self.file, &self.kind.common().0.file) {
            (Some(path), None) | (None, Some(path)) => Ok(path),
            (None, None) => {
                let example = "meshpeek query FILE ray --from 0,0,9 --toward 0,0,0";
                usage!("query: expected a file, found none; give one, as in `{example}`")
            }
            (Some(first), Some(second)) => {
                let [first, second] = [first, second].map(|path| shown(path));
                usage!("query: expected one file, found {first} and {second}; leave one out")
            }
        }
    }

    fn answer(&self, asset: &InputAsset, questions: &[Question], global: &Global) -> anyhow::Result<Outcome> {
        let options = &self.kind.common().0.level;
        if !asset.model.file().has_surfaces() {
            usage!("an animation has no surface; query the mesh that it moves");
        }
        asset.note_other_assets(options.asset, self.path()?, global);
        if has_shared_levels(asset) {
            let only = asset.model.contents().asset(0)?;
            let level = only.level(options.listed_level(&*only)?.unwrap_or_default())?;
            return self.print_answers(asset, &*level, questions, global);
        }
        self.print_answers(asset, &*options.geometry(&asset.model)?, questions, global)
    }

    fn print_answers(
        &self,
        asset: &InputAsset,
        geometry: &dyn Geometry,
        questions: &[Question],
        global: &Global,
    ) -> anyhow::Result<Outcome> {
        let (shared, with_attributes, batch) = self.kind.common();
        let numbers = match (&self.kind, &shared.surface) {
            (_, Some(surface)) => vec![surface.surface(geometry)?],
            // A vertex index refers to the vertices of one surface, which is the first surface by
            // default.
            (QueryKind::Vertex(_), None) => vec![0],
            _ => drawn_surfaces(geometry)?,
        };
        // If each level has surfaces of its own, a sidecar has the query trees of the default level
        // only.
        let has_all = has_shared_levels(asset) || shared.level.is_default();
        let sidecar = asset.model.sidecar().filter(|_| has_all);
        let surfaces = numbers.iter().map(|number| geometry.surface(*number)).collect::<crate::Result<Vec<_>>>()?;
        let base = Scene::from_surfaces(surfaces.iter().copied(), sidecar)?;
        let motion = asset.model.animations();
        let clip = shared.clip.as_ref().map(|clip| clip.clip(motion)).transpose()?;
        let shape = AnimatedShape::new((geometry, motion), &numbers, clip, shared.frame.as_ref())?;
        // The pose of a rigged mesh is where its joints are.
        let is_posed = shape.is_some() && is_bound(motion);
        // The stored normals do not fit an animation.
        let is_animated = shape.is_some();
        let placement = if shared.placed && !is_posed { self.placement(asset, geometry)? } else { Affine::IDENTITY };
        let placement = placement.then(&shared.adjust.map(geometry)?);
        let shape = match Some(placement).filter(|map| *map != Affine::IDENTITY) {
            Some(map) => Some(AnimatedShape::placed(geometry, &numbers, shape, &map)?),
            None => shape,
        };
        let scene = match &shape {
            Some(shape) => {
                let moved = base.refit(|surface| shape.triangles(geometry, surface))?;
                drop(base);
                moved
            }
            None => base,
        };
        if with_attributes {
            // The attributes at a hit are read when the hit is printed. An error in the attributes
            // of any surface is returned before anything is printed. A surface that is not in the
            // scene has no hits.
            for surface in surfaces.iter().filter(|surface| scene.triangles(surface.index()).is_some()) {
                Attributes::new(surface)?;
            }
        }
        if batch.is_some() {
            scene.prefetch_for(questions.len());
        }
        let surfaces = SurfaceSet { scene: &scene, first: numbers.first().copied().unwrap_or_default() };
        let placed = Space { winding: Some(Winding::CounterClockwise), ..Space::UNKNOWN }.placed(placement);
        let is_mirror = placed.winding == Some(Winding::Clockwise);
        let conversion = placed.conversion_to(&Space::UNKNOWN)?;
        let renderer =
            AnswerRenderer::new(geometry, with_attributes, (!is_animated).then_some(conversion), global.verbose);
        progress::end();
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut held = HeldOutput::start();
        let mut left = questions;
        while !left.is_empty() {
            let mut answers = surfaces.answer_first(left, self.kind.taken_together())?;
            if is_mirror {
                for answer in &mut answers {
                    answer.kind.turn_over();
                }
            }
            left = left.get(answers.len().max(1)..).unwrap_or_default();
            renderer.prefetch(&answers);
            answers.iter().try_for_each(|answer| self.print(&renderer, answer, global, &mut held))?;
            // The names and attributes in the output are read from the file while it is rendered.
            // The file is therefore checked for changes between rendering and printing.
            asset.check()?;
            held.print(&mut out)?;
        }
        out.flush()?;
        Ok(Outcome::Fine)
    }

    /// Returns the map from stored positions to where pictures show them: that of the joints of a
    /// rigged mesh, or of the first instance of the asset.
    fn placement(&self, asset: &InputAsset, geometry: &dyn Geometry) -> crate::Result<Affine> {
        if is_bound(asset.model.animations()) {
            return Ok(geometry.space().placement);
        }
        let (contents, chosen) = (asset.model.contents(), self.kind.common().0.level.asset.unwrap_or_default());
        for instance in 0..contents.instance_count()? {
            let instance = contents.instance(instance)?;
            if instance.asset == chosen {
                return Ok(instance.transform);
            }
        }
        Ok(Affine::IDENTITY)
    }

    fn print(
        &self,
        renderer: &AnswerRenderer<'_>,
        answer: &Answer,
        global: &Global,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !global.json {
            return renderer.print(answer, out);
        }
        JsonWriter::compact(out).object(|out| {
            if self.kind.common().2.is_none() {
                let path = self.path().map(Path::to_string_lossy).unwrap_or_default();
                out.field("schema", SCHEMA)?;
                out.key("path").string(&path)?;
            }
            renderer.write_json(answer, out)
        })?;
        writeln!(out)
    }
}

/// Returns whether all levels of detail have the surfaces of one list.
fn has_shared_levels(asset: &InputAsset) -> bool {
    asset.model.contents().level_storage() == LevelStorage::Shared
}

/// Returns the numbers of the surfaces that are drawn.
fn drawn_surfaces(geometry: &dyn Geometry) -> crate::Result<Vec<usize>> {
    let mut surfaces = Vec::new();
    for surface in geometry.surfaces()? {
        if surface.is_drawn()? {
            surfaces.push(surface.index());
        }
    }
    Ok(surfaces)
}
