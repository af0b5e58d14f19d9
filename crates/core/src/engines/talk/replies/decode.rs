//! Decodes participants' replies in a talk into events. Aliases are resolved or rejected one by one.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::{self, named, own_words};
use crate::engines::talk::crux_dispute::question_asked;
use crate::engines::talk::crux_naming::{NamedCrux, NamingTurn, name_crux};
use crate::engines::talk::ground_given;
use crate::engines::talk::replies::conditions::{settling, told_apart};
use crate::engines::talk::replies::criteria::{StatedCriterion, criterion, settled_by_condition};
use crate::engines::talk::replies::echoes;
use crate::engines::talk::replies::moves::{Moves, moves};
use crate::engines::talk::replies::schema::{ClosingReply, OpeningStatementReply, StanceReply, TurnReply};
use crate::engines::talk::state::{TOPIC, Talk};
use crate::events::crux::CruxAcknowledged;
use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CruxId, DebateId, DisputeId, PersonaId, TurnId};
use crate::events::receipt::PassageRef;
use crate::events::turn::{
    ConcessionEffect, ConcessionExtent, ConcessionMade, FlipConditionStated, Move, MoveQuote, TurnTaken,
};
use crate::kernel::reply::Unreadable;
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::crux_rooms::Room;
use crate::projections::disputes::dispute_graph::DisputeGraph;

/// Maximum length of a statement, in bytes; longer ones are rejected.
const MAX_STATEMENT_BYTES: usize = 1_000;
/// Maximum number of stances in a turn; an excess is rejected.
const MAX_STANCES: usize = 6;

/// State in which a participant's reply is decoded.
pub struct TalkContext<'a> {
    /// The talk so far.
    pub talk: &'a Talk,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Author of the reply.
    pub speaker: &'a PersonaId,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
    /// The room in which the turn is taken; `None` for the main channel.
    pub room: Option<&'a Room>,
}

impl TalkContext<'_> {
    /// Finds the words that the author copied from their text to take a side, as [`copied_words::words_of_side`].
    fn words_of_side(&self, text: &str, copied: &str, taken: (DisputeId, Side)) -> Result<String, String> {
        let Talk { disputes, names, .. } = self.talk;
        copied_words::words_of_side((disputes, names), (self.speaker, text, copied), taken)
    }

    /// Returns the events of the author taking a side. In a room, a side taken before is recorded once more, in words said
    /// there; and so is, anywhere, one of which they now state another confidence.
    fn stance(&self, position: StatedSide) -> Vec<Event> {
        let is_new_here = self.room.is_some_and(|room| {
            room.opened.dispute == Some(position.dispute) && !room.stances.contains_key(self.speaker)
        });
        let before = self.talk.disputes.disputes.get(&position.dispute).and_then(|it| it.stances.get(self.speaker));
        let stated = position.confidence.map(unit);
        let is_surer = stated.is_some() && before.is_some_and(|held| held.confidence != stated);
        match stance(&self.talk.disputes, self.speaker, self.turn, position.clone()) {
            events if events.is_empty() && (is_new_here || is_surer) => {
                vec![taken_side(self.speaker, self.turn, position)]
            }
            events => events,
        }
    }
}

/// Decodes an opening statement into its turn and the stance on the topic.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long.
pub fn opened(at: &TalkContext, reply: OpeningStatementReply) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    let side = reply.stance.into();
    let stance = match at.words_of_side(&reply.text, &reply.stance_words, (TOPIC, side)) {
        Ok(words) => at.stance(StatedSide { dispute: TOPIC, side, confidence: None, words }),
        // Nobody needs words to be undecided.
        Err(reason) => {
            refused.extend((side != Side::Undecided).then_some(reason));
            Vec::new()
        }
    };
    let said = Said { text: &reply.text, moves: Moves::only(Move::Claim), answers: None, passages: &reply.passages };
    Ok(std::iter::once(turn(at, said, refused)?).chain(stance).collect())
}

/// Decodes a turn, with its crux and stances.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn.
pub fn spoken(at: &TalkContext, reply: TurnReply) -> Result<Vec<Event>, Unreadable> {
    echoes::refuse(&reply.text, &at.talk.transcript, at.speaker)?;
    said(at, reply)
}

/// Decodes an entry statement in a room, like [`spoken`]. Its speaker may say again what they said before.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else.
pub fn entered(at: &TalkContext, reply: TurnReply) -> Result<Vec<Event>, Unreadable> {
    echoes::refuse_others(&reply.text, &at.talk.transcript, at.speaker)?;
    said(at, reply)
}

/// Decodes a turn that everybody takes at the same moment, before anybody has spoken: nobody repeats anybody.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long.
pub fn said(at: &TalkContext, reply: TurnReply) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    let mut moves = moves(&reply.text, reply.moves, &mut refused);
    let conceding = moves.quotes.iter().find(|quoted| quoted.talk_move == Move::Concede);
    let check = |quoted: &MoveQuote| {
        let why = ground_given::check(&at.talk.names, at.speaker, &quoted.quote).err()?;
        Some(format!("concedes in {}, {why}", view_prompts::excerpt(&quoted.quote)))
    };
    if let Some(reason) = conceding.and_then(check) {
        refused.push(reason);
        moves.remove(Move::Concede);
    }
    let answers = named(reply.answers.as_deref()).and_then(|alias| match answered(at, alias) {
        Ok(turn) => Some(turn),
        Err(reason) => {
            refused.push(reason);
            None
        }
    });
    let naming = moves.quotes.iter().find(|quoted| quoted.talk_move == Move::ProposeCrux);
    let named = NamedCrux { statement: reply.crux.as_deref(), words: naming.map(|quoted| quoted.quote.as_str()) };
    let mut facts = crux(at, &reply.text, named, &mut refused);
    if facts.iter().any(|fact| matches!(fact, Event::CruxProposed(_))) {
        moves.add(Move::ProposeCrux);
    } else {
        moves.remove(Move::ProposeCrux);
    }
    let agreed = Agreed { crux: reply.agrees_with.as_deref(), words: reply.agreement_words.as_deref() };
    add_agreement(at, &reply.text, agreed, &mut facts, &mut refused);
    let about = reply.would_change.as_deref().and_then(|words| settled_by_condition(&reply.stances, words));
    let (stated, condition) = told_apart(reply.stances, reply.would_change.as_deref(), &mut refused);
    facts.extend(stances(at, &reply.text, stated, &mut refused));
    facts.extend(flip_condition(at, &reply.text, (condition, about), &mut refused));
    if moves.made.is_empty() {
        moves.add(Move::Clarify);
    }
    let said = Said { text: &reply.text, moves, answers, passages: &reply.passages };
    Ok(std::iter::once(turn(at, said, refused)?).chain(facts).collect())
}

/// Decodes a closing statement, with its crux and stances.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else. Last words may say again what
/// their speaker said.
pub fn closed(at: &TalkContext, reply: ClosingReply) -> Result<Vec<Event>, Unreadable> {
    echoes::refuse_others(&reply.text, &at.talk.transcript, at.speaker)?;
    let mut refused = Vec::new();
    let named = NamedCrux { statement: reply.core_question.as_deref(), words: reply.core_words.as_deref() };
    let mut facts = crux(at, &reply.text, named, &mut refused);
    let is_proposed = facts.iter().any(|fact| matches!(fact, Event::CruxProposed(_)));
    let moves = Moves::only(if is_proposed { Move::ProposeCrux } else { Move::Clarify });
    let agreed = Agreed { crux: reply.agrees_with.as_deref(), words: reply.agreement_words.as_deref() };
    add_agreement(at, &reply.text, agreed, &mut facts, &mut refused);
    let about = reply.would_change.as_deref().and_then(|words| settled_by_condition(&reply.stances, words));
    let (stated, condition) = told_apart(reply.stances, reply.would_change.as_deref(), &mut refused);
    facts.extend(stances(at, &reply.text, stated, &mut refused));
    facts.extend(flip_condition(at, &reply.text, (condition, about), &mut refused));
    let said = Said { text: &reply.text, moves, answers: None, passages: &reply.passages };
    Ok(std::iter::once(turn(at, said, refused)?).chain(facts).collect())
}

/// Crux that a reply agrees with, and the words that say so.
struct Agreed<'a> {
    crux: Option<&'a str>,
    words: Option<&'a str>,
}

struct Said<'a> {
    text: &'a str,
    moves: Moves,
    answers: Option<TurnId>,
    passages: &'a [String],
}

fn turn(at: &TalkContext, said: Said, mut refused: Vec<String>) -> Result<Event, Unreadable> {
    let text = said.text.trim();
    if text.is_empty() {
        return Err(Unreadable::because("the text is empty").advise("write the text of the turn"));
    }
    let most = at.talk.max_speech_bytes;
    if text.len() > most {
        return Err(Unreadable::because(format!("the text has {} bytes; at most {most} are allowed", text.len())));
    }
    let citations = view_prompts::citations(said.passages, at.grounds, &mut refused);
    Ok(Event::TurnTaken(TurnTaken {
        preparation: None,
        turn: at.turn,
        speaker: at.speaker.clone(),
        round: None,
        room: at.room.map(|room| room.opened.room),
        moves: said.moves.made,
        move_quotes: said.moves.quotes,
        answers: said.answers,
        text: text.to_owned(),
        citations,
        dangling: view_prompts::dangling(&refused),
        refused,
    }))
}

/// Checks that a statement is neither empty nor too long.
///
/// # Errors
/// A message that describes the problem.
pub fn statement(what: &str, given: &str) -> Result<String, String> {
    let given = given.trim();
    match given.len() {
        0 => Err(format!("a {what} is empty")),
        n if n > MAX_STATEMENT_BYTES => {
            Err(format!("a {what} has {n} bytes; at most {MAX_STATEMENT_BYTES} are allowed"))
        }
        _ => Ok(given.to_owned()),
    }
}

/// Maximum number of characters of a remark that has no effect.
const MAX_REMARK_CHARS: usize = 300;

/// Trims a remark that has no effect and cuts it to its maximum length.
pub fn clipped(given: &str) -> String {
    cut(given.trim(), MAX_REMARK_CHARS)
}

/// First characters of a text, at most as many as given: cut between words if possible, with an ellipsis.
pub fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most - 1).filter(|(at, _)| text[*at..].chars().nth(1).is_some())
    else {
        return text.to_owned();
    };
    let kept = text[..end].rfind(' ').unwrap_or(end);
    format!("{}…", text[..kept].trim_end())
}

/// Clamps a value to the range 0 to 1; NaN becomes 0.
pub fn unit(given: f64) -> f64 {
    if given.is_nan() { 0.0 } else { given.clamp(0.0, 1.0) }
}

fn answered(at: &TalkContext, alias: &str) -> Result<TurnId, String> {
    let turn: Option<TurnId> = alias.trim_matches(['[', ']']).parse().ok();
    let there = turn.and_then(|turn| at.talk.transcript.get(turn));
    match there {
        None => Err(format!("answers {}, which {}", view_prompts::excerpt(alias), at.talk.unknown("a turn"))),
        Some(it) if it.speaker.as_ref() == Some(at.speaker) => {
            Err(format!("answers {}, which is the speaker's own turn", it.turn))
        }
        // What is said in a room is answered there.
        Some(it) if it.room.is_some() && it.room != at.room.map(|room| room.opened.room) => {
            Err(format!("answers {}, which was said in another room", it.turn))
        }
        Some(it) => Ok(it.turn),
    }
}

/// Decodes a crux that a reply names. An agreement raises the dispute that asks its question.
fn crux(at: &TalkContext, text: &str, given: NamedCrux, refused: &mut Vec<String>) -> Vec<Event> {
    let TalkContext { talk, turn, speaker, .. } = *at;
    let asks_topic = |statement: &str| talk.disputes.asks_topic(&talk.topic, statement);
    let next = talk.next_crux.unwrap_or_else(|| talk.cruxes.next_crux());
    match name_crux(&NamingTurn { cruxes: &talk.cruxes, next, speaker, turn, text }, given, asks_topic) {
        Ok(Some(Event::CruxAcknowledged(agreed))) => {
            let asked = talk.cruxes.cruxes.get(&agreed.crux).and_then(|crux| asked_by(talk, crux, turn));
            std::iter::once(Event::CruxAcknowledged(agreed)).chain(asked).collect()
        }
        Ok(named) => named.into_iter().collect(),
        Err(reason) => {
            refused.push(reason);
            Vec::new()
        }
    }
}

/// Returns the event that asks the question of a crux on which somebody agrees in a turn, if any.
fn asked_by(talk: &Talk, crux: &ProposedCrux, turn: TurnId) -> Option<Event> {
    question_asked(&talk.disputes, &talk.names.of(&crux.proposed.speaker), crux, turn)
}

/// Adds the agreement that a reply states, unless the crux that it names agrees already: a turn agrees with one crux.
fn add_agreement(at: &TalkContext, text: &str, agreed: Agreed, facts: &mut Vec<Event>, refused: &mut Vec<String>) {
    let by_naming = facts.iter().find_map(|fact| match fact {
        Event::CruxAcknowledged(by) => Some(by.crux),
        _ => None,
    });
    match (by_naming, named(agreed.crux)) {
        (None, _) => facts.extend(agreement(at, text, agreed, refused)),
        (Some(crux), Some(alias)) if alias.parse() != Ok(crux) => {
            refused.push(format!("agrees with {} besides {crux}", view_prompts::excerpt(alias)));
        }
        (Some(_), _) => {}
    }
}

/// Decodes an agreement with a crux, and raises the dispute that asks its question.
fn agreement(at: &TalkContext, text: &str, agreed: Agreed, refused: &mut Vec<String>) -> Vec<Event> {
    let Some(alias) = named(agreed.crux) else { return Vec::new() };
    let crux: Option<CruxId> = alias.parse().ok();
    let Some((crux, it)) = crux.and_then(|id| at.talk.cruxes.cruxes.get_key_value(&id)) else {
        refused.push(format!("agrees with {}, which {}", view_prompts::excerpt(alias), at.talk.unknown("a crux")));
        return Vec::new();
    };
    if it.proposed.speaker == *at.speaker {
        refused.push(format!("agrees with {crux}, which is the speaker's own"));
        return Vec::new();
    }
    if it.acknowledged.iter().any(|acknowledgement| acknowledgement.speaker == *at.speaker) {
        return Vec::new();
    }
    let (crux, cites) = (*crux, it.proposed.turn);
    match own_words(text, agreed.words.unwrap_or_default(), &format!("states agreement with {crux}")) {
        Ok(words) => {
            let (speaker, turn, quote) = (at.speaker.clone(), at.turn, Some(words));
            let agreed = CruxAcknowledged { crux, speaker, turn, cites, quote };
            let asked = asked_by(at.talk, it, at.turn);
            std::iter::once(Event::CruxAcknowledged(agreed)).chain(asked).collect()
        }
        Err(reason) => {
            refused.push(reason);
            Vec::new()
        }
    }
}

/// Decodes the condition under which the speaker would change their mind.
fn flip_condition(
    at: &TalkContext,
    text: &str,
    (copied, about): (Option<&str>, Option<DisputeId>),
    refused: &mut Vec<String>,
) -> Option<Event> {
    match own_words(text, named(copied)?, "states a flip condition") {
        Ok(quote) => {
            let (speaker, turn) = (at.speaker.clone(), at.turn);
            // In a room, a condition concerns the aspect under discussion, or else the question.
            let about = at.room.map_or(about, Room::present_dispute);
            let dispute = about.filter(|id| *id != TOPIC && at.talk.disputes.disputes.contains_key(id));
            Some(Event::FlipConditionStated(FlipConditionStated { speaker, turn, quote, dispute, crux: None }))
        }
        Err(reason) => {
            refused.push(reason);
            None
        }
    }
}

/// Decodes stances, each with words of the text. Repeating a side has no effect; changing it is a concession.
fn stances(at: &TalkContext, text: &str, given: Vec<StanceReply>, refused: &mut Vec<String>) -> Vec<Event> {
    if given.len() > MAX_STANCES {
        refused.push(format!("{} stances, of which the first {MAX_STANCES} are considered", given.len()));
    }
    let mut seen: Vec<DisputeId> = Vec::new();
    let mut facts = Vec::new();
    for told in given.into_iter().take(MAX_STANCES) {
        let dispute: Option<DisputeId> = told.dispute.trim().parse().ok();
        let there = dispute.filter(|dispute| at.talk.disputes.not_retired().any(|(id, _)| id == *dispute));
        match there {
            None => refused
                .push(format!("takes a side on {}, which is not a dispute", view_prompts::excerpt(&told.dispute))),
            Some(dispute) if seen.contains(&dispute) => refused.push(format!("takes two sides on {dispute}")),
            Some(dispute) => {
                seen.push(dispute);
                let side = told.side.into();
                match at.words_of_side(text, &told.words, (dispute, side)) {
                    Ok(words) => {
                        let confidence = told.confidence;
                        let position = StatedSide { dispute, side, confidence, words };
                        facts.extend(at.stance(position));
                    }
                    Err(reason) => refused.push(reason),
                }
                let (speaker, turn, copied) = (at.speaker, at.turn, settling(&told));
                let stated = StatedCriterion { dispute, speaker, turn, text, copied };
                match criterion(&at.talk.disputes, &at.talk.names, stated) {
                    Ok(revised) => facts.extend(revised),
                    Err(reason) => refused.push(reason),
                }
            }
        }
    }
    facts
}

/// A side of a dispute, in words of the turn that takes it.
#[derive(Clone, Debug)]
pub struct StatedSide {
    /// The dispute.
    pub dispute: DisputeId,
    /// The side.
    pub side: Side,
    /// Confidence in the side, if the speaker expressed any; clamped to the range from 0 to 1.
    pub confidence: Option<f64>,
    /// Words of the turn that state it.
    pub words: String,
}

/// Returns the events of a participant taking a side in words of the turn, including the concession if they change
/// sides; none if they took it already.
pub fn stance(disputes: &DisputeGraph, speaker: &PersonaId, turn: TurnId, position: StatedSide) -> Vec<Event> {
    let StatedSide { dispute, side, confidence, words } = position;
    let before = disputes.disputes.get(&dispute).and_then(|dispute| dispute.stances.get(speaker));
    if before.is_some_and(|stance| stance.side == side) {
        return Vec::new();
    }
    let kind = match (before.map(|stance| stance.side), side) {
        (Some(Side::Yes), Side::No) | (Some(Side::No), Side::Yes) => Some(ConcessionExtent::Full),
        (Some(Side::Yes | Side::No), Side::Nuanced | Side::Undecided) => Some(ConcessionExtent::Partial),
        _ => None,
    };
    let (speaker, quote) = (speaker.clone(), Some(words.clone()));
    let effect = ConcessionEffect::Moved { dispute, to: side };
    let conceded = kind.map(|kind| {
        let (speaker, what) = (speaker.clone(), words.clone());
        Event::ConcessionMade(ConcessionMade { turn, speaker, kind, what, effect, quote, granted: None })
    });
    let taken = taken_side(&speaker, turn, StatedSide { dispute, side, confidence, words });
    conceded.into_iter().chain([taken]).collect()
}

/// Returns the event of a participant taking a side in words of the turn.
fn taken_side(speaker: &PersonaId, turn: TurnId, position: StatedSide) -> Event {
    let StatedSide { dispute, side, confidence, words } = position;
    let (speaker, confidence, quote) = (speaker.clone(), confidence.map(unit), Some(words));
    Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, confidence, quote })
}

/// Maximum number of rejections recorded in one event.
pub const MAX_REFUSED: usize = 40;

/// Wraps an event as if it were recorded, so that later events of the same reply can be checked against it. Ids are
/// nil, and the time is the epoch.
pub fn noted(event: &Event) -> Recorded {
    Recorded {
        id: Uuid::nil(),
        debate: DebateId(Uuid::nil()),
        version: 0,
        lane: 0,
        position: 0,
        at: DateTime::<Utc>::UNIX_EPOCH,
        caused_by: None,
        event: event.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::talk::sample::{persona, talk};

    #[test]
    fn words_that_answer_their_author_take_no_side() {
        let talk = talk(&["ada", "ben"], &["ada: The boat is too old."]);
        let speaker = persona("ada");
        let at = TalkContext { talk: &talk, turn: TurnId(2), speaker: &speaker, grounds: &[], room: None };
        let refused = "states the side no on d1 in \"I disagree with Ada's argument.\", which answers its own speaker";
        for (text, expected) in
            [("I disagree with Ben's argument.", (1, None)), ("I disagree with Ada's argument.", (0, Some(refused)))]
        {
            let reply = json!({ "text": text, "stance_words": text, "stance": "no" });
            let events = opened(&at, serde_json::from_value(reply).expect("a reply")).expect("a turn");
            let n_sides = events.iter().filter(|event| matches!(event, Event::StanceTaken(_))).count();
            let reasons = events.iter().find_map(|event| match event {
                Event::TurnTaken(taken) => taken.refused.first().map(String::as_str),
                _ => None,
            });
            assert_eq!((n_sides, reasons), expected, "{text}");
        }
    }
}
