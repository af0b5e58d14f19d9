//! Validates events of the main channel in external events: the floor, skipped turns, the findings of a detector, and the
//! aspects, stages, judgements and exit checks of rooms.

use std::collections::BTreeMap;

use crate::events::channel::{
    AgendaSet, AttentionScored, DetectedDisagreement, DisagreementsDetected, ExitChecked, RoomAspectsNamed, RoomStage,
    RoomStageEntered, StatedWords, SteelmanJudged, TurnSkipped,
};
use crate::events::event::Event;
use crate::events::ids::{CandidateId, DisputeId, PersonaId};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, conflict, dispute, next, own_words, present, share, turn};
use crate::kernel::external::rooms::{check_inside, check_room_turn, open_room};
use crate::projections::room_candidates::{MAX_UNSEEN, pair};
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of candidates for rooms in an external debate.
pub const MAX_CANDIDATES: usize = 1_000;
/// Maximum number of aspects of one room in an external debate.
pub const MAX_ASPECTS: usize = 12;

/// Checks whether an event of the main channel, or an exit check of a room, is consistent with the debate; accepts all
/// other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_channel(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::FloorGiven(it) => {
            present(read_model, &it.speaker)?;
            if let Some(room) = it.room {
                check_inside(open_room(read_model, room)?, &it.speaker)?;
            }
            it.attention.map_or(Ok(()), |attention| share("attention", attention))?;
            check_not_blank("reason", &it.reason)
        }
        Event::AttentionScored(it) => scored(read_model, it),
        Event::AgendaSet(it) => {
            agenda(read_model, it)?;
            check_not_blank("reason", &it.reason)
        }
        Event::TurnSkipped(it) => skipped(read_model, it),
        Event::DisagreementsDetected(it) => detected(read_model, it),
        Event::RoomAspectsNamed(it) => aspects_named(read_model, it),
        Event::RoomStageEntered(it) => stage_entered(read_model, it),
        Event::SteelmanJudged(it) => steelman_judged(read_model, it),
        Event::ExitChecked(it) => exit_checked(read_model, it),
        _ => Ok(()),
    }
}

/// Checks that the agenda lists disputes besides the topic, each once.
fn agenda(read_model: &DebateReadModel, it: &AgendaSet) -> Result<(), Refusal> {
    for (at, id) in it.disputes.iter().enumerate() {
        if dispute(read_model, *id)?.is_topic {
            return Err(Refusal::invalid(format!("{id} asks the topic, which is always discussed; leave it out")));
        }
        if it.disputes[..at].contains(id) {
            return Err(Refusal::invalid(format!("{id} is listed twice")));
        }
    }
    Ok(())
}

/// Checks that the attention of others to a participant's turn was scored, each once.
fn scored(read_model: &DebateReadModel, it: &AttentionScored) -> Result<(), Refusal> {
    turn(read_model, it.turn)?;
    if read_model.attention.turns.contains_key(&it.turn) {
        return Err(conflict(format!("the attention to {} was scored before", it.turn)));
    }
    let author = read_model.transcript.turn(it.turn).and_then(|turn| turn.speaker.as_ref());
    if author.is_none() {
        return Err(Refusal::invalid(format!("{} is no turn of a participant", it.turn)));
    }
    for (at, score) in it.scores.iter().enumerate() {
        let participant = &score.participant;
        present(read_model, participant)?;
        share("score", score.score)?;
        share("similarity", score.similarity)?;
        if author == Some(participant) {
            return Err(Refusal::invalid(format!("{participant} is the speaker of {}; score the others", it.turn)));
        }
        if it.scores[..at].iter().any(|other| other.participant == *participant) {
            return Err(Refusal::invalid(format!("{participant} is scored twice")));
        }
    }
    Ok(())
}

fn skipped(read_model: &DebateReadModel, it: &TurnSkipped) -> Result<(), Refusal> {
    present(read_model, &it.speaker)?;
    if let Some(room) = it.room {
        check_inside(open_room(read_model, room)?, &it.speaker)?;
    }
    check_not_blank("reason", &it.reason)
}

fn detected(read_model: &DebateReadModel, it: &DisagreementsDetected) -> Result<(), Refusal> {
    if it.turns.is_empty() {
        return Err(Refusal::invalid("the window has no turns; list the turns that the detector read"));
    }
    it.turns.iter().try_for_each(|id| turn(read_model, *id))?;
    // Pairs of participants of the candidates that begin in this window.
    let mut begun: BTreeMap<CandidateId, [&PersonaId; 2]> = BTreeMap::new();
    for seen in &it.found {
        disagreement(read_model, seen)?;
        let known = match begun.get(&seen.candidate) {
            Some(known) => *known,
            None => match tracked(read_model, seen.candidate)? {
                Some(known) => known,
                None => {
                    check_count("candidates", read_model.candidates.candidates.len() + begun.len(), MAX_CANDIDATES)?;
                    let unused = read_model.candidates.next_candidate();
                    let unused = begun.last_key_value().map_or(unused, |(last, _)| CandidateId(last.0 + 1));
                    next("candidate", &seen.candidate, &unused)?;
                    *begun.entry(seen.candidate).or_insert(pair(seen))
                }
            },
        };
        if known != pair(seen) {
            let ([one, other], candidate) = (known, seen.candidate);
            return Err(Refusal::invalid(format!(
                "the candidate {candidate} is a disagreement of {one} and {other}; another pair is another candidate"
            )));
        }
    }
    Ok(())
}

/// Checks the question, the confidence and the words of a disagreement.
fn disagreement(read_model: &DebateReadModel, seen: &DetectedDisagreement) -> Result<(), Refusal> {
    check_not_blank("question", &seen.question)?;
    share("confidence", seen.confidence)?;
    if seen.yes.speaker == seen.no.speaker {
        let speaker = &seen.yes.speaker;
        return Err(Refusal::invalid(format!(
            "the words for yes and for no are both {speaker}'s; a disagreement needs two participants"
        )));
    }
    stated(read_model, &seen.yes, "words for yes")?;
    stated(read_model, &seen.no, "words for no")
}

fn stated(read_model: &DebateReadModel, words: &StatedWords, what: &str) -> Result<(), Refusal> {
    own_words(read_model, &words.speaker, words.turn, (what, Some(&words.quote)))
}

/// Returns the participants of a known candidate; `None` for one that no window contained yet.
fn tracked(read_model: &DebateReadModel, id: CandidateId) -> Result<Option<[&PersonaId; 2]>, Refusal> {
    let Some(known) = read_model.candidates.candidates.get(&id) else { return Ok(None) };
    if known.is_expired {
        let unused = read_model.candidates.next_candidate();
        return Err(conflict(format!(
            "the candidate {id} expired after {MAX_UNSEEN} windows without it; the next candidate is {unused}"
        )));
    }
    Ok(known.pair())
}

/// Checks that the aspects of a room are named once, before its stages, and that each is a dispute of its own.
fn aspects_named(read_model: &DebateReadModel, it: &RoomAspectsNamed) -> Result<(), Refusal> {
    let room = open_room(read_model, it.room)?;
    let id = it.room;
    if room.aspects.is_some() || !room.stages.is_empty() {
        return Err(conflict(format!("the aspects of the room {id} are named once, before its first stage")));
    }
    let n_aspects = it.aspects.len();
    if n_aspects > MAX_ASPECTS {
        let reason = format!("a room can have at most {MAX_ASPECTS} aspects; {n_aspects} were given");
        return Err(Refusal::limit("aspects", MAX_ASPECTS as u64, n_aspects as u64, reason));
    }
    for (at, aspect) in it.aspects.iter().enumerate() {
        let named = aspect.dispute;
        check_not_blank("label", &aspect.label)?;
        if dispute(read_model, named)?.is_topic || room.opened.dispute == Some(named) {
            return Err(Refusal::invalid(format!(
                "{named} asks the topic or the question of the room {id}; an aspect is a narrower question"
            )));
        }
        if it.aspects[..at].iter().any(|other| other.dispute == named) {
            return Err(Refusal::invalid(format!("{named} is listed twice")));
        }
    }
    Ok(())
}

/// Checks that a room enters its stages in their order, each once.
fn stage_entered(read_model: &DebateReadModel, it: &RoomStageEntered) -> Result<(), Refusal> {
    let due = open_room(read_model, it.room)?.next_stages();
    if due.contains(&(it.stage, it.aspect)) {
        return Ok(());
    }
    let named = |(stage, aspect): &(RoomStage, Option<DisputeId>)| {
        aspect.map_or_else(|| stage.name().to_owned(), |aspect| format!("{} on {aspect}", stage.name()))
    };
    let expected: Vec<String> = due.iter().map(named).collect();
    let expected = if due.is_empty() { "there is none".to_owned() } else { format!("it is {}", expected.join(" or ")) };
    let entered = named(&(it.stage, it.aspect));
    Err(conflict(format!("{entered} is not the next stage of the room {}; {expected}", it.room)))
}

fn steelman_judged(read_model: &DebateReadModel, it: &SteelmanJudged) -> Result<(), Refusal> {
    let room = open_room(read_model, it.room)?;
    check_inside(room, &it.speaker)?;
    [it.steelman, it.turn].into_iter().try_for_each(|id| {
        turn(read_model, id)?;
        check_room_turn(room, id)
    })?;
    own_words(read_model, &it.speaker, it.turn, ("judgement", Some(&it.quote)))?;
    let author = read_model.transcript.turn(it.steelman).and_then(|turn| turn.speaker.as_ref());
    if author.is_none_or(|author| *author == it.speaker) {
        let (speaker, steelman) = (&it.speaker, it.steelman);
        return Err(Refusal::invalid(format!(
            "{speaker} cannot judge {steelman}, which is not a turn of another participant"
        )));
    }
    Ok(())
}

fn exit_checked(read_model: &DebateReadModel, it: &ExitChecked) -> Result<(), Refusal> {
    let room = open_room(read_model, it.room)?;
    turn(read_model, it.turn)?;
    check_room_turn(room, it.turn)?;
    check_not_blank("reason", &it.reason)?;
    let mut speakers: Vec<&PersonaId> = Vec::new();
    for words in &it.words {
        check_inside(room, &words.speaker)?;
        stated(read_model, words, "exit check")?;
        check_room_turn(room, words.turn)?;
        if !speakers.contains(&&words.speaker) {
            speakers.push(&words.speaker);
        }
    }
    match (it.surfaced, speakers.len()) {
        (true, 0 | 1) => Err(Refusal::invalid(
            "what divides the participants is `surfaced` only if at least two of them state it; give the words of each in \
             `words`",
        )),
        (false, 1..) => Err(Refusal::invalid(
            "an exit check that is not `surfaced` has no `words`; leave them out, or set `surfaced`",
        )),
        _ => Ok(()),
    }
}
