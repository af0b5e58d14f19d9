//! Whole debates in memory, compared with their recorded logs. `UPDATE=1 cargo test rehearsals` rewrites the expected
//! logs; read the difference.

use std::path::PathBuf;
use std::sync::OnceLock;

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::rehearsal::{Log, Script, perform};

const MARK: &str = "\n= log\n";

pub fn fixtures() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals");
    let entries = std::fs::read_dir(folder).expect("the folder of rehearsals");
    let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    paths
}

/// Performs every rehearsal, once for all tests. Returns the logs by name.
pub fn rehearsals() -> &'static [(String, Log)] {
    static PERFORMED: OnceLock<Vec<(String, Log)>> = OnceLock::new();
    PERFORMED.get_or_init(|| {
        let performed = fixtures().into_iter().map(|path| {
            let text = std::fs::read_to_string(&path).expect("a rehearsal");
            let script = text.split_once(MARK).map_or(text.as_str(), |(script, _)| script);
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, perform(Script::parse(script), None))
        });
        performed.collect()
    })
}

/// Returns the log of one rehearsal.
pub fn rehearsed(name: &str) -> &'static Log {
    let found = rehearsals().iter().find(|(other, _)| other == name);
    found.map(|(_, log)| log).unwrap_or_else(|| panic!("no rehearsal {name}"))
}

#[test]
fn every_engine_is_rehearsed() {
    let rehearsed: Vec<String> = fixtures()
        .iter()
        .map(|path| Script::parse(&std::fs::read_to_string(path).expect("a fixture")).engine)
        .collect();
    for engine in ENGINES.iter().filter(|engine| !engine.is_external()) {
        assert!(rehearsed.iter().any(|name| name == engine.name), "the engine {} has no rehearsal", engine.name);
    }
}

#[test]
fn every_rehearsal_reproduces_its_log() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut faults = Vec::new();
    for path in fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let (script, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let log = perform(Script::parse(script), None);
        let read_model = DebateReadModel::of(&log.0);
        let verdict = read_model.verdict();
        let grounded = if script.contains("\npassage:") { grounding(&read_model) } else { String::new() };
        let told = format!("{}{grounded}= {}: {}\n", log.lines(), verdict.regime.kind.name(), verdict.regime.reason);
        if update {
            std::fs::write(&path, format!("{}{MARK}{told}", script.trim_end())).expect("the fixture is rewritten");
        } else if told != expected {
            faults.push(format!("{}\n--- expected\n{expected}--- got\n{told}", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the grounding of speech, one line per participant.
fn grounding(read_model: &DebateReadModel) -> String {
    let line = |persona: &PersonaId| {
        let of = read_model.grounding.of(persona);
        format!(
            "= {persona}: {} of {} turns grounded, {} cited, {} dangling, {} verbatim, {} abridged, {} unverified, {} of {} given uncited\n",
            of.grounded,
            of.turns,
            of.citations,
            of.dangling,
            of.verbatim,
            of.abridged,
            of.unverified,
            of.uncited,
            of.given
        )
    };
    read_model.grounding.participants.keys().map(line).collect()
}

/// A killed runner changes nothing but the requests in flight, which are made once more.
#[test]
fn a_restart_after_any_append_changes_no_fact() {
    for (place, path) in fixtures().into_iter().enumerate() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let script = Script::parse(text.split_once(MARK).map_or(text.as_str(), |(script, _)| script));
        let moves =
            script.answers.values().any(|answers| answers.len() > 1) || script.limits != DebateLimits::default();
        let mut audits = script.answers.iter().filter(|(key, _)| key.starts_with("audit/"));
        let names_versions = audits.any(|(_, replies)| replies.iter().any(|reply| reply.contains("\"name\"")));
        if moves || names_versions || !script.commands.is_empty() {
            continue; // events tied to a version, an attempt or a limit move with the lost requests
        }
        let whole = DebateReadModel::of(&perform(script.clone(), None).0);
        let appends = whole.summary.version as usize;
        let verdict = whole.verdict();
        // The work is quadratic in the length of a debate. Long ones are stopped at some moments, each at others.
        let stride = (appends / 16).max(1);
        for stop in (1 + place % stride..appends).step_by(stride) {
            let resumed = perform(script.clone(), Some(stop));
            let read_model = DebateReadModel::of(&resumed.0);
            assert_eq!(read_model.verdict(), verdict, "{} stopped after {stop}:\n{}", path.display(), resumed.lines());
            assert_eq!(read_model.summary.n_turns, whole.summary.n_turns, "{} stopped after {stop}", path.display());
            assert_eq!(read_model.summary.outcome, whole.summary.outcome, "{} stopped after {stop}", path.display());
        }
    }
}

/// A killed runner makes a search again whose results it had not used: the same turns follow, and each search is told once.
#[test]
fn a_restart_after_any_append_loses_and_repeats_no_search() {
    let path = fixtures().into_iter().find(|path| path.ends_with("disputes_searches.txt")).expect("the fixture");
    let text = std::fs::read_to_string(path).expect("the fixture");
    let script = Script::parse(text.split_once(MARK).map_or(text.as_str(), |(script, _)| script));
    let told = |log: &Log| {
        let read_model = DebateReadModel::of(&log.0);
        let searches = read_model.searches.all.iter().map(|search| {
            let failed = search.result.as_ref().and_then(|result| result.failure.clone());
            (search.query.clone(), search.found.clone(), failed, search.turn)
        });
        let turns = read_model.transcript.turns.iter().map(|turn| (turn.turn, turn.text.clone()));
        (searches.collect::<Vec<_>>(), turns.collect::<Vec<_>>())
    };
    let whole = perform(script.clone(), None);
    assert_eq!(told(&whole).0.len(), 2);
    for stop in 1..whole.0.len() {
        let resumed = perform(script.clone(), Some(stop));
        assert_eq!(told(&resumed), told(&whole), "stopped after {stop}:\n{}", resumed.lines());
    }
}
