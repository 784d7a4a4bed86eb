//! Writes the JSON objects `properties` of Second Life assets and of containers with several
//! assets.

use std::io;
use std::path::Path;

use crate::formats::secondlife::llsd::{LlsdMap, LlsdText, LlsdValue as Llsd};
use crate::formats::secondlife::{AssetPart, AssetView, Container, Header, HeaderPrefix, Matrix, Mesh, Skin};
use crate::io::read_start;
use crate::{Array, ErrorKind, Limits};
use serde_json::{Map as Object, Value, json};

use super::level_args::LodFilter;
use super::survey::MAX_DESCRIBED;
use crate::program::formats::summary::{BlockSummary, DescribedBlocks};
use crate::program::render::json::{hex, number, numbers};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::text::counted;

/// The maximum number of collision hulls and of joints in the JSON output.
const MAX_LISTED: usize = 100_000;

/// Writes the JSON fields `properties` of a file: of its only asset, or of a container and of the
/// assets in it.
pub fn write_properties<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    described: &DescribedBlocks,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    match mesh.container() {
        Some(container) => write_container(&container, mesh, described, out)?,
        None => write_asset(mesh.view(), &described.blocks, described.levels, out)?,
    }
    if described.left_out == [0, 0, 0] {
        return Ok(());
    }
    let [assets, surfaces, joints] = described.left_out;
    out.field_object("left_out", |out| {
        out.field("members", assets)?;
        out.field("surfaces", surfaces)?;
        if joints == 0 { Ok(()) } else { out.field("bones", joints) }
    })
}

/// Writes the JSON fields of one asset. If its header cannot be read, writes nothing.
fn write_asset(
    view: AssetView<'_>,
    blocks: &[BlockSummary],
    levels: LodFilter,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    let Ok(header) = view.header() else { return Ok(()) };
    write_header(&header, out)?;
    out.field_items("blocks", blocks.iter().map(BlockSummary::json))?;
    let inflated = blocks.iter().filter(|block| block.inflated.is_some());
    out.field_items("inflated", inflated.map(|block| block.name.into()))?;
    if levels == LodFilter::None {
        return Ok(());
    }
    let is_inflated = |part: AssetPart| blocks.iter().any(|block| block.name == part.key() && block.inflated.is_some());
    let skin = if is_inflated(AssetPart::Skin) { view.skin().ok().flatten() } else { None };
    match skin {
        Some(skin) => out.field_object("skin", |out| write_skin(&skin, out))?,
        None => out.field("skin", Value::Null)?,
    }
    write_physics(view, is_inflated(AssetPart::PhysicsConvex), out)
}

/// Writes the JSON fields `properties` of a container, with its assets.
fn write_container<D: AsRef<[u8]> + Send + Sync>(
    container: &Container<'_>,
    mesh: &Mesh<D>,
    described: &DescribedBlocks,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    out.field("container_version", json!(container.version()))?;
    out.field("name", container.name().map(text))?;
    // The blocks of an asset are next to each other, and the assets are in the order of the file.
    let mut blocks = &*described.blocks;
    out.field_list("members", |out| {
        for (number, asset) in mesh.assets().take(MAX_DESCRIBED).enumerate() {
            let count = blocks.iter().take_while(|block| block.asset == Some(number)).count();
            let (own, rest) = blocks.split_at_checked(count).unwrap_or_default();
            blocks = rest;
            out.item_object(|out| {
                out.field("asset", number)?;
                write_asset(asset.view(), own, described.levels, out)
            })?;
        }
        Ok(())
    })?;
    let instances = container.instances().take(MAX_LISTED).map(|instance| {
        json!({
            "mesh_id": instance.mesh_id(),
            "label": instance.label().map(text),
            "transform": instance.transform().map(|matrix| numbers(&matrix)),
            "materials": instance.materials().map(|materials| materials.iter().filter_map(|one| {
                one.value.map()?.get("binding")?.value.string().map(text)
            }).collect::<Vec<_>>()),
        })
    });
    out.field_items("instances", instances)
}

/// Writes the header fields of an asset, except the fields with the offsets and sizes of its
/// blocks.
fn write_header(header: &Header<'_>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.field("header_bytes", header.len())?;
    out.field_items("header_keys", header.entries().map(|entry| text(entry.key).into()))?;
    out.field("version", json!(header.version()))?;
    out.field("creator", header.creator().map(uuid))?;
    out.field("date", json!(header.date()))?;
    out.field("date_utc", header.date().and_then(utc))?;
    out.field("submodel_id", json!(header.submodel_id()))?;
    match header.material_list() {
        Some(list) => {
            let names = list.iter().map(|item| item.value.string().map(text).into());
            out.field_items("material_list", names)?;
        }
        None => out.field("material_list", Value::Null)?,
    }
    let hashes = AssetPart::ALL.into_iter().filter_map(|part| Some((part, header.hash(part)?)));
    let hashes: Object<String, Value> = hashes.map(|(part, hash)| (part.key().to_owned(), hex(hash).into())).collect();
    out.field("hashes", Value::Object(hashes))?;
    out.field("physics_cost_data", header.physics_cost().map_or(Value::Null, |cost| plain(cost.map())))
}

fn write_skin(skin: &Skin<'_>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let names = (0..skin.joint_count().min(MAX_LISTED)).map(|joint| skin.joint_name(joint).ok());
    // A matrix that cannot be decoded is `null` in JSON, and `validate` reports a finding for it.
    let matrix_json = |matrix: crate::Result<Matrix>| matrix.ok().map_or(Value::Null, |matrix| numbers(&matrix));
    let inverse = (0..skin.inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix_json(skin.inverse_bind(joint)));
    let alternative =
        (0..skin.alt_inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix_json(skin.alt_inverse_bind(joint)));
    out.field_items("joint_names", names.map(|name| name.map(|name| name.to_string_lossy()).into()))?;
    out.field("bind_shape_matrix", matrix_json(skin.bind_shape()))?;
    out.field_items("inverse_bind_matrix", inverse)?;
    out.field_items("alt_inverse_bind_matrix", alternative)?;
    out.field("pelvis_offset", skin.pelvis_offset().ok().flatten().map(number))?;
    out.field("lock_scale_if_joint_position", skin.lock_scale_if_joint_position().ok())
}

/// Describes the collision shapes of an asset in a few words.
pub(super) fn physics_in_words(view: AssetView<'_>) -> String {
    let PhysicsSummary { hulls, bounding, has_mesh, .. } = PhysicsSummary::new(view, true);
    let mut parts = Vec::new();
    if !hulls.is_empty() {
        parts.push(counted(hulls.len(), "hull"));
    }
    if has_mesh {
        parts.push("a mesh of triangles".to_owned());
    }
    if let Some(points) = bounding {
        parts.push(format!("a bounding hull of {}", counted(points, "point")));
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// The collision shapes of an asset.
struct PhysicsSummary {
    /// The number of points of each hull.
    hulls: Vec<usize>,
    /// The number of points of the hull around the whole asset.
    bounding: Option<usize>,
    has_mesh: bool,
    /// The least and the greatest coordinates of the points.
    domain: Option<[[f32; 3]; 2]>,
}

impl PhysicsSummary {
    fn new(view: AssetView<'_>, is_inflated: bool) -> Self {
        let convex = if is_inflated { view.convex().ok().flatten() } else { None };
        let sizes = convex.and_then(|convex| Some(convex.hulls().ok()?.take(MAX_LISTED).map(|hull| hull.len())));
        let parts = [AssetPart::PhysicsMesh, AssetPart::PhysicsShape];
        let has_part = |header: &Header<'_>| parts.iter().any(|part| matches!(header.block(*part), Ok(Some(_))));
        let domain = convex.and_then(|convex| convex.domain().ok());
        Self {
            domain: domain.map(|domain| [domain.min(), domain.max()]),
            hulls: sizes.into_iter().flatten().collect(),
            bounding: convex.and_then(|convex| convex.bounding_points().ok().flatten()).map(|points| points.len()),
            has_mesh: view.header().is_ok_and(|header| has_part(&header)),
        }
    }
}

/// Writes two JSON fields: the number of points of each collision hull, and a description of the
/// collision shapes in the asset.
fn write_physics(view: AssetView<'_>, is_inflated: bool, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let PhysicsSummary { hulls, bounding, has_mesh, domain } = PhysicsSummary::new(view, is_inflated);
    // The collision shape is chosen as in the method `physics_shape` of the library, but without
    // inflating its triangles.
    let shape = if !hulls.is_empty() {
        Some("hulls")
    } else if has_mesh {
        Some("mesh")
    } else {
        bounding.map(|_| "bounding hull")
    };
    out.field_items("hulls", hulls.iter().map(|count| (*count).into()))?;
    out.field(
        "physics",
        json!({
            "shape": shape,
            "bounding_points": bounding,
            "hulls": hulls.len(),
            "mesh": has_mesh,
            "domain": domain.map(|[min, max]| json!({ "min": numbers(&min), "max": numbers(&max) })),
        }),
    )
}

/// Writes the field `properties` with the header of an asset that cannot be opened because its
/// version is too new. For any other file, writes nothing.
pub fn write_unopened_header(path: &Path, error: &crate::Error, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let limits = Limits::default();
    if error.kind() != ErrorKind::Unsupported || error.format() != "secondlife" {
        return Ok(());
    }
    let Ok(head) = read_start(path, limits.header) else { return Ok(()) };
    match Header::of_prefix(&head, &limits) {
        Ok(HeaderPrefix::Ready(header)) => out.field_object("properties", |out| write_header(&header, out)),
        _ => Ok(()),
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

fn text(text: LlsdText<'_>) -> String {
    crate::Name::new(&text.content()).to_string_lossy()
}

pub(super) fn uuid(bytes: &[u8; 16]) -> String {
    let digits = hex(bytes);
    let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default().to_owned();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}

/// Formats a date in the years 0 to 9999 as ISO 8601, with a precision of one second.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the range is tested")]
pub(super) fn utc(seconds: f64) -> Option<String> {
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
