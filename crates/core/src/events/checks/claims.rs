//! Claims of a turn that can be checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{CheckId, DraftId, PersonaId, TurnId};
use crate::events::summary::{Summarize, refused_parts, short};

/// A clerk pointed at the sentences of a turn, or of its draft, that state facts which can be checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimsExtracted {
    /// The turn; for a draft, the turn that it becomes if it is accepted.
    pub turn: TurnId,
    /// The draft, if the words are not said yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftId>,
    /// Speaker of the words.
    pub speaker: PersonaId,
    /// The claims, each with the id of its check; empty if the words state no such fact.
    pub claims: Vec<ExtractedClaim>,
    /// Parts of the reply that were rejected, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for ClaimsExtracted {
    fn summary(&self) -> String {
        let from = self.draft.map_or_else(|| self.turn.to_string(), |draft| draft.to_string());
        let claims: Vec<String> = self.claims.iter().map(|it| format!("{}: {}", it.check, short(&it.claim))).collect();
        format!("{from}: {}{}", claims.join("; "), refused_parts(&self.refused))
    }
}

/// Claim that is to be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractedClaim {
    /// Id of the check. The check itself may fail; the claim is then unchecked.
    pub check: CheckId,
    /// Words that make the claim, exactly as the turn or draft contains them.
    pub quote: String,
    /// The claim as a sentence that can be understood by itself: the words, or the clerk's wording of them.
    pub claim: String,
    /// Earlier check of the same claim, whose result is taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<CheckId>,
}
