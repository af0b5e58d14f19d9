//! Lists of parts of verdicts that comparisons show: cruxes, and labels that differ.

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{shortened, trusted, untrusted};
use crate::text::style::Tone;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::diff::verdict_diff::Relabelled;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Indentation of the entries.
const INDENT: usize = 6;
/// Maximum number of characters of a crux or a claim.
const MAX_TEXT: usize = 300;

/// Lists cruxes under a title with their number; nothing if there are none.
pub fn crux_list(page: &mut TextPage, title: &str, cruxes: &[Crux]) {
    if cruxes.is_empty() {
        return;
    }
    page.blank();
    page.text(&[trusted(Tone::Strong, title), trusted(Tone::Quiet, format!(" ({})", cruxes.len()))]);
    for crux in cruxes {
        let share = crux.pivotality.map(labels::percent).unwrap_or_default();
        let mut body = shortened(Tone::Plain, &crux.question, MAX_TEXT);
        body.push(trusted(Tone::Quiet, format!(" · {}", crux.origin.name())));
        page.hang(&[], &[trusted(Tone::Quiet, share)], INDENT, &body);
    }
}

/// Lists the labels that differ, with the claims of their arguments; nothing if there are none.
pub fn label_changes(page: &mut TextPage, changes: &[Relabelled], debate: &DebateReadModel) {
    if changes.is_empty() {
        return;
    }
    page.blank();
    page.text(&[trusted(Tone::Strong, "Labels that differ"), trusted(Tone::Quiet, format!(" ({})", changes.len()))]);
    let absent = || trusted(Tone::Quiet, "absent");
    for change in changes {
        let argument = debate.arguments.arguments.get(&change.argument);
        let claim = argument.map_or("", |argument| argument.advanced.claim.as_str());
        let mut body = vec![
            change.from.map_or_else(absent, labels::label),
            trusted(Tone::Quiet, " → "),
            change.to.map_or_else(absent, labels::label),
            trusted(Tone::Quiet, " · "),
        ];
        body.extend(shortened(Tone::Plain, claim, MAX_TEXT));
        page.hang(&[], &[untrusted(Tone::Strong, &change.argument.to_string())], INDENT, &body);
    }
}
