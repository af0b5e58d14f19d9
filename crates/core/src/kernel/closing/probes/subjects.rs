//! Subjects of a round of probes: turns by participant, statements of the common ground, and pairs of them.

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::kernel::closing::probes::prompt_parts::contract_statements;
use crate::kernel::safety::foreign_text::flat_within;
use crate::kernel::task::StatementInput;
use crate::projections::transcript::Turn;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of turns in one request.
pub const MAX_BATCH_TURNS: usize = 12;
/// Maximum number of bytes of the turns in one request, a longer single turn apart.
pub const MAX_BATCH_BYTES: usize = 24_000;
/// Maximum number of bytes shown of a turn.
pub const MAX_TURN_BYTES: usize = 6_000;
/// Maximum number of turns in one round, the first ones.
pub const MAX_TURNS: usize = 480;
/// Maximum number of pairs in one round: those of the first 16 statements.
pub const MAX_PAIRS: usize = 120;
/// Maximum number of statements that are rated, the first ones.
pub const MAX_STATEMENTS: usize = 24;

/// Subjects of a round of probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeSubjects {
    /// Turns to read beside the contract of their speaker, a request each.
    pub batches: Vec<ProbedTurns>,
    /// Statements of the common ground, in its order.
    pub statements: Vec<AgreedStatement>,
    /// Pairs of statements to compare, by index.
    pub pairs: Vec<(usize, usize)>,
    /// Participants who rate the statements.
    pub raters: Vec<PersonaId>,
    /// Number of turns that a limit leaves out.
    pub turns_left_out: usize,
    /// Number of pairs that a limit leaves out.
    pub pairs_left_out: usize,
}

/// Turns of one participant that are read in one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedTurns {
    /// The participant.
    pub speaker: PersonaId,
    /// The turns.
    pub turns: Vec<TurnId>,
}

/// Statement of the common ground: a dispute with the agreed side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreedStatement {
    /// The dispute.
    pub dispute: DisputeId,
    /// Its question.
    pub question: String,
    /// The agreed side.
    pub side: Side,
}

impl ProbeSubjects {
    /// Collects the subjects of a debate. Computes its verdict.
    pub fn of(debate: &DebateReadModel) -> ProbeSubjects {
        let ground = debate.verdict().common_ground.into_iter();
        let agreed = ground.map(|it| AgreedStatement { dispute: it.dispute, question: it.question, side: it.side });
        let statements: Vec<AgreedStatement> = agreed.collect();
        // All pairs of the first statements come first.
        let all_pairs = (1..statements.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        let n_pairs = statements.len() * statements.len().saturating_sub(1) / 2;
        let is_rated = !statements.is_empty();
        let present = debate.summary.present().filter(|_| is_rated);
        let turns = probed_turns(debate);
        ProbeSubjects {
            batches: batches(debate, &turns[..turns.len().min(MAX_TURNS)]),
            pairs: all_pairs.take(MAX_PAIRS).collect(),
            raters: present.map(|participant| participant.persona.clone()).collect(),
            turns_left_out: turns.len().saturating_sub(MAX_TURNS),
            pairs_left_out: n_pairs.saturating_sub(MAX_PAIRS),
            statements,
        }
    }

    /// Returns the statements that are rated.
    pub fn rated(&self) -> &[AgreedStatement] {
        &self.statements[..self.statements.len().min(MAX_STATEMENTS)]
    }

    /// Returns a statement as shown in a prompt; `None` if there is none at the index.
    pub fn input(&self, index: usize) -> Option<StatementInput> {
        let it = self.statements.get(index)?;
        Some(StatementInput { alias: format!("s{}", index + 1), question: it.question.clone(), side: it.side })
    }

    /// Describes what limits leave out; `None` if nothing.
    pub fn left_out(&self) -> Option<String> {
        let statements = self.statements.len().saturating_sub(MAX_STATEMENTS);
        let counts = [(self.turns_left_out, "turns"), (self.pairs_left_out, "pairs"), (statements, "statements")];
        let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
        let counts: Vec<String> = counts.collect();
        (!counts.is_empty()).then(|| format!("limits left out {}", counts.join(", ")))
    }
}

/// Returns the turns of participants whose contracts say something, in order.
fn probed_turns(debate: &DebateReadModel) -> Vec<&Turn> {
    let has_contract = |speaker: &PersonaId| {
        debate.cast.get(speaker).is_some_and(|persona| !contract_statements(&persona.contract).is_empty())
    };
    debate.transcript.turns.iter().filter(|turn| turn.speaker.as_ref().is_some_and(has_contract)).collect()
}

/// Divides turns into requests of one speaker each.
fn batches(debate: &DebateReadModel, turns: &[&Turn]) -> Vec<ProbedTurns> {
    let mut batches: Vec<ProbedTurns> = Vec::new();
    for persona in &debate.cast.personas {
        let mut bytes = 0;
        let own = turns.iter().filter(|turn| turn.speaker.as_ref() == Some(&persona.id));
        for turn in own {
            let length = flat_within(&turn.text, MAX_TURN_BYTES).len();
            let open = batches.last_mut().filter(|batch| {
                let has_room = batch.turns.len() < MAX_BATCH_TURNS && bytes + length <= MAX_BATCH_BYTES;
                batch.speaker == persona.id && has_room
            });
            match open {
                Some(batch) => {
                    batch.turns.push(turn.turn);
                    bytes += length;
                }
                None => {
                    batches.push(ProbedTurns { speaker: persona.id.clone(), turns: vec![turn.turn] });
                    bytes = length;
                }
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::persona::{Contract, Persona, Voice};

    fn persona(id: &str, bias: &str) -> Persona {
        Persona {
            id: id.parse().expect("an id"),
            name: id.to_owned(),
            about: String::new(),
            version: 1,
            contract: Contract { bias: bias.to_owned(), ..Contract::default() },
            voice: Voice::default(),
        }
    }

    fn batch_sizes(debate: &DebateReadModel) -> Vec<(String, usize)> {
        let batches = ProbeSubjects::of(debate).batches;
        batches.iter().map(|batch| (batch.speaker.to_string(), batch.turns.len())).collect()
    }

    #[test]
    fn a_request_has_turns_of_one_speaker_and_a_set_size() {
        let mut debate = DebateReadModel::default();
        debate.cast.personas = vec![persona("ada", "Old walls."), persona("ben", "New roads."), persona("cleo", "")];
        let speakers = ["ada", "ben", "cleo"];
        debate.transcript.turns = (1..=42).map(|n| Turn::said(n, Some(speakers[n as usize % 3]), "Said.")).collect();
        let sizes = |given: &[(&str, usize)]| given.iter().map(|(id, n)| ((*id).to_owned(), *n)).collect::<Vec<_>>();
        assert_eq!(
            batch_sizes(&debate),
            sizes(&[("ada", 12), ("ada", 2), ("ben", 12), ("ben", 2)]),
            "cleo holds nothing"
        );

        debate.transcript.turns = (1..=6).map(|n| Turn::said(n, Some("ada"), &"x".repeat(9_000))).collect();
        assert_eq!(batch_sizes(&debate), sizes(&[("ada", 3), ("ada", 3)]));

        debate.transcript.turns = (1..=500).map(|n| Turn::said(n, Some("ben"), "Said.")).collect();
        let subjects = ProbeSubjects::of(&debate);
        assert_eq!((subjects.batches.len(), subjects.turns_left_out), (40, 20));
        assert_eq!(subjects.left_out().as_deref(), Some("limits left out 20 turns"));
    }

    #[test]
    fn nothing_is_rated_without_common_ground() {
        let subjects = ProbeSubjects::of(&DebateReadModel::default());
        assert_eq!(subjects, ProbeSubjects::default());
        assert_eq!(subjects.left_out(), None);
    }
}
