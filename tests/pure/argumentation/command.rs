//! The command `argue`, as a process: answers, exit codes and errors.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `faultline argue` in a folder. Returns the exit code, the output and the errors.
fn argue(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    let ran = command.arg("argue").args(arguments).current_dir(folder).env_clear().output().expect("a process");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("a file"));
    folder
}

#[test]
fn the_grounded_extension_is_printed_first_and_after_each_change() {
    let folder = folder(&[
        ("f.apx", "arg(a). arg(b). att(a,b).\n"),
        ("f.tgf", "a\nb\n#\na b\n"),
        ("good", "+arg(c).\n+att(c,a).\n-att(a,b).\n-arg(c).\n"),
        ("bad", "+arg(c).\n-att(b,a).\n"),
        ("worse", "+arg(c).\n+attack(c,a).\n"),
    ]);
    let run = |arguments: &[&str]| argue(folder.path(), arguments);
    let (code, printed, errors) = run(&["-p", "SE-GR", "-f", "f.apx", "--changes", "good"]);
    assert_eq!((code, printed.as_str(), errors.as_str()), (Some(0), "[a]\n[a,c]\n[b,c]\n[b,c]\n[a,b]\n", ""));

    let refused = |arguments: &[&str], expected_code: i32, expected: &str| {
        let (code, _, errors) = run(arguments);
        assert_eq!(code, Some(expected_code), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    };
    let bad = "bad: line 2: cannot remove att(b,a): it does not exist";
    refused(&["-p", "SE-GR", "-f", "f.apx", "--changes", "bad"], 1, bad);
    refused(
        &["-p", "SE-GR", "-f", "f.apx", "--changes", "worse"],
        1,
        "worse: line 2, column 1 of apx: expected a change",
    );
    refused(&["-p", "SE-GR", "-f", "f.tgf", "--changes", "good"], 1, "f.tgf is tgf");
    refused(&["-p", "EE-PR", "-f", "f.apx", "--changes", "good"], 2, "--changes applies to SE-GR, not to EE-PR");
    refused(&["-p", "SE-GR", "-f", "-", "--changes", "-"], 2, "standard input is one file");
}

#[test]
fn issues_and_the_ones_that_decide_an_argument_are_printed() {
    let folder = folder(&[
        ("f.apx", "arg(a). arg(b). arg(x). att(a,b). att(b,a). att(a,x).\n"),
        ("f.af", "p af 3\n1 2\n2 1\n1 3\n"),
    ]);
    let run = |arguments: &[&str]| argue(folder.path(), arguments);
    let (code, printed, errors) = run(&["-p", "IS-PR", "-f", "f.apx", "-a", "x"]);
    let expected = "2 preferred labellings, 1 issue, exact\n1: [a] against [b,x]\n\
        x: decided by 1 (a, 1.000 bits); a smallest set, exact\n";
    assert_eq!((code, printed.as_str(), errors.as_str()), (Some(0), expected, ""));
    let (code, printed, _) = run(&["-p", "is-pr", "-f", "f.af"]);
    assert_eq!((code, printed.as_str()), (Some(0), "2 preferred labellings, 1 issue, exact\n1: [1] against [2,3]\n"));
    let (code, printed, errors) = run(&["-p", "IS-PR", "-f", "f.apx", "--limit", "1"]);
    assert_eq!((code, printed.as_str()), (Some(1), "1 preferred labelling, 0 issues, not exact\n"));
    assert!(errors.contains("raise --limit"), "{errors}");
    let (code, _, errors) = run(&["-p", "IS-CO", "-f", "f.apx"]);
    assert_eq!(code, Some(2), "{errors}");
    let (code, _, errors) = run(&["-p", "IS-PR", "-f", "f.apx", "-a", "q"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("f.apx has no argument \"q\""), "{errors}");
}
