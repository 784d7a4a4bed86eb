//! The bytes of one attribute of one vertex, computed from the definitions of the formats.

use half::f16;
use meshpeek::decode::TangentFrame;
use meshpeek::gpu::{Semantic, VertexAttribute, VertexFormat};
use meshpeek::model::SpaceConversion;
use meshpeek::{Array, Corner, Surface};

/// All formats of each meaning.
pub const FORMATS: [(Semantic, &[VertexFormat]); 8] = {
    use VertexFormat as F;
    [
        (Semantic::Position, &[F::Float32x3, F::Float32x4, F::Float16x4]),
        (Semantic::Normal, &[F::Float32x3, F::Float32x4, F::Float16x4, F::Snorm8x4, F::Snorm16x4]),
        (Semantic::OctahedralNormal, &[F::Float32x2, F::Float16x2, F::Snorm8x2, F::Snorm16x2]),
        (Semantic::Tangent, &[F::Float32x4, F::Float16x4, F::Snorm8x4, F::Snorm16x4]),
        (Semantic::Uv(0), &[F::Float32x2, F::Float16x2, F::Unorm8x2, F::Unorm16x2, F::Snorm8x2, F::Snorm16x2]),
        (Semantic::Color, &[F::Float32x4, F::Float16x4, F::Unorm8x4, F::Unorm16x4]),
        (Semantic::Joints, &[F::Uint16x4, F::Uint8x4]),
        (Semantic::Weights, &[F::Float32x4, F::Unorm8x4, F::Unorm16x4]),
    ]
};

fn scaled(value: f32, least: f32, most: f32) -> f32 {
    if value.is_nan() { 0.0 } else { (value.clamp(least, 1.0) * most).round_ties_even() }
}

/// Encodes floats in a format.
pub fn encode(format: VertexFormat, values: &[f32]) -> Vec<u8> {
    let name = format.wgpu_name();
    let one = |value: &f32| -> Vec<u8> {
        match name.split('x').next().unwrap() {
            "float32" => value.to_le_bytes().to_vec(),
            "float16" => f16::from_f32(*value).to_le_bytes().to_vec(),
            "unorm8" => vec![scaled(*value, 0.0, 255.0) as u8],
            "unorm16" => (scaled(*value, 0.0, 65535.0) as u16).to_le_bytes().to_vec(),
            "snorm8" => (scaled(*value, -1.0, 127.0) as i8).to_le_bytes().to_vec(),
            "snorm16" => (scaled(*value, -1.0, 32767.0) as i16).to_le_bytes().to_vec(),
            other => panic!("{other}"),
        }
    };
    values.iter().flat_map(one).collect()
}

/// Maps a normal to the octahedron as the documentation of `Semantic::OctahedralNormal` says.
fn octahedral([x, y, z]: [f32; 3]) -> [f32; 2] {
    let sum = x.abs() + y.abs() + z.abs();
    if !(sum > 0.0 && sum < f32::INFINITY) {
        return [0.0; 2];
    }
    let ([across, along], sign) = ([x / sum, y / sum], |part: f32| if part < 0.0 { -1.0 } else { 1.0 });
    if z < 0.0 { [(1.0 - along.abs()) * sign(across), (1.0 - across.abs()) * sign(along)] } else { [across, along] }
}

/// The arrays that a vertex is made of, which are located once.
pub struct Reference<'a> {
    surface: Surface<'a>,
    conversion: SpaceConversion,
    target: usize,
}

impl<'a> Reference<'a> {
    pub fn new(surface: &Surface<'a>, conversion: SpaceConversion, target: usize) -> Self {
        Self { surface: *surface, conversion, target }
    }

    /// Returns the floats of an attribute, or `None` for joints and weights.
    fn floats(&self, semantic: Semantic, corner: Corner) -> Option<Vec<f32>> {
        let [position, attribute] = [corner.position as usize, corner.attribute as usize];
        let (surface, conversion) = (&self.surface, &self.conversion);
        let is_converted = *conversion != SpaceConversion::IDENTITY;
        let normal = || {
            let stored = surface.target_normals(self.target).unwrap()?.get(attribute).unwrap();
            Some(if is_converted { conversion.normal(stored) } else { stored })
        };
        Some(match semantic {
            Semantic::Position => {
                let stored = surface.target_positions(self.target).unwrap().get(position).unwrap();
                let [x, y, z] = if is_converted { conversion.position(stored) } else { stored };
                vec![x, y, z, 1.0]
            }
            Semantic::Normal => normal().map_or(vec![0.0, 0.0, 1.0, 0.0], |[x, y, z]| vec![x, y, z, 0.0]),
            Semantic::OctahedralNormal => normal().map_or(vec![0.0, 0.0], |normal| octahedral(normal).to_vec()),
            Semantic::Tangent => {
                let frames = surface.target_tangent_frames(self.target).unwrap();
                let stored: Option<TangentFrame> = frames.map(|frames| frames.get(attribute).unwrap());
                let frame = stored.map(|frame| if is_converted { conversion.tangent_frame(&frame) } else { frame });
                frame.map_or(vec![1.0, 0.0, 0.0, 1.0], |frame| {
                    let [x, y, z] = frame.tangent();
                    vec![x, y, z, frame.handedness]
                })
            }
            Semantic::Uv(set) => {
                let uvs = surface.uvs(set as usize).unwrap();
                uvs.map_or(vec![0.0, 0.0], |uvs| conversion.uv(uvs.get(attribute).unwrap()).to_vec())
            }
            Semantic::Color => {
                surface.colors().unwrap().map_or(vec![1.0; 4], |colors| colors.get(attribute).unwrap().to_vec())
            }
            _ => return None,
        })
    }

    /// Returns the four greatest weights with their bones, sorted by a stable sort.
    fn greatest(&self, corner: Corner) -> Vec<(i32, f32)> {
        let list = self.surface.weights().unwrap().and_then(|weights| weights.get(corner.position));
        let mut list: Vec<_> = list.map_or(Vec::new(), |list| list.iter().map(|one| (one.bone, one.weight)).collect());
        list.retain(|(_, weight)| *weight > 0.0 && weight.is_finite());
        list.sort_by(|one, other| other.1.total_cmp(&one.1));
        list.truncate(4);
        if list.is_empty() {
            list.push((0, 1.0));
        }
        list.resize(4, (0, 0.0));
        list
    }

    /// Checks the bytes of one attribute of a vertex. Returns whether they are right.
    pub fn is_right(&self, attribute: &VertexAttribute, corner: Corner, found: &[u8]) -> bool {
        let format = attribute.format();
        let floats = self.floats(attribute.semantic(), corner);
        if let Some(floats) = floats {
            let expected = encode(format, &floats);
            return expected.get(..format.size() as usize) == Some(found);
        }
        let greatest = self.greatest(corner);
        let name = format.wgpu_name();
        let numbers = |size: usize| -> Vec<u32> {
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
            found.chunks(size).map(number).collect()
        };
        let sum: f64 = greatest.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let shares = greatest.iter().map(|(_, weight)| f64::from(*weight) / sum);
        let are_exact = |numbers: Vec<u32>, one: u32| {
            let near = shares
                .clone()
                .zip(&numbers)
                .all(|(share, found)| (share * f64::from(one) - f64::from(*found)).abs() < 1.0);
            near && numbers.iter().sum::<u32>() == one
        };
        match name {
            "uint8x4" => {
                numbers(1).iter().zip(&greatest).all(|(found, (bone, _))| i64::from(*found) == i64::from(*bone))
            }
            "uint16x4" => {
                numbers(2).iter().zip(&greatest).all(|(found, (bone, _))| i64::from(*found) == i64::from(*bone))
            }
            "unorm8x4" => are_exact(numbers(1), 255),
            "unorm16x4" => are_exact(numbers(2), 65535),
            _ => numbers(4).iter().zip(shares).all(|(found, share)| f32::from_bits(*found) == share as f32),
        }
    }
}
