//! Decodes the clerk's replies into events. Aliases are resolved or rejected one by one.
//!
//! The owner of an item is derived from the turn it comes from, never from the clerk's reply. Only the owner can narrow
//! or give up an argument, in a turn of their own.

use std::collections::BTreeMap;

use crate::engines::shared::grants;
use crate::engines::shared::view_prompts;
use crate::engines::talk::argument_clerk::schema::{
    ArgumentDistillation, Narrowed, NewArgument, NewAttack, WithdrawnArgument, WithdrawnAttack,
};
use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::conditions::states_flip_condition;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::distillation::{Decoded, DistillationDraft, Taken};
use crate::engines::talk::replies::findings::findings;
use crate::engines::talk::replies::readings::check_reading;
use crate::engines::talk::replies::schema::ComparisonReply;
use crate::engines::talk::state::{Talk, Window};
use crate::engines::talk::wording as words;
use crate::events::argument::{
    ArgumentAdvanced, ArgumentPart, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackKind, AttackRaised,
    AttackWithdrawn,
};
use crate::events::citation::Evidence;
use crate::events::distillation::{ClaimsCompared, Comparison, ComparisonFinding};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, PointId, TurnId};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::kernel::rulings::speaks_for_the_target;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::transcript::Turn;
use crate::questions::wording::says_the_same;

/// Maximum number of premises of an argument; an excess is rejected.
const MAX_PREMISES: usize = 3;
/// Maximum number of assumptions, and of pieces of evidence, of an argument; an excess is rejected.
const MAX_ASSUMPTIONS: usize = 2;
/// Maximum number of assumptions that an argument can have after revisions; an excess is rejected.
const MAX_CONDITIONS: usize = 6;
/// Maximum number of attacks, revisions or withdrawals in a reply; an excess is rejected.
const MAX_CHANGES: usize = 12;
/// Share of common words from which two claims of one speaker count as the same.
const SAME_CLAIM: f64 = 0.8;

/// Decodes a distillation. `most` is the maximum number of new arguments.
///
/// # Errors
/// [`Unreadable`] if the reply contains changes and all of them were rejected.
pub fn crystallized(
    talk: &Talk,
    graph: &ArgumentGraph,
    window: &Window,
    most: usize,
    reply: ArgumentDistillation,
) -> Result<Vec<Event>, Unreadable> {
    let (names, decoded) = (BTreeMap::new(), Decoded::default());
    let mut draft = Draft { talk, graph: graph.clone(), window, names, decoded };
    let n_given = reply.arguments.len() + reply.revised.len() + reply.withdrawn.len() + reply.attacks.len();
    draft.each("new arguments", most, reply.arguments, Draft::advance);
    draft.each("revised arguments", MAX_CHANGES, reply.revised, Draft::revise);
    draft.each("withdrawn arguments", MAX_CHANGES, reply.withdrawn, Draft::withdraw);
    draft.each("attacks", MAX_CHANGES, reply.attacks, Draft::attack);
    draft.each("withdrawn attacks", MAX_CHANGES, reply.withdrawn_attacks, Draft::drop);
    let is_lost = n_given > 0 && draft.decoded.facts.is_empty();
    let Draft { graph, decoded, .. } = draft;
    let mut facts = decoded.finish(is_lost, talk, window, Some(&graph), reply.concessions)?;
    let given_up: Vec<Event> = facts.iter().flat_map(|fact| attacks_given_up(&graph, fact)).collect();
    facts.extend(given_up);
    Ok(facts)
}

/// Returns the withdrawals of attacks that follow from a concession that grants a part of an argument.
fn attacks_given_up(graph: &ArgumentGraph, fact: &Event) -> Vec<Event> {
    match fact {
        Event::ConcessionMade(ConcessionMade { speaker, turn, granted: Some(granted), .. }) => {
            grants::given_up(graph, speaker, granted.source, *turn)
        }
        _ => Vec::new(),
    }
}

/// Decodes findings on pairs of claims. Conflicting claims attack each other from here on.
///
/// # Errors
/// [`Unreadable`] if no finding concerns a requested pair.
pub fn compared(
    graph: &ArgumentGraph,
    asked: &[(ArgumentId, ArgumentId)],
    reply: ComparisonReply,
) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    let asked: Vec<(PointId, PointId)> =
        asked.iter().map(|(one, other)| (PointId::Argument(*one), PointId::Argument(*other))).collect();
    let found = findings(&asked, reply.pairs, &mut refused)?;
    let mut facts = Vec::new();
    let mut attack = graph.next_attack();
    for (comparison, strength) in &found {
        if let Some(raised) = conflict(graph, attack, comparison) {
            facts.push(judged(attack, *strength, &comparison.reason));
            facts.insert(facts.len() - 1, Event::AttackRaised(raised));
            attack = AttackId(attack.0 + 1);
        }
    }
    let pairs = found.into_iter().map(|(comparison, _)| comparison).collect();
    Ok(std::iter::once(Event::ClaimsCompared(ClaimsCompared { pairs, refused })).chain(facts).collect())
}

/// Returns the attack between two claims in conflict; `None` if they are compatible, or the attack exists already.
fn conflict(graph: &ArgumentGraph, attack: AttackId, comparison: &Comparison) -> Option<AttackRaised> {
    let (PointId::Argument(source), PointId::Argument(target)) = (comparison.one, comparison.other) else {
        return None;
    };
    let between =
        |attack: &AttackRaised| [(source, target), (target, source)].contains(&(attack.source, attack.target));
    let known = graph.active().any(|(_, attack)| between(&attack.raised) && attack.is_mutual());
    if comparison.finding != ComparisonFinding::Conflict || known {
        return None;
    }
    Some(AttackRaised {
        attack,
        speaker: graph.speaker(source)?.clone(),
        turn: graph.turn(source)?,
        source,
        target,
        component: ArgumentPart::Claim,
        kind: AttackKind::Rebut,
        rationale: comparison.reason.clone(),
        quote: None,
        confidence: 1.0,
    })
}

fn judged(attack: AttackId, strength: f64, reason: &str) -> Event {
    let (reason, kind, component) = (reason.to_owned(), None, None);
    Event::AttackJudged(AttackJudged { attack, valid: true, strength, reason, kind, component })
}

/// Graph under construction: applies each event as it is decoded.
struct Draft<'a> {
    talk: &'a Talk,
    graph: ArgumentGraph,
    window: &'a Window<'a>,
    /// Names that the reply gave to new arguments.
    names: BTreeMap<String, ArgumentId>,
    decoded: Decoded,
}

impl DistillationDraft for Draft<'_> {
    type View = ArgumentGraph;

    fn parts(&mut self) -> (&mut ArgumentGraph, &mut Decoded) {
        (&mut self.graph, &mut self.decoded)
    }
}

/// Part of an argument, or the reason why it is rejected.
type ReadPart = Result<String, String>;

/// Reads an assumption in the clerk's words, which must differ from the other parts of the argument.
fn reading(talk: &Talk, turn: TurnId, given: &str, parts: &[String]) -> ReadPart {
    let reading = decode::statement("assumption", given)?;
    check_reading(talk, turn, &reading)?;
    match parts.iter().any(|part| says_the_same(part, &reading)) {
        true => Err(format!("assumes {}, which repeats another part of the argument", view_prompts::excerpt(&reading))),
        false => Ok(reading),
    }
}

impl Draft<'_> {
    fn advance(&mut self, given: NewArgument) -> Taken {
        let (turn, speaker, claim) = self.window.new_sentence(&given.claim)?;
        if states_flip_condition(self.talk, &speaker, turn, &claim) {
            return Err(format!("takes what would change the mind of {speaker} in {turn} for a claim"));
        }
        let said = words::content_words(&claim);
        let says_so = |argument: &ArgumentAdvanced| {
            argument.speaker == speaker && words::jaccard(&said, &words::content_words(&argument.claim)) >= SAME_CLAIM
        };
        if let Some((same, _)) = self.graph.live().find(|(_, argument)| says_so(&argument.advanced)) {
            return Err(format!("{} repeats {same}", view_prompts::excerpt(&given.name)));
        }
        let argument = self.graph.next_argument();
        let talk = self.talk;
        let mut parts = vec![claim.clone()];
        let sentence =
            |name: &str, parts: &[String]| self.window.sentence_of(turn, name, &parts.iter().collect::<Vec<_>>());
        let mut texts = |what: &str, given: &[String], most: usize, read: &dyn Fn(&str, &[String]) -> ReadPart| {
            let mut kept = Vec::new();
            if given.len() > most {
                self.decoded
                    .refused
                    .push(format!("{} {what} of {argument}, of which the first {most} are kept", given.len()));
            }
            for it in given.iter().filter(|text| !text.trim().is_empty()).take(most) {
                if let Some(part) = self.decoded.usable(read(it, &parts)) {
                    parts.push(part.clone());
                    kept.push(part);
                }
            }
            kept
        };
        let premises = texts("premises", &given.premises, MAX_PREMISES, &sentence);
        let assumptions = texts("assumptions", &given.assumptions, MAX_ASSUMPTIONS, &|given, parts| {
            reading(talk, turn, given, parts)
        });
        let evidence = texts("pieces of evidence", &given.evidence, MAX_ASSUMPTIONS, &sentence);
        self.names.insert(given.name.trim().to_owned(), argument);
        self.add(Event::ArgumentAdvanced(ArgumentAdvanced {
            argument,
            speaker,
            turn,
            claim,
            premises,
            assumptions,
            evidence: evidence.into_iter().map(|text| Evidence { text, citation: None }).collect(),
            carries: None,
            answers_topic: given.answers_topic,
            distilled: true,
            paraphrased: false,
        }));
        Ok(())
    }

    fn revise(&mut self, given: Narrowed) -> Taken {
        let (argument, turn, speaker, words) = self.own(&given.argument, &given.sentence)?;
        let there = &self.graph.arguments[&argument].advanced;
        let claim = given.states_claim.then(|| words.clone()).filter(|claim| *claim != there.claim);
        let condition = named(given.assumption.as_deref());
        let condition = condition.filter(|condition| !there.assumptions.iter().any(|there| there == condition));
        let condition = condition.map(|condition| decode::statement("assumption", condition)).transpose()?;
        condition.iter().try_for_each(|condition| check_reading(self.talk, turn, condition))?;
        if claim.is_none() && condition.is_none() {
            return Err(format!("revises {argument} and changes nothing"));
        }
        if condition.is_some() && there.assumptions.len() >= MAX_CONDITIONS {
            return Err(format!("puts a condition on {argument}, which already has {MAX_CONDITIONS} assumptions"));
        }
        if given.concedes {
            let kind = if claim.is_some() { ConcessionExtent::Partial } else { ConcessionExtent::Scope };
            let before = there.claim.clone();
            let effect = ConcessionEffect::Revised { argument };
            let quote = Some(words);
            self.add(Event::ConcessionMade(ConcessionMade {
                turn,
                speaker,
                kind,
                what: before,
                effect,
                quote,
                granted: None,
            }));
        }
        let assumptions = condition.into_iter().collect();
        self.add(Event::ArgumentRevised(ArgumentRevised { argument, turn, claim, assumptions }));
        Ok(())
    }

    fn withdraw(&mut self, given: WithdrawnArgument) -> Taken {
        let (argument, turn, speaker, words) = self.own(&given.argument, &given.sentence)?;
        let superseded_by = match named(given.superseded_by.as_deref()) {
            None => None,
            Some(alias) => {
                let by = self.argument(alias)?;
                if by == argument || self.graph.speaker(by) != Some(&speaker) {
                    let by = view_prompts::excerpt(alias);
                    return Err(format!("replaces {argument} by {by}, which is not another argument of its owner"));
                }
                Some(by)
            }
        };
        if superseded_by.is_none() {
            let what = self.graph.arguments[&argument].advanced.claim.clone();
            let (kind, effect) = (ConcessionExtent::Full, ConcessionEffect::Withdrew { argument });
            let quote = Some(words);
            self.add(Event::ConcessionMade(ConcessionMade { turn, speaker, kind, what, effect, quote, granted: None }));
        }
        let reason = decode::clipped(&given.reason);
        self.add(Event::ArgumentWithdrawn(ArgumentWithdrawn { argument, turn, superseded_by, reason }));
        Ok(())
    }

    fn attack(&mut self, given: NewAttack) -> Taken {
        let (source, target) = (self.argument(&given.source)?, self.argument(&given.target)?);
        let Some(speaker) =
            self.graph.speaker(source).filter(|attacker| self.graph.speaker(target) != Some(attacker)).cloned()
        else {
            return Err(format!("attacks {target} with {source}, which has the same speaker"));
        };
        if self.graph.claim_equally(source, target) {
            return Err(format!("attacks {target} with {source}, which says the same"));
        }
        if speaks_for_the_target(&given.reason) {
            return Err(format!("attacks {target} with {source} for a reason that speaks for {target}"));
        }
        let component = given.component.component(given.index);
        if self.graph.component_text(target, component).is_none() {
            return Err(format!(
                "attacks {} of {target}, which does not exist",
                view_prompts::component_name(component)
            ));
        }
        let kind = given.kind.against(component);
        let mutual = kind == AttackKind::Rebut;
        let same = |attack: &AttackRaised| {
            let ends = (attack.source, attack.target);
            (ends == (source, target) && attack.component == component && attack.kind == kind)
                || (mutual && ends == (target, source) && attack.kind == kind)
        };
        if let Some((attack, _)) = self.graph.active().find(|(_, attack)| same(&attack.raised)) {
            return Err(format!("repeats {attack}"));
        }
        let attack = self.graph.next_attack();
        let turn = self.made_in(&speaker, source, target, &given.reason);
        let rationale = decode::clipped(&given.reason);
        let said = self.talk.transcript.get(turn);
        let quote = said.and_then(|said| turn_quotes::words(said.text.trim(), &given.reason));
        let strength = decode::unit(given.strength);
        self.add(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale: rationale.clone(),
            quote,
            confidence: strength,
        }));
        self.add(judged(attack, strength, &rationale));
        Ok(())
    }

    fn drop(&mut self, given: WithdrawnAttack) -> Taken {
        let (turn, _) = self.window.turn(&given.turn)?;
        let attack: Option<AttackId> = given.attack.trim().parse().ok();
        let Some(attack) = attack.filter(|attack| self.graph.active().any(|(id, _)| id == *attack)) else {
            return Err(format!("withdraws {}, which is not an attack in force", view_prompts::excerpt(&given.attack)));
        };
        let reason = decode::clipped(&given.reason);
        self.add(Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason }));
        Ok(())
    }

    /// Returns the turn in which an attack was made: of the speaker's turns since the attacking argument was advanced, the
    /// first that contains the reason, or that answers the turn of the target; otherwise the one that advanced it.
    fn made_in(&self, speaker: &PersonaId, source: ArgumentId, target: ArgumentId, reason: &str) -> TurnId {
        let turns = self.window.older.iter().chain(&self.window.fresh);
        let (stated, attacked) = (self.graph.turn(source), self.graph.turn(target));
        let is_own = |turn: &&&Turn| turn.speaker.as_ref() == Some(speaker) && Some(turn.turn) >= stated;
        let own: Vec<_> = turns.filter(is_own).collect();
        let says = own.iter().find(|turn| !reason.trim().is_empty() && turn.text.contains(reason.trim()));
        let answers = || own.iter().find(|turn| attacked.is_some() && turn.answers == attacked);
        says.or_else(answers).map(|turn| turn.turn).or(stated).unwrap_or(TurnId(0))
    }

    /// Resolves a live argument by its alias in the graph or in the reply.
    fn argument(&self, alias: &str) -> Result<ArgumentId, String> {
        let alias = alias.trim();
        let argument = self.names.get(alias).copied().or_else(|| alias.parse().ok());
        let live = argument.filter(|argument| self.graph.is_live(*argument));
        live.ok_or_else(|| format!("names {}, which is not a live argument", view_prompts::excerpt(alias)))
    }

    /// Resolves a live argument and a new sentence of its owner.
    fn own(&self, argument: &str, sentence: &str) -> Result<(ArgumentId, TurnId, PersonaId, String), String> {
        let argument = self.argument(argument)?;
        let (turn, speaker, words) = self.window.new_sentence(sentence)?;
        match self.graph.speaker(argument) {
            Some(owner) if *owner == speaker => Ok((argument, turn, speaker, words)),
            _ => Err(format!("changes {argument} in {turn}, which is not a turn of its owner")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::talk::sample::talk;

    #[test]
    fn what_would_change_a_mind_is_no_claim() {
        let talk = talk(&["ada", "ben"], &["ada: The boat is too old. I would change my mind if it had a new hull."]);
        let claim = |sentence: &str| {
            let argument = json!({ "name": "n1", "claim": sentence });
            let reply = serde_json::from_value(json!({ "arguments": [argument], "attacks": [] })).expect("a reply");
            crystallized(&talk, &ArgumentGraph::default(), &talk.window(9), 6, reply)
        };
        let advanced = claim("t1.1").expect("a claim");
        assert!(advanced.iter().any(|event| matches!(event, Event::ArgumentAdvanced(_))));
        let refused = claim("t1.2").expect_err("no claim").to_string();
        assert!(refused.contains("takes what would change the mind of ada in t1 for a claim"), "{refused}");
    }
}
