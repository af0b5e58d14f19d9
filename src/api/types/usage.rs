//! What a debate cost.

use std::collections::BTreeMap;

use async_graphql::SimpleObject;

use crate::api::types::scalars::Long;
use crate::projections::summary::{Spent, Summary};

/// What a debate cost.
#[derive(SimpleObject, Clone)]
pub struct Usage {
    /// Requests to a provider.
    calls: u32,
    /// Requests that failed, or whose answers could not be read.
    failed: u32,
    /// Tokens read, cached ones included.
    input_tokens: Long,
    /// Tokens written.
    output_tokens: Long,
    /// Money in millionths of a US dollar.
    cost_micros: Long,
    /// Time spent waiting for answers, in milliseconds, summed over calls.
    millis: Long,
    /// The same by purpose.
    by_purpose: Vec<UsageOf>,
    /// The same by provider and model.
    by_model: Vec<UsageOf>,
}

/// What calls of one kind cost.
#[derive(SimpleObject, Clone)]
pub struct UsageOf {
    /// The purpose, or the model.
    name: String,
    /// Requests.
    calls: u32,
    /// Tokens read, cached ones included.
    input_tokens: Long,
    /// Tokens written.
    output_tokens: Long,
    /// Money in millionths of a US dollar.
    cost_micros: Long,
}

impl Usage {
    /// That of a debate.
    pub fn of(summary: &Summary) -> Usage {
        let total = summary.usage.total;
        let by = |names: &BTreeMap<String, Spent>| {
            let of = |(name, it): (&String, &Spent)| UsageOf {
                name: name.clone(),
                calls: it.calls,
                input_tokens: Long(it.input_tokens),
                output_tokens: Long(it.output_tokens),
                cost_micros: Long(it.cost_micros),
            };
            names.iter().map(of).collect()
        };
        Usage {
            calls: total.calls,
            failed: total.failed,
            input_tokens: Long(total.input_tokens),
            output_tokens: Long(total.output_tokens),
            cost_micros: Long(total.cost_micros),
            millis: Long(total.millis),
            by_purpose: by(&summary.usage.by_purpose),
            by_model: by(&summary.usage.by_model),
        }
    }
}
