//! The copying loader of Unreal pairs. It reads both files, and decodes every polygon and every
//! frame.

use std::path::Path;

/// A decoded mesh.
pub struct Mesh {
    pub polygons: Vec<Polygon>,
    /// For each frame, the position of every vertex in stored units.
    pub frames: Vec<Vec<[f32; 3]>>,
}

/// A decoded triangle.
pub struct Polygon {
    pub vertices: [u16; 3],
    pub kind: u8,
    pub texture: u8,
    pub uvs: [[f32; 2]; 3],
}

/// Loads a pair of classic files.
pub fn load(data: &Path, aniv: &Path) -> Mesh {
    let [data, aniv] = [data, aniv].map(|path| std::fs::read(path).unwrap());
    let number = |bytes: &[u8], at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let (polygons, vertices) = (number(&data, 0), number(&data, 2));
    let (frames, size) = (number(&aniv, 0), number(&aniv, 2));
    assert_eq!(size, vertices * 4, "only classic files are supported");
    let records = data[48..48 + polygons * 16].as_chunks().0;
    let body = &aniv[4..4 + frames * size];
    Mesh {
        polygons: records.iter().map(polygon).collect(),
        frames: body
            .chunks_exact(size)
            .map(|frame| frame.as_chunks().0.iter().map(|raw| position(*raw)).collect())
            .collect(),
    }
}

fn polygon(raw: &[u8; 16]) -> Polygon {
    let vertex = |at| u16::from_le_bytes([raw[at], raw[at + 1]]);
    let uv = |at| [f32::from(raw[at]) / 255.0, f32::from(raw[at + 1]) / 255.0];
    Polygon {
        vertices: [vertex(0), vertex(2), vertex(4)],
        kind: raw[6],
        texture: raw[14],
        uvs: [uv(8), uv(10), uv(12)],
    }
}

fn position(raw: [u8; 4]) -> [f32; 3] {
    let word = i32::from_le_bytes(raw);
    [word << 21 >> 21, word << 10 >> 21, word >> 22].map(|part| part as f32)
}

/// Returns the minimum and the maximum corner of the bounding box of positions.
pub fn bounds<'a>(positions: impl IntoIterator<Item = &'a [f32; 3]>) -> [[f32; 3]; 2] {
    let mut found = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let [min, max] = &mut found;
    for position in positions {
        for ((min, max), value) in min.iter_mut().zip(&mut *max).zip(position) {
            *min = if value < min { *value } else { *min };
            *max = if value > max { *value } else { *max };
        }
    }
    found
}
