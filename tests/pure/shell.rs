//! Commands around the shell, which need no database: help, version, completions, manual pages, settings.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Runs the program in a folder with these variables alone. Returns the exit code, the output and the errors.
fn run(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    let ran = command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .expect("a process");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

#[test]
fn help_groups_the_commands_and_mistyped_names_are_corrected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, help, _) = run(folder.path(), &[], &["--help"]);
    assert_eq!(code, Some(0));
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
    assert!(at("Run debates:") < at("  debate ") && at("  debate ") < at("Read debates:"), "{help}");
    assert!(at("Administration:") < at("  doctor ") && help.contains("Exit codes: 0 success"), "{help}");
    for (arguments, expected) in
        [(&["debat"][..], "'debate'"), (&["list", "--serach", "x"], "'--search'"), (&["completions", "bsh"], "'bash'")]
    {
        let (code, _, errors) = run(folder.path(), &[], arguments);
        assert!(code == Some(2) && errors.contains(expected), "{arguments:?}: {errors}");
    }
}

#[test]
fn a_mistyped_persona_is_corrected() {
    let folder = tempfile::tempdir().expect("a folder");
    let personas = concat!(env!("CARGO_MANIFEST_DIR"), "/personas");
    for command in ["show", "check"] {
        let (code, _, errors) = run(folder.path(), &[("FAULTLINE_PERSONAS", personas)], &["persona", command, "edda"]);
        assert!(code == Some(1) && errors.contains("did you mean edda-tolvane?"), "{command}: {errors}");
    }
}

#[test]
fn the_version_has_the_commit_and_the_revisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, short, _) = run(folder.path(), &[], &["-V"]);
    assert!(short.starts_with("faultline 0.") && short.lines().count() == 1, "{short}");
    let (code, long, _) = run(folder.path(), &[], &["--version"]);
    assert_eq!(code, Some(0));
    for expected in ["commit ", "events ", "views ", "passages "] {
        assert!(long.lines().any(|line| line.starts_with(expected)), "{expected}: {long}");
    }
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, errors) = run(folder.path(), &[], &["completions", shell]);
        assert!(code == Some(0) && script.contains("what-if") && errors.is_empty(), "{shell}: {errors}");
    }
    let bash = folder.path().join("faultline.bash");
    std::fs::write(&bash, run(folder.path(), &[], &["completions", "bash"]).1).expect("a file");
    if let Ok(checked) = Command::new("bash").arg("-n").arg(&bash).status() {
        assert!(checked.success(), "bash reads the script");
    }
    let (code, page, _) = run(folder.path(), &[], &["man"]);
    assert!(code == Some(0) && page.contains(".TH faultline 1"), "{page}");
    let (code, told, _) = run(folder.path(), &[], &["man", "pages/man1"]);
    assert!(code == Some(0) && told.contains("manual pages in pages/man1"), "{told}");
    assert!(folder.path().join("pages/man1/faultline-corpus-search.1").is_file());
    let (code, _, errors) = run(folder.path(), &[], &["man", "/dev/null/man1"]);
    assert!(code == Some(1) && errors.contains("/dev/null/man1"), "{errors}");
}

#[test]
fn settings_are_listed_with_their_origin_and_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("faultline.toml");
    let text = "pool = 8\nhome = \"data\"\nopenai_api_key = \"sk-secret\"\n[budget]\ncalls = 40\n";
    std::fs::write(&file, text).expect("a file");
    let variables =
        [("FAULTLINE_RUNNERS", "3"), ("DATABASE_URL", "postgres://ada:hunter2@db/f"), ("FAULTLINE_POOL", "9")];
    let (code, printed, errors) = run(folder.path(), &variables, &["config", "--json"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let listed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(listed["file"], "faultline.toml");
    let setting = |key: &str| {
        let settings = listed["settings"].as_array().expect("a list").iter();
        settings.clone().find(|it| it["key"] == key).unwrap_or_else(|| panic!("{key}: {listed}")).clone()
    };
    for (key, value, source) in [
        ("runners", "3", "ENVIRONMENT"),
        ("pool", "9", "ENVIRONMENT"),
        ("home", "data", "FILE"),
        ("budget", "calls=40", "FILE"),
        ("openai_api_key", "(hidden)", "FILE"),
        ("database_url", "postgres://ada:(hidden)@db/f", "ENVIRONMENT"),
        ("embedder", "minilm", "DEFAULT"),
    ] {
        let setting = setting(key);
        assert_eq!(json!([setting["value"], setting["source"]]), json!([value, source]), "{key}");
    }
    let (code, printed, _) = run(folder.path(), &variables, &["config"]);
    assert!(code == Some(0) && printed.lines().any(|line| line == "pool\t9\tenvironment"), "{printed}");
    assert!(!printed.contains("secret") && !printed.contains("hunter2"), "{printed}");
    assert_eq!(run(folder.path(), &[], &["config", "path"]).1, "faultline.toml\n");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (code, _, errors) = run(elsewhere.path(), &[("HOME", "/nowhere")], &["config", "path"]);
    assert!(code == Some(1) && errors.contains("/nowhere/.config/faultline/config.toml"), "{errors}");
}

#[test]
fn a_configuration_file_that_cannot_be_used_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("faultline.toml");
    for (text, arguments, expected) in [
        ("pols = 3", &["config"][..], "faultline.toml:1: unknown setting \"pols\"; did you mean pool?"),
        ("\npool = 3", &["list"], "pool in faultline.toml is \"3\"; it must be a number from 4 to 200"),
        ("\npool = 3", &["config"], "pool in faultline.toml is \"3\""),
        ("pool", &["serve"], "faultline.toml:1: not TOML"),
    ] {
        std::fs::write(&file, text).expect("a file");
        let (code, _, errors) = run(folder.path(), &[], arguments);
        assert!(code == Some(2) && errors.contains(expected), "{text}: {arguments:?}: {errors}");
    }
    let (code, _, errors) = run(folder.path(), &[("FAULTLINE_CONFIG", "none.toml")], &["list"]);
    assert!(code == Some(2) && errors.contains("none.toml"), "{errors}");
}
