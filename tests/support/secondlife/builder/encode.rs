//! Encodes the blocks of an asset. Each block is one LLSD value with sorted keys.

use zerocopy::IntoBytes as _;
use zerocopy::little_endian::U16;

use super::values::{Convex, Joint, Level, Skin, Submesh, domain};
use meshpeek::decode::influence3::{self, RawInfluence3};
use meshpeek::decode::{Influence, MinMax16, tangent16, unit};
use meshpeek::secondlife::Matrix;
use meshpeek::secondlife::layout::MAX_INFLUENCES;
use meshpeek::secondlife::llsd::LlsdWriter;

/// The byte that ends the list of joint influences of a vertex with fewer than four influences.
const LIST_END: u8 = 255;
/// The greatest result of adding the weights of a vertex in `f32` if the exact sum of the weights
/// is 1.
///
/// `MAX_WEIGHT_SUM` is less than 65536 / 65535, the sum of weights whose 16-bit codes add up to
/// 65536.
const MAX_WEIGHT_SUM: f32 = 1.000_005;

impl Level {
    /// Encodes the level of detail as an uncompressed block. All submeshes share one quantization
    /// box.
    pub fn encode(&self) -> Vec<u8> {
        let domain = self.box_of_all();
        let mut writer = LlsdWriter::new();
        writer.open_array(count(self.submeshes.len()));
        for submesh in &self.submeshes {
            submesh.encode(&mut writer, domain);
        }
        writer.close_array();
        writer.into_bytes()
    }
}

impl Submesh {
    fn encode(&self, writer: &mut LlsdWriter, positions: MinMax16<3>) {
        if self.positions.is_empty() {
            writer.open_map(1).key("NoGeometry").boolean(true).close_map();
            return;
        }
        let optional = [
            (!self.normals.is_empty(), 1),
            (self.normalized_scale.is_some(), 1),
            (!self.tangents.is_empty(), 1),
            (!self.uvs.is_empty(), 2),
            (!self.weights.is_empty(), 1),
        ];
        let keys = optional.iter().filter(|(there, _)| *there).fold(3, |sum: u32, (_, keys)| sum.saturating_add(*keys));
        writer.open_map(keys);
        if !self.normals.is_empty() {
            let codes: Vec<[U16; 3]> = self.normals.iter().map(|normal| normal.map(code)).collect();
            writer.key("Normal").binary(codes.as_bytes());
        }
        if let Some(scale) = self.normalized_scale {
            writer.key("NormalizedScale").reals(scale.into_iter());
        }
        writer.key("Position").binary(codes(positions, &self.positions).as_bytes());
        ends(writer.key("PositionDomain").open_map(2), positions).close_map();
        if !self.tangents.is_empty() {
            let codes: Vec<[U16; 4]> = self.tangents.iter().copied().map(tangent16::encode).collect();
            writer.key("Tangent").binary(codes.as_bytes());
        }
        if !self.uvs.is_empty() {
            let uvs = self.uv_intervals();
            writer.key("TexCoord0").binary(codes(uvs, &self.uvs).as_bytes());
            ends(writer.key("TexCoord0Domain").open_map(2), uvs).close_map();
        }
        let index = |index: u32| U16::new(u16::try_from(index).unwrap_or(u16::MAX));
        let triangles: Vec<[U16; 3]> = self.triangles.iter().map(|triangle| triangle.map(index)).collect();
        writer.key("TriangleList").binary(triangles.as_bytes());
        if !self.weights.is_empty() {
            writer.key("Weights").binary(&weights(&self.weights));
        }
        writer.close_map();
    }
}

impl Convex {
    pub(super) fn encode(&self) -> Vec<u8> {
        let corners;
        let bounding = if self.bounding.is_empty() {
            corners = corners_of(domain(self.hulls.iter().flatten()));
            corners.as_slice()
        } else {
            self.bounding.as_slice()
        };
        let box_of_all = self.box_of_all();
        let mut writer = LlsdWriter::new();
        writer.open_map(if self.hulls.is_empty() { 3 } else { 5 });
        writer.key("BoundingVerts").binary(codes(box_of_all, bounding).as_bytes());
        if !self.hulls.is_empty() {
            // The number of points of each hull is stored in one byte. 256 points are stored as 0.
            let sizes: Vec<u8> = self.hulls.iter().map(|hull| u8::try_from(hull.len()).unwrap_or_default()).collect();
            writer.key("HullList").binary(&sizes);
        }
        ends(&mut writer, box_of_all);
        if !self.hulls.is_empty() {
            writer.key("Positions").binary(codes(box_of_all, self.hulls.iter().flatten()).as_bytes());
        }
        writer.close_map();
        writer.into_bytes()
    }
}

impl Skin {
    pub(super) fn encode(&self) -> Vec<u8> {
        let moved: Vec<&Matrix> = self.joints.iter().filter_map(|joint| joint.alt_inverse_bind.as_ref()).collect();
        let optional = [!moved.is_empty(), self.pelvis_offset.is_some(), self.lock_scale_if_joint_position];
        let keys = optional.into_iter().fold(3, |sum: u32, there| sum.saturating_add(there.into()));
        let mut writer = LlsdWriter::new();
        writer.open_map(keys);
        if !moved.is_empty() {
            matrices(writer.key("alt_inverse_bind_matrix"), moved.into_iter());
        }
        writer.key("bind_shape_matrix").reals(self.bind_shape.into_iter());
        matrices(writer.key("inverse_bind_matrix"), self.joints.iter().map(|joint| &joint.inverse_bind));
        strings(writer.key("joint_names"), self.joints.iter().map(|Joint { name, .. }| name.as_str()));
        if self.lock_scale_if_joint_position {
            writer.key("lock_scale_if_joint_position").boolean(true);
        }
        if let Some(offset) = self.pelvis_offset {
            writer.key("pelvis_offset").real(offset.into());
        }
        writer.close_map();
        writer.into_bytes()
    }
}

/// Returns the positions of the eight corners of a bounding box.
fn corners_of(domain: MinMax16<3>) -> Vec<[f32; 3]> {
    let ([left, front, low], [right, back, high]) = (domain.min(), domain.max());
    let around = [[left, front], [right, front], [right, back], [left, back]];
    [low, high].into_iter().flat_map(|z| around.map(|[x, y]| [x, y, z])).collect()
}

fn codes<'p, const N: usize>(domain: MinMax16<N>, points: impl IntoIterator<Item = &'p [f32; N]>) -> Vec<[U16; N]> {
    points.into_iter().map(|point| domain.encode(*point)).collect()
}

fn code(component: f32) -> U16 {
    U16::new(unit::encode_rounding(component))
}

/// Writes the maximum and the minimum of a quantization domain as two entries of the LLSD map that
/// is open in `writer`.
fn ends<const N: usize>(writer: &mut LlsdWriter, domain: MinMax16<N>) -> &mut LlsdWriter {
    writer.key("Max").reals(domain.max().into_iter()).key("Min").reals(domain.min().into_iter())
}

fn matrices<'m>(writer: &mut LlsdWriter, matrices: impl ExactSizeIterator<Item = &'m Matrix>) {
    writer.open_array(count(matrices.len()));
    for matrix in matrices {
        writer.reals(matrix.iter().copied());
    }
    writer.close_array();
}

/// Encodes the joint influences of each vertex.
fn weights(lists: &[Vec<Influence>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for list in lists {
        let mut codes: Vec<RawInfluence3> =
            list.iter().map(|influence| influence3::encode(*influence).unwrap_or_default()).collect();
        // Each weight of the vertex was rounded to a 16-bit code. Because of the rounding to 16-bit
        // codes, weights with a sum of at most 1 may have codes with a sum above 65535. If the sum
        // of the weights is at most `MAX_WEIGHT_SUM` and the sum of the codes exceeds 65535, the
        // excess is subtracted from the greatest code.
        let sum: f32 = list.iter().map(|influence| influence.weight).sum();
        let stored = codes.iter().fold(0, |sum: u32, one| sum.saturating_add(one.weight.get().into()));
        let more = u16::try_from(stored.saturating_sub(u16::MAX.into())).unwrap_or(u16::MAX);
        if sum <= MAX_WEIGHT_SUM
            && let Some(greatest) = codes.iter_mut().max_by_key(|one| one.weight.get())
        {
            greatest.weight = greatest.weight.get().saturating_sub(more).into();
        }
        bytes.extend_from_slice(codes.as_bytes());
        if list.len() < MAX_INFLUENCES {
            bytes.push(LIST_END);
        }
    }
    bytes
}

/// Writes an LLSD array of strings.
pub(super) fn strings<'s>(writer: &mut LlsdWriter, strings: impl ExactSizeIterator<Item = &'s str>) {
    writer.open_array(count(strings.len()));
    for string in strings {
        writer.string(string.as_bytes());
    }
    writer.close_array();
}

/// Converts a length to the 32-bit length field of LLSD. A length that does not fit in 32 bits
/// becomes `u32::MAX`, a length that readers reject.
pub(super) fn count(length: usize) -> u32 {
    length.try_into().unwrap_or(u32::MAX)
}
