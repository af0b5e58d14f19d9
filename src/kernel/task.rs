//! What a prompt asks for, as data.
//!
//! A model reads the prompt; a provider that does not read prose (the offline one) reads the task. Both tell the same:
//! the prompt is written from the task. Names inside a task are those the reply has to use.

use serde::{Deserialize, Serialize};

use crate::events::argument::{AttackKind, Component};
use crate::events::ids::PersonaId;

/// A task, what it is about, and for whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What is debated.
    pub topic: String,
    /// The seed of every choice the answer may leave open.
    pub seed: u64,
    /// Who is to answer; `None` for a clerk.
    pub speaker: Option<PersonaId>,
    /// Everybody who takes part.
    pub participants: Vec<PersonaId>,
    /// What is to be done.
    pub work: Work,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Open a debate of arguments: a stance on the topic and two to four arguments.
    OpenWithArguments,
    /// Attack arguments of others, none to four times, each time with a counter-argument.
    Attack {
        /// The round, from 1.
        round: u32,
        /// Every live argument, one's own as well.
        arguments: Vec<ArgumentTold>,
        /// Attacks raised so far, so that none need be repeated.
        attacks: Vec<AttackTold>,
    },
    /// Judge attacks: do they tell against their targets at all, and how strongly.
    JudgeAttacks {
        /// The arguments that the attacks are about.
        arguments: Vec<ArgumentTold>,
        /// The attacks to be judged.
        attacks: Vec<AttackTold>,
    },
    /// Draft a proposal on the topic.
    Draft {
        /// What was rejected before, with the reasons.
        rejected: Vec<ProposalTold>,
    },
    /// Criticize a proposal.
    Criticize {
        /// The proposal.
        proposal: ProposalTold,
    },
    /// Join a proposal and its criticism into a better one.
    Synthesize {
        /// The proposal, with its issues.
        proposal: ProposalTold,
    },
}

/// An argument as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentTold {
    /// Its name in prompt and reply: `a3`.
    pub alias: String,
    /// Whose it is.
    pub speaker: PersonaId,
    /// What it concludes.
    pub claim: String,
    /// What from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// `IN`, `OUT` or `UNDEC`.
    pub label: String,
}

/// An attack as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackTold {
    /// Its name in prompt and reply: `k2`.
    pub alias: String,
    /// Who attacks.
    pub speaker: PersonaId,
    /// The attacking argument.
    pub source: String,
    /// What it concludes.
    pub counter_claim: String,
    /// The attacked argument.
    pub target: String,
    /// The part of it that is hit, word for word.
    pub target_text: String,
    /// Which part.
    pub component: Component,
    /// How.
    pub kind: AttackKind,
    /// Why the one tells against the other.
    pub rationale: String,
}

/// A proposal as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalTold {
    /// Its name in prompt and reply: `p1`.
    pub alias: String,
    /// Who wrote it.
    pub speaker: PersonaId,
    /// The proposal itself.
    pub text: String,
    /// Why it.
    pub reasoning: String,
    /// What the critic found: name, severity, text.
    pub issues: Vec<IssueTold>,
}

/// An issue as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueTold {
    /// Its name in prompt and reply: `i1`.
    pub alias: String,
    /// `minor`, `major` or `critical`.
    pub severity: String,
    /// What is wrong.
    pub text: String,
}
