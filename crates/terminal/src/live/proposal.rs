//! Proposals: drafts, criticisms and syntheses.

use crate::labels;
use crate::speakers::{SpeakerStyle, Speakers};
use crate::text::diff::{Piece, diff};
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, blanks, shortened, trusted, untrusted};
use crate::text::style::Tone;
use faultline_core::engines::dialectic::decode::NO_OBJECTION;
use faultline_core::events::event::Event;
use faultline_core::events::proposal::{ProposalAccepted, ProposalCriticized, ProposalDrafted, ProposalSynthesized};
use faultline_core::export::report::unsaid::unsaid_reasoning;
use faultline_core::programs::similarity::similarity;
use faultline_core::projections::proposals::Proposal;
use faultline_core::projections::transcript::Transcript;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Maximum number of characters of a proposal.
const MAX_PROPOSAL: usize = 4_000;
/// Maximum number of characters of a remark.
const MAX_REMARK: usize = 600;
/// Maximum number of remarks of one kind.
const MAX_REMARKS: usize = 8;
/// Similarity below which no word-level diff is shown, because nearly every word would be marked.
const LIKE_ENOUGH: f64 = 0.3;
/// Width of the column of names such as `p3`.
const NAME: usize = 4;
/// Width of the column of words such as `critical`.
const WORD: usize = 11;

/// Renders an event of a proposal; nothing for other events.
pub fn show(page: &mut TextPage, speakers: &Speakers, read_model: &DebateReadModel, event: &Event) {
    let owner = |id| speakers.maybe(read_model.proposals.get(id).map(|proposal: &Proposal| &proposal.speaker));
    match event {
        Event::ProposalDrafted(it) => drafted(page, &speakers.get(&it.speaker), &read_model.transcript, it),
        Event::ProposalCriticized(it) => criticized(page, &speakers.get(&it.speaker), &owner(it.proposal), it),
        Event::ProposalAccepted(it) => accepted(page, &speakers.get(&it.speaker), &owner(it.proposal), it),
        Event::ProposalSynthesized(it) => {
            let from = read_model.proposals.get(it.from);
            synthesized(page, &speakers.get(&it.speaker), (from, &read_model.transcript), it);
        }
        _ => {}
    }
}

/// Renders a draft.
fn drafted(page: &mut TextPage, speaker: &SpeakerStyle, transcript: &Transcript, drafted: &ProposalDrafted) {
    let gutter = speaker.gutter();
    let name = [speaker.owns(drafted.proposal)];
    page.hang(&gutter, &name, NAME, &shortened(Tone::Plain, &drafted.text, MAX_PROPOSAL));
    let unsaid = unsaid_reasoning(transcript, drafted.turn, &drafted.speaker, &drafted.reasoning);
    reasoning(page, speaker, &drafted.reasoning, unsaid);
    let mut facts: Vec<String> = labels::sure(drafted.confidence).into_iter().collect();
    if !drafted.terms.is_empty() {
        facts.insert(0, format!("turns on {}", drafted.terms.join(", ")));
    }
    page.hang(&gutter, &[], NAME, &shortened(Tone::Quiet, &facts.join(" · "), MAX_REMARK));
}

/// Renders the reasoning for a proposal.
fn reasoning(page: &mut TextPage, speaker: &SpeakerStyle, text: &str, unsaid: Option<&str>) {
    if !text.trim().is_empty() {
        let mut line = vec![labels::reasoning(unsaid)];
        line.extend(shortened(Tone::Quiet, text, MAX_REMARK));
        page.hang(&speaker.gutter(), &[], NAME, &line);
    }
}

/// Returns the words of a turn that the rendering of an event repeats; `None` if the event is no part of a proposal.
pub fn repeated(event: &Event) -> Option<String> {
    match event {
        Event::ProposalDrafted(it) => Some(it.text.clone()),
        Event::ProposalSynthesized(it) => Some(it.text.clone()),
        Event::ProposalCriticized(it) if it.issues.is_empty() => Some(NO_OBJECTION.to_owned()),
        Event::ProposalCriticized(it) => {
            let issues: Vec<&str> = it.issues.iter().map(|issue| issue.text.as_str()).collect();
            Some(issues.join(" "))
        }
        _ => None,
    }
}

/// Renders a criticism: the recommendation and the issues.
fn criticized(page: &mut TextPage, speaker: &SpeakerStyle, owner: &SpeakerStyle, criticized: &ProposalCriticized) {
    let gutter = speaker.gutter();
    let verdict = [trusted(Tone::Plain, "→ "), labels::recommendation(criticized.recommendation)];
    page.hang(&gutter, &[owner.owns(criticized.proposal)], NAME, &verdict);
    for issue in criticized.issues.iter().take(MAX_REMARKS) {
        remark(page, speaker, &issue.issue.to_string(), labels::severity(issue.severity), &issue.text);
    }
    for case in criticized.edge_cases.iter().take(MAX_REMARKS) {
        remark(page, speaker, "", "edge case", case);
    }
    for contradiction in criticized.contradictions.iter().take(MAX_REMARKS) {
        remark(page, speaker, "", "conflict", contradiction);
    }
    let lists = [criticized.issues.len(), criticized.edge_cases.len(), criticized.contradictions.len()];
    let more: usize = lists.iter().map(|length| length.saturating_sub(MAX_REMARKS)).sum();
    if more > 0 {
        page.hang(&gutter, &[], NAME, &[trusted(Tone::Quiet, format!("and {more} more"))]);
    }
}

/// Renders an acceptance in words. The words themselves are those of the turn.
fn accepted(page: &mut TextPage, speaker: &SpeakerStyle, owner: &SpeakerStyle, accepted: &ProposalAccepted) {
    let moved = if accepted.change_of_mind.is_some() { ", after a change of mind" } else { "" };
    let line = [trusted(Tone::Good, "✓ accepted"), trusted(Tone::Quiet, format!(" in words, with a reason{moved}"))];
    page.hang(&speaker.gutter(), &[owner.owns(accepted.proposal)], NAME, &line);
}

fn remark(page: &mut TextPage, speaker: &SpeakerStyle, name: &str, word: &str, text: &str) {
    let mut gutter = speaker.gutter();
    gutter.extend([trusted(Tone::Quiet, name), blanks(NAME.saturating_sub(name.len()).max(1))]);
    let mut under = speaker.gutter();
    under.push(blanks(NAME + WORD));
    gutter.extend([trusted(Tone::Quiet, word), blanks(WORD.saturating_sub(word.len()).max(1))]);
    page.row(&gutter, &under, &shortened(Tone::Plain, text, MAX_REMARK));
}

/// Renders a synthesis, with the changes since the proposal it comes from.
fn synthesized(
    page: &mut TextPage,
    speaker: &SpeakerStyle,
    (from, transcript): (Option<&Proposal>, &Transcript),
    joined: &ProposalSynthesized,
) {
    let gutter = speaker.gutter();
    let likeness = from.map(|proposal| similarity(&proposal.text, &joined.text));
    let changes =
        from.filter(|_| likeness > Some(LIKE_ENOUGH)).and_then(|proposal| changed(&proposal.text, &joined.text));
    let text = changes.unwrap_or_else(|| shortened(Tone::Plain, &joined.text, MAX_PROPOSAL));
    page.hang(&gutter, &[speaker.owns(joined.proposal)], NAME, &text);
    let unsaid = unsaid_reasoning(transcript, joined.turn, &joined.speaker, &joined.reasoning);
    reasoning(page, speaker, &joined.reasoning, unsaid);
    for change in joined.changes.iter().take(MAX_REMARKS) {
        remark(page, speaker, &change.issue.to_string(), "answered", &change.text);
    }
    let likeness = likeness.map(|likeness| format!("{} similar to {}", labels::percent(likeness), joined.from));
    let facts: Vec<String> = likeness.into_iter().chain(labels::sure(joined.confidence)).collect();
    page.hang(&gutter, &[], NAME, &[trusted(Tone::Quiet, facts.join(" · "))]);
}

/// Returns the new text with additions and removals marked; `None` if a text is too long to compare.
pub fn changed(old: &str, new: &str) -> Option<SpanLine> {
    if old.len().max(new.len()) > MAX_PROPOSAL {
        return None;
    }
    let mut line = SpanLine::new();
    let pieces: Vec<Piece> = diff(old, new)?.into_iter().filter(|piece| *piece != Piece::Removed("\n")).collect();
    for run in pieces.chunk_by(|one, next| tone(one) == tone(next) && !breaks(one) && !breaks(next)) {
        let words: Vec<&str> = run.iter().map(Piece::word).collect();
        line.push(match run[0] {
            _ if breaks(&run[0]) => trusted(Tone::Plain, "\n"),
            Piece::Kept(_) => untrusted(Tone::Plain, &words.join(" ")),
            Piece::Added(_) => untrusted(Tone::Added, &format!("{{+{}+}}", words.join(" "))),
            Piece::Removed(_) => untrusted(Tone::Removed, &format!("[-{}-]", words.join(" "))),
        });
        line.push(trusted(Tone::Plain, " "));
    }
    Some(line)
}

fn tone(piece: &Piece) -> Tone {
    match piece {
        Piece::Kept(_) => Tone::Plain,
        Piece::Added(_) => Tone::Added,
        Piece::Removed(_) => Tone::Removed,
    }
}

fn breaks(piece: &Piece) -> bool {
    piece.word() == "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_changes_are_marked_once() {
        let marked = |old: &str, new: &str| {
            let line = changed(old, new).expect("short enough");
            line.iter().map(|span| span.text.as_str()).collect::<String>()
        };
        assert_eq!(marked("sail when calm.", "sail when the sea is calm."), "sail when {+the sea is+} calm. ");
        assert_eq!(marked("a b c", "a x y"), "a [-b c-] {+x y+} ");
        assert_eq!(marked("a.\nb.", "a.\nc.\nd."), "a. \n [-b.-] {+c.+} \n {+d.+} ");
    }
}
