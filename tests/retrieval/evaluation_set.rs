//! Questions and look-ups over the shipped corpora, the passages that answer them, and the quality of a ranking on
//! them.
//!
//! Included by the test that enforces the required quality and by the bench that prints the figures. The library is
//! filled by a real ingest. The rankings with which the search is compared are plain SQL, so that they share no code
//! with it.

use std::collections::HashMap;
use std::path::Path;

use faultline_core::events::ids::PersonaId;
use faultline_ingest::corpus::{Folders, ingest};
use faultline_providers::ports::Embedder;
use faultline_store::library::open::Library;
use faultline_store::library::recall::{CorpusScope, LibrarySearch, MAX_PASSAGES};
use faultline_store::stored_embedder::StoredEmbedder;
use pgvector::HalfVector;
use sqlx::PgPool;
use uuid::Uuid;

/// Question or look-up.
pub struct EvaluationQuery {
    /// Its text.
    pub text: String,
    /// Its vector.
    pub vector: Vec<f32>,
    /// Passages that answer it, each with its persona.
    pub expected: Vec<(PersonaId, Uuid)>,
}

/// Questions and look-ups, each in two halves.
pub struct EvaluationSet {
    /// Questions in other words, and look-ups of rare words: `[kind][half]`, the tuning half first.
    pub queries: [[Vec<EvaluationQuery>; 2]; 2],
}

/// Labels of the kinds.
pub const KINDS: [&str; 2] = ["questions", "look-ups"];
/// Labels of the halves.
pub const HALVES: [&str; 2] = ["tuning", "held out"];

/// Quality of a ranking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Share of the answering passages that are among the first five: the mean.
    pub recall: f64,
    /// One over the rank of the first answering passage, 0 after the tenth: the mean.
    pub mrr: f64,
}

/// Fills a library with the shipped corpora.
pub async fn fill(library: &Library, embedder: &dyn Embedder) -> StoredEmbedder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (personas, corpus) = (root.join("personas"), root.join("corpus"));
    let folders = Folders { personas, corpus, only: None };
    ingest(library, embedder, &folders, &|_| {}).await.expect("ingest the shipped corpora");
    library.maintain().await.expect("tend the library");
    library.embedder_in_use().await.expect("the embedder").expect("one is in use")
}

/// Reads the set, and finds its passages in a filled library.
pub async fn read(pool: &PgPool, embedder: &dyn Embedder) -> EvaluationSet {
    let texts =
        [include_str!("../fixtures/retrieval/questions.txt"), include_str!("../fixtures/retrieval/lookups.txt")];
    let mut asked: [[Vec<EvaluationQuery>; 2]; 2] = Default::default();
    for (kind, text) in texts.into_iter().enumerate() {
        let mut of_document: HashMap<String, usize> = HashMap::new();
        for entry in parse(text) {
            // The first entry of a document is for tuning, the second is held out.
            let half = of_document.entry(entry.answers[0].0.clone()).or_default();
            let mut expected = Vec::new();
            for (place, fragment) in &entry.answers {
                expected.push(passage(pool, place, fragment).await);
            }
            let vector = embedder.embed(std::slice::from_ref(&entry.text)).await.expect("embed").remove(0);
            asked[kind][*half].push(EvaluationQuery { text: entry.text, vector, expected });
            *half += 1;
        }
    }
    EvaluationSet { queries: asked }
}

/// Entry of a fixture.
pub struct Entry {
    /// Its text.
    pub text: String,
    /// Answers: `persona/document`, and words of the passage.
    pub answers: Vec<(String, String)>,
}

/// Parses the entries of a fixture, in order.
pub fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("? "), line.strip_prefix("= ").and_then(|rest| rest.split_once(": "))) {
            (Some(text), _) => entries.push(Entry { text: text.to_owned(), answers: Vec::new() }),
            (_, Some((place, fragment))) => {
                let entry = entries.last_mut().expect("a question before its answers");
                entry.answers.push((place.to_owned(), fragment.to_owned()));
            }
            _ => panic!("neither a question nor an answer: {line}"),
        }
    }
    entries
}

async fn passage(pool: &PgPool, place: &str, fragment: &str) -> (PersonaId, Uuid) {
    let (persona, document) = place.split_once('/').expect("persona/document");
    let sql = "select id from chunks where persona = $1 and document = $2 and strpos(body, $3) > 0";
    let found: Vec<Uuid> =
        sqlx::query_scalar(sql).bind(persona).bind(document).bind(fragment).fetch_all(pool).await.expect("look it up");
    assert_eq!(found.len(), 1, "{place}: {fragment}");
    (persona.parse().expect("an id"), found[0])
}

/// Passages that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All passages.
    All,
    /// Passages of the persona that wrote the first answer, as for a speaker.
    Author,
}

impl Scope {
    /// Returns the label of the scope.
    pub fn name(self) -> &'static str {
        match self {
            Scope::All => "of all",
            Scope::Author => "of its author",
        }
    }

    fn persona(self, asked: &EvaluationQuery) -> Option<&PersonaId> {
        (self == Scope::Author).then(|| &asked.expected[0].0)
    }
}

/// Ranking of passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// By the similarity of their vectors.
    Dense,
    /// By any of the words, as ranked by Postgres.
    FullText,
    /// By both, fused 1 to 1 by reciprocal rank with k = 60.
    Textbook,
    /// By the search of the service.
    Shipped,
}

/// All rankings.
pub const RANKINGS: [Ranking; 4] = [Ranking::Dense, Ranking::FullText, Ranking::Textbook, Ranking::Shipped];

/// Measures the quality of a ranking.
pub async fn score(
    (pool, library, by): (&PgPool, &Library, &StoredEmbedder),
    ranking: Ranking,
    scope: Scope,
    asked: &[EvaluationQuery],
) -> Score {
    let mut sum = Score::default();
    for it in asked {
        let persona = scope.persona(it);
        let found = match ranking {
            Ranking::Dense => dense(pool, it, persona).await,
            Ranking::FullText => full_text(pool, it, persona).await,
            Ranking::Textbook => textbook(&dense(pool, it, persona).await, &full_text(pool, it, persona).await),
            Ranking::Shipped => shipped(library, by, it, persona).await,
        };
        let is_asked = |(whose, _): &&(PersonaId, Uuid)| persona.is_none_or(|persona| persona == whose);
        let expected: Vec<Uuid> = it.expected.iter().filter(is_asked).map(|(_, id)| *id).collect();
        let n_found = found.iter().take(5).filter(|id| expected.contains(id)).count();
        sum.recall += n_found as f64 / expected.len() as f64;
        let first = found.iter().take(10).position(|id| expected.contains(id));
        sum.mrr += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
    }
    let n = asked.len() as f64;
    Score { recall: sum.recall / n, mrr: sum.mrr / n }
}

async fn dense(pool: &PgPool, asked: &EvaluationQuery, persona: Option<&PersonaId>) -> Vec<Uuid> {
    let sql = "
        select chunk from chunk_vectors
        where $2::text is null or persona = $2
        order by vector::halfvec(384) <=> $1, chunk
        limit 50";
    let vector = HalfVector::from_f32_slice(&asked.vector);
    let query = sqlx::query_scalar(sql).bind(vector).bind(persona.map(PersonaId::as_str));
    query.fetch_all(pool).await.expect("rank by vectors")
}

async fn full_text(pool: &PgPool, asked: &EvaluationQuery, persona: Option<&PersonaId>) -> Vec<Uuid> {
    let sql = "
        with asked as (
            select string_agg(quote_literal(word), ' | ')::tsquery as any_word
            from unnest(tsvector_to_array(to_tsvector('english', $1))) as word
        )
        select id from chunks, asked
        where ($2::text is null or persona = $2) and words @@ any_word
        order by ts_rank(words, any_word, 1) desc, id
        limit 50";
    let query = sqlx::query_scalar(sql).bind(&asked.text).bind(persona.map(PersonaId::as_str));
    query.fetch_all(pool).await.expect("rank by words")
}

fn textbook(dense: &[Uuid], words: &[Uuid]) -> Vec<Uuid> {
    let mut scores: HashMap<Uuid, f64> = HashMap::new();
    for ranking in [dense, words] {
        for (at, id) in ranking.iter().enumerate() {
            *scores.entry(*id).or_default() += 1.0 / (61 + at) as f64;
        }
    }
    let mut ids: Vec<Uuid> = scores.keys().copied().collect();
    ids.sort_by(|a, b| scores[b].total_cmp(&scores[a]).then(a.cmp(b)));
    ids
}

async fn shipped(
    library: &Library,
    by: &StoredEmbedder,
    asked: &EvaluationQuery,
    persona: Option<&PersonaId>,
) -> Vec<Uuid> {
    let whose = persona.map_or(CorpusScope::All, |persona| CorpusScope::Of(std::slice::from_ref(persona)));
    let search = LibrarySearch { whose, text: &asked.text, vector: &asked.vector, limit: MAX_PASSAGES };
    let found = library.recall(by, search).await.expect("search");
    found.into_iter().map(|hit| hit.chunk).collect()
}
