//! `view --html`: writes one self-contained page with a picture of each mesh, an interactive view,
//! its byte map and its findings.
//!
//! The page needs no network. Each mesh is a GLB file inside of the page, compressed with zlib and
//! written as Base64. The browser reads it when the mesh is chosen, and so are the findings and the
//! byte map of all meshes but the first. A policy in the page allows only its own script, which is
//! identified by its hash.
//!
//! Many meshes are on several pages, which an index lists.
mod files;
mod parts;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

use crate::Error;
use crate::export::{Export, ExportFormat, ExportOptions, SceneInput, SourceInfo};
use crate::math::as_u64;
use crate::model::animation::Animations;
use crate::program::commands::map::style_of_all;
use crate::program::input::InputAsset;
use crate::program::output::{base64, shown, xml_text};
use crate::program::picture::textures::TextureFolder;
use crate::render::{Background, Camera, CameraPlace};
use crate::text::block::CountingWriter;
pub use files::PageFiles;
use parts::{write_byte_map, write_error, write_findings, write_left_out};

/// The page before its first mesh and after its last one, with marks where the title and the style
/// are inserted.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script of the page. Its files share one scope.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("math.js"),
    include_str!("glb.js"),
    include_str!("scene.js"),
    include_str!("shape.js"),
    include_str!("shaders.js"),
    include_str!("view.js"),
    include_str!("camera.js"),
    include_str!("player.js"),
    include_str!("index.js"),
    include_str!("page.js"),
    "})();\n"
);
/// The SHA-256 hash of the script in Base64. A test compares it with the script.
const SCRIPT_HASH: &str = include_str!("script.sha256");

/// The largest page of a mesh that has images: tenths of the size of its geometry, plus bytes.
const MOST_TENTHS: u64 = 14;
const MOST_BYTES: u64 = 290_000;

/// The size of a page without meshes.
const OWN_BYTES: usize = PAGE.len() + STYLE.len() + SCRIPT.len();
/// The number of bytes that are encoded at a time: a multiple of 3, which needs no padding.
const BLOCK: usize = 48 << 10;
/// The number of blocks in an element. A browser keeps the text of an element as one string.
const MAX_BLOCKS: usize = 256;

/// A mesh on a page.
pub struct PageMesh<'a> {
    /// The name in the heading.
    pub name: String,
    /// The path on the command line, or in a folder.
    pub path: &'a Path,
    pub asset: &'a InputAsset,
    /// The clips of other files.
    pub clips: &'a [(&'a str, &'a dyn Animations)],
    /// The asset, the surfaces, the levels of detail and the clip that are shown.
    pub options: ExportOptions,
    /// The name of the clip that is shown at first.
    pub clip: Option<String>,
    /// The images of textures.
    pub images: Option<&'a TextureFolder>,
    /// The picture that is shown without the interactive view: a PNG file.
    pub png: Vec<u8>,
    /// A small picture for the index: a PNG file.
    pub thumbnail: Vec<u8>,
}

impl PageMesh<'_> {
    fn export_options(&self) -> ExportOptions {
        let images = self.images.map(TextureFolder::names).unwrap_or_default();
        let facts = SourceInfo::default().with_name(self.name.as_str()).with_images(images);
        self.options.clone().with_source(facts).with_allow_loss(true)
    }

    /// Writes the heading and the picture.
    fn write_start(&self, out: &mut dyn Write, index: usize) -> io::Result<()> {
        let (name, path) = (xml_text(&self.name), xml_text(&shown(self.path)));
        let (facts, picture) = (parts::facts(self.asset), data_url("image/png", &self.png));
        let clip = self.clip.as_ref().map(|clip| format!(" data-clip=\"{}\"", xml_text(clip))).unwrap_or_default();
        write!(
            out,
            "<article id=\"mesh-{index}\" class=\"mesh\" data-name=\"{name}\" data-path=\"{path}\"{clip}>\n\
             <header><h1>{name}</h1><p class=\"facts\" title=\"{path}\">{facts}</p></header>\n\
             <div class=\"work\"><div class=\"left\"><div class=\"stage\"><img src=\"{picture}\" alt=\"Picture of {name}\"></div></div>\
             <div class=\"panels\"></div></div>\n"
        )
    }

    /// Writes what the interactive view leaves out, the findings, and the bytes drawn to scale.
    fn write_details(&self, out: &mut dyn Write, export: Result<&Export<'_>, &Error>) -> io::Result<()> {
        match export {
            Ok(export) => write_left_out(out, export.losses())?,
            Err(error) => write_error(out, error)?,
        }
        write_findings(out, self.asset)?;
        self.asset.release();
        write_byte_map(out, self.asset, self.path)
    }

    /// Writes the geometry.
    fn write_data(&self, out: &mut dyn Write, export: &Export<'_>) -> anyhow::Result<()> {
        let data = DataElements::new(out, "class=\"glb\"");
        data.compressed(|out| Ok(export.write_file(0, "mesh", out)?))?;
        self.asset.check()?;
        Ok(())
    }

    /// Writes the images to which the geometry refers, with at most `most` bytes.
    fn write_images(&self, out: &mut dyn Write, export: &Export<'_>, most: u64) -> io::Result<()> {
        let images = export.images();
        // Base64 makes four bytes of three.
        let each = (most.checked_div(as_u64(images.len())).unwrap_or_default() / 4).saturating_mul(3);
        for image in images {
            let Some(png) = self.images.and_then(|folder| folder.png(image, each)) else { continue };
            let attributes = format!("class=\"texture\" data-name=\"{}\"", xml_text(image));
            DataElements::new(out, &attributes).whole(&png)?;
        }
        Ok(())
    }
}

/// Writes a page, one mesh after another. Nothing is written before the first mesh is added.
pub struct PageWriter<'o> {
    title: String,
    start: &'o PageStart,
    /// The number of meshes that were added.
    pub count: usize,
    /// The number of bytes that were written.
    pub bytes: u64,
}

impl<'o> PageWriter<'o> {
    pub const fn new(title: String, start: &'o PageStart) -> Self {
        Self { title, start, count: 0, bytes: 0 }
    }

    /// Adds a mesh. If its geometry cannot be exported, the page has its picture, byte map and
    /// findings only, and the error is returned as a value.
    ///
    /// Returns an error if the page cannot be written, or if the mesh changes meanwhile. The page
    /// is then not complete.
    pub fn add(&mut self, out: &mut dyn Write, mesh: &PageMesh<'_>) -> anyhow::Result<Option<Error>> {
        let mut out = CountingWriter::new(out);
        let index = self.count;
        if index == 0 {
            out.write_all(head(&self.title, self.start).as_bytes())?;
        }
        self.count = index.saturating_add(1);
        let options = mesh.export_options();
        let release = || mesh.asset.release();
        let input = SceneInput::new(&mesh.asset.model).with_clips(mesh.clips).with_release(&release);
        let export = Export::new(&input, ExportFormat::Glb, &options);
        // A page must not end in the middle of a mesh, so the geometry is read once before.
        let export = export.and_then(|export| Ok((glb_size(&export)?, export)));
        let before = out.written;
        mesh.write_start(&mut out, index)?;
        if index == 0 {
            mesh.write_details(&mut out, export.as_ref().map(|(_, export)| export))?;
        } else {
            let data = DataElements::new(&mut out, "class=\"details\"");
            data.compressed(|out| Ok(mesh.write_details(out, export.as_ref().map(|(_, export)| export))?))?;
        }
        if let Ok((size, export)) = &export {
            mesh.write_data(&mut out, export)?;
            let own = out.written.saturating_sub(before).saturating_add(as_u64(OWN_BYTES));
            let most = (size.saturating_mul(MOST_TENTHS) / 10).saturating_add(MOST_BYTES);
            mesh.write_images(&mut out, export, most.saturating_sub(own))?;
        }
        out.write_all(b"</article>\n")?;
        self.bytes = self.bytes.saturating_add(out.written);
        Ok(export.err())
    }

    /// Writes the end of the page, if it has a start. `index` is the address of the index of
    /// several pages.
    pub fn finish(&self, out: &mut dyn Write, index: Option<&str>) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let link = |index| format!("<p id=\"index\"><a href=\"{}\">All meshes</a></p>\n", xml_text(index));
        out.write_all(foot(&index.map(link).unwrap_or_default()).as_bytes())
    }
}

/// Returns the size of a GLB file, or the error that prevents it.
fn glb_size(export: &Export<'_>) -> crate::Result<u64> {
    let mut size = CountingWriter::new(io::sink());
    export.write_file(0, "mesh", &mut size)?;
    Ok(size.written)
}

/// Returns the page before its first mesh.
fn head(title: &str, start: &PageStart) -> String {
    let (head, _) = PAGE.split_once("{meshes}").unwrap_or((PAGE, ""));
    let (hash, start) = (SCRIPT_HASH.trim(), xml_text(&start.json().to_string()));
    let head = head.replace("{style}", STYLE).replace("{pictures}", &style_of_all()).replace("{hash}", hash);
    head.replace("{start}", &start).replace("{title}", &xml_text(title))
}

/// Returns the page after its last mesh. `index` is the link to the index.
fn foot(index: &str) -> String {
    let (_, foot) = PAGE.split_once("{meshes}").unwrap_or((PAGE, ""));
    foot.replace("{index}", index).replace("{script}", SCRIPT)
}

/// Writes bytes as Base64 in one or more elements.
struct DataElements<'o> {
    out: &'o mut dyn Write,
    attributes: String,
    block: Vec<u8>,
    /// The number of blocks in the open element, or `None` if no element is open.
    blocks: Option<usize>,
}

impl<'o> DataElements<'o> {
    /// Makes a writer. Each element has the given attributes.
    fn new(out: &'o mut dyn Write, attributes: &str) -> Self {
        Self { out, attributes: attributes.to_owned(), block: Vec::new(), blocks: None }
    }

    /// Writes all bytes that `produce` writes, compressed with zlib, and closes the last element.
    fn compressed(self, produce: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut encoder = ZlibEncoder::new(self, Compression::default());
        produce(&mut encoder)?;
        Ok(encoder.finish()?.finish()?)
    }

    /// Writes bytes as they are, and closes the last element.
    fn whole(mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.finish()
    }

    fn finish(mut self) -> io::Result<()> {
        self.end_block()?;
        self.close()
    }

    /// Writes the bytes of the block.
    fn end_block(&mut self) -> io::Result<()> {
        if self.blocks.is_none() {
            write!(self.out, "<script type=\"application/octet-stream\" {}>", self.attributes)?;
        }
        self.out.write_all(base64(&self.block).as_bytes())?;
        self.block.clear();
        let blocks = self.blocks.unwrap_or_default().saturating_add(1);
        self.blocks = Some(blocks);
        if blocks < MAX_BLOCKS { Ok(()) } else { self.close() }
    }

    /// Closes the open element, if any.
    fn close(&mut self) -> io::Result<()> {
        if self.blocks.take().is_some() { self.out.write_all(b"</script>\n") } else { Ok(()) }
    }
}

impl Write for DataElements<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(BLOCK.saturating_sub(self.block.len()));
        self.block.extend_from_slice(bytes.get(..count).unwrap_or_default());
        if self.block.len() == BLOCK {
            self.end_block()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns bytes as a URL that contains them.
fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", base64(bytes))
}

/// How a page shows a mesh at first.
#[derive(Clone, Debug)]
pub struct PageStart {
    pub camera: Camera,
    pub background: Background,
    /// The name of the style in the script of the page.
    pub style: &'static str,
    pub is_wired: bool,
    pub has_skeleton: bool,
    pub has_textures: bool,
    /// The frame of the clip, or of the first one if none is chosen.
    pub frame: Option<f32>,
}

impl PageStart {
    /// Returns the JSON for the script of the page.
    pub fn json(&self) -> Value {
        json!({
            "camera": camera(&self.camera), "background": background(self.background), "style": self.style,
            "isWired": self.is_wired, "hasSkeleton": self.has_skeleton, "hasTextures": self.has_textures,
            "frame": self.frame,
        })
    }
}

/// Returns a camera that turns around the mesh as its angles to the right and up, in degrees, and
/// its zoom, and a camera at a point as the point and the one that it looks at.
fn camera(camera: &Camera) -> Value {
    match camera.0 {
        CameraPlace::Orbit { from: [x, y, z], up: [up_x, _, up_z], zoom } => {
            let run = x.hypot(z);
            let pitch = y.atan2(run).to_degrees();
            // A camera that looks straight down or up is turned by its up direction.
            let yaw = if run > 1e-6 { x.atan2(z) } else { (-up_x * y.signum()).atan2(-up_z * y.signum()) };
            json!({ "angles": [yaw.to_degrees(), pitch], "zoom": zoom })
        }
        CameraPlace::LookAt { from, to } => json!({ "from": from, "to": to }),
    }
}

fn background(background: Background) -> Value {
    match background {
        Background::Color([red, green, blue]) => format!("#{red:02x}{green:02x}{blue:02x}").into(),
        Background::Transparent => "transparent".into(),
        Background::Studio => Value::Null,
    }
}
