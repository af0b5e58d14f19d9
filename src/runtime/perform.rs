//! Carries out one effect: recalls passages where it asks for ground, then asks the provider.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use metrics::{counter, histogram};
use tracing::field::Empty;
use tracing::{Instrument, info_span};
use uuid::Uuid;

use crate::events::receipt::{Answer, Failure, FailureKind, Ground};
use crate::kernel::effect::{Ask, Effect, Passage};
use crate::kernel::likeness::Likeness;
use crate::providers::ports::{Embedder, Model, Recall};
use crate::runtime::likening::Likener;

/// Whoever carries out effects.
pub struct Performer {
    models: BTreeMap<String, Arc<dyn Model>>,
    corpora: Arc<dyn Recall>,
    likener: Option<Likener>,
    patience: Duration,
}

impl Performer {
    /// Asks these models, grounds in these corpora, and waits for no answer longer than `patience`.
    pub fn new(
        models: impl IntoIterator<Item = Arc<dyn Model>>,
        corpora: Arc<dyn Recall>,
        patience: Duration,
    ) -> Performer {
        let models = models.into_iter().map(|it| (it.name().to_owned(), it)).collect();
        Performer { models, corpora, likener: None, patience }
    }

    /// The same, with an embedder that tells how alike texts are in what they mean. One that knows spellings only is none.
    pub fn with_likeness(self, embedder: Arc<dyn Embedder>) -> Performer {
        let likener = Some(Likener::new(embedder, self.patience));
        Performer { likener, ..self }
    }

    /// How alike texts are; `None` where no embedder could tell.
    pub async fn likeness(&self, texts: BTreeSet<String>) -> Option<Likeness> {
        self.likener.as_ref()?.likeness(texts).await
    }

    /// The names of the providers that can be asked here.
    pub fn providers(&self) -> Vec<String> {
        self.models.keys().cloned().collect()
    }

    /// The passages to lay beside an effect's prompt. A corpus that cannot be searched leaves the prompt bare: the
    /// request in the log shows which passages it had.
    pub async fn recall(&self, effect: &Effect) -> Vec<Passage> {
        let Some(query) = &effect.ground else { return Vec::new() };
        match tokio::time::timeout(self.patience, self.corpora.recall(query)).await {
            Ok(Ok(passages)) => passages,
            Ok(Err(failure)) => {
                tracing::warn!(key = %effect.key, %failure, "no passages could be recalled");
                Vec::new()
            }
            Err(_) => {
                tracing::warn!(key = %effect.key, "recalling passages took too long");
                Vec::new()
            }
        }
    }

    /// Puts the passages that a provider found by itself behind those that it was given, with their texts as the library has
    /// them: what it quotes is checked against these. Without a library nothing of it is checked.
    pub async fn look_up(&self, ask: &mut Ask, outcome: &Result<Answer, Failure>) {
        let Some(answer) = outcome.as_ref().map_or_else(|it| it.answer.as_deref(), Some) else { return };
        let given: HashSet<Uuid> = ask.grounds.iter().map(|it| it.ground.chunk).collect();
        let found: Vec<&Ground> = answer.grounds.iter().filter(|it| !given.contains(&it.chunk)).collect();
        if found.is_empty() {
            return;
        }
        let chunks: Vec<Uuid> = found.iter().map(|it| it.chunk).collect();
        match tokio::time::timeout(self.patience, self.corpora.passages(&chunks)).await {
            Ok(Ok(passages)) => {
                let of = |it: &&Ground| passages.iter().find(|passage| passage.ground.chunk == it.chunk);
                let named = found.iter().filter_map(|it| Some(Passage { ground: (*it).clone(), ..of(it)?.clone() }));
                ask.grounds.extend(named);
            }
            Ok(Err(failure)) => tracing::warn!(key = %ask.key, %failure, "quotations could not be checked"),
            Err(_) => tracing::warn!(key = %ask.key, "looking up passages took too long"),
        }
    }

    /// Asks the provider, once. A provider that panics, or keeps silent for too long, has failed.
    ///
    /// # Errors
    /// The provider's [`Failure`], or one that says what became of it.
    pub async fn ask(&self, provider: &str, ask: &Ask) -> Result<Answer, Failure> {
        let Some(model) = self.models.get(provider) else {
            return Err(Failure::new(FailureKind::Hopeless, format!("there is no provider {provider:?} here")));
        };
        let began = Instant::now();
        let span = info_span!(
            "effect",
            otel.name = format!("ask {provider} to {}", ask.key.purpose),
            otel.kind = "client",
            provider,
            key = %ask.key,
            attempt = ask.attempt,
            outcome = Empty,
            tokens = Empty,
            cost_micros = Empty,
        );
        let call = AssertUnwindSafe(model.complete(ask)).catch_unwind().instrument(span.clone());
        let outcome = match tokio::time::timeout(self.patience, call).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Failure::new(FailureKind::Unavailable, format!("the provider {provider} broke down"))),
            Err(_) => {
                let seconds = self.patience.as_secs();
                Err(Failure::new(FailureKind::TimedOut, format!("{provider} did not answer within {seconds} s")))
            }
        };
        histogram!("faultline_effect_duration_seconds", "provider" => provider.to_owned()).record(began.elapsed());
        count(provider, &ask.key.purpose, &outcome);
        span.record("outcome", if outcome.is_ok() { "answered" } else { "failed" });
        if let Some(answer) = outcome.as_ref().map_or_else(|it| it.answer.as_deref(), Some) {
            span.record("tokens", answer.usage.tokens()).record("cost_micros", answer.usage.cost_micros);
        }
        outcome
    }
}

fn count(provider: &str, purpose: &str, outcome: &Result<Answer, Failure>) {
    let (provider, purpose) = (provider.to_owned(), purpose.to_owned());
    let what = if outcome.is_ok() { "answered" } else { "failed" };
    counter!("faultline_effects_total", "provider" => provider, "purpose" => purpose, "outcome" => what).increment(1);
    let Some(answer) = outcome.as_ref().map_or_else(|it| it.answer.as_deref(), Some) else { return };
    let (written, all) = (answer.usage.output_tokens, answer.usage.tokens());
    for (direction, tokens) in [("read", all.saturating_sub(written)), ("written", written)] {
        counter!("faultline_tokens_total", "model" => answer.by.clone(), "direction" => direction).increment(tokens);
    }
    counter!("faultline_cost_micros_total", "model" => answer.by.clone()).increment(answer.usage.cost_micros);
}
