//! Decodes the disputes clerk's replies into events.
//!
//! A stance must belong to an existing dispute, a reason to a stance that somebody holds, and both must come from a
//! turn of their own speaker. A question that was asked before, in other words, negated or mirrored, is linked and not
//! raised again; sides taken on its negation are inverted, and so is yes to its mirror image.

use std::collections::BTreeMap;

use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::{check_side, named};
use crate::engines::talk::dispute_clerk::schema::{
    ConcededPoint, DisputeDistillation, NewDispute, NewReason, NewStance, Retired, RevisedDispute, WithdrawnReason,
};
use crate::engines::talk::hints;
use crate::engines::talk::question_matching::{Matched, QuestionMatch, QuestionMatcher, asked_before};
use crate::engines::talk::raised_question::question;
use crate::engines::talk::replies::conditions::states_flip_condition;
use crate::engines::talk::replies::criteria::{MAX_CRITERIA, quoted_criterion};
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::StatedSide;
use crate::engines::talk::replies::distillation::{Decoded, DistillationDraft, Taken};
use crate::engines::talk::replies::findings::findings;
use crate::engines::talk::replies::readings::check_reading;
use crate::engines::talk::replies::schema::{ComparisonReply, Conceding};
use crate::engines::talk::state::{Talk, Window};
use crate::engines::talk::wording as words;
use crate::events::citation::Evidence;
use crate::events::dispute::{
    DisputeLinked, DisputeRaised, DisputeRetired, DisputeRevised, Polarity, ReasonGiven, ReasonWithdrawn, Side,
};
use crate::events::distillation::ClaimsCompared;
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, PointId, ReasonId, TurnId};
use crate::kernel::reply::Unreadable;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::{Dispute, Reason};
use crate::projections::transcript::Turn;
use crate::questions::stated_answer::only_refers_back;
use crate::questions::wording::says_the_same;

/// Minimum length of a criterion that counts as a quotation of a turn; a shorter one would be found anywhere.
const MIN_QUOTED_BYTES: usize = 20;
/// Maximum number of assumptions, and of pieces of evidence, of a reason; an excess is rejected.
const MAX_ASSUMPTIONS: usize = 2;
/// Maximum number of stances, reasons or withdrawals in a reply; an excess is rejected.
const MAX_CHANGES: usize = 12;
/// Share of common words from which two reasons of one speaker count as the same.
const SAME_REASON: f64 = 0.8;
/// Number of distillations after which a dispute is retired if nobody contradicted it, although everybody was asked.
const MAX_UNCONTESTED_READINGS: u32 = 3;

/// Limits of a distillation, and the rule for identical questions.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// Maximum number of new disputes.
    pub disputes: usize,
    /// Rule by which two questions count as the same.
    pub same: QuestionMatcher<'a>,
}

/// Decodes a distillation.
///
/// # Errors
/// [`Unreadable`] if the reply contains changes and none of them could be used.
pub fn crystallized(
    talk: &Talk,
    window: &Window,
    bounds: Bounds<'_>,
    reply: DisputeDistillation,
) -> Result<Vec<Event>, Unreadable> {
    let mut draft = Draft {
        talk,
        disputes: talk.disputes.clone(),
        window,
        bounds,
        names: BTreeMap::new(),
        raised: 0,
        decoded: Decoded::default(),
    };
    let n_given = reply.disputes.len() + reply.stances.len() + reply.reasons.len() + reply.withdrawn.len();
    draft.each("disputes", MAX_CHANGES, reply.disputes, Draft::raise);
    draft.each("stances", MAX_CHANGES, reply.stances, Draft::stand);
    // What a sentence grants is recorded beside the side that it takes.
    let grants = |point: &ConcededPoint| point.side.is_none() || named(point.grants.as_deref()).is_some();
    let said = reply.concessions.iter().filter(|point| grants(point)).map(ConcededPoint::conceding);
    let said: Vec<Conceding> = said.collect();
    let moving = reply.concessions.into_iter().filter(|point| point.side.is_some()).collect();
    draft.each("concessions", MAX_CHANGES, moving, Draft::concede);
    draft.each("reasons", MAX_CHANGES, reply.reasons, Draft::reason);
    draft.each("withdrawn reasons", MAX_CHANGES, reply.withdrawn, Draft::withdraw);
    draft.each("revised disputes", MAX_CHANGES, reply.revised, Draft::revise);
    draft.each("retired disputes", MAX_CHANGES, reply.retired, Draft::retire);
    // Taking the same side again changes nothing and is not an error.
    let is_lost = n_given > 0 && draft.decoded.facts.is_empty() && !draft.decoded.refused.is_empty();
    draft.retire_uncontested();
    draft.decoded.finish(is_lost, talk, window, None, said)
}

/// Decodes findings on pairs of reasons.
///
/// # Errors
/// [`Unreadable`] if no finding concerns a requested pair.
pub fn compared(asked: &[(ReasonId, ReasonId)], reply: ComparisonReply) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    let asked: Vec<(PointId, PointId)> =
        asked.iter().map(|(one, other)| (PointId::Reason(*one), PointId::Reason(*other))).collect();
    let found = findings(&asked, reply.pairs, &mut refused)?;
    let pairs = found.into_iter().map(|(comparison, _)| comparison).collect();
    Ok(vec![Event::ClaimsCompared(ClaimsCompared { pairs, refused })])
}

/// Disputes under construction: applies each event as it is decoded.
struct Draft<'a> {
    talk: &'a Talk,
    disputes: DisputeGraph,
    window: &'a Window<'a>,
    bounds: Bounds<'a>,
    /// Names that the reply gave to disputes, with the relation of the reply's question to the dispute.
    names: BTreeMap<String, (DisputeId, Matched)>,
    raised: usize,
    decoded: Decoded,
}

impl DistillationDraft for Draft<'_> {
    type View = DisputeGraph;

    fn parts(&mut self) -> (&mut DisputeGraph, &mut Decoded) {
        (&mut self.disputes, &mut self.decoded)
    }
}

impl Draft<'_> {
    fn raise(&mut self, given: NewDispute) -> Taken {
        let question = question(self.talk, &given.question)?;
        let name = given.name.trim().to_owned();
        let turns = self.turns(&given.turns)?;
        if let Some((dispute, found)) = asked_before(self.bounds.same, &self.disputes, &question) {
            let QuestionMatch { matched, likeness } = found;
            self.names.insert(name, (dispute, matched));
            if self.is_worded(dispute, &question) {
                return Ok(());
            }
            let negates = matched != Matched::Same;
            self.add(Event::DisputeLinked(DisputeLinked { dispute, question, negates, turns, likeness }));
            return Ok(());
        }
        if self.raised >= self.bounds.disputes {
            let most = self.bounds.disputes;
            return Err(format!(
                "raises {}, but at most {most} new disputes are allowed at once",
                view_prompts::excerpt(&question)
            ));
        }
        let criteria = self.criteria(&given.criteria);
        let dispute = self.disputes.next_dispute();
        self.raised += 1;
        self.names.insert(name, (dispute, Matched::Same));
        let horizon = named(given.horizon.as_deref()).map(decode::clipped);
        self.add(Event::DisputeRaised(DisputeRaised { dispute, question, is_topic: false, horizon, criteria, turns }));
        Ok(())
    }

    /// Reads criteria. One in the words of a turn is told with its speaker and turn; nobody has to name any.
    fn criteria(&self, given: &[String]) -> Vec<String> {
        let told = given.iter().filter_map(|criterion| decode::statement("criterion", criterion).ok());
        let told = told.map(|criterion| {
            let is_quoted = |turn: &&Turn| turn.text.contains(&criterion);
            let turn = self.talk.participant_turns().find(is_quoted).filter(|_| criterion.len() >= MIN_QUOTED_BYTES);
            match turn.and_then(|turn| Some((turn.turn, turn.speaker.as_ref()?))) {
                Some((turn, speaker)) => quoted_criterion(&self.talk.names.of(speaker), turn, &criterion),
                None => criterion,
            }
        });
        told.take(MAX_CRITERIA).collect()
    }

    /// Returns true if the dispute was already asked in exactly these words.
    fn is_worded(&self, dispute: DisputeId, question: &str) -> bool {
        let there = self.disputes.disputes.get(&dispute);
        there.is_some_and(|dispute| dispute.worded().any(|(wording, _)| wording == question))
    }

    fn stand(&mut self, given: NewStance) -> Taken {
        let (dispute, matched) = self.dispute(&given.dispute)?;
        let (turn, speaker, words) = self.window.new_sentence(&given.sentence)?;
        let side = side_of_dispute(dispute, given.side.into(), matched)?;
        check_side((&self.disputes, &self.talk.names), &speaker, (dispute, side), &words)?;
        if states_flip_condition(self.talk, &speaker, turn, &words) {
            return Err(format!("takes what would change the mind of {speaker} in {turn} for a side on {dispute}"));
        }
        let there = self.disputes.disputes.get(&dispute).and_then(|dispute| dispute.stances.get(&speaker));
        if there.is_some_and(|stance| stance.side == side) {
            return Ok(());
        }
        // A stance that speakers stated themselves, or stated later, takes precedence.
        if let Some(it) = there.filter(|stance| stance.turn >= turn) {
            return Err(format!("{speaker} took another side on {dispute} in {}", it.turn));
        }
        let before = self.talk.disputes.disputes.get(&dispute).and_then(|dispute| dispute.stances.get(&speaker));
        if there != before {
            return Err(format!("{speaker} takes two sides on {dispute} at once"));
        }
        let position = StatedSide { dispute, side, confidence: given.confidence, words };
        for fact in decode::stance(&self.talk.disputes, &speaker, turn, position) {
            self.add(fact);
        }
        Ok(())
    }

    /// Moves the stance of a speaker who concedes a point of a dispute. The change of sides is the concession; a statement
    /// that the sentence grants as well is a concession of its own.
    fn concede(&mut self, given: ConcededPoint) -> Taken {
        let ConcededPoint { sentence, dispute, side, .. } = given;
        let (Some(dispute), Some(side)) = (named(dispute.as_deref()), side) else {
            return Err(format!(
                "concedes in {} without the dispute whose side it takes",
                view_prompts::excerpt(&sentence)
            ));
        };
        self.stand(NewStance { sentence, dispute: dispute.to_owned(), side, confidence: None })
    }

    /// Revises wording, criteria or horizon. The new wording must ask the same question, because the stances stay.
    fn revise(&mut self, given: RevisedDispute) -> Taken {
        let (dispute, _) = self.dispute(&given.dispute)?;
        let there = self.disputes.disputes.get(&dispute).ok_or_else(|| format!("{dispute} does not exist"))?;
        if there.is_topic {
            return Err(format!("revises {dispute}, which is the topic"));
        }
        let question = named(given.question.as_deref()).map(|asked| question(self.talk, asked)).transpose()?;
        let question = question.filter(|question| *question != there.question);
        if let Some(question) = &question {
            let same = self.bounds.same.of(&there.question, question);
            if same.is_none_or(|same| same.matched != Matched::Same) {
                return Err(format!("revises {dispute} into another question: {}", view_prompts::excerpt(question)));
            }
        }
        let criteria = self.criteria(&given.criteria);
        let criteria = if criteria == there.criteria { Vec::new() } else { criteria };
        let horizon = named(given.horizon.as_deref()).map(decode::clipped);
        let horizon = horizon.filter(|horizon| Some(horizon) != there.horizon.as_ref());
        if question.is_none() && criteria.is_empty() && horizon.is_none() {
            return Ok(());
        }
        let turns = self.turns(&given.turns)?;
        let reason = decode::clipped(&given.why);
        self.add(Event::DisputeRevised(DisputeRevised { dispute, question, horizon, criteria, turns, reason }));
        Ok(())
    }

    /// Retires disputes that nobody contradicted for several readings, although everybody took a side or was asked.
    fn retire_uncontested(&mut self) {
        let was_heard = |id: DisputeId, dispute: &Dispute| {
            let mut speakers = self.talk.speakers();
            speakers.all(|speaker| {
                dispute.stances.contains_key(&speaker.id) || hints::was_asked(self.talk, &speaker.id, id)
            })
        };
        // The present reading is not counted yet.
        let is_old = |dispute: &Dispute| dispute.readings >= MAX_UNCONTESTED_READINGS - 1;
        let uncontested = self.disputes.not_retired().filter(|(id, dispute)| {
            is_old(dispute)
                && dispute.is_uncontested()
                && !self.talk.is_in_room(*id)
                && self.talk.disputes.disputes.contains_key(id)
                && was_heard(*id, dispute)
        });
        let uncontested: Vec<DisputeId> = uncontested.map(|(id, _)| id).collect();
        for dispute in uncontested {
            let reason = format!("nobody contradicted it in {MAX_UNCONTESTED_READINGS} readings");
            self.add(Event::DisputeRetired(DisputeRetired { dispute, reason }));
        }
    }

    fn reason(&mut self, given: NewReason) -> Taken {
        let (dispute, matched) = self.dispute(&given.dispute)?;
        let (turn, speaker, claim) = self.window.new_sentence(&given.sentence)?;
        let side = side_of_dispute(dispute, given.side.into(), matched)?;
        let polarity = Polarity::from(given.polarity);
        let there = self.disputes.disputes.get(&dispute).ok_or_else(|| format!("{dispute} does not exist"))?;
        if only_refers_back(&claim, &there.question) {
            return Err(format!("gives {} for a reason, which only refers to a view", view_prompts::excerpt(&claim)));
        }
        self.has_stance(there, &speaker, (dispute, side, polarity))?;
        let said = words::content_words(&claim);
        let same = there.live_reasons().find(|(_, reason)| {
            reason.given.speaker == speaker
                && words::jaccard(&said, &words::content_words(&reason.given.claim)) >= SAME_REASON
        });
        if let Some((same, _)) = same {
            return Err(format!("repeats {same}"));
        }
        let (attacks, unresolved) = attacked(there, self.window, &speaker, &given.attacks);
        self.decoded.refused.extend(unresolved);
        let assumptions = given.assumptions.iter().map(|text| decode::clipped(text));
        let assumptions = assumptions.filter(|text| !text.is_empty() && !says_the_same(text, &claim));
        let readings =
            assumptions.take(MAX_ASSUMPTIONS).map(|text| check_reading(self.talk, turn, &text).map(|()| text));
        let readings: Vec<Result<String, String>> = readings.collect();
        let assumptions = readings.into_iter().filter_map(|reading| self.decoded.usable(reading)).collect();
        let evidence = given.evidence.iter().filter(|name| !name.trim().is_empty()).take(MAX_ASSUMPTIONS);
        let evidence: Vec<Result<String, String>> =
            evidence.map(|name| self.window.sentence_of(turn, name, &[&claim])).collect();
        for (what, given) in [("assumptions", given.assumptions.len()), ("pieces of evidence", given.evidence.len())] {
            if given > MAX_ASSUMPTIONS {
                self.decoded.refused.push(format!("{given} {what}, of which the first {MAX_ASSUMPTIONS} are kept"));
            }
        }
        let reason = self.disputes.next_reason();
        let evidence = evidence.into_iter().filter_map(|found| self.decoded.usable(found)).collect::<Vec<_>>();
        let evidence = evidence.into_iter().map(|text| Evidence { text, citation: None }).collect();
        self.add(Event::ReasonGiven(ReasonGiven {
            reason,
            dispute,
            speaker,
            turn,
            side,
            polarity,
            claim,
            assumptions,
            evidence,
            attacks,
            paraphrased: false,
        }));
        Ok(())
    }

    /// Checks that somebody holds the stance to which a reason applies; for an attacking reason, somebody other than
    /// the speaker.
    fn has_stance(
        &self,
        there: &Dispute,
        speaker: &PersonaId,
        (dispute, side, polarity): (DisputeId, Side, Polarity),
    ) -> Taken {
        if !matches!(side, Side::Yes | Side::No) {
            return Err(format!("gives a reason about {} on {dispute}, which must be yes or no", side.name()));
        }
        let held = match polarity {
            Polarity::Supports => there.on_side(side).next().is_some(),
            Polarity::Attacks => there.on_side(side).any(|holder| holder != speaker),
        };
        if held {
            return Ok(());
        }
        let nobody = if polarity == Polarity::Attacks { "nobody else" } else { "nobody" };
        Err(format!("gives a reason about a stance that {nobody} holds: {} on {dispute}", side.name()))
    }

    fn withdraw(&mut self, given: WithdrawnReason) -> Taken {
        let (turn, speaker, _) = self.window.new_sentence(&given.sentence)?;
        let reason: Option<ReasonId> = given.reason.trim().parse().ok();
        let live = reason.filter(|reason| self.disputes.live_reasons().any(|(id, _)| id == *reason));
        let Some(reason) = live else {
            return Err(format!("withdraws {}, which is not a live reason", view_prompts::excerpt(&given.reason)));
        };
        if self.disputes.reason(reason).is_none_or(|(_, reason)| reason.given.speaker != speaker) {
            return Err(format!("withdraws {reason} in {turn}, which is not a turn of its owner"));
        }
        self.add(Event::ReasonWithdrawn(ReasonWithdrawn { reason, turn, why: decode::clipped(&given.why) }));
        Ok(())
    }

    fn retire(&mut self, given: Retired) -> Taken {
        let (dispute, _) = self.dispute(&given.dispute)?;
        match self.disputes.disputes.get(&dispute) {
            Some(it) if it.is_topic => return Err(format!("retires {dispute}, which is the topic")),
            Some(it) if it.is_split() => return Err(format!("retires {dispute}, which is contested")),
            _ if self.talk.is_in_room(dispute) => {
                return Err(format!("retires {dispute}, which is under discussion in a room"));
            }
            _ => {}
        }
        self.add(Event::DisputeRetired(DisputeRetired { dispute, reason: decode::clipped(&given.why) }));
        Ok(())
    }

    /// Resolves the turns from which something is drawn; requires at least one turn of the window.
    fn turns(&mut self, aliases: &[String]) -> Result<Vec<TurnId>, String> {
        let mut turns = Vec::new();
        for alias in aliases.iter().take(MAX_CHANGES) {
            match self.window.turn(alias) {
                Ok((turn, _)) if turns.contains(&turn) => {}
                Ok((turn, _)) => turns.push(turn),
                Err(reason) => self.decoded.refused.push(reason),
            }
        }
        if turns.is_empty() { Err("raises a dispute without a turn among those shown".to_owned()) } else { Ok(turns) }
    }

    /// Resolves a dispute that is not retired by its alias in the graph or in the reply, with the relation of the question
    /// under that alias to it.
    fn dispute(&self, alias: &str) -> Result<(DisputeId, Matched), String> {
        let alias = alias.trim();
        let named = self.names.get(alias).copied().or_else(|| alias.parse().ok().map(|id| (id, Matched::Same)));
        let counted = named.filter(|(dispute, _)| self.disputes.not_retired().any(|(id, _)| id == *dispute));
        counted.ok_or_else(|| format!("names {}, which is not a dispute", view_prompts::excerpt(alias)))
    }
}

/// Resolves the reasons of others that are attacked, by their aliases, or by the sentence that states a reason given before
/// in the same reply. Also returns messages for the rejected ones.
fn attacked(there: &Dispute, window: &Window, speaker: &PersonaId, names: &[String]) -> (Vec<ReasonId>, Vec<String>) {
    let (mut attacks, mut refused) = (Vec::new(), Vec::new());
    for alias in names.iter().take(MAX_CHANGES) {
        let reason: Option<ReasonId> = alias.trim().parse().ok();
        let stated = || window.new_sentence(alias).ok().map(|(turn, _, words)| (turn, words));
        let stated = if reason.is_some() { None } else { stated() };
        let is_meant = |(id, it): &(ReasonId, &Reason)| match &stated {
            Some((turn, words)) => it.given.turn == *turn && it.given.claim == *words,
            None => reason == Some(*id),
        };
        let known = there.live_reasons().find(is_meant);
        match known {
            None => {
                refused.push(format!("answers {}, which is not a reason on that dispute", view_prompts::excerpt(alias)))
            }
            Some((id, it)) if it.given.speaker == *speaker => {
                refused.push(format!("answers {id}, which is the speaker's own"))
            }
            Some((id, _)) if attacks.contains(&id) => {}
            Some((id, _)) => attacks.push(id),
        }
    }
    (attacks, refused)
}

/// Returns the side of a dispute that follows from a side of a question with this relation to it.
fn side_of_dispute(dispute: DisputeId, side: Side, matched: Matched) -> Result<Side, String> {
    match (matched, side) {
        (Matched::Same, side) => Ok(side),
        (Matched::Mirrored, Side::No) => {
            Err(format!("says no to the mirror image of {dispute}, from which no side of {dispute} follows"))
        }
        (Matched::Negated | Matched::Mirrored, side) => Ok(side.negated()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::turn::FlipConditionStated;

    #[test]
    fn conditions_for_a_change_of_mind_and_thanks_take_no_side() {
        let condition = "A crew from the harbour would settle it for me.";
        let others = "The boat is too old. Thank you, Ben. I would change my mind if the harbour hired a crew. I agree with Ada.";
        let mut talk = talk(&["ada", "ben"], &[&format!("ada: {condition} {others}")]);
        let reply = |sentence: &str| {
            let raised = json!({ "name": "n1", "turns": ["t1"], "question": "Should the boat sail?", "criteria": [] });
            let stance = json!({ "sentence": sentence, "dispute": "n1", "side": "no" });
            serde_json::from_value(json!({ "disputes": [raised], "stances": [stance], "reasons": [] }))
                .expect("a reply")
        };
        let same = QuestionMatcher { words: 1.0, likeness: None };
        let stances = |talk: &Talk, sentence: &str| {
            let decoded = crystallized(talk, &talk.window(9), Bounds { disputes: 2, same }, reply(sentence));
            let decoded = decoded.expect("the dispute is raised");
            decoded.iter().filter(|event| matches!(event, Event::StanceTaken(_))).count()
        };
        assert_eq!((stances(&talk, "t1.1"), stances(&talk, "t1.2")), (1, 1), "nobody stated a condition");
        assert_eq!(["t1.3", "t1.4", "t1.5"].map(|sentence| stances(&talk, sentence)), [0, 0, 0]);
        let (speaker, turn) = (persona("ada"), TurnId(1));
        let quote = condition.to_owned();
        let stated = FlipConditionStated { speaker, turn, quote, dispute: None, crux: None };
        talk.flip_conditions.stated.push(stated);
        assert_eq!((stances(&talk, "t1.1"), stances(&talk, "t1.2")), (0, 1));
    }
}
