//! Questions and look-ups over the shipped corpora, the passages that answer them, and how well a ranking does on them.
//!
//! Included by the test that holds the line and by the bench that prints the figures. The library is filled by a real
//! ingest; the rankings that the search is held against are asked for in plain SQL, so that they share no code with it.

use std::collections::HashMap;
use std::path::Path;

use faultline::events::ids::PersonaId;
use faultline::ingest::corpus::{Folders, ingest};
use faultline::providers::ports::Embedder;
use faultline::store::library::open::{Library, StoredEmbedder};
use faultline::store::library::recall::{PASSAGES, Search, Whose};
use pgvector::HalfVector;
use sqlx::PgPool;
use uuid::Uuid;

/// A question or a look-up.
pub struct Asked {
    /// As it is asked.
    pub text: String,
    /// Its vector.
    pub vector: Vec<f32>,
    /// The passages that answer it, each with whose it is.
    pub expected: Vec<(PersonaId, Uuid)>,
}

/// Both kinds, each in two halves.
pub struct Set {
    /// Questions in other words, and rare words: `[kind][half]`, the tuning half first.
    pub asked: [[Vec<Asked>; 2]; 2],
}

/// The kinds, as they are told.
pub const KINDS: [&str; 2] = ["questions", "look-ups"];
/// The halves, as they are told.
pub const HALVES: [&str; 2] = ["tuning", "held out"];

/// How a ranking did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Of the passages that answer, how many are among the first five: the mean of the shares.
    pub recall: f64,
    /// One over the place of the first passage that answers, 0 behind the tenth: the mean.
    pub mrr: f64,
}

/// Fills a library with the shipped corpora.
pub async fn fill(library: &Library, embedder: &dyn Embedder) -> StoredEmbedder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (personas, corpus) = (root.join("personas"), root.join("corpus"));
    let folders = Folders { personas, corpus, only: None };
    ingest(library, embedder, &folders, &|_| {}).await.expect("ingest the shipped corpora");
    library.tend().await.expect("tend the library");
    library.embedder_in_use().await.expect("the embedder").expect("one is in use")
}

/// Reads the set, and finds its passages in a library that is filled.
pub async fn read(pool: &PgPool, embedder: &dyn Embedder) -> Set {
    let texts =
        [include_str!("../fixtures/retrieval/questions.txt"), include_str!("../fixtures/retrieval/lookups.txt")];
    let mut asked: [[Vec<Asked>; 2]; 2] = Default::default();
    for (kind, text) in texts.into_iter().enumerate() {
        let mut of_document: HashMap<String, usize> = HashMap::new();
        for entry in parse(text) {
            // The first of a document is for tuning, the second is held out.
            let half = of_document.entry(entry.answers[0].0.clone()).or_default();
            let mut expected = Vec::new();
            for (place, fragment) in &entry.answers {
                expected.push(passage(pool, place, fragment).await);
            }
            let vector = embedder.embed(std::slice::from_ref(&entry.text)).await.expect("embed").remove(0);
            asked[kind][*half].push(Asked { text: entry.text, vector, expected });
            *half += 1;
        }
    }
    Set { asked }
}

/// An entry of a fixture.
pub struct Entry {
    /// As it is asked.
    pub text: String,
    /// `persona/document`, and words of the passage.
    pub answers: Vec<(String, String)>,
}

/// The entries of a fixture, in order.
pub fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
        match (line.strip_prefix("? "), line.strip_prefix("= ").and_then(|it| it.split_once(": "))) {
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

/// In whose corpora is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In all.
    Everybody,
    /// In those of the persona that wrote the first answer, as a speaker's are.
    Author,
}

impl Scope {
    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Everybody => "of all",
            Scope::Author => "of its author",
        }
    }

    fn persona(self, asked: &Asked) -> Option<&PersonaId> {
        (self == Scope::Author).then(|| &asked.expected[0].0)
    }
}

/// A way to rank passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// By the nearness of their vectors.
    Dense,
    /// By any of the words, as Postgres ranks them.
    FullText,
    /// Both, fused 1 to 1 by reciprocal rank with k = 60.
    Textbook,
    /// As the service searches.
    Shipped,
}

/// All of them.
pub const RANKINGS: [Ranking; 4] = [Ranking::Dense, Ranking::FullText, Ranking::Textbook, Ranking::Shipped];

/// How a ranking does.
pub async fn score(
    (pool, library, by): (&PgPool, &Library, &StoredEmbedder),
    ranking: Ranking,
    scope: Scope,
    asked: &[Asked],
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
        let is_asked = |(whose, _): &&(PersonaId, Uuid)| persona.is_none_or(|it| it == whose);
        let expected: Vec<Uuid> = it.expected.iter().filter(is_asked).map(|(_, id)| *id).collect();
        let n_found = found.iter().take(5).filter(|id| expected.contains(id)).count();
        sum.recall += n_found as f64 / expected.len() as f64;
        let first = found.iter().take(10).position(|id| expected.contains(id));
        sum.mrr += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
    }
    let n = asked.len() as f64;
    Score { recall: sum.recall / n, mrr: sum.mrr / n }
}

async fn dense(pool: &PgPool, asked: &Asked, persona: Option<&PersonaId>) -> Vec<Uuid> {
    let sql = "
        select chunk from chunk_vectors
        where $2::text is null or persona = $2
        order by vector::halfvec(384) <=> $1, chunk
        limit 50";
    let vector = HalfVector::from_f32_slice(&asked.vector);
    let query = sqlx::query_scalar(sql).bind(vector).bind(persona.map(PersonaId::as_str));
    query.fetch_all(pool).await.expect("rank by vectors")
}

async fn full_text(pool: &PgPool, asked: &Asked, persona: Option<&PersonaId>) -> Vec<Uuid> {
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

async fn shipped(library: &Library, by: &StoredEmbedder, asked: &Asked, persona: Option<&PersonaId>) -> Vec<Uuid> {
    let whose = persona.map_or(Whose::All, |it| Whose::Of(std::slice::from_ref(it)));
    let search = Search { whose, text: &asked.text, vector: &asked.vector, limit: PASSAGES };
    let found = library.recall(by, search).await.expect("search");
    found.into_iter().map(|it| it.chunk).collect()
}
