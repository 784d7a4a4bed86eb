//! Checks the rules about asset headers, and the rules about the byte ranges of blocks.

// Rule: this file sorts and maps by copies only.

use super::super::asset_block::AssetBlock;
use super::super::asset_view::AssetView;
use super::super::header::{BlockRange, EntryRange, Header};
use super::super::layout::{AssetPart, HIGHEST_VERSION, RawPreamble, USUAL_PREFIX};
use super::super::llsd::LlsdValue;
use super::maps::{check_keys, check_sorted};
use super::{rules, tree};
use crate::error::{Cause, Error, Field, counted};
use crate::math::as_u64;
use crate::model::Lod;
use crate::parse::Severity;
use crate::validate::Report;

/// Known keys of an asset header whose values do not describe blocks.
const OTHERS: [&str; 7] = ["version", "creator", "date", "physics_cost_data", "material_list", "submodel_id", "404"];
/// Known keys in the header entry of a block.
const OF_BLOCK: [&str; 5] = ["offset", "size", "hash", "version", "mesh_triangles"];
/// Known keys in the map of a container.
const OF_CONTAINER: [&str; 4] = ["version", "name", "mesh", "instance"];
/// The order in which viewers write the blocks of an asset.
const USUAL_ORDER: [AssetPart; 7] = [
    AssetPart::Skin,
    AssetPart::PhysicsConvex,
    AssetPart::LowestLod,
    AssetPart::LowLod,
    AssetPart::MediumLod,
    AssetPart::HighLod,
    AssetPart::PhysicsMesh,
];

/// Checks the bytes of a file that are not part of an asset: the preamble of a viewer's cache file,
/// the map of a container, and bytes after the container.
pub(super) fn check_file(file: AssetView<'_>, report: &mut Report<'_>) {
    if let Some(preamble) = file.preamble() {
        let (said, found) = (u64::from(preamble.header_size.get()), file.header().map_or(0, |header| header.len()));
        let wrong =
            if said == found { String::new() } else { format!("; they give a header of {said} bytes, not {found}") };
        let text = format_args!("{} bytes of a viewer's disk cache before the asset{wrong}", size_of::<RawPreamble>());
        report.add(rules::UNUSUAL_FORM, Field::new("preamble"), 0, text);
    }
    let Some(container) = file.container() else { return };
    check_keys(report, Field::new("container"), container.map(), &OF_CONTAINER, 0);
    let end = as_u64(container.end());
    let length = as_u64(file.file().len());
    if length > end {
        let text = format_args!("{} after the container", counted(length.saturating_sub(end), "byte"));
        report.add(rules::TRAILING_OR_SHARED_BYTES, Field::new("end"), end, text);
    }
}

/// Checks all rules about the header of an asset.
pub(super) fn check(view: AssetView<'_>, report: &mut Report<'_>) {
    let Some(header) = report.take(view.header()) else { return };
    let start = view.start();
    let known: Vec<&str> = AssetPart::ALL.into_iter().map(AssetPart::key).chain(OTHERS).collect();
    check_keys(report, Field::new("header"), header.map(), &known, start);
    if header.marker_line() > 0 {
        let text = format_args!("a marker line of {} before the header", counted(header.marker_line(), "byte"));
        report.add(rules::UNUSUAL_FORM, Field::new("header"), start, text);
    }
    if header.len() > USUAL_PREFIX {
        let text = format_args!("{} bytes, but a viewer fetches only {USUAL_PREFIX} bytes", header.len());
        report.add(rules::DUPLICATE_KEY_OR_LONG_HEADER, Field::new("header"), start, text);
    }
    check_sorted(report, Field::new("header"), header.map(), start);
    check_version(report, &header, start);
    check_kinds(report, &header, start);
    let limits = view.llsd_limits();
    tree::check(report, Field::new("header"), view.asset(), header.marker_line(), &limits, start);
    check_lods(view, report, &header);
    for part in AssetPart::ALL {
        check_entry(view, report, &header, part);
    }
    check_layout(view, report, &header);
    check_origin(report, &header, start);
}

fn check_version(report: &mut Report<'_>, header: &Header<'_>, start: u64) {
    let Some(entry) = header.get("version") else { return };
    let offset = start.saturating_add(as_u64(entry.at));
    match entry.value {
        LlsdValue::Integer(version) if version > HIGHEST_VERSION => {
            let text = format_args!("version {version} is newer than the highest known version, {HIGHEST_VERSION}");
            report.add(rules::UNKNOWN_VERSION, Field::new("version"), offset, text);
        }
        LlsdValue::Integer(_) => {}
        other => {
            let text = format_args!("expected an integer, found {}", other.kind());
            report.add(rules::UNKNOWN_VERSION, Field::new("version"), offset, text);
        }
    }
}

/// Checks that the values of known header keys have the expected LLSD types.
fn check_kinds(report: &mut Report<'_>, header: &Header<'_>, start: u64) {
    for key in ["creator", "date", "physics_cost_data", "material_list", "submodel_id"] {
        let Some(entry) = header.get(key) else { continue };
        let (fits, expected) = match (key, entry.value) {
            ("creator", value) => (matches!(value, LlsdValue::Uuid(_)), "a UUID"),
            ("date", value) => (matches!(value, LlsdValue::Date(_)), "a date"),
            ("submodel_id", value) => (matches!(value, LlsdValue::Integer(_)), "an integer"),
            ("material_list", LlsdValue::Array(names)) => {
                (names.iter().all(|name| matches!(name.value, LlsdValue::String(_))), "an array of strings")
            }
            ("material_list", _) => (false, "an array of strings"),
            (_, value) => (matches!(value, LlsdValue::Map(_)), "a map"),
        };
        if !fits {
            let text = format_args!("expected {expected}, found {}", entry.value.kind());
            report.add(rules::HEADER_VALUE_TYPE, Field::new(key), start.saturating_add(as_u64(entry.at)), text);
        }
    }
    for part in AssetPart::ALL {
        let hash = header.get(part.key()).and_then(|entry| entry.value.map()).and_then(|map| map.get("hash"));
        if let Some(entry) = hash.filter(|entry| entry.value.binary().is_none()) {
            let offset = start.saturating_add(as_u64(entry.at));
            let text = format_args!("expected 16 bytes of binary data, found {}", entry.value.kind());
            report.add(rules::WRONG_HASH, Field::new("hash").in_struct(part.key()), offset, text);
        }
    }
}

fn check_lods(view: AssetView<'_>, report: &mut Report<'_>, header: &Header<'_>) {
    let start = view.start();
    let is_there = |lod: Lod| header.has(lod.part());
    if !Lod::ALL.into_iter().any(is_there) {
        let stub = if header.is_stub() { "a stub for an asset that does not exist: " } else { "" };
        report.add(rules::NO_LEVEL_OF_DETAIL, Field::new("header"), start, format_args!("{stub}no level of detail"));
        return;
    }
    for part in [AssetPart::HighLod, AssetPart::PhysicsConvex] {
        if matches!(header.block(part), Ok(None)) {
            report.add(rules::MISSING_BLOCK, Field::new(part.key()), start, format_args!("no {}", part.key()));
        }
    }
    for (lod, needed) in [(Lod::Low, Lod::Medium), (Lod::Lowest, Lod::Low)] {
        if is_there(lod) && !is_there(needed) {
            let text = format_args!("no {}, which {} requires", needed.part().key(), lod.part().key());
            report.add(rules::MISSING_HIGHER_LEVEL, Field::new(lod.part().key()), start, text);
        }
    }
}

/// Checks the keys in a block's header entry, and whether the block lies within the file.
fn check_entry(view: AssetView<'_>, report: &mut Report<'_>, header: &Header<'_>, part: AssetPart) {
    let Some(entry) = header.get(part.key()) else { return };
    let start = view.start();
    if let LlsdValue::Map(map) = entry.value {
        let field = Field::new(part.key());
        check_keys(report, field, map, &OF_BLOCK, start);
    }
    match view.stored(part) {
        Ok(_) => {}
        Err(error) if matches!(error.cause(), Cause::Missing { .. }) => {
            if let Some(offset) = error.offset() {
                report.add(rules::UNUSUAL_FORM, Field::new(part.key()), offset, "a block that was not fetched");
            }
        }
        Err(error) => say_outside(report, part, start.saturating_add(as_u64(entry.at)), &error),
    }
}

fn say_outside(report: &mut Report<'_>, part: AssetPart, entry_at: u64, error: &Error) {
    // If the block lies outside the file, the byte range in the header entry is wrong, so the
    // finding has the offset of the header entry.
    let outside = matches!(error.cause(), Cause::UnexpectedEnd { .. });
    let offset = error.offset().filter(|_| !outside).unwrap_or(entry_at);
    let field = if error.field().outer().is_some() { error.field() } else { Field::new(part.key()) };
    report.add(rules::BLOCK_OUTSIDE_FILE, field, offset, error.cause());
}

/// Checks whether blocks overlap, whether bytes between blocks are unused, and whether the blocks
/// are in the order in which viewers write blocks.
fn check_layout(view: AssetView<'_>, report: &mut Report<'_>, header: &Header<'_>) {
    let mut blocks: Vec<EntryRange> = header.all_ranges().filter(|block| block.start < view.end()).collect();
    let place = |part: Option<AssetPart>| USUAL_ORDER.iter().position(|usual| Some(*usual) == part);
    // Blocks with the same byte range are sorted by their positions in [`USUAL_ORDER`].
    blocks.sort_by_key(|block| (block.start, block.end, place(block.part).unwrap_or(usize::MAX)));
    let name = |part: Option<AssetPart>| part.map_or("another block", AssetPart::key);
    let mut end = header.base();
    let mut last: Option<EntryRange> = None;
    for block in &blocks {
        let field = Field::new(block.part.map_or("header", AssetPart::key));
        if let Some(last) = last.filter(|last| (last.start, last.end) == (block.start, block.end)) {
            let text = format_args!("the same bytes as {}", name(last.part));
            report.add(rules::TRAILING_OR_SHARED_BYTES, field, block.entry_at, text);
        } else if block.start < end {
            let over = last.map_or("the header", |last| name(last.part));
            let text = format_args!("overlaps {over} from byte {} on", block.start);
            report.add(rules::BLOCK_OVERLAP_OR_GAP, field, block.entry_at, text);
        } else if block.start > end {
            let text = format_args!("a gap of {} before the block", counted(block.start.saturating_sub(end), "byte"));
            report.add(rules::BLOCK_OVERLAP_OR_GAP, field, end, text);
        }
        end = end.max(block.end);
        last = Some(*block);
    }
    if end < view.end() && !blocks.is_empty() {
        let text = format_args!("{} after the last block", counted(view.end().saturating_sub(end), "byte"));
        report.add(rules::TRAILING_OR_SHARED_BYTES, Field::new("end"), end, text);
    }
    blocks.dedup_by_key(|block| (block.start, block.end));
    let places: Vec<usize> = blocks.iter().filter_map(|block| place(block.part)).collect();
    if let (false, Some(first)) = (places.is_sorted(), blocks.first()) {
        let order: Vec<&str> = blocks.iter().map(|block| name(block.part)).collect();
        let text = format_args!("an unusual order of blocks: {}", order.join(", "));
        report.add(rules::UNUSUAL_ORDER, Field::new("header"), first.start, text);
    }
}

/// Reports a finding if the header lacks values that simulators add: version, creator, date and
/// hashes of physics blocks.
fn check_origin(report: &mut Report<'_>, header: &Header<'_>, start: u64) {
    let mut missing: Vec<String> =
        ["version", "creator", "date"].into_iter().filter(|key| header.get(key).is_none()).map(str::to_owned).collect();
    for part in [AssetPart::PhysicsMesh, AssetPart::PhysicsShape, AssetPart::PhysicsConvex] {
        let hash = header.get(part.key()).and_then(|entry| entry.value.map()).and_then(|map| map.get("hash"));
        if matches!(header.block(part), Ok(Some(_))) && hash.is_none() {
            missing.push(format!("hash of {}", part.key()));
        }
    }
    if !missing.is_empty() {
        let text = format_args!("values that a simulator adds are missing: {}", missing.join(", "));
        report.add(rules::NO_SIMULATOR_DATA, Field::new("header"), start, text);
    }
}

/// Checks the compression level and the MD5 hash of a block's compressed bytes.
pub(super) fn check_stored(view: AssetView<'_>, report: &mut Report<'_>, stored: &BlockRange, bytes: &[u8]) {
    let field = Field::new(stored.part.key());
    // The second byte of the zlib header contains the compression level: 0xda means the highest
    // level.
    if let Some(&[0x78, flags]) = bytes.first_chunk::<2>()
        && flags != 0xda
    {
        let text = format_args!("not compressed at the highest level: the zlib header is 78 {flags:02x}, not 78 da");
        report.add(rules::UNUSUAL_ORDER, field, stored.start, text);
    }
    let Ok(header) = view.header() else { return };
    let Some(hash) = header.hash(stored.part) else { return };
    let verdict = view.verify_hash(stored.part);
    if hash.len() != 16 {
        let text = format_args!("a hash of {}, expected 16", counted(hash.len(), "byte"));
        report.add(rules::WRONG_HASH, Field::new("hash").in_struct(stored.part.key()), stored.entry_at, text);
    } else if matches!(verdict, Ok(Some(false))) {
        let text = "not the MD5 of the stored block";
        report.add(rules::WRONG_HASH, Field::new("hash").in_struct(stored.part.key()), stored.entry_at, text);
    }
}

/// Checks the gzip or zlib wrapper of a block, the bytes after the end of the block's data, and the
/// LLSD maps and texts in the inflated block. After the call, the findings of the report are about
/// the inflated block.
pub(super) fn check_block(report: &mut Report<'_>, block: AssetBlock<'_>) {
    let field = Field::new(block.part().key());
    if block.is_gzip() {
        let text = "gzip data, which viewers do not read; they expect zlib";
        report.add(rules::DAMAGED_ZLIB_STREAM.with(Severity::Warning), field, block.stored_at(), text);
    }
    if block.unused() > 0 {
        let at = block.stored_at().saturating_add(block.stored_len().saturating_sub(block.unused()));
        let text = format_args!("{} after the compressed stream in the block", counted(block.unused(), "byte"));
        report.add(rules::DAMAGED_ZLIB_STREAM, field, at, text);
    }
    report.turn_into(Some(block.stored_at()));
    if !block.rest().is_empty() {
        let at = block.bytes().len().saturating_sub(block.rest().len());
        let text = format_args!("{} after the value", counted(block.rest().len(), "byte"));
        report.add(rules::DAMAGED_BLOCK_VALUE, field, as_u64(at), text);
    }
    tree::check(report, field, block.bytes(), as_u64(block.value_at()), block.llsd_limits(), 0);
    if block.value_at() > 0 {
        report.add(rules::UNUSUAL_FORM, field, 0, "a marker line before the value");
    }
}
