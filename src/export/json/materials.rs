//! The metadata and the materials of a file, as JSON.

use std::fmt::Write as _;

use crate::error::Result;
use crate::export::json_text::JsonText;
use crate::model::{Contents, Material, Metadata, MetadataValue, TextureRole};
use crate::parse::Name;

/// Writes the keys of a file as objects.
pub(super) fn write_metadata(contents: &dyn Contents, json: &mut JsonText<'_>) -> Result<()> {
    let mut written = Ok(());
    contents.metadata(&mut |entry| {
        if written.is_ok() {
            written = write_entry(&entry, json);
        }
    })?;
    written
}

fn write_entry(entry: &Metadata<'_>, json: &mut JsonText<'_>) -> Result<()> {
    json.object(|json| {
        json.field("key").string(&entry.key.to_string_lossy())?;
        let json = json.field("value");
        match entry.value {
            MetadataValue::Text(text) => json.string(&text.to_string_lossy()),
            MetadataValue::Integer(number) => json.signed(number),
            MetadataValue::Real(number) => json.double(number),
            MetadataValue::Bytes(bytes) => json.string(&hexadecimal(bytes)),
        }
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Writes the materials of a file as objects.
pub(super) fn write_materials(contents: &dyn Contents, json: &mut JsonText<'_>) -> Result<()> {
    for number in 0..contents.material_count()? {
        write_material(&contents.material(number)?, json)?;
    }
    Ok(())
}

fn write_material(material: &Material<'_>, json: &mut JsonText<'_>) -> Result<()> {
    json.object(|json| {
        write_name("name", material.name, json)?;
        write_name("surface", material.surface, json)?;
        json.field("color").optional(material.color, |json, color| json.floats(&color))?;
        json.field("unlit").optional(material.unlit, JsonText::boolean)?;
        json.field("masked").optional(material.masked, JsonText::boolean)?;
        json.field("textures").list(|json| {
            material.textures.iter().try_for_each(|texture| {
                json.object(|json| {
                    json.field("role").string(match texture.role {
                        TextureRole::Color => "color",
                        TextureRole::Detail => "detail",
                    })?;
                    json.field("name").string(&texture.name.to_string_lossy())?;
                    write_name("file", texture.file, json)
                })
            })
        })?;
        write_name("text", material.text, json)
    })
}

fn write_name(field: &str, name: Option<Name<'_>>, json: &mut JsonText<'_>) -> Result<()> {
    let text = name.map(|name| name.to_string_lossy());
    json.field(field).optional_string(text.as_deref())
}
