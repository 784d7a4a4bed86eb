//! Builds random pairs of every variant, writes them, reads them and writes them again.

use crate::support::unreal::builder;
use meshpeek::Array;
use meshpeek::unreal::{Mesh, RawPolygon, Variant};

use crate::support::invariants::Fate;
use crate::support::random::Random;
use crate::support::unreal::invariants::check_invariants;

/// Builds a random pair that the builder accepts.
fn some_pair(random: &mut Random) -> builder::Mesh {
    let variant = *random.pick(&[Variant::Classic, Variant::DeusEx, Variant::Prototype]);
    let many = if random.one_in(15) { 500 } else { 20 };
    // A frame of 16 bytes with two vertices is always read as Deus Ex, so the other variants use
    // three vertices.
    let vertices = Some(random.below(many)).filter(|count| *count != 2 || variant == Variant::DeusEx).unwrap_or(3);
    // A mesh without vertices is not read as Deus Ex, because its frames have no bytes.
    let variant = if vertices == 0 && variant == Variant::DeusEx { Variant::Classic } else { variant };
    let byte = |random: &mut Random| random.next().to_le_bytes()[2];
    let polygons = if vertices == 0 { 0 } else { random.below(many) };
    let polygon = |random: &mut Random| RawPolygon {
        vertices: [0; 3].map(|_: u8| u16::try_from(random.below(vertices)).unwrap().into()),
        kind: byte(random),
        color: byte(random),
        uvs: [[0; 2]; 3].map(|uv: [u8; 2]| uv.map(|_| byte(random))),
        texture: byte(random),
        flags: byte(random),
    };
    let coordinate = |axis: usize, random: &mut Random| {
        let any = i16::from_le_bytes([byte(random), byte(random)]);
        // Sign-extends the low bits of a number.
        let bits = if axis == 2 { 10 } else { 11 };
        if variant == Variant::DeusEx { any } else { any << (16 - bits) >> (16 - bits) }
    };
    let vertex = |random: &mut Random| [0, 1, 2].map(|axis| coordinate(axis, random));
    builder::Mesh {
        variant,
        vertices: u32::try_from(vertices).unwrap(),
        polygons: (0..polygons).map(|_| polygon(random)).collect(),
        frames: (0..random.below(6)).map(|_| (0..vertices).map(|_| vertex(random)).collect()).collect(),
        unused: if random.one_in(3) { [byte(random); 44] } else { [0; 44] },
    }
}

#[test]
fn random_pairs_return() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let built = some_pair(&mut random);
        let [data, aniv] = [built.data_bytes().unwrap(), built.aniv_bytes().unwrap()];
        assert!([built.data_bytes().unwrap(), built.aniv_bytes().unwrap()] == [data.clone(), aniv.clone()]);
        let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
        assert_eq!((mesh.variant(), mesh.vertex_count()), (built.variant, usize::try_from(built.vertices).unwrap()));
        assert_eq!(mesh.polygons().unwrap(), built.polygons);
        assert_eq!(mesh.data_header().unwrap().unused, built.unused);
        assert_eq!(mesh.frame_count(), built.frames.len());
        for (number, frame) in built.frames.iter().enumerate() {
            let positions = mesh.frame(number).unwrap().positions();
            let expected = frame.iter().map(|position| position.map(f32::from));
            assert!((0..positions.len()).filter_map(|index| positions.get(index)).eq(expected), "seed {seed}");
        }
        // The mesh is read into the builder's lists, as an editor would, and built again.
        let read = builder::Mesh {
            polygons: mesh.polygons().unwrap().to_vec(),
            frames: (0..mesh.frame_count())
                .map(|number| {
                    let positions = mesh.frame(number).unwrap().positions();
                    let stored = |index| positions.get(index).unwrap().map(whole);
                    (0..positions.len()).map(stored).collect()
                })
                .collect(),
            unused: mesh.data_header().unwrap().unused,
            ..builder::Mesh::new(mesh.variant(), built.vertices)
        };
        assert_eq!(read, built, "seed {seed}");
        let fate = check_invariants(&data, &aniv, None, &mut random);
        // Strict mode refuses only the frames of a prototype.
        let expected = if built.variant == Variant::Prototype { Fate::Damaged } else { Fate::Read };
        assert_eq!(fate, expected, "seed {seed}");
    }
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "stored numbers are whole")]
fn whole(part: f32) -> i16 {
    part as i16
}
