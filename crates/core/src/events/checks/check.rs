//! Results of fact checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::citation::{Citation, QuoteCheck};
use crate::events::ids::{CheckId, DraftId, TurnId};
use crate::events::summary::{Summarize, short};

/// A claim made in a turn was checked. The result is the checker's statement; no verdict of the debate depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimChecked {
    /// The check.
    pub check: CheckId,
    /// The turn in which the claim was made; for a draft, the turn that it becomes if it is accepted.
    pub turn: TurnId,
    /// The draft in which the claim was made, if it was checked before it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftId>,
    /// The claim, as a sentence that can be checked.
    pub claim: String,
    /// The words of the turn that make the claim, if they differ from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Result of the check.
    pub verdict: CheckVerdict,
    /// Sources found. A claim that is rated true or false has at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EvidenceSource>,
    /// Name of the checker: a search engine, a corpus or a model.
    pub by: String,
    /// Explanation of how the sources bear on the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// The checker's own confidence, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Earlier check of the same claim, from which the result was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<CheckId>,
}

impl ClaimChecked {
    /// Rates the claim unverifiable if none of its sources contains the words quoted from it. A checker that quotes nothing has
    /// found nothing.
    pub fn require_quotes(&mut self) {
        let is_found = |source: &EvidenceSource| {
            let n_words = source.excerpt.as_ref().map_or(0, |words| words.split_whitespace().count());
            source.check.is_some_and(|check| check != QuoteCheck::Unverified) && n_words >= MIN_EVIDENCE_WORDS
        };
        if self.verdict == CheckVerdict::Unverifiable || self.sources.iter().any(is_found) {
            return;
        }
        let said =
            self.explanation.take().map(|said| format!("; the checker's explanation: {said}")).unwrap_or_default();
        let verdict = self.verdict.name();
        self.explanation = Some(format!(
            "rated {verdict} without at least {MIN_EVIDENCE_WORDS} words in a row that a source contains, which counts as \
             unverifiable{said}"
        ));
        self.verdict = CheckVerdict::Unverifiable;
    }
}

impl Summarize for ClaimChecked {
    fn summary(&self) -> String {
        let (by, claim) = (short(&self.by), short(&self.claim));
        let place = self.draft.map_or_else(|| self.turn.to_string(), |draft| draft.to_string());
        format!("{} {} in {place} by {by}: {claim}", self.check, self.verdict.name())
    }
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// The sources support the claim.
    True,
    /// The sources contradict the claim.
    False,
    /// The sources found do not decide the claim. This does not count against it.
    Unverifiable,
}

impl CheckVerdict {
    /// Returns the verdict's wire name: `true`, `false` or `unverifiable`.
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::True => "true",
            CheckVerdict::False => "false",
            CheckVerdict::Unverifiable => "unverifiable",
        }
    }
}

/// Source on which a check is based.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceSource {
    /// Title of the source.
    pub title: String,
    /// Web address of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Words of the source that bear on the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// Result of looking for the excerpt in the text that the checker was given; absent if nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<QuoteCheck>,
    /// Alias of that text in the prompt of the check: `g1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The library passage that the source is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// Minimum number of words of an excerpt that can decide a claim; fewer can occur anywhere.
pub const MIN_EVIDENCE_WORDS: usize = 4;

/// Maximum length of a web address, in bytes.
pub const MAX_ADDRESS_BYTES: usize = 2_048;

/// Returns true if `text` is a web address that a page may link to: http or https, printable ASCII, and free of
/// characters that could end a link.
pub fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |letter: char| {
        letter.is_ascii_graphic() && !matches!(letter, '"' | '\'' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
    };
    let begins = |address: &str| address.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '[');
    text.len() <= MAX_ADDRESS_BYTES && rest.is_some_and(|address| begins(address) && address.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_and_https_addresses_are_accepted() {
        for text in ["https://example.org", "http://[::1]:8080/a?b=c#d", "https://example.org/%C3%BC(1)"] {
            assert!(is_web_address(text), "{text}");
        }
        let long = format!("https://example.org/{}", "x".repeat(MAX_ADDRESS_BYTES));
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
            assert!(!is_web_address(text), "{text}");
        }
    }
}
