//! Tests of Unreal vertex meshes: the values of views, the positions of errors and findings, and
//! the bytes that are read.

use crate::support::unreal::builder;
use meshpeek::array::Bounds;
use meshpeek::model::{IndexEncoding, Indices, InterpolatedPositions, PositionEncoding, Positions, UvEncoding, Uvs};
use meshpeek::unreal::script::Script;
use meshpeek::unreal::{Mesh, NormalShading, Placement, PolygonType, RULES, RawPolygon, Style, UvDivisor, Variant};
use meshpeek::{
    Animations, Array, ErrorKind, Finding, Geometry, MeshFile as _, Model, OpenOptions, Region, Severity, Surface,
};

use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unreal::invariants::check_invariants;
use crate::support::unreal::{cube, pair, polygon, samples};
use crate::support::writers::FullOutput;

type OwnedMesh = Mesh<Vec<u8>>;

fn open_sample(stem: &str) -> OwnedMesh {
    let [data, aniv] = pair(stem);
    Mesh::open(data, aniv).unwrap()
}

fn bytes_of(mesh: &builder::Mesh) -> [Vec<u8>; 2] {
    [mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()]
}

fn open_built(mesh: &builder::Mesh) -> OwnedMesh {
    let [data, aniv] = bytes_of(mesh);
    Mesh::open(data, aniv).unwrap()
}

/// Opens the guard with its script.
fn guard() -> OwnedMesh {
    let files = samples().into_iter().find(|sample| sample.stem == "guard").unwrap().files;
    with_script(open_sample("guard"), std::str::from_utf8(&files[2].1).unwrap(), b"guard")
}

fn with_script(mesh: OwnedMesh, script: &str, name: &[u8]) -> OwnedMesh {
    let script = Script::open(script.as_bytes().to_vec()).unwrap();
    let selected = script.select(name);
    mesh.with_selected(script.into(), selected)
}

fn findings(mesh: &OwnedMesh) -> Vec<Finding> {
    let mut found = Vec::new();
    mesh.validate(&mut |finding| found.push(finding)).unwrap();
    found
}

fn regions(mesh: &OwnedMesh) -> [Vec<Region>; 2] {
    let [mut data, mut aniv] = [const { Vec::new() }; 2];
    mesh.regions(0, &mut |region| data.push(region)).unwrap();
    mesh.regions(1, &mut |region| aniv.push(region)).unwrap();
    [data, aniv]
}

fn all(positions: &Positions<'_>) -> Vec<[f32; 3]> {
    let mut all = Vec::new();
    positions.for_each(|position| all.push(position));
    all
}

/// Builds a triangle of three vertices, and a fourth vertex that no polygon uses.
fn small(variant: Variant) -> builder::Mesh {
    builder::Mesh {
        polygons: vec![polygon([0, 1, 2], 0, 0)],
        frames: vec![vec![[0, 0, 0], [8, 0, 0], [0, 8, 0], [1, 2, 3]]; 2],
        ..builder::Mesh::new(variant, 4)
    }
}

// The tests that every format has.

#[test]
fn reads_the_sample() {
    let mesh = open_sample("box");
    assert_eq!(
        (mesh.variant(), mesh.polygon_count(), mesh.vertex_count(), mesh.frame_count()),
        (Variant::Classic, 12, 8, 8)
    );
    let header = mesh.data_header().unwrap();
    assert_eq!((header.polygons.get(), header.vertices.get(), header.unused), (12, 8, [0; 44]));
    let header = mesh.aniv_header().unwrap();
    assert_eq!((header.frames.get(), header.frame_size.get()), (8, 32));
    for frame in 0_u8..8 {
        let view = mesh.frame(frame.into()).unwrap();
        let rise = f32::from(frame) * 4.0;
        let positions = view.positions();
        assert_eq!((positions.len(), view.as_bytes().len()), (8, 32));
        assert_eq!(positions.get(0), Some([-512.0, -512.0, rise - 256.0]));
        assert_eq!(positions.get(5), Some([512.0, -512.0, rise + 256.0]));
        let bounds = Bounds { min: [-512.0, -512.0, rise - 256.0], max: [512.0, 512.0, rise + 256.0] };
        assert_eq!((view.bounds(), view.stored_bounds()), (bounds, None));
    }
    assert_eq!(mesh.bounds().unwrap(), mesh.frame(0).unwrap().bounds());
    let whole = Bounds { min: [-512.0, -512.0, -256.0], max: [512.0, 512.0, 284.0] };
    assert_eq!(mesh.bounds_of_all_frames(), whole);
    // The box has plain sides, a glowing lid, and a translucent bottom.
    let told: Vec<_> = mesh.surfaces().unwrap().map(Result::unwrap).collect();
    let told: Vec<_> = told.iter().map(|view| (view.texture(), view.kind().0, view.numbers())).collect();
    let sides: Vec<u16> = (0..8).collect();
    assert_eq!(told, [(0, 0, &sides[..]), (1, 0x10, &[8, 9]), (1, 0x83, &[10, 11])]);
    let lid = mesh.surface(1).unwrap();
    assert_eq!((lid.kind().style(), lid.label(), lid.is_drawn()), (Style::Normal, "texture 1", true));
    let first = lid.polygons().next().unwrap();
    assert_eq!((first.vertices.map(u16::from), first.uvs), ([4, 5, 7], [[0, 255], [255, 255], [255, 0]]));
    assert!(findings(&mesh).is_empty());
    assert_eq!((mesh.data_rest(), mesh.aniv_rest(), mesh.touched_bytes()), (&[][..], &[][..], None));
    mesh.check().unwrap();
    for sample in samples() {
        let Some([data, aniv]) = sample.pair() else { continue };
        let script = sample.files.iter().find(|(ending, _)| *ending == ".uc").map(|(_, bytes)| bytes.as_slice());
        let fate = check_invariants(&data, &aniv, script, &mut Random::new(3));
        // Strict mode refuses only the frames of a prototype.
        assert_eq!(fate, if sample.stem == "prototype" { Fate::Damaged } else { Fate::Read }, "{}", sample.stem);
    }
}

#[test]
fn accounts_for_every_byte() {
    let names = |regions: &[Region]| {
        let told =
            |region: &Region| format!("{} {}..{} {}", region.field, region.start, region.end, region.element.name);
        regions.iter().map(told).collect::<Vec<_>>()
    };
    let [data, aniv] = regions(&open_sample("prototype"));
    let header = ["polygon_count 0..2 u16", "vertex_count 2..4 u16", "unused 4..48 u8"];
    assert_eq!(names(&data)[..3], header);
    assert_eq!(names(&data)[3..], ["polygons 48..240 polygon"]);
    let packed = "packed 11/11/10";
    let expected = [
        "frame_count 0..2 u16".into(),
        "frame_size 2..4 u16".into(),
        format!("frame[0].positions 4..36 {packed}"),
        format!("frame[0].extremes 36..44 {packed}"),
        format!("frame[1].positions 44..76 {packed}"),
        format!("frame[1].extremes 76..84 {packed}"),
    ];
    assert_eq!(names(&aniv), expected);
    let [data, aniv] = pair("crate64");
    let damaged = Mesh::open([&data[..], &[1; 5]].concat(), aniv[..aniv.len() - 11].to_vec()).unwrap();
    let [data, aniv] = regions(&damaged);
    assert_eq!(names(&data)[4], "data_end 240..245 u8");
    assert_eq!(names(&aniv)[4..], ["frame[2].positions 132..180 i16x4", "frame[2].cut 180..185 u8"]);
    let [data, aniv] = pair("box");
    let longer = Mesh::open(data, [&aniv[..], &[0]].concat()).unwrap();
    assert_eq!(names(&regions(&longer)[1]).last().unwrap(), "aniv_end 260..261 u8");
    // Every finding about an existing field names a region.
    assert!(regions(&longer)[1].iter().any(|region| region.field == findings(&longer)[0].field));
}

#[test]
fn names_the_field_that_is_cut() {
    let [data, aniv] = pair("guard");
    for (cut_data, cut_aniv, told) in [
        (0, aniv.len(), "unreal data: file at byte 0: expected a mesh, found an empty file"),
        (data.len(), 0, "unreal aniv: file at byte 0: expected a mesh, found an empty file"),
        (47, aniv.len(), "unreal data: header at byte 0: expected 48 bytes, found 47"),
        (
            48,
            aniv.len(),
            "unreal data: polygons at byte 48: expected 208 bytes for 13 items of 16 bytes or more, found 0",
        ),
        (
            data.len() - 1,
            aniv.len(),
            "unreal data: polygons at byte 48: expected 208 bytes for 13 items of 16 bytes or more, found 207",
        ),
        (data.len(), 3, "unreal aniv: header at byte 0: expected 4 bytes, found 3"),
    ] {
        let error = Mesh::open(&data[..cut_data], &aniv[..cut_aniv]).unwrap_err();
        assert_eq!(error.to_string().split(';').next(), Some(told));
        let finding = meshpeek::finding(&error).unwrap();
        assert_eq!(
            (finding.rule, finding.severity, finding.offset),
            ("UR01", Severity::Error, error.offset().unwrap())
        );
    }
    let mesh = Mesh::open(&data[..], &aniv[..4 + 44 * 3]).unwrap();
    let error = mesh.frame(3).unwrap_err();
    expect_named(&error, 4 + 44 * 3);
    assert_eq!((error.field().to_string().as_str(), error.offset()), ("frame[3].positions", Some(136)), "{error}");
    // A frame that is far after the end has no range in the file.
    let error = mesh.frame(9).unwrap_err();
    expect_named(&error, 4 + 44 * 3);
    let error = mesh.frame(10).unwrap_err();
    assert!(
        is_error(&error, ErrorKind::NoSuch, &["expected a number below 10, found 10"]) && error.offset().is_none(),
        "{error}"
    );
    assert!(meshpeek::finding(&error).is_none(), "an error of the caller is not a finding about the file");
}

#[test]
fn survives_any_count() {
    let [data, aniv] = pair("box");
    let edges = [0, 1, 2, 3, 4, 7, 8, 12, 13, 16, 31, 32, 33, 64, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff_u16];
    let mut random = Random::new(2);
    let set = |bytes: &[u8], at: usize, value: u16| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    for one in edges {
        for other in edges {
            check_invariants(&set(&set(&data, 0, one), 2, other), &aniv, None, &mut random);
            check_invariants(&data, &set(&set(&aniv, 0, one), 2, other), None, &mut random);
            check_invariants(&set(&data, 2, one), &set(&aniv, 2, other), None, &mut random);
            check_invariants(&set(&data, 2, one), &set(&aniv, 0, other), None, &mut random);
        }
    }
}

#[test]
fn writes_what_it_read() {
    for sample in samples() {
        let Some([data, aniv]) = sample.pair() else { continue };
        let mesh = Mesh::open(&data[..], &aniv[..]).unwrap();
        let [mut new_data, mut new_aniv] = [const { Vec::new() }; 2];
        mesh.write_to(0, &mut new_data).unwrap();
        mesh.write_to(1, &mut new_aniv).unwrap();
        assert!((new_data, new_aniv) == (data, aniv), "{}", sample.stem);
    }
    // An error of the output is returned.
    let mesh = open_sample("box");
    for error in [
        mesh.write_to(0, &mut FullOutput(0)),
        mesh.write_to(1, &mut FullOutput(0)),
        mesh.write_uv_listing(FullOutput(0)),
    ]
    .map(Result::unwrap_err)
    {
        assert!(error.kind() == ErrorKind::Io && error.field().name() == "output", "{error}");
    }
}

#[test]
fn agrees_with_the_neutral_view() {
    let mesh = guard();
    let geometry: &dyn Geometry = &mesh;
    assert_eq!((geometry.format(), geometry.version(), geometry.sphere().unwrap()), ("unreal", "classic", None));
    assert_eq!((Animations::bone_count(&mesh).unwrap(), geometry.vertex_frame_count().unwrap()), (0, 10));
    assert!(Animations::bone(&mesh, 0).is_err() && geometry.bounds().unwrap() == mesh.bounds().unwrap());
    let polygons = mesh.polygons().unwrap();
    for surface in Surface::all(geometry).unwrap() {
        let view = mesh.surface(surface.index()).unwrap();
        let counts = surface.counts().unwrap();
        assert_eq!(
            (counts.vertices, counts.corners, counts.targets, counts.uv_sets),
            (11, counts.attribute_vertices, 1, 1)
        );
        assert_eq!(surface.is_drawn().unwrap(), view.kind().0 & PolygonType::WEAPON == 0);
        let (corners, uvs) = (surface.corners().unwrap(), surface.uvs(0).unwrap().unwrap());
        for (triangle, number) in view.numbers().iter().enumerate() {
            let raw = &polygons[usize::from(*number)];
            let found = corners.triangle(triangle as u32).unwrap();
            assert_eq!(found.map(|corner| corner.position), raw.vertices.map(|vertex| u32::from(vertex.get())));
            let found = found.map(|corner| uvs.get(corner.attribute as usize).unwrap());
            assert_eq!(found, raw.uvs.map(|uv| uv.map(|code| f32::from(code) / 255.0)));
        }
        for frame in 0..10 {
            let own = mesh.frame(frame).unwrap().positions();
            assert_eq!(surface.vertex_frame(frame).unwrap().as_bytes().as_ptr(), own.as_bytes().as_ptr());
        }
        assert!(surface.vertex_frame(10).is_err());
        assert_eq!(all(&surface.positions().unwrap()), all(&mesh.frame(0).unwrap().positions()));
        // The sides and the bottom are as large as the box. The lid has no height.
        let flat = view.kind() == PolygonType(0x10);
        let bounds = surface.bounds().unwrap();
        assert!(!flat || (bounds.min[2], bounds.max[2]) == (256.0, 256.0), "{bounds:?}");
    }
    let told = |index| {
        let surface = Surface::new(geometry, index).unwrap();
        (surface.name().unwrap().to_string(), surface.material().unwrap().map(|name| name.to_string()))
    };
    assert_eq!(told(0), ("JGuard".into(), Some("JGuard".into())));
    assert_eq!(told(2), ("JLid".into(), Some("JLid".into())));
    let mesh = open_sample("guard");
    let surface = Surface::new(&mesh, 2).unwrap();
    assert_eq!((surface.name().unwrap().as_bytes(), surface.material().unwrap()), (&b"texture 1"[..], None));
    assert!(surface.target_positions(1).is_err() && Surface::new(&mesh, 5).is_err());
}

/// Tests that a truncated frame has the vertices before the end of the file.
///
/// A frame that the file lacks is an error, except frame 0, whose vertices are the base shape.
#[test]
fn a_cut_frame_has_the_vertices_that_are_there() {
    for (variant, size) in [(Variant::Classic, 4), (Variant::DeusEx, 8), (Variant::Prototype, 4)] {
        let [data, aniv] = bytes_of(&builder::Mesh { variant, ..cube(2) });
        let frame = (aniv.len() - 4) / 2;
        for cut in 0..=aniv.len() - 4 {
            let mesh = Mesh::open(&data[..], &aniv[..aniv.len() - cut]).unwrap();
            let left = |number: usize| (aniv.len() - 4 - cut).saturating_sub(number * frame);
            let vertices = |number| (left(number) / size).min(8);
            let surface = Surface::new(&mesh, 0).unwrap();
            let what = format!("{variant:?} cut by {cut}");
            assert_eq!(surface.counts().unwrap().vertices as usize, vertices(0), "{what}");
            assert_eq!(surface.positions().unwrap().len(), vertices(0), "{what}");
            assert_eq!(surface.vertex_frame(0).unwrap().len(), vertices(0), "{what}");
            assert_eq!(mesh.bounds().unwrap().is_empty(), vertices(0) == 0, "{what}");
            match surface.vertex_frame(1) {
                Ok(positions) => assert!(left(1) > 0 && positions.len() == vertices(1), "{what}"),
                Err(error) => {
                    assert_eq!((left(1), error.field().to_string().as_str()), (0, "frame[1].positions"), "{what}");
                }
            }
        }
    }
}

/// Tests that a frame that is still to be loaded is an error with the missing bytes.
#[test]
fn names_the_frame_that_is_not_loaded() {
    let [data, aniv] = bytes_of(&cube(2));
    let options = OpenOptions::default().with_partial(true);
    for (cut, whole) in [(0, 2), (4, 1), (32, 1), (33, 0), (64, 0)] {
        let mesh = Mesh::open_with(&data[..], &aniv[..aniv.len() - cut], &options).unwrap();
        let surface = Surface::new(&mesh, 0).unwrap();
        assert_eq!((surface.counts().unwrap().vertices, mesh.vertex_frame_count().unwrap()), (8, 2));
        for frame in 0..2 {
            let positions = surface.vertex_frame(frame);
            assert_eq!(positions.is_ok(), frame < whole, "frame {frame} of a file {cut} bytes short");
            let Err(error) = positions else { continue };
            assert_eq!(
                (error.kind().id(), error.field().to_string()),
                ("unexpected-end", format!("frame[{frame}].positions"))
            );
            assert!(error.offset().is_some_and(|offset| offset <= (aniv.len() - cut) as u64), "{error}");
            assert!(error.needed_range().is_some());
        }
        assert_eq!((surface.positions().is_ok(), mesh.bounds().is_ok()), (whole > 0, whole > 0));
    }
}

// Rules.

/// Asserts that a pair breaks exactly one rule, and the position of the finding.
fn expect_rule(mesh: &OwnedMesh, rule: &str, severity: Severity, field: &str, offset: u64) {
    let found = findings(mesh);
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rule], "{found:?}");
    let one = &found[0];
    assert_eq!((one.severity, one.field.to_string().as_str(), one.offset), (severity, field, offset), "{one}");
    let mut surveyed = 0;
    mesh.validate_structure(&mut |_| surveyed += 1).unwrap();
    // Only reading the vertices can detect non-zero padding.
    assert_eq!(surveyed, usize::from(rule != "UR14"));
}

fn set(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

/// Builds the small mesh, damages it, and opens it.
fn spoilt(variant: Variant, spoil: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>)) -> OwnedMesh {
    let [mut data, mut aniv] = bytes_of(&small(variant));
    spoil(&mut data, &mut aniv);
    Mesh::open(data, aniv).unwrap()
}

#[test]
fn cut_polygons_and_headers_keep_a_pair_from_opening() {
    let [data, mut aniv] = pair("box");
    let error = Mesh::open(&data[..60], &aniv[..]).unwrap_err();
    assert_eq!(meshpeek::finding(&error).unwrap().rule, "UR01");
    set(&mut aniv, 2, 33);
    aniv.truncate(4 + 33);
    let error = Mesh::open(&data[..], &aniv[..]).unwrap_err();
    let found = meshpeek::finding(&error).unwrap();
    assert_eq!(
        (found.rule, found.severity, found.offset, found.field.name()),
        ("UR02", Severity::Error, 2, "frame_size")
    );
    assert_eq!(error.format(), "unreal aniv");
    assert!(
        found.text.contains("32 or 64 bytes for the data file's 8 vertices, found 33 bytes, and 33 bytes"),
        "{found}"
    );
}

#[test]
fn each_rule_is_breached_alone() {
    use Severity::{Error, Info, Warning};
    use Variant::{Classic, DeusEx, Prototype};
    let mut told = Vec::new();
    let mut expect = |mesh: OwnedMesh, rule, severity, field, offset| {
        expect_rule(&mesh, rule, severity, field, offset);
        told.push(rule);
    };
    expect(spoilt(Classic, |_, aniv| set(aniv, 2, 212)), "UR03", Warning, "frame_size", 2);
    // The last vertex of the last frame, which no polygon uses.
    let cut = spoilt(Classic, |_, aniv| aniv.truncate(4 + 28));
    expect(cut, "UR04", Warning, "frame[1].positions", 20);
    expect(spoilt(Classic, |_, aniv| aniv.push(0)), "UR05", Warning, "aniv_end", 36);
    expect(spoilt(DeusEx, |_, aniv| aniv.extend([0; 63])), "UR05", Warning, "aniv_end", 68);
    expect(spoilt(Classic, |data, _| data.push(0)), "UR06", Warning, "data_end", 64);
    expect(spoilt(Classic, |data, _| set(data, 50, 4)), "UR07", Error, "polygon[0].vertices", 48);
    expect(spoilt(Classic, |data, _| set(data, 0, 0)).cut_polygons(), "UR10", Warning, "polygon_count", 0);
    let none = builder::Mesh { polygons: vec![], frames: vec![vec![]; 2], ..builder::Mesh::new(Classic, 0) };
    let empty = builder::Mesh { polygons: small(Classic).polygons, frames: vec![], ..small(Classic) };
    expect(open_built(&empty), "UR10", Warning, "frame_count", 0);
    assert_eq!(findings(&open_built(&none)).len(), 2, "no polygons, no vertices");
    for at in [4, 5, 19, 47] {
        expect(spoilt(Classic, |data, _| data[at] = 0x20), "UR11", Info, "unused", at as u64);
    }
    expect(spoilt(Classic, |data, _| data[55] = 125), "UR12", Info, "polygon[0].color", 55);
    expect(spoilt(Classic, |data, _| data[63] = 255), "UR13", Info, "polygon[0].flags", 63);
    expect(spoilt(DeusEx, |_, aniv| aniv[4 + 32 + 15] = 1), "UR14", Info, "frame[1].positions", 4 + 32 + 14);
    let two = builder::Mesh {
        polygons: vec![polygon([0, 1, 1], 0, 0)],
        frames: vec![vec![[0; 3]; 2]],
        ..builder::Mesh::new(DeusEx, 2)
    };
    expect(open_built(&two), "UR15", Info, "frame_size", 2);
    expect(open_built(&small(Prototype)), "UR16", Info, "frame_size", 2);
    for (style, severity) in [(5, Info), (6, Warning), (7, Warning), (0xff, Warning)] {
        expect(spoilt(Classic, |data, _| data[54] = style), "UR17", severity, "polygon[0].kind", 54);
    }
    let text =
        "#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d\n#exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME=1 NUMFRAMES=2\n";
    let beyond = with_script(open_built(&small(Classic)), text, b"a");
    expect(beyond, "UR18", Warning, "sequence[0].frames", 47);
    told.dedup();
    let alone: Vec<_> = RULES[..18].iter().map(|rule| rule.id).collect();
    let alone: Vec<_> = alone.into_iter().filter(|id| !["UR01", "UR02", "UR08", "UR09"].contains(id)).collect();
    assert_eq!(told, alone, "UR08 and UR09 only occur together with UR04, and are tested below");
}

trait CutPolygons {
    fn cut_polygons(self) -> Self;
}

impl CutPolygons for OwnedMesh {
    /// Removes the bytes after the header of the data file.
    fn cut_polygons(self) -> Self {
        Mesh::open(self.data()[..48].to_vec(), self.aniv().clone()).unwrap()
    }
}

#[test]
fn reports_a_used_vertex_that_is_missing() {
    let mesh = spoilt(Variant::Classic, |_, aniv| aniv.truncate(4 + 16 + 8));
    let found = findings(&mesh);
    let told: Vec<_> = found.iter().map(|finding| (finding.rule, finding.severity, finding.offset)).collect();
    assert_eq!(told, [("UR04", Severity::Warning, 20), ("UR08", Severity::Warning, 48)]);
    assert!(found[0].text.contains("8 bytes missing: 1 of 2") && found[0].text.contains("2 of 4"), "{}", found[0]);
    assert!(found[1].text.starts_with("1 index of ") && found[1].field.to_string() == "polygon[0].vertices");
}

#[test]
fn reports_converted_line_ends() {
    let mut mesh = builder::Mesh { frames: vec![vec![[0x0d, 0, 0]; 4]; 20], ..small(Variant::Classic) };
    // The low bits of x and y are 0x0a0d. In the file this is CR LF.
    mesh.frames[3][2] = [0x20d, 1, 0];
    let [data, mut aniv] = bytes_of(&mesh);
    let at = 4 + 3 * 16 + 8;
    aniv[at..at + 2].copy_from_slice(b"\r\n");
    let found = findings(&Mesh::open(data.clone(), aniv.clone()).unwrap());
    assert!(found.is_empty(), "the original file: {found:?}");
    let mut converted = aniv.clone();
    converted.remove(at);
    let rules = |aniv: &[u8]| {
        let found = findings(&Mesh::open(data.clone(), aniv.to_vec()).unwrap());
        found.iter().map(|finding| (finding.rule, finding.offset)).collect::<Vec<_>>()
    };
    assert_eq!(rules(&converted), [("UR04", 4 + 19 * 16), ("UR09", 4)]);
    // Without a single line feed, no CR can be missing. With a CR LF left, the file was not
    // converted.
    converted[at] = 0;
    assert_eq!(rules(&converted), [("UR04", 4 + 19 * 16)]);
    converted[at..at + 2].copy_from_slice(b"\r\n");
    assert_eq!(rules(&converted), [("UR04", 4 + 19 * 16)]);
    // A conversion does not remove a whole vertex.
    assert_eq!(rules(&aniv[..aniv.len() - 4]), [("UR04", 4 + 19 * 16)]);
}

#[test]
fn compares_every_sequence_with_the_frames() {
    let sequence = |start: i64, frames: i64| {
        let text = format!("#exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME={start} NUMFRAMES={frames}\n");
        let mesh = with_script(open_built(&small(Variant::Classic)), &text, b"a");
        findings(&mesh).iter().filter(|finding| finding.rule == "UR18").count()
    };
    assert_eq!((sequence(0, 2), sequence(1, 1), sequence(2, 0), sequence(0, 0)), (0, 0, 0, 0));
    assert_eq!((sequence(0, 3), sequence(2, 1), sequence(3, 0), sequence(i64::MAX, i64::MAX)), (1, 1, 1, 1));
}

/// Tests that strict mode refuses the first deviation, by field and offset, and that `validate` has
/// a finding for it.
#[test]
fn strict_mode_refuses() {
    let strict = OpenOptions::default().with_strict(true);
    let refused = |mesh: &OwnedMesh, rule: &str, format: &str, field: &str, offset: u64| {
        let error = Mesh::open_with(mesh.data().clone(), mesh.aniv().clone(), &strict).unwrap_err();
        let told = (error.format(), error.field().to_string(), error.offset());
        assert_eq!(told, (format, field.to_owned(), Some(offset)), "{error}");
        let found = meshpeek::finding(&error).unwrap();
        assert_eq!((found.rule, found.offset), (rule, offset), "{error}");
        let text = RULES.iter().find(|known| known.id == rule).unwrap().text;
        assert!(error.to_string().contains(text.trim_end_matches('.')), "{error}");
    };
    let classic = |spoil: fn(&mut Vec<u8>, &mut Vec<u8>)| spoilt(Variant::Classic, spoil);
    let aniv = "unreal aniv";
    refused(&classic(|_, aniv| set(aniv, 2, 212)), "UR03", aniv, "frame_size", 2);
    refused(&classic(|_, aniv| aniv.truncate(35)), "UR04", aniv, "frame[1].positions", 20);
    refused(&classic(|_, aniv| aniv.push(1)), "UR05", aniv, "aniv_end", 36);
    refused(&classic(|data, _| data.push(1)), "UR06", "unreal data", "data_end", 64);
    refused(&classic(|data, _| set(data, 52, 4)), "UR07", "unreal data", "polygon[0].vertices", 48);
    refused(&open_sample("prototype"), "UR16", aniv, "frame_size", 2);
    for sound in ["box", "guard", "crate64", "empty", "Toys/Models/Top"] {
        let [data, aniv] = pair(sound);
        assert!(Mesh::open_with(data, aniv, &strict).is_ok(), "{sound}");
    }
    for rule in ["UR08", "UR10", "UR11", "UR12", "UR13", "UR14", "UR15", "UR17", "UR18"] {
        assert!(RULES.iter().any(|known| known.id == rule), "a rule that strict mode ignores is also documented");
    }
    let lenient = classic(|data, _| (data[54], data[55], data[63], data[4]) = (7, 1, 1, 1));
    assert!(Mesh::open_with(lenient.data().clone(), lenient.aniv().clone(), &strict).is_ok());
}

// The meaning of every byte.

#[test]
fn keeps_every_type_byte_and_texture_number() {
    let mut mesh = small(Variant::Classic);
    for byte in 0..=255_u8 {
        mesh.polygons[0] =
            RawPolygon { kind: byte, texture: 255 - byte, color: byte, flags: byte, ..polygon([0, 1, 2], 0, 0) };
        let mesh = open_built(&mesh);
        let view = mesh.surface(0).unwrap();
        assert_eq!((view.kind(), view.texture()), (PolygonType(byte), 255 - byte));
        assert_eq!(view.label(), format!("texture {}", 255 - byte));
        assert_eq!(view.is_drawn(), byte & 8 == 0);
        assert_eq!(mesh.attachment_count(), usize::from(byte & 8 != 0));
        let style = match byte & 7 {
            0 => Style::Normal,
            1 => Style::TwoSided,
            2 => Style::Translucent,
            3 => Style::Masked,
            4 => Style::Modulated,
            5 => Style::AlphaBlend,
            code => Style::Unknown(code),
        };
        assert_eq!(view.kind().style(), style);
        let flags = [(8, "weapon"), (16, "unlit"), (32, "flat"), (64, "environment"), (128, "no-smooth")];
        let flags = flags.into_iter().filter(|(bit, _)| byte & bit != 0).map(|(_, name)| name);
        assert!(view.kind().flags().eq(flags));
        let mut data = Vec::new();
        mesh.write_to(0, &mut data).unwrap();
        assert_eq!([data[54], data[55], data[62], data[63]], [byte, byte, 255 - byte, byte]);
    }
}

#[test]
fn divides_uvs_by_255_or_256() {
    let mut mesh = small(Variant::Classic);
    let codes = (0..=255_u8).collect::<Vec<_>>();
    mesh.polygons = codes
        .chunks(2)
        .map(|pair| {
            let [u, v] = [pair[0], pair[1]];
            RawPolygon { uvs: [[u, v], [v, u], [0, 255]], ..polygon([0, 1, 2], 0, 0) }
        })
        .collect();
    let [data, aniv] = bytes_of(&mesh);
    for (uv_divisor, divisor) in [(UvDivisor::By255, 255.0), (UvDivisor::By256, 256.0)] {
        let mesh = Mesh::open(&data[..], &aniv[..]).unwrap().with_uv_divisor(uv_divisor);
        let uvs = Surface::new(&mesh, 0).unwrap().uvs(0).unwrap().unwrap();
        match (&uvs, uv_divisor) {
            (Uvs(UvEncoding::Polygon255(_)), UvDivisor::By255) | (Uvs(UvEncoding::Polygon256(_)), UvDivisor::By256) => {
            }
            _ => panic!("{uvs:?}"),
        }
        assert_eq!(uvs.len(), 128 * 3);
        for code in 0..=255_u8 {
            let found = uvs.get(usize::from(code) / 2 * 3).unwrap()[usize::from(code) % 2];
            assert_eq!(found, f32::from(code) / divisor);
        }
        assert_eq!(uvs.get(2), Some([0.0, 255.0 / divisor]));
        assert_eq!(uvs.raw_bytes(4), Some([3, 2]));
        assert_eq!((uvs.byte_offset(0), uvs.byte_offset(4)), (8, 16 + 10), "the offset from the first polygon");
    }
}

/// Tests that a file that ends early is not read as another variant whose frames are smaller.
#[test]
fn a_cut_file_keeps_the_variant_that_its_header_declares() {
    for (variant, size) in [(Variant::DeusEx, 84 * 4_usize), (Variant::Prototype, 44 * 4)] {
        let [data, aniv] =
            bytes_of(&builder::Mesh { frames: vec![vec![[1, 2, 3]; 42]; 3], ..builder::Mesh::new(variant, 42) });
        assert_eq!(aniv.len(), 4 + 3 * size);
        // Three classic frames have this length.
        let mesh = Mesh::open(&data[..], &aniv[..4 + 3 * 42 * 4]).unwrap();
        assert_eq!((mesh.variant(), mesh.frame_count()), (variant, 3));
        assert_eq!(mesh.frame(0).unwrap().positions().len(), 42);
        let mut rules = Vec::new();
        mesh.validate(&mut |finding| rules.push(finding.rule)).unwrap();
        assert!(rules.contains(&"UR04"), "{rules:?}");
        assert!(mesh.frame(2).is_err() || mesh.frame(2).unwrap().positions().len() < 42);
    }
}

#[test]
fn a_size_that_fits_no_variant_is_only_stale() {
    // The frames have 42 vertices. The declared frame size is that of eleven more vertices, or of
    // one more.
    let [data, aniv] =
        bytes_of(&builder::Mesh { frames: vec![vec![[1, 2, 3]; 42]; 3], ..builder::Mesh::new(Variant::Classic, 42) });
    for stale in [53_u16 * 4, 43 * 4] {
        let aniv = [&aniv[..2], &stale.to_le_bytes(), &aniv[4..]].concat();
        let mesh = Mesh::open(&data[..], &aniv[..]).unwrap();
        assert_eq!((mesh.variant(), mesh.frame(2).unwrap().positions().len()), (Variant::Classic, 42));
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push((finding.rule, finding.source))).unwrap();
        assert_eq!(found, [("UR10", 0), ("UR03", 1)], "no polygons, and a stale frame size");
        let strict = OpenOptions::default().with_strict(true);
        let error = Mesh::open_with(&data[..], &aniv[..], &strict).unwrap_err();
        let told = meshpeek::finding(&error).unwrap();
        assert_eq!((error.format(), told.rule, told.source), ("unreal aniv", "UR03", 1));
    }
}

#[test]
fn two_vertices_and_16_bytes_are_deus_ex() {
    let mesh = builder::Mesh {
        polygons: vec![polygon([0, 1, 0], 0, 0)],
        frames: vec![vec![[1, -2, 3], [300, -20_000, 32_767]]; 3],
        ..builder::Mesh::new(Variant::DeusEx, 2)
    };
    let mesh = open_built(&mesh);
    assert_eq!(mesh.variant(), Variant::DeusEx);
    assert_eq!(mesh.frame(2).unwrap().positions().get(1), Some([300.0, -20_000.0, 32_767.0]));
}

#[test]
fn finds_frames_whose_size_went_round() {
    for (vertices, variant) in [
        (16_384_u16, Variant::Classic),
        (40_000, Variant::Classic),
        (65_535, Variant::Classic),
        (8192, Variant::DeusEx),
        (20_000, Variant::DeusEx),
    ] {
        let stride = u64::from(vertices) * u64::from(variant.vertex_size());
        let frames = 3_u16;
        let mut data = vec![0; 48];
        set(&mut data, 2, vertices);
        let mut aniv = vec![0; 4 + stride as usize * usize::from(frames)];
        set(&mut aniv, 0, frames);
        set(&mut aniv, 2, (stride % 65_536) as u16);
        for frame in 0..3 {
            // The x of the last vertex of each frame is the frame's number.
            let end = 4 + stride as usize * (frame + 1);
            aniv[end - variant.vertex_size() as usize] = frame as u8 + 1;
        }
        let mesh = Mesh::open(data, aniv).unwrap();
        assert_eq!(mesh.variant(), variant, "{vertices}");
        for frame in 0_u8..3 {
            let positions = mesh.frame(frame.into()).unwrap().positions();
            assert_eq!(positions.len(), usize::from(vertices));
            assert_eq!(positions.get(positions.len() - 1), Some([f32::from(frame) + 1.0, 0.0, 0.0]));
        }
        let told: Vec<_> = findings(&mesh).iter().map(|finding| finding.rule).collect();
        assert_eq!(told, ["UR10", "UR03"]);
    }
    // The largest frame that does not overflow the 16-bit size.
    for (variant, most) in [(Variant::Classic, 16_383), (Variant::DeusEx, 8_191)] {
        let mesh = builder::Mesh { frames: vec![vec![[7; 3]; most as usize]; 2], ..builder::Mesh::new(variant, most) };
        let mesh = open_built(&mesh);
        assert_eq!((mesh.variant(), mesh.frame(1).unwrap().positions().len()), (variant, most as usize));
        assert!(findings(&mesh).iter().all(|finding| finding.rule == "UR10"));
    }
}

#[test]
fn extends_the_sign_of_every_coordinate() {
    let mut mesh = builder::Mesh::new(Variant::Classic, 8);
    mesh.frames = vec![
        (0..8)
            .map(|corner: i16| {
                [
                    if corner & 1 == 0 { -1024 } else { 1023 },
                    if corner & 2 == 0 { -1024 } else { 1023 },
                    if corner & 4 == 0 { -512 } else { 511 },
                ]
            })
            .collect(),
    ];
    let [data, mut aniv] = bytes_of(&mesh);
    let words =
        [0x8020_0400, 0x8020_03ff, 0x801f_fc00, 0x801f_fbff, 0x7fe0_0400, 0x7fe0_03ff, 0x7fdf_fc00, 0x7fdf_fbff_u32];
    assert_eq!(aniv[4..], words.map(u32::to_le_bytes).concat());
    let read = Mesh::open(data.clone(), aniv.clone()).unwrap();
    for (corner, stored) in mesh.frames[0].iter().enumerate() {
        assert_eq!(read.frame(0).unwrap().positions().get(corner), Some(stored.map(f32::from)));
    }
    for (word, position) in [
        (0_u32, [0.0; 3]),
        (0xffff_ffff, [-1.0; 3]),
        (0x7ff, [-1.0, 0.0, 0.0]),
        (0x3f_f800, [0.0, -1.0, 0.0]),
        (0xffc0_0000, [0.0, 0.0, -1.0]),
        (0x800, [0.0, 1.0, 0.0]),
        (0x40_0000, [0.0, 0.0, 1.0]),
    ] {
        aniv[4..8].copy_from_slice(&word.to_le_bytes());
        let read = Mesh::open(&data[..], &aniv[..]).unwrap();
        assert_eq!(read.frame(0).unwrap().positions().get(0), Some(position), "{word:08x}");
    }
    let mut wide = builder::Mesh::new(Variant::DeusEx, 2);
    wide.frames = vec![vec![[i16::MIN; 3], [i16::MAX; 3]]];
    let bounds = open_built(&wide).bounds().unwrap();
    assert_eq!((bounds.min, bounds.max), ([-32_768.0; 3], [32_767.0; 3]));
}

#[test]
fn prototypes_store_bounds() {
    let mesh = open_sample("prototype");
    assert_eq!((mesh.variant(), mesh.aniv_header().unwrap().frame_size.get()), (Variant::Prototype, 40));
    for frame in 0..2 {
        let view = mesh.frame(frame).unwrap();
        assert_eq!((view.positions().len(), view.as_bytes().len()), (8, 40));
        assert_eq!(view.stored_bounds(), Some(view.bounds()));
    }
    let [data, mut aniv] = pair("prototype");
    // Stored bounds may be wrong. Only `stored_bounds` uses them.
    aniv[36..44].copy_from_slice(&[0x00, 0x04, 0, 0, 0xff, 0x03, 0, 0]);
    let lying = Mesh::open(data, aniv).unwrap();
    let lie = Bounds { min: [-1024.0, 0.0, 0.0], max: [1023.0, 0.0, 0.0] };
    assert_eq!(lying.frame(0).unwrap().stored_bounds(), Some(lie));
    assert_eq!(
        (lying.bounds().unwrap(), lying.bounds_of_all_frames()),
        (mesh.bounds().unwrap(), mesh.bounds_of_all_frames())
    );
    assert_eq!(Surface::new(&lying, 0).unwrap().bounds().unwrap(), mesh.bounds().unwrap());
}

// Computed values.

fn close(one: [f32; 3], other: [f32; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-5)
}

#[test]
fn hangs_weapons_where_the_triangle_says() {
    let mut mesh = builder::Mesh::new(Variant::DeusEx, 6);
    mesh.frames = vec![
        vec![[10, 20, 30], [10, 20, 130], [110, 20, 30], [0; 3], [5, 5, 5], [9, 9, 9]],
        vec![[0, 0, 0], [256, 0, 0], [0, 256, 0], [1; 3], [1; 3], [1; 3]],
    ];
    mesh.polygons = vec![
        polygon([3, 4, 5], 0, 0),
        polygon([0, 1, 2], 8, 0),
        polygon([3, 3, 4], 8 | 32, 7),
        polygon([3, 4, 4], 8 | 16, 0),
    ];
    let mesh = open_built(&mesh);
    assert_eq!(mesh.attachment_count(), 3);
    let found = mesh.attachment(0, 0, &Placement::STORED).unwrap();
    assert_eq!(found.position, [10.0, 20.0, 80.0], "midway between vertices 0 and 1");
    // The z axis is from 0 to 1. The cross product of (0, 0, 100) and (100, 0, 0) points along y.
    // The x axis is y cross z.
    assert_eq!(found.axes, Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
    let author = Placement::author(Variant::DeusEx);
    let found = mesh.attachment(0, 1, &author).unwrap();
    assert_eq!(
        (found.position, found.axes),
        ([0.5, 0.0, 0.0], Some([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    );
    // Triangles without area have a position but no axes. Surfaces are sorted by texture, then by
    // type.
    assert_eq!(mesh.attachment(1, 0, &Placement::STORED).unwrap().axes, None);
    assert_eq!(mesh.attachment(1, 0, &Placement::STORED).unwrap().position, [2.5; 3]);
    assert_eq!(mesh.attachment(2, 0, &Placement::STORED).unwrap().position, [0.0; 3]);
    for error in [mesh.attachment(3, 0, &author), mesh.attachment(0, 2, &author)].map(Result::unwrap_err) {
        assert!(error.kind() == ErrorKind::NoSuch, "{error}");
    }
    // A placement also rotates the axes.
    let turned = Placement { axes: [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], ..Placement::STORED };
    let found = mesh.attachment(0, 0, &turned).unwrap();
    assert_eq!((found.position, found.axes.unwrap()[1]), ([-20.0, 10.0, 80.0], [-1.0, 0.0, 0.0]));
    let guard = open_sample("guard");
    assert_eq!(guard.attachment(0, 2, &Placement::STORED).unwrap().position, [650.0, 8.0, 0.0]);
    assert_eq!(open_sample("box").attachment_count(), 0);
}

/// Computes normals the slow way: in `f64`, with a loop over every polygon for every corner.
fn naive_normals(mesh: &OwnedMesh, frame: usize, shading: NormalShading, placement: &Placement) -> Vec<[f32; 3]> {
    let positions = mesh.frame(frame).unwrap().positions();
    let polygons = mesh.polygons().unwrap();
    let plane = |polygon: &RawPolygon| {
        let [a, b, c] =
            polygon.vertices.map(|vertex| placement.apply(positions.get(vertex.get().into()).unwrap()).map(f64::from));
        let [one, other] = [b, c].map(|end| [end[0] - a[0], end[1] - a[1], end[2] - a[2]]);
        [[1, 2], [2, 0], [0, 1]].map(|[next, last]| one[next] * other[last] - one[last] * other[next])
    };
    let unit = |sum: [f64; 3]| {
        let length = sum.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length < 1e-9 { [0.0; 3] } else { sum.map(|part| (part / length) as f32) }
    };
    let mut normals = Vec::new();
    for polygon in polygons {
        let flat = shading == NormalShading::Facet || shading == NormalShading::Flagged && polygon.kind & 0x20 != 0;
        for vertex in polygon.vertices {
            let around = polygons.iter().filter(|other| other.kind & 8 == 0 && other.vertices.contains(&vertex));
            let smooth = around.map(plane).fold([0.0; 3], |sum, plane| [0, 1, 2].map(|axis| sum[axis] + plane[axis]));
            normals.push(unit(if flat { plane(polygon) } else { smooth }));
        }
    }
    normals
}

#[test]
fn computes_normals_like_their_naive_twin() {
    let shadings = [NormalShading::Flagged, NormalShading::Smooth, NormalShading::Facet];
    for stem in ["box", "guard", "crate64", "Toys/Models/Ball"] {
        let mesh = open_sample(stem);
        for shading in shadings {
            for (frame, placement) in [(0, Placement::author(mesh.variant())), (2, Placement::STORED)] {
                let (found, expected) = (
                    mesh.normals(frame, shading, &placement).unwrap(),
                    naive_normals(&mesh, frame, shading, &placement),
                );
                assert_eq!(found.len(), expected.len());
                for (corner, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                    assert!(close(found, expected), "{stem}, corner {corner}, {shading:?}: {found:?}, {expected:?}");
                }
            }
        }
    }
    let mut random = Random::new(21);
    for _ in 0..50 {
        let count = random.within(3..20);
        let mut mesh = builder::Mesh::new(Variant::DeusEx, count as u32);
        mesh.frames = vec![(0..count).map(|_| [0; 3].map(|_: i16| random.below(2000) as i16 - 1000)).collect()];
        mesh.polygons = (0..random.within(1..40))
            .map(|_| {
                // Each vertex occurs once in a triangle: sums that nearly cancel would differ by
                // rounding.
                let first = random.below(count);
                let vertices = [0, 1, 2].map(|next| ((first + next) % count) as u16);
                polygon(vertices, *random.pick(&[0, 8, 0x20, 0x28, 1]), 0)
            })
            .collect();
        let mesh = open_built(&mesh);
        for shading in shadings {
            let placement = Placement::author(Variant::DeusEx);
            let (found, expected) =
                (mesh.normals(0, shading, &placement).unwrap(), naive_normals(&mesh, 0, shading, &placement));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!(
                    found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-3),
                    "{found:?}, {expected:?}"
                );
            }
        }
    }
}

#[test]
fn normals_point_outward() {
    let mesh = open_sample("guard");
    let polygons = mesh.polygons().unwrap();
    let placement = Placement::author(Variant::Classic);
    let normals = |shading| mesh.normals(0, shading, &placement).unwrap();
    let (facet, smooth, flagged) =
        (normals(NormalShading::Facet), normals(NormalShading::Smooth), normals(NormalShading::Flagged));
    let positions = mesh.frame(0).unwrap().positions();
    for (number, polygon) in polygons.iter().enumerate().skip(1) {
        for corner in 0..3 {
            let at = number * 3 + corner;
            // The box is centered at 0, so the direction away from its center is outward.
            let from_middle = placement.apply(positions.get(polygon.vertices[corner].get().into()).unwrap());
            let outward =
                |normal: [f32; 3]| normal.iter().zip(from_middle).map(|(one, other)| one * other).sum::<f32>() > 0.0;
            assert!(outward(facet[at]) && outward(smooth[at]), "polygon {number}");
            assert_eq!(facet[at].iter().filter(|part| **part == 0.0).count(), 2, "a side is parallel to two axes");
            assert!(facet[at] != smooth[at], "a corner of a cube");
            let expected = if polygon.kind & 0x20 != 0 { facet[at] } else { smooth[at] };
            assert_eq!(flagged[at], expected);
        }
    }
    assert!(polygons.iter().any(|polygon| polygon.kind & 0x20 != 0));
    // The vertices of the weapon triangle belong to no triangle that is drawn.
    assert!(smooth[..3] == [[0.0; 3]; 3] && facet[0] != [0.0; 3]);
    let cut = Mesh::open(mesh.data().clone(), mesh.aniv()[..4].to_vec()).unwrap();
    assert!(
        cut.normals(0, NormalShading::Smooth, &placement).is_err()
            && mesh.normals(10, NormalShading::Smooth, &placement).is_err()
    );
    let huge = Placement { scale: [f32::MAX; 3], ..Placement::STORED };
    let huge = mesh.normals(0, NormalShading::Smooth, &huge).unwrap();
    assert!(huge.iter().flatten().all(|part| part.is_finite()), "normals are finite");
}

#[test]
fn places_as_the_script_says() {
    let mesh = guard();
    let script = mesh.script().unwrap();
    let placement = Placement::of(&script);
    assert_eq!((placement.origin, placement.scale), ([0.0, -20.0, 12.5], [0.06, 0.06, 0.12]));
    // YAW=64 rotates x to y. Before that, ROLL=-64 rotates y to z.
    assert_eq!(placement.axes[0], [0.0, 1.0, 0.0]);
    let placed = placement.apply([100.0, -20.0, 12.5]);
    assert!(close(placed, [0.0, 6.0, 0.0]), "{placed:?}");
    let lengths = placement.axes.map(|axis| axis.iter().map(|part| part * part).sum::<f32>());
    assert!(close(lengths, [1.0; 3]));
    let bare = with_script(open_sample("box"), "#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d\n", b"a");
    assert_eq!(Placement::of(&bare.script().unwrap()), Placement::STORED);
    let last = mesh.frame(9).unwrap().positions().get(9).unwrap();
    assert_eq!(Placement::STORED.apply(last), last);
    assert_eq!(Placement::author(Variant::Prototype).apply([8.0, 8.0, 4.0]), [1.0; 3]);
    assert_eq!(Placement::author(Variant::DeusEx).apply([256.0; 3]), [1.0; 3]);
    // A corner of the box around all vertices, in each variant.
    assert_eq!(Placement::author(Variant::Classic).apply([-1024.0, -1024.0, -512.0]), [-128.0; 3]);
    assert_eq!(Placement::author(Variant::DeusEx).apply([-32_768.0; 3]), [-128.0; 3]);
    let placement = Placement {
        origin: [1.0, 2.0, 3.0],
        scale: [2.0, 3.0, 4.0],
        axes: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    };
    assert_eq!(placement.apply([2.0, 4.0, 6.0]), [6.0, 12.0, 2.0], "translate, scale, rotate");
    assert_eq!(placement.turn([2.0, 4.0, 6.0]), [4.0, 6.0, 2.0], "a direction is only rotated");
}

#[test]
fn stands_between_two_frames() {
    let mesh = open_sample("guard");
    let [from, to] = [1, 3].map(|frame| mesh.frame(frame).unwrap().positions());
    for fraction in [0.0, 0.25, 0.5, 1.0] {
        let between = InterpolatedPositions::new(from, to, fraction);
        assert_eq!((between.len(), between.is_empty()), (11, false));
        let mut out = [[0.0; 3]; 11];
        between.decode_into(&mut out).unwrap();
        for (vertex, found) in out.into_iter().enumerate() {
            let (from, to) = (from.get(vertex).unwrap(), to.get(vertex).unwrap());
            assert_eq!(found, [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * fraction));
            assert_eq!(between.get(vertex), Some(found));
        }
        assert_eq!(between.get(11), None);
    }
    assert_eq!(InterpolatedPositions::new(from, to, 0.25).get(9), Some([700.0, 12.0, 0.0]));
    for length in [0, 10, 12] {
        let error = InterpolatedPositions::new(from, to, 0.5).decode_into(&mut vec![[0.0; 3]; length]).unwrap_err();
        assert!(is_error(&error, ErrorKind::Buffer, &["a buffer of 11 items"]), "{error}");
    }
    // If the lengths differ, the shorter one is used, in both orders.
    let fewer = from.slice(0..4).unwrap();
    for between in [InterpolatedPositions::new(fewer, to, 0.5), InterpolatedPositions::new(to, fewer, 0.5)] {
        let mut out = [[0.0; 3]; 4];
        between.decode_into(&mut out).unwrap();
        assert_eq!((between.len(), between.get(3), between.get(4)), (4, Some(out[3]), None));
        assert!(between.decode_into(&mut [[0.0; 3]; 11]).is_err());
    }
}

// Scripts.

#[test]
fn plays_the_clips_of_a_script() {
    let mesh = guard();
    assert_eq!(mesh.clip_count().unwrap(), 2);
    let walk = mesh.clip(1).unwrap();
    assert_eq!((walk.name.as_bytes(), walk.frames, walk.bones), (&b"Walk"[..], 6, 0));
    assert_eq!((walk.rate, walk.first_vertex_frame), (Some(15.0), Some(2)));
    assert_eq!(mesh.clip(0).unwrap().rate, Some(30.0), "the engine's rate if the script has none");
    let moment = walk.at(0.1, None, true).unwrap();
    assert_eq!((moment.from, moment.to, (moment.fraction * 100.0).round()), (3, 4, 50.0));
    let moment = walk.at_frame(5.5, true).unwrap();
    assert_eq!((moment.from, moment.to), (7, 2));
    let told: Vec<_> = (0..3)
        .map(|index| mesh.event(1, index).unwrap().map(|notify| (notify.time, notify.function.to_string())))
        .collect();
    assert_eq!(told, [Some((0.25, "PlayFootStep".into())), Some((0.75, "PlayFootStep".into())), None]);
    assert_eq!(mesh.event(9, 0).unwrap_err().kind().id(), "no-such");
    assert!(is_error(mesh.clip(2).unwrap_err(), ErrorKind::NoSuch, &["expected a number below 2, found 2"]));
}

#[test]
fn a_pair_alone_is_one_clip() {
    let mesh = open_sample("box");
    assert_eq!(mesh.clip_count().unwrap(), 1);
    let clip = mesh.clip(0).unwrap();
    assert_eq!((clip.name.as_bytes(), clip.frames, clip.rate, clip.first_vertex_frame), (&b""[..], 8, None, Some(0)));
    assert!(clip.at(0.1, None, true).is_none() && clip.at(0.1, Some(10.0), true).unwrap().from == 1);
    assert_eq!(open_sample("empty").clip_count().unwrap(), 0);
    assert!(open_sample("empty").clip(0).is_err() && mesh.event(0, 0).unwrap().is_none());
    let other =
        with_script(open_sample("box"), "#exec MESH SEQUENCE MESH=other SEQ=s STARTFRAME=1 NUMFRAMES=1\n", b"box");
    assert_eq!((other.clip_count().unwrap(), other.clip(0).unwrap().frames), (1, 8));
}

/// Tests that a clip contains only existing frames.
#[test]
fn clips_have_frames_that_exist() {
    let clip = |start: &str, frames: &str| {
        let text = format!("#exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME={start} NUMFRAMES={frames}\n");
        let mesh = with_script(open_sample("box"), &text, b"a");
        let clip = mesh.clip(0).unwrap();
        (clip.first_vertex_frame.unwrap(), clip.frames)
    };
    assert_eq!(clip("0", "8"), (0, 8));
    assert_eq!(clip("3", "5"), (3, 5));
    assert_eq!(clip("3", "6"), (3, 5));
    assert_eq!(clip("8", "1"), (8, 0));
    assert_eq!(clip("99", "1").1, 0);
    assert_eq!(clip("0", "-1").1, 0);
    assert_eq!(clip("5", "-3").1, 0);
    // Of the frames -2 to 2, the clip has those from 0 on.
    assert_eq!(clip("-2", "5"), (0, 3));
    assert_eq!(clip("-9", "5"), (0, 0));
    assert_eq!(clip("9223372036854775807", "9223372036854775807").1, 0);
    assert_eq!(clip("1", "9223372036854775807"), (1, 7));
    assert_eq!(clip("-9223372036854775808", "9223372036854775807").1, 0);
    assert_eq!(clip("x", "y"), (0, 0));
    // Frames after the end of the mesh are never requested.
    let text = "#exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME=7 NUMFRAMES=65535\n";
    let mesh = with_script(open_sample("box"), text, b"a");
    let moment = mesh.clip(0).unwrap().at(1e6, None, false).unwrap();
    assert_eq!((moment.from, moment.to), (7, 7));
}

#[test]
fn builds_a_script() {
    let mesh = open_sample("guard");
    let script = String::from_utf8(meshpeek::unreal::builder::build(&mesh, "My guard 2").unwrap()).unwrap();
    // Each drawn texture number occurs once, and no other number occurs.
    let expected = r#"class My_guard_2 expands Object;

#exec MESH IMPORT MESH=My_guard_2 ANIVFILE="MODELS\My guard 2_a.3d" DATAFILE="MODELS\My guard 2_d.3d" X=0 Y=0 Z=0
#exec MESH ORIGIN MESH=My_guard_2 X=0 Y=0 Z=0
#exec MESH SEQUENCE MESH=My_guard_2 SEQ=All STARTFRAME=0 NUMFRAMES=10
#exec MESH SEQUENCE MESH=My_guard_2 SEQ=Still STARTFRAME=0 NUMFRAMES=1

#exec TEXTURE IMPORT NAME=JMy_guard_20 FILE=MODELS\JMy_guard_20.PCX GROUP="Skins"
#exec TEXTURE IMPORT NAME=JMy_guard_21 FILE=MODELS\JMy_guard_21.PCX GROUP="Skins"
#exec MESHMAP NEW MESHMAP=My_guard_2 MESH=My_guard_2
#exec MESHMAP SCALE MESHMAP=My_guard_2 X=0.5 Y=0.5 Z=1.0
#exec MESHMAP SETTEXTURE MESHMAP=My_guard_2 NUM=0 TEXTURE=JMy_guard_20
#exec MESHMAP SETTEXTURE MESHMAP=My_guard_2 NUM=1 TEXTURE=JMy_guard_21
"#;
    assert_eq!(script, expected);
    let mut hidden = small(Variant::Classic);
    hidden.polygons = vec![polygon([0, 1, 2], 8, 9), polygon([0, 1, 2], 0, 255), polygon([0, 1, 2], 1, 255)];
    let hidden = Script::open(meshpeek::unreal::builder::build(&open_built(&hidden), "2fast").unwrap()).unwrap();
    let selected = hidden.select(b"_2fast");
    assert_eq!(hidden.mesh(&selected).textures().map(|texture| texture.number).collect::<Vec<_>>(), [255]);
    // The script is read as intended, and the clips of its mesh play.
    let [data, aniv] = pair("guard");
    let again = Script::open(script.into_bytes()).unwrap();
    let mesh = Mesh::open(data, aniv).unwrap().with_script(again, b"MY_GUARD_2").unwrap();
    assert_eq!((mesh.clip_count().unwrap(), mesh.clip(0).unwrap().frames), (2, 10));
    assert_eq!(Surface::new(&mesh, 0).unwrap().name().unwrap().to_string(), "JMy_guard_20");
    let faults: Vec<_> = findings(&mesh).into_iter().filter(|finding| finding.severity > Severity::Info).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn lists_uvs() {
    let mut listing = Vec::new();
    open_sample("box").write_uv_listing(&mut listing).unwrap();
    let listing = String::from_utf8(listing).unwrap();
    let lines: Vec<_> = listing.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1]), (12, "0 255 255 255 255 0", "0 255 255 0 0 0"));
    assert!(listing.ends_with('\n') && !listing.contains('\r'));
}

// The bytes that are read.

#[test]
fn opening_looks_at_52_bytes() {
    let watched = OpenOptions::default().with_record_access(true);
    let [data, aniv] = pair("box");
    let mesh = Mesh::open_with(&data[..], &aniv[..], &watched).unwrap();
    let touched = || mesh.touched_bytes().unwrap();
    assert_eq!(touched(), 52);
    let frame = mesh.frame(7).unwrap();
    assert_eq!((frame.positions().len(), mesh.frame_count(), mesh.clip_count().unwrap(), touched()), (8, 8, 1, 52));
    assert!(!mesh.bounds().unwrap().is_empty());
    assert_eq!(touched(), 52 + 32, "only frame 0");
    assert!(!mesh.bounds().unwrap().is_empty());
    mesh.surface(0).unwrap();
    assert_eq!(touched(), 52 + 32 + 12 * 2, "two bytes of each polygon");
    Surface::new(&mesh, 0).unwrap().bounds().unwrap();
    assert_eq!(touched(), 52 + 32 + 12 * 16);
    mesh.validate_structure(&mut |_| {}).unwrap();
    assert_eq!(touched(), 52 + 32 + 12 * 16);
    // In the opposite order: bytes that were read completely stay recorded.
    let mesh = Mesh::open_with(&data[..], &aniv[..], &watched).unwrap();
    mesh.validate_structure(&mut |_| {}).unwrap();
    mesh.surface(0).unwrap();
    assert_eq!(mesh.touched_bytes(), Some(52 + 12 * 16));
    assert_eq!(open_sample("box").touched_bytes(), None);
    let script = b"#exec MESH IMPORT MESH=a\n";
    let with = Mesh::open_with(&data[..], &aniv[..], &watched)
        .unwrap()
        .with_script(Script::open(&script[..]).unwrap(), b"a")
        .unwrap();
    assert_eq!(with.touched_bytes(), Some(52), "a script is read completely and is not counted");
    let model: Model<&[u8]> = with.into();
    assert_eq!(model.file().touched_bytes(), Some(52));
}

// The builder.

#[test]
fn lends_what_lies_in_the_file() {
    let mesh = open_sample("crate64");
    let polygons = mesh.polygons().unwrap();
    assert!(std::ptr::eq(polygons.as_ptr().cast(), &raw const mesh.data()[48]));
    let frame = mesh.frame(2).unwrap();
    assert!(std::ptr::eq(frame.as_bytes().as_ptr(), &raw const mesh.aniv()[4 + 2 * 64]));
    let Positions(PositionEncoding::Packed64(positions)) = frame.positions() else { panic!("Deus Ex has 16 bits") };
    assert_eq!(positions.get(7), Some([16_385.0, 16_383.0, 16_896.0]));
    let Indices(IndexEncoding::Polygon(indices)) = mesh.surface(0).unwrap().indices() else {
        panic!("expected indices in polygons")
    };
    assert_eq!((indices.len(), indices.byte_offset(4)), (36, 18));
}

// Scrambled vertices.

/// A tube of rings with `sides` vertices, along the axis x.
fn tube(variant: Variant, rings: u16, sides: u16) -> builder::Mesh {
    let mut mesh = builder::Mesh::new(variant, u32::from(rings * sides));
    let wide = if variant == Variant::DeusEx { 32.0 } else { 1.0 };
    let vertex = |number: u16| {
        let angle = f64::from(number % sides) / f64::from(sides) * std::f64::consts::TAU;
        let [x, y] = [f64::from(number / sides) * 900.0 / f64::from(rings) - 450.0, 400.0 * angle.cos()];
        [x, y, 200.0 * angle.sin() * if wide > 1.0 { 2.0 } else { 1.0 }].map(|part| (part * wide) as i16)
    };
    mesh.frames = vec![(0..rings * sides).map(vertex).collect()];
    for ring in 0..rings - 1 {
        for side in 0..sides {
            let [a, b] = [ring * sides + side, ring * sides + (side + 1) % sides];
            mesh.polygons.push(polygon([a, b, a + sides], 0, 0));
            mesh.polygons.push(polygon([b, b + sides, a + sides], 0, 0));
        }
    }
    mesh
}

/// Returns whether the vertices of a mesh are reported as scrambled.
fn is_scrambled(mesh: &builder::Mesh) -> bool {
    let found = findings(&open_built(mesh));
    let one = found.iter().find(|finding| finding.rule == "UR19");
    if let Some(one) = one {
        let place = (one.severity, one.source, one.offset, one.field.to_string());
        assert_eq!(place, (Severity::Warning, 1, 4, "frame[0].positions".to_owned()));
    }
    one.is_some()
}

#[test]
fn reports_vertices_in_another_order() {
    let mut random = Random::new(19);
    for variant in [Variant::Classic, Variant::DeusEx, Variant::Prototype] {
        for (rings, sides) in [(8, 12), (20, 10), (5, 60), (40, 16)] {
            let sound = tube(variant, rings, sides);
            assert!(!is_scrambled(&sound), "{variant:?} {rings} {sides}");
            for _ in 0..5 {
                let mut mesh = tube(variant, rings, sides);
                let frame = &mut mesh.frames[0];
                for place in (1..frame.len()).rev() {
                    frame.swap(place, random.below(place + 1));
                }
                assert!(is_scrambled(&mesh), "{variant:?} {rings} {sides}");
                // The survey of `info` does not test it.
                let opened = open_built(&mesh);
                opened.validate_structure(&mut |finding| assert_ne!(finding.rule, "UR19")).unwrap();
                mesh.polygons.iter_mut().for_each(|polygon| polygon.kind = 8);
                assert!(!is_scrambled(&mesh), "weapon triangles are not drawn");
            }
        }
    }
    // The long sides of a tube with two rings are as long as random distances.
    for sides in [40, 60, 100, 300] {
        for variant in [Variant::Classic, Variant::DeusEx, Variant::Prototype] {
            assert!(!is_scrambled(&tube(variant, 2, sides)), "{variant:?} {sides}");
        }
    }
    // Too few polygons, all vertices at one place, and spikes longer than random distances.
    assert!(!is_scrambled(&cube(1)));
    let flat = tube(Variant::Classic, 20, 10);
    assert!(!is_scrambled(&builder::Mesh { frames: vec![vec![[5; 3]; 200]], ..flat }));
    let mut spikes = builder::Mesh::new(Variant::Classic, 300);
    let spike = |number: i16| [[number % 7, 0, 0], [1000, number, 0], [1000, 0, number]];
    spikes.frames = vec![(0..100).flat_map(spike).collect()];
    spikes.polygons = (0..100).map(|number| polygon([number * 3, number * 3 + 1, number * 3 + 2], 0, 0)).collect();
    spikes.frames[0].iter_mut().step_by(3).for_each(|vertex| vertex[0] -= 1000);
    assert!(!is_scrambled(&spikes));
}

#[test]
fn looks_for_scrambled_vertices_in_any_file() {
    let mut random = Random::new(7);
    let [data, aniv] = bytes_of(&tube(Variant::Classic, 20, 10));
    for _ in 0..200 {
        let [mut data, mut aniv] = [data.clone(), aniv.clone()];
        for _ in 0..20 {
            let at = 48 + random.below(data.len() - 48);
            data[at] = random.next().to_le_bytes()[0];
        }
        aniv.truncate(4 + random.below(aniv.len() - 4));
        check_invariants(&data, &aniv, None, &mut random);
    }
}
