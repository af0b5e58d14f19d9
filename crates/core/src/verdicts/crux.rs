//! Crux of a debate: its origin, its weight, and the positions of the participants on it.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, TurnId};
use crate::events::imported::TurnBasis;
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::flip_conditions::FlipConditions;
use crate::projections::participants::Participants;
use crate::projections::transcript::Transcript;
use crate::questions::content_words::ContentWords;
use crate::verdicts::candidates::Level;
use crate::verdicts::card::CruxCard;
use crate::verdicts::consequence::Consequence;
use crate::verdicts::crux_id::CruxKey;

/// Crux of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crux {
    /// Key within the debate. It does not change when the debate continues.
    pub key: CruxKey,
    /// Origin of the crux.
    pub origin: CruxOrigin,
    /// True if participants still disagree; false for a dispute on which all took the same side.
    pub open: bool,
    /// Statement of the crux: the question of a dispute, a proposed crux, or a statement of an argument. Positions with the
    /// basis [`PositionBasis::Said`] show whether participants said it; an assumption may be nobody's words.
    pub statement: String,
    /// Other statements under exactly the same arguments, which always turn together with it; for a crux by dispute or by
    /// participants, the statement of these arguments that its question asks about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_statements: Vec<String>,
    /// Question whose answer would settle it.
    pub question: String,
    /// Explanation of its rank.
    pub why: String,
    /// Share of theses, other than those that rest on it, whose status changes if it is settled, from 0 to 1. `None`
    /// for a crux by dispute or by participants about whose statement no disputed argument is.
    pub pivotality: Option<f64>,
    /// Proposal that participants agreed on as the crux: the one behind a crux by participants, or one that asks the same
    /// question as the dispute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<CruxId>,
    /// Consequence from which pivotality is computed; `None` if that is `None`.
    pub consequence: Option<Consequence>,
    /// Disputed arguments that rest on it; for a question those that contain what it asks, or words that answer it.
    pub dependents: Vec<ArgumentId>,
    /// Other grounds of these arguments: their assumptions, or their premises if they have no assumptions.
    pub assumptions: Vec<String>,
    /// Number of attacks on and by these arguments.
    pub attack_degree: usize,
    /// Positions of the participants.
    pub positions: Vec<Position>,
    /// Turns in which it was stated or attacked.
    pub turns: Vec<TurnId>,
    /// Turn in which it became a crux: in which a yes and a no were first opposed, or in which an argument that rests
    /// on it first attacked or was attacked.
    pub opened: TurnId,
    /// Card: kind of disagreement, diagnosis, conditions for a change of mind, criteria, and resolution.
    #[serde(default)]
    pub card: CruxCard,
}

impl Crux {
    /// True if the crux asks whether its statement follows from the reasons for it, and not whether it is true.
    pub fn is_inference(&self) -> bool {
        self.key == CruxKey::of_inference(&self.statement)
    }

    /// Returns the times at which it became a crux and of its latest turn. Uses the opening of the debate for turns
    /// that are not in the transcript.
    pub fn times(&self, transcript: &Transcript, debate_opened: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        let at = |turn: TurnId| transcript.turn(turn).map_or(debate_opened, |turn| turn.at);
        let opened = at(self.opened);
        (opened, self.turns.iter().map(|turn| at(*turn)).max().unwrap_or(opened).max(opened))
    }
}

/// Origin of a crux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CruxOrigin {
    /// Open dispute.
    Dispute {
        /// Id of the dispute.
        dispute: DisputeId,
    },
    /// Statement that one participant proposed as the crux and another agreed with.
    Acknowledged {
        /// Id of the proposed crux.
        proposal: CruxId,
    },
    /// Statement on which disputed arguments rest.
    Structure {
        /// Role of the statement in these arguments.
        level: Level,
    },
}

impl CruxOrigin {
    /// Name of the origin: `dispute`, `acknowledged`, `assumption`, `premise`, `claim`.
    pub fn name(self) -> &'static str {
        match self {
            CruxOrigin::Dispute { .. } => "dispute",
            CruxOrigin::Acknowledged { .. } => "acknowledged",
            CruxOrigin::Structure { level: Level::Assumption } => "assumption",
            CruxOrigin::Structure { level: Level::Premise } => "premise",
            CruxOrigin::Structure { level: Level::Claim } => "claim",
        }
    }
}

/// Projections from which cruxes are computed.
#[derive(Clone, Copy, Debug)]
pub struct CruxInputs<'a> {
    /// Topic, which is never a crux.
    pub topic: &'a str,
    /// Turns.
    pub transcript: &'a Transcript,
    /// Arguments and attacks.
    pub graph: &'a ArgumentGraph,
    /// Framework of the live arguments.
    pub framed: &'a ArgumentFramework,
    /// Disputes and stances.
    pub disputes: &'a DisputeGraph,
    /// Proposed cruxes.
    pub proposals: &'a CruxProposals,
    /// Participants with their contracts.
    pub cast: &'a Participants,
    /// Rooms with their cards.
    pub rooms: &'a CruxRooms,
    /// Stated flip conditions.
    pub flip_conditions: &'a FlipConditions,
    /// Content words of statements and conditions.
    pub content_words: &'a ContentWords,
}

impl CruxInputs<'_> {
    /// Display name of a participant.
    pub fn name(&self, persona: &PersonaId) -> String {
        self.cast.get(persona).map_or_else(|| persona.to_string(), |participant| participant.name.clone())
    }

    /// Words as a quotation of a turn; `None` unless the turn contains them.
    pub fn quote(&self, turn: TurnId, words: &str) -> Option<String> {
        self.transcript.quote(turn, words).map(str::to_owned)
    }
}

/// Side of a position on a crux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionSide {
    /// Says yes to the question.
    Yes,
    /// Says no to the question.
    No,
    /// Says that it depends.
    Nuanced,
    /// Says that it is undecided.
    Undecided,
    /// An argument of the participant rests on the statement.
    RestsOn,
    /// An argument of the participant attacks the statement, where another argument rests on it. The statement had been
    /// said before.
    Attacks,
    /// An argument of the participant attacks how the statement follows from its reasons. Nothing says that the statement
    /// itself is denied.
    Undercuts,
    /// A claim of the participant conflicts with the statement, and neither was said in answer to the other: the statement
    /// came later, or both were said at the same time.
    ConflictsWith,
    /// Proposed it as the crux, and took no side on it.
    ProposesCrux,
    /// Agreed that it is the crux, and took no side on it.
    AgreesOnCrux,
}

impl PositionSide {
    /// All sides, in the order in which they are listed.
    pub const ALL: [PositionSide; 10] = [
        PositionSide::Yes,
        PositionSide::RestsOn,
        PositionSide::No,
        PositionSide::Attacks,
        PositionSide::Undercuts,
        PositionSide::ConflictsWith,
        PositionSide::Nuanced,
        PositionSide::Undecided,
        PositionSide::ProposesCrux,
        PositionSide::AgreesOnCrux,
    ];

    /// Name of the side: `yes`, `no`, `nuanced`, `undecided`, `rests_on`, `attacks`, `undercuts`,
    /// `conflicts_with`, `proposes_crux`, `agrees_on_crux`.
    pub fn name(self) -> &'static str {
        match self {
            PositionSide::Yes => "yes",
            PositionSide::No => "no",
            PositionSide::Nuanced => "nuanced",
            PositionSide::Undecided => "undecided",
            PositionSide::RestsOn => "rests_on",
            PositionSide::Attacks => "attacks",
            PositionSide::Undercuts => "undercuts",
            PositionSide::ConflictsWith => "conflicts_with",
            PositionSide::ProposesCrux => "proposes_crux",
            PositionSide::AgreesOnCrux => "agrees_on_crux",
        }
    }

    /// True if the crux is found when cruxes of the participant are asked for: unless the participant says that it depends,
    /// or is undecided.
    pub fn is_listed(self) -> bool {
        !matches!(self, PositionSide::Nuanced | PositionSide::Undecided)
    }

    /// True if the participant affirms the question or relies on the statement.
    pub fn affirms(self) -> bool {
        matches!(self, PositionSide::Yes | PositionSide::RestsOn)
    }

    /// True if the participant denies the question, attacks the statement or how it follows, or claims something that
    /// conflicts with it.
    pub fn denies(self) -> bool {
        matches!(self, PositionSide::No | PositionSide::Attacks | PositionSide::Undercuts | PositionSide::ConflictsWith)
    }
}

impl From<Side> for PositionSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Yes => PositionSide::Yes,
            Side::No => PositionSide::No,
            Side::Nuanced => PositionSide::Nuanced,
            Side::Undecided => PositionSide::Undecided,
        }
    }
}

/// Position of a participant on a crux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Id of the participant.
    pub persona: PersonaId,
    /// Display name of the participant.
    #[serde(default)]
    pub name: String,
    /// Side of the participant. By structure: whether an argument of theirs rests on the statement, attacks it, or
    /// conflicts with it. By participants: that they proposed the crux or agreed on it, which answers nothing, or their side
    /// of the same question.
    pub side: PositionSide,
    /// Turn that shows the position: for an attack, the one in which it was made.
    pub turn: TurnId,
    /// Basis on which the turn of that argument is known.
    #[serde(default)]
    pub turn_basis: TurnBasis,
    /// Argument that shows the position; `None` for a dispute.
    pub argument: Option<ArgumentId>,
    /// Claim of the argument, or the words of the attack; for a dispute the statement of the stance, otherwise the
    /// beginning of the turn. Only `quote` is a quotation of the turn.
    pub words: String,
    /// Words of the turn that show the position, exactly as it contains them; `None` if it contains none.
    #[serde(default)]
    pub quote: Option<String>,
    /// Basis of the position: the words of the turn, or an argument that contains what the turn does not.
    #[serde(default)]
    pub basis: PositionBasis,
}

/// Basis of a position on a crux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionBasis {
    /// The turn contains the words that show it.
    Said,
    /// An argument contains them as its claim, a premise or the reason of an attack, and the turn does not.
    Written,
    /// An argument takes the statement for granted, and its turn does not contain it: the reading of a clerk, or an
    /// assumption that was written and not spoken.
    Assumed,
    /// The record has no quotation, as in some imports, or another turn than the one of an attack states the claim.
    #[default]
    Unquoted,
}

impl PositionBasis {
    /// Name of the basis: `said`, `written`, `assumed`, `unquoted`.
    pub fn name(self) -> &'static str {
        match self {
            PositionBasis::Said => "said",
            PositionBasis::Written => "written",
            PositionBasis::Assumed => "assumed",
            PositionBasis::Unquoted => "unquoted",
        }
    }

    /// Remark on a position whose turn does not contain the words that show it; empty otherwise.
    pub fn remark(self) -> &'static str {
        match self {
            PositionBasis::Written => " (in the written argument, not said aloud)",
            PositionBasis::Assumed => " (taken for granted, not said)",
            PositionBasis::Said | PositionBasis::Unquoted => "",
        }
    }

    /// Basis of a position by a quotation, if there is one.
    pub fn of_quote(quote: Option<&String>) -> PositionBasis {
        if quote.is_some() { PositionBasis::Said } else { PositionBasis::Unquoted }
    }
}

impl Position {
    /// Remarks on the position: that the turn does not contain its words, and that the turn is not recorded. Empty for
    /// words of a recorded turn.
    pub fn remark(&self) -> String {
        format!("{}{}", self.basis.remark(), self.turn_basis.remark())
    }
}

/// Turns in ascending order, each once.
pub(crate) fn in_order(turns: impl Iterator<Item = TurnId>) -> Vec<TurnId> {
    let ordered: BTreeSet<TurnId> = turns.collect();
    ordered.into_iter().collect()
}
