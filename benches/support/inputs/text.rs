//! EZ-Mesh files in the style of the original exporter: nine digits after the decimal point without
//! trailing zeros, and two vertices or sixteen triangles on a line, which ends in CR and LF.
//!
//! The static file has about 10 MB of text: a height field of 62,500 vertices in 24 sections, with
//! normals and two sets of texture coordinates. The animated file has about 3.5 MB: 5,243 vertices
//! with every possible attribute, and 62 tracks of 300 frames. Binary files have 1,000,000
//! vertices, little-endian or big-endian.

use std::fmt::Write;
use std::path::PathBuf;

use tempfile::TempDir;

use super::random;

/// The number of vertices along one side of the static mesh, and the number of its sections.
const SIDE: u32 = 250;
const SECTIONS: u32 = 24;
/// The layout of the vertices of the static mesh.
const STATIC: &str = "ctype=\"fff fff ff ff\" semantic=\"position normal texcoord1 texcoord2\"";
/// The layout of the vertices of the animated mesh.
const SKINNED: &str = "ctype=\"fff fff x4 ff ff ff ff fff fff ffff hhhh f\" semantic=\"position normal color texcoord1 \
                       texcoord2 texcoord3 texcoord4 tangent binormal blendweights blendindices radius\"";
const BONES: u32 = 62;
const BOX: &str = "<MeshAABB min=\"-1,-1,-0.2\" max=\"1,1,0.2\"/>";
/// The flags of the vertices of a binary file: position, normal, two sets of texture coordinates.
const FLAGS: u32 = 27;

/// The size of the animated mesh.
struct Moving {
    vertices: u32,
    triangles: u32,
    frames: u32,
}

/// A file to read.
pub struct Input {
    pub name: String,
    pub path: PathBuf,
}

/// The files, which are removed when this value is dropped.
pub struct Texts {
    pub text: Vec<Input>,
    pub binary: Vec<Input>,
    _folder: TempDir,
}

impl Texts {
    /// Writes the files, or small ones if the bench runs as a test.
    pub fn write() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let save = |name: &str, extension: &str, bytes: &[u8]| {
            let path = folder.path().join(format!("{name}.{extension}"));
            std::fs::write(&path, bytes).unwrap();
            Input { name: format!("{name}, {:.1} MB", bytes.len() as f64 / 1e6), path }
        };
        let text = vec![save("static", "ezm", still().as_bytes()), save("animated", "ezm", moving().as_bytes())];
        let binaries = [("little-endian", false), ("big-endian", true)];
        let binary = binaries.map(|(name, big)| save(name, "ezb", &records(big))).into();
        Self { text, binary, _folder: folder }
    }
}

/// Returns the static text.
pub fn still() -> String {
    let side = if crate::support::claims::testing() { 10 } else { SIDE };
    let sections = SECTIONS.min(side - 1);
    let mut out = Text::new("height field");
    out.line("    <Meshes count=\"1\">");
    out.line(&format!("      <Mesh name=\"field\" skeleton=\"\" submesh_count=\"{sections}\">"));
    out.line(&format!("       {BOX}"));
    out.line(&format!("        <vertexbuffer count=\"{}\" {STATIC}>", side * side));
    for vertex in 0..side * side {
        let at = |step: u32| step as f32 / (side - 1) as f32 * 2.0 - 1.0;
        let [x, y] = [at(vertex % side), at(vertex / side)];
        let floats = [&[x, y, super::height(x, y) + uneven(vertex)][..], &normal(x, y), &[x * 0.5 + 0.5, y], &[y, x]];
        out.start(vertex, 2);
        out.floats(&floats.concat());
        out.end(" ,    ");
    }
    out.line("\r\n        </vertexbuffer>");
    let rows = |section: u32| (side - 1) * section / sections..(side - 1) * (section + 1) / sections;
    for section in 0..sections {
        let quads = rows(section).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        let corners = quads.flat_map(|at| [[at, at + 1, at + side + 1], [at, at + side + 1, at + side]]);
        out.section(&format!("stone_{section}"), STATIC, &corners.collect::<Vec<_>>());
    }
    out.finish()
}

/// Returns the animated text.
pub fn moving() -> String {
    let Moving { vertices, triangles, frames } = if crate::support::claims::testing() {
        Moving { vertices: 30, triangles: 20, frames: 3 }
    } else {
        Moving { vertices: 5243, triangles: 5965, frames: 300 }
    };
    let mut out = Text::new("walker");
    out.line(&format!("    <Skeletons count=\"1\">\r\n      <Skeleton name=\"walker\" count=\"{BONES}\">"));
    for bone in 0..BONES {
        let parent = if bone == 0 { String::new() } else { format!(" parent=\"bone_{}\"", (bone - 1) / 2) };
        let place = "orientation=\"0 -0.707106948 0 0.70710659\" position=\"-0.000225297 0 0\" scale=\"1 1 1\"";
        out.line(&format!("        <Bone name=\"bone_{bone}\"{parent} {place}/>"));
    }
    out.line("      </Skeleton>\r\n    </Skeletons>\r\n    <Animations count=\"1\">");
    let timing = "duration=\"5.000000477\" dtime=\"0.016666668\"";
    out.line(&format!("      <Animation name=\"walk\" trackcount=\"{BONES}\" framecount=\"{frames}\" {timing}>"));
    for track in 0..BONES {
        out.line(&format!("        <AnimTrack name=\"bone_{track}\" count=\"{frames}\" has_scale=\"true\">"));
        for frame in 0..frames {
            let turn = frame as f32 * 0.02 + track as f32;
            let (sin, cos) = (turn.sin(), turn.cos());
            let shift = if track % 3 == 0 { [turn * 0.1, sin * 0.01, cos * 0.1] } else { [0.0, sin * 0.3, 0.0] };
            let scale = [0.999_966_4, 1.0, if track % 4 == 0 { 1.0 } else { 0.999_966_4 }];
            out.text.push_str("      ");
            out.floats(&[&shift[..], &[0.6 * sin, 0.8 * cos, 0.8 * sin, 0.6 * cos], &scale].concat());
            out.line(",");
        }
        out.line("        </AnimTrack>");
    }
    out.line("      </Animation>\r\n    </Animations>");
    out.line("    <Meshes count=\"1\">\r\n      <Mesh name=\"body\" skeleton=\"\" submesh_count=\"3\">");
    out.line(&format!("       {BOX}\r\n        <vertexbuffer count=\"{vertices}\" {SKINNED}>"));
    for vertex in 0..vertices {
        let (x, y) = ((vertex as f32 * 0.013).sin(), vertex as f32 * 0.0003);
        let uv = [x * 0.5 + 0.5, y];
        let position = [x, y, super::height(x, y) + uneven(vertex)];
        out.start(vertex, 2);
        out.floats(&[&position[..], &normal(x, y)].concat());
        out.text.push_str(" FFFFFFFF ");
        // Three sets of texture coordinates and half of the tangents exist, but are all zero.
        let frame = if vertex % 2 == 0 { normal(y, x).repeat(2) } else { vec![0.0; 6] };
        let weights = if vertex % 3 == 0 { [uv[0] * 0.5, 1.0 - uv[0] * 0.5, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] };
        out.floats(&[&uv[..], &[0.0; 6], &frame, &weights].concat());
        for step in [0, 1, 2, 2] {
            write!(out.text, " {}", (random(vertex / 8) % BONES + step) % BONES).unwrap();
        }
        out.text.push_str(" 0");
        out.end(" ,    ");
    }
    out.line("\r\n        </vertexbuffer>");
    let corner = |triangle: u32| [0, 1, 2 + random(triangle) % 40].map(|step| (triangle + step) % vertices);
    for section in 0..3 {
        let range = triangles * section / 3..triangles * (section + 1) / 3;
        out.section(&format!("cloth_{section}"), SKINNED, &range.map(corner).collect::<Vec<_>>());
    }
    out.finish()
}

/// Returns a binary file of one mesh and one section, whose triangle is the first three vertices.
/// The mesh is large, but small if the bench runs as a test.
pub fn records(big: bool) -> Vec<u8> {
    records_of(big, if crate::support::claims::testing() { 100 } else { 1_000_000 })
}

/// Returns the same file with this number of vertices.
pub fn records_of(big: bool, vertices: u32) -> Vec<u8> {
    let mut out = Binary { big, bytes: Vec::new() };
    out.int(if big { 101 } else { 100 }).name("EZMESH").name("field").name("").int(0).int(0);
    // The bounding box, and no textures, tetrahedra, skeletons, animations, materials, or user
    // data.
    out.floats(&[0.0; 6]);
    (0..7).fold(&mut out, |out, _| out.int(0)).int(1).name("field").name("").floats(&[0.0; 6]);
    out.int(1).name("stone").floats(&[0.0; 6]).int(FLAGS).int(1).int(0).int(1).int(2);
    out.int(FLAGS).int(vertices);
    let side = vertices.isqrt();
    for vertex in 0..vertices {
        let at = |step: u32| step as f32 / side as f32 * 2.0 - 1.0;
        let [x, y] = [at(vertex % side), at(vertex / side)];
        out.floats(&[x, y, super::height(x, y) + uneven(vertex)]).floats(&normal(x, y)).floats(&[x, y, y, x]);
    }
    out.int(0).int(0).floats(&[0.0; 4]);
    out.bytes
}

fn uneven(vertex: u32) -> f32 {
    random(vertex) as f32 * 1e-12
}

fn normal(x: f32, y: f32) -> [f32; 3] {
    let [right, down] = [(x * 5.0).cos() * (y * 7.0).cos() * -0.5, (x * 5.0).sin() * (y * 7.0).sin() * 0.7];
    [right, down, 1.0].map(|axis| axis / (right * right + down * down + 1.0).sqrt())
}

struct Text {
    text: String,
}

impl Text {
    fn new(name: &str) -> Self {
        let versions = "mesh_system_version=\"1\" mesh_system_asset_version=\"0\"";
        let mut out = Self { text: String::new() };
        out.line("<?xml version=\"1.0\"?>");
        out.line(&format!("  <MeshSystem asset_name=\"{name}\" asset_info=\"\" {versions}>\r\n       {BOX}"));
        out
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\r\n");
    }

    /// Starts a new line after every `each` items.
    fn start(&mut self, number: u32, each: u32) {
        if number.is_multiple_of(each) {
            self.text.push_str(if number == 0 { "          " } else { "\r\n          " });
        }
    }

    fn end(&mut self, mark: &str) {
        self.text.push_str(mark);
    }

    /// Writes floats in the same way as the exporter.
    fn floats(&mut self, floats: &[f32]) {
        for (place, float) in floats.iter().enumerate() {
            let all = format!("{float:.9}");
            let short = all.trim_end_matches('0').trim_end_matches('.');
            self.text.push_str(if place == 0 { "" } else { " " });
            self.text.push_str(short);
        }
    }

    fn section(&mut self, material: &str, layout: &str, triangles: &[[u32; 3]]) {
        self.line(&format!("      <MeshSection material=\"{material}\" {layout}>\r\n       {BOX}"));
        self.line(&format!("        <indexbuffer triangle_count=\"{}\">", triangles.len()));
        for (number, [a, b, c]) in (0..).zip(triangles) {
            self.start(number, 16);
            write!(self.text, "{a} {b} {c},  ").unwrap();
        }
        self.line("\r\n        </indexbuffer>\r\n      </MeshSection>");
    }

    fn finish(mut self) -> String {
        self.line("      </Mesh>\r\n    </Meshes>\r\n  </MeshSystem>");
        self.text
    }
}

struct Binary {
    big: bool,
    bytes: Vec<u8>,
}

impl Binary {
    fn int(&mut self, number: u32) -> &mut Self {
        self.bytes.extend(if self.big { number.to_be_bytes() } else { number.to_le_bytes() });
        self
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.int(name.len() as u32);
        self.bytes.extend(name.as_bytes());
        self
    }

    fn floats(&mut self, floats: &[f32]) -> &mut Self {
        floats.iter().fold(self, |out, float| out.int(float.to_bits()))
    }
}
