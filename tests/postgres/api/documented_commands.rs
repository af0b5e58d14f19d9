//! Runs the commands of the documentation. On every page of docs/ and in README.md, a block marked `sh` has commands
//! that the test runs one by one, in the order of the page, in a folder with the files that the pages name. A block
//! marked `console` has commands that need more than that: a service, a model, another program.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::project_path;
use crate::support::service_process::{CommandOutput, binary_under_test, run_command, run_shell_line};
use crate::support::test_home::TestHome;

type Variables = Vec<(&'static str, String)>;

/// Page with a test of its own, which also sends the queries between the commands.
const RUN_ELSEWHERE: &str = "docs/recipes.md";

/// Pages that erase debates, which other pages name: they come last, in this order.
const LAST: [&str; 2] = ["README.md", "docs/erasure.md"];

const TOPIC: &str = "Should the city close its centre to private cars?";

/// Folders of the checkout that the pages name.
const FOLDERS: [&str; 3] = ["personas", "corpus", "examples/dialectic"];

/// Folders in the home of a reader into which shells look for completions.
const COMPLETIONS: [&str; 2] = [".local/share/bash-completion/completions", ".config/fish/completions"];

/// Files of a reader that the pages name.
const FILES: [(&str, &str); 9] = [
    ("notes.txt", "Footfall on Tanner Street\n\nThe market street lost a third of its deliveries in spring.\n"),
    ("notes/harbour.md", "# Harbour notes\n\nI count the boats each morning, and I do not trust a round number.\n"),
    ("report.md", "# Night sailings\n\nPassengers at night: 412 in March, 380 in April.\n"),
    ("corpus/harbour-survey/shared.toml", "name = \"Harbour survey\"\nabout = \"Counts of passengers\"\n"),
    ("corpus/town-records/shared.toml", "name = \"Town records\"\nabout = \"Minutes of the council\"\n"),
    ("corpus/town-records/minutes.md", "# Minutes\n\nThe council counted 1,240 cars a day on the bridge.\n"),
    ("framework.apx", "arg(thesis). arg(a). arg(b).\natt(a,thesis). att(a,b). att(b,a).\n"),
    ("changes.apx", "-att(a,thesis).\n+arg(c).\n+att(c,a).\n"),
    (
        "engines.toml",
        r#"
name = "Talk or argument graph"
seeds = [1]
measures = ["cruxes"]

[[topics]]
topic = "Should the city close its centre to private cars?"
personas = ["edda-tolvane", "gus-ormerand"]

[[arms]]
name = "conversation"
engine = "dialogue"
provider = "offline"

[[arms]]
name = "graph"
engine = "graph"
provider = "offline"
"#,
    ),
];

/// Line of a page, which is not a fence.
struct Line<'a> {
    number: usize,
    /// Language of the block that contains the line; `None` for prose.
    language: Option<&'a str>,
    text: &'a str,
}

/// Command of a page.
struct DocumentedCommand {
    /// Number of its first line.
    line: usize,
    /// Its lines as one.
    text: String,
}

/// Names of all pages, those that erase debates last.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = fs::read_dir(project_path("docs"))
        .expect("the folder of pages")
        .map(|entry| format!("docs/{}", entry.expect("an entry").file_name().to_string_lossy()))
        .filter(|page| page.ends_with(".md") && !LAST.contains(&page.as_str()))
        .collect();
    pages.sort();
    pages.extend(LAST.map(str::to_owned));
    pages
}

fn read(page: &str) -> String {
    fs::read_to_string(project_path(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Splits a page into its lines, without the fences, which are indented in lists.
fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut lines, mut open) = (Vec::new(), None);
    for (at, text) in text.lines().enumerate() {
        match (text.trim_start().strip_prefix("```"), open) {
            (Some(_), Some(_)) => open = None,
            (Some(language), None) => open = Some(language),
            (None, language) => lines.push(Line { number: at + 1, language, text }),
        }
    }
    lines
}

/// Commands in the blocks of a language. A backslash at the end of a line continues it; lines that begin with `#` are
/// comments.
fn commands(lines: &[Line<'_>], language: &str) -> Vec<DocumentedCommand> {
    let mut commands: Vec<DocumentedCommand> = Vec::new();
    let mut is_continued = false;
    for line in lines.iter().filter(|line| line.language == Some(language)) {
        let text = line.text.trim_start();
        let continued = text.strip_suffix('\\');
        let part = continued.unwrap_or(text);
        if let Some(command) = commands.last_mut().filter(|_| is_continued) {
            command.text.push_str(part);
        } else if !part.is_empty() && !part.starts_with('#') {
            commands.push(DocumentedCommand { line: line.number, text: part.to_owned() });
        }
        is_continued = continued.is_some();
    }
    commands
}

/// Returns the words after `faultline` up to the end of the command, and `None` for a command of another program.
/// Variables may be set before it.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let is_setting = |word: &&str| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    let mut words = command.split_whitespace().skip_while(is_setting);
    let is_program = words.next() == Some("faultline");
    is_program.then(|| words.take_while(|word| !["|", ">", "&&", "#"].contains(word)).collect())
}

/// Returns true if a word can be the name of a command.
fn is_name(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    word.bytes().next().is_some_and(is_letter) && word.bytes().all(|byte| is_letter(byte) || byte == b'-')
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("copied");
        }
    }
}

/// Creates the folder of a reader, which is also the reader's home.
fn working_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in FOLDERS {
        copy(&project_path(name), &folder.path().join(name));
    }
    for name in COMPLETIONS {
        fs::create_dir_all(folder.path().join(name)).expect("a folder");
    }
    for (name, content) in FILES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    folder
}

/// Plays a debate offline to its end, and returns its id.
async fn play(variables: &Variables, engine: &str) -> String {
    let folder = working_folder();
    let debate =
        format!("faultline debate \"{TOPIC}\" --engine {engine} --personas edda-tolvane,gus-ormerand --seed 7");
    let played = run_shell_line(folder.path(), variables, &debate).await;
    assert_eq!(played.code, Some(0), "{debate}: {}", played.stderr);
    let list = format!("faultline list --engine {engine} --status concluded | cut -f 1");
    let id = run_shell_line(folder.path(), variables, &list).await.stdout.trim().to_owned();
    assert_eq!(id.lines().count(), 1, "{list}: {id}");
    id
}

/// Describes how the result of a command differs from what its page promises: the exit code 0, or that of a comment
/// `# exits with 4`, and an output. Lists may be empty, and files receive what is not printed.
fn fault(command: &str, output: &CommandOutput) -> Option<String> {
    let stated = command.split_once("# exits with ").and_then(|(_, code)| code.trim().parse().ok());
    let expected: i32 = stated.unwrap_or(0);
    if output.code != Some(expected) {
        return Some(format!("exit code {:?} instead of {expected}: {}", output.code, output.stderr.trim()));
    }
    let is_list = ["faultline list", "faultline cruxes"].iter().any(|list| command.starts_with(list));
    let has_file = [" > ", " -o ", " --out "].iter().any(|option| command.contains(option));
    let must_print = expected == 0 && !is_list && !has_file;
    (must_print && output.stdout.is_empty()).then(|| format!("prints nothing: {}", output.stderr.trim()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_of_the_documentation_works() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let programs = home.path("programs");
    fs::create_dir(&programs).expect("a folder");
    symlink(binary_under_test(), Path::new(&programs).join("faultline")).expect("a link");
    let mut variables = home.environment(&database.options, &json!({}));
    // The folder has personas and writings of its own, as that of a reader, and commands name the script.
    variables.retain(|(name, _)| !["FAULTLINE_PERSONAS", "FAULTLINE_CORPUS", "FAULTLINE_SCRIPT"].contains(name));
    variables.push(("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap_or_default())));
    let mut running = DebateBuilder::new(&["ada", "ben"]);
    running.append_new(&database.log().await).await;
    let (debate, other) = (play(&variables, "graph").await, play(&variables, "dialogue").await);
    let persona = "ada".to_owned();
    variables.extend([("DEBATE", debate), ("OTHER", other), ("RUNNING", running.id.to_string()), ("PERSONA", persona)]);

    let (mut n_run, mut faults) = (0, Vec::<String>::new());
    for page in pages().iter().filter(|page| *page != RUN_ELSEWHERE) {
        let folder = working_folder();
        let mut variables = variables.clone();
        variables.push(("HOME", folder.path().display().to_string()));
        for command in commands(&lines(&read(page)), "sh") {
            let output = run_shell_line(folder.path(), &variables, &command.text).await;
            let fault = fault(&command.text, &output);
            faults.extend(fault.map(|fault| format!("{page}:{}: {}: {fault}", command.line, command.text)));
            n_run += 1;
        }
    }
    assert!(faults.is_empty(), "{} of {n_run} commands:\n{}", faults.len(), faults.join("\n"));
    assert!(n_run > 60, "only {n_run} commands were found");
}

#[test]
fn blocks_of_commands_are_marked_as_sh_or_console() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = read(&page);
        let lines = lines(&text);
        for line in &lines {
            let is_block = line.language.is_some() || line.text.starts_with("    ");
            let is_marked = matches!(line.language, Some("sh" | "console"));
            if line.language == Some("") {
                faults.push(format!("{page}:{}: a block without a language", line.number));
            } else if is_block && !is_marked && line.text.trim_start().starts_with("faultline ") {
                faults.push(format!("{page}:{}: mark the block as `sh` or `console`: {}", line.number, line.text));
            }
        }
        for command in commands(&lines, "sh") {
            let after_cd = command.text.strip_prefix("cd ").and_then(|rest| rest.split_once(" && "));
            let runs_program = arguments(after_cd.map_or(command.text.as_str(), |(_, rest)| rest)).is_some();
            if !runs_program {
                faults.push(format!("{page}:{}: mark the block as `console`: {}", command.line, command.text));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn commands_that_are_not_run_exist_with_their_options() {
    let (mut n_checked, mut faults) = (0, Vec::new());
    for page in pages() {
        let text = read(&page);
        let lines = lines(&text);
        let prose: Vec<&str> = lines.iter().filter(|line| line.language.is_none()).map(|line| line.text).collect();
        let prose = prose.join("\n");
        let mut found: Vec<String> = prose.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        found.extend(commands(&lines, "console").into_iter().map(|command| command.text));
        for command in found {
            let Some(words) = arguments(&command) else { continue };
            let names = words.iter().copied().take_while(|word| is_name(word));
            let request: Vec<&str> = names.chain(["--help"]).collect();
            let help = run_command(&[], &request).await;
            if help.code != Some(0) {
                faults.push(format!("{page}: {command}: {}", help.stderr.trim()));
            }
            let options = words.iter().map(|word| word.trim_matches(['[', ']', ',']));
            let options = options.filter(|word| word.starts_with("--"));
            for option in options.map(|word| word.split('=').next().unwrap_or(word)) {
                let mut listed = help.stdout.split(|letter: char| letter != '-' && !letter.is_ascii_lowercase());
                if !listed.any(|word| word == option) {
                    faults.push(format!("{page}: {command}: there is no option {option}"));
                }
            }
            n_checked += 1;
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(n_checked > 60, "only {n_checked} commands were found");
}
