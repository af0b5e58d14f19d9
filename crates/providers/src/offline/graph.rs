//! Openings and attacks in a debate of arguments.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::choose::Chooser;
use crate::offline::composition::{Composition, quoted, sentence};
use crate::offline::free_moves::claim_weight;
use crate::offline::recognition::{is_of_claim, is_part_of, part_of, recorded_part};
use crate::offline::talk::Answer;
use faultline_core::events::argument::AttackKind;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{ArgumentInput, AttackInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, PassageQuote};

/// Number of arguments in an opening.
const OPENING: usize = 4;
/// Maximum number of attacks of a speaker in the first round, and in later rounds.
const FIRST: usize = 3;
const LATER: usize = 2;
/// Spread of the drawn share in the choice of claims and attacks.
const SPREAD: f64 = 0.5;

/// Opens with the side of the topic and up to four arguments, the answer to the topic first.
pub fn open(cast: &Cast, speaker: &CastMember, ask: &EffectAttempt) -> Answer {
    let topic = &speaker.topic;
    let chooser = Chooser::new(ask.prompt.task.seed, format!("open/{}", speaker.id));
    let mut speech = Composition::new(speaker, ask);
    speech.quotes(chooser.pick(&topic.openings, |quote| &quote.quote))?;
    speech.quote(&topic.statement)?;
    let theses = topic.claims.iter().filter(|claim| claim.answers_topic).take(1);
    let others: Vec<&AnnotatedClaim> = topic.claims.iter().filter(|claim| !claim.answers_topic).collect();
    let weight = |claim: &&AnnotatedClaim| (claim_weight(cast, speaker, claim), claim.sentence.quote.clone());
    let chosen: Vec<&AnnotatedClaim> = theses.chain(chooser.ordered(SPREAD, others, weight)).take(OPENING).collect();
    let arguments: Vec<Value> = chosen.iter().map(|claim| of_claim(&mut speech, claim)).collect::<Result<_, _>>()?;
    let reply = json!({
        "speech": speech.text(), "stance": topic.side.name(), "stance_words": topic.statement.quote,
        "arguments": arguments,
    });
    Ok(speech.finish(reply))
}

/// Attacks arguments of others with annotated replies that were not made before.
pub fn attack(
    cast: &Cast,
    speaker: &CastMember,
    round: u32,
    (arguments, attacks): (&[ArgumentInput], &[AttackInput]),
    ask: &EffectAttempt,
) -> Answer {
    let chooser = Chooser::new(ask.prompt.task.seed, format!("attack/{round}/{}", speaker.id));
    let view = GraphView { cast, speaker, arguments, attacks };
    let free: Vec<FreeAttack> = speaker.topic.replies.iter().filter_map(|reply| view.free(reply)).collect();
    let mut ordered =
        chooser.ordered(SPREAD, free, |attack| (view.weight(attack), attack.reply.words[0].quote.clone()));
    ordered.truncate(if round <= 1 { FIRST } else { LATER });
    let mut speech = Composition::new(speaker, ask);
    let mut made: Vec<Value> = Vec::new();
    for attack in &ordered {
        speech.quotes(&attack.reply.words)?;
        let counter = match attack.reply.with.as_ref().and_then(|name| speaker.topic.claim(name)) {
            // An argument that was made before is not quoted again.
            Some(claim) if view.argument(speaker, claim).is_some() => argument(claim),
            Some(claim) => of_claim(&mut speech, claim)?,
            None => of_words(&mut speech, attack.reply)?,
        };
        made.push(json!({
            "target": attack.target.alias, "component": attack.part.0, "index": attack.part.1, "kind": attack.kind,
            "counter": counter, "words": attack.reply.words[0].quote, "rationale": attack.reply.reason.text(),
            "confidence": 1.0,
        }));
    }
    let reply = json!({ "speech": speech.text(), "attacks": made });
    Ok(speech.finish(reply))
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
}

/// Attack that was not made before.
struct FreeAttack<'a> {
    reply: &'a AnnotatedReply,
    kind: AttackKind,
    target: &'a ArgumentInput,
    part: (&'static str, Option<u32>),
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
        (!is_made && is_ready).then_some(FreeAttack { reply, kind, target, part: part_of(component) })
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
