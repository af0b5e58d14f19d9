//! Ingest of folders into the library: embedded, unchanged and skipped files, and recovery from failures.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_ingest::chunks::MIN_PASSAGE_WORDS;
use faultline_ingest::corpus::{Folders, ingest};
use faultline_ingest::personas::read_personas;
use faultline_ingest::readers::form::Form;
use faultline_ingest::readers::read::read_file;
use faultline_ingest::reembed::reembed;
use faultline_ingest::report::{IngestError, IngestProgress, IngestReport, PersonaCounts};
use faultline_ingest::sentences::sentences;
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::{Embedder, Pending};
use faultline_store::library::document_writes::DocumentChanges;
use faultline_store::library::open::{Library, LibraryError};

use crate::support::corpus_folders::{CorpusFolders, PERSONA};
use crate::support::test_library::empty_library;

const WALL: &str = "The wall has stood since the flood. It leans by a hand's breadth in every dry summer, and comes back \
                    when it rains. Nobody has measured it but me, with a plumb line, on the first of each month, for \
                    eleven years and without a gap.";

const ROOF: &str = "A roof is a promise to a room. Ours was kept by three men with lead, and broken by one with a ladder \
                    who came for the lead. Since then I have trusted tiles, which nobody steals, and slaters, who are \
                    too slow to run.";

/// Creates folders with one persona and one document of two passages.
fn ada_folders() -> CorpusFolders {
    let folders = CorpusFolders::new("ada-quill", PERSONA);
    folders.write_document("walls", &[WALL, ROOF]);
    folders
}

/// The stand-in under another name, which counts the texts that it embeds and fails after a number of them.
struct CountingEmbedder {
    name: &'static str,
    n_texts: AtomicUsize,
    fails_after: usize,
}

impl CountingEmbedder {
    fn named(name: &'static str) -> Self {
        CountingEmbedder { name, n_texts: AtomicUsize::new(0), fails_after: usize::MAX }
    }

    /// Number of texts embedded since the last call.
    fn taken(&self) -> usize {
        self.n_texts.swap(0, Ordering::SeqCst)
    }
}

impl Embedder for CountingEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn width(&self) -> usize {
        Hashing.width()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        if self.n_texts.fetch_add(texts.len(), Ordering::SeqCst) + texts.len() > self.fails_after {
            return Box::pin(async { Err(Failure::new(FailureKind::Unavailable, "the lights went out")) });
        }
        Hashing.embed(texts)
    }
}

async fn run(library: &Library, embedder: &dyn Embedder, folders: &Folders) -> IngestReport {
    ingest(library, embedder, folders, &|_| {}).await.expect("ingest")
}

fn id(id: &str) -> PersonaId {
    id.parse().expect("a persona id")
}

fn ada(report: &IngestReport) -> PersonaCounts {
    report.personas[&id("ada-quill")]
}

/// Reason for which a file was skipped.
fn why(report: &IngestReport, file: &str) -> String {
    let skipped = report.skipped.iter().find(|entry| entry.file.ends_with(file));
    skipped.unwrap_or_else(|| panic!("{file} was not skipped: {:?}", report.skipped)).why.clone()
}

#[tokio::test]
async fn only_changed_passages_are_embedded() {
    let (library, embedder, corpus) = (empty_library().await, CountingEmbedder::named("counting:1"), ada_folders());
    let report = run(&library, &embedder, &corpus.folders()).await;
    let passages = DocumentChanges { new: 2, unchanged: 0, removed: 0 };
    assert_eq!(ada(&report), PersonaCounts { n_read: 1, n_unchanged: 0, n_removed: 0, passages });
    assert_eq!((report.skipped.len(), report.embedder.as_str()), (0, "counting:1"));
    assert_eq!(embedder.taken(), 2 + 3 + 3, "two passages with three sentences each");

    let report = run(&library, &embedder, &corpus.folders()).await;
    let passages = DocumentChanges { new: 0, unchanged: 2, removed: 0 };
    assert_eq!(ada(&report), PersonaCounts { n_read: 0, n_unchanged: 1, n_removed: 0, passages });
    assert_eq!(embedder.taken(), 0);

    // A new passage before the others: the existing passages are not embedded again.
    let new = format!("{WALL} And yet it moves.");
    corpus.write_document("walls", &[&new, WALL, ROOF]);
    let report = run(&library, &embedder, &corpus.folders()).await;
    assert_eq!(ada(&report).passages, DocumentChanges { new: 1, unchanged: 2, removed: 0 });
    assert_eq!(embedder.taken(), 1 + 4);

    corpus.write_document("walls", &[ROOF]);
    let report = run(&library, &embedder, &corpus.folders()).await;
    assert_eq!(ada(&report).passages, DocumentChanges { new: 0, unchanged: 1, removed: 2 });

    corpus.remove("corpus/ada-quill/walls.md");
    let report = run(&library, &embedder, &corpus.folders()).await;
    assert_eq!((ada(&report).n_removed, ada(&report).passages.removed), (1, 1));
    assert!(report.remarks[0].to_string().contains("there is no document in this folder"));
    assert!(library.documents(&id("ada-quill")).await.unwrap().is_empty());
    assert_eq!(embedder.taken(), 0);
}

#[tokio::test]
async fn a_repeated_passage_is_stored_twice() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write_document("walls", &[WALL, ROOF, WALL]);
    corpus.write_document("again", &[WALL]);
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert_eq!(ada(&report).passages.new, 4);
    corpus.remove("corpus/ada-quill/again.md");
    corpus.write_document("walls", &[WALL, ROOF]);
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert_eq!(ada(&report).passages, DocumentChanges { new: 0, unchanged: 2, removed: 2 });
}

#[tokio::test]
async fn invalid_documents_are_skipped_with_a_reason() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write("outside.md", fs::read(corpus.at("corpus/ada-quill/walls.md")).unwrap());
    std::os::unix::fs::symlink("../../outside.md", corpus.at("corpus/ada-quill/link.md")).unwrap();
    let front = "---\ntitle: a\nsource: b\ndate: 2025-02-20\nkind: letter\n---\n";
    corpus.write("corpus/ada-quill/nul.md", format!("{front}\none\0two"));
    corpus.write("corpus/ada-quill/latin.md", [front.as_bytes(), b"caf\xe9"].concat());
    corpus.write("corpus/ada-quill/line.md", format!("{front}\n{}", "x".repeat(5_000_000)));
    corpus.write("corpus/ada-quill/word.md", format!("{front}\n{}", "x".repeat(3_000_000)));
    corpus.write("corpus/ada-quill/undated.md", front.replace("2025", "yesterday") + "It leans.");
    corpus.write("corpus/ada-quill/notes.rtf", "notes");
    corpus.write("corpus/nobody/text.md", front);
    std::os::unix::fs::symlink("/", corpus.at("corpus/root")).unwrap();

    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert!(why(&report, "link.md").starts_with("is a symbolic link"));
    assert!(why(&report, "nul.md").starts_with("contains a NUL byte in line 8"));
    assert!(why(&report, "latin.md").starts_with("is not UTF-8 in line 7"));
    assert!(why(&report, "line.md").starts_with("is larger than 4096 KiB"));
    assert_eq!(why(&report, "word.md"), "there is no text in it");
    assert!(why(&report, "notes.rtf").starts_with("is not a document"));
    assert!(why(&report, "nobody").starts_with("belongs to no persona"));
    assert!(why(&report, "root").starts_with("belongs to no persona"));
    assert_eq!((report.skipped.len(), ada(&report).passages.new), (8, 3));
    let undated = report.sources.iter().find(|source| source.name == "undated").unwrap();
    assert!(undated.remarks[0].starts_with("line 4: \"yesterday-02-20\" is not a date and was ignored"));
}

#[tokio::test]
async fn a_document_that_becomes_invalid_keeps_its_stored_passages() {
    let (library, corpus) = (empty_library().await, ada_folders());
    run(&library, &Hashing, &corpus.folders()).await;
    corpus.write("corpus/ada-quill/walls.md", "---\ntitle: half");
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert!(why(&report, "walls.md").starts_with("line 1: the front matter is not closed"));
    assert_eq!(ada(&report).passages, DocumentChanges { new: 0, unchanged: 2, removed: 0 });
    assert_eq!(library.holdings().await.unwrap()[0].n_passages, 2);

    // A link in place of the folder does not remove the stored documents.
    fs::rename(corpus.at("corpus/ada-quill"), corpus.at("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", corpus.at("corpus/ada-quill")).unwrap();
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert!(why(&report, "ada-quill").contains("links are not followed"));
    assert_eq!(library.holdings().await.unwrap()[0].n_passages, 2);
}

#[tokio::test]
async fn personas_are_checked_before_anything_is_written() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write("personas/bo.toml", PERSONA.replace("version = 1", "version = 0"));
    corpus.write("personas/Cy.toml", PERSONA);
    let error = ingest(&library, &Hashing, &corpus.folders(), &|_| {}).await.unwrap_err();
    let actual = error.to_string();
    assert!(
        actual.contains("bo.toml:4: version: expected 1 or more") && actual.contains("Cy.toml: the file name"),
        "{actual}"
    );
    assert!(library.personas().await.unwrap().is_empty());

    // Personas that are not selected may be invalid.
    let only = Some(vec![id("ada-quill")]);
    let report = run(&library, &Hashing, &Folders { only, ..corpus.folders() }).await;
    assert_eq!(ada(&report).passages.new, 2);
    let only = Some(vec![id("di")]);
    let error = ingest(&library, &Hashing, &Folders { only, ..corpus.folders() }, &|_| {}).await.unwrap_err();
    assert!(error.to_string().contains("di.toml: there is no such persona"), "{error}");
}

#[tokio::test]
async fn a_missing_folder_is_not_taken_for_an_empty_one() {
    let (library, corpus) = (empty_library().await, ada_folders());
    run(&library, &Hashing, &corpus.folders()).await;
    let nowhere = Folders { corpus: corpus.at("nowhere"), ..corpus.folders() };
    let error = ingest(&library, &Hashing, &nowhere, &|_| {}).await.unwrap_err();
    assert!(matches!(&error, IngestError::Corpus(it) if it.file.ends_with("nowhere")), "{error}");
    fs::create_dir(corpus.at("empty")).unwrap();
    for folder in ["nowhere", "empty"] {
        let folders = Folders { personas: corpus.at(folder), ..corpus.folders() };
        assert!(matches!(ingest(&library, &Hashing, &folders, &|_| {}).await, Err(IngestError::Personas(_))));
    }
    assert_eq!(library.holdings().await.unwrap()[0].n_passages, 2, "nothing was removed");
}

#[tokio::test]
async fn a_persona_without_a_file_is_removed_unless_only_some_were_selected() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write("personas/bo.toml", PERSONA);
    run(&library, &Hashing, &corpus.folders()).await;
    corpus.remove("personas/ada-quill.toml");
    let some = Folders { only: Some(vec![id("bo")]), ..corpus.folders() };
    assert!(run(&library, &Hashing, &some).await.removed.is_empty());
    assert_eq!(run(&library, &Hashing, &corpus.folders()).await.removed, [id("ada-quill")]);
    assert_eq!(library.personas().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_change_without_a_new_version_is_reported() {
    let (library, corpus) = (empty_library().await, ada_folders());
    run(&library, &Hashing, &corpus.folders()).await;
    corpus.write("personas/ada-quill.toml", PERSONA.replace("\"dry\"", "\"wet\""));
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert!(report.remarks[0].to_string().ends_with("contract or voice changed, but version is still 1; increase it"));
    let report = run(&library, &Hashing, &corpus.folders()).await;
    assert!(report.remarks.is_empty());
    assert_eq!(library.persona(&id("ada-quill")).await.unwrap().unwrap().persona.contract.personality, "wet");
}

#[tokio::test]
async fn an_interrupted_ingest_continues_where_it_stopped() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write_document("b", &[ROOF]);
    corpus.write_document("c", &[WALL]);
    let failing = CountingEmbedder { fails_after: 6, ..CountingEmbedder::named("counting:1") };
    let error = ingest(&library, &failing, &corpus.folders(), &|_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot embed the document c of ada-quill: the lights went out");
    let embedder = CountingEmbedder::named("counting:1");
    let report = run(&library, &embedder, &corpus.folders()).await;
    assert_eq!((ada(&report).n_unchanged, ada(&report).n_read, embedder.taken()), (1, 2, 4 + 8));
}

#[tokio::test]
async fn another_embedder_is_refused_until_everything_is_reembedded() {
    let (library, corpus) = (empty_library().await, ada_folders());
    run(&library, &CountingEmbedder::named("counting:1"), &corpus.folders()).await;
    let second = CountingEmbedder { fails_after: 3, ..CountingEmbedder::named("counting:2") };
    let refused = ingest(&library, &second, &corpus.folders(), &|_| {}).await.unwrap_err();
    assert!(matches!(refused, IngestError::Library(LibraryError::OtherEmbedder { .. })));
    assert!(refused.to_string().contains("`faultline corpus reembed`"), "{refused}");

    // The old vectors are used until the new embedder has embedded everything, with or without the source files.
    let error = reembed(&library, &second, &|_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot embed the library again: the lights went out");
    assert_eq!(library.embedder_in_use().await.unwrap().unwrap().name, "counting:1");
    let second = CountingEmbedder::named("counting:2");
    let done = reembed(&library, &second, &|_| {}).await.unwrap();
    assert_eq!((done.n_embedded, done.n_forgotten, second.taken()), (2, 2, 8));
    let report = run(&library, &second, &corpus.folders()).await;
    assert_eq!((ada(&report).n_unchanged, report.embedder.as_str()), (1, "counting:2"));
    assert_eq!(reembed(&library, &second, &|_| {}).await.unwrap().n_embedded, 0);
}

#[tokio::test]
async fn reported_progress_adds_up() {
    let (library, corpus) = (empty_library().await, ada_folders());
    corpus.write_document("b", &[ROOF]);
    let actual = Mutex::new(Vec::new());
    ingest(&library, &Hashing, &corpus.folders(), &|progress| actual.lock().unwrap().push(progress)).await.unwrap();
    let actual = actual.into_inner().unwrap();
    let n_embedded = |progress: &IngestProgress| {
        if let IngestProgress::Embedded { n_texts } = progress { *n_texts } else { 0 }
    };
    assert_eq!(actual[0], IngestProgress::Planned { n_documents: 2, n_texts: 12 });
    assert_eq!(actual.iter().map(n_embedded).sum::<usize>(), 12);
    let stored = |progress: &&IngestProgress| matches!(progress, IngestProgress::Stored { .. });
    assert_eq!(actual.iter().filter(stored).count(), 2);
}

fn shipped(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

#[tokio::test]
async fn all_shipped_documents_are_ingested() {
    let library = empty_library().await;
    let folders = Folders { personas: shipped("personas"), corpus: shipped("corpus"), only: None };
    let report = run(&library, &Hashing, &folders).await;
    assert!(report.skipped.is_empty() && report.remarks.is_empty(), "{:?} {:?}", report.skipped, report.remarks);
    let holdings = library.holdings().await.unwrap();
    assert!(holdings.len() >= 6);
    let by = library.embedder_in_use().await.unwrap().unwrap();
    for it in holdings {
        assert!(it.n_passages >= 40, "{} has {} passages", it.persona, it.n_passages);
        let sentences = library.sentences(&by, &it.persona).await.unwrap();
        assert_eq!(sentences.len() as i64, it.n_sentences);
        let chunks: Vec<_> = sentences.iter().map(|sentence| sentence.chunk).collect();
        for passage in library.passages(&it.persona, &chunks).await.unwrap() {
            let n_words = passage.text.split_whitespace().count();
            assert!(n_words >= MIN_PASSAGE_WORDS, "{} words in {}: {}", n_words, passage.document, passage.text);
            let mut own = sentences.iter().filter(|sentence| sentence.chunk == passage.chunk);
            assert!(own.all(|sentence| passage.text.contains(&sentence.text)), "sentences are parts of their passages");
        }
    }
}

#[test]
fn shipped_sentences_are_complete() {
    for persona in read_personas(&shipped("personas"), None).unwrap() {
        for file in fs::read_dir(shipped("corpus").join(persona.persona.id.as_str())).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let reading = read_file(Form::Markdown, &file, fs::read(&file).unwrap()).unwrap();
            for passage in &reading.documents[0].1.passages {
                for sentence in sentences(passage) {
                    let begins = sentence.starts_with(|letter: char| {
                        letter.is_uppercase() || letter.is_numeric() || "\"'“‘(".contains(letter)
                    });
                    assert!(
                        begins && sentence.ends_with(['.', '!', '?', '"', '\'', ')', ':']),
                        "{}: {sentence}",
                        file.display()
                    );
                }
            }
        }
    }
}
