//! Encodes blocks, replaces blocks of an [`Edit`], and sets its header entries.

use super::super::asset_part::AssetPart;
use super::super::layout::HIGHEST_VERSION;
use super::super::llsd::{self, LlsdLimits, LlsdValue, LlsdWriter};
use super::asset::deflate;
use super::check::refused;
use super::edit::Edit;
use super::edit_blocks::BlockSource;
use super::encode::LIST_END;
use super::values::{Convex, Level, Skin};
use crate::error::{Field, Result, counted};

impl Edit<'_> {
    /// Replaces a block, or adds the block if the asset does not have it.
    ///
    /// `inflated` is the LLSD value of the block, not compressed, such as the output of the
    /// [builder](mod@super). `replace` compresses `inflated` as a viewer does. In the block's
    /// header entry, all values except the offset, the size and the hash are kept. If the header
    /// entry of the block has a hash, a new hash is computed when the asset is written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `inflated` is not one LLSD value, or if the LLSD value has
    /// the wrong type for the block. The LLSD value of a block of geometry must be an array of
    /// maps. The LLSD value of the block of convex hulls must be a map or an undefined value.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn replace(&mut self, part: AssetPart, inflated: &[u8]) -> Result<&mut Self> {
        check(part, inflated, &self.limits)?;
        Ok(self.put(part, deflate(inflated)?))
    }

    /// Replaces a block like [`replace`](Self::replace), but with bytes that are already
    /// compressed.
    ///
    /// The bytes in `stored` can be the compressed block of another asset. `replace_stored` does
    /// not check the bytes in `stored`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `stored` is empty, because a size of 0 in the header means
    /// that the block does not exist.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn replace_stored(&mut self, part: AssetPart, stored: Vec<u8>) -> Result<&mut Self> {
        if stored.is_empty() {
            return Err(refused(Field::new(part.key()), "a stored block of 1 byte or more", "0 bytes"));
        }
        Ok(self.put(part, stored))
    }

    /// Sets a header entry to an integer, such as the entry `version`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_integer(&mut self, key: &str, value: i32) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().integer(value).clone().into_bytes())
    }

    /// Sets a header entry to a UUID, such as the entry `creator`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_uuid(&mut self, key: &str, value: &[u8; 16]) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().uuid(value).clone().into_bytes())
    }

    /// Sets a header entry to a date, such as the entry `date`. `seconds` is the date as the number
    /// of seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_date(&mut self, key: &str, seconds: f64) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().date(seconds).clone().into_bytes())
    }

    /// Sets a header entry to an encoded LLSD value. Adds the entry if the header does not have the
    /// key.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `value` is not one LLSD value, if `key` is the key of a
    /// block, or if `key` is `version` and `value` is an integer above 999, which readers refuse.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn set(&mut self, key: &str, value: Vec<u8>) -> Result<&mut Self> {
        if AssetPart::ALL.iter().any(|part| part.key() == key) {
            return Err(refused(Field::new("header"), "a key that does not belong to a block", format!("`{key}`")));
        }
        let written =
            single(&value, 0, &self.limits).map_err(|found| refused(Field::new("header"), "one LLSD value", found))?;
        if let (Some(version), "version") = (written.integer().filter(|version| *version > HIGHEST_VERSION), key) {
            let expected = format!("a version of at most {HIGHEST_VERSION}, because readers refuse newer formats");
            return Err(refused(Field::new("version"), expected, version.to_string()));
        }
        let place = self.place(key);
        if let Some(entry) = self.entries.get_mut(place) {
            (entry.value, entry.map, entry.block) = (value.into(), None, None);
        }
        Ok(self)
    }

    /// Sets the new compressed bytes of the block `part`. If the header has no entry for the block,
    /// adds an entry.
    fn put(&mut self, part: AssetPart, stored: Vec<u8>) -> &mut Self {
        let place = self.place(part.key());
        if let Some(entry) = self.entries.get_mut(place) {
            let instead_of = entry.block.as_ref().and_then(BlockSource::start);
            entry.block = Some(BlockSource::New { stored, instead_of });
        }
        self
    }
}

impl Level {
    /// Encodes the level of detail as an uncompressed block, for
    /// [`Edit::replace`](super::super::Edit::replace).
    ///
    /// All submeshes of the level share one quantization box: the 16-bit position codes of every
    /// submesh are scaled to this box.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), with the field, if a value
    /// is not supported in the block `part`. `to_block` does not check that the skin has the joints
    /// that the influences refer to.
    pub fn to_block(&self, part: AssetPart) -> Result<Vec<u8>> {
        self.check(part, usize::from(LIST_END))?;
        Ok(self.encode())
    }
}

impl Convex {
    /// Encodes the convex hulls as an uncompressed block, for
    /// [`Edit::replace`](super::super::Edit::replace).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), with the field, if a value
    /// is not supported by the format.
    pub fn to_block(&self) -> Result<Vec<u8>> {
        self.check()?;
        Ok(self.encode())
    }
}

impl Skin {
    /// Encodes the skin as an uncompressed block, for
    /// [`Edit::replace`](super::super::Edit::replace).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), with the field, if a value
    /// is not supported by the format or by a viewer.
    pub fn to_block(&self) -> Result<Vec<u8>> {
        self.check()?;
        Ok(self.encode())
    }
}

/// Reads the one LLSD value that must cover all of `bytes` from the offset `start` to the end.
/// Returns a description of the error if the bytes are not exactly one LLSD value.
fn single<'b>(bytes: &'b [u8], start: usize, limits: &LlsdLimits) -> Result<LlsdValue<'b>, String> {
    let item = llsd::read_at(bytes, start, limits).map_err(|fault| fault.to_string())?;
    match bytes.len().saturating_sub(item.end) {
        0 => Ok(item.value),
        more => Err(format!("{} after the value", counted(more, "byte"))),
    }
}

/// Checks that the inflated bytes of a block are one LLSD value with the right LLSD type for the
/// block.
fn check(part: AssetPart, inflated: &[u8], limits: &LlsdLimits) -> Result<()> {
    let expected = match part {
        _ if part.is_geometry() => "one LLSD value, an array of maps",
        AssetPart::PhysicsConvex => "one LLSD value, a map or undefined",
        AssetPart::Skin | AssetPart::PhysicsHavok => "one LLSD value, a map",
        _ => "one LLSD value",
    };
    let wrong = |found: String| refused(Field::new(part.key()), expected, found);
    let start = llsd::marker_line(inflated).map_err(|fault| wrong(fault.to_string()))?;
    let value = single(inflated, start, limits).map_err(wrong)?;
    match value {
        LlsdValue::Array(array) if part.is_geometry() => {
            let other = array.iter().find(|item| item.value.map().is_none());
            other.map_or(Ok(()), |item| Err(wrong(format!("{} in the array", item.value.kind()))))
        }
        LlsdValue::Map(_) if !part.is_geometry() => Ok(()),
        LlsdValue::Undefined if part == AssetPart::PhysicsConvex => Ok(()),
        _ if part == AssetPart::Skeleton => Ok(()),
        other => Err(wrong(other.kind().to_owned())),
    }
}
