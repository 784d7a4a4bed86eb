//! Tests of Second Life meshes: the values of views, the positions of errors, and which blocks are
//! inflated.

use meshpeek::model::Influences;
use meshpeek::model::animation::SkinMatrix;
use meshpeek::secondlife::{
    AssetPart, Header, HeaderPrefix, IDENTITY, InflateBuffer, Lod, Mesh, PhysicsShape, is_known, multiply,
};
use meshpeek::{Animations, Array as _, Error, Geometry, Limits, MeshFile as _, OpenOptions, Surface};

use crate::llsd::{DATE, UUID};
use crate::support::invariants::Fate;
use crate::support::limit_message;
use crate::support::random::Random;
use crate::support::secondlife::invariants::check_invariants;
use crate::support::secondlife::raw_assets::{
    array, asset, binary, codes, container, domain, everything, gzip, hulls, integer, level, map, one, place,
    raw_deflate, real, reals, shift, skin, square, stored_asset, string, with, without, zlib,
};
use crate::support::secondlife::{Sample, bytes, samples};
use crate::support::stopwatch::Stopwatch;

pub fn open(bytes: &[u8]) -> Mesh<&[u8]> {
    Mesh::open(bytes).unwrap()
}

/// Returns the field, the stable name of the kind, and the offset in the inflated block.
fn told(error: &Error) -> (String, &'static str, Option<u64>) {
    (error.field().to_string(), error.kind().id(), error.inflated_offset())
}

pub fn expect<T>(result: meshpeek::Result<T>, field: &str, kind: &str) -> Error {
    let error = result.err().unwrap_or_else(|| panic!("{field} must be refused"));
    assert_eq!((error.field().to_string().as_str(), error.kind().id()), (field, kind), "{error}");
    assert_eq!(error.format(), "secondlife");
    error
}

#[test]
fn reads_the_sample() {
    let bytes = bytes("quad.llmesh");
    let mesh = open(&bytes);
    let header = mesh.header().unwrap();
    assert_eq!((header.len(), header.base(), header.entries().count(), header.blocks().count()), (260, 260, 5, 5));
    assert!((header.version(), header.creator(), header.date()) == (None, None, None));
    for (lod, [vertices, triangles]) in Lod::ALL.into_iter().zip([[25, 32], [9, 8], [4, 2], [3, 1]]) {
        let level = mesh.level(lod).unwrap();
        assert_eq!((level.len(), level.part()), (1, lod.part()));
        let submesh = level.submesh(0).unwrap();
        assert_eq!((submesh.vertex_count(), submesh.triangle_count()), (vertices, triangles), "{lod:?}");
    }
    let submesh = mesh.level(Lod::Low).unwrap().submesh(0).unwrap();
    let positions: Vec<_> = submesh.positions().unwrap().iter().collect();
    let expected = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.5, 0.5, 0.0]];
    assert_eq!(positions.len(), expected.len());
    // The codes have 16 bits. The tolerance is half a step of the domain, which is at least as wide
    // as the unit cube.
    let near = |one: &[f32; 3], other: &[f32; 3]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1.0 / 65535.0);
    assert!(positions.iter().zip(&expected).all(|(one, other)| near(one, other)), "{positions:?}");
    assert!(submesh.normals().unwrap().unwrap().iter().all(|normal| near(&normal, &[0.0, 0.0, 1.0])));
    assert!(submesh.uvs().unwrap().unwrap().iter().eq([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]));
    assert!(submesh.indices().unwrap().iter().eq([0, 1, 3, 0, 3, 2]));
    assert!(submesh.weights().unwrap().is_none() && mesh.skin().unwrap().is_none());
    for Sample { file, bytes } in samples() {
        // One block of the cache file was never downloaded.
        let expected = if file == "cache.asset" { Fate::Damaged } else { Fate::Read };
        assert_eq!(check_invariants(&bytes, &mut Random::new(1)), expected, "{file}");
    }
}

/// Returns each region of a file: its name, its byte range, and the type of its elements.
fn regions(bytes: &[u8]) -> Vec<String> {
    let (mut all, mut end) = (Vec::new(), 0);
    open(bytes)
        .regions(0, &mut |region| {
            assert_eq!(region.start, end, "{} leaves a gap, or overlaps", region.field);
            end = region.end;
            all.push(format!("{} {}..{} {}", region.field, region.start, region.end, region.element.name));
        })
        .unwrap();
    assert_eq!(end, bytes.len() as u64, "bytes without a name");
    all
}

#[test]
fn accounts_for_every_byte() {
    for Sample { file, bytes } in samples() {
        assert!(regions(&bytes).len() > 5, "{file}");
    }
    let quad = bytes("quad.llmesh");
    let expected = [
        "open 0..5 llsd",
        "header[0].high_lod 5..54 llsd",
        "header[1].low_lod 54..102 llsd",
        "header[2].lowest_lod 102..153 llsd",
        "header[3].medium_lod 153..204 llsd",
        "header[4].physics_convex 204..259 llsd",
        "close 259..260 llsd",
        "physics_convex 260..338 zlib",
        "lowest_lod 338..503 zlib",
        "low_lod 503..678 zlib",
        "medium_lod 678..898 zlib",
        "high_lod 898..1254 zlib",
    ];
    assert_eq!(regions(&quad), expected);
    // Bytes after the end have a named region, and a finding with the same name.
    let longer = [&quad[..], b"left"].concat();
    let left = regions(&longer).pop().unwrap();
    let mut found = Vec::new();
    open(&longer).validate(&mut |finding| found.push(finding)).unwrap();
    assert_eq!(left, "end 1254..1258 u8");
    assert!(found.iter().any(|finding| finding.offset == 1254 && left.starts_with(&finding.field.to_string())));
}

/// Sets every count and length of a header and of a block to the ends of its range.
#[test]
fn survives_any_count() {
    let mut random = Random::new(2);
    let edges = [-1, 0, 1, 2, 255, 65_535, 65_536, i32::MAX / 3, i32::MAX, i32::MIN];
    // A count follows a marker of a type that has one. Its first two bytes are 0 here.
    let places = |bytes: &[u8]| -> Vec<usize> {
        let is_count = |at: &usize| b"[{sblk".contains(&bytes[*at]) && bytes[at + 1..at + 3] == [0, 0];
        (0..bytes.len() - 5).filter(is_count).map(|at| at + 1).collect()
    };
    let set = |bytes: &[u8], at: usize, count: i32| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + 4].copy_from_slice(&count.to_be_bytes());
        bytes
    };
    let whole = everything();
    let header = usize::try_from(open(&whole).header().unwrap().len()).unwrap();
    let value = level(&[square(), square()]);
    assert!(places(&whole[..header]).len() > 30 && places(&value).len() > 30);
    for count in edges {
        for at in places(&whole[..header]) {
            check_invariants(&set(&whole, at, count), &mut random);
        }
        for at in places(&value) {
            check_invariants(&asset(&[("high_lod", set(&value, at, count))]), &mut random);
        }
    }
}

#[test]
fn writes_what_it_read() {
    for Sample { file, bytes } in samples() {
        let mut written = Vec::new();
        open(&bytes).write_to(0, &mut written).unwrap();
        assert!(written == bytes, "{file}");
    }
    // Files that the builder never produces are also written unchanged.
    for bytes in [everything(), [&everything()[..], b"left"].concat(), one(square())] {
        let mut written = Vec::new();
        open(&bytes).write_to(0, &mut written).unwrap();
        assert!(written == bytes);
    }
}

#[test]
fn agrees_with_the_neutral_view() {
    for file in ["quad.llmesh", "arm.llmesh", "rock.llmesh", "ramp.llmesh"] {
        let bytes = bytes(file);
        let mesh = open(&bytes);
        let level = mesh.level(Lod::High).unwrap();
        let geometry: &dyn Geometry = &mesh;
        assert_eq!(
            (geometry.format(), geometry.surface_count().unwrap(), geometry.sphere().unwrap()),
            ("secondlife", level.len(), None)
        );
        let skin = mesh.skin().unwrap();
        assert_eq!(
            Animations::bone_count(&mesh).unwrap(),
            skin.as_ref().map_or(0, meshpeek::secondlife::Skin::joint_count)
        );
        for joint in 0..Animations::bone_count(&mesh).unwrap() {
            assert_eq!(Animations::bone(&mesh, joint).unwrap().name, skin.as_ref().unwrap().joint_name(joint).unwrap());
        }
        for surface in Surface::all(geometry).unwrap() {
            let submesh = level.submesh(surface.index()).unwrap();
            let (counts, vertices) = (surface.counts().unwrap(), submesh.vertex_count());
            assert_eq!(counts.vertices as usize, vertices, "{file}");
            assert_eq!(counts.corners as usize, submesh.triangle_count() * 3, "{file}");
            let (ours, own) = (surface.positions().unwrap(), submesh.positions().unwrap());
            assert!((0..=vertices).all(|vertex| ours.get(vertex) == own.get(vertex)), "{file}");
            let (ours, own) = (surface.normals().unwrap(), submesh.normals().unwrap());
            let normals = |vertex| (ours.map(|all| all.get(vertex)), own.map(|all| all.get(vertex)));
            assert!((0..=vertices).map(normals).all(|(ours, own)| ours == own), "{file}");
            let (ours, own) = (surface.uvs(0).unwrap(), submesh.uvs().unwrap());
            let uvs = |vertex| (ours.map(|all| all.get(vertex)), own.map(|all| all.get(vertex)));
            assert!((0..=vertices).map(uvs).all(|(ours, own)| ours == own), "{file}");
            assert!(surface.indices().unwrap().iter().eq(submesh.indices().unwrap().iter()), "{file}");
            let (ours, own) = (surface.weights().unwrap(), submesh.weights().unwrap());
            assert_eq!((ours.is_some(), own.is_some()), (skin.is_some(), skin.is_some()), "{file}");
            if let (Some(ours), Some(own)) = (ours, own) {
                let pairs = |list: Influences<'_>| list.iter().map(|one| (one.bone, one.weight)).collect::<Vec<_>>();
                let same = |vertex| ours.get(vertex).map(pairs) == own.get(vertex).map(pairs);
                assert!((0..=vertices as u32).all(same), "{file}");
            }
            let (own, whole) = (surface.bounds().unwrap(), geometry.bounds().unwrap());
            assert!((0..3).all(|axis| whole.min[axis] <= own.min[axis] && own.max[axis] <= whole.max[axis]), "{file}");
        }
    }
}

#[test]
fn reads_what_is_spelled() {
    let bytes = everything();
    let mesh = open(&bytes);
    let header = mesh.header().unwrap();
    assert_eq!(header.entries().count(), 10);
    assert!(header.blocks().map(|block| block.part).eq(AssetPart::ALL));
    assert!(header.lods().eq(Lod::ALL));
    assert_eq!(header.blocks().map(|block| block.end).max(), Some(bytes.len() as u64));
    for (lod, submeshes) in Lod::ALL.into_iter().zip([2, 1, 1, 2]) {
        let level = mesh.level(lod).unwrap();
        assert_eq!((level.len(), level.part(), level.block().part()), (submeshes, lod.part(), lod.part()));
        expect(level.submesh(submeshes), &format!("{}[{submeshes}]", lod.part().key()), "no-such");
        let submesh = level.submesh(submeshes - 1).unwrap();
        assert_eq!((submesh.vertex_count(), submesh.triangle_count()), (4, 2));
        assert!(!submesh.is_placeholder() && submesh.map().len() == 7);
        let points = [[-0.5, -0.5, -0.25], [0.5, -0.5, -0.25], [0.5, 0.5, -0.25], [-0.5, 0.5, 3.814_697_3e-6]];
        assert!(submesh.positions().unwrap().iter().eq(points));
        let normals = submesh.normals().unwrap().unwrap();
        assert!(normals.iter().all(|normal| normal == [1.525_878_9e-5, 1.525_878_9e-5, 1.0]));
        let uvs = submesh.uvs().unwrap().unwrap();
        assert!(uvs.iter().eq([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]));
        assert!(submesh.indices().unwrap().iter().eq([0, 1, 2, 0, 2, 3]));
        assert!(submesh.tangents().unwrap().is_none() && submesh.normalized_scale().unwrap().is_none());
        let weights = submesh.weights().unwrap().unwrap();
        assert!(weights.iter().map(|list| list.len()).eq([0, 1, 2, 4]));
        let stored = |list: Influences<'_>| (0..list.len()).map(|at| list.raw(at).unwrap()).collect::<Vec<_>>();
        assert_eq!(stored(weights.get(2).unwrap()), [(1, 0x8000), (0, 0x7fff)]);
        assert_eq!(stored(weights.get(3).unwrap()), [(0, 0x4000), (1, 0x4000), (1, 0x4000), (0, 0x3fff)]);
        assert_eq!(weights.get(1).unwrap().get(0).unwrap().weight, 1.0);
        assert!(weights.get(4).is_none());
    }
    assert!(mesh.convex().unwrap().is_some() && mesh.skin().unwrap().is_some());
    assert!(mesh.block(AssetPart::PhysicsHavok).unwrap().unwrap().value().map().unwrap().get("WeldingData").is_some());
    assert!(mesh.block(AssetPart::Skeleton).unwrap().unwrap().value().map().unwrap().is_empty());
    assert!(is_known(&bytes) && !is_known(b"{ \"json\": 1 }") && !is_known(b""));
}

/// Truncates an asset at any length.
///
/// It opens as soon as the header is complete. Each block is then either complete or reported as
/// truncated.
#[test]
fn names_the_field_that_is_cut() {
    let bytes = everything();
    let header = open(&bytes).header().unwrap().len() as usize;
    for length in 1..header {
        let error = Mesh::open(&bytes[..length]).unwrap_err();
        assert!(matches!(error.kind().id(), "unexpected-end" | "count"), "{error}");
        assert!(error.field().to_string() == "header" && error.offset().unwrap() <= length as u64);
    }
    for length in (header..bytes.len()).step_by(7) {
        let mesh = open(&bytes[..length]);
        for stored in mesh.header().unwrap().blocks() {
            let block = mesh.block(stored.part);
            if stored.end <= length as u64 {
                assert!(block.is_ok(), "{length} {stored:?}");
                continue;
            }
            let error = expect(block, &format!("{}.size", stored.part.key()), "unexpected-end");
            assert_eq!(error.offset(), Some(stored.start.min(length as u64)), "{error}");
            let options = OpenOptions::default().with_partial(true);
            let partial = Mesh::open_with(&bytes[..length], &options).unwrap();
            let error = expect(partial.block(stored.part), stored.part.key(), "missing");
            assert!(error.to_string().contains(&format!("bytes {}..{}", stored.start, stored.end)), "{error}");
        }
    }
}

#[test]
fn reads_a_header_from_its_first_bytes() {
    let limits = Limits::default();
    let fronts = ["", "<? LLSD/Binary ?>", "<? LLSD/Binary ?>\n", "<?llsd/binary?>\r\n"];
    for front in fronts {
        let bytes = [front.as_bytes(), &everything()].concat();
        let whole = open(&bytes).header().unwrap().len();
        for length in 0..whole {
            let prefix = Header::of_prefix(&bytes[..length as usize], &limits);
            let Ok(HeaderPrefix::NeedMore(needed)) = prefix else { panic!("{front:?} {length}: {prefix:?}") };
            assert!(needed > length && needed <= whole, "{front:?} {length}: {needed}");
        }
        for length in [whole, whole + 1] {
            let prefix = Header::of_prefix(&bytes[..length as usize], &limits).unwrap();
            assert!(matches!(prefix, HeaderPrefix::Ready(header) if header.len() == whole));
        }
        // A limit equal to the header's length is enough. With a limit of one byte less, the header
        // is refused as soon as the excess is known.
        let allowed = |header| Limits::default().with_header(header);
        assert!(Header::of_prefix(&bytes, &allowed(whole)).is_ok());
        for length in [bytes.len(), whole as usize, whole as usize - 1] {
            expect(Header::of_prefix(&bytes[..length], &allowed(whole - 1)), "header", "limit");
        }
        let options = OpenOptions::default().with_limits(allowed(whole - 1));
        expect(Mesh::open_with(bytes.as_slice(), &options), "header", "limit");
    }
    // A prefix that no further bytes can make valid is refused at once.
    for wrong in [&b"x"[..], b"[\0\0\0\0]", b"i\0\0\0\0", b"{\xff", b"{\0\0\0\x01xyz", b"{\0\0\0\x01k\xff\xff\xff\xff"]
    {
        let found = Header::of_prefix(wrong, &limits);
        assert_eq!(found.is_err(), wrong.len() > 2 || wrong[0] == b'x', "{wrong:?}");
    }
    expect(Header::of_prefix(b"{\x7f\xff\xff\xff", &limits), "header", "limit");
}

#[test]
fn a_header_says_what_simulators_know() {
    let entries = [
        ("version", integer(999)),
        ("creator", [&[b'u'][..], &UUID].concat()),
        ("date", DATE.to_vec()),
        ("submodel_id", integer(2)),
        ("material_list", array(&[string(b"one"), string(b"\xff")])),
        ("physics_cost_data", map(&[("hull", real(0.36))])),
        ("unknown", b"!".to_vec()),
    ];
    let bytes = stored_asset(&entries, &[("high_lod", zlib(&level(&[square()])))]);
    let mesh = open(&bytes);
    let header = mesh.header().unwrap();
    assert_eq!((header.version(), header.submodel_id()), (Some(999), Some(2)));
    assert_eq!((header.creator(), header.date()), (Some(&UUID), Some(1_511_941_196.162_105)));
    assert_eq!(header.material_list().unwrap().len(), 2);
    assert_eq!(header.physics_cost().unwrap().hull(), Some(0.36));
    assert!(header.get("unknown").is_some() && !header.is_stub() && !header.is_empty());
    // The entry has neither an offset nor a size, so it is not a block.
    assert_eq!(header.blocks().count(), 1);
    let newer = stored_asset(&[("version", integer(1000))], &[]);
    let error = expect(Mesh::open(newer.as_slice()), "version", "unsupported");
    assert!(error.to_string().contains("version 1000"), "{error}");
    // A client may still read the header.
    assert!(matches!(Header::of_prefix(&newer, &Limits::default()), Ok(HeaderPrefix::Ready(_))));
    // A value of another type is treated as absent.
    let odd = stored_asset(&[("version", real(1.0)), ("date", integer(1)), ("creator", b"!".to_vec())], &[]);
    let odd = open(&odd);
    let header = odd.header().unwrap();
    assert!(header.version().is_none() && header.date().is_none() && header.creator().is_none());
}

#[test]
fn a_block_is_where_its_entry_says() {
    let entry = |offset: Vec<u8>, size: Vec<u8>| map(&[("high_lod", map(&[("offset", offset), ("size", size)]))]);
    let field = |bytes: Vec<u8>, field: &str, kind: &str| {
        let mesh = open(&bytes);
        expect(mesh.level(Lod::High), field, kind);
        expect(mesh.header().unwrap().block(AssetPart::HighLod), field, kind);
        assert_eq!(mesh.header().unwrap().blocks().count(), 0);
    };
    field(entry(integer(-5), integer(10)), "high_lod.offset", "value");
    field(entry(integer(i32::MIN), integer(i32::MAX)), "high_lod.offset", "value");
    field(entry(integer(0), integer(-1)), "high_lod.size", "value");
    field(entry(real(0.0), integer(1)), "high_lod.offset", "value");
    field(entry(integer(0), string(b"1")), "high_lod.size", "value");
    field(map(&[("high_lod", integer(1))]), "high_lod", "value");
    // The range ends far after the end of the file, and its sum does not overflow.
    let bytes = entry(integer(i32::MAX), integer(i32::MAX));
    let error = expect(open(&bytes).level(Lod::High), "high_lod.size", "unexpected-end");
    assert_eq!(error.offset(), Some(bytes.len() as u64));
    // An entry without a size, or with a size of 0, means that the block does not exist.
    for bytes in [entry(integer(0), integer(0)), map(&[("high_lod", map(&[]))]), map(&[])] {
        let mesh = open(&bytes);
        assert!(mesh.block(AssetPart::HighLod).unwrap().is_none());
        expect(mesh.level(Lod::High), "high_lod", "missing");
    }
    let stub = map(&[("404", b"1".to_vec())]);
    let error = expect(open(&stub).view().nearest_level(Lod::Low), "high_lod", "missing");
    assert!(open(&stub).header().unwrap().is_stub() && error.to_string().contains("stub"), "{error}");
    // Two entries may share a range.
    let stored = zlib(&level(&[square()]));
    let shared = map(&[("high_lod", place(0, stored.len())), ("low_lod", place(0, stored.len()))]);
    let shared = [shared, stored].concat();
    let mesh = open(&shared);
    assert_eq!(mesh.level(Lod::High).unwrap().len(), mesh.level(Lod::Low).unwrap().len());
    // The error lists the available levels. `nearest_level` returns the level that a viewer shows
    // instead.
    let error = expect(mesh.level(Lod::Medium), "medium_lod", "choice");
    assert!(error.to_string().contains("high, low"), "{error}");
    let nearest = Lod::ALL.map(|lod| mesh.view().nearest_level(lod).unwrap().part());
    assert_eq!(nearest, [AssetPart::HighLod, AssetPart::LowLod, AssetPart::LowLod, AssetPart::LowLod]);
}

#[test]
fn a_placeholder_has_no_geometry() {
    for value in [&b"1"[..], b"0", b"!"] {
        let bytes = asset(&[("high_lod", level(&[vec![("NoGeometry", value.to_vec())]]))]);
        let mesh = open(&bytes);
        let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
        assert!(submesh.is_placeholder() && submesh.vertex_count() == 0 && submesh.triangle_count() == 0);
        assert!(submesh.positions().unwrap().is_empty() && submesh.indices().unwrap().is_empty());
        assert!(submesh.normals().unwrap().is_none() && submesh.uvs().unwrap().is_none());
        assert!(submesh.weights().unwrap().is_none());
    }
    let mesh = one(vec![]);
    let submesh = open(&mesh);
    let submesh = submesh.level(Lod::High).unwrap().submesh(0).unwrap();
    expect(submesh.positions(), "high_lod[0].Position", "missing");
    expect(submesh.indices(), "high_lod[0].TriangleList", "missing");
}

#[test]
fn domains_that_are_left_out_have_defaults() {
    let look = |entries| {
        let bytes = one(entries);
        let mesh = open(&bytes);
        let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
        let domains = submesh.position_domain().map(|domain| (domain.min(), domain.max()));
        (
            domains.map_err(|error| told(&error).0),
            submesh.uv_domain().map(|domain| (domain.min(), domain.max())).unwrap(),
        )
    };
    let found = look(without(without(square(), "PositionDomain"), "TexCoord0Domain"));
    assert_eq!(found, (Ok(([-0.5; 3], [0.5; 3])), ([0.0; 2], [1.0; 2])));
    let max_only = map(&[("Max", reals(&[1.0, 2.0, 3.0]))]);
    assert_eq!(look(with(square(), "PositionDomain", max_only)).0, Ok(([-0.5; 3], [1.0, 2.0, 3.0])));
    // Integers are accepted as reals.
    let whole = map(&[("Min", array(&[integer(-1), integer(-2), integer(-3)]))]);
    assert_eq!(look(with(square(), "PositionDomain", whole)).0, Ok(([-1.0, -2.0, -3.0], [0.5; 3])));
    // Any three values are accepted.
    let odd = domain(&[f32::NAN, f32::INFINITY, 1.0], &[0.0, 0.0, -1.0]);
    assert!(look(with(square(), "PositionDomain", odd)).0.is_ok());
    for wrong in [domain(&[0.0; 2], &[1.0; 3]), domain(&[0.0; 3], &[1.0; 4]), map(&[("Min", real(0.0))]), real(0.0)] {
        let found = look(with(square(), "PositionDomain", wrong));
        assert_eq!(found.0, Err("high_lod[0].PositionDomain".to_owned()));
    }
    let strings = map(&[("Min", array(&[string(b"0"), string(b"0"), string(b"0")]))]);
    assert!(look(with(square(), "PositionDomain", strings)).0.is_err());
}

#[test]
fn an_array_is_whole_or_refused() {
    let submesh = |entries: Vec<(&'static str, Vec<u8>)>, look: &dyn Fn(meshpeek::secondlife::Submesh<'_>)| {
        let bytes = one(entries);
        look(open(&bytes).level(Lod::High).unwrap().submesh(0).unwrap());
    };
    submesh(with(square(), "Normal", codes(&[0; 9])), &|submesh| {
        let error = expect(submesh.normals(), "high_lod[0].Normal", "value");
        assert!(error.to_string().contains("24 bytes, for 4 vertices, found 18"), "{error}");
        // The error has the offset of the value in the inflated block.
        assert_eq!(error.inflated_offset(), Some(5 + 5 + 11));
        assert!(submesh.positions().is_ok() && submesh.uvs().is_ok());
    });
    submesh(with(square(), "TexCoord0", codes(&[0; 10])), &|submesh| {
        expect(submesh.uvs(), "high_lod[0].TexCoord0", "value");
    });
    submesh(with(square(), "Tangent", codes(&[0; 15])), &|submesh| {
        expect(submesh.tangents(), "high_lod[0].Tangent", "value");
    });
    submesh(with(square(), "Tangent", codes(&[65535, 32768, 32768, 0].repeat(4))), &|submesh| {
        assert_eq!(submesh.tangents().unwrap().unwrap().len(), 4);
    });
    submesh(with(square(), "Position", binary(&[0; 25])), &|submesh| {
        expect(submesh.positions(), "high_lod[0].Position", "value");
        // Only complete vertices are counted.
        assert!(submesh.vertex_count() == 4 && submesh.normals().is_ok());
    });
    submesh(with(square(), "Position", reals(&[0.0])), &|submesh| {
        expect(submesh.positions(), "high_lod[0].Position", "value");
        assert_eq!(submesh.vertex_count(), 0);
    });
    // An odd byte, and up to two remaining indices, belong to no triangle.
    for extra in 0..6 {
        submesh(with(square(), "TriangleList", binary(&vec![1; 12 + extra])), &|submesh| {
            assert_eq!((submesh.triangle_count(), submesh.indices().unwrap().len()), (2, 6));
        });
    }
    submesh(with(square(), "TriangleList", codes(&[0, 1, 65535])), &|submesh| {
        assert_eq!(submesh.indices().unwrap().iter().max(), Some(65535));
        assert!(submesh.positions().unwrap().get(65535).is_none());
    });
    submesh(with(square(), "NormalizedScale", reals(&[2.0, 1.0, 0.5])), &|submesh| {
        assert_eq!(submesh.normalized_scale().unwrap(), Some([2.0, 1.0, 0.5]));
    });
    submesh(with(square(), "NormalizedScale", reals(&[2.0])), &|submesh| {
        expect(submesh.normalized_scale(), "high_lod[0].NormalizedScale", "value");
    });
    // If a key occurs twice, the first entry is used. Unknown keys are kept.
    let mut twice = square();
    twice.extend([("Position", codes(&[1; 3])), ("Mystery", b"!".to_vec())]);
    submesh(twice, &|submesh| {
        assert_eq!((submesh.vertex_count(), submesh.map().len()), (4, 9));
        assert!(submesh.map().get("Mystery").is_some());
    });
    // A level without submeshes, and values that are not submeshes.
    let bytes = asset(&[("high_lod", array(&[])), ("low_lod", map(&[])), ("lowest_lod", array(&[integer(1)]))]);
    let mesh = open(&bytes);
    assert!(mesh.level(Lod::High).unwrap().is_empty());
    expect(mesh.level(Lod::Low), "low_lod", "value");
    expect(mesh.level(Lod::Lowest).unwrap().submesh(0), "lowest_lod[0]", "value");
}

#[test]
fn weights_that_are_cut_end_with_the_last_whole_list() {
    let whole = crate::support::secondlife::raw_assets::WEIGHTS;
    for length in 0..=whole.len() {
        let bytes = one(with(square(), "Weights", binary(&whole[..length])));
        let mesh = open(&bytes);
        let weights = mesh.level(Lod::High).unwrap().submesh(0).unwrap().weights().unwrap().unwrap();
        let expected: Vec<usize> =
            [(1, 0), (5, 1), (12, 2), (24, 4)].iter().filter(|(end, _)| *end <= length).map(|(_, len)| *len).collect();
        assert!(weights.iter().map(|list| list.len()).eq(expected.iter().copied()), "{length}");
        for vertex in (0..6).rev() {
            assert_eq!(
                weights.get(vertex as u32).map(|list| list.len()),
                expected.get(vertex).copied(),
                "{length} {vertex}"
            );
        }
    }
    let bytes = one(with(square(), "Weights", string(b"w")));
    let mesh = open(&bytes);
    expect(mesh.level(Lod::High).unwrap().submesh(0).unwrap().weights(), "high_lod[0].Weights", "value");
    // Indices are cached for a limited number of submeshes. The lists of other submeshes are found
    // as well.
    let many = asset(&[("high_lod", level(&vec![square(); 70]))]);
    let mesh = open(&many);
    for submesh in mesh.level(Lod::High).unwrap().submeshes() {
        let weights = submesh.unwrap().weights().unwrap().unwrap();
        assert!([0, 1, 2, 3].map(|vertex| weights.get(vertex).unwrap().len()) == [0, 1, 2, 4]);
    }
}

#[test]
fn a_hull_of_size_0_has_256_points() {
    let points = codes(&vec![7; 3 * 260]);
    let hulls = with(with(hulls(), "HullList", binary(&[0, 4])), "Positions", points);
    let bytes = asset(&[("physics_convex", map(&hulls))]);
    let mesh = open(&bytes);
    let convex = mesh.convex().unwrap().unwrap();
    assert!(convex.hulls().unwrap().map(|hull| hull.len()).eq([256, 4]));
    assert_eq!(convex.hull_sizes().unwrap(), Some(&[0, 4][..]));
    // If there are fewer points than the hulls need, the hulls that fit are returned.
    let short = with(hulls, "HullList", binary(&[4, 0, 0]));
    let bytes = asset(&[("physics_convex", map(&short))]);
    let mesh = open(&bytes);
    assert!(mesh.convex().unwrap().unwrap().hulls().unwrap().map(|hull| hull.len()).eq([4, 256]));
}

#[test]
fn hulls_have_a_domain_of_their_own() {
    let convex = |entries: Vec<(&'static str, Vec<u8>)>, look: &dyn Fn(meshpeek::secondlife::Convex<'_>)| {
        let bytes = asset(&[("physics_convex", map(&entries))]);
        look(open(&bytes).convex().unwrap().unwrap());
    };
    convex(hulls(), &|convex| {
        let bounding = convex.bounding_points().unwrap().unwrap();
        assert_eq!((bounding.len(), bounding.get(1)), (4, Some([0.5, -0.25, -0.125])));
        assert_eq!(convex.hull_points().unwrap().unwrap().len(), 7);
        assert!(convex.hulls().unwrap().map(|hull| hull.len()).eq([3, 4]));
        assert_eq!(convex.map().len(), 5);
    });
    convex(without(without(hulls(), "Min"), "Max"), &|convex| {
        assert_eq!((convex.domain().unwrap().min(), convex.domain().unwrap().max()), ([-0.5; 3], [0.5; 3]));
    });
    convex(without(without(hulls(), "HullList"), "Positions"), &|convex| {
        assert!(convex.hull_points().unwrap().is_none() && convex.hull_sizes().unwrap().is_none());
        assert_eq!(convex.hulls().unwrap().count(), 0);
    });
    convex(with(hulls(), "Positions", binary(&[0; 7])), &|convex| {
        expect(convex.hull_points(), "physics_convex.Positions", "value");
    });
    convex(with(hulls(), "HullList", integer(1)), &|convex| {
        expect(convex.hulls().map(|_| ()), "physics_convex.HullList", "value");
    });
    convex(with(hulls(), "Min", reals(&[0.0])), &|convex| {
        expect(convex.bounding_points(), "physics_convex.Min", "value");
    });
    // A sub-model has no separate hulls.
    let bytes = asset(&[("physics_convex", b"!".to_vec())]);
    assert!(open(&bytes).convex().unwrap().is_none());
    let bytes = asset(&[("physics_convex", integer(1)), ("skin", b"!".to_vec())]);
    expect(open(&bytes).convex(), "physics_convex", "value");
    expect(open(&bytes).skin(), "skin", "value");
}

#[test]
fn chooses_what_to_collide_with() {
    let triangles = || level(&[without(square(), "Weights")]);
    let bounding = || map(&without(without(hulls(), "HullList"), "Positions"));
    let shape = |blocks: &[(&'static str, Vec<u8>)]| {
        let bytes = asset(blocks);
        let mesh = open(&bytes);
        match mesh.physics_shape().unwrap() {
            Some(PhysicsShape::Hulls(_)) => "hulls",
            Some(PhysicsShape::Mesh(level)) => level.part().key(),
            Some(PhysicsShape::BoundingHull(_)) => "hull",
            None => "nothing",
        }
    };
    assert_eq!(shape(&[("physics_convex", map(&hulls())), ("physics_mesh", triangles())]), "hulls");
    assert_eq!(shape(&[("physics_convex", bounding()), ("physics_mesh", triangles())]), "physics_mesh");
    assert_eq!(shape(&[("physics_convex", bounding()), ("physics_shape", triangles())]), "physics_shape");
    assert_eq!(shape(&[("physics_shape", triangles()), ("physics_mesh", triangles())]), "physics_mesh");
    assert_eq!(shape(&[("physics_convex", bounding())]), "hull");
    assert_eq!(shape(&[("physics_convex", map(&with(hulls(), "HullList", binary(&[]))))]), "hull");
    assert_eq!(shape(&[("physics_convex", b"!".to_vec())]), "nothing");
    assert_eq!(shape(&[("physics_convex", map(&[]))]), "nothing");
    assert_eq!(shape(&[]), "nothing");
}

#[test]
fn joints_move_vertices() {
    let bytes = asset(&[("skin", map(&skin())), ("high_lod", level(&[square()]))]);
    let mesh = open(&bytes);
    let skin = mesh.skin().unwrap().unwrap();
    assert_eq!((skin.joint_count(), skin.inverse_bind_count(), skin.alt_inverse_bind_count()), (2, 2, 2));
    assert_eq!(skin.joint_name(1).unwrap().as_bytes(), b"mTorso");
    assert_eq!(skin.bind_shape().unwrap(), shift([1.0, 2.0, 3.0]));
    assert_eq!(skin.inverse_bind(1).unwrap(), shift([0.0, -1.0, 0.0]));
    assert_eq!(skin.alt_inverse_bind(1).unwrap(), shift([0.0, 0.0, 2.0]));
    assert_eq!(skin.pelvis_offset().unwrap(), Some(0.125));
    assert!(skin.lock_scale_if_joint_position().unwrap() && skin.map().len() == 6);
    expect(skin.joint_name(2), "skin.joint_names[2]", "no-such");
    expect(skin.inverse_bind(2), "skin.inverse_bind_matrix[2]", "no-such");

    let world = |joint: usize| if joint == 0 { IDENTITY } else { shift([0.0, 0.0, 10.0]) };
    let palette = skin.palette(world).unwrap();
    let product = multiply(&multiply(&skin.bind_shape().unwrap(), &skin.inverse_bind(1).unwrap()), &world(1));
    assert_eq!(product, shift([1.0, 1.0, 13.0]));
    let moves = |to| SkinMatrix { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], to] };
    assert_eq!(palette.matrices(), [moves([1.0, 2.0, 3.0]), moves([1.0, 1.0, 13.0])]);
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    let weights = submesh.weights().unwrap().unwrap();
    let skinned = |vertex: u32| palette.position([0.0; 3], weights.get(vertex).unwrap().iter());
    // A vertex without influences follows the first joint.
    assert_eq!((skinned(0), skinned(1)), ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]));
    let [x, y, z] = skinned(2);
    assert!(x == 1.0 && (y - 1.5).abs() < 1e-4 && (z - 8.0).abs() < 1e-3, "{x} {y} {z}");
    assert_eq!(palette.direction([0.0, 0.0, 1.0], weights.get(3).unwrap().iter()), [0.0, 0.0, 1.0]);
}

#[test]
fn a_skin_is_whole_or_refused() {
    let look = |entries: Vec<(&'static str, Vec<u8>)>, look: &dyn Fn(meshpeek::secondlife::Skin<'_>)| {
        let bytes = asset(&[("skin", map(&entries))]);
        look(open(&bytes).skin().unwrap().unwrap());
    };
    look(without(skin(), "bind_shape_matrix"), &|skin| {
        expect(skin.bind_shape(), "skin.bind_shape_matrix", "missing");
    });
    look(with(skin(), "bind_shape_matrix", reals(&[1.0; 15])), &|skin| {
        expect(skin.bind_shape(), "skin.bind_shape_matrix", "value");
        expect(skin.palette(|_| IDENTITY), "skin.bind_shape_matrix", "value");
    });
    look(with(skin(), "inverse_bind_matrix", array(&[reals(&IDENTITY)])), &|skin| {
        let error = expect(skin.palette(|_| IDENTITY), "skin.inverse_bind_matrix", "value");
        assert!(error.to_string().contains("2 matrices, one per joint, found 1"), "{error}");
    });
    look(with(skin(), "inverse_bind_matrix", array(&[reals(&IDENTITY), reals(&[0.0; 3])])), &|skin| {
        assert!(skin.inverse_bind(0).is_ok());
        expect(skin.inverse_bind(1), "skin.inverse_bind_matrix[1]", "value");
        expect(skin.palette(|_| IDENTITY), "skin.inverse_bind_matrix[1]", "value");
    });
    look(with(skin(), "joint_names", array(&[string(b"a"), integer(1)])), &|skin| {
        expect(skin.joint_name(1), "skin.joint_names[1]", "value");
    });
    look(with(skin(), "pelvis_offset", reals(&[1.0])), &|skin| {
        expect(skin.pelvis_offset(), "skin.pelvis_offset", "value");
    });
    look(with(skin(), "lock_scale_if_joint_position", integer(1)), &|skin| {
        expect(skin.lock_scale_if_joint_position(), "skin.lock_scale_if_joint_position", "value");
    });
    look(vec![], &|skin| {
        assert_eq!((skin.joint_count(), skin.inverse_bind_count(), skin.alt_inverse_bind_count()), (0, 0, 0));
        assert!(skin.pelvis_offset().unwrap().is_none() && !skin.lock_scale_if_joint_position().unwrap());
    });
}

#[test]
fn a_container_holds_whole_assets() {
    let assets = [one(square()), b"{\0\0\0\x01k\0\0\0".to_vec(), everything()];
    let bytes = container(&assets);
    let mesh = open(&bytes);
    let model = mesh.container().unwrap();
    assert_eq!((model.len(), model.version(), mesh.asset_count()), (3, Some(3), 3));
    assert!(model.name().unwrap().is("model") && !model.is_empty() && model.map().len() == 4);
    let instance = model.instances().next().unwrap();
    assert!(instance.label().unwrap().is("part") && instance.materials().unwrap().is_empty());
    assert_eq!((instance.mesh_id(), instance.transform()), (Some(0), Some(shift([1.0, 2.0, 3.0]))));
    assert_eq!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), 4);
    // The second asset is damaged. The other assets are not affected.
    for (number, found) in mesh.assets().enumerate() {
        assert!(found.container().is_some() && found.asset_count() == 3);
        if number == 1 {
            let error = expect(found.header(), "header", "unexpected-end");
            assert_eq!(error.offset(), Some(found.asset_range().start as u64 + 6), "{error}");
            expect(found.level(Lod::High), "header", error.kind().id());
            continue;
        }
        assert_eq!(found.view().asset(), assets[number]);
        assert_eq!(&bytes[found.asset_range()], assets[number]);
        assert_eq!(found.level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), 4);
        let stored = found.header().unwrap().block(AssetPart::HighLod).unwrap().unwrap();
        let alone = open(&assets[number]).header().unwrap().block(AssetPart::HighLod).unwrap().unwrap();
        assert_eq!(stored.start, alone.start + found.asset_range().start as u64);
    }
    let choose = |asset| Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_asset(asset));
    assert_eq!(choose(2).unwrap().view().asset(), assets[2]);
    assert!(choose(1).unwrap().header().is_err());
    expect(choose(3), "asset[3]", "no-such");
    expect(Mesh::open_with(assets[0].as_slice(), &OpenOptions::default().with_asset(1)), "asset[1]", "no-such");
    // A block of an inner asset cannot extend past the end of the asset, even if the header
    // declares it.
    let mut greedy = one(square());
    greedy.truncate(greedy.len() - 1);
    let bytes = container(&[greedy, one(square())]);
    expect(open(&bytes).level(Lod::High), "high_lod.size", "unexpected-end");
}

#[test]
fn a_container_in_a_container_is_refused() {
    let bytes = container(&[container(&[one(square())]), one(square())]);
    let mesh = open(&bytes);
    let error = expect(mesh.header(), "mesh", "value");
    assert!(error.to_string().contains("another container"), "{error}");
    expect(mesh.level(Lod::High), "mesh", "value");
    let second = mesh.assets().nth(1).unwrap();
    assert_eq!(second.level(Lod::High).unwrap().len(), 1);
    // An asset must be a string with a length. A container without assets has nothing to read.
    let quoted = map(&[("mesh", array(&[b"'{'".to_vec(), integer(1)]))]);
    assert!(open(&quoted).assets().all(|asset| asset.header().is_err()));
    expect(open(&quoted).header(), "mesh", "value");
    let empty = container(&[]);
    assert_eq!((open(&empty).asset_count(), open(&empty).assets().count()), (0, 0));
    assert!(open(&empty).header().is_err());
    // An asset that has a key named `mesh` is still an asset.
    let odd = stored_asset(&[("mesh", array(&[]))], &[("high_lod", zlib(&level(&[square()])))]);
    assert!(open(&odd).container().is_none() && open(&odd).level(Lod::High).is_ok());
}

#[test]
fn a_cache_file_says_what_was_fetched() {
    let body = everything();
    let header = open(&body).header().unwrap().len() as usize;
    let cached = |words: [u32; 3]| [words.map(u32::to_le_bytes).concat(), body.clone()].concat();
    for (part, flag) in AssetPart::ALL.into_iter().filter_map(|part| Some((part, part.cache_flag()?))) {
        let bytes = cached([1, header as u32, flag]);
        let mesh = open(&bytes);
        assert_eq!(mesh.preamble().unwrap().flags.get(), flag);
        assert_eq!((mesh.view().start(), mesh.header().unwrap().base()), (12, 12 + header as u64));
        assert!(is_known(&bytes) && mesh.view().asset() == body);
        for other in AssetPart::ALL {
            let block = mesh.block(other);
            if other == part || other.cache_flag().is_none() {
                let block = block.unwrap().unwrap();
                let alone = open(&body).block(other).unwrap().unwrap().stored_at();
                assert_eq!(block.stored_at(), alone + 12);
            } else {
                expect(block, other.key(), "missing");
            }
        }
    }
    // Other leading words are not accepted as a cache record.
    for words in [[2, header as u32, 0], [1, 0, 0], [1, u32::MAX, 0]] {
        expect(Mesh::open(cached(words)), "header", "value");
    }
}

/// Returns an asset of one block with the given stored bytes.
fn stored_level(stored: Vec<u8>) -> Vec<u8> {
    stored_asset(&[], &[("high_lod", stored)])
}

#[test]
fn wrappers_other_than_zlib_are_told() {
    let plain = level(&[square()]);
    let bytes = stored_level(gzip(&plain));
    let block = open(&bytes);
    let block = block.block(AssetPart::HighLod).unwrap().unwrap();
    assert!(block.is_gzip() && block.bytes() == plain && block.unused() == 0);
    let refuse = |stored: Vec<u8>, kind: &str, text: &str| {
        let bytes = stored_level(stored);
        let mesh = open(&bytes);
        let error = expect(mesh.level(Lod::High), "high_lod", kind);
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.offset().unwrap() >= mesh.header().unwrap().base() && error.inflated_offset().is_none());
        assert!(!mesh.view().is_inflated(AssetPart::HighLod));
        // A second access returns the same error.
        assert_eq!(mesh.level(Lod::High).unwrap_err().to_string(), error.to_string());
    };
    refuse(raw_deflate(&plain), "value", "raw deflate data without a zlib header");
    refuse(plain.clone(), "value", "a zlib stream");
    refuse(vec![0; 100], "value", "bytes 00 00");
    refuse(vec![0x78], "unexpected-end", "2 bytes, found 1");
    // The header of a stream that needs a preset dictionary.
    refuse(vec![0x78, 0xbb, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1], "value", "preset dictionary");
    let sound = zlib(&plain);
    let length = sound.len();
    // The checksum is missing or wrong.
    (1..=4).for_each(|cut| refuse(sound[..length - cut].to_vec(), "unexpected-end", "truncated"));
    for last in 1..=4 {
        let mut wrong = sound.clone();
        wrong[length - last] ^= 1;
        refuse(wrong, "value", "zlib stream");
    }
    let mut wrong = sound.clone();
    wrong[length / 2] ^= 0x10;
    assert!(open(&stored_level(wrong)).level(Lod::High).is_err());
    let mut cut = gzip(&plain);
    cut.truncate(cut.len() - 1);
    refuse(cut, "unexpected-end", "truncated");
}

#[test]
fn bytes_that_are_left_over_are_told() {
    let plain = level(&[square()]);
    let bytes = asset(&[("high_lod", [plain.clone(), vec![7; 5]].concat())]);
    let mesh = open(&bytes);
    let block = mesh.block(AssetPart::HighLod).unwrap().unwrap();
    assert_eq!((block.rest(), block.unused()), (&[7; 5][..], 0));
    assert_eq!(block.level().unwrap().submesh(0).unwrap().vertex_count(), 4);
    // Bytes after the stream: arbitrary ones, or a second stream, which is not inflated.
    for tail in [vec![9; 3], zlib(b"more")] {
        let bytes = stored_level([zlib(&plain), tail.clone()].concat());
        let mesh = open(&bytes);
        let block = mesh.block(AssetPart::HighLod).unwrap().unwrap();
        assert_eq!((block.rest().len(), block.unused()), (0, tail.len() as u64));
        assert!(block.bytes() == plain);
    }
    // Bytes after the last block.
    let bytes = [one(square()), vec![1; 22]].concat();
    let mesh = open(&bytes);
    let end = mesh.header().unwrap().blocks().map(|block| block.end).max().unwrap();
    assert_eq!(mesh.view().end() - end, 22);
    // A block without a value.
    expect(open(&asset(&[("high_lod", vec![])])).level(Lod::High), "high_lod", "unexpected-end");
}

fn limited(bytes: &[u8], limits: Limits) -> Mesh<&[u8]> {
    Mesh::open_with(bytes, &OpenOptions::default().with_limits(limits)).unwrap()
}

/// Returns a level that takes `length` bytes.
fn wide(length: usize) -> Vec<u8> {
    let empty = level(&[vec![("Position", binary(&[]))]]).len();
    level(&[vec![("Position", binary(&vec![0; length - empty]))]])
}

#[test]
fn a_block_may_inflate_to_its_limit_and_no_further() {
    for length in [100, 1000, 65_536, 1 << 20] {
        let bytes = asset(&[("high_lod", wide(length))]);
        let limits = |block| Limits::default().with_block(block);
        let exact = limited(&bytes, limits(length as u64));
        assert_eq!(exact.block(AssetPart::HighLod).unwrap().unwrap().bytes().len(), length);
        let short = limited(&bytes, limits(length as u64 - 1));
        let error = expect(short.block(AssetPart::HighLod), "high_lod", "limit");
        let expected = limit_message("block", length as u64 - 1, length as u64);
        assert_eq!(error.message().to_string(), expected);
        expect(limited(&bytes, limits(0)).block(AssetPart::HighLod), "high_lod", "limit");
        // A truncated checksum is reported as truncated even if the block has the size of the
        // limit.
        let cut = zlib(&wide(length));
        let cut = stored_level(cut[..cut.len() - 2].to_vec());
        expect(limited(&cut, limits(length as u64)).block(AssetPart::HighLod), "high_lod", "unexpected-end");
    }
}

#[test]
fn blocks_that_are_kept_share_a_budget() {
    let length = 300_000;
    let wides = [wide(length), wide(length), wide(1000)];
    let bytes = asset(&["high_lod", "medium_lod", "low_lod"].into_iter().zip(wides).collect::<Vec<_>>());
    let limits = |asset| Limits::default().with_asset(asset);
    // Memory that was reserved but not used counts as well: at most a quarter of a block.
    let both = limited(&bytes, limits(length as u64 * 5 / 2));
    assert!(both.level(Lod::High).is_ok() && both.level(Lod::Medium).is_ok());
    let limit = length as u64 * 3 / 2;
    let short = limited(&bytes, limits(limit));
    assert!(short.level(Lod::High).is_ok());
    let error = expect(short.level(Lod::Medium), "medium_lod", "limit");
    let expected = limit_message("asset", limit, limit + 1);
    assert_eq!(error.message().to_string(), expected);
    // A smaller block still fits. A block that is not kept counts alone.
    assert!(short.level(Lod::Low).is_ok());
    let mut buffer = InflateBuffer::default();
    assert!(short.view().block_into(AssetPart::MediumLod, &mut buffer).is_ok());
    // The budget is at least four times the size of the file.
    let dense: Vec<u8> = (0..60_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let dense = asset(&[("high_lod", level(&[vec![("Position", binary(&dense))]]))]);
    assert!(limited(&dense, limits(0)).level(Lod::High).is_ok());
}

/// Tests that threads that inflate blocks of one asset at the same time share its budget.
///
/// Releasing a block frees its part of the budget.
#[test]
fn threads_share_a_budget_and_released_blocks_give_theirs_back() {
    let length = 300_000;
    let parts = [AssetPart::HighLod, AssetPart::MediumLod, AssetPart::LowLod, AssetPart::LowestLod];
    let bytes = asset(&parts.map(|part| (part.key(), wide(length))));
    for _ in 0..50 {
        let mut mesh = limited(&bytes, Limits::default().with_asset(length as u64 * 3 / 2));
        std::thread::scope(|scope| {
            for part in parts {
                let mesh = &mesh;
                scope.spawn(move || mesh.block(part).map(drop));
            }
        });
        let held: Vec<AssetPart> = parts.into_iter().filter(|part| mesh.view().is_inflated(*part)).collect();
        assert!(held.len() <= 1, "{held:?}");
        // A refusal for lack of budget is not cached.
        for part in held {
            mesh.release(part);
        }
        for part in parts {
            assert!(mesh.block(part).unwrap().is_some());
            assert!(mesh.view().is_inflated(part));
            mesh.release(part);
            assert!(!mesh.view().is_inflated(part));
        }
    }
    // Several threads request the same block. All of them get it, and one copy is kept.
    let mesh = limited(&bytes, Limits::default());
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| assert_eq!(mesh.level(Lod::High).unwrap().len(), 1))));
    });
}

/// Tests that `validate` reports header values and hashes of a wrong type.
#[test]
fn tells_of_values_of_another_kind() {
    let told = |entries: &[(&'static str, Vec<u8>)]| {
        let bytes = stored_asset(entries, &[("high_lod", zlib(&level(&[square()])))]);
        let mut found = Vec::new();
        open(&bytes).validate(&mut |finding| found.push((finding.rule, finding.field.to_string()))).unwrap();
        found
    };
    for key in ["creator", "date", "material_list", "submodel_id", "physics_cost_data"] {
        assert!(told(&[(key, string(b"?"))]).contains(&("SL40", key.to_owned())), "{key}");
    }
    let sound = [("submodel_id", integer(1)), ("material_list", array(&[string(b"\xff")]))];
    assert!(told(&sound).iter().all(|(rule, _)| *rule != "SL40"));
    let hash = map(&[("hash", string(b"?")), ("offset", integer(0)), ("size", integer(0))]);
    assert!(told(&[("physics_mesh", hash)]).contains(&("SL15", "physics_mesh.hash".to_owned())));
}

/// Tests that the error names the limit that was exceeded, with its numbers.
///
/// Blocks that are kept already make no difference.
#[test]
fn a_limit_of_one_block_is_told_as_such_beside_others() {
    let bytes = asset(&[("high_lod", wide(5000)), ("medium_lod", wide(6001))]);
    let mesh = limited(&bytes, Limits::default().with_block(6000));
    assert!(mesh.level(Lod::High).is_ok());
    let error = expect(mesh.level(Lod::Medium), "medium_lod", "limit");
    assert_eq!(error.message().to_string(), limit_message("block", 6000, 6001));
}

#[test]
fn a_buffer_serves_one_block_after_another() {
    let bytes = everything();
    let mesh = open(&bytes);
    let mut buffer = InflateBuffer::default();
    for part in AssetPart::ALL.into_iter().chain(AssetPart::ALL.into_iter().rev()) {
        let lent = mesh.view().block_into(part, &mut buffer).unwrap().unwrap();
        assert_eq!(lent.part(), part);
        assert!(lent.bytes() == mesh.block(part).unwrap().unwrap().bytes());
        if part.is_geometry() {
            let last = lent.level().unwrap().submeshes().last().unwrap().unwrap();
            assert_eq!(last.weights().unwrap().unwrap().get(3).unwrap().len(), 4);
        }
    }
    assert!(open(&one(square())).view().block_into(AssetPart::Skin, &mut buffer).unwrap().is_none());
    // Inflating into a caller's buffer keeps nothing in the mesh.
    let mesh = open(&bytes);
    mesh.view().block_into(AssetPart::HighLod, &mut buffer).unwrap();
    assert!(!mesh.view().is_inflated(AssetPart::HighLod));
}

/// Tests that a buffer can be used again after any block, even after a failure.
#[test]
fn a_buffer_forgets_what_failed() {
    let plain = level(&[square()]);
    let limits = Limits::default();
    let [sound, wrapped] = [zlib(&plain), gzip(&plain)];
    let cut = |stored: &[u8]| stored[..stored.len() - 3].to_vec();
    let bad: [Vec<u8>; 6] = [cut(&sound), cut(&wrapped), vec![1; 9], raw_deflate(&plain), zlib(b"["), gzip(b"]")];
    for bad in &bad {
        for next in [&sound, &wrapped, &sound] {
            let mut buffer = InflateBuffer::default();
            assert!(buffer.inflate(AssetPart::HighLod, bad, &limits).is_err());
            let block = buffer.inflate(AssetPart::HighLod, next, &limits);
            assert!(block.is_ok_and(|block| block.bytes() == plain), "after {:02x?}", &bad[..2]);
        }
    }
}

/// Tests that the capacity of a buffer does not raise the limit.
#[test]
fn a_buffer_that_was_large_is_limited_all_the_same() {
    let mut buffer = InflateBuffer::default();
    let limits = |block| Limits::default().with_block(block);
    buffer.inflate(AssetPart::HighLod, &zlib(&wide(100_000)), &limits(1 << 20)).unwrap();
    assert!(buffer.inflate(AssetPart::HighLod, &zlib(&wide(1000)), &limits(1000)).is_ok());
    let error = expect(buffer.inflate(AssetPart::HighLod, &zlib(&wide(1001)), &limits(1000)), "high_lod", "limit");
    let expected = limit_message("block", 1000, 1001);
    assert_eq!(error.message().to_string(), expected);
}

#[test]
fn hashes_are_those_of_the_stored_bytes() {
    let stored = zlib(b"!");
    // A hash of zeros is not the MD5 of the block.
    let size = integer(stored.len().try_into().unwrap());
    let wrong = map(&[("hash", binary(&[0; 16])), ("offset", integer(0)), ("size", size)]);
    let bytes = [map(&[("physics_convex", wrong)]), stored].concat();
    let mesh = open(&bytes);
    assert_eq!(mesh.header().unwrap().hash(AssetPart::PhysicsConvex), Some(&[0; 16][..]));
    assert_eq!(mesh.view().verify_hash(AssetPart::PhysicsConvex).unwrap(), Some(false));
    assert_eq!(mesh.view().verify_hash(AssetPart::HighLod).unwrap(), None);
}

/// Tests that reading a skin takes time linear in the number of joints, not quadratic.
#[test]
fn many_joints_take_no_longer_than_they_must() {
    let count = 3000;
    let matrices = array(&vec![array(&vec![integer(1); 16]); count]);
    let names = array(&vec![string(b"j"); count]);
    let entries = [
        ("alt_inverse_bind_matrix", matrices.clone()),
        ("bind_shape_matrix", reals(&IDENTITY)),
        ("inverse_bind_matrix", matrices),
        ("joint_names", names),
    ];
    let bytes = asset(&[("skin", map(&entries))]);
    let mesh = open(&bytes);
    let skin = mesh.skin().unwrap().unwrap();
    let start = Stopwatch::start();
    assert_eq!(skin.palette(|_| IDENTITY).unwrap().matrices().len(), count);
    assert!((0..count).all(|joint| skin.joint_name(joint).is_ok()));
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}
