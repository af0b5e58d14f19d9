//! Waiting: with a limit, so that a test fails instead of hanging.

use std::time::Duration;

/// Awaits a future; panics after 180 seconds, so that a test fails instead of hanging.
pub async fn with_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(180), future).await.unwrap_or_else(|_| panic!("{what}: not within 180 s"))
}

/// Polls every 5 ms until `look` returns a value, for conditions that nothing announces.
pub async fn poll_until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    with_timeout(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Waits for a future that must complete soon.
pub async fn within_limit<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("it did not happen within 20 s")
}
