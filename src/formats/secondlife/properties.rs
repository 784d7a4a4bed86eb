//! Passes the properties of assets and of containers with several assets.

use std::io;

use super::asset_view::AssetView;
use super::container::Container;
use super::file::Mesh;
use super::header::Header;
use super::layout::AssetPart;
use super::llsd::{LlsdMap, LlsdText, LlsdValue as Llsd, utc, uuid};
use super::matrix::Matrix;
use super::skin::Skin;
use crate::array::Array;
use crate::error::Result;
#[cfg(any(feature = "cli", feature = "internals"))]
use crate::error::counted;
use crate::model::Properties;
use crate::model::blocks::{BlockSummary, DescribedBlocks, MAX_DESCRIBED};
use crate::parse::{Value, record};
#[cfg(feature = "cli")]
use {
    super::header::HeaderPrefix,
    crate::error::{Cause, Error},
    crate::io::read_start,
    crate::parse::Limits,
    std::path::Path,
};

/// The maximum number of collision hulls and of joints that are listed.
const MAX_LISTED: usize = 100_000;

/// Passes the properties of a file: of its only asset, or of a container and of the assets in it.
pub(super) fn of_mesh<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    described: &DescribedBlocks,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    match mesh.container() {
        Some(container) => of_container(&container, mesh, described, out),
        None => of_asset(mesh.view(), &described.blocks, described.is_header_only, out),
    }
}

/// Passes the properties of one asset, or nothing if its header cannot be read.
fn of_asset(
    view: AssetView<'_>,
    blocks: &[BlockSummary],
    is_header_only: bool,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    let Ok(header) = view.header() else { return Ok(()) };
    of_header(&header, out)?;
    out.items("blocks", blocks.iter().map(BlockSummary::record))?;
    let inflated = blocks.iter().filter(|block| block.inflated.is_some());
    out.items("inflated", inflated.map(|block| block.name))?;
    if is_header_only {
        return Ok(());
    }
    let is_inflated = |part: AssetPart| blocks.iter().any(|block| block.name == part.key() && block.inflated.is_some());
    let skin = if is_inflated(AssetPart::Skin) { view.skin().ok().flatten() } else { None };
    match skin {
        Some(skin) => out.record("skin", |out| of_skin(&skin, out))?,
        None => out.field("skin", Value::Missing)?,
    }
    of_physics(view, is_inflated(AssetPart::PhysicsConvex), out)
}

/// Passes the properties of a container, with its assets.
fn of_container<D: AsRef<[u8]> + Send + Sync>(
    container: &Container<'_>,
    mesh: &Mesh<D>,
    described: &DescribedBlocks,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    out.field("container_version", container.version())?;
    out.field("name", container.name().map(text))?;
    // The blocks of an asset are next to each other, and the assets are in the order of the file.
    let mut blocks = &*described.blocks;
    out.list("members", |out| {
        for (number, asset) in mesh.assets().take(MAX_DESCRIBED).enumerate() {
            let count = blocks.iter().take_while(|block| block.asset == Some(number)).count();
            let (own, rest) = blocks.split_at_checked(count).unwrap_or_default();
            blocks = rest;
            out.item_record(|out| {
                out.field("asset", number)?;
                of_asset(asset.view(), own, described.is_header_only, out)
            })?;
        }
        Ok(())
    })?;
    out.items(
        "instances",
        container.instances().take(MAX_LISTED).map(|instance| {
            record! {
                "mesh_id": instance.mesh_id(),
                "label": instance.label().map(text),
                "transform": instance.transform(),
                "materials": instance.materials().map(|materials| Value::list(materials.iter().filter_map(|one| {
                    one.value.map()?.get("binding")?.value.string().map(text)
                }))),
            }
        }),
    )
}

/// Passes the fields of the header of an asset, except those with the offsets and sizes of its
/// blocks.
fn of_header(header: &Header<'_>, out: &mut Properties<'_>) -> io::Result<()> {
    out.field("header_bytes", header.len())?;
    out.items("header_keys", header.entries().map(|entry| text(entry.key)))?;
    out.field("version", header.version())?;
    out.field("creator", header.creator().map(uuid))?;
    out.field("date", header.date())?;
    out.field("date_utc", header.date().and_then(utc))?;
    out.field("submodel_id", header.submodel_id())?;
    let names = header.material_list();
    out.field("material_list", names.map(|list| Value::list(list.iter().map(|item| item.value.string().map(text)))))?;
    let hashes = AssetPart::ALL.into_iter().filter_map(|part| Some((part, header.hash(part)?)));
    out.field("hashes", Value::Record(hashes.map(|(part, hash)| (part.key().into(), Value::hex(hash))).collect()))?;
    out.field("physics_cost_data", header.physics_cost().map(|cost| plain(cost.map())))
}

fn of_skin(skin: &Skin<'_>, out: &mut Properties<'_>) -> io::Result<()> {
    let names = (0..skin.joint_count().min(MAX_LISTED)).map(|joint| skin.joint_name(joint).ok());
    // `validate` reports a finding for a matrix that cannot be decoded.
    let matrix = |matrix: Result<Matrix>| Value::from(matrix.ok());
    let inverse = (0..skin.inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix(skin.inverse_bind(joint)));
    let alternative =
        (0..skin.alt_inverse_bind_count().min(MAX_LISTED)).map(|joint| matrix(skin.alt_inverse_bind(joint)));
    out.items("joint_names", names)?;
    out.field("bind_shape_matrix", matrix(skin.bind_shape()))?;
    out.items("inverse_bind_matrix", inverse)?;
    out.items("alt_inverse_bind_matrix", alternative)?;
    out.field("pelvis_offset", skin.pelvis_offset().ok().flatten())?;
    out.field("lock_scale_if_joint_position", skin.lock_scale_if_joint_position().ok())
}

/// Describes the collision shapes of an asset in a few words.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) fn physics_in_words(view: AssetView<'_>) -> String {
    let PhysicsSummary { hulls, bounding, has_mesh, .. } = PhysicsSummary::new(view, true);
    let mut parts = Vec::new();
    if !hulls.is_empty() {
        parts.push(counted(hulls.len(), "hull").to_string());
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

/// Passes the number of points of each collision hull, and a description of the collision shapes of
/// the asset.
fn of_physics(view: AssetView<'_>, is_inflated: bool, out: &mut Properties<'_>) -> io::Result<()> {
    let PhysicsSummary { hulls, bounding, has_mesh, domain } = PhysicsSummary::new(view, is_inflated);
    // The collision shape is chosen as in the method `physics_shape`, but without inflating its
    // triangles.
    let shape = if !hulls.is_empty() {
        Some("hulls")
    } else if has_mesh {
        Some("mesh")
    } else {
        bounding.map(|_| "bounding hull")
    };
    out.items("hulls", hulls.iter().copied())?;
    out.field(
        "physics",
        record! {
            "shape": shape,
            "bounding_points": bounding,
            "hulls": hulls.len(),
            "mesh": has_mesh,
            "domain": domain.map(|[min, max]| record! { "min": min, "max": max }),
        },
    )
}

/// Passes the property `properties` with the header of an asset that cannot be opened because its
/// version is too new. For any other file, passes nothing.
#[cfg(feature = "cli")]
pub(crate) fn unopened_properties(path: &Path, error: &Error, out: &mut Properties<'_>) -> io::Result<()> {
    let limits = Limits::default();
    if !matches!(error.cause(), Cause::Unsupported { .. }) {
        return Ok(());
    }
    let Ok(head) = read_start(path, limits.header) else { return Ok(()) };
    match Header::of_prefix(&head, &limits) {
        Ok(HeaderPrefix::Ready(header)) => out.record("properties", |out| of_header(&header, out)),
        _ => Ok(()),
    }
}

/// Converts an LLSD map of numbers.
fn plain(map: LlsdMap<'_>) -> Value {
    let entries = map.iter().take(64).map(|entry| {
        let value = match entry.value {
            Llsd::Array(array) => Value::list(array.iter().take(64).map(|item| item.value.number())),
            Llsd::Integer(number) => number.into(),
            other => other.number().into(),
        };
        (text(entry.key).into(), value)
    });
    Value::Record(entries.collect())
}

fn text(text: LlsdText<'_>) -> String {
    crate::parse::Name::new(&text.content()).to_string_lossy()
}
