//! The rules about what blocks must have in common.

use super::super::asset_part::{AssetPart, Lod};
use super::super::asset_view::AssetView;
use super::super::layout::MAX_SUBMESHES;
use super::report::AssetReport;
use super::rules;
use crate::error::Field;

/// What is compared between the blocks of an asset.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AssetSummary {
    /// Submeshes and triangles of each level, the most detailed first.
    pub(super) levels: [Option<(usize, usize)>; Lod::ALL.len()],
    /// Joints of the skin, where there is one that can be read.
    pub(super) joints: Option<usize>,
    /// Whether the header names a skin.
    pub(super) is_skinned: bool,
    /// Whether there are hulls, and triangles to collide with.
    pub(super) hulls: bool,
    pub(super) physics_mesh: bool,
}

/// Looks at what blocks must have in common.
pub(super) fn check_summary(view: AssetView<'_>, check: &mut AssetReport<'_, '_>, summary: &AssetSummary) {
    let start = view.start();
    let there = Lod::ALL.into_iter().zip(summary.levels);
    let there: Vec<(Lod, (usize, usize))> = there.filter_map(|(lod, counts)| Some((lod, counts?))).collect();
    let Some((highest, (most, _))) = there.first().copied() else { return };
    for (lod, (submeshes, _)) in &there {
        let field = Field::new(lod.part().key());
        if submeshes != &most && *submeshes > 0 && most > 0 {
            let text = format!("{submeshes} submeshes, where {} has {most}", highest.part().key());
            check.say(rules::SUBMESH_COUNT, field, start, text);
        }
        if *submeshes > MAX_SUBMESHES {
            check.say(
                rules::SUBMESH_COUNT,
                field,
                start,
                format!("{submeshes} submeshes, expected at most {MAX_SUBMESHES}"),
            );
        }
    }
    for ((higher, (_, more)), (lod, (_, triangles))) in there.iter().zip(there.iter().skip(1)) {
        if triangles >= more {
            let text = format!("{triangles} triangles, where {} has {more}", higher.part().key());
            check.say(rules::LEVEL_NOT_SIMPLER, Field::new(lod.part().key()), start, text);
        }
    }
    // A viewer's own cache of a model holds both.
    let is_cache = check.asset.is_some() || view.header().is_ok_and(|header| header.material_list().is_some());
    if summary.hulls && summary.physics_mesh && !is_cache {
        let text = "a list of hulls beside a physics mesh: simulators take the hulls";
        check.say(rules::HULLS_AND_PHYSICS_MESH, Field::new(AssetPart::PhysicsConvex.key()), start, text);
    }
}
