//! Provider that waits before each answer, so that people can watch a debate of a provider that answers at once.

use std::sync::Arc;
use std::time::Duration;

use faultline_core::events::receipt::ProviderAnswer;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_providers::ports::{ChoosableModels, DraftSink, Model, ModelTraits, Pending};

/// Provider that waits before each answer of another one. Everything else is that of the other.
pub struct PacedModel {
    model: Arc<dyn Model>,
    pause: Duration,
}

impl PacedModel {
    /// Wraps a provider; returns it as it is if the pause is zero.
    pub fn wrap(model: Arc<dyn Model>, pause: Duration) -> Arc<dyn Model> {
        if pause.is_zero() { model } else { Arc::new(PacedModel { model, pause }) }
    }
}

impl Model for PacedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn about(&self) -> String {
        self.model.about()
    }

    fn is_reproducible(&self) -> bool {
        self.model.is_reproducible()
    }

    fn reads_by_annotations(&self) -> bool {
        self.model.reads_by_annotations()
    }

    fn answers_as(&self) -> Option<&str> {
        self.model.answers_as()
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(async {
            tokio::time::sleep(self.pause).await;
            self.model.complete(ask).await
        })
    }

    fn choosable(&self) -> ChoosableModels {
        self.model.choosable()
    }

    fn traits(&self) -> ModelTraits {
        self.model.traits()
    }

    fn keeps_time(&self) -> bool {
        self.model.keeps_time()
    }

    fn stream<'a>(&'a self, ask: &'a EffectAttempt, drafts: &'a dyn DraftSink) -> Pending<'a, ProviderAnswer> {
        Box::pin(async move {
            tokio::time::sleep(self.pause).await;
            self.model.stream(ask, drafts).await
        })
    }
}
