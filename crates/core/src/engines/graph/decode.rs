//! Decodes replies of the graph engine into events. Aliases are resolved or rejected one by one.

use std::collections::BTreeMap;

use crate::engines::graph::argument_parts::{argument, text};
use crate::engines::graph::context::GraphContext;
use crate::engines::graph::grants::grants;
use crate::engines::graph::schema::{AttackMade, AttacksReply, JudgementItem, JudgementsReply, OpeningReply};
use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::own_words;
use crate::engines::talk::ground_given::{answered, check_address};
use crate::engines::talk::replies::echoes;
use crate::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId};
use crate::events::turn::{Move, TurnTaken};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::kernel::rulings::{speaks_for_the_target, swaps_attacker_and_target};
use crate::projections::argument_graph::Attack;
use crate::questions::stated_answer::{can_state, says_otherwise};
use crate::questions::wording::says_the_same;

/// Maximum number of arguments in an opening; an excess is rejected.
const MAX_ARGUMENTS: usize = 4;
/// Maximum number of attacks in a turn; an excess is rejected.
const MAX_ATTACKS: usize = 4;
/// Verbs with which a claim reports another.
const REPORTING: &[&str] = &["argues", "asserts", "believes", "claims", "holds", "says", "states"];

/// Decodes an opening into its turn, the stance on the topic, and the arguments.
///
/// # Errors
/// [`Unreadable`] if it contains no argument, the first claim answers the topic against the stance, or a text is empty or too long.
pub fn opened(at: &GraphContext, speaker: &PersonaId, reply: OpeningReply) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    if reply.arguments.is_empty() {
        return Err(Unreadable::because("`arguments` is empty; two to four are required"));
    }
    if reply.arguments.len() > MAX_ARGUMENTS {
        refused.push(format!("{} arguments, of which the first {MAX_ARGUMENTS} are kept", reply.arguments.len()));
    }
    let (side, said) = (Side::from(reply.stance), (reply.speech.as_str(), reply.stance_words.as_str()));
    check_thesis(at, side, &reply.arguments[0].claim)?;
    let mut facts: Vec<Event> = stance(at, speaker, side, said, &mut refused).into_iter().collect();
    let mut next = at.graph.next_argument();
    for (index, told) in reply.arguments.into_iter().take(MAX_ARGUMENTS).enumerate() {
        let mut advanced = argument(at, speaker, next, told, &mut refused)?;
        advanced.answers_topic = index == 0;
        facts.push(Event::ArgumentAdvanced(advanced));
        next = ArgumentId(next.0 + 1);
    }
    let turn = turn(at, speaker, vec![Move::Claim], &reply.speech, &reply.passages, refused)?;
    Ok(std::iter::once(turn).chain(facts).collect())
}

/// Checks that the first claim of an opening does not answer the topic against the stance of its speaker.
fn check_thesis(at: &GraphContext, side: Side, claim: &str) -> Result<(), Unreadable> {
    if says_otherwise(claim, at.question, side.answer()) {
        let (side, claim) = (side.name(), view_prompts::excerpt(claim));
        return Err(Unreadable::because(format!(
            "the stance is {side}, but the first claim says the opposite: {claim}"
        ))
        .advise("let the first claim answer the topic as the stance does"));
    }
    Ok(())
}

/// Decodes attacks into a turn and, for each attack, the counter-argument and the attack; the statements that the speech
/// grants; and the stance, if the speaker changed sides. Empty if the reply has neither attacks nor text.
///
/// # Errors
/// [`Unreadable`] if all attacks were rejected and nothing was granted, a text is empty or too long, or the speech repeats
/// a turn.
pub fn attacked(at: &GraphContext, speaker: &PersonaId, reply: AttacksReply) -> Result<Vec<Event>, Unreadable> {
    echoes::refuse(&reply.speech, at.transcript, speaker)?;
    let mut refused = Vec::new();
    let n_given = reply.attacks.len();
    if n_given > MAX_ATTACKS {
        refused.push(format!("{n_given} attacks, of which the first {MAX_ATTACKS} are kept"));
    }
    let mut facts: Vec<Event> = Vec::new();
    let mut next = (at.graph.next_argument(), at.graph.next_attack());
    for made in reply.attacks.into_iter().take(MAX_ATTACKS) {
        match target(at, speaker, &made, &facts) {
            Err(reason) => refused.push(reason),
            Ok((target, component, kind)) => {
                let own = own_argument(at, speaker, &made.counter.claim, &facts);
                let source = own.unwrap_or(next.0);
                let hit = (target, component, kind);
                facts.extend(attack(
                    at,
                    speaker,
                    (source, own.is_none(), next.1),
                    (&reply.speech, made),
                    hit,
                    &mut refused,
                )?);
                next = (ArgumentId(next.0.0 + u32::from(own.is_none())), AttackId(next.1.0 + 1));
            }
        }
    }
    let granted = grants(at, speaker, &reply.speech, reply.grants, &mut refused);
    if facts.is_empty() && granted.is_empty() && n_given > 0 {
        return Err(Unreadable::because(format!("none of the attacks could be used: {}", refused.join("; "))));
    }
    if facts.is_empty() && reply.speech.trim().is_empty() {
        return Ok(Vec::new());
    }
    let moves = match (facts.is_empty(), granted.is_empty()) {
        (false, true) => vec![Move::Challenge],
        (false, false) => vec![Move::Challenge, Move::Concede],
        (true, false) => vec![Move::Concede],
        (true, true) => vec![Move::Clarify],
    };
    facts.extend(granted);
    if let Some(side) = reply.stance.map(Side::from).filter(|side| at.graph.topic_sides.get(speaker) != Some(side)) {
        let said = (reply.speech.as_str(), reply.stance_words.as_deref().unwrap_or_default());
        facts.extend(stance(at, speaker, side, said, &mut refused));
    }
    let turn = turn(at, speaker, moves, &reply.speech, &reply.passages, refused)?;
    Ok(std::iter::once(turn).chain(facts).collect())
}

/// Returns the stance on the topic, in words of the speech; none if the speech does not contain them.
fn stance(
    at: &GraphContext,
    speaker: &PersonaId,
    side: Side,
    (speech, copied): (&str, &str),
    refused: &mut Vec<String>,
) -> Option<Event> {
    let Ok(words) = own_words(speech, copied, "takes a side on the topic") else {
        // Nobody needs words to be undecided.
        refused
            .extend((side != Side::Undecided).then(|| "takes a side on the topic without words of the speech".into()));
        return None;
    };
    let held = at.graph.topic_sides.get(speaker) == Some(&side);
    let states = match can_state(&words, at.question, side.answer(), held) {
        true if answers_own_argument(at, speaker, &words) => Err("which answers an argument of its own speaker"),
        true => check_address(at.names, speaker, &words),
        false => Err("which does not say so"),
    };
    if let Err(why) = states {
        let said = view_prompts::excerpt(&words);
        refused.push(format!("takes the side {} on the topic in {said}, {why}", side.name()));
        return None;
    }
    let (dispute, speaker, turn, quote) = (at.topic, speaker.clone(), at.turn, Some(words));
    Some(Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, confidence: None, quote }))
}

/// Returns true if words agree or disagree with an argument of their speaker by its id: nobody knows whose side they take.
fn answers_own_argument(at: &GraphContext, speaker: &PersonaId, words: &str) -> bool {
    answered(words).filter_map(argument_named_first).any(|(argument, _)| at.shown.speaker(argument) == Some(speaker))
}

/// Returns the argument whose id text begins with, and the rest of the text.
fn argument_named_first(text: &str) -> Option<(ArgumentId, &str)> {
    let text = text.trim_start();
    let (name, rest) = text.split_at(text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len()));
    Some((name.parse().ok()?, rest))
}

/// Returns the claim that a claim only reports: "a1 argues that …" says what a1 says.
fn reported(claim: &str) -> &str {
    let reported = argument_named_first(claim).and_then(|(_, rest)| rest.split_once(" that "));
    reported.filter(|(verb, _)| REPORTING.contains(&verb.trim())).map_or(claim, |(_, reported)| reported)
}

/// Decodes judgements, one event each. Attacks that the judge left out stay unjudged, and so do those that it calls valid
/// for a reason that speaks for the target or tells the attack the wrong way round.
///
/// # Errors
/// [`Unreadable`] if no judgement of an attack that awaits one is left.
pub fn judged(at: &GraphContext, reply: JudgementsReply) -> Result<Vec<Event>, Unreadable> {
    let mut facts: Vec<Event> = Vec::new();
    let (mut seen, mut contradicted) = (Vec::new(), None);
    for judgement in reply.judgements {
        let Ok(attack) = judgement.attack.trim().parse::<AttackId>() else {
            continue;
        };
        let waiting = at.graph.attacks.get(&attack).filter(|entry| entry.judged.is_none() && !seen.contains(&attack));
        let Some(Attack { raised, .. }) = waiting else { continue };
        if judgement.valid && !gives_a_reason_for(at, raised, &judgement.reason) {
            contradicted.get_or_insert(attack);
            continue;
        }
        seen.push(attack);
        facts.push(Event::AttackJudged(judgement_of(at, raised, judgement)));
    }
    if let (true, Some(attack)) = (facts.is_empty(), contradicted) {
        let reason = format!("the reason for {attack} contradicts the ruling that it is valid");
        return Err(Unreadable::because(reason).advise("say why it defeats its target, or judge it not valid"));
    }
    if facts.is_empty() {
        let waiting = at.graph.attacks.iter().find(|(_, attack)| attack.judged.is_none() && attack.withdrawn.is_none());
        let such_as = waiting.map(|(id, _)| format!(", such as {id}")).unwrap_or_default();
        return Err(Unreadable::because(format!("no judgement names an attack that awaits judgement{such_as}")));
    }
    Ok(facts)
}

/// Returns false if a reason contradicts the ruling that an attack is valid: it supports the target, or tells of the opposite
/// attack.
fn gives_a_reason_for(at: &GraphContext, raised: &AttackRaised, reason: &str) -> bool {
    let swaps = |attacker: &str, target: &str| swaps_attacker_and_target(reason, attacker, target);
    let target = at.graph.speaker(raised.target).map(|speaker| at.names.of(speaker)).unwrap_or_default();
    !speaks_for_the_target(reason)
        && !swaps(&at.names.of(&raised.speaker), &target)
        && !swaps(&raised.source.to_string(), &raised.target.to_string())
}

fn judgement_of(at: &GraphContext, raised: &AttackRaised, judgement: JudgementItem) -> AttackJudged {
    let kind = judgement.kind.map(AttackKind::from).filter(|kind| *kind != raised.kind);
    let component = judgement.component.map(|part| part.component(judgement.index));
    let there = |part: &ArgumentPart| at.graph.component_text(raised.target, *part).is_some();
    AttackJudged {
        attack: raised.attack,
        valid: judgement.valid,
        strength: unit(judgement.strength),
        reason: clipped(&judgement.reason),
        kind,
        component: component.filter(|part| there(part) && *part != raised.component),
    }
}

type Hit = (ArgumentId, ArgumentPart, AttackKind);

/// Resolves the target of an attack; or returns the reason why it is rejected.
fn target(at: &GraphContext, speaker: &PersonaId, made: &AttackMade, so_far: &[Event]) -> Result<Hit, String> {
    let named = view_prompts::excerpt(&made.target);
    let target: ArgumentId =
        made.target.trim().parse().map_err(|_| format!("attacks {named}, which is not an argument"))?;
    let Some(argument) = at.shown.arguments.get(&target).filter(|_| at.shown.is_live(target)) else {
        return Err(format!("attacks {named}, which is not among the arguments"));
    };
    if argument.advanced.speaker == *speaker {
        return Err(format!("attacks {named}, which is the speaker's own"));
    }
    if says_the_same(reported(&made.counter.claim), &argument.advanced.claim) {
        return Err(format!("attacks {named} with a claim that says the same"));
    }
    let component = made.component.component(made.index);
    if at.shown.component_text(target, component).is_none() {
        return Err(format!("attacks {} of {named}, which does not exist", view_prompts::component_name(component)));
    }
    let kind = AttackKind::from(made.kind);
    let again = |raised: &AttackRaised, claim: Option<&str>| {
        raised.speaker == *speaker
            && (raised.target, raised.component, raised.kind) == (target, component, kind)
            && claim == Some(made.counter.claim.trim())
    };
    let before = at
        .graph
        .attacks
        .values()
        .find(|attack| again(&attack.raised, at.graph.component_text(attack.raised.source, ArgumentPart::Claim)));
    if let Some(before) = before {
        return Err(format!("repeats {}", before.raised.attack));
    }
    let claims = so_far.iter().filter_map(|event| match event {
        Event::ArgumentAdvanced(event) => Some((event.argument, event.claim.as_str())),
        _ => None,
    });
    let claims: BTreeMap<ArgumentId, &str> = claims.collect();
    let repeated = so_far.iter().any(|event| match event {
        Event::AttackRaised(raised) => {
            let recorded = || at.graph.component_text(raised.source, ArgumentPart::Claim);
            again(raised, claims.get(&raised.source).copied().or_else(recorded))
        }
        _ => false,
    });
    if repeated { Err(format!("attacks {named} twice with the same argument")) } else { Ok((target, component, kind)) }
}

/// Returns the argument of a speaker that makes a claim already: a live one, or one of the same reply. An attack by it comes
/// from that argument: a second one with the same claim would survive the answers to the first.
fn own_argument(at: &GraphContext, speaker: &PersonaId, claim: &str, so_far: &[Event]) -> Option<ArgumentId> {
    let makes = |advanced: &ArgumentAdvanced| advanced.speaker == *speaker && says_the_same(&advanced.claim, claim);
    let made_now = so_far.iter().find_map(|event| match event {
        Event::ArgumentAdvanced(advanced) if makes(advanced) => Some(advanced.argument),
        _ => None,
    });
    at.shown.live().find(|(_, argument)| makes(&argument.advanced)).map(|(id, _)| id).or(made_now)
}

fn attack(
    at: &GraphContext,
    speaker: &PersonaId,
    (source, is_new, attack): (ArgumentId, bool, AttackId),
    (speech, made): (&str, AttackMade),
    (target, component, kind): Hit,
    refused: &mut Vec<String>,
) -> Result<Vec<Event>, Unreadable> {
    let quote = made.words.as_deref().filter(|copied| !copied.trim().is_empty()).and_then(|copied| {
        let quote = turn_quotes::words(speech.trim(), copied);
        if quote.is_none() {
            refused.push(format!("makes {attack} in words that the speech does not contain"));
        }
        quote
    });
    let mut advanced = argument(at, speaker, source, made.counter, refused)?;
    advanced.carries = Some(attack);
    let raised = AttackRaised {
        attack,
        speaker: speaker.clone(),
        turn: at.turn,
        source,
        target,
        component,
        kind,
        rationale: clipped(&made.rationale),
        quote,
        confidence: unit(made.confidence),
    };
    let advanced = is_new.then_some(Event::ArgumentAdvanced(advanced));
    Ok(advanced.into_iter().chain([Event::AttackRaised(raised)]).collect())
}

fn turn(
    at: &GraphContext,
    speaker: &PersonaId,
    moves: Vec<Move>,
    speech: &str,
    passages: &[String],
    mut refused: Vec<String>,
) -> Result<Event, Unreadable> {
    let citations = view_prompts::citations(passages, at.grounds, &mut refused);
    Ok(Event::TurnTaken(TurnTaken {
        preparation: None,
        turn: at.turn,
        speaker: speaker.clone(),
        round: Some(at.round),
        room: None,
        moves,
        move_quotes: Vec::new(),
        answers: None,
        text: text("speech", speech)?,
        citations,
        dangling: view_prompts::dangling(&refused),
        refused,
    }))
}

/// Trims a remark that has no effect and cuts it to its maximum length.
fn clipped(given: &str) -> String {
    given.trim().chars().take(1_000).collect()
}

/// Clamps a value to the range 0 to 1; NaN becomes 0.
fn unit(given: f64) -> f64 {
    if given.is_nan() { 0.0 } else { given.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{names, persona, thesis};
    use crate::events::ids::{DisputeId, TurnId};
    use crate::projections::argument_graph::ArgumentGraph;
    use crate::projections::projection::Projection;
    use crate::projections::transcript::Transcript;

    #[test]
    fn a_claim_may_only_report_another() {
        for (claim, expected) in [
            ("a1 argues that the gates are old.", "the gates are old."),
            ("a1 claims that the gates are old.", "the gates are old."),
            ("a1 ignores that the gates are old.", "a1 ignores that the gates are old."),
            ("The gates are so old that they creak.", "The gates are so old that they creak."),
            ("a1", "a1"),
            ("", ""),
        ] {
            assert_eq!(reported(claim), expected);
        }
    }

    #[test]
    fn a_side_is_taken_in_words_that_state_it() {
        let (transcript, topic, turn) = (Transcript::default(), DisputeId(1), TurnId(2));
        let mut graph = ArgumentGraph::default();
        graph.apply(&noted(&thesis(1, "ada", "Watchmen sleep.")));
        let (graph, question) = (&graph, "Should the port close its gates by night?");
        let at = GraphContext {
            graph,
            shown: graph,
            transcript: &transcript,
            names: &names(&["ada", "ben"]),
            topic,
            question,
            turn,
            round: 0,
            grounds: &[],
        };
        let speech = "The port should keep its gates open by night. Watchmen sleep. I keep my view. I disagree with Ada. \
             I disagree with a1, which says so.";
        let taken = |side: Side, words: &str| {
            let mut refused = Vec::new();
            let event = stance(&at, &persona("ada"), side, (speech, words), &mut refused);
            let quote = event.and_then(|event| match event {
                Event::StanceTaken(taken) => taken.quote,
                other => panic!("{other:?}"),
            });
            (quote, refused)
        };
        let open = "The port should keep its gates open by night.";
        let quoted = |words: &str| (Some(words.to_owned()), Vec::new());
        assert_eq!(taken(Side::No, open), quoted(open));
        assert_eq!(taken(Side::No, "open"), quoted(open), "one word is quoted with its sentence");
        for (side, words) in [(Side::Yes, open), (Side::No, "I keep my view.")] {
            let why = format!("takes the side {} on the topic in \"{words}\", which does not say so", side.name());
            assert_eq!(taken(side, words), (None, vec![why]));
        }
        let own = "takes the side no on the topic in \"I disagree with Ada.\", which answers its own speaker";
        assert_eq!(taken(Side::No, "I disagree with Ada."), (None, vec![own.to_owned()]));
        let own = "takes the side no on the topic in \"I disagree with a1, which says so.\", which answers an argument of \
                   its own speaker";
        assert_eq!(taken(Side::No, "I disagree with a1, which says so."), (None, vec![own.to_owned()]));
        let missing = vec!["takes a side on the topic without words of the speech".to_owned()];
        assert_eq!(taken(Side::No, "The tide"), (None, missing));
        assert_eq!(taken(Side::Undecided, "The tide"), (None, Vec::new()));

        let thesis =
            |side: Side, claim: &str| check_thesis(&at, side, claim).map_err(|unreadable| unreadable.to_string());
        let opposite = format!("the stance is yes, but the first claim says the opposite: \"{open}\"");
        assert_eq!(thesis(Side::Yes, open), Err(opposite));
        assert_eq!(
            [(Side::No, open), (Side::Undecided, open), (Side::Yes, "Watchmen sleep.")]
                .map(|(side, claim)| thesis(side, claim)),
            [Ok(()), Ok(()), Ok(())]
        );
    }

    #[test]
    fn a_ruling_counts_with_a_reason_for_this_attack() {
        let mut graph = ArgumentGraph::default();
        let raised = Event::AttackRaised(AttackRaised {
            attack: AttackId(1),
            speaker: persona("ben"),
            turn: TurnId(2),
            source: ArgumentId(2),
            target: ArgumentId(1),
            component: ArgumentPart::Claim,
            kind: AttackKind::Rebut,
            rationale: "They cannot both hold.".to_owned(),
            quote: None,
            confidence: 0.5,
        });
        for event in [thesis(1, "ada", "Watchmen sleep."), thesis(2, "ben", "Watchmen are awake."), raised] {
            graph.apply(&noted(&event));
        }
        let at = GraphContext {
            graph: &graph,
            shown: &graph,
            transcript: &Transcript::default(),
            names: &names(&["ada", "ben"]),
            topic: DisputeId(1),
            question: "Should the port close its gates by night?",
            turn: TurnId(3),
            round: 1,
            grounds: &[],
        };
        let is_counted = |valid: bool, reason: &str| {
            let (attack, reason) = ("k1".to_owned(), reason.to_owned());
            let ruling =
                JudgementItem { attack, reason, valid, strength: 0.5, kind: None, component: None, index: None };
            judged(&at, JudgementsReply { judgements: vec![ruling] }).is_ok()
        };
        assert!(is_counted(true, "They cannot both hold."));
        assert!(is_counted(true, "Ben attacks Ada's claim."));
        for reason in ["It agrees with the target.", "Ada attacks Ben's claim.", "a1 attacks a2."] {
            assert_eq!([true, false].map(|valid| is_counted(valid, reason)), [false, true], "{reason}");
        }
    }
}
