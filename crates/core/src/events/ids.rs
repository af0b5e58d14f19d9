//! Identifiers.
//!
//! A debate is identified by a UUID. The things inside a debate are numbered in the order in which they were recorded
//! and shown with a letter (`a3`, `t17`): short, deterministic, and used in prompts.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Identifies a debate and its stream in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DebateId(pub Uuid);

impl fmt::Display for DebateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for DebateId {
    type Err = Misnamed;

    fn from_str(text: &str) -> Result<Self, Misnamed> {
        Uuid::parse_str(text).map(DebateId).map_err(|_| Misnamed {
            given: excerpt(text),
            wanted: "a debate id, a UUID such as 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b",
        })
    }
}

/// Identifies a persona: the stem of its file name. Lower-case letters, digits and dashes, at most 64 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PersonaId(String);

impl PersonaId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PersonaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PersonaId {
    type Err = Misnamed;

    fn from_str(text: &str) -> Result<Self, Misnamed> {
        let fits = !text.is_empty()
            && text.len() <= 64
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !text.starts_with('-');
        if fits {
            Ok(PersonaId(text.to_owned()))
        } else {
            Err(Misnamed {
                given: excerpt(text),
                wanted: "a persona id, lower-case letters, digits and dashes, such as ada-quill",
            })
        }
    }
}

impl<'de> Deserialize<'de> for PersonaId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for PersonaId {
    fn schema_name() -> Cow<'static, str> {
        "PersonaId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[a-z0-9][a-z0-9-]{0,63}$",
            "description": "Identifies a persona: lower-case letters, digits and dashes, at most 64 bytes.",
        })
    }
}

/// Error for a text that is not an identifier of the expected kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not {wanted}")]
pub struct Misnamed {
    /// The first 64 characters of the given text.
    pub given: String,
    /// Description of the expected form.
    pub wanted: &'static str,
}

fn excerpt(text: &str) -> String {
    text.chars().take(64).collect()
}

macro_rules! numbered {
    ($name:ident, $letter:literal, $about:literal) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = Misnamed;

            fn from_str(text: &str) -> Result<Self, Misnamed> {
                text.strip_prefix($letter)
                    .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                    .and_then(|digits| digits.parse().ok())
                    .map($name)
                    .ok_or_else(|| Misnamed { given: excerpt(text), wanted: concat!("an id such as ", $letter, "1") })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let pattern = concat!("^", $letter, "[0-9]+$");
                json_schema!({ "type": "string", "pattern": pattern, "description": $about })
            }
        }
    };
}

numbered!(TurnId, "t", "Identifies a turn of a debate: `t1`, `t2`, ...");
numbered!(ArgumentId, "a", "Identifies an argument of a debate: `a1`, `a2`, ...");
numbered!(AttackId, "k", "Identifies an attack of a debate: `k1`, `k2`, ...");
numbered!(DisputeId, "d", "Identifies a dispute of a debate: `d1`, `d2`, ...");
numbered!(ReasonId, "r", "Identifies a reason of a debate: `r1`, `r2`, ...");
numbered!(CruxId, "c", "Identifies a crux that a participant proposed: `c1`, `c2`, ...");
numbered!(ProposalId, "p", "Identifies a proposal of a debate: `p1`, `p2`, ...");
numbered!(RoomId, "m", "Identifies a room of a debate: `m1`, `m2`, ...");
numbered!(CandidateId, "n", "Identifies a candidate for a room of a debate: `n1`, `n2`, ...");
numbered!(CheckId, "f", "Identifies a check of a claim: `f1`, `f2`, ...");
numbered!(DraftId, "w", "Identifies a draft of a turn of a debate: `w1`, `w2`, ...");
numbered!(IssueId, "i", "Identifies an issue that a critic raised: `i1`, `i2`, ...");

/// Identifies a contestable item of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointId {
    /// An argument.
    Argument(ArgumentId),
    /// A reason.
    Reason(ReasonId),
    /// A dispute.
    Dispute(DisputeId),
}

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PointId::Argument(it) => it.fmt(f),
            PointId::Reason(it) => it.fmt(f),
            PointId::Dispute(it) => it.fmt(f),
        }
    }
}

impl FromStr for PointId {
    type Err = Misnamed;

    fn from_str(text: &str) -> Result<Self, Misnamed> {
        let argument = text.parse().map(PointId::Argument);
        let reason = || text.parse().map(PointId::Reason);
        let dispute = || text.parse().map(PointId::Dispute);
        let misnamed = |_| Misnamed { given: excerpt(text), wanted: "an id such as a1, r1 or d1" };
        argument.or_else(|_| reason()).or_else(|_| dispute()).map_err(misnamed)
    }
}

impl Serialize for PointId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PointId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for PointId {
    fn schema_name() -> Cow<'static, str> {
        "PointId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[ard][0-9]+$",
            "description": "Identifies a contestable item of a debate: an argument, a reason or a dispute.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_through_text() {
        let check = |text: &str| assert_eq!(text.parse::<ArgumentId>().map(|id| id.to_string()).as_deref(), Ok(text));
        check("a1");
        check("a4294967295");
    }

    #[test]
    fn malformed_ids_are_refused() {
        for text in ["", "a", "b1", "a-1", "a+1", "a1 ", "a4294967296", "A1"] {
            assert!(text.parse::<ArgumentId>().is_err(), "{text:?} was taken for an argument");
        }
        for text in ["", "-a", "Ada", "ada quill", "../ada", &"x".repeat(65)] {
            assert!(text.parse::<PersonaId>().is_err(), "{text:?} was taken for a persona");
        }
    }
}
