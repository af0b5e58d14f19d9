//! Cancellation: the work of a request ends when its client hangs up or its time limit is reached.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use crate::attacks::clients::{large_debate, wait_until_idle};
use crate::support::database::migrated_database;
use crate::support::process_stats::cpu_ticks;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};

/// Number of concurrent requests, each with many searches that take minutes of CPU time together.
const N_REQUESTS: usize = 5;
/// Permitted CPU time after the last client has left, in ticks: searches check for their end only at intervals.
const MAX_TICKS_AFTER: u64 = 800;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_end_on_hang_up_and_on_timeout() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (debate, _) = large_debate(&database).await;
    let semantics = ["PREFERRED", "SEMI_STABLE", "STAGE"];
    let extensions: String = (0..17)
        .map(|n| format!("e{n}: extensions(semantics: {}, limit: {}) {{ count }} ", semantics[n % 3], 20 + n))
        .collect();
    let query = format!("{{ debate(id: \"{debate}\") {{ {extensions} }} }}");
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_LIMITS", "seconds=6".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let (client, pid) = (&service.client, service.pid());
    // The service folds the debate for its lists first.
    wait_until_idle(pid).await;

    let asked = (0..N_REQUESTS).map(|_| timeout(Duration::from_secs(1), client.try_query(&query, json!({}))));
    let answered = join_all(asked).await.into_iter().filter(Result::is_ok).count();
    assert_eq!(answered, 0, "every client hung up before its answer");
    let before = cpu_ticks(pid);
    let abandoned = wait_until_idle(pid).await;
    let abandoned_ticks = cpu_ticks(pid) - before;

    let answer = client.query(&query, json!({})).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "LIMIT", "{answer}");
    let before = cpu_ticks(pid);
    let late = wait_until_idle(pid).await;
    let late_ticks = cpu_ticks(pid) - before;
    println!(
        "after the clients hung up: idle after {abandoned:.1?}, {abandoned_ticks} ticks; after the time limit: {late:.1?}, \
         {late_ticks} ticks"
    );
    assert!(abandoned_ticks <= MAX_TICKS_AFTER && late_ticks <= MAX_TICKS_AFTER);
}
