//! [`Submesh`]: the vertex and index arrays of one material. The vertex and index arrays borrow
//! from the inflated block and need no alignment.

use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::asset_block::{AssetBlock, Text};
use super::layout::{DEFAULT_DOMAIN, TRIPLE};
use super::llsd::{LlsdMap, LlsdValue};
use super::validate::rules;
use crate::array::runs::TerminatedRuns;
use crate::array::{Array, Packed};
use crate::decode::{Index, MinMax16, Tangent16, Unit16};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result, Rule};
use crate::math::{as_u64, narrow};
use crate::model::{SkinningRules, Weights};
use crate::parse::Record;

/// The known keys of a submesh. Errors, and findings of `validate`, use the names of the submesh
/// keys as field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmeshKey {
    /// The key of a placeholder: a submesh with the key `NoGeometry` has no geometry and no other
    /// keys.
    NoGeometry,
    /// Positions of the vertices: three 16-bit integers per vertex, which encode x, y and z.
    Position,
    /// The quantization box: the minimum and maximum coordinates of the decoded positions.
    PositionDomain,
    /// Normals of the vertices: three 16-bit integers per vertex, which encode x, y and z.
    Normal,
    /// Texture coordinates of the vertices: two 16-bit integers per vertex, which encode u and v.
    TexCoord0,
    /// The minimum and maximum of the decoded texture coordinates, for u and v.
    TexCoord0Domain,
    /// Vertex indices, three per triangle.
    TriangleList,
    /// Joint indices and joint weights of each vertex.
    Weights,
    /// The size of the original model before it was scaled to the unit cube.
    NormalizedScale,
    /// Tangents of the vertices: four 16-bit integers per vertex.
    Tangent,
}

impl SubmeshKey {
    /// All keys of a submesh that this crate knows.
    pub const ALL: [Self; 10] = [
        Self::NoGeometry,
        Self::Position,
        Self::PositionDomain,
        Self::Normal,
        Self::TexCoord0,
        Self::TexCoord0Domain,
        Self::TriangleList,
        Self::Weights,
        Self::NormalizedScale,
        Self::Tangent,
    ];

    /// Returns the key as stored in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoGeometry => "NoGeometry",
            Self::Position => "Position",
            Self::PositionDomain => "PositionDomain",
            Self::Normal => "Normal",
            Self::TexCoord0 => "TexCoord0",
            Self::TexCoord0Domain => "TexCoord0Domain",
            Self::TriangleList => "TriangleList",
            Self::Weights => "Weights",
            Self::NormalizedScale => "NormalizedScale",
            Self::Tangent => "Tangent",
        }
    }

    /// Returns the rule about the value of the key.
    const fn rule(self) -> &'static Rule {
        match self {
            Self::NoGeometry => &rules::MALFORMED_HEADER,
            Self::Position | Self::TriangleList => &rules::INCOMPLETE_SUBMESH,
            Self::Normal | Self::TexCoord0 | Self::Tangent => &rules::ATTRIBUTE_COUNT,
            Self::PositionDomain | Self::TexCoord0Domain | Self::NormalizedScale => &rules::INVALID_DOMAIN,
            Self::Weights => &rules::WEIGHT_LIST_COUNT,
        }
    }

    fn number(self) -> usize {
        Self::ALL.iter().position(|key| *key == self).unwrap_or_default()
    }
}

/// A submesh, borrowed from the inflated block.
///
/// The LLSD map of the submesh is read once, when the `Submesh` is created. Each vertex or index
/// array of the submesh is checked when the array is accessed.
///
/// Vertex positions are in the unit cube, in a right-handed coordinate system with z up. An object
/// in the virtual world has a scale in metres, and a viewer multiplies the positions by this scale.
/// The vertices of a triangle are in counter-clockwise order seen from outside. The vertex and
/// index arrays of a submesh without geometry are empty.
#[derive(Clone, Copy)]
pub struct Submesh<'a> {
    block: AssetBlock<'a>,
    index: usize,
    at: usize,
    map: LlsdMap<'a>,
    known: [Option<(usize, LlsdValue<'a>)>; SubmeshKey::ALL.len()],
}

short_debug!(Submesh<'_>: |submesh| { block: submesh.block, index: submesh.index, at: submesh.at, map: submesh.map });

impl<'a> Submesh<'a> {
    pub(super) fn new(block: AssetBlock<'a>, index: usize, at: usize, map: LlsdMap<'a>) -> Self {
        let mut known = [None; SubmeshKey::ALL.len()];
        for entry in map.iter() {
            let key = SubmeshKey::ALL.iter().zip(&mut known).find(|(key, _)| entry.key.is(key.name()));
            if let Some((_, known)) = key {
                // If the submesh's LLSD map contains a key twice, the first entry is used.
                known.get_or_insert((entry.at, entry.value));
            }
        }
        Self { block, index, at, map, known }
    }

    /// Returns the index of the submesh in its level of detail.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the LLSD map of the submesh, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the byte offset of the submesh's LLSD map in the inflated block.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns whether the submesh is a placeholder without geometry.
    ///
    /// A submesh is a placeholder if its map contains the key `NoGeometry`, with any value.
    #[must_use]
    pub fn is_placeholder(&self) -> bool {
        self.get(SubmeshKey::NoGeometry).is_some()
    }

    /// Returns the number of vertices: the number of complete positions in the position data, or 0
    /// if this data is absent.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.bytes(SubmeshKey::Position).ok().flatten().map_or(0, |(_, bytes)| bytes.len() / TRIPLE)
    }

    /// Returns the number of complete triangles in the index data.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices().map_or(0, |indices| indices.len() / 3)
    }

    /// Returns the positions of the vertices.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`](crate::ErrorKind::Missing) if a submesh with geometry has no positions. Returns
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) if the length of the position data is not a multiple of 6 bytes, or if
    /// the minimum or the maximum of `PositionDomain` is not an array of three numbers.
    pub fn positions(&self) -> Result<Packed<'a, MinMax16<3>>> {
        let domain = self.position_domain()?;
        let raw = match self.array(SubmeshKey::Position)? {
            Some(raw) => raw,
            None if self.is_placeholder() => &[],
            None => return Err(self.missing(SubmeshKey::Position)),
        };
        Ok(Packed::new(raw, domain))
    }

    /// Returns the quantization box: the minimum and maximum coordinates of the decoded positions.
    ///
    /// If the submesh stores no quantization box, the result is -0.5 to 0.5 on each axis.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the minimum or the maximum of the box is not an array of
    /// three numbers. This function does not check that the coordinates of the minimum and the
    /// maximum are finite, or that the minimum is below the maximum.
    pub fn position_domain(&self) -> Result<MinMax16<3>> {
        let [min, max] = DEFAULT_DOMAIN;
        self.domain(SubmeshKey::PositionDomain, MinMax16::new([min; 3], [max; 3]))
    }

    /// Returns the normals of the vertices, or `None` if the submesh has no normals.
    ///
    /// Each normal is decoded to floats on access. The decoded normals are not scaled to unit
    /// length.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the number of normals differs from the number of
    /// vertices.
    pub fn normals(&self) -> Result<Option<Packed<'a, Unit16>>> {
        Ok(self.per_vertex(SubmeshKey::Normal)?.map(|raw| Packed::new(raw, Unit16)))
    }

    /// Returns the tangents of the vertices, or `None` if the submesh has no tangents.
    ///
    /// No known program writes tangents into mesh assets.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the number of tangents differs from the number of
    /// vertices.
    pub fn tangents(&self) -> Result<Option<Packed<'a, Tangent16>>> {
        Ok(self.per_vertex(SubmeshKey::Tangent)?.map(|raw| Packed::new(raw, Tangent16)))
    }

    /// Returns the texture coordinates of the vertices, or `None` if the submesh has no texture
    /// coordinates.
    ///
    /// The coordinate u points right and the coordinate v points *up*, as in the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the number of texture coordinates differs from the number of
    /// vertices, or if the minimum or the maximum of `TexCoord0Domain` is not an array of two
    /// numbers.
    pub fn uvs(&self) -> Result<Option<Packed<'a, MinMax16<2>>>> {
        let Some(raw) = self.per_vertex(SubmeshKey::TexCoord0)? else { return Ok(None) };
        Ok(Some(Packed::new(raw, self.uv_domain()?)))
    }

    /// Returns the minimum and maximum of the decoded texture coordinates, for u and v.
    ///
    /// If the submesh does not have the key `TexCoord0Domain`, the result is 0 to 1 for both u and
    /// v.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the minimum or the maximum of `TexCoord0Domain` is not an
    /// array of two numbers. This function does not check that the coordinates of the minimum and
    /// the maximum are finite, or that the minimum is below the maximum.
    pub fn uv_domain(&self) -> Result<MinMax16<2>> {
        self.domain(SubmeshKey::TexCoord0Domain, MinMax16::new([0.0; 2], [1.0; 2]))
    }

    /// Returns the vertex indices, three per triangle.
    ///
    /// If the index data ends with an incomplete triangle, the result contains only the complete
    /// triangles.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`](crate::ErrorKind::Missing) if a submesh with geometry has no indices, or
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) if the index data is not binary.
    pub fn indices(&self) -> Result<Packed<'a, Index<U16>>> {
        let bytes = match self.bytes(SubmeshKey::TriangleList)? {
            Some((_, bytes)) => bytes,
            None if self.is_placeholder() => &[],
            None => return Err(self.missing(SubmeshKey::TriangleList)),
        };
        let triangles = bytes.len() / TRIPLE;
        let raw = <[U16]>::ref_from_prefix_with_elems(bytes, triangles.saturating_mul(3));
        Ok(Packed::new(raw.map_or(&[], |(raw, _)| raw), Index::new()))
    }

    /// Returns the joint influences (joint indices and weights) of each vertex, or `None` if the
    /// submesh has no weights.
    ///
    /// If the weight data ends too early, the result contains only the vertices whose influences
    /// are complete.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the weight data is not binary.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        let Some(runs) = self.weight_runs()? else { return Ok(None) };
        let weights = Weights::from_terminated(runs, self.block.weight_index(self.index));
        Ok(Some(weights.with_rules(SkinningRules::Clamped)))
    }

    pub(super) fn weight_runs(&self) -> Result<Option<TerminatedRuns<'a>>> {
        let bytes = self.bytes(SubmeshKey::Weights)?;
        Ok(bytes.map(|(_, bytes)| TerminatedRuns::new(bytes, self.vertex_count())))
    }

    /// Returns the size of the original model before it was scaled to the unit cube, or `None` if
    /// the submesh does not store the size.
    ///
    /// To place the mesh in the virtual world, multiply the positions by the scale of the object,
    /// not by the size of the original model.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the stored size is not an array of three numbers.
    pub fn normalized_scale(&self) -> Result<Option<[f32; 3]>> {
        let Some((at, value)) = self.get(SubmeshKey::NormalizedScale) else { return Ok(None) };
        let numbers = value.array().and_then(|array| array.numbers::<3>());
        let numbers =
            numbers.ok_or_else(|| self.wrong(SubmeshKey::NormalizedScale, at, "three numbers", value.kind()))?;
        Ok(Some(numbers.map(narrow)))
    }

    /// Returns the offset in the inflated block and the LLSD value of a known key, or `None` if the
    /// submesh does not have the key.
    #[must_use]
    pub fn get(&self, key: SubmeshKey) -> Option<(usize, LlsdValue<'a>)> {
        self.known.get(key.number()).copied().flatten()
    }

    /// Returns the offset of a key's LLSD value in the inflated block and the binary data of this
    /// value.
    pub(super) fn bytes(&self, key: SubmeshKey) -> Result<Option<(usize, &'a [u8])>> {
        match self.get(key) {
            None => Ok(None),
            Some((at, LlsdValue::Binary(bytes))) => Ok(Some((at, bytes))),
            Some((at, other)) => Err(self.wrong(key, at, "binary data", other.kind())),
        }
    }

    /// Returns the binary data of a key as a slice of records, or `None` if the submesh does not
    /// have the key.
    fn array<T: Record>(&self, key: SubmeshKey) -> Result<Option<&'a [T]>> {
        let Some((at, bytes)) = self.bytes(key)? else { return Ok(None) };
        let raw = <[T]>::ref_from_bytes(bytes).map_err(|_| {
            self.wrong(key, at, format!("a multiple of {} bytes", size_of::<T>()), bytes.len().to_string())
        })?;
        Ok(Some(raw))
    }

    fn per_vertex<T: Record>(&self, key: SubmeshKey) -> Result<Option<&'a [T]>> {
        let Some((at, bytes)) = self.bytes(key)? else { return Ok(None) };
        let vertices = self.vertex_count();
        match <[T]>::ref_from_bytes(bytes) {
            Ok(raw) if raw.len() == vertices => Ok(Some(raw)),
            _ => {
                let needed = vertices.saturating_mul(size_of::<T>());
                let expected = format!("{needed} bytes, for {vertices} vertices");
                Err(self.wrong(key, at, expected, bytes.len().to_string()))
            }
        }
    }

    fn domain<const N: usize>(&self, key: SubmeshKey, default: MinMax16<N>) -> Result<MinMax16<N>> {
        let Some((at, value)) = self.get(key) else { return Ok(default) };
        let LlsdValue::Map(map) = value else { return Err(self.wrong(key, at, "a map", value.kind())) };
        read_domain(map, default).map_err(|(at, found)| self.wrong(key, at, format!("{N} numbers"), found))
    }

    fn missing(&self, key: SubmeshKey) -> Error {
        self.fault(key, self.at, Cause::Missing { expected: format!("`{}` in the submesh", key.name()).into() })
    }

    /// Creates an error about the value of `key`, which has the wrong type or the wrong contents.
    pub(super) fn wrong(&self, key: SubmeshKey, at: usize, expected: impl Into<Text>, found: impl Into<Text>) -> Error {
        self.fault(key, at, Cause::value(expected, found))
    }

    /// Creates an error about the value of `key`, with the offset `at` of the wrong byte in the
    /// inflated block.
    pub(super) fn fault(&self, key: SubmeshKey, at: usize, kind: Cause) -> Error {
        self.block.error(key.rule(), self.field(key), at, kind)
    }

    /// Returns the field name of a key of this submesh, such as `high_lod[0].Position`, for errors
    /// and findings.
    #[must_use]
    pub fn field(&self, key: SubmeshKey) -> Field {
        Field::new(key.name()).in_list(self.block.part().key(), as_u64(self.index))
    }
}

/// Reads the minimum and the maximum of quantized coordinates from the keys `Min` and `Max` of an
/// LLSD map. The values of `Min` and `Max` are arrays of `N` numbers. If the map does not have the
/// key `Min`, the minimum of `default` is used, and likewise for the key `Max` and the maximum.
///
/// If the value of `Min` or `Max` is not an array of `N` numbers, the returned error is the offset
/// of this value and a description of this value.
pub(super) fn read_domain<const N: usize>(
    map: LlsdMap<'_>,
    default: MinMax16<N>,
) -> Result<MinMax16<N>, (usize, String)> {
    let [min, max] = [("Min", default.min()), ("Max", default.max())].map(|(name, default)| {
        let Some(entry) = map.get(name) else { return Ok(default) };
        let numbers = entry.value.array().and_then(|array| array.numbers::<N>());
        numbers.map(|numbers| numbers.map(narrow)).ok_or_else(|| {
            let found = entry.value.array().map_or_else(
                || format!("{} as `{name}`", entry.value.kind()),
                |array| format!("an array of {} values as `{name}`, which must all be numbers", array.len()),
            );
            (entry.at, found)
        })
    });
    Ok(MinMax16::new(min?, max?))
}
