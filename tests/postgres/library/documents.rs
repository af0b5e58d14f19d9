//! The library: stored documents, searches, and refused input.

use std::collections::HashMap;

use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::Persona;
use faultline_store::library::document_writes::{DocumentChanges, chunk_id};
use faultline_store::library::new_document::{Embedded, NewChunk};
use faultline_store::library::open::{Library, LibraryError, MAX_WIDTH};
use faultline_store::library::recall::{CorpusScope, LibrarySearch, MAX_PASSAGES, MAX_SEARCH_BYTES, StoredPassage};
use faultline_store::stored_embedder::StoredEmbedder;

use crate::support::test_library::{
    TestLibrary, WIDTH, document, empty_library, empty_persona, persona_id, vector_towards,
};

/// Vector between two directions; the larger the share, the nearer to the first.
fn vector_between(first: usize, second: usize, share: f32) -> Vec<f32> {
    let mut vector = vector_towards(second);
    vector[second] = 1.0 - share;
    vector[first] = share;
    vector
}

/// Creates a library with one embedder and these personas.
async fn filled_library(personas: &[&str]) -> (TestLibrary, StoredEmbedder) {
    let library = empty_library().await;
    let by = library.embedder("test:1", WIDTH, false).await.expect("an empty library takes any embedder");
    for it in personas {
        assert!(library.upsert_persona(&empty_persona(it), &[]).await.expect("store a persona"));
    }
    (library, by)
}

async fn recall(library: &Library, by: &StoredEmbedder, of: &str, text: &str, vector: Vec<f32>) -> Vec<StoredPassage> {
    let search = LibrarySearch { whose: CorpusScope::Of(&[persona_id(of)]), text, vector: &vector, limit: 10 };
    library.recall(by, search).await.expect("recall")
}

fn texts(passages: &[StoredPassage]) -> Vec<&str> {
    passages.iter().map(|passage| passage.text.as_str()).collect()
}

#[tokio::test]
async fn a_found_passage_names_its_source() {
    let (library, by) = filled_library(&["ada"]).await;
    let written = library.put(&by, &document("ada", "walls", &[("The wall stands.", 3)])).await.unwrap();
    assert_eq!(written, DocumentChanges { new: 1, unchanged: 0, removed: 0 });

    let found = recall(&library, &by, "ada", "", vector_towards(3)).await;
    let [passage] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&passage.persona, passage.document.as_str(), passage.ordinal), (&persona_id("ada"), "walls", 0));
    assert_eq!(
        (passage.title.as_str(), passage.source.as_str(), passage.kind.as_str()),
        ("WALLS", "a drawer", "letter")
    );
    assert_eq!((passage.text.as_str(), passage.date.to_string().as_str()), ("The wall stands.", "2025-02-20"));
    assert_eq!(passage.chunk, chunk_id(&persona_id("ada"), "walls", 0, "The wall stands."));
    assert!((passage.score - 1.0 / 6.0).abs() < 1e-12, "one ranking, first place: {}", passage.score);
    let again = library.passages(&persona_id("ada"), &[passage.chunk, uuid::Uuid::nil()]).await.unwrap();
    assert_eq!(again, [StoredPassage { score: 0.0, ..passage.clone() }]);
}

#[tokio::test]
async fn vectors_decide_if_no_word_matches() {
    let (library, by) = filled_library(&["ada"]).await;
    let passages = [("Rain on the roof.", 1), ("Wind in the trees.", 2), ("Snow on the pass.", 3)];
    library.put(&by, &document("ada", "weather", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "and the", vector_between(2, 3, 0.6)).await;
    assert_eq!(texts(&found), ["Wind in the trees.", "Snow on the pass.", "Rain on the roof."]);
}

#[tokio::test]
async fn rare_words_outweigh_a_distant_vector() {
    let (library, by) = filled_library(&["ada"]).await;
    let mut passages = vec![("A crowbar and a spirit level were left in the vestry.", 9)];
    let others: Vec<String> = (0..20).map(|n| format!("Passage {n} is about a level of something.")).collect();
    passages.extend(others.iter().map(|text| (text.as_str(), 1)));
    library.put(&by, &document("ada", "tools", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "crowbars in vestries", vector_towards(1)).await;
    assert_eq!(found[0].text, passages[0].0, "found by both words, although its vector is distant");
    let found = recall(&library, &by, "ada", "\"spirit level\"", vector_towards(1)).await;
    assert_eq!(found[0].text, passages[0].0, "quoted words match as a phrase");
}

#[tokio::test]
async fn stand_in_vectors_weigh_less_than_words() {
    let library = empty_library().await;
    let by = library.embedder("spelling", WIDTH, true).await.unwrap();
    library.upsert_persona(&empty_persona("ada"), &[]).await.unwrap();
    let passages = [("Something else entirely.", 1), ("The vestry is locked.", 2), ("More of something.", 3)];
    library.put(&by, &document("ada", "tools", &passages)).await.unwrap();
    let found = recall(&library, &by, "ada", "who has keys of the vestry", vector_towards(1)).await;
    assert_eq!(found[0].text, "The vestry is locked.");
}

#[tokio::test]
async fn unusual_search_texts_are_accepted() {
    let (library, by) = filled_library(&["ada"]).await;
    library.put(&by, &document("ada", "walls", &[("O'Brien's wall: a|b & c!", 3)])).await.unwrap();
    let odd =
        ["", " ", "the of and", "\0", "O'Brien's | wall & !c <-> 'x", "\"", "-wall", "a:*", "\\", "(((", "🙂", "'''"];
    let long = "wall ".repeat(MAX_SEARCH_BYTES / 5);
    for text in odd.into_iter().chain([long.as_str()]) {
        let found = recall(&library, &by, "ada", text, vector_towards(3)).await;
        assert_eq!(found.len(), 1, "{:?}", &text[..text.len().min(40)]);
    }
}

#[tokio::test]
async fn only_the_selected_personas_are_searched() {
    let (library, by) = filled_library(&["ada", "bo", "cy"]).await;
    for of in ["ada", "bo"] {
        library.put(&by, &document(of, "walls", &[("The same wall.", 3)])).await.unwrap();
    }
    let whose = |found: Vec<StoredPassage>| found.into_iter().map(|passage| passage.persona).collect::<Vec<_>>();
    assert_eq!(whose(recall(&library, &by, "bo", "wall", vector_towards(3)).await), [persona_id("bo")]);
    assert!(recall(&library, &by, "cy", "wall", vector_towards(3)).await.is_empty());
    assert!(recall(&library, &by, "nobody", "wall", vector_towards(3)).await.is_empty());
    let both = LibrarySearch {
        whose: CorpusScope::Of(&[persona_id("ada"), persona_id("bo")]),
        text: "wall",
        vector: &vector_towards(3),
        limit: 10,
    };
    let mut found = whose(library.recall(&by, both).await.unwrap());
    found.sort();
    assert_eq!(found, [persona_id("ada"), persona_id("bo")]);
}

#[tokio::test]
async fn passages_of_equal_score_are_ordered_by_id() {
    let (library, by) = filled_library(&["ada"]).await;
    let alike: Vec<String> = (0..60).map(|n| format!("Nothing {n}.")).collect();
    let passages: Vec<(&str, usize)> = alike.iter().map(|text| (text.as_str(), 3)).collect();
    library.put(&by, &document("ada", "walls", &passages)).await.unwrap();
    let search = LibrarySearch {
        whose: CorpusScope::Of(&[persona_id("ada")]),
        text: "",
        vector: &vector_towards(3),
        limit: MAX_PASSAGES,
    };
    let found = library.recall(&by, search).await.unwrap();
    assert_eq!(found.len(), MAX_PASSAGES);
    assert!(found.is_sorted_by_key(|passage| passage.chunk));
    assert_eq!(library.recall(&by, search).await.unwrap(), found);
}

#[tokio::test]
async fn searches_beyond_a_limit_are_refused() {
    let (library, by) = filled_library(&["ada"]).await;
    let vector = vector_towards(0);
    let search = |text, limit| LibrarySearch { whose: CorpusScope::Of(&[]), text, vector: &vector, limit };
    let error = library.recall(&by, search("", MAX_PASSAGES + 1)).await.unwrap_err();
    assert_eq!(error.to_string(), "the number of passages to return is 51; the maximum is 50");
    let long = "x".repeat(MAX_SEARCH_BYTES + 1);
    assert!(matches!(library.recall(&by, search(&long, 1)).await, Err(LibraryError::Limit { .. })));
    let short = LibrarySearch { whose: CorpusScope::Of(&[]), text: "", vector: &vector[1..], limit: 1 };
    assert!(matches!(library.recall(&by, short).await, Err(LibraryError::Width { given: 383, .. })));
}

#[tokio::test]
async fn sentences_are_ordered_and_their_vectors_are_exact() {
    let (library, by) = filled_library(&["ada"]).await;
    let on_grid: Vec<f32> = (0..WIDTH).map(|index| (index as f32 - 190.0) / 4096.0).collect();
    let mut first = document("ada", "z", &[]);
    first.title = "Anchor".to_owned();
    let sentences = vec![("One.".to_owned(), on_grid.clone()), ("Two.".to_owned(), vector_towards(1))];
    let embedded = Some(Embedded { vector: vector_towards(1), sentences });
    first.chunks.push(NewChunk {
        id: chunk_id(&persona_id("ada"), "z", 0, "One. Two."),
        text: "One. Two.".to_owned(),
        embedded,
    });
    library.put(&by, &document("ada", "b", &[("Three.", 1), ("Four.", 2)])).await.unwrap();
    library.put(&by, &first).await.unwrap();

    let found = library.sentences(&by, &persona_id("ada")).await.unwrap();
    let actual: Vec<(&str, u16)> = found.iter().map(|sentence| (sentence.text.as_str(), sentence.ordinal)).collect();
    assert_eq!(
        actual,
        [("One.", 0), ("Two.", 1), ("Three.", 0), ("Four.", 0)],
        "ordered by the titles of the documents"
    );
    assert_eq!(found[0].vector, on_grid);
    assert_eq!(found[0].chunk, first.chunks[0].id);
    assert!(library.sentences(&by, &persona_id("nobody")).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_new_version_of_a_document_replaces_the_stored_one() {
    let (library, by) = filled_library(&["ada"]).await;
    let first = document("ada", "walls", &[("One.", 1), ("Two.", 2), ("Three.", 3)]);
    library.put(&by, &first).await.unwrap();

    // Another order, one passage removed and one new; vectors that are stored are not given again.
    let mut second = document("ada", "walls", &[("Three.", 3), ("Four.", 4), ("One.", 1)]);
    second.title = "Walls, revised".to_owned();
    second.hash = [8; 32];
    let stored: HashMap<_, _> = library.chunks_of(&persona_id("ada"), "walls").await.unwrap();
    assert_eq!(stored.len(), 3);
    for chunk in &mut second.chunks {
        if stored.get(&chunk.id).is_some_and(|sentences| sentences == std::slice::from_ref(&chunk.text)) {
            chunk.embedded = None;
        }
    }
    let written = library.put(&by, &second).await.unwrap();
    assert_eq!(written, DocumentChanges { new: 1, unchanged: 2, removed: 1 });
    let actual: Vec<String> =
        library.sentences(&by, &persona_id("ada")).await.unwrap().into_iter().map(|sentence| sentence.text).collect();
    assert_eq!(actual, ["Three.", "Four.", "One."]);
    let documents = library.documents(&persona_id("ada")).await.unwrap();
    assert_eq!((documents[0].name.as_str(), documents[0].n_passages, documents[0].hash[0]), ("walls", 3, 8));
    assert_eq!(recall(&library, &by, "ada", "four", vector_towards(4)).await[0].title, "Walls, revised");
    assert_eq!(library.put(&by, &second).await.unwrap(), DocumentChanges { new: 1, unchanged: 2, removed: 0 });

    assert_eq!(library.remove_document(&persona_id("ada"), "walls").await.unwrap(), 3);
    assert_eq!(library.remove_document(&persona_id("ada"), "walls").await.unwrap(), 0);
    assert!(recall(&library, &by, "ada", "four", vector_towards(4)).await.is_empty());
}

#[tokio::test]
async fn a_passage_in_two_documents_is_stored_twice() {
    let (library, by) = filled_library(&["ada"]).await;
    for name in ["a", "b"] {
        library.put(&by, &document("ada", name, &[("Twice told.", 1)])).await.unwrap();
    }
    library.remove_document(&persona_id("ada"), "a").await.unwrap();
    assert_eq!(texts(&recall(&library, &by, "ada", "twice", vector_towards(1)).await), ["Twice told."]);
}

#[tokio::test]
async fn a_document_is_stored_completely_or_not_at_all() {
    let (library, by) = filled_library(&["ada"]).await;
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
    assert_eq!(
        error.to_string(),
        "there is no persona or shared corpus bo in the library; run `faultline corpus ingest` first"
    );
    assert_eq!(texts(&recall(&library, &by, "ada", "", vector_towards(1)).await), ["One."]);
}

#[tokio::test]
async fn concurrent_writes_of_one_document_both_succeed() {
    let (library, by) = filled_library(&["ada"]).await;
    let texts: Vec<String> = (0..40).map(|n| format!("Passage {n}.")).collect();
    let passages: Vec<(&str, usize)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
    let (forth, mut back) = (document("ada", "walls", &passages), document("ada", "walls", &passages));
    back.chunks.reverse();
    for _ in 0..5 {
        let (a, b) = tokio::join!(library.put(&by, &forth), library.put(&by, &back));
        assert_eq!((a.unwrap().new, b.unwrap().new), (40, 40));
    }
    assert_eq!(library.sentences(&by, &persona_id("ada")).await.unwrap().len(), 40);
}

#[tokio::test]
async fn vectors_of_two_embedders_are_never_compared() {
    let (library, by) = filled_library(&["ada"]).await;
    assert_eq!(library.embedder("test:1", WIDTH, false).await.unwrap(), by, "opened again");
    assert!(matches!(library.embedder("test:1", 768, false).await, Err(LibraryError::Width { given: 768, .. })));
    for given in [0, MAX_WIDTH + 1] {
        assert!(matches!(library.embedder("odd", given, false).await, Err(LibraryError::TooWide { .. })));
    }
    // An empty library accepts any embedder.
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
    let search = LibrarySearch {
        whose: CorpusScope::Of(&[persona_id("ada")]),
        text: "one",
        vector: &vector_towards(1),
        limit: 1,
    };
    assert!(matches!(library.recall(&by, search).await, Err(LibraryError::OtherEmbedder { .. })));
    assert!(matches!(library.sentences(&by, &persona_id("ada")).await, Err(LibraryError::OtherEmbedder { .. })));
}

#[tokio::test]
async fn an_embedder_is_replaced_once_the_new_one_has_embedded_everything() {
    let (library, old) = filled_library(&["ada", "bo"]).await;
    library.put(&old, &document("ada", "a", &[("One.", 1), ("Two.", 2)])).await.unwrap();
    library.put(&old, &document("bo", "a", &[("Three.", 3)])).await.unwrap();

    let new = library.register_embedder("test:2", WIDTH, true).await.unwrap();
    assert_eq!(library.count_unembedded(&new).await.unwrap(), 3);
    let error = library.activate(&new).await.unwrap_err();
    assert!(error.to_string().starts_with("3 passages have no vector by test:2 yet"), "{error}");
    let unseen = library.unembedded(&new, None, 2).await.unwrap();
    assert_eq!((unseen.len(), unseen[0].sentences.len()), (2, 1));
    let embedded =
        |text: &str| Embedded { vector: vector_towards(9), sentences: vec![(text.to_owned(), vector_towards(9))] };
    let mut seen: Vec<_> = unseen.into_iter().map(|passage| (passage.clone(), embedded(&passage.text))).collect();
    // One passage has other sentences now than when it was read.
    seen[1].0.sentences.push("More.".to_owned());
    library.put_vectors(&new, &seen).await.unwrap();
    assert_eq!(library.count_unembedded(&new).await.unwrap(), 2);
    assert_eq!(
        recall(&library, &old, "ada", "", vector_towards(1)).await.len(),
        2,
        "the old embedder is used meanwhile"
    );

    // Passages written with the old embedder meanwhile must be embedded again.
    library.put(&old, &document("ada", "a", &[("One.", 1), ("Two.", 2)])).await.unwrap();
    let unseen = library.unembedded(&new, None, 10).await.unwrap();
    assert_eq!(unseen.len(), 3);
    let seen: Vec<_> = unseen.into_iter().map(|passage| (passage.clone(), embedded(&passage.text))).collect();
    library.put_vectors(&new, &seen).await.unwrap();
    library.put_vectors(&new, &seen).await.unwrap();
    library.activate(&new).await.unwrap();
    assert_eq!(library.embedder_in_use().await.unwrap(), Some(new.clone()));
    assert_eq!(library.sentences(&new, &persona_id("ada")).await.unwrap()[0].vector, vector_towards(9));
    assert!(matches!(
        library.activate(&old).await,
        Err(LibraryError::Incomplete { .. } | LibraryError::Retired { .. })
    ));
    assert_eq!(library.embedder_in_use().await.unwrap(), Some(new));
}

#[tokio::test]
async fn personas_are_stored_and_removed_with_their_documents() {
    let (library, by) = filled_library(&["bo", "ada"]).await;
    library.put(&by, &document("ada", "a", &[("One.", 1)])).await.unwrap();
    assert!(!library.upsert_persona(&empty_persona("ada"), &[]).await.unwrap(), "nothing has changed");
    let changed = Persona { about: "a clerk".to_owned(), version: 2, ..empty_persona("ada") };
    assert!(library.upsert_persona(&changed, &["Why?".to_owned()]).await.unwrap());
    let stored = library.persona(&persona_id("ada")).await.unwrap().unwrap();
    assert_eq!((stored.persona, stored.topics), (changed, vec!["Why?".to_owned()]));
    let ids: Vec<PersonaId> = library.personas().await.unwrap().into_iter().map(|persona| persona.persona.id).collect();
    assert_eq!(ids, [persona_id("ada"), persona_id("bo")]);
    let holdings = library.holdings().await.unwrap();
    assert_eq!((holdings[0].n_documents, holdings[0].n_passages, holdings[0].n_sentences), (1, 1, 1));
    assert_eq!((holdings[1].name.as_str(), holdings[1].n_documents), ("BO", 0));

    assert!(library.remove_persona(&persona_id("ada")).await.unwrap());
    assert!(!library.remove_persona(&persona_id("ada")).await.unwrap());
    assert_eq!(library.persona(&persona_id("ada")).await.unwrap(), None);
    assert_eq!(library.count_unembedded(&by).await.unwrap(), 0, "no passage is left");
}
