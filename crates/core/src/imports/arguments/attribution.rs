//! Attribution of arguments to turns, for files that do not state the turns of arguments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::imported::TurnBasis;
use crate::imports::arguments::graph_fields::{component_of, kind_of, target_of};
use crate::imports::draft::{ImportDraft, KnownArgument};
use crate::imports::fields::{text, text_of};

/// Turn to which an argument is attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentTurn {
    /// The turn; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// Basis of the attribution.
    pub basis: TurnBasis,
    /// Number of distinctive words that turn and claim share; 0 on any other basis than words.
    pub shared_words: u32,
    /// Latest turn of the speaker that is not younger than an attack on the argument; `None` if there is none, or the
    /// file states the turn.
    pub latest: Option<TurnId>,
}

impl ArgumentTurn {
    /// The attribution; if the turn is unknown, to the latest possible one.
    pub fn or_latest(self) -> ArgumentTurn {
        match self.turn.or(self.latest) {
            Some(turn) if self.turn.is_none() => {
                ArgumentTurn { turn: Some(turn), basis: TurnBasis::LatestTurn, ..self }
            }
            _ => self,
        }
    }

    /// Unknown turn.
    pub const UNKNOWN: ArgumentTurn =
        ArgumentTurn { turn: None, basis: TurnBasis::Unknown, shared_words: 0, latest: None };
}

/// True for a rebuttal of a claim, which works in both directions.
fn is_mutual(attack: &Value) -> bool {
    let component = component_of(attack.get("target").unwrap_or(attack));
    let kind = text_of(attack, &["type", "attackType"]).and_then(kind_of);
    kind == Some(AttackKind::Rebut) && component.unwrap_or(ArgumentPart::Claim) == ArgumentPart::Claim
}

/// Argument that is not in the debate yet.
struct Unplaced<'a> {
    name: &'a str,
    speaker: PersonaId,
    words: BTreeSet<String>,
}

/// Side of an attack: an argument of the list, or one that is in the debate already.
#[derive(Clone, Copy)]
enum Attacker {
    /// Argument of the list, by its index.
    Listed(usize),
    /// Argument of the list whose attack is mutual: either side can be the older one.
    Rebutting(usize),
    /// Argument of the debate, by the latest turn in which it can have attacked.
    Known(TurnId),
}

/// Attributes the arguments that are not in the debate yet, by their names, to turns of their speakers. `raised` returns
/// the latest turn in which an argument of the debate can have attacked one of these.
///
/// An argument belongs to the turn that shares the most distinctive words with its claim, the earliest of several, among
/// the turns that are not younger than any argument that attacks it. If arguments attack each other, by a rebuttal of a
/// claim or around a cycle, one of them must be older than its answer; then the turn is not younger than the last one of
/// the attacker, in which the attack can have been raised. Without a shared word the turn is unknown.
///
/// Cost: every claim is compared with every turn of its speaker, and the attacks are walked once per argument.
pub fn attributions(
    draft: &ImportDraft,
    (arguments, attacks): (&[Value], &[Value]),
    raised: impl Fn(&KnownArgument) -> Option<TurnId>,
) -> BTreeMap<String, ArgumentTurn> {
    let unplaced = unplaced(draft, arguments);
    let speakers: BTreeSet<&PersonaId> = unplaced.iter().map(|argument| &argument.speaker).collect();
    let said = |speaker| draft.turns_of(speaker).map(|(turn, said)| (turn, words(said))).collect();
    let turns: BTreeMap<&PersonaId, Vec<(TurnId, BTreeSet<String>)>> =
        speakers.into_iter().map(|speaker| (speaker, said(speaker))).collect();
    let attackers = attackers(draft, attacks, &unplaced, raised);
    let ancestors = ancestors(&attackers);
    let last_turn = |persona: &PersonaId| turns.get(persona).and_then(|turns| turns.last()).map(|(turn, _)| *turn);
    let mut order: Vec<usize> = (0..unplaced.len()).collect();
    // An attacker outside a cycle has fewer ancestors than the attacked argument, so it is placed before it.
    order.sort_by_key(|place| (ancestors[*place].iter().filter(|is_one| **is_one).count(), *place));
    let mut placed: Vec<Option<ArgumentTurn>> = vec![None; unplaced.len()];
    for place in order {
        let limit = |attacker: &Attacker| match attacker {
            Attacker::Known(turn) => Some(*turn),
            Attacker::Rebutting(one) => last_turn(&unplaced[*one].speaker),
            Attacker::Listed(one) if ancestors[*one][place] => last_turn(&unplaced[*one].speaker),
            Attacker::Listed(one) => placed[*one].and_then(|attribution| attribution.turn),
        };
        let latest = attackers[place].iter().filter_map(limit).min();
        let Unplaced { speaker, words, .. } = &unplaced[place];
        let own = turns.get(speaker).map_or(&[][..], Vec::as_slice);
        placed[place] =
            Some(closest(own.iter().filter(|(turn, _)| latest.is_none_or(|latest| *turn <= latest)), words));
    }
    let named = unplaced.iter().zip(placed);
    named.filter_map(|(argument, attribution)| Some((argument.name.to_owned(), attribution?))).collect()
}

/// Turn that shares the most words with a claim: the earliest of several.
fn closest<'a>(turns: impl Iterator<Item = &'a (TurnId, BTreeSet<String>)>, claim: &BTreeSet<String>) -> ArgumentTurn {
    let (mut best, mut latest) = (ArgumentTurn::UNKNOWN, None);
    for (turn, said) in turns {
        let shared_words = u32::try_from(said.intersection(claim).count()).unwrap_or(u32::MAX);
        if shared_words > best.shared_words {
            best = ArgumentTurn { turn: Some(*turn), basis: TurnBasis::MatchedWords, shared_words, latest: None };
        }
        latest = Some(*turn);
    }
    ArgumentTurn { latest, ..best }
}

fn unplaced<'a>(draft: &ImportDraft, arguments: &'a [Value]) -> Vec<Unplaced<'a>> {
    let mut seen = BTreeSet::new();
    let read = |argument: &'a Value| {
        let name = text(argument, "id").filter(|name| !draft.arguments.contains_key(*name))?;
        let speaker = draft.speaker(text(argument, "speakerId")).ok()?;
        Some(Unplaced { name, speaker, words: words(text(argument, "claim").unwrap_or_default()) })
    };
    arguments.iter().filter_map(read).filter(|argument| seen.insert(argument.name)).collect()
}

/// Attackers of each listed argument.
fn attackers(
    draft: &ImportDraft,
    attacks: &[Value],
    unplaced: &[Unplaced<'_>],
    raised: impl Fn(&KnownArgument) -> Option<TurnId>,
) -> Vec<Vec<Attacker>> {
    let places: BTreeMap<&str, usize> =
        unplaced.iter().zip(0..).map(|(argument, place)| (argument.name, place)).collect();
    let mut attackers = vec![Vec::new(); unplaced.len()];
    for attack in attacks {
        let source = text_of(attack, &["fromArgId", "sourceArgId"]);
        let target = target_of(attack).and_then(|name| places.get(name));
        let (Some(source), Some(target)) = (source, target) else { continue };
        let known = || draft.arguments.get(source).and_then(&raised).map(Attacker::Known);
        let side = if is_mutual(attack) { Attacker::Rebutting } else { Attacker::Listed };
        attackers[*target].extend(places.get(source).map(|place| side(*place)).or_else(known));
    }
    attackers
}

/// Listed arguments that attack each listed argument, directly or through others.
fn ancestors(attackers: &[Vec<Attacker>]) -> Vec<Vec<bool>> {
    let of = |place: usize| -> Vec<bool> {
        let mut is_ancestor = vec![false; attackers.len()];
        let mut pending = vec![place];
        while let Some(next) = pending.pop() {
            for attacker in &attackers[next] {
                if let Attacker::Listed(one) = attacker
                    && !std::mem::replace(&mut is_ancestor[*one], true)
                {
                    pending.push(*one);
                }
            }
        }
        is_ancestor
    };
    (0..attackers.len()).map(of).collect()
}

/// Distinctive words of a text: longer than two letters, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    words.map(str::to_lowercase).collect()
}
