//! Sections for camps, labels, outcome and cost.

use crate::argumentation::labelling::Label;
use crate::cli::stage::cited::cited;
use crate::cli::stage::notices::ended;
use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, columns, own, shortened, told};
use crate::cli::stage::speech::quoted;
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::{Telling, fact, title};
use crate::cli::stage::words;
use crate::projections::summary::Status;
use crate::verdicts::camps::{Camp, MAX_TIES};

/// Maximum number of camps on a card.
const CAMPS: usize = 4;
/// Maximum number of camps in a report; there can be hundreds, each as long as the debate.
const CAMPS_IN_FULL: usize = 24;
/// Maximum number of arguments per camp on a card.
const MEMBERS: usize = 12;
/// Maximum number of theses quoted per camp.
const THESES: usize = 2;
/// Maximum number of characters of a reason.
const REASON: usize = 400;

/// Renders the camps: their members and arguments.
pub fn camps(page: &mut Page, telling: &Telling) {
    let camps = &telling.verdict.camps;
    if camps.is_empty() {
        return;
    }
    title(page, "Camps", "sets of compatible arguments, and who holds them");
    let most = if telling.in_full { CAMPS_IN_FULL } else { CAMPS };
    let told: Vec<(&Camp, Line)> = camps.iter().take(most).map(|it| (it, members(telling, it))).collect();
    let widest = told.iter().map(|(_, members)| columns(members)).max().unwrap_or(0);
    for (camp, members) in told {
        let mut body = telling.arguments(&camp.arguments, MEMBERS);
        for thesis in theses(telling, camp) {
            body.push(own(Tone::Plain, "\n"));
            body.extend(quoted(Tone::Quiet, thesis));
        }
        if widest <= page.room() / 3 {
            page.hang(&[], &members, widest + 2, &body);
        } else {
            page.text(&members);
            page.hang(&[], &[], 3, &body);
        }
    }
    if camps.len() > most {
        telling.more(page, 0, camps.len() - most);
    }
    if !telling.verdict.camps_exact && telling.verdict.regime.exact {
        let told = format!(
            "The list is incomplete: a participant is tied among more than {MAX_TIES} camps. Nothing else is affected."
        );
        page.text(&[own(Tone::Quiet, told)]);
    }
}

fn members(telling: &Telling, camp: &Camp) -> Line {
    let mut line = Line::new();
    let tied = camp.tied.iter().map(|it| (it, " (tied)"));
    let mut those: Vec<_> = camp.personas.iter().map(|it| (it, "")).chain(tied).collect();
    those.sort_by_key(|(persona, _)| telling.speakers.place(persona));
    for (persona, note) in those {
        if !line.is_empty() {
            line.push(own(Tone::Quiet, ", "));
        }
        line.extend(telling.speakers.get(persona).badge());
        line.push(own(Tone::Quiet, note));
    }
    line
}

/// Returns the theses that members of the camp advanced.
fn theses<'a>(telling: &'a Telling, camp: &Camp) -> Vec<&'a str> {
    let arguments = camp.arguments.iter().filter_map(|it| telling.board.arguments.arguments.get(it));
    let of_members = arguments.filter(|it| camp.personas.contains(&it.advanced.speaker));
    let theses = of_members.filter(|it| it.advanced.answers_topic).map(|it| it.advanced.claim.as_str());
    theses.take(THESES).collect()
}

/// Renders the number of arguments per label, and whether arguments are accepted only because nobody answered them.
pub fn labels(page: &mut Page, telling: &Telling) {
    let labels = &telling.verdict.labels;
    let n_all = telling.board.arguments.arguments.len();
    if n_all == 0 {
        return;
    }
    let mut line = Line::new();
    for label in [Label::In, Label::Out, Label::Undec] {
        let n = labels.values().filter(|it| **it == label).count();
        if !line.is_empty() {
            line.push(own(Tone::Quiet, " · "));
        }
        line.extend([own(Tone::Plain, format!("{n}\u{a0}")), words::label(label)]);
    }
    if n_all > labels.len() {
        line.push(own(Tone::Quiet, format!(" · {} not counted", n_all - labels.len())));
    }
    fact(page, "Arguments", &line);
    let last_word = telling.verdict.last_word;
    if last_word.is_all() {
        let warning = "Every disputed argument that is accepted had the last word: nobody answered it.";
        fact(page, "Last word", &[own(Tone::Open, "⚠ "), own(Tone::Plain, warning)]);
    } else if telling.in_full && last_word.standing > 0 {
        let told = format!("{} of {} accepted arguments are unanswered", last_word.unanswered, last_word.standing);
        fact(page, "Last word", &[own(Tone::Quiet, told)]);
    }
}

/// Renders the outcome of the debate, or its current state.
pub fn ending(page: &mut Page, telling: &Telling) {
    let summary = &telling.board.summary;
    if let Some(outcome) = &summary.outcome {
        let (tone, word) = ended(outcome);
        let mut line = vec![own(tone, word), own(Tone::Plain, " ")];
        line.extend(shortened(Tone::Plain, &words::sentence(outcome.reason()), REASON));
        fact(page, "Ended", &line);
    } else if let Some(reason) = &summary.aborted {
        let mut line = vec![own(Tone::Open, "Cancelled. ")];
        line.extend(shortened(Tone::Plain, &words::sentence(reason), REASON));
        fact(page, "Ended", &line);
    } else {
        let word = if summary.status == Status::Paused { "Paused" } else { "Running" };
        let mut line = vec![own(Tone::Open, word)];
        if let Some(phase) = &summary.phase {
            line.extend([own(Tone::Quiet, " · "), told(Tone::Quiet, phase)]);
        }
        if let Some(round) = summary.round {
            line.push(own(Tone::Quiet, format!(", round {round}")));
        }
        fact(page, "State", &line);
    }
}

/// Renders turns, calls, tokens, cost and duration.
pub fn cost(page: &mut Page, telling: &Telling) {
    let summary = &telling.board.summary;
    let spent = summary.usage.total;
    let mut calls = words::count(spent.calls.into(), "call");
    if spent.failed > 0 {
        calls.push_str(&format!(" ({}\u{a0}failed)", spent.failed));
    }
    let mut facts = vec![words::count(summary.n_turns.into(), "turn"), calls];
    facts.push(words::count(spent.input_tokens + spent.output_tokens, "token"));
    facts.push(words::money(spent.cost_micros));
    if let (Some(opened), Some(last)) = (summary.opened_at, summary.ended_at.or(summary.updated_at)) {
        facts.push(words::lasting(last - opened));
    }
    fact(page, "Took", &[own(Tone::Quiet, facts.join(" · "))]);
    cited(page, telling);
}
