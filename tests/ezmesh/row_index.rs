//! Compares single vertices of EZ-Mesh text, with and without a sidecar, with a pass over all
//! vertices.

use std::fmt::Write as _;
use std::sync::Arc;

use meshpeek::MeshFile as _;
use meshpeek::ezmesh::{Mesh, VertexBuffer};
use meshpeek::sidecar::{Builder, Key, Kind, Sidecar, Trust};

/// Returns a text whose vertices have a position and an integer, with various markup between the
/// numbers.
fn text(rows: usize) -> String {
    let mut text = String::from("<MeshSystem><Mesh name=\"m\" submesh_count=\"0\"><vertexbuffer count=\"");
    write!(text, "{rows}\" ctype=\"fff,h\" semantic=\"position,x\">").unwrap();
    for row in 0..rows {
        match row % 70 {
            3 => text.push_str("<!-- 7 8 9 -->"),
            60 => text.push_str("<![CDATA["),
            68 => text.push_str("]]>"),
            _ => {}
        }
        writeln!(text, " {row}.5,-{row}\t{}e-2  {} ", row * 7, row % 1000).unwrap();
    }
    if rows % 70 > 60 && rows % 70 <= 68 {
        text.push_str("]]>");
    }
    text.push_str("</vertexbuffer></Mesh></MeshSystem>");
    text
}

fn rows(buffer: &VertexBuffer<'_>) -> Vec<Vec<String>> {
    let mut rows = vec![Vec::new(); usize::try_from(buffer.count()).unwrap()];
    buffer.for_each(&mut |row, _, cell| rows[row].push(format!("{cell:?}"))).unwrap();
    rows
}

fn row(buffer: &VertexBuffer<'_>, number: usize) -> Vec<String> {
    let mut row = Vec::new();
    buffer.vertex(number, &mut |_, cell| row.push(format!("{cell:?}"))).unwrap();
    row
}

fn agree(system: &Mesh<&[u8]>) {
    let buffer = system.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
    let expected = rows(&buffer);
    for (number, expected) in expected.iter().enumerate().rev() {
        assert_eq!(row(&buffer, number), *expected, "{number}");
    }
    assert!(buffer.vertex(expected.len(), &mut |_, _| {}).is_err());
}

fn key() -> Key {
    Key::of(&std::fs::metadata("Cargo.toml").unwrap())
}

fn sidecar(system: &Mesh<&[u8]>) -> Vec<u8> {
    let (mut builder, mut bytes) = (Builder::default(), Vec::new());
    system.index(&mut builder).unwrap();
    builder.write_to(&key(), &mut bytes).unwrap();
    bytes
}

#[test]
fn finds_any_vertex_of_text() {
    for count in [1, 63, 64, 65, 128, 300] {
        let text = text(count);
        let open = || Mesh::open(text.as_bytes()).unwrap();
        agree(&open());
        let stored = sidecar(&open());
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let sidecar = Arc::new(Sidecar::new(stored.clone(), &key(), trust).unwrap());
            assert_eq!(Kind::TextRows.count_in(&sidecar), u64::try_from(count.div_ceil(64)).unwrap());
            agree(&open().with_sidecar(sidecar));
        }
    }
}

#[test]
fn a_sidecar_of_other_text_changes_no_answer() {
    let [one, mut other] = [text(300), text(300)];
    // The other text has the same length, but its numbers are at other offsets.
    other = other.replacen("<!-- 7 8 9 -->", "", 1).replace("</vertexbuffer>", "<!-- 7 8 9 --></vertexbuffer>");
    assert_eq!(one.len(), other.len());
    let stored = sidecar(&Mesh::open(one.as_bytes()).unwrap());
    for spoilt in [None, Some(stored.len() - 100), Some(4096 * 2 + 5)] {
        let mut stored = stored.clone();
        if let Some(at) = spoilt {
            stored[at] ^= 1;
        }
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let sidecar = Sidecar::new(stored.clone(), &key(), trust).unwrap();
            agree(&Mesh::open(other.as_bytes()).unwrap().with_sidecar(Arc::new(sidecar)));
            let sidecar = Sidecar::new(stored.clone(), &key(), trust).unwrap();
            agree(&Mesh::open(one.as_bytes()).unwrap().with_sidecar(Arc::new(sidecar)));
        }
    }
}

#[test]
fn the_binary_form_needs_none() {
    let system = Mesh::open(meshpeek::read("data/ezmesh/flag101.ezb").unwrap()).unwrap();
    let mut builder = Builder::default();
    system.index(&mut builder).unwrap();
    assert!(builder.is_empty());
    let buffer = system.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
    assert_eq!(row(&buffer, 2), rows(&buffer)[2]);
}
