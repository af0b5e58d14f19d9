//! Work ends when its request ends: when its client hangs up, and when its time is up.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use crate::attacks::clients::{cpu_ticks, large_debate, rests};
use crate::client::{Home, Service, script};
use crate::support::fresh;

/// Requests at once, each of many searches that take minutes of processor time together.
const N_REQUESTS: usize = 5;
/// Processor time that may be spent after the last client has left: on what looks for its end now and then.
const MAX_TICKS_AFTER: u64 = 800;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_end_when_their_client_hangs_up_and_when_their_time_is_up() {
    let (database, home) = (fresh().await, Home::new());
    let (debate, _) = large_debate(&database).await;
    let semantics = ["PREFERRED", "SEMI_STABLE", "STAGE"];
    let extensions: String = (0..17)
        .map(|n| format!("e{n}: extensions(semantics: {}, limit: {}) {{ count }} ", semantics[n % 3], 20 + n))
        .collect();
    let query = format!("{{ debate(id: \"{debate}\") {{ {extensions} }} }}");
    let mut variables = home.variables(&database.options, &script(0));
    variables.push(("FAULTLINE_LIMITS", "seconds=6".to_owned()));
    let service = Service::start(&variables).await;
    let (client, pid) = (&service.client, service.pid());
    // The service folds the debate for its lists first.
    rests(pid).await;

    let asked = (0..N_REQUESTS).map(|_| timeout(Duration::from_secs(1), client.try_ask(&query, json!({}))));
    let answered = join_all(asked).await.into_iter().filter(Result::is_ok).count();
    assert_eq!(answered, 0, "every client hung up before its answer");
    let before = cpu_ticks(pid);
    let abandoned = rests(pid).await;
    let abandoned_ticks = cpu_ticks(pid) - before;

    let answer = client.ask(&query, json!({})).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "LIMIT", "{answer}");
    let before = cpu_ticks(pid);
    let late = rests(pid).await;
    let late_ticks = cpu_ticks(pid) - before;
    println!(
        "after the clients hung up: at rest after {abandoned:.1?}, {abandoned_ticks} ticks; after the time was up: {late:.1?}, \
         {late_ticks} ticks"
    );
    assert!(abandoned_ticks <= MAX_TICKS_AFTER && late_ticks <= MAX_TICKS_AFTER);
}
