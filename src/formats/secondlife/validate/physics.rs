//! Checks the rules about convex hulls.

use super::super::asset_block::AssetBlock;
use super::super::layout::MAX_HULLS;
use super::super::llsd::LlsdValue;
use super::super::physics::{Convex, hull_size};
use super::report::AssetReport;
use super::rules;
use crate::array::Array;
use crate::error::{Field, counted};
use crate::parse::Tally;

/// Known keys in the LLSD map of a block of convex hulls.
const KEYS: [&str; 5] = ["BoundingVerts", "HullList", "Positions", "Min", "Max"];

/// Checks a block of convex hulls. Returns whether the block stores the sizes of at least one hull
/// besides the bounding hull.
pub(super) fn check(check: &mut AssetReport<'_, '_>, block: AssetBlock<'_>) -> bool {
    let Some(Some(convex)) = check.take(Convex::new(block)) else { return false };
    let place = Field::new(block.part().key());
    check.check_map_in(place, block, convex.map(), &KEYS);
    if convex.map().get("Min").is_some() || convex.map().get("Max").is_some() {
        let field = Field::new("Min").in_struct(block.part().key());
        check.check_domain::<3>(field, block, block.value_at(), LlsdValue::Map(convex.map()));
    }
    match convex.bounding_points() {
        Ok(Some(_)) => {}
        Ok(None) => {
            let text = "no BoundingVerts (the bounding hull)";
            check.add_in(rules::MISSING_BLOCK, place, block, block.value_at(), text);
        }
        Err(error) if error.field().name() == "Min" => {}
        Err(error) => check.add_error(&error),
    }
    check_hulls(check, block, &convex)
}

fn check_hulls(check: &mut AssetReport<'_, '_>, block: AssetBlock<'_>, convex: &Convex<'_>) -> bool {
    let field = Field::new("HullList").in_struct(block.part().key());
    let Some(sizes) = check.take(convex.hull_sizes()) else { return false };
    let points = match convex.hull_points() {
        Err(error) if error.field().name() != "Min" => {
            check.add_error(&error);
            return sizes.is_some();
        }
        points => points.ok().flatten(),
    };
    let at = convex.map().get("HullList").map_or(block.value_at(), |entry| entry.at);
    let Some(sizes) = sizes else {
        if let Some(entry) = convex.map().get("Positions") {
            check.add_in(rules::HULL_SIZES, field, block, entry.at, "Positions without HullList");
        }
        return false;
    };
    let sum = sizes.iter().map(|size| hull_size(*size)).fold(0, usize::saturating_add);
    let found = points.map_or(0, |points| points.len());
    if convex.map().get("Positions").is_none() && !sizes.is_empty() {
        check.add_in(rules::HULL_SIZES, field, block, at, "HullList without Positions");
    } else if sum != found {
        let text = format_args!("the hulls have {} together, but Positions has {found}", counted(sum, "point"));
        check.add_in(rules::HULL_SIZES, field, block, at, text);
    }
    if sizes.len() > MAX_HULLS {
        check.add_in(
            rules::TOO_MANY_HULLS,
            field,
            block,
            at,
            format_args!("{} hulls, expected at most {MAX_HULLS}", sizes.len()),
        );
    }
    let mut few = Tally::default();
    for (number, size) in (0..).zip(sizes) {
        few.add(number, hull_size(*size) < 4);
    }
    if few.any() {
        let text = format_args!("{} with fewer than 4 points, first hull {}", counted(few.count, "hull"), few.first);
        check.add_in(rules::SMALL_HULL, field, block, at, text);
    }
    !sizes.is_empty()
}
