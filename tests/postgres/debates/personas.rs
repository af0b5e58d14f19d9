//! Versions of personas in the log and beside it, voice attribution of participants, and the `persona` commands.

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DebateId, TurnId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOpened};
use faultline_core::events::turn::{Move, TurnTaken};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_ingest::corpus::{Folders, ingest};
use faultline_ingest::personas::read_personas;
use faultline_providers::hashing::Hashing;
use faultline_service::catalog::Catalog;
use faultline_service::service::DebateService;
use faultline_store::library::open::Library;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::SPEAKERS;
use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};

type Variables = Vec<(&'static str, String)>;

/// Returns the variables with one value replaced.
fn with(variables: &Variables, name: &'static str, value: &str) -> Variables {
    let others = variables.iter().filter(|variable| variable.0 != name).cloned();
    others.chain([(name, value.to_owned())]).collect()
}

/// Copies the personas into a folder of the test, to be edited.
fn copy_personas(home: &TestHome) -> String {
    let folder = home.path("personas");
    std::fs::create_dir(&folder).expect("a folder");
    for name in SPEAKERS {
        let file = project_path(&format!("personas/{name}.toml"));
        std::fs::copy(file, format!("{folder}/{name}.toml")).expect("a copy");
    }
    folder
}

fn edit(file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("a persona");
    assert!(text.contains(from), "{from:?} is not in {file}");
    std::fs::write(file, text.replacen(from, to, 1)).expect("an edit");
}

async fn debate(variables: &Variables) -> String {
    let speakers = SPEAKERS.join(",");
    let asked = ["debate", "Should the city close its centre?", "--engine", "dialectic", "--personas", &speakers];
    let set = ["--set", "rounds=10", "--set", "passages=0", "--provider", "scripted", "--seed", "7", "--json"];
    let lines = run_json_command(variables, &[&asked[..], &set[..]].concat()).await;
    lines[0]["debateId"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_pins_persona_versions_and_earlier_versions_stay_readable() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let folder = copy_personas(&home);
    let variables = with(&home.environment(&database.options, &scripted_replies(0)), "FAULTLINE_PERSONAS", &folder);
    let (edda, file) = (SPEAKERS[0], format!("{folder}/{}.toml", SPEAKERS[0]));
    // Its first version, without anchors, because the copy is not beside the corpus.
    let text = std::fs::read_to_string(&file).expect("a persona file");
    let (text, _anchors) = text.split_once("\n# What the statements").expect("anchors at the end");
    std::fs::write(&file, text.replace("version = 2", "version = 1")).expect("written");
    let first = debate(&variables).await;

    edit(&file, "vocabulary = [", "vocabulary = [\"hourly count\", ");
    let refused = run_command(&variables, &["persona", "check", edda]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stdout.contains("voice changed since version 1 was recorded; increase it to 2"), "{refused:?}");
    assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
    assert_eq!(run_command(&variables, &["persona", "check", edda, "--files-only"]).await.code, Some(0));
    edit(&file, "version = 1", "version = 2");
    assert_eq!(run_command(&variables, &["persona", "check", edda]).await.code, Some(0));
    let second = debate(&variables).await;

    let actual = run_json_command(&variables, &["persona", "history", edda, "--json"]).await.remove(0);
    assert_eq!(json!([actual[0]["number"], actual[1]["number"], actual[2]]), json!([2, 1, null]));
    assert_eq!(json!([actual[0]["debates"], actual[1]["debates"]]), json!([[second], [first]]));
    assert_eq!(actual[0]["contractVersion"], actual[1]["contractVersion"]);
    assert_ne!(actual[0]["voiceVersion"], actual[1]["voiceVersion"]);
    let changes = json!([
        { "field": "version", "removed": ["1"], "added": ["2"] },
        { "field": "voice.vocabulary", "removed": [], "added": ["hourly count"] },
    ]);
    assert_eq!(actual[0]["changes"], changes);
    let before = run_json_command(&variables, &["persona", "show", edda, "--version", "1", "--json"]).await.remove(0);
    let now = run_json_command(&variables, &["persona", "show", edda, "--json"]).await.remove(0);
    assert!(!before["voice"]["vocabulary"].to_string().contains("hourly count"), "{before}");
    assert_eq!(
        json!([before["personaVersion"], now["personaVersion"]]),
        json!([actual[1]["personaVersion"], actual[0]["personaVersion"]])
    );

    let service = ServiceProcess::start(&variables).await;
    let query = "query ($id: ID!, $then: String!, $debate: ID!) {
        persona(id: $id) {
            versionId debates { nodes { id } }
            versions { id versionId debateCount debates { id } changes { field added } persona { voiceVersion } }
        }
        then: persona(id: $id, version: $then) { id version versionId voice }
        nobody: persona(id: $id, version: \"9\") { id }
        debate(id: $debate) { participants {
            id personaId version versionId contractVersion voiceVersion contract { stakes }
            voice {
                turnCount wordCount forbiddenPhraseCount forbiddenPhrasesPerHundredWords
                forbiddenPhraseUses { turnId phrase count } attribution { eligibleTurnCount }
            }
        } }
    }";
    let asked = json!({ "id": edda, "then": actual[1]["personaVersion"], "debate": first });
    let data = service.client.data(query, asked).await;
    let persona = &data["persona"];
    assert_eq!(persona["versionId"], actual[0]["personaVersion"]);
    assert_eq!(persona["debates"]["nodes"], json!([{ "id": second }, { "id": first }]));
    assert_eq!(persona["versions"][1]["debates"], json!([{ "id": first }]));
    assert_eq!(persona["versions"][0]["changes"][1], json!({ "field": "voice.vocabulary", "added": ["hourly count"] }));
    assert_eq!(persona["versions"][1]["changes"], json!([]));
    assert_eq!(json!([data["then"]["version"], data["nobody"]]), json!([1, null]));
    // A version is an object of its own, and so is the persona in it.
    let pinned = format!("{edda}@{}", actual[1]["personaVersion"].as_str().expect("a version"));
    let version = format!("persona-version:{pinned}");
    assert_eq!(json!([data["then"]["id"], persona["versions"][1]["id"]]), json!([pinned, version]));
    let nodes = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Persona { version } } persona(id: \"PIN\") { id } }";
    let nodes = service.client.data(&nodes.replace("PIN", &pinned), json!({ "ids": [pinned, version, edda] })).await;
    let expected = json!([
        { "__typename": "Persona", "id": pinned, "version": 1 },
        { "__typename": "PersonaVersion", "id": version },
        { "__typename": "Persona", "id": edda, "version": 2 },
    ]);
    assert_eq!(json!([nodes["nodes"], nodes["persona"]["id"]]), json!([expected, pinned]));
    let participant = &data["debate"]["participants"][0];
    assert_eq!(participant["versionId"], actual[1]["personaVersion"]);
    assert_eq!(participant["id"], format!("{first}:participant:{edda}"));
    assert_eq!(persona["versions"][1]["versionId"], participant["versionId"]);
    assert_eq!(participant["voiceVersion"], actual[1]["voiceVersion"]);
    assert_eq!(participant["contract"]["stakes"], now["contract"]["stakes"]);
    assert!(participant["voice"]["wordCount"].as_u64() > Some(0), "{participant}");
    assert_eq!(participant["voice"]["attribution"], Value::Null, "the library has none of the participant's texts");
    service.kill().await;

    let sql = "update persona_versions set number = 9";
    let refused = sqlx::query(sql).execute(&database.pool).await.expect_err("versions only grow in number");
    assert!(refused.to_string().contains("only grows"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_are_attributed_to_the_persona_that_wrote_them() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let only: Vec<_> = SPEAKERS.iter().map(|speaker| speaker.parse().expect("an id")).collect();
    let (personas, corpus) = (project_path("personas"), project_path("corpus"));
    let folders = Folders { personas: personas.clone(), corpus, only: Some(only.clone()) };
    ingest(&library, &Hashing, &folders, &|_| {}).await.expect("an ingest");
    let files = read_personas(&personas, Some(&only)).expect("personas");
    let opened = DebateOpened {
        topic: "Should the city close its centre?".into(),
        engine: "graph".into(),
        engine_revision: 1,
        options: Value::Null,
        participants: files.into_iter().map(|file| file.persona).collect(),
        limits: DebateLimits::default(),
        models: std::collections::BTreeMap::new(),
        seed: 1,
        provider: "script".into(),
        sentence_revision: None,
    };
    // Each participant speaks in passages of its own corpus, except for one turn, in which Gus uses another persona's.
    let passage = |persona: usize, at: usize| {
        let texts = std::fs::read_dir(project_path("corpus").join(SPEAKERS[persona])).expect("a corpus");
        let mut files: Vec<_> = texts.map(|entry| entry.expect("a file").path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
        files.sort();
        let text = std::fs::read_to_string(&files[at]).expect("a document");
        text.split("\n\n").nth(2).expect("a passage").to_owned()
    };
    let said = [(0, passage(0, 0)), (1, passage(1, 0)), (0, passage(0, 1)), (1, passage(1, 1)), (1, passage(0, 2))];
    let turn = |(at, (speaker, text)): (usize, (usize, String))| {
        Event::TurnTaken(TurnTaken {
            preparation: None,
            turn: TurnId(at as u32 + 1),
            speaker: only[speaker].clone(),
            round: None,
            room: None,
            moves: vec![Move::Claim],
            move_quotes: Vec::new(),
            answers: None,
            text,
            citations: vec![],
            refused: vec![],
            dangling: 0,
        })
    };
    let events = std::iter::once(Event::DebateOpened(Box::new(opened))).chain(said.into_iter().enumerate().map(turn));
    let debate = DebateId(Uuid::now_v7());
    let record = |(version, event): (i64, Event)| Recorded {
        id: Uuid::now_v7(),
        debate,
        version,
        lane: 0,
        position: version,
        at: DateTime::<Utc>::UNIX_EPOCH,
        caused_by: None,
        event,
    };
    let recorded: Vec<Recorded> = (1..).zip(events).map(record).collect();
    let read_model = DebateReadModel::of(&recorded);
    let debate_service = DebateService::new(database.log().await, Arc::new(Catalog::default()));
    assert!(debate_service.voice_attributions(&read_model).await.expect("attribution without a library").is_empty());
    let sounds = debate_service.with_library(library).voice_attributions(&read_model).await.expect("voices");
    let actual = |at: usize| (sounds[&only[at]].turns.judged, sounds[&only[at]].turns.right);
    assert_eq!((actual(0), actual(1)), ((2, 2), (3, 2)), "{sounds:#?}");
    assert_eq!(sounds[&only[1]].heard[2].nearest, only[0]);
    assert_eq!(sounds[&only[0]].whole[0].persona, only[0]);
}

/// Draft of a persona as a model might return it, for the scripted provider.
fn draft_reply() -> Value {
    let quoted = |quote: &str| json!({ "passage": "g1", "quote": quote });
    let stated = |text: &str, quote: &str| json!({ "text": text, "anchors": [quoted(quote)] });
    json!({
        "about": "Clerk of works, for old walls",
        "personality": stated("Dry.", "Nobody has measured it but me"),
        "bias": stated("For what stands.", "The wall has stood since the flood."),
        "stakes": stated("Her roof.", "The wall has stood for ever and a day."),
        "epistemology": stated("What was measured.", "with a plumb line"),
        "time_horizon": stated("Eleven years.", "for eleven years"),
        "evidence_policy": stated("Ledgers.", "on the first of each month"),
        "flip_conditions": [stated("If it leaned by a foot.", "It leans by a hand's breadth")],
        "speech_patterns": [stated("Short.", "comes back when it rains")],
        "vocabulary": ["plumb line", "mortar"],
        "forbidden_phrases": ["going forward", "plumb line"],
        "opening": [quoted("The wall has stood since the flood.")],
        "challenge": [], "concession": [], "crux": [], "closing": [],
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotations_of_a_drafted_persona_are_checked_against_the_corpus() {
    let home = TestHome::new();
    let notes = home.path("notes.txt");
    let wall = "The wall has stood since the flood. It leans by a hand's breadth in every dry summer, and comes back\nwhen \
                it rains. Nobody has measured it but me, with a plumb line, on the first of each month, for eleven years.";
    std::fs::write(&notes, wall).expect("a text");
    std::fs::create_dir(home.path("personas")).expect("a folder");
    // The first reply has no stakes, so the provider is asked again.
    let mut empty = draft_reply();
    empty["stakes"]["text"] = json!(" ");
    let script = home.file(&json!({ "portray/*": [empty, draft_reply()] }));
    let variables: Variables = vec![
        ("FAULTLINE_HOME", home.path("home")),
        ("FAULTLINE_PERSONAS", home.path("personas")),
        ("FAULTLINE_CORPUS", home.path("corpus")),
        ("FAULTLINE_SCRIPT", script),
    ];
    let build = ["persona", "build", "ada-quill", "--corpus", &notes, "--provider", "scripted"];
    let actual = run_json_command(&variables, &[&build[..], &["--json"]].concat()).await.remove(0);
    assert_eq!(json!([actual["attempts"], actual["anchors"], actual["errors"]]), json!([2, 6, []]), "{actual:#}");
    assert_eq!(
        actual["dropped"],
        json!([
            "contract.stakes: \"The wall has stood for ever and a day.\" is not in the corpus",
            "vocabulary: \"mortar\" is not in the corpus",
            "forbidden phrases: \"plumb line\" is used in the persona's own lines",
        ])
    );
    let file = home.path("personas/ada-quill.toml");
    let text = std::fs::read_to_string(&file).expect("the draft");
    assert!(
        text.contains("# notes.txt, line 1: The wall has stood since the flood.\nbias = \"For what stands.\""),
        "{text}"
    );

    let again = run_command(&variables, &build).await;
    assert_eq!((again.code, again.stderr.lines().count()), (Some(1), 1), "{again:?}");
    assert!(again.stderr.contains("already exists") && again.stderr.contains("--force"), "{again:?}");
    let forced = run_command(&variables, &[&build[..], &["--force"]].concat()).await;
    assert_eq!(forced.code, Some(0), "{forced:?}");

    // The text is not in the corpus of this persona, so its anchors cannot be found there.
    let checked = run_command(&variables, &["persona", "check", &file, "--files-only", "--json"]).await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(Path::new(&home.path("corpus")).exists());
    let folder = home.path("corpus/ada-quill");
    std::fs::create_dir(&folder).expect("a folder");
    let front = "---\ntitle: Notes\nsource: a drawer\ndate: 2025-02-20\nkind: notebook\n---\n\n";
    std::fs::write(format!("{folder}/notes.txt"), format!("{front}{wall}\n")).expect("a document");
    let checked = run_command(&variables, &["persona", "check", "ada-quill", "--json"]).await;
    assert_eq!(checked.code, Some(0), "{checked:?}");

    for (arguments, code, wanted) in [
        (vec!["persona", "list"], 0, "Clerk of works"),
        (vec!["persona", "show", "ada-quill"], 0, "For what stands."),
        (vec!["persona", "show", "nobody"], 1, "persona list"),
        (vec!["persona", "show", "No Body"], 2, "is not a persona id"),
        (vec!["persona", "check", "nobody"], 1, "persona list"),
        (vec!["persona", "build", "bea", "--provider", "offline"], 1, "--corpus"),
        (
            vec!["persona", "build", "bea", "--provider", "oracle", "--corpus", &notes],
            1,
            "available: offline, scripted",
        ),
        (vec!["persona", "build", "bea", "--provider", "offline", "--corpus", &notes, "--out", "-"], 0, "[anchors]"),
        (vec!["persona", "build", "--help"], 0, "Examples:"),
    ] {
        let output = run_command(&variables, &arguments).await;
        assert_eq!(output.code, Some(code), "{arguments:?}: {output:?}");
        let said = if code == 0 { &output.stdout } else { &output.stderr };
        assert!(said.contains(wanted), "{arguments:?}: {output:?}");
    }
}
