//! Citations of library passages, their quotations, and pieces of evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::receipt::WebPage;

/// Piece of evidence to which an argument refers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Text of the evidence.
    pub text: String,
    /// The library passage it comes from, if it cites one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// Citation of a supplied passage. Citations of passages that were not supplied are dropped and recorded as rejected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Alias of the passage in the prompt: `g1`.
    pub alias: String,
    /// Id of the stored chunk. For a web page, an id derived from its address and text; no chunk is stored under it.
    pub chunk: Uuid,
    /// The web page; absent for a passage of a corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<WebPage>,
    /// Quotations from the passage, each checked against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Quote>,
}

impl Citation {
    /// Creates a citation whose quotations have not been looked for yet.
    pub fn new(alias: impl Into<String>, chunk: Uuid) -> Citation {
        Citation { alias: alias.into(), chunk, page: None, quotes: Vec::new() }
    }
}

/// Quotation from a passage, with the result of its check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The words as the speaker wrote them.
    pub text: String,
    /// Result of the check.
    pub check: QuoteCheck,
    /// Byte ranges in the stored chunk: one, or one for each piece of an abridged quotation; empty if unverified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ByteRange>,
}

/// Result of checking a quotation. Variants of white space, quotation marks and dashes are treated as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuoteCheck {
    /// The passage contains the words exactly.
    Verbatim,
    /// The passage contains the pieces in this order, with ellipses for omissions.
    Abridged,
    /// The passage does not contain the words.
    Unverified,
}

impl QuoteCheck {
    /// Returns the wire name: `verbatim`, `abridged` or `unverified`.
    pub fn name(self) -> &'static str {
        match self {
            QuoteCheck::Verbatim => "verbatim",
            QuoteCheck::Abridged => "abridged",
            QuoteCheck::Unverified => "unverified",
        }
    }
}

/// Byte range of a stored chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ByteRange {
    /// Offset of the first byte, from 0.
    pub from: u32,
    /// Offset of the byte after the last one.
    pub to: u32,
}
