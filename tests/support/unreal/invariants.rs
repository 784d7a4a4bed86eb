//! Does everything that a caller can do with an Unreal pair and its script, valid or not, and tests
//! the invariants that hold for any content.

use crate::support::unreal::builder;
use meshpeek::model::{Attachment, InterpolatedPositions, Positions};
use meshpeek::unreal::script::{self, Script};
use meshpeek::unreal::{
    Mesh, NormalShading, Placement, PolygonType, RULES, RawPolygon, SurfaceView, UvDivisor, Variant,
};
use meshpeek::{
    Animations, Array, Bounds, Error, ErrorKind, Finding, MeshFile as _, Model, OpenOptions, Region, Result, Surface,
};

use crate::support::changed;
use crate::support::invariants::{Fate, expect_lossy_weld, expect_named};
use crate::support::random::Random;

/// The number of items of a long list that are read in detail: frames, surfaces, clips.
const SAMPLES: usize = 6;

/// The rules that strict mode enforces.
const STRICT: [&str; 6] = ["UR03", "UR04", "UR05", "UR06", "UR07", "UR16"];

type Sources<'a> = [&'a [u8]; 3];

/// Opens a pair in both modes, surveys and validates it, lists its regions, reads every array
/// through the format's view and the neutral view, computes all derived values, and writes the pair
/// again.
///
/// A pair that strict mode refuses is [`Fate::Damaged`].
pub fn check_invariants(data: &[u8], aniv: &[u8], script: Option<&[u8]>, random: &mut Random) -> Fate {
    let sources = [data, aniv, script.unwrap_or_default()];
    let divisor = if random.one_in(2) { UvDivisor::By255 } else { UvDivisor::By256 };
    let lenient = OpenOptions::default().with_record_access(true);
    let strict = Mesh::open_with(data, aniv, &lenient.with_strict(true)).map(drop);
    let mesh = match Mesh::open_with(data, aniv, &lenient) {
        Ok(mesh) => mesh.with_uv_divisor(divisor),
        Err(error) => {
            expect_blamed(&error, sources);
            let found = meshpeek::finding(&error).unwrap();
            assert!(["UR01", "UR02"].contains(&found.rule), "{found}");
            assert_eq!((found.field, Some(found.offset)), (error.field(), error.offset()));
            assert_eq!(strict.unwrap_err().to_string(), error.to_string(), "every mode must refuse it");
            return Fate::Refused;
        }
    };
    assert_eq!(mesh.touched_bytes(), Some(52), "opening reads the headers only");
    let mesh = match script.map(Script::open) {
        Some(Ok(script)) => {
            let name = script.imports().next().map(|import| import.mesh.as_bytes().to_vec()).unwrap_or_default();
            let selected = script.select(&name);
            mesh.with_selected(script.into(), selected)
        }
        _ => mesh,
    };
    look_at_findings(&mesh, &strict, sources);
    look_at_regions(&mesh, sources);
    look_at_polygons(&mesh);
    look_at_frames(&mesh, random, sources);
    look_at_surfaces(&mesh, random, sources);
    look_at_normals(&mesh, random, sources);
    look_at_attachments(&mesh, random, sources);
    look_at_clips(&mesh);
    write_again(&mesh, sources);
    look_at_model(&mesh.into(), sources);
    if strict.is_ok() { Fate::Read } else { Fate::Damaged }
}

/// Asserts that an error has a valid position in the file that it names.
fn expect_blamed(error: &Error, sources: Sources<'_>) {
    expect_named(error, as_u64(source_of(error, sources).len()));
}

fn source_of<'a>(error: &Error, [data, aniv, script]: Sources<'a>) -> &'a [u8] {
    match error.format() {
        "unreal data" => data,
        "unreal aniv" => aniv,
        "unreal script" => script,
        other => panic!("{other} is not a file of a pair: {error}"),
    }
}

fn look_at_findings(mesh: &Mesh<&[u8]>, strict: &Result<()>, [data, aniv, script]: Sources<'_>) {
    let (mut surveyed, mut validated) = (Vec::new(), Vec::new());
    mesh.check().unwrap();
    mesh.validate_structure(&mut |finding| surveyed.push(finding)).unwrap();
    let touched = mesh.touched_bytes();
    mesh.validate(&mut |finding| validated.push(finding)).unwrap();
    // Findings of the script come last, after those of vertices.
    let of_pair = |all: &[Finding]| all.iter().filter(|finding| finding.source < 2).cloned().collect::<Vec<_>>();
    assert!(
        of_pair(&validated).starts_with(&of_pair(&surveyed)),
        "validate reports the findings of the structure first"
    );
    assert!(surveyed.iter().all(|finding| validated.contains(finding)));
    for finding in &validated {
        let known = RULES.iter().find(|rule| rule.id == finding.rule);
        assert!(known.is_some_and(|rule| finding.severity <= rule.severity), "{finding}");
        let length = [data, aniv, script][usize::from(finding.source)].len();
        assert!(finding.offset <= as_u64(length), "{finding} is outside of the file of {length} bytes");
        assert!(!finding.text.is_empty() && !finding.field.to_string().is_empty(), "{finding}");
    }
    let first = surveyed.iter().find(|finding| STRICT.contains(&finding.rule));
    match (strict, first) {
        (Ok(()), None) => {}
        (Err(error), Some(first)) => {
            assert_eq!((error.field(), error.offset()), (first.field, Some(first.offset)), "{error}");
            let found = meshpeek::finding(error).unwrap();
            assert_eq!(found.rule, first.rule, "{error} is reported by another rule");
        }
        unlike => panic!("strict mode and the survey disagree: {unlike:?}"),
    }
    mesh.check().unwrap();
    assert!(mesh.surface_count().unwrap() <= mesh.polygon_count());
    assert!(mesh.touched_bytes() >= touched, "the number of read bytes never decreases");
}

fn look_at_regions(mesh: &Mesh<&[u8]>, [data, aniv, script]: Sources<'_>) {
    named(as_u64(data.len()), |see| mesh.regions(0, see));
    named(as_u64(aniv.len()), |see| mesh.regions(1, see));
    if let Some(whole) = mesh.whole_script() {
        named(as_u64(script.len()), |see| whole.regions(see));
    }
}

/// Asserts that regions have names and no gaps, and end at the end of the file.
fn named(length: u64, regions: impl FnOnce(&mut dyn FnMut(Region)) -> Result<()>) {
    let mut end = 0;
    regions(&mut |Region { field, start, end: next, element, count, .. }| {
        assert_eq!(start, end, "{field} leaves a gap, or overlaps");
        assert!(!field.to_string().is_empty(), "bytes {start} to {next} have no name");
        assert_eq!(next - start, u64::from(element.size) * count, "{field}");
        end = next;
    })
    .unwrap();
    assert_eq!(end, length, "bytes without a name");
}

/// Asserts that every polygon is in exactly one surface, and that no two surfaces have the same
/// texture and type.
fn look_at_polygons(mesh: &Mesh<&[u8]>) {
    let polygons = mesh.polygons().unwrap();
    assert_eq!(polygons.len(), mesh.polygon_count());
    let mut seen = vec![false; polygons.len()];
    let mut before = None;
    for view in mesh.surfaces().unwrap() {
        let view: SurfaceView<'_> = view.unwrap();
        let key = (!view.is_drawn(), view.texture(), view.kind().0);
        assert!(before < Some(key), "surfaces are sorted and unique");
        before = Some(key);
        assert_eq!((view.numbers().len(), view.polygons().len()), (view.triangle_count(), view.triangle_count()));
        assert!(view.numbers().is_sorted() && view.triangle_count() > 0);
        for (number, polygon) in view.numbers().iter().zip(view.polygons()) {
            let number = usize::from(*number);
            assert!(!std::mem::replace(&mut seen[number], true), "polygon {number} is in two surfaces");
            assert!(std::ptr::eq(polygon, &raw const polygons[number]), "a polygon is borrowed, not copied");
            assert_eq!((polygon.texture, PolygonType(polygon.kind)), (view.texture(), view.kind()));
        }
    }
    assert!(seen.iter().all(|seen| *seen), "a polygon is in no surface");
    assert!(mesh.surface(mesh.surface_count().unwrap()).is_err());
}

/// Returns indices of some of `count` items, including the first, the last, and one that is out of
/// range.
fn some_of(count: usize, random: &mut Random) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count.min(2)).collect();
    all.extend((0..SAMPLES.min(count)).map(|_| random.below(count)));
    all.extend([count.saturating_sub(1), count]);
    all
}

fn look_at_frames(mesh: &Mesh<&[u8]>, random: &mut Random, sources: Sources<'_>) {
    let mut before: Option<(Positions<'_>, Vec<_>)> = None;
    for index in some_of(mesh.frame_count(), random) {
        let frame = match mesh.frame(index) {
            Ok(frame) => frame,
            Err(error) => {
                expect_blamed(&error, sources);
                let missing = (error.kind() == ErrorKind::NoSuch) == (index >= mesh.frame_count());
                assert!(missing, "{error}");
                continue;
            }
        };
        let positions = frame.positions();
        assert!(positions.len() <= mesh.vertex_count());
        let stored = naive(positions.as_bytes(), mesh.variant());
        assert_eq!(stored.len(), positions.len());
        let mut decoded = vec![[0.0; 3]; positions.len()];
        positions.decode_into(&mut decoded).unwrap();
        assert_eq!(decoded, stored, "frame {index}");
        assert!((0..stored.len()).all(|vertex| positions.get(vertex) == Some(stored[vertex])));
        assert!(positions.get(stored.len()).is_none());
        expect_same_box(frame.bounds(), &stored);
        let extremes = frame.stored_bounds();
        assert!(extremes.is_none() || mesh.variant() == Variant::Prototype);
        if let Some((before, all)) = before {
            look_between(before, positions, &all, &stored, random);
        }
        before = Some((positions, stored));
    }
    if mesh.aniv().len() < 1 << 14 {
        let frames = (0..mesh.frame_count()).map_while(|index| mesh.frame(index).ok());
        let each = frames.fold(Bounds::EMPTY, |bounds, frame| bounds.union(&frame.bounds()));
        assert_eq!(format!("{each:?}"), format!("{:?}", mesh.bounds_of_all_frames()));
    }
    let first = mesh.frame(0).map(|frame| frame.positions()).ok();
    let bounds = mesh.bounds().unwrap();
    assert_eq!(format!("{bounds:?}"), format!("{:?}", first.map_or(Bounds::EMPTY, |first| first.bounds())));
}

/// Decodes vertices bit by bit, as the published page describes.
fn naive(bytes: &[u8], variant: Variant) -> Vec<[f32; 3]> {
    let signed = |word: u32, shift: u32, bits: u32| {
        let value = i64::from(word >> shift & ((1 << bits) - 1));
        let value = if value >= 1 << (bits - 1) { value - (1 << bits) } else { value };
        f32::from(i16::try_from(value).unwrap())
    };
    let classic = |vertex: &[u8]| {
        let word = u32::from_le_bytes(vertex.try_into().unwrap());
        [signed(word, 0, 11), signed(word, 11, 11), signed(word, 22, 10)]
    };
    let wide = |vertex: &[u8]| [0, 2, 4].map(|at| f32::from(i16::from_le_bytes([vertex[at], vertex[at + 1]])));
    match variant {
        Variant::DeusEx => bytes.chunks_exact(8).map(wide).collect(),
        Variant::Classic | Variant::Prototype => bytes.chunks_exact(4).map(classic).collect(),
    }
}

fn expect_same_box(found: Bounds, positions: &[[f32; 3]]) {
    assert_eq!(found.is_empty(), positions.is_empty());
    for axis in 0..3 {
        let values = || positions.iter().map(|position| position[axis]);
        assert_eq!(found.min[axis].to_bits(), values().fold(f32::INFINITY, f32::min).to_bits());
        assert_eq!(found.max[axis].to_bits(), values().fold(f32::NEG_INFINITY, f32::max).to_bits());
    }
}

fn look_between(from: Positions<'_>, to: Positions<'_>, all: &[[f32; 3]], others: &[[f32; 3]], random: &mut Random) {
    let fraction = *random.pick(&[0.0, 1.0, 0.5, 0.25, -1.0, 2.0]);
    let between = InterpolatedPositions::new(from, to, fraction);
    let count = all.len().min(others.len());
    assert_eq!((between.len(), between.is_empty()), (count, count == 0));
    let mut out = vec![[0.0; 3]; count];
    between.decode_into(&mut out).unwrap();
    for (vertex, (from, to)) in all.iter().zip(others).enumerate() {
        let found = between.get(vertex).unwrap();
        assert_eq!(found, out[vertex]);
        for axis in 0..3 {
            let expected = f64::from(from[axis]) + f64::from(fraction) * (f64::from(to[axis]) - f64::from(from[axis]));
            assert!((f64::from(found[axis]) - expected).abs() < 0.02, "{fraction} from {from:?} to {to:?}: {found:?}");
        }
    }
    assert!(between.get(count).is_none() && between.decode_into(&mut vec![[0.0; 3]; count + 1]).is_err());
}

fn look_at_surfaces(mesh: &Mesh<&[u8]>, random: &mut Random, sources: Sources<'_>) {
    for index in some_of(mesh.surface_count().unwrap(), random) {
        let Ok(view) = mesh.surface(index) else {
            assert!(index >= mesh.surface_count().unwrap() && Surface::new(mesh, index).is_err());
            continue;
        };
        let surface = Surface::new(mesh, index).unwrap();
        let polygons: Vec<&RawPolygon> = view.polygons().collect();
        let counts = surface.counts().unwrap();
        assert_eq!(as_index(counts.corners), polygons.len() * 3);
        assert_eq!(counts.attribute_vertices, counts.corners);
        assert_eq!(surface.is_drawn().unwrap(), view.kind().0 & 8 == 0);
        let label = surface.material().unwrap().map_or(view.label().as_bytes(), |name| name.as_bytes());
        assert_eq!(surface.name().unwrap().as_bytes(), label);
        assert!(surface.positions().is_ok() && surface.tangent_frames().unwrap().is_none());
        assert!(surface.uvs(1).unwrap().is_none());
        assert!(surface.colors().unwrap().is_none() && surface.weights().unwrap().is_none());
        let divisor = if mesh.uv_divisor() == UvDivisor::By255 { 255.0 } else { 256.0 };
        let (indices, uvs) = (surface.indices().unwrap(), surface.uvs(0).unwrap().unwrap());
        let attributes = surface.attribute_indices().unwrap();
        assert!(attributes.iter().eq(0..counts.corners));
        let expected: Vec<u32> =
            polygons.iter().flat_map(|polygon| polygon.vertices.map(|vertex| vertex.get().into())).collect();
        assert!(indices.iter().eq(expected.iter().copied()), "positions one by one");
        let mut looped = Vec::new();
        indices.for_each(|index| looped.push(index));
        assert_eq!(looped, expected, "positions all at once");
        assert!((uvs.get(uvs.len()), indices.get(indices.len())) == (None, None));
        for (corner, polygon) in (0..).zip(polygons.iter().flat_map(|polygon| polygon.uvs)) {
            assert_eq!(uvs.get(corner), Some(polygon.map(|code| f32::from(code) / divisor)));
            assert_eq!(uvs.raw_bytes(corner), Some(polygon));
        }
        let corners = surface.corners().unwrap();
        assert_eq!((corners.len(), corners.triangle_count() as usize), (expected.len(), polygons.len()));
        look_at_weld(&surface, &expected, sources);
        look_at_shapes(mesh, &surface, &expected, random, sources);
    }
}

fn look_at_weld(surface: &Surface<'_>, expected: &[u32], sources: Sources<'_>) {
    let (corners, uvs) = (surface.corners().unwrap(), surface.uvs(0).unwrap().unwrap());
    let beyond = expected.iter().any(|index| *index >= surface.counts().unwrap().vertices);
    expect_lossy_weld(surface);
    let welded = match surface.weld() {
        Ok(welded) => welded,
        Err(error) => {
            expect_blamed(&error, sources);
            return assert!(beyond || surface.positions().is_err(), "{error}");
        }
    };
    assert!(!beyond && welded.indices.len() == expected.len());
    let value = |attribute: u32| uvs.raw_bytes(as_index(attribute));
    for (corner, vertex) in corners.iter().zip(&welded.indices) {
        let found = welded.vertices[as_index(*vertex)];
        assert_eq!((found.position, value(found.attribute)), (corner.position, value(corner.attribute)));
    }
    let mut distinct: Vec<_> = welded.vertices.iter().map(|one| (one.position, value(one.attribute))).collect();
    distinct.sort_unstable();
    assert!(distinct.windows(2).all(|pair| pair[0] < pair[1]), "two vertices are equal");
}

fn look_at_shapes(
    mesh: &Mesh<&[u8]>,
    surface: &Surface<'_>,
    indices: &[u32],
    random: &mut Random,
    sources: Sources<'_>,
) {
    for frame in some_of(mesh.frame_count(), random) {
        let (neutral, own) = (surface.vertex_frame(frame), mesh.frame(frame));
        assert!(neutral.is_ok() == own.is_ok() || frame == 0 && neutral.as_ref().is_ok_and(Array::is_empty));
        if let (Ok(neutral), Ok(own)) = (neutral, own) {
            assert_eq!(neutral.as_bytes().as_ptr_range(), own.positions().as_bytes().as_ptr_range());
        }
    }
    assert!(surface.target_positions(1).is_err());
    match (surface.positions(), surface.bounds()) {
        (Ok(positions), Ok(bounds)) => {
            assert_eq!(
                positions.len(),
                as_index(surface.counts().unwrap().vertices),
                "the counts equal the number of positions"
            );
            let corners = |triangle: &[u32]| {
                triangle.iter().map(|index| positions.get(as_index(*index))).collect::<Option<Vec<_>>>()
            };
            let used: Vec<_> = indices.chunks_exact(3).filter_map(corners).flatten().collect();
            expect_same_box(bounds, &used);
        }
        (Err(error), Err(_)) => expect_blamed(&error, sources),
        (positions, bounds) => panic!("{positions:?}, {bounds:?}"),
    }
}

fn look_at_normals(mesh: &Mesh<&[u8]>, random: &mut Random, sources: Sources<'_>) {
    let wild = Placement { origin: [0.0; 3].map(|_: f32| random.any_float()), ..Placement::author(mesh.variant()) };
    let placement = if random.one_in(4) { wild } else { Placement::author(mesh.variant()) };
    for shading in [NormalShading::Flagged, NormalShading::Smooth, NormalShading::Facet] {
        let frame = random.below(mesh.frame_count().saturating_add(1));
        match mesh.normals(frame, shading, &placement) {
            Ok(normals) => {
                assert_eq!(normals.len(), mesh.polygon_count() * 3);
                for normal in normals {
                    let length = normal.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt();
                    assert!(length == 0.0 || (length - 1.0).abs() < 1e-5, "{normal:?}");
                }
            }
            Err(error) => {
                expect_blamed(&error, sources);
                assert!(mesh.frame(frame).is_err(), "{error}");
            }
        }
    }
}

fn look_at_attachments(mesh: &Mesh<&[u8]>, random: &mut Random, sources: Sources<'_>) {
    let polygons = mesh.polygons().unwrap();
    let weapons = polygons.iter().filter(|polygon| PolygonType(polygon.kind).has(PolygonType::WEAPON)).count();
    assert_eq!(mesh.attachment_count(), weapons);
    let frame = random.below(mesh.frame_count());
    for index in some_of(weapons, random) {
        match mesh.attachment(index, frame, &Placement::author(mesh.variant())) {
            Ok(Attachment { position, axes, .. }) => {
                assert!(position.iter().all(|part| part.abs() <= 128.0));
                let Some(axes) = axes else { continue };
                for one in 0..3 {
                    for other in 0..3 {
                        let dot: f32 = axes[one].iter().zip(axes[other]).map(|(one, other)| one * other).sum();
                        assert!((dot - f32::from(u8::from(one == other))).abs() < 1e-4, "{axes:?}");
                    }
                }
            }
            Err(error) => expect_blamed(&error, sources),
        }
    }
}

/// Asserts that a clip has only existing frames, for any content of the script.
fn look_at_clips(mesh: &Mesh<&[u8]>) {
    let count = mesh.clip_count().unwrap();
    assert_eq!(mesh.clip(count).map(drop).unwrap_err().kind().id(), "no-such");
    for index in (0..count).take(20) {
        let clip = mesh.clip(index).unwrap();
        let first = clip.first_vertex_frame.unwrap();
        assert!(as_index(first) + as_index(clip.frames) <= mesh.frame_count(), "{clip:?}");
        for (seconds, looped) in [(0.0, true), (1e9, false), (-3.7, true)] {
            if let Some(moment) = clip.at(seconds, Some(10.0), looped) {
                let own = first..first + clip.frames;
                assert!(own.contains(&moment.from) && own.contains(&moment.to), "{moment:?} of {clip:?}");
            }
        }
        let mut calls = 0;
        while let Some(notify) = mesh.event(index, calls).unwrap().filter(|_| calls < SAMPLES) {
            assert!(!notify.time.is_nan());
            calls += 1;
        }
    }
    assert_eq!(mesh.event(count, 0).unwrap_err().kind().id(), "no-such");
}

fn write_again(mesh: &Mesh<&[u8]>, [data, aniv, script]: Sources<'_>) {
    let [mut new_data, mut new_aniv, mut new_script, mut listing] = [const { Vec::new() }; 4];
    mesh.write_to(0, &mut new_data).unwrap();
    mesh.write_to(1, &mut new_aniv).unwrap();
    assert!(new_data == data && new_aniv == aniv, "written differently");
    if let Some(whole) = mesh.whole_script() {
        whole.write_to(&mut new_script).unwrap();
        assert!(new_script == script, "the script is written differently");
    }
    let again = Mesh::open(new_data.as_slice(), new_aniv.as_slice()).unwrap();
    let counts = |mesh: &Mesh<&[u8]>| [mesh.polygon_count(), mesh.vertex_count(), mesh.frame_count()];
    assert_eq!((again.variant(), counts(&again)), (mesh.variant(), counts(mesh)));
    mesh.write_uv_listing(&mut listing).unwrap();
    assert_eq!(listing.split(|byte| *byte == b'\n').count(), mesh.polygon_count() + 1);
    let built = meshpeek::unreal::builder::build(mesh, "a 1").unwrap();
    let script = Script::open(built).unwrap();
    let selected = script.select(b"a_1");
    let drawn =
        (0..mesh.surface_count().unwrap()).map(|index| mesh.surface(index).unwrap()).filter(SurfaceView::is_drawn);
    for texture in drawn.map(|view| view.texture()) {
        assert!(script.mesh(&selected).texture(texture.into()).is_some());
    }
}

fn look_at_model(model: &Model<&[u8]>, sources: Sources<'_>) {
    let count = model.file().source_count();
    for (number, bytes) in sources.into_iter().take(count).enumerate() {
        let owner = model.file().source(number).unwrap();
        assert_eq!(owner.as_ptr_range(), bytes.as_ptr_range());
        named(as_u64(bytes.len()), |see| model.file().regions(number, see));
        let mut again = Vec::new();
        model.file().write_to(number, &mut again).unwrap();
        assert!(again == bytes, "source {number} is written differently");
    }
    for result in [model.file().regions(count, &mut |_| {}), model.file().write_to(count, &mut Vec::new())] {
        assert_eq!(result.unwrap_err().kind().id(), "no-such");
    }
    assert_eq!(model.file().rules().len(), RULES.len());
    model.file().check().unwrap();
    let mut all: Vec<Finding> = Vec::new();
    model.file().validate(&mut |finding| all.push(finding)).unwrap();
}

/// Reads everything that can be borrowed, and keeps nothing.
///
/// The bound on memory applies to this.
pub fn borrow_everything(data: &[u8], aniv: &[u8], script: Option<&[u8]>) -> Result<()> {
    let mut mesh = Mesh::open(data, aniv)?;
    if let Some(script) = script {
        let script = Script::open(script)?;
        let name = script.imports().next().map(|import| import.mesh.as_bytes().to_vec()).unwrap_or_default();
        let selected = script.select(&name);
        mesh = mesh.with_selected(script.into(), selected);
    }
    mesh.validate_structure(&mut drop)?;
    mesh.validate(&mut drop)?;
    mesh.regions(0, &mut |_| {})?;
    mesh.regions(1, &mut |_| {})?;
    let _ = (mesh.bounds(), mesh.bounds_of_all_frames());
    for frame in (0..mesh.frame_count()).map_while(|frame| mesh.frame(frame).ok()) {
        let _ = (frame.positions().get(0), frame.stored_bounds());
    }
    for surface in Surface::all(&mesh).unwrap() {
        let _ =
            (surface.counts()?, surface.name()?, surface.is_drawn()?, surface.indices()?.first_out_of_range(u32::MAX));
        let _ = (surface.positions().is_ok(), surface.uvs(0)?.map(|uvs| uvs.get(0)), surface.corners()?.len());
    }
    for clip in 0..mesh.clip_count().unwrap() {
        let _ = (mesh.clip(clip)?, mesh.event(clip, 0)?);
    }
    mesh.write_to(0, &mut std::io::sink())?;
    mesh.write_to(1, &mut std::io::sink())
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap()
}
