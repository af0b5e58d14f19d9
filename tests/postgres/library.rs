//! The library: what goes in, what is found again, and what is refused.

use std::collections::HashMap;
use std::ops::Deref;

use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_store::library::document_writes::{DocumentChanges, Embedded, NewChunk, NewDocument, chunk_id};
use faultline_store::library::open::{Library, LibraryError, MAX_WIDTH, StoredEmbedder};
use faultline_store::library::recall::{CorpusScope, LibrarySearch, PASSAGES, SEARCH_BYTES, StoredPassage};

use sqlx::postgres::PgConnectOptions;

use crate::support::{Database, fresh};

/// The length of the vectors here.
const WIDTH: usize = 384;

/// The library in a database of one test's own.
pub struct Shelf {
    library: Library,
    /// Deleted when this is dropped.
    database: Database,
}

impl Shelf {
    /// How to connect to its database.
    pub fn options(&self) -> &PgConnectOptions {
        &self.database.options
    }
}

impl Deref for Shelf {
    type Target = Library;

    fn deref(&self) -> &Library {
        &self.library
    }
}

/// An empty library.
pub async fn library() -> Shelf {
    let database = fresh().await;
    Shelf { library: Library::new(database.pool.clone()), database }
}

/// A direction in space: vectors of unlike directions are far from one another.
fn towards(direction: usize) -> Vec<f32> {
    let mut vector = vec![0.0; WIDTH];
    vector[direction] = 1.0;
    vector
}

/// Between two directions, nearer to the first the larger the share.
fn between(first: usize, second: usize, share: f32) -> Vec<f32> {
    let mut vector = towards(second);
    vector[second] = 1.0 - share;
    vector[first] = share;
    vector
}

/// A persona's id.
pub fn id(id: &str) -> PersonaId {
    id.parse().expect("a persona id")
}

/// A persona of this id.
pub fn persona(of: &str) -> Persona {
    let (contract, voice) = (Contract::default(), Voice::default());
    Persona { id: id(of), name: of.to_uppercase(), about: String::new(), version: 1, contract, voice }
}

/// A document of passages, each with a direction; every passage is its own only sentence.
pub fn document(of: &str, name: &str, passages: &[(&str, usize)]) -> NewDocument {
    let chunk = |(text, direction): &(&str, usize)| NewChunk {
        id: chunk_id(&id(of), name, 0, text),
        text: (*text).to_owned(),
        embedded: Some(Embedded {
            vector: towards(*direction),
            sentences: vec![((*text).to_owned(), towards(*direction))],
        }),
    };
    NewDocument {
        persona: id(of),
        name: name.to_owned(),
        title: name.to_uppercase(),
        source: "a drawer".to_owned(),
        date: "2025-02-20".parse().expect("a date"),
        kind: "letter".to_owned(),
        hash: [7; 32],
        chunks: passages.iter().map(chunk).collect(),
    }
}

/// A library with one embedder and these personas.
async fn stocked(personas: &[&str]) -> (Shelf, StoredEmbedder) {
    let library = library().await;
    let by = library.embedder("test:1", WIDTH, false).await.expect("an empty library takes any embedder");
    for it in personas {
        assert!(library.upsert_persona(&persona(it), &[]).await.expect("enter a persona"));
    }
    (library, by)
}

async fn recall(library: &Library, by: &StoredEmbedder, of: &str, text: &str, vector: Vec<f32>) -> Vec<StoredPassage> {
    let search = LibrarySearch { whose: CorpusScope::Of(&[id(of)]), text, vector: &vector, limit: 10 };
    library.recall(by, search).await.expect("recall")
}

fn texts(passages: &[StoredPassage]) -> Vec<&str> {
    passages.iter().map(|it| it.text.as_str()).collect()
}

#[tokio::test]
async fn a_passage_comes_back_with_where_it_is_from() {
    let (library, by) = stocked(&["ada"]).await;
    let written = library.put(&by, &document("ada", "walls", &[("The wall stands.", 3)])).await.unwrap();
    assert_eq!(written, DocumentChanges { new: 1, unchanged: 0, removed: 0 });

    let found = recall(&library, &by, "ada", "", towards(3)).await;
    let [passage] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&passage.persona, passage.document.as_str(), passage.ordinal), (&id("ada"), "walls", 0));
    assert_eq!(
        (passage.title.as_str(), passage.source.as_str(), passage.kind.as_str()),
        ("WALLS", "a drawer", "letter")
    );
    assert_eq!((passage.text.as_str(), passage.date.to_string().as_str()), ("The wall stands.", "2025-02-20"));
    assert_eq!(passage.chunk, chunk_id(&id("ada"), "walls", 0, "The wall stands."));
    assert!((passage.score - 1.0 / 6.0).abs() < 1e-12, "one ranking, first place: {}", passage.score);
    let again = library.passages(&id("ada"), &[passage.chunk, uuid::Uuid::nil()]).await.unwrap();
    assert_eq!(again, [StoredPassage { score: 0.0, ..passage.clone() }]);
}

#[tokio::test]
async fn nearness_decides_where_words_say_nothing() {
    let (library, by) = stocked(&["ada"]).await;
    let passages = [("Rain on the roof.", 1), ("Wind in the trees.", 2), ("Snow on the pass.", 3)];
    library.put(&by, &document("ada", "weather", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "and the", between(2, 3, 0.6)).await;
    assert_eq!(texts(&found), ["Wind in the trees.", "Snow on the pass.", "Rain on the roof."]);
}

#[tokio::test]
async fn rare_words_outweigh_a_vector_that_points_elsewhere() {
    let (library, by) = stocked(&["ada"]).await;
    let mut passages = vec![("A crowbar and a spirit level were left in the vestry.", 9)];
    let others: Vec<String> = (0..20).map(|n| format!("Passage {n} is about a level of something.")).collect();
    passages.extend(others.iter().map(|it| (it.as_str(), 1)));
    library.put(&by, &document("ada", "tools", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "crowbars in vestries", towards(1)).await;
    assert_eq!(found[0].text, passages[0].0, "found by both words, though nothing is near");
    let found = recall(&library, &by, "ada", "\"spirit level\"", towards(1)).await;
    assert_eq!(found[0].text, passages[0].0, "words in quotes stand together");
}

#[tokio::test]
async fn a_stand_ins_vectors_weigh_less_than_words() {
    let library = library().await;
    let by = library.embedder("spelling", WIDTH, true).await.unwrap();
    library.upsert_persona(&persona("ada"), &[]).await.unwrap();
    let passages = [("Something else entirely.", 1), ("The vestry is locked.", 2), ("More of something.", 3)];
    library.put(&by, &document("ada", "tools", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "who has keys of the vestry", towards(1)).await;
    assert_eq!(found[0].text, "The vestry is locked.");
}

#[tokio::test]
async fn odd_searches_are_searches() {
    let (library, by) = stocked(&["ada"]).await;
    library.put(&by, &document("ada", "walls", &[("O'Brien's wall: a|b & c!", 3)])).await.unwrap();
    let odd =
        ["", " ", "the of and", "\0", "O'Brien's | wall & !c <-> 'x", "\"", "-wall", "a:*", "\\", "(((", "🙂", "'''"];
    let long = "wall ".repeat(SEARCH_BYTES / 5);
    for text in odd.into_iter().chain([long.as_str()]) {
        let found = recall(&library, &by, "ada", text, towards(3)).await;
        assert_eq!(found.len(), 1, "{:?}", &text[..text.len().min(40)]);
    }
}

#[tokio::test]
async fn only_the_personas_asked_for_are_searched() {
    let (library, by) = stocked(&["ada", "bo", "cy"]).await;
    for of in ["ada", "bo"] {
        library.put(&by, &document(of, "walls", &[("The same wall.", 3)])).await.unwrap();
    }
    let whose = |found: Vec<StoredPassage>| found.into_iter().map(|it| it.persona).collect::<Vec<_>>();
    assert_eq!(whose(recall(&library, &by, "bo", "wall", towards(3)).await), [id("bo")]);
    assert!(recall(&library, &by, "cy", "wall", towards(3)).await.is_empty());
    assert!(recall(&library, &by, "nobody", "wall", towards(3)).await.is_empty());
    let both =
        LibrarySearch { whose: CorpusScope::Of(&[id("ada"), id("bo")]), text: "wall", vector: &towards(3), limit: 10 };
    let mut found = whose(library.recall(&by, both).await.unwrap());
    found.sort();
    assert_eq!(found, [id("ada"), id("bo")]);
}

#[tokio::test]
async fn passages_that_fit_alike_come_in_the_order_of_their_ids() {
    let (library, by) = stocked(&["ada"]).await;
    let alike: Vec<String> = (0..60).map(|n| format!("Nothing {n}.")).collect();
    let passages: Vec<(&str, usize)> = alike.iter().map(|it| (it.as_str(), 3)).collect();
    library.put(&by, &document("ada", "walls", &passages)).await.unwrap();
    let search = LibrarySearch { whose: CorpusScope::Of(&[id("ada")]), text: "", vector: &towards(3), limit: PASSAGES };
    let found = library.recall(&by, search).await.unwrap();
    assert_eq!(found.len(), PASSAGES);
    assert!(found.is_sorted_by_key(|it| it.chunk));
    assert_eq!(library.recall(&by, search).await.unwrap(), found);
}

#[tokio::test]
async fn limits_of_a_search_are_named() {
    let (library, by) = stocked(&["ada"]).await;
    let vector = towards(0);
    let search = |text, limit| LibrarySearch { whose: CorpusScope::Of(&[]), text, vector: &vector, limit };
    let error = library.recall(&by, search("", PASSAGES + 1)).await.unwrap_err();
    assert_eq!(error.to_string(), "the number of passages to return is 51; the maximum is 50");
    let long = "x".repeat(SEARCH_BYTES + 1);
    assert!(matches!(library.recall(&by, search(&long, 1)).await, Err(LibraryError::Limit { .. })));
    let short = LibrarySearch { whose: CorpusScope::Of(&[]), text: "", vector: &vector[1..], limit: 1 };
    assert!(matches!(library.recall(&by, short).await, Err(LibraryError::Width { given: 383, .. })));
}

#[tokio::test]
async fn sentences_come_in_order_and_their_vectors_to_the_bit() {
    let (library, by) = stocked(&["ada"]).await;
    let on_grid: Vec<f32> = (0..WIDTH).map(|it| (it as f32 - 190.0) / 4096.0).collect();
    let mut first = document("ada", "z", &[]);
    first.title = "Anchor".to_owned();
    let sentences = vec![("One.".to_owned(), on_grid.clone()), ("Two.".to_owned(), towards(1))];
    let embedded = Some(Embedded { vector: towards(1), sentences });
    first.chunks.push(NewChunk {
        id: chunk_id(&id("ada"), "z", 0, "One. Two."),
        text: "One. Two.".to_owned(),
        embedded,
    });
    library.put(&by, &document("ada", "b", &[("Three.", 1), ("Four.", 2)])).await.unwrap();
    library.put(&by, &first).await.unwrap();

    let found = library.sentences(&by, &id("ada")).await.unwrap();
    let told: Vec<(&str, u16)> = found.iter().map(|it| (it.text.as_str(), it.ordinal)).collect();
    assert_eq!(told, [("One.", 0), ("Two.", 1), ("Three.", 0), ("Four.", 0)], "Anchor, then B");
    assert_eq!(found[0].vector, on_grid);
    assert_eq!(found[0].chunk, first.chunks[0].id);
    assert!(library.sentences(&by, &id("nobody")).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_document_becomes_what_was_put_last() {
    let (library, by) = stocked(&["ada"]).await;
    let first = document("ada", "walls", &[("One.", 1), ("Two.", 2), ("Three.", 3)]);
    library.put(&by, &first).await.unwrap();

    // In another order, one gone, one new; what is stored is not given again.
    let mut second = document("ada", "walls", &[("Three.", 3), ("Four.", 4), ("One.", 1)]);
    second.title = "Walls, revised".to_owned();
    second.hash = [8; 32];
    let stored: HashMap<_, _> = library.chunks_of(&id("ada"), "walls").await.unwrap();
    assert_eq!(stored.len(), 3);
    for chunk in &mut second.chunks {
        if stored.get(&chunk.id).is_some_and(|sentences| sentences == std::slice::from_ref(&chunk.text)) {
            chunk.embedded = None;
        }
    }
    let written = library.put(&by, &second).await.unwrap();
    assert_eq!(written, DocumentChanges { new: 1, unchanged: 2, removed: 1 });
    let told: Vec<String> = library.sentences(&by, &id("ada")).await.unwrap().into_iter().map(|it| it.text).collect();
    assert_eq!(told, ["Three.", "Four.", "One."]);
    let documents = library.documents(&id("ada")).await.unwrap();
    assert_eq!((documents[0].name.as_str(), documents[0].n_passages, documents[0].hash[0]), ("walls", 3, 8));
    assert_eq!(recall(&library, &by, "ada", "four", towards(4)).await[0].title, "Walls, revised");
    assert_eq!(library.put(&by, &second).await.unwrap(), DocumentChanges { new: 1, unchanged: 2, removed: 0 });

    assert_eq!(library.remove_document(&id("ada"), "walls").await.unwrap(), 3);
    assert_eq!(library.remove_document(&id("ada"), "walls").await.unwrap(), 0);
    assert!(recall(&library, &by, "ada", "four", towards(4)).await.is_empty());
}

#[tokio::test]
async fn a_passage_in_two_documents_is_two() {
    let (library, by) = stocked(&["ada"]).await;
    for name in ["a", "b"] {
        library.put(&by, &document("ada", name, &[("Twice told.", 1)])).await.unwrap();
    }
    library.remove_document(&id("ada"), "a").await.unwrap();
    assert_eq!(texts(&recall(&library, &by, "ada", "twice", towards(1)).await), ["Twice told."]);
}

#[tokio::test]
async fn what_cannot_be_stored_whole_is_not_stored_at_all() {
    let (library, by) = stocked(&["ada"]).await;
    library.put(&by, &document("ada", "walls", &[("One.", 1)])).await.unwrap();

    let mut promised = document("ada", "walls", &[("Two.", 2), ("Three.", 3)]);
    promised.chunks[1].embedded = None;
    let error = library.put(&by, &promised).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "another ingest changed the document walls of ada at the same time; run the ingest again"
    );

    let mut narrow = document("ada", "walls", &[("Two.", 2)]);
    narrow.chunks[0].embedded = Some(Embedded { vector: vec![1.0; 3], sentences: Vec::new() });
    assert!(matches!(library.put(&by, &narrow).await, Err(LibraryError::Width { given: 3, .. })));

    let error = library.put(&by, &document("bo", "walls", &[("One.", 1)])).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no persona bo in the library; run `faultline corpus ingest` first");
    assert_eq!(texts(&recall(&library, &by, "ada", "", towards(1)).await), ["One."]);
}

#[tokio::test]
async fn two_that_write_one_document_at_once_both_succeed() {
    let (library, by) = stocked(&["ada"]).await;
    let texts: Vec<String> = (0..40).map(|n| format!("Passage {n}.")).collect();
    let passages: Vec<(&str, usize)> = texts.iter().map(|it| (it.as_str(), 1)).collect();
    let (forth, mut back) = (document("ada", "walls", &passages), document("ada", "walls", &passages));
    back.chunks.reverse();
    for _ in 0..5 {
        let (a, b) = tokio::join!(library.put(&by, &forth), library.put(&by, &back));
        assert_eq!((a.unwrap().new, b.unwrap().new), (40, 40));
    }
    assert_eq!(library.sentences(&by, &id("ada")).await.unwrap().len(), 40);
}

#[tokio::test]
async fn vectors_of_two_embedders_never_meet() {
    let (library, by) = stocked(&["ada"]).await;
    assert_eq!(library.embedder("test:1", WIDTH, false).await.unwrap(), by, "opened again");
    assert!(matches!(library.embedder("test:1", 768, false).await, Err(LibraryError::Width { given: 768, .. })));
    for given in [0, MAX_WIDTH + 1] {
        assert!(matches!(library.embedder("odd", given, false).await, Err(LibraryError::TooWide { .. })));
    }
    // An empty library goes with whoever comes.
    let other = library.embedder("test:2", WIDTH, false).await.unwrap();
    assert!(matches!(
        library.put(&by, &document("ada", "a", &[("One.", 1)])).await,
        Err(LibraryError::OtherEmbedder { .. })
    ));
    library.put(&other, &document("ada", "a", &[("One.", 1)])).await.unwrap();

    let error = library.embedder("test:1", WIDTH, false).await.unwrap_err();
    let wanted = "the library's vectors were made by test:2 and the given ones by test:1; the two cannot be compared. \
                  Embed everything again with `faultline corpus reembed`, or go back to test:2";
    assert_eq!(error.to_string(), wanted);
    let search = LibrarySearch { whose: CorpusScope::Of(&[id("ada")]), text: "one", vector: &towards(1), limit: 1 };
    assert!(matches!(library.recall(&by, search).await, Err(LibraryError::OtherEmbedder { .. })));
    assert!(matches!(library.sentences(&by, &id("ada")).await, Err(LibraryError::OtherEmbedder { .. })));
}

#[tokio::test]
async fn an_embedder_is_exchanged_when_the_next_has_seen_everything() {
    let (library, old) = stocked(&["ada", "bo"]).await;
    library.put(&old, &document("ada", "a", &[("One.", 1), ("Two.", 2)])).await.unwrap();
    library.put(&old, &document("bo", "a", &[("Three.", 3)])).await.unwrap();

    let new = library.register_embedder("test:2", WIDTH, true).await.unwrap();
    assert_eq!(library.count_unseen(&new).await.unwrap(), 3);
    let error = library.switch(&new).await.unwrap_err();
    assert!(error.to_string().starts_with("3 passages have no vector by test:2 yet"), "{error}");
    let unseen = library.unembedded(&new, None, 2).await.unwrap();
    assert_eq!((unseen.len(), unseen[0].sentences.len()), (2, 1));
    let embedded = |text: &str| Embedded { vector: towards(9), sentences: vec![(text.to_owned(), towards(9))] };
    let mut seen: Vec<_> = unseen.into_iter().map(|it| (it.clone(), embedded(&it.text))).collect();
    // One is cut otherwise by now than when it was looked at.
    seen[1].0.sentences.push("More.".to_owned());
    library.put_vectors(&new, &seen).await.unwrap();
    assert_eq!(library.count_unseen(&new).await.unwrap(), 2);
    assert_eq!(recall(&library, &old, "ada", "", towards(1)).await.len(), 2, "the old one serves meanwhile");

    // What is written by the old one meanwhile has to be seen again.
    library.put(&old, &document("ada", "a", &[("One.", 1), ("Two.", 2)])).await.unwrap();
    let unseen = library.unembedded(&new, None, 10).await.unwrap();
    assert_eq!(unseen.len(), 3);
    let seen: Vec<_> = unseen.into_iter().map(|it| (it.clone(), embedded(&it.text))).collect();
    library.put_vectors(&new, &seen).await.unwrap();
    library.put_vectors(&new, &seen).await.unwrap();
    library.switch(&new).await.unwrap();
    assert_eq!(library.embedder_in_use().await.unwrap(), Some(new.clone()));
    assert_eq!(library.sentences(&new, &id("ada")).await.unwrap()[0].vector, towards(9));
    assert!(matches!(library.switch(&old).await, Err(LibraryError::Incomplete { .. } | LibraryError::Retired { .. })));
    assert_eq!(library.embedder_in_use().await.unwrap(), Some(new));
}

#[tokio::test]
async fn personas_are_kept_and_taken_out_with_all_they_wrote() {
    let (library, by) = stocked(&["bo", "ada"]).await;
    library.put(&by, &document("ada", "a", &[("One.", 1)])).await.unwrap();
    assert!(!library.upsert_persona(&persona("ada"), &[]).await.unwrap(), "nothing has changed");
    let changed = Persona { about: "a clerk".to_owned(), version: 2, ..persona("ada") };
    assert!(library.upsert_persona(&changed, &["Why?".to_owned()]).await.unwrap());
    let stored = library.persona(&id("ada")).await.unwrap().unwrap();
    assert_eq!((stored.persona, stored.topics), (changed, vec!["Why?".to_owned()]));
    let ids: Vec<PersonaId> = library.personas().await.unwrap().into_iter().map(|it| it.persona.id).collect();
    assert_eq!(ids, [id("ada"), id("bo")]);
    let holdings = library.holdings().await.unwrap();
    assert_eq!((holdings[0].n_documents, holdings[0].n_passages, holdings[0].n_sentences), (1, 1, 1));
    assert_eq!((holdings[1].name.as_str(), holdings[1].n_documents), ("BO", 0));

    assert!(library.remove_persona(&id("ada")).await.unwrap());
    assert!(!library.remove_persona(&id("ada")).await.unwrap());
    assert_eq!(library.persona(&id("ada")).await.unwrap(), None);
    assert_eq!(library.count_unseen(&by).await.unwrap(), 0, "no passage is left");
}
