//! The arguments of `validate`, and the findings that they select.

use std::path::PathBuf;

use crate::{Finding, Rule, Severity};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::own_rules::{ANY_FORMAT, DENIED, OWN_RULES, UNREADABLE};
use crate::formats::descriptions;
use crate::program::args::{Files, Global, STDIN, WatchArgs, has_several};
use crate::program::outcome::{UsageError, usage};

const HELP: &str = "\
Checks every value. A finding has the id of its rule, the name of the field, and the offset of the first wrong byte. If many items \
break the same rule, one finding counts them. Rule ids are stable; `validate --rules` lists them.

Findings of severity info are useful to know, but also occur in sound files; they leave the exit code at 0. Findings that an option \
or a baseline leaves out do, too. A file that cannot be read is a finding of rule IO01, and makes the exit code 3 unless the baseline \
has it or --ignore IO01 is given. Of several files, only those with findings are listed; -v lists all.

Examples:
  meshpeek validate data/unigine/cube_ms13.mesh
  meshpeek validate data --quiet                    only warnings and errors
  meshpeek validate data --select UG,SL1 --ignore UG12
  meshpeek validate --explain UG24                  why a rule matters, and how to mend a file
  meshpeek validate data --format sarif             for code scanning, or github or junit
  meshpeek validate data --deny 'budget: triangles > 50k'
  meshpeek validate data -l -0 | xargs -0 ls -l     the files with warnings or errors
  meshpeek validate data --write-baseline known.json
  meshpeek validate data --baseline known.json      only findings that are new since then";

#[derive(Debug, Args)]
#[command(after_help = HELP, mut_arg("files", |files| files.required_unless_present_any(["rules", "explain"])))]
pub struct ValidateArgs {
    #[command(flatten)]
    pub files: Files,
    /// List all rules with their ids and severities, and exit
    #[arg(long)]
    pub rules: bool,
    /// Explain rules: the requirement, why it matters, and how to mend a file; `all` explains all
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = explained, conflicts_with_all = ["files", "rules"])]
    pub explain: Vec<String>,
    /// Report only findings of these rules: ids, or starts of ids such as UG or SL1
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule_prefix)]
    select: Vec<String>,
    /// Report no findings of these rules, even if they are selected
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule_prefix)]
    ignore: Vec<String>,
    /// The least severity that is reported
    #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = severity_parser())]
    severity: Severity,
    /// Report meshes that meet a condition of `ls` as findings of rule DENY01, such as 'triangles >
    /// 50k', or 'budget: triangles > 50k' with a name; can be given several times
    ///
    /// A condition with a column of surfaces, such as 'triangles > 20k && weights', is about each
    /// surface of the most detailed level, and one with the column lod, such as 'lod == 1 &&
    /// triangles > 5k', about each surface of all levels.
    #[arg(long, value_name = "CONDITION")]
    pub deny: Vec<String>,
    /// The form of the report; --json is the same as --format json
    #[arg(long, value_name = "FORMAT")]
    format: Option<FindingsFormat>,
    /// Print only the names of files that have warnings or errors, or that cannot be read
    #[arg(short = 'l', long)]
    pub files_with_findings: bool,
    /// End each name with a NUL in place of a line feed, without escapes, for `xargs -0`
    #[arg(short = '0', long, requires = "files_with_findings")]
    pub null: bool,
    #[command(flatten)]
    pub baseline: BaselineArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
}

/// The form in which `validate` prints its report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// Text for a person
    Text,
    /// The JSON document of this verb
    Json,
    /// SARIF 2.1.0, which code scanning services read
    Sarif,
    /// Workflow commands of GitHub Actions, which annotate a pull request
    Github,
    /// JUnit XML, which Jenkins, GitLab and other services read
    Junit,
}

/// The arguments about the baseline: a file of known findings.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Report only findings that are not in this file
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to this file, for --baseline; they leave the exit code at 0
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Replace an existing baseline
    #[arg(long, requires = "write_baseline")]
    pub force: bool,
}

impl ValidateArgs {
    /// Returns the form of the report. Returns an error if options contradict each other.
    pub fn format(&self, global: &Global) -> Result<FindingsFormat, UsageError> {
        let format = match (self.format, global.json) {
            (None | Some(FindingsFormat::Json), true) => FindingsFormat::Json,
            (Some(format), false) => format,
            (None, false) => FindingsFormat::Text,
            (Some(_), true) => {
                usage!("validate: --json and --format name different formats; give one of them");
            }
        };
        let is_list = self.rules || !self.explain.is_empty();
        if is_list && !matches!(format, FindingsFormat::Text | FindingsFormat::Json) {
            usage!("validate: --rules and --explain print text or JSON; leave --format out, or give --json");
        }
        if self.files_with_findings && format != FindingsFormat::Text {
            usage!("validate: --files-with-findings prints names of files; leave --json and --format out");
        }
        if self.baseline.write_baseline.as_ref().is_some_and(|path| path.as_os_str() == STDIN) {
            usage!("validate: --write-baseline: expected the path of a file, found -, which is standard output");
        }
        Ok(format)
    }

    /// Returns whether the command line names one file, and neither a folder nor a pattern.
    pub fn is_one_file(&self) -> bool {
        !self.files.files.is_empty() && !has_several(&self.files.files)
    }

    /// Returns the filter for findings. Returns an error if no rule is left.
    pub fn filter(&self) -> Result<FindingFilter, UsageError> {
        let filter = FindingFilter::new(&self.select, &self.ignore, self.severity);
        if filter.is_empty() {
            usage!("validate: --select and --ignore leave no rule to report; give fewer rules to --ignore");
        }
        Ok(filter)
    }
}

/// Returns the value of `--explain` in upper case: the start of a rule id, or nothing for `all`.
fn explained(text: &str) -> Result<String, String> {
    if text.trim().eq_ignore_ascii_case("all") { Ok(String::new()) } else { rule_prefix(text) }
}

fn severity_parser() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["info", "warning", "error"]).try_map(|name| name.parse::<Severity>())
}

/// Returns all rules, each with the name of its format.
pub fn all_rules() -> impl Iterator<Item = (&'static str, &'static Rule)> {
    let own = OWN_RULES.iter().map(|rule| (ANY_FORMAT, rule));
    descriptions().flat_map(|format| format.rules.iter().map(move |rule| (format.id, rule))).chain(own)
}

/// Returns the start of a rule id in upper case. Returns an error if no rule id starts with it.
fn rule_prefix(text: &str) -> Result<String, String> {
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
