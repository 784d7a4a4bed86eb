//! A submesh: the vertex and index arrays of one material, borrowed from the inflated block at any
//! alignment.

use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::asset_block::AssetBlock;
use super::layout::{DEFAULT_DOMAIN, TRIPLE};
use super::llsd::{LlsdMap, LlsdValue};
use crate::array::runs::TerminatedRuns;
use crate::array::{Array, Packed};
use crate::decode::{Index, MinMax16, Tangent16, Unit16};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_u64, narrow};
use crate::model::Weights;
use crate::parse::Record;

/// The known keys of a submesh. Errors and findings use the names of these keys as field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmeshKey {
    /// A marker: the submesh has no geometry and no other keys.
    NoGeometry,
    /// Positions of the vertices: three 16-bit codes per vertex.
    Position,
    /// The quantization box that position codes are scaled to.
    PositionDomain,
    /// Normals of the vertices: three 16-bit codes per vertex.
    Normal,
    /// Texture coordinates of the vertices: two 16-bit codes per vertex.
    TexCoord0,
    /// The two intervals that texture coordinate codes are scaled to, for u and v.
    TexCoord0Domain,
    /// Vertex indices, three per triangle.
    TriangleList,
    /// Joint numbers and weights of each vertex.
    Weights,
    /// The size of the uploaded model.
    NormalizedScale,
    /// Tangents of the vertices: four 16-bit codes per vertex.
    Tangent,
}

impl SubmeshKey {
    /// All known keys.
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

    fn number(self) -> usize {
        Self::ALL.iter().position(|key| *key == self).unwrap_or_default()
    }
}

///
/// A submesh, borrowed from the inflated block.
///
/// Creating a submesh reads its LLSD map once. Each array of the submesh is checked when the array
/// is accessed.
///
/// Positions are in the unit cube, in a right-handed coordinate system with z up. The scale of the
/// object in the world multiplies the positions, and the products are in metres. The vertices of a
/// triangle are in counter-clockwise order seen from outside. The arrays of a submesh without
/// geometry are empty.
#[derive(Clone, Copy, Debug)]
pub struct Submesh<'a> {
    block: AssetBlock<'a>,
    index: usize,
    at: usize,
    map: LlsdMap<'a>,
    known: [Option<(usize, LlsdValue<'a>)>; SubmeshKey::ALL.len()],
}

impl<'a> Submesh<'a> {
    pub(super) fn new(block: AssetBlock<'a>, index: usize, at: usize, map: LlsdMap<'a>) -> Self {
        let mut known = [None; SubmeshKey::ALL.len()];
        for entry in map.iter() {
            let key = SubmeshKey::ALL.iter().zip(&mut known).find(|(key, _)| entry.key.is(key.name()));
            if let Some((_, known)) = key {
                // If the map contains a key twice, the first entry is used.
                known.get_or_insert((entry.at, entry.value));
            }
        }
        Self { block, index, at, map, known }
    }

    /// Returns the index of the submesh in the level.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the LLSD map of the submesh, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the offset of the submesh's map in the inflated block.
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

    /// Returns the number of vertices: the number of complete positions in the data.
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
    /// Returns [`ErrorKind::Missing`] if a submesh with geometry has no positions. Returns
    /// [`ErrorKind::Value`] if the position data is not a whole number of positions, or if the
    /// minimum or the maximum of `PositionDomain` is not three numbers.
    pub fn positions(&self) -> Result<Packed<'a, MinMax16<3>>> {
        let domain = self.position_domain()?;
        let raw = match self.array(SubmeshKey::Position)? {
            Some(raw) => raw,
            None if self.is_placeholder() => &[],
            None => return Err(self.missing(SubmeshKey::Position)),
        };
        Ok(Packed::new(raw, domain))
    }

    ///
    /// Returns the quantization box that the position codes are scaled to.
    ///
    /// If the submesh stores no box, the result is -0.5 to 0.5 on each axis.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the minimum or the maximum of the box is not three numbers.
    /// This function does not check the values of the numbers.
    pub fn position_domain(&self) -> Result<MinMax16<3>> {
        let [min, max] = DEFAULT_DOMAIN;
        self.domain(SubmeshKey::PositionDomain, MinMax16::new([min; 3], [max; 3]))
    }

    ///
    /// Returns the normals of the vertices, or `None` if the submesh has no normals.
    ///
    /// The normals are decoded on access, but they are not scaled to unit length.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the number of normals differs from the number of
    /// vertices.
    pub fn normals(&self) -> Result<Option<Packed<'a, Unit16>>> {
        Ok(self.per_vertex(SubmeshKey::Normal)?.map(|raw| Packed::new(raw, Unit16)))
    }

    ///
    /// Returns the tangents of the vertices, or `None` if the submesh has no tangents.
    ///
    /// No known program writes tangents.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the number of tangents differs from the number of
    /// vertices.
    pub fn tangents(&self) -> Result<Option<Packed<'a, Tangent16>>> {
        Ok(self.per_vertex(SubmeshKey::Tangent)?.map(|raw| Packed::new(raw, Tangent16)))
    }

    /// Returns the texture coordinates of the vertices, or `None` if the submesh has no texture
    /// coordinates.
    ///
    /// As in the file, the coordinate u points right and the coordinate v points *up*.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the number of texture coordinates differs from the number of
    /// vertices, or if the minimum or the maximum of `TexCoord0Domain` is not two numbers.
    pub fn uvs(&self) -> Result<Option<Packed<'a, MinMax16<2>>>> {
        let Some(raw) = self.per_vertex(SubmeshKey::TexCoord0)? else { return Ok(None) };
        Ok(Some(Packed::new(raw, self.uv_domain()?)))
    }

    ///
    /// Returns the intervals that the texture coordinate codes are scaled to.
    ///
    /// If the submesh stores no intervals, the result is 0 to 1 for both u and v.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the minimum or the maximum of the intervals is not two
    /// numbers. This function does not check the values of the numbers.
    pub fn uv_domain(&self) -> Result<MinMax16<2>> {
        self.domain(SubmeshKey::TexCoord0Domain, MinMax16::new([0.0; 2], [1.0; 2]))
    }

    ///
    /// Returns the vertex indices, three per triangle.
    ///
    /// The result does not include bytes after the last complete triangle.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if a submesh with geometry has no indices, or
    /// [`ErrorKind::Value`] if the index data is not binary.
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

    /// Returns the joint influences (joint numbers and weights) of each vertex, or `None` if the
    /// submesh has no weights.
    ///
    /// If the weight data ends too early, the result contains only the vertices whose influences
    /// are complete.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the weight data is not binary.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        let Some(runs) = self.weight_runs()? else { return Ok(None) };
        Ok(Some(Weights::from_terminated(runs, self.block.weight_index(self.index))))
    }

    pub(super) fn weight_runs(&self) -> Result<Option<TerminatedRuns<'a>>> {
        let bytes = self.bytes(SubmeshKey::Weights)?;
        Ok(bytes.map(|(_, bytes)| TerminatedRuns::new(bytes, self.vertex_count())))
    }

    /// Returns the size of the uploaded model, or `None` if the submesh does not store the size.
    ///
    /// Do not multiply the positions by this size.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the stored size is not three numbers.
    pub fn normalized_scale(&self) -> Result<Option<[f32; 3]>> {
        let Some((at, value)) = self.get(SubmeshKey::NormalizedScale) else { return Ok(None) };
        let numbers = value.array().and_then(|array| array.numbers::<3>());
        let numbers =
            numbers.ok_or_else(|| self.wrong(SubmeshKey::NormalizedScale, at, "three numbers", value.kind()))?;
        Ok(Some(numbers.map(narrow)))
    }

    /// Returns the LLSD value of a known key and the offset of this value in the inflated block, or
    /// `None` if the submesh does not have the key.
    #[must_use]
    pub fn get(&self, key: SubmeshKey) -> Option<(usize, LlsdValue<'a>)> {
        self.known.get(key.number()).copied().flatten()
    }

    /// Returns the binary data of a key and the offset of its value in the inflated block.
    pub(super) fn bytes(&self, key: SubmeshKey) -> Result<Option<(usize, &'a [u8])>> {
        match self.get(key) {
            None => Ok(None),
            Some((at, LlsdValue::Binary(bytes))) => Ok(Some((at, bytes))),
            Some((at, other)) => Err(self.wrong(key, at, "binary data", other.kind())),
        }
    }

    /// Returns the binary data of a key as an array of records.
    fn array<T: Record>(&self, key: SubmeshKey) -> Result<Option<&'a [T]>> {
        let Some((at, bytes)) = self.bytes(key)? else { return Ok(None) };
        let raw = <[T]>::ref_from_bytes(bytes).map_err(|_| {
            let expected = format!("a multiple of {} bytes", size_of::<T>()).into();
            let kind = ErrorKind::Value { expected, found: bytes.len().to_string().into() };
            self.error(key, at, kind)
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
                let expected = format!("{needed} bytes, for {vertices} vertices").into();
                Err(self.error(key, at, ErrorKind::Value { expected, found: bytes.len().to_string().into() }))
            }
        }
    }

    fn domain<const N: usize>(&self, key: SubmeshKey, default: MinMax16<N>) -> Result<MinMax16<N>> {
        let Some((at, value)) = self.get(key) else { return Ok(default) };
        let LlsdValue::Map(map) = value else { return Err(self.wrong(key, at, "a map", value.kind())) };
        match read_domain(map, default) {
            Ok(domain) => Ok(domain),
            Err((at, found)) => {
                let expected = format!("{N} numbers").into();
                Err(self.error(key, at, ErrorKind::Value { expected, found: found.into() }))
            }
        }
    }

    fn missing(&self, key: SubmeshKey) -> Error {
        self.error(key, self.at, ErrorKind::Missing { expected: format!("`{}` in the submesh", key.name()).into() })
    }

    fn wrong(&self, key: SubmeshKey, at: usize, expected: &'static str, found: &str) -> Error {
        self.block.wrong(self.field(key), at, expected, found)
    }

    fn error(&self, key: SubmeshKey, at: usize, kind: ErrorKind) -> Error {
        self.block.error(self.field(key), at, kind)
    }

    /// Makes an error about a byte of the data of `key`. The byte is at offset `at` of the inflated
    /// block.
    pub(super) fn fault(&self, key: SubmeshKey, at: usize, kind: ErrorKind) -> Error {
        self.error(key, at, kind)
    }

    /// Returns the [`Field`] that names a key of this submesh in errors and findings.
    #[must_use]
    pub fn field(&self, key: SubmeshKey) -> Field {
        Field::new(key.name()).in_list(self.block.part().key(), as_u64(self.index))
    }
}

/// Reads the minimum and the maximum of a domain, the box or the intervals that codes are scaled
/// to. The minimum and the maximum are `N` numbers each. An absent minimum or maximum is taken from
/// `default`.
///
/// The error has the offset of a value that is not `N` numbers, and a description of that value.
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
