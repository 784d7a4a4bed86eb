//! Tests of vertices in all layouts, formats and ways out.

use std::mem::MaybeUninit;
use std::ops::Range;

use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::gpu::{Drawable, IndexFormat, Semantic, VertexAttribute, VertexFormat, VertexLayout, VertexSource};
use meshpeek::model::{Handedness, Space, SpaceConversion, Transform, Welded, Winding};
use meshpeek::unigine::Generation;
use meshpeek::{Array, Corner, ErrorKind, Skeleton, Surface};

use crate::reference::{FORMATS, Reference};
use crate::support::allocations::allocations;
use crate::support::unigine::builder;
use crate::{MAX_VERTICES, each_surface};

/// A drawable surface, with the corner of each of its vertices.
struct Vertices<'a> {
    drawable: Drawable<'a>,
    corners: Vec<Corner>,
}

impl<'a> Vertices<'a> {
    fn of(surface: &Surface<'a>) -> Option<Self> {
        let drawable = surface.drawable().ok()?;
        let corners = if let Some(welded) = drawable.welded() {
            welded.vertices.clone()
        } else {
            let count = u32::try_from(surface.positions().ok()?.len()).unwrap();
            (0..count).map(|index| Corner { position: index, attribute: index }).collect()
        };
        Some(Self { drawable, corners })
    }
}

fn written(source: &VertexSource<'_>) -> meshpeek::Result<Vec<u8>> {
    let mut out = vec![0xa5; source.byte_len()];
    source.write_into(0..source.vertex_count(), &mut out).map(|()| out)
}

/// Compares all attributes of the first vertices and the last with the reference. Bytes that
/// belong to no attribute must be 0.
fn check(what: &str, layout: &VertexLayout, reference: &Reference<'_>, corners: &[Corner], out: &[u8]) {
    let stride = layout.stride() as usize;
    assert_eq!(out.len(), corners.len() * stride, "{what}");
    let last = corners.len().saturating_sub(100);
    for (number, (corner, vertex)) in corners.iter().zip(out.chunks(stride)).enumerate() {
        if number >= MAX_VERTICES && number < last {
            continue;
        }
        let mut rest = vertex.to_vec();
        for attribute in layout.attributes() {
            let [from, size] = [attribute.offset(), attribute.format().size()].map(|bytes| bytes as usize);
            assert!(
                reference.is_right(attribute, *corner, &vertex[from..from + size]),
                "{what}: {attribute:?} of {number}"
            );
            rest[from..from + size].fill(0);
        }
        assert!(rest.iter().all(|byte| *byte == 0), "{what}: gap of vertex {number}");
    }
}

fn full_layout() -> VertexLayout {
    VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Tangent, VertexFormat::Snorm16x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
        (Semantic::Color, VertexFormat::Unorm8x4),
        (Semantic::Joints, VertexFormat::Uint16x4),
        (Semantic::Weights, VertexFormat::Unorm8x4),
    ])
    .unwrap()
}

#[test]
fn every_format_of_every_surface_is_the_reference() {
    each_surface(|path, _, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let reference = Reference::new(surface, SpaceConversion::IDENTITY, 0);
        for (semantic, formats) in FORMATS {
            for format in formats {
                let layout = VertexLayout::packed(&[(semantic, *format)]).unwrap();
                let Ok(source) = vertices.drawable.vertices(&layout) else { continue };
                match written(&source) {
                    Ok(out) => check(path, &layout, &reference, &vertices.corners, &out),
                    Err(error) => assert!(semantic == Semantic::Joints, "{path}: {error}"),
                }
            }
        }
    });
}

#[test]
fn interleaved_is_planar_at_any_stride() {
    each_surface(|path, _, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let reference = Reference::new(surface, SpaceConversion::IDENTITY, 0);
        let packed = full_layout();
        // Odd offsets in reverse order, with gaps, and a stride that is odd or the greatest.
        for stride in [packed.stride(), 61, 97, 2048] {
            let mut end = if stride == packed.stride() { packed.stride() } else { 59 };
            let place = |attribute: &VertexAttribute| {
                end -= attribute.format().size();
                VertexAttribute::new(attribute.semantic(), attribute.format(), end)
            };
            let attributes: Vec<_> = packed.attributes().iter().map(place).collect();
            let layout = VertexLayout::new(stride, attributes).unwrap();
            let Ok(source) = vertices.drawable.vertices(&layout) else { continue };
            if source.byte_len() > 4 << 20 {
                continue;
            }
            let Ok(out) = written(&source) else { continue };
            check(path, &layout, &reference, &vertices.corners, &out);
        }
    });
}

/// A target that can be written only, such as the mapped memory of a GPU.
struct WriteOnly(Vec<MaybeUninit<u8>>);

impl WriteOnly {
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let place = &mut self.0[usize::try_from(offset).unwrap()..][..bytes.len()];
        place.iter_mut().zip(bytes).for_each(|(place, byte)| _ = place.write(*byte));
    }
}

#[test]
fn all_ways_out_agree_and_allocate_nothing() {
    let mut seen = 0;
    each_surface(|path, _, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let Ok(source) = vertices.drawable.vertices(&full_layout()) else { return };
        let Ok(all) = written(&source) else { return };
        let (count, stride) = (source.vertex_count(), full_layout().stride() as usize);
        // All short lengths are checked for some surfaces only, because this takes long.
        let step = if seen < 4000 { 1 } else { 37 };
        let mut ranges: Vec<_> =
            (0..count.min(200)).step_by(step).map(|length| (length % 7).min(count - length)..length).collect();
        ranges.retain(|range| range.start <= range.end);
        ranges.extend([0..count, count / 3..count, count..count, count / 2..count / 2 + count / 4]);
        for range in ranges {
            let expected = &all[range.start * stride..range.end * stride];
            let mut out = vec![0x5a; expected.len()];
            let mut memory = vec![MaybeUninit::uninit(); expected.len()];
            let mut target = WriteOnly(vec![MaybeUninit::uninit(); expected.len()]);
            let mut sum = 0;
            let made = allocations(|| {
                source.write_into(range.clone(), &mut out).unwrap();
                assert_eq!(source.write_uninit(range.clone(), &mut memory).unwrap(), expected);
                source
                    .push(range.clone(), |offset, bytes| {
                        assert!((1..=8192).contains(&bytes.len()) && offset == sum);
                        assert_eq!(bytes, &expected[usize::try_from(offset).unwrap()..][..bytes.len()]);
                        target.write(offset, bytes);
                        sum += bytes.len() as u64;
                    })
                    .unwrap();
            });
            assert_eq!((made, sum), (0, expected.len() as u64), "{path} {range:?}");
            assert_eq!(out, expected, "{path} {range:?}");
            seen += 1;
        }
        let wrong = [0..count + 1, count + 1..count + 1, Range { start: 1, end: 0 }];
        for range in wrong {
            let error = source.push(range, |_, _| panic!("no block")).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NoSuch), "{error}");
        }
        let error = source.write_into(0..count, &mut vec![0; all.len() + 1]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Buffer), "{error}");
        assert!(source.write_uninit(0..count, &mut [MaybeUninit::uninit(); 1]).is_err());
    });
    assert!(seen > 500, "{seen}");
}

#[test]
fn other_spaces_convert_as_surfaces_do() {
    let full = full_layout();
    let floats = VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Float32x3),
        (Semantic::Tangent, VertexFormat::Float32x4),
        (Semantic::OctahedralNormal, VertexFormat::Snorm16x2),
        (Semantic::Uv(0), VertexFormat::Float32x2),
    ])
    .unwrap();
    each_surface(|path, geometry, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let mut assumed = Space::GLTF;
        (assumed.forward, assumed.winding) = (None, Some(Winding::Clockwise));
        let from = geometry.space().or(&assumed);
        let mut left = Space::GLTF;
        (left.handedness, left.metres_per_unit) = (Some(Handedness::Left), Some(0.01));
        for target in [Space::GLTF, left] {
            let conversion = from.conversion_to(&target).unwrap();
            let reference = Reference::new(surface, conversion, 0);
            for layout in [&full, &floats] {
                let Ok(source) = vertices.drawable.vertices(layout) else { continue };
                let source = source.in_space(conversion);
                let Ok(out) = written(&source) else { continue };
                check(path, layout, &reference, &vertices.corners, &out);
            }
        }
    });
}

#[test]
fn targets_and_frames_replace_the_shape() {
    let layout = full_layout();
    let mut seen = [0, 0];
    each_surface(|path, geometry, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let Ok(source) = vertices.drawable.vertices(&layout) else { return };
        for target in 1..surface.counts().unwrap().targets as usize {
            let out = written(&source.clone().with_target(target).unwrap()).unwrap();
            let reference = Reference::new(surface, SpaceConversion::IDENTITY, target);
            check(path, &layout, &reference, &vertices.corners, &out);
            seen[0] += 1;
        }
        for frame in 0..geometry.vertex_frame_count().unwrap().min(3) {
            let out = written(&source.clone().with_frame(frame).unwrap()).unwrap();
            let positions = surface.vertex_frame(frame).unwrap();
            for (corner, vertex) in vertices.corners.iter().zip(out.chunks(layout.stride() as usize)) {
                let position = positions.get(corner.position as usize).unwrap();
                assert_eq!(&vertex[..12], bytemuck::bytes_of(&position), "{path}");
            }
            seen[1] += 1;
        }
        assert!(source.clone().with_target(1 << 20).is_err() && source.with_frame(1 << 20).is_err());
    });
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn octahedral_normals_point_like_the_normals() {
    let layout = VertexLayout::packed(&[
        (Semantic::Normal, VertexFormat::Float32x3),
        (Semantic::OctahedralNormal, VertexFormat::Snorm16x2),
    ])
    .unwrap();
    each_surface(|path, _, surface| {
        let Some(vertices) = Vertices::of(surface) else { return };
        let Ok(source) = vertices.drawable.vertices(&layout) else { return };
        for vertex in written(&source).unwrap().chunks(16) {
            let normal: Vec<f32> =
                vertex[..12].chunks(4).map(|part| f32::from_le_bytes(part.try_into().unwrap())).collect();
            let length = normal.iter().map(|part| part * part).sum::<f32>().sqrt();
            let part = |at: usize| f32::from(i16::from_le_bytes([vertex[at], vertex[at + 1]])) / 32767.0;
            let [mut x, mut y] = [part(12), part(14)];
            let z = 1.0 - x.abs() - y.abs();
            let fold = (-z).max(0.0);
            x -= fold.copysign(x);
            y -= fold.copysign(y);
            let scale = (x * x + y * y + z * z).sqrt().recip();
            for (found, expected) in [x, y, z].into_iter().zip(&normal) {
                let error = (found * scale - expected / length).abs();
                assert!(error < 1e-4 || !(length > 1e-6 && length < 1e6), "{path}: {normal:?}");
            }
        }
    });
}

#[test]
fn joints_are_compared_with_the_number_of_bones() {
    let layout =
        VertexLayout::packed(&[(Semantic::Joints, VertexFormat::Uint8x4), (Semantic::Weights, VertexFormat::Unorm8x4)])
            .unwrap();
    let check = |path: &str, is_error: bool| {
        let model = meshpeek::open(path).unwrap();
        let surface = Surface::new(model.geometry(), 0).unwrap();
        let drawable = surface.drawable().unwrap();
        let source = drawable.vertices(&layout).unwrap();
        let stored = written(&source).unwrap();
        assert!(stored.chunks(8).any(|vertex| vertex[..4].iter().any(|joint| *joint > 0)), "{path}");
        let bones = Skeleton::new(model.animations()).unwrap().len();
        assert_eq!(written(&source.clone().with_bones(bones)).unwrap(), stored, "{path}");
        match written(&source.with_bones(1)) {
            Ok(limited) => {
                assert!(!is_error && limited.chunks(8).all(|vertex| vertex[..4] == [0; 4]), "{path}");
                assert!(limited.chunks(8).zip(stored.chunks(8)).all(|(one, other)| one[4..] == other[4..]));
            }
            Err(error) => assert!(is_error && matches!(error.kind(), ErrorKind::Value), "{path}: {error}"),
        }
    };
    check("data/unigine/skinned_ms12.mesh", true);
    check("data/secondlife/arm.llmesh", false);
}

/// The number of triangles of [`skinned`], whose corners have attribute vertices of their own.
const TRIANGLES: u32 = 200;

/// Returns the bytes of a mesh with more positions than its first triangles use. The last position,
/// which only the last triangle uses, has the bone 300.
fn skinned() -> Vec<u8> {
    let (positions, corners) = (150_u32, TRIANGLES * 3);
    let influence = |position: u32, number: u32| Influence {
        bone: if position == positions - 1 { 300 } else { i32::try_from((position * 7 + number * 3) % 60).unwrap() },
        weight: ((position * 31 + number * 17) % 10) as f32 / 32.0,
    };
    let target = builder::MorphTarget {
        positions: (0..positions).map(|position| [position as f32; 3]).collect(),
        frames: vec![TangentFrame::default(); corners as usize],
        ..builder::MorphTarget::default()
    };
    let surface = builder::Surface {
        weights: (0..positions).map(|at| (0..at % 5).map(|number| influence(at, number)).collect()).collect(),
        indices: (1..corners).map(|corner| corner * 11 % (positions - 1)).chain([positions - 1]).collect(),
        attribute_indices: (0..corners).collect(),
        targets: vec![target],
        ..builder::Surface::default()
    };
    let bone = |number: i16| builder::Bone { name: number.to_string(), parent: -1, bind: Transform::default() };
    let bones = (0..301).map(bone).collect();
    builder::Mesh { bones, surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap()
}

#[test]
fn joints_and_weights_of_a_triangle_are_those_of_all_triangles() {
    let model = meshpeek::Model::open(skinned()).unwrap();
    let surface = model.surface(0).unwrap();
    let drawable = surface.drawable().unwrap();
    assert_eq!(drawable.welded().unwrap().vertices.len(), TRIANGLES as usize * 3);
    let joints = |format, offset| VertexAttribute::new(Semantic::Joints, format, offset);
    let weights = |format, offset| VertexAttribute::new(Semantic::Weights, format, offset);
    for (stride, attributes) in [
        (8, vec![joints(VertexFormat::Uint8x4, 0), weights(VertexFormat::Unorm8x4, 4)]),
        (27, vec![joints(VertexFormat::Uint16x4, 1), weights(VertexFormat::Float32x4, 9)]),
        (40, vec![joints(VertexFormat::Uint16x4, 20), weights(VertexFormat::Unorm16x4, 4)]),
        (16, vec![weights(VertexFormat::Float32x4, 0)]),
        (9, vec![joints(VertexFormat::Uint16x4, 0)]),
    ] {
        let layout = VertexLayout::new(stride, attributes).unwrap();
        let source = drawable.vertices(&layout).unwrap();
        for (bones, source) in [(None, source.clone()), (Some(300), source.clone().with_bones(300))] {
            let mut place = vec![0; 3 * stride as usize];
            for triangle in 0..TRIANGLES {
                let few = Drawable::with_weld(surface, surface.weld_triangles(triangle..triangle + 1).unwrap());
                let few = few.vertices(&layout).unwrap();
                let expected = written(&bones.map_or(few.clone(), |bones| few.with_bones(bones)));
                let vertices = [triangle, triangle + 1].map(|triangle| triangle as usize * 3);
                let found = source.write_into(vertices[0]..vertices[1], &mut place);
                match (expected, found) {
                    (Ok(expected), Ok(())) => assert!(place == expected, "{layout:?} {triangle}"),
                    (Err(expected), Err(found)) => {
                        assert_eq!((triangle, expected.kind()), (TRIANGLES - 1, found.kind()), "{layout:?}");
                    }
                    other => panic!("{layout:?} {triangle}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn index_formats_hold_all_vertices() {
    assert_eq!([1, 65535, 65536].map(IndexFormat::for_vertices).map(IndexFormat::size), [2, 2, 4]);
}

#[test]
fn missing_attributes_are_listed() {
    let model = meshpeek::Model::open(meshpeek::read("data/secondlife/quad.llmesh").unwrap()).unwrap();
    let surface = model.surface(0).unwrap();
    let drawable = surface.drawable().unwrap();
    let source = drawable.vertices(&full_layout()).unwrap();
    assert!(source.missing().contains(&Semantic::Color) && !source.missing().contains(&Semantic::Position));
    let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh").unwrap()).unwrap();
    let surface = model.surface(0).unwrap();
    let foreign = Welded { vertices: vec![Corner { position: 1 << 20, attribute: 0 }], indices: vec![0; 3] };
    assert!(Drawable::with_weld(surface, foreign).vertices(&full_layout()).is_err());
}
