//! Turns of a talk: openings, turns and closings, from the positions of their speaker.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::choose::Chooser;
use crate::offline::composition::Composition;
use crate::offline::free_moves::{FreeReply, claim_weight, free_claims, free_replies, is_disputed};
use crate::offline::phrases;
use crate::offline::spoken::{Spoken, move_of};
use crate::offline::turn::Turn;
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef};
use faultline_core::events::turn::{Hint, Move};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{CruxInput, DisputeInput, TalkInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, GivesWay, PassageQuote, ReplyKind};
use faultline_core::positions::sides::{moving_words, stated_side};
use faultline_core::questions::wording::says_the_same;

/// Reply with the passages that it quotes beyond those of the prompt.
pub type Answer = Result<(Value, Vec<PassageRef>), Failure>;

/// Maximum number of sentences of a turn after which nothing is added.
const MAX_ENOUGH: usize = 4;
/// Spread of the drawn share in the choice of a move.
const SPREAD: f64 = 0.5;
/// Number of the latest turns of others that a speaker answers first.
const LATEST: usize = 2;

/// Opens a talk: a passage, the side of the topic, and what the speaker rests it on.
pub fn open(cast: &Cast, speaker: &CastMember, ask: &EffectAttempt) -> Answer {
    let topic = &speaker.topic;
    let chooser = Chooser::new(ask.prompt.task.seed, format!("open/{}", speaker.id));
    let mut text = Composition::new(speaker, ask);
    text.quotes(chooser.pick(&cast.openings_of(speaker), |quote| &quote.quote).copied())?;
    text.quote(&topic.statement)?;
    if let Some(thesis) = topic.claims.iter().find(|claim| claim.answers_topic) {
        text.quote(&thesis.sentence)?;
        text.bases(&thesis.premises)?;
    }
    let reply = json!({ "text": text.text(), "stance": topic.side.name(), "stance_words": topic.statement.quote });
    Ok(text.finish(reply))
}

/// Writes a whole talk of what each would open it with: annotations tell nothing of what one would say for another.
pub fn write(cast: &Cast, most: usize, ask: &EffectAttempt) -> Answer {
    let turns = cast.members.iter().take(most).map(|member| {
        let (opening, _) = open(cast, member, ask)?;
        Ok(json!({ "speaker": member.id, "text": opening["text"] }))
    });
    Ok((json!({ "turns": turns.collect::<Result<Vec<_>, Failure>>()? }), Vec::new()))
}

/// Speaker in the middle of a talk.
pub struct Speaker<'a> {
    pub(super) cast: &'a Cast,
    pub(super) speaker: &'a CastMember,
    pub(super) talk: &'a TalkInput,
    pub(super) spoken: Spoken<'a>,
    pub(super) chooser: Chooser,
    ask: &'a EffectAttempt,
}

/// Move that is possible and not spent.
#[derive(Clone, Copy)]
pub(super) enum FreeMove<'a, 's> {
    /// Reply to what somebody said.
    Reply(FreeReply<'a, 's>),
    /// Claim.
    Claim(&'a AnnotatedClaim),
}

impl<'a> FreeMove<'a, '_> {
    /// Returns the words in which it is made, or the first of them.
    fn words(&self) -> &'a str {
        match self {
            FreeMove::Reply(free) => &free.reply.words[0].quote,
            FreeMove::Claim(claim) => &claim.sentence.quote,
        }
    }
}

impl<'a> Speaker<'a> {
    /// Creates a speaker from the task of the next turn.
    pub fn new(cast: &'a Cast, speaker: &'a CastMember, talk: &'a TalkInput, ask: &'a EffectAttempt) -> Speaker<'a> {
        let chooser = Chooser::new(ask.prompt.task.seed, format!("turn/{}/{}", talk.turns.len(), speaker.id));
        Speaker { cast, speaker, talk, spoken: Spoken::of(cast, &talk.turns), chooser, ask }
    }

    /// Takes the next turn: the one that the hint asks for, or else the best free move; in a room, one about its question.
    ///
    /// # Errors
    /// [`FailureKind::Repeated`] if no move is free.
    pub fn turn(&self) -> Answer {
        let turn = match (self.hinted()?, &self.talk.room) {
            (Some(turn), _) => Some(turn),
            (None, Some(room)) => self.room_turn(room)?,
            (None, None) => self.free()?,
        };
        turn.map(|turn| self.finish(turn)).ok_or_else(|| self.nothing_new())
    }

    /// Completes a turn with the sides and the condition that its text states.
    pub(super) fn finish(&self, mut turn: Turn<'a>) -> (Value, Vec<PassageRef>) {
        self.state_sides(&mut turn);
        let condition = self.condition_in(&turn);
        turn.reply(condition)
    }

    /// Returns the failure of a speaker without a free move.
    pub(super) fn nothing_new(&self) -> Failure {
        let message = format!("{} has nothing new to say now: no annotated move is free", self.speaker.id);
        Failure::new(FailureKind::Repeated, message)
    }

    pub(super) fn empty(&self) -> Turn<'a> {
        Turn::new(Composition::new(self.speaker, self.ask))
    }

    fn hinted(&self) -> Result<Option<Turn<'a>>, Failure> {
        let Some(hint) = &self.talk.hint else { return Ok(None) };
        match hint.hint {
            Hint::StanceWanted => {
                let wanted = |dispute: &&DisputeInput| Some(&dispute.alias) == hint.dispute.as_ref();
                self.talk.disputes.iter().find(wanted).map_or(Ok(None), |dispute| self.stance(dispute))
            }
            Hint::AgreementWanted => {
                let wanted = |crux: &&CruxInput| Some(&crux.alias) == hint.crux.as_ref();
                let signed = self.talk.cruxes.iter().find(wanted).map_or(Ok(None), |crux| self.sign(crux))?;
                if signed.is_some() { Ok(signed) } else { self.crux() }
            }
            Hint::CruxWanted => self.crux(),
            Hint::FlipWanted => self.flip(),
            Hint::OneSided | Hint::Reframed | Hint::Conceded => {
                let to_it = |free: &FreeReply| Some(&free.turn.input.alias) == hint.about.as_ref();
                self.reply_among(to_it)
            }
            Hint::Challenges => self.reply_among(|free| move_of(free.reply.kind) == Move::Concede),
            Hint::Circling | Hint::Stuck => self.claim(),
        }
    }

    /// Makes the best free move: a reply or a new claim, and when neither is left, the crux or a condition.
    pub(super) fn free(&self) -> Result<Option<Turn<'a>>, Failure> {
        match self.best() {
            Some((_, FreeMove::Reply(free))) => self.answer(free).map(Some),
            Some((_, FreeMove::Claim(claim))) => self.make(claim).map(Some),
            None => match self.crux()? {
                Some(turn) => Ok(Some(turn)),
                None => self.flip(),
            },
        }
    }

    /// Returns the best free reply or claim, with its weight.
    pub(super) fn best(&self) -> Option<(f64, FreeMove<'a, '_>)> {
        self.moves().into_iter().next()
    }

    /// Returns the free replies and claims with their weights, the best first.
    pub(super) fn moves(&self) -> Vec<(f64, FreeMove<'a, '_>)> {
        let replies = self.replies().into_iter().map(|free| (self.reply_weight(&free), FreeMove::Reply(free)));
        let claims = free_claims(&self.spoken, self.speaker).into_iter();
        let claims = claims.map(|claim| (self.claim_weight(claim), FreeMove::Claim(claim)));
        let moves = replies.chain(claims).collect();
        self.chooser.ordered(SPREAD, moves, |(weight, free)| (*weight, free.words().to_owned()))
    }

    /// Returns the free replies. What is said in a room is answered there.
    fn replies(&self) -> Vec<FreeReply<'a, '_>> {
        let here = self.talk.room.as_ref().map(|room| &room.alias);
        let is_heard = |free: &FreeReply| free.turn.input.room.is_none() || free.turn.input.room.as_ref() == here;
        free_replies(self.cast, &self.spoken, self.speaker).into_iter().filter(is_heard).collect()
    }

    /// Weighs a reply: a reply to what was just said comes first, and a concession comes before an objection.
    fn reply_weight(&self, free: &FreeReply) -> f64 {
        let others = self.spoken.turns.iter().rev().filter(|turn| turn.member.id != self.speaker.id);
        let is_latest = others.take(LATEST).any(|turn| turn.input.alias == free.turn.input.alias);
        let to_me = free.turn.replies.iter().any(|reply| reply.to.persona == self.speaker.id);
        let kind = match free.reply.kind {
            ReplyKind::Concede => 0.5,
            ReplyKind::Rebut | ReplyKind::Undermine | ReplyKind::Undercut => 0.3,
            ReplyKind::Grant => 0.15,
            ReplyKind::Reframe | ReplyKind::Compatible => 0.0,
        };
        let latest = if is_latest { 0.6 } else { 0.0 };
        kind + latest + if to_me { 0.2 } else { 0.0 }
    }

    /// Weighs a claim. One that an answer to somebody could carry is kept for that answer.
    fn claim_weight(&self, claim: &AnnotatedClaim) -> f64 {
        let kept = self.speaker.topic.replies.iter().any(|reply| {
            let is_open = self.cast.member(&reply.to.persona).is_some() && self.spoken.turn_of(&reply.to).is_none();
            is_open && reply.with.as_ref() == Some(&claim.name)
        });
        let kept = kept && !is_disputed(self.cast, self.speaker, claim);
        claim_weight(self.cast, self.speaker, claim) - if kept { 0.3 } else { 0.0 }
    }

    pub(super) fn reply_among(&self, fits: impl Fn(&FreeReply) -> bool) -> Result<Option<Turn<'a>>, Failure> {
        let replies: Vec<FreeReply> = self.replies().into_iter().filter(|free| fits(free)).collect();
        let ordered =
            self.chooser.ordered(SPREAD, replies, |free| (self.reply_weight(free), free.reply.words[0].quote.clone()));
        ordered.into_iter().next().map(|free| self.answer(free)).transpose()
    }

    /// Says a reply: first what the speaker grants of the same claim, then the words and what they rest on.
    pub(super) fn answer(&self, free: FreeReply<'a, '_>) -> Result<Turn<'a>, Failure> {
        let mut turn = self.empty();
        let reply = free.reply;
        turn.answers = Some(free.turn.input.alias.clone());
        if reply.kind.attack().is_some() {
            let grants = |other: &&FreeReply| other.reply.kind == ReplyKind::Grant && other.reply.to == reply.to;
            if let Some(granted) = self.replies().iter().find(grants) {
                turn.text.quotes(&granted.reply.words)?;
                turn.make(Move::Concede, moving_words(granted.reply));
            }
        }
        let moves_side = |way: &GivesWay| match way {
            GivesWay::Topic { side, .. } | GivesWay::Dispute { side, .. } => matches!(side, Side::Yes | Side::No),
            GivesWay::Claim { .. } => false,
        };
        if reply.gives_way.iter().any(moves_side) {
            turn.text.phrase(phrases::MOVED);
        }
        turn.text.quotes(&reply.words)?;
        let talk_move = move_of(reply.kind);
        // A concession ends with what it gives.
        let made = if talk_move == Move::Concede { moving_words(reply) } else { reply.words[0].quote.as_str() };
        turn.make(talk_move, made);
        for way in &reply.gives_way {
            if let GivesWay::Claim { becomes: Some(becomes), .. } = way {
                turn.text.quote(becomes)?;
            }
        }
        self.carry(&mut turn, reply)?;
        Ok(turn)
    }

    /// Adds the claim that carries a reply, if it was not made before, or else the reason of the reply.
    fn carry(&self, turn: &mut Turn<'a>, reply: &'a AnnotatedReply) -> Result<(), Failure> {
        let carrying = reply.with.as_ref().and_then(|name| self.speaker.topic.claim(name));
        if let Some(claim) = carrying.filter(|claim| !self.spoken.has_said(self.speaker, &claim.sentence.quote)) {
            turn.text.quote(&claim.sentence)?;
            return turn.text.bases(&claim.premises);
        }
        if turn.text.n_sentences() < MAX_ENOUGH
            && let Basis::Quoted(reason) = &reply.reason
            && !self.spoken.has_said(self.speaker, &reason.quote)
            && !self.is_kept(reason)
            && !self.cast.names_absent(&reason.quote)
        {
            turn.text.quote(reason)?;
        }
        Ok(())
    }

    /// Returns true for words that the speaker keeps for naming a crux or agreeing with one.
    fn is_kept(&self, quote: &PassageQuote) -> bool {
        let crux = self.speaker.topic.crux.iter();
        let mut kept = crux.flat_map(|crux| crux.signs.iter().map(|sign| &sign.words).chain([&crux.words]));
        kept.any(|words| words.quote == quote.quote)
    }

    /// Makes a new claim.
    pub(super) fn claim(&self) -> Result<Option<Turn<'a>>, Failure> {
        self.claims().into_iter().next().map(|claim| self.make(claim)).transpose()
    }

    /// Returns the free claims, the best first.
    pub(super) fn claims(&self) -> Vec<&'a AnnotatedClaim> {
        let claims = free_claims(&self.spoken, self.speaker);
        self.chooser.ordered(SPREAD, claims, |claim| (self.claim_weight(claim), claim.sentence.quote.clone()))
    }

    pub(super) fn make(&self, claim: &'a AnnotatedClaim) -> Result<Turn<'a>, Failure> {
        let mut turn = self.empty();
        turn.make(Move::Claim, &claim.sentence.quote);
        turn.text.bases(&claim.premises)?;
        turn.text.quote(&claim.sentence)?;
        Ok(turn)
    }

    /// Says where the speaker stands on a dispute; without a side, says so and makes a claim.
    fn stance(&self, dispute: &DisputeInput) -> Result<Option<Turn<'a>>, Failure> {
        let topic = &self.speaker.topic;
        if let Some(own) = topic.dispute_asking(&dispute.question) {
            let mut turn = self.empty();
            turn.make(Move::Clarify, &own.words.quote);
            turn.text.quote(&own.words)?;
            turn.text.quotes(own.settled_by.iter().find(|quote| !self.spoken.has_said(self.speaker, &quote.quote)))?;
            return Ok(Some(turn));
        }
        let mut turn = self.claim()?.unwrap_or_else(|| self.empty());
        if turn.moves.is_empty() {
            turn.make(Move::Clarify, phrases::NO_SIDE);
        }
        turn.text.lead(phrases::NO_SIDE);
        turn.stances.push((dispute.alias.clone(), Side::Undecided, phrases::NO_SIDE.to_owned()));
        Ok(Some(turn))
    }

    /// Agrees that another participant's crux is the crux, if it is annotated.
    fn sign(&self, crux: &CruxInput) -> Result<Option<Turn<'a>>, Failure> {
        let Some(words) = self.signature(crux) else { return Ok(None) };
        let mut turn = self.empty();
        turn.make(Move::Clarify, &words.quote);
        turn.answers = self.talk.hint.as_ref().and_then(|hint| hint.about.clone());
        let topic = &self.speaker.topic;
        let dispute = topic.dispute_asking(&crux.statement);
        if dispute.is_some_and(|dispute| self.may_give_way_on(&dispute.name)) {
            return Ok(None);
        }
        turn.text.quotes(dispute.map(|dispute| &dispute.words).filter(|side| self.is_unsaid(side)))?;
        turn.text.quote(words)?;
        if self.spoken.has_said(self.speaker, &words.quote) {
            turn.text.quotes(self.unsaid_falsifier())?;
        }
        turn.agrees_with = Some((crux.alias.clone(), words.quote.clone()));
        Ok(Some(turn))
    }

    pub(super) fn is_unsaid(&self, quote: &PassageQuote) -> bool {
        !self.spoken.has_said(self.speaker, &quote.quote)
    }

    /// Returns true if the speaker could still change sides on a dispute: then it is no settled disagreement yet.
    fn may_give_way_on(&self, dispute: &str) -> bool {
        let is_left = |reply: &&AnnotatedReply| {
            self.cast.member(&reply.to.persona).is_some() && reply.words.iter().any(|words| self.is_unsaid(words))
        };
        let mut ways = self.speaker.topic.replies.iter().filter(is_left).flat_map(|reply| &reply.gives_way);
        ways.any(|way| matches!(way, GivesWay::Dispute { name, .. } if name == dispute))
    }

    /// Returns the words with which the speaker agrees with a crux; `None` if it is another one than its author would
    /// name, or no agreement is annotated that names nobody who is absent.
    pub(super) fn signature(&self, crux: &CruxInput) -> Option<&'a PassageQuote> {
        let author = self.cast.member(&crux.speaker)?;
        let named = author.topic.dispute(&author.topic.crux.as_ref()?.dispute)?;
        let own = self.speaker.topic.crux.as_ref()?;
        // Two who stand on the same side have no crux in it.
        let sides = [self.speaker, author].map(|member| self.spoken.side_on(member, &named.name));
        let sign = own.signs.iter().find(|sign| sign.persona == crux.speaker && sides[0] != sides[1]);
        let is_named = says_the_same(&named.question, &crux.statement);
        sign.map(|sign| &sign.words).filter(|words| is_named && !self.cast.names_absent(&words.quote))
    }

    /// Names the crux that the speaker would name, if somebody present takes another side and it was not named before.
    /// Words that name somebody who is absent name no crux of this debate.
    pub(super) fn crux(&self) -> Result<Option<Turn<'a>>, Failure> {
        let mut turn = self.empty();
        self.name_crux(&mut turn)?;
        let Some(crux) = self.speaker.topic.crux.as_ref().filter(|_| turn.crux.is_some()) else { return Ok(None) };
        turn.make(Move::ProposeCrux, &crux.words.quote);
        if !self.is_unsaid(&crux.words) {
            // A turn that only says again what was said is refused.
            let Some(falsifier) = self.unsaid_falsifier() else { return Ok(None) };
            turn.text.quote(falsifier)?;
        }
        Ok(Some(turn))
    }

    pub(super) fn name_crux(&self, turn: &mut Turn<'a>) -> Result<(), Failure> {
        let topic = &self.speaker.topic;
        let Some(crux) = self.cast.crux_of(self.speaker) else { return Ok(()) };
        let Some(dispute) = topic.dispute(&crux.dispute) else { return Ok(()) };
        let own = self.spoken.side_on(self.speaker, &dispute.name);
        let mut others = self.cast.others(&self.speaker.id).filter_map(|it| self.spoken.side_on(it, &dispute.name));
        let is_named = self.talk.cruxes.iter().any(|named| says_the_same(&named.statement, &dispute.question));
        if !is_named && others.any(|side| Some(side) != own) {
            turn.text.quotes([&dispute.words].into_iter().filter(|words| self.is_unsaid(words)))?;
            turn.text.quote(&crux.words)?;
            turn.crux = Some(dispute.question.clone());
        }
        Ok(())
    }

    /// Says what would change the speaker's mind.
    fn flip(&self) -> Result<Option<Turn<'a>>, Failure> {
        let Some(falsifier) = self.unsaid_falsifier() else { return Ok(None) };
        let mut turn = self.empty();
        turn.make(Move::Clarify, &falsifier.quote);
        turn.text.quote(falsifier)?;
        Ok(Some(turn))
    }

    /// Adds the sides that the text of a turn states, according to the annotations.
    pub(super) fn state_sides(&self, turn: &mut Turn<'a>) {
        let topic = &self.speaker.topic;
        let text = turn.text.text();
        for dispute in &self.talk.disputes {
            if !turn.stances.iter().any(|stance| stance.0 == dispute.alias) {
                let stated = stated_side(topic, &dispute.question, &text);
                turn.stances.extend(stated.map(|(side, words)| (dispute.alias.clone(), side, words.to_owned())));
            }
            let settling = topic.dispute_asking(&dispute.question).into_iter().flat_map(|own| &own.settled_by);
            let mut settling = settling.map(|quote| quote.quote.as_str());
            turn.criteria
                .extend(settling.find(|words| text.contains(*words)).map(|words| (dispute.alias.clone(), words)));
        }
    }
}
