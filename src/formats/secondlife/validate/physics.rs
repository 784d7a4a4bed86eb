//! Checks the rules about convex hulls.

use super::super::asset_block::AssetBlock;
use super::super::layout::MAX_HULLS;
use super::super::llsd::LlsdValue;
use super::super::physics::{Convex, hull_size};
use super::maps::{check_domain, check_map};
use super::rules;
use crate::array::Array;
use crate::error::{Field, counted};
use crate::math::as_u64;
use crate::validate::{Report, Tally};

/// Known keys in the LLSD map of a block of convex hulls.
const KEYS: [&str; 5] = ["BoundingVerts", "HullList", "Positions", "Min", "Max"];

/// Checks a block of convex hulls. Returns whether the block stores the sizes of at least one hull
/// besides the bounding hull.
pub(super) fn check(report: &mut Report<'_>, block: AssetBlock<'_>) -> bool {
    let Some(Some(convex)) = report.take(Convex::new(block)) else { return false };
    let place = Field::new(block.part().key());
    check_map(report, place, convex.map(), &KEYS);
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
