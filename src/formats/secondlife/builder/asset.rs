//! Writes whole assets: the header and the compressed blocks.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::asset_part::AssetPart;
use super::super::layout::FORMAT;
use super::super::llsd::LlsdWriter;
use super::encode::{count, strings};
use super::values::{Asset, Header};
use crate::error::{Cause, Error, Field, Result};

impl Asset {
    /// Encodes the asset and returns its bytes: the header and the compressed blocks.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), with the name of the block,
    /// if the offset or the size of a block does not fit in an LLSD integer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut blocks: Vec<(AssetPart, Vec<u8>)> = Vec::new();
        let mut add = |part: AssetPart, inflated: Vec<u8>| {
            blocks.push((part, deflate(&inflated)?));
            Ok::<(), crate::error::Error>(())
        };
        if let Some(skin) = &self.skin {
            add(AssetPart::Skin, skin.encode())?;
        }
        if let Some(convex) = &self.convex {
            add(AssetPart::PhysicsConvex, convex.encode())?;
        } else if self.header.submodel_id.is_some() {
            add(AssetPart::PhysicsConvex, b"!".to_vec())?;
        }
        // The levels of detail are written from the lowest to the highest.
        for (part, level) in self.levels().into_iter().rev() {
            if let Some(level) = level {
                add(part, level.encode())?;
            }
        }
        if let Some(level) = &self.physics_mesh {
            add(AssetPart::PhysicsMesh, level.encode())?;
        }
        let mut bytes = self.header.encode(&blocks)?;
        for (_, stored) in &blocks {
            bytes.extend_from_slice(stored);
        }
        Ok(bytes)
    }
}

impl Header {
    /// Encodes the header. `blocks` are the compressed blocks that follow the header, in the order
    /// in which they are written.
    fn encode(&self, blocks: &[(AssetPart, Vec<u8>)]) -> Result<Vec<u8>> {
        // The header entries are sorted by key, as a viewer writes them.
        let mut entries: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let mut add = |key, put: &dyn Fn(&mut LlsdWriter)| {
            let mut writer = LlsdWriter::new();
            put(writer.key(key));
            entries.insert(key, writer.into_bytes());
        };
        let mut at = 0_usize;
        for (part, stored) in blocks {
            let [offset, size] = [whole(*part, at)?, whole(*part, stored.len())?];
            at = at.saturating_add(stored.len());
            let hash = self.hashes && matches!(part, AssetPart::PhysicsConvex | AssetPart::PhysicsMesh);
            add(part.key(), &|writer| {
                writer.open_map(if hash { 3 } else { 2 });
                if hash {
                    writer.key("hash").binary(&md5::compute(stored).0);
                }
                writer.key("offset").integer(offset).key("size").integer(size).close_map();
            });
        }
        for (key, number) in [("version", self.version), ("submodel_id", self.submodel_id)] {
            if let Some(number) = number {
                add(key, &|writer| _ = writer.integer(number));
            }
        }
        if let Some(creator) = &self.creator {
            add("creator", &|writer| _ = writer.uuid(creator));
        }
        if let Some(date) = self.date {
            add("date", &|writer| _ = writer.date(date));
        }
        if !self.material_list.is_empty() {
            add("material_list", &|writer| strings(writer, self.material_list.iter().map(String::as_str)));
        }
        let mut writer = LlsdWriter::new();
        writer.open_map(count(entries.len()));
        let mut bytes = writer.into_bytes();
        for entry in entries.values() {
            bytes.extend_from_slice(entry);
        }
        let mut writer = LlsdWriter::after(bytes);
        writer.close_map();
        Ok(writer.into_bytes())
    }
}

/// Compresses a block as a viewer does: with zlib, at the highest compression level.
fn deflate(inflated: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let stored = encoder.write_all(inflated).and_then(|()| encoder.finish());
    stored.map_err(|error| Error::without_offset(FORMAT, Field::new("block"), error.into()))
}

/// Converts the offset or the size of a block to an LLSD integer, which is a signed 32-bit integer.
pub(super) fn whole(part: AssetPart, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        let expected = format!("at most {} bytes for all blocks together", i32::MAX);
        let kind = Cause::Refused { expected: expected.into(), found: number.to_string().into() };
        Error::without_offset(FORMAT, Field::new(part.key()), kind)
    })
}
