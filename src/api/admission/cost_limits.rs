//! Limits on the cost and depth of a query that report the measured value.
//!
//! `async-graphql` refuses a query above its own limits without saying by how much. The schema that reports costs uses
//! these limits instead.

use std::sync::Arc;

use async_graphql::async_trait::async_trait;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextValidation};
use async_graphql::{ServerError, ValidationResult};

use crate::api::error::limit_error;
use crate::limits::ApiLimits;

/// Cost and depth limits of one schema.
#[derive(Clone, Copy, Debug)]
pub struct CostLimits {
    cost: usize,
    depth: usize,
}

impl From<&ApiLimits> for CostLimits {
    fn from(limits: &ApiLimits) -> CostLimits {
        CostLimits { cost: limits.cost, depth: limits.depth }
    }
}

impl ExtensionFactory for CostLimits {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(*self)
    }
}

#[async_trait]
impl Extension for CostLimits {
    async fn validation(
        &self,
        context: &ExtensionContext<'_>,
        next: NextValidation<'_>,
    ) -> Result<ValidationResult, Vec<ServerError>> {
        let found = next.run(context).await?;
        for (name, limit, actual) in [("depth", self.depth, found.depth), ("cost", self.cost, found.complexity)] {
            if actual > limit {
                let reason = format!("the query has a {name} of {actual}; the limit is {limit}");
                return Err(vec![limit_error(&reason, name, limit, Some(actual))]);
            }
        }
        Ok(found)
    }
}
