//! Readiness checks of the service, run at every request.

use std::time::Duration;

use tokio::time::timeout;

use crate::api::transport::readiness::Readiness;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::generations::generations::GenerationState;
use faultline_store::open::Store;

/// Timeout for the database to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(3);

/// Checks the database, its tables, and the lag of the lists behind the log, which must be at most `most` events unless
/// that is 0. Faults are logged; the response reports only that there was one.
pub async fn readiness(store: &Store, most: usize) -> Readiness {
    let mut found = Readiness::default();
    match timeout(DATABASE_TIMEOUT, check(store, most, &mut found)).await {
        Ok(Ok(())) => {}
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "not ready");
            found = Readiness::default();
            found.add("database", false, "cannot be used at present".to_owned());
        }
        Err(_) => {
            tracing::warn!("not ready: the database does not answer");
            found = Readiness::default();
            found.add("database", false, format!("does not answer within {} s", DATABASE_TIMEOUT.as_secs()));
        }
    }
    found
}

async fn check(store: &Store, most: usize, found: &mut Readiness) -> Result<(), StoreError> {
    found.add("database", true, store.server_version().await?);
    let (applied, missing) = store.migrations().await?;
    let detail = match missing.as_slice() {
        [] => format!("{applied} applied, none missing"),
        _ => format!("{applied} applied, missing {missing:?}: start a service of this version to apply them"),
    };
    found.add("migrations", missing.is_empty(), detail);
    // Always fine: if the replica cannot be read, the primary is.
    if let Some(replica) = &store.replica {
        found.add("replica", true, replica.state().to_string());
    }
    let lag = store.lag(REVISION).await?;
    let generations = store.views.generations().existing().await?;
    let served = generations.iter().find(|generation| generation.state == GenerationState::Served);
    let of = served.map_or("no generation is served yet".to_owned(), |generation| {
        format!("generation {} is served", generation.id)
    });
    let is_near = most == 0 || usize::try_from(lag).unwrap_or(0) <= most;
    found.add("projection", is_near, format!("the lists are {lag} events behind; {of}"));
    Ok(())
}
