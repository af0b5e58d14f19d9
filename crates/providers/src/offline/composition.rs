//! Composition of what a persona says: quotations of its corpus and fixed phrases, with the passages quoted.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::offline::cast::CastMember;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::positions::model::{Basis, PassageQuote};

/// Text under composition.
#[derive(Clone)]
pub struct Composition<'a> {
    member: &'a CastMember,
    parts: Vec<String>,
    /// Passages supplied with the prompt, by their aliases.
    given: Vec<(Uuid, String)>,
    found: Vec<PassageRef>,
    aliases: Vec<String>,
}

impl<'a> Composition<'a> {
    /// Creates an empty text of a speaker.
    pub fn new(member: &'a CastMember, ask: &EffectAttempt) -> Composition<'a> {
        let given = ask.grounds.iter().map(|passage| (passage.ground.chunk, passage.ground.alias.clone())).collect();
        Composition { member, parts: Vec::new(), given, found: Vec::new(), aliases: Vec::new() }
    }

    /// Adds a quotation, unless the text contains it already.
    ///
    /// # Errors
    /// As [`Composition::cite`].
    pub fn quote(&mut self, quote: &PassageQuote) -> Result<(), Failure> {
        if !self.contains(&quote.quote) {
            self.cite(quote)?;
            self.parts.push(sentence(&quote.quote));
        }
        Ok(())
    }

    /// Adds several quotations.
    ///
    /// # Errors
    /// As [`Composition::cite`].
    pub fn quotes<'q>(&mut self, quotes: impl IntoIterator<Item = &'q PassageQuote>) -> Result<(), Failure> {
        quotes.into_iter().try_for_each(|quote| self.quote(quote))
    }

    /// Adds the quoted ones among some bases.
    ///
    /// # Errors
    /// As [`Composition::cite`].
    pub fn bases<'q>(&mut self, bases: impl IntoIterator<Item = &'q Basis>) -> Result<(), Failure> {
        self.quotes(bases.into_iter().filter_map(quoted))
    }

    /// Adds a fixed phrase.
    pub fn phrase(&mut self, phrase: &'static str) {
        self.parts.push(phrase.to_owned());
    }

    /// Puts a fixed phrase before everything else.
    pub fn lead(&mut self, phrase: &'static str) {
        self.parts.insert(0, phrase.to_owned());
    }

    /// Cites the passage of a quotation without adding its words.
    ///
    /// # Errors
    /// [`FailureKind::Hopeless`] if the corpus does not contain the words.
    pub fn cite(&mut self, quote: &PassageQuote) -> Result<(), Failure> {
        let Some(chunk) = self.member.passage_with(&quote.quote) else {
            let (id, line) = (&self.member.id, quote.line);
            let message = format!(
                "line {line} of the positions of {id} quotes {:?}, which is not in its corpus; run `faultline ingest` and \
                 `faultline persona check {id}`",
                quote.quote
            );
            return Err(Failure::new(FailureKind::Hopeless, message));
        };
        let given = self.given.iter().find(|ground| ground.0 == chunk).map(|ground| ground.1.clone());
        let known = given
            .or_else(|| self.found.iter().find(|passage| passage.chunk == chunk).map(|passage| passage.alias.clone()));
        let alias = known.unwrap_or_else(|| {
            let alias = format!("q{}", self.found.len() + 1);
            self.found.push(PassageRef::of_chunk(alias.clone(), chunk, 1.0));
            alias
        });
        if !self.aliases.contains(&alias) {
            self.aliases.push(alias);
        }
        Ok(())
    }

    /// Returns true if the text contains some words.
    pub fn contains(&self, words: &str) -> bool {
        self.parts.iter().any(|part| part.contains(words))
    }

    /// Returns the number of sentences.
    pub fn n_sentences(&self) -> usize {
        self.parts.iter().map(|part| turn_quotes::sentences(part).len()).sum()
    }

    /// Returns true if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        self.parts.join(" ")
    }

    /// Completes a reply with the aliases of the quoted passages. Returns it with the passages that the prompt did not
    /// supply.
    pub fn finish(self, mut reply: Value) -> (Value, Vec<PassageRef>) {
        reply["passages"] = json!(self.aliases);
        (reply, self.found)
    }
}

/// Returns the quotation of a basis; `None` if it is in the words of the author of the file.
pub fn quoted(basis: &Basis) -> Option<&PassageQuote> {
    match basis {
        Basis::Quoted(quote) => Some(quote),
        Basis::Own(_) => None,
    }
}

/// Returns a quotation as a sentence: with a full stop if it has no final mark.
pub fn sentence(quote: &str) -> String {
    let ends = quote.trim_end().ends_with(['.', '!', '?', '…', '"', '\'', '”', '’']);
    if ends { quote.to_owned() } else { format!("{quote}.") }
}
