//! Measures of the exchange: answers, dropped arguments, balance.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::ids::{PersonaId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::argument_graph::{Argument, Attack};

const NO_TURNS: &str = "Fewer than two participants spoke.";

/// Share of the turns after the first of each participant that answer a turn of somebody else, or attack an argument of
/// theirs.
pub fn responsiveness(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut opened = BTreeSet::new();
    let later: Vec<_> = inputs.turns.iter().filter(|spoken| !opened.insert(spoken.speaker)).collect();
    let attacks: BTreeSet<TurnId> = inputs.read_model.arguments.attacks.values().map(|it| it.raised.turn).collect();
    let answers = |turn: Option<TurnId>, own: &PersonaId| {
        turn.is_some_and(|turn| inputs.read_model.transcript.speaker(turn).is_some_and(|speaker| speaker != own))
    };
    let is_answer = |spoken: &&&crate::measures::inputs::SpokenTurn<'_>| {
        answers(spoken.turn.answers, spoken.speaker) || attacks.contains(&spoken.turn.turn)
    };
    let answering = later.iter().filter(is_answer).count();
    let parts = inputs.participants().filter_map(|persona| {
        let own: Vec<_> = later.iter().filter(|spoken| spoken.speaker == persona).collect();
        let answering: Vec<_> = own.iter().copied().filter(is_answer).collect();
        let value = (!own.is_empty()).then(|| answering.len() as f64 / own.len() as f64)?;
        Some(MeasurePart::of(persona, Some(value), answering.iter().map(|spoken| spoken.turn.turn)))
    });
    MeasureValue::share(answering, later.len(), "Nobody spoke twice.").with_parts(parts.collect::<Vec<_>>())
}

/// Share of the valid attacks by others that the attacked participant never answered, although they spoke again. An answer
/// is an attack on the attacking argument, a revision or withdrawal of the attacked one, or a turn that answers the attack's.
pub fn dropped_attacks(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let attacked = attacked(inputs);
    let dropped: Vec<_> = attacked.iter().filter(|it| it.answer.is_none()).collect();
    let parts = dropped.iter().map(|it| MeasurePart {
        label: format!("{} by {}: {}", it.attack.raised.attack, it.attack.raised.speaker, it.attack.raised.rationale),
        ..MeasurePart::of(it.author, None, [it.attack.raised.turn])
    });
    let absent = "No valid attack met somebody who spoke again.";
    MeasureValue::share(dropped.len(), attacked.len(), absent).with_parts(parts)
}

/// Mean number of turns from a valid attack to its answer.
pub fn answer_latency(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let position: BTreeMap<TurnId, usize> =
        inputs.read_model.transcript.turns.iter().enumerate().map(|(place, turn)| (turn.turn, place)).collect();
    let parts: Vec<MeasurePart> = attacked(inputs)
        .iter()
        .filter_map(|it| {
            let answer = it.answer?;
            let turns = position.get(&answer)?.checked_sub(*position.get(&it.attack.raised.turn)?)?;
            let part = MeasurePart::of(it.author, Some(turns as f64), [it.attack.raised.turn, answer]);
            Some(MeasurePart { label: it.attack.raised.attack.to_string(), ..part })
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, "No valid attack was answered.").with_parts(parts)
}

/// Valid attack on an argument of somebody else who spoke again.
struct Attacked<'a> {
    attack: &'a Attack,
    author: &'a PersonaId,
    answer: Option<TurnId>,
}

fn attacked<'a>(inputs: &MeasureInputs<'a>) -> Vec<Attacked<'a>> {
    let graph = &inputs.read_model.arguments;
    let valid = graph.attacks.values().filter(|attack| attack.was_valid());
    valid
        .filter_map(|attack| {
            let target = graph.arguments.get(&attack.raised.target)?;
            let author = &target.advanced.speaker;
            let spoke_again = inputs.turns.iter().any(|it| it.speaker == author && it.turn.turn > attack.raised.turn);
            (attack.raised.speaker != *author && spoke_again).then(|| Attacked {
                attack,
                author,
                answer: answer_to(inputs, attack, target),
            })
        })
        .collect()
}

fn answer_to(inputs: &MeasureInputs<'_>, attack: &Attack, target: &Argument) -> Option<TurnId> {
    let author = &target.advanced.speaker;
    let at = attack.raised.turn;
    let attacks = inputs.read_model.arguments.attacks.values();
    let countered = attacks
        .filter(|it| it.raised.target == attack.raised.source && it.raised.speaker == *author)
        .map(|it| it.raised.turn);
    let revised = target.revisions.iter().map(|revision| revision.revised.turn);
    let withdrawn = target.withdrawn.iter().map(|withdrawn| withdrawn.turn);
    let own = inputs.turns.iter().filter(|it| it.speaker == author);
    let said = own.filter(|it| it.turn.answers == Some(at)).map(|it| it.turn.turn);
    countered.chain(revised).chain(withdrawn).chain(said).filter(|turn| *turn > at).min()
}

/// Inequality of the words spoken (Gini coefficient), 0 if all speak alike.
pub fn word_inequality(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let speakers = &inputs.read_model.speaker_use.speakers;
    let mut words: Vec<f64> =
        inputs.participants().map(|it| speakers.get(it).map_or(0.0, |used| used.words as f64)).collect();
    words.sort_by(f64::total_cmp);
    let (total, n) = (words.iter().sum::<f64>(), words.len() as f64);
    if total <= 0.0 || words.len() < 2 {
        return MeasureValue::absent(NO_TURNS);
    }
    let ranked: f64 = words.iter().zip(1..).map(|(count, rank)| count * f64::from(rank)).sum();
    let gini = 2.0 * ranked / (n * total) - (n + 1.0) / n;
    let parts = inputs.participants().map(|persona| {
        let share = speakers.get(persona).map_or(0.0, |used| used.words as f64 / total);
        MeasurePart::of(persona, Some(share), [])
    });
    MeasureValue::of(gini).with_parts(parts)
}
