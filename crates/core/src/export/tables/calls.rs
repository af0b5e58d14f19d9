//! Table of provider calls: effects with their attempts and costs.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::receipt::{EffectKey, EffectRequested, Failure, ProviderAnswer, Tier, Usage};
use crate::export::tables::cell::{TableRows, word};
use crate::export::tables::export_table::{ExportTable, TableFold, TableSource};

/// Effects, in the order in which they were first requested.
pub const CALLS: ExportTable = ExportTable {
    name: "calls",
    about: "One row per effect, with all its attempts, in the order in which they were first requested. A fork has the calls after \
            it was made only, as its totals do.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &[
            "debate_opened",
            "debate_forked",
            "effect_requested",
            "effect_answered",
            "search_requested",
            "effect_failed",
            "effect_abandoned",
        ],
        fold: || Box::new(CallsFold::default()),
    },
};

struct CallItem<'a> {
    debate: DebateId,
    key: &'a EffectKey,
    call: &'a Call,
}

table_row!(item: CallItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the first event about the effect." => item.call.version;
    Text "effect_key" "Key of the effect in its debate: purpose, subject and ordinal." => item.key;
    Text "purpose" "Purpose, as the engine names it." => item.key.purpose.as_str();
    Text "subject" "Subject: a persona, a proposal or a round." => item.key.subject.as_str();
    Integer "ordinal" "Index among the effects of the same purpose and subject." => item.key.ordinal;
    Text or null "room_id" "Room that the call belongs to." => item.key.room();
    Text or null "tier" "Tier of the model: `quick` or `deep`." => item.call.tier.map(|tier| word(&tier));
    Text "state" "`open`, `answered` or `abandoned`." => item.call.state;
    Text or null "model" "Provider and model of the last answer, as the provider names them." => item.call.by.as_deref();
    Integer "n_attempts" "Number of attempts." => item.call.attempts;
    Integer "n_failed" "Number of failed attempts." => item.call.failed;
    Integer "n_searches" "Number of searches that the speaker asked for instead of answering." => item.call.searches;
    Integer "n_requests" "Number of requests to the provider behind the answers, transport retries included."
        => item.call.tries;
    Integer "input_tokens" "Input tokens of all answers that were not read from a cache." => item.call.usage.input_tokens;
    Integer "cache_read_tokens" "Input tokens read from the provider's cache." => item.call.usage.cache_read_tokens;
    Integer "cache_write_tokens" "Input tokens written to the provider's cache." => item.call.usage.cache_write_tokens;
    Integer "output_tokens" "Output tokens." => item.call.usage.output_tokens;
    Integer "cost_micros" "Cost in millionths of a US dollar; 0 if the price is unknown." => item.call.usage.cost_micros;
    Boolean "is_estimated" "True if some of the counts are estimated." => item.call.usage.estimated;
    Boolean "is_unpriced" "True if the price of an answer is unknown." => item.call.usage.unpriced;
    Integer "latency_ms" "Milliseconds from request to reply, summed over all answers." => item.call.millis;
    Integer "n_passages" "Number of passages supplied with the last request." => item.call.passages;
    Boolean "is_ignored" "True if the answer was no longer needed." => item.call.is_ignored;
    Boolean "is_repaired" "True if the reply was truncated, and its brackets were closed to read it." => item.call.is_repaired;
    Text or null "failure" "Kind of the last failure, such as `unreadable` or `timed_out`; null if no attempt failed."
        => item.call.failure.as_ref().map(|(kind, _)| kind.as_str());
    Text or null "failure_message" "Message of the last failure."
        => item.call.failure.as_ref().map(|(_, message)| message.as_str());
    Uuid or null "receipt_id" "Id of the event with the answer; null without one." => item.call.receipt;
    Timestamp "requested_at" "Time of the first event about the effect." => item.call.requested_at;
    Timestamp or null "answered_at" "Time of the answer." => item.call.answered_at;
});

/// State of an effect.
#[derive(Default)]
struct Call {
    version: i64,
    requested_at: DateTime<Utc>,
    answered_at: Option<DateTime<Utc>>,
    tier: Option<Tier>,
    state: &'static str,
    by: Option<String>,
    attempts: u32,
    failed: u32,
    searches: u32,
    tries: u32,
    usage: Usage,
    millis: u64,
    passages: usize,
    is_ignored: bool,
    is_repaired: bool,
    failure: Option<(String, String)>,
    receipt: Option<Uuid>,
}

impl Call {
    fn requested(&mut self, requested: &EffectRequested) {
        self.attempts += 1;
        self.tier = Some(requested.tier);
        self.passages = requested.grounds.len();
    }

    fn used(&mut self, answer: &ProviderAnswer) {
        self.by = Some(answer.by.clone());
        self.tries = self.tries.saturating_add(answer.tries);
        self.usage = self.usage.plus(&answer.usage);
        self.usage.unpriced |= answer.usage.unpriced;
        self.millis += u64::from(answer.millis);
    }

    fn failed(&mut self, failure: &Failure, answer: Option<&ProviderAnswer>) {
        self.failed += 1;
        self.failure = Some((word(&failure.kind), failure.message.clone()));
        answer.into_iter().for_each(|answer| self.used(answer));
    }
}

#[derive(Default)]
struct CallsFold {
    order: Vec<EffectKey>,
    calls: BTreeMap<EffectKey, Call>,
}

impl CallsFold {
    fn of(&mut self, key: &EffectKey, recorded: &Recorded) -> &mut Call {
        self.calls.entry(key.clone()).or_insert_with(|| {
            self.order.push(key.clone());
            Call { version: recorded.version, requested_at: recorded.at, state: "open", ..Call::default() }
        })
    }
}

impl TableFold for CallsFold {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateForked(_) => *self = CallsFold::default(),
            Event::EffectRequested(requested) => self.of(&requested.key, recorded).requested(requested),
            Event::SearchRequested(asked) => {
                let call = self.of(&asked.key, recorded);
                call.searches += 1;
                call.used(&asked.answer);
            }
            Event::EffectAnswered(answered) => {
                let call = self.of(&answered.key, recorded);
                call.used(&answered.answer);
                (call.state, call.receipt, call.answered_at) = ("answered", Some(recorded.id), Some(recorded.at));
                (call.is_ignored, call.is_repaired) = (answered.ignored, answered.repaired);
            }
            Event::EffectFailed(failed) => {
                self.of(&failed.key, recorded).failed(&failed.failure, failed.answer.as_ref());
            }
            Event::EffectAbandoned(abandoned) => self.of(&abandoned.key, recorded).state = "abandoned",
            _ => {}
        }
    }

    fn push_rows(&self, debate: DebateId, rows: &mut TableRows) {
        for (key, call) in self.order.iter().filter_map(|key| self.calls.get_key_value(key)) {
            push_row(rows, &CallItem { debate, key, call });
        }
    }
}
