//! JSON with the decoded arrays, in one document without blanks.
//!
//! ```json
//! {"schema": 1, "generator": "meshpeek 0.1.0", "name": "guard", "hash": null,
//!  "format": "unigine", "version": "ms13", "space": "gltf",
//!  "metadata": [{"key": "author", "value": "me"}],
//!  "materials": [{"name": "skin", "surface": null, "color": [1, 1, 1, 1], "unlit": null, "masked": null,
//!                 "textures": [{"role": "color", "name": "skin", "file": "skin.pcx"}], "text": null}],
//!  "assets": [{"asset": 0, "bind_shape": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "bones": [..], "clips": [..]}],
//!  "animations": [{"name": "walk", "bones": [..], "clips": [..]}],
//!  "places": [{"asset": 0, "name": null}],
//!  "surfaces": [..]}
//! ```
//!
//! The page [JSON output](crate::guide::json) describes every field. No triangle and no vertex is
//! left out: damaged indices are written as they are, and numbers that are not finite are `null`.

mod bones;
mod materials;
mod surfaces;

use std::io::Write;

use super::flat_losses::{FlatFormat, FlatLosses};
use super::loss::{Loss, LossKind};
use super::materials::write_metadata;
use super::options::ExportOptions;
use super::{OutputWriter, SceneInput};
use crate::error::Result;
use crate::export::options::ExportScene;
use crate::model::Space;
use crate::scene::OutputSpace;
use crate::text::json_text::JsonText;

/// The version of the schema.
const SCHEMA: u64 = 1;

const JSON: FlatFormat = FlatFormat { lacks: &[LossKind::Hulls], uv_sets: u32::MAX, draw_styles: true };

/// A writer of JSON.
pub(crate) struct JsonMeshWriter<'a> {
    scene: ExportScene<'a>,
}

impl<'a> JsonMeshWriter<'a> {
    /// Lists what the output does not contain.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions) -> Result<(Self, Vec<Loss>)> {
        let mut losses = FlatLosses::new(&JSON, options)?;
        let scene = ExportScene::new(input, options, Space::GLTF)?.with_normals()?;
        scene.placed.each_surface(&mut |surface| {
            losses.surface(surface)?;
            surfaces::list_losses(surface, &mut losses)
        })?;
        for asset in scene.placed.assets()? {
            if !bones::has_readable_bones(scene.placed.contents.asset(asset)?.animations()) {
                losses.list.add(LossKind::Skin, None, format!("the bones of asset {asset}, which cannot be read"));
            }
        }
        let losses = losses.finish(&scene)?;
        Ok((Self { scene }, losses))
    }

    fn write_document(&self, json: &mut JsonText<'_>) -> Result<()> {
        let (contents, source) = (self.scene.placed.contents, &self.scene.options.source);
        json.object(|json| {
            json.key("schema").unsigned(SCHEMA)?;
            json.key("generator").string(concat!("meshpeek ", env!("CARGO_PKG_VERSION")))?;
            json.key("name").optional(source.name(), JsonText::string)?;
            json.key("hash").optional(source.hash(), JsonText::string)?;
            json.key("format").string(contents.format())?;
            json.key("version").string(contents.version())?;
            json.key("space").string(match self.scene.options.space {
                OutputSpace::Target => "gltf",
                OutputSpace::Stored => "stored",
            })?;
            json.key("metadata").list(|json| write_metadata(contents, |_| true, json))?;
            materials::write_materials(contents, json.key("materials"))?;
            bones::write_animations(&self.scene, json)?;
            json.key("places").objects(&self.scene.placed.places, |json, place| {
                json.key("asset").count(place.asset)?;
                json.key("name").optional(place.name.as_deref(), JsonText::string)
            })?;
            json.key("surfaces").list(|json| surfaces::write_surfaces(&self.scene, json))
        })?;
        json.finish()
    }
}

impl OutputWriter for JsonMeshWriter<'_> {
    fn write(&self, _: usize, _: &str, out: &mut dyn Write) -> Result<()> {
        self.write_document(&mut JsonText::export(out))
    }
}
