//! Run of a model over pairs of personas: asks about one pair after the other, and collects verified suggestions.

use faultline_core::events::receipt::{Failure, FailureKind, Usage};
use faultline_core::positions::suggestions::SuggestedTopic;
use faultline_core::suggestions::collected::CollectedSuggestions;
use faultline_core::suggestions::pairs::{AuthorPair, ShownAuthor};
use faultline_core::suggestions::verification::verify;
use faultline_ingest::drafts::suggest_questions::suggest_questions;
use faultline_providers::ports::Model;

/// Run of a model.
pub struct ModelRun {
    /// Suggestions so far.
    pub list: CollectedSuggestions,
    /// Pairs that the model was asked about.
    pub pairs: Vec<AskedPair>,
    /// Remarks about the run, such as limits that it reached.
    pub notices: Vec<String>,
    /// Usage of all calls together.
    pub usage: Usage,
    /// Number of calls.
    pub calls: u32,
    /// Provider and model that answered last; `None` if none did.
    pub by: Option<String>,
}

/// Pair that a model was asked about.
pub struct AskedPair {
    /// Authors and the passages that were shown.
    pub pair: AuthorPair,
    /// Number of calls.
    pub calls: u32,
    /// Failure, if the model gave no usable reply.
    pub failure: Option<Failure>,
}

impl AskedPair {
    /// Returns the ids of both personas, for a message.
    pub fn name(&self) -> String {
        self.pair.authors.each_ref().map(|author| author.id.to_string()).join(" and ")
    }
}

impl ModelRun {
    /// Creates a run without calls, for at most `most` suggestions; `known` are the questions on which annotations differ.
    pub fn new(known: Vec<SuggestedTopic>, most: usize) -> ModelRun {
        ModelRun {
            list: CollectedSuggestions::new(known, most),
            pairs: Vec::new(),
            notices: Vec::new(),
            usage: Usage::default(),
            calls: 0,
            by: None,
        }
    }

    /// Asks a model about at most `most` pairs, in their order. Ends early if the list is full, or if a call fails for
    /// another reason than an unreadable reply: the next call would fail as well.
    pub async fn ask(
        &mut self,
        model: &dyn Model,
        pairs: Vec<AuthorPair>,
        most: usize,
        progress: &(dyn Fn(&str) + Sync),
    ) {
        let n_pairs = pairs.len();
        if n_pairs > most {
            self.notices
                .push(format!("{most} of {n_pairs} pairs are asked about, those with the closest writings (--pairs)"));
        }
        let n_asked = n_pairs.min(most);
        for pair in pairs.into_iter().take(most) {
            let (room, left) = (self.list.room(), n_asked - self.pairs.len());
            if room == 0 {
                self.notices
                    .push(format!("{left} of these pairs were not asked about, since the list is full (--most)"));
                return;
            }
            if !self.ask_about(model, pair, room, progress).await {
                return;
            }
        }
    }

    /// Asks about one pair; returns false if further calls would fail as well.
    async fn ask_about(
        &mut self,
        model: &dyn Model,
        pair: AuthorPair,
        room: usize,
        progress: &(dyn Fn(&str) + Sync),
    ) -> bool {
        let mut asked = AskedPair { pair, calls: 0, failure: None };
        progress(&format!("asking about {}", asked.name()));
        self.notices.extend(asked.pair.authors.iter().filter_map(shown_in_part));
        self.notices.extend(asked.pair.suspicions());
        let answer = suggest_questions(model, &asked.pair, &self.list.known_to(&asked.pair), room).await;
        asked.calls = answer.calls;
        self.calls += answer.calls;
        self.usage = self.usage.plus(&answer.usage);
        match answer.result {
            Ok((by, reply)) => {
                self.list.add_all(verify(&asked.pair, &by, &reply));
                self.by = Some(by);
            }
            Err(failure) => asked.failure = Some(failure),
        }
        let goes_on = asked.failure.as_ref().is_none_or(|failure| failure.kind == FailureKind::Unreadable);
        self.pairs.push(asked);
        goes_on
    }
}

/// Reports that a model is shown a part of a corpus only; `None` if it is shown the whole.
fn shown_in_part(author: &ShownAuthor) -> Option<String> {
    let (n_shown, n) = (author.passages.len(), author.n_passages);
    (n_shown < n).then(|| format!("{n_shown} of {n} passages of {} are shown to the model", author.id))
}
