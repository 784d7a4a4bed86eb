//! Runs all checks of `validate` on each asset of a file.

use super::super::asset_block::{AssetBlock, InflateBuffer};
use super::super::asset_part::AssetPart;
use super::super::asset_view::AssetView;
use super::super::inflate::InflateBudget;
use super::rules;
use super::summary::{AssetSummary, check_summary};
use super::{header, physics, skin, surface};
use crate::error::Result;
use crate::model::Lod;
use crate::parse::Finding;
use crate::validate::Report;

/// Checks the headers of all assets of the file, and calls `report` with each finding.
/// `validate_structure` does not inflate blocks.
pub(in super::super) fn validate_structure(file: AssetView<'_>, report: &mut dyn FnMut(Finding)) {
    let mut report = rules::report(report);
    header::check_file(file, &mut report);
    for_each_asset(file, &mut report, header::check);
}

/// Checks the headers, the blocks and the LLSD values of all assets of the file, and calls `report`
/// with each finding.
///
/// Blocks are inflated one after another into one buffer, and the inflated blocks are not cached.
/// All blocks of the file share one [`InflateBudget`], and a block beyond this budget is a finding.
pub(in super::super) fn validate(file: AssetView<'_>, report: &mut dyn FnMut(Finding)) {
    let mut report = rules::report(report);
    let (mut buffer, mut budget) = (InflateBuffer::default(), budget_for(file));
    header::check_file(file, &mut report);
    for_each_asset(file, &mut report, |view, report| {
        header::check(view, report);
        check_blocks(view, report, &mut buffer, &mut budget);
    });
}

/// Checks the headers of all assets of the file, and inflates every block. `check` does not read
/// vertices.
///
/// # Errors
///
/// Returns the first error in a header or a block, with the name and the offset of the damaged
/// field.
pub(in super::super) fn check(file: AssetView<'_>) -> Result<()> {
    let (mut buffer, mut budget) = (InflateBuffer::default(), budget_for(file));
    for state in file.asset_states() {
        let asset = AssetView::new(file.file(), &state);
        for part in AssetPart::ALL {
            if let Some(block) = block_within(asset, part, &mut buffer, &mut budget)?
                && part.is_geometry()
            {
                block.level()?.submeshes().try_for_each(|submesh| submesh.map(drop))?;
            }
        }
    }
    Ok(())
}

/// Returns a budget for inflating all blocks of a file.
fn budget_for(file: AssetView<'_>) -> InflateBudget {
    InflateBudget::new(&file.limits(), file.file().len())
}

/// Inflates a block into `buffer`, and subtracts its size from `budget`. Returns `None` if the
/// asset does not have the block.
fn block_within<'b>(
    view: AssetView<'_>,
    part: AssetPart,
    buffer: &'b mut InflateBuffer,
    budget: &mut InflateBudget,
) -> Result<Option<AssetBlock<'b>>> {
    let Some((stored, bytes)) = view.stored(part)? else { return Ok(None) };
    view.record(&stored);
    buffer.fill_within(part, bytes, stored.start, &view.limits(), budget).map(Some)
}

/// Calls `visit` for each asset with a readable header, and reports a finding for each asset whose
/// header cannot be read.
fn for_each_asset(file: AssetView<'_>, report: &mut Report<'_>, mut visit: impl FnMut(AssetView<'_>, &mut Report<'_>)) {
    let is_container = file.container().is_some();
    for (number, state) in (0..).zip(file.asset_states()) {
        let asset = AssetView::new(file.file(), &state);
        report.turn_to_asset(is_container.then_some(number));
        if report.take(asset.header()).is_some() {
            visit(asset, report);
        }
    }
}

impl AssetBlock<'_> {
    /// Checks the structure of the block, and calls `report` with each finding.
    ///
    /// `validate_structure` reports a gzip wrapper, a marker line, bytes after the end of the
    /// compressed stream, bytes after the end of the LLSD value, repeated keys and quoted texts.
    pub fn validate_structure(&self, report: &mut dyn FnMut(Finding)) {
        header::check_block(&mut rules::report(report), *self);
    }
}

/// Checks every block of an asset, and checks that the blocks are consistent with each other.
fn check_blocks(view: AssetView<'_>, report: &mut Report<'_>, buffer: &mut InflateBuffer, budget: &mut InflateBudget) {
    let is_skinned = view.header().is_ok_and(|header| header.has(AssetPart::Skin));
    let mut summary = AssetSummary { is_skinned, ..AssetSummary::default() };
    // The skin is checked before the submeshes, because the weights in the submeshes refer to the
    // joints of the skin.
    let others = AssetPart::ALL.into_iter().filter(|part| *part != AssetPart::Skin);
    for part in [AssetPart::Skin].into_iter().chain(others) {
        // If a block lies outside the file, or if its bytes were not fetched, the check of the
        // header has already reported the block.
        let Ok(Some((stored, bytes))) = view.stored(part) else { continue };
        header::check_stored(view, report, &stored, bytes);
        let Some(Some(block)) = report.take(block_within(view, part, buffer, budget)) else { continue };
        header::check_block(report, block);
        match part {
            AssetPart::Skin => summary.joints = skin::check(report, block),
            AssetPart::PhysicsConvex => summary.hulls = physics::check(report, block),
            _ if part.is_geometry() => {
                let counts = surface::check(report, block, &summary);
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
        report.turn_into(None);
    }
    check_summary(view, report, &summary);
}
