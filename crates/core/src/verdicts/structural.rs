//! Structural cruxes: statements that divide the participants and decide a thesis.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::events::argument::ArgumentPart;
use crate::events::crux::Disagreement;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::projections::argument_graph::{Argument, ArgumentGraph, Attack};
use crate::verdicts::candidates::{Candidate, Level, candidates, disputed, theses};
use crate::verdicts::card::CruxCard;
use crate::verdicts::consequence::{Consequence, consequences};
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin, Position, PositionBasis, PositionSide, in_order};
use crate::verdicts::crux_card::crux_text::{listed, quoted, why_statement};
use crate::verdicts::crux_card::make_card::make_card;
use crate::verdicts::crux_card::question::{claim_and_inference_question, inference_question, settling_question};
use crate::verdicts::crux_id::{CruxKey, is_normally, normal};
use faultline_argumentation::explanation::acceptance::Acceptance;

/// Finds the structural cruxes and the contested premises, each by pivotality, number of dependents and attack degree.
///
/// Both are statements that an argument of one participant rests on and another participant attacks. Two claims that
/// contradict each other are listed once. An attack counts also if all preferred extensions decide it alike. A crux changes the
/// status of a thesis when it is settled; a contested premise changes none.
///
/// Cost: one pass over the framework for every 256 candidates, plus that of [`consequences`].
pub fn structural(views: CruxInputs<'_>, acceptance: &Acceptance) -> (Vec<Crux>, Vec<Crux>) {
    let CruxInputs { graph, framed, .. } = views;
    let disputed = disputed(graph, framed, acceptance);
    let (theses, among) = theses(graph, framed, &disputed);
    let candidates = candidates(graph, framed, &disputed);
    let consequences = consequences(&framed.framework, &theses, candidates.iter().map(|candidate| &candidate.settled));
    let consequences = consequences.into_iter().map(|consequence| Consequence { among, ..consequence });
    let judged = candidates.iter().zip(consequences);
    let found = judged.filter_map(|(candidate, consequence)| {
        let positions = positions(views, candidate);
        // A card is the dearest part of a crux.
        let crux = divides(&positions).then(|| of_statement(views, &disputed, candidate, consequence, positions))?;
        Some((candidate.is_attacked, crux))
    });
    let mut found = without_mirrors(found.collect());
    found.sort_by(|one, other| {
        let pivotality = |crux: &Crux| crux.pivotality.unwrap_or(0.0);
        pivotality(other)
            .total_cmp(&pivotality(one))
            .then(other.dependents.len().cmp(&one.dependents.len()))
            .then(other.attack_degree.cmp(&one.attack_degree))
            .then(one.origin.cmp(&other.origin))
            .then(one.dependents.cmp(&other.dependents))
            .then(one.statement.cmp(&other.statement))
    });
    found.into_iter().partition(|crux| crux.consequence.is_some_and(|consequence| consequence.changed > 0))
}

/// Keeps one of two claims that contradict each other and nothing else: they are one disagreement, and each position tells
/// the claim of its holder. The one that decides more stays; of equal ones, the one that was attacked and not the one that
/// attacks; then the weightier, and then the first in the alphabet, so that neither the order of speakers nor a hypothetical
/// attack changes which. Each crux comes with whether it was attacked.
fn without_mirrors(mut found: Vec<(bool, Crux)>) -> Vec<Crux> {
    found.sort_by_cached_key(|(is_attacked, crux)| {
        let pivotality = crux.pivotality.unwrap_or(0.0);
        let weight = Reverse((pivotality.to_bits(), *is_attacked, crux.dependents.len(), crux.attack_degree));
        (weight, normal(&crux.statement))
    });
    let is_of_claim = |crux: &Crux| crux.origin == CruxOrigin::Structure { level: Level::Claim };
    let holders = |crux: &Crux| -> BTreeSet<(PersonaId, Option<ArgumentId>)> {
        crux.positions.iter().map(|position| (position.persona.clone(), position.argument)).collect()
    };
    let mut seen = BTreeSet::new();
    let mut kept: Vec<Crux> = found.into_iter().map(|(_, crux)| crux).collect();
    kept.retain(|crux| !is_of_claim(crux) || crux.is_inference() || seen.insert(holders(crux)));
    // Two steps that are denied by each other's arguments are two questions, unless the claims are one already.
    kept.retain(|crux| !crux.is_inference() || !seen.contains(&holders(crux)));
    kept
}

/// True if a text has words.
fn says_something(text: &&str) -> bool {
    text.contains(char::is_alphabetic)
}

/// True if one participant rests on the statement and another attacks it.
fn divides(positions: &[Position]) -> bool {
    positions.iter().any(|position| position.side.affirms()) && positions.iter().any(|position| position.side.denies())
}

fn of_statement(
    views: CruxInputs<'_>,
    disputed: &BTreeSet<u32>,
    candidate: &Candidate,
    consequence: Consequence,
    positions: Vec<Position>,
) -> Crux {
    let CruxInputs { graph, framed, .. } = views;
    let settled: Vec<u32> = candidate.settled.iter().copied().collect();
    let framework = &framed.framework;
    let attacks =
        settled.iter().map(|argument| framework.attackers(*argument).len() + framework.attacked(*argument).len());
    let dependents: Vec<ArgumentId> =
        settled.iter().filter(|argument| disputed.contains(argument)).map(|argument| framed.id(*argument)).collect();
    let origin = CruxOrigin::Structure { level: candidate.level };
    let (turns, opened) = turns(views, candidate, &positions);
    let says_it =
        |position: &&Position| (position.side, position.basis) == (PositionSide::RestsOn, PositionBasis::Said);
    let author = positions.iter().find(says_it);
    let author = author.map(|position| position.name.clone());
    let (question, key) = if candidate.is_inference {
        (inference_question(&candidate.text), CruxKey::of_inference(&candidate.text))
    } else if candidate.is_inference_denied {
        (claim_and_inference_question(&candidate.text), CruxKey::of_statement(&candidate.text))
    } else {
        (settling_question(&candidate.text, author.as_deref()), CruxKey::of_statement(&candidate.text))
    };
    let card = make_card(views, (origin, None), &candidate.text, &positions, Some(&consequence));
    let card = if candidate.is_inference {
        CruxCard { kind: Some(Disagreement::Inference), kind_reason: inference_of(&dependents), ..card }
    } else {
        card
    };
    Crux {
        card,
        key,
        origin,
        open: true,
        statement: candidate.text.clone(),
        other_statements: candidate.others.clone(),
        question,
        why: why_statement(&consequence, dependents.len()),
        agreed: None,
        pivotality: Some(consequence.pivotality()),
        consequence: Some(consequence),
        assumptions: behind(graph, &dependents, &candidate.text),
        dependents,
        attack_degree: attacks.sum(),
        positions,
        turns,
        opened,
    }
}

/// Role of an inference. The same claim may be a part of other arguments, which do not rest on the inference.
fn inference_of(arguments: &[ArgumentId]) -> String {
    let names: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    format!("It is the step from the reasons of {} to the claim.", listed(&names))
}

/// Other grounds of the arguments, without the statement; each text once.
fn behind(graph: &ArgumentGraph, arguments: &[ArgumentId], statement: &str) -> Vec<String> {
    let mut known = BTreeSet::from([normal(statement)]);
    let mut texts = Vec::new();
    for argument in arguments.iter().filter_map(|id| graph.arguments.get(id)) {
        let advanced = &argument.advanced;
        let those = if advanced.assumptions.is_empty() { &advanced.premises } else { &advanced.assumptions };
        texts.extend(those.iter().filter(|text| known.insert(normal(text))).cloned());
    }
    texts
}

/// Positions on a statement, one for each participant, and two for one who denies both the claim and that it follows: speakers whose arguments rest on it, then speakers who attack
/// exactly this statement, then speakers of claims that conflict with it. An argument whose turn is unknown shows no
/// position, since no words of its speaker do.
fn positions(views: CruxInputs<'_>, candidate: &Candidate) -> Vec<Position> {
    let CruxInputs { graph, framed, .. } = views;
    let resting = candidate.settled.iter().filter_map(|index| {
        let argument = framed.id(*index);
        let advanced = graph.arguments.get(&argument)?;
        let in_own = advanced.turns().find(|turn| views.transcript.quote(*turn, &candidate.text).is_some());
        let said = in_own.or_else(|| views.transcript.said_by(&advanced.advanced.speaker, &candidate.text).next());
        let turn = said.or_else(|| advanced.turns().next())?;
        Some(Shown { side: PositionSide::RestsOn, turn, argument, attack: None })
    });
    let mut denials = denials(views, candidate);
    denials.sort();
    let mut positions: BTreeMap<(&PersonaId, bool), Position> = BTreeMap::new();
    for shown in resting.chain(denials) {
        let Some(argument) = graph.arguments.get(&shown.argument) else { continue };
        let advanced = &argument.advanced;
        let quote = words_of(graph, candidate, &shown, argument).find_map(|words| views.quote(shown.turn, words));
        let position = || Position {
            persona: advanced.speaker.clone(),
            name: views.name(&advanced.speaker),
            side: shown.side,
            turn: shown.turn,
            turn_basis: argument.turn_basis,
            argument: Some(shown.argument),
            words: quoted(quote.as_deref().filter(|_| shown.attack.is_some()).unwrap_or(&advanced.claim)),
            basis: match &quote {
                Some(_) => PositionBasis::Said,
                None if assumes(argument, &candidate.text) && shown.side == PositionSide::RestsOn => {
                    PositionBasis::Assumed
                }
                // An attack can be made in another turn than the one that states the attacking claim.
                None if shown.side != PositionSide::RestsOn && is_stated(views, argument) => PositionBasis::Unquoted,
                None => PositionBasis::Written,
            },
            quote: quote.clone(),
        };
        let rests = positions.get(&(&advanced.speaker, false)).is_some_and(|known| known.side.affirms());
        if !rests {
            positions.entry((&advanced.speaker, shown.side == PositionSide::Undercuts)).or_insert_with(position);
        }
    }
    let mut positions: Vec<Position> = positions.into_values().collect();
    positions.sort_by_key(|position| !position.side.affirms());
    positions
}

/// Words that show a position if its turn contains them, best first: the statement that an argument rests on and nothing
/// else, since its claim is another statement; the words or the reason of an attack; or the claim that attacks or conflicts.
fn words_of<'a>(
    graph: &'a ArgumentGraph,
    candidate: &'a Candidate,
    shown: &Shown,
    argument: &'a Argument,
) -> impl Iterator<Item = &'a str> {
    let claim = argument.advanced.claim.as_str();
    let words = match (shown.side, shown.attack.and_then(|attack| graph.attacks.get(&attack))) {
        (PositionSide::RestsOn, _) => [Some(candidate.text.as_str()), None, None],
        (_, Some(attack)) => {
            let reason = Some(attack.raised.rationale.as_str()).filter(says_something);
            [attack.raised.quote.as_deref(), reason, Some(claim)]
        }
        (_, None) => [None, None, Some(claim)],
    };
    words.into_iter().flatten()
}

/// True if a turn of an argument contains its claim.
fn is_stated(views: CruxInputs<'_>, argument: &Argument) -> bool {
    argument.turns().any(|turn| views.transcript.quote(turn, &argument.advanced.claim).is_some())
}

/// True if a text is an assumption of an argument.
fn assumes(argument: &Argument, text: &str) -> bool {
    let form = normal(text);
    argument.advanced.assumptions.iter().any(|assumption| is_normally(assumption, &form))
}

/// Argument that shows a position, with the turn that does. Attacks come before conflicts, then earlier turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    side: PositionSide,
    turn: TurnId,
    argument: ArgumentId,
    /// Attack that the speaker made in the turn.
    attack: Option<AttackId>,
}

/// Arguments that attack the candidate's statement itself, or conflict with it. An attack on another statement under the
/// same arguments denies that one, and not this.
fn denials(views: CruxInputs<'_>, candidate: &Candidate) -> Vec<Shown> {
    let graph = views.graph;
    let text = normal(&candidate.text);
    let is_on = |id: ArgumentId, component: ArgumentPart| {
        graph.component_text(id, component).is_some_and(|part| is_normally(part, &text))
    };
    let mut denials = Vec::new();
    for (_, attack) in graph.active() {
        let (source, target) = (attack.raised.source, attack.raised.target);
        if is_denied_by(candidate, attack) && is_on(target, attack.component()) {
            denials.extend(attacker(views, attack));
        }
        if !candidate.is_inference && attack.is_mutual() && is_on(source, ArgumentPart::Claim) {
            let side = PositionSide::ConflictsWith;
            denials.extend(graph.turn(target).map(|turn| Shown { side, turn, argument: target, attack: None }));
        }
    }
    denials
}

/// True if attacks of this kind deny the candidate: its claim, or that the claim follows.
fn is_denied_by(candidate: &Candidate, attack: &Attack) -> bool {
    if attack.is_on_inference() { candidate.is_inference_denied } else { !candidate.is_inference }
}

/// Position of the speaker of an attack. Nobody attacks what they had not heard: if the attack was not made after the
/// attacked argument, their claims only conflict.
fn attacker(views: CruxInputs<'_>, attack: &Attack) -> Option<Shown> {
    let (graph, raised) = (views.graph, &attack.raised);
    let argument = raised.source;
    let stated = graph.turn(argument)?;
    let is_own = views.transcript.speaker(raised.turn) == graph.speaker(argument);
    let turn = if is_own { raised.turn } else { stated };
    let is_before = |said: TurnId| !views.transcript.had_heard(turn, said);
    let had_heard = !graph.turn(raised.target).is_some_and(is_before)
        && !graph.arguments.get(&raised.target).and_then(reworded_in).is_some_and(is_before);
    let side = if attack.is_on_inference() { PositionSide::Undercuts } else { PositionSide::Attacks };
    Some(if had_heard {
        Shown { side, turn, argument, attack: is_own.then_some(raised.attack) }
    } else {
        Shown { side: PositionSide::ConflictsWith, turn: stated, argument, attack: None }
    })
}

/// Turn in which a claim got its present wording; `None` if it has its first one.
pub fn reworded_in(argument: &Argument) -> Option<TurnId> {
    argument.revisions.iter().rev().find(|revision| revision.before.is_some()).map(|it| it.revised.turn)
}

/// Returns the turns that show a position, state the statement, or attack it, ascending; and the first turn in which it was
/// attacked, when both arguments had been advanced.
fn turns(views: CruxInputs<'_>, candidate: &Candidate, positions: &[Position]) -> (Vec<TurnId>, TurnId) {
    let (graph, text) = (views.graph, normal(&candidate.text));
    let is_on = |id: ArgumentId, component: ArgumentPart| {
        graph.component_text(id, component).is_some_and(|part| is_normally(part, &text))
    };
    let made: Vec<TurnId> = graph
        .active()
        .filter(|(_, attack)| {
            let is_back =
                !candidate.is_inference && attack.is_mutual() && is_on(attack.raised.source, ArgumentPart::Claim);
            is_denied_by(candidate, attack) && is_on(attack.raised.target, attack.component()) || is_back
        })
        .map(|(_, attack)| {
            let ends = [attack.raised.source, attack.raised.target].into_iter().filter_map(|end| graph.turn(end));
            ends.fold(attack.raised.turn, TurnId::max)
        })
        .collect();
    let holders: BTreeSet<&PersonaId> =
        candidate.settled.iter().filter_map(|index| graph.speaker(views.framed.id(*index))).collect();
    let stated = holders.into_iter().flat_map(|holder| views.transcript.said_by(holder, &candidate.text));
    let shown = positions.iter().map(|position| position.turn);
    let turns = in_order(shown.chain(stated).chain(made.iter().copied()));
    let opened = made.into_iter().min().or(turns.first().copied());
    (turns, opened.unwrap_or(TurnId(0)))
}
