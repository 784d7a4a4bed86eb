//! Compares the findings about two meshes.

// Rule: this file sorts and maps by copies only.

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::DiffKind;
use super::side::DiffSide;
use super::value::DiffValue;
use crate::Result;

/// The number of findings by each rule.
type FindingCounts = BTreeMap<&'static str, u64>;

impl MeshComparison<'_, '_> {
    /// Compares the numbers of findings by each rule. The formats have different rules, so the
    /// findings of two formats are compared only on request.
    pub fn compare_findings(&mut self, place: &DiffPlace<'_>) -> anyhow::Result<()> {
        let is_asked = self.options().only.contains(&DiffKind::Findings);
        if !self.options().wants(DiffKind::Findings)
            || self.sink.is_decided()
            || !self.sides.have_same_format() && !is_asked
        {
            return Ok(());
        }
        let counts = self.read(self.sides, finding_counts)?;
        let rules: BTreeSet<_> = counts.a.keys().chain(counts.b.keys()).collect();
        for rule in rules {
            let counts = counts.as_ref().map(|counts| DiffValue::Number(counts.get(rule).copied().unwrap_or_default()));
            self.sink.compare(DiffKind::Findings, &place.part(rule, &format!("findings of {rule}")), counts)?;
        }
        Ok(())
    }
}

fn finding_counts(side: &DiffSide) -> Result<FindingCounts> {
    let mut counts = FindingCounts::new();
    side.asset.findings(true, true, &mut |finding| {
        let count = counts.entry(finding.rule).or_default();
        *count = count.saturating_add(1);
    })?;
    Ok(counts)
}
