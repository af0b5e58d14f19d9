//! From what the dialogue engine's clerk drew from talk to facts: what is named is resolved or refused, one thing at a time.
//!
//! Whose something is follows from the turn that it comes from, never from what the clerk says. Only its owner narrows or
//! gives up an argument, in a turn of their own.

use std::collections::BTreeMap;

use crate::engines::brief;
use crate::engines::dialogue_replies::{Crystallized, Dropped, GivenUp, Narrowed, NewArgument, NewAttack};
use crate::engines::talk_reading::{self as reading, MAX_REFUSED};
use crate::engines::talk_replies::Compared;
use crate::engines::talk_state::{Talk, Window};
use crate::engines::talk_words as words;
use crate::events::argument::{
    ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackKind, AttackRaised, AttackWithdrawn,
    Component, Evidence,
};
use crate::events::distil::{ClaimsCompared, Comparison, Finding, TurnsCrystallized};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, Point, TurnId};
use crate::events::turn::{Concession, ConcessionEffect, ConcessionMade};
use crate::kernel::reply::Unreadable;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;

/// How many premises an argument may have; more are refused.
const MAX_PREMISES: usize = 3;
/// How many assumptions, and pieces of evidence, an argument may have; more are refused.
const MAX_ASSUMPTIONS: usize = 2;
/// How many assumptions an argument may come to have by revisions; more are refused.
const MAX_CONDITIONS: usize = 6;
/// How many attacks, revisions, withdrawals one reply may hold; more are refused.
const MAX_CHANGES: usize = 12;
/// A claim that shares this much of all its words with one of the same speaker's says the same.
const SAME_CLAIM: f64 = 0.8;

/// What was drawn from turns. `most` is how many new arguments are taken.
///
/// # Errors
/// [`Unreadable`] where something was given and nothing of it could be taken.
pub fn crystallized(
    talk: &Talk,
    graph: &ArgumentGraph,
    window: &Window,
    most: usize,
    reply: Crystallized,
) -> Result<Vec<Event>, Unreadable> {
    let mut draft =
        Draft { graph: graph.clone(), window, names: BTreeMap::new(), facts: Vec::new(), refused: Vec::new() };
    let n_given = reply.arguments.len() + reply.revised.len() + reply.withdrawn.len() + reply.attacks.len();
    draft.each("new arguments", most, reply.arguments, Draft::advance);
    draft.each("revised arguments", MAX_CHANGES, reply.revised, Draft::revise);
    draft.each("withdrawn arguments", MAX_CHANGES, reply.withdrawn, Draft::withdraw);
    draft.each("attacks", MAX_CHANGES, reply.attacks, Draft::attack);
    draft.each("withdrawn attacks", MAX_CHANGES, reply.withdrawn_attacks, Draft::drop);
    let Draft { mut facts, mut refused, .. } = draft;
    if facts.is_empty() && n_given > 0 {
        refused.truncate(MAX_REFUSED);
        return Err(Unreadable::because(format!("nothing of it could be taken: {}", refused.join("; "))));
    }
    let said = reading::said(talk, window, reply.concessions, &facts, &mut refused);
    facts.extend(said);
    refused.truncate(MAX_REFUSED);
    let (turns, repetition) = (window.names(), None);
    let crystallized = Event::TurnsCrystallized(TurnsCrystallized { turns, refused, repetition });
    Ok(std::iter::once(crystallized).chain(facts).collect())
}

/// What was found on pairs of claims. Claims that cannot both hold attack each other from here on.
///
/// # Errors
/// [`Unreadable`] where not one of the pairs is among the findings.
pub fn compared(
    graph: &ArgumentGraph,
    asked: &[(ArgumentId, ArgumentId)],
    reply: Compared,
) -> Result<Vec<Event>, Unreadable> {
    let mut refused = Vec::new();
    let asked: Vec<(Point, Point)> =
        asked.iter().map(|(one, other)| (Point::Argument(*one), Point::Argument(*other))).collect();
    let found = reading::findings(&asked, reply.pairs, &mut refused)?;
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

/// The attack between two claims in conflict; `None` where they are not, or one was already raised.
fn conflict(graph: &ArgumentGraph, attack: AttackId, comparison: &Comparison) -> Option<AttackRaised> {
    let (Point::Argument(source), Point::Argument(target)) = (comparison.one, comparison.other) else {
        return None;
    };
    let between = |it: &AttackRaised| [(source, target), (target, source)].contains(&(it.source, it.target));
    let known = graph.active().any(|(_, it)| between(&it.raised) && it.is_mutual());
    if comparison.finding != Finding::Conflict || known {
        return None;
    }
    Some(AttackRaised {
        attack,
        speaker: graph.speaker(source)?.clone(),
        turn: graph.turn(source)?,
        source,
        target,
        component: Component::Claim,
        kind: AttackKind::Rebut,
        rationale: comparison.reason.clone(),
        confidence: 1.0,
    })
}

fn judged(attack: AttackId, strength: f64, reason: &str) -> Event {
    let (reason, kind, component) = (reason.to_owned(), None, None);
    Event::AttackJudged(AttackJudged { attack, valid: true, strength, reason, kind, component })
}

/// The graph as it becomes, fact by fact.
struct Draft<'a> {
    graph: ArgumentGraph,
    window: &'a Window<'a>,
    /// The names that the reply gave to new arguments.
    names: BTreeMap<String, ArgumentId>,
    facts: Vec<Event>,
    refused: Vec<String>,
}

type Taken = Result<(), String>;

impl Draft<'_> {
    fn each<T>(&mut self, what: &str, most: usize, given: Vec<T>, take: fn(&mut Self, T) -> Taken) {
        if given.len() > most {
            self.refused.push(format!("{} {what}; the first {most} are looked at", given.len()));
        }
        for it in given.into_iter().take(most) {
            if let Err(reason) = take(self, it) {
                self.refused.push(reason);
            }
        }
    }

    fn add(&mut self, fact: Event) {
        self.graph.apply(&reading::noted(&fact));
        self.facts.push(fact);
    }

    fn advance(&mut self, given: NewArgument) -> Taken {
        let (turn, speaker) = self.window.new_turn(&given.turn)?;
        let claim = reading::statement("claim", &given.claim)?;
        let said = words::content(&claim);
        let says_so = |it: &ArgumentAdvanced| {
            it.speaker == speaker && words::alike(&said, &words::content(&it.claim)) >= SAME_CLAIM
        };
        if let Some((same, _)) = self.graph.live().find(|(_, it)| says_so(&it.advanced)) {
            return Err(format!("{} says what {same} says", brief::excerpt(&given.name)));
        }
        let argument = self.graph.next_argument();
        let mut texts = |what: &str, given: &[String], most: usize| {
            let mut kept = Vec::new();
            if given.len() > most {
                self.refused.push(format!("{} {what}s of {argument}; the first {most} are kept", given.len()));
            }
            for it in given.iter().filter(|it| !it.trim().is_empty()).take(most) {
                match reading::statement(what, it) {
                    Ok(it) => kept.push(it),
                    Err(reason) => self.refused.push(reason),
                }
            }
            kept
        };
        let premises = texts("premise", &given.premises, MAX_PREMISES);
        let assumptions = texts("assumption", &given.assumptions, MAX_ASSUMPTIONS);
        let evidence = texts("piece of evidence", &given.evidence, MAX_ASSUMPTIONS);
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
        }));
        Ok(())
    }

    fn revise(&mut self, given: Narrowed) -> Taken {
        self.window.new_turn(&given.turn)?;
        let (argument, turn, speaker) = self.own(&given.argument, &given.turn)?;
        let there = &self.graph.arguments[&argument].advanced;
        let claim = reading::named(given.claim.as_deref()).filter(|it| *it != there.claim);
        let claim = claim.map(|it| reading::statement("claim", it)).transpose()?;
        let condition = reading::named(given.assumption.as_deref());
        let condition = condition.filter(|it| !there.assumptions.iter().any(|there| there == it));
        let condition = condition.map(|it| reading::statement("assumption", it)).transpose()?;
        if claim.is_none() && condition.is_none() {
            return Err(format!("revises {argument} and changes nothing"));
        }
        if condition.is_some() && there.assumptions.len() >= MAX_CONDITIONS {
            return Err(format!("puts a condition on {argument}, which has {MAX_CONDITIONS} assumptions already"));
        }
        if given.concedes {
            let kind = if claim.is_some() { Concession::Partial } else { Concession::Scope };
            let before = there.claim.clone();
            let effect = ConcessionEffect::Revised { argument };
            self.add(Event::ConcessionMade(ConcessionMade { turn, speaker, kind, what: before, effect }));
        }
        let assumptions = condition.into_iter().collect();
        self.add(Event::ArgumentRevised(ArgumentRevised { argument, turn, claim, assumptions }));
        Ok(())
    }

    fn withdraw(&mut self, given: GivenUp) -> Taken {
        let (argument, turn, speaker) = self.own(&given.argument, &given.turn)?;
        let superseded_by = match reading::named(given.superseded_by.as_deref()) {
            None => None,
            Some(alias) => {
                let by = self.argument(alias)?;
                if by == argument || self.graph.speaker(by) != Some(&speaker) {
                    let by = brief::excerpt(alias);
                    return Err(format!("puts {by} in the place of {argument}, which is no other of the same owner's"));
                }
                Some(by)
            }
        };
        if superseded_by.is_none() {
            let what = self.graph.arguments[&argument].advanced.claim.clone();
            let (kind, effect) = (Concession::Full, ConcessionEffect::Withdrew { argument });
            self.add(Event::ConcessionMade(ConcessionMade { turn, speaker, kind, what, effect }));
        }
        let reason = reading::clipped(&given.reason);
        self.add(Event::ArgumentWithdrawn(ArgumentWithdrawn { argument, turn, superseded_by, reason }));
        Ok(())
    }

    fn attack(&mut self, given: NewAttack) -> Taken {
        let (source, target) = (self.argument(&given.source)?, self.argument(&given.target)?);
        let Some(speaker) = self.graph.speaker(source).filter(|it| self.graph.speaker(target) != Some(it)).cloned()
        else {
            return Err(format!("sets {source} against {target}, which is the same speaker's"));
        };
        let component = given.component.component(given.index);
        if self.graph.component_text(target, component).is_none() {
            return Err(format!("attacks {} of {target}, which has none", brief::component_name(component)));
        }
        let kind = given.kind.against(component);
        let mutual = kind == AttackKind::Rebut;
        let same = |it: &AttackRaised| {
            let ends = (it.source, it.target);
            (ends == (source, target) && it.component == component && it.kind == kind)
                || (mutual && ends == (target, source) && it.kind == kind)
        };
        if let Some((attack, _)) = self.graph.active().find(|(_, it)| same(&it.raised)) {
            return Err(format!("repeats {attack}"));
        }
        let attack = self.graph.next_attack();
        let turn = self.latest(&speaker).max(self.graph.turn(source)).unwrap_or(TurnId(0));
        let rationale = reading::clipped(&given.reason);
        let strength = reading::unit(given.strength);
        self.add(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale: rationale.clone(),
            confidence: strength,
        }));
        self.add(judged(attack, strength, &rationale));
        Ok(())
    }

    fn drop(&mut self, given: Dropped) -> Taken {
        let (turn, _) = self.window.turn(&given.turn)?;
        let attack: Option<AttackId> = given.attack.trim().parse().ok();
        let Some(attack) = attack.filter(|it| self.graph.active().any(|(id, _)| id == *it)) else {
            return Err(format!("withdraws {}, which is no attack in force", brief::excerpt(&given.attack)));
        };
        let reason = reading::clipped(&given.reason);
        self.add(Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason }));
        Ok(())
    }

    /// The latest turn of a speaker among those shown.
    fn latest(&self, speaker: &PersonaId) -> Option<TurnId> {
        let turns = self.window.older.iter().chain(&self.window.fresh);
        turns.filter(|it| it.speaker.as_ref() == Some(speaker)).map(|it| it.turn).max()
    }

    /// A live argument by its name, in the graph or in the reply.
    fn argument(&self, alias: &str) -> Result<ArgumentId, String> {
        let alias = alias.trim();
        let argument = self.names.get(alias).copied().or_else(|| alias.parse().ok());
        let live = argument.filter(|it| self.graph.is_live(*it));
        live.ok_or_else(|| format!("names {}, which is no live argument", brief::excerpt(alias)))
    }

    /// A live argument, and a turn of its owner's.
    fn own(&self, argument: &str, turn: &str) -> Result<(ArgumentId, TurnId, PersonaId), String> {
        let argument = self.argument(argument)?;
        let (turn, speaker) = self.window.turn(turn)?;
        match self.graph.speaker(argument) {
            Some(owner) if *owner == speaker => Ok((argument, turn, speaker)),
            _ => Err(format!("changes {argument} by {turn}, which is not its owner's")),
        }
    }
}
