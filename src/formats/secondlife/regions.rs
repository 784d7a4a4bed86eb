//! Divides the bytes of a file into regions with field names, without gaps.

// Rule: this file sorts and maps by copies only.

use super::asset_view::AssetView;
use super::container::Container;
use super::header::Header;
use super::layout::{AssetPart, BYTE, LITTLE_U32, LLSD, ZLIB};
use super::llsd::LlsdEntry;
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{Region, Walk};

/// Known keys of asset headers and container maps that are not keys of blocks. The region of a
/// header entry has the key of the entry as its name, or the name `unknown` if this crate does not
/// know the key.
const KEYS: [&str; 12] = [
    "version",
    "creator",
    "date",
    "physics_cost_data",
    "material_list",
    "submodel_id",
    "404",
    "mesh",
    "name",
    "instance",
    "hash",
    "asset_id",
];

/// Calls `visit` once for each region of the file, in file order. The regions cover every byte of
/// the file without gaps.
///
/// There is one region for each entry of the header, for each compressed block, for unused bytes
/// between two blocks, and for the bytes after the last block. If two blocks share bytes, the
/// region of the later block contains only the bytes that are not in the earlier block.
pub(super) fn visit_regions(file: AssetView<'_>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    let len = as_u64(file.file().len());
    let mut walk = Walk::new(visit);
    if file.preamble().is_some() {
        for name in ["version", "header_size", "flags"] {
            walk.pass(Field::new(name).in_struct("preamble"), LITTLE_U32, 1);
        }
    }
    let header = file.first_header()?;
    match file.container() {
        Some(container) => pass_container(&mut walk, file, &header, &container),
        None => pass_asset(&mut walk, &header, len, None),
    }
    walk.pass_to(Field::new("end"), BYTE, len);
    Ok(())
}

/// Passes to `walk` the regions of a container's map and the regions of the assets in the
/// container.
fn pass_container(walk: &mut Walk<'_>, file: AssetView<'_>, header: &Header<'_>, container: &Container<'_>) {
    pass_head(walk, header, None);
    // If the container's map has a key twice, the first entry is used.
    let assets = container.map().get("mesh").map(|entry| entry.at);
    for (number, entry) in (0..).zip(header.entries()) {
        if Some(entry.at) == assets {
            for (asset, state) in (0..).zip(file.asset_states()) {
                let view = AssetView::new(file.file(), &state);
                let field = Field::new("").in_list("asset", asset);
                if view.start() < walk.at() || view.end() > as_u64(entry.end) {
                    continue;
                }
                walk.pass_to(field.named("string"), LLSD, view.start());
                if let Ok(header) = view.header() {
                    pass_asset(walk, &header, view.end(), Some(asset));
                }
                walk.pass_to(field.named("end"), BYTE, view.end());
            }
        }
        walk.pass_to(entry_name(&entry, number, None), LLSD, as_u64(entry.end));
    }
    walk.pass_to(Field::new("close").in_struct("container"), LLSD, header.len());
}

/// Passes the regions of an asset to `walk`: first the regions of the header, then the blocks in
/// file order. The argument `end` is the file offset of the first byte after the asset.
fn pass_asset(walk: &mut Walk<'_>, header: &Header<'_>, end: u64, asset: Option<u64>) {
    pass_head(walk, header, asset);
    let start = header.base().saturating_sub(header.len());
    for (number, entry) in (0..).zip(header.entries()) {
        walk.pass_to(entry_name(&entry, number, asset), LLSD, start.saturating_add(as_u64(entry.end)));
    }
    walk.pass_to(named("close", asset), LLSD, header.base());
    let mut blocks: Vec<_> = header.all_ranges().filter(|block| block.start < end).collect();
    blocks.sort_by_key(|block| (block.start, block.end));
    for block in blocks {
        walk.pass_to(named("gap", asset), BYTE, block.start);
        let name = block.part.map_or("unknown", AssetPart::key);
        walk.pass_to(named(name, asset), ZLIB, block.end.min(end));
    }
    walk.pass_to(named("end", asset), BYTE, end);
}

/// Passes to `walk` the regions of a header before its first entry: the marker line, and the
/// opening brace with the number of entries.
fn pass_head(walk: &mut Walk<'_>, header: &Header<'_>, asset: Option<u64>) {
    let start = header.base().saturating_sub(header.len());
    walk.pass_to(named("marker_line", asset), BYTE, start.saturating_add(header.marker_line()));
    // The opening brace of the map (1 byte) and the number of entries (4 bytes) come before the
    // first entry.
    let first = start.saturating_add(header.marker_line()).saturating_add(5);
    walk.pass_to(named("open", asset), LLSD, first);
}

fn named(name: &'static str, asset: Option<u64>) -> Field {
    match asset {
        Some(asset) => Field::new(name).in_list("asset", asset),
        None => Field::new(name),
    }
}

/// Returns the field name of the region for a header entry, such as `header[2].high_lod`. If the
/// key of the entry is unknown, the last part of the field name is `unknown`.
fn entry_name(entry: &LlsdEntry<'_>, number: u64, asset: Option<u64>) -> Field {
    let parts = AssetPart::ALL.into_iter().map(AssetPart::key);
    let key = parts.chain(KEYS).find(|key| entry.key.is(key)).unwrap_or("unknown");
    match asset {
        Some(asset) => Field::new(key).in_list("asset", asset).in_inner_list("header", number),
        None => Field::new(key).in_list("header", number),
    }
}
