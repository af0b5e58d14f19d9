//! Openings and attacks in a debate of arguments.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::choose::Chooser;
use crate::offline::composition::{Composition, quoted, sentence};
use crate::offline::free_moves::claim_weight;
use crate::offline::recognition::{granting_words, grants_its_part, is_of_claim, is_part_of, part_of, recorded_part};
use crate::offline::talk::Answer;
use faultline_core::events::argument::AttackKind;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::{ArgumentInput, AttackInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, PassageQuote, ReplyKind};
use faultline_core::positions::sides::moving_words;

/// Number of arguments in an opening.
const OPENING: usize = 4;
/// Maximum number of attacks of a speaker in the first round, and in later rounds.
const MAX_FIRST: usize = 3;
const LATER: usize = 2;
/// Maximum number of sentences of an opening, and of an attack beside a claim that its speaker has only written.
const MAX_SENTENCES: usize = 6;
/// Spread of the drawn share in the choice of claims and attacks.
const SPREAD: f64 = 0.5;

/// Opens with the side of the topic and up to four arguments, the answer to the topic first. As many as fit are said.
pub fn open(cast: &Cast, speaker: &CastMember, ask: &EffectAttempt) -> Answer {
    let topic = &speaker.topic;
    let opening = Opening::of(cast, speaker, ask.prompt.task.seed);
    let mut speech = Composition::new(speaker, ask);
    speech.quotes(opening.passage)?;
    speech.quote(&topic.statement)?;
    speech.quotes(opening.said.iter().map(|claim| &claim.sentence))?;
    let chosen = opening.chosen.iter();
    let arguments: Vec<Value> = chosen.map(|claim| of_claim(&mut speech, claim)).collect::<Result<_, _>>()?;
    let reply = json!({
        "speech": speech.text(), "stance": topic.side.name(), "stance_words": topic.statement.quote,
        "arguments": arguments,
    });
    Ok(speech.finish(reply))
}

/// Opening of a speaker. A seed gives the same one whenever it is asked for.
struct Opening<'a> {
    /// Passage with which it begins.
    passage: Option<&'a PassageQuote>,
    /// Claims that are its arguments, the answer to the topic first.
    chosen: Vec<&'a AnnotatedClaim>,
    /// Those that are said.
    said: Vec<&'a AnnotatedClaim>,
    /// Those that are written, and said one by one in the speaker's attacks.
    written: Vec<&'a AnnotatedClaim>,
}

impl<'a> Opening<'a> {
    fn of(cast: &Cast, speaker: &'a CastMember, seed: u64) -> Opening<'a> {
        let topic = &speaker.topic;
        let chooser = Chooser::new(seed, format!("open/{}", speaker.id));
        let openings = cast.openings_of(speaker);
        let passage = chooser.pick(&openings, |quote| &quote.quote).copied();
        let theses = topic.claims.iter().filter(|claim| claim.answers_topic).take(1);
        let others: Vec<&AnnotatedClaim> = topic.claims.iter().filter(|claim| !claim.answers_topic).collect();
        let weight = |claim: &&AnnotatedClaim| (claim_weight(cast, speaker, claim), claim.sentence.quote.clone());
        let chosen: Vec<&AnnotatedClaim> =
            theses.chain(chooser.ordered(SPREAD, others, weight)).take(OPENING).collect();
        let mut room = MAX_SENTENCES.saturating_sub(passage.map_or(0, length) + length(&topic.statement));
        let (mut said, mut written) = (Vec::new(), Vec::new());
        for claim in chosen.iter().copied().filter(|claim| !is_kept(cast, speaker, claim)) {
            let is_stated = claim.sentence.quote == topic.statement.quote;
            let needed = if is_stated { 0 } else { length(&claim.sentence) };
            if claim.answers_topic || needed <= room {
                room = room.saturating_sub(needed);
                said.push(claim);
            } else {
                written.push(claim);
            }
        }
        Opening { passage, chosen, said, written }
    }
}

/// Returns the number of sentences of a quotation.
fn length(quote: &PassageQuote) -> usize {
    turn_quotes::sentences(&quote.quote).len()
}

/// Returns true for a claim that is kept for an attack, which is made in its words.
fn is_kept(cast: &Cast, speaker: &CastMember, claim: &AnnotatedClaim) -> bool {
    let mut attacks = speaker.topic.replies.iter().filter(|reply| reply.kind.attack().is_some());
    attacks.any(|reply| {
        let is_possible = cast.member(&reply.to.persona).is_some();
        is_possible && reply.words.iter().any(|words| words.quote.contains(&claim.sentence.quote))
    })
}

/// Attacks arguments of others with annotated replies that were not made before, and grants what else these arguments
/// rightly say; what was said comes before what was only written.
pub fn attack(
    cast: &Cast,
    speaker: &CastMember,
    round: u32,
    (arguments, attacks): (&[ArgumentInput], &[AttackInput]),
    ask: &EffectAttempt,
) -> Answer {
    let chooser = Chooser::new(ask.prompt.task.seed, format!("attack/{round}/{}", speaker.id));
    let seed = ask.prompt.task.seed;
    let view = GraphView { cast, speaker, arguments, attacks, seed, round };
    let mut free: Vec<FreeAttack> = speaker.topic.replies.iter().filter_map(|reply| view.free(reply)).collect();
    if free.iter().any(|attack| attack.is_said) {
        free.retain(|attack| attack.is_said);
    }
    let mut ordered =
        chooser.ordered(SPREAD, free, |attack| (view.weight(attack), attack.reply.words[0].quote.clone()));
    ordered.truncate(if round <= 1 { MAX_FIRST } else { LATER });
    let mut speech = Composition::new(speaker, ask);
    let (mut made, mut grants): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let words: usize = ordered.iter().flat_map(|attack| &attack.reply.words).map(length).sum();
    let mut room = MAX_SENTENCES.saturating_sub(words);
    for attack in &ordered {
        // What is granted of an argument is said before what is held against it.
        if let Some(grant) = view.grant_beside(attack, &ordered).filter(|grant| grant.length() <= room) {
            room -= grant.length();
            speech.quotes(&grant.reply.words)?;
            grants.push(grant.value());
        }
        speech.quotes(&attack.reply.words)?;
        let counter = match attack.reply.with.as_ref().and_then(|name| speaker.topic.claim(name)) {
            // An argument that was made before is not quoted again.
            Some(claim) if view.argument(speaker, claim).is_some() => argument(claim),
            Some(claim) => {
                let needed = length(&claim.sentence);
                if needed <= room && !is_kept(cast, speaker, claim) {
                    speech.quote(&claim.sentence)?;
                    room -= needed;
                }
                of_claim(&mut speech, claim)?
            }
            None => of_words(&mut speech, attack.reply)?,
        };
        made.push(json!({
            "target": attack.target.alias, "component": attack.part.0, "index": attack.part.1, "kind": attack.kind,
            "counter": counter, "words": attack.reply.words[0].quote, "rationale": attack.reply.reason.text(),
            "confidence": 1.0,
        }));
    }
    if !made.is_empty() {
        let opening = Opening::of(cast, speaker, seed);
        speech.quotes(opening.written.get(rounds_before(round)).map(|claim| &claim.sentence))?;
    }
    let reply = json!({ "speech": speech.text(), "attacks": made, "grants": grants });
    Ok(speech.finish(reply))
}

fn rounds_before(round: u32) -> usize {
    round.saturating_sub(1) as usize
}

/// Returns a claim as an argument, and cites its passages.
fn of_claim(speech: &mut Composition, claim: &AnnotatedClaim) -> Result<Value, Failure> {
    let bases = || claim.premises.iter().chain(&claim.assumptions);
    bases().filter_map(quoted).chain([&claim.sentence]).try_for_each(|quote| speech.cite(quote))?;
    Ok(argument(claim))
}

fn argument(claim: &AnnotatedClaim) -> Value {
    let texts = |bases: &[Basis]| bases.iter().map(|basis| sentence(basis.text())).collect::<Vec<_>>();
    json!({
        "claim": claim.sentence.quote, "premises": texts(&claim.premises), "assumptions": texts(&claim.assumptions),
        "evidence": [],
    })
}

/// Returns the words of a reply as an argument: the first quotation is the claim, the others and the reason support it.
fn of_words(speech: &mut Composition, reply: &AnnotatedReply) -> Result<Value, Failure> {
    let quotes: Vec<&PassageQuote> = reply.words.iter().chain(quoted(&reply.reason)).collect();
    quotes.iter().try_for_each(|quote| speech.cite(quote))?;
    let texts: Vec<&str> = quotes.iter().map(|quote| quote.quote.as_str()).collect();
    let (claim, premises) = texts.split_first().map_or(("", &[][..]), |(claim, premises)| (*claim, premises));
    Ok(json!({ "claim": claim, "premises": premises, "assumptions": [], "evidence": [] }))
}

/// Graph as a speaker sees it.
struct GraphView<'a> {
    cast: &'a Cast,
    speaker: &'a CastMember,
    arguments: &'a [ArgumentInput],
    attacks: &'a [AttackInput],
    seed: u64,
    round: u32,
}

/// Attack that was not made before.
struct FreeAttack<'a> {
    reply: &'a AnnotatedReply,
    kind: AttackKind,
    target: &'a ArgumentInput,
    part: (&'static str, Option<u32>),
    /// True if the speaker of the target has said its claim.
    is_said: bool,
}

/// Grant of a part of an argument that is attacked elsewhere.
struct FreeGrant<'a> {
    reply: &'a AnnotatedReply,
    target: &'a ArgumentInput,
    part: (&'static str, Option<u32>),
}

impl FreeGrant<'_> {
    /// Returns the number of sentences in which it is said.
    fn length(&self) -> usize {
        self.reply.words.iter().map(length).sum()
    }

    fn value(&self) -> Value {
        json!({
            "words": granting_words(moving_words(self.reply)), "argument": self.target.alias,
            "component": self.part.0, "index": self.part.1,
        })
    }
}

impl<'a> GraphView<'a> {
    fn argument(&self, member: &CastMember, claim: &AnnotatedClaim) -> Option<&'a ArgumentInput> {
        let is_it =
            |argument: &&ArgumentInput| argument.speaker == member.id && is_of_claim(member, claim, &argument.claim);
        self.arguments.iter().find(is_it)
    }

    fn free(&self, reply: &'a AnnotatedReply) -> Option<FreeAttack<'a>> {
        let kind = reply.kind.attack()?;
        let member = self.cast.member(&reply.to.persona)?;
        let claim = member.topic.claim(&reply.to.claim)?;
        let target = self.argument(member, claim)?;
        let component = recorded_part(claim, reply.component, &target.premises, &target.assumptions)?;
        let is_made = self.attacks.iter().any(|attack| {
            attack.speaker == self.speaker.id
                && (&attack.target, attack.kind, attack.component) == (&target.alias, kind, component)
                && self.carries(reply, &attack.counter_claim)
        });
        let is_ready = reply.needs.iter().all(|needed| {
            let needed = self.cast.member(&needed.persona).and_then(|it| Some((it, it.topic.claim(&needed.claim)?)));
            needed.is_some_and(|(member, claim)| self.argument(member, claim).is_some())
        });
        if is_made || !is_ready {
            return None;
        }
        Some(FreeAttack { reply, kind, target, part: part_of(component), is_said: self.is_said(member, claim) })
    }

    /// Returns the annotated grant of a part of the argument that an attack is aimed at, if the speaker attacks that part
    /// neither now nor earlier. It is made once: with the speaker's first attack on that argument.
    fn grant_beside(&self, attack: &FreeAttack<'a>, now: &[FreeAttack]) -> Option<FreeGrant<'a>> {
        let FreeAttack { reply: attacking, target, is_said, .. } = *attack;
        let by_speaker = |earlier: &AttackInput| earlier.speaker == self.speaker.id && earlier.target == target.alias;
        let at_once = || now.iter().filter(|other| other.target.alias == target.alias);
        let is_first = at_once().next().is_some_and(|first| first.reply == attacking);
        if !is_said || !is_first || self.attacks.iter().any(by_speaker) {
            return None;
        }
        let claim = self.cast.member(&attacking.to.persona)?.topic.claim(&attacking.to.claim)?;
        let mut replies = self.speaker.topic.replies.iter();
        let reply = replies.find(|other| {
            let is_grant = other.kind == ReplyKind::Grant && grants_its_part(other);
            let is_attacked = at_once().any(|attack| attack.reply.component == other.component);
            is_grant && other.to == attacking.to && !is_attacked
        })?;
        let part = part_of(recorded_part(claim, reply.component, &target.premises, &target.assumptions)?);
        let is_said = self.has_said(self.cast.member(&attacking.to.persona)?, claim.part(reply.component)?);
        is_said.then_some(FreeGrant { reply, target, part })
    }

    /// Returns true if a participant has said some words, in the opening or with an attack.
    fn has_said(&self, member: &CastMember, words: &str) -> bool {
        let opening = Opening::of(self.cast, member, self.seed);
        let made = |reply: &&AnnotatedReply| {
            let mut attacks = self.attacks.iter().filter(|attack| attack.speaker == member.id);
            attacks.any(|attack| reply.words.iter().any(|words| is_part_of(&attack.counter_claim, &words.quote)))
        };
        let spoken = opening.passage.into_iter().chain([&member.topic.statement]);
        let spoken = spoken.chain(opening.said.iter().map(|claim| &claim.sentence));
        let replied = member.topic.replies.iter().filter(made).flat_map(|reply| &reply.words);
        spoken.chain(replied).any(|quote| quote.quote.contains(words))
    }

    /// Returns true if a claim was said. An argument that came with an attack was made by what the attack says.
    fn is_said(&self, member: &CastMember, claim: &AnnotatedClaim) -> bool {
        let opening = Opening::of(self.cast, member, self.seed);
        let mut attacks = self.attacks.iter().filter(|attack| attack.speaker == member.id).peekable();
        let later = if attacks.peek().is_some() { rounds_before(self.round) } else { 0 };
        let mut spoken = opening.said.iter().chain(opening.written.iter().take(later));
        !opening.chosen.iter().any(|chosen| chosen.name == claim.name)
            || spoken.any(|said| said.name == claim.name)
            || attacks.any(|attack| is_of_claim(member, claim, &attack.counter_claim))
    }

    fn carries(&self, reply: &AnnotatedReply, claim: &str) -> bool {
        let with = reply.with.as_ref().and_then(|name| self.speaker.topic.claim(name));
        match with {
            Some(own) => is_of_claim(self.speaker, own, claim),
            None => reply.words.iter().any(|words| is_part_of(claim, &words.quote)),
        }
    }

    /// Weighs an attack: answers to attacks on the speaker's own arguments first, then what stands and was not attacked.
    fn weight(&self, attack: &FreeAttack) -> f64 {
        let alias = &attack.target.alias;
        let own = |alias: &String| {
            let found = self.arguments.iter().find(|argument| argument.alias == *alias);
            found.is_some_and(|argument| argument.speaker == self.speaker.id)
        };
        let defends = self.attacks.iter().any(|earlier| earlier.source == *alias && own(&earlier.target));
        let is_fresh = self.attacks.iter().all(|earlier| earlier.target != *alias);
        let stands = attack.target.label == "IN";
        [(defends, 0.4), (is_fresh, 0.3), (stands, 0.2)].iter().filter(|it| it.0).map(|it| it.1).sum()
    }
}
