//! Outages, simulated by a proxy between client and server: lost answers, and a server that is unreachable for a while.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::Append;
use faultline_store::log::log::Log;
use sqlx::postgres::PgConnectOptions;

use crate::faults::database_proxy::{MARK, ProxyControl, through_proxy};
use crate::support::database::migrated_database;
use crate::support::phase_events::{new_debate_id, phase_append};
use crate::support::waiting::within_limit;

async fn log_through_proxy(options: &PgConnectOptions) -> (Log, Arc<ProxyControl>) {
    let (options, weather) = through_proxy(options).await;
    let settings = ConnectionSettings { application: "faultline far".to_owned(), ..ConnectionSettings::default() };
    let pool = pool::connect(options, &settings).await.expect("connect through the proxy");
    (Log::start(pool).await.expect("start"), weather)
}

#[tokio::test]
async fn a_commit_with_a_lost_answer_is_recorded_once_and_returned() {
    let database = migrated_database().await;
    let (log, weather) = log_through_proxy(&database.options).await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["a"])).await.unwrap();
    // The actor crosses the wire in plain text; event bodies are encrypted.
    let actor = Some(std::str::from_utf8(MARK).unwrap().to_owned());
    let marked = Append { actor, ..phase_append(debate, 1, &["b", "c"]) };
    let recorded = within_limit(log.append(marked)).await.unwrap();
    assert_eq!(recorded.iter().map(|event| (event.version, event.position)).collect::<Vec<_>>(), [(2, 2), (3, 3)]);
    assert_eq!(weather.n_swallowed.load(Ordering::SeqCst), 1, "the proxy did not drop the answer");
    assert_eq!(log.read(debate, 1, 10).await.unwrap(), recorded);
    assert_eq!(log.verify(debate).await.unwrap().breaks, []);
}

#[tokio::test]
async fn appends_and_followers_resume_after_an_outage() {
    let database = migrated_database().await;
    let (log, weather) = log_through_proxy(&database.options).await;
    let tail = Tail::start(&log);
    let near = database.log().await;
    let debate = new_debate_id();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    log.append(phase_append(debate, 0, &["before"])).await.unwrap();
    assert_eq!(within_limit(one.next()).await.unwrap().len(), 1);
    assert_eq!(within_limit(all.next()).await.unwrap().len(), 1);

    within_limit(weather.disconnect_all()).await;
    near.append(phase_append(debate, 1, &["unheard of"])).await.unwrap();
    let call = tokio::spawn({
        let log = log.clone();
        async move { log.append(phase_append(debate, 2, &["meanwhile"])).await }
    });
    let followed = tokio::spawn(async move {
        let (mut of_one, mut of_all) = (Vec::new(), Vec::new());
        while of_one.len() < 2 || of_all.len() < 2 {
            tokio::select! {
                page = one.next(), if of_one.len() < 2 => of_one.extend(page.unwrap()),
                page = all.next(), if of_all.len() < 2 => of_all.extend(page.unwrap()),
            }
        }
        (of_one, of_all)
    });
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!call.is_finished() && !followed.is_finished(), "the server is unreachable");
    weather.away.store(false, Ordering::SeqCst);

    assert_eq!(within_limit(call).await.unwrap().unwrap()[0].version, 3);
    let (of_one, of_all) = within_limit(followed).await.unwrap();
    assert_eq!(of_one.iter().map(|event| event.version).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(of_all, of_one);
}
