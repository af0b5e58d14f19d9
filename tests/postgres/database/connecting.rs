//! Connecting: requirements on the server, and the errors when they are not met.

use std::time::Duration;

use faultline_store::database::pool::{ConnectionSettings, connect};
use faultline_store::error::StoreError;
use faultline_store::log::log::Log;
use futures_util::future::join_all;

use crate::support::database::migrated_database;

fn settings() -> ConnectionSettings {
    ConnectionSettings { connect_limit: Duration::from_millis(300), ..ConnectionSettings::default() }
}

#[tokio::test]
async fn several_processes_can_migrate_at_once() {
    let database = migrated_database().await;
    database.run("drop schema public cascade; create schema public").await;
    let settings = settings();
    let pools = join_all((0..6).map(|_| connect(database.options.clone(), &settings))).await;
    for pool in pools {
        Log::start(pool.unwrap()).await.unwrap();
    }
}

#[tokio::test]
async fn a_session_has_the_expected_settings() {
    let database = migrated_database().await;
    let set: (String, String, String) = sqlx::query_as(
        "select current_setting('jit'), current_setting('statement_timeout'), current_setting('application_name')",
    )
    .fetch_one(&database.pool)
    .await
    .unwrap();
    assert_eq!(set, ("off".to_owned(), "30s".to_owned(), "faultline test".to_owned()));
}

#[tokio::test]
async fn unreachable_and_refusing_servers_are_told_apart() {
    let database = migrated_database().await;
    let nowhere = database.options.clone().host("127.0.0.1").port(1);
    let nowhere: sqlx::postgres::PgConnectOptions =
        if nowhere.get_socket().is_some() { nowhere.socket("/nowhere") } else { nowhere };
    let fault = connect(nowhere, &settings()).await.expect_err("no server there");
    assert!(matches!(fault, StoreError::Unreachable { .. }) && fault.is_transient(), "{fault}");
    assert!(fault.to_string().contains("Is it running"), "{fault}");
    let fault = connect(database.options.clone().database("no_such_database"), &settings())
        .await
        .expect_err("no such database");
    assert!(matches!(fault, StoreError::Refused { .. }) && !fault.is_transient(), "{fault}");
}

#[tokio::test]
async fn a_schema_of_a_newer_or_another_build_is_refused() {
    let database = migrated_database().await;
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
async fn a_store_with_another_number_of_lanes_is_refused() {
    let database = migrated_database().await;
    database.run("insert into lanes (lane) values (16)").await;
    let fault = Log::start(database.pool.clone()).await.expect_err("seventeen lanes");
    assert!(matches!(fault, StoreError::Lanes { found: 17, wanted: 16 }), "{fault}");
}
