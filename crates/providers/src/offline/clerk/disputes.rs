//! Distillation of turns into disputes, sides, reasons and concessions.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::clerk::arguments::concessions;
use crate::offline::clerk::draft_argument::DraftArgument;
use crate::offline::clerk::sentence_names::{name_of, names_of};
use crate::offline::composition::quoted;
use crate::offline::phrases;
use crate::offline::recognition::is_of_claim;
use crate::offline::spoken::{Spoken, SpokenTurn};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::turn::ConcessionExtent;
use faultline_core::kernel::task::{DisputeInput, ReasonInput, TurnInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, GivesWay, PassageQuote};
use faultline_core::positions::sides::{moving_words, stated_side};
use faultline_core::questions::wording::says_the_same;

/// Maximum number of criteria of a dispute, and of pieces of evidence of a reason.
const MAX_CRITERIA: usize = 3;
const MAX_EVIDENCE: usize = 2;

/// Distils the new turns. `most` is the maximum number of new disputes.
pub fn distil(
    cast: &Cast,
    topic: &str,
    turns: &[TurnInput],
    (disputes, reasons): (&[DisputeInput], &[ReasonInput]),
    most: u32,
) -> Value {
    let spoken = Spoken::of(cast, turns);
    let fresh: Vec<&SpokenTurn> = spoken.turns.iter().filter(|turn| turn.input.fresh).collect();
    let new = new_disputes(cast, &spoken, &fresh, disputes, most as usize);
    let mut known: Vec<Known> = disputes.iter().map(Known::of).collect();
    known.extend(new.iter().map(|dispute| dispute.known.clone()));
    let raised: Vec<Value> = new.iter().map(NewDispute::reply).collect();
    let mut record = Record {
        cast,
        topic,
        known,
        reasons,
        stances: Vec::new(),
        given: Vec::new(),
        stated: Vec::new(),
        withdrawn: Vec::new(),
    };
    for (at, turn) in fresh.iter().enumerate() {
        record.sides(turn, &fresh[at + 1..]);
    }
    for turn in &fresh {
        turn.claims.iter().for_each(|claim| record.claim(turn, claim));
        turn.replies.iter().for_each(|reply| record.reply(turn, reply));
    }
    json!({
        "disputes": raised, "stances": record.stances, "reasons": record.given, "withdrawn": record.withdrawn,
        "concessions": concessions(&spoken, &fresh), "revised": newly_settled_by(&fresh, disputes), "retired": [],
    })
}

/// Dispute with the sides taken so far.
#[derive(Clone)]
struct Known {
    alias: String,
    question: String,
    sides: Vec<(String, Side)>,
}

impl Known {
    fn of(input: &DisputeInput) -> Known {
        let sides = input.stances.iter().map(|(persona, side)| (persona.to_string(), *side)).collect();
        Known { alias: input.alias.clone(), question: input.question.clone(), sides }
    }

    fn side(&self, member: &CastMember) -> Option<Side> {
        self.sides.iter().rev().find(|side| side.0 == member.id.as_str()).map(|side| side.1)
    }

    /// Returns the side that a reason of a participant supports: their own; `None` if it is neither yes nor no.
    fn supported_by(&self, member: &CastMember) -> Option<(Side, &'static str)> {
        self.side(member).filter(is_yes_or_no).map(|side| (side, "supports"))
    }
}

struct NewDispute {
    known: Known,
    criteria: Vec<String>,
    turns: Vec<String>,
}

impl NewDispute {
    fn reply(&self) -> Value {
        let Known { alias, question, .. } = &self.known;
        let (criteria, turns) = (&self.criteria, &self.turns);
        json!({ "name": alias, "question": question, "horizon": null, "criteria": criteria, "turns": turns })
    }
}

/// Returns the disputes on which a new turn states a side, and on which another participant has a side as well; those
/// with opposite sides first.
fn new_disputes(
    cast: &Cast,
    spoken: &Spoken,
    fresh: &[&SpokenTurn],
    asked: &[DisputeInput],
    most: usize,
) -> Vec<NewDispute> {
    let mut found: Vec<(bool, NewDispute)> = Vec::new();
    for turn in fresh {
        for dispute in
            turn.member.topic.disputes.iter().filter(|dispute| turn.input.text.contains(&dispute.words.quote))
        {
            let others: Vec<Side> = cast
                .others(&turn.member.id)
                .filter_map(|it| it.topic.dispute(&dispute.name))
                .map(|it| it.side)
                .collect();
            let is_asked = asked.iter().any(|known| says_the_same(&known.question, &dispute.question));
            if is_asked || others.is_empty() {
                continue;
            }
            match found.iter_mut().find(|(_, it)| it.known.question == dispute.question) {
                Some((_, it)) => it.turns.push(turn.input.alias.clone()),
                None => {
                    let known = Known { alias: String::new(), question: dispute.question.clone(), sides: Vec::new() };
                    let mut criteria: Vec<String> = Vec::new();
                    spoken.turns.iter().for_each(|turn| add_criteria(&mut criteria, turn, &dispute.question));
                    let new = NewDispute { known, criteria, turns: vec![turn.input.alias.clone()] };
                    found.push((!others.contains(&opposite(dispute.side)), new));
                }
            }
        }
    }
    found.sort_by_key(|(is_agreed, _)| *is_agreed);
    found.truncate(most);
    for (number, (_, dispute)) in (1..).zip(&mut found) {
        dispute.known.alias = format!("n{number}");
    }
    found.into_iter().map(|(_, dispute)| dispute).collect()
}

/// Adds what a turn says would settle a question, in its own words. What nobody said is no criterion.
fn add_criteria(criteria: &mut Vec<String>, turn: &SpokenTurn, question: &str) {
    let annotated = turn.member.topic.dispute_asking(question).into_iter().flat_map(|dispute| &dispute.settled_by);
    for words in annotated.map(|quote| &quote.quote).filter(|words| turn.input.text.contains(*words)) {
        // A recorded criterion contains the words, with their speaker and turn.
        if criteria.len() < MAX_CRITERIA && !criteria.iter().any(|known| known.contains(words)) {
            criteria.push(words.clone());
        }
    }
}

/// Returns the revisions of disputes of which new turns say what would settle them.
fn newly_settled_by(fresh: &[&SpokenTurn], disputes: &[DisputeInput]) -> Vec<Value> {
    let revised = disputes.iter().filter_map(|dispute| {
        let mut criteria = dispute.criteria.clone();
        let mut turns: Vec<&str> = Vec::new();
        for turn in fresh {
            let before = criteria.len();
            add_criteria(&mut criteria, turn, &dispute.question);
            if criteria.len() > before {
                turns.push(&turn.input.alias);
            }
        }
        (!turns.is_empty()).then(
            || json!({ "dispute": dispute.alias, "criteria": criteria, "turns": turns, "why": phrases::SETTLED_BY }),
        )
    });
    revised.collect()
}

fn is_yes_or_no(side: &Side) -> bool {
    matches!(side, Side::Yes | Side::No)
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Yes => Side::No,
        Side::No => Side::Yes,
        Side::Nuanced | Side::Undecided => Side::Undecided,
    }
}

/// Reason given in this reply, under the name of the sentence that states it.
struct StatedReason {
    name: String,
    dispute: String,
    speaker: PersonaId,
    claim: String,
}

/// Reason that a reply answers: one that was given before, or in this reply.
struct Target {
    /// Alias of the reason, or the name of the sentence that states it.
    name: String,
    dispute: String,
    speaker: PersonaId,
}

/// Sides and reasons found so far.
struct Record<'a> {
    cast: &'a Cast,
    topic: &'a str,
    known: Vec<Known>,
    reasons: &'a [ReasonInput],
    stances: Vec<Value>,
    given: Vec<Value>,
    /// Reasons given in this reply.
    stated: Vec<StatedReason>,
    withdrawn: Vec<Value>,
}

impl Record<'_> {
    /// Records the sides that a turn states, unless its speaker states another one in a later turn.
    fn sides(&mut self, turn: &SpokenTurn, later: &[&SpokenTurn]) {
        let member = turn.member;
        let later: Vec<&&SpokenTurn> = later.iter().filter(|turn| turn.member.id == member.id).collect();
        for dispute in &mut self.known {
            let Some((side, words)) = stated_side(&member.topic, &dispute.question, &turn.input.text) else { continue };
            let states =
                |turn: &&&SpokenTurn| stated_side(&member.topic, &dispute.question, &turn.input.text).is_some();
            if later.iter().any(states) {
                continue;
            }
            // Where an annotation has several sentences, the last one takes the side.
            let Some(sentence) = names_of(turn.input, words).pop() else { continue };
            if dispute.side(member) != Some(side) {
                self.stances.push(json!({ "dispute": dispute.alias, "sentence": sentence, "side": side.name() }));
                dispute.sides.push((member.id.to_string(), side));
            }
        }
    }

    /// Records a claim as a reason: on a dispute of which it states the side, on that of a reason which it answers, or on the
    /// topic, if it is annotated as a reason for its speaker's side of it. Any other claim is a reason for nothing.
    fn claim(&mut self, turn: &SpokenTurn, claim: &AnnotatedClaim) {
        let member = turn.member;
        if self.reason_of(member, claim).is_some() {
            return;
        }
        let states = |dispute: &&Known| {
            let own = member.topic.dispute_asking(&dispute.question).map(|own| own.words.quote.as_str());
            // A claim that only rests on the answer answers something else.
            own.is_some_and(|words| claim.sentence.quote == words)
        };
        let answered: Vec<Target> = self.answered(turn, Some(claim)).collect();
        let targets_on = |dispute: &Known| -> Vec<&Target> {
            answered.iter().filter(|target| target.dispute == dispute.alias).collect()
        };
        let answers = |dispute: &&Known| {
            let targets = targets_on(dispute);
            let has_side = dispute.side(member).is_some_and(|side| is_yes_or_no(&side));
            !targets.is_empty() && (has_side || self.against(dispute, member, &targets).is_some())
        };
        let stated = self.known.iter().find(states);
        let supported = || self.topic_dispute().filter(|_| claim.is_for_its_side());
        let about = stated.or_else(|| self.known.iter().find(answers)).or_else(supported);
        let Some(dispute) = about else { return };
        let targets = targets_on(dispute);
        // Who answers a reason without stating a side speaks against the side of that reason, and not yet for their own.
        let against = if stated.is_some() { None } else { self.against(dispute, member, &targets) };
        let own = dispute.supported_by(member).filter(|_| !self.is_topic(dispute) || claim.is_for_its_side());
        let Some(applies) = against.or(own).or_else(|| self.against(dispute, member, &targets)) else { return };
        let dispute = dispute.alias.clone();
        let premises = claim.premises.iter().filter_map(quoted);
        let assumptions = claim.assumptions.iter().map(Basis::text).map(str::to_owned).collect();
        let attacks = targets.iter().map(|target| target.name.clone()).collect();
        if let Some(argument) = DraftArgument::drawn(turn, 0, &claim.sentence, premises) {
            self.give(&dispute, applies, &argument, assumptions, attacks);
        }
    }

    /// Side of those whose reasons on a dispute a reason of a participant answers, which it attacks; `None` if they hold none
    /// that the participant does not hold, too.
    fn against(&self, dispute: &Known, member: &CastMember, targets: &[&Target]) -> Option<(Side, &'static str)> {
        let own = dispute.side(member);
        let holders = targets.iter().filter_map(|target| self.cast.member(&target.speaker));
        let mut sides = holders.filter_map(|holder| dispute.side(holder)).filter(is_yes_or_no);
        sides.find(|side| own != Some(*side)).map(|side| (side, "attacks"))
    }

    /// Records the words of an attack that no claim carries as a reason, and what a concession withdraws.
    fn reply(&mut self, turn: &SpokenTurn, reply: &AnnotatedReply) {
        for way in &reply.gives_way {
            // A claim that is narrowed or put under a condition stays a reason; the concession itself is recorded.
            let GivesWay::Claim { name, extent: ConcessionExtent::Full, .. } = way else { continue };
            let own = turn.member.topic.claim(name).and_then(|claim| self.reason_of(turn.member, claim));
            let sentence = name_of(turn.input, moving_words(reply));
            if let Some((own, sentence)) = own.zip(sentence) {
                self.withdrawn.push(json!({ "reason": own.alias, "sentence": sentence, "why": turn.reason_of(reply) }));
            }
        }
        // A claim that carries an attack is a reason by itself, if the turn states it.
        let is_carried = reply.with.as_ref().is_some_and(|name| turn.claims.iter().any(|claim| claim.name == *name));
        let is_by_words = reply.kind.attack().is_some() && !is_carried;
        let Some(target) = self.target(reply).filter(|_| is_by_words) else { return };
        let dispute = self.known.iter().find(|known| known.alias == target.dispute);
        let applies = dispute.and_then(|dispute| {
            // The speaker of the target may have given it without a side of their own. No annotation says that the words of
            // a reply are a reason for a side of the topic.
            let own = dispute.supported_by(turn.member).filter(|_| !self.is_topic(dispute));
            self.against(dispute, turn.member, &[&target]).or(own)
        });
        let [words, more @ ..] = reply.words.as_slice() else { return };
        let support: Vec<&PassageQuote> = more.iter().chain(quoted(&reply.reason)).collect();
        let drawn = DraftArgument::drawn(turn, 0, words, support.into_iter());
        if let (Some(applies), Some(argument)) = (applies, drawn) {
            self.give(&target.dispute, applies, &argument, Vec::new(), vec![target.name]);
        }
    }

    fn give(
        &mut self,
        dispute: &str,
        (side, polarity): (Side, &str),
        argument: &DraftArgument,
        assumptions: Vec<String>,
        attacks: Vec<String>,
    ) {
        let is_known = self
            .reasons
            .iter()
            .any(|reason| reason.speaker == argument.speaker && says_the_same(&reason.claim, &argument.claim));
        let is_given =
            self.stated.iter().any(|stated| stated.speaker == argument.speaker && stated.claim == argument.claim);
        if !is_known && !is_given {
            self.stated.push(StatedReason {
                name: argument.claim_name.clone(),
                dispute: dispute.to_owned(),
                speaker: argument.speaker.clone(),
                claim: argument.claim.clone(),
            });
            let evidence = self.evidence(dispute, argument);
            self.given.push(json!({
                "dispute": dispute, "sentence": argument.claim_name, "side": side.name(), "polarity": polarity,
                "assumptions": assumptions, "evidence": evidence, "attacks": attacks,
            }));
        }
    }

    /// Returns the names of the sentences that support a reason. Words that answer the question are its side, and support
    /// nothing.
    fn evidence<'d>(&self, dispute: &str, argument: &'d DraftArgument) -> Vec<&'d String> {
        let known = self.known.iter().find(|known| known.alias == dispute);
        let answers = |words: &String| {
            let member = self.cast.member(&argument.speaker)?;
            stated_side(&member.topic, &known?.question, words)
        };
        let premises = argument.premise_names.iter().zip(&argument.premises);
        let support = premises.filter(|(_, premise)| answers(premise).is_none());
        support.map(|(name, _)| name).take(MAX_EVIDENCE).collect()
    }

    /// Returns the reasons that a claim answers in this turn.
    fn answered<'s>(
        &'s self,
        turn: &'s SpokenTurn,
        with: Option<&'s AnnotatedClaim>,
    ) -> impl Iterator<Item = Target> + 's {
        let name = with.map(|claim| &claim.name);
        let attacks = |reply: &&AnnotatedReply| reply.kind.attack().is_some();
        let carried = turn.replies.iter().copied().filter(attacks).filter(move |reply| reply.with.as_ref() == name);
        carried.filter_map(|reply| self.target(reply))
    }

    fn is_topic(&self, dispute: &Known) -> bool {
        says_the_same(&dispute.question, self.topic)
    }

    fn topic_dispute(&self) -> Option<&Known> {
        self.known.iter().find(|dispute| self.is_topic(dispute))
    }

    /// Returns the recorded reason that a reply answers, or the one that was given in this reply.
    fn target(&self, reply: &AnnotatedReply) -> Option<Target> {
        let member = self.cast.member(&reply.to.persona)?;
        let claim = member.topic.claim(&reply.to.claim)?;
        let known = self.reason_of(member, claim).map(|reason| (reason.alias.clone(), reason.dispute.clone()));
        let stated = || {
            let mut own = self.stated.iter().filter(|stated| stated.speaker == member.id);
            let stated = own.find(|stated| is_of_claim(member, claim, &stated.claim))?;
            Some((stated.name.clone(), stated.dispute.clone()))
        };
        let (name, dispute) = known.or_else(stated)?;
        Some(Target { name, dispute, speaker: member.id.clone() })
    }

    fn reason_of(&self, member: &CastMember, claim: &AnnotatedClaim) -> Option<&ReasonInput> {
        self.reasons.iter().find(|reason| reason.speaker == member.id && is_of_claim(member, claim, &reason.claim))
    }
}
