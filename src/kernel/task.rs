//! What a prompt asks for, as data.
//!
//! A model reads the prompt; a provider that does not read prose (the offline one) reads the task. Both tell the same:
//! the prompt is written from the task. Names inside a task are those the reply has to use.

use serde::{Deserialize, Serialize};

use crate::drafting::material::Material;
use crate::events::argument::{AttackKind, Component};
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::events::turn::{Hint, Move};

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
    /// Open a talk: a stance on the topic, in a few sentences.
    OpenTalk,
    /// Take a turn in a talk.
    Speak(TalkTold),
    /// Say the last words in a talk.
    Close(TalkTold),
    /// Distil turns into arguments and attacks.
    Crystallize {
        /// The turns; those already distilled are there to understand the others.
        turns: Vec<TurnTold>,
        /// The live arguments.
        arguments: Vec<ArgumentTold>,
        /// The attacks in force.
        attacks: Vec<AttackTold>,
        /// How many new arguments may be made at the most.
        most: u32,
    },
    /// Distil turns into disputes, stances and reasons.
    CrystallizeDisputes {
        /// The turns; those already distilled are there to understand the others.
        turns: Vec<TurnTold>,
        /// The disputes that count.
        disputes: Vec<DisputeTold>,
        /// The live reasons.
        reasons: Vec<ReasonTold>,
        /// How many new disputes may be raised at the most.
        most: u32,
    },
    /// Hold claims of different speakers against each other, pair by pair.
    Compare {
        /// The pairs.
        pairs: Vec<PairTold>,
    },
    /// Draft who somebody is and how they sound, from what they wrote. No engine asks it.
    Portray(Material),
}

/// A talk as a speaker is told it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TalkTold {
    /// All turns; the prompt shows the latest, and those that the hint is about.
    pub turns: Vec<TurnTold>,
    /// What a moderator whispers.
    pub hint: Option<HintTold>,
    /// The questions on which sides can be taken.
    pub disputes: Vec<DisputeTold>,
    /// What was proposed as the crux.
    pub cruxes: Vec<CruxTold>,
}

/// A turn as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnTold {
    /// Its name in prompt and reply: `t17`.
    pub alias: String,
    /// Who spoke; `None` for the moderator.
    pub speaker: Option<PersonaId>,
    /// What the turn does.
    pub moves: Vec<Move>,
    /// The turn that it answers.
    pub answers: Option<String>,
    /// What was said.
    pub text: String,
    /// Whether a clerk has not distilled it yet.
    pub fresh: bool,
}

/// What a moderator whispers, as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintTold {
    /// Why.
    pub hint: Hint,
    /// The turn that gave rise to it.
    pub about: Option<String>,
    /// The dispute on which a side is asked for.
    pub dispute: Option<String>,
    /// The crux with which the speaker is asked to agree or not.
    pub crux: Option<String>,
}

/// A dispute as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeTold {
    /// Its name in prompt and reply: `d1`.
    pub alias: String,
    /// The question.
    pub question: String,
    /// Who stands where.
    pub stances: Vec<(PersonaId, Side)>,
}

/// A crux that a participant proposed, as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxTold {
    /// Its name in prompt and reply: `c1`.
    pub alias: String,
    /// Who proposed it.
    pub speaker: PersonaId,
    /// What it says.
    pub statement: String,
    /// Who agreed.
    pub acknowledged: Vec<PersonaId>,
}

/// A reason as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonTold {
    /// Its name in prompt and reply: `r2`.
    pub alias: String,
    /// The dispute that it is about.
    pub dispute: String,
    /// Whose it is.
    pub speaker: PersonaId,
    /// The side that it tells for.
    pub side: Side,
    /// The reason itself.
    pub claim: String,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
}

/// Two claims to be held against each other, as a prompt tells them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairTold {
    /// The one.
    pub one: ClaimTold,
    /// The other.
    pub other: ClaimTold,
}

/// A claim as a prompt tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimTold {
    /// Its name in prompt and reply: `a3`, `r2`.
    pub alias: String,
    /// Whose it is.
    pub speaker: PersonaId,
    /// The claim.
    pub text: String,
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
