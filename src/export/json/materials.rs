//! The materials of a file, as JSON.

use crate::error::Result;
use crate::model::{Contents, Material, TextureRole};
use crate::parse::Name;
use crate::text::json_text::JsonText;

/// Writes the materials of a file.
pub(super) fn write_materials(contents: &dyn Contents, json: &mut JsonText<'_>) -> Result<()> {
    json.objects(0..contents.material_count()?, |json, number| write_material(&contents.material(number)?, json))
}

fn write_material(material: &Material<'_>, json: &mut JsonText<'_>) -> Result<()> {
    write_name("name", material.name, json)?;
    write_name("surface", material.surface, json)?;
    json.key("color").optional(material.color, |json, color| json.floats(&color))?;
    json.key("unlit").optional(material.unlit, JsonText::boolean)?;
    json.key("masked").optional(material.masked, JsonText::boolean)?;
    json.key("textures").objects(&material.textures, |json, texture| {
        json.key("role").string(match texture.role {
            TextureRole::Color => "color",
            TextureRole::Detail => "detail",
        })?;
        json.key("name").string(&texture.name.to_string_lossy())?;
        write_name("file", texture.file, json)
    })?;
    write_name("text", material.text, json)
}

fn write_name(field: &str, name: Option<Name<'_>>, json: &mut JsonText<'_>) -> Result<()> {
    let text = name.map(|name| name.to_string_lossy());
    json.key(field).optional(text.as_deref(), JsonText::string)
}
