//! Aspects of a panel: a clerk names narrower questions that came up in what the two participants said, and each becomes a
//! dispute, unless a dispute asks it already.

use crate::engines::crux_rooms::discussion::ASPECTS;
use crate::engines::crux_rooms::panel::MAX_ASPECTS;
use crate::engines::crux_rooms::schema::{AspectReply, AspectsReply};
use crate::engines::crux_rooms::words::WORDS;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::question_matching::{Matched, QuestionMatcher, asked_before};
use crate::engines::talk::raised_question::question;
use crate::engines::talk::replies::decode::{MAX_REFUSED, cut, noted};
use crate::engines::talk::rooms::room_view::{RoomView, turns_in_order};
use crate::engines::talk::rooms::words::WORDS as CLERK_WORDS;
use crate::engines::talk::state::Window;
use crate::events::channel::{RoomAspect, RoomAspectsNamed};
use crate::events::dispute::DisputeRaised;
use crate::events::event::Event;
use crate::events::ids::{DisputeId, TurnId};
use crate::kernel::engine::EngineReply;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::projection::Projection;
use crate::projections::transcript::Turn;

/// Maximum number of the participants' latest turns in the channel that are read.
const MAX_CHANNEL_TURNS: usize = 12;
/// Maximum number of characters of a label.
const MAX_LABEL_CHARS: usize = 60;

/// Prepares the request to name the aspects of a room's question.
pub fn request(view: RoomView) -> ModelRequest {
    let window = window(view);
    let turns = turns_in_order(&window);
    let (question, disputes) = (view.question(), prompts::disputes(&view.talk.disputes));
    let values = [
        ("topic", view.talk.topic.as_str()),
        ("question", question.as_str()),
        ("turns", &prompts::clerk_lines(&turns, &view.talk.names)),
        ("disputes", &prompts::dispute_lines(&disputes, &view.talk.names)),
        ("most", &MAX_ASPECTS.to_string()),
    ];
    let names = [("sentences", window.sentence_names())];
    let participants = view.room.opened.participants.clone();
    ModelRequest {
        system: CLERK_WORDS.fill("clerk", &[]),
        text: WORDS.fill(ASPECTS, &values),
        schema: (schema::closed(schema::strict::<AspectsReply>(), &names), "aspects"),
        work: TaskKind::NameAspects { turns, dispute: view.dispute(), participants, most: MAX_ASPECTS },
    }
}

/// Returns the texts whose semantic similarity is needed to decode a reply.
pub fn similarity_inputs(disputes: &DisputeGraph, text: &str) -> Vec<String> {
    let named = reply::read::<AspectsReply>(text).map(|reply| reply.value.aspects).unwrap_or_default();
    if named.is_empty() {
        return Vec::new();
    }
    let known = disputes.not_retired().flat_map(|(_, dispute)| dispute.worded()).map(|(wording, _)| wording.to_owned());
    named.into_iter().map(|aspect| aspect.question.trim().to_owned()).chain(known).collect()
}

/// Decodes the aspects. An empty list is an answer: nothing narrower than the question came up.
///
/// # Errors
/// [`Unreadable`] if the reply names aspects and none of them could be used.
pub fn named(view: RoomView, alike: f64, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
    let given = reply::read::<AspectsReply>(reply.text)?.value.aspects;
    let matcher = QuestionMatcher { words: alike, likeness: reply.likeness };
    let disputes = view.talk.disputes.clone();
    let mut naming = Naming { view, window: window(view), matcher, disputes, raised: Vec::new(), aspects: Vec::new() };
    let (n_given, mut refused) = (given.len(), Vec::new());
    if n_given > MAX_ASPECTS {
        refused.push(format!("{n_given} aspects, of which the first {MAX_ASPECTS} are considered"));
    }
    refused.extend(given.into_iter().take(MAX_ASPECTS).filter_map(|aspect| naming.take(aspect).err()));
    let Naming { raised, aspects, .. } = naming;
    if n_given > 0 && aspects.is_empty() {
        return Err(Unreadable::because(format!("no aspect could be used: {}", refused.join("; ")))
            .advise("name narrower questions than that of the room, each with a sentence in which it comes up"));
    }
    refused.truncate(MAX_REFUSED);
    let room = view.room.opened.room;
    let named = Event::RoomAspectsNamed(RoomAspectsNamed { room, aspects, refused });
    Ok(raised.into_iter().chain([named]).collect())
}

/// Returns the latest turns of the participants in the channel before both had entered, and those of the room. What is said in the
/// channel meanwhile does not move it.
fn window(view: RoomView<'_>) -> Window<'_> {
    let is_theirs =
        |turn: &&Turn| view.room.opened.participants.iter().any(|persona| turn.speaker.as_ref() == Some(persona));
    let here = view.window(&[]).fresh;
    let entered = here.last().map(|turn| turn.turn);
    let is_before = |turn: &&Turn| entered.is_none_or(|entered| turn.turn < entered);
    let channel: Vec<&Turn> = view.talk.channel_turns().filter(is_theirs).filter(is_before).collect();
    let from = channel.len().saturating_sub(MAX_CHANNEL_TURNS);
    Window { older: Vec::new(), fresh: channel[from..].iter().copied().chain(here).collect() }
}

/// Aspects under construction.
struct Naming<'a> {
    view: RoomView<'a>,
    window: Window<'a>,
    matcher: QuestionMatcher<'a>,
    /// Disputes, with those raised for aspects.
    disputes: DisputeGraph,
    raised: Vec<Event>,
    aspects: Vec<RoomAspect>,
}

impl Naming<'_> {
    fn take(&mut self, given: AspectReply) -> Result<(), String> {
        let question = question(self.view.talk, &given.question)?;
        let asked = view_prompts::excerpt(&question);
        if self.disputes.asks_topic(&self.view.talk.topic, &question) {
            return Err("names the topic as an aspect".to_owned());
        }
        if self.matcher.of(&self.view.room.opened.question, &question).is_some() {
            return Err(format!("asks the question of the room: {asked}"));
        }
        let turns = self.turns(&given.sentences)?;
        // A mirrored question asks something else: no to one says nothing about the other.
        let known = asked_before(self.matcher, &self.disputes, &question)
            .filter(|(_, found)| found.matched != Matched::Mirrored)
            .map(|(dispute, _)| dispute);
        if known.and_then(|dispute| self.disputes.disputes.get(&dispute)).is_some_and(|dispute| dispute.is_topic) {
            return Err("names the topic as an aspect".to_owned());
        }
        if known.is_some() && known == self.view.room.opened.dispute {
            return Err(format!("asks the question of the room: {asked}"));
        }
        if self.aspects.iter().any(|aspect| Some(aspect.dispute) == known) {
            return Err(format!("asks twice: {asked}"));
        }
        let dispute = known.unwrap_or_else(|| self.raise(question.clone(), turns));
        let label = given.label.split_whitespace().collect::<Vec<_>>().join(" ");
        let label = if label.is_empty() { question } else { label };
        self.aspects.push(RoomAspect { dispute, label: cut(&label, MAX_LABEL_CHARS) });
        Ok(())
    }

    /// Resolves the sentences in which an aspect comes up to their turns.
    fn turns(&self, sentences: &[String]) -> Result<Vec<TurnId>, String> {
        let mut turns: Vec<TurnId> = Vec::new();
        for name in sentences {
            let (turn, ..) = self.window.new_sentence(name)?;
            if !turns.contains(&turn) {
                turns.push(turn);
            }
        }
        turns.sort_unstable();
        if turns.is_empty() {
            Err("names an aspect without a sentence in which it comes up".to_owned())
        } else {
            Ok(turns)
        }
    }

    fn raise(&mut self, question: String, turns: Vec<TurnId>) -> DisputeId {
        let dispute = self.disputes.next_dispute();
        let raised = Event::DisputeRaised(DisputeRaised { turns, ..DisputeRaised::bare(dispute, question, false) });
        self.disputes.apply(&noted(&raised));
        self.raised.push(raised);
        dispute
    }
}
