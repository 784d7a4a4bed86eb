//! Builds the sample pairs and scripts of `data/unreal`.

use std::path::PathBuf;

use crate::support::unreal::builder;
use meshpeek::unreal::{Mesh, RawPolygon, Variant, script};

/// Returns the folder of the samples of Unreal vertex meshes.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/unreal")
}

/// A sample: its path below `data/unreal` without the extension, and its files by their endings.
pub struct Sample {
    pub stem: &'static str,
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl Sample {
    fn new(stem: &'static str, pair: &builder::Mesh) -> Self {
        let files = vec![("_d.3d", pair.data_bytes().unwrap()), ("_a.3d", pair.aniv_bytes().unwrap())];
        Self { stem, files }
    }

    fn with(mut self, ending: &'static str, bytes: Vec<u8>) -> Self {
        self.files.push((ending, bytes));
        self
    }

    /// Returns the bytes of the data file and the aniv file, or `None` for a script without a pair.
    pub fn pair(&self) -> Option<[Vec<u8>; 2]> {
        let file = |ending: &str| {
            let found = self.files.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
            found.map(|(_, bytes)| bytes.clone())
        };
        Some([file("_d.3d")?, file("_a.3d")?])
    }
}

/// Builds every sample.
pub fn samples() -> Vec<Sample> {
    let boxed = boxed(8);
    let script = {
        let [data, aniv] = [boxed.data_bytes(), boxed.aniv_bytes()].map(Result::unwrap);
        meshpeek::unreal::builder::build(&Mesh::open(data, aniv).unwrap(), "box").unwrap()
    };
    vec![
        Sample::new("box", &boxed).with(".uc", script),
        Sample::new("guard", &guard()).with(".uc", GUARD.as_bytes().to_vec()),
        Sample::new("crate64", &crate64()),
        Sample::new("prototype", &builder::Mesh { variant: Variant::Prototype, ..cube(2) }),
        Sample { stem: "Toys/Classes/Toys", files: vec![(".uc", TOYS.replace('\n', "\r\n").into_bytes())] },
        Sample { files: cased(&boxed_top()), stem: "Toys/Models/Top" },
        Sample::new("Toys/Models/Ball", &cube(3)),
    ]
}

/// Returns the data and aniv bytes of a sample.
pub fn pair(stem: &str) -> [Vec<u8>; 2] {
    // This pair is not a file of the repository. It causes a warning, but describing the samples
    // must succeed.
    let empty = Sample::new("empty", &builder::Mesh::new(Variant::Classic, 0));
    samples().into_iter().chain([empty]).find(|sample| sample.stem == stem).unwrap().pair().unwrap()
}

fn cased(mesh: &builder::Mesh) -> Vec<(&'static str, Vec<u8>)> {
    vec![("_d.3D", mesh.data_bytes().unwrap()), ("_a.3D", mesh.aniv_bytes().unwrap())]
}

pub fn polygon(vertices: [u16; 3], kind: u8, texture: u8) -> RawPolygon {
    RawPolygon { vertices: vertices.map(Into::into), kind, texture, ..RawPolygon::EMPTY }
}

/// A cube with a side of 128 of the author's units, corners counter-clockwise from outside.
///
/// It rises by a unit each frame.
pub fn cube(frames: i16) -> builder::Mesh {
    // The number of a vertex has its x in bit 0, its y in bit 1, and its z in bit 2.
    let faces = [[1, 3, 7, 5], [2, 0, 4, 6], [3, 2, 6, 7], [0, 1, 5, 4], [4, 5, 7, 6], [2, 3, 1, 0]];
    let corners = [[0, 255], [255, 255], [255, 0], [0, 0]];
    let mut mesh = builder::Mesh::new(Variant::Classic, 8);
    for [a, b, c, d] in faces {
        for (vertices, uvs) in [([a, b, c], [0, 1, 2]), ([a, c, d], [0, 2, 3])] {
            mesh.polygons.push(RawPolygon { uvs: uvs.map(|corner| corners[corner]), ..polygon(vertices, 0, 0) });
        }
    }
    let side = |vertex: i16, bit: i16, half: i16| if vertex & bit == 0 { -half } else { half };
    mesh.frames = (0..frames)
        .map(|frame| (0..8).map(|v| [side(v, 1, 512), side(v, 2, 512), side(v, 4, 256) + frame * 4]).collect())
        .collect();
    mesh
}

/// The cube with three surfaces: plain sides, a glowing lid, and a translucent bottom.
fn boxed(frames: i16) -> builder::Mesh {
    let mut mesh = cube(frames);
    for polygon in &mut mesh.polygons[8..10] {
        (polygon.texture, polygon.kind) = (1, 0x10);
    }
    for polygon in &mut mesh.polygons[10..] {
        (polygon.texture, polygon.kind) = (1, 0x83);
    }
    mesh
}

fn boxed_top() -> builder::Mesh {
    let mut mesh = cube(4);
    // Unused fields as exporters write them: memory content in the header, a running number as
    // colour, 255 as flags.
    mesh.unused[16..20].copy_from_slice(&1.0_f32.to_le_bytes());
    for (number, polygon) in (0..).zip(&mut mesh.polygons) {
        (polygon.color, polygon.flags) = (number, 255);
    }
    mesh
}

/// A body with a script of two sequences, partly flat-shaded.
///
/// Its first polygon marks the attachment point of the weapon.
fn guard() -> builder::Mesh {
    let mut mesh = boxed(10);
    mesh.vertices = 11;
    for (number, frame) in (0..).zip(&mut mesh.frames) {
        frame.extend([[600, 0, 0], [700, number * 8, 0], [600, 100, 0]]);
    }
    mesh.polygons.insert(0, polygon([8, 9, 10], 8, 0));
    mesh.polygons[5].kind = 0x20;
    mesh
}

/// A cube with Deus Ex vertices (Ion Storm's variant), which have a higher resolution.
fn crate64() -> builder::Mesh {
    let mut mesh = cube(3);
    mesh.variant = Variant::DeusEx;
    for [x, y, z] in mesh.frames.iter_mut().flatten() {
        (*x, *y, *z) = (*x * 32 + 1, *y * 32 - 1, *z * 64);
    }
    mesh
}

const GUARD: &str = r#"// A guard, and what he hears of it.
class Guard expands Pawn;

#exec MESH IMPORT MESH=Guard ANIVFILE=MODELS\guard_a.3d DATAFILE=MODELS\guard_d.3d X=0 Y=0 Z=0 UNMIRROR=1
#exec MESH ORIGIN MESH=Guard X=0 Y=-20 Z=12.5 YAW=64 ROLL=-64
#exec MESH SEQUENCE MESH=Guard SEQ=All	STARTFRAME=0 NUMFRAMES=10
#exec MESH SEQUENCE MESH=Guard SEQ=Walk	STARTFRAME=2 NUMFRAMES=6 RATE=15 GROUP=Moving
//#exec MESH SEQUENCE MESH=Guard SEQ=Swim STARTFRAME=0 NUMFRAMES=99
#exec MESH NOTIFY MESH=Guard SEQ=Walk TIME=0.25 FUNCTION=PlayFootStep
#exec mesh notify mesh=guard seq=walk time=.75 function=PlayFootStep
#exec MESH LODPARAMS MESH=Guard STRENGTH=0.5 MINVERTS=10

#exec TEXTURE IMPORT NAME=JGuard FILE="MODELS\guard skin.PCX" GROUP="Skins" FLAGS=2
#exec TEXTURE IMPORT FILE=MODELS\JLid.PCX GROUP=Skins
#exec MESHMAP NEW MESHMAP=Guard MESH=Guard
#exec MESHMAP SCALE MESHMAP=Guard X=0.06 Y=0.06 Z=0.12
#exec MESHMAP SETTEXTURE MESHMAP=Guard NUM=0 TEXTURE=JGuard
#exec MESHMAP SETTEXTURE MESHMAP=Guard NUM=1 TEXTURE=JLid

defaultproperties
{
}
"#;

const TOYS: &str = r"class Toys extends Object abstract;

#exec MESH IMPORT MESH=SpinningTop ANIVFILE=Models\Top_a.3D DATAFILE=Models\Top_d.3D ZEROTEX=1
#exec MESH SEQUENCE MESH=SpinningTop SEQ=Spin STARTFRAME=0 NUMFRAMES=4 RATE=8
#exec MESHMAP SCALE MESHMAP=SpinningTop X=0.00390625 Y=0.00390625 Z=0.0078125
#exec MESHMAP SETTEXTURE MESHMAP=SpinningTop NUM=0 TEXTURE=ToysSkins.Wood.TopTex

#exec MESH IMPORT MESH=Ball ANIVFILE=MODELS\ball_a.3d DATAFILE=MODELS\ball_d.3d MLOD=0
#exec MESH SEQUENCE MESH=Ball SEQ=All STARTFRAME=0 NUMFRAMES=3
#exec MESHMAP SCALE MESHMAP=Ball X=0.1 Y=0.1 Z=0.2
#exec OBJ LOAD FILE=ToysSkins
";
