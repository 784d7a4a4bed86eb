//! Shows meshes in the terminal.

use std::cell::OnceCell;
use std::path::PathBuf;

use super::args::ViewArgs;
use super::drawing::{Drawing, PlayedClip};
use super::movie::DEFAULT_RATE;
use crate::math::{as_index, narrow};
use crate::program::args::Global;
use crate::program::describe::picture::MissingParts;
use crate::program::describe::rows::SelectedFiles;
use crate::program::input::InputAsset;
use crate::program::outcome::{Outcome, usage};
use crate::program::output::{complain_about, shown};
use crate::program::terminal::{Presentation, Terminal, TerminalScene, ViewState, show as show_scene};
use crate::render::{Camera, CameraMotion, CameraPlace, Framing, Picture, PictureOptions, Shading};

/// The number of frames of a clip that are measured to place the camera.
const MEASURED: u32 = 16;

/// Shows the meshes until a key ends the view, or prints a picture of each.
pub fn show(args: &ViewArgs, drawing: &Drawing<'_>, global: &Global) -> anyhow::Result<Outcome> {
    let presentation = Presentation::choose(args.protocol)?;
    let terminal = Terminal::detect(args.protocol, global.color)?;
    let (mut meshes, mut outcome): (Vec<ShownMesh>, _) = (Vec::new(), Outcome::Fine);
    SelectedFiles::for_output(&args.files)?.each(global, |path, asset| {
        match asset {
            Ok(asset) => {
                meshes.push(ShownMesh {
                    path: path.to_owned(),
                    asset,
                    played: OnceCell::new(),
                    framing: None,
                    left_out: MissingParts::default(),
                });
            }
            Err(error) => outcome = outcome.max(complain_about(&error.into())),
        }
        Ok(Outcome::Fine)
    })?;
    if meshes.is_empty() {
        if outcome != Outcome::Fine {
            return Ok(outcome);
        }
        usage!("the folders and patterns contain no meshes, so there is nothing to show");
    }
    let start = args.camera.angles().map(narrow);
    let is_interactive = presentation == Presentation::Interactive;
    let mut scene = ShownMeshes { args, drawing, meshes, is_interactive };
    let shown = show_scene(&mut scene, ViewState::new(start), (&terminal, presentation), global)?;
    scene.meshes.iter().for_each(|mesh| mesh.left_out.print_notes(&mesh.path, global));
    Ok(outcome.max(shown))
}

/// A mesh that is shown.
struct ShownMesh {
    path: PathBuf,
    asset: InputAsset,
    /// The clip of the mesh, once it was looked for.
    played: OnceCell<Option<PlayedClip>>,
    /// What is shown from all sides, once it was measured.
    framing: Option<Framing>,
    /// What the picture with the least of the mesh left out.
    left_out: MissingParts,
}

/// The meshes that are shown.
struct ShownMeshes<'s> {
    args: &'s ViewArgs,
    drawing: &'s Drawing<'s>,
    meshes: Vec<ShownMesh>,
    /// Whether keys turn the meshes.
    is_interactive: bool,
}

impl TerminalScene for ShownMeshes<'_> {
    fn draw(&mut self, view: &ViewState, size: [u32; 2]) -> anyhow::Result<Picture> {
        let (drawing, args) = (self.drawing, self.args);
        let Some(mesh) = self.meshes.get_mut(view.mesh) else { return Ok(Picture::new(size, [0; 4])?) };
        let camera = match args.camera {
            camera @ Camera(CameraPlace::LookAt { .. }) => camera,
            _ => Camera::orbit(view.yaw.into(), view.pitch.into()).with_zoom(view.zoom.into()),
        };
        let options = drawing.options(&mesh.asset, size)?.with_size(size).with_camera(camera);
        let options = if view.wireframe { options.with_shading(Shading::Wireframe) } else { options };
        let mut moved = mesh.moved(drawing, &options, view);
        if self.is_interactive && options.shading != Shading::Uv {
            moved = moved.with_framing(Some(mesh.framing(drawing, options)?));
        }
        let drawn = drawing.draw(&mesh.asset, &mesh.path, &moved)?;
        let left_out = MissingParts::new(&drawn);
        if left_out.amount() > mesh.left_out.amount() {
            mesh.left_out = left_out;
        }
        Ok(drawn.picture)
    }

    fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    fn caption(&self, view: &ViewState) -> String {
        self.meshes.get(view.mesh).map(|mesh| shown(&mesh.path)).unwrap_or_default()
    }

    fn duration(&self, view: &ViewState) -> Option<f64> {
        self.meshes.get(view.mesh)?.played(self.drawing).map(|played| f64::from(played.frames) / rate(played))
    }
}

/// Returns the number of frames per second of a clip.
fn rate(played: PlayedClip) -> f64 {
    f64::from(played.rate.unwrap_or(DEFAULT_RATE))
}

impl ShownMesh {
    /// Returns the clip of the mesh, or `None` if it has none, or if it cannot be read.
    fn played(&self, drawing: &Drawing<'_>) -> Option<PlayedClip> {
        *self.played.get_or_init(|| {
            let options = drawing.options(&self.asset, [1, 1]).ok()?;
            drawing.played_clip(&self.asset, &options).ok()?.filter(|played| played.frames > 1)
        })
    }

    /// Returns options with the frame at the time of the view. At the start, it is that of the
    /// command line.
    fn moved(&self, drawing: &Drawing<'_>, options: &PictureOptions, view: &ViewState) -> PictureOptions {
        let Some(played) = self.played(drawing).filter(|_| view.is_playing || view.seconds > 0.0) else {
            return options.clone();
        };
        let last = f64::from(played.frames.saturating_sub(1));
        let frame = narrow((view.seconds * rate(played)).min(last));
        options.clone().with_clip(played.clip).with_frame(Some(frame))
    }

    /// Measures the mesh, in some frames of its clip, too. The result is the same for every camera.
    fn framing(&mut self, drawing: &Drawing<'_>, options: PictureOptions) -> anyhow::Result<Framing> {
        if let Some(framing) = self.framing {
            return Ok(framing);
        }
        let mut pictures = vec![options.clone()];
        if let Some(played) = self.played(drawing) {
            let frames = (0..played.frames).step_by(as_index(played.frames.div_ceil(MEASURED).max(1)));
            let options = options.with_clip(played.clip);
            pictures.extend(frames.map(|frame| options.clone().with_frame(Some(narrow(frame.into())))));
        }
        let framing = drawing.framing(&self.asset, &self.path, &pictures, CameraMotion::Free)?;
        self.framing = Some(framing);
        Ok(framing)
    }
}
