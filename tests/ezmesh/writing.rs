//! Tests of writing EZ-Mesh files again. The files are built from lists, in both forms.

use meshpeek::array::Bounds;
use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::{Mesh, Semantic, VertexValue};
use meshpeek::model::Transform;
use meshpeek::{ErrorKind, MeshFile as _, Name};

use crate::support::ezmesh::builder::{
    self, Animation, Bone, Collision, Column, Hull, Instance, Material, MeshElement, Representation, Section, Skeleton,
    TetraMesh, Texture, Track, UserBinary, UserData, Values, Vertices,
};
use crate::support::ezmesh::{bytes, flag, samples, wooden_crate};
use crate::support::random::Random;
use crate::support::writers::FullOutput;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

fn read(bytes: &[u8]) -> builder::Mesh {
    builder::Mesh::of(Mesh::open(bytes).unwrap().view()).unwrap()
}

fn written(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Mesh::open(bytes).unwrap().write_to(0, &mut out).unwrap();
    out
}

/// Asserts that two systems are equal bit by bit.
///
/// This includes NaNs, which do not compare equal.
fn assert_same(one: &builder::Mesh, other: &builder::Mesh) {
    let [(one, one_bits), (other, other_bits)] = [one, other].map(|system| {
        let mut system = system.clone();
        let mut bits = Vec::new();
        for_each_float(&mut system, &mut |float| {
            bits.push(float.to_bits());
            *float = 0.0;
        });
        (system, bits)
    });
    assert_eq!(one_bits, other_bits);
    assert_eq!(one, other);
}

fn for_each_float(system: &mut builder::Mesh, see: &mut dyn FnMut(&mut f32)) {
    fn of_box(bounds: &mut Option<Bounds>, see: &mut dyn FnMut(&mut f32)) {
        if let Some(Bounds { min, max }) = bounds {
            min.iter_mut().chain(max).for_each(see);
        }
    }
    fn of_transform(transform: &mut Transform, see: &mut dyn FnMut(&mut f32)) {
        let Transform { position, rotation, scale } = transform;
        position.iter_mut().chain(rotation).chain(scale).for_each(see);
    }
    fn of_values(values: &mut Values, see: &mut dyn FnMut(&mut f32)) {
        match values {
            Values::F32(_, floats) => floats.iter_mut().for_each(see),
            Values::Mixed(parts) => parts.iter_mut().for_each(|part| of_values(part, see)),
            _ => {}
        }
    }
    fn of_vertices(vertices: &mut Option<Vertices>, see: &mut dyn FnMut(&mut f32)) {
        for column in vertices.iter_mut().flat_map(|vertices| &mut vertices.columns) {
            of_values(&mut column.values, see);
        }
    }
    of_box(&mut system.bounds, see);
    system.plane.iter_mut().for_each(&mut *see);
    for bone in system.skeletons.iter_mut().flat_map(|skeleton| &mut skeleton.bones) {
        of_transform(&mut bone.bind, see);
    }
    for animation in &mut system.animations {
        animation.duration.iter_mut().chain(&mut animation.dtime).for_each(&mut *see);
        for track in &mut animation.tracks {
            track.seconds.iter_mut().flatten().for_each(&mut *see);
            track.keys.iter_mut().for_each(|key| of_transform(key, see));
        }
    }
    for mesh in &mut system.meshes {
        of_box(&mut mesh.bounds, see);
        of_vertices(&mut mesh.vertices, see);
        for section in &mut mesh.sections {
            of_box(&mut section.bounds, see);
            of_vertices(&mut section.vertices, see);
        }
    }
    system
        .tetra_meshes
        .iter_mut()
        .flat_map(|tetra| tetra.corners.as_flattened_mut().as_flattened_mut())
        .for_each(&mut *see);
    system.instances.iter_mut().for_each(|instance| of_transform(&mut instance.transform, see));
    for collision in system.representations.iter_mut().flat_map(|one| &mut one.collisions) {
        collision.transform.iter_mut().flatten().for_each(&mut *see);
        collision.hull.iter_mut().for_each(|hull| of_vertices(&mut hull.points, see));
    }
}

fn any_floats<const N: usize>(random: &mut Random) -> [f32; N] {
    std::array::from_fn(|_| random.any_float())
}

fn any_transform(random: &mut Random) -> Transform {
    Transform { position: any_floats(random), rotation: any_floats(random), scale: any_floats(random) }
}

fn any_box(random: &mut Random) -> Option<Bounds> {
    (!random.one_in(3)).then(|| Bounds { min: any_floats(random), max: any_floats(random) })
}

fn any_name(random: &mut Random) -> Vec<u8> {
    random.pick(&["", "null", "a b", "C:\\a/b>c'", "A &amp; B", "größe", "#1\r\n\tx"]).as_bytes().to_vec()
}

/// Returns a random column, of one type or of several types.
fn any_values(random: &mut Random, rows: usize) -> Values {
    let width = u8::try_from(random.within(1..4)).unwrap();
    let count = rows * usize::from(width);
    let low = |random: &mut Random| random.next().to_le_bytes();
    match random.below(10) {
        0 => Values::I32(width, (0..count).map(|_| i32::from_le_bytes(*low(random).first_chunk().unwrap())).collect()),
        1 => Values::U16(width, (0..count).map(|_| u16::from_le_bytes(*low(random).first_chunk().unwrap())).collect()),
        2 => Values::U8(width, (0..count).map(|_| low(random)[0]).collect()),
        3 => Values::Characters(width, (0..count).map(|_| *random.pick(b"azAZ09;&\"'>")).collect()),
        4 => Values::Hex8(width, (0..count).map(|_| low(random)[0]).collect()),
        5 => {
            Values::Hex16(width, (0..count).map(|_| u16::from_le_bytes(*low(random).first_chunk().unwrap())).collect())
        }
        6 => {
            Values::Hex32(width, (0..count).map(|_| u32::from_le_bytes(*low(random).first_chunk().unwrap())).collect())
        }
        7 => Values::Words(
            width,
            (0..count).map(|_| random.pick(&["a", "wood/1", "12.5x"]).as_bytes().to_vec()).collect(),
        ),
        _ => Values::F32(width, (0..count).map(|_| random.any_float()).collect()),
    }
}

/// Returns random columns that both forms can store, in the order of existing writers.
fn standard_columns(random: &mut Random, rows: usize) -> Vec<Column> {
    let mut columns = vec![Column::positions((0..rows).map(|_| any_floats(random)))];
    if random.one_in(2) {
        columns.push(Column::normals((0..rows).map(|_| any_floats(random))));
    }
    if random.one_in(2) {
        columns.push(Column::colors((0..rows).map(|_| u32::try_from(random.next() >> 32).unwrap())));
    }
    for set in 0..4 {
        if random.one_in(2) {
            columns.push(Column::texcoords(set, (0..rows).map(|_| any_floats(random))));
        }
    }
    if random.one_in(2) {
        columns.push(Column::tangents((0..rows).map(|_| any_floats(random))));
        columns.push(Column::binormals((0..rows).map(|_| any_floats(random))));
    }
    if random.one_in(2) {
        columns.push(Column::weights((0..rows).map(|_| any_floats(random))));
        columns.push(Column::bones(
            (0..rows).map(|_| std::array::from_fn(|_| u16::try_from(random.below(65536)).unwrap())),
        ));
    }
    for number in 0..8 {
        if random.one_in(4) {
            columns.push(Column::interps::<4>(number, (0..rows).map(|_| any_floats(random))));
        }
    }
    if random.one_in(2) {
        columns.push(Column::radii((0..rows).map(|_| random.any_float())));
    }
    columns
}

fn any_columns(random: &mut Random, rows: usize) -> Vec<Column> {
    let mut columns = standard_columns(random, rows);
    let known: usize = columns.iter().map(|column| column.values.ctype().len()).sum();
    if known < 40 {
        for word in ["what", "größe"] {
            let parts = random.within(1..4);
            let mut parts: Vec<Values> = (0..parts).map(|_| any_values(random, rows)).collect();
            // Neighbouring parts of one type would be read as one part.
            parts.dedup_by(|one, other| std::mem::discriminant(one) == std::mem::discriminant(other));
            let values = if parts.len() == 1 { parts.remove(0) } else { Values::Mixed(parts) };
            columns.insert(random.below(columns.len() + 1), Column { word: word.into(), values });
        }
    }
    columns
}

fn triangles(random: &mut Random, rows: usize) -> Vec<[u32; 3]> {
    let count = if rows == 0 { 0 } else { random.below(40) };
    (0..count).map(|_| std::array::from_fn(|_| u32::try_from(random.below(rows)).unwrap())).collect()
}

/// Returns a random system that both forms can store, with every bounding box and time.
fn common(random: &mut Random) -> builder::Mesh {
    let bounds = |random: &mut Random| Some(Bounds { min: any_floats(random), max: any_floats(random) });
    let bones = |random: &mut Random| {
        let count = random.below(5);
        let bone = |number: usize, random: &mut Random| {
            let parent = random.below(count + 1);
            Bone {
                name: format!("bone {number}").into(),
                parent: (parent < count).then(|| u32::try_from(parent).unwrap()),
                bind: any_transform(random),
            }
        };
        (0..count).map(|number| bone(number, random)).collect()
    };
    let track = |random: &mut Random| Track {
        name: any_name(random),
        seconds: None,
        keys: (0..random.below(4)).map(|_| any_transform(random)).collect(),
    };
    let mut animations: Vec<Animation> = (0..random.below(3))
        .map(|_| Animation {
            name: any_name(random),
            frames: random.one_in(3).then_some(77),
            duration: Some(random.any_float()),
            dtime: Some(random.any_float()),
            tracks: (0..random.below(3)).map(|_| track(random)).collect(),
        })
        .collect();
    for animation in &mut animations {
        animation.frames = animation.frames.filter(|_| animation.longest() != 77);
    }
    let mesh = |random: &mut Random| {
        let rows = random.below(6);
        let columns = standard_columns(random, rows);
        let section = |random: &mut Random| Section {
            material: any_name(random),
            bounds: bounds(random),
            triangles: triangles(random, rows),
            ..Default::default()
        };
        MeshElement {
            name: any_name(random),
            skeleton: any_name(random),
            bounds: bounds(random),
            sections: (0..random.below(4)).map(|_| section(random)).collect(),
            vertices: Some(Vertices::from(columns)),
        }
    };
    builder::Mesh {
        asset_name: any_name(random),
        asset_info: any_name(random),
        system_version: -3,
        asset_version: i32::MAX,
        bounds: bounds(random),
        skeletons: (0..random.below(3)).map(|_| Skeleton { name: any_name(random), bones: bones(random) }).collect(),
        animations,
        materials: (0..random.below(3))
            .map(|_| Material { name: any_name(random), meta_data: any_name(random) })
            .collect(),
        meshes: (0..random.below(3)).map(|_| mesh(random)).collect(),
        instances: (0..random.below(3))
            .map(|_| Instance { mesh: any_name(random), transform: any_transform(random) })
            .collect(),
        ..Default::default()
    }
}

/// Returns a random system with content that only the text form can store.
fn textual(random: &mut Random) -> builder::Mesh {
    let mut system = common(random);
    system.bounds = any_box(random);
    for animation in &mut system.animations {
        animation.duration = animation.duration.filter(|_| !random.one_in(3));
        animation.dtime = animation.dtime.filter(|_| !random.one_in(3));
    }
    for mesh in &mut system.meshes {
        mesh.bounds = any_box(random);
        let rows = random.below(6);
        mesh.vertices = (!random.one_in(3)).then(|| Vertices::from(any_columns(random, rows)));
        let shared = mesh.vertices.as_ref().map_or(0, Vertices::len);
        for section in &mut mesh.sections {
            section.info = random.one_in(2).then(|| any_name(random));
            section.bounds = any_box(random);
            let rows = random.below(6);
            // In a text, every section has vertices, its own or those of its mesh.
            let is_own = mesh.vertices.is_none() || random.one_in(2);
            section.vertices = is_own.then(|| Vertices::from(any_columns(random, rows)));
            section.triangles = triangles(random, section.vertices.as_ref().map_or(shared, Vertices::len));
        }
    }
    let tetra = |random: &mut Random| TetraMesh {
        corners: (0..random.below(3)).map(|_| std::array::from_fn(|_| any_floats(random))).collect(),
    };
    system.tetra_meshes = (0..random.below(3)).map(|_| tetra(random)).collect();
    let collision = |random: &mut Random| {
        let rows = random.below(5);
        let hull = Hull {
            points: Some(Vertices::from(vec![Column::positions((0..rows).map(|_| any_floats(random)))])),
            triangles: triangles(random, rows),
        };
        Collision {
            name: any_name(random),
            kind: random.pick(&["BOX", "sphere", "CAPSULE", "CONVEX", "what"]).as_bytes().into(),
            transform: random.one_in(2).then(|| any_floats(random)),
            hull: random.one_in(2).then_some(hull),
        }
    };
    let representation = |random: &mut Random| Representation {
        name: any_name(random),
        info: any_name(random),
        collisions: (0..random.below(3)).map(|_| collision(random)).collect(),
    };
    system.representations = (0..random.below(3)).map(|_| representation(random)).collect();
    system
}

/// Returns a random system with content that only the binary form can store.
fn binary(random: &mut Random) -> builder::Mesh {
    let mut system = common(random);
    system.plane = any_floats(random);
    system.textures = vec![Texture {
        name: any_name(random),
        width: 2,
        height: 1,
        pixel_size: 4,
        pixels: vec![0, 1, 2, 3, 255, 254, 0, 9],
    }];
    system.user_data = vec![UserData { key: b"k\0".into(), value: any_name(random) }];
    system.user_binary_data = vec![UserBinary { name: any_name(random), bytes: vec![7; random.below(70_000)] }];
    for animation in &mut system.animations {
        for track in &mut animation.tracks {
            track.seconds = Some(any_floats(random));
        }
    }
    for mesh in &mut system.meshes {
        for section in &mut mesh.sections {
            section.flags = random.one_in(2).then_some(u32::MAX);
        }
    }
    system.meshes.push(MeshElement { vertices: Some(Vertices { columns: vec![], bare: 3 }), ..filled(random) });
    system.meshes.push(filled(random));
    system
}

/// Returns a mesh without content except a bounding box.
fn filled(random: &mut Random) -> MeshElement {
    MeshElement { bounds: Some(Bounds { min: any_floats(random), max: any_floats(random) }), ..Default::default() }
}

#[test]
fn reads_back_what_was_built_as_text() {
    for seed in 0..400 {
        let system = textual(&mut Random::new(seed));
        let text = system.to_ezm();
        let again = read(&text);
        assert_same(&again, &system);
        assert_eq!(again.to_ezm(), text);
        assert_eq!(written(&text), text);
    }
}

#[test]
fn reads_back_what_was_built_in_the_binary_form() {
    for seed in 0..400 {
        let system = binary(&mut Random::new(seed));
        for order in ORDERS {
            let bytes = system.to_ezb(order);
            assert_same(&read(&bytes), &system);
            assert_eq!(written(&bytes), bytes);
        }
    }
}

#[test]
fn passes_from_form_to_form() {
    for seed in 0..200 {
        let system = common(&mut Random::new(seed));
        let text = system.to_ezm();
        let binary = read(&text).to_ezb(ByteOrder::Big);
        let again = read(&binary);
        assert_same(&again, &system);
        assert_eq!(again.to_ezm(), text);
    }
}

#[test]
fn text_keeps_every_bit_of_floats() {
    let mut random = Random::new(1);
    let edges = [1e15, 1e-15, f32::MAX, f32::MIN_POSITIVE, 0.1, 16_777_216.0, 9.999_999e-16, 0.3];
    let near = edges.iter().flat_map(|edge: &f32| (0..40).map(|step| edge.to_bits() - 20 + step));
    let exponents = (0..512_u32).flat_map(|top| [top << 23, (top << 23) + 1, (top << 23) + 0x7f_ffff]);
    let subnormal = (0..2000).map(|_| u32::try_from(random.next() >> 41).unwrap()).collect::<Vec<_>>();
    let any = (0..60_000).map(|_| u32::try_from(random.next() >> 32).unwrap()).collect::<Vec<_>>();
    let mut all: Vec<u32> = near.chain(exponents).chain(subnormal).chain(any).collect();
    all.truncate(all.len() / 3 * 3);
    let floats = all.iter().copied().map(f32::from_bits).collect();
    let column = Column::new(Semantic::Position, Values::F32(3, floats));
    let mesh = MeshElement { vertices: Some(Vertices::from(vec![column])), ..Default::default() };
    let text = written(&builder::Mesh { meshes: vec![mesh], ..Default::default() }.to_ezm());
    let again = read(&text);
    let Values::F32(3, floats) = &again.meshes[0].vertices.as_ref().unwrap().columns[0].values else { panic!() };
    assert!(floats.iter().map(|float| float.to_bits()).eq(all));
    let longest = |separators: &[u8]| text.split(|byte| separators.contains(byte)).map(<[u8]>::len).max().unwrap();
    assert!(longest(b"\r\n") <= 160);
    let numbers = text.split(|byte| *byte == b'\n').filter(|line| !line.contains(&b'<'));
    assert!(numbers.flat_map(|line| line.split(|byte| b" ,\r".contains(byte))).all(|token| token.len() <= 30));
}

#[test]
fn writes_text_that_every_known_reader_takes() {
    for seed in 0..50 {
        let text = written(&textual(&mut Random::new(seed)).to_ezm());
        assert!(text.starts_with(b"<?xml version=\"1.0\"?>\r\n<MeshSystem asset_name=\""));
        assert!(text.ends_with(b"</MeshSystem>\r\n"));
        for needle in [&b"<!--"[..], b"trianglecount", b"<![CDATA["] {
            assert!(!text.windows(needle.len()).any(|window| window == needle));
        }
    }
    let text = String::from_utf8(written(&flag().to_ezm())).unwrap();
    assert!(text.lines().filter(|line| !line.contains('<')).all(|line| line.len() <= 160));
    assert!(
        text.contains(r#"<Bone name="cloth" parent="pole" orientation="0 0 0 1" position="0.5 0 0" scale="1 1 1"/>"#)
    );
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

#[test]
fn breaks_long_rows_and_fills_lines() {
    let wide = Column { word: b"wide".into(), values: Values::F32(60, vec![-1.234_567_8; 120]) };
    let mut system = wooden_crate();
    system.meshes[0].vertices = Some(Vertices::from(vec![wide]));
    system.meshes[0].sections.truncate(1);
    system.meshes[0].sections[0].triangles = vec![[0, 1, 0]; 100];
    let text = written(&system.to_ezm());
    assert_eq!(read(&text), system);
    let text = String::from_utf8(text).unwrap();
    let lengths: Vec<_> = text.lines().filter(|line| !line.contains('<')).map(str::len).collect();
    assert!(lengths.iter().all(|length| *length <= 160) && lengths.iter().max() > Some(&150), "{lengths:?}");
}

#[test]
fn names_stand_between_double_quotes() {
    let mut system = builder::Mesh { asset_name: b"a&quot;b>d'&e&amp;f".into(), ..Default::default() };
    let text = written(&system.to_ezm());
    assert!(text.windows(32).any(|window| window == b"asset_name=\"a&quot;b>d'&e&amp;f\""));
    assert_eq!(read(&text).asset_name, system.asset_name);
    for byte in (0..32_u8).filter(|byte| !matches!(byte, 9 | 10 | 13)) {
        system.asset_name = vec![b'a', byte];
        assert_eq!(refused(&system.to_ezm()), "asset_name");
        assert_eq!(written(&system.to_ezb(ByteOrder::Little)), system.to_ezb(ByteOrder::Little));
    }
    // A text that is written again keeps such names as entities, which `validate` lists.
    let quoted = b"<MeshSystem asset_name='say \"hi\"' asset_info='<'/>";
    assert_eq!(read(&written(quoted)).asset_name, b"say &quot;hi&quot;");
    assert_eq!(read(&written(quoted)).asset_info, b"&lt;");
}

#[test]
fn gives_columns_the_words_of_writers() {
    let columns = |ctype: &str, semantic: &str| {
        let text = format!(
            "<Mesh><MeshSection><vertexbuffer count=\"0\" ctype=\"{ctype}\" semantic=\"{semantic}\"/></MeshSection></Mesh>"
        );
        let again = written(text.as_bytes());
        assert_eq!(written(&again), again, "{semantic}");
        let mesh = Mesh::open(again.as_slice()).unwrap();
        let [_, words] = mesh.section(0).unwrap().vertex_buffer().unwrap().types();
        words.to_string()
    };
    assert_eq!(columns("fff ff ff", "POSITION texcoord Texcoord"), "position texcoord1 texcoord2");
    assert_eq!(columns("ff ffff hhhh", "texel2 boneweighting boneindices"), "texcoord2 blendweights blendindices");
    assert_eq!(columns("fff ff", "Normal NORMAL"), "normal NORMAL");
    assert_eq!(columns("ff Fff", "position Interp3"), "position interp3");
    // With standard words for some columns, the last column would get a meaning that it did not
    // have.
    let odd = "texcoord3 texcoord texcoord texcoord";
    assert_eq!(columns("ff ff fff ff", odd), odd);
}

#[test]
fn short_keys_get_a_scale() {
    let system = read(&bytes("legacy.ezm"));
    let keys = &system.animations[0].tracks[0].keys;
    assert_eq!((keys.len(), keys[1].scale, keys[1].rotation), (3, [1.0; 3], [0.0, 0.28, 0.0, 0.96]));
    assert_eq!(keys[0].rotation[0].to_bits(), (-0.0_f32).to_bits());
    assert_eq!((system.bounds, system.meshes[0].bounds), (None, None));
    assert_eq!(system.asset_name, b"legacy.gr2");
    assert_eq!(system.meshes[0].sections[1].info.as_deref(), Some(&br"C:\art\iron.tga"[..]));
}

#[test]
fn writes_what_it_read() {
    for sample in samples() {
        let out = written(&sample.bytes);
        if sample.file == "legacy.ezm" {
            assert_eq!(read(&out), read(&sample.bytes));
            assert_eq!(written(&out), out);
        } else {
            assert_eq!(out, sample.bytes, "{}", sample.file);
        }
        assert!(sample.bytes.len() < 20_000);
    }
    let mut cut = bytes("crate100.ezb");
    cut.extend(b"behind");
    assert_eq!(written(&cut), bytes("crate100.ezb"));
}

#[test]
fn a_binary_file_keeps_its_order_and_version() {
    for (order, other) in [(ByteOrder::Little, 101), (ByteOrder::Big, 100)] {
        let mut bytes = wooden_crate().to_ezb(order);
        bytes[..4].copy_from_slice(&order.put(other));
        assert_eq!(written(&bytes), bytes);
    }
}

#[test]
fn a_crate_is_seen_from_outside() {
    let system = wooden_crate();
    let vertices = system.meshes[0].vertices.as_ref().unwrap();
    let Values::F32(3, normals) = &vertices.column(Semantic::Normal).unwrap().values else { panic!() };
    for triangle in system.meshes[0].sections.iter().flat_map(|section| &section.triangles) {
        let corners = triangle.map(|index| vertices.positions().unwrap()[usize::try_from(index).unwrap()]);
        let edge = |to: usize| [0, 1, 2].map(|axis| corners[to][axis] - corners[0][axis]);
        let [one, other] = [edge(1), edge(2)];
        let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| one[i] * other[j] - one[j] * other[i]);
        let first = usize::try_from(triangle[0]).unwrap() * 3;
        assert_eq!(cross, normals[first..first + 3], "{triangle:?}");
    }
}

/// Returns the field for which a file is not written again.
fn refused(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    let error = Mesh::open(bytes).unwrap().write_to(0, &mut out).unwrap_err();
    assert!(error.kind() == ErrorKind::Refused && out.is_empty(), "{error}");
    error.field().to_string()
}

fn column(system: &mut builder::Mesh, number: usize) -> &mut Column {
    &mut system.meshes[0].vertices.as_mut().unwrap().columns[number]
}

#[test]
fn refuses_indices_of_no_vertices() {
    let mut system = wooden_crate();
    system.meshes[0].sections[1].triangles[2][1] = 24;
    assert_eq!(refused(&system.to_ezm()), "mesh[0].section[1].triangles");
    let mut bytes = wooden_crate().to_ezb(ByteOrder::Little);
    let offset = Mesh::open(bytes.as_slice()).unwrap().section(1).unwrap().index_buffer().unwrap().unwrap().offset();
    bytes[usize::try_from(offset.unwrap()).unwrap() + 8] = 24;
    assert_eq!(refused(&bytes), "mesh[0].section[1].triangles");
    let mut system = wooden_crate();
    system.meshes[0].vertices = None;
    assert_eq!(refused(&system.to_ezm()), "mesh[0].section[0].triangles");
    system.meshes[0].sections.iter_mut().for_each(|section| section.triangles.clear());
    assert_eq!(refused(&system.to_ezm()), "mesh[0].section[0].vertices");
    let points = Some(vec![Column::positions(vec![[0.0; 3]; 3])].into());
    let hull = Some(Hull { points, triangles: vec![[0, 1, 2], [0, 1, 3]] });
    let collisions = vec![Collision::default(), Collision { hull, ..Default::default() }];
    let representations = vec![Representation { collisions, ..Default::default() }];
    let system = builder::Mesh { representations, ..Default::default() };
    assert_eq!(refused(&system.to_ezm()), "collision_representation[0].collision[1].triangles");
}

#[test]
fn refuses_what_text_cannot_hold() {
    type Spoil = fn(&mut builder::Mesh);
    let cases: [(&str, Spoil); 4] = [
        ("material[1].meta_data", |system| system.materials[1].meta_data = b"\x01".into()),
        ("mesh[0].section[1].info", |system| system.meshes[0].sections[1].info = Some(b"\x02".into())),
        ("mesh[0].semantic", |system| column(system, 1).word = vec![b'a'; 65]),
        ("mesh[0].semantic", |system| column(system, 1).word = b"a\x7fb".into()),
    ];
    for (number, (field, spoil)) in cases.into_iter().enumerate() {
        let mut system = wooden_crate();
        spoil(&mut system);
        assert_eq!(refused(&system.to_ezm()), field, "case {number}");
    }
    // A child may come before its parent, and keeps its index.
    let bone = |(name, parent): (&str, _)| Bone { name: name.into(), parent, ..Default::default() };
    let bones = [("a", Some(2)), ("b", None), ("c", Some(1))].into_iter().map(bone).collect();
    let skeletons = vec![Skeleton { bones, ..Default::default() }];
    let system = builder::Mesh { skeletons, ..Default::default() };
    assert_eq!(read(&written(&system.to_ezm())), system);
    for values in [
        Values::Characters(1, b"ab\x7f".repeat(8)),
        Values::Words(1, vec![vec![b'a'; 31]; 24]),
        Values::Words(1, vec![b"a\x7fb".into(); 24]),
    ] {
        let mut system = wooden_crate();
        *column(&mut system, 1) = Column { word: b"what".into(), values };
        assert_eq!(refused(&system.to_ezm()), "mesh[0].vertices");
    }
}

#[test]
fn a_bone_without_its_parent_is_written_as_a_root() {
    let bone = |(name, parent): (&str, _)| Bone { name: name.into(), parent, ..Default::default() };
    let bones = |parents: [Option<u32>; 3]| ["a", "b", "c"].into_iter().zip(parents).map(bone).collect();
    let system = |parents| {
        let skeletons = vec![Skeleton { bones: bones(parents), ..Default::default() }];
        builder::Mesh { skeletons, ..Default::default() }
    };
    for order in ORDERS {
        let odd = system([Some(7), Some(0), Some(u32::MAX - 1)]).to_ezb(order);
        assert_eq!(written(&odd), system([None, Some(0), None]).to_ezb(order));
    }
}

#[test]
fn tetrahedra_stand_in_the_first_mesh() {
    let tetra = TetraMesh { corners: vec![[[0.5; 3]; 4]] };
    let without = builder::Mesh { tetra_meshes: vec![tetra; 2], ..Default::default() };
    let with = builder::Mesh { meshes: vec![MeshElement::default(); 2], ..without.clone() };
    for system in [with, without] {
        assert_eq!(read(&system.to_ezm()), system);
    }
}

#[test]
fn tells_what_the_output_refuses() {
    for bytes in [flag().to_ezm(), wooden_crate().to_ezb(ByteOrder::Big)] {
        let error = Mesh::open(bytes).unwrap().write_to(0, &mut FullOutput(0)).unwrap_err();
        assert!(error.kind() == ErrorKind::Io && error.field().to_string() == "output", "{error}");
    }
}

#[test]
fn nothing_is_allocated_for_a_count_without_numbers() {
    for text in [
        &b"<Mesh><MeshSection><indexbuffer count=\"4000000000\">0 1 2</indexbuffer></MeshSection></Mesh>"[..],
        b"<Mesh><vertexbuffer count=\"4000000000\" ctype=\"fff\" semantic=\"position\">0 1 2</vertexbuffer></Mesh>",
        b"<Mesh><Animation name=\"\"><AnimTrack name=\"\" count=\"4000000000\">0 1 2</AnimTrack></Animation></Mesh>",
        b"<Mesh><TetraMesh count=\"4000000000\" ctype=\"fff fff fff fff\" semantic=\"p p p p\">0</TetraMesh></Mesh>",
    ] {
        let error = Mesh::open(text).unwrap().write_to(0, &mut Vec::new()).unwrap_err();
        assert!(error.kind() == ErrorKind::Value, "{error}");
    }
}

#[test]
fn a_word_may_stand_right_before_markup() {
    let text = b"<Mesh><vertexbuffer count=\"2\" ctype=\"p\" semantic=\"what\">oak,pine</vertexbuffer></Mesh>";
    let file = Mesh::open(&text[..]).unwrap();
    let vertices = file.mesh(0).unwrap().vertex_buffer().unwrap().unwrap().vertices().unwrap();
    let words = (0..2).flat_map(|vertex| vertices.values(vertex)).collect::<Vec<_>>();
    assert_eq!(words, [&b"oak"[..], b"pine"].map(|word| VertexValue::Word(Name::new(word))));
    let system = read(text);
    let columns = &system.meshes[0].vertices.as_ref().unwrap().columns;
    assert_eq!(columns[0].values, Values::Words(1, vec![b"oak".into(), b"pine".into()]));
}
