//! Checks the rules about array lengths, strings and block offsets, without checking the values of
//! vertices and indices.

use super::rules;
use crate::decode::compact;
use crate::error::{Error, Field, Result, counted, is_utf8};
use crate::formats::unigine::blocks::block::BlockKind;
use crate::formats::unigine::blocks::inflated::InflateBuffer;
use crate::formats::unigine::layout::{
    COMPACT, I32, INFLUENCES, LIGHTMAP_CODES, MAX_NUMBERED, OFFSET, ROOT, TEXT, TEXT_32, UNIGINE,
};
use crate::formats::unigine::reader::arrays::{ArrayKind, SurfaceArray};
use crate::formats::unigine::reader::file_reader::FileReader;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::regions;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::{as_index, as_u64};
use crate::parse::{Cursor, Region, Severity, SortedNames, room};
use crate::validate::{Report, Tally, cycles, is_finite, length};

use zerocopy::little_endian::U32;

/// The maximum difference between 1 and the length of the rotation quaternion of a bind transform.
const BIND_SLACK: f32 = 1e-2;

pub(super) fn check(mesh: MeshReader<'_>, report: &mut Report<'_>) -> Result<()> {
    let bytes = mesh.bytes;
    let mut table = None;
    let walked = regions::of_mesh(mesh, &mut |region| {
        if region.element == OFFSET && region.field == Field::new("offsets") {
            table = Some(region.start);
        }
        check_region(bytes, &region, report);
    });
    let walked = walked.inspect_err(|error| {
        report.add_error(error);
    });
    if !mesh.generation().is_compressed() {
        walked.as_ref().map_err(Error::clone)?;
    }
    if let Some(table) = table {
        check_table(mesh, table, report);
        // The reader uses the last table of the file. If bytes with another table follow the
        // closing magic number, this is not the table after the tree blocks.
        if let Some(used) = mesh.table().filter(|used| *used != table) {
            check_table(mesh, used, report);
        }
    }
    let mut names = SortedNames::default();
    for index in 0..mesh.surface_count() {
        // If memory is exhausted, the name is not compared with the others.
        let _ = names.push(mesh.surface_header(index)?.name.as_bytes(), index);
    }
    check_names("surface", names, |index| mesh.header_at(index), report);
    let mut buffer = InflateBuffer::default();
    for index in 0..mesh.surface_count() {
        match mesh.surface_in(index, &mut buffer) {
            Ok(view) => check_counts(mesh, index, &view, report)?,
            // The walk over the regions has already reported this error in a block, and the
            // surfaces after the damaged block can still be read.
            Err(error) if walked.as_ref().is_err_and(|known| known.field() == error.field()) => {}
            Err(error) if mesh.generation().is_compressed() => add_block_fault(&error, index, report),
            Err(error) => return Err(error),
        }
    }
    // This loop only locates the tree blocks, without inflating them. The function `trees::check`
    // inflates the tree blocks later.
    let trees = if mesh.generation().is_compressed() { mesh.surface_count() } else { 0 };
    for index in 0..trees {
        if let Err(error) = mesh.tree_block(index) {
            let is_told = walked.as_ref().is_err_and(|known| known.field() == error.field());
            if !is_told && error.field().name() == BlockKind::Tree.sizes() {
                add_block_fault(&error, index, report);
            }
            // If the size fields of a tree block are damaged, the tree blocks after this block
            // cannot be located.
            break;
        }
    }
    walked
}

/// Reports the error that occurred when a block of surface `index` was read.
///
/// `add_block_fault` ignores an error in a block of another surface, because the call of
/// `add_block_fault` for that surface reports the error.
pub(super) fn add_block_fault(error: &Error, index: usize, report: &mut Report<'_>) {
    if error.field().outer().is_some_and(|(_, outer)| outer == as_u64(index)) {
        report.add(rules::INVALID_BLOCK, error.field(), error.offset().unwrap_or_default(), error.finding_text());
    }
}

/// Compares each block offset in the table at the end of the file with the actual offset of the
/// block.
fn check_table(mesh: MeshReader<'_>, table: u64, report: &mut Report<'_>) {
    let (mut wrong, mut start) = (Tally::default(), mesh.file().state.header.body);
    for index in 0..mesh.surface_count() {
        wrong.add(as_u64(index), mesh.place(table, index) != Some(start));
        // If the size fields of a block are damaged, the next block can only be located by its
        // offset in the table.
        let next = mesh.pass_block(index, start).ok().or_else(|| mesh.block_in_table(index.saturating_add(1)));
        let Some(next) = next else { break };
        start = next;
    }
    let Tally { count, first } = wrong;
    let text = format_args!("{}, not the start of a block; the first is entry {first}", counted(count, "offset"));
    report.add_any(wrong, rules::BLOCK_TABLE, Field::new("offsets"), wrong.offset(table, 8), text);
}

/// Checks the encoding of the count or string in a region.
///
/// The function also reports regions with bytes after the closing magic number, and counts of
/// surfaces or bones above the maximum that the engine supports.
pub(super) fn check_region(bytes: &[u8], region: &Region, report: &mut Report<'_>) {
    let Region { field, start, element, count, .. } = *region;
    if field == Field::new("end") {
        let text = format_args!("{} after the closing magic, in no field", counted(count, "byte"));
        report.add(rules::TRAILING_BYTES, field, start, text);
    }
    if element == I32 && field == Field::new("bones.count") {
        let count = Cursor::new(bytes, UNIGINE).at(start).ok().and_then(|mut at| at.read::<U32>("count").ok());
        if let Some(count) = count.map(|count| count.get()).filter(|count| *count > MAX_NUMBERED) {
            let text = format_args!("{count}, but the engine supports at most {MAX_NUMBERED}");
            report.add(rules::TOO_MANY_ITEMS, field, start, text);
        }
    }
    if element == TEXT_32 {
        return check_text(bytes, start.saturating_add(4), region, report);
    }
    if element != COMPACT && element != TEXT {
        return;
    }
    let Ok(cursor) = Cursor::new(bytes, UNIGINE).at(start) else { return };
    let Ok((value, length)) = compact::decode(cursor.rest()) else { return };
    let (engine, engine_length) = compact::encode(value);
    if length != engine_length {
        let text = format_args!("{value} is encoded in {}; the engine uses {engine_length}", counted(length, "byte"));
        report.add(rules::ENCODING, field, start, text);
    } else if cursor.rest().get(..length) != engine.get(..length) {
        let text = format_args!("{value} is encoded with a sign; the engine writes none");
        report.add(rules::ENCODING, field, start, text);
    }
    let numbered = field == Field::new("bones.count") || field == Field::new("surfaces.count");
    if numbered && u32::try_from(value).is_ok_and(|count| count > MAX_NUMBERED) {
        let text = format_args!("{value}, but the engine supports at most {MAX_NUMBERED}");
        report.add(rules::TOO_MANY_ITEMS, field, start, text);
    }
    if element != TEXT {
        return;
    }
    check_text(bytes, start.saturating_add(as_u64(length)), region, report);
}

/// Checks the bytes of a string: its closing NUL and its encoding.
fn check_text(bytes: &[u8], text_at: u64, region: &Region, report: &mut Report<'_>) {
    let Region { field, start, end, .. } = *region;
    let Ok(text) = Cursor::new(bytes, UNIGINE).at(text_at) else { return };
    let text = usize::try_from(end.saturating_sub(text_at)).ok().and_then(|length| text.rest().get(..length));
    let fault = match text {
        Some([]) => "a string of 0 bytes, without its closing NUL",
        Some([name @ .., 0]) if name.contains(&0) => "a NUL inside the string",
        Some([name @ .., 0]) if !is_utf8(name) => "a string that is not UTF-8",
        Some([.., 0]) | None => return,
        Some(_) => "a string without its closing NUL",
    };
    report.add(rules::ENCODING, field, start, fault);
}

/// Reports each name that several surfaces or several bones have. Each duplicate name is reported
/// once, at its second occurrence in the file.
pub(super) fn check_names(
    list: &'static str,
    mut names: SortedNames,
    at: impl Fn(usize) -> u64,
    report: &mut Report<'_>,
) {
    names.sort_copies();
    for (name, same) in names.groups() {
        if let [first, again, ..] = same {
            let (first, again) = (first.number(), again.number());
            let text = format_args!("{} {list}s have the name \"{name}\"; a lookup returns {list} {first}", same.len());
            report.add(rules::DUPLICATE_NAME, Field::new("name").in_list(list, as_u64(again)), at(again), text);
        }
    }
}

/// The numbers of positions and tangent frames of a surface's base shape, and the number of its
/// triangle corners, with which the lengths of the other arrays are compared. Each of these numbers
/// is 0 until its array is read.
#[derive(Default)]
struct BaseCounts {
    positions: u32,
    frames: u32,
    corners: u32,
}

fn check_counts(mesh: MeshReader<'_>, index: usize, view: &SurfaceView<'_>, report: &mut Report<'_>) -> Result<()> {
    let surface = Field::new("").in_list("surface", as_u64(index));
    if let Some([_, code]) = view.lightmap()
        && code >= LIGHTMAP_CODES
    {
        let text = format_args!("code {code}, expected 0 to 7 (32 to 4096 texels)");
        report.add(rules::UNUSED_ITEM, surface.named("lightmap"), view.header().lightmap_at, text);
    }
    let mut base = BaseCounts::default();
    let mut arrays = view.arrays()?;
    let inflated = view.inflated_from();
    while let Some(array) = arrays.next()? {
        // In compressed meshes, the lengths of position arrays and index buffers are stored in the
        // header, outside the compressed block.
        let told = mesh.generation().is_compressed()
            && matches!(array.kind, ArrayKind::Positions(_) | ArrayKind::Indices | ArrayKind::AttributeIndices);
        report.turn_into(inflated.filter(|_| !told));
        check_count(&array, &mut base, surface, report);
        if array.kind == ArrayKind::Weights
            && let Some(totals) = mesh.longest_weights(index)
            && totals.1 > INFLUENCES
        {
            let text = format_args!("a vertex with {} influences, expected 0 to 4", totals.1);
            report.add(rules::INVALID_WEIGHTS, surface.named("weights"), array.at.saturating_add(totals.0), text);
        }
    }
    if let (Some(block), Some(bytes)) = (inflated, view.inflated_bytes()) {
        report.turn_into(Some(block));
        view.regions(&mut |region| check_region(bytes, &region, report))?;
    }
    report.turn_into(None);
    Ok(())
}

fn check_count(array: &SurfaceArray<'_>, base: &mut BaseCounts, surface: Field, report: &mut Report<'_>) {
    let SurfaceArray { kind, count, count_at, .. } = *array;
    let in_target = |target: u32, name| surface.in_inner_list("target", target.into()).named(name);
    let (rule, field, (before, expected, after)) = match kind {
        ArrayKind::Positions(0) => {
            base.positions = count;
            return;
        }
        ArrayKind::TangentFrames(0) => {
            base.frames = count;
            return;
        }
        ArrayKind::Positions(target) if count != base.positions => {
            let expected = ("", base.positions, ", the number in the base shape");
            (rules::MORPH_TARGET_COUNT, in_target(target, "positions.count"), expected)
        }
        ArrayKind::TangentFrames(target) if count != base.frames => {
            let expected = ("", base.frames, ", the number in the base shape");
            (rules::MORPH_TARGET_COUNT, in_target(target, "tangents.count"), expected)
        }
        ArrayKind::Weights if count != 0 && count != base.positions => {
            let expected = ("0 or ", base.positions, ", one per position");
            (rules::INVALID_WEIGHTS, surface.named("weights.count"), expected)
        }
        ArrayKind::Uv0 | ArrayKind::Uv1 | ArrayKind::Colors if count != 0 && count != base.frames => {
            let name = match kind {
                ArrayKind::Uv0 => "uv0.count",
                ArrayKind::Uv1 => "uv1.count",
                _ => "colors.count",
            };
            (rules::ATTRIBUTE_COUNT, surface.named(name), ("0 or ", base.frames, ", one per tangent frame"))
        }
        ArrayKind::Indices => {
            base.corners = count;
            if count.is_multiple_of(3) {
                return;
            }
            (rules::INDEX_STREAM_LENGTH, surface.named("indices.count"), ("a multiple of ", 3, ""))
        }
        ArrayKind::AttributeIndices if count != base.corners => {
            let expected = ("", base.corners, ", one per corner");
            (rules::INDEX_STREAM_LENGTH, surface.named("attribute_indices.count"), expected)
        }
        _ => return,
    };
    report.add(rule, field, count_at, format_args!("{count}, expected {before}{expected}{after}"));
}

fn bone(index: usize, name: &'static str) -> Field {
    Field::new(name).in_list("bone", as_u64(index))
}

/// Checks the parent indices and the names of all bones.
///
/// Duplicate names and cycles of parents are searched only among the first 32,768 bones, because a
/// parent index has 16 bits. A small file may declare a very large number of bones, because a bone
/// may take only three bytes.
pub(super) fn check_bones(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = file.bone_count();
    let compared = count.min(as_index(MAX_NUMBERED).saturating_add(1));
    let mut names = SortedNames::default();
    let mut parents = room(file.format(), "bones", compared)?;
    for index in 0..count {
        let (name, parent) = file.bone_header(index)?;
        let is_found = usize::try_from(parent).is_ok_and(|parent| parent < count);
        if !is_found && parent != ROOT {
            let text = format_args!("{parent}, expected -1 to {}", as_u64(count).saturating_sub(1));
            report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
        }
        if index < compared {
            // If memory is exhausted, the name is not compared with the others.
            let _ = names.push(name.as_bytes(), index);
            parents.push(if is_found { i32::from(parent) } else { -1 });
        }
    }
    check_names("bone", names, |index| file.bone_at(index), report);
    for index in cycles(file.format(), &parents)? {
        let text = "the bone is its own ancestor";
        report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
    }
    Ok(())
}

/// Checks that bind transforms are finite and that their quaternions have unit length.
pub(super) fn check_bind_transforms(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    for index in 0..file.bone_count() {
        let Some((bind, at)) = file.bind(index)?.zip(file.bind_at(index)) else { return Ok(()) };
        let (bind, field) = (bind.get(), bone(index, "bind_transform"));
        if !is_finite(&bind) {
            let text = "a bind transform with a value that is not finite";
            report.add(rules::NOT_FINITE.with(Severity::Info), field, at, text);
        }
        let length = length(bind.rotation);
        if (length - 1.0).abs() > BIND_SLACK {
            let text = format_args!("a quaternion of length {length}, expected 1");
            report.add(rules::ROTATION_LENGTH.with(Severity::Info), field, at, text);
        }
    }
    Ok(())
}
