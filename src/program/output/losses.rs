//! The losses of a written file, for the commands that write meshes.

use serde_json::{Value, json};

use super::json::finding;
use super::text::finding_line;
use crate::export::Loss;
use crate::program::outcome::UsageError;

/// Returns an error if the output lacks data that the command line does not allow to leave out.
/// `message` is called with the first loss and the number of the others.
pub fn refuse(
    losses: &[Loss],
    allow_loss: bool,
    message: impl FnOnce(&Loss, usize) -> String,
) -> Result<(), UsageError> {
    let mut refused = losses.iter().filter(|loss| !allow_loss && loss.needs_permission());
    refused.next().map_or(Ok(()), |first| Err(UsageError(message(first, refused.count()))))
}

/// Returns the line about a loss of the mesh `path`.
pub fn loss_line(path: &str, loss: &Loss) -> String {
    let of_output = || format!("{path}: not in the output: {loss}");
    loss.finding.as_ref().map_or_else(of_output, |about| finding_line(about, &[]))
}

/// Returns a list of losses: each as the finding about the data of the file, if there is one.
pub fn losses_json(losses: &[Loss]) -> Value {
    let of_loss = |Loss { kind, surface, text, by_format, finding: about, .. }: &Loss| match about {
        Some(about) => finding(about, &[]),
        None => json!({ "kind": kind.id(), "surface": surface, "text": text, "by_format": by_format }),
    };
    losses.iter().map(of_loss).collect()
}
