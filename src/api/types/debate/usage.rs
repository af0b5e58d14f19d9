//! GraphQL types of a debate's costs.

use std::collections::BTreeMap;

use async_graphql::SimpleObject;

use crate::api::types::scalars::Long;
use faultline_core::projections::summary::{Spent, Summary};

/// Costs of a debate.
#[derive(SimpleObject, Clone)]
pub struct Usage {
    /// Number of requests to a provider.
    calls: u32,
    /// Number of requests that failed, or had an unreadable reply.
    failed: u32,
    /// Number of tokens read, including cached ones.
    input_tokens: Long,
    /// Number of tokens written.
    output_tokens: Long,
    /// Cost in millionths of a US dollar.
    cost_micros: Long,
    /// Number of calls of unknown price, whose cost counts as 0.
    unpriced_count: u32,
    /// Number of calls some of whose token counts are estimated, because the provider did not report them.
    estimated_count: u32,
    /// Total time spent waiting for replies, in milliseconds.
    millis: Long,
    /// Costs by purpose.
    by_purpose: Vec<UsageShare>,
    /// Costs by provider and model.
    by_model: Vec<UsageShare>,
}

/// Costs of one kind of request.
#[derive(SimpleObject, Clone)]
pub struct UsageShare {
    /// Name of the purpose or model.
    name: String,
    /// Number of requests.
    calls: u32,
    /// Number of tokens read, including cached ones.
    input_tokens: Long,
    /// Number of tokens written.
    output_tokens: Long,
    /// Cost in millionths of a US dollar.
    cost_micros: Long,
}

impl Usage {
    /// Returns the costs of a debate.
    pub fn of(summary: &Summary) -> Usage {
        let total = summary.usage.total;
        let by = |names: &BTreeMap<String, Spent>| {
            let of = |(name, spent): (&String, &Spent)| UsageShare {
                name: name.clone(),
                calls: spent.calls,
                input_tokens: Long(spent.input_tokens),
                output_tokens: Long(spent.output_tokens),
                cost_micros: Long(spent.cost_micros),
            };
            names.iter().map(of).collect()
        };
        Usage {
            calls: total.calls,
            failed: total.failed,
            input_tokens: Long(total.input_tokens),
            output_tokens: Long(total.output_tokens),
            cost_micros: Long(total.cost_micros),
            unpriced_count: total.unpriced,
            estimated_count: total.estimated,
            millis: Long(total.millis),
            by_purpose: by(&summary.usage.by_purpose),
            by_model: by(&summary.usage.by_model),
        }
    }
}
