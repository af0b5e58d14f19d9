//! Extraction of a card: decodes what a clerk distils from a room that is over.
//!
//! Sides, reasons, concessions and conditions point at sentences of the room. The diagnosis is the clerk's own; a reply
//! without one is no card, and is requested again.

use crate::engines::talk::copied_words::named;
use crate::engines::talk::dispute_clerk::decode::{Bounds, crystallized};
use crate::engines::talk::dispute_clerk::schema::DisputeDistillation;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::question_matching::QuestionMatcher;
use crate::engines::talk::replies::criteria::{StatedCriterion, criterion};
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::noted;
use crate::engines::talk::rooms::room_view::{RoomView, turns_in_order};
use crate::engines::talk::rooms::schema::ExtractionReply;
use crate::engines::talk::rooms::words::WORDS;
use crate::engines::talk::state::{TOPIC, Window};
use crate::events::crux::{Card, Falsifier, RoomClosed, RoomKind, RoomOutcome};
use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::FlipConditionStated;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::projection::Projection;

/// Maximum number of sentences in a list of the reply; an excess is ignored.
const MAX_SENTENCES: usize = 8;
/// Maximum number of characters of a diagnosis.
const MAX_DIAGNOSIS_CHARS: usize = 600;
/// Diagnoses that say nothing, in small letters and without a full stop.
const PLACEHOLDERS: &[&str] =
    &["see transcript", "see the transcript", "n/a", "none", "null", "unknown", "tbd", "not available", "diagnosis"];

/// Room that is over, and why.
#[derive(Clone)]
pub struct RoomOver<'a> {
    /// The room.
    pub view: RoomView<'a>,
    /// Turns that are not to be distilled.
    pub context: Vec<TurnId>,
    /// Participants who took part in it.
    pub members: Vec<PersonaId>,
    /// Outcome, unless all members have come to one side.
    pub outcome: RoomOutcome,
    /// Reason for which the discussion ended.
    pub reason: String,
}

/// Prepares the request to distil a room into a card.
pub fn request(view: RoomView, context: &[TurnId]) -> ModelRequest {
    let window = view.window(context);
    let (turns, question) = (turns_in_order(&window), view.question());
    let (reasons, disputes) = (view.reasons(), view.disputes());
    let aliases: Vec<String> = disputes.iter().map(|dispute| dispute.alias.clone()).collect();
    let discussed: Vec<String> = view.room.disputes().map(|dispute| dispute.to_string()).collect();
    let lines = view.aspect_lines(|_| true);
    let has_aspects = discussed.len() > 1;
    let aspects = if has_aspects { WORDS.fill("aspects", &[("aspects", &lines)]) } else { String::new() };
    let values = [
        ("topic", view.talk.topic.as_str()),
        ("place", view.room.opened.kind.noun()),
        ("question", question.as_str()),
        ("dispute", aliases.first().map_or("", String::as_str)),
        ("disputes", &discussed.join(", ")),
        ("aspects", &aspects),
        ("topic_dispute", &TOPIC.to_string()),
        ("turns", &prompts::clerk_lines(&turns, &view.talk.names)),
        ("reasons", &prompts::reason_lines(&reasons, &view.talk.names)),
    ];
    let given: Vec<String> = reasons.iter().map(|reason| reason.alias.clone()).collect();
    let sentences = window.sentence_names();
    let names = [
        ("dispute", aliases.clone()),
        ("sentence", sentences.clone()),
        ("evidence", sentences.clone()),
        ("reason", given.clone()),
        ("attacks", given.into_iter().chain(sentences.clone()).collect()),
        ("grants", sentences.clone()),
        ("conditions", sentences.clone()),
        ("settled_by", sentences.clone()),
        ("resolution", sentences),
    ];
    ModelRequest {
        system: WORDS.fill("clerk", &[]),
        text: WORDS.fill("extract", &values),
        schema: (schema::closed(schema::strict::<ExtractionReply>(), &names), "extraction"),
        work: TaskKind::ExtractCard { turns, disputes, reasons },
    }
}

/// Decodes the extraction of a card: the distilled turns, sides, reasons, concessions, conditions and criteria, and the
/// closing of the room with its card. `alike` is the share of common content words from which two questions count as the
/// same.
///
/// # Errors
/// [`Unreadable`] if the diagnosis is missing or a placeholder, or the reply has items and none of them could be used.
pub fn card(over: &RoomOver, alike: f64, text: &str) -> Result<Vec<Event>, Unreadable> {
    let reply = reply::read::<ExtractionReply>(text)?.value;
    let diagnosis = diagnosis(&reply.diagnosis)?;
    let window = over.view.window(&over.context);
    let matcher = QuestionMatcher { words: alike, likeness: None };
    let distillation = DisputeDistillation {
        disputes: Vec::new(),
        stances: reply.stances,
        reasons: reply.reasons,
        withdrawn: reply.withdrawn,
        concessions: reply.concessions,
        revised: Vec::new(),
        retired: Vec::new(),
    };
    let mut facts = crystallized(over.view.talk, &window, Bounds { disputes: 0, same: matcher }, distillation)?;
    let mut disputes = over.view.talk.disputes.clone();
    facts.iter().for_each(|fact| disputes.apply(&noted(fact)));
    let mut reading = Reading { over, window: &window, disputes, refused: Vec::new() };
    let criteria: Vec<Event> =
        reply.settled_by.iter().take(MAX_SENTENCES).filter_map(|name| reading.criterion(name)).collect();
    let conditions: Vec<FlipConditionStated> =
        reply.conditions.iter().take(MAX_SENTENCES).filter_map(|name| reading.condition(name)).collect();
    let resolution = named(reply.resolution.as_deref()).and_then(|name| reading.resolution(name));
    let outcome = reading.outcome();
    if let Some(Event::TurnsCrystallized(read)) = facts.first_mut() {
        read.turns.extend(window.older.iter().map(|turn| turn.turn));
        read.turns.sort_unstable();
        read.refused.append(&mut reading.refused);
        read.refused.truncate(decode::MAX_REFUSED);
    }
    let falsifiers = reading.falsifiers(&conditions);
    facts.extend(criteria);
    facts.extend(reading.unstated(conditions).map(Event::FlipConditionStated));
    let resolution = resolution.filter(|_| outcome == RoomOutcome::Resolved);
    let card = Card { kind: reply.kind.map(Into::into), diagnosis, resolution, falsifiers };
    let (room, reason) = (over.view.room.opened.room, over.reason.clone());
    facts.push(Event::RoomClosed(RoomClosed { room, outcome, reason, card: Some(card) }));
    Ok(facts)
}

/// Checks that a diagnosis says something.
fn diagnosis(given: &str) -> Result<String, Unreadable> {
    let text = given.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = text.to_lowercase();
    if bare.is_empty() || PLACEHOLDERS.contains(&bare.trim_end_matches('.')) {
        return Err(Unreadable::because("`diagnosis` says nothing").advise("say in a sentence why they disagree"));
    }
    let length = text.chars().count();
    if length > MAX_DIAGNOSIS_CHARS {
        return Err(Unreadable::because(format!(
            "`diagnosis` has {length} characters; at most {MAX_DIAGNOSIS_CHARS} are allowed"
        )));
    }
    Ok(text)
}

/// Reading of the sentences that a reply points at.
struct Reading<'a> {
    over: &'a RoomOver<'a>,
    window: &'a Window<'a>,
    /// Disputes after what the reply distilled.
    disputes: DisputeGraph,
    refused: Vec<String>,
}

impl Reading<'_> {
    fn usable<T>(&mut self, found: Result<T, String>) -> Option<T> {
        found.map_err(|reason| self.refused.push(reason)).ok()
    }

    /// Adds what a sentence says would settle the question, or the aspect on which it was said, to its criteria.
    fn criterion(&mut self, name: &str) -> Option<Event> {
        let (turn, speaker, words) = self.usable(self.window.new_sentence(name))?;
        let dispute = self.over.view.room.dispute_at(turn)?;
        let stated = StatedCriterion { dispute, speaker: &speaker, turn, text: &words, copied: Some(words.as_str()) };
        let revised = self.usable(criterion(&self.disputes, &self.over.view.talk.names, stated)).flatten()?;
        self.disputes.apply(&noted(&revised));
        Some(revised)
    }

    /// Returns the condition that a sentence states: about the aspect on which it was said, or else about the question.
    fn condition(&mut self, name: &str) -> Option<FlipConditionStated> {
        let (turn, speaker, quote) = self.usable(self.window.new_sentence(name))?;
        let dispute = self.over.view.room.dispute_at(turn);
        Some(FlipConditionStated { speaker, turn, quote, dispute, crux: None })
    }

    fn resolution(&mut self, name: &str) -> Option<String> {
        let (turn, speaker, words) = self.usable(self.window.new_sentence(name))?;
        Some(format!("{} in {turn}: \"{words}\"", self.over.view.talk.names.of(&speaker)))
    }

    /// Returns the last condition of each participant, as the card shows it: one about the question, or else one that was stated
    /// about nothing in particular. Those pointed at come before those that they recorded in the room themselves.
    fn falsifiers(&self, conditions: &[FlipConditionStated]) -> Vec<Falsifier> {
        let question = self.over.view.room.opened.dispute;
        let in_room = |stated: &&FlipConditionStated| self.window.fresh.iter().any(|turn| turn.turn == stated.turn);
        let is_open = |stated: &FlipConditionStated| {
            stated.dispute.is_none() && self.over.view.room.dispute_at(stated.turn) == question
        };
        let falsifiers = self.over.members.iter().filter_map(|speaker| {
            let pointed = || conditions.iter().filter(|stated| stated.speaker == *speaker);
            let own = || self.over.view.talk.flip_conditions.of(speaker).filter(in_room);
            let about = |stated: &&FlipConditionStated| stated.dispute == question;
            let stated = pointed()
                .rfind(about)
                .or_else(|| own().rfind(about))
                .or_else(|| pointed().chain(own()).rfind(|stated| is_open(stated)))?;
            Some(Falsifier { speaker: speaker.clone(), text: stated.quote.clone() })
        });
        falsifiers.collect()
    }

    /// Returns the conditions that no event states for this question yet.
    fn unstated(&self, conditions: Vec<FlipConditionStated>) -> impl Iterator<Item = FlipConditionStated> {
        let mut new: Vec<FlipConditionStated> = Vec::new();
        for stated in conditions {
            let is_same = |other: &FlipConditionStated| {
                other.turn == stated.turn && other.dispute == stated.dispute && other.quote.contains(&stated.quote)
            };
            let is_known = self.over.view.talk.flip_conditions.of(&stated.speaker).any(is_same);
            if !is_known && !new.iter().any(is_same) {
                new.push(stated);
            }
        }
        new.into_iter()
    }

    /// Resolved, if all members now stand on one side, yes or no; otherwise by what ended the discussion. In a private room, both
    /// must have said so there: what they said elsewhere resolves nothing in it.
    fn outcome(&self) -> RoomOutcome {
        let room = self.over.view.room;
        let dispute = room.opened.dispute;
        let stances = dispute.and_then(|id| self.disputes.disputes.get(&id)).map(|dispute| &dispute.stances);
        let on = |side: Side| {
            let is_there = |persona: &PersonaId| {
                let stance = stances.and_then(|it| it.get(persona));
                let is_said = |turn| room.opened.kind == RoomKind::Thread || room.turns.contains(turn);
                stance.is_some_and(|stance| stance.side == side && is_said(&stance.turn))
            };
            self.over.members.iter().all(is_there)
        };
        if on(Side::Yes) || on(Side::No) { RoomOutcome::Resolved } else { self.over.outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_that_says_nothing_is_no_card() {
        for text in ["", "  ", "See transcript.", "N/A", "none"] {
            assert!(diagnosis(text).is_err(), "{text:?}");
        }
        assert_eq!(diagnosis("They count  other\nyears.").as_deref(), Ok("They count other years."));
        assert!(diagnosis(&"x".repeat(MAX_DIAGNOSIS_CHARS + 1)).is_err());
    }
}
