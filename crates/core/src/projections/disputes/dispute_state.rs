//! Dispute with its stances and reasons, as the dispute graph and the verdicts read it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::audit::Reading;
use crate::events::dispute::{
    DisputeLinked, DisputeRaised, DisputeRevised, Polarity, ReasonGiven, ReasonWithdrawn, Side,
};
use crate::events::ids::{PersonaId, ReasonId, TurnId};

/// Yes-or-no question with its stances and reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dispute {
    /// The question.
    pub question: String,
    /// True if the question is the topic of the debate.
    pub is_topic: bool,
    /// Current stance of each participant who took one in words of their own.
    pub stances: BTreeMap<PersonaId, Stance>,
    /// Stances without words of a turn that answer the question, in order: shown, and never counted.
    #[serde(default)]
    pub reported: Vec<(PersonaId, Stance)>,
    /// Stances whose words a qualified auditor read otherwise, in order: shown, and never counted. A participant whose
    /// latest stance is one of these has no current stance.
    #[serde(default)]
    pub contested: Vec<(PersonaId, Stance)>,
    /// True if at any time one participant said yes and another no.
    pub was_open: bool,
    /// Reason for retiring the dispute; `None` if it is not retired.
    pub retired: Option<String>,
    /// Time horizon of the question.
    #[serde(default)]
    pub horizon: Option<String>,
    /// Observations that would settle the question.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// Turns from which the dispute was extracted.
    #[serde(default)]
    pub turns: Vec<TurnId>,
    /// Other wordings of the question, equivalent or negated.
    #[serde(default)]
    pub wordings: Vec<DisputeLinked>,
    /// Revisions of wording, horizon and criteria, in order.
    #[serde(default)]
    pub revisions: Vec<DisputeRevision>,
    /// Number of distillations since the dispute was raised.
    #[serde(default)]
    pub readings: u32,
    /// Every stance ever taken that is not contested, in order, including the current ones.
    #[serde(default)]
    pub history: Vec<(PersonaId, Stance)>,
    /// Every reason ever given.
    #[serde(default)]
    pub reasons: BTreeMap<ReasonId, Reason>,
}

/// Revision of a dispute, with the wording, horizon and criteria before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeRevision {
    /// The revision.
    #[serde(flatten)]
    pub revised: DisputeRevised,
    /// Question before it.
    pub former_question: String,
    /// Horizon before it.
    pub former_horizon: Option<String>,
    /// Criteria before it.
    pub former_criteria: Vec<String>,
    /// Version of the event that recorded it.
    pub version: i64,
}

/// Reason as it was given, and its withdrawal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The reason.
    #[serde(flatten)]
    pub given: ReasonGiven,
    /// Withdrawal; `None` if the reason was not withdrawn.
    pub withdrawn: Option<ReasonWithdrawn>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Reading of its words by a qualified auditor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl Reason {
    /// True if a qualified auditor read that the speaker's words do not say it. A contested reason is in no set.
    pub fn is_contested(&self) -> bool {
        self.reading.is_some_and(|reading| !reading.confirms_assent())
    }

    /// True if the reason was neither withdrawn nor contested.
    pub fn is_live(&self) -> bool {
        self.withdrawn.is_none() && !self.is_contested()
    }

    /// Side that the reason supports.
    pub fn supported_side(&self) -> Side {
        match self.given.polarity {
            Polarity::Supports => self.given.side,
            Polarity::Attacks => self.given.side.negated(),
        }
    }
}

/// Stance of a participant, with the turn in which it was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stance {
    /// The side.
    pub side: Side,
    /// Turn of the participant.
    pub turn: TurnId,
    /// Statement of the stance in one sentence.
    #[serde(default)]
    pub statement: Option<String>,
    /// Confidence that the participant expressed, from 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// Words of the turn that state the stance; `None` if it was only reported.
    #[serde(default)]
    pub quote: Option<String>,
    /// Version of the event that recorded it.
    #[serde(default)]
    pub version: i64,
    /// Reading of its words by a qualified auditor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl Stance {
    /// True if a qualified auditor read its words otherwise.
    pub fn is_contested(&self) -> bool {
        self.reading.is_some_and(|reading| !reading.confirms_side(self.side))
    }

    /// Words to show for the stance: those of the turn, or else the statement.
    pub fn words(&self) -> Option<&str> {
        self.quote.as_deref().or(self.statement.as_deref())
    }
}

/// Status of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    /// Raised, but no two participants have contradicted each other.
    Proposed,
    /// One participant said yes and another no, and they have not agreed since.
    Open,
    /// Was open; all participants with a stance now take the same side.
    Settled,
    /// Retired, and no longer counted.
    Retired,
}

impl DisputeStatus {
    /// Name of the status in the list of disputes.
    pub fn name(self) -> &'static str {
        match self {
            DisputeStatus::Proposed => "proposed",
            DisputeStatus::Open => "open",
            DisputeStatus::Settled => "settled",
            DisputeStatus::Retired => "retired",
        }
    }
}

impl Dispute {
    /// Creates the dispute that was raised, without stances.
    pub(crate) fn raised(raised: &DisputeRaised) -> Dispute {
        Dispute {
            question: raised.question.clone(),
            is_topic: raised.is_topic,
            stances: BTreeMap::new(),
            reported: Vec::new(),
            contested: Vec::new(),
            was_open: false,
            retired: None,
            horizon: raised.horizon.clone(),
            criteria: raised.criteria.clone(),
            turns: raised.turns.clone(),
            wordings: Vec::new(),
            revisions: Vec::new(),
            readings: 0,
            history: Vec::new(),
            reasons: BTreeMap::new(),
        }
    }

    /// All wordings of the question, each with a flag that is true if it is negated. Former wordings are included.
    pub fn worded(&self) -> impl Iterator<Item = (&str, bool)> {
        let linked = self.wordings.iter().map(|wording| (wording.question.as_str(), wording.negates));
        let reworded = self.revisions.iter().filter(|revision| revision.revised.question.is_some());
        let former = reworded.map(|revision| (revision.former_question.as_str(), false));
        std::iter::once((self.question.as_str(), false)).chain(linked).chain(former)
    }

    /// True if nobody ever contradicted it or qualified the answer, no two participants agree on it, and no two gave reasons
    /// on it. Nothing is in dispute then, and no verdict rests on it.
    pub fn is_uncontested(&self) -> bool {
        let speakers: BTreeSet<&PersonaId> = self.live_reasons().map(|(_, reason)| &reason.given.speaker).collect();
        let is_qualified = self.stances.len() > 1 && self.on_side(Side::Nuanced).next().is_some();
        !self.is_topic && !self.was_open && !is_qualified && self.agreed_side(2).is_none() && speakers.len() < 2
    }

    pub(crate) fn revise(&mut self, revised: &DisputeRevised, version: i64) {
        self.revisions.push(DisputeRevision {
            revised: revised.clone(),
            former_question: self.question.clone(),
            former_horizon: self.horizon.clone(),
            former_criteria: self.criteria.clone(),
            version,
        });
        if let Some(question) = &revised.question {
            self.question.clone_from(question);
        }
        if revised.horizon.is_some() {
            self.horizon.clone_from(&revised.horizon);
        }
        if !revised.criteria.is_empty() {
            self.criteria.clone_from(&revised.criteria);
        }
    }

    /// Participants who take this side.
    pub fn on_side(&self, side: Side) -> impl Iterator<Item = &PersonaId> {
        self.stances.iter().filter(move |(_, stance)| stance.side == side).map(|(persona, _)| persona)
    }

    /// True if one participant says yes and another no.
    pub fn is_split(&self) -> bool {
        self.on_side(Side::Yes).next().is_some() && self.on_side(Side::No).next().is_some()
    }

    /// Side that at least `quorum` participants (and never fewer than two) take while nobody takes the opposite one.
    pub fn agreed_side(&self, quorum: usize) -> Option<Side> {
        let holders = |side| self.on_side(side).count();
        [(Side::Yes, Side::No), (Side::No, Side::Yes)]
            .into_iter()
            .find(|(side, other)| holders(*side) >= quorum.max(2) && holders(*other) == 0)
            .map(|(side, _)| side)
    }

    /// Turn in which a yes and a no were first opposed; `None` if they never were.
    pub fn opened_in(&self) -> Option<TurnId> {
        let mut sides: BTreeMap<&PersonaId, Side> = BTreeMap::new();
        self.history.iter().find_map(|(persona, stance)| {
            sides.insert(persona, stance.side);
            let is_held = |wanted| sides.values().any(|side| *side == wanted);
            (is_held(Side::Yes) && is_held(Side::No)).then_some(stance.turn)
        })
    }

    /// Turn in which all participants with a stance came to the same side; `None` if the dispute is not settled.
    pub fn settled_in(&self) -> Option<TurnId> {
        if self.status() != DisputeStatus::Settled {
            return None;
        }
        let side = self.stances.values().next()?.side;
        let mut sides: BTreeMap<&PersonaId, Side> = BTreeMap::new();
        let mut settled = None;
        for (persona, stance) in &self.history {
            sides.insert(persona, stance.side);
            let alike = sides.values().all(|other| *other == side);
            settled = alike.then(|| settled.unwrap_or(stance.turn));
        }
        settled
    }

    /// True if all stances are yes or all are no, and nobody's latest stance is contested. Undecided and nuanced stances
    /// are neither.
    pub(crate) fn is_of_one_mind(&self) -> bool {
        let all_on = |side| self.stances.values().all(|stance| stance.side == side);
        let is_contested = self.contested.iter().any(|(persona, _)| !self.stances.contains_key(persona));
        !is_contested && (all_on(Side::Yes) || all_on(Side::No))
    }

    /// Counts the stances again after words were audited.
    pub(crate) fn recount(&mut self) {
        let mut all = std::mem::take(&mut self.history);
        all.append(&mut self.contested);
        all.sort_by_key(|(_, stance)| stance.version);
        self.stances.clear();
        self.was_open = false;
        for (persona, stance) in all {
            if stance.is_contested() {
                self.stances.remove(&persona);
                self.contested.push((persona, stance));
            } else {
                self.stances.insert(persona.clone(), stance.clone());
                self.history.push((persona, stance));
                self.was_open |= self.is_split();
            }
        }
    }

    /// Reasons that were neither withdrawn nor contested, in order.
    pub fn live_reasons(&self) -> impl Iterator<Item = (ReasonId, &Reason)> {
        self.reasons.iter().filter(|(_, reason)| reason.is_live()).map(|(id, reason)| (*id, reason))
    }

    /// Current status.
    pub fn status(&self) -> DisputeStatus {
        if self.retired.is_some() {
            DisputeStatus::Retired
        } else if !self.was_open {
            DisputeStatus::Proposed
        } else if self.is_of_one_mind() {
            DisputeStatus::Settled
        } else {
            DisputeStatus::Open
        }
    }
}
