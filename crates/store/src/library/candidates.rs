//! Builds and runs the SQL statement that finds the candidates of a search on one server. Their texts are read once they are
//! ranked, because only a few of them are returned.
//!
//! | part | content |
//! |------|---------|
//! | `asked` | the search as a vector and as a full-text query |
//! | `told` | the words of the search, each with its weight |
//! | `sought` | the words that are looked up, as one query |
//! | `near` | the nearest passages: of few, by a scan of all; of many, by a vector index |
//! | `worded` | passages with any of the words that are looked up, the best of them |
//! | `found` | all of these that have vectors |
//! | `meant` | the same, with the cosine of the nearest sentence |
//!
//! A search sets its parameters in a transaction of its own, so that no setting leaks to later users of the connection.

use pgvector::HalfVector;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::database::transaction::begin_with;
use crate::error::StoreError;
use crate::library::index_maintenance::quoted;
use crate::library::recall::{CorpusScope, LibrarySearch, MAX_WORD_LOOKUP_LIMIT, ONE_WORD_LOOKUP_LIMIT, persona_id};
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

/// Returns the candidates of a search on one server, each with the persona or the shared corpus of its passage; without an
/// embedder, by words alone.
pub(super) async fn candidates(
    pool: &PgPool,
    (by, vector): (Option<&StoredEmbedder>, Option<&HalfVector>),
    search: LibrarySearch<'_>,
    (words, path): (&SearchWords, AccessPath),
) -> Result<Vec<(PersonaId, PassageCandidate)>, StoreError> {
    let whose: Option<Vec<&str>> = match search.whose {
        CorpusScope::All => None,
        CorpusScope::Of(owners) => Some(owners.iter().map(PersonaId::as_str).collect()),
    };
    let scope = Scope::of(by.map_or(0, |embedder| embedder.id), search.whose, path);
    let sql = statement(by.map_or(1, |embedder| embedder.width), &scope);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(vector).bind(indexable(search.text)).bind(whose);
    let query = query.bind(by.map(|embedder| embedder.id)).bind(words.texts()).bind(&words.weights);
    let query = query.bind(words.looked_up(path));
    let attempt = StoreError::database("search the library");
    let mut tx = begin_with(pool, opening(path, search.whose)).await.map_err(&attempt)?;
    let rows = query.fetch_all(&mut *tx).await.map_err(&attempt)?;
    // Nothing was written, so nobody need wait for the end.
    tokio::spawn(tx.commit());
    rows.iter().map(candidate).collect::<Result<_, _>>().map_err(attempt)
}

fn candidate(row: &PgRow) -> Result<(PersonaId, PassageCandidate), sqlx::Error> {
    let cosine: Option<f64> = row.try_get("cosine")?;
    let sentence_cosine: Option<f64> = row.try_get("sentence_cosine")?;
    let is_near = row.try_get("is_near")?;
    let meaning = cosine.map(|cosine| MeaningMatch { cosine, sentence_cosine, is_near });
    let (share, density): (Option<f64>, Option<f32>) = (row.try_get("share")?, row.try_get("density")?);
    let as_written: Option<bool> = row.try_get("as_written")?;
    let words = density.map(|density| WordMatch {
        share: share.unwrap_or_default(),
        as_written: as_written.unwrap_or_default(),
        density,
    });
    Ok((persona_id(row.try_get("persona")?)?, PassageCandidate { chunk: row.try_get("chunk")?, meaning, words }))
}

/// Returns the statements that begin the transaction of a search and set its parameters, as one message.
fn opening(path: AccessPath, whose: CorpusScope<'_>) -> String {
    let mut opening = format!("begin read only; set local plan_cache_mode = {}", plan_cache_mode(whose));
    if let AccessPath::Index { is_iterative, n_candidates } = path {
        opening.push_str(&format!("; set local hnsw.ef_search = {n_candidates}"));
        if is_iterative {
            opening.push_str("; set local hnsw.iterative_scan = strict_order");
        }
    }
    opening
}

/// Chooses the plan cache mode. Planning takes as long as finding the nearest passages, so it is done once per
/// connection if every search with the statement has the same plan. For several personas the plan depends on their
/// amounts of text.
fn plan_cache_mode(whose: CorpusScope<'_>) -> &'static str {
    match whose {
        CorpusScope::All | CorpusScope::Of([_]) => "force_generic_plan",
        CorpusScope::Of(_) => "auto",
    }
}

/// Scope and access path of a search, as fragments of SQL.
struct Scope {
    /// Condition on the persona.
    whose: String,
    /// Condition on the embedder of the vectors.
    embedder: String,
    /// Expression added to a distance.
    to_distance: &'static str,
    /// Condition that a passage has one of the words.
    has_word: &'static str,
}

impl Scope {
    fn of(embedder: i16, whose: CorpusScope<'_>, path: AccessPath) -> Scope {
        // The persona is a literal, because the planner can plan for one persona, and match a partial index, only if
        // the statement itself names it.
        let whose = match whose {
            CorpusScope::All => "true".to_owned(),
            CorpusScope::Of([one]) => format!("persona = '{}'", quoted(one)),
            CorpusScope::Of(_) => "persona = any($3)".to_owned(),
        };
        match path {
            // Prevents the use of an index: no index matches a sum, or a function instead of an operator.
            AccessPath::Scan => Scope {
                whose,
                embedder: "$4".to_owned(),
                to_distance: " + 0",
                has_word: "ts_match_vq(words, any_word)",
            },
            AccessPath::Index { .. } => {
                Scope { whose, embedder: embedder.to_string(), to_distance: "", has_word: "words @@ any_word" }
            }
        }
    }
}

/// Builds the statement for vectors of this width.
fn statement(width: usize, scope: &Scope) -> String {
    [words(width), rankings(width, scope), meaning(width)].concat()
}

/// Builds the parts for the search and its words.
fn words(width: usize) -> String {
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
        ),"
    )
}

/// Builds the parts for the nearest passages and those with the words.
fn rankings(width: usize, scope: &Scope) -> String {
    let Scope { whose, embedder, to_distance, has_word } = scope;
    format!(
        "
        near as materialized (
            select persona, chunk, 1 - distance as cosine
            from (
                select persona, chunk, vector::halfvec({width}) <=> (select vector from asked) as distance
                from chunk_vectors
                where {whose} and embedder = {embedder}
                order by (vector::halfvec({width}) <=> (select vector from asked)){to_distance}, chunk
                limit {DEPTH}
            ) as nearest
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
        ),"
    )
}

/// Builds the parts that compare all passages found with the meaning of the search, and return them.
fn meaning(width: usize) -> String {
    format!(
        "
        found as (
            select persona, chunk, cosine, true as is_near
            from near
            union all
            select persona, chunk, 1 - (vector::halfvec({width}) <=> (select vector from asked)), false
            from worded
            join chunk_vectors using (persona, chunk)
            where embedder = $4 and (persona, chunk) not in (select persona, chunk from near)
        ),
        meant as (
            select persona, chunk, cosine, sentence_cosine, is_near
            from found
            cross join lateral (
                select max(1 - (vector::halfvec({width}) <=> (select vector from asked))) as sentence_cosine
                from sentence_vectors
                where sentence_vectors.persona = found.persona
                    and sentence_vectors.embedder = $4
                    and sentence_vectors.chunk = found.chunk
            ) as sentences
        )
        select
            persona, chunk, cosine, sentence_cosine, coalesce(is_near, false) as is_near, share, as_written, density
        from meant
        full join worded using (persona, chunk)"
    )
}
