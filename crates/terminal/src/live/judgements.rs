//! Judgements of attacks, and the resulting labels.

use std::collections::BTreeMap;

use crate::labels;
use crate::live::event_notices;
use crate::live::speech;
use crate::speakers::{Speakers, judge};
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, blanks, padded, shortened, trusted};
use crate::text::style::Tone;
use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::AttackJudged;
use faultline_core::events::ids::ArgumentId;
use faultline_core::positions::playable::OFFLINE;
use faultline_core::questions::wording::says_the_same;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Maximum number of characters of a judge's reason.
const MAX_REASON: usize = 400;
/// Width of the column of names such as `k12`.
const NAME: usize = 4;
/// Width of the column of attacks, such as `a4 undermines a3`.
const ATTACK: usize = 20;
/// Width of the column of findings.
const FOUND: usize = 13;
/// Width of the column of label changes.
const CHANGE: usize = 17;
/// Maximum number of label changes listed.
const MAX_CHANGES: usize = 24;

/// Opens a block of judgements. Without a model nobody judges: the attacks count as annotated.
pub fn opened(page: &mut TextPage, read_model: &DebateReadModel) {
    if read_model.summary.provider == OFFLINE {
        page.blank();
        event_notices::aside(page, "the attacks count as annotated");
    } else {
        speech::heading(page, &judge(), "weighs the attacks");
    }
}

/// Renders the judgement of one attack. If the attack itself was shown before, a reason that repeats the attacker's is
/// left out.
pub fn judged(
    page: &mut TextPage,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    judged: &AttackJudged,
    is_attack_shown: bool,
) {
    let mut first = judge().gutter();
    let mut rest = first.clone();
    rest.push(blanks(NAME));
    first.extend(padded(vec![trusted(Tone::Quiet, judged.attack.to_string())], NAME));
    let attack = read_model.arguments.attacks.get(&judged.attack);
    let label = attack.map_or_else(SpanLine::new, |attack| {
        let owner = speakers.maybe(read_model.arguments.speaker(attack.raised.target));
        vec![
            speakers.get(&attack.raised.speaker).owns(attack.raised.source),
            trusted(Tone::Quiet, format!(" {} ", labels::attacks(attack.kind()))),
            owner.owns(attack.raised.target),
            trusted(Tone::Quiet, if attack.is_mutual() { " (mutual)" } else { "" }),
        ]
    });
    first.extend(padded(label, ATTACK));
    let is_annotated = read_model.summary.provider == OFFLINE && judged.valid;
    let validity = if judged.valid { trusted(Tone::Good, "✓ valid") } else { trusted(Tone::Bad, "✗ not valid") };
    if is_annotated {
        first.push(trusted(Tone::Quiet, "as annotated"));
    } else if judged.valid {
        first.extend(padded(vec![validity], FOUND));
        first.extend(labels::bar(judged.strength));
        first.push(trusted(Tone::Quiet, format!(" {:.2}", judged.strength)));
    } else {
        first.push(validity);
    }
    page.row(&first, &rest, &[]);
    let is_repeated =
        is_attack_shown && attack.is_some_and(|attack| says_the_same(&attack.raised.rationale, &judged.reason));
    let mut reason = if is_repeated { SpanLine::new() } else { shortened(Tone::Quiet, &judged.reason, MAX_REASON) };
    if judged.kind.is_some() || judged.component.is_some() {
        let hit = attack.map_or_else(String::new, |attack| {
            format!("{} {}", labels::attacks(attack.kind()), labels::part(attack.component()))
        });
        reason.push(trusted(Tone::Quiet, format!(" (interpreted as: {hit})")));
    }
    if !reason.is_empty() {
        page.row(&rest, &rest, &reason);
    }
}

/// Returns true if arguments are undecided that were not before: opposite answers to the topic conflict without an attack.
pub fn has_new_conflict(read_model: &DebateReadModel, before: &BTreeMap<ArgumentId, Label>) -> bool {
    let is_new = |(id, label): (&ArgumentId, &Label)| *label == Label::Undec && before.get(id) != Some(label);
    read_model.arguments.labels().iter().any(is_new)
}

/// Renders the changes between two labellings: existing arguments first, then new ones. Returns whether there were any.
pub fn changes(
    page: &mut TextPage,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    before: &BTreeMap<ArgumentId, Label>,
) -> bool {
    let now = read_model.arguments.labels();
    let changed = |id: &ArgumentId| now.get(id) != before.get(id);
    let old: Vec<ArgumentId> = before.keys().copied().filter(changed).collect();
    let new: Vec<ArgumentId> = now.keys().copied().filter(|id| !before.contains_key(id)).collect();
    let n_changes = old.len() + new.len();
    if n_changes == 0 {
        return false;
    }
    page.blank();
    page.text(&[trusted(Tone::Strong, "Labels that are new or changed")]);
    for id in old.into_iter().chain(new).take(MAX_CHANGES) {
        let change = match before.get(&id) {
            Some(label) => vec![labels::label(*label), trusted(Tone::Quiet, " → ")],
            None => vec![trusted(Tone::Quiet, "new → ")],
        };
        let after = now.get(&id).map_or_else(|| trusted(Tone::Quiet, "gone"), |status| labels::label(*status));
        let owner = speakers.maybe(read_model.arguments.speaker(id));
        let mut line = padded(vec![owner.owns(id)], NAME);
        line.extend(padded(change.into_iter().chain([after]).collect(), CHANGE));
        let claim = read_model.arguments.arguments.get(&id).map_or("", |argument| argument.advanced.claim.as_str());
        let claim = page.fit(claim, page.room().saturating_sub(NAME + CHANGE));
        page.row(&line, &[], &[trusted(Tone::Plain, claim)]);
    }
    if n_changes > MAX_CHANGES {
        page.text(&[trusted(Tone::Quiet, format!("and {} more", n_changes - MAX_CHANGES))]);
    }
    true
}

/// Renders the conflicts of theses of which one was advanced since the labels were last shown.
pub fn opposed(
    page: &mut TextPage,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    before: &BTreeMap<ArgumentId, Label>,
) {
    let owned = |id: ArgumentId| speakers.maybe(read_model.arguments.speaker(id)).owns(id);
    for (one, other) in read_model.arguments.opposed_theses() {
        if !(before.contains_key(&one) && before.contains_key(&other)) {
            let conflict =
                trusted(Tone::Quiet, " conflict: opposite answers to the topic count as attacks on each other");
            page.text(&[owned(one), trusted(Tone::Quiet, " and "), owned(other), conflict]);
        }
    }
}

/// Explains the labels.
pub fn legend(page: &mut TextPage) {
    let legend = "IN: accepted, every attacker is OUT. OUT: rejected, some attacker is IN. UNDEC: undecided.";
    page.blank();
    page.text(&[trusted(Tone::Quiet, legend)]);
}
