//! Check of the connection to a provider: one small question, asked as a debate asks its questions.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use faultline_core::events::receipt::{EffectKey, Failure, ProviderAnswer, Tier};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::reply;
use faultline_core::kernel::task::{TalkInput, Task, TaskKind};
use faultline_providers::ports::{DraftSink, Model, ModelTraits};
use faultline_terminal::labels;

/// Token limit of the reply. The question needs about ten, and a model that thinks gets its own budget beside it.
const MAX_TOKENS: u32 = 64;

/// Result of a check.
pub struct Connection {
    provider: String,
    about: String,
    /// `None` for a provider within this process, which needs no check.
    outcome: Option<Result<ProviderAnswer, Failure>>,
    traits: ModelTraits,
    /// Name under which the provider answers, if it is known without a call.
    answers_as: Option<String>,
    /// Number of pieces in which the reply arrived.
    n_pieces: usize,
    /// Time from the request to the first piece.
    first_piece: Option<Duration>,
}

/// Counts the pieces of a reply.
struct Pieces {
    started: Instant,
    seen: Mutex<(usize, Option<Duration>)>,
}

impl DraftSink for Pieces {
    fn write(&self, _piece: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0 += 1;
        seen.1.get_or_insert(self.started.elapsed());
    }

    fn discard(&self, _reason: &str) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = (0, None);
    }
}

/// Asks a provider one small question, if its calls leave this process.
pub async fn probe(model: &dyn Model) -> Connection {
    let pieces = Pieces { started: Instant::now(), seen: Mutex::default() };
    let outcome = if model.traits().is_remote { Some(model.stream(&question(), &pieces).await) } else { None };
    let (n_pieces, first_piece) = *pieces.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let (provider, about, traits) = (model.name().to_owned(), model.about(), model.traits());
    let answers_as = model.answers_as().map(str::to_owned);
    Connection { provider, about, outcome, traits, answers_as, n_pieces, first_piece }
}

fn question() -> EffectAttempt {
    let task = Task {
        topic: "Is water wet?".to_owned(),
        seed: 1,
        speaker: None,
        participants: Vec::new(),
        work: TaskKind::Speak(TalkInput::default()),
    };
    let prompt = Prompt {
        system: "You answer with one JSON object and nothing else.".to_owned(),
        text: "Is water wet? Answer in one or two words.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
            "additionalProperties": false,
        }),
        schema_name: "provider_check",
        max_tokens: MAX_TOKENS,
        task,
    };
    let key = EffectKey { purpose: "check".to_owned(), subject: "provider".to_owned(), ordinal: 0 };
    EffectAttempt {
        key,
        attempt: 1,
        tier: Tier::Quick,
        model: None,
        is_after_repetition: false,
        prompt,
        grounds: Vec::new(),
        search: None,
        auditor: None,
    }
}

impl Connection {
    /// Returns true if the provider answered, or is within this process.
    pub fn answers(&self) -> bool {
        self.outcome.as_ref().is_none_or(Result::is_ok)
    }

    /// Returns the name of the model that answered. A provider within this process answers under its own name.
    pub fn model(&self) -> &str {
        match &self.outcome {
            Some(Ok(answer)) => &answer.by,
            Some(Err(_)) | None => self.answers_as.as_deref().unwrap_or(&self.provider),
        }
    }

    /// Describes the result in a few lines.
    pub fn text(&self) -> String {
        let Connection { provider, about, outcome, .. } = self;
        let lines = match outcome {
            None => vec![format!("ok   {provider}: {about}")],
            Some(Err(failure)) => vec![format!("FAIL {provider}: {failure}")],
            Some(Ok(answer)) => vec![
                format!("ok   {provider}: {} answers ({about})", answer.by),
                format!("reply: {}", self.reply(answer)),
                format!("streaming: {}", self.streaming()),
                format!("schemas: {}", self.schemas()),
                format!("context: {}", self.context()),
                format!("this question: {}", self.spent(answer)),
            ],
        };
        lines.join("\n     ") + "\n"
    }

    /// Returns the result for programs.
    pub fn json(&self) -> Value {
        let answer = self.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok());
        let failure = self.outcome.as_ref().and_then(|outcome| outcome.as_ref().err());
        json!({
            "provider": self.provider,
            "about": self.about,
            "answers": self.answers(),
            "failure": failure.map(ToString::to_string),
            "model": answer.map(|answer| answer.by.clone()),
            "millis": answer.map(|answer| answer.millis),
            "pieces": self.n_pieces,
            "firstPieceMillis": self.first_piece.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            "streams": self.n_pieces > 1,
            "enforcesSchemas": self.traits.enforces_schemas,
            "contextTokens": self.traits.context,
            "inputTokens": answer.map(|answer| answer.usage.tokens() - answer.usage.output_tokens),
            "outputTokens": answer.map(|answer| answer.usage.output_tokens),
            "estimated": answer.map(|answer| answer.usage.estimated),
            "costMicros": answer.filter(|answer| !answer.usage.unpriced).map(|answer| answer.usage.cost_micros),
        })
    }

    fn reply(&self, answer: &ProviderAnswer) -> String {
        let time = f64::from(answer.millis) / 1_000.0;
        match reply::read::<Value>(&answer.text) {
            Ok(_) => format!("one JSON object, after {time:.1} s"),
            Err(unreadable) => format!("after {time:.1} s, but {unreadable}"),
        }
    }

    fn streaming(&self) -> String {
        match (self.n_pieces, self.first_piece) {
            (0, _) | (_, None) => "no, the reply came at once; there are no drafts".to_owned(),
            (n_pieces, Some(first)) => {
                format!("{}, the first after {:.1} s", labels::count(n_pieces as u64, "piece"), first.as_secs_f64())
            }
        }
    }

    fn schemas(&self) -> &'static str {
        match self.traits.enforces_schemas {
            Some(true) => "accepted by the server",
            Some(false) => "refused by the server, so they are put into the prompt",
            None => "unknown",
        }
    }

    fn context(&self) -> String {
        match self.traits.context {
            Some(tokens) => format!("{tokens} tokens, as configured"),
            None => {
                let variable = format!("FAULTLINE_{}_LIMITS", self.provider.to_uppercase());
                format!("not configured; if the server has a small window, set {variable}=context=TOKENS")
            }
        }
    }

    fn spent(&self, answer: &ProviderAnswer) -> String {
        let usage = answer.usage;
        let cost = if usage.unpriced { "price unknown".to_owned() } else { labels::money(usage.cost_micros) };
        let estimated = if usage.estimated { ", estimated because the server reports none" } else { "" };
        format!("{}{estimated} · {cost}", labels::count(usage.tokens(), "token"))
    }
}
