//! What `info` says of surfaces and blocks, copied out of a file.

use meshpeek::model::Counts;
use meshpeek::{Bounds, Finding};
use serde_json::{Value, json};

/// A surface.
pub struct SurfaceSummary {
    /// Its number, in its level of detail if there are several.
    pub index: usize,
    /// The block of its level of detail.
    pub lod: Option<&'static str>,
    /// Whether its vertices are those of the surface before it.
    pub shares: bool,
    pub name: String,
    pub material: Option<String>,
    pub bounds: Bounds,
    pub counts: Counts,
    /// Whether the counts are complete; otherwise they come from the header.
    pub is_whole: bool,
    pub drawn: bool,
    /// How it is drawn, in words.
    pub style: String,
    /// Fields that only the format has.
    pub properties: Value,
}

/// A compressed block of an asset.
pub struct BlockSummary {
    /// The number of the asset, in a container.
    pub asset: Option<usize>,
    pub name: &'static str,
    /// Whether it is a level of detail.
    pub is_lod: bool,
    pub offset: u64,
    pub bytes: u64,
    /// The result of inflating it.
    pub inflated: Option<InflatedSummary>,
}

/// A block after inflating it.
pub struct InflatedSummary {
    pub bytes: u64,
    /// Submeshes and triangles, of a block that has them.
    pub counts: Option<(usize, usize)>,
}

/// A file whose blocks are inflated on request.
pub struct BlockSurvey {
    pub blocks: Vec<BlockSummary>,
    pub surfaces: Vec<SurfaceSummary>,
    pub bones: Vec<(String, i32)>,
    pub bounds: Bounds,
    pub properties: Value,
    /// Faults of inflated blocks.
    pub findings: Vec<Finding>,
    /// Bytes of the file that were read.
    pub touched: u64,
}

impl BlockSummary {
    /// Returns the inflated size divided by the stored size.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a ratio, to be shown")]
    pub fn ratio(&self) -> Option<f64> {
        let inflated = self.inflated.as_ref()?;
        (self.bytes > 0).then(|| inflated.bytes as f64 / self.bytes as f64)
    }

    /// Returns the block as a JSON object.
    pub fn json(&self) -> Value {
        let counts = self.inflated.as_ref().and_then(|inflated| inflated.counts);
        let mut object = json!({
            "name": self.name,
            "offset": self.offset,
            "bytes": self.bytes,
            "inflated_bytes": self.inflated.as_ref().map(|inflated| inflated.bytes),
            "ratio": self.ratio(),
            "submeshes": counts.map(|(submeshes, _)| submeshes),
            "triangles": counts.map(|(_, triangles)| triangles),
        });
        if let (Some(asset), Some(object)) = (self.asset, object.as_object_mut()) {
            object.insert("asset".into(), asset.into());
        }
        object
    }
}
