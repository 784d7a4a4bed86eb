//! The levels of detail that are exported or drawn.

use super::{LevelChoice, PlacedScene};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Asset;

/// The greatest number of damaged levels of detail that are reported.
const MAX_DAMAGED: usize = 8;

impl PlacedScene<'_> {
    /// Returns the chosen levels of detail of an asset. A level of which the file does not have the
    /// bytes yet is left out, unless it is chosen by its index. So is a damaged level, unless all
    /// levels are damaged.
    pub(crate) fn levels(&self, asset: &dyn Asset) -> Result<Vec<usize>> {
        let count = match self.options.levels {
            LevelChoice::One(level) => return Ok(vec![level]),
            LevelChoice::Best | LevelChoice::Scenes | LevelChoice::Nodes => asset.level_count()?,
        };
        let is_there = |level: &usize| !asset.level(*level).is_err_and(|error| error.kind() == ErrorKind::Missing);
        if count <= 1 {
            return Ok((0..count)
                .filter(|level| self.options.levels == LevelChoice::Best || is_there(level))
                .collect());
        }
        let is_whole = |level: &usize| match asset.check_level(*level) {
            Ok(()) => true,
            Err(error) => {
                self.add_damaged(asset, *level, &error);
                false
            }
        };
        if self.options.levels != LevelChoice::Best {
            let whole: Vec<usize> = (0..count).filter(is_whole).collect();
            return Ok(if whole.is_empty() { (0..count).filter(is_there).collect() } else { whole });
        }
        let is_enough = |level: &usize| {
            let enough = self.options.enough_triangles.unwrap_or(u64::MAX);
            triangle_count(asset, *level).is_ok_and(|count| count >= enough)
        };
        let lowest = self.options.enough_triangles.and_then(|_| (0..count).rev().filter(is_whole).find(is_enough));
        // A level is inflated to find out whether it is there, so the others are not asked.
        let best = lowest.or_else(|| (0..count).find(is_whole)).or_else(|| (0..count).find(is_there));
        Ok(vec![best.unwrap_or_default()])
    }

    /// Returns the levels of detail that are left out of a picture, and the skins that place no
    /// mesh, because they are damaged.
    pub(crate) fn damaged_parts(&self) -> Vec<String> {
        let mut parts = self.damaged.take();
        let mut assets: Vec<usize> = self.places.iter().take(MAX_DAMAGED).map(|place| place.asset).collect();
        assets.dedup();
        for asset in assets {
            let bones = self.contents.asset(asset).and_then(|asset| asset.animations().bone_count());
            parts.extend(bones.err().map(|error| format!("the skin, which is damaged: {error}")));
        }
        parts
    }

    /// Notes that a level of detail is left out because it is damaged, or not in the file yet.
    fn add_damaged(&self, asset: &dyn Asset, level: usize, error: &Error) {
        let name =
            asset.level_name(level).ok().flatten().map_or_else(|| format!("level {level}"), |name| name.to_string());
        let text = format!("{name}, which is {}: {error}", damage(error));
        let mut damaged = self.damaged.borrow_mut();
        if damaged.len() < MAX_DAMAGED && !damaged.contains(&text) {
            damaged.push(text);
        }
    }
}

/// Returns what is wrong with a level of detail that has an error.
pub(crate) fn damage(error: &Error) -> &'static str {
    let is_absent = error.kind() == ErrorKind::Missing && error.inflated_offset().is_none();
    if is_absent { "not in the file" } else { "damaged" }
}

/// Returns the number of triangles of the visible surfaces of a level of detail.
fn triangle_count(asset: &dyn Asset, level: usize) -> Result<u64> {
    let geometry = asset.level(level)?;
    let mut count = 0_u64;
    for surface in geometry.surfaces()? {
        if surface.is_drawn()? {
            count = count.saturating_add(u64::from(surface.counts()?.corners / 3));
        }
    }
    Ok(count)
}
