//! Runs all checks of `validate` on each asset of a file.

use super::super::asset_block::{AssetBlock, InflateBuffer};
use super::super::asset_view::AssetView;
use super::super::inflate::InflateBudget;
use super::super::layout::AssetPart;
use super::maps::{check_domain, check_map};
use super::surface::{AssetSummary, check_summary};
use super::{header, rules, skin, surface};
use crate::array::Array;
use crate::error::{Field, Result, counted};
use crate::formats::secondlife::layout::MAX_HULLS;
use crate::formats::secondlife::llsd::LlsdValue;
use crate::formats::secondlife::physics::{Convex, hull_size};
use crate::math::as_u64;
use crate::model::Lod;
use crate::parse::Finding;
use crate::validate::{Report, Tally};

/// Known keys in the LLSD map of a block of convex hulls.
const HULL_KEYS: [&str; 5] = ["BoundingVerts", "HullList", "Positions", "Min", "Max"];

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
            AssetPart::PhysicsConvex => summary.hulls = check_physics(report, block),
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

/// Checks a block of convex hulls. Returns whether the block stores the sizes of at least one hull
/// besides the bounding hull.
fn check_physics(report: &mut Report<'_>, block: AssetBlock<'_>) -> bool {
    let Some(Some(convex)) = report.take(Convex::new(block)) else { return false };
    let place = Field::new(block.part().key());
    check_map(report, place, convex.map(), &HULL_KEYS);
    if convex.map().get("Min").is_some() || convex.map().get("Max").is_some() {
        let field = Field::new("Min").in_struct(block.part().key());
        check_domain::<3>(report, field, block.value_at(), LlsdValue::Map(convex.map()));
    }
    match convex.bounding_points() {
        Ok(Some(_)) => {}
        Ok(None) => {
            let text = "no BoundingVerts (the bounding hull)";
            report.add(rules::MISSING_BLOCK, place, as_u64(block.value_at()), text);
        }
        Err(error) if error.rule() == Some(&rules::INVALID_DOMAIN) => {}
        Err(error) => {
            report.add_error(&error);
        }
    }
    check_hulls(report, block, &convex)
}

fn check_hulls(report: &mut Report<'_>, block: AssetBlock<'_>, convex: &Convex<'_>) -> bool {
    let field = Field::new("HullList").in_struct(block.part().key());
    let Some(sizes) = report.take(convex.hull_sizes()) else { return false };
    let points = match convex.hull_points() {
        Err(error) if error.rule() != Some(&rules::INVALID_DOMAIN) => {
            report.add_error(&error);
            return sizes.is_some();
        }
        points => points.ok().flatten(),
    };
    let at = as_u64(convex.map().get("HullList").map_or(block.value_at(), |entry| entry.at));
    let Some(sizes) = sizes else {
        if let Some(entry) = convex.map().get("Positions") {
            report.add(rules::HULL_SIZES, field, as_u64(entry.at), "Positions without HullList");
        }
        return false;
    };
    let sum = sizes.iter().map(|size| hull_size(*size)).fold(0, usize::saturating_add);
    let found = points.map_or(0, |points| points.len());
    if convex.map().get("Positions").is_none() && !sizes.is_empty() {
        report.add(rules::HULL_SIZES, field, at, "HullList without Positions");
    } else if sum != found {
        let text = format_args!("the hulls have {} together, but Positions has {found}", counted(sum, "point"));
        report.add(rules::HULL_SIZES, field, at, text);
    }
    if sizes.len() > MAX_HULLS {
        let text = format_args!("{} hulls, expected at most {MAX_HULLS}", sizes.len());
        report.add(rules::TOO_MANY_HULLS, field, at, text);
    }
    let few = Tally::of(sizes, |size| hull_size(*size) < 4);
    let text = few.text_to_first("hull", "with fewer than 4 points, first hull");
    report.add_any(few, rules::SMALL_HULL, field, at, text);
    !sizes.is_empty()
}
