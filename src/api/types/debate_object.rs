//! Ids of objects inside a debate.
//!
//! Within its debate an object has a short id, such as `a3`; its id among all objects is that of the debate, the type,
//! and the short id: `...:argument:a3`. The type is part of it because short ids of different types can be equal: a
//! dispute and its crux are both `d1`, and a persona can be named `a3`.

use std::fmt;
use std::str::FromStr;

use faultline_core::events::ids::{
    ArgumentId, AttackId, CandidateId, CheckId, CruxId, DisputeId, IssueId, PersonaId, ProposalId, ReasonId, RoomId,
    TurnId,
};
use faultline_core::verdicts::crux_id::CruxKey;

macro_rules! debate_objects {
    ($($(#[doc = $about:literal])* $name:ident($id:ty) = $word:literal,)*) => {
        /// An object inside a debate, by its type and short id. Displayed as both, as in `argument:a3`.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum DebateObject {
            $($(#[doc = $about])* $name($id),)*
        }

        impl fmt::Display for DebateObject {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(DebateObject::$name(id) => write!(f, concat!($word, ":{}"), id),)*
                }
            }
        }

        impl DebateObject {
            /// Returns the object with a short id of a type; `None` if there is no such type, or the id is malformed.
            fn of_type(word: &str, id: &str) -> Option<DebateObject> {
                match word {
                    $($word => id.parse().ok().map(DebateObject::$name),)*
                    _ => None,
                }
            }

            /// Returns the first type whose short ids have this form.
            fn of_any_type(id: &str) -> Option<DebateObject> {
                None$(.or_else(|| id.parse().ok().map(DebateObject::$name)))*
            }
        }
    };
}

debate_objects! {
    /// A turn.
    Turn(TurnId) = "turn",
    /// An argument.
    Argument(ArgumentId) = "argument",
    /// An attack.
    Attack(AttackId) = "attack",
    /// A dispute.
    Dispute(DisputeId) = "dispute",
    /// A reason on a dispute.
    Reason(ReasonId) = "reason",
    /// A proposal.
    Proposal(ProposalId) = "proposal",
    /// An issue with a proposal.
    Issue(IssueId) = "issue",
    /// A crux that a participant proposed.
    CruxProposal(CruxId) = "crux-proposal",
    /// A room.
    Room(RoomId) = "room",
    /// A candidate for a room.
    RoomCandidate(CandidateId) = "room-candidate",
    /// A fact check.
    FactCheck(CheckId) = "fact-check",
    /// A granted statement.
    GrantedStatement(CruxKey) = "granted-statement",
    /// A participant.
    Participant(PersonaId) = "participant",
    /// An event, by its version.
    Event(i64) = "event",
}

/// Error for a text that identifies no object inside a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownObject;

impl FromStr for DebateObject {
    type Err = UnknownObject;

    /// Parses a type and a short id, or a short id alone.
    fn from_str(text: &str) -> Result<Self, UnknownObject> {
        let found = match text.split_once(':') {
            Some((word, id)) => DebateObject::of_type(word, id),
            None => DebateObject::of_any_type(text),
        };
        found.ok_or(UnknownObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_parsed_with_or_without_its_type() {
        let check = |text: &str, expected: Option<DebateObject>| assert_eq!(text.parse().ok(), expected, "{text}");
        let argument = DebateObject::Argument(ArgumentId(3));
        check("argument:a3", Some(argument.clone()));
        check("a3", Some(argument.clone()));
        check("participant:a3", "a3".parse().ok().map(DebateObject::Participant));
        check("edda-tolvane", "edda-tolvane".parse().ok().map(DebateObject::Participant));
        check("dispute:d1", Some(DebateObject::Dispute(DisputeId(1))));
        check("crux-proposal:c1", Some(DebateObject::CruxProposal(CruxId(1))));
        check("event:7", Some(DebateObject::Event(7)));
        for unknown in ["", ":", "argument:", "argument:t3", "verse:a3", "argument:a3:"] {
            check(unknown, None);
        }
        assert_eq!(argument.to_string(), "argument:a3");
    }
}
