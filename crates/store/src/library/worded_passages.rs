//! Statement that finds the passages with words of a search, on one server.
//!
//! | part | content |
//! |------|---------|
//! | `asked` | the search as a vector and as a full-text query |
//! | `told` | the words of the search, each with its weight |
//! | `sought` | the words that are looked up, as one query |
//! | `worded` | passages with any of the words that are looked up, the best of them |
//!
//! The result has the cosines of each and of its nearest sentence as well.

use pgvector::HalfVector;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::error::StoreError;
use crate::library::recall::{LibrarySearch, MAX_WORD_LOOKUP_LIMIT, ONE_WORD_LOOKUP_LIMIT, persona_id};
use crate::library::search_scope::{Scope, ids, nearest_sentences};
use crate::library::survey::{AccessPath, indexable};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::{
    CountedWord, DEPTH, MeaningMatch, PassageCandidate, WordMatch, rarity, words_to_look_up,
};

/// Words of a search, with their weights in the whole library.
pub(super) struct SearchWords {
    words: Vec<CountedWord>,
    weights: Vec<f64>,
}

impl SearchWords {
    /// Weighs words by their rarity among this number of passages.
    pub(super) fn weighed(words: Vec<CountedWord>, n_passages: i64) -> Self {
        let weights = rarity(&words, n_passages);
        SearchWords { words, weights }
    }

    fn texts(&self) -> Vec<&str> {
        self.words.iter().map(|it| it.word.as_str()).collect()
    }

    /// Returns the words that are looked up: all where every passage is scanned anyway.
    fn looked_up(&self, path: AccessPath) -> Vec<&str> {
        match path {
            AccessPath::Scan => self.texts(),
            AccessPath::Index { .. } => words_to_look_up(&self.words, MAX_WORD_LOOKUP_LIMIT, ONE_WORD_LOOKUP_LIMIT),
        }
    }
}

/// Returns the best [`DEPTH`] passages with words of the search on a server, each with its persona or shared corpus; without an
/// embedder, their meaning is not compared.
pub(super) async fn worded_passages(
    pool: &PgPool,
    meant: Option<(&StoredEmbedder, &HalfVector)>,
    search: LibrarySearch<'_>,
    (words, path): (&SearchWords, AccessPath),
) -> Result<Vec<(PersonaId, PassageCandidate)>, StoreError> {
    let (by, vector) = meant.unzip();
    let sql = statement(by.map_or(1, |embedder| embedder.width), &Scope::of(search.whose, path, 3));
    let query = sqlx::query(AssertSqlSafe(sql)).bind(vector).bind(indexable(search.text)).bind(ids(search.whose));
    let query = query.bind(by.map(|embedder| embedder.id)).bind(words.texts()).bind(&words.weights);
    let query = query.bind(words.looked_up(path));
    let attempt = StoreError::database("search the library by words");
    let rows = query.fetch_all(pool).await.map_err(&attempt)?;
    rows.iter().map(worded).collect::<Result<_, _>>().map_err(attempt)
}

fn worded(row: &PgRow) -> Result<(PersonaId, PassageCandidate), sqlx::Error> {
    let (cosine, sentence_cosine): (Option<f64>, _) = (row.try_get("cosine")?, row.try_get("sentence_cosine")?);
    let meaning = cosine.map(|cosine| MeaningMatch { cosine, sentence_cosine, is_near: false });
    let (share, as_written): (Option<f64>, Option<bool>) = (row.try_get("share")?, row.try_get("as_written")?);
    let words = WordMatch {
        share: share.unwrap_or_default(),
        as_written: as_written.unwrap_or_default(),
        density: row.try_get("density")?,
    };
    let candidate = PassageCandidate { chunk: row.try_get("chunk")?, meaning, words: Some(words) };
    Ok((persona_id(row.try_get("persona")?)?, candidate))
}

/// Builds the statement for vectors of this width.
fn statement(width: usize, scope: &Scope) -> String {
    let Scope { whose, has_word, .. } = scope;
    let sentences = nearest_sentences(width, "worded", "$4");
    format!(
        "
        with asked as materialized (
            select
                $1::halfvec({width}) as vector,
                websearch_to_tsquery('english', $2) as as_written,
                $3::text[] as whose,
                $4::smallint as embedder
        ),
        told as materialized (
            select quote_literal(word)::tsquery as query, tells
            from unnest($5::text[], $6::float8[]) as told (word, tells)
        ),
        sought as materialized (
            select string_agg(quote_literal(word), ' | ')::tsquery as any_word
            from unnest($7::text[]) as word
        ),
        worded as materialized (
            select
                persona,
                id as chunk,
                (select sum(tells) from told where words @@ query)
                    / (select sum(tells) from told) as share,
                words @@ as_written as as_written,
                ts_rank(words, any_word, 1) as density
            from chunks, asked, sought
            where {whose} and {has_word}
            order by as_written desc, share desc, density desc, id
            limit {DEPTH}
        )
        select
            worded.persona, worded.chunk, share, as_written, density,
            1 - (vector::halfvec({width}) <=> (select vector from asked)) as cosine, sentence_cosine
        from worded
        left join chunk_vectors
            on chunk_vectors.persona = worded.persona
            and chunk_vectors.embedder = $4
            and chunk_vectors.chunk = worded.chunk
        cross join lateral {sentences}"
    )
}
