//! Measures of probes: contradictions with contracts and in common ground, endorsement, and agreement of two rounds. The
//! latest round that has ended with answers counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::probes::ProbeRound;

/// Keys of the measures that need probes.
pub const PROBE_MEASURES: &[&str] = &[
    "contract_contradictions",
    "probed_contradictions",
    "endorsement",
    "least_endorsement",
    "endorsement_spread",
    "probe_agreement",
];

const NOT_PROBED: &str = "The debate was not probed.";
const NOTHING_READ: &str = "No probe read a turn.";
const NO_PAIR: &str = "No probe compared statements of the common ground.";
const NO_RATING: &str = "No probe rated a statement of the common ground.";

/// Share of the probed turns that contain words against the contract of their speaker.
pub fn contract_contradictions(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(round) = latest(inputs) else { return MeasureValue::absent(NOT_PROBED) };
    let read: BTreeSet<TurnId> = round.contracts.iter().flat_map(|it| &it.probed.turns).copied().collect();
    let found = || round.contracts.iter().flat_map(|it| it.probed.contradictions.iter().map(move |found| (it, found)));
    let turns: BTreeSet<TurnId> = found().map(|(_, found)| found.turn).collect();
    let parts = found().map(|(it, found)| MeasurePart {
        label: format!("{}: “{}”", found.field.name(), found.quote),
        ..MeasurePart::of(&it.probed.speaker, None, [found.turn])
    });
    MeasureValue::share(turns.len(), read.len(), NOTHING_READ).with_parts(parts.collect::<Vec<_>>())
}

/// Number of pairs of statements of the common ground that cannot both be true.
pub fn probed_contradictions(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(round) = latest(inputs) else { return MeasureValue::absent(NOT_PROBED) };
    let pairs: BTreeMap<(DisputeId, DisputeId), bool> = pairs(round);
    if pairs.is_empty() {
        return MeasureValue::absent(NO_PAIR);
    }
    let found = pairs.iter().filter(|(_, contradicts)| **contradicts).map(|((one, other), _)| {
        let turns = holding_turns(inputs, *one).into_iter().chain(holding_turns(inputs, *other));
        MeasurePart::labelled(format!("{one} and {other}"), None, turns)
    });
    let parts: Vec<MeasurePart> = found.collect();
    MeasureValue::of(parts.len() as f64).with_parts(parts)
}

/// Mean rating of the statements of the common ground.
pub fn endorsement(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(round) = latest(inputs) else { return MeasureValue::absent(NOT_PROBED) };
    let ratings = ratings(round);
    let all: Vec<f64> = ratings.values().map(|rating| f64::from(*rating)).collect();
    let parts = inputs.participants().filter_map(|persona| {
        let own = ratings.iter().filter(|((rater, ..), _)| *rater == persona);
        let own: Vec<f64> = own.map(|(_, rating)| f64::from(*rating)).collect();
        let mean = MeasureValue::mean(&own, NO_RATING).value?;
        Some(MeasurePart::of(persona, Some(mean), []))
    });
    MeasureValue::mean(&all, NO_RATING).with_parts(parts.collect::<Vec<_>>())
}

/// Mean over the statements of the common ground of the lowest rating.
pub fn least_endorsement(inputs: &MeasureInputs<'_>) -> MeasureValue {
    by_statement(inputs, |(lowest, _)| lowest)
}

/// Mean over the statements of the common ground of the highest minus the lowest rating.
pub fn endorsement_spread(inputs: &MeasureInputs<'_>) -> MeasureValue {
    by_statement(inputs, |(lowest, highest)| highest - lowest)
}

/// Share of the items that both of the two latest rounds answered, and answered alike.
pub fn probe_agreement(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut rounds = inputs.read_model.probes.answered();
    let (Some(latest), Some(before)) = (rounds.next(), rounds.next()) else {
        return MeasureValue::absent("The debate was not probed twice.");
    };
    let (now, then) = (answers(latest), answers(before));
    let both: Vec<_> = now.iter().filter_map(|(item, answer)| Some((item, answer, then.get(item)?))).collect();
    let alike = both.iter().filter(|(_, answer, former)| answer == former).count();
    let otherwise = both.iter().filter(|(_, answer, former)| answer != former).map(|(item, ..)| part(item));
    MeasureValue::share(alike, both.len(), "No item was answered in both of the latest rounds of probes.")
        .with_parts(otherwise.collect::<Vec<_>>())
}

fn latest<'a>(inputs: &MeasureInputs<'a>) -> Option<&'a ProbeRound> {
    inputs.read_model.probes.answered().next()
}

/// Participant and statement, a dispute with its agreed side.
type RatedItem<'a> = (&'a PersonaId, DisputeId, Side);

fn ratings(round: &ProbeRound) -> BTreeMap<RatedItem<'_>, u32> {
    let all = round.endorsements.iter().flat_map(|it| {
        it.probed.ratings.iter().map(move |rated| ((&it.probed.speaker, rated.dispute, rated.side), rated.rating))
    });
    all.collect()
}

fn pairs(round: &ProbeRound) -> BTreeMap<(DisputeId, DisputeId), bool> {
    let all = round.contradictions.iter().flat_map(|it| &it.probed.pairs);
    all.map(|pair| ((pair.one, pair.other), pair.contradicts)).collect()
}

/// Mean over the statements of a figure on its lowest and its highest rating.
fn by_statement(inputs: &MeasureInputs<'_>, figure: fn((f64, f64)) -> f64) -> MeasureValue {
    let Some(round) = latest(inputs) else { return MeasureValue::absent(NOT_PROBED) };
    let mut extremes: BTreeMap<(DisputeId, Side), (f64, f64)> = BTreeMap::new();
    for ((_, dispute, side), rating) in ratings(round) {
        let rating = f64::from(rating);
        let (lowest, highest) = extremes.entry((dispute, side)).or_insert((rating, rating));
        (*lowest, *highest) = (f64::min(*lowest, rating), f64::max(*highest, rating));
    }
    let parts = extremes.into_iter().map(|((dispute, side), extremes)| {
        let label = format!("{dispute} {}", side.name());
        MeasurePart::labelled(label, Some(figure(extremes)), holding_turns(inputs, dispute))
    });
    let parts: Vec<MeasurePart> = parts.collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, NO_RATING).with_parts(parts)
}

/// Turns in which the participants who hold a statement of the common ground took its side.
fn holding_turns(inputs: &MeasureInputs<'_>, dispute: DisputeId) -> Vec<TurnId> {
    let ground = inputs.verdict.common_ground.iter().filter(|ground| ground.dispute == dispute);
    ground.flat_map(|ground| &ground.holders).map(|holder| holder.turn).collect()
}

/// Item of a probe that can be answered again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProbedItem<'a> {
    /// Does the turn contradict the contract of its speaker?
    Turn(&'a PersonaId, TurnId),
    /// Do the statements contradict each other?
    Pair(DisputeId, DisputeId),
    /// How does the participant rate the statement?
    Rating(&'a PersonaId, DisputeId, Side),
}

/// Returns the answers of a round: 1 for a contradiction and 0 for none, or a rating.
fn answers(round: &ProbeRound) -> BTreeMap<ProbedItem<'_>, u32> {
    let turns = round.contracts.iter().flat_map(|it| {
        let is_found = move |turn: TurnId| it.probed.contradictions.iter().any(|found| found.turn == turn);
        let item = move |turn: &TurnId| (ProbedItem::Turn(&it.probed.speaker, *turn), u32::from(is_found(*turn)));
        it.probed.turns.iter().map(item)
    });
    let pairs = pairs(round).into_iter();
    let pairs = pairs.map(|((one, other), contradicts)| (ProbedItem::Pair(one, other), u32::from(contradicts)));
    let ratings = ratings(round).into_iter();
    let ratings =
        ratings.map(|((persona, dispute, side), rating)| (ProbedItem::Rating(persona, dispute, side), rating));
    turns.chain(pairs).chain(ratings).collect()
}

fn part(item: &ProbedItem<'_>) -> MeasurePart {
    match item {
        ProbedItem::Turn(persona, turn) => {
            MeasurePart { label: "contract".to_owned(), ..MeasurePart::of(persona, None, [*turn]) }
        }
        ProbedItem::Pair(one, other) => MeasurePart::labelled(format!("{one} and {other}"), None, []),
        ProbedItem::Rating(persona, dispute, side) => {
            MeasurePart { label: format!("{dispute} {}", side.name()), ..MeasurePart::of(persona, None, []) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::events::checks::probes::{
        ContractContradiction, ContractField, ContractProbed, ContradictionsProbed, EndorsementRating,
        EndorsementsProbed, ProbedPair,
    };
    use crate::measures::registry::MEASURES;
    use crate::projections::probes::RecordedProbe;
    use crate::projections::summary::Participant;
    use crate::verdicts::read_model::DebateReadModel;

    fn id(name: &str) -> PersonaId {
        name.parse().expect("an id")
    }

    /// Turns of ada that were read; those in `against` contradict the bias.
    fn contract(turns: &[u32], against: &[u32]) -> ContractProbed {
        let found = |turn: &u32| ContractContradiction {
            turn: TurnId(*turn),
            field: ContractField::Bias,
            quote: "No.".to_owned(),
        };
        ContractProbed {
            model: "script".into(),
            speaker: id("ada"),
            turns: turns.iter().map(|turn| TurnId(*turn)).collect(),
            contradictions: against.iter().map(found).collect(),
            unread: Vec::new(),
            refused: Vec::new(),
        }
    }

    fn endorsements(speaker: &str, ratings: &[(u32, u32)]) -> EndorsementsProbed {
        let rating = |(dispute, rating): &(u32, u32)| EndorsementRating {
            dispute: DisputeId(*dispute),
            side: Side::Yes,
            rating: *rating,
        };
        EndorsementsProbed {
            model: "script".into(),
            speaker: id(speaker),
            ratings: ratings.iter().map(rating).collect(),
            unread: Vec::new(),
            refused: Vec::new(),
        }
    }

    fn pairs(found: &[(u32, u32, bool)]) -> ContradictionsProbed {
        let pair = |(one, other, contradicts): &(u32, u32, bool)| ProbedPair {
            one: DisputeId(*one),
            other: DisputeId(*other),
            contradicts: *contradicts,
        };
        let pairs = found.iter().map(pair).collect();
        ContradictionsProbed { model: "script".into(), pairs, unread: Vec::new(), refused: Vec::new() }
    }

    fn recorded<T>(probed: T) -> RecordedProbe<T> {
        RecordedProbe { probed, version: 1 }
    }

    fn round(
        contracts: Vec<ContractProbed>,
        contradictions: Vec<ContradictionsProbed>,
        endorsements: Vec<EndorsementsProbed>,
    ) -> ProbeRound {
        ProbeRound {
            contracts: contracts.into_iter().map(recorded).collect(),
            contradictions: contradictions.into_iter().map(recorded).collect(),
            endorsements: endorsements.into_iter().map(recorded).collect(),
            result: Some("all requests were answered".to_owned()),
            ..ProbeRound::default()
        }
    }

    /// Values of the six measures, in the order of [`PROBE_MEASURES`].
    fn values(rounds: Vec<ProbeRound>) -> Vec<Option<f64>> {
        let mut read_model = DebateReadModel::default();
        for name in ["ada", "ben"] {
            read_model.summary.participants.push(Participant {
                persona: id(name),
                name: name.to_owned(),
                about: String::new(),
                version: 1,
                edition: Default::default(),
                model: None,
                left: false,
            });
        }
        read_model.probes.rounds = rounds;
        let verdict = read_model.verdict();
        let inputs = MeasureInputs::new(&read_model, &verdict, None);
        let value = |key: &&str| {
            let definition = MEASURES.iter().find(|it| it.key == *key).expect("a measure");
            let measured = (definition.compute)(&inputs);
            assert_eq!(measured.absent.is_some(), measured.value.is_none(), "{key}");
            measured.value
        };
        PROBE_MEASURES.iter().map(value).collect()
    }

    #[test]
    fn without_probes_there_are_no_values() {
        assert_eq!(values(Vec::new()), [None; 6]);
        let unanswered = ProbeRound { result: Some("3 of 3 requests were abandoned".into()), ..ProbeRound::default() };
        assert_eq!(values(vec![unanswered]), [None; 6]);
        let under_way = ProbeRound { result: None, ..round(vec![contract(&[1], &[1])], vec![], vec![]) };
        assert_eq!(values(vec![under_way]), [None; 6]);
    }

    #[test]
    fn a_turn_with_two_contradictions_counts_once() {
        let probed = round(vec![contract(&[1, 3, 5], &[3, 3]), contract(&[7], &[])], vec![], vec![]);
        assert_eq!(values(vec![probed]), [Some(0.25), None, None, None, None, None]);
    }

    #[test]
    fn pairs_that_cannot_both_be_true_are_counted() {
        let probed = round(vec![], vec![pairs(&[(1, 2, true), (1, 3, false)]), pairs(&[(2, 3, true)])], vec![]);
        assert_eq!(values(vec![probed])[1], Some(2.0));
        let consistent = round(vec![], vec![pairs(&[(1, 2, false)])], vec![]);
        assert_eq!(values(vec![consistent])[1], Some(0.0));
    }

    #[test]
    fn endorsement_is_the_mean_and_its_extremes_are_those_of_each_statement() {
        let given = vec![endorsements("ada", &[(1, 7), (2, 4)]), endorsements("ben", &[(1, 5), (2, 2)])];
        // (7 + 4 + 5 + 2) / 4; (5 + 2) / 2; (2 + 2) / 2
        assert_eq!(values(vec![round(vec![], vec![], given)])[2..5], [Some(4.5), Some(3.5), Some(2.0)]);
    }

    #[test]
    fn the_latest_round_counts_and_is_compared_with_the_one_before() {
        let first = round(
            vec![contract(&[1, 3], &[1])],
            vec![pairs(&[(1, 2, true)])],
            vec![endorsements("ada", &[(1, 6), (2, 6)])],
        );
        let second = round(
            vec![contract(&[1, 5], &[1])],
            vec![pairs(&[(1, 2, false)])],
            vec![endorsements("ada", &[(1, 6), (2, 5)])],
        );
        let found = values(vec![first.clone(), second]);
        // Alike: turn t1 and the rating of d1, of t1, the pair, and two ratings.
        assert_eq!((found[0], found[1], found[2], found[5]), (Some(0.5), Some(0.0), Some(5.5), Some(0.5)));
        let other = round(vec![contract(&[9], &[])], vec![], vec![]);
        assert_eq!(values(vec![first, other])[5], None, "nothing was answered in both");
    }
}
