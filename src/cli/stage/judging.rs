//! Judgements of attacks, and the resulting labels.

use std::collections::BTreeMap;

use crate::argumentation::labelling::Label;
use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, blanks, own, padded, shortened};
use crate::cli::stage::speakers::{Speakers, judge};
use crate::cli::stage::style::Tone;
use crate::cli::stage::words;
use crate::events::argument::AttackJudged;
use crate::events::ids::ArgumentId;
use crate::verdicts::board::Board;

/// Maximum number of characters of a judge's reason.
const REASON: usize = 400;
/// Width of the column of names such as `k12`.
const NAME: usize = 4;
/// Width of the column of attacks, such as `a4 undermines a3`.
const ATTACK: usize = 20;
/// Width of the column of findings.
const FOUND: usize = 13;
/// Width of the column of label changes.
const CHANGE: usize = 17;
/// Maximum number of label changes listed.
const CHANGES: usize = 24;

/// Renders the judgement of one attack.
pub fn judged(page: &mut Page, speakers: &Speakers, board: &Board, judged: &AttackJudged) {
    let mut first = judge().gutter();
    let mut rest = first.clone();
    rest.push(blanks(NAME));
    first.extend(padded(vec![own(Tone::Quiet, judged.attack.to_string())], NAME));
    let attack = board.arguments.attacks.get(&judged.attack);
    let told = attack.map_or_else(Line::new, |it| {
        let owner = speakers.maybe(board.arguments.speaker(it.raised.target));
        vec![
            speakers.get(&it.raised.speaker).owns(it.raised.source),
            own(Tone::Quiet, format!(" {} ", words::attacks(it.kind()))),
            owner.owns(it.raised.target),
        ]
    });
    first.extend(padded(told, ATTACK));
    let found = if judged.valid { own(Tone::Good, "✓ valid") } else { own(Tone::Bad, "✗ not valid") };
    if judged.valid {
        first.extend(padded(vec![found], FOUND));
        first.extend(words::bar(judged.strength));
        first.push(own(Tone::Quiet, format!(" {:.2}", judged.strength)));
    } else {
        first.push(found);
    }
    page.row(&first, &rest, &[]);
    let mut reason = shortened(Tone::Quiet, &judged.reason, REASON);
    if judged.kind.is_some() || judged.component.is_some() {
        let hit = attack
            .map_or_else(String::new, |it| format!("{} {}", words::attacks(it.kind()), words::part(it.component())));
        reason.push(own(Tone::Quiet, format!(" (interpreted as: {hit})")));
    }
    page.row(&rest, &rest, &reason);
}

/// Renders the changes between two labellings: existing arguments first, then new ones. Returns whether there were any.
pub fn changes(page: &mut Page, speakers: &Speakers, board: &Board, before: &BTreeMap<ArgumentId, Label>) -> bool {
    let now = board.arguments.labels();
    let changed = |id: &ArgumentId| now.get(id) != before.get(id);
    let old: Vec<ArgumentId> = before.keys().copied().filter(changed).collect();
    let new: Vec<ArgumentId> = now.keys().copied().filter(|it| !before.contains_key(it)).collect();
    let n_changes = old.len() + new.len();
    if n_changes == 0 {
        return false;
    }
    page.blank();
    page.text(&[own(Tone::Strong, "Current labels")]);
    for id in old.into_iter().chain(new).take(CHANGES) {
        let change = match before.get(&id) {
            Some(label) => vec![words::label(*label), own(Tone::Quiet, " → ")],
            None => vec![own(Tone::Quiet, "new → ")],
        };
        let after = now.get(&id).map_or_else(|| own(Tone::Quiet, "gone"), |it| words::label(*it));
        let owner = speakers.maybe(board.arguments.speaker(id));
        let mut line = padded(vec![owner.owns(id)], NAME);
        line.extend(padded(change.into_iter().chain([after]).collect(), CHANGE));
        let claim = board.arguments.arguments.get(&id).map_or("", |it| it.advanced.claim.as_str());
        let claim = page.fit(claim, page.room().saturating_sub(NAME + CHANGE));
        page.row(&line, &[], &[own(Tone::Plain, claim)]);
    }
    if n_changes > CHANGES {
        page.text(&[own(Tone::Quiet, format!("and {} more", n_changes - CHANGES))]);
    }
    true
}

/// Explains the labels.
pub fn legend(page: &mut Page) {
    let legend = "IN: accepted, every attacker is OUT. OUT: rejected, some attacker is IN. UNDEC: undecided.";
    page.blank();
    page.text(&[own(Tone::Quiet, legend)]);
}
