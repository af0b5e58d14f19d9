//! Writings of a persona, for looking up quotations byte for byte.

use std::collections::BTreeMap;

use crate::positions::model::PassageQuote;

/// Passages of a persona's documents, as the library stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writings {
    documents: BTreeMap<String, Vec<String>>,
}

/// Result of looking up a quotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuoteLookup {
    /// The words begin at this byte of this passage; passages are counted from 0.
    Found {
        /// Index of the passage in its document, from 0.
        passage: usize,
        /// Byte of the passage at which the words begin.
        start: usize,
    },
    /// No document has this name.
    NoDocument,
    /// No passage of the document contains the words.
    NoPassage,
}

impl Writings {
    /// Adds a passage at the end of a document.
    pub fn add(&mut self, document: &str, passage: String) {
        self.documents.entry(document.to_owned()).or_default().push(passage);
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Finds the first passage of the named document that contains the words, byte for byte. Linear in the document.
    pub fn find(&self, quote: &PassageQuote) -> QuoteLookup {
        let Some(passages) = self.documents.get(&quote.document) else { return QuoteLookup::NoDocument };
        let found = passages.iter().enumerate().find_map(|(passage, text)| Some((passage, text.find(&quote.quote)?)));
        found.map_or(QuoteLookup::NoPassage, |(passage, start)| QuoteLookup::Found { passage, start })
    }

    /// Returns the name of a document that contains the words in one passage, if any. Linear in the writings.
    pub fn document_with(&self, words: &str) -> Option<&str> {
        let mut documents = self.documents.iter();
        documents.find(|(_, passages)| passages.iter().any(|text| text.contains(words))).map(|(name, _)| name.as_str())
    }
}
