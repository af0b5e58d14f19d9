//! Composition of the reports of rooms, threads, and disagreements without one.

use crate::events::channel::{ExitChecked, StatedWords, SteelmanJudged};
use crate::events::crux::RoomKind;
use crate::events::dispute::{Side, StanceTaken};
use crate::events::ids::{PersonaId, ReasonId};
use crate::export::report::model::room_models::{AspectReport, CandidateReport, ExitCheckReport, RoomReport};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::{RoomKinds, side_word};
use crate::projections::crux_rooms::{CruxRooms, HeldStage, Room, RoomStatus};
use crate::projections::disputes::dispute_state::Stance;
use crate::projections::room_candidates::RoomCandidate;
use crate::verdicts::crux_card::crux_text::{listed as joined, quoted};
use crate::verdicts::disagreement::room_summary::{SummarizedQuestion, SummarizedReason, room_summary};
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each room.
pub fn rooms(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<RoomReport> {
    let told = read_model.rooms.rooms.iter().map(|(id, room)| {
        let question = &room.opened.question;
        let stances = room.stances.values();
        RoomReport {
            id: *id,
            kind: room.opened.kind,
            question: question.clone(),
            status: match (&room.closed, read_model.rooms.status(room)) {
                (Some(closed), _) => closed.closed.outcome.name(),
                (None, RoomStatus::LeftOpen) => "left open",
                (None, _) => "open",
            },
            speakers: room.opened.participants.iter().filter_map(|persona| teller.place(persona)).collect(),
            joined: room.joined().filter_map(|persona| teller.place(persona)).collect(),
            stances: stances.map(|stance| taken(teller, stance)).collect(),
            notes: notes(teller, &read_model.rooms, room),
            aspects: aspects(teller, read_model, room),
            turns: room.turns.clone(),
            candidate: room
                .opened
                .candidate
                .and_then(|id| candidate(teller, read_model.candidates.candidates.get(&id)?, Some(room.version))),
            steelmen: room.steelmen.iter().map(|judged| steelman(teller, judged)).collect(),
            exit_checks: room.exit_checks.iter().map(|checked| exit_check(teller, room.opened.kind, checked)).collect(),
        }
    });
    told.collect()
}

/// Quotes the words in which a side was taken.
fn taken(teller: &ReportBuilder, stance: &StanceTaken) -> Statement {
    let (speaker, what) = (teller.place(&stance.speaker), side_word(stance.side).to_owned());
    Statement { speaker, turn: stance.turn, what, text: stance.quote.as_deref().map(quoted).unwrap_or_default() }
}

/// Builds the report of each disagreement that was seen and got no room.
pub fn without_room(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<CandidateReport> {
    let candidates = read_model.candidates.candidates.values().filter(|candidate| candidate.room.is_none());
    candidates.filter_map(|found| candidate(teller, found, None)).collect()
}

/// Builds the report of a candidate: all its sightings, or those before a version. `None` if there are none.
fn candidate(teller: &ReportBuilder, candidate: &RoomCandidate, before: Option<i64>) -> Option<CandidateReport> {
    let mut sightings: Vec<_> = candidate.sightings.iter().collect();
    sightings.retain(|sighting| before.is_none_or(|version| sighting.version < version));
    let latest = &sightings.last()?.seen;
    let windows: Vec<String> = sightings.iter().map(|sighting| sighting.window.to_string()).collect();
    let confidences: Vec<String> =
        sightings.iter().map(|sighting| format!("{:.2}", sighting.seen.confidence)).collect();
    let windows = format!("{} {}", if windows.len() == 1 { "window" } else { "windows" }, joined(&windows));
    let unseen = match (candidate.unseen, before) {
        (0, _) | (_, Some(_)) => String::new(),
        (1, None) => ", and not in the window after".to_owned(),
        (unseen, None) => format!(", and not in the {unseen} windows after"),
    };
    Some(CandidateReport {
        question: candidate.question.clone(),
        seen: format!("seen in {windows}, with a confidence of {}{unseen}", joined(&confidences)),
        words: vec![words(teller, &latest.yes, "yes"), words(teller, &latest.no, "no")],
    })
}

fn exit_check(teller: &ReportBuilder, kind: RoomKind, checked: &ExitChecked) -> ExitCheckReport {
    let found = if checked.surfaced { "passed".to_owned() } else { format!("the {} goes on", kind.noun()) };
    ExitCheckReport {
        turn: checked.turn,
        finding: format!("{found}: {}", checked.reason),
        words: checked.words.iter().map(|stated| words(teller, stated, "states it")).collect(),
    }
}

/// Builds the report of a judgement on a statement of the other's position.
fn steelman(teller: &ReportBuilder, judged: &SteelmanJudged) -> Statement {
    let found = if judged.accepted { "accepts" } else { "rejects" };
    let what = format!("{found} {} as a statement of their position", judged.steelman);
    let (speaker, turn) = (teller.place(&judged.speaker), judged.turn);
    Statement { speaker, turn, what, text: quoted(&judged.quote) }
}

fn words(teller: &ReportBuilder, stated: &StatedWords, what: &str) -> Statement {
    let (speaker, turn) = (teller.place(&stated.speaker), stated.turn);
    Statement { speaker, turn, what: what.to_owned(), text: quoted(&stated.quote) }
}

fn notes(teller: &ReportBuilder, rooms: &CruxRooms, room: &Room) -> Vec<(&'static str, String)> {
    let is_thread = room.opened.kind == RoomKind::Thread;
    let mut notes: Vec<(&'static str, String)> =
        is_thread.then(|| ("split from", rooms.split_from(room))).into_iter().collect();
    notes.extend(room.opened.reason.iter().map(|reason| ("opened", reason.clone())));
    let has_none = room.aspects.as_ref().is_some_and(Vec::is_empty);
    notes.extend(has_none.then(|| ("aspects", "none were named".to_owned())));
    notes.extend((!room.stages.is_empty()).then(|| ("stages", stages(room))));
    let Some(closed) = &room.closed else { return notes };
    notes.push(("closed", closed.closed.reason.clone()));
    let Some(card) = &closed.closed.card else { return notes };
    let kind = card.kind.map(|kind| format!("{}: ", kind.name())).unwrap_or_default();
    notes.push(("diagnosis", format!("{kind}{}", card.diagnosis)));
    notes.extend(card.resolution.iter().map(|resolution| ("resolution", resolution.clone())));
    let falsifiers = card.falsifiers.iter().map(|falsifier| {
        let name =
            teller.place(&falsifier.speaker).map_or(falsifier.speaker.as_str(), |at| teller.speakers[at].name.as_str());
        ("falsifier", format!("{name}: {}", falsifier.text))
    });
    notes.extend(falsifiers);
    notes
}

/// Builds the reports of the aspects of a room.
fn aspects(teller: &ReportBuilder, read_model: &DebateReadModel, room: &Room) -> Vec<AspectReport> {
    let summary = room_summary(room, &read_model.disputes, &read_model.flip_conditions);
    let questions = summary.map(|summary| summary.questions).unwrap_or_default();
    questions.iter().filter_map(|asked| aspect(teller, asked)).collect()
}

fn aspect(teller: &ReportBuilder, asked: &SummarizedQuestion) -> Option<AspectReport> {
    let position = |(persona, stance): &(PersonaId, Stance)| Statement {
        speaker: teller.place(persona),
        turn: stance.turn,
        what: side_word(stance.side).to_owned(),
        text: stance.words().map(quoted).unwrap_or_default(),
    };
    let reason = |it: &SummarizedReason| {
        let names = |ids: &[ReasonId]| joined(&ids.iter().map(ToString::to_string).collect::<Vec<_>>());
        let part = match it.attacks.as_slice() {
            [] => format!("for {}", side_word(it.side)),
            attacks => format!("against {}", names(attacks)),
        };
        let challenged = match it.challenged_by.as_slice() {
            [] => String::new(),
            by => format!(", challenged by {}", names(by)),
        };
        let what = format!("{} {part}{challenged}", it.reason);
        Statement { speaker: teller.place(&it.speaker), turn: it.turn, what, text: quoted(&it.claim) }
    };
    let sides: Vec<Side> = asked.positions.iter().map(|(_, stance)| stance.side).collect();
    let remark = match asked.agreed {
        Some(Side::Yes) => "all answer yes",
        Some(_) => "all answer no",
        None if sides.contains(&Side::Yes) && sides.contains(&Side::No) => "they stand on opposite sides",
        None if sides.is_empty() => "nobody took a side",
        None => "no opposite sides were taken",
    };
    Some(AspectReport {
        title: asked.label.as_ref().map(|_| asked.title())?,
        positions: asked.positions.iter().map(position).collect(),
        remark,
        reasons: asked.reasons.iter().map(reason).collect(),
        criteria: asked.criteria.clone(),
    })
}

/// Lists the stages of a room with their turns; those on one aspect together, after its name.
fn stages(room: &Room) -> String {
    let groups = room.stages.chunk_by(|one, other| one.aspect == other.aspect);
    let told = groups.map(|group| {
        let names: Vec<String> = group.iter().map(stage).collect();
        let named = room.aspects.iter().flatten().find(|aspect| Some(aspect.dispute) == group[0].aspect);
        named.map_or_else(|| names.join(", "), |aspect| format!("{}: {}", aspect.label, names.join(", ")))
    });
    told.collect::<Vec<_>>().join("; ")
}

fn stage(held: &HeldStage) -> String {
    let turns: Vec<String> = held.turns.iter().map(ToString::to_string).collect();
    if turns.is_empty() { held.stage.name().to_owned() } else { format!("{} ({})", held.stage.name(), turns.join(" ")) }
}

/// Returns the kinds of rooms that a debate has, or would have: those of a forum are threads.
pub fn kinds(read_model: &DebateReadModel) -> RoomKinds {
    let has = |kind: RoomKind| read_model.rooms.rooms.values().any(|room| room.opened.kind == kind);
    match (has(RoomKind::Private), has(RoomKind::Thread)) {
        (true, true) => RoomKinds::Both,
        (false, true) => RoomKinds::Threads,
        (false, false) if read_model.summary.engine == "forum" => RoomKinds::Threads,
        (_, false) => RoomKinds::Rooms,
    }
}
