//! Creates the JSON objects `properties` of Second Life assets and of containers with several
//! assets.

use std::path::Path;

use meshpeek::io::{open_stream, read_up_to};
use meshpeek::secondlife::llsd::{LlsdEntry, LlsdMap, LlsdText, LlsdValue as Llsd};
use meshpeek::secondlife::{AssetPart, AssetView, Container, Header, HeaderPrefix, Matrix, Skin};
use meshpeek::{Array, ErrorKind, Limits};
use serde_json::{Map as Object, Value, json};

use crate::formats::summary::BlockSummary;
use crate::render::json::{hex, number, numbers, with};

/// The maximum number of collision hulls and of joints in the JSON output.
const MAX_LISTED: usize = 100_000;

/// Returns the JSON object `properties` of one asset.
pub fn asset(view: AssetView<'_>, blocks: &[BlockSummary], inflate: bool) -> Value {
    let Ok(header) = view.header() else { return Value::Null };
    let mut object = header_json(&header);
    let inflated: Vec<&str> = blocks.iter().filter(|block| block.inflated.is_some()).map(|block| block.name).collect();
    object.insert("blocks".into(), blocks.iter().map(BlockSummary::json).collect());
    object.insert("inflated".into(), json!(inflated));
    let is_inflated = |part: AssetPart| blocks.iter().any(|block| block.name == part.key() && block.inflated.is_some());
    if inflate {
        let skin = if is_inflated(AssetPart::Skin) { view.skin().ok().flatten() } else { None };
        object.insert("skin".into(), skin.map_or(Value::Null, |skin| skin_json(&skin)));
        let (hulls, physics) = physics(view, is_inflated(AssetPart::PhysicsConvex));
        object.insert("hulls".into(), hulls);
        object.insert("physics".into(), physics);
    }
    Value::Object(object)
}

/// Returns the JSON object `properties` of a container, including the objects in `assets`.
pub fn container(container: &Container<'_>, assets: Vec<Value>) -> Value {
    let instances = container.instances().take(MAX_LISTED).map(|instance| {
        json!({
            "mesh_id": instance.mesh_id(),
            "label": instance.label().map(text),
            "transform": instance.transform().map(|matrix| numbers(&matrix)),
            "materials": instance.materials().map(|materials| materials.iter().filter_map(|one| {
                one.value.map()?.get("binding").and_then(|entry| string(&entry))
            }).collect::<Vec<_>>()),
        })
    });
    let members = assets.into_iter().enumerate().map(|(number, asset)| {
        let mut member = Object::new();
        member.insert("asset".into(), number.into());
        if let Value::Object(asset) = asset {
            member.extend(asset);
        }
        Value::Object(member)
    });
    json!({
        "container_version": container.version(),
        "name": container.name().map(text),
        "members": members.collect::<Value>(),
        "instances": instances.collect::<Value>(),
    })
}

/// Returns the header fields of an asset as JSON, except the fields with the offsets and sizes of
/// its blocks.
fn header_json(header: &Header<'_>) -> Object<String, Value> {
    let mut object = Object::new();
    let keys: Vec<String> = header.entries().map(|entry| text(entry.key)).collect();
    object.insert("header_bytes".into(), header.len().into());
    object.insert("header_keys".into(), json!(keys));
    object.insert("version".into(), json!(header.version()));
    object.insert("creator".into(), json!(header.creator().map(uuid)));
    object.insert("date".into(), json!(header.date()));
    object.insert("date_utc".into(), json!(header.date().and_then(utc)));
    object.insert("submodel_id".into(), json!(header.submodel_id()));
    let materials = header.material_list().map(|list| {
        let names = list.iter().map(|item| if let Llsd::String(name) = item.value { Some(text(name)) } else { None });
        names.collect::<Vec<_>>()
    });
    object.insert("material_list".into(), json!(materials));
    let hashes = AssetPart::ALL.into_iter().filter_map(|part| Some((part, header.hash(part)?)));
    let hashes: Object<String, Value> = hashes.map(|(part, hash)| (part.key().to_owned(), hex(hash).into())).collect();
    object.insert("hashes".into(), Value::Object(hashes));
    object.insert("physics_cost_data".into(), header.physics_cost().map_or(Value::Null, |cost| plain(cost.map())));
    object
}

fn skin_json(skin: &Skin<'_>) -> Value {
    let names = (0..skin.joint_count().min(MAX_LISTED)).map(|joint| skin.joint_name(joint).ok());
    // A matrix that cannot be decoded is `null` in JSON, and `validate` reports a finding for it.
    let matrix_json = |matrix: meshpeek::Result<Matrix>| matrix.ok().map(|matrix| numbers(&matrix));
    let inverse = (0..skin.inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix_json(skin.inverse_bind(joint)));
    let alternative =
        (0..skin.alt_inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix_json(skin.alt_inverse_bind(joint)));
    json!({
        "joint_names": names.map(|name| name.map(|name| name.to_string_lossy())).collect::<Vec<_>>(),
        "bind_shape_matrix": matrix_json(skin.bind_shape()),
        "inverse_bind_matrix": inverse.collect::<Vec<_>>(),
        "alt_inverse_bind_matrix": alternative.collect::<Vec<_>>(),
        "pelvis_offset": skin.pelvis_offset().ok().flatten().map(number),
        "lock_scale_if_joint_position": skin.lock_scale_if_joint_position().ok(),
    })
}

/// Returns two JSON values: the number of points of each collision hull, and a description of the
/// collision shapes in the asset.
fn physics(view: AssetView<'_>, is_inflated: bool) -> (Value, Value) {
    let convex = if is_inflated { view.convex().ok().flatten() } else { None };
    let sizes = convex.and_then(|convex| Some(convex.hulls().ok()?.take(MAX_LISTED).map(|hull| hull.len())));
    let hulls: Vec<usize> = sizes.into_iter().flatten().collect();
    let header = view.header();
    let has_mesh = header.is_ok_and(|header| {
        [AssetPart::PhysicsMesh, AssetPart::PhysicsShape].iter().any(|part| matches!(header.block(*part), Ok(Some(_))))
    });
    let bounding = convex.and_then(|convex| convex.bounding_points().ok().flatten()).map(|points| points.len());
    // The collision shape is chosen as in the method `physics_shape` of the library, but without
    // inflating its triangles.
    let shape = if !hulls.is_empty() {
        Some("hulls")
    } else if has_mesh {
        Some("mesh")
    } else {
        bounding.map(|_| "bounding hull")
    };
    let domain = convex.and_then(|convex| convex.domain().ok());
    let object = json!({
        "shape": shape,
        "bounding_points": bounding,
        "hulls": hulls.len(),
        "mesh": has_mesh,
        "domain": domain.map(|domain| json!({ "min": numbers(&domain.min()), "max": numbers(&domain.max()) })),
    });
    (json!(hulls), object)
}

/// Adds the header of an asset to the JSON entry of a file that cannot be opened because the
/// version of the asset is too new.
pub fn with_header(entry: Value, path: &Path, error: &meshpeek::Error) -> Value {
    let limits = Limits::default();
    if !matches!(error.kind(), ErrorKind::Unsupported { .. }) || error.format() != "secondlife" {
        return entry;
    }
    let head =
        open_stream(path).and_then(|file| read_up_to(std::io::Read::take(file, limits.header), 0, limits.header));
    let Ok(head) = head else { return entry };
    match Header::of_prefix(&head, &limits) {
        Ok(HeaderPrefix::Ready(header)) => with(entry, "properties", Value::Object(header_json(&header))),
        _ => entry,
    }
}

/// Converts an LLSD map of numbers to JSON.
fn plain(map: LlsdMap<'_>) -> Value {
    let entries = map.iter().take(64).map(|entry| {
        let value = match entry.value {
            Llsd::Array(array) => array.iter().take(64).map(|item| json!(item.value.number())).collect(),
            Llsd::Integer(number) => number.into(),
            other => json!(other.number()),
        };
        (text(entry.key), value)
    });
    Value::Object(entries.collect())
}

fn string(entry: &LlsdEntry<'_>) -> Option<String> {
    match entry.value {
        Llsd::String(value) => Some(text(value)),
        _ => None,
    }
}

fn text(text: LlsdText<'_>) -> String {
    meshpeek::Name::new(&text.content()).to_string_lossy()
}

fn uuid(bytes: &[u8; 16]) -> String {
    let digits = hex(bytes);
    let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default().to_owned();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}

/// Formats a date in the years 0 to 9999 as ISO 8601, with a precision of one second.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the range is tested")]
fn utc(seconds: f64) -> Option<String> {
    const DAY: i64 = 86_400;
    if !(-62_167_219_200.0..253_402_300_800.0).contains(&seconds) {
        return None;
    }
    let seconds = seconds.floor() as i64;
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // The date is computed from the number of days since 0000-03-01. The computation of the date
    // uses years that start in March, because the leap day is then the last day of a year. The
    // number of days is divided into periods of 400 years.
    let days = days.checked_add(719_468)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leaps = (day / 1_460).checked_sub(day / 36_524)?.checked_add(day / 146_096)?;
    let year = day.checked_sub(leaps)? / 365;
    let day_of_year = day.checked_sub(year.checked_mul(365)?.checked_add(year / 4)?.checked_sub(year / 100)?)?;
    let month = day_of_year.checked_mul(5)?.checked_add(2)? / 153;
    let day = day_of_year.checked_sub(month.checked_mul(153)?.checked_add(2)? / 5)?.checked_add(1)?;
    let month = if month < 10 { month.checked_add(3)? } else { month.checked_sub(9)? };
    let year = year.checked_add(era.checked_mul(400)?)?.checked_add(i64::from(month <= 2))?;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_dates() {
        assert_eq!(utc(1_511_941_196.162).as_deref(), Some("2017-11-29T07:39:56Z"));
        assert_eq!(utc(0.0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(utc(-0.5).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(utc(951_782_400.0).as_deref(), Some("2000-02-29T00:00:00Z"));
        assert_eq!(utc(253_402_300_799.0).as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!(utc(-62_167_219_200.0).as_deref(), Some("0000-01-01T00:00:00Z"));
        assert_eq!((utc(f64::NAN), utc(f64::INFINITY), utc(1e300)), (None, None, None));
    }

    #[test]
    fn spells_uuids() {
        let bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0, 0, 0, 0xff];
        assert_eq!(uuid(&bytes), "01234567-89ab-cdef-0000-0000000000ff");
    }
}
