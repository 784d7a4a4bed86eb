//! Writes whole assets: the header and the compressed blocks.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::encode::{count, strings};
use super::values::{Asset, Header};
use meshpeek::secondlife::AssetPart;
use meshpeek::secondlife::llsd::LlsdWriter;

impl Asset {
    /// Returns the bytes of the asset: the header and the compressed blocks.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut blocks: Vec<(AssetPart, Vec<u8>)> = Vec::new();
        let mut add = |part: AssetPart, inflated: Vec<u8>| {
            blocks.push((part, deflate(&inflated)?));
            std::io::Result::Ok(())
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
        let mut bytes = self.header.encode(&blocks);
        for (_, stored) in &blocks {
            bytes.extend_from_slice(stored);
        }
        Ok(bytes)
    }
}

impl Header {
    /// Encodes the header. `blocks` are the compressed blocks that follow the header, in the order
    /// in which they are written.
    fn encode(&self, blocks: &[(AssetPart, Vec<u8>)]) -> Vec<u8> {
        // The header entries are sorted by key, as a viewer writes them.
        let mut entries: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let mut add = |key, put: &dyn Fn(&mut LlsdWriter)| {
            let mut writer = LlsdWriter::new();
            put(writer.key(key));
            entries.insert(key, writer.into_bytes());
        };
        let mut at = 0_usize;
        for (part, stored) in blocks {
            let [offset, size] = [at, stored.len()].map(|number| i32::try_from(number).unwrap_or(i32::MAX));
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
        writer.into_bytes()
    }
}

/// Compresses a block as a viewer does: with zlib, at the highest compression level.
fn deflate(inflated: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(inflated)?;
    encoder.finish()
}
