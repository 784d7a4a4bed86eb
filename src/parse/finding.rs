//! Findings: the violations of file format rules that the `validate` methods report.

use std::fmt;

use crate::error::{Field, RewriteEffect, Rule, Severity};

/// A violation of a rule, or a remark, about one value or array of a file.
///
/// If the finding is about a whole byte range of the file
/// ([`Region`](crate::parse::region::Region)), the field of the finding is equal to the field of
/// the region. If it is about a part of one, its field is more exact, such as the field of one
/// polygon.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the rule that the file violates.
    pub rule: &'static str,
    /// The severity of this finding.
    pub severity: Severity,
    /// The value or array of the file that the finding is about.
    pub field: Field,
    /// Offset in the file of the first value that violates the rule, in bytes.
    ///
    /// If the value is in a compressed block, `offset` is the offset in the file of this compressed
    /// block.
    pub offset: u64,
    /// Index of the file that the finding is about, for a mesh of several files. For a mesh of one
    /// file, the file index is 0.
    ///
    /// The index of the file can be passed to [`Model::source`](crate::Model::source).
    pub source: u8,
    /// A sentence for the user about the violation, with the value in the file and the value that
    /// the rule requires.
    pub text: String,
    /// The effect of writing the file again on the data that the finding is about.
    #[doc(hidden)]
    pub rewrite: RewriteEffect,
}

impl Finding {
    /// Returns a finding about a violation of `rule` in the first file of a mesh.
    pub(crate) const fn new(rule: Rule, field: Field, offset: u64, text: String) -> Self {
        let Rule { id, severity, rewrite, .. } = rule;
        Self { rule: id, severity, field, offset, source: 0, text, rewrite }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, field, offset, text, .. } = self;
        write!(out, "{severity} {rule}: {field} at byte {offset}: {text}")
    }
}
