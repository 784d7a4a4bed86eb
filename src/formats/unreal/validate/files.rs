//! Checks the data file and the aniv file against the validation rules, that the animation frames
//! of the sequences in a script exist, and that no exporter has scrambled the vertices.

use super::rules;
use crate::array::Array;
use std::mem::offset_of;
use std::ops::RangeInclusive;

use zerocopy::little_endian::U16;

use crate::decode::polygon::RawPolygon;
use crate::error::{Field, Result, counted};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::header::{FRAMES_AT, POLYGONS_AT};
use crate::formats::unreal::layout::{PolygonType, Style, Variant};
use crate::formats::unreal::script::Sequence;
use crate::math::{as_u64, dot, subtract};
use crate::model::{PositionEncoding, Positions};
use crate::parse::{Rule, Severity};
use crate::validate::{IndexCheck, Report, Tally};

/// The size of a polygon, and the offsets of three fields from the start of the polygon, in bytes.
const POLYGON: u64 = widen(size_of::<RawPolygon>());
const KIND_AT: u64 = widen(offset_of!(RawPolygon, kind));
const COLOR_AT: u64 = widen(offset_of!(RawPolygon, color));
const FLAGS_AT: u64 = widen(offset_of!(RawPolygon, flags));
/// The least number of drawn polygons of a mesh that is tested. In a small mesh, such as a box, the
/// edges are as long as the mesh.
const LEAST_POLYGONS: usize = 64;
/// The mean length of the edges of a scrambled mesh, as a part of the mean distance of random
/// vertices.
///
/// Of 216 real meshes with 64 polygons or more, the greatest part is 0.70, and real meshes with
/// scrambled vertices have 0.83 to 1.11. Edges that are longer than random ones are spikes, such as
/// those of an explosion.
const SCRAMBLED: RangeInclusive<f64> = 0.77..=1.25;
/// The least mean length of the shortest edges of the polygons of a scrambled mesh, as a part of
/// the mean distance of random vertices. All edges of a scrambled polygon are random, but those of
/// a tube or a fan of long polygons have a short side: at most 0.13. Scrambled copies of 213 real
/// meshes have 0.20 or more.
const LEAST_SHORT: f64 = 0.15;
/// The least number of random distances. Their mean is accurate to 2 percent.
const LEAST_SAMPLES: u64 = 1024;

#[allow(clippy::as_conversions, reason = "widening; `u64::try_from` is not const")]
const fn widen(bytes: usize) -> u64 {
    bytes as u64
}

pub(super) fn check_structure<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) -> Result<()> {
    check_header(mesh, report)?;
    check_sizes(mesh, report);
    report.turn_to(DATA);
    let polygons = mesh.polygons()?;
    mesh.note_polygons();
    check_indices(mesh, polygons, report);
    check_bytes(polygons, report);
    let rest = as_u64(mesh.data_rest().len());
    if rest > 0 {
        let text = format_args!("{} after the polygons, in no field", counted(rest, "byte"));
        report.add(rules::BYTES_AFTER_POLYGONS, Field::new("data_end"), mesh.header.polygons_end(), text);
    }
    Ok(())
}

fn check_header<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) -> Result<()> {
    let (shape, header) = (mesh.header, mesh.data_header()?);
    let counts = [
        (shape.polygons, "polygon_count", 0, DATA),
        (shape.vertices, "vertex_count", 2, DATA),
        (shape.frames, "frame_count", 0_u64, ANIV),
    ];
    for (_, name, offset, source) in counts.into_iter().filter(|(count, ..)| *count == 0) {
        report.turn_to(source);
        report.add(rules::EMPTY_MESH, Field::new(name), offset, "the count is 0, so the mesh is empty");
    }
    report.turn_to(DATA);
    let junk = Tally::of(header.unused, |byte| byte != 0);
    let text = format_args!("{} of the 44 unused bytes with a value other than 0, which is kept", junk.count);
    report.add_any(junk, rules::UNUSED_HEADER_BYTES, Field::new("unused"), junk.offset(4, 1), text);
    report.turn_to(ANIV);
    let prototype = Variant::Prototype.frame_size(shape.vertices);
    let size = Field::new("frame_size");
    if shape.variant == Variant::Prototype {
        let text =
            format_args!("{prototype} bytes, enough for two vertices more than the mesh has: the prototype format");
        report.add(rules::FRAME_CONTENT, size, 2, text);
    } else if shape.stride == prototype && shape.vertices > 0 {
        report.add(rules::AMBIGUOUS_FRAME_SIZE, size, 2, "16 bytes for two vertices fit two formats; read as Deus Ex");
    }
    Ok(())
}

fn check_sizes<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) {
    let shape = mesh.header;
    if shape.is_stale() {
        let text = format_args!(
            "the declared frame size is {} bytes, but {} vertices take {} bytes, which the file length confirms",
            shape.declared, shape.vertices, shape.stride
        );
        report.add(rules::FRAME_SIZE, Field::new("frame_size"), 2, text);
    }
    let rest = as_u64(mesh.aniv_rest().len());
    if rest > 0 {
        let text = format_args!("{} after the last frame, in no field", counted(rest, "byte"));
        let end = FRAMES_AT.saturating_add(shape.frame_bytes());
        report.add(rules::BYTES_AFTER_FRAMES, Field::new("aniv_end"), end, text);
    }
    let missing = shape.frame_bytes().saturating_sub(body(mesh));
    if missing > 0 {
        let (frame, vertices) = cut(mesh);
        let text = format_args!(
            "{} missing: {frame} of {} complete, and frame {frame} has {vertices} of {}",
            counted(missing, "byte"),
            counted(shape.frames, "frame"),
            counted(shape.vertices, "vertex")
        );
        let field = Field::new("positions").in_list("frame", frame);
        report.add(rules::MISSING_FRAMES, field, shape.frame_at(frame), text);
        check_line_ends(mesh, missing, report);
    }
}

/// Returns the number of bytes of the aniv file after its header.
fn body<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> u64 {
    as_u64(mesh.aniv().as_ref().len()).saturating_sub(FRAMES_AT)
}

/// Returns the index of the first animation frame that is incomplete, and the number of vertices of
/// this frame that the file contains.
fn cut<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> (u64, u64) {
    let shape = mesh.header;
    let whole = body(mesh).checked_div(shape.stride).unwrap_or_default();
    let left = body(mesh).saturating_sub(whole.saturating_mul(shape.stride));
    let vertices = left.checked_div(shape.variant.vertex_size().into()).unwrap_or_default();
    (whole, vertices.min(shape.vertices.into()))
}

/// Adds a finding to the report if a conversion of line ends has removed the carriage returns from
/// the aniv file.
///
/// A finding is added only if three conditions are met: the number of bytes that are missing at the
/// end of the aniv file is at most 1/64 of the length of the aniv file, but not exactly the size of
/// one vertex; the aniv file contains no CR LF; and the number of line feeds in the aniv file is
/// not less than the number of missing bytes.
fn check_line_ends<D: AsRef<[u8]>>(mesh: &Mesh<D>, missing: u64, report: &mut Report<'_>) {
    let bytes = mesh.aniv().as_ref();
    // If exactly one vertex is missing at the end of the aniv file, the cause is an exporter that
    // counts vertices from 1, and not a conversion of line ends.
    if missing == u64::from(mesh.header.variant.vertex_size()) || missing > as_u64(bytes.len() / 64) {
        return;
    }
    mesh.note_aniv(0, as_u64(bytes.len()));
    let feeds = bytes.iter().fold(0_u64, |feeds, byte| feeds.saturating_add(u64::from(*byte == b'\n')));
    let pairs = bytes.windows(2).any(|pair| pair == b"\r\n");
    if !pairs && feeds >= missing {
        let text = format_args!(
            "{missing} bytes are missing and no CR LF is left, as after a conversion of line ends: all data after the \
             first lost byte is then shifted; fetch the file again as binary (git: `*.3d binary` in .gitattributes)"
        );
        report.add(rules::CONVERTED_LINE_ENDS, Field::new("positions").in_list("frame", 0), FRAMES_AT, text);
    }
}

fn check_indices<D: AsRef<[u8]>>(mesh: &Mesh<D>, polygons: &[RawPolygon], report: &mut Report<'_>) {
    let vertices = mesh.header.vertices;
    let (cut_frame, present) = cut(mesh);
    let is_cut = cut_frame < mesh.header.frames.into() && mesh.header.stride > 0;
    let (mut check, mut absent) = (IndexCheck::new(vertices), Tally::default());
    for (number, polygon) in (0_u64..).zip(polygons) {
        let corners = polygon.vertices.map(|vertex| u32::from(vertex.get()));
        check.add_chunk(&corners);
        for vertex in corners {
            absent.add(number, is_cut && vertex < vertices && u64::from(vertex) >= present);
        }
    }
    let IndexCheck { beyond, least, greatest, .. } = check;
    let beyond = Tally { first: beyond.first / 3, ..beyond };
    let from_one = least == 1 && greatest == vertices;
    let hint = if from_one { "; the exporter seems to have counted from 1" } else { "" };
    let text = format_args!(
        "{} out of range, greatest {greatest}: the mesh has {}{hint}",
        counted(beyond.count, "index"),
        counted(vertices, "vertex")
    );
    add_polygons(report, beyond, rules::INDEX_OUT_OF_RANGE, ("vertices", 0), text);
    let text =
        format_args!("{} of vertices missing in frame {cut_frame}, which is cut", counted(absent.count, "index"));
    add_polygons(report, absent, rules::MISSING_VERTEX, ("vertices", 0), text);
}

/// Adds a finding about polygons, at the field with a name and an offset from the start of a
/// polygon.
fn add_polygons(
    report: &mut Report<'_>,
    tally: Tally,
    rule: Rule,
    (name, into): (&'static str, u64),
    text: impl std::fmt::Display,
) {
    let field = Field::new(name).in_list("polygon", tally.first);
    report.add_any(tally, rule, field, tally.offset(POLYGONS_AT, POLYGON).saturating_add(into), text);
}

fn check_bytes(polygons: &[RawPolygon], report: &mut Report<'_>) {
    let mut tallies = [Tally::default(); 4];
    let [colors, flags, unknown, blended] = &mut tallies;
    for (number, polygon) in (0_u64..).zip(polygons) {
        colors.add(number, polygon.color != 0);
        flags.add(number, polygon.flags != 0);
        let style = PolygonType(polygon.kind).style();
        unknown.add(number, matches!(style, Style::Unknown(_)));
        blended.add(number, style == Style::AlphaBlend);
    }
    let [colors, flags, unknown, blended] = tallies;
    let (kind, info) = (("kind", KIND_AT), rules::POLYGON_STYLE.with(Severity::Info));
    let color = "polygons have a colour byte that is not 0; it is kept";
    let cases = [
        (colors, rules::POLYGON_COLOR, ("color", COLOR_AT), color),
        (flags, rules::POLYGON_FLAGS, ("flags", FLAGS_AT), "polygons have a flags byte that is not 0; it is kept"),
        (unknown, rules::POLYGON_STYLE, kind, "polygons have style 6 or 7, whose meaning is unknown"),
        (blended, info, kind, "polygons have style 5, which only patch 227 draws"),
    ];
    for (tally, rule, place, what) in cases {
        add_polygons(report, tally, rule, place, format_args!("{} {what}", tally.count));
    }
}

/// Adds a finding to the report for each animation frame that has vertices with a padding field
/// other than 0. Only Deus Ex vertices have a padding field, which is not a coordinate.
pub(super) fn check_vertices<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) {
    report.turn_to(ANIV);
    for frame in 0..mesh.frame_count() {
        let Ok(view) = mesh.frame(frame) else { break };
        mesh.note_aniv(mesh.header.frame_at(as_u64(frame)), as_u64(view.as_bytes().len()));
        let Positions(PositionEncoding::Packed64(positions)) = view.positions() else { return };
        positions.prefetch();
        let pads = Tally::of(positions.raw(), |[.., pad]| pad.get() != 0);
        let field = Field::new("positions").in_list("frame", as_u64(frame));
        let offset = pads.offset(mesh.header.frame_at(as_u64(frame)), 8).saturating_add(6);
        let text = pads.text("vertex", "with a pad other than 0, which is kept");
        report.add_any(pads, rules::VERTEX_PADDING, field, offset, text);
    }
}

/// Adds a finding to the report for each sequence of the script with animation frames that the mesh
/// does not have.
pub(super) fn check_sequences<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) {
    let Some(script) = mesh.script() else { return };
    let frames = i64::from(mesh.header.frames);
    report.turn_to(SCRIPT);
    for (number, sequence) in script.sequences().enumerate() {
        let Sequence { name, start, frames: count, command, .. } = sequence;
        if start.saturating_add(count) > frames && frames > 0 {
            let text = format_args!(
                "sequence \"{name}\" plays {} from {start}, but the mesh has {frames}",
                counted(count, "frame")
            );
            let field = Field::new("frames").in_list("sequence", as_u64(number));
            report.add(rules::SEQUENCE_FRAMES, field, command.offset(), text);
        }
    }
    report.turn_to(DATA);
}

/// The indices by which a report refers to the data file, the aniv file and the script.
const DATA: u8 = 0;
const ANIV: u8 = 1;
const SCRIPT: u8 = 2;

/// Adds a finding to the report if the vertices of frame 0 have another order than that to which
/// the polygons refer. The random vertices are the same in each call.
///
/// In a sound mesh, an edge is much shorter than the distance of two random vertices. If the
/// vertices are scrambled, the ends of an edge are random vertices, too.
pub(super) fn check_order(
    polygons: &[RawPolygon],
    positions: &Positions<'_>,
    variant: Variant,
    report: &mut Report<'_>,
) {
    let scale = variant.author_scale();
    let is_drawn = |polygon: &&RawPolygon| !PolygonType(polygon.kind).has(PolygonType::WEAPON);
    let place = |vertex: U16| positions.get(usize::from(vertex.get())).map(|position| scaled(position, scale));
    let (mut edges, mut shortest) = (Mean::default(), Mean::default());
    for polygon in polygons.iter().filter(is_drawn) {
        let [Some(first), Some(second), Some(third)] = polygon.vertices.map(place) else { continue };
        let lengths = [(first, second), (second, third), (third, first)].map(distance);
        for length in lengths {
            edges.add(length);
        }
        shortest.add(lengths.into_iter().fold(f64::INFINITY, f64::min));
    }
    if edges.count / 3 < LEAST_POLYGONS {
        return;
    }
    let mut distances = Mean::default();
    let corners = as_u64(polygons.len()).saturating_mul(3);
    let random = |number: u64| {
        let corner = mixed(number).checked_rem(corners)?;
        let polygon = polygons.get(usize::try_from(corner / 3).ok()?).filter(is_drawn)?;
        place(*polygon.vertices.get(usize::try_from(corner % 3).ok()?)?)
    };
    for number in (0..corners.max(LEAST_SAMPLES)).map(|number| number.saturating_mul(2)) {
        if let Some(pair) = random(number).zip(random(number.saturating_add(1))) {
            distances.add(distance(pair));
        }
    }
    let part_of = |lengths: Mean| Some(lengths.get()? / distances.get()?);
    let is_short = part_of(shortest).is_none_or(|part| part < LEAST_SHORT);
    if let Some(part) = part_of(edges).filter(|part| SCRAMBLED.contains(part) && !is_short) {
        let text = format_args!(
            "the mean edge is {part:.2} times as long as the mean distance of random vertices; in a sound mesh, it is at \
             most 0.7 times as long"
        );
        report.turn_to(1);
        report.add(rules::SCRAMBLED_VERTICES, Field::new("positions").in_list("frame", 0), FRAMES_AT, text);
    }
}

/// The mean of distances.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, length: f64) {
        self.sum += length;
        self.count = self.count.saturating_add(1);
    }

    /// Returns the mean, or `None` without distances or if all are 0.
    fn get(self) -> Option<f64> {
        (self.sum > 0.0).then(|| self.sum / f64::from(u32::try_from(self.count).unwrap_or(u32::MAX)))
    }
}

fn distance((one, other): ([f64; 3], [f64; 3])) -> f64 {
    let difference = subtract(one, other);
    dot(difference, difference).sqrt()
}

/// Multiplies the coordinates of a position by factors.
fn scaled([x, y, z]: [f32; 3], scale: [f32; 3]) -> [f64; 3] {
    let [x_scale, y_scale, z_scale] = scale;
    [x * x_scale, y * y_scale, z * z_scale].map(f64::from)
}

/// Returns bits that all depend on all bits of a number.
fn mixed(number: u64) -> u64 {
    let bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
