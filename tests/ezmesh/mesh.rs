//! Tests of EZ-Mesh texts and binary files that are written by hand: the values of views, and the
//! positions of errors.

use std::collections::HashSet;
use std::ops::Range;

use meshpeek::decode::{ByteOrder, Influence};
use meshpeek::ezmesh::{
    Dialect, Form, Mesh, Scalar, Semantic, Track, VertexBuffer, VertexValue, is_known, unescape, unescape_percent,
};
use meshpeek::model::SurfaceArrays as _;
use meshpeek::model::{Influences, Transform};
use meshpeek::{
    Animations, Array, Bounds, Error, FormatVersion as _, Geometry, Limits, MeshFile as _, Name, OpenOptions, Surface,
};

use crate::support::cases;
use crate::support::ezmesh::invariants::check_invariants;
use crate::support::ezmesh::raw_files::{
    Description, Fields, Number, RawMesh, corner_vertices, element, everything, mesh, place, section, simple, system,
    triangles, vertices,
};
use crate::support::ezmesh::{Sample, bytes, samples};
use crate::support::invariants::Fate;
use crate::support::random::Random;

fn open(bytes: &(impl AsRef<[u8]> + ?Sized)) -> Mesh<&[u8]> {
    Mesh::open(bytes.as_ref()).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes.as_ref())))
}

fn strict(text: &str) -> Mesh<&[u8]> {
    Mesh::open_with(text.as_bytes(), &OpenOptions::default().with_strict(true)).unwrap()
}

/// Asserts that the result is an error with this field, kind and offset.
fn expect<T>(result: meshpeek::Result<T>, field: &str, kind: &str, offset: impl Into<Option<u64>>) -> Error {
    let error = result.err().unwrap_or_else(|| panic!("{field} must be refused"));
    let found = (error.field().to_string(), error.kind().id(), error.offset());
    assert_eq!(found, (field.to_owned(), kind, offset.into()), "{error}");
    assert_eq!(error.format(), "ezmesh");
    error
}

/// Asserts that a text does not open.
fn refuse(text: &str, field: &str, kind: &str, offset: u64) -> Error {
    expect(Mesh::open(text.as_bytes()), field, kind, offset)
}

fn end(text: &str) -> u64 {
    text.len() as u64
}

/// Returns the vertices of the first mesh, or of its first section.
fn buffer<'a>(system: &'a Mesh<&[u8]>) -> VertexBuffer<'a> {
    system.section(0).unwrap().vertex_buffer().unwrap()
}

fn cells<'a>(system: &'a Mesh<&[u8]>) -> Vec<Vec<VertexValue<'a>>> {
    let vertices = buffer(system).vertices().unwrap();
    (0..vertices.len()).map(|vertex| vertices.values(vertex).collect()).collect()
}

fn positions(system: &Mesh<&[u8]>) -> Vec<[f32; 3]> {
    let array = system.positions(0, 0).unwrap();
    (0..array.len()).map(|item| array.get(item).unwrap()).collect()
}

fn indices(system: &Mesh<&[u8]>) -> Vec<u32> {
    system.indices(0).unwrap().iter().collect()
}

fn track<'a>(system: &'a Mesh<&[u8]>, number: usize) -> Track<'a> {
    system.animation(0).unwrap().tracks().nth(number).unwrap()
}

const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];

/// Compares everything in the neutral view of two files.
fn expect_alike<D: AsRef<[u8]> + Send + Sync>(one: &Mesh<D>, other: &Mesh<D>) {
    let [moves, others]: [&dyn Animations; 2] = [one, other];
    let [one, other]: [&dyn Geometry; 2] = [one, other];
    let name = |name: Name<'_>| name.to_string();
    assert_eq!(
        (one.bounds().unwrap(), moves.bone_count().unwrap()),
        (other.bounds().unwrap(), others.bone_count().unwrap())
    );
    for bone in 0..moves.bone_count().unwrap() {
        assert_eq!(moves.bone(bone).unwrap(), others.bone(bone).unwrap());
    }
    assert_eq!(moves.clip_count().unwrap(), others.clip_count().unwrap());
    for clip in 0..moves.clip_count().unwrap() {
        let said = moves.clip(clip).unwrap();
        assert_eq!(said, others.clip(clip).unwrap());
        for frame in 0..said.frames as usize {
            let mut poses = [
                vec![Transform::default(); moves.bone_count().unwrap()],
                vec![Transform::default(); moves.bone_count().unwrap()],
            ];
            moves.pose(clip, frame, &mut poses[0]).unwrap();
            others.pose(clip, frame, &mut poses[1]).unwrap();
            assert_eq!(poses[0], poses[1]);
        }
    }
    assert_eq!(one.surface_count().unwrap(), other.surface_count().unwrap());
    for (one, other) in Surface::all(one).unwrap().zip(Surface::all(other).unwrap()) {
        assert_eq!(name(one.name().unwrap()), name(other.name().unwrap()));
        assert_eq!(one.material().unwrap().map(name), other.material().unwrap().map(name));
        assert_eq!(one.bounds().unwrap(), other.bounds().unwrap());
        assert_eq!(one.counts().unwrap(), other.counts().unwrap());
        let points = |surface: &Surface<'_>| {
            surface.positions().map(|all| (0..all.len()).map(|at| all.get(at)).collect::<Vec<_>>()).ok()
        };
        assert_eq!(points(&one), points(&other));
        let normals = |surface: &Surface<'_>| {
            surface.normals().unwrap().map(|all| (0..all.len()).map(|at| all.get(at)).collect::<Vec<_>>())
        };
        assert_eq!(normals(&one), normals(&other));
        for set in 0..5 {
            let uvs = |surface: &Surface<'_>| {
                surface.uvs(set).unwrap().map(|all| (0..all.len()).map(|at| all.get(at)).collect::<Vec<_>>())
            };
            assert_eq!(uvs(&one), uvs(&other));
        }
        let colors = |surface: &Surface<'_>| {
            surface.colors().unwrap().map(|all| (0..all.len()).map(|at| all.get(at)).collect::<Vec<_>>())
        };
        assert_eq!(colors(&one), colors(&other));
        let weights = |surface: &Surface<'_>| {
            let all = surface.weights().unwrap()?;
            let lists: Vec<Vec<Influence>> = all.iter().map(|list| list.iter().collect()).collect();
            for (vertex, list) in lists.iter().enumerate() {
                assert!(all.get(vertex as u32).unwrap().iter().eq(list.iter().copied()));
            }
            Some(lists)
        };
        assert_eq!(weights(&one), weights(&other));
        assert!(one.indices().unwrap().iter().eq(other.indices().unwrap().iter()));
        assert!(one.corners().unwrap().iter().eq(other.corners().unwrap().iter()));
        assert_eq!(one.weld().unwrap(), other.weld().unwrap());
        assert!(one.tangent_frames().unwrap().is_none() && one.sphere().unwrap().is_none() && one.is_drawn().unwrap());
    }
}

/// Opens a binary file at every alignment of its numbers in memory.
fn shifted(bytes: &[u8], check: impl Fn(&Mesh<&[u8]>)) {
    for shift in 0..4 {
        let mut moved = vec![0xee; shift];
        moved.extend(bytes);
        check(&open(&moved[shift..]));
    }
}

#[test]
fn reads_the_sample() {
    for (file, is_text) in [("crate.ezm", true), ("crate100.ezb", false)] {
        let bytes = bytes(file);
        let system = open(&bytes);
        assert_eq!(matches!(system.form(), Form::Text(Dialect::MeshSystem)), is_text, "{file}");
        let view = system.view();
        assert_eq!(view.asset_name().unwrap().to_string(), "crate");
        assert_eq!(
            (view.meshes().len(), view.sections().len(), view.materials().len(), view.bone_count()),
            (1, 2, 2, 0)
        );
        let names: Vec<_> = view.materials().map(|material| material.name().unwrap().to_string()).collect();
        assert_eq!(names, ["planks", "lid"]);
        let box_of_all = Bounds { min: [-0.5; 3], max: [0.5; 3] };
        assert_eq!((system.bounds().unwrap(), view.declared_bounds().unwrap()), (box_of_all, Some(box_of_all)));
        let points = positions(&system);
        assert_eq!((points.len(), points[0], points[23]), (24, [0.5, 0.5, 0.5], [-0.5, -0.5, -0.5]), "{file}");
        assert_eq!(indices(&system)[..6], [0, 3, 2, 0, 2, 1], "{file}");
        assert_eq!((system.indices(0).unwrap().len(), system.indices(1).unwrap().len()), (24, 12));
        let normals = system.normals(0, 0).unwrap().unwrap();
        assert_eq!((normals.get(0), normals.get(23)), (Some([1.0, 0.0, 0.0]), Some([0.0, -1.0, 0.0])));
        let uvs = system.uvs(0, 0).unwrap().unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|vertex| uvs.get(vertex).unwrap()),
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
        );
    }
    for Sample { file, bytes } in samples() {
        assert_eq!(check_invariants(&bytes), Fate::Read, "{file}");
    }
}

/// Returns the name and the byte range of each region of a file.
///
/// The regions have no gaps.
fn regions(bytes: &[u8]) -> Vec<(String, Range<usize>)> {
    let (mut all, mut end) = (Vec::new(), 0);
    open(bytes)
        .regions(0, &mut |region| {
            assert_eq!(region.start, end, "{} leaves a gap, or overlaps", region.field);
            end = region.end;
            all.push((region.field.to_string(), region.start as usize..region.end as usize));
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
    let text = [
        ("elements", 0..534),
        ("mesh[0].vertexbuffer", 534..1358),
        ("elements", 1358..1570),
        ("mesh[0].section[0].indexbuffer", 1570..1656),
        ("elements", 1656..1886),
        ("mesh[0].section[1].indexbuffer", 1886..1947),
        ("elements", 1947..2026),
    ];
    assert_eq!(regions(&bytes("crate.ezm")), text.map(|(name, range)| (name.to_owned(), range)));
    let binary = regions(&bytes("crate100.ezb"));
    let first = [("version", 0..4), ("tag", 4..14), ("asset_name", 14..23), ("asset_info", 23..31)];
    assert_eq!(binary[..4], first.map(|(name, range)| (name.to_owned(), range)));
    let vertices = binary.iter().find(|(name, _)| name == "mesh[0].vertexbuffer").unwrap();
    assert_eq!((binary.len(), &vertices.1), (39, &(398..1166)));
    // Bytes after the end have a named region, and a finding with the same name.
    let longer = [&bytes("crate100.ezb")[..], b"left"].concat();
    let (name, range) = regions(&longer).pop().unwrap();
    let mut found = Vec::new();
    open(&longer).validate(&mut |finding| found.push(finding)).unwrap();
    assert_eq!(range, 1190..1194);
    assert!(
        found.iter().any(|finding| finding.offset == 1190 && finding.field.to_string() == name),
        "{name}: {found:?}"
    );
}

/// Truncates a binary file at any length.
///
/// The error names a truncated field that starts at the error's offset.
#[test]
fn names_the_field_that_is_cut() {
    // Errors name a list by its items, but regions use the element of the text form. Two numbers
    // may be read as one field.
    let aliases = [("indexbuffer", "indices"), ("vertexbuffer", "vertices"), ("keys.count", "frames"), (".count", "")];
    let is_named = |region: &str, field: &str| {
        let alias =
            |(one, other)| region.strip_suffix(one).is_some_and(|parent| field.strip_suffix(other) == Some(parent));
        region == field || aliases.into_iter().any(alias) || (region, field) == ("system_version", "asset_version")
    };
    for file in ["crate100.ezb", "flag101.ezb"] {
        let bytes = bytes(file);
        let regions = regions(&bytes);
        // Without the version and the tag, the format is not detected.
        for length in regions[1].1.end..bytes.len() {
            let error = Mesh::open(&bytes[..length]).unwrap_err();
            assert!(matches!(error.kind().id(), "unexpected-end" | "count"), "{file}, {length}: {error}");
            let offset = usize::try_from(error.offset().unwrap()).unwrap();
            let (name, _) = regions.iter().find(|(_, range)| range.contains(&offset)).unwrap();
            assert!(
                offset <= length && is_named(name, &error.field().to_string()),
                "{file}, {length}, {name}: {error}"
            );
        }
    }
    // The text is truncated in a tag, or in an element that is not closed.
    let text = bytes("flag.ezm");
    for tag in ["<Bone ", "<AnimTrack ", "<vertexbuffer "] {
        let start = find(&text, tag.as_bytes());
        let error = expect(Mesh::open(&text[..start + tag.len()]), "element", "value", (start + tag.len()) as u64);
        assert!(error.to_string().contains("a tag that ends with >"), "{error}");
        let end = start + find(&text[start..], b">") + 1;
        let error = Mesh::open(&text[..end]).unwrap_err();
        assert!(error.field().to_string().ends_with("element") && error.to_string().contains("expected </"), "{error}");
    }
}

#[test]
fn survives_any_count() {
    let edges = [-1, 0, 1, 2, 3, 255, 65_535, 65_536, i32::MAX / 3, i32::MAX, i32::MIN];
    let (little, big) = (everything().binary(ByteOrder::Little), everything().binary(ByteOrder::Big));
    for (order, bytes) in [(ByteOrder::Little, little), (ByteOrder::Big, big)] {
        let all = regions(&bytes);
        let counts = all.into_iter().filter(|(name, _)| name.ends_with("count") || name.ends_with("flags"));
        let counts: Vec<_> = counts.collect();
        assert!(counts.len() > 15, "{counts:?}");
        for (_, range) in counts {
            for count in cases::tested(edges, 8) {
                let mut bytes = bytes.clone();
                bytes[range.clone()].copy_from_slice(&order.put(count as u32));
                check_invariants(&bytes);
            }
        }
    }
    let text = everything().text();
    let places: Vec<usize> = text.match_indices("count=\"").map(|(at, word)| at + word.len()).collect();
    assert!(places.len() > 10);
    for at in places {
        let end = at + text[at..].find('"').unwrap();
        for count in cases::tested(edges.map(i64::from).into_iter().chain([i64::MAX, 1 << 32]), 8) {
            check_invariants(format!("{}{count}{}", &text[..at], &text[end..]).as_bytes());
        }
    }
}

#[test]
fn agrees_with_the_neutral_view() {
    for Sample { file, bytes } in samples() {
        let system = open(&bytes);
        let (view, geometry): (_, &dyn Geometry) = (system.view(), &system);
        assert_eq!((geometry.format(), geometry.sphere().unwrap()), ("ezmesh", None));
        assert_eq!(
            (geometry.surface_count().unwrap(), Animations::bone_count(&system).unwrap()),
            (view.sections().len(), view.bone_count())
        );
        for bone in 0..view.bone_count() {
            assert_eq!(Animations::bone(&system, bone).unwrap(), view.bone(bone).unwrap(), "{file}");
        }
        assert_eq!(Animations::clip_count(&system).unwrap(), view.animations().len());
        for surface in Surface::all(geometry).unwrap() {
            let section = system.section(surface.index()).unwrap();
            let vertices = section.vertex_buffer().unwrap();
            let vertices = vertices.vertices().unwrap();
            let triangles = section.index_buffer().unwrap().unwrap();
            let material = surface.material().unwrap().map(|name| name.to_string());
            assert_eq!(material, Some(section.material_name().unwrap().to_string()), "{file}");
            assert!(surface.indices().unwrap().iter().eq(triangles.indices().unwrap().iter()), "{file}");
            let (ours, own) = (surface.positions().unwrap(), vertices.positions().unwrap());
            assert_eq!((ours.len(), surface.counts().unwrap().vertices as usize), (own.len(), vertices.len()));
            assert!((0..own.len()).all(|vertex| ours.get(vertex) == own.get(vertex)), "{file}");
            let (ours, own) = (surface.normals().unwrap(), vertices.normals());
            let normals = |vertex| (ours.map(|all| all.get(vertex)), own.map(|all| all.get(vertex)));
            assert!((0..=vertices.len()).map(normals).all(|(ours, own)| ours == own), "{file}");
            let (ours, own) = (surface.uvs(0).unwrap(), vertices.uvs(0));
            let uvs = |vertex| (ours.map(|all| all.get(vertex)), own.map(|all| all.get(vertex)));
            assert!((0..=vertices.len()).map(uvs).all(|(ours, own)| ours == own), "{file}");
            let bones = section.mesh().bones().unwrap().start;
            let (ours, own) = (surface.weights().unwrap(), vertices.weights(bones));
            assert_eq!(ours.is_some(), own.is_some(), "{file}");
            if let (Some(ours), Some(own)) = (ours, own) {
                let (slots, influences) = vertices.lanes().unwrap();
                let bytes = ours.as_bytes().as_ptr_range();
                assert!(
                    [slots.as_bytes(), influences.as_bytes()]
                        .map(<[u8]>::as_ptr_range)
                        .iter()
                        .all(|one| bytes.start <= one.start && one.end <= bytes.end),
                    "{file}"
                );
                let pairs = |list: Influences<'_>| list.iter().map(|one| (one.bone, one.weight)).collect::<Vec<_>>();
                let same = |vertex| ours.get(vertex).map(pairs) == own.get(vertex).map(pairs);
                assert!((0..=vertices.len() as u32).all(same), "{file}");
            }
        }
    }
}

#[test]
fn one_file_in_three_forms_is_the_same() {
    let described = everything();
    let text = described.text();
    let text = open(&text);
    assert_eq!(text.form(), Form::Text(Dialect::MeshSystem));
    for (order, version) in [(ByteOrder::Little, 100), (ByteOrder::Big, 101)] {
        let bytes = described.binary(order);
        shifted(&bytes, |binary| {
            assert_eq!((binary.form(), binary.dialect()), (Form::Binary { order, version }, None));
            assert_eq!(binary.version(), format!("ezb {version}"));
            expect_alike(&text, binary);
            expect_described(&described, binary);
        });
    }
    expect_described(&described, &text);
}

/// Compares everything that is not in the neutral view with its description.
fn expect_described(described: &Description, system: &Mesh<&[u8]>) {
    let view = system.view();
    let is_text = system.dialect().is_some();
    assert_eq!((view.asset_name().unwrap(), view.asset_info().unwrap()), (Name::new(b"asset"), Name::new(b"info")));
    assert_eq!(view.versions().unwrap(), [Some(1), Some(-3)]);
    let declared = Some(Bounds { min: [-1.0, -2.0, -3.0], max: [1.0, 2.0, 3.0] });
    assert_eq!(view.declared_bounds().unwrap(), declared);
    assert_eq!(view.plane().unwrap(), (!is_text).then_some([0.0, 1.0, 0.0, -4.0]));
    let mut first = 0;
    assert_eq!(view.skeletons().len(), described.skeletons.len());
    for (skeleton, said) in view.skeletons().zip(&described.skeletons) {
        assert_eq!(skeleton.name().unwrap().as_bytes(), said.name.as_bytes());
        assert_eq!(skeleton.declared_count().unwrap(), Some(said.bones.len() as u32));
        assert_eq!(skeleton.bone_range(), first..first + said.bones.len());
        for (bone, (name, parent, all)) in skeleton.bones().zip(&said.bones) {
            let bone = bone.unwrap();
            assert_eq!(bone.name.as_bytes(), name.as_bytes());
            assert_eq!(bone.parent, if *parent < 0 { -1 } else { parent + first as i32 });
            assert_eq!(bone.bind.position.as_slice(), &all[..3]);
            assert_eq!(bone.bind.rotation.as_slice(), &all[3..7]);
            assert_eq!(bone.bind.scale.as_slice(), &all[7..]);
        }
        first += said.bones.len();
    }
    for (animation, said) in view.animations().zip(&described.animations) {
        assert_eq!(animation.name().unwrap().as_bytes(), said.name.as_bytes());
        let timing = animation.timing().unwrap();
        assert_eq!(
            (timing.tracks, timing.duration, timing.dtime),
            (Some(said.tracks.len() as u32), Some(2.0), Some(0.5))
        );
        assert_eq!(animation.tracks().len(), said.tracks.len());
        assert_eq!(timing.frames, Some(animation.frame_count().unwrap()));
        for (track, (name, all)) in animation.tracks().zip(&said.tracks) {
            assert_eq!(track.name().unwrap().as_bytes(), name.as_bytes());
            assert_eq!((track.frame_count().unwrap() as usize, track.has_scale().unwrap()), (all.len(), Some(true)));
            assert_eq!(track.seconds().unwrap(), (!is_text).then_some([1.5, 0.25]));
            let keys = track.keys().unwrap();
            let floats = keys.iter().map(|key| [&key.position[..], &key.rotation, &key.scale].concat());
            assert!(floats.eq(all.iter().map(|key| key.to_vec())));
            assert!(keys.has_scale() && keys.len() == all.len() && !keys.is_empty());
            assert_eq!((keys.get(all.len()), keys.get(usize::MAX)), (None, None));
            assert!(keys.iter().map(|key| key.position[0]).eq(all.iter().map(|key| key[0])));
        }
    }
    for (material, said) in view.materials().zip(&described.materials) {
        assert_eq!([material.name().unwrap(), material.meta_data().unwrap()].map(|name| name.to_string()), *said);
        assert_eq!(material.decoded_meta_data().unwrap(), said[1].replace("%20", " "));
    }
    for (mesh, said) in view.meshes().zip(&described.meshes) {
        assert_eq!(mesh.name().unwrap().as_bytes(), said.name.as_bytes());
        assert_eq!(mesh.skeleton_name().unwrap().as_bytes(), said.skeleton.as_bytes());
        assert_eq!(mesh.declared_section_count().unwrap(), Some(said.sections.len() as u32));
        assert_eq!(mesh.declared_bounds().unwrap(), declared);
        assert_eq!(mesh.bones().unwrap().start, if said.skeleton == "two" { 3 } else { 0 });
        expect_vertices(said, &mesh.vertex_buffer().unwrap().unwrap());
        for (section, (material, indices)) in mesh.sections().zip(&said.sections) {
            assert_eq!(section.mesh().index(), mesh.index());
            assert_eq!(section.material_name().unwrap().as_bytes(), material.as_bytes());
            assert_eq!(section.flags().unwrap(), (!is_text).then_some(said.flags));
            assert!(!section.has_own_vertices() && section.info().unwrap().is_none());
            let triangles = section.index_buffer().unwrap().unwrap();
            assert!(triangles.indices().unwrap().iter().eq(indices.iter().copied()));
        }
    }
    for (instance, (name, all)) in view.instances().zip(&described.instances) {
        assert_eq!(instance.mesh_name().unwrap().as_bytes(), name.as_bytes());
        let Transform { position, rotation, scale } = instance.transform().unwrap();
        assert_eq!([&position[..], &rotation, &scale].concat(), *all);
    }
    assert_eq!(view.instances().len(), described.instances.len());
    if is_text {
        assert_eq!((view.textures().len(), view.user_data().len(), view.user_binary_data().len()), (0, 0, 0));
        return;
    }
    let (name, size, pixels) = view.textures().next().unwrap().picture().unwrap().unwrap();
    assert_eq!((name.as_bytes(), size, pixels), (&b"picture"[..], [2, 1, 3], &b"RGBrgb"[..]));
    assert_eq!(view.user_data().next().unwrap().pair().unwrap(), [Name::new(b"key"), Name::new(b"value")]);
    let (name, bytes) = view.user_binary_data().next().unwrap().content().unwrap();
    assert_eq!((name.as_bytes(), bytes), (&b"blob"[..], &[0, 1, 2][..]));
}

/// Compares vertices with the numbers that the description generated.
fn expect_vertices(said: &RawMesh, buffer: &VertexBuffer<'_>) {
    let vertices = buffer.vertices().unwrap();
    assert_eq!(
        (vertices.len(), buffer.count(), vertices.is_empty()),
        (said.vertices as usize, said.vertices, said.vertices == 0)
    );
    let is_binary = buffer.types()[0].as_bytes().is_empty();
    for vertex in 0..vertices.len() {
        let row: Vec<_> = vertices.values(vertex).collect();
        let mut expected = said.vertex(vertex as u32);
        if let Some(weights) =
            expected.iter().position(|number| matches!(number, Number::Short(_))).filter(|_| is_binary)
        {
            expected[weights - 4..weights + 4].rotate_left(4);
        }
        let found = row.iter().map(|cell| match cell {
            VertexValue::Float(float) => Number::Float(*float),
            VertexValue::Integer(short) => Number::Short(u16::try_from(*short).unwrap()),
            VertexValue::Hex(word) => Number::Word(*word),
            other => panic!("{other:?}"),
        });
        assert!(found.eq(expected.iter().copied()), "{row:?}, expected {expected:?}");
    }
    assert_eq!(vertices.values(vertices.len()).count(), 0);
    let has = |semantic| buffer.format().column(semantic).is_some();
    assert_eq!(vertices.lanes().is_some(), has(Semantic::BlendWeights));
    for (number, interp) in (0..8).map(|number| (number, Semantic::Interp(number))).filter(|(_, interp)| has(*interp)) {
        let column = buffer.format().column(interp).unwrap();
        for vertex in 0..vertices.len() {
            let expected = VertexValue::Float(vertex as f32 + f32::from((11 + number) * 4) / 128.0);
            assert_eq!(vertices.column_values(column, vertex).next(), Some(expected));
        }
    }
}

#[test]
fn every_flag_is_read_by_itself() {
    for flags in (0..19).map(|bit| 1 << bit).chain((0..19).map(|bit| 0x7_ffff >> bit)).chain([0, 0x5_5555, 0x2_aaaa]) {
        let said = RawMesh { name: "m", skeleton: "", flags, vertices: 5, sections: vec![("s", vec![0, 1, 4])] };
        let described = Description { meshes: vec![said.clone()], ..Description::default() };
        let binaries = [ByteOrder::Little, ByteOrder::Big].map(|order| described.binary(order));
        let [little, big] = [0, 1].map(|order| open(&binaries[order]));
        expect_alike_or_bare(flags, &little, &big);
        for binary in [&little, &big] {
            expect_vertices(&said, &binary.mesh(0).unwrap().vertex_buffer().unwrap().unwrap());
        }
        // The text form has no vertices without columns.
        if flags != 0 {
            let text = described.text();
            let text = open(&text);
            expect_vertices(&said, &text.mesh(0).unwrap().vertex_buffer().unwrap().unwrap());
            expect_alike_or_bare(flags, &text, &big);
        }
    }
}

fn expect_alike_or_bare(flags: u32, one: &Mesh<&[u8]>, other: &Mesh<&[u8]>) {
    if flags & 1 == 1 {
        return expect_alike(one, other);
    }
    for system in [one, other] {
        let field = system.positions(0, 0).unwrap_err();
        assert_eq!((field.field().to_string().as_str(), field.kind().id()), ("mesh[0].semantic", "missing"));
        assert_eq!(system.bounds().unwrap(), Bounds::EMPTY);
        assert!(system.uvs(0, 0).is_ok() && system.colors(0).is_ok() && system.weights(0).is_ok());
    }
}

#[test]
fn weights_count_from_the_skeleton_of_their_mesh() {
    let text = everything().text();
    let system = open(&text);
    let bones = |surface: usize| {
        let weights = system.weights(surface).unwrap().unwrap();
        weights.get(0).unwrap().iter().map(|one| (one.bone, one.weight)).collect::<Vec<_>>()
    };
    // An influence without weight is left out. The first mesh uses the second skeleton, whose bones
    // are 3 and 4.
    assert_eq!(bones(0), [(3, 0.5), (4, 0.25), (3, 0.25)]);
    assert_eq!(bones(2), [(0, 0.5), (1, 0.25), (0, 0.25)]);
    assert!(system.weights(0).unwrap().unwrap().get(6).is_none());
    let names: Vec<String> = (0..5).map(|bone| system.bone(bone).unwrap().name.to_string()).collect();
    assert_eq!(names, ["tip", "root", "arm", "root", "leg"]);
    let parents: Vec<i32> = (0..5).map(|bone| system.bone(bone).unwrap().parent).collect();
    assert_eq!(parents, [1, -1, 1, -1, 3]);
}

#[test]
fn poses_are_those_of_the_tracks() {
    let text = everything().text();
    let system = open(&text);
    let clips: Vec<_> = (0..3).map(|clip| system.clip(clip).unwrap()).collect();
    assert!(clips.iter().map(|clip| (clip.frames, clip.bones, clip.rate)).eq([
        (3, 2, None),
        (1, 2, None),
        (0, 0, None)
    ]));
    let mut pose = [Transform::default(); 5];
    let x = |pose: &[Transform; 5]| pose.map(|bone| bone.position[0]);
    system.pose(0, 1, &mut pose).unwrap();
    assert_eq!(x(&pose), [1.0, 2.0, 11.0, 4.0, 21.0]);
    // The track of the leg has ended before this frame.
    system.pose(0, 2, &mut pose).unwrap();
    assert_eq!(x(&pose), [1.0, 2.0, 12.0, 4.0, 21.0]);
    // A track without a bone moves nothing.
    system.pose(1, 0, &mut pose).unwrap();
    assert_eq!(x(&pose), [30.0, 2.0, 3.0, 4.0, 5.0]);
    expect(system.pose(0, 3, &mut pose), "animation[0].frame", "no-such", None);
    expect(system.pose(2, 0, &mut pose), "animation[2].frame", "no-such", None);
    expect(system.pose(3, 0, &mut pose), "clip[3]", "no-such", None);
    expect(system.pose(0, 0, &mut pose[..4]), "out", "buffer", None);
}

/// Returns a text in the second oldest dialect: a single mesh that contains everything, with
/// vertices in each section.
fn bare() -> String {
    let keys = "0 0 1 0 0 0 1, 0 0 2 0 0 0 1,";
    let inner = [
        element(
            "Animation name=\"walk\" trackcount=\"1\" framecount=\"2\" duration=\"1\" dtime=\"4\"",
            &element("AnimTrack name=\"b\" count=\"2\"", keys),
        ),
        element(
            "Skeleton name=\"s\" count=\"2\"",
            "<Bone name=\"a\" orientation=\"0 0 0 1\" position=\"1 2 3\"/><Bone name=\"b\" parent=\"a\" orientation=\"0 0 0 1\" position=\"4 5 6\"/>",
        ),
        element(
            "MeshSection material=\"m\" info=\"C:\\m.tga\"",
            &(vertices(2, "fff ff ff", "position texcoord texcoord", "0 0 0 1 2 3 4, 1 0 0 5 6 7 8")
                + &element("indexbuffer count=\"1\"", "0 1 0")),
        ),
        element(
            "MeshSection material=\"n\"",
            &(corner_vertices() + &element("indexbuffer count=\"2\"", "0 1 2 2 1 0")),
        ),
    ];
    format!("    {}", element("Mesh name=\"bare\"", &inner.concat()))
}

#[test]
fn a_bare_mesh_has_sections_of_their_own() {
    let text = bare();
    let system = open(&text);
    assert_eq!((system.dialect(), system.version()), (Some(Dialect::Mesh), "ezm Mesh"));
    let view = system.view();
    assert_eq!(view.asset_name().unwrap().as_bytes(), b"bare");
    assert_eq!((view.versions().unwrap(), view.declared_bounds().unwrap()), ([None; 2], None));
    let mesh = system.mesh(0).unwrap();
    assert!(mesh.vertex_buffer().unwrap().is_none() && mesh.declared_section_count().unwrap().is_none());
    assert_eq!((mesh.name().unwrap().as_bytes(), mesh.skeleton_name().unwrap().as_bytes()), (&b"bare"[..], &b""[..]));
    let sections: Vec<_> = mesh.sections().collect();
    assert_eq!(sections[0].info().unwrap(), Some(Name::new(b"C:\\m.tga")));
    assert_eq!((sections[1].info().unwrap(), sections[1].repeated_types().unwrap()), (None, [None; 2]));
    assert!(sections.iter().all(|section| section.has_own_vertices()));
    let uvs = |set: usize| system.uvs(0, set).unwrap().map(|all| all.get(1).unwrap());
    assert_eq!((uvs(0), uvs(1), uvs(2)), (Some([5.0, 6.0]), Some([7.0, 8.0]), None));
    assert_eq!((system.counts(0).unwrap().uv_sets, system.counts(1).unwrap().vertices), (2, 3));
    assert_eq!(system.bounds().unwrap(), Bounds { min: [0.0; 3], max: [1.0, 2.0, 0.0] });
    assert_eq!(system.surface_bounds(0).unwrap(), Bounds { min: [0.0; 3], max: [1.0, 0.0, 0.0] });
    let bone = system.bone(1).unwrap();
    assert_eq!((bone.parent, bone.bind.position, bone.bind.scale), (0, [4.0, 5.0, 6.0], [1.0; 3]));
    assert_eq!(track(&system, 0).has_scale().unwrap(), None);
    let keys = track(&system, 0).keys().unwrap();
    assert!(!keys.has_scale());
    assert_eq!(keys.get(1), Some(Transform { position: [0.0, 0.0, 2.0], ..Transform::default() }));
}

#[test]
fn a_scene_graph_has_tetrahedra() {
    let corners = "0 0 0  1 0 0  0 1 0  0 0 1\r\n 2 0 0  3 0 0  2 1 0  2 0 1\r\n";
    let tetra = element(
        "TetraMesh count=\"2\" ctype=\"fff  fff  fff  fff\" semantic=\"position position position position\"",
        corners,
    );
    let mesh = element(
        "Mesh name=\"m\"",
        &(element("MeshSection material=\"a\"", &(corner_vertices() + &element("indexbuffer count=\"1\"", "0 1 2")))
            + &tetra),
    );
    let text = format!("<?xml version=\"1.0\"?>{}", element("SceneGraph name=\"C:\\g\"", &mesh));
    let system = open(&text);
    assert_eq!((system.dialect(), system.version()), (Some(Dialect::SceneGraph), "ezm SceneGraph"));
    assert_eq!(system.view().asset_name().unwrap().as_bytes(), b"C:\\g");
    let tetra: Vec<_> = system.view().tetra_meshes().collect();
    assert_eq!((tetra.len(), tetra[0].count().unwrap()), (1, 2));
    let all: Vec<[f32; 12]> = tetra[0].corners().unwrap().iter().collect();
    assert_eq!(all[1], [2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0, 1.0]);
    assert_eq!((all.len(), positions(&system), indices(&system)), (2, CORNERS.to_vec(), vec![0, 1, 2]));
    for (from, to, field, at) in [
        ("fff  fff  fff  fff", "fff  fff  fff  ffh", "tetra_mesh[0].ctype", "fff  fff  fff  ffh"),
        ("position position position position", "position position", "tetra_mesh[0].ctype", "fff  fff  fff  fff"),
        ("count=\"2\"", "count=\"3\"", "tetra_mesh[0].corners", "0 0 0  1 0 0"),
        ("count=\"2\"", "count=\"-2\"", "tetra_mesh[0].count", "-2"),
        ("TetraMesh count=\"2\"", "TetraMesh", "tetra_mesh[0]", "<TetraMesh"),
        ("3 0 0", "3 o 0", "tetra_mesh[0].corners", "o 0"),
    ] {
        let text = text.replace(from, to);
        expect(open(&text).view().tetra_meshes().next().unwrap().corners(), field, "value", place(&text, at));
    }
}

#[test]
fn every_code_of_a_type_is_read() {
    let data = "1.5 -7 4294967295 -32768 65535 -128 255 q ab AbC1 00ff80C0 FFFFFFFF12345678 word, \
                2 8 -1 1 2 3 4 ,, zz,1 0102 11223344 1 2 3\r\n";
    // A character may be any byte but a separator. Hexadecimal digits need no separator after them.
    let data = data.replace("q ab AbC1", "q abAbC1").replace("FFFFFFFF12345678", "FFFFFFFF 12345678");
    let ctype = "f dd hH bB c x1x2 x4 X x4 p";
    let semantic = "a b c d e f g h i j";
    let text = simple(&vertices(1, ctype, semantic, &data), &triangles(1, "0 0 0"));
    let system = open(&text);
    let expected = vec![
        VertexValue::Float(1.5),
        VertexValue::Integer(-7),
        VertexValue::Integer(-1),
        VertexValue::Integer(-32768),
        VertexValue::Integer(-1),
        VertexValue::Integer(-128),
        VertexValue::Integer(-1),
        VertexValue::Character(b'q'),
        VertexValue::Hex(0xab),
        VertexValue::Hex(0xabc1),
        VertexValue::Hex(0x00ff_80c0),
        VertexValue::Hex(0xffff_ffff),
        VertexValue::Hex(0x1234_5678),
        VertexValue::Word(Name::new(b"word")),
    ];
    assert_eq!(cells(&system)[0], expected);
    assert_eq!(cells(&system)[0], expected);
    let scalars: Vec<&str> = buffer(&system).format().all_scalars().iter().map(|scalar| scalar.code()).collect();
    assert_eq!(scalars.concat(), "fddhhbbcx1x2x4x4x4p");
    assert_eq!(buffer(&system).format().size(), 4 + 8 + 4 + 2 + 1 + 3 + 4 + 4 + 4 + 4);
    assert!(buffer(&system).format().columns().iter().all(|column| column.semantic == Semantic::Other));
}

#[test]
fn words_end_where_their_block_does() {
    for data in [
        "a1 b2",
        "a1,b2,",
        "a1 b2\r\n",
        "a1 b2<!-- x -->",
        "a1<?x?> b2 <!-- more -->",
        "<![CDATA[a1 b2 ]]>",
        "<!-- no -->a1\tb2",
    ] {
        let text = simple(&vertices(2, "p", "what", data), &triangles(1, "0 0 0"));
        let system = open(&text);
        let rows = cells(&system);
        assert_eq!(cells(&system), rows, "{data}");
        let word =
            |cell: &VertexValue<'_>| if let VertexValue::Word(word) = cell { word.to_string() } else { panic!() };
        assert!(word(&rows[0][0]).starts_with("a1") && word(&rows[1][0]).starts_with("b2"), "{data}: {rows:?}");
    }
    let text = simple(&vertices(2, "p", "what", "a1 b2"), &triangles(1, "0 0 0"));
    assert_eq!(cells(&open(&text)), [[VertexValue::Word(Name::new(b"a1"))], [VertexValue::Word(Name::new(b"b2"))]]);
}

#[test]
fn every_word_has_its_meaning() {
    use Semantic as S;
    for (word, ctype, meaning) in [
        ("position", "fff", S::Position),
        ("POSITION", "FFF", S::Position),
        ("normal", "fff", S::Normal),
        ("color", "x4", S::Color),
        ("color", "x", S::Color),
        ("texcoord1", "ff", S::Texcoord(0)),
        ("TexCoord4", "ff", S::Texcoord(3)),
        ("texel1", "ff", S::Texcoord(0)),
        ("texel4", "ff", S::Texcoord(3)),
        ("texcoord", "ff", S::Texcoord(0)),
        ("tangent", "fff", S::Tangent),
        ("binormal", "fff", S::Binormal),
        ("blendweights", "ffff", S::BlendWeights),
        ("blendweighting", "ffff", S::BlendWeights),
        ("boneweighting", "ffff", S::BlendWeights),
        ("boneweights", "ffff", S::BlendWeights),
        ("blendindices", "hhhh", S::BlendIndices),
        ("BoneIndices", "hhhh", S::BlendIndices),
        ("radius", "f", S::Radius),
        ("interp1", "f", S::Interp(0)),
        ("interp8", "ffff", S::Interp(7)),
        // Not with these types, and not with these words.
        ("position", "ff", S::Other),
        ("color", "ffff", S::Other),
        ("texcoord1", "fff", S::Other),
        ("texcoord5", "ff", S::Other),
        ("texcoord0", "ff", S::Other),
        ("interp9", "fff", S::Other),
        ("interp1", "fffff", S::Other),
        ("blendindices", "dddd", S::Other),
        ("positions", "fff", S::Other),
    ] {
        let text = simple(&vertices(0, ctype, word, ""), &triangles(0, ""));
        let system = open(&text);
        let columns = buffer(&system).format().columns().to_vec();
        assert_eq!(columns.iter().map(|column| column.semantic).collect::<Vec<_>>(), [meaning], "{word} {ctype}");
        assert_eq!(buffer(&system).word(&columns[0]).as_bytes(), word.as_bytes());
        assert!(buffer(&system).vertices().unwrap().is_empty() && system.indices(0).unwrap().is_empty());
        assert!(cells(&system).is_empty());
        if let Some(standard) = meaning.word() {
            assert!(
                word.to_lowercase().starts_with(&standard[..3])
                    || standard.starts_with("texcoord")
                    || standard.starts_with("blend")
            );
        }
    }
    // A second column with the same meaning gets no meaning, but keeps its numbers. Texture
    // coordinates without a number are counted.
    let data = "1 2 3 4 5 6 7 8 9 10 11 12";
    let text =
        simple(&vertices(1, "ff ff ff ff fff f", "texcoord texel texcoord1 texcoord2 position radius", data), "");
    let system = open(&text);
    let meanings: Vec<_> = buffer(&system).format().columns().iter().map(|column| column.semantic).collect();
    assert_eq!(meanings, [S::Texcoord(0), S::Texcoord(1), S::Other, S::Other, S::Position, S::Radius]);
    assert_eq!(positions(&system), [[9.0, 10.0, 11.0]]);
    assert_eq!(cells(&system)[0].last(), Some(&VertexValue::Float(12.0)));
    assert_eq!(buffer(&system).word(&buffer(&system).format().columns()[2]).as_bytes(), b"texcoord1");
    // In any order, and with one set missing.
    let text = simple(&vertices(1, "ff x4 fff", "texcoord3 color position", "1 2 80ff0000 3 4 5"), "");
    let system = open(&text);
    assert_eq!((positions(&system), system.counts(0).unwrap().uv_sets), (vec![[3.0, 4.0, 5.0]], 3));
    assert!(system.uvs(0, 0).unwrap().is_none());
    assert_eq!(system.uvs(0, 2).unwrap().unwrap().get(0), Some([1.0, 2.0]));
    assert_eq!(system.colors(0).unwrap().unwrap().get(0), Some([1.0, 0.0, 0.0, 128.0 / 255.0]));
}

/// Returns several encodings of the content of the valid text.
fn spellings() -> Vec<(&'static str, String)> {
    let vertices = vertices(3, "fff", "position", "0 0 0, 1 0 0, 0 2 0,");
    let base = simple(&vertices, &triangles(1, "0 1 2"));
    let data = |data: &str| base.replace("0 0 0, 1 0 0, 0 2 0,", data);
    let doctype = "<!DOCTYPE MeshSystem [\r\n<!-- it's > ] a trap -->\r\n<!ENTITY a \"]>'\">\r\n<!ENTITY b SYSTEM 'file:///nowhere'>\
                   <?pi don't ?>]>";
    vec![
        ("as it is", base.clone()),
        ("line ends", base.replace("\r\n", "\n")),
        ("a mark", format!("\u{feff}{base}")),
        ("blanks", format!(" \t\r\n {base}\r\n\r\n ")),
        ("no declaration", base.replace("<?xml version=\"1.0\"?>", "")),
        ("comments", base.replace('<', "<!-- < > \" it's -- --><").replace("</", "<!----></")),
        ("instructions", base.replace("<M", "<?pi < > \"?><M").replace("</", "<?x?></")),
        ("document type", base.replace("?>\r\n", &format!("?>\r\n{doctype}"))),
        (
            "upper case",
            base.to_uppercase().replace("TRIANGLE_COUNT", "triangle_COUNT").replace("?XML VERSION", "?xml version"),
        ),
        ("single quotes", base.replace('"', "'").replace("'1.0'", "\"1.0\"")),
        ("no quotes", base.replace("count=\"3\"", "count=3").replace("triangle_count=\"1\"", "triangle_count=1")),
        (
            "blanks in tags",
            base.replace("=\"", "\r\n =\t\"")
                .replace("\">", "\"\r\n\t >")
                .replace("</vertexbuffer>", "</vertexbuffer \r\n>"),
        ),
        ("comments in data", data("0 0<!-- x --> 0, <!-- 7 8 9 -->1 0 0<!---->, 0 2 0,")),
        ("a number that is split", data("0 0 0, 1<!-- 7 -->e0 0 0, 0 <?x 5?>2.<?x?>0 0,")),
        ("character data", data("<![CDATA[0 0 0, 1 0 0, 0 2 0,]]>")),
        ("character data in part", data("0 0 <![CDATA[0, 1 ]]><![CDATA[]]><!-- -->0 0, 0<![CDATA[ ]]>2 0")),
        ("few separators", data("0,0,0,1,0,0,0,2,0")),
        ("many separators", data(",,0 , 0\t0,\r\n,1 0 0,,, 0 2 0 ,,, ")),
        ("other floats", data("0. .0 -0 1e0 0x0p0 $0 +0 2.0E+00 0e5")),
        ("bits", data("0 0 0, 7.5$3f800000 0 0, 0 $40000000 $00000000")),
        ("words", data("false 0 0, true f f, 0 2 F")),
        ("unknown", base.replace("<Mesh ", "<extra a=\"1\"><Bone/>text</extra><extra/><Mesh what=\"?\" ")),
        ("a name", base.replace("material=\"s\"", "material=\"a/b>c\\d#:'\r\n\"")),
        ("legacy count", base.replace("triangle_count", "count")),
        ("published count", base.replace("triangle_count", "trianglecount")),
    ]
}

#[test]
fn all_spellings_read_the_same() {
    for (what, text) in spellings() {
        let system = open(&text);
        assert!(is_known(text.as_bytes()), "{what}");
        assert_eq!((positions(&system), indices(&system)), (CORNERS.to_vec(), vec![0, 1, 2]), "{what}");
        let strict = strict(&text);
        assert_eq!((positions(&strict), indices(&strict)), (CORNERS.to_vec(), vec![0, 1, 2]), "{what}");
        assert_eq!((system.surface_count().unwrap(), system.bone_count().unwrap()), (1, 0), "{what}");
        assert_eq!(Surface::new(&system, 0).unwrap().weld().unwrap().indices, [0, 1, 2], "{what}");
    }
}

#[test]
fn limits_of_floats_have_names() {
    let text = simple(&vertices(2, "fff", "position", "fltmax FMAX FltMin, fmin -fltmax 1"), "");
    let error = open(&text).positions(0, 0).err();
    // Only the exact word is accepted.
    if let Some(error) = error {
        assert_eq!((error.kind().id(), error.offset()), ("value", Some(place(&text, "-fltmax"))));
    }
    let text = text.replace("-fltmax", "flt");
    let [max, min] = [f32::MAX, f32::MIN_POSITIVE];
    assert_eq!(positions(&open(&text)), [[max, max, min], [min, 0.0, 1.0]]);
    // The number as the format's own writer prints it.
    let long = text.replace("FMAX", "340282346638528859811704183484516925440.000000000");
    assert_eq!(positions(&open(&long)), [[max, max, min], [min, 0.0, 1.0]]);
}

#[test]
fn entities_stay_as_they_are() {
    let doctype = "<!DOCTYPE a [<!ENTITY b \"expanded\">]>";
    let text =
        format!("{doctype}{}", element("MeshSystem asset_name=\"&b; &amp; &#65;\" asset_info=\"a%20b&lt;%\"", ""));
    let system = open(&text);
    let (name, info) = (system.view().asset_name().unwrap(), system.view().asset_info().unwrap());
    assert_eq!((name.as_bytes(), unescape(name)), (&b"&b; &amp; &#65;"[..], "&b; & A".to_owned()));
    assert_eq!((info.as_bytes(), unescape_percent(info)), (&b"a%20b&lt;%"[..], "a b<%".to_owned()));
    // Entities are not expanded in numbers either.
    let text = simple(&vertices(1, "fff", "position", "&#48; 0 0"), "");
    expect(open(&text).positions(0, 0), "mesh[0].vertexbuffer", "value", place(&text, "&#48;"));
}

#[test]
fn interpolated_floats_are_as_many_as_there_are() {
    for (declared, printed) in (1..5).flat_map(|declared| (1..5).map(move |printed| (declared, printed))) {
        let row = |start: u32| (start..start + printed).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        let data = format!("0 0 0 {}, 1 0 0 {}", row(10), row(20));
        let text = simple(&vertices(2, &format!("fff {}", "f".repeat(declared)), "position interp5", &data), "");
        let system = open(&text);
        let all = system.section(0).unwrap().vertex_buffer().unwrap();
        let column = *all.format().column(Semantic::Interp(4)).unwrap();
        let width = all.format().scalars(&column).len();
        if printed as usize == declared {
            assert_eq!((width, all.interp_width()), (declared, None));
        } else if printed > 2 {
            assert_eq!((width, all.interp_width()), (printed as usize, Some(printed as u8)));
        } else {
            // No known writer produced such a file. It has too many or too few numbers. More
            // numbers are accepted only if they are whole rows.
            let (found, row) = (2 * (3 + printed as usize), 3 + declared);
            assert_eq!((width, all.interp_width()), (declared, None));
            assert_eq!(all.vertices().is_err(), found < 2 * row || found % row != 0);
            continue;
        }
        let rows = cells(&system);
        assert_eq!(
            rows[1][3..],
            (20..20 + printed).map(|number| VertexValue::Float(number as f32)).collect::<Vec<_>>()
        );
        assert_eq!(positions(&system), [[0.0; 3], [1.0, 0.0, 0.0]]);
    }
    // Two columns are declared with four floats, and both have three.
    let text = simple(&vertices(1, "ffff fff ffff", "interp1 position interp2", "1 2 3 4 5 6 7 8 9"), "");
    let system = open(&text);
    assert_eq!((positions(&system), buffer(&system).interp_width()), (vec![[4.0, 5.0, 6.0]], Some(3)));
}

#[test]
fn interpolated_floats_behind_digits_without_separators() {
    // Eight hexadecimal digits form a number even without a separator. The data has the declared
    // number of values, but one token less.
    let text = simple(
        &vertices(2, "fff x4 ffff", "position color interp1", "0 0 0 ff0000ff1 2 3 4, 1 0 0 00ff00ff5 6 7 8"),
        "",
    );
    let system = open(&text);
    assert_eq!(buffer(&system).interp_width(), None);
    assert_eq!(positions(&system), [[0.0; 3], [1.0, 0.0, 0.0]]);
    assert_eq!(
        cells(&system)[1][3..],
        [
            VertexValue::Hex(0x00ff_00ff),
            VertexValue::Float(5.0),
            VertexValue::Float(6.0),
            VertexValue::Float(7.0),
            VertexValue::Float(8.0)
        ]
    );
    let text = text.replace("3 4,", "3,").replace("7 8", "7");
    assert_eq!(buffer(&open(&text)).interp_width(), Some(3));
    assert_eq!(positions(&open(&text)), [[0.0; 3], [1.0, 0.0, 0.0]]);
}

#[test]
fn keys_are_as_wide_as_there_are_floats() {
    let file = |attributes: &str, keys: &str| {
        let track = element(&format!("AnimTrack name=\"b\" count=\"2\"{attributes}"), keys);
        system(&element("Animations", &element("Animation name=\"a\"", &track)))
    };
    let narrow = "1 2 3 0 0 0 1, 4 5 6 0 0 0 1,";
    let wide = "1 2 3 0 0 0 1 2 2 2, 4 5 6 0 0 0 1 3 3 3,";
    for (attributes, said) in [
        ("", None),
        (" has_scale=\"true\"", Some(true)),
        (" has_scale=\"1\"", Some(true)),
        (" has_scale=\"YES\"", Some(true)),
        (" has_scale=\"false\"", Some(false)),
        (" has_scale=\"\"", Some(false)),
    ] {
        for (keys, width) in [(narrow, 7), (wide, 10)] {
            let text = file(attributes, keys);
            let system = open(&text);
            let track = track(&system, 0);
            assert_eq!(track.has_scale().unwrap(), said);
            let keys = track.keys().unwrap();
            assert_eq!((keys.has_scale(), keys.len()), (width == 10, 2));
            let last = keys.get(1).unwrap();
            assert_eq!((last.position, last.scale), ([4.0, 5.0, 6.0], if width == 10 { [3.0; 3] } else { [1.0; 3] }));
            assert!(strict(&text).animation(0).unwrap().tracks().next().unwrap().keys().is_ok());
        }
    }
    // The number of values fits neither width: there are too many or too few.
    let text = file(" has_scale=\"true\"", &format!("{wide} 9"));
    assert_eq!(track(&open(&text), 0).keys().unwrap().len(), 2);
    expect(track(&strict(&text), 0).keys(), "animation[0].track[0].keys", "value", place(&text, "1 2 3 0"));
    let text = file("", "1 2 3 0 0 0 1, 4 5 6 0 0 0");
    let error = expect(track(&open(&text), 0).keys(), "animation[0].track[0].keys", "value", place(&text, "1 2 3 0"));
    assert!(error.to_string().contains("14 numbers, 2 keys of 7 each, found 13"), "{error}");
    let text = file("", "").replace(" count=\"2\"", "");
    expect(track(&open(&text), 0).keys(), "animation[0].track[0]", "value", place(&text, "<AnimTrack"));
    let text = file("", "").replace(" count=\"2\"", " count=\"two\"");
    expect(track(&open(&text), 0).frame_count(), "animation[0].track[0].count", "value", place(&text, "two"));
    let text = file("", "").replace("count=\"2\"", "count=\"0\"");
    assert!(track(&open(&text), 0).keys().unwrap().is_empty());
    assert_eq!(open(&text).clip(0).unwrap().frames, 0);
}

#[test]
fn attributes_of_animations_are_what_they_say() {
    let text = system(&element(
        "Animations count=\"1\"",
        &element("Animation name=\"a\" trackcount=\"7\" framecount=\"9\" duration=\"x\" dtime=\"4\"", ""),
    ));
    expect(open(&text).animation(0).unwrap().timing(), "animation[0].duration", "value", place(&text, "x\" dtime"));
    let sound = text.replace("\"x\"", "\"1e1\"");
    let timing = open(&sound).animation(0).unwrap().timing().unwrap();
    assert_eq!(
        (timing.tracks, timing.frames, timing.duration, timing.dtime),
        (Some(7), Some(9), Some(10.0), Some(4.0))
    );
    let wrong = sound.replace("\"7\"", "\"-7\"");
    expect(open(&wrong).animation(0).unwrap().timing(), "animation[0].trackcount", "value", place(&wrong, "-7"));
    let none = system("<Animation/>");
    assert_eq!(open(&none).animation(0).unwrap().timing().unwrap(), meshpeek::ezmesh::Timing::default());
}

#[test]
fn bones_without_attributes_are_at_rest() {
    let bones = "<Bone name=\"late\" parent=\"root\"/><Bone parent=\"\" name=\"root\"/>\
                 <Bone name=\"lost\" parent=\"nobody\"/><Bone/><Bone name=\"own\" parent=\"own\"/><Bone name=\"root\"/>\
                 <Bone name=\"far\" parent=\"other\"/><Bone name=\"case\" parent=\"ROOT\"/>";
    let text = system(
        &(element("Skeleton name=\"a\"", bones)
            + &element("Skeleton", "<Bone name=\"other\"/><Bone name=\"kid\" parent=\"other\"/>")),
    );
    let system = open(&text);
    let parents: Vec<i32> = (0..system.bone_count().unwrap()).map(|bone| system.bone(bone).unwrap().parent).collect();
    // The parent is the first bone with the name in the same skeleton. The case of letters must
    // match.
    assert_eq!(parents, [1, -1, -1, -1, 4, -1, -1, -1, -1, 8]);
    for bone in 0..system.bone_count().unwrap() {
        assert_eq!(system.bone(bone).unwrap().bind, Transform::default());
    }
    assert_eq!(system.bone(3).unwrap().name.as_bytes(), b"");
    expect(system.bone(10), "bone[10]", "no-such", None);
    for (attribute, at, expected) in [
        ("position=\"1 2\"", "1 2\"", "3 numbers"),
        ("position=\"1 2 3 4\"", "1 2 3 4", "3 numbers"),
        ("position=\"\"", "\"/><Bone name=\"kid", "3 numbers"),
        ("orientation=\"0 0 0 i\"", "0 0 0 i", "4 numbers"),
        ("scale=\"1;2;3\"", "1;2;3", "3 numbers"),
    ] {
        let text = text.replace("<Bone name=\"other\"/>", &format!("<Bone name=\"other\" {attribute}/>"));
        let name = attribute.split('=').next().unwrap();
        let error = expect(open(&text).bone(8), &format!("skeleton[1].bone[0].{name}"), "value", place(&text, at));
        assert!(error.to_string().contains(expected), "{error}");
        assert!(open(&text).bone(7).is_ok() && open(&text).bone_count().unwrap() == 10);
    }
}

#[test]
fn boxes_are_what_files_say() {
    let file = |shape: &str| {
        system(&(shape.to_owned() + &mesh("m", &(shape.to_owned() + &corner_vertices() + &section("s", shape)))))
    };
    let all = |text: &str| {
        let system = open(text);
        let results = [
            system.view().declared_bounds(),
            system.mesh(0).unwrap().declared_bounds(),
            system.section(0).unwrap().declared_bounds(),
        ];
        results.map(|result| result.map_err(|error| (error.field().to_string(), error.offset().unwrap())))
    };
    let bounds = Bounds { min: [0.0, -1.0, 2.0], max: [3.0, 4.0, 5.0] };
    for spelling in ["min=\"0,-1,2\" max=\"3,4,5\"", "max=\"3 4 5\" min=\" 0  -1\r\n2 \"", "MIN='0 -1 2' MAX='3,4 ,5'"]
    {
        assert!(all(&file(&format!("<MeshAABB {spelling}/>"))).into_iter().all(|found| found == Ok(Some(bounds))));
    }
    assert!(all(&file("")).into_iter().all(|found| found == Ok(None)));
    let fields = ["MeshAABB", "mesh[0].MeshAABB", "mesh[0].section[0].MeshAABB"];
    for (spelling, into) in
        [("min=\"0 0 0\" max=\"0 0\"", 27), ("min=\"0 0 0\"", 0), ("min=\"0 0 inf0\" max=\"1 1 1\"", 15), ("", 0)]
    {
        let text = file(&format!("<MeshAABB {spelling}/>"));
        let starts: Vec<u64> = text.match_indices("<MeshAABB").map(|(at, _)| at as u64).collect();
        for ((found, field), start) in all(&text).into_iter().zip(fields).zip(starts) {
            assert_eq!(found, Err((field.to_owned(), start + into)), "{spelling}");
        }
        // Such boxes are not needed for reading the mesh.
        assert_eq!(open(&text).bounds().unwrap(), Bounds { min: [0.0; 3], max: [1.0, 2.0, 0.0] });
    }
}

#[test]
fn instances_and_collisions_are_where_they_say() {
    let hull = element("MeshCollisionConvex", &(corner_vertices() + &triangles(1, "2 1 0")));
    let matrix = "1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1";
    let shapes = [
        element("MeshCollision name=\"a\" type=\"BOX\"", "<MeshCollisionBox/>"),
        element(&format!("MeshCollision name=\"b\" type=\"CONVEX\" transform=\"{matrix}\""), &hull),
        element("MeshCollision type=\"SPHERE\" transform=\"1 2\"", "<MeshCollisionSphere/>"),
    ];
    let representations = element("MeshCollisionRepresentation name=\"r\" info=\"i\" count=\"3\"", &shapes.concat())
        + &element("MeshCollisionRepresentation", "");
    let text = system(
        &[
            element(
                "MeshInstances count=\"2\"",
                "<MeshInstance mesh=\"m\" position=\"1,2,3\" rotation=\"0,0,1,0\" scale=\"2,2,2\"/><MeshInstance/>",
            ),
            element("MeshCollisionRepresentations count=\"1\"", &representations),
            mesh("m", &(vertices(1, "fff", "position", "9 9 9") + &section("s", &triangles(1, "0 0 0")))),
        ]
        .concat(),
    );
    let system = open(&text);
    let instances: Vec<_> = system.view().instances().collect();
    let moved = Transform { position: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 1.0, 0.0], scale: [2.0; 3] };
    assert_eq!((instances[0].mesh_name().unwrap().as_bytes(), instances[0].transform().unwrap()), (&b"m"[..], moved));
    assert_eq!((instances.len(), instances[1].transform().unwrap()), (2, Transform::default()));
    let all: Vec<_> = system.view().representations().collect();
    assert_eq!((all.len(), all[0].collisions().len(), all[1].collisions().len()), (2, 3, 0));
    assert_eq!((all[0].name().unwrap().as_bytes(), all[0].info().unwrap().as_bytes()), (&b"r"[..], &b"i"[..]));
    assert_eq!((all[0].declared_count().unwrap(), all[1].declared_count().unwrap()), (Some(3), None));
    let shapes: Vec<_> = all[0].collisions().collect();
    assert!(shapes[0].transform().unwrap().is_none() && shapes[0].hull_points().unwrap().is_none());
    assert_eq!(shapes[0].kind().unwrap().as_bytes(), b"BOX");
    let transform = shapes[1].transform().unwrap().unwrap();
    assert_eq!((transform[0], &transform[12..]), (1.0, &[5.0, 6.0, 7.0, 1.0][..]));
    let points = shapes[1].hull_points().unwrap().unwrap();
    assert!((0..3).map(|at| points.vertices().unwrap().positions().unwrap().get(at).unwrap()).eq(CORNERS));
    let hull = shapes[1].hull_triangles().unwrap().unwrap();
    assert!(hull.indices().unwrap().iter().eq([2, 1, 0]));
    expect(shapes[2].transform(), "collision[2].transform", "value", place(&text, "1 2\""));
    // The hull is not part of the mesh's vertices.
    assert_eq!((positions(&system), system.surface_count().unwrap()), (vec![[9.0; 3]], 1));
    let wrong = text.replace("position=\"1,2,3\"", "position=\"1,2\"");
    expect(
        open(&wrong).view().instances().next().unwrap().transform(),
        "instance[0].position",
        "value",
        place(&wrong, "1,2\" rot"),
    );
}

#[test]
fn counts_of_more_and_less_than_there_is() {
    let text = |vertices: u32, triangles: u32| {
        simple(
            &self::vertices(vertices, "fff", "position", "0 0 0, 1 0 0, 0 2 0,"),
            &self::triangles(triangles, "0 1 2"),
        )
    };
    // The count is lower than the number of values. Strict mode refuses this, otherwise the rest is
    // ignored.
    let fewer = text(2, 0);
    let system = open(&fewer);
    assert_eq!((positions(&system), indices(&system)), (CORNERS[..2].to_vec(), vec![]));
    let refused = strict(&fewer);
    let at = place(&fewer, "0 0 0, 1 0 0");
    let error = expect(refused.positions(0, 0), "mesh[0].vertexbuffer", "value", at);
    assert!(error.to_string().contains("6 numbers, 2 vertices of 3 each, found 9"), "{error}");
    expect(refused.indices(0), "mesh[0].section[0].indexbuffer", "value", place(&fewer, "0 1 2"));
    // The count is higher than the number of values, which is an error in every mode.
    for count in [4, 5, 1 << 20, u32::MAX] {
        let more = text(count, count);
        let system = open(&more);
        let at = place(&more, "0 0 0, 1 0 0");
        let error = expect(system.positions(0, 0), "mesh[0].vertexbuffer", "value", at);
        assert!(
            error
                .to_string()
                .contains(&format!("{} numbers, {count} vertices of 3 each, found 9", u64::from(count) * 3)),
            "{error}"
        );
        expect(system.indices(0), "mesh[0].section[0].indexbuffer", "value", place(&more, "0 1 2"));
        expect(Geometry::bounds(&system), "mesh[0].vertexbuffer", "value", at);
        assert_eq!(system.counts(0).unwrap().vertices, count);
    }
}

#[test]
fn numbers_that_are_none_are_told_with_their_place() {
    for (ctype, semantic, data, at) in [
        ("fff", "position", "0 0 0, 1 0 zero, 0 2 0", "zero"),
        ("fff", "position", "0 0 0; 1 0 0, 0 2 0", "0;"),
        ("fff", "position", "0 0 0 1 0 0 0 1..2 0", "1..2"),
        ("fff", "position", "0 0 0 1 0 0 0 - 0", "- 0"),
        ("fff", "position", "0 0 0 1 0 0 0 1$ 0", "1$"),
        ("fff", "position", "0 0 0 1 0 0 0 1$123456789 0", "1$1"),
        ("fff", "position", "0 0 0 1 <em/> 0 0 0 1 0", "<em/>"),
        ("fff", "position", "0 0 0 1 <em> 0</em> 0 0 1 0", "<em>"),
        ("fff", "position", "0 0 0 1 0 0 <!DOCTYPE a> 0 1 0", "<!DOCTYPE"),
        ("fff h", "position a", "0 0 0 1 0 0 0 70000 0 1 0 1", "70000"),
        ("fff h", "position a", "0 0 0 1 0 0 0 -32769 0 1 0 1", "-32769"),
        ("fff b", "position a", "0 0 0 1 0 0 0 256 0 1 0 1", "256"),
        ("fff d", "position a", "0 0 0 1 0 0 0 4294967296 0 1 0 1", "4294967296"),
        ("fff d", "position a", "0 0 0 1 0 0 0 1.5 0 1 0 1", "1.5"),
        ("fff x4", "position a", "0 0 0 00000001 0 0 0 abc 0 1 0 00000001", "abc"),
        ("hhhh fff", "blendindices position", "0 0 0 0 0 0 0 0 0 0 70001 0 0 0 0 0 0 0 0 0 0", "70001"),
    ] {
        let text = simple(&vertices(3, ctype, semantic, data), &triangles(1, "0 1 2"));
        let system = open(&text);
        let place = place(&text, at);
        let error = expect(system.positions(0, 0), "mesh[0].vertexbuffer", "value", place);
        assert!(error.to_string().contains("found "), "{error}");
        // A second access returns the same error.
        expect(system.positions(0, 0), "mesh[0].vertexbuffer", "value", place);
        expect(system.bounds(), "mesh[0].vertexbuffer", "value", place);
        assert!(system.indices(0).is_ok());
    }
    for data in ["0 1 x", "0 1 2.0", "0 1 4294967296", "0 1 -2147483649", "0 1 <b/>2"] {
        let text = simple(&corner_vertices(), &triangles(1, data));
        let system = open(&text);
        let place = place(&text, data) + 4;
        expect(system.indices(0), "mesh[0].section[0].indexbuffer", "value", place);
    }
    // A negative index is out of range, as in the binary form.
    let text = simple(&corner_vertices(), &triangles(1, "0 1 -1"));
    assert_eq!(indices(&open(&text)), [0, 1, u32::MAX]);
    assert!(Surface::new(&open(&text), 0).unwrap().weld().is_err());
    // More bytes than any number needs.
    let long = "1".repeat(129);
    let text = simple(&vertices(1, "fff", "position", &format!("0 0 {long}")), "");
    expect(open(&text).positions(0, 0), "mesh[0].vertexbuffer", "limit", place(&text, &long));
    let limits = Limits::default().with_number(4);
    let text = simple(&vertices(1, "fff", "position", "0.25 1 12345"), "");
    let system = Mesh::open_with(text.as_bytes(), &OpenOptions::default().with_limits(limits)).unwrap();
    expect(system.positions(0, 0), "mesh[0].vertexbuffer", "limit", place(&text, "12345"));
}

#[test]
fn vertices_that_make_no_sense_are_told_of() {
    let sound = simple(&vertices(3, "fff ff", "position texcoord1", "0 0 0 1 2"), &triangles(1, "0 1 2"));
    for (from, to, field, at) in [
        (" count=\"3\"", "", "mesh[0].vertexbuffer", "<vertexbuffer"),
        (" ctype=\"fff ff\"", "", "mesh[0].vertexbuffer", "<vertexbuffer"),
        (" semantic=\"position texcoord1\"", "", "mesh[0].vertexbuffer", "<vertexbuffer"),
        ("\"3\"", "\"3.0\"", "mesh[0].count", "3.0"),
        ("\"3\"", "\"-1\"", "mesh[0].count", "-1"),
        ("\"3\"", "\"4294967296\"", "mesh[0].count", "4294967296"),
        ("\"3\"", "\"3 4\"", "mesh[0].count", "3 4"),
        ("\"3\"", "\"\"", "mesh[0].count", "\" ctype"),
        ("fff ff", "fff fz", "mesh[0].ctype", "fff fz"),
        ("fff ff", "", "mesh[0].ctype", "\" semantic"),
        ("fff ff", "fff", "mesh[0].semantic", "position texcoord1"),
        ("fff ff", "fff ff f", "mesh[0].semantic", "position texcoord1"),
    ] {
        let text = sound.replace(from, to);
        let at = place(&text, at);
        let system = open(&text);
        expect(system.positions(0, 0), field, "value", at);
        expect(system.counts(0), field, "value", at);
        expect(system.mesh(0).unwrap().vertex_buffer().map(drop), field, "value", at);
        assert!(system.indices(0).is_ok());
        expect(system.bounds(), field, "value", at);
    }
    let many = sound.replace("fff ff", &format!("fff {}", "f".repeat(61)));
    expect(open(&many).counts(0), "mesh[0].ctype", "value", place(&many, &format!("fff {}", "f".repeat(61))));
    let most = sound.replace("fff ff", &format!("fff {}", "f".repeat(60)));
    assert_eq!(buffer(&open(&most)).format().all_scalars().len(), meshpeek::ezmesh::MAX_SCALARS);
    for (from, to, field, at) in [
        (" triangle_count=\"1\"", "", "mesh[0].section[0].indexbuffer", "<indexbuffer"),
        ("triangle_count=\"1\"", "triangle_count=\"x\"", "mesh[0].section[0].triangle_count", "x\">0 1"),
        ("triangle_count=\"1\"", "count=\"-\"", "mesh[0].section[0].count", "-\">0 1"),
        ("triangle_count=\"1\"", "trianglecount=\"\"", "mesh[0].section[0].trianglecount", "\">0 1"),
    ] {
        let text = sound.replace(from, to);
        expect(open(&text).indices(0), field, "value", place(&text, at));
    }
    // The section has no vertices at all.
    let text = system(&mesh("m", &section("s", &triangles(1, "0 0 0"))));
    expect(open(&text).positions(0, 0), "mesh[0].section[0].vertexbuffer", "missing", place(&text, "<MeshSection"));
    // The vertices do not have the requested column.
    let text = simple(&vertices(1, "fff", "normal", "1 2 3"), "");
    let system = open(&text);
    expect(system.positions(0, 0), "mesh[0].semantic", "missing", place(&text, "1 2 3"));
    assert_eq!(system.normals(0, 0).unwrap().unwrap().get(0), Some([1.0, 2.0, 3.0]));
    // A section without triangles is a surface without corners.
    assert_eq!((system.indices(0).unwrap().len(), system.counts(0).unwrap().corners), (0, 0));
    expect(system.positions(0, 1), "target[1]", "no-such", None);
    expect(system.positions(1, 0), "surface[1]", "no-such", None);
    expect(system.mesh(1), "mesh[1]", "no-such", None);
}

#[test]
fn structures_that_are_none_are_told_with_their_place() {
    refuse("", "header", "empty", 0);
    refuse("hello", "ezmesh", "unknown", 0);
    refuse("\u{feff}  hello", "ezmesh", "unknown", 0);
    let html = "<?xml version=\"1.0\"?><!-- <Mesh> --><html><Mesh/></html>";
    refuse(html, "element", "unsupported", place(html, "<html"));
    assert!(!is_known(html.as_bytes()) && is_known(b"<!-- a --><MESH x") && !is_known(b"<!-- a --><Meshes>"));
    let wide: Vec<u8> = "<MeshSystem/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [wide.clone(), [&[0xff, 0xfe][..], &wide].concat()] {
        expect(Mesh::open(bytes.as_slice()), "encoding", "unsupported", 0);
    }
    let declared = " <?xml version=\"1.0\" encoding='UTF-16'?><Mesh/>";
    refuse(declared, "encoding", "unsupported", 1);
    for (text, field, at) in [
        ("<MeshSystem><Mesh></MeshSystem>", "Mesh.element", "</MeshSystem>"),
        ("<MeshSystem></Mesh></MeshSystem>", "MeshSystem.element", "</Mesh>"),
        ("<MeshSystem/></MeshSystem>", "element", "</MeshSystem>"),
        ("<MeshSystem/><Mesh/>", "element", "<Mesh/>"),
        ("<MeshSystem/> x", "text", "x"),
        ("<!-- --> &amp; <MeshSystem/>", "ezmesh", "<!--"),
        ("<MeshSystem/><![CDATA[]]>", "text", "<!["),
        ("<MeshSystem><!-- </MeshSystem>", "comment", "<!--"),
        ("<MeshSystem><![CDATA[ </MeshSystem>", "CDATA", "<!["),
        ("<MeshSystem><? </MeshSystem>", "instruction", "<?"),
        ("<MeshSystem>< /></MeshSystem>", "element", "< />"),
        ("<MeshSystem><1/></MeshSystem>", "element", "<1/>"),
        ("<MeshSystem><Bone name></MeshSystem>", "Bone.attribute", "name"),
        ("<MeshSystem><Bone =\"\"></MeshSystem>", "Bone.attribute", "=\"\""),
        ("<MeshSystem><Bone name='a' NAME='b'/></MeshSystem>", "Bone.attribute", "b'/>"),
        ("<MeshSystem><Bone name='></MeshSystem>", "Bone.attribute", "></MeshSystem>"),
        ("<MeshSystem><Bone / ></MeshSystem>", "Bone.attribute", "/ >"),
        ("<MeshSystem><Mesh><Mesh/></Mesh></MeshSystem>", "Mesh.element", "<Mesh/>"),
        ("<Mesh><MeshSection><MeshSection/></MeshSection></Mesh>", "MeshSection.element", "<MeshSection/>"),
        ("<MeshSystem><Skeleton><a><Skeleton/></a></Skeleton></MeshSystem>", "Skeleton.element", "<Skeleton/>"),
        ("<MeshSystem><Animation><Animation/></Animation></MeshSystem>", "Animation.element", "<Animation/>"),
        ("<Mesh><vertexbuffer><Bone/></vertexbuffer></Mesh>", "Bone.element", "<Bone/>"),
        ("<MeshSystem><TetraMesh>0<vertexbuffer/></TetraMesh></MeshSystem>", "vertexbuffer.element", "<vertexbuffer/>"),
    ] {
        let kind = if field == "ezmesh" { "unknown" } else { "value" };
        if field == "ezmesh" {
            let error = Mesh::open(text.as_bytes()).unwrap_err();
            assert!(["value", "unknown"].contains(&error.kind().id()), "{text}: {error}");
            continue;
        }
        refuse(text, field, kind, place(text, at));
    }
    // The text is truncated, so the error is at its end.
    for (text, field) in [
        ("<MeshSystem>", "MeshSystem.element"),
        ("<MeshSystem><Mesh></Mesh>", "MeshSystem.element"),
        ("<MeshSystem><Mesh", "element"),
        ("<MeshSystem><Mesh ", "element"),
        ("<MeshSystem><Mesh a", "element"),
        ("<?xml version=\"1.0\"?>", "element"),
        ("<?xml version=\"1.0\"?><!DOCTYPE a [ ]>\r\n", "element"),
    ] {
        refuse(text, field, "value", end(text));
    }
    refuse("<MeshSystem></Mesh", "element", "value", 12);
    refuse(" <!DOCTYPE a [ <!ENTITY b \"]>\" ", "DOCTYPE", "value", 1);
}

#[test]
fn no_part_of_a_file_is_a_file() {
    let text = everything().text();
    for length in 0..text.trim_end().len() {
        let error = Mesh::open(&text.as_bytes()[..length]).unwrap_err();
        assert!(error.offset().is_some_and(|offset| offset <= length as u64), "{length}: {error}");
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = everything().binary(order);
        for length in 0..bytes.len() {
            let error = Mesh::open(&bytes[..length]).unwrap_err();
            let kind = error.kind().id();
            let known = if length < 14 { ["unknown", "empty"] } else { ["unexpected-end", "count"] };
            assert!(known.contains(&kind), "{length}: {error}");
            assert!(error.offset().is_some_and(|offset| offset <= length as u64), "{length}: {error}");
        }
    }
}

#[test]
fn limits_hold() {
    let opened = |text: &str, limits: Limits| {
        Mesh::open_with(text.as_bytes(), &OpenOptions::default().with_limits(limits)).map(drop)
    };
    let limits = Limits::default().with_items(2).with_elements(3).with_attributes(2).with_attribute(4);
    let deep = "<MeshSystem><a><b><c>0</c></b></a></MeshSystem>";
    expect(opened(deep, limits), "element", "limit", place(deep, "<c>"));
    let fine = "<MeshSystem><a><b><c/></b></a></MeshSystem>";
    opened(fine, limits).unwrap();
    let wide = "<MeshSystem><Bone a='' b='1' c='2'/></MeshSystem>";
    expect(opened(wide, limits), "Bone.attribute", "limit", place(wide, "2'/>"));
    let long = "<MeshSystem><Bone a='abcde'/></MeshSystem>";
    expect(opened(long, limits), "Bone.attribute", "limit", place(long, "abcde"));
    let many = "<MeshSystem><Material/><Material/><Material  /></MeshSystem>";
    expect(opened(many, limits), "Material", "limit", place(many, "<Material  "));
    let deepest = format!("<MeshSystem>{}", "<a>".repeat(300));
    let most = Limits::default().with_elements(u32::MAX);
    expect(opened(&deepest, most), "element", "limit", 12 + 255 * 3);
    let described = everything();
    let bytes = described.binary(ByteOrder::Big);
    let limits = Limits::default().with_items(2);
    let error = Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap_err();
    assert_eq!((error.kind().id(), error.field().to_string().as_str()), ("limit", "skeleton[0].bones"));
}

/// Returns the offset of a text in bytes.
fn find(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}

#[test]
fn binary_fields_that_are_wrong_are_told_with_their_place() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let described = everything();
        let sound = described.binary(order);
        let at_text = |text: &str| {
            let mut fields = Fields { order, bytes: Vec::new() };
            fields.text(text);
            find(&sound, &fields.bytes)
        };
        let wrong = |at: usize, number: u32| {
            let mut bytes = sound.clone();
            bytes[at..at + 4].copy_from_slice(&order.put(number));
            bytes
        };
        let refuse = |at: usize, number: u32, field: &str, kind: &str| {
            let bytes = wrong(at, number);
            expect(Mesh::open(bytes.as_slice()), field, kind, at as u64)
        };
        let textures = at_text("picture") - 4;
        refuse(textures, 1000, "textures", "count");
        refuse(textures, u32::MAX, "textures", "limit");
        let tetra = textures + 4 + 4 + 7 + 12 + 4 + 6;
        refuse(tetra, 2, "tetra_meshes", "unsupported");
        refuse(tetra + 4, 500, "skeletons", "count");
        let bones = at_text("one") + 7;
        refuse(bones, 900, "skeleton[0].bones", "count");
        let tracks = at_text("wave") + 8;
        refuse(tracks, 900, "animation[0].tracks", "count");
        let collisions = sound.len() - 20;
        refuse(collisions, 1, "collision_representations", "unsupported");
        // A string that is longer than the file.
        let error = Mesh::open(wrong(at_text("wood"), 1 << 30).as_slice()).unwrap_err();
        assert_eq!(
            (error.kind().id(), error.field().to_string().as_str()),
            ("unexpected-end", "material[0].name"),
            "{error}"
        );
        // More triangles and vertices than the file has.
        let section = at_text("first") + 9 + 7 + 24 + 4;
        let triangles = section + 8 + 24 + 4;
        let error = Mesh::open(wrong(triangles, u32::MAX).as_slice()).unwrap_err();
        assert!(["count", "unexpected-end"].contains(&error.kind().id()), "{error}");
        assert_eq!(error.field().to_string(), "mesh[0].section[0].indices");
        // Unknown flags of a section and of the vertices. The former are only copied.
        assert_eq!(open(&wrong(section + 8 + 24, 1 << 31)).section(0).unwrap().flags().unwrap(), Some(1 << 31));
        let mesh_flags = triangles + 4 + 24 + (4 + 5 + 24 + 4 + 4 + 12);
        let bytes = wrong(mesh_flags, 1 << 19 | 1);
        let error = expect(Mesh::open(bytes.as_slice()), "mesh[0].flags", "value", mesh_flags as u64);
        assert!(error.to_string().contains("0x00080001"), "{error}");
        let error = Mesh::open(wrong(mesh_flags + 4, 1 << 30).as_slice()).unwrap_err();
        assert_eq!(error.field().to_string(), "mesh[0].vertices", "{error}");
        // A parent that is not in the skeleton is treated as no parent.
        let parent = at_text("leg") + 7;
        assert_eq!(open(&wrong(parent, 77)).bone(4).unwrap().parent, -1);
        assert_eq!(open(&wrong(parent, u32::MAX)).bone(4).unwrap().parent, -1);
        // The other version number with this byte order.
        let mut other = sound.clone();
        other[..4].copy_from_slice(&order.put(if order == ByteOrder::Little { 101 } else { 100 }));
        expect_alike(&open(&sound), &open(&other));
        let mut tagged = sound;
        tagged[8] = b'e';
        assert_eq!(Mesh::open(tagged.as_slice()).unwrap_err().kind().id(), "unknown");
    }
    // Vertices without columns take no bytes. Their number is limited like that of other items.
    let nothing = |vertices| {
        let mesh = RawMesh { name: "m", skeleton: "", flags: 0, vertices, sections: Vec::new() };
        Description { meshes: vec![mesh], ..Description::default() }.binary(ByteOrder::Little)
    };
    assert_eq!(open(&nothing(1 << 20)).mesh(0).unwrap().vertex_buffer().unwrap().unwrap().count(), 1 << 20);
    assert_eq!(Mesh::open(nothing((1 << 20) + 1).as_slice()).unwrap_err().kind().id(), "limit");
}

#[test]
fn views_outlive_the_calls_that_gave_them() {
    fn shared<T: Copy + Send + Sync>(_: T) {}
    let text = everything().text();
    let system = open(&text);
    let positions = {
        let view = system.view();
        let mesh = view.meshes().next().unwrap();
        shared((view, mesh));
        let buffer = mesh.vertex_buffer().unwrap().unwrap();
        shared(buffer);
        shared(buffer.vertices().unwrap());
        buffer.vertices().unwrap().positions().unwrap()
    };
    assert_eq!(positions.len(), 6);
    let threads: HashSet<[u32; 3]> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| system.positions(1, 0).unwrap().get(5).unwrap().map(f32::to_bits))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(threads.len(), 1);
}

#[test]
fn watched_files_tell_what_was_looked_at() {
    let bytes = everything().binary(ByteOrder::Little);
    let options = OpenOptions::default().with_record_access(true);
    let system = Mesh::open_with(bytes.as_slice(), &options).unwrap();
    let opened = system.access_log(0).unwrap().bytes();
    assert!(opened > 14 && opened < bytes.len() as u64 / 2, "{opened} of {}", bytes.len());
    system.positions(0, 0).unwrap();
    assert!(open(&bytes).access_log(0).is_none());
    let text = everything().text();
    let system = Mesh::open_with(text.as_bytes(), &options).unwrap();
    assert_eq!(system.access_log(0).unwrap().bytes(), text.len() as u64);
}

#[test]
fn names_are_bytes() {
    let mut bytes = Vec::new();
    bytes.extend(b"<MeshSystem asset_name='\xff\xfe<>' asset_info=\"(null)\"><Material name=\xe9t\xe9 meta_data='%41&#x42;%zz'/></MeshSystem>");
    let system = open(&bytes);
    assert_eq!(system.view().asset_name().unwrap().as_bytes(), b"\xff\xfe<>");
    assert_eq!(system.view().asset_info().unwrap().as_bytes(), b"(null)");
    let material = system.view().materials().next().unwrap();
    assert_eq!(material.name().unwrap().as_bytes(), b"\xe9t\xe9");
    assert_eq!(material.decoded_meta_data().unwrap(), "AB%zz");
    assert_eq!(material.meta_data().unwrap().as_bytes(), b"%41&#x42;%zz");
    let versions =
        open("<MeshSystem mesh_system_version='x'/>").view().versions().map(drop).map_err(|error| error.offset());
    assert_eq!(versions, Err(Some(33)));
}

#[test]
fn types_are_counted_and_named() {
    let scalars = [
        Scalar::Float,
        Scalar::Int32,
        Scalar::Int16,
        Scalar::Int8,
        Scalar::Character,
        Scalar::Hex8,
        Scalar::Hex16,
        Scalar::Hex32,
        Scalar::Word,
    ];
    assert_eq!(scalars.map(Scalar::code).concat(), "fdhbcx1x2x4p");
    assert_eq!(scalars.map(Scalar::size), [4, 4, 2, 1, 1, 1, 2, 4, 4]);
}

/// Returns a random float in one of the formats that programs write.
fn random_float(random: &mut Random) -> String {
    let digits = |random: &mut Random, most: usize| -> String {
        (0..random.within(1..most)).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
    };
    let sign = *random.pick(&["", "", "-", "+"]);
    let body = match random.below(9) {
        0 => return f32::from_bits((random.next() >> 32) as u32 & 0x7f7f_ffff).to_string(),
        1 => format!("{:e}", f32::from_bits((random.next() >> 32) as u32 & 0x7f7f_ffff)),
        2 => format!("{:.9}", (random.next() >> 40) as f32 / 4096.0 - 2048.0).replace('-', ""),
        3 => digits(random, 20),
        4 => format!("{}.", digits(random, 12)),
        5 => format!(".{}", digits(random, 20)),
        6 => format!("{}.{}e{}", digits(random, 5), digits(random, 12), random.below(80) as i32 - 40),
        // A value exactly or nearly halfway between two floats.
        7 => {
            let low = f32::from_bits(0x3f80_0000 + random.below(1 << 20) as u32);
            let middle = (f64::from(low) + f64::from(low.next_up())) / 2.0;
            format!("{middle:.*}", random.within(14..27))
        }
        _ => format!("{}.{}", digits(random, 10), digits(random, 14)),
    };
    format!("{sign}{body}")
}

#[test]
fn floats_are_those_of_the_standard_library() {
    let mut random = Random::new(5);
    for round in 0..200 {
        let tokens: Vec<String> = (0..300).map(|_| random_float(&mut random)).collect();
        let mut data = " ".repeat(round % 67);
        for token in &tokens {
            // Sometimes a comment or other markup is inserted between two numbers or inside one.
            if random.one_in(40) && token.len() > 1 {
                let at = random.within(1..token.len());
                data += &format!("{}<!-- {} -->{}", &token[..at], random.below(999), &token[at..]);
            } else if random.one_in(40) {
                data += &format!("<![CDATA[{token}]]>");
            } else {
                data += token;
            }
            data += *random.pick(&[" ", ",", "\r\n", ", ", "\t ,\n", "   ", " <?x 1 2?> "]);
        }
        let text = simple(&vertices(100, "fff", "position", &data), "");
        let found: Vec<u32> = positions(&open(&text)).as_flattened().iter().map(|float| float.to_bits()).collect();
        for (token, found) in tokens.iter().zip(found) {
            assert_eq!(found, token.parse::<f32>().unwrap().to_bits(), "{token} in {data}");
        }
        assert_eq!(strict(&text).positions(0, 0).unwrap().len(), 100);
    }
}

#[test]
fn integers_are_those_of_the_standard_library() {
    let mut random = Random::new(6);
    for round in 0..200 {
        let tokens: Vec<i64> = (0..300)
            .map(|_| {
                let bits = random.within(1..33);
                let number = (random.next() >> (64 - bits)) as i64;
                if random.one_in(8) { i64::from(i32::MIN).max(-number) } else { number }
            })
            .collect();
        let mut data = "\n".repeat(round % 67);
        for token in &tokens {
            let zeros = "0".repeat(if random.one_in(10) { random.below(12) } else { 0 });
            let sign = if *token < 0 {
                "-"
            } else if random.one_in(20) {
                "+"
            } else {
                ""
            };
            data += &format!("{sign}{zeros}{}", token.unsigned_abs());
            data += *random.pick(&[" ", ",", "\r\n", ", ", "<!-- 1 --> ", "   "]);
        }
        let text = simple(&corner_vertices(), &triangles(100, &data));
        assert!(indices(&open(&text)).iter().zip(&tokens).all(|(found, token)| *found == *token as u32), "{data}");
    }
}

/// Reads everything, and asserts that the offset of every error is inside the bytes.
fn survives(bytes: &[u8]) -> bool {
    let placed = |error: &Error| assert!(error.offset().is_none_or(|at| at <= bytes.len() as u64), "{error}");
    let told = String::from_utf8_lossy(bytes);
    let system = match Mesh::open(bytes) {
        Ok(system) => system,
        Err(error) => {
            placed(&error);
            assert!(error.offset().is_some() && meshpeek::finding(&error).is_some(), "{error}");
            return false;
        }
    };
    let view = system.view();
    let mut end = 0;
    system
        .regions(0, &mut |region| {
            assert_eq!(region.start, end, "{told}");
            end = region.end;
        })
        .unwrap();
    assert_eq!(end, bytes.len() as u64, "{told}");
    system.validate(&mut |finding| assert!(finding.offset <= bytes.len() as u64)).unwrap();
    for section in view.sections() {
        match section.vertex_buffer() {
            Ok(buffer) => buffer.vertices().map(drop).unwrap_or_else(|error| placed(&error)),
            Err(error) => placed(&error),
        }
        if let Ok(Some(triangles)) = section.index_buffer() {
            triangles.indices().map(drop).unwrap_or_else(|error| placed(&error));
        }
    }
    for track in view.animations().flat_map(|animation| animation.tracks()) {
        track.keys().map(drop).unwrap_or_else(|error| placed(&error));
    }
    for bone in 0..view.bone_count() {
        view.bone(bone).map(drop).unwrap_or_else(|error| placed(&error));
    }
    for surface in Surface::all(&system).unwrap() {
        surface.weld().map(drop).unwrap_or_else(|error| placed(&error));
        surface.bounds().map(drop).unwrap_or_else(|error| placed(&error));
    }
    let mut pose = vec![Transform::default(); view.bone_count()];
    for clip in 0..system.clip_count().unwrap() {
        system.pose(clip, 0, &mut pose).unwrap_or_else(|error| placed(&error));
    }
    true
}

#[test]
fn spoilt_files_are_read_one_way_or_refused() {
    let parts: [&[u8]; 20] = [
        b"<",
        b">",
        b"\"",
        b"'",
        b"<!-- ",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<?",
        b"?>",
        b"/",
        b"=",
        b" ",
        b",",
        b"-",
        b"$",
        b"<a/>",
        b"&",
        b"9999999999",
        b"x",
    ];
    let words = "p c x1 x2 b hh d";
    let bare = bare();
    let odd = simple(
        &vertices(
            2,
            &format!("fff ffff {words}"),
            "position interp1 a b c e f g h",
            "0 0 0 1 2 3 4 w q ff ffff 1 2 3 4, 0 1 0 1 2 3 4 w q ff ffff 1 2 3 4",
        ),
        &triangles(1, "0 1 1"),
    );
    let mut random = Random::new(9);
    let mut opened = [0, 0];
    for base in [everything().text(), bare, odd] {
        for _ in 0..cases::number(600, 8) {
            let mut bytes = base.clone().into_bytes();
            for _ in 0..random.within(1..4) {
                let at = random.below(bytes.len());
                let until = (at + random.below(12)).min(bytes.len());
                match random.below(4) {
                    0 => drop(bytes.splice(at..at, random.pick(&parts).iter().copied())),
                    1 => drop(bytes.drain(at..until)),
                    2 => bytes[at] = random.next() as u8,
                    _ => {
                        let copy = bytes[at..until].to_vec();
                        let to = random.below(bytes.len());
                        drop(bytes.splice(to..to, copy));
                    }
                }
            }
            opened[usize::from(survives(&bytes))] += 1;
        }
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let base = everything().binary(order);
        for _ in 0..cases::number(600, 8) {
            let mut bytes = base.clone();
            for _ in 0..random.within(1..4) {
                let at = random.below(bytes.len());
                bytes[at] = *random.pick(&[0, 1, 2, 3, 0x7f, 0x80, 0xff]);
            }
            opened[usize::from(survives(&bytes))] += 1;
        }
    }
    assert!(opened.iter().all(|count| *count > cases::number(300, 8)), "{opened:?}");
}
