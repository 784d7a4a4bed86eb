//! The type [`AssetReport`], which reports the findings of one asset.

use std::fmt;

use super::super::asset_block::AssetBlock;
use super::super::llsd::{LlsdItem, LlsdMap, LlsdValue};
use super::finding::{WithInflatedOffset, broken_rule};
use super::rules;
use crate::error::{Error, Field, Result, counted};
use crate::math::{as_u64, narrow};
use crate::parse::{Report, Rule};

/// Passes findings about one asset to the closure that the caller of `validate` supplies.
pub(super) struct AssetReport<'r, 'v> {
    pub(super) report: &'r mut Report<'v>,
    /// The index of the asset in a container, or `None` if the file is not a container.
    pub(super) asset: Option<u64>,
}

impl AssetReport<'_, '_> {
    /// Reports a finding that `rule` is broken at byte `offset` of the file.
    pub(super) fn add(&mut self, rule: Rule, field: Field, offset: u64, text: impl fmt::Display) {
        let field = self.place(field);
        self.report.add(rule, field, offset, text);
    }

    /// Reports a finding that `rule` is broken at byte `at` of an inflated block.
    pub(super) fn add_in(
        &mut self,
        rule: Rule,
        field: Field,
        block: AssetBlock<'_>,
        at: usize,
        text: impl fmt::Display,
    ) {
        self.add(rule, field, block.stored_at(), WithInflatedOffset(text, Some(as_u64(at))));
    }

    /// Reports the finding, if any, that corresponds to `error`, an error from reading the asset.
    pub(super) fn add_error(&mut self, error: &Error) {
        if let Some((rule, offset)) = broken_rule(error) {
            self.add(rule, error.field(), offset, WithInflatedOffset(error.cause(), error.inflated_offset()));
        }
    }

    /// Returns the value of `looked`. If `looked` is an error, reports a finding and returns
    /// `None`.
    pub(super) fn take<T>(&mut self, looked: Result<T>) -> Option<T> {
        looked.map_err(|error| self.add_error(&error)).ok()
    }

    /// Adds the index of the asset to the field path `field` if the file is a container.
    fn place(&self, field: Field) -> Field {
        self.asset.map_or(field, |asset| field.in_outer_list("asset", asset))
    }

    /// Reports one finding for all keys of an LLSD map that are not in `known`.
    pub(super) fn check_keys(
        &mut self,
        field: Field,
        map: LlsdMap<'_>,
        known: &[&str],
        at: impl Fn(usize) -> (u64, Option<u64>),
    ) {
        if self.report.is_full(rules::UNKNOWN_KEY) {
            return;
        }
        let mut unknown = Vec::new();
        let mut first_unknown = None;
        for entry in map.iter() {
            if !known.iter().any(|key| entry.key.is(key)) {
                first_unknown.get_or_insert(entry.key_at);
                if unknown.len() < 8 {
                    unknown.push(entry.key.to_string());
                } else if unknown.len() == 8 {
                    unknown.push("..".to_owned());
                }
            }
        }
        if let Some(key_at) = first_unknown {
            let (offset, inflated) = at(key_at);
            self.add(
                rules::UNKNOWN_KEY,
                field,
                offset,
                WithInflatedOffset(format_args!("unknown keys, which are kept: {}", unknown.join(", ")), inflated),
            );
        }
    }

    /// Reports a finding if the keys of an LLSD map are not sorted by their bytes.
    pub(super) fn check_sorted(&mut self, field: Field, map: LlsdMap<'_>, at: impl Fn(usize) -> (u64, Option<u64>)) {
        let pairs = map.iter().zip(map.iter().skip(1));
        let unsorted = pairs.into_iter().find(|(one, next)| one.key.bytes().gt(next.key.bytes()));
        if let Some((one, next)) = unsorted {
            let (offset, inflated) = at(next.key_at);
            let text =
                WithInflatedOffset(format_args!("keys are not sorted: {} before {}", one.key, next.key), inflated);
            self.add(rules::UNUSUAL_ORDER, field, offset, text);
        }
    }

    /// Reports a finding for unknown keys in an LLSD map of a block, and a finding if the keys are
    /// not sorted.
    pub(super) fn check_map_in(&mut self, field: Field, block: AssetBlock<'_>, map: LlsdMap<'_>, known: &[&str]) {
        let stored = block.stored_at();
        self.check_keys(field, map, known, |at| (stored, Some(as_u64(at))));
        self.check_sorted(field, map, |at| (stored, Some(as_u64(at))));
    }

    /// Reports the first LLSD integer in `value` that should be an LLSD real. If `value` is an
    /// array, checks the items of `value` and the items of the arrays in `value`.
    pub(super) fn check_reals(&mut self, field: Field, block: AssetBlock<'_>, at: usize, value: LlsdValue<'_>) {
        let first = match value {
            LlsdValue::Integer(_) => Some(at),
            LlsdValue::Array(array) => {
                let within = array
                    .iter()
                    .map(|item| item.value.array().map_or(Some(item), |array| array.iter().find(is_integer)));
                within.flatten().find(is_integer).map(|item| item.at)
            }
            _ => None,
        };
        if let Some(at) = first {
            self.add_in(
                rules::INTEGER_FOR_REAL,
                field,
                block,
                at,
                "an integer in place of a real; it is read as a real",
            );
        }
    }

    /// Returns the minimum and the maximum of a domain, or reports a finding and returns `None` if
    /// a number of the domain is missing or not finite, or if a minimum exceeds its maximum.
    pub(super) fn check_domain<const N: usize>(
        &mut self,
        field: Field,
        block: AssetBlock<'_>,
        at: usize,
        value: LlsdValue<'_>,
    ) -> Option<[[f64; N]; 2]> {
        let LlsdValue::Map(map) = value else {
            self.add_in(
                rules::INVALID_DOMAIN,
                field,
                block,
                at,
                format_args!("expected a map, found {}", value.kind()),
            );
            return None;
        };
        let ends = ["Min", "Max"].map(|name| {
            let entry = map.get(name);
            let numbers = entry.and_then(|entry| entry.value.array()).and_then(|array| array.numbers::<N>());
            if let (Some(entry), Some(_)) = (entry, numbers) {
                self.check_reals(field, block, entry.at, entry.value);
            } else {
                let found = entry.map_or_else(
                    || "none".to_owned(),
                    |entry| {
                        entry
                            .value
                            .array()
                            .map_or(entry.value.kind().to_owned(), |array| counted(array.len(), "value").to_string())
                    },
                );
                let place = entry.map_or(at, |entry| entry.at);
                self.add_in(
                    rules::INVALID_DOMAIN,
                    field,
                    block,
                    place,
                    format_args!("expected {N} numbers as {name}, found {found}"),
                );
            }
            numbers
        });
        let [min, max] = [ends[0]?, ends[1]?];
        // A domain with NaN, or with an extent that is not finite in `f32`, is invalid.
        let is_sound = min.iter().zip(&max).all(|(min, max)| min <= max && (narrow(*max) - narrow(*min)).is_finite());
        if !is_sound {
            let text = format_args!("{min:?} to {max:?} is not a valid interval");
            self.add_in(rules::INVALID_DOMAIN, field, block, at, text);
        }
        is_sound.then_some([min, max])
    }
}

fn is_integer(item: &LlsdItem<'_>) -> bool {
    matches!(item.value, LlsdValue::Integer(_))
}
