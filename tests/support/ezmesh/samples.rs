//! Builds the sample EZ-Mesh files.

use std::fmt::Write as _;
use std::path::PathBuf;

use meshpeek::array::Bounds;
use meshpeek::decode::ByteOrder;
use meshpeek::model::Transform;

use super::builder::{self, Animation, Bone, Column, Material, MeshElement, Section, Skeleton, Track, Vertices};

/// A sample of `data/ezmesh`: its file name and its bytes.
pub struct Sample {
    pub file: &'static str,
    pub bytes: Vec<u8>,
}

/// Builds every sample.
pub fn samples() -> Vec<Sample> {
    let mut binary_flag = flag();
    binary_flag.reduce_to_ezb();
    vec![
        Sample { file: "crate.ezm", bytes: wooden_crate().to_ezm() },
        Sample { file: "crate100.ezb", bytes: wooden_crate().to_ezb(ByteOrder::Little) },
        Sample { file: "flag.ezm", bytes: flag().to_ezm() },
        Sample { file: "flag101.ezb", bytes: binary_flag.to_ezb(ByteOrder::Big) },
        Sample { file: "legacy.ezm", bytes: legacy() },
    ]
}

/// Returns the bytes of a sample.
pub fn bytes(file: &str) -> Vec<u8> {
    samples().into_iter().find(|sample| sample.file == file).unwrap().bytes
}

/// Returns the folder of the samples.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/ezmesh")
}

/// A box of 24 vertices: four sides of one material, top and bottom of another.
pub fn wooden_crate() -> builder::Mesh {
    // For each face: the normal, the direction of u, and the direction of v.
    let faces: [[[f32; 3]; 3]; 6] = [
        [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
        [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
        [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
    ];
    let half = 0.5;
    let (mut positions, mut normals, mut uvs, mut triangles) = (vec![], vec![], vec![], vec![]);
    for [normal, right, down] in faces {
        let first = u32::try_from(positions.len()).unwrap();
        for [u, v] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0_f32]] {
            let corner = [0, 1, 2].map(|axis| {
                // Adding 0 turns -0 into 0.
                (normal[axis] + right[axis] * (u * 2.0 - 1.0) + down[axis] * (v * 2.0 - 1.0)) * half + 0.0
            });
            positions.push(corner);
            normals.push(normal);
            uvs.push([u, v]);
        }
        // Top left, bottom left, bottom right; top left, bottom right, top right.
        triangles.extend([[first, first + 3, first + 2], [first, first + 2, first + 1]]);
    }
    let bounds = Some(Bounds { min: [-half; 3], max: [half; 3] });
    let lids = triangles.split_off(8);
    let section =
        |material: &str, triangles| Section { material: material.into(), bounds, triangles, ..Default::default() };
    let columns = vec![Column::positions(positions), Column::normals(normals), Column::texcoords(0, uvs)];
    builder::Mesh {
        asset_name: b"crate".into(),
        asset_info: b"null".into(),
        bounds,
        materials: ["planks", "lid"].map(|name| material(name, "")).into(),
        meshes: vec![MeshElement {
            name: b"crate".into(),
            skeleton: b"null".into(),
            bounds,
            vertices: Some(Vertices::from(columns)),
            sections: vec![section("planks", triangles), section("lid", lids)],
        }],
        ..Default::default()
    }
}

fn material(name: &str, meta_data: &str) -> Material {
    Material { name: name.into(), meta_data: meta_data.into() }
}

fn turned(position: [f32; 3], rotation: [f32; 4]) -> Transform {
    Transform { position, rotation, ..Default::default() }
}

const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A cloth of 5 x 3 vertices on three bones in a row, with every kind of column.
///
/// It waves in four frames.
pub fn flag() -> builder::Mesh {
    let (columns, rows) = (5_u8, 3_u8);
    let cells = || (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)));
    let place = |(column, row): (u8, u8)| [f32::from(column) * 0.25, f32::from(row) * 0.25];
    let lanes = |column: u8| match column {
        0 => ([1.0, 0.0, 0.0, 0.0], [0, 0, 0, 0]),
        1 => ([0.75, 0.25, 0.0, 0.0], [0, 1, 0, 0]),
        2 => ([0.5, 0.375, 0.125, 0.0], [1, 0, 2, 0]),
        3 => ([0.625, 0.375, 0.0, 0.0], [2, 1, 0, 0]),
        _ => ([1.0, 0.0, 0.0, 0.0], [2, 0, 0, 0_u16]),
    };
    let color = |(column, row): (u8, u8)| u32::from_be_bytes([255, 255 - column * 32, 64 + row * 64, 32]);
    let vertices = Vertices::from(vec![
        Column::positions(cells().map(|cell| [place(cell)[0], place(cell)[1] + 1.0, 0.0])),
        Column::normals(cells().map(|_| [0.0, 0.0, 1.0])),
        Column::colors(cells().map(color)),
        Column::texcoords(0, cells().map(|cell| [place(cell)[0], 1.0 - place(cell)[1] * 2.0])),
        Column::tangents(cells().map(|_| [1.0, 0.0, 0.0])),
        Column::binormals(cells().map(|_| [0.0, 1.0, 0.0])),
        Column::weights(cells().map(|(column, _)| lanes(column).0)),
        Column::bones(cells().map(|(column, _)| lanes(column).1)),
        Column::interps(0, cells().map(|(column, row)| [f32::from(column), f32::from(row), 0.1])),
        Column::radii(cells().map(|(column, _)| 0.01 * f32::from(column))),
    ]);
    let width = u32::from(columns);
    let quads = (0..u32::from(rows) - 1).flat_map(|row| (0..width - 1).map(move |column| row * width + column));
    let triangles = quads.flat_map(|at| [[at, at + 1, at + width + 1], [at, at + width + 1, at + width]]).collect();
    let bone = |name: &str, parent, bind| Bone { name: name.into(), parent, bind };
    let rests = [turned([0.0, 1.0, 0.0], STILL), turned([0.5, 0.0, 0.0], STILL), turned([0.375, 0.0, 0.0], STILL)];
    // Rotations around y. The numbers make unit quaternions.
    let left = [0.0, 0.28, 0.0, 0.96];
    let right = [0.0, -0.28, 0.0, 0.96];
    let waves = [[STILL, left, right, STILL], [left, STILL, STILL, right], [right, right, left, left]];
    let names = ["pole", "cloth", "cloth tip"];
    let tracks = names.iter().zip(rests).zip(waves).map(|((name, rest), wave)| Track {
        name: (*name).into(),
        keys: wave.map(|rotation| turned(rest.position, rotation)).into(),
        seconds: None,
    });
    let bounds = Some(Bounds { min: [0.0, 1.0, 0.0], max: [1.0, 1.5, 0.0] });
    builder::Mesh {
        asset_name: b"flag".into(),
        asset_info: b"a cloth that waves".into(),
        bounds,
        skeletons: vec![Skeleton {
            name: b"rig".into(),
            bones: names
                .into_iter()
                .zip([None, Some(0), Some(1)])
                .zip(rests)
                .map(|((name, up), at)| bone(name, up, at))
                .collect(),
        }],
        animations: vec![Animation {
            name: b"wave".into(),
            duration: Some(0.2),
            dtime: Some(0.05),
            tracks: tracks.collect(),
            frames: None,
        }],
        materials: vec![material("cloth", "texture=%20flag.dds%20")],
        meshes: vec![MeshElement {
            name: b"flag".into(),
            skeleton: b"rig".into(),
            bounds,
            vertices: Some(vertices),
            sections: vec![Section { material: b"cloth".into(), bounds, triangles, ..Default::default() }],
        }],
        ..Default::default()
    }
}

/// Two squares on two bones, in the encoding of exporters before 2008.
///
/// The text begins with four blanks instead of a declaration. It is a single mesh with vertices in
/// each section and keys without a scale.
pub fn legacy() -> Vec<u8> {
    let mut text = String::from("    <Mesh name=\"legacy.gr2\">\r\n");
    let mut line = |line: &str| writeln!(text, "{line}\r").unwrap();
    line(
        r#"      <Animation name="legacy.gr2" trackcount="2" framecount="3" duration="0.033333335" dtime="0.016666668">"#,
    );
    for (bone, height) in [("hinge", "0.5"), ("door", "-0")] {
        line(&format!(r#"        <AnimTrack name="{bone}" count="3">"#));
        for turn in ["-0 0 0 1", "0 0.28 0 0.959999979", "0 0.600000024 0 0.800000012"] {
            line(&format!("        0 {height} -0.000000011    {turn},"));
        }
        line("        </AnimTrack>");
    }
    line("      </Animation>");
    line(r#"      <Skeleton name="hinge" count="2">"#);
    line(r#"        <Bone name="hinge" orientation="0 0 0 1" position="0 0.5 0"/>"#);
    line(r#"        <Bone name="door" parent="hinge" orientation="0 0 0 1" position="0 0 0"/>"#);
    line("      </Skeleton>");
    for (material, from) in [("wood", 0_u8), ("iron", 1)] {
        line(&format!(r#"      <MeshSection material="{material}" info="C:\art\{material}.tga">"#));
        let types =
            r#"ctype="fff fff ff ff ffff hhhh" semantic="position normal texcoord texcoord blendweights blendindices""#;
        line(&format!(r#"        <vertexbuffer count="4" {types}>"#));
        for [x, y] in [[0, 0], [1, 0], [1, 1], [0, 1_u8]] {
            let up = from + y;
            line(&format!("          {x} {up} -0  0 0 1  {x} {y} {x} 0.5  1 0 0 0  {x} 0 0 0,"));
        }
        line("        </vertexbuffer>");
        line(r#"        <indexbuffer count="2">"#);
        line("             0 1 2,");
        line("             0 2 3,");
        line("        </indexbuffer>");
        line("      </MeshSection>");
    }
    line("    </Mesh>");
    text.into_bytes()
}
