//! Waits for stored views to catch up with the log.

use faultline_store::views::views::Views;

use crate::support::debate_builder::DebateBuilder;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

/// Waits until the stored list has these debates at these versions and all questions have vectors.
pub async fn wait_for_views(server: &TestServer, of: &[(&DebateBuilder, i64)]) {
    for (actual, version) in of {
        poll_until("the list catches up", async || {
            let found: Option<i64> = sqlx::query_scalar(
                "select version from debates join served using (generation) where debate_id = $1 and name = 'debates'",
            )
            .bind(actual.id.0)
            .fetch_optional(&server.database.pool)
            .await
            .expect("look at the list");
            found.filter(|listed_version| listed_version >= version)
        })
        .await;
    }
    // The score of a text changes when its vector is stored, so the order of results changes until then.
    let views = Views::new(server.database.pool.clone());
    poll_until("every question has its vector", async || {
        (views.questions_due().await.expect("a count") == 0).then_some(())
    })
    .await;
}
