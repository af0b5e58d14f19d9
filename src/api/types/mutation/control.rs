//! Inputs and payloads of mutations that control a running debate.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::api::types::debate::debate::Debate;

/// Input of `pauseDebate`.
#[derive(InputObject)]
pub struct PauseDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
}

/// Result of `pauseDebate`.
#[derive(SimpleObject)]
pub struct PauseDebatePayload {
    /// The paused debate.
    pub debate: Debate,
}

/// Input of `resumeDebate`.
#[derive(InputObject)]
pub struct ResumeDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
}

/// Result of `resumeDebate`.
#[derive(SimpleObject)]
pub struct ResumeDebatePayload {
    /// The resumed debate.
    pub debate: Debate,
}

/// Input of `cancelDebate`.
#[derive(InputObject)]
pub struct CancelDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Reason; at most 8000 bytes.
    pub reason: Option<String>,
}

/// Result of `cancelDebate`.
#[derive(SimpleObject)]
pub struct CancelDebatePayload {
    /// The cancelled debate.
    pub debate: Debate,
}

/// Input of `auditDebate`.
#[derive(InputObject)]
pub struct AuditDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Name of the provider that reads the words; by default the preferred one.
    pub provider: Option<String>,
}

/// Result of `auditDebate`.
#[derive(SimpleObject)]
pub struct AuditDebatePayload {
    /// The debate, with the request for an audit.
    pub debate: Debate,
}

/// Input of `probeDebate`.
#[derive(InputObject)]
pub struct ProbeDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Name of the provider that is asked; by default that of the debate, or else the preferred one.
    pub provider: Option<String>,
}

/// Result of `probeDebate`.
#[derive(SimpleObject)]
pub struct ProbeDebatePayload {
    /// The debate, with the request for probes.
    pub debate: Debate,
}

/// Input of `interject`.
#[derive(InputObject)]
pub struct InterjectInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Text of the message, at most 8000 bytes.
    pub text: String,
    /// Id of the participant in whose name it is added; by default the moderator.
    pub persona_id: Option<ID>,
}

/// Result of `interject`.
#[derive(SimpleObject)]
pub struct InterjectPayload {
    /// The debate, including the message.
    pub debate: Debate,
}
