//! The rules about headers, about where blocks lie, and about what blocks must have in common.

use super::super::block::Block;
use super::super::header::{Header, Laid, Stored};
use super::super::layout::{HIGHEST_VERSION, Lod, MOST_SUBMESHES, Part, RawPreamble, USUAL_PREFIX};
use super::super::llsd::{Map, Value};
use super::super::mesh::Mesh;
use super::super::view::View;
use super::{Check, Shape, tree};
use crate::error::{Error, ErrorKind, Field};
use crate::math::as_u64;
use crate::parse::{Report, Severity};

/// Keys of a header beside those of blocks.
const OTHERS: [&str; 7] = ["version", "creator", "date", "physics_cost_data", "material_list", "submodel_id", "404"];
/// Keys of what a header says of a block.
const OF_BLOCK: [&str; 5] = ["offset", "size", "hash", "version", "mesh_triangles"];
/// Keys of a container.
const OF_CONTAINER: [&str; 4] = ["version", "name", "mesh", "instance"];
/// The order of blocks that viewers write.
const USUAL_ORDER: [Part; 7] =
    [Part::Skin, Part::PhysicsConvex, Part::LowestLod, Part::LowLod, Part::MediumLod, Part::HighLod, Part::PhysicsMesh];

/// Looks at what is around the assets.
pub(super) fn check_file<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) {
    if let Some(preamble) = mesh.preamble() {
        let (said, found) = (u64::from(preamble.header_size.get()), mesh.header().map_or(0, |header| header.len()));
        let wrong =
            if said == found { String::new() } else { format!(", which say a header of {said} bytes and not {found}") };
        let text = format!("{} bytes of a viewer's disk cache before the asset{wrong}", size_of::<RawPreamble>());
        report.say("SL32", Field::new("preamble"), 0, text);
    }
    let Some(container) = mesh.container() else { return };
    let mut check = Check { report, asset: None };
    check.check_keys(Field::new("container"), container.map(), &OF_CONTAINER, |at| (as_u64(at), None));
    let end = as_u64(container.end());
    let length = as_u64(mesh.data().as_ref().len());
    if length > end {
        let text = format!("{} bytes behind the container", length.saturating_sub(end));
        check.say("SL30", Field::new("end"), end, text);
    }
}

/// Looks at the header of an asset.
pub(super) fn check(view: View<'_>, check: &mut Check<'_, '_>) {
    let Some(header) = check.take(view.header()) else { return };
    let start = view.start();
    let absolute = |at: usize| (start.saturating_add(as_u64(at)), None);
    let known: Vec<&str> = Part::ALL.into_iter().map(Part::key).chain(OTHERS).collect();
    check.check_keys(Field::new("header"), header.map(), &known, absolute);
    if header.marker_line() > 0 {
        let text = format!("a marker line of {} bytes before the header", header.marker_line());
        check.say("SL32", Field::new("header"), start, text);
    }
    if header.len() > USUAL_PREFIX {
        let text = format!("{} bytes: more than the {USUAL_PREFIX} that a viewer fetches", header.len());
        check.say("SL33", Field::new("header"), start, text);
    }
    check_sorted(check, Field::new("header"), header.map(), absolute);
    check_version(check, &header, start);
    check_kinds(check, &header, start);
    let rules = view.rules();
    tree::check(check, Field::new("header"), view.asset(), header.marker_line(), &rules, absolute);
    check_lods(view, check, &header);
    for part in Part::ALL {
        check_entry(view, check, &header, part);
    }
    check_layout(view, check, &header);
    check_origin(check, &header, start);
}

fn check_version(check: &mut Check<'_, '_>, header: &Header<'_>, start: u64) {
    let Some(entry) = header.get("version") else { return };
    let offset = start.saturating_add(as_u64(entry.at));
    match entry.value {
        Value::Integer(version) if version > HIGHEST_VERSION => {
            let text = format!("version {version}, a newer format than {HIGHEST_VERSION} and below");
            check.say("SL03", Field::new("version"), offset, text);
        }
        Value::Integer(_) => {}
        other => {
            let text = format!("expected an integer, found {}", other.kind());
            check.say("SL03", Field::new("version"), offset, text);
        }
    }
}

/// Looks at whether the values of known keys are of the kind that they must be.
fn check_kinds(check: &mut Check<'_, '_>, header: &Header<'_>, start: u64) {
    for key in ["creator", "date", "physics_cost_data", "material_list", "submodel_id"] {
        let Some(entry) = header.get(key) else { continue };
        let (fits, expected) = match (key, entry.value) {
            ("creator", value) => (matches!(value, Value::Uuid(_)), "a UUID"),
            ("date", value) => (matches!(value, Value::Date(_)), "a date"),
            ("submodel_id", value) => (matches!(value, Value::Integer(_)), "an integer"),
            ("material_list", Value::Array(names)) => {
                (names.iter().all(|name| matches!(name.value, Value::String(_))), "an array of strings")
            }
            ("material_list", _) => (false, "an array of strings"),
            (_, value) => (matches!(value, Value::Map(_)), "a map"),
        };
        if !fits {
            let text = format!("expected {expected}, found {}", entry.value.kind());
            check.say("SL40", Field::new(key), start.saturating_add(as_u64(entry.at)), text);
        }
    }
    for part in Part::ALL {
        let hash = header.get(part.key()).and_then(|entry| entry.value.map()).and_then(|map| map.get("hash"));
        if let Some(entry) = hash.filter(|entry| entry.value.binary().is_none()) {
            let text = format!("expected 16 bytes of binary data, found {}", entry.value.kind());
            let offset = start.saturating_add(as_u64(entry.at));
            check.say("SL15", Field::new("hash").inside(part.key()), offset, text);
        }
    }
}

fn check_lods(view: View<'_>, check: &mut Check<'_, '_>, header: &Header<'_>) {
    let start = view.start();
    let is_there = |lod: Lod| header.has(lod.part());
    if !Lod::ALL.into_iter().any(is_there) {
        let stub = if header.is_stub() { "a stub, which says that there is no such asset: " } else { "" };
        check.say("SL04", Field::new("header"), start, format!("{stub}no level of detail"));
        return;
    }
    for part in [Part::HighLod, Part::PhysicsConvex] {
        if matches!(header.block(part), Ok(None)) {
            check.say("SL16", Field::new(part.key()), start, format!("no {}", part.key()));
        }
    }
    for (lod, needed) in [(Lod::Low, Lod::Medium), (Lod::Lowest, Lod::Low)] {
        if is_there(lod) && !is_there(needed) {
            let text = format!("no {}, which {} comes with", needed.part().key(), lod.part().key());
            check.say("SL17", Field::new(lod.part().key()), start, text);
        }
    }
}

/// Looks at what the header says of a block.
fn check_entry(view: View<'_>, check: &mut Check<'_, '_>, header: &Header<'_>, part: Part) {
    let Some(entry) = header.get(part.key()) else { return };
    let start = view.start();
    if let Value::Map(map) = entry.value {
        let field = Field::new(part.key());
        check.check_keys(field, map, &OF_BLOCK, |at| (start.saturating_add(as_u64(at)), None));
    }
    match view.stored(part) {
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::Missing { .. }) => {
            if let Some(offset) = error.offset() {
                check.say("SL32", Field::new(part.key()), offset, "a block that was not fetched".to_owned());
            }
        }
        Err(error) => say_outside(check, part, start.saturating_add(as_u64(entry.at)), &error),
    }
}

fn say_outside(check: &mut Check<'_, '_>, part: Part, said_at: u64, error: &Error) {
    // That it lies outside the file is the fault of what the header says.
    let outside = matches!(error.kind(), ErrorKind::UnexpectedEnd { .. });
    let offset = error.offset().filter(|_| !outside).unwrap_or(said_at);
    let field = if error.field().outer().is_some() { error.field() } else { Field::new(part.key()) };
    check.say("SL02", field, offset, error.kind().to_string());
}

/// Looks at how blocks lie to each other.
fn check_layout(view: View<'_>, check: &mut Check<'_, '_>, header: &Header<'_>) {
    let mut blocks: Vec<Laid> = header.ranges().filter(|block| block.start < view.end()).collect();
    let place = |part: Option<Part>| USUAL_ORDER.iter().position(|usual| Some(*usual) == part);
    // Of those that share their bytes, the usual order decides.
    blocks.sort_by_key(|block| (block.start, block.end, place(block.part).unwrap_or(usize::MAX)));
    let name = |part: Option<Part>| part.map_or("another block", Part::key);
    let mut end = header.base();
    let mut last: Option<Laid> = None;
    for block in &blocks {
        let field = Field::new(block.part.map_or("header", Part::key));
        if let Some(last) = last.filter(|last| (last.start, last.end) == (block.start, block.end)) {
            check.say("SL30", field, block.said_at, format!("the same bytes as {}", name(last.part)));
        } else if block.start < end {
            let over = last.map_or("the header", |last| name(last.part));
            check.say("SL29", field, block.said_at, format!("overlaps {over} from byte {} on", block.start));
        } else if block.start > end {
            let text = format!("a gap of {} bytes before the block", block.start.saturating_sub(end));
            check.say("SL29", field, end, text);
        }
        end = end.max(block.end);
        last = Some(*block);
    }
    if end < view.end() && !blocks.is_empty() {
        let text = format!("{} bytes behind the last block", view.end().saturating_sub(end));
        check.say("SL30", Field::new("end"), end, text);
    }
    blocks.dedup_by_key(|block| (block.start, block.end));
    let places: Vec<usize> = blocks.iter().filter_map(|block| place(block.part)).collect();
    if let (false, Some(first)) = (places.is_sorted(), blocks.first()) {
        let order: Vec<&str> = blocks.iter().map(|block| name(block.part)).collect();
        let text = format!("an unusual order of blocks: {}", order.join(", "));
        check.say("SL31", Field::new("header"), first.start, text);
    }
}

/// Looks at what simulators add.
fn check_origin(check: &mut Check<'_, '_>, header: &Header<'_>, start: u64) {
    let mut missing: Vec<String> =
        ["version", "creator", "date"].into_iter().filter(|key| header.get(key).is_none()).map(str::to_owned).collect();
    for part in [Part::PhysicsMesh, Part::PhysicsShape, Part::PhysicsConvex] {
        let hash = header.get(part.key()).and_then(|entry| entry.value.map()).and_then(|map| map.get("hash"));
        if matches!(header.block(part), Ok(Some(_))) && hash.is_none() {
            missing.push(format!("hash of {}", part.key()));
        }
    }
    if !missing.is_empty() {
        let text = format!("as uploaded, without what a simulator fills in: {}", missing.join(", "));
        check.say("SL37", Field::new("header"), start, text);
    }
}

/// Tells of keys that are not in the order of their bytes.
pub(super) fn check_sorted(
    check: &mut Check<'_, '_>,
    field: Field,
    map: Map<'_>,
    at: impl Fn(usize) -> (u64, Option<u64>),
) {
    let pairs = map.iter().zip(map.iter().skip(1));
    let unsorted = pairs.into_iter().find(|(one, next)| one.key.bytes().gt(next.key.bytes()));
    if let Some((one, next)) = unsorted {
        let (offset, inflated) = at(next.key_at);
        let text = super::with_place(format!("keys are not sorted: {} before {}", one.key, next.key), inflated);
        check.say("SL31", field, offset, text);
    }
}

/// Looks at the stored bytes of a block.
pub(super) fn check_stored(view: View<'_>, check: &mut Check<'_, '_>, stored: &Stored, bytes: &[u8]) {
    let field = Field::new(stored.part.key());
    // A zlib header whose level is not the highest.
    if let Some(&[0x78, flags]) = bytes.first_chunk::<2>()
        && flags != 0xda
    {
        let text = format!("compressed at another level than the highest: 78 {flags:02x}, not 78 da");
        check.say("SL31", field, stored.start, text);
    }
    let Ok(header) = view.header() else { return };
    let Some(hash) = header.hash(stored.part) else { return };
    let verdict = view.verify_hash(stored.part);
    if hash.len() != 16 {
        let text = format!("a hash of {} bytes, expected 16", hash.len());
        check.say("SL15", Field::new("hash").inside(stored.part.key()), stored.said_at, text);
    } else if matches!(verdict, Ok(Some(false))) {
        let text = "not the MD5 of the stored block".to_owned();
        check.say("SL15", Field::new("hash").inside(stored.part.key()), stored.said_at, text);
    }
}

/// Looks at a block as a whole.
pub(super) fn check_block(check: &mut Check<'_, '_>, block: Block<'_>) {
    let field = Field::new(block.part().key());
    if block.is_gzip() {
        let text = "gzip data, which viewers do not read; they expect zlib".to_owned();
        let place = check.place(field);
        check.report.say_as(Severity::Warning, "SL05", place, block.stored_at(), text);
    }
    if block.unused() > 0 {
        let at = block.stored_at().saturating_add(block.stored_len().saturating_sub(block.unused()));
        check.say(
            "SL05",
            field,
            at,
            format!("{} bytes behind the compressed stream, within the block", block.unused()),
        );
    }
    if !block.rest().is_empty() {
        let at = block.bytes().len().saturating_sub(block.rest().len());
        check.say_in("SL06", field, block, at, format!("{} bytes behind the value", block.rest().len()));
    }
    let stored = block.stored_at();
    let at = as_u64(block.value_at());
    tree::check(check, field, block.bytes(), at, block.rules(), |at| (stored, Some(as_u64(at))));
    if block.value_at() > 0 {
        check.say_in("SL32", field, block, 0, "a marker line before the value".to_owned());
    }
}

/// Looks at what blocks must have in common.
pub(super) fn check_shape(view: View<'_>, check: &mut Check<'_, '_>, shape: &Shape) {
    let start = view.start();
    let there = Lod::ALL.into_iter().zip(shape.levels);
    let there: Vec<(Lod, (usize, usize))> = there.filter_map(|(lod, counts)| Some((lod, counts?))).collect();
    let Some((highest, (most, _))) = there.first().copied() else { return };
    for (lod, (submeshes, _)) in &there {
        let field = Field::new(lod.part().key());
        if submeshes != &most && *submeshes > 0 && most > 0 {
            let text = format!("{submeshes} submeshes, where {} has {most}", highest.part().key());
            check.say("SL18", field, start, text);
        }
        if *submeshes > MOST_SUBMESHES {
            check.say("SL18", field, start, format!("{submeshes} submeshes, expected at most {MOST_SUBMESHES}"));
        }
    }
    for ((higher, (_, more)), (lod, (_, triangles))) in there.iter().zip(there.iter().skip(1)) {
        if triangles >= more {
            let text = format!("{triangles} triangles, where {} has {more}", higher.part().key());
            check.say("SL19", Field::new(lod.part().key()), start, text);
        }
    }
    // A viewer's own cache of a model holds both.
    let is_cache = check.asset.is_some() || view.header().is_ok_and(|header| header.material_list().is_some());
    if shape.hulls && shape.physics_mesh && !is_cache {
        let text = "a list of hulls beside a physics mesh: simulators take the hulls".to_owned();
        check.say("SL24", Field::new(Part::PhysicsConvex.key()), start, text);
    }
}
