//! Testing a file, asset by asset.

use super::super::asset_block::{AssetBlock, InflateBuffer};
use super::super::asset_part::{AssetPart, Lod};
use super::super::asset_view::AssetView;
use super::report::AssetReport;
use super::rules::RULES;
use super::summary::{AssetSummary, check_summary};
use super::{header, physics, skin, surface};
use crate::error::Result;
use crate::parse::{Finding, Report};

/// Reports what the headers show, of all assets of a container; inflates nothing.
pub(in super::super) fn validate_structure(file: AssetView<'_>, report: &mut dyn FnMut(Finding)) {
    let mut report = Report::new(RULES, report);
    header::check_file(file, &mut report);
    for_each_asset(file, &mut report, header::check);
}

/// Reports every breach of the rules, of all assets of a container: those of headers, and of every block and value in
/// it. Blocks are inflated one after another into one buffer, and not kept.
pub(in super::super) fn validate(file: AssetView<'_>, report: &mut dyn FnMut(Finding)) {
    let mut report = Report::new(RULES, report);
    let mut buffer = InflateBuffer::default();
    header::check_file(file, &mut report);
    for_each_asset(file, &mut report, |view, check| {
        header::check(view, check);
        check_blocks(view, check, &mut buffer);
    });
}

/// Tests the headers of all assets, and inflates every block; reads no vertex.
///
/// # Errors
///
/// The first fault, by field and offset.
pub(in super::super) fn check(file: AssetView<'_>) -> Result<()> {
    let mut buffer = InflateBuffer::default();
    for state in file.asset_states() {
        let asset = AssetView::new(file.file(), &state);
        for part in AssetPart::ALL {
            if let Some(block) = asset.block_into(part, &mut buffer)?
                && part.is_geometry()
            {
                block.level()?.submeshes().try_for_each(|submesh| submesh.map(drop))?;
            }
        }
    }
    Ok(())
}

/// Visits each asset whose header can be read; tells why others cannot.
fn for_each_asset(
    file: AssetView<'_>,
    report: &mut Report<'_>,
    mut visit: impl FnMut(AssetView<'_>, &mut AssetReport<'_, '_>),
) {
    let is_container = file.container().is_some();
    for (number, state) in (0..).zip(file.asset_states()) {
        let asset = AssetView::new(file.file(), &state);
        let mut check = AssetReport { report, asset: is_container.then_some(number) };
        match asset.header() {
            Ok(_) => visit(asset, &mut check),
            Err(error) => check.say_error(&error),
        }
    }
}

impl AssetBlock<'_> {
    /// Reports what is wrong with the block as a whole: its wrapper, what stands behind its end, keys that stand twice.
    pub fn validate_structure(&self, report: &mut dyn FnMut(Finding)) {
        header::check_block(&mut AssetReport { report: &mut Report::new(RULES, report), asset: None }, *self);
    }
}

/// Looks at every block.
fn check_blocks(view: AssetView<'_>, check: &mut AssetReport<'_, '_>, buffer: &mut InflateBuffer) {
    let is_skinned = view.header().is_ok_and(|header| header.has(AssetPart::Skin));
    let mut summary = AssetSummary { is_skinned, ..AssetSummary::default() };
    // The skin first: weights name its joints.
    let others = AssetPart::ALL.into_iter().filter(|part| *part != AssetPart::Skin);
    for part in [AssetPart::Skin].into_iter().chain(others) {
        // That a block lies outside the file, or was not fetched, was told with the header.
        let Ok(Some((stored, bytes))) = view.stored(part) else { continue };
        header::check_stored(view, check, &stored, bytes);
        let Some(Some(block)) = check.take(view.block_into(part, buffer)) else { continue };
        header::check_block(check, block);
        match part {
            AssetPart::Skin => summary.joints = skin::check(check, block),
            AssetPart::PhysicsConvex => summary.hulls = physics::check(check, block),
            _ if part.is_geometry() => {
                let counts = surface::check(check, block, &summary);
                match part.lod() {
                    Some(lod) => {
                        let place = Lod::ALL.iter().position(|one| *one == lod);
                        if let Some(place) = place.and_then(|place| summary.levels.get_mut(place)) {
                            *place = counts;
                        }
                    }
                    None => summary.physics_mesh |= counts.is_some(),
                }
            }
            _ => {}
        }
    }
    check_summary(view, check, &summary);
}
