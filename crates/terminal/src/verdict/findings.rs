//! Sections for the regime and the cruxes of a verdict.

use crate::labels;
use crate::live::speech::quoted;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict::crux_card;
use crate::verdict_context::{VerdictContext, fact, title};
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::ArgumentId;
use faultline_core::export::report::attacks::unjudged;
use faultline_core::export::report::missed_calls::{missed_calls, named, no_side, nothing_new, ranges};
use faultline_core::export::report::report_words::no_cruxes;
use faultline_core::questions::wording::says_the_same;
use faultline_core::verdicts::candidates::Level;
use faultline_core::verdicts::crux::{Crux, CruxOrigin};
use faultline_core::verdicts::crux::{Position, PositionSide};
use faultline_core::verdicts::crux_card::crux_text::decides_nothing;
use faultline_core::verdicts::labels::last_word::unanswered_attacks;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::topic::TopicPosition;

/// Maximum number of unanswered attacks on a card.
const MAX_UNANSWERED: usize = 3;
/// Maximum number of cruxes on a card.
const MAX_CRUXES: usize = 5;
/// Maximum number of arguments listed per crux on a card.
const MAX_DEPENDENTS: usize = 6;
/// Maximum number of calls that were given up, on a card.
const MAX_MISSED: usize = 5;
/// Maximum number of characters of a crux.
const MAX_STATEMENT: usize = 300;
/// Width of the column of sides.
const SIDE: usize = 11;
/// Width of the column of ranks.
const RANK: usize = 3;

/// Renders the regime of the debate: its name, a plain explanation, and the reason for it.
pub fn regime(page: &mut TextPage, telling: &VerdictContext) {
    let regime = &telling.verdict.regime;
    let tone = match regime.kind {
        RegimeKind::Undetermined => Tone::Quiet,
        RegimeKind::Consensus => Tone::Good,
        RegimeKind::Polarized => Tone::Bad,
        RegimeKind::Partial => Tone::Open,
    };
    let plain = regime.in_words(telling.verdict.common_ground.len(), telling.verdict.granted.len());
    let name = labels::capital(regime.kind.name());
    page.text(&[trusted(tone, name), trusted(Tone::Faint, " · "), trusted(Tone::Plain, plain)]);
    page.text(&[untrusted(Tone::Quiet, &labels::sentence(&regime.reason))]);
    let coverage = regime.coverage;
    if let Some(share) = coverage.share() {
        page.blank();
        let mut line = labels::bar(share);
        let (examined, pairs) =
            (labels::number(coverage.examined), labels::count(labels::number(coverage.pairs), "comparable pair"));
        let examined = format!(" {} of {pairs} of claims across speakers", labels::grouped(examined));
        line.push(trusted(Tone::Quiet, examined));
        fact(page, "Examined", &line);
    }
    if coverage.asked > 0 {
        let answers = format!(
            "{} of {}: one from each participant on every current question for which somebody named what would settle \
             it (“undecided” counts)",
            coverage.answered, coverage.asked
        );
        fact(page, "Answers", &[trusted(Tone::Quiet, answers)]);
    }
    missing(page, telling);
    if !regime.exact {
        let warning = match regime.unknown_events {
            0 => {
                "The search for sets of compatible arguments was stopped at its limit: cruxes and camps may be \
                  missing (exact: false)."
            }
            _ => {
                "The log contains events of a newer version that this one does not know: anything may be missing \
                  (exact: false)."
            }
        };
        fact(page, "Not exact", &[trusted(Tone::Open, "⚠ "), trusted(Tone::Plain, warning)]);
    }
}

/// Renders the calls that were given up, and the turns that no clerk read.
fn missing(page: &mut TextPage, telling: &VerdictContext) {
    let read_model = telling.read_model;
    if read_model.transcript.is_written_by_one() {
        fact(
            page,
            "Written",
            &[trusted(Tone::Open, "by one model for all participants; nobody speaks for themselves")],
        );
    }
    let calls: Vec<String> = missed_calls(read_model)
        .filter(|call| !call.has_nothing_new)
        .map(|call| {
            let round = call.round.filter(|round| *round > 0).map(|round| format!(" in round {round}"));
            named(read_model, call) + &round.unwrap_or_default()
        })
        .collect();
    if !calls.is_empty() {
        let mut listed = calls.iter().take(MAX_MISSED).map(String::as_str).collect::<Vec<_>>().join(", ");
        if calls.len() > MAX_MISSED {
            listed.push_str(&format!(" and {} more", calls.len() - MAX_MISSED));
        }
        fact(page, "Given up", &[untrusted(Tone::Open, &format!("{listed}, after failed calls"))]);
    }
    if let Some(turns) = nothing_new(read_model) {
        fact(page, "Passed over", &[untrusted(Tone::Quiet, &format!("{turns}: nothing new to say"))]);
    }
    let unjudged = unjudged(&read_model.arguments);
    if !unjudged.is_empty() {
        let (were, do_not) = if unjudged.len() == 1 { ("was", "does not") } else { ("were", "do not") };
        // The judge of a round that is under way may still reply.
        let so_far = if read_model.summary.status.is_final() { "" } else { " so far" };
        let text = format!("{} {were} not judged{so_far}, and {do_not} count", labels::listed(&unjudged));
        fact(page, "Attacks", &[trusted(Tone::Open, text)]);
    }
    let unread = read_model.missed.unread_turns();
    if !unread.is_empty() && read_model.summary.status.is_final() {
        let turns = ranges(unread);
        let text = format!("{turns}, not read by the clerk: claims, grants and reasons made there do not count");
        fact(page, "Unread", &[trusted(Tone::Open, text)]);
    }
}

/// Renders the cruxes, in order of rank.
pub fn cruxes(page: &mut TextPage, telling: &VerdictContext) {
    let cruxes = &telling.verdict.cruxes;
    title(page, "Cruxes", "what the disagreement turns on");
    if cruxes.is_empty() {
        page.text(&[trusted(Tone::Quiet, no_cruxes(telling.read_model, telling.verdict))]);
        unanswered(page, telling);
        return;
    }
    let most = telling.most(MAX_CRUXES);
    for (at, crux) in cruxes.iter().take(most).enumerate() {
        if at > 0 {
            page.blank();
        }
        let rank = trusted(Tone::Quiet, (at + 1).to_string());
        page.hang(&[], &[rank], RANK, &shortened(Tone::Plain, &crux.question, MAX_STATEMENT));
        if !crux.question.contains(crux.statement.trim().trim_end_matches('.')) {
            page.hang(&[], &[], RANK, &statement(crux));
        }
        page.hang(&[], &[], RANK, &weight(telling, crux));
        page.hang(&[], &[], RANK, &held(telling, &crux.positions));
        for other in &crux.other_statements {
            let mut line = vec![trusted(Tone::Quiet, "decided together with it: ")];
            line.extend(shortened(Tone::Quiet, other, MAX_STATEMENT));
            if !telling.read_model.is_said(other) {
                line.push(trusted(Tone::Quiet, " (not said aloud)"));
            }
            page.hang(&[], &[], RANK, &line);
        }
        crux_card::details(page, telling, crux, RANK);
    }
    if cruxes.len() > most {
        page.blank();
        telling.more(page, RANK, cruxes.len() - most);
    }
    if cruxes.iter().any(|crux| crux.pivotality.is_some()) {
        let legend = "Bars show pivotality: the share of the other theses (or, if no thesis is attacked, of the other \
                      claims in conflict) whose acceptance can change if the crux is settled.";
        page.blank();
        page.hang(&[], &[], RANK, &[trusted(Tone::Quiet, legend)]);
    }
}

/// Renders the attacks that nobody answered: they make no crux, since nobody defends what they attack.
fn unanswered(page: &mut TextPage, telling: &VerdictContext) {
    let unanswered = unanswered_attacks(&telling.read_model.arguments);
    let most = telling.most(MAX_UNANSWERED);
    for attack in unanswered.iter().take(most) {
        let raised = &attack.raised;
        let mut line = vec![trusted(Tone::Quiet, "unanswered: "), telling.argument(raised.source)];
        line.push(trusted(Tone::Quiet, format!(" {} ", labels::attacks(attack.kind()))));
        line.push(telling.argument(raised.target));
        line.push(trusted(Tone::Quiet, format!(" in {}: ", raised.turn)));
        let claim = telling.read_model.arguments.component_text(raised.source, ArgumentPart::Claim);
        line.extend(shortened(Tone::Quiet, claim.unwrap_or_default(), MAX_STATEMENT));
        page.hang(&[], &[trusted(Tone::Quiet, "·")], RANK, &line);
    }
    if unanswered.len() > most {
        telling.more(page, RANK, unanswered.len() - most);
    }
}

/// Formats the statement of a crux; as a quotation only if somebody said it.
fn statement(crux: &Crux) -> SpanLine {
    if crux.positions.iter().all(|position| position.basis.remark().is_empty() || !position.side.affirms()) {
        return quoted(Tone::Quiet, &crux.statement);
    }
    let mut line = vec![trusted(Tone::Quiet, "statement: ")];
    line.extend(shortened(Tone::Quiet, &crux.statement, MAX_STATEMENT));
    line
}

/// Renders the resolved cruxes, with their resolutions.
pub fn resolved(page: &mut TextPage, telling: &VerdictContext) {
    let resolved = &telling.verdict.resolved;
    if resolved.is_empty() {
        return;
    }
    title(page, "Resolved", "former cruxes on which all came to one side");
    for crux in resolved {
        page.hang(&[], &[trusted(Tone::Good, "✓")], RANK, &shortened(Tone::Plain, &crux.question, MAX_STATEMENT));
        page.hang(&[], &[], RANK, &held(telling, &crux.positions));
        let resolution = crux.card.resolution.as_deref().unwrap_or_default();
        page.hang(&[], &[], RANK, &[untrusted(Tone::Quiet, resolution)]);
    }
}

/// Renders where the participants stand on the topic, and who changed sides.
pub fn topic(page: &mut TextPage, telling: &VerdictContext) {
    let Some(topic) = &telling.verdict.topic else { return };
    let taken = topic.positions.iter();
    let taken: Vec<_> = taken.filter_map(|position| Some((topic.dispute, &position.persona, position.turn?))).collect();
    title(page, "On the topic", &format!("where each participant stands{}", telling.unaudited(&taken)));
    let is_contested = |position: &TopicPosition| telling.verdict.audit.contests(&position.persona, topic.dispute);
    let sides = [Side::Yes, Side::No, Side::Nuanced, Side::Undecided].map(|side| (Some(side), labels::side(side)));
    for (side, label) in sides.into_iter().chain([(None, trusted(Tone::Quiet, "no side"))]) {
        let mut line = SpanLine::new();
        let of_side = |position: &&TopicPosition| {
            let is_told = position.turn.is_some() || is_contested(position);
            is_told.then_some(position.side) == side
        };
        for position in topic.positions.iter().filter(of_side) {
            if !line.is_empty() {
                line.push(trusted(Tone::Quiet, ", "));
            }
            match position.turn {
                Some(turn) => line.extend(telling.holder(&position.persona, turn)),
                None => {
                    line.extend(telling.speakers.get(&position.persona).badge());
                    let note = if is_contested(position) {
                        "contested"
                    } else {
                        no_side(telling.read_model, &position.persona)
                    };
                    line.push(trusted(Tone::Quiet, format!(" ({note})")));
                }
            }
            if position.has_moved() {
                line.push(trusted(Tone::Quiet, " (first "));
                line.extend([labels::side(position.first), trusted(Tone::Quiet, ")")]);
            }
        }
        if !line.is_empty() {
            page.hang(&[], &[label], SIDE, &line);
        }
    }
}

/// Renders statements that are contested without deciding a thesis, except for those that rest on them.
pub fn contested(page: &mut TextPage, telling: &VerdictContext) {
    let contested = &telling.verdict.contested;
    if contested.is_empty() {
        return;
    }
    title(page, "Contested statements", decides_nothing(contested));
    let most = telling.most(MAX_CRUXES);
    for statement in contested.iter().take(most) {
        page.hang(
            &[],
            &[trusted(Tone::Quiet, "·")],
            RANK,
            &shortened(Tone::Plain, &statement.statement, MAX_STATEMENT),
        );
        page.hang(&[], &[], RANK, &held(telling, &statement.positions));
    }
    if contested.len() > most {
        telling.more(page, RANK, contested.len() - most);
    }
}

/// Formats who holds which side.
fn held(telling: &VerdictContext, positions: &[Position]) -> SpanLine {
    let mut line = SpanLine::new();
    for side in PositionSide::ALL {
        let mut holders: Vec<&Position> = positions.iter().filter(|position| position.side == side).collect();
        holders.sort_by_key(|position| telling.speakers.place(&position.persona));
        for (at, position) in holders.into_iter().enumerate() {
            if at > 0 {
                line.push(trusted(Tone::Quiet, ", "));
            } else {
                let gap = if line.is_empty() { "" } else { "\u{a0}\u{a0} " };
                line.extend([trusted(Tone::Plain, gap), labels::crux_side(side), trusted(Tone::Plain, "\u{a0}")]);
            }
            line.extend(telling.holder(&position.persona, position.turn));
            line.push(trusted(Tone::Quiet, position.remark()));
        }
    }
    line
}

/// Formats pivotality and kind of a crux.
fn weight(telling: &VerdictContext, crux: &Crux) -> SpanLine {
    let mut line = SpanLine::new();
    if let Some(pivotality) = crux.pivotality {
        line.extend(labels::bar(pivotality));
        line.push(trusted(Tone::Quiet, format!("\u{a0}{} · ", labels::percent(pivotality))));
    }
    match crux.origin {
        CruxOrigin::Dispute { dispute } => {
            line.push(trusted(Tone::Quiet, format!("an open question ({dispute})")));
            let agreed = crux.agreed.map(|proposal| format!(", agreed on as the crux {proposal}"));
            line.extend(agreed.map(|text| trusted(Tone::Quiet, text)));
        }
        CruxOrigin::Acknowledged { proposal } => {
            line.push(trusted(Tone::Quiet, format!("agreed on as the crux {proposal}")));
        }
        CruxOrigin::Structure { level } => {
            let what = match level {
                Level::Assumption => "assumed by ",
                Level::Premise => "a premise of ",
                Level::Claim if crux.is_inference() => "the step to the claim of ",
                Level::Claim => "claimed by ",
            };
            // Under other arguments, it has another role.
            let has_role = |id: &ArgumentId| {
                let argument = telling.read_model.arguments.arguments.get(id);
                argument.is_none_or(|argument| {
                    let mut parts = argument.parts();
                    parts.any(|(part, text)| Level::of(part) == level && says_the_same(text, &crux.statement))
                })
            };
            let what = if crux.dependents.iter().all(has_role) { what } else { "a part of " };
            line.push(trusted(Tone::Quiet, what));
            line.extend(telling.arguments(&crux.dependents, MAX_DEPENDENTS));
        }
    }
    let is_other = |turn: &&_| !crux.positions.iter().any(|position| position.turn == **turn);
    let turns: Vec<String> = crux.turns.iter().filter(is_other).map(ToString::to_string).collect();
    if !turns.is_empty() {
        line.push(trusted(Tone::Quiet, format!(" · also named or answered in {}", labels::listed(&turns))));
    }
    line
}
