//! GraphQL types of the audit: the second reading of the words on which a verdict rests.

use async_graphql::{Enum, ID, SimpleObject};

use faultline_core::events::audit;
use faultline_core::verdicts::audit::audit_verdict;
use faultline_core::verdicts::audit::items::AuditSubject;

use crate::api::types::debate::debate_ref::ParticipantSource;

/// Audit of the words on which a verdict rests.
#[derive(SimpleObject, Clone)]
pub struct AuditVerdict {
    /// State of the audit.
    state: AuditState,
    /// True if there is no consensus without an audit.
    required: bool,
    /// The audit in words: `audited 12 of 12 statements that the verdict rests on (12 stances), 1 read otherwise`.
    summary: String,
    /// Number of words that a qualified auditor read.
    audited_count: usize,
    /// Number of words on which the verdict rests.
    word_count: usize,
    /// Number of words that a qualified auditor read otherwise than they were recorded.
    contested_count: usize,
    /// Auditor of the latest audit; null if nothing was audited.
    auditor: Option<Auditor>,
    /// Words on which the verdict rests, in the order in which they were recorded.
    words: Vec<AuditedWords>,
}

/// State of an audit.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "audit_verdict::AuditState")]
pub enum AuditState {
    /// The debate requires no audit, and there was none.
    Off,
    /// Nothing was read.
    Missing,
    /// Words were read, but not by a qualified auditor.
    Unqualified,
    /// A qualified auditor read some of the words.
    Partial,
    /// A qualified auditor read all words.
    Complete,
}

/// Auditor, with the measurement that qualifies it.
#[derive(SimpleObject, Clone)]
pub struct Auditor {
    /// Name of the provider.
    provider_name: String,
    /// Provider and model, as named by the provider.
    model: String,
    /// Revision of the audit.
    revision: i32,
    /// True if it was qualified when it read the words. Readings of an auditor that was not are not counted.
    qualified: bool,
    /// Precision of the sides that it took on the calibration set, from 0 to 1; null if it was not measured.
    precision: Option<f64>,
    /// Share of the calibration set's sides that it took rightly, from 0 to 1; null if it was not measured.
    recall: Option<f64>,
}

/// Words on which a verdict rests, and their reading.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct AuditedWords {
    /// Record that rests on them.
    kind: AuditedKind,
    /// Id of that dispute, argument, reason, crux or proposal, such as `d1` or `a3`; null for a concession.
    subject_id: Option<ID>,
    /// Id of the participant who said them.
    pub(crate) persona_id: ID,
    /// Id of the turn that contains them.
    turn_id: ID,
    /// The question that was asked about them.
    question: String,
    /// The words; at most 280 characters.
    words: String,
    /// Reading that agrees with the record.
    recorded: WordsReading,
    /// The auditor's reading; null if they were not read.
    reading: Option<WordsReading>,
    /// True if a qualified auditor read them.
    audited: bool,
    /// True if a qualified auditor read them otherwise than they were recorded. What rests on them is not counted.
    contested: bool,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Record that rests on audited words.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditedKind {
    /// A stance on a dispute.
    Stance,
    /// An argument whose claim answers the topic.
    Thesis,
    /// An argument that a clerk distilled.
    Claim,
    /// A reason that a clerk distilled.
    Reason,
    /// A concession.
    Concession,
    /// An agreement with a crux.
    Agreement,
    /// An acceptance of a proposal.
    Acceptance,
}

/// Answer that words give to a question.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "audit::Reading")]
pub enum WordsReading {
    /// They say yes.
    Yes,
    /// They say no.
    No,
    /// They split the answer.
    Nuanced,
    /// They do not answer the question.
    None,
}

impl AuditVerdict {
    /// Builds the audit of a debate.
    pub fn new(audit: &audit_verdict::AuditVerdict, participants: &ParticipantSource) -> Self {
        AuditVerdict {
            state: audit.state().into(),
            required: audit.setting == audit::AuditSetting::Required,
            summary: audit.in_words(),
            audited_count: audit.audited(),
            word_count: audit.words.len(),
            contested_count: audit.contested().count(),
            auditor: audit.auditor.as_ref().map(auditor),
            words: audit.words.iter().map(|read| words(read, participants)).collect(),
        }
    }
}

fn auditor(auditor: &audit::Auditor) -> Auditor {
    Auditor {
        provider_name: auditor.provider.clone(),
        model: auditor.model.clone(),
        revision: auditor.revision,
        qualified: auditor.qualified,
        precision: auditor.precision,
        recall: auditor.recall,
    }
}

fn words(words: &audit_verdict::AuditedWords, participants: &ParticipantSource) -> AuditedWords {
    let (kind, subject) = match &words.subject {
        AuditSubject::Stance { dispute } => (AuditedKind::Stance, Some(dispute.to_string())),
        AuditSubject::Thesis { argument } => (AuditedKind::Thesis, Some(argument.to_string())),
        AuditSubject::Claim { argument } => (AuditedKind::Claim, Some(argument.to_string())),
        AuditSubject::Reason { reason } => (AuditedKind::Reason, Some(reason.to_string())),
        AuditSubject::Concession | AuditSubject::Grant => (AuditedKind::Concession, None),
        AuditSubject::Crux { crux } => (AuditedKind::Agreement, Some(crux.to_string())),
        AuditSubject::Proposal { proposal } => (AuditedKind::Acceptance, Some(proposal.to_string())),
    };
    AuditedWords {
        kind,
        subject_id: subject.map(ID),
        persona_id: ID(words.persona.to_string()),
        turn_id: ID(words.turn.to_string()),
        question: words.question.clone(),
        words: words.words.clone(),
        recorded: words.recorded.into(),
        reading: words.reading.map(WordsReading::from),
        audited: words.is_audited,
        contested: words.is_contested,
        participants: participants.clone(),
    }
}
