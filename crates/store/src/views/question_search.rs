//! Searches cruxes and disputes by the texts of their questions, by meaning and by words at once, among the rows that
//! pass a filter.
//!
//! Three rankings are fused by weighted reciprocal rank, as in [`crate::library::recall`]: similarity of the
//! vectors, any of the words, all of the words. A score is a whole number, so that it is the same in every statement
//! and can serve as a page cursor. A text that has no vector yet is found by its words.
//!
//! Takes one statement, which scans every text that passes the filter: about 1 ms per thousand texts. If the vectors are not at
//! home, their cosines are asked for before (`questions::cosines`).

use pgvector::HalfVector;
use sqlx::{Postgres, QueryBuilder};

use crate::reads_row;
use crate::stored_embedder::StoredEmbedder;

/// Depth to which each ranking is read: no search finds more than three times as many texts.
pub const DEPTH: i64 = 300;
/// Minimum cosine of texts found by similarity. Questions of different topics stay below 0.2
/// (tests/fixtures/questions/pairs.tsv).
pub const MIN_LEAST: f64 = 0.25;

/// Unit of scores.
pub const SCORE: f64 = 1e9;

/// Weights of the rankings: vectors, any word, all words. Each is divided by 60 plus the rank, rounded to a whole
/// number, and summed.
type Weights = [f64; 3];
const FOR_MEANING: Weights = [SCORE, 0.3 * SCORE, SCORE];
/// Weights for a stand-in embedder, whose vectors only break ties.
const FOR_SPELLING: Weights = [0.3 * SCORE, SCORE, SCORE];

/// A parsed search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchQuery {
    text: String,
    wanted: String,
    unwanted: String,
    vector: Option<(StoredEmbedder, HalfVector)>,
    /// Cosines by the ids of questions; `None` if the statement computes them from the vectors at home.
    cosines: Option<Vec<(i64, f64)>>,
}

impl SearchQuery {
    /// Parses a search as users type it: words, phrases in quotes, and `-` before words to exclude.
    pub fn new(text: &str) -> SearchQuery {
        // Postgres texts cannot contain NUL.
        let text = text.replace('\0', " ");
        let (mut wanted, mut unwanted, mut quoted) = (Vec::new(), Vec::new(), false);
        for word in text.split_whitespace() {
            match word.strip_prefix('-').filter(|_| !quoted) {
                Some(word) => unwanted.push(word),
                None => wanted.push(word),
            }
            quoted ^= word.matches('"').count() % 2 == 1;
        }
        let (wanted, unwanted) = (wanted.join(" "), unwanted.join(" "));
        SearchQuery { wanted: wanted.replace('"', ""), unwanted, text, vector: None, cosines: None }
    }

    /// Returns the text to embed.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// Adds the vector of the search by an embedder.
    pub fn with_vector(self, by: StoredEmbedder, vector: &[f32]) -> SearchQuery {
        SearchQuery { vector: Some((by, HalfVector::from_f32_slice(vector))), ..self }
    }

    /// Returns the vector of the search, with its embedder.
    pub(crate) fn vector(&self) -> Option<&(StoredEmbedder, HalfVector)> {
        self.vector.as_ref()
    }

    /// Adds the cosines of questions whose vectors the statement cannot read.
    pub(crate) fn with_cosines(self, cosines: Vec<(i64, f64)>) -> SearchQuery {
        SearchQuery { cosines: Some(cosines), ..self }
    }
}

/// Reasons for which a row was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hit {
    /// Relevance score by which rows are ordered, descending; in units of 1/[`SCORE`].
    pub score: i64,
    /// Cosine of the row's vector and that of the search; `None` if either is missing.
    pub cosine: Option<f64>,
    /// Stems of the search's words that the text contains, in alphabetical order.
    pub stems: Vec<String>,
}

reads_row!(Hit { score, cosine, stems });

/// Begins a statement in which `found` names all rows found, with the columns of a hit. `narrow` pushes the `from` and
/// `where` clauses; the table must have a column `question`.
pub(crate) fn push_found(
    query: &mut QueryBuilder<Postgres>,
    sought: &SearchQuery,
    columns: &str,
    narrow: impl FnOnce(&mut QueryBuilder<Postgres>),
) {
    query.push(format!("with rows as materialized (select {columns}, question "));
    narrow(query);
    query.push("), asked as materialized (select ");
    query.push_bind(sought.vector.as_ref().map(|(_, vector)| vector.clone())).push("::halfvec as vector, ");
    for (text, name) in [(&sought.wanted, "any_word"), (&sought.unwanted, "no_word")] {
        query.push("(select string_agg(quote_literal(word), ' | ')::tsquery from unnest(tsvector_to_array(to_tsvector('english', ");
        query.push_bind(text.clone()).push(format!("))) as word) as {name}, "));
    }
    query.push("tsvector_to_array(to_tsvector('english', ").push_bind(sought.wanted.clone()).push(")) as stems, ");
    query.push("websearch_to_tsquery('english', ").push_bind(sought.text.clone()).push(") as all_words)");
    push_texts(query, sought);
    query.push(
        ", near as (select id, row_number() over (order by cosine desc, hash) as place from texts where cosine >= ",
    );
    query.push_bind(MIN_LEAST).push(" order by place limit ").push_bind(DEPTH).push(")");
    for (name, rank) in [("any_word", "ts_rank"), ("all_words", "ts_rank_cd")] {
        query.push(format!(
            ", by_{name} as (
                select id, row_number() over (order by {rank}(words, {name}, 1) desc, hash) as place
                from texts, asked
                where words @@ {name}
                order by place
                limit "
        ));
        query.push_bind(DEPTH).push(")");
    }
    query.push(", fused as (select id, sum(points)::bigint as score from (");
    let stand_in = sought.vector.as_ref().is_some_and(|(by, _)| by.stand_in);
    let weights = if stand_in { FOR_SPELLING } else { FOR_MEANING };
    for (at, (name, weight)) in ["near", "by_any_word", "by_all_words"].into_iter().zip(weights).enumerate() {
        query.push(if at > 0 { " union all " } else { "" }).push("select id, round(").push_bind(weight);
        query.push(format!(" / (60 + place))::bigint as points from {name}"));
    }
    query.push(") as ranked group by id)");
    query.push(
        ", found as (
            select
                rows.*,
                score,
                cosine,
                array(
                    select stem
                    from unnest(tsvector_to_array(texts.words)) as stem
                    where stem = any (asked.stems)
                    order by stem
                ) as stems
            from fused
            join texts using (id)
            join rows on rows.question = texts.hash
            cross join asked
        ) ",
    );
}

/// Pushes the texts of the rows, with their cosines, without those that have an excluded word.
fn push_texts(query: &mut QueryBuilder<Postgres>, sought: &SearchQuery) {
    let cosine = match sought.cosines {
        None => "1 - (question_vectors.vector <=> asked.vector)",
        Some(_) => "computed.cosine",
    };
    query.push(format!(
        ", texts as materialized (
            select id, hash, questions.words, {cosine} as cosine
            from (select distinct question from rows) as listed
            join questions on hash = question
            cross join asked "
    ));
    match &sought.cosines {
        None => {
            query.push("left join question_vectors on question_vectors.question = id and embedder = ");
            query.push_bind(sought.vector.as_ref().map(|(by, _)| by.id));
        }
        Some(cosines) => {
            let (questions, cosines): (Vec<i64>, Vec<f64>) = cosines.iter().copied().unzip();
            query.push("left join unnest(").push_bind(questions).push(", ").push_bind(cosines);
            query.push(") as computed (question, cosine) on computed.question = id");
        }
    }
    query.push(" where coalesce(not questions.words @@ no_word, true))");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_words_are_not_part_of_the_search() {
        let check = |text: &str, wanted: &str, unwanted: &str| {
            let sought = SearchQuery::new(text);
            assert_eq!((sought.wanted(), sought.unwanted.as_str()), (wanted, unwanted), "{text}");
        };
        check("rent control", "rent control", "");
        check("rent -control  -\"cap\"", "rent", "control \"cap\"");
        check("\"spent -fuel\" -hill", "spent -fuel", "hill");
        check("-", "", "");
        check("a\0b", "a b", "");
    }
}
