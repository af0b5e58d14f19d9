//! Answers of participants to the questions that they agreed on as the crux.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::closing::context::ClosingContext;
use crate::engines::closing::last_words::{check_text, closing_turn, condition};
use crate::engines::talk::copied_words::own_words;
use crate::engines::talk::criteria::{StatedCriterion, criterion, settled_by_condition};
use crate::engines::talk::decode::{StatedSide, stance};
use crate::engines::talk::schema::StanceReply;
use crate::events::event::Event;
use crate::events::ids::DisputeId;
use crate::events::turn::Move;
use crate::kernel::reply::Unreadable;

/// Reply to `answer`.
#[derive(Deserialize, JsonSchema)]
pub struct CruxAnswerReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stances of the speaker on the questions.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Decodes an answer into its turn, the sides that it takes, the criteria that it names, and the condition for a change of
/// mind.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else.
pub fn answered(at: &ClosingContext, reply: CruxAnswerReply) -> Result<Vec<Event>, Unreadable> {
    let text = check_text(at, &reply.text)?;
    let (mut facts, mut refused, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for told in &reply.stances {
        let dispute = told.dispute.trim().parse::<DisputeId>();
        let is_asked = |id: &DisputeId| *id != at.topic.0 && at.disputes.not_retired().any(|(known, _)| known == *id);
        let Some(dispute) = dispute.ok().filter(is_asked).filter(|id| !seen.contains(id)) else { continue };
        seen.push(dispute);
        match own_words(text, &told.words, &format!("states a side on {dispute}")) {
            Ok(words) => {
                let side = StatedSide { dispute, side: told.side.into(), confidence: told.confidence, words };
                facts.extend(stance(at.disputes, at.speaker, at.turn, side));
            }
            Err(reason) => refused.push(reason),
        }
        let stated =
            StatedCriterion { dispute, speaker: at.speaker, turn: at.turn, text, copied: told.settled_by.as_deref() };
        facts.extend(criterion(at.disputes, at.names, stated).unwrap_or_else(|reason| {
            refused.push(reason);
            None
        }));
    }
    let about = reply.would_change.as_deref().and_then(|words| settled_by_condition(&reply.stances, words));
    let about = about.or(seen.first().copied()).filter(|dispute| seen.contains(dispute));
    facts.extend(condition(at, text, reply.would_change.as_deref(), about, &mut refused));
    let turn = closing_turn(at, text, Move::Clarify, &reply.passages, refused);
    Ok(std::iter::once(turn).chain(facts).collect())
}
