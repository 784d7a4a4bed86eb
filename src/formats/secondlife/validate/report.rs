//! What the checks of one asset share.

use super::super::asset_block::AssetBlock;
use super::super::llsd::{LlsdItem, LlsdMap, LlsdValue};
use super::finding::{finding, with_inflated_offset};
use super::rules;
use crate::error::{Error, Field, Result};
use crate::math::as_u64;
use crate::parse::{Finding, Report, Rule};

/// Reports findings about one asset.
pub(super) struct AssetReport<'r, 'v> {
    pub(super) report: &'r mut Report<'v>,
    /// The number of the asset, in a container.
    pub(super) asset: Option<u64>,
}

impl AssetReport<'_, '_> {
    /// Says that a rule is breached at an offset of the file.
    pub(super) fn say(&mut self, rule: Rule, field: Field, offset: u64, text: impl Into<String>) {
        let field = self.place(field);
        self.report.say_as(rule.severity, rule.id, field, offset, text.into());
    }

    /// Says that a rule is breached at a byte of an inflated block.
    pub(super) fn say_in(
        &mut self,
        rule: Rule,
        field: Field,
        block: AssetBlock<'_>,
        at: usize,
        text: impl Into<String>,
    ) {
        self.say(rule, field, block.stored_at(), with_inflated_offset(text.into(), Some(as_u64(at))));
    }

    /// Says what keeps a part from being read.
    pub(super) fn say_error(&mut self, error: &Error) {
        if let Some(finding) = finding(error) {
            let field = self.place(finding.field);
            self.report.pass(Finding { field, ..finding });
        }
    }

    /// Says what a fallible look found wrong, and goes on.
    pub(super) fn take<T>(&mut self, looked: Result<T>) -> Option<T> {
        looked.map_err(|error| self.say_error(&error)).ok()
    }

    /// Names the asset, too, in a container.
    fn place(&self, field: Field) -> Field {
        self.asset.map_or(field, |asset| field.in_outer_list("asset", asset))
    }

    /// Tells of keys of a map that are not known.
    pub(super) fn check_keys(
        &mut self,
        field: Field,
        map: LlsdMap<'_>,
        known: &[&str],
        at: impl Fn(usize) -> (u64, Option<u64>),
    ) {
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
            let text =
                with_inflated_offset(format!("keys that are not known, and kept: {}", unknown.join(", ")), inflated);
            self.say(rules::UNKNOWN_KEY, field, offset, text);
        }
    }

    /// Tells of keys that are not in the order of their bytes.
    pub(super) fn check_sorted(&mut self, field: Field, map: LlsdMap<'_>, at: impl Fn(usize) -> (u64, Option<u64>)) {
        let pairs = map.iter().zip(map.iter().skip(1));
        let unsorted = pairs.into_iter().find(|(one, next)| one.key.bytes().gt(next.key.bytes()));
        if let Some((one, next)) = unsorted {
            let (offset, inflated) = at(next.key_at);
            let text = with_inflated_offset(format!("keys are not sorted: {} before {}", one.key, next.key), inflated);
            self.say(rules::UNUSUAL_ORDER, field, offset, text);
        }
    }

    /// Looks at the keys of a map in a block: those that are not known, and their order.
    pub(super) fn check_map_in(&mut self, field: Field, block: AssetBlock<'_>, map: LlsdMap<'_>, known: &[&str]) {
        let stored = block.stored_at();
        self.check_keys(field, map, known, |at| (stored, Some(as_u64(at))));
        self.check_sorted(field, map, |at| (stored, Some(as_u64(at))));
    }

    /// Tells of integers where reals are expected: the value itself, or those in it, or in the arrays in it.
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
            self.say_in(
                rules::INTEGER_FOR_REAL,
                field,
                block,
                at,
                "an integer where a real is expected, taken for one",
            );
        }
    }
}

fn is_integer(item: &LlsdItem<'_>) -> bool {
    matches!(item.value, LlsdValue::Integer(_))
}
