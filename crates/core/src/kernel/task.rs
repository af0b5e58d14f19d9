//! Tasks: requests of prompts as data.
//!
//! A model reads the prompt; a provider that does not read prose (the offline one) reads the task. Both have the same
//! content, because the prompt is written from the task. Aliases in a task are those that the reply must use.

use serde::{Deserialize, Serialize};

use crate::drafting::material::Material;
use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::audit::AuditQuestion;
use crate::events::channel::RoomStage;
use crate::events::checks::probes::ContractField;
use crate::events::checks::sides::MotionSide;
use crate::events::crux::RoomKind;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::events::turn::{Hint, Move};

/// Task, with its topic and its recipient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Topic of the debate.
    pub topic: String,
    /// Seed of every choice that the answer leaves open.
    pub seed: u64,
    /// The speaker; `None` for a clerk.
    pub speaker: Option<PersonaId>,
    /// All participants.
    pub participants: Vec<PersonaId>,
    /// Kind of task, with its data.
    pub work: TaskKind,
}

/// Kind of task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskKind {
    /// Open a debate of arguments: a stance on the topic and two to four arguments.
    OpenWithArguments,
    /// Attack arguments of others, up to four times, each time with a counter-argument.
    Attack {
        /// Number of the round, from 1.
        round: u32,
        /// All live arguments, the speaker's own included.
        arguments: Vec<ArgumentInput>,
        /// Attacks raised so far, to avoid repetitions.
        attacks: Vec<AttackInput>,
    },
    /// Judge attacks: whether they are valid, and how strong they are.
    JudgeAttacks {
        /// The arguments involved in the attacks.
        arguments: Vec<ArgumentInput>,
        /// The attacks to judge.
        attacks: Vec<AttackInput>,
    },
    /// Draft a proposal on the topic.
    Draft {
        /// Proposals rejected so far, with the reasons.
        rejected: Vec<ProposalInput>,
    },
    /// Criticize a proposal.
    Criticize {
        /// The proposal.
        proposal: ProposalInput,
    },
    /// Combine a proposal and its criticism into a better one.
    Synthesize {
        /// The proposal, with its issues.
        proposal: ProposalInput,
    },
    /// Write the whole talk of the participants, every one of whom speaks.
    WriteTalk {
        /// Maximum number of turns.
        most: u32,
    },
    /// Open a talk: a stance on the topic, in a few sentences.
    OpenTalk,
    /// Take a turn in a talk: in the main channel or, if the input names one, in a room.
    Speak(TalkInput),
    /// Take the entry turn in a room: the side on its question, in a few sentences.
    EnterRoom(TalkInput),
    /// Take the closing turn of a debate.
    Close(TalkInput),
    /// Answer the questions that were agreed on as the crux, which are all the disputes given.
    AnswerCrux(TalkInput),
    /// Distill turns into arguments and attacks.
    Crystallize {
        /// The turns; those already distilled are context.
        turns: Vec<TurnInput>,
        /// The live arguments.
        arguments: Vec<ArgumentInput>,
        /// The attacks in force.
        attacks: Vec<AttackInput>,
        /// Maximum number of new arguments.
        most: u32,
    },
    /// Distill turns into disputes, stances and reasons.
    CrystallizeDisputes {
        /// The turns; those already distilled are context.
        turns: Vec<TurnInput>,
        /// The disputes that are not retired.
        disputes: Vec<DisputeInput>,
        /// The live reasons.
        reasons: Vec<ReasonInput>,
        /// Maximum number of new disputes.
        most: u32,
    },
    /// Tell who opposes whom about which question.
    DetectDisagreements {
        /// The turns of the window.
        turns: Vec<TurnInput>,
        /// Disagreements that were seen before.
        candidates: Vec<CandidateInput>,
        /// Questions under discussion elsewhere, to be left out.
        discussed: Vec<String>,
        /// True if every pair of participants counts; false if one for each question is enough.
        each_pair: bool,
    },
    /// Name aspects of a room's question.
    NameAspects {
        /// The latest turns of its participants in the channel, and those of the room.
        turns: Vec<TurnInput>,
        /// The dispute of the room.
        dispute: DisputeInput,
        /// Participants of the room.
        participants: Vec<PersonaId>,
        /// Maximum number of aspects.
        most: usize,
    },
    /// Tell whether the participants of a room have stated what divides them.
    CheckExit {
        /// The turns of the room.
        turns: Vec<TurnInput>,
        /// The dispute of the room.
        dispute: DisputeInput,
    },
    /// Distill a room into stances, reasons and a card.
    ExtractCard {
        /// The turns of the room.
        turns: Vec<TurnInput>,
        /// The dispute of the room, those of its aspects, and that about the topic.
        disputes: Vec<DisputeInput>,
        /// The live reasons on these disputes.
        reasons: Vec<ReasonInput>,
    },
    /// Decompose the topic into questions that can be tested.
    DecomposeTopic {
        /// Maximum number of questions.
        most: usize,
    },
    /// Take first stances on the topic and on the questions of the board, which are all the disputes given.
    StateStances(TalkInput),
    /// Say whether to speak next, and what for.
    StateIntent(TalkInput),
    /// Speak for a side of a motion: a reflection, a critique and a speech.
    ArgueSide {
        /// The debate so far.
        talk: TalkInput,
        /// Side of the speaker.
        side: MotionSide,
        /// Words of the speaker that were found false, to be left out or corrected.
        refuted: Vec<String>,
        /// Maximum number of words of the speech.
        most_words: u32,
    },
    /// Point at the sentences of a speech that state facts which can be checked.
    ExtractClaims {
        /// The speech, as a turn or as the draft of one.
        turn: TurnInput,
        /// Maximum number of claims.
        most: usize,
    },
    /// Check a claim against the passages supplied with the request.
    CheckClaim {
        /// The claim.
        claim: String,
        /// Participant who made it.
        speaker: PersonaId,
    },
    /// Compare claims of different speakers, pair by pair.
    Compare {
        /// The pairs.
        pairs: Vec<PairInput>,
    },
    /// Read quoted words once more: which answer do they give to a question?
    ReadWords {
        /// The words, each with its question.
        items: Vec<WordsInput>,
    },
    /// Probe: point at words of turns that contradict what their speaker holds.
    ProbeContract {
        /// Statements of the speaker's contract.
        statements: Vec<ContractStatement>,
        /// The turns.
        turns: Vec<ProbedTurnInput>,
    },
    /// Probe: tell which pairs of statements cannot both be true.
    ProbeContradictions {
        /// The pairs.
        pairs: Vec<StatementPairInput>,
    },
    /// Probe: rate statements as the speaker, from 1 (firmly rejects) to 7 (firmly endorses).
    RateStatements {
        /// The statements.
        statements: Vec<StatementInput>,
    },
    /// Draft a persona's contract and voice from its writings. Requested by no engine.
    Portray(Material),
    /// Point at sentences of a persona's writings that take positions. Requested by no engine.
    PointAtSentences,
    /// Suggest questions on which the writings of two personas differ. Requested by no engine.
    SuggestQuestions,
}

/// Words to read once more, as shown in a prompt. They come without their speaker and without what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordsInput {
    /// Alias in prompt and reply: `e37`.
    pub alias: String,
    /// Kind of question.
    pub asked: AuditQuestion,
    /// The question, answerable with yes or no.
    pub question: String,
    /// Statement that the question quotes: a claim, a crux or a proposal.
    pub about: Option<String>,
    /// The sentence before the words; empty if there is none.
    pub before: String,
    /// The words.
    pub words: String,
    /// The sentence after the words; empty if there is none.
    pub after: String,
}

/// Statement of a contract, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractStatement {
    /// Part of the contract to which it belongs.
    pub field: ContractField,
    /// The statement.
    pub text: String,
}

/// Turn to read beside a contract, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedTurnInput {
    /// Alias in prompt and reply: `t17`.
    pub alias: String,
    /// Text of the turn.
    pub text: String,
}

/// Statement of the common ground, as shown in a prompt: a question and its agreed answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementInput {
    /// Alias in prompt and reply: `s1`.
    pub alias: String,
    /// The question, answerable with yes or no.
    pub question: String,
    /// The agreed answer.
    pub side: Side,
}

/// Two statements of the common ground, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementPairInput {
    /// Alias in prompt and reply: `p1`.
    pub alias: String,
    /// The first statement.
    pub one: StatementInput,
    /// The second statement.
    pub other: StatementInput,
}

/// Talk, as shown to a speaker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TalkInput {
    /// All turns; the prompt shows the latest, and those to which the hint refers.
    pub turns: Vec<TurnInput>,
    /// Hint of the moderator.
    pub hint: Option<HintInput>,
    /// Disputes on which sides can be taken.
    pub disputes: Vec<DisputeInput>,
    /// Cruxes proposed so far.
    pub cruxes: Vec<CruxInput>,
    /// Room in which the turn is taken; `None` for the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomInput>,
}

/// Room, as shown to a speaker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomInput {
    /// Alias: `m1`.
    pub alias: String,
    /// Alias of its dispute: `d2`.
    pub dispute: String,
    /// Question under discussion.
    pub question: String,
    /// Participants whose disagreement it is about.
    pub participants: Vec<PersonaId>,
    /// Kind of the room.
    pub kind: RoomKind,
    /// Stage of the room; `None` in a free exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<RoomStage>,
    /// Question of the aspect that the stage is about; `None` if it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
}

/// Disagreement that was seen before, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateInput {
    /// Alias in prompt and reply: `n1`.
    pub alias: String,
    /// The question.
    pub question: String,
    /// The two participants.
    pub participants: Vec<PersonaId>,
}

/// Turn, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnInput {
    /// Alias in prompt and reply: `t17`.
    pub alias: String,
    /// Participant who spoke; `None` for the moderator.
    pub speaker: Option<PersonaId>,
    /// Moves of the turn.
    pub moves: Vec<Move>,
    /// The turn that it answers.
    pub answers: Option<String>,
    /// Room in which it was taken; `None` for the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// Text of the turn.
    pub text: String,
    /// True if the turn is not distilled yet.
    pub fresh: bool,
}

/// Hint of the moderator, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintInput {
    /// Occasion of the hint.
    pub hint: Hint,
    /// The turn that gave rise to it.
    pub about: Option<String>,
    /// The dispute on which the speaker is asked to take a side.
    pub dispute: Option<String>,
    /// The crux that the speaker is asked to accept or reject.
    pub crux: Option<String>,
}

/// Dispute, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeInput {
    /// Alias in prompt and reply: `d1`.
    pub alias: String,
    /// The question.
    pub question: String,
    /// Stances of the participants.
    pub stances: Vec<(PersonaId, Side)>,
    /// Criteria that would settle it.
    #[serde(default)]
    pub criteria: Vec<String>,
}

/// Crux proposed by a participant, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxInput {
    /// Alias in prompt and reply: `c1`.
    pub alias: String,
    /// Participant who proposed it.
    pub speaker: PersonaId,
    /// The crux as a sentence.
    pub statement: String,
    /// Participants who acknowledged it.
    pub acknowledged: Vec<PersonaId>,
    /// Alias of the dispute that asks it, if it was acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<String>,
}

/// Reason, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonInput {
    /// Alias in prompt and reply: `r2`.
    pub alias: String,
    /// The dispute to which it belongs.
    pub dispute: String,
    /// Participant who gave it.
    pub speaker: PersonaId,
    /// The side that it supports.
    pub side: Side,
    /// Text of the reason.
    pub claim: String,
    /// Assumptions taken for granted.
    pub assumptions: Vec<String>,
}

/// Two claims to compare, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairInput {
    /// The first claim.
    pub one: ClaimInput,
    /// The second claim.
    pub other: ClaimInput,
}

/// Claim, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimInput {
    /// Alias in prompt and reply: `a3`, `r2`.
    pub alias: String,
    /// Participant who made it.
    pub speaker: PersonaId,
    /// Text of the claim.
    pub text: String,
}

/// Argument, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentInput {
    /// Alias in prompt and reply: `a3`.
    pub alias: String,
    /// Participant who advanced it.
    pub speaker: PersonaId,
    /// Conclusion.
    pub claim: String,
    /// Premises.
    pub premises: Vec<String>,
    /// Assumptions taken for granted.
    pub assumptions: Vec<String>,
    /// Label: `IN`, `OUT` or `UNDEC`.
    pub label: String,
}

/// Attack, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackInput {
    /// Alias in prompt and reply: `k2`.
    pub alias: String,
    /// Participant who attacks.
    pub speaker: PersonaId,
    /// Alias of the attacking argument.
    pub source: String,
    /// Conclusion of the attacking argument.
    pub counter_claim: String,
    /// Alias of the attacked argument.
    pub target: String,
    /// The attacked part, word for word.
    pub target_text: String,
    /// Kind of the attacked part.
    pub component: ArgumentPart,
    /// Kind of attack.
    pub kind: AttackKind,
    /// Explanation of why the source defeats the target.
    pub rationale: String,
}

/// Proposal, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalInput {
    /// Alias in prompt and reply: `p1`.
    pub alias: String,
    /// Participant who wrote it.
    pub speaker: PersonaId,
    /// Text of the proposal.
    pub text: String,
    /// Reasoning behind it.
    pub reasoning: String,
    /// Issues raised by the critic.
    pub issues: Vec<IssueInput>,
}

/// Issue, as shown in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueInput {
    /// Alias in prompt and reply: `i1`.
    pub alias: String,
    /// Severity: `minor`, `major` or `critical`.
    pub severity: String,
    /// Description of the issue.
    pub text: String,
}
