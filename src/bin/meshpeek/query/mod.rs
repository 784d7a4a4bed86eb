//! `query`: rays, nearest points, regions and neighbours, against surfaces that stay in their file.

mod answer;
mod asked;
mod posed;
mod told;

use std::io::{self, Write as _};

use clap::{Args, Subcommand};
use meshpeek::query::{Attributes, Scene};
use meshpeek::{Geometry, Model, Surface};

use crate::opened::Opened;
use crate::output::{Misuse, Outcome};
use crate::{Global, OneFile, input};

use answer::{Answer, Question, Surfaces};
use asked::Common;
use posed::Posed;
use told::Told;

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
pub struct Query {
    #[command(flatten)]
    file: OneFile,
    #[command(subcommand)]
    asked: Asked,
}

#[derive(Debug, Subcommand)]
enum Asked {
    /// Where a ray meets a surface
    Ray(asked::Along),
    /// The point of a surface that is nearest to another
    Nearest(asked::Around),
    /// The triangles that reach into a box, or into what a camera sees
    Overlap(asked::Within),
    /// The triangles that have a vertex as a corner, and the vertices next to it
    Vertex(asked::Beside),
}

impl Asked {
    const fn common(&self) -> &Common {
        match self {
            Self::Ray(asked) => &asked.common,
            Self::Nearest(asked) => &asked.common,
            Self::Overlap(asked) => &asked.common,
            Self::Vertex(asked) => &asked.common,
        }
    }

    /// Tells whether what the surface has at the place is wanted, too.
    const fn wants_attributes(&self) -> bool {
        match self {
            Self::Ray(asked) => asked.attributes,
            Self::Nearest(asked) => asked.attributes,
            Self::Overlap(_) | Self::Vertex(_) => false,
        }
    }

    /// Returns the questions, in order, and whether there may be many.
    fn questions(&self) -> anyhow::Result<(Vec<Question>, bool)> {
        match self {
            Self::Ray(asked) => asked.questions(),
            Self::Nearest(asked) => asked.questions(),
            Self::Overlap(asked) => asked.questions(),
            Self::Vertex(asked) => Ok((vec![asked.question()], false)),
        }
    }
}

impl Query {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        if self.asked.batch_is_stdin() && path == std::path::Path::new(input::STDIN) {
            return Err(Misuse("--batch -: standard input is the mesh; name a file".to_owned()).into());
        }
        let (questions, many) = self.asked.questions()?;
        let opened = input::open_indexed(path, self.asked.common().place.asset, global)?;
        self.ask(&opened, &questions, many, global).map_err(|error| opened.blame_any(error, path))
    }

    fn ask(&self, opened: &Opened, questions: &[Question], many: bool, global: &Global) -> anyhow::Result<Outcome> {
        let Common { place, .. } = self.asked.common();
        if let Model::UnigineAnimation(_) = &opened.model {
            let text = "an animation has no surface; ask the mesh that it moves";
            return Err(Misuse(text.to_owned()).into());
        }
        let detail = match &opened.model {
            Model::SecondLife(mesh) => {
                place.note(mesh, &self.file.file, global);
                Some(place.detail(mesh)?)
            }
            _ => None,
        };
        if let (Some(option), None) = (place.asked(), &detail) {
            return Err(Misuse(format!("{option}: only a Second Life mesh has that; leave it out")).into());
        }
        let geometry = detail.as_ref().map_or(opened.model.geometry(), |detail| detail);
        let answers = self.answers(opened, geometry, questions)?;
        // Before anything is told.
        opened.check()?;
        self.tell(geometry, &answers, many, global)?;
        Ok(Outcome::Fine)
    }

    fn answers(&self, opened: &Opened, geometry: &dyn Geometry, questions: &[Question]) -> anyhow::Result<Vec<Answer>> {
        let common = self.asked.common();
        let numbers = match (&self.asked, common.surface) {
            (_, Some(number)) => vec![number],
            // Numbers of vertices are those of one surface.
            (Asked::Vertex(_), None) => vec![0],
            _ => (0..geometry.surface_count()).collect(),
        };
        // The trees of a sidecar are of the level that is there without a choice.
        let sidecar = opened.sidecar.as_ref().filter(|_| common.place.is_first());
        let base = Scene::from_surfaces(geometry, numbers.iter().copied(), sidecar)?;
        let posed = Posed::new(geometry, &numbers, common.clip, common.frame)?;
        let scene = match &posed {
            Some(posed) => base.refit(|surface| posed.triangles(geometry, surface))?,
            None => base,
        };
        let attributes = if self.asked.wants_attributes() { numbers.as_slice() } else { &[] };
        let attributes = attributes.iter().map(|number| Attributes::new(&Surface::new(geometry, *number)));
        let attributes = attributes.collect::<meshpeek::Result<Vec<_>>>()?;
        let surfaces = Surfaces { scene: &scene, numbers: &numbers, attributes: &attributes, moved: posed.is_some() };
        surfaces.answer_all(questions)
    }

    fn tell(&self, geometry: &dyn Geometry, answers: &[Answer], many: bool, global: &Global) -> anyhow::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let told = Told { geometry, attributes: self.asked.wants_attributes() };
        for answer in answers {
            match (global.json, many) {
                (true, true) => writeln!(out, "{}", told.json(answer))?,
                (true, false) => {
                    let head = serde_json::json!({ "path": self.file.file.to_string_lossy() });
                    let head = crate::output::document(head);
                    writeln!(out, "{}", crate::output::extend(head, &told.json(answer)))?;
                }
                (false, _) => told.print(answer, &mut out)?,
            }
        }
        Ok(out.flush()?)
    }
}
