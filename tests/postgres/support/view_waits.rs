//! Waits for stored views to catch up with the log.

use std::collections::BTreeMap;

use faultline_store::log::log::Log;
use faultline_store::views::views::Views;
use uuid::Uuid;

use crate::support::database::Database;
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

/// Records debates, and waits until all of them are in the list.
pub async fn record_listed(database: &Database, log: &Log, n_debates: usize) {
    let mut versions = BTreeMap::new();
    for _ in 0..n_debates {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        builder.add_argument("ada", "Yes", "Crews are rested.");
        versions.insert(builder.id.0, builder.append_new(log).await);
    }
    poll_until("the debates are listed", async || {
        let listed: Vec<(Uuid, i64)> =
            sqlx::query_as("select debate_id, version from debates where debate_id = any ($1)")
                .bind(versions.keys().copied().collect::<Vec<_>>())
                .fetch_all(&database.pool)
                .await
                .expect("the list");
        (listed.into_iter().collect::<BTreeMap<_, _>>() == versions).then_some(())
    })
    .await;
}

/// Returns the number of lanes of each process, in ascending order.
pub async fn shares(database: &Database) -> Vec<i64> {
    let shares = "select count(*) from projection_lanes where holder is not null group by holder order by 1";
    sqlx::query_scalar(shares).fetch_all(&database.pool).await.expect("the lanes")
}
