//! Selects findings by their rule and severity.

use crate::{Finding, Rule, Severity};

use super::own_rules::{ANY_FORMAT, DENIED, OWN_RULES, UNREADABLE};
use crate::formats::descriptions;

/// Returns all rules, each with the name of its format.
pub fn all_rules() -> impl Iterator<Item = (&'static str, &'static Rule)> {
    let own = OWN_RULES.iter().map(|rule| (ANY_FORMAT, rule));
    descriptions().flat_map(|format| format.rules.iter().map(move |rule| (format.id, rule))).chain(own)
}

/// Returns the start of a rule id in upper case. Returns an error if no rule id starts with it.
pub fn rule_prefix(text: &str) -> Result<String, String> {
    let prefix = text.trim().to_ascii_uppercase();
    if !prefix.is_empty() && all_rules().any(|(_, rule)| rule.id.starts_with(&*prefix)) {
        return Ok(prefix);
    }
    Err("expected a rule id, or the start of one, such as UG24 or SL; `meshpeek validate --rules` lists all".into())
}

/// The rules and severities of the findings that are reported.
#[derive(Debug)]
pub struct FindingFilter {
    /// The ids of the reported rules.
    rules: Vec<&'static str>,
    /// Whether the conditions of `--deny` are reported. They need not be selected.
    keeps_denied: bool,
    /// Whether a file that cannot be read is no failure.
    pub ignores_unreadable: bool,
    least: Severity,
}

impl FindingFilter {
    /// Creates a filter from starts of rule ids. If `select` is empty, all rules are selected. A
    /// rule that `ignore` names is never reported.
    pub fn new(select: &[String], ignore: &[String], least: Severity) -> Self {
        let names = |prefixes: &[String], id: &str| prefixes.iter().any(|prefix| id.starts_with(&**prefix));
        let ids = all_rules().map(|(_, rule)| rule.id);
        let rules = ids.filter(|id| (select.is_empty() || names(select, id)) && !names(ignore, id)).collect();
        let ignores = |rule: &Rule| names(ignore, rule.id);
        Self { rules, keeps_denied: !ignores(&DENIED), ignores_unreadable: ignores(&UNREADABLE), least }
    }

    /// Returns whether the filter reports no rule.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns whether a finding is reported.
    pub fn keeps(&self, finding: &Finding) -> bool {
        let is_kept = if finding.rule == DENIED.id { self.keeps_denied } else { self.rules.contains(&finding.rule) };
        is_kept && finding.severity >= self.least
    }

    /// Returns whether findings of a rule are reported.
    pub fn keeps_rule(&self, rule: &Rule) -> bool {
        rule.severity >= self.least && self.rules.contains(&rule.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_distinct_explanations() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, Rule { id, why, mend, .. }) in all_rules() {
            for sentence in [why, mend] {
                assert!(sentence.len() > 20 && sentence.ends_with('.'), "{id}: {sentence}");
                assert!(!sentence.contains("  ") && !sentence.contains('\n'), "{id}: {sentence}");
                assert!(seen.insert(*sentence), "{id} repeats a text: {sentence}");
            }
        }
        assert_eq!(seen.len(), 2 * 151);
    }

    #[test]
    fn selects_rules_by_the_start_of_their_ids() {
        let prefix = |text| rule_prefix(text).unwrap();
        assert_eq!((prefix("ug"), prefix(" sl1 "), prefix("Ez44")), ("UG".into(), "SL1".into(), "EZ44".into()));
        for wrong in ["", "UG24x", "UG99", "X", "UG2 4", "ü"] {
            assert!(rule_prefix(wrong).unwrap_err().contains("validate --rules"), "{wrong}");
        }
        let filter = FindingFilter::new(&["UG2".into(), "SL".into()], &["SL".into(), "UG24".into()], Severity::Info);
        assert_eq!(filter.rules, ["UG20", "UG21", "UG22", "UG23", "UG25", "UG26", "UG27", "UG28"]);
        assert!(FindingFilter::new(&["UG24".into()], &["UG".into()], Severity::Info).is_empty());
        assert_eq!(FindingFilter::new(&[], &[], Severity::Error).rules.len(), 151);
    }
}
