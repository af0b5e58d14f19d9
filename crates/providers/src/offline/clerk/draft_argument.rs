//! Arguments of a distillation: those recorded before, and those drawn from new turns.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::clerk::sentence_names::names_of;
use crate::offline::recognition::{is_of_claim, is_part_of};
use crate::offline::spoken::SpokenTurn;
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::{ArgumentInput, TurnInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, PassageQuote};

/// Maximum number of premises of an argument.
pub const MAX_PREMISES: usize = 3;

/// Arguments that can attack and be attacked.
pub struct Drafts<'a> {
    /// Participants.
    pub cast: &'a Cast,
    /// Live arguments, and new ones of this reply.
    pub arguments: Vec<DraftArgument>,
}

/// Argument with its names in this reply.
pub struct DraftArgument {
    /// Alias: `a3`, or `n1` for a new one.
    pub alias: String,
    /// Participant who makes it.
    pub speaker: PersonaId,
    /// Text of the claim.
    pub claim: String,
    /// Texts of the premises.
    pub premises: Vec<String>,
    /// Assumptions.
    pub assumptions: Vec<String>,
    /// True if the claim answers the topic.
    pub answers_topic: bool,
    /// Rank among new arguments; lower ones come first.
    pub rank: u8,
    /// Name of the claim's sentence; empty for a live argument.
    pub claim_name: String,
    /// Names of the premises' sentences; empty for a live argument.
    pub premise_names: Vec<String>,
}

impl<'a> Drafts<'a> {
    /// Returns the argument that makes a claim.
    pub fn of_claim(&self, member: &CastMember, claim: &AnnotatedClaim) -> Option<&DraftArgument> {
        self.arguments
            .iter()
            .find(|argument| argument.speaker == member.id && is_of_claim(member, claim, &argument.claim))
    }

    /// Returns the argument that carries a reply: the claim that it names, or else its words.
    pub fn source(&self, member: &CastMember, reply: &AnnotatedReply) -> Option<&DraftArgument> {
        let is_of_words = |argument: &&DraftArgument| {
            argument.speaker == member.id && reply.words.iter().any(|words| is_part_of(&argument.claim, &words.quote))
        };
        let named = reply.with.as_ref().and_then(|name| member.topic.claim(name));
        named.and_then(|claim| self.of_claim(member, claim)).or_else(|| self.arguments.iter().find(is_of_words))
    }

    /// Returns the claim that a reply answers, with the argument that makes it.
    pub fn target(&self, reply: &AnnotatedReply) -> Option<(&'a AnnotatedClaim, &DraftArgument)> {
        let member = self.cast.member(&reply.to.persona)?;
        let claim = member.topic.claim(&reply.to.claim)?;
        self.of_claim(member, claim).map(|argument| (claim, argument))
    }
}

impl DraftArgument {
    /// Returns an argument that was recorded before.
    pub fn live(input: &ArgumentInput) -> DraftArgument {
        DraftArgument {
            alias: input.alias.clone(),
            speaker: input.speaker.clone(),
            claim: input.claim.clone(),
            premises: input.premises.clone(),
            assumptions: input.assumptions.clone(),
            answers_topic: false,
            rank: 0,
            claim_name: String::new(),
            premise_names: Vec::new(),
        }
    }

    /// Draws an argument from a turn. The claim is the first sentence of the words; their further sentences, and those of
    /// `premises` that the turn contains, support it. `None` if the turn does not contain the words.
    pub fn drawn<'q>(
        turn: &SpokenTurn,
        rank: u8,
        words: &PassageQuote,
        premises: impl Iterator<Item = &'q PassageQuote>,
    ) -> Option<DraftArgument> {
        let mut names = names_of(turn.input, &words.quote).into_iter();
        let claim_name = names.next()?;
        let mut premise_names: Vec<String> = names.collect();
        for name in premises.flat_map(|premise| names_of(turn.input, &premise.quote)) {
            if name != claim_name && !premise_names.contains(&name) {
                premise_names.push(name);
            }
        }
        premise_names.truncate(MAX_PREMISES);
        Some(DraftArgument {
            alias: String::new(),
            speaker: turn.member.id.clone(),
            claim: text_of(turn.input, &claim_name),
            premises: premise_names.iter().map(|name| text_of(turn.input, name)).collect(),
            assumptions: Vec::new(),
            answers_topic: false,
            rank,
            claim_name,
            premise_names,
        })
    }

    /// Returns a new argument as the reply names it.
    pub fn reply(&self) -> Value {
        json!({
            "name": self.alias, "claim": self.claim_name, "premises": self.premise_names, "assumptions": self.assumptions,
            "evidence": [], "answers_topic": self.answers_topic,
        })
    }
}

fn text_of(turn: &TurnInput, name: &str) -> String {
    let number = name.rsplit('.').next().and_then(|number| number.parse().ok());
    number.and_then(|number| turn_quotes::sentence(&turn.text, number)).unwrap_or_default()
}
