//! Composition of a debate's report: its facts, its warnings, and the parts that the [`ReportBuilder`] words.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::audit::Auditor;
use crate::events::event::{Event, Recorded};
use crate::events::ids::TurnId;
use crate::export::report::attacks::{attacks, unjudged};
use crate::export::report::audit::differing;
use crate::export::report::disagreement;
use crate::export::report::endings::{ending_reason, outcome_in_words};
use crate::export::report::missed_calls::{missed_calls_warning, nothing_new, unread_warning};
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::proposals::proposals;
use crate::export::report::quotes::short;
use crate::export::report::reasons::reasons;
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::{no_cruxes, refinement_sentences, sentence};
use crate::export::report::rooms::agenda::agendas;
use crate::export::report::rooms::crux_places::crux_places;
use crate::export::report::rooms::fact_checks::checks;
use crate::export::report::rooms::motion::motion;
use crate::export::report::rooms::room_reports::{kinds, rooms, without_room};
use crate::export::report::rooms::searches::searches;
use crate::export::report::rooms::tables::tables;
use crate::positions::playable::{ANNOTATIONS, OFFLINE};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::summary::Status;
use crate::verdicts::audit::audit_verdict::AuditState;
use crate::verdicts::camps::{is_only_set, is_tie_of_all, unlisted};
use crate::verdicts::crux_card::crux_text::{decides_nothing, listed};
use crate::verdicts::labels::last_word::unanswered_attacks;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Source of the answers of a debate without a model.
const PLAYED_OFFLINE: &str = "played offline from annotated writings; no model is at work";
/// Maximum number of unanswered attacks that a warning names.
const MAX_NAMED: usize = 5;

/// Builds the report of a debate. Takes the regime that an imported verdict states from `events`, since no read
/// model contains it.
///
/// Cost: that of [`DebateReadModel::verdict`].
pub fn report(read_model: &DebateReadModel, events: &[Recorded]) -> DebateReport {
    let verdict = read_model.verdict();
    let teller = ReportBuilder::of(read_model);
    DebateReport {
        topic: read_model.summary.topic.clone(),
        facts: facts(read_model, &verdict),
        speakers: teller.speakers.clone(),
        regime: verdict.regime.kind.name(),
        because: verdict.regime.reason.clone(),
        warnings: warnings(read_model, &verdict, events)
            .into_iter()
            .chain(missed_calls_warning(read_model))
            .chain(unread_warning(read_model))
            .chain(differing(&verdict, &teller.speakers))
            .collect(),
        topic_dispute: read_model.disputes.topic().map(|(id, _)| id),
        on_topic: teller.on_topic(&verdict),
        silent_on_topic: teller.silent_on_topic(&verdict),
        topic_remarks: teller.topic_remarks(&verdict),
        cruxes: verdict.cruxes.iter().map(|crux| teller.crux(crux)).collect(),
        no_cruxes: no_cruxes(read_model, &verdict),
        resolved: verdict.resolved.iter().map(|crux| teller.crux(crux)).collect(),
        crux_places: crux_places(read_model, &verdict),
        contested_title: format!("Contested statements: {}", decides_nothing(&verdict.contested)),
        contested: verdict.contested.iter().map(|crux| teller.crux(crux)).collect(),
        proposed: teller.proposed(),
        common: teller.common(&verdict),
        granted: teller.granted(&verdict),
        camps: teller.camps(&verdict),
        unlisted: unlisted(&read_model.arguments, &verdict.camps).filter_map(|id| teller.place(id)).collect(),
        is_tie_of_all: is_tie_of_all(&verdict.camps),
        is_only_set: is_only_set(&verdict.camps, &verdict.n_extensions),
        n_sets: verdict.n_extensions.clone(),
        disagreement: disagreement::notes(read_model, &verdict),
        questions: teller.questions(&verdict),
        reasons: reasons(&teller, read_model),
        room_kinds: kinds(read_model),
        rooms: rooms(&teller, read_model),
        agendas: agendas(read_model),
        tables: tables(read_model),
        without_room: without_room(&teller, read_model),
        concessions: teller.concessions(),
        checks: checks(&teller, read_model),
        searches: searches(&teller, read_model),
        motion: motion(&teller, read_model),
        preparations: preparations(read_model),
        arguments: teller.arguments(&verdict),
        attacks: attacks(read_model),
        proposals: proposals(&teller, read_model),
        refinement: read_model.proposals.refinement().iter().flat_map(refinement_sentences).collect(),
        sections: teller.sections(),
    }
}

/// Returns what speakers thought before their turns; no parts for a turn that answers nothing.
fn preparations(read_model: &DebateReadModel) -> BTreeMap<TurnId, Vec<(&'static str, String)>> {
    let prepared = read_model.transcript.turns.iter().filter_map(|turn| {
        let preparation = turn.preparation.as_ref()?;
        let parts = [("Reflection", preparation.reflection.clone()), ("Critique", preparation.critique.clone())];
        let parts: Vec<(&'static str, String)> = parts.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Some((turn.turn, parts))
    });
    prepared.collect()
}

fn facts(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<(&'static str, String)> {
    let summary = &read_model.summary;
    let total = &summary.usage.total;
    let day = |time: DateTime<Utc>| time.format("%-d %B %Y, %H:%M UTC").to_string();
    let ended = match (&summary.outcome, &summary.cancelled, summary.status) {
        (Some(outcome), ..) => {
            let words = outcome_in_words(read_model, verdict, outcome);
            format!("{words}. {}", sentence(&ending_reason(read_model, verdict, outcome)))
        }
        (None, Some(reason), _) => format!("stopped. {}", sentence(reason)),
        (None, None, Status::Paused) => "paused".to_owned(),
        (None, None, _) => "still under way".to_owned(),
    };
    let mut facts = vec![
        ("Debate", summary.debate.map(|id| id.to_string()).unwrap_or_default()),
        ("Held", summary.opened_at.map(day).unwrap_or_default()),
        ("Engine", format!("{}, {}", summary.engine, answers_by(&summary.provider))),
        ("Ended", ended),
        ("Length", length(read_model)),
    ];
    if !verdict.audit.words.is_empty() {
        let reader = |auditor: &Auditor| match auditor.model.as_str() {
            ANNOTATIONS if summary.provider == OFFLINE => "the annotations that also gave the answers".to_owned(),
            model => model.to_owned(),
        };
        let by = verdict.audit.auditor.as_ref().map(|auditor| format!("; read once more by {}", reader(auditor)));
        facts.push(("Audit", format!("{}{}", verdict.audit.in_words(), by.unwrap_or_default())));
    }
    facts.extend(nothing_new(read_model).map(|turns| ("Passed over", format!("{turns}: nothing new to say"))));
    if let Some(origin) = &summary.origin {
        facts.push(("Forked from", format!("{} at version {}", origin.debate, origin.at)));
    }
    let tokens = total.input_tokens + total.output_tokens;
    if total.calls > 0 {
        let money = match (total.unpriced, total.cost_micros) {
            (0, micros) => format!("{:.2} US dollars", micros as f64 / 1_000_000.0),
            (_, 0) => "price unknown".to_owned(),
            (unpriced, micros) => {
                format!("{:.2} US dollars and {unpriced} calls of unknown price", micros as f64 / 1_000_000.0)
            }
        };
        let failed = if total.failed > 0 { format!(" ({} failed)", total.failed) } else { String::new() };
        facts.push(("Cost", format!("{} calls{failed}, {tokens} tokens, {money}", total.calls)));
    }
    facts
}

/// Counts the turns, the arguments and the reasons if there are any, and the events.
fn length(read_model: &DebateReadModel) -> String {
    let n_reasons: usize = read_model.disputes.disputes.values().map(|dispute| dispute.reasons.len()).sum();
    let counts = [(read_model.arguments.arguments.len(), "argument"), (n_reasons, "reason")];
    let found = counts.into_iter().filter(|(n, _)| *n > 0);
    let found = found.map(|(n, noun)| format!(", {n} {noun}{}", if n == 1 { "" } else { "s" }));
    let summary = &read_model.summary;
    let turns = if summary.n_turns == 1 { "turn" } else { "turns" };
    format!("{} {turns}{}, {} events", summary.n_turns, found.collect::<String>(), summary.version)
}

/// Names the attacks that nobody judged; `None` if there are none.
fn not_judged(read_model: &DebateReadModel) -> Option<String> {
    let unjudged = unjudged(&read_model.arguments);
    let (were, do_not) = match unjudged.len() {
        0 => return None,
        1 => ("1 attack was".to_owned(), "does not"),
        n => (format!("{n} attacks were"), "do not"),
    };
    // The judge of a round that is under way may still reply.
    let so_far = if read_model.summary.status.is_final() { "" } else { " so far" };
    Some(format!("{were} not judged{so_far}, and {do_not} count: {}.", listed(&unjudged)))
}

/// True if an argument takes no part in the graph: it was made for an attack that is not valid, or was not judged.
fn has_uncounted(graph: &ArgumentGraph) -> bool {
    graph.arguments.iter().any(|(id, argument)| argument.withdrawn.is_none() && !graph.is_live(*id))
}

/// Names the attacks that nobody answered; `None` if there are none.
fn unanswered(read_model: &DebateReadModel) -> Option<String> {
    let unanswered = unanswered_attacks(&read_model.arguments);
    let named = unanswered.iter().take(MAX_NAMED).map(|attack| {
        let raised = &attack.raised;
        format!("{} of {} on {} in {}", raised.attack, raised.source, raised.target, raised.turn)
    });
    let mut named: Vec<String> = named.collect();
    named.extend((unanswered.len() > MAX_NAMED).then(|| format!("{} more", unanswered.len() - MAX_NAMED)));
    (!named.is_empty()).then(|| format!("Attacks against which no attack is recorded: {}.", listed(&named)))
}

/// Says who gave the answers: a provider or, without a model, the annotated writings.
fn answers_by(provider: &str) -> String {
    if provider == OFFLINE { PLAYED_OFFLINE.to_owned() } else { format!("answers by {provider}") }
}

fn warnings(read_model: &DebateReadModel, verdict: &Verdict, events: &[Recorded]) -> Vec<String> {
    let mut warnings = Vec::new();
    if read_model.transcript.is_written_by_one() {
        warnings.push("One model wrote what all participants say; nobody speaks for themselves.".to_owned());
    }
    if let Some(limit) = &verdict.limit {
        warnings.push(format!(
            "The debate ended because a limit was reached ({limit}), not because the discussion was finished."
        ));
    }
    if verdict.last_word.is_all() {
        warnings.push(
            "Every accepted argument makes an attack against which no attack is recorded, or is defended by one."
                .to_owned(),
        );
    }
    if verdict.cruxes.is_empty() {
        warnings.extend(unanswered(read_model));
    }
    warnings.extend(not_judged(read_model));
    match verdict.audit.state() {
        AuditState::Off => {
            warnings.push("Nobody read the words of this debate a second time: its audit is off.".to_owned());
        }
        AuditState::Missing | AuditState::Unqualified if !verdict.audit.words.is_empty() => {
            warnings.push("No qualified auditor read the words of this debate a second time.".to_owned());
        }
        _ => {}
    }
    let unknown = verdict.regime.unknown_events;
    if unknown > 0 {
        warnings.push(format!(
            "{unknown} events have kinds that this version does not know; the verdict may be incomplete."
        ));
    } else if !verdict.regime.exact {
        warnings.push("Not all extensions could be computed; the verdict may be incomplete.".to_owned());
    }
    let coverage = verdict.regime.coverage;
    if coverage.pairs + coverage.asked == 0 {
        warnings.push("There were no claims of different participants to compare.".to_owned());
    }
    let missing: Vec<String> =
        coverage.missing().into_iter().filter(|clause| !verdict.regime.reason.contains(clause)).collect();
    if !missing.is_empty() {
        let pairs = match (coverage.examined < coverage.pairs, read_model.arguments.pairs().is_empty()) {
            (false, _) => "",
            (true, false) if has_uncounted(&read_model.arguments) => {
                " Any two claims of different participants are comparable, except claims whose only attack is not valid or \
                 was not judged."
            }
            (true, false) => " Any two claims of different participants are comparable.",
            (true, true) => " Comparable are reasons of different participants on the same question.",
        };
        warnings.push(format!("Not everything was examined: {}.{pairs}", listed(&missing)));
    }
    let mut said = events.iter().filter_map(|recorded| match &recorded.event {
        Event::VerdictImported(recorded) => recorded.said.get("regime").and_then(Value::as_str),
        _ => None,
    });
    if let Some(said) = said.next_back() {
        let said = short(said, 80);
        warnings.push(format!(
            "This debate was imported. The system of origin called it \"{said}\"; the verdict here does not use that."
        ));
    }
    warnings
}
