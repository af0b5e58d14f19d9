//! What a clerk drew from the talk, in a block of its own: short, and without what has just been said word for word.

use crate::cli::stage::page::Page;
use crate::cli::stage::sources::Sources;
use crate::cli::stage::span::{Line, columns, own, shortened};
use crate::cli::stage::speakers::{Speaker, Speakers, clerk};
use crate::cli::stage::speech::{self, quoted, repeats};
use crate::cli::stage::style::Tone;
use crate::cli::stage::talk::gives_ground;
use crate::cli::stage::words;
use crate::events::argument::{ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn};
use crate::events::dispute::{DisputeLinked, DisputeRaised, Polarity, ReasonGiven, Side, StanceTaken};
use crate::events::distil::{ClaimsCompared, Finding, TurnsCrystallized};
use crate::events::event::Event;
use crate::events::ids::{Point, TurnId};
use crate::events::turn::ConcessionEffect;
use crate::verdicts::board::Board;

/// The most letters of a statement.
const STATEMENT: usize = 600;
/// The most letters of a reason why.
const REASON: usize = 300;
/// The most comparisons of one clerk's answer that are told one by one.
const COMPARED: usize = 6;
/// Columns of a name such as `a3`.
const NAME: usize = 4;

/// Whether a clerk may have drawn this from the talk.
pub fn is_drawn(event: &Event) -> bool {
    matches!(
        event,
        Event::ArgumentAdvanced(_)
            | Event::ArgumentRevised(_)
            | Event::ArgumentWithdrawn(_)
            | Event::AttackRaised(_)
            | Event::AttackJudged(_)
            | Event::AttackWithdrawn(_)
            | Event::ConcessionMade(_)
            | Event::DisputeRaised(_)
            | Event::DisputeLinked(_)
            | Event::DisputeRetired(_)
            | Event::StanceTaken(_)
            | Event::ReasonGiven(_)
            | Event::ReasonWithdrawn(_)
    )
}

/// What the clerk does with these turns.
pub fn distils(crystallized: &TurnsCrystallized) -> String {
    match crystallized.turns.as_slice() {
        [] => "takes notes".to_owned(),
        [turn] => format!("takes notes of {turn}"),
        [one, other] => format!("takes notes of {one} and {other}"),
        [first, .., last] => format!("takes notes of {first} to {last}"),
    }
}

/// What the clerk does with these claims.
pub fn compares(compared: &ClaimsCompared) -> String {
    let n_pairs = compared.pairs.len();
    let of_claims = if n_pairs == 1 { "two claims".to_owned() } else { format!("{n_pairs} pairs of claims") };
    match compared.pairs.iter().all(|it| it.finding == Finding::Compatible) {
        true => format!("compares {of_claims}: both can hold"),
        false => format!("compares {of_claims}"),
    }
}

/// One thing that was drawn. `before` is the side that was taken before, where it is a stance.
pub fn drawn(
    page: &mut Page,
    by: &Speakers,
    sources: &mut Sources,
    board: &Board,
    event: &Event,
    before: Option<Side>,
) {
    match event {
        Event::ArgumentAdvanced(it) => argument(page, by, sources, board, it),
        Event::ArgumentRevised(it) => revised(page, by, board, it),
        Event::ArgumentWithdrawn(it) => withdrawn(page, by, board, it),
        Event::AttackWithdrawn(it) => entry(page, it.attack, no_longer("no longer tells against it: ", &it.reason)),
        // What else comes of a concession is told next, and tells the concession.
        Event::ConcessionMade(it) if it.effect == ConcessionEffect::Said => {
            let mut line = by.get(&it.speaker).badge();
            line.push(own(Tone::Quiet, " "));
            line.extend(gives_ground(it));
            entry(page, it.turn, line);
        }
        Event::DisputeRaised(it) => entry(page, it.dispute, asked(it)),
        Event::DisputeLinked(it) => entry(page, it.dispute, asked_again(it)),
        Event::DisputeRetired(it) => entry(page, it.dispute, no_longer("is asked no longer: ", &it.reason)),
        Event::StanceTaken(it) => stance(page, by, board, it, before),
        Event::ReasonGiven(it) => reason(page, by, sources, board, it),
        Event::ReasonWithdrawn(it) => {
            let owner = board.disputes.reason(it.reason).map(|(_, it)| &it.given.speaker);
            let line = no_longer(&format!(" gives it up in {}: ", it.turn), &it.why);
            entry(page, it.reason, named(&by.maybe(owner), line));
        }
        _ => {}
    }
}

/// What was found where claims were held against each other. A conflict of arguments is told as the attack that comes of
/// it.
pub fn compared(page: &mut Page, compared: &ClaimsCompared) {
    let is_told = |point: Point, finding| match finding {
        Finding::Conflict => !matches!(point, Point::Argument(_)),
        Finding::Agreement => true,
        Finding::Compatible => false,
    };
    let told: Vec<_> = compared.pairs.iter().filter(|it| is_told(it.one, it.finding)).collect();
    for pair in told.iter().take(COMPARED) {
        let found = match pair.finding {
            Finding::Conflict => "cannot both hold",
            Finding::Agreement => "say the same",
            Finding::Compatible => "can both hold",
        };
        let line = no_longer(&format!("and {} {found}: ", pair.other), &pair.reason);
        entry(page, pair.one, line);
    }
    if told.len() > COMPARED {
        let more = format!("and {} more", told.len() - COMPARED);
        page.row(&clerk().gutter(), &clerk().gutter(), &[own(Tone::Quiet, more)]);
    }
    let compatible = compared.pairs.iter().filter(|it| it.finding == Finding::Compatible).count();
    if (1..compared.pairs.len()).contains(&compatible) {
        let both = format!("{}: both can hold", words::count(words::number(compatible), "pair"));
        page.row(&clerk().gutter(), &clerk().gutter(), &[own(Tone::Quiet, both)]);
    }
}

fn entry(page: &mut Page, name: impl ToString, line: Line) {
    page.hang(&clerk().gutter(), &[own(Tone::Quiet, name.to_string())], NAME, &line);
}

fn no_longer(what: &str, why: &str) -> Line {
    let mut line = vec![own(Tone::Quiet, what)];
    line.extend(shortened(Tone::Quiet, why, REASON));
    line
}

/// A line behind the mark of whose it is.
fn marked(owner: &Speaker, line: Line) -> Line {
    let mut whole = vec![own(owner.tone, format!("{}\u{a0}", owner.mark))];
    whole.extend(line);
    whole
}

/// A line behind mark and name of whose it is.
fn named(owner: &Speaker, line: Line) -> Line {
    let mut whole = owner.badge();
    whole.extend(line);
    whole
}

/// Whether a text is part of a turn, word for word.
fn was_said(board: &Board, turn: TurnId, text: &str) -> bool {
    board.transcript.get(turn).is_some_and(|it| repeats(&it.text, text))
}

/// A claim behind its name; in one line where it has just been said.
fn claim(page: &mut Page, name: impl ToString, before: Line, text: &str, said: bool, after: &str) {
    let mut line = before;
    let taken = NAME + 4 + after.len() + columns(&line);
    match said {
        true => line.push(own(Tone::Plain, page.fit(text, page.room().saturating_sub(taken)))),
        false => line.extend(shortened(Tone::Plain, text, STATEMENT)),
    }
    line.push(own(Tone::Quiet, after));
    entry(page, name, line);
}

fn argument(page: &mut Page, by: &Speakers, sources: &mut Sources, board: &Board, advanced: &ArgumentAdvanced) {
    let owner = by.get(&advanced.speaker);
    let said = |text: &str| was_said(board, advanced.turn, text);
    let thesis = if advanced.answers_topic { " (thesis)" } else { "" };
    let mark = marked(&owner, Line::new());
    claim(page, advanced.argument, mark, &advanced.claim, said(&advanced.claim), thesis);
    let unsaid = |texts: &[String]| -> Vec<Line> {
        texts.iter().filter(|it| !said(it)).map(|it| shortened(Tone::Quiet, it, STATEMENT)).collect()
    };
    let gutter = clerk().gutter();
    speech::grounds(page, &gutter, "because", unsaid(&advanced.premises).into_iter());
    speech::grounds(page, &gutter, "assuming", unsaid(&advanced.assumptions).into_iter());
    speech::grounds(page, &gutter, "evidence", speech::evidence(sources, &advanced.evidence).into_iter());
}

fn revised(page: &mut Page, by: &Speakers, board: &Board, revised: &ArgumentRevised) {
    let owner = by.maybe(board.arguments.speaker(revised.argument));
    let mut line = vec![own(Tone::Quiet, format!(" narrows it in {}", revised.turn))];
    if let Some(claim) = &revised.claim {
        line.push(own(Tone::Quiet, ": "));
        line.extend(shortened(Tone::Plain, claim, STATEMENT));
    }
    entry(page, revised.argument, named(&owner, line));
    let conditions = revised.assumptions.iter().map(|it| shortened(Tone::Quiet, it, STATEMENT));
    speech::grounds(page, &clerk().gutter(), "provided", conditions);
}

fn withdrawn(page: &mut Page, by: &Speakers, board: &Board, withdrawn: &ArgumentWithdrawn) {
    let owner = by.maybe(board.arguments.speaker(withdrawn.argument));
    let what = match withdrawn.superseded_by {
        Some(other) => format!(" puts {other} in its place in {}: ", withdrawn.turn),
        None => format!(" gives it up in {}: ", withdrawn.turn),
    };
    entry(page, withdrawn.argument, named(&owner, no_longer(&what, &withdrawn.reason)));
}

fn asked(raised: &DisputeRaised) -> Line {
    let mut line = vec![own(Tone::Quiet, "is asked: ")];
    line.extend(shortened(Tone::Plain, &raised.question, STATEMENT));
    if let Some(horizon) = &raised.horizon {
        line.push(own(Tone::Quiet, " ("));
        line.extend(shortened(Tone::Quiet, horizon, REASON));
        line.push(own(Tone::Quiet, ")"));
    }
    line
}

/// The same question in other words.
pub fn asked_again(linked: &DisputeLinked) -> Line {
    let how = if linked.negates { "is asked the other way round: " } else { "is asked again: " };
    no_longer(how, &linked.question)
}

fn stance(page: &mut Page, by: &Speakers, board: &Board, taken: &StanceTaken, before: Option<Side>) {
    let owner = by.get(&taken.speaker);
    let mut line = marked(&owner, vec![own(Tone::Quiet, format!("in {}: ", taken.turn))]);
    line.extend(words::sides(before, taken.side));
    let statement = taken.statement.as_ref().filter(|it| !was_said(board, taken.turn, it));
    if let Some(statement) = statement {
        line.push(own(Tone::Plain, "\u{a0} "));
        line.extend(quoted(Tone::Quiet, statement));
    }
    entry(page, taken.dispute, line);
}

fn reason(page: &mut Page, by: &Speakers, sources: &mut Sources, board: &Board, given: &ReasonGiven) {
    let does = if given.polarity == Polarity::Supports { "for " } else { "against " };
    let stance =
        vec![own(Tone::Quiet, does), words::side(given.side), own(Tone::Quiet, format!(" on {}: ", given.dispute))];
    let against: Vec<String> = given.attacks.iter().map(ToString::to_string).collect();
    let against = if against.is_empty() { String::new() } else { format!(" (against {})", words::listed(&against)) };
    let said = |text: &str| was_said(board, given.turn, text);
    let begun = marked(&by.get(&given.speaker), stance);
    claim(page, given.reason, begun, &given.claim, said(&given.claim), &against);
    let assumptions = given.assumptions.iter().filter(|it| !said(it));
    let assumptions: Vec<Line> = assumptions.map(|it| shortened(Tone::Quiet, it, STATEMENT)).collect();
    let gutter = clerk().gutter();
    speech::grounds(page, &gutter, "assuming", assumptions.into_iter());
    speech::grounds(page, &gutter, "evidence", speech::evidence(sources, &given.evidence).into_iter());
}
