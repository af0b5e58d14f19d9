//! Builds and runs the SQL statement of a library search.
//!
//! | part | content |
//! |------|---------|
//! | `asked` | the search as a vector and as a full-text query |
//! | `told` | the words of the search, each with its weight: the rarer in the library, the greater |
//! | `sought` | the words that are rare enough to be looked up, as one query |
//! | `near` | the nearest passages: of few, by a scan of all; of many, by a vector index |
//! | `worded` | passages with any of the words, in the order of the ranking by words |
//! | `found` | all of these |
//! | `meant` | all of these, ranked by both cosines |
//! | `fused` | both rankings combined |
//!
//! A search sets its parameters in a transaction of its own, so that no setting leaks to later users of the connection.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Postgres};

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::library::index_maintenance::{quoted, vector_index_name};
use crate::library::open::{Library, LibraryError, halved};
use crate::library::recall::{
    CorpusScope, EF_SEARCH, IS_SHARED, LibrarySearch, MAX_PASSAGES, MAX_SCAN_LIMIT, MAX_WORD_LOOKUP_LIMIT,
    ONE_WORD_LOOKUP_LIMIT, n_candidates,
};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// Constant added to a rank before it is inverted. The 60 of the original paper flattens the first ranks. For passages
/// of one library, of which the first five matter, 5 was better on the tuning half of `tests/fixtures/retrieval`.
const FLATTENING: u32 = 5;

/// Weight of the nearest sentence's cosine in the similarity of a passage; the passage's own cosine has the rest. With 0.15
/// and 0.3, recall is the same on the tuning half of `tests/fixtures/retrieval`; the held-out half decided between them.
const SENTENCE: f64 = 0.15;

/// Weight of the ranking by meaning. With a stand-in embedder, which knows spellings only, it just breaks ties.
const MEANING: f64 = 1.0;
const SPELLING: f64 = 0.3;

/// Weight of the ranking by words: the least if the best passage has no share of the words, the most if it has all of
/// them.
const WORDS_LEAST: f64 = 0.3;
const WORDS_MOST: f64 = 2.0;

/// Weight added for a passage that matches the search as it is written.
const AS_WRITTEN: u32 = 1;

/// Access path to the nearest passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Scan of all passages.
    EachOne,
    /// Vector index. `goes_on`: whether the index supports iterative scans, which continue until enough are found
    /// (pgvector 0.8). `n_candidates`: number of candidates that it keeps.
    Index { goes_on: bool, n_candidates: i32 },
}

impl Library {
    /// Returns the rows of a search, best first; without an embedder, by words alone.
    pub(super) async fn fused(
        &self,
        by: Option<&StoredEmbedder>,
        search: LibrarySearch<'_>,
    ) -> Result<Vec<PgRow>, LibraryError> {
        let vector = by.map(|embedder| halved(embedder, search.vector)).transpose()?;
        let whose: Option<Vec<&str>> = match search.whose {
            CorpusScope::All => None,
            CorpusScope::Of(personas) => Some(personas.iter().map(PersonaId::as_str).collect()),
        };
        let (way, scope) = match by {
            Some(by) => {
                let way = self.way(by, search.whose).await?;
                (way, Scope::of(by.id, search.whose, way))
            }
            None => (Way::EachOne, Scope::of(0, search.whose, Way::EachOne)),
        };
        let sql = statement(by.map_or(1, |embedder| embedder.width), &scope);
        let query: Query<'_, Postgres, PgArguments> = sqlx::query(AssertSqlSafe(sql));
        // Postgres texts cannot contain NUL.
        let query =
            query.bind(vector).bind(search.text.replace('\0', " ")).bind(whose).bind(by.map(|embedder| embedder.id));
        let at_most = if way == Way::EachOne { i64::MAX } else { MAX_WORD_LOOKUP_LIMIT };
        let query =
            query.bind(at_most).bind(if by.is_some_and(|embedder| embedder.stand_in) { SPELLING } else { MEANING });
        let query = query.bind(WORDS_LEAST).bind(WORDS_MOST).bind(search.limit as i64);
        let attempt = StoreError::database("search the library");
        let mut tx = begin(&self.pool).await.map_err(&attempt)?;
        let n_candidates = match way {
            Way::Index { n_candidates, .. } => n_candidates,
            Way::EachOne => EF_SEARCH,
        };
        let settings = sqlx::query(settings(way)).bind(planned(search.whose)).bind(n_candidates.to_string());
        settings.execute(&mut *tx).await.map_err(&attempt)?;
        let rows = query.fetch_all(&mut *tx).await.map_err(&attempt)?;
        tx.commit().await.map_err(attempt)?;
        Ok(rows)
    }

    /// Chooses an index if there are many passages and the index is ready. A search of several personas scans all their
    /// passages, because the first results of an index may all belong to other personas.
    async fn way(&self, by: &StoredEmbedder, whose: CorpusScope<'_>) -> Result<Way, LibraryError> {
        let persona = match whose {
            CorpusScope::All => None,
            CorpusScope::Of([one]) => Some(one),
            CorpusScope::Of(_) => return Ok(Way::EachOne),
        };
        let sql = "
            select (
                select coalesce(sum(n_passages), 0)::bigint
                from shelves
                where $1::text is null or persona = $1
            ) as n_passages, exists (
                select
                from pg_index
                where indexrelid = to_regclass($2) and indisvalid
            ) as is_indexed, (
                select string_to_array(extversion, '.')::integer[] >= array[0, 8]
                from pg_extension
                where extname = 'vector'
            ) as goes_on";
        let query = sqlx::query_as(sql).bind(persona.map(PersonaId::as_str));
        let asked = query.bind(vector_index_name(by.id, persona)).fetch_one(&self.pool).await;
        let (n_passages, is_indexed, goes_on): (i64, bool, Option<bool>) =
            asked.map_err(StoreError::database("count the passages to search"))?;
        if n_passages <= MAX_SCAN_LIMIT || !is_indexed {
            return Ok(Way::EachOne);
        }
        Ok(Way::Index { goes_on: goes_on.unwrap_or_default(), n_candidates: n_candidates(n_passages) })
    }
}

/// Returns the statement that sets the parameters of a search.
fn settings(way: Way) -> &'static str {
    match way {
        Way::Index { goes_on: true, .. } => {
            "select
                set_config('plan_cache_mode', $1, true),
                set_config('hnsw.ef_search', $2, true),
                set_config('hnsw.iterative_scan', 'strict_order', true)"
        }
        Way::Index { goes_on: false, .. } | Way::EachOne => {
            "select
                set_config('plan_cache_mode', $1, true),
                set_config('hnsw.ef_search', $2, true)"
        }
    }
}

/// Chooses the plan cache mode. Planning takes as long as finding the nearest passages, so it is done once per
/// connection if every search with the statement has the same plan. For several personas the plan depends on their
/// amounts of text.
fn planned(whose: CorpusScope<'_>) -> &'static str {
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
    fn of(embedder: i16, whose: CorpusScope<'_>, way: Way) -> Scope {
        // The persona is a literal, because the planner can plan for one persona, and match a partial index, only if
        // the statement itself names it.
        let whose = match whose {
            CorpusScope::All => "true".to_owned(),
            CorpusScope::Of([one]) => format!("persona = '{}'", quoted(one)),
            CorpusScope::Of(_) => "persona = any($3)".to_owned(),
        };
        match way {
            // Prevents the use of an index: no index matches a sum, or a function instead of an operator.
            Way::EachOne => Scope {
                whose,
                embedder: "$4".to_owned(),
                to_distance: " + 0",
                has_word: "ts_match_vq(words, any_word)",
            },
            Way::Index { .. } => {
                Scope { whose, embedder: embedder.to_string(), to_distance: "", has_word: "words @@ any_word" }
            }
        }
    }
}

/// Builds the statement for vectors of this width.
fn statement(width: usize, scope: &Scope) -> String {
    [words(width), rankings(width, scope), meaning(width), fusion()].concat()
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
            select
                word,
                quote_literal(word)::tsquery as query,
                n,
                ln(1 + (greatest(total - n, 0) + 0.5) / (n + 0.5))::float8 as tells
            from (
                select word, coalesce(n_passages, 0) as n, total
                from unnest(tsvector_to_array(to_tsvector('english', $2))) as word
                left join word_counts using (word)
                cross join (select coalesce(sum(n_passages), 0) as total from shelves) as library
            ) as counted
        ),
        sought as materialized (
            select string_agg(query::text, ' | ')::tsquery as any_word
            from (select query, n, sum(n) over (order by n, word) as upto from told) as rarest_first
            where upto <= $5 or (upto = n and n <= {ONE_WORD_LOOKUP_LIMIT})
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
                limit {MAX_PASSAGES}
            ) as nearest
        ),
        worded as materialized (
            select
                persona,
                chunk,
                share,
                as_written,
                row_number() over (order by as_written desc, share desc, rank desc, chunk) as place
            from (
                select
                    persona,
                    id as chunk,
                    words @@ as_written as as_written,
                    (select sum(tells order by word) from told where words @@ query)
                        / (select sum(tells order by word) from told) as share,
                    ts_rank(words, any_word, 1) as rank
                from chunks, asked, sought
                where {whose} and {has_word}
            ) as matched
            order by place
            limit {MAX_PASSAGES}
        ),"
    )
}

/// Builds the parts that rank all passages found by meaning.
fn meaning(width: usize) -> String {
    format!(
        "
        found as (
            select persona, chunk, cosine
            from near
            union all
            select persona, chunk, 1 - (vector::halfvec({width}) <=> (select vector from asked))
            from worded
            join chunk_vectors using (persona, chunk)
            where embedder = $4 and (persona, chunk) not in (select persona, chunk from near)
        ),
        meant as (
            select
                persona,
                chunk,
                cosine,
                sentence_cosine,
                row_number() over (
                    order by cosine + {SENTENCE} * (coalesce(sentence_cosine, cosine) - cosine) desc, chunk
                ) as place
            from found
            cross join lateral (
                select max(1 - (vector::halfvec({width}) <=> (select vector from asked))) as sentence_cosine
                from sentence_vectors
                where sentence_vectors.persona = found.persona
                    and sentence_vectors.embedder = $4
                    and sentence_vectors.chunk = found.chunk
            ) as sentences
        ),"
    )
}

/// Builds the parts that combine both rankings and return the passages.
fn fusion() -> String {
    format!(
        "
        fused as (
            select
                persona,
                chunk,
                cosine,
                sentence_cosine,
                meant.place as by_meaning,
                worded.place as by_words,
                coalesce(share, 0) as share,
                coalesce(as_written, false) as as_written,
                coalesce($6 / ({FLATTENING} + meant.place), 0)
                    + coalesce(
                        ($7 + ($8 - $7) * best ^ 2 + {AS_WRITTEN} * as_written::integer) / ({FLATTENING} + worded.place),
                        0
                    ) as score
            from meant
            full join worded using (persona, chunk)
            cross join (select coalesce(max(worded.share), 0) as best from worded) as shares
            order by score desc, chunk
            limit $9
        )
        select
            chunks.persona, chunks.id, document, ordinal, body, title, source, dated, kind, score, {IS_SHARED},
            cosine, sentence_cosine, by_meaning, by_words, share, as_written
        from fused
        join chunks on chunks.persona = fused.persona and chunks.id = fused.chunk
        join documents on documents.persona = chunks.persona and documents.name = chunks.document
        order by score desc, chunks.id"
    )
}
