//! A submesh: the arrays of one material, borrowed from the inflated block at whatever offset they lie.

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

/// The keys of a submesh that are known, by the names that errors and findings have for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmeshKey {
    /// There is nothing else.
    NoGeometry,
    /// Positions: three codes each.
    Position,
    /// The box of the positions.
    PositionDomain,
    /// Normals: three codes each.
    Normal,
    /// Texture coordinates: two codes each.
    TexCoord0,
    /// The intervals of the texture coordinates.
    TexCoord0Domain,
    /// Indices, three to a triangle.
    TriangleList,
    /// Influences of joints.
    Weights,
    /// The size of the model that was uploaded.
    NormalizedScale,
    /// Tangents: four codes each.
    Tangent,
}

impl SubmeshKey {
    /// All keys that are known.
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

    /// Returns the key as the file has it.
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

/// A submesh, borrowed. Its map was walked once; each array is checked when it is asked for.
///
/// Positions are in the unit cube, z up, right-handed, in metres once the object's scale stretches them. Triangles go
/// counter-clockwise seen from outside. A submesh without geometry has arrays of no items.
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
                // Of keys that stand twice, the first counts.
                known.get_or_insert((entry.at, entry.value));
            }
        }
        Self { block, index, at, map, known }
    }

    /// Returns its number in the level.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the map that it is, with the keys that are not known, too.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the offset of the map in the inflated block.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Tells whether it is a placeholder without geometry. That the key is there says so, whatever its value.
    #[must_use]
    pub fn is_placeholder(&self) -> bool {
        self.get(SubmeshKey::NoGeometry).is_some()
    }

    /// Returns the number of vertices, which is that of the positions that are whole.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.bytes(SubmeshKey::Position).ok().flatten().map_or(0, |(_, bytes)| bytes.len() / TRIPLE)
    }

    /// Returns the number of triangles that are whole.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices().map_or(0, |indices| indices.len() / 3)
    }

    /// Locates the positions.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Missing`] where a submesh with geometry has none, [`ErrorKind::Value`] where they are not whole, or
    /// their box is not two times three numbers.
    pub fn positions(&self) -> Result<Packed<'a, MinMax16<3>>> {
        let domain = self.position_domain()?;
        let raw = match self.array(SubmeshKey::Position)? {
            Some(raw) => raw,
            None if self.is_placeholder() => &[],
            None => return Err(self.missing(SubmeshKey::Position)),
        };
        Ok(Packed::new(raw, domain))
    }

    /// Returns the box of the positions: ±0.5 where it is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not two times three numbers. Whether they make sense is not looked at.
    pub fn position_domain(&self) -> Result<MinMax16<3>> {
        let [min, max] = DEFAULT_DOMAIN;
        self.domain(SubmeshKey::PositionDomain, MinMax16::new([min; 3], [max; 3]))
    }

    /// Locates the normals; `None` where there are none. Not normalised: the components are what the codes say.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there is not one per vertex.
    pub fn normals(&self) -> Result<Option<Packed<'a, Unit16>>> {
        Ok(self.per_vertex(SubmeshKey::Normal)?.map(|raw| Packed::new(raw, Unit16)))
    }

    /// Locates the tangents, which no known program writes; `None` where there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there is not one per vertex.
    pub fn tangents(&self) -> Result<Option<Packed<'a, Tangent16>>> {
        Ok(self.per_vertex(SubmeshKey::Tangent)?.map(|raw| Packed::new(raw, Tangent16)))
    }

    /// Locates the texture coordinates: u to the right, v *upwards*, as the file has them; `None` where there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there is not one pair per vertex, or their domain is not two times two numbers.
    pub fn uvs(&self) -> Result<Option<Packed<'a, MinMax16<2>>>> {
        let Some(raw) = self.per_vertex(SubmeshKey::TexCoord0)? else { return Ok(None) };
        Ok(Some(Packed::new(raw, self.uv_domain()?)))
    }

    /// Returns the intervals of the texture coordinates: 0 to 1 where they are left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are not two times two numbers. Whether they make sense is not looked at.
    pub fn uv_domain(&self) -> Result<MinMax16<2>> {
        self.domain(SubmeshKey::TexCoord0Domain, MinMax16::new([0.0; 2], [1.0; 2]))
    }

    /// Locates the indices, three to a triangle. An odd byte, and one or two indices, at the end are left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Missing`] where a submesh with geometry has none, [`ErrorKind::Value`] where they are no binary data.
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

    /// Locates the influences of joints on each vertex; `None` where there are none. Of data that is cut, the lists that
    /// are whole are found.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are no binary data.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        let Some(runs) = self.weight_runs()? else { return Ok(None) };
        Ok(Some(Weights::from_terminated(runs, self.block.weight_index(self.index))))
    }

    pub(super) fn weight_runs(&self) -> Result<Option<TerminatedRuns<'a>>> {
        let bytes = self.bytes(SubmeshKey::Weights)?;
        Ok(bytes.map(|(_, bytes)| TerminatedRuns::new(bytes, self.vertex_count())))
    }

    /// Returns the size of the model that was uploaded; `None` where it is left out. Positions are not to be multiplied by
    /// it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not three numbers.
    pub fn normalized_scale(&self) -> Result<Option<[f32; 3]>> {
        let Some((at, value)) = self.get(SubmeshKey::NormalizedScale) else { return Ok(None) };
        let numbers = value.array().and_then(|array| array.numbers::<3>());
        let numbers =
            numbers.ok_or_else(|| self.wrong(SubmeshKey::NormalizedScale, at, "three numbers", value.kind()))?;
        Ok(Some(numbers.map(narrow)))
    }

    /// Returns the value of a known key, and its offset in the inflated block.
    #[must_use]
    pub fn get(&self, key: SubmeshKey) -> Option<(usize, LlsdValue<'a>)> {
        self.known.get(key.number()).copied().flatten()
    }

    /// Returns the binary data of a key.
    pub(super) fn bytes(&self, key: SubmeshKey) -> Result<Option<(usize, &'a [u8])>> {
        match self.get(key) {
            None => Ok(None),
            Some((at, LlsdValue::Binary(bytes))) => Ok(Some((at, bytes))),
            Some((at, other)) => Err(self.wrong(key, at, "binary data", other.kind())),
        }
    }

    /// Returns the binary data of a key as records.
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

    /// Makes an error about inflated byte `at`, which is the key's.
    pub(super) fn fault(&self, key: SubmeshKey, at: usize, kind: ErrorKind) -> Error {
        self.error(key, at, kind)
    }

    /// Names a value of it.
    #[must_use]
    pub fn field(&self, key: SubmeshKey) -> Field {
        Field::new(key.name()).in_list(self.block.part().key(), as_u64(self.index))
    }
}

/// Reads the two ends of a domain, each left out or `N` numbers; returns where else something stands, and what.
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
                |array| format!("an array of {} values as `{name}`, or of other things", array.len()),
            );
            (entry.at, found)
        })
    });
    Ok(MinMax16::new(min?, max?))
}
