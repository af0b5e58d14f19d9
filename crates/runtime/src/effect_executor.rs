//! Executes effects: recalls passages or searches for evidence if the effect asks for them, then calls the provider.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use metrics::{counter, histogram};
use tracing::field::Empty;
use tracing::{Instrument, info_span};
use uuid::Uuid;

use crate::auditor_calibration;
use crate::similarity::SimilarityService;
use faultline_core::events::audit::{Auditor, QualificationBasis};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::DebateOpened;
use faultline_core::events::receipt::{EffectKey, Failure, FailureKind, PassageRef, ProviderAnswer};
use faultline_core::kernel::closing::audit_request::AUDIT_REVISION;
use faultline_core::kernel::effect::{
    Effect, EffectAttempt, PassageQuery, PassageScope, Recalled, Search, SuppliedPassage,
};
use faultline_core::kernel::similarity::TextSimilarity;
use faultline_core::projections::audits::AUDIT_PURPOSE;
use faultline_providers::ports::{DraftSink, Embedder, EvidenceSearch, Model, Recall};
use faultline_store::providers::auditors::Auditors;

/// Pauses before a failed search for passages is repeated, if the debate is reproducible.
const RECALL_PAUSES: &[Duration] =
    &[Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// Executor of effects.
pub struct EffectExecutor {
    models: BTreeMap<String, Arc<dyn Model>>,
    corpora: Arc<dyn Recall>,
    evidence: Option<Arc<dyn EvidenceSearch>>,
    similarity: Option<SimilarityService>,
    auditors: Option<Auditors>,
    default_auditor: Option<String>,
    call_timeout: Duration,
}

impl EffectExecutor {
    /// Creates an executor that calls these models, recalls passages from these corpora, and limits each call to
    /// `call_timeout`.
    pub fn new(
        models: impl IntoIterator<Item = Arc<dyn Model>>,
        corpora: Arc<dyn Recall>,
        call_timeout: Duration,
    ) -> EffectExecutor {
        let models = models.into_iter().map(|model| (model.name().to_owned(), model)).collect();
        EffectExecutor {
            models,
            corpora,
            evidence: None,
            similarity: None,
            auditors: None,
            default_auditor: None,
            call_timeout,
        }
    }

    /// Adds the search for evidence, of fact checks and of speakers. Without one, effects that need evidence fail.
    pub fn with_evidence_search(self, search: Arc<dyn EvidenceSearch>) -> EffectExecutor {
        EffectExecutor { evidence: Some(search), ..self }
    }

    /// Adds an embedder that measures the similarity of texts. A stand-in, which knows spellings only, does not
    /// qualify.
    pub fn with_similarity(self, embedder: Arc<dyn Embedder>) -> EffectExecutor {
        let similarity = Some(SimilarityService::new(embedder, self.call_timeout));
        EffectExecutor { similarity, ..self }
    }

    /// Adds the measurements of auditors. Without them, nobody is qualified by a measurement.
    pub fn with_auditors(self, auditors: Auditors) -> EffectExecutor {
        EffectExecutor { auditors: Some(auditors), ..self }
    }

    /// Sets the provider that reads words; `None` for the provider of the debate.
    pub fn with_default_auditor(self, default_auditor: Option<String>) -> EffectExecutor {
        EffectExecutor { default_auditor, ..self }
    }

    /// Returns the provider that answers a request of a debate with this provider.
    pub fn provider_of<'a>(&'a self, key: &EffectKey, provider: &'a str) -> &'a str {
        let is_audit = key.purpose == AUDIT_PURPOSE;
        self.default_auditor.as_deref().filter(|_| is_audit).unwrap_or(provider)
    }

    /// Adds the qualification of the model that read words for an audit. If it cannot be read, the model counts as not
    /// measured.
    pub async fn add_auditor(
        &self,
        provider: &str,
        ask: &mut EffectAttempt,
        outcome: &Result<ProviderAnswer, Failure>,
    ) {
        let Ok(answer) = outcome else { return };
        if ask.key.purpose != AUDIT_PURPOSE {
            return;
        }
        if self.models.get(provider).is_some_and(|model| model.reads_by_annotations()) {
            let qualified =
                Auditor { qualified: true, basis: QualificationBasis::Annotations, ..unmeasured(provider, &answer.by) };
            ask.auditor = Some(qualified);
            return;
        }
        let measured = match &self.auditors {
            Some(auditors) => auditors.find(provider, &answer.by, AUDIT_REVISION).await,
            None => Ok(None),
        };
        ask.auditor = Some(match measured {
            Ok(Some(measured)) => auditor_calibration::result(&measured).auditor(provider, &answer.by),
            Ok(None) => unmeasured(provider, &answer.by),
            Err(fault) => {
                tracing::warn!(key = %ask.key, %fault, "cannot read the measurement of the auditor");
                unmeasured(provider, &answer.by)
            }
        });
    }

    /// Returns the similarities of texts; `None` if no embedder is available or it failed.
    pub async fn similarity(&self, texts: BTreeSet<String>) -> Option<TextSimilarity> {
        self.similarity.as_ref()?.similarity(texts).await
    }

    /// Returns the names of the available providers.
    pub fn providers(&self) -> Vec<String> {
        self.models.keys().cloned().collect()
    }

    /// Returns true if this provider gives the same answer to the same attempt at the same question.
    pub fn is_reproducible(&self, provider: &str) -> bool {
        self.models.get(provider).is_some_and(|model| model.is_reproducible())
    }

    /// Returns true if calls to this provider leave the process.
    pub fn is_remote(&self, provider: &str) -> bool {
        self.models.get(provider).is_some_and(|model| model.traits().is_remote)
    }

    /// Makes the corpora of a debate's participants searchable, and the one that they share. A failure is logged; prompts may
    /// then lack passages.
    pub async fn prepare(&self, opened: &DebateOpened) {
        let own = opened.participants.iter().map(|participant| participant.id.clone());
        let personas: Vec<PersonaId> = own.chain(opened.shared_corpus()).collect();
        match tokio::time::timeout(self.call_timeout, self.corpora.prepare(&personas)).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => tracing::warn!(%failure, "cannot prepare the corpora of a debate"),
            Err(_) => tracing::warn!("preparing the corpora of a debate timed out"),
        }
    }

    /// Returns the passages for an effect's prompt: by the engine's query, of the shared corpus, and of the search that the
    /// speaker asked for. If a corpus cannot be searched, the prompt gets none of it; the request in the log records which
    /// passages it had. The failure of a search that the speaker asked for is part of the result.
    ///
    /// # Errors
    /// The [`Failure`] of a search for evidence about a claim: the effect fails with it, and the provider is not called.
    pub async fn recall(&self, provider: &str, effect: &Effect) -> Result<Recalled, Failure> {
        let found = |query| self.insist(provider, effect, query);
        let (own, shared, search) = tokio::join!(
            found(effect.ground.as_ref()),
            found(effect.added.shared.as_ref()),
            found(effect.added.search.as_ref())
        );
        let search = effect.added.search.as_ref().map(|query| Search {
            query: query.text.clone(),
            by: self.evidence.as_ref().map_or("none", |search| search.name()).to_owned(),
            found: search,
        });
        Ok(Recalled { own: own?, shared: shared?, search })
    }

    /// Searches by a query, if there is one. For a reproducible provider, whose answer depends on the passages, a search that
    /// failed in passing is repeated a few times. A corpus that cannot be searched has no passages.
    async fn insist(
        &self,
        provider: &str,
        effect: &Effect,
        query: Option<&PassageQuery>,
    ) -> Result<Vec<SuppliedPassage>, Failure> {
        let Some(query) = query else { return Ok(Vec::new()) };
        let mut pauses = if self.is_reproducible(provider) { RECALL_PAUSES } else { &[] }.iter();
        loop {
            let failure = match self.search(query).await {
                Ok(passages) => return Ok(passages),
                Err(failure) => failure,
            };
            tracing::warn!(key = %effect.key, %failure, "a search for passages failed");
            match pauses.next().filter(|_| failure.kind != FailureKind::Hopeless) {
                Some(pause) => tokio::time::sleep(*pause).await,
                None if matches!(query.scope, PassageScope::Evidence { .. }) => return Err(failure),
                None => return Ok(Vec::new()),
            }
        }
    }

    /// Searches once. A panic or a timeout of the search counts as a failure.
    async fn search(&self, query: &PassageQuery) -> Result<Vec<SuppliedPassage>, Failure> {
        let (what, found) = match (&query.scope, &self.evidence) {
            (PassageScope::Writings(_), _) => ("the corpora", self.corpora.recall(query)),
            (PassageScope::Evidence { .. }, Some(search)) => (search.name(), search.find(query)),
            (PassageScope::Evidence { .. }, None) => {
                let message = "there is no search for evidence in this process; choose one with FAULTLINE_SEARCH";
                return Err(Failure::new(FailureKind::Hopeless, message));
            }
        };
        match tokio::time::timeout(self.call_timeout, AssertUnwindSafe(found).catch_unwind()).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Failure::new(FailureKind::Unavailable, format!("the search of {what} panicked"))),
            Err(_) => {
                let seconds = self.call_timeout.as_secs_f64();
                let message = format!("the search of {what} did not end within {seconds} s");
                Err(Failure::new(FailureKind::TimedOut, message))
            }
        }
    }

    /// Appends the passages that a provider found by itself to those that it was given, with their texts from the
    /// library, so that quotations from them can be checked. Without a library they are not checked. Web pages are not in
    /// the library.
    pub async fn add_cited_passages(&self, ask: &mut EffectAttempt, outcome: &Result<ProviderAnswer, Failure>) {
        let Some(answer) = outcome.as_ref().map_or_else(|failure| failure.answer.as_deref(), Some) else { return };
        let given: HashSet<Uuid> = ask.grounds.iter().map(|passage| passage.ground.chunk).collect();
        let is_new = |reference: &&PassageRef| reference.page.is_none() && !given.contains(&reference.chunk);
        let found: Vec<&PassageRef> = answer.grounds.iter().filter(is_new).collect();
        if found.is_empty() {
            return;
        }
        let chunks: Vec<Uuid> = found.iter().map(|reference| reference.chunk).collect();
        match tokio::time::timeout(self.call_timeout, self.corpora.passages(&chunks)).await {
            Ok(Ok(passages)) => {
                let of =
                    |reference: &&PassageRef| passages.iter().find(|passage| passage.ground.chunk == reference.chunk);
                let named = found.iter().filter_map(|reference| {
                    Some(SuppliedPassage { ground: (*reference).clone(), ..of(reference)?.clone() })
                });
                ask.grounds.extend(named);
            }
            Ok(Err(failure)) => {
                tracing::warn!(key = %ask.key, %failure, "cannot read the cited passages; quotations are not checked")
            }
            Err(_) => {
                tracing::warn!(key = %ask.key, "reading the cited passages timed out; quotations are not checked")
            }
        }
    }

    /// Calls the provider, once, and hands the reply on while it is generated. A panic or a timeout of the provider
    /// counts as a failure.
    ///
    /// # Errors
    /// The provider's [`Failure`], or one that reports an unknown provider, a panic or a timeout.
    pub async fn ask(
        &self,
        provider: &str,
        ask: &EffectAttempt,
        drafts: &dyn DraftSink,
    ) -> Result<ProviderAnswer, Failure> {
        let Some(model) = self.models.get(provider) else {
            return Err(Failure::new(
                FailureKind::Hopeless,
                format!("there is no provider {provider:?} in this process"),
            ));
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
        let call = AssertUnwindSafe(model.stream(ask, drafts)).catch_unwind().instrument(span.clone());
        let timed = async {
            if model.keeps_time() { Ok(call.await) } else { tokio::time::timeout(self.call_timeout, call).await }
        };
        let outcome = match timed.await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Failure::new(FailureKind::Unavailable, format!("the provider {provider} panicked"))),
            Err(_) => {
                let seconds = self.call_timeout.as_secs();
                Err(Failure::new(FailureKind::TimedOut, format!("{provider} did not answer within {seconds} s")))
            }
        };
        histogram!("faultline_effect_duration_seconds", "provider" => provider.to_owned()).record(began.elapsed());
        count(provider, &ask.key.purpose, &outcome);
        span.record("outcome", if outcome.is_ok() { "answered" } else { "failed" });
        if let Some(answer) = outcome.as_ref().map_or_else(|failure| failure.answer.as_deref(), Some) {
            span.record("tokens", answer.usage.tokens()).record("cost_micros", answer.usage.cost_micros);
        }
        outcome
    }
}

/// Returns an auditor that has not read the calibration set.
fn unmeasured(provider: &str, model: &str) -> Auditor {
    Auditor {
        provider: provider.to_owned(),
        model: model.to_owned(),
        revision: AUDIT_REVISION,
        qualified: false,
        basis: QualificationBasis::Unmeasured,
        precision: None,
        recall: None,
    }
}

fn count(provider: &str, purpose: &str, outcome: &Result<ProviderAnswer, Failure>) {
    let (provider, purpose) = (provider.to_owned(), purpose.to_owned());
    let what = if outcome.is_ok() { "answered" } else { "failed" };
    counter!("faultline_effects_total", "provider" => provider, "purpose" => purpose, "outcome" => what).increment(1);
    let Some(answer) = outcome.as_ref().map_or_else(|failure| failure.answer.as_deref(), Some) else { return };
    let (written, all) = (answer.usage.output_tokens, answer.usage.tokens());
    for (direction, tokens) in [("read", all.saturating_sub(written)), ("written", written)] {
        counter!("faultline_tokens_total", "model" => answer.by.clone(), "direction" => direction).increment(tokens);
    }
    counter!("faultline_cost_micros_total", "model" => answer.by.clone()).increment(answer.usage.cost_micros);
}
