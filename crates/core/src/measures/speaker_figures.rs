//! Figures of each participant in a debate, for statistics by participant.

use crate::events::ids::PersonaId;
use crate::verdicts::concessions::concessions::concessions;
use crate::verdicts::concessions::shifts::{ShiftKind, shifts};
use crate::verdicts::read_model::DebateReadModel;

/// Figures of a participant: key and meaning.
pub const SPEAKER_FIGURES: [(&str, &str); 8] = [
    ("own_turns", "turns taken"),
    ("own_words", "words spoken"),
    ("own_grounded_turns", "turns that cite a passage"),
    ("own_citations", "citations of passages"),
    ("own_arguments", "arguments advanced"),
    ("own_attacks", "attacks judged valid"),
    ("own_concessions", "concessions"),
    ("own_reversals", "questions on which the last side is the opposite of the first"),
];

/// Counts the figures of the participants, in their order, each in the order of [`SPEAKER_FIGURES`]. Cost: linear in the debate, times the
/// participants.
pub fn speaker_figures(read_model: &DebateReadModel) -> Vec<[f64; 8]> {
    let made = concessions(&read_model.concessions, &read_model.disputes);
    let moved = shifts(&read_model.disputes);
    let graph = &read_model.arguments;
    let figures = |persona: &PersonaId| {
        let used = read_model.speaker_use.of_all([persona]);
        let grounding = read_model.grounding.of(persona);
        let count = |n: usize| n as f64;
        [
            f64::from(used.turns),
            used.words as f64,
            f64::from(grounding.grounded),
            f64::from(grounding.citations),
            count(graph.arguments.values().filter(|it| it.advanced.speaker == *persona).count()),
            count(graph.attacks.values().filter(|it| it.raised.speaker == *persona && it.was_valid()).count()),
            count(made.iter().filter(|it| it.persona == *persona && !it.is_contested).count()),
            count(moved.iter().filter(|it| it.persona == *persona && it.kind() == ShiftKind::Reversed).count()),
        ]
    };
    let participants = read_model.summary.participants.iter().map(|participant| &participant.persona);
    participants.map(figures).collect()
}
