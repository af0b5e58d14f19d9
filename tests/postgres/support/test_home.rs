//! Temporary folder of a test, and the environment of its service.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Map, Value, json};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;

use crate::support::environment::project_path;

/// Words of the speeches in [`paced_replies`] that end too early.
pub const ENDS_EARLY: &str = "Half of a thought that";

/// Connection URL in the form of `DATABASE_URL`.
pub fn database_url(options: &PgConnectOptions) -> String {
    options.to_url_lossy().to_string()
}

/// Answers of the scripted provider for two engines, each given after `after_millis`.
pub fn scripted_replies(after_millis: u64) -> Value {
    replies_of(&["dialectic", "graph"], after_millis)
}

/// Answers of the scripted provider for these engines, each given after `after_millis`.
pub fn replies_of(engines: &[&str], after_millis: u64) -> Value {
    let mut script = Map::new();
    for name in engines {
        let text = fs::read_to_string(project_path(&format!("tests/fixtures/scripts/{name}.json"))).expect("a script");
        let Value::Object(lists) = serde_json::from_str(&text).expect("JSON") else {
            panic!("{name} is not an object")
        };
        for (key, list) in lists {
            let entries = list.as_array().expect("a list").iter();
            let later = |reply: &Value| json!({ "$after_millis": after_millis, "$reply": reply });
            script.insert(key, entries.map(later).collect());
        }
    }
    Value::Object(script)
}

/// [`scripted_replies`] that are written word by word. The first attempt at an opening of each speaker begins after
/// `after_millis`, so that readers are there, and ends in the middle: it is [`ENDS_EARLY`].
pub fn paced_replies(after_millis: u64) -> Value {
    const PACE_MILLIS: u64 = 8;
    let Value::Object(mut lists) = scripted_replies(0) else { panic!("the script is an object") };
    for (key, list) in &mut lists {
        let list = list.as_array_mut().expect("a list");
        for reply in list.iter_mut() {
            *reply = json!({ "$pace_millis": PACE_MILLIS, "$reply": reply["$reply"] });
        }
        if key.starts_with("open/") {
            let early = json!({ "$text": format!("Sure: {{\"speech\": \"{ENDS_EARLY}") });
            let early = json!({ "$pace_millis": PACE_MILLIS, "$reply": early });
            list.insert(0, json!({ "$after_millis": after_millis, "$reply": early }));
        }
    }
    Value::Object(lists)
}

/// [`scripted_replies`] in which one speaker of the graph debate takes a side in words that take it, and the other one
/// does not.
pub fn replies_with_stated_sides() -> Value {
    let mut script = scripted_replies(0);
    for (speaker, words) in [("edda-tolvane", "I favour it."), ("gus-ormerand", "I support it.")] {
        let reply = &mut script[format!("open/{speaker}/0")][0]["$reply"];
        let speech = reply["speech"].as_str().expect("a speech").to_owned();
        reply["speech"] = json!(format!("{words} {speech}"));
        reply["stance_words"] = json!(words);
    }
    script
}

/// Temporary folder of one test with the files that the service reads, deleted on drop.
pub struct TestHome {
    directory: TempDir,
    n_files: AtomicU32,
}

impl TestHome {
    /// Creates a folder with an empty corpus.
    pub fn new() -> TestHome {
        let directory = tempfile::tempdir().expect("a folder");
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("make the folder readable");
        fs::create_dir(directory.path().join("corpus")).expect("a folder");
        TestHome { directory, n_files: AtomicU32::new(0) }
    }

    /// Path of a file in the folder.
    pub fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Writes `content` to a new file and returns its path.
    pub fn file(&self, content: &Value) -> String {
        let path = self.path(&format!("{}.json", self.n_files.fetch_add(1, Ordering::Relaxed)));
        fs::write(&path, content.to_string()).expect("write a file");
        path
    }

    /// Environment of a test's service: the shipped personas without their documents.
    pub fn environment(&self, database: &PgConnectOptions, script: &Value) -> Vec<(&'static str, String)> {
        vec![
            ("DATABASE_URL", database_url(database)),
            ("FAULTLINE_HOME", self.path("home")),
            ("FAULTLINE_PERSONAS", project_path("personas").display().to_string()),
            ("FAULTLINE_CORPUS", self.path("corpus")),
            ("FAULTLINE_EMBEDDER", "hashing".to_owned()),
            ("FAULTLINE_SCRIPT", self.file(script)),
        ]
    }
}
