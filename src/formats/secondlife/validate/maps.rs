//! Checks of LLSD maps, numbers and domains, which occur in several blocks.

use super::super::llsd::{LlsdItem, LlsdMap, LlsdValue};
use super::rules;
use crate::error::{Field, counted};
use crate::math::{as_u64, narrow};
use crate::validate::Report;

/// Reports one finding for all keys of an LLSD map that are not in `known`. The offsets of the map
/// are relative to `start`.
pub(super) fn check_keys(report: &mut Report<'_>, field: Field, map: LlsdMap<'_>, known: &[&str], start: u64) {
    if report.is_full(rules::UNKNOWN_KEY) {
        return;
    }
    let mut unknown = map.iter().filter(|entry| !known.iter().any(|key| entry.key.is(key)));
    let Some(first) = unknown.next() else { return };
    let mut names = first.key.to_string();
    for (number, entry) in unknown.take(8).enumerate() {
        names.push_str(", ");
        names.push_str(&if number < 7 { entry.key.to_string() } else { "..".to_owned() });
    }
    let text = format_args!("unknown keys, which are kept: {names}");
    report.add(rules::UNKNOWN_KEY, field, start.saturating_add(as_u64(first.key_at)), text);
}

/// Reports a finding if the keys of an LLSD map are not sorted by their bytes. The offsets of the
/// map are relative to `start`.
pub(super) fn check_sorted(report: &mut Report<'_>, field: Field, map: LlsdMap<'_>, start: u64) {
    let pairs = map.iter().zip(map.iter().skip(1));
    if let Some((one, next)) = pairs.into_iter().find(|(one, next)| one.key.bytes().gt(next.key.bytes())) {
        let text = format_args!("keys are not sorted: {} before {}", one.key, next.key);
        report.add(rules::UNUSUAL_ORDER, field, start.saturating_add(as_u64(next.key_at)), text);
    }
}

/// Reports a finding for unknown keys in an LLSD map of a block, and a finding if the keys are not
/// sorted.
pub(super) fn check_map(report: &mut Report<'_>, field: Field, map: LlsdMap<'_>, known: &[&str]) {
    check_keys(report, field, map, known, 0);
    check_sorted(report, field, map, 0);
}

/// Reports the first LLSD integer in `value` that should be an LLSD real. If `value` is an array,
/// checks the items of `value` and the items of the arrays in `value`.
pub(super) fn check_reals(report: &mut Report<'_>, field: Field, at: usize, value: LlsdValue<'_>) {
    let is_integer = |item: &LlsdItem<'_>| matches!(item.value, LlsdValue::Integer(_));
    let first = match value {
        LlsdValue::Integer(_) => Some(at),
        LlsdValue::Array(array) => {
            let within =
                array.iter().map(|item| item.value.array().map_or(Some(item), |array| array.iter().find(is_integer)));
            within.flatten().find(is_integer).map(|item| item.at)
        }
        _ => None,
    };
    if let Some(at) = first {
        let text = "an integer in place of a real; it is read as a real";
        report.add(rules::INTEGER_FOR_REAL, field, as_u64(at), text);
    }
}

/// Returns the minimum and the maximum of a domain, or reports a finding and returns `None` if a
/// number of the domain is missing or not finite, or if a minimum exceeds its maximum.
pub(super) fn check_domain<const N: usize>(
    report: &mut Report<'_>,
    field: Field,
    at: usize,
    value: LlsdValue<'_>,
) -> Option<[[f64; N]; 2]> {
    let LlsdValue::Map(map) = value else {
        let text = format_args!("expected a map, found {}", value.kind());
        report.add(rules::INVALID_DOMAIN, field, as_u64(at), text);
        return None;
    };
    let ends = ["Min", "Max"].map(|name| {
        let Some(entry) = map.get(name) else {
            let text = format_args!("expected {N} numbers as {name}, found none");
            report.add(rules::INVALID_DOMAIN, field, as_u64(at), text);
            return None;
        };
        let array = entry.value.array();
        let numbers = array.and_then(|array| array.numbers::<N>());
        if numbers.is_some() {
            check_reals(report, field, entry.at, entry.value);
        } else {
            let count = array.map(|array| counted(array.len(), "value").to_string());
            let found = count.unwrap_or_else(|| entry.value.kind().to_owned());
            let text = format_args!("expected {N} numbers as {name}, found {found}");
            report.add(rules::INVALID_DOMAIN, field, as_u64(entry.at), text);
        }
        numbers
    });
    let [min, max] = [ends[0]?, ends[1]?];
    // A domain with NaN, or with an extent that is not finite in `f32`, is invalid.
    let is_sound = min.iter().zip(&max).all(|(min, max)| min <= max && (narrow(*max) - narrow(*min)).is_finite());
    if !is_sound {
        let text = format_args!("{min:?} to {max:?} is not a valid interval");
        report.add(rules::INVALID_DOMAIN, field, as_u64(at), text);
    }
    is_sound.then_some([min, max])
}
