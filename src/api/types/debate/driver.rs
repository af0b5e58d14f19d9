//! GraphQL type of what drives a debate.

use std::collections::HashMap;

use async_graphql::async_trait::async_trait;
use async_graphql::dataloader::{DataLoader, Loader};
use async_graphql::{Enum, Error, SimpleObject};

use crate::api::error::from_service;
use faultline_core::events::ids::DebateId;
use faultline_service::service::DebateService;

/// Process that drives a running debate at the moment.
#[derive(SimpleObject)]
pub struct DebateDriver {
    /// Kind of driver.
    kind: DriverKind,
    /// Explanation; without a driver, what to do.
    explanation: &'static str,
}

/// Kinds of drivers.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
pub enum DriverKind {
    /// A runner of a service or a command.
    Runner,
    /// An external orchestrator, which appends events.
    External,
    /// Nothing: the debate waits for a runner.
    None,
}

impl From<DriverKind> for DebateDriver {
    fn from(kind: DriverKind) -> Self {
        let explanation = match kind {
            DriverKind::Runner => "a runner drives the debate",
            DriverKind::External => "an external orchestrator drives the debate by appending events",
            DriverKind::None => {
                "no runner drives the debate: start `faultline serve` with its provider, or `faultline run` with its id"
            }
        };
        DebateDriver { kind, explanation }
    }
}

/// Loader of drivers: reads which of the debates that a request selects have a runner, with one statement.
pub struct Runners(DebateService);

impl Runners {
    /// Creates a loader that batches the debates of one request.
    pub fn loader(service: DebateService) -> DataLoader<Runners> {
        DataLoader::new(Runners(service), tokio::spawn)
    }
}

#[async_trait]
impl Loader<DebateId> for Runners {
    type Value = ();
    type Error = Error;

    async fn load(&self, debates: &[DebateId]) -> Result<HashMap<DebateId, ()>, Error> {
        let driven = self.0.driven(debates).await.map_err(from_service)?;
        Ok(driven.into_iter().map(|debate| (debate, ())).collect())
    }
}
