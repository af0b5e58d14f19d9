//! Master keys: wrapped keys, and their rotation under load.

use faultline_store::cipher::{EncryptionSettings, MasterKey};
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::erasure::key_rotation::RotationStatus;
use faultline_store::error::StoreError;
use faultline_store::log::log::Log;
use serde_json::{Value, json};

use crate::support::database::migrated_database;
use crate::support::log_reads::read_all_events;
use crate::support::phase_events::{append_phases, new_debate_id, new_phase_event, phase_append};
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::TestHome;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrapped_keys_need_their_master_key() {
    let database = migrated_database().await;
    let with = |digit: &str| EncryptionSettings {
        master: MasterKey::read(&digit.repeat(64)),
        ..EncryptionSettings::default()
    };
    let plain = database.log().await;
    let before = append_phases(&plain, new_debate_id(), &["before"]).await;
    let log = Log::start_encrypted(database.pool.clone(), with("a")).await.expect("start");
    let debate = new_debate_id();
    let mut batch = phase_append(debate, 0, &["one", "two"]);
    batch.events.push(new_phase_event("three"));
    let recorded = log.append(batch.clone()).await.expect("append");
    let same = Log::start_encrypted(database.pool.clone(), with("a")).await.expect("start");
    assert_eq!(same.append(batch).await.expect("the same bytes"), recorded);
    assert_eq!(read_all_events(&same, debate).await, recorded);
    assert_eq!(read_all_events(&same, before[0].debate).await, before, "keys from before need no master key");
    assert_eq!(same.verify(debate).await.expect("the log").breaks, []);
    for (sealing, said) in
        [(with("b"), "a different one is configured"), (EncryptionSettings::default(), "none is configured")]
    {
        let refused = Log::start_encrypted(database.pool.clone(), sealing)
            .await
            .expect_err("the master key is refused")
            .to_string();
        assert!(refused.contains("1 debates") && refused.contains(said), "{refused}");
    }
    // The program reads the master key from a file.
    let home = TestHome::new();
    let listed = async |digits: &str| {
        let mut variables = home.environment(&database.options, &json!({}));
        std::fs::write(home.path("master"), format!("{digits}\n")).expect("write a file");
        variables.push(("FAULTLINE_MASTER_KEY", home.path("master")));
        run_command(&variables, &["history", &debate.to_string()]).await
    };
    assert_eq!(listed(&"a".repeat(64)).await.code, Some(0));
    for (digits, said) in [("b".repeat(64), "a different one is configured"), ("a".repeat(63), "64 hexadecimal digits")]
    {
        let refused = listed(&digits).await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("FAULTLINE_MASTER_KEY") && refused.stderr.contains(said), "{refused:?}");
    }
    let read = plain.read(debate, 0, 9).await.expect_err("the key in the table is wrapped").to_string();
    assert!(read.contains("a master key other than"), "{read}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_rewrapped_while_debates_are_written_and_read() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let key = |digit: &str| MasterKey::read(&digit.repeat(64));
    let knows = |master, also| EncryptionSettings { master, also, ..EncryptionSettings::default() };
    let (bare, old) =
        (database.log().await, Log::start_encrypted(database.pool.clone(), knows(key("a"), None)).await.expect("a"));
    let mut written = vec![
        append_phases(&bare, new_debate_id(), &["bare"]).await,
        append_phases(&old, new_debate_id(), &["old"]).await,
    ];
    let gone = append_phases(&old, new_debate_id(), &["gone"]).await[0].debate;
    old.erase(gone, &ErasureOrder { asked_by: "a test".to_owned(), reason: "so it was asked".to_owned() })
        .await
        .expect("erased");
    // More than two batches.
    database
        .run("insert into debate_keys select gen_random_uuid(), sha256(n::text::bytea) from generate_series(1, 1100) n")
        .await;

    // A service that wraps with the old key and also knows the new one keeps working.
    let service = Log::start_encrypted(database.pool.clone(), knows(key("a"), key("b"))).await.expect("a, also b");
    let newer = Log::start_encrypted(database.pool.clone(), knows(key("b"), key("a"))).await.expect("b, also a");
    let counted = RotationStatus { wrapped: 0, other_master: 1, plain: 1_101, destroyed: 1 };
    assert_eq!(newer.rotation_status().await.expect("counted"), counted);
    for (name, digit) in [("new", "b"), ("old", "a"), ("lost", "c")] {
        std::fs::write(home.path(name), digit.repeat(64)).expect("write a file");
    }
    let with = |master: &str, also: &str| {
        let mut variables = home.environment(&database.options, &json!({}));
        for (name, file) in [("FAULTLINE_MASTER_KEY", master), ("FAULTLINE_MASTER_KEY_ALSO", also)] {
            if !file.is_empty() {
                variables.push((name, home.path(file)));
            }
        }
        variables
    };
    let nothing = run_command(&with("", "old"), &["keys", "--rewrap"]).await;
    assert!(nothing.code == Some(1) && nothing.stderr.contains("no master key is configured"), "{nothing:?}");
    let output = run_command(&with("new", "lost"), &["keys", "--rewrap"]).await;
    assert!(output.code == Some(1) && output.stderr.contains("a different one is configured"), "{output:?}");
    let first = newer.rewrap(None).await.expect("a batch");
    assert_eq!((first.wrapped, first.failed.as_slice(), first.last.is_some()), (500, &[][..], true));
    // The rotation stops here; the command rewraps the rest.
    let growing = {
        let (old, newer) = (service.clone(), newer.clone());
        let mut all = vec![append_phases(&old, new_debate_id(), &["begun meanwhile"]).await];
        async move {
            for n in 0..40 {
                let which = n % all.len();
                let of = all[which][0].debate;
                // Each process reads what the other has appended.
                let more = append_phases(if n % 2 == 0 { &newer } else { &old }, of, &[format!("{n}").as_str()]).await;
                all[which].extend(more);
                assert_eq!(read_all_events(if n % 2 == 0 { &old } else { &newer }, of).await, all[which]);
                all.push(append_phases(&newer, new_debate_id(), &["of the newer one"]).await);
            }
            all
        }
    };
    let (variables, arguments) = (with("new", "old"), ["keys", "--rewrap", "--json"]);
    let (grown, actual) = tokio::join!(growing, run_json_command(&variables, &arguments));
    written.extend(grown);
    let actual = &actual[0];
    assert!(actual["rewrapped"].as_u64().is_some_and(|count| (602..=604).contains(&count)), "{actual}");
    assert_eq!(json!([actual["otherwise"], actual["bare"], actual["destroyed"]]), json!([0, 0, 1]));
    let now = run_json_command(&with("new", ""), &["keys", "--json"]).await.remove(0);
    assert_eq!(json!([now["rewrapped"], now["otherwise"], now["bare"]]), json!([null, 0, 0]));

    // The old key is no longer needed and no longer accepted.
    let only = Log::start_encrypted(database.pool.clone(), knows(key("b"), None)).await.expect("b alone");
    for events in &written {
        assert_eq!(read_all_events(&only, events[0].debate).await, *events);
        assert_eq!(only.verify(events[0].debate).await.expect("the log").breaks, []);
    }
    assert!(matches!(only.read(gone, 0, 9).await, Err(StoreError::Erased { .. })));
    let refused = Log::start_encrypted(database.pool.clone(), knows(key("a"), None))
        .await
        .expect_err("the master key is refused");
    assert!(refused.to_string().contains("a different one is configured"), "{refused}");
    let again = run_json_command(&with("new", ""), &["keys", "--rewrap", "--json"]).await.remove(0);
    assert_eq!(again["rewrapped"], 0);
    // An altered key is reported, and the others are rewrapped.
    let of = written[0][0].debate;
    database
        .run(&format!("update debate_keys set key = set_byte(key, 59, get_byte(key, 59) # 1) where debate_id = '{of}'"))
        .await;
    let output = run_command(&with("old", "new"), &["keys", "--rewrap", "--json"]).await;
    assert!(output.code == Some(1) && output.stderr.contains(&of.to_string()), "{output:?}");
    let counts: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(counts["otherwise"], 1);
}
