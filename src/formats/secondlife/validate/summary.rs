//! Checks the rules about the consistency between the blocks of an asset.

use super::super::asset_part::AssetPart;
use super::super::asset_view::AssetView;
use super::super::layout::MAX_SUBMESHES;
use super::rules;
use crate::error::{Field, counted};
use crate::model::Lod;
use crate::validate::Report;

/// The numbers of submeshes, triangles and joints of an asset, and the presence of some of its
/// blocks, for the checks that compare the blocks with each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AssetSummary {
    /// The number of submeshes and the number of triangles of each level of detail, from the
    /// highest to the lowest level.
    pub(super) levels: [Option<(usize, usize)>; Lod::ALL.len()],
    /// The number of joints of the skin, or `None` if the skin is absent or cannot be read.
    pub(super) joints: Option<usize>,
    /// Whether the asset header has an entry for a skin.
    pub(super) is_skinned: bool,
    /// Whether the asset has convex hulls in addition to the bounding hull.
    pub(super) hulls: bool,
    /// Whether the asset has collision triangles.
    pub(super) physics_mesh: bool,
}

/// Checks that the blocks of an asset are consistent with each other.
pub(super) fn check_summary(view: AssetView<'_>, report: &mut Report<'_>, summary: &AssetSummary) {
    let start = view.start();
    let there = Lod::ALL.into_iter().zip(summary.levels);
    let there: Vec<(Lod, (usize, usize))> = there.filter_map(|(lod, counts)| Some((lod, counts?))).collect();
    let Some((highest, (most, _))) = there.first().copied() else { return };
    for (lod, (submeshes, _)) in &there {
        let field = Field::new(lod.part().key());
        if submeshes != &most && *submeshes > 0 && most > 0 {
            let text = format_args!("{}, but {} has {most}", counted(*submeshes, "submesh"), highest.part().key());
            report.add(rules::SUBMESH_COUNT, field, start, text);
        }
        if *submeshes > MAX_SUBMESHES {
            let text = format_args!("{submeshes} submeshes, expected at most {MAX_SUBMESHES}");
            report.add(rules::SUBMESH_COUNT, field, start, text);
        }
    }
    for ((higher, (_, more)), (lod, (_, triangles))) in there.iter().zip(there.iter().skip(1)) {
        if triangles >= more {
            let (field, higher) = (Field::new(lod.part().key()), higher.part().key());
            let text = if triangles == more {
                format!("as many triangles as {higher} ({more})")
            } else {
                format!("{}, more than {higher} ({more})", counted(*triangles, "triangle"))
            };
            report.add(rules::LEVEL_NOT_SIMPLER, field, start, text);
        }
    }
    // An asset in a viewer's `.slm` file can have both an array of hulls and collision triangles.
    let is_cache = report.asset().is_some() || view.header().is_ok_and(|header| header.material_list().is_some());
    if summary.hulls && summary.physics_mesh && !is_cache {
        let text = "both a list of hulls and a physics mesh: simulators use the hulls";
        report.add(rules::HULLS_AND_PHYSICS_MESH, Field::new(AssetPart::PhysicsConvex.key()), start, text);
    }
}
