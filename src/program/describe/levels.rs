//! Describes the levels of detail of a mesh whose levels are surfaces of one list.

use crate::export::LevelChoice;
use crate::model::{Asset, Contents, Lod};

use crate::program::formats::{LevelSummary, LodFilter, SurfaceLod, SurfaceSummary, nearest_level};

/// Describes the levels of detail of a mesh, which only the names of its surfaces tell. The
/// surfaces of the chosen level are counted and drawn.
pub fn describe_levels(
    mesh: &dyn Asset,
    filter: LodFilter,
    surfaces: &mut [SurfaceSummary],
) -> crate::Result<Vec<LevelSummary>> {
    let chosen = match filter {
        LodFilter::One(number) => nearest_level(mesh, number)?,
        LodFilter::All | LodFilter::None => 0,
    };
    let count = mesh.level_count()?;
    let mut levels = Vec::new();
    for level in 0..count {
        let geometry = mesh.level(level)?;
        let mut summary = LevelSummary {
            name: mesh.level_name(level)?.map(|name| name.to_string_lossy()).unwrap_or_default(),
            surfaces: 0,
            triangles: 0,
        };
        for surface in &mut *surfaces {
            let is_drawn = geometry.surface(surface.index)?.is_drawn()?;
            if is_drawn {
                summary.surfaces = summary.surfaces.saturating_add(1);
                summary.triangles = summary.triangles.saturating_add(surface.triangles());
            }
            if level == chosen {
                surface.lod = mesh.named_level(surface.index)?.map(SurfaceLod::Number);
                surface.drawn = is_drawn;
                surface.is_counted = is_drawn || filter == LodFilter::All;
            }
        }
        levels.push(summary);
    }
    Ok(if count > 1 { levels } else { Vec::new() })
}

/// Returns the level of detail that is described of the only asset of a file, or `None` if the file
/// has several.
pub fn only_level(contents: &dyn Contents, lod: Lod) -> Option<LevelChoice> {
    let asset = contents.asset(0).ok().filter(|_| contents.asset_count().is_ok_and(|count| count == 1))?;
    let has_number = |level: usize, lod: Lod| asset.level_number(level).is_ok_and(|own| own == Some(lod.number()));
    let find = |lod: Lod| (0..asset.level_count().ok()?).find(|level| has_number(*level, lod));
    lod.nearest(|lod| find(lod).is_some()).and_then(find).map(LevelChoice::One)
}
