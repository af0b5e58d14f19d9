//! GraphQL types of concessions: by whom, on what, and with what effect.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::scalars::Side;
use crate::api::types::speech::granted::GrantedPoint;
use faultline_core::projections::transcript::Transcript;
use faultline_core::verdicts::concessions::concessions::{
    Concession as Inner, ConcessionKind as Kind, ConcessionOutcome,
};
use faultline_core::verdicts::crux_card::crux_text::quoted;

/// A concession that a participant made in a turn of their own.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Concession {
    /// Kind of concession.
    kind: ConcessionKind,
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the turn.
    turn_id: ID,
    /// Conceded point; if it was not recorded, the beginning of the turn. At most 280 characters.
    words: String,
    /// Words of the turn that make the concession, exactly as the turn contains them; null if it was only reported.
    quote: Option<String>,
    /// Id of the dispute, if the concession is on one.
    dispute_id: Option<ID>,
    /// Id of the argument that was withdrawn or revised, if any.
    argument_id: Option<ID>,
    /// Side of the dispute that the participant had taken.
    from: Option<Side>,
    /// Side that the participant took.
    to: Option<Side>,
    /// Statement of another participant that was granted, if any.
    granted: Option<GrantedPoint>,
    /// Effect at the time of the concession.
    effect: ConcessionEffect,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Kinds of concession.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcessionKind {
    /// The point is given up.
    Full,
    /// A narrower point is kept.
    Partial,
    /// The point is kept under a condition.
    Scope,
    /// The participant takes the other side of a dispute, without recording a concession.
    Stance,
}

/// Effects of a concession.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcessionEffect {
    /// The dispute had both a yes and a no before it, and one side only after it.
    Settled,
    /// An argument of the participant was withdrawn.
    Withdrew,
    /// An argument of the participant was narrowed, or put under a condition.
    Revised,
    /// A statement of another participant was granted, and none of the above.
    Granted,
    /// No dispute was settled, no argument was withdrawn or revised, and no statement was granted.
    None,
}

impl Concession {
    /// Builds a concession; the transcript provides the beginning of its turn.
    pub fn new(concession: &Inner, transcript: &Transcript, participants: &ParticipantSource) -> Self {
        let said = transcript.turn(concession.turn).map(|turn| turn.text.as_str());
        let words = concession.what.as_deref().or(said).unwrap_or_default();
        Concession {
            kind: match concession.kind {
                Kind::Full => ConcessionKind::Full,
                Kind::Partial => ConcessionKind::Partial,
                Kind::Scope => ConcessionKind::Scope,
                Kind::Stance => ConcessionKind::Stance,
            },
            participants: participants.clone(),
            persona_id: ID(concession.persona.to_string()),
            turn_id: ID(concession.turn.to_string()),
            words: quoted(words),
            quote: concession.quote.clone(),
            dispute_id: concession.dispute.map(|dispute| ID(dispute.to_string())),
            argument_id: concession.argument.map(|argument| ID(argument.to_string())),
            from: concession.from.map(Side::from),
            to: concession.to.map(Side::from),
            granted: concession.granted.as_ref().map(GrantedPoint::from),
            effect: match concession.effect {
                ConcessionOutcome::Settled => ConcessionEffect::Settled,
                ConcessionOutcome::Withdrew => ConcessionEffect::Withdrew,
                ConcessionOutcome::Revised => ConcessionEffect::Revised,
                ConcessionOutcome::Granted => ConcessionEffect::Granted,
                ConcessionOutcome::None => ConcessionEffect::None,
            },
        }
    }
}
