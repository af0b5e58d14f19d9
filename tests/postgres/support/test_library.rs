//! Library in a database of one test, and documents for it.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::{Embedder, Pending};
use faultline_store::library::document_writes::chunk_id;
use faultline_store::library::new_document::{Embedded, NewChunk, NewDocument};
use faultline_store::library::open::Library;
use sqlx::postgres::PgConnectOptions;

use crate::support::database::{Database, migrated_database};

/// Width of the vectors in these tests.
pub const WIDTH: usize = 384;

/// A library in the database of one test.
pub struct TestLibrary {
    library: Library,
    /// Deleted on drop.
    database: Database,
}

impl TestLibrary {
    /// Connection options of its database.
    pub fn options(&self) -> &PgConnectOptions {
        &self.database.options
    }
}

impl Deref for TestLibrary {
    type Target = Library;

    fn deref(&self) -> &Library {
        &self.library
    }
}

/// Creates an empty library.
pub async fn empty_library() -> TestLibrary {
    let database = migrated_database().await;
    TestLibrary { library: Library::new(database.pool.clone()), database }
}

/// The offline embedder under a name that is not known to be a stand-in, so that pairs by it count; counts the texts.
pub struct NamedEmbedder {
    name: &'static str,
    n_texts: AtomicUsize,
}

impl NamedEmbedder {
    /// Creates an embedder of this name.
    pub fn new(name: &'static str) -> NamedEmbedder {
        NamedEmbedder { name, n_texts: AtomicUsize::new(0) }
    }

    /// Number of texts that it has embedded, searches included.
    pub fn n_texts(&self) -> usize {
        self.n_texts.load(Ordering::Relaxed)
    }
}

impl Embedder for NamedEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn width(&self) -> usize {
        Hashing.width()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        self.n_texts.fetch_add(texts.len(), Ordering::Relaxed);
        Hashing.embed(texts)
    }
}

/// Unit vector of one direction; vectors of different directions are orthogonal.
pub fn vector_towards(direction: usize) -> Vec<f32> {
    let mut vector = vec![0.0; WIDTH];
    vector[direction] = 1.0;
    vector
}

/// Parses a persona's id.
pub fn persona_id(id: &str) -> PersonaId {
    id.parse().expect("a persona id")
}

/// Persona with this id and an empty contract.
pub fn empty_persona(of: &str) -> Persona {
    let (contract, voice) = (Contract::default(), Voice::default());
    Persona { id: persona_id(of), name: of.to_uppercase(), about: String::new(), version: 1, contract, voice }
}

/// Document of these passages, each with the direction of its vector and one sentence, which is its text.
pub fn document(of: &str, name: &str, passages: &[(&str, usize)]) -> NewDocument {
    let chunk = |(text, direction): &(&str, usize)| NewChunk {
        id: chunk_id(&persona_id(of), name, 0, text),
        text: (*text).to_owned(),
        embedded: Some(Embedded {
            vector: vector_towards(*direction),
            sentences: vec![((*text).to_owned(), vector_towards(*direction))],
        }),
    };
    NewDocument {
        persona: persona_id(of),
        name: name.to_owned(),
        title: name.to_uppercase(),
        source: "a drawer".to_owned(),
        date: "2025-02-20".parse().expect("a date"),
        kind: "letter".to_owned(),
        hash: [7; 32],
        chunks: passages.iter().map(chunk).collect(),
    }
}
