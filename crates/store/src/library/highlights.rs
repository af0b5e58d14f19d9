//! Locates the words of a search in passages.

use std::collections::HashMap;
use std::ops::Range;

use uuid::Uuid;

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::library::recall::StoredPassage;
use faultline_core::retrieval::marks::{CLOSE, OPEN, ranges};

impl Library {
    /// Returns the byte ranges of the words of a search in passages that it found, in order. Matches every form of a
    /// word ("ferry" matches "ferries"). Omits passages without a match, and passages whose text contains one of the
    /// two control characters with which the database marks a word.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn hits(
        &self,
        text: &str,
        passages: &[&StoredPassage],
    ) -> Result<HashMap<Uuid, Vec<Range<usize>>>, LibraryError> {
        let sql = "
            with sought as materialized (
                select string_agg(quote_literal(word), ' | ')::tsquery as any_word
                from unnest(tsvector_to_array(to_tsvector('english', $1))) as word
            )
            select id, ts_headline('english', body, any_word, 'HighlightAll = true, StartSel = ' || $4 || ', StopSel = ' || $5)
            from unnest($2::uuid[], $3::text[]) as found (id, body)
            cross join sought
            where any_word is not null and strpos(body, $4) = 0 and strpos(body, $5) = 0";
        let ids: Vec<Uuid> = passages.iter().map(|passage| passage.chunk).collect();
        let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let query = sqlx::query_as(sql).bind(text.replace('\0', " ")).bind(ids).bind(texts);
        let marked = query.bind(OPEN.to_string()).bind(CLOSE.to_string()).fetch_all(self.home()).await;
        let marked: Vec<(Uuid, String)> = marked.map_err(StoreError::database("mark the words of a search"))?;
        let bodies: HashMap<Uuid, &str> =
            passages.iter().map(|passage| (passage.chunk, passage.text.as_str())).collect();
        let of_one =
            |(id, marked): (Uuid, String)| (id, bodies.get(&id).map_or_else(Vec::new, |body| ranges(body, &marked)));
        Ok(marked.into_iter().map(of_one).filter(|(_, hits)| !hits.is_empty()).collect())
    }
}
