//! One-line notices for events outside the discussion itself.

use crate::labels;
use crate::live::{after_end_notices, motion_notices, table_notices, talk};
use crate::speakers::{CLERK, Speakers};
use crate::text::page::TextPage;
use crate::text::span::{blanks, in_line, trusted, untrusted};
use crate::text::style::Tone;
use faultline_core::events::channel::{
    AgendaSet, DetectedDisagreement, ExitChecked, RoomAspectsNamed, RoomStageEntered, SteelmanJudged,
};
use faultline_core::events::crux::{RoomKind, RoomOpened};
use faultline_core::events::distillation::ProgressMeasured;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::{DebateOutcome, PhaseEntered};
use faultline_core::events::receipt::{
    EffectAbandoned, EffectFailed, EffectKey, FailureKind, PROBE_PURPOSES, PassageRef,
};
use faultline_core::events::receipt::{SearchRequested, SearchResult};
use faultline_core::export::report::endings::{agreed_on_crux, ending_reason};
use faultline_core::export::report::quotes::short;
use faultline_core::projections::audits::AUDIT_PURPOSE;
use faultline_core::projections::crux_rooms::CruxRooms;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;

/// Maximum number of characters of a question in a notice: what follows it must be shown.
const MAX_QUESTION: usize = 160;
/// Maximum number of characters of the reason for an agenda.
const MAX_REASON: usize = 400;

/// Renders the notices for an event, after an empty line if `opens`; returns false if the event needs none.
pub fn show(
    page: &mut TextPage,
    event: &Event,
    speakers: &Speakers,
    read_model: &DebateReadModel,
    opens: bool,
) -> bool {
    let (seen, notice) = match event {
        Event::DisagreementsDetected(it) => (it.found.as_slice(), None),
        _ => (&[][..], notice(event, speakers, read_model)),
    };
    if opens && (!seen.is_empty() || notice.is_some()) {
        page.blank();
    }
    for seen in seen {
        let text = untrusted(Tone::Quiet, &in_line(&disagreement(seen, speakers, read_model)));
        page.row(&[trusted(Tone::Quiet, "· ")], &[blanks(2)], &[text]);
    }
    match &notice {
        Some(notice) if is_wrapped(event) => {
            let text = untrusted(Tone::Quiet, &in_line(notice));
            page.row(&[trusted(Tone::Quiet, "· ")], &[blanks(2)], &[text]);
        }
        Some(notice) => aside(page, notice),
        None => {}
    }
    !seen.is_empty() || notice.is_some()
}

/// True if the notice for an event may take several lines, because its end matters.
fn is_wrapped(event: &Event) -> bool {
    match event {
        Event::RoomOpened(it) => it.kind == RoomKind::Thread,
        Event::AgendaSet(_) | Event::TableSeated(_) | Event::ConvergenceMeasured(_) => true,
        Event::FloorGiven(_) | Event::DisputeRaised(_) => true,
        _ => motion_notices::is_wrapped(event),
    }
}

/// Returns the notice for an event, or `None` if the event needs none.
fn notice(event: &Event, speakers: &Speakers, read_model: &DebateReadModel) -> Option<String> {
    let (summary, rooms) = (&read_model.summary, &read_model.rooms);
    match event {
        Event::DebatePaused(it) => Some(match &it.reason {
            Some(reason) => format!("paused, since {reason}; `faultline resume` continues it"),
            None => "paused: pending answers are still accepted".to_owned(),
        }),
        Event::DebateResumed(_) => Some("resumed".to_owned()),
        Event::EffectFailed(it) => Some(failed(it, speakers, read_model)),
        // That they had nothing new was told.
        Event::EffectAbandoned(it) if has_nothing_new(it, read_model) => None,
        Event::EffectAbandoned(it) => {
            let attempts = labels::count(it.attempts.into(), "attempt");
            Some(format!("{} was abandoned after {attempts}: {}", effect(&it.key, speakers, rooms), it.reason))
        }
        Event::EffectAnswered(it) if it.ignored => {
            Some(format!("{} arrived too late and was ignored", effect(&it.key, speakers, rooms)))
        }
        Event::InjectionSuspected(it) => {
            let passages = labels::count(labels::number(it.passages.len()), "passage");
            let why: Vec<String> = it
                .passages
                .iter()
                .map(|passage| format!("{} ({})", passage.alias, passage.suspicions.join("; ")))
                .collect();
            Some(format!(
                "{}: {passages} with possible instructions to a model: {}",
                effect(&it.key, speakers, rooms),
                why.join(", ")
            ))
        }
        Event::DisputeRaised(it) if !it.is_topic => Some(format!("new question {}: {}", it.dispute, it.question)),
        Event::DisputeRetired(it) => Some(format!("question {} retired: {}", it.dispute, it.reason)),
        Event::DisputeLinked(it) => {
            let how = if it.negates { "asked in the negative" } else { "asked again" };
            Some(format!("{} {how}: {}", it.dispute, it.question))
        }
        Event::DisputeRevised(it) => Some(match &it.question {
            Some(question) => format!("{} is now worded: {question}", it.dispute),
            None => format!("{}: {}", it.dispute, it.reason),
        }),
        Event::HintGiven(it) => Some(talk::whispered(it, speakers)),
        Event::RoomOpened(it) => Some(room_opened(it, speakers, rooms)),
        Event::AgendaSet(it) => Some(agenda_set(it)),
        Event::TurnSkipped(it) => {
            Some(format!("{} passes{}: {}", speakers.get(&it.speaker).name, labels::within(it.room), it.reason))
        }
        Event::RoomAspectsNamed(it) => Some(aspects_named(it, rooms)),
        Event::RoomStageEntered(it) => Some(stage_entered(it, rooms)),
        Event::SteelmanJudged(it) => Some(steelman_judged(it, speakers)),
        Event::ExitChecked(it) => Some(exit_checked(it, rooms)),
        Event::RoomClosed(it) => Some(format!("{} closed, {}: {}", rooms.named(it.room), it.outcome.name(), it.reason)),
        Event::ProgressMeasured(it) => {
            Some(progress(it, ["disputes", "crux_rooms", "forum"].contains(&summary.engine.as_str())))
        }
        Event::WordsAudited(it) => {
            let (read, all) = (it.readings.len(), it.readings.len() + it.unread.len());
            let qualified = if it.auditor.qualified { "" } else { ", which is not qualified" };
            Some(format!("audit: {read} of {all} statements read once more by {}{qualified}", it.auditor.model))
        }
        Event::Erased(_) => Some("an erased event".to_owned()),
        Event::Opaque(it) => Some(format!("an event of a kind unknown to this version: {}", it.kind)),
        Event::SearchRequested(it) => Some(search_asked_for(it, speakers)),
        Event::EffectRequested(it) => it.search.as_ref().map(|search| search_made(search, &it.grounds)),
        _ => table_notices::notice(event, speakers, read_model)
            .or_else(|| motion_notices::notice(event, speakers, read_model))
            .or_else(|| after_end_notices::notice(event, speakers)),
    }
}

fn search_asked_for(it: &SearchRequested, speakers: &Speakers) -> String {
    format!("{} asks for a search before answering: “{}”", speakers.subject(&it.key.subject), it.query)
}

/// Describes the result of a search, with the titles of web pages.
fn search_made(search: &SearchResult, grounds: &[PassageRef]) -> String {
    if let Some(failure) = &search.failure {
        return format!("the search failed: {}", failure.message);
    }
    let by = &search.by;
    let found = grounds.iter().filter(|ground| search.found.contains(&ground.alias));
    let titles: Vec<String> =
        found.filter_map(|ground| ground.page.as_ref()).map(|page| format!("“{}”", page.title)).collect();
    match (search.found.len(), titles.is_empty()) {
        (0, _) => format!("the search ({by}) found nothing"),
        (n, true) => format!("the search ({by}) found {}", labels::count(labels::number(n), "passage")),
        (_, false) => format!("the search ({by}) found {}", labels::listed(&titles)),
    }
}

/// Describes a disagreement that a detector saw, and how often.
fn disagreement(seen: &DetectedDisagreement, speakers: &Speakers, read_model: &DebateReadModel) -> String {
    let (yes, no) = (speakers.get(&seen.yes.speaker).name, speakers.get(&seen.no.speaker).name);
    let question = short(&seen.question, MAX_QUESTION);
    let streak = read_model.candidates.candidates.get(&seen.candidate).map_or(1, |candidate| candidate.streak);
    let windows = if streak > 1 { format!("{streak} windows in a row") } else { "in 1 window".to_owned() };
    format!("{yes} and {no} disagree about: {question} (seen {windows}, confidence {:.2})", seen.confidence)
}

/// Describes the aspects of the question of a room.
fn aspects_named(it: &RoomAspectsNamed, rooms: &CruxRooms) -> String {
    let labels: Vec<String> =
        it.aspects.iter().map(|aspect| format!("{} ({})", aspect.label, aspect.dispute)).collect();
    let labels = if labels.is_empty() { "none were named".to_owned() } else { labels.join(", ") };
    format!("{}: aspects of the question: {labels}", rooms.named(it.room))
}

/// Describes the stage that a room entered.
fn stage_entered(it: &RoomStageEntered, rooms: &CruxRooms) -> String {
    let aspects = rooms.rooms.get(&it.room).and_then(|room| room.aspects.as_ref());
    let aspect = aspects.into_iter().flatten().find(|aspect| Some(aspect.dispute) == it.aspect);
    let on = aspect.map(|aspect| format!(" on the aspect “{}” ({})", aspect.label, aspect.dispute)).unwrap_or_default();
    format!("{} enters the stage “{}”{on}", rooms.named(it.room), it.stage.name())
}

/// Describes how a participant judged the statement of their position.
fn steelman_judged(it: &SteelmanJudged, speakers: &Speakers) -> String {
    let name = speakers.get(&it.speaker).name;
    match it.accepted {
        true => format!("{name} accepts {} as a statement of their position", it.steelman),
        false => format!("{name} rejects {} as a statement of their position", it.steelman),
    }
}

/// Describes the opening of a room or thread.
fn room_opened(it: &RoomOpened, speakers: &Speakers, rooms: &CruxRooms) -> String {
    let names: Vec<String> = it.participants.iter().map(|participant| speakers.get(participant).name).collect();
    let (name, names) = (format!("{} {}", it.kind.noun(), it.room), labels::listed(&names));
    match it.kind {
        RoomKind::Private => format!("{name} opened for {names}: {}", it.question),
        RoomKind::Thread => {
            let origin = it.parent.map_or_else(|| "the main channel".to_owned(), |parent| rooms.named(parent));
            format!("{name} opened, split from {origin}, for {names}: {}", short(&it.question, MAX_QUESTION))
        }
    }
}

/// Describes a new agenda.
fn agenda_set(it: &AgendaSet) -> String {
    let disputes: Vec<String> = it.disputes.iter().map(ToString::to_string).collect();
    let disputes = if disputes.is_empty() { "nothing".to_owned() } else { disputes.join(", ") };
    format!("in focus now: {disputes}: {}", short(&it.reason, MAX_REASON))
}

/// Describes an exit check of a room.
fn exit_checked(it: &ExitChecked, rooms: &CruxRooms) -> String {
    let room = rooms.named(it.room);
    match it.surfaced {
        true => format!("{room}: passed the exit check: {}", it.reason),
        false => format!("{room}: goes on: {}", it.reason),
    }
}

/// Describes a failed attempt.
/// Returns true if a call was given up because its speaker had nothing new to say.
fn has_nothing_new(it: &EffectAbandoned, read_model: &DebateReadModel) -> bool {
    let mut calls = read_model.missed.calls.iter().rev();
    calls.find(|call| call.abandoned.key == it.key).is_some_and(|call| call.has_nothing_new)
}

fn failed(it: &EffectFailed, speakers: &Speakers, read_model: &DebateReadModel) -> String {
    let summary = &read_model.summary;
    let how = match it.failure.kind {
        FailureKind::Unreadable | FailureKind::Truncated => "was unreadable",
        FailureKind::Repeated => "had nothing new",
        FailureKind::Overlong => "was too long",
        FailureKind::Declined => "was declined",
        FailureKind::TimedOut => "timed out",
        FailureKind::Unavailable | FailureKind::Hopeless => "failed",
    };
    // A participant with nothing left to say is not asked again.
    let is_last = it.failure.kind == FailureKind::Repeated && it.answer.is_none();
    let of = if is_last { String::new() } else { format!(" ({} of {})", it.attempt, summary.limits.attempts) };
    format!("{} {how}{of}: {}", effect(&it.key, speakers, &read_model.rooms), it.failure.message)
}

/// Summarizes the progress of the discussion in one line. Open are undecided arguments or, in debates of questions, those
/// with opposite answers.
fn progress(measured: &ProgressMeasured, is_of_questions: bool) -> String {
    let contested: Vec<String> = measured.frontier.iter().map(ToString::to_string).collect();
    let contested = if contested.is_empty() { "none".to_owned() } else { contested.join(" ") };
    let surely = if measured.exact { "" } else { " at least" };
    let live = labels::count(measured.live.into(), "claim");
    let compared = match measured.pairs {
        0 => String::new(),
        1 => format!("{} of 1 pair compared, ", measured.examined),
        pairs => format!("{} of {pairs} pairs compared, ", measured.examined),
    };
    let open = if is_of_questions { "with both a yes and a no" } else { "undecided arguments" };
    format!("{live} in play, {compared}{open}{surely}: {contested}")
}

/// Renders a notice on one line, cut to its width.
pub fn aside(page: &mut TextPage, notice: &str) {
    let notice = page.fit(notice, page.room() - 2);
    page.row(&[trusted(Tone::Quiet, "· ")], &[], &[trusted(Tone::Quiet, notice)]);
}

/// Renders the beginning of a phase.
pub fn phase(page: &mut TextPage, entered: &PhaseEntered) {
    page.blank();
    let phase = labels::phase(&entered.phase);
    match entered.round {
        Some(round) => page.rule(&format!("{phase}, round {round}")),
        None => page.rule(&phase),
    }
    if let Some(reason) = &entered.reason {
        page.text(&[untrusted(Tone::Quiet, &labels::sentence(reason))]);
    }
    if let Some(announcement) = &entered.announcement {
        page.text(&[untrusted(Tone::Quiet, announcement)]);
    }
}

/// Renders the outcome of a debate that ended by itself.
pub fn ending(page: &mut TextPage, outcome: &DebateOutcome, read_model: &DebateReadModel) {
    let verdict = read_model.verdict();
    let (tone, word) = ended(outcome, read_model, &verdict);
    page.text(&[
        trusted(tone, word),
        trusted(Tone::Plain, " "),
        untrusted(Tone::Plain, &labels::sentence(&ending_reason(read_model, &verdict, outcome))),
    ]);
}

/// Renders the cancellation of a debate with its reason.
pub fn stopped(page: &mut TextPage, reason: &str) {
    page.text(&[
        trusted(Tone::Open, "Cancelled."),
        trusted(Tone::Plain, " "),
        untrusted(Tone::Plain, &labels::sentence(reason)),
    ]);
}

/// Describes the outcome of a debate in a few words.
pub fn ended(outcome: &DebateOutcome, read_model: &DebateReadModel, verdict: &Verdict) -> (Tone, String) {
    match outcome {
        DebateOutcome::Settled { .. } => match agreed_on_crux(read_model, verdict) {
            Some(agreed) => (Tone::Open, format!("{}.", labels::capital(&agreed))),
            None => (Tone::Good, "Settled.".to_owned()),
        },
        DebateOutcome::Exhausted { .. } => (Tone::Open, "Exhausted.".to_owned()),
        DebateOutcome::Limit { limit, .. } => {
            let limit = untrusted(Tone::Plain, limit).text;
            (Tone::Open, format!("Limit reached ({limit})."))
        }
        DebateOutcome::Stalled { .. } => (Tone::Bad, "Stalled.".to_owned()),
        DebateOutcome::Failed { .. } => (Tone::Bad, "Failed.".to_owned()),
    }
}

/// Describes an effect by its purpose and participant: `Ada's opening`, or `The judgement`.
fn effect(key: &EffectKey, speakers: &Speakers, rooms: &CruxRooms) -> String {
    let purpose = key.purpose_in_words();
    // An outside orchestrator may use the same purposes for something else.
    let room = key.room().filter(|room| rooms.rooms.contains_key(room));
    let room = room.map(|room| format!(" in {}", rooms.named(room))).unwrap_or_default();
    if key.subject == CLERK
        || key.purpose == AUDIT_PURPOSE
        || PROBE_PURPOSES.contains(&key.purpose.as_str())
        || ["aspects", "exit", "extract"].contains(&key.purpose.as_str())
    {
        return format!("The {purpose}{room}");
    }
    labels::capital(&format!("{}'s {purpose}{room}", speakers.subject(&key.subject)))
}
