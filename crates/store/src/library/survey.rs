//! Looks at a server's part of the library before a search: its amounts, the words of the search, and its indexes.

use sqlx::PgPool;

use crate::error::StoreError;
use crate::library::index_maintenance::vector_index_name;
use crate::library::recall::{CorpusScope, LibrarySearch, MAX_SCAN_LIMIT, n_candidates};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::CountedWord;

/// Access path to the nearest passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessPath {
    /// Scan of all passages.
    Scan,
    /// Vector index. `is_iterative`: whether the index supports iterative scans, which continue until enough are found
    /// (pgvector 0.8). `n_candidates`: number of candidates that it keeps.
    Index { is_iterative: bool, n_candidates: i32 },
}

/// State of a server's part of the library, as far as a search depends on it.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// Number of passages on this server.
    pub(super) n_passages: i64,
    /// Words of the search, each with the number of passages on this server that contain it.
    pub(super) words: Vec<CountedWord>,
    /// Access path to the passages that are searched.
    pub(super) path: AccessPath,
}

/// Row of the statement: passages on the server, passages that are searched, whether their index is ready, whether indexes are
/// iterative, and the words with their counts.
type Row = (i64, i64, bool, Option<bool>, Vec<String>, Vec<i64>);

impl Survey {
    /// Looks at a server: one statement. An index is chosen if there are many passages and it is ready. A search of several
    /// corpora scans all their passages, because the first results of an index may all belong to others.
    pub(super) async fn of(
        pool: &PgPool,
        by: Option<&StoredEmbedder>,
        search: LibrarySearch<'_>,
    ) -> Result<Survey, StoreError> {
        let (one, may_have_index) = match search.whose {
            CorpusScope::All => (None, true),
            CorpusScope::Of([one]) => (Some(one), true),
            CorpusScope::Of(_) => (None, false),
        };
        let index = by.filter(|_| may_have_index).map(|by| vector_index_name(by.id, one));
        let sql = "
            with asked as (
                select coalesce(array_agg(word), '{}') as words, coalesce(array_agg(coalesce(n_passages, 0)), '{}') as counts
                from unnest(tsvector_to_array(to_tsvector('english', $3))) as word
                left join word_counts using (word)
            )
            select
                (select coalesce(sum(n_passages), 0)::bigint from shelves),
                (select coalesce(sum(n_passages), 0)::bigint from shelves where $1::text is null or persona = $1),
                exists (select from pg_index where indexrelid = to_regclass($2) and indisvalid),
                (
                    select string_to_array(extversion, '.')::integer[] >= array[0, 8]
                    from pg_extension
                    where extname = 'vector'
                ),
                words,
                counts
            from asked";
        let query = sqlx::query_as(sql).bind(one.map(PersonaId::as_str)).bind(index).bind(indexable(search.text));
        let row: Row =
            query.fetch_one(pool).await.map_err(StoreError::database("count the passages and words to search"))?;
        let (n_passages, n_searched, is_indexed, is_iterative, words, counts) = row;
        let path = match is_indexed && n_searched > MAX_SCAN_LIMIT {
            true => AccessPath::Index {
                is_iterative: is_iterative.unwrap_or_default(),
                n_candidates: n_candidates(n_searched),
            },
            false => AccessPath::Scan,
        };
        let words = words.into_iter().zip(counts).map(|(word, n_passages)| CountedWord { word, n_passages });
        Ok(Survey { n_passages, words: words.collect(), path })
    }
}

/// Returns a text that Postgres can store: without NUL.
pub(super) fn indexable(text: &str) -> String {
    text.replace('\0', " ")
}
