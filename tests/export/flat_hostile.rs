//! Damaged files: an export returns an error, or lists what it left out, and never panics.

use meshpeek::Model;
use meshpeek::export::{ExportFormat, ExportOptions, LossKind};

use crate::readers::{read_obj, read_ply, read_stl};
use crate::support::random::Random;
use crate::{FLAT, export, samples};

/// Exports bytes in all flat formats. Returns the number of exports that were written.
fn export_all(bytes: &[u8], options: &ExportOptions) -> usize {
    let Ok(model) = Model::open(bytes.to_vec()) else { return 0 };
    FLAT.into_iter().filter(|format| export(model.contents(), *format, options).is_ok()).count()
}

#[test]
fn cut_files_never_panic() {
    let options = ExportOptions::default();
    for path in samples() {
        let bytes = std::fs::read(&path).unwrap();
        let step = (bytes.len() / 24).max(1);
        for length in (0..bytes.len()).step_by(step) {
            export_all(&bytes[..length], &options);
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    let (mut random, mut written) = (Random::new(7), 0);
    for path in samples() {
        let bytes = std::fs::read(&path).unwrap();
        for round in 0..12 {
            let mut bytes = bytes.clone();
            for _ in 0..=round / 2 {
                let at = random.below(bytes.len());
                bytes[at] = random.next() as u8;
            }
            let frame = (round % 3 == 0).then_some(0.5);
            written += export_all(&bytes, &ExportOptions::default().with_frame(frame));
        }
    }
    assert!(written > 50, "{written}");
}

/// A mesh with 4 triangles: the second has an invalid index, the third a position that is not
/// finite, and the fourth has no area.
const DAMAGED: &str = "<MeshSystem><Meshes><Mesh name='two words'>
    <vertexbuffer count='4' ctype='fff ff' semantic='position texcoord1'>
        0 0 0 0 0  1 0 0 1 nan  0 1 0 0 1  inf 0 0 1 1</vertexbuffer>
    <MeshSection><indexbuffer triangle_count='4'>0 1 2  0 1 9  0 1 3  0 0 1</indexbuffer></MeshSection>
    </Mesh></Meshes></MeshSystem>";

#[test]
fn damaged_triangles_are_left_out_and_listed() {
    let model = Model::open(DAMAGED.as_bytes()).unwrap();
    let options = ExportOptions::default();
    for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl] {
        let (files, losses) = export(model.contents(), format, &options).unwrap();
        let triangles: Vec<String> =
            losses.iter().filter(|loss| loss.kind == LossKind::Triangles).map(ToString::to_string).collect();
        assert!(triangles[0].starts_with("surface 0: 1 triangle with an invalid index"), "{triangles:?}");
        assert_eq!(triangles[1], "surface 0: 1 triangle with a position that is not finite");
        let values = losses.iter().filter(|loss| loss.kind == LossKind::Values).count();
        assert_eq!(values, usize::from(format != ExportFormat::Stl), "{losses:?}");
        match format {
            ExportFormat::Obj => {
                let obj = read_obj(&files[0]);
                assert_eq!((obj.objects[0].triangles.len(), obj.objects[0].name.as_str()), (2, "two_words"));
                assert_eq!(obj.positions.len(), 3, "a position that is not finite is not used");
            }
            ExportFormat::Ply => assert_eq!(read_ply(&files[0]).faces.len(), 2),
            _ => {
                let triangles = read_stl(&files[0]);
                assert_eq!((triangles.len(), triangles[1][0]), (2, [0.0; 3]));
            }
        }
    }
}

/// Tests that many small surfaces that share many vertices take time and space for their triangles
/// only.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn shared_vertices_are_not_repeated() {
    use std::fmt::Write as _;
    let count = 3000;
    let mut file = format!(
        "<MeshSystem><Meshes><Mesh name='{}'><vertexbuffer count='{count}' ctype='fff ff' semantic='position texcoord1'>",
        "x".repeat(50_000)
    );
    (0..count).for_each(|vertex| write!(file, "{vertex} 0 0 0 0 ").unwrap());
    file += "</vertexbuffer>";
    for _ in 0..count {
        file += "<MeshSection><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>";
    }
    file += "</Mesh></Meshes></MeshSystem>";
    let model = Model::open(file.as_bytes()).unwrap();
    for format in FLAT {
        let (files, _) = export(model.contents(), format, &ExportOptions::default()).unwrap();
        // A name of 4 KiB is written for each surface.
        assert!(files[0].len() < count * 9000, "{format}: {} bytes", files[0].len());
    }
}

/// Tests that a pose of surfaces with few of many shared vertices has the same positions as a pose
/// of all vertices.
#[test]
fn a_pose_of_shared_vertices_is_the_same() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/ezmesh/flag.ezm")).unwrap();
    let (head, rest) = text.split_once("</vertexbuffer>").unwrap();
    let row = head.lines().rev().find(|line| line.ends_with(',')).unwrap();
    let (_, tail) = rest.split_once("</MeshSection>").unwrap();
    let section =
        |triangle: &str| format!("<MeshSection><indexbuffer triangle_count='1'>{triangle}</indexbuffer></MeshSection>");
    let many = [
        head.replace("count=\"15\"", "count=\"215\""),
        format!("\n{row}").repeat(200),
        "</vertexbuffer>".to_owned(),
        section("0 1 6") + &section("8 9 14"),
        tail.to_owned(),
    ];
    let options = ExportOptions::default().with_frame(Some(1.5));
    let [one, other] = [text, many.concat()].map(|text| {
        let model = Model::open(text.as_bytes()).unwrap();
        let (files, _) = export(model.contents(), ExportFormat::Obj, &options).unwrap();
        read_obj(&files[0])
    });
    // Only used positions are written.
    assert_eq!((other.objects.len(), other.positions.len()), (2, 6));
    assert_eq!([0, 1, 6, 8, 9, 14].map(|vertex| one.positions[vertex]), other.positions[..]);
    assert_eq!(other.objects[1].triangles[0].map(|corner| corner[0]), [3, 4, 5].map(Some));
}

#[test]
fn names_keep_the_statements_apart() {
    let file = "<MeshSystem><Meshes>
        <Mesh name='a&#10;f 1 2 3\\'><vertexbuffer count='3' ctype='fff' semantic='position'>0 0 0 1 0 0 0 1 0</vertexbuffer>
        <MeshSection material='m n'><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>
        <MeshSection material='m_n'><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>
        <MeshSection><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>
        </Mesh></Meshes></MeshSystem>";
    let model = Model::open(file).unwrap();
    let (files, _) = export(model.contents(), ExportFormat::Obj, &ExportOptions::default()).unwrap();
    let obj = read_obj(&files[0]);
    assert_eq!((obj.objects.len(), obj.positions.len()), (3, 3), "three objects share three positions");
    let mut materials: Vec<&str> = obj.objects.iter().map(|object| object.material.as_str()).collect();
    materials.dedup();
    assert_eq!(materials.len(), 3, "{materials:?}");
    let library = std::str::from_utf8(&files[1]).unwrap();
    assert!(materials.iter().all(|name| library.contains(&format!("newmtl {name}\n"))), "{library}");
}
