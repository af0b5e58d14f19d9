//! Claims that were checked against what can be found.

use serde::{Deserialize, Serialize};

use crate::events::ids::{CheckId, TurnId};
use crate::events::turn::Citation;

/// A claim that somebody made in a turn was checked. What a checker finds is its word: no verdict of the debate rests on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimChecked {
    /// The check.
    pub check: CheckId,
    /// The turn in which the claim was made.
    pub turn: TurnId,
    /// The claim: a sentence that can be checked.
    pub claim: String,
    /// The words of the turn that make it, where they are not the claim itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// What came of it.
    pub verdict: CheckVerdict,
    /// What was found. A claim that is called true or false has one or more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// By whom: the name of a search, of a corpus, of a model.
    pub by: String,
    /// How the sources bear on the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// The checker's own, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// What a check comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// The sources bear it out.
    True,
    /// The sources tell against it.
    False,
    /// Nothing that was found decides it. No word against the claim.
    Unverifiable,
}

impl CheckVerdict {
    /// Its name: `true`, `false`, `unverifiable`.
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::True => "true",
            CheckVerdict::False => "false",
            CheckVerdict::Unverifiable => "unverifiable",
        }
    }
}

/// Something that a check rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// What it is called.
    pub title: String,
    /// Where it is to be had: an address in the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Its words that bear on the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The passage of the library that it is, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// Bytes of an address in the web.
pub const ADDRESS_BYTES: usize = 2_048;

/// Whether a text is an address that a page may link to: of the web, in plain ASCII, with nothing in it that could end it.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain =
        |it: char| it.is_ascii_graphic() && !matches!(it, '"' | '\'' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    let begins = |it: &str| it.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '[');
    text.len() <= ADDRESS_BYTES && rest.is_some_and(|it| begins(it) && it.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_into_the_web_and_nowhere_else() {
        for text in ["https://example.org", "http://[::1]:8080/a?b=c#d", "https://example.org/%C3%BC(1)"] {
            assert!(is_address(text), "{text}");
        }
        let long = format!("https://example.org/{}", "x".repeat(ADDRESS_BYTES));
        let others = [
            "",
            "example.org",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://a b",
            "https://a\"b",
            "HTTPS://a",
            "https://ü.org",
            "data:,x",
        ];
        for text in others.into_iter().chain([long.as_str()]) {
            assert!(!is_address(text), "{text}");
        }
    }
}
