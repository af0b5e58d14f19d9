//! Connecting: what the server must be, and what is said where it is not.

use std::time::Duration;

use faultline::store::fault::Fault;
use faultline::store::log::Log;
use faultline::store::pool::{Settings, connect};
use futures_util::future::join_all;

use crate::support::fresh;

fn settings() -> Settings {
    Settings { patience: Duration::from_millis(300), ..Settings::default() }
}

#[tokio::test]
async fn several_processes_may_make_the_tables_at_once() {
    let database = fresh().await;
    database.run("drop schema public cascade; create schema public").await;
    let settings = settings();
    let pools = join_all((0..6).map(|_| connect(database.options.clone(), &settings))).await;
    for pool in pools {
        Log::start(pool.unwrap()).await.unwrap();
    }
}

#[tokio::test]
async fn a_session_is_set_as_it_should_be() {
    let database = fresh().await;
    let set: (String, String, String) = sqlx::query_as(
        "select current_setting('jit'), current_setting('statement_timeout'), current_setting('application_name')",
    )
    .fetch_one(&database.pool)
    .await
    .unwrap();
    assert_eq!(set, ("off".to_owned(), "30s".to_owned(), "faultline test".to_owned()));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let database = fresh().await;
    let nowhere = database.options.clone().host("127.0.0.1").port(1);
    let nowhere: sqlx::postgres::PgConnectOptions =
        if nowhere.get_socket().is_some() { nowhere.socket("/nowhere") } else { nowhere };
    let fault = connect(nowhere, &settings()).await.expect_err("nobody is there");
    assert!(matches!(fault, Fault::Unreachable { .. }) && fault.is_transient(), "{fault}");
    assert!(fault.to_string().contains("Is it running"), "{fault}");
    let fault = connect(database.options.clone().database("no_such_database"), &settings())
        .await
        .expect_err("no such database");
    assert!(matches!(fault, Fault::Refused { .. }) && !fault.is_transient(), "{fault}");
}

#[tokio::test]
async fn tables_of_a_newer_or_another_build_are_left_alone() {
    let database = fresh().await;
    database.run("update _sqlx_migrations set checksum = 'other' where version = 1").await;
    let fault = connect(database.options.clone(), &settings()).await.expect_err("another build's");
    assert!(fault.to_string().contains("Another build of Faultline"), "{fault}");
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
        values (9999, 'of the future', true, 'x', 0)";
    database.run(newer).await;
    let fault = connect(database.options.clone(), &settings()).await.expect_err("a newer build's");
    assert!(fault.to_string().contains("A newer Faultline"), "{fault}");
}

#[tokio::test]
async fn a_store_with_other_lanes_is_another_builds() {
    let database = fresh().await;
    database.run("insert into lanes (lane) values (16)").await;
    let fault = Log::start(database.pool.clone()).await.expect_err("seventeen lanes");
    assert!(matches!(fault, Fault::Lanes { found: 17, wanted: 16 }), "{fault}");
}
