//! Checks of persona files, and drafts of personas, over the shipped corpora.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use faultline_core::drafting::extract::draft;
use faultline_core::drafting::render::render;
use faultline_core::drafting::verify::{Portrait, verify};
use faultline_core::events::edition::Edition;
use faultline_ingest::anchors::{anchors, statements};
use faultline_ingest::check::{Grade, PersonaFinding, check};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::drafts::draft_persona::material;
use faultline_ingest::personas::read_personas;

const FILE: &str = "ada-quill.toml";

const GOOD: &str = r#"name = "Ada Quill"
about = "Clerk of works"
version = 2
[contract]
personality = "dry"
bias = "old walls"
stakes = "her roof"
epistemology = "what was measured"
time_horizon = "a lease"
flip_conditions = ["If it stood a year without a crack, I would be wrong."]
evidence_policy = "ledgers"
[voice]
speech_patterns = ["Says it in few words"]
vocabulary = ["plumb line"]
forbidden_phrases = ["going forward"]
[voice.examples]
opening = ["The wall first."]
closing = ["Keep the wall."]
[voice.registers]
attack = "asks for the ledger"
[anchors]
contract = [{ document = "walls", quote = "I measured it with a plumb line" }]
"#;

const CORPUS: &str = "---\ntitle: Walls\nsource: a drawer\ndate: 2025-02-20\nkind: letter\n---\n\nThe wall stood. I measured \
                      it with a\nplumb line, on the first of every month, for eleven years.\n";

fn corpus_folder() -> CorpusTexts {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::write(root.path().join("walls.md"), CORPUS).expect("a document");
    CorpusTexts::of_folder(root.path()).expect("a corpus")
}

fn found(text: &str, met: &[Edition]) -> Vec<String> {
    let actual = |finding: &PersonaFinding| format!("{} {}", finding.grade.name(), finding.fault);
    check(Path::new(FILE), text, &corpus_folder(), met).1.iter().map(actual).collect()
}

/// Checks the findings in the valid file with one part of it replaced.
#[track_caller]
fn finds(from: &str, to: &str, expected: &[&str]) {
    let text = GOOD.replacen(from, to, 1);
    assert_ne!(text, GOOD, "{from:?} is not in the file");
    let found = found(&text, &[]);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found:?} does not say {expected:?}");
    }
}

#[test]
fn a_valid_file_has_no_findings() {
    assert_eq!(found(GOOD, &[]), Vec::<String>::new());
}

#[test]
fn contradictions_are_errors_with_their_line() {
    finds("few words", "few words, going forward", &["error ada-quill.toml:13: voice.speech_patterns: \"Says it"]);
    finds("the ledger", "it, Going  Forward", &["error ada-quill.toml:20: voice.registers.attack"]);
    finds("The wall first.", "The wall, going forward.", &["error ada-quill.toml:17: voice.examples.opening"]);
    finds(
        "Keep the wall.",
        "The  wall FIRST.",
        &["error ada-quill.toml:18: voice.examples.closing: \"The  wall FIRST.\" is under"],
    );
    finds(
        "crack, I would be wrong.\"",
        "crack, I would be wrong.\", \"if it stood a year - without a crack, I would be wrong\"",
        &["error ada-quill.toml:10: contract.flip_conditions: says the same as line 10"],
    );
    finds("attack =", "shouting =", &["error ada-quill.toml:20: voice.registers.shouting: expected one of"]);
    finds("personality =", "personalty =", &["error ada-quill.toml:5: unknown field `personalty`"]);
}

#[test]
fn unobservable_flip_conditions_are_remarked() {
    finds(
        "If it stood a year without a crack, I would be wrong.",
        "Walls are good.",
        &["remark ada-quill.toml:10: contract.flip_"],
    );
    finds(
        "If it stood a year without a crack, I would be wrong.",
        "If I were convinced.",
        &["which others cannot observe"],
    );
    finds(
        "If it stood a year without a crack, I would be wrong.",
        "If it fell, would I move?",
        &["is a question, not a condition"],
    );
    finds(
        "[\"plumb line\"]",
        "[\"plumb line\", \"mortar\"]",
        &["remark ada-quill.toml:14: voice.vocabulary: the corpus never uses \"mortar\""],
    );
}

#[test]
fn anchors_are_checked_against_the_corpus() {
    finds("I measured it with a plumb", "I  measured it with a plumb", &[]);
    finds("I measured it with", "I weighed it with", &["error ada-quill.toml:22: anchors.contract: \"I weighed it"]);
    finds("document = \"walls\"", "document = \"roofs\"", &["there is no document \"roofs\""]);
    finds("I measured it with a plumb line", "plumb line", &["too short as evidence"]);
    finds(
        "contract = [{",
        "contract.stakes = [{",
        &[
            "remark ada-quill.toml:5: anchors: contract.personality has no anchor",
            "contract.bias has no anchor",
            "contract.epistemology has no anchor",
            "contract.time_horizon has no anchor",
            "contract.flip_conditions.1 has no anchor",
            "contract.evidence_policy has no anchor",
        ],
    );
    finds(
        "contract = [{",
        "contract.hopes = [{",
        &["error ada-quill.toml:22: anchors: this persona has no statement contract.hopes"],
    );
    let bare = &GOOD[..GOOD.find("[anchors]").expect("anchors")];
    assert_eq!(
        found(bare, &[]),
        ["remark ada-quill.toml:4: anchors: none of the 7 statements of the contract has an anchor"]
    );
}

#[test]
fn a_version_that_is_taken_must_be_increased() {
    let met =
        |number: i32, contract: &str, voice: &str| Edition { number, contract: contract.into(), voice: voice.into() };
    let now = check(Path::new(FILE), GOOD, &corpus_folder(), &[])
        .0
        .map(|file| Edition::of(&file.persona))
        .expect("a persona");
    let other_voice = met(2, &now.contract, "other");
    assert_eq!(found(GOOD, &[met(1, "other", "other"), now]), Vec::<String>::new());
    let expected = "error ada-quill.toml:3: version: voice changed since version 2 was recorded; increase it to 4";
    assert_eq!(found(GOOD, &[other_voice, met(3, "other", "other")]), [expected]);
    let below = "remark ada-quill.toml:3: version: 2 is lower than the recorded version 3";
    assert_eq!(found(GOOD, &[met(3, "other", "other")]), [below]);
}

#[test]
fn shipped_personas_have_no_findings() {
    for file in read_personas(Path::new("personas"), None).expect("personas") {
        let text = std::fs::read_to_string(&file.file).expect("a file");
        let shelf = CorpusTexts::of_folder(&Path::new("corpus").join(file.persona.id.as_str())).expect("a corpus");
        let findings = check(&file.file, &text, &shelf, &[]).1;
        assert!(findings.is_empty(), "{findings:#?}");
    }
}

#[test]
fn every_statement_of_a_shipped_contract_has_an_anchor() {
    for file in read_personas(Path::new("personas"), None).expect("personas") {
        let text = std::fs::read_to_string(&file.file).expect("a file");
        let anchored: BTreeSet<String> =
            anchors(&file.file, &text, &file.persona).expect("anchors").into_iter().map(|anchor| anchor.of).collect();
        let bare: Vec<String> = statements(&file.persona)
            .into_iter()
            .filter(|statement| statement.starts_with("contract.") && !anchored.contains(statement))
            .collect();
        assert!(bare.is_empty(), "{}: {bare:?}", file.file.display());
    }
}

/// Returns drafts of all shipped personas, each made from its corpus without a model.
fn drafts() -> &'static [(String, CorpusTexts, Portrait)] {
    static DRAFTS: OnceLock<Vec<(String, CorpusTexts, Portrait)>> = OnceLock::new();
    DRAFTS.get_or_init(drawn)
}

fn drawn() -> Vec<(String, CorpusTexts, Portrait)> {
    let personas = read_personas(Path::new("personas"), None).expect("personas");
    let names: Vec<&str> = personas.iter().map(|file| file.persona.id.as_str()).collect();
    let of = |name: &&str| CorpusTexts::of_folder(&Path::new("corpus").join(name)).expect("a corpus");
    let shelves: Vec<CorpusTexts> = names.iter().map(of).collect();
    let drawn = |(at, name): (usize, &&str)| {
        let others: Vec<CorpusTexts> =
            (0..names.len()).filter(|index| *index != at).map(|index| shelves[index].clone()).collect();
        let material = material(name, &shelves[at], &others);
        let drafted = draft(&material);
        assert_eq!(drafted.fault(), None, "{name}");
        assert_eq!(drafted, draft(&material), "{name}: the same material gives the same draft");
        ((*name).to_owned(), shelves[at].clone(), verify(&drafted, &material.passages, &shelves[at].pages))
    };
    names.iter().enumerate().map(drawn).collect()
}

#[test]
fn an_extracted_draft_quotes_its_corpus_and_is_a_persona_file() {
    for (name, shelf, portrait) in drafts() {
        assert_eq!(portrait.dropped, Vec::<String>::new(), "{name}");
        // Explicit statements in the corpora are found: each persona states at least three times what would change its
        // mind.
        assert!(portrait.flip_conditions.len() >= 3, "{name}: {:#?}", portrait.flip_conditions);
        assert!(portrait.flip_conditions.iter().all(|condition| !condition.anchors.is_empty()), "{name}");
        for (key, stated) in portrait.statements.iter().filter(|(key, _)| *key != "contract.personality") {
            assert!(!stated.anchors.is_empty(), "{name}: {key} has no anchor");
        }
        for (situation, lines) in &portrait.examples {
            assert!(!lines.is_empty(), "{name} has no line for {situation}");
        }
        assert!(portrait.vocabulary.len() >= 8 && portrait.speech_patterns.len() >= 2, "{name}");

        let text = render("Somebody", "a test", portrait);
        let (read, findings) = check(Path::new(&format!("{name}.toml")), &text, shelf, &[]);
        let errors: Vec<_> = findings.iter().filter(|finding| finding.grade == Grade::Error).collect();
        assert!(read.is_some() && errors.is_empty(), "{name}: {errors:#?}\n{text}");
    }
}

#[test]
fn drafts_of_different_personas_differ() {
    let drafts = drafts();
    let words: BTreeSet<&String> = drafts.iter().flat_map(|(_, _, draft)| &draft.vocabulary).collect();
    let all: usize = drafts.iter().map(|(_, _, draft)| draft.vocabulary.len()).sum();
    assert!(words.len() * 4 >= all * 3, "{} of {all} words are of one writer only", words.len());
    let habits: BTreeSet<Vec<&str>> = drafts
        .iter()
        .map(|(_, _, draft)| draft.speech_patterns.iter().map(|pattern| pattern.text.as_str()).collect())
        .collect();
    assert_eq!(habits.len(), drafts.len(), "two drafts have the same speech patterns: {habits:#?}");
}
