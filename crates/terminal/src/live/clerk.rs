//! Output of the clerk: arguments, stances and reasons extracted from turns, without repeating text just shown.

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::live::speech;
use crate::live::speech::{ground, quoted};
use crate::live::talk::gives_ground;
use crate::speakers::{SpeakerStyle, Speakers, clerk};
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, columns, shortened, trusted};
use crate::text::style::Tone;
use faultline_core::events::argument::{ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn};
use faultline_core::events::dispute::{
    DisputeLinked, DisputeRaised, DisputeRevised, Polarity, ReasonGiven, Side, StanceTaken,
};
use faultline_core::events::distillation::{ClaimsCompared, ComparisonFinding, TurnsCrystallized};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{PersonaId, PointId, TurnId};
use faultline_core::events::turn::ConcessionEffect;
use faultline_core::export::report::reasons::answers_own_side;
use faultline_core::export::report::unsaid::unsaid_in_turn;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Maximum number of characters of a statement.
const MAX_STATEMENT: usize = 600;
/// Maximum number of characters of a reason.
const MAX_REASON: usize = 300;
/// Maximum number of comparisons listed per answer of the clerk.
const MAX_COMPARED: usize = 6;
/// Width of the column of names such as `a3`.
const NAME: usize = 4;

/// Returns whether an event can result from the clerk's extraction.
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
            | Event::DisputeRevised(_)
            | Event::StanceTaken(_)
            | Event::ReasonGiven(_)
            | Event::ReasonWithdrawn(_)
    )
}

/// Returns whether the last measurement of progress differs from the one before.
pub fn has_progress_changed(read_model: &DebateReadModel) -> bool {
    let [.., before, now] = read_model.progress.signals.as_slice() else { return true };
    let (before, now) = (&before.measured, &now.measured);
    (before.live, before.examined, before.pairs, &before.frontier) != (now.live, now.examined, now.pairs, &now.frontier)
}

/// Returns the side that a stance replaces; `None` for other events, and for a first stance.
pub fn stance_before(read_model: &DebateReadModel, event: &Event) -> Option<Side> {
    let Event::StanceTaken(taken) = event else { return None };
    let stances = &read_model.disputes.disputes.get(&taken.dispute)?.stances;
    stances.get(&taken.speaker).map(|stance| stance.side)
}

/// Returns the heading of the extraction from these turns.
pub fn extraction_heading(crystallized: &TurnsCrystallized) -> String {
    match runs(&crystallized.turns).as_slice() {
        [] => "takes notes".to_owned(),
        runs => format!("takes notes on {}", labels::listed(runs)),
    }
}

/// Names turns: `t1 to t3`, `t5` and `t7`. Only turns that follow one another are drawn together.
fn runs(turns: &[TurnId]) -> Vec<String> {
    let runs = turns.chunk_by(|one, next| one.0 + 1 == next.0);
    let told = runs.flat_map(|run| match run {
        [first, .., last] if run.len() > 2 => vec![format!("{first} to {last}")],
        run => run.iter().map(ToString::to_string).collect(),
    });
    told.collect()
}

/// Returns the heading of the comparison of these claims.
pub fn comparison_heading(compared: &ClaimsCompared) -> String {
    let n_pairs = compared.pairs.len();
    let of_claims = match compared.pairs.as_slice() {
        [] => return "is asked about pairs of claims that have no finding yet, and gives none".to_owned(),
        [pair] => format!("{} and {}", pair.one, pair.other),
        _ => format!("{n_pairs} pairs of claims"),
    };
    match compared.pairs.iter().all(|pair| pair.finding == ComparisonFinding::Compatible) {
        true => format!("compares {of_claims}: compatible"),
        false => format!("compares {of_claims}"),
    }
}

/// Renders one extracted item. `before` is the speaker's previous side, if the item is a stance.
pub fn drawn(
    page: &mut TextPage,
    by: &Speakers,
    sources: &mut CitationNumbers,
    read_model: &DebateReadModel,
    event: &Event,
    before: Option<Side>,
) {
    match event {
        Event::ArgumentAdvanced(it) => argument(page, by, sources, read_model, it),
        Event::ArgumentRevised(it) => revised(page, by, read_model, it),
        Event::ArgumentWithdrawn(it) => withdrawn(page, by, read_model, it),
        Event::AttackWithdrawn(it) => {
            let attack = read_model.arguments.attacks.get(&it.attack);
            let is_own = attack.map(|attack| &attack.raised.speaker) == read_model.transcript.speaker(it.turn);
            // Another than the attacker may have narrowed what was attacked.
            let what = if is_own {
                "attack withdrawn: ".to_owned()
            } else {
                format!("attack no longer holds, after {}: ", it.turn)
            };
            entry(page, it.attack, no_longer(&what, &it.reason));
        }
        // Other effects of a concession are shown by the next event, together with the concession.
        Event::ConcessionMade(it) if it.effect == ConcessionEffect::Said => {
            let mut line = by.get(&it.speaker).badge();
            line.push(trusted(Tone::Quiet, " "));
            line.extend(gives_ground(it));
            entry(page, it.turn, line);
        }
        Event::DisputeRaised(it) => entry(page, it.dispute, new_question(it)),
        Event::DisputeLinked(it) => entry(page, it.dispute, asked_again(it)),
        Event::DisputeRetired(it) => entry(page, it.dispute, no_longer("question retired: ", &it.reason)),
        Event::DisputeRevised(it) => entry(page, it.dispute, revised_question(it)),
        Event::StanceTaken(it) => stance(page, by, it, before),
        Event::ReasonGiven(it) => reason(page, by, sources, read_model, it),
        Event::ReasonWithdrawn(it) => {
            let owner = read_model.disputes.reason(it.reason).map(|(_, reason)| &reason.given.speaker);
            let line = no_longer(&format!(" withdraws it in {}: ", it.turn), &it.why);
            entry(page, it.reason, named(&by.maybe(owner), line));
        }
        _ => {}
    }
}

/// Renders the results of comparing claims. Conflicts between arguments are shown as the attacks that follow from them.
pub fn compared(page: &mut TextPage, compared: &ClaimsCompared) {
    let is_reported = |point: PointId, finding| match finding {
        ComparisonFinding::Conflict => !matches!(point, PointId::Argument(_)),
        ComparisonFinding::Agreement => true,
        ComparisonFinding::Compatible => false,
    };
    let reported: Vec<_> = compared.pairs.iter().filter(|pair| is_reported(pair.one, pair.finding)).collect();
    for pair in reported.iter().take(MAX_COMPARED) {
        let relation = match pair.finding {
            ComparisonFinding::Conflict => "contradict each other",
            ComparisonFinding::Agreement => "are equivalent",
            ComparisonFinding::Compatible => "are compatible",
        };
        let line = no_longer(&format!("and {} {relation}: ", pair.other), &pair.reason);
        entry(page, pair.one, line);
    }
    if reported.len() > MAX_COMPARED {
        let more = format!("and {} more", reported.len() - MAX_COMPARED);
        page.row(&clerk().gutter(), &clerk().gutter(), &[trusted(Tone::Quiet, more)]);
    }
    let compatible = compared.pairs.iter().filter(|pair| pair.finding == ComparisonFinding::Compatible).count();
    if (1..compared.pairs.len()).contains(&compatible) {
        let both = format!("{} compatible", labels::count(labels::number(compatible), "pair"));
        page.row(&clerk().gutter(), &clerk().gutter(), &[trusted(Tone::Quiet, both)]);
    }
}

fn entry(page: &mut TextPage, name: impl ToString, line: SpanLine) {
    page.hang(&clerk().gutter(), &[trusted(Tone::Quiet, name.to_string())], NAME, &line);
}

fn no_longer(what: &str, why: &str) -> SpanLine {
    let mut line = vec![trusted(Tone::Quiet, what)];
    line.extend(shortened(Tone::Quiet, why, MAX_REASON));
    line
}

/// Prefixes a line with its owner's mark.
fn marked(owner: &SpeakerStyle, line: SpanLine) -> SpanLine {
    let mut whole = vec![trusted(owner.tone, format!("{}\u{a0}", owner.mark))];
    whole.extend(line);
    whole
}

/// Prefixes a line with its owner's mark and name.
fn named(owner: &SpeakerStyle, line: SpanLine) -> SpanLine {
    let mut whole = owner.badge();
    whole.extend(line);
    whole
}

/// Formats the statements that a turn does not contain; the others were just shown as its text.
fn unsaid(read_model: &DebateReadModel, (turn, speaker): (TurnId, &PersonaId), texts: &[String]) -> Vec<SpanLine> {
    let remark = |text: &String| unsaid_in_turn(&read_model.transcript, turn, speaker, text);
    texts.iter().filter_map(|text| Some(ground(text, Some(remark(text)?)))).collect()
}

/// Returns whether a turn contains a text.
fn was_said(read_model: &DebateReadModel, turn: TurnId, text: &str) -> bool {
    read_model.transcript.quote(turn, text).is_some()
}

/// Renders a claim after its name, shortened to one line if it was said, as the text just shown, and marked if not.
fn claim(page: &mut TextPage, name: impl ToString, before: SpanLine, text: &str, said: bool, after: &str) {
    let mut line = before;
    let taken = NAME + 4 + after.len() + columns(&line);
    match said {
        true => line.push(trusted(Tone::Plain, page.fit(text, page.room().saturating_sub(taken)))),
        false => line.extend(shortened(Tone::Plain, text, MAX_STATEMENT)),
    }
    line.push(trusted(Tone::Quiet, after));
    if !said {
        line.push(trusted(Tone::Quiet, " (not said aloud)"));
    }
    entry(page, name, line);
}

fn argument(
    page: &mut TextPage,
    by: &Speakers,
    sources: &mut CitationNumbers,
    read_model: &DebateReadModel,
    advanced: &ArgumentAdvanced,
) {
    let owner = by.get(&advanced.speaker);
    let said = |text: &str| was_said(read_model, advanced.turn, text);
    let thesis = if advanced.answers_topic { " (thesis)" } else { "" };
    let mark = marked(&owner, SpanLine::new());
    claim(page, advanced.argument, mark, &advanced.claim, said(&advanced.claim), thesis);
    let unsaid = |texts: &[String]| unsaid(read_model, (advanced.turn, &advanced.speaker), texts).into_iter();
    let gutter = clerk().gutter();
    speech::grounds(page, &gutter, "because", unsaid(&advanced.premises));
    speech::grounds(page, &gutter, "assuming", unsaid(&advanced.assumptions));
    speech::grounds(page, &gutter, "evidence", speech::evidence(sources, &advanced.evidence).into_iter());
}

fn revised(page: &mut TextPage, by: &Speakers, read_model: &DebateReadModel, revised: &ArgumentRevised) {
    let owner = by.maybe(read_model.arguments.speaker(revised.argument));
    let mut line = vec![trusted(Tone::Quiet, format!(" narrows it in {}", revised.turn))];
    if let Some(claim) = &revised.claim {
        line.push(trusted(Tone::Quiet, ": "));
        line.extend(shortened(Tone::Plain, claim, MAX_STATEMENT));
    }
    entry(page, revised.argument, named(&owner, line));
    let speaker = read_model.arguments.speaker(revised.argument);
    let remark = |text: &str| unsaid_in_turn(&read_model.transcript, revised.turn, speaker?, text);
    let conditions = revised.assumptions.iter().map(|assumption| ground(assumption, remark(assumption)));
    speech::grounds(page, &clerk().gutter(), "provided", conditions);
}

fn withdrawn(page: &mut TextPage, by: &Speakers, read_model: &DebateReadModel, withdrawn: &ArgumentWithdrawn) {
    let owner = by.maybe(read_model.arguments.speaker(withdrawn.argument));
    let what = match withdrawn.superseded_by {
        Some(other) => format!(" replaces it with {other} in {}: ", withdrawn.turn),
        None => format!(" withdraws it in {}: ", withdrawn.turn),
    };
    entry(page, withdrawn.argument, named(&owner, no_longer(&what, &withdrawn.reason)));
}

fn new_question(raised: &DisputeRaised) -> SpanLine {
    let mut line = vec![trusted(Tone::Quiet, "new question: ")];
    line.extend(shortened(Tone::Plain, &raised.question, MAX_STATEMENT));
    if let Some(horizon) = &raised.horizon {
        line.push(trusted(Tone::Quiet, " ("));
        line.extend(shortened(Tone::Quiet, horizon, MAX_REASON));
        line.push(trusted(Tone::Quiet, ")"));
    }
    line
}

/// Renders a rewording of a question.
pub fn asked_again(linked: &DisputeLinked) -> SpanLine {
    let how = if linked.negates { "asked in the negative: " } else { "asked again: " };
    no_longer(how, &linked.question)
}

fn revised_question(revised: &DisputeRevised) -> SpanLine {
    match &revised.question {
        Some(question) => no_longer("now worded: ", question),
        None if revised.criteria.is_empty() => no_longer("horizon revised: ", &revised.reason),
        None => no_longer("would be settled by: ", &revised.criteria.join("; ")),
    }
}

fn stance(page: &mut TextPage, by: &Speakers, taken: &StanceTaken, before: Option<Side>) {
    let owner = by.get(&taken.speaker);
    let mut line = marked(&owner, vec![trusted(Tone::Quiet, format!("in {}: ", taken.turn))]);
    line.extend(labels::sides(before, taken.side));
    if let Some(confidence) = taken.confidence {
        line.push(trusted(Tone::Quiet, format!(" ({})", labels::percent(confidence))));
    }
    if let Some(words) = taken.quote.as_ref().or(taken.statement.as_ref()) {
        line.push(trusted(Tone::Plain, "\u{a0} "));
        line.extend(quoted(Tone::Quiet, words));
    }
    entry(page, taken.dispute, line);
}

fn reason(
    page: &mut TextPage,
    by: &Speakers,
    sources: &mut CitationNumbers,
    read_model: &DebateReadModel,
    given: &ReasonGiven,
) {
    let against: Vec<String> = given.attacks.iter().map(ToString::to_string).collect();
    let against = labels::listed(&against);
    let on = |text: &str| trusted(Tone::Quiet, format!("{text} on {}: ", given.dispute));
    // A reason that answers others says no more than that: it may only defend.
    let dispute = read_model.disputes.disputes.get(&given.dispute);
    let is_own_side = dispute.is_some_and(|dispute| answers_own_side(dispute, given));
    let (stance, against) = match (given.polarity, against.is_empty()) {
        (_, false) if given.polarity == Polarity::Attacks || is_own_side => {
            (vec![on(&format!("against {against}"))], String::new())
        }
        (Polarity::Attacks, _) => {
            (vec![trusted(Tone::Quiet, "against "), labels::side(given.side), on("")], String::new())
        }
        (Polarity::Supports, is_alone) => {
            let attacks = if is_alone { String::new() } else { format!(" (against {against})") };
            (vec![trusted(Tone::Quiet, "for "), labels::side(given.side), on("")], attacks)
        }
    };
    let said = |text: &str| was_said(read_model, given.turn, text);
    let begun = marked(&by.get(&given.speaker), stance);
    claim(page, given.reason, begun, &given.claim, said(&given.claim), &against);
    let assumptions = unsaid(read_model, (given.turn, &given.speaker), &given.assumptions);
    let gutter = clerk().gutter();
    speech::grounds(page, &gutter, "assuming", assumptions.into_iter());
    speech::grounds(page, &gutter, "evidence", speech::evidence(sources, &given.evidence).into_iter());
}
