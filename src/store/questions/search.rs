//! Finding cruxes and disputes by what they ask: by meaning and by words at once, among those that a filter lets through.
//!
//! Three rankings are fused by weighted reciprocal rank, as in [`crate::store::library::recall`]: nearness of the vectors,
//! any of the words, all of them. A score is a whole number, so that it is the same in every statement and a page can
//! begin behind it. A text that has no vector yet is found by its words.
//!
//! One statement. It looks at every text that the filter lets through: about 1 ms a thousand of them.

use pgvector::HalfVector;
use sqlx::{FromRow, Postgres, QueryBuilder};

use crate::store::library::open::StoredEmbedder;

/// How deep each ranking is read: no search finds more than three times as many texts.
pub const DEPTH: i64 = 300;
/// Texts that are less near than this are not found by nearness. Questions of different topics stay below 0.2
/// (tests/fixtures/questions/pairs.tsv).
pub const LEAST: f64 = 0.25;

/// What a score is counted in.
pub const SCORE: f64 = 1e9;

/// What each ranking weighs: vectors, any word, all words. Divided by 60 and the place, rounded to a whole number, and summed.
type Weights = [f64; 3];
const FOR_MEANING: Weights = [SCORE, 0.3 * SCORE, SCORE];
/// A stand-in's vectors only break ties.
const FOR_SPELLING: Weights = [0.3 * SCORE, SCORE, SCORE];

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    text: String,
    wanted: String,
    unwanted: String,
    vector: Option<(StoredEmbedder, HalfVector)>,
}

impl Sought {
    /// A search as one types it: words, phrases in quotes, and `-` before what is not wanted.
    pub fn new(text: &str) -> Sought {
        // A NUL can stand in no text of Postgres.
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
        Sought { wanted: wanted.replace('"', ""), unwanted, text, vector: None }
    }

    /// What is to be embedded.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// With where it lies in an embedder's space.
    pub fn lying_at(self, by: StoredEmbedder, vector: &[f32]) -> Sought {
        Sought { vector: Some((by, HalfVector::from_f32_slice(vector))), ..self }
    }
}

/// Why something was found.
#[derive(Clone, Debug, Default, PartialEq, FromRow)]
pub struct Hit {
    /// By what it is ordered; the greater, the better, in parts of [`SCORE`].
    pub score: i64,
    /// How near it lies; `None` where it has no vector yet, or the search has none.
    pub cosine: Option<f64>,
    /// Stems of the words of the search that it has, in alphabetical order.
    pub stems: Vec<String>,
}

/// Begins a statement: all rows that were found, with the columns of a hit, are behind the name `found`. `narrow` says
/// `from` which table, `where` what applies; it has the column `question`.
pub(crate) fn push_found(
    query: &mut QueryBuilder<Postgres>,
    sought: &Sought,
    columns: &str,
    narrow: impl FnOnce(&mut QueryBuilder<Postgres>),
) {
    query.push(format!("with rows as materialized (select {columns}, question "));
    narrow(query);
    query.push("), asked as materialized (select ");
    let (embedder, vector) = sought.vector.as_ref().map(|(by, vector)| (by.id, vector.clone())).unzip();
    query.push_bind(vector).push("::halfvec as vector, ");
    for (text, name) in [(&sought.wanted, "any_word"), (&sought.unwanted, "no_word")] {
        query.push("(select string_agg(quote_literal(word), ' | ')::tsquery from unnest(tsvector_to_array(to_tsvector('english', ");
        query.push_bind(text.clone()).push(format!("))) as word) as {name}, "));
    }
    query.push("tsvector_to_array(to_tsvector('english', ").push_bind(sought.wanted.clone()).push(")) as stems, ");
    query.push("websearch_to_tsquery('english', ").push_bind(sought.text.clone()).push(") as all_words)");
    query.push(
        ", texts as materialized (
            select id, hash, questions.words, 1 - (question_vectors.vector <=> asked.vector) as cosine
            from (select distinct question from rows) as listed
            join questions on hash = question
            cross join asked
            left join question_vectors on question_vectors.question = id and embedder = ",
    );
    query.push_bind(embedder).push(" where coalesce(not questions.words @@ no_word, true))");
    query.push(
        ", near as (select id, row_number() over (order by cosine desc, hash) as place from texts where cosine >= ",
    );
    query.push_bind(LEAST).push(" order by place limit ").push_bind(DEPTH).push(")");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_wanted_is_not_looked_for() {
        let check = |text: &str, wanted: &str, unwanted: &str| {
            let sought = Sought::new(text);
            assert_eq!((sought.wanted(), sought.unwanted.as_str()), (wanted, unwanted), "{text}");
        };
        check("rent control", "rent control", "");
        check("rent -control  -\"cap\"", "rent", "control \"cap\"");
        check("\"spent -fuel\" -hill", "spent -fuel", "hill");
        check("-", "", "");
        check("a\0b", "a b", "");
    }
}
