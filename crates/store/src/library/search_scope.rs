//! Fragments of SQL that the statements of a search have in common.

use crate::library::index_maintenance::quoted;
use crate::library::recall::CorpusScope;
use crate::library::survey::AccessPath;
use faultline_core::events::ids::PersonaId;

/// Scope and access path of a search, as fragments of SQL.
pub(super) struct Scope {
    /// Condition on the persona.
    pub(super) whose: String,
    /// Expression added to a distance.
    pub(super) to_distance: &'static str,
    /// Condition that a passage has one of the words.
    pub(super) has_word: &'static str,
}

impl Scope {
    /// Builds the fragments. `parameter` is the number of the parameter with the ids of the corpora.
    pub(super) fn of(whose: CorpusScope<'_>, path: AccessPath, parameter: usize) -> Scope {
        // The persona is a literal, because the planner can plan for one persona, and match a partial index, only if
        // the statement itself names it.
        let whose = match whose {
            CorpusScope::All => "true".to_owned(),
            CorpusScope::Of([one]) => format!("persona = '{}'", quoted(one)),
            CorpusScope::Of(_) => format!("persona = any(${parameter})"),
        };
        match path {
            // Prevents the use of an index: no index matches a sum, or a function instead of an operator.
            AccessPath::Scan => Scope { whose, to_distance: " + 0", has_word: "ts_match_vq(words, any_word)" },
            AccessPath::Index { .. } => Scope { whose, to_distance: "", has_word: "words @@ any_word" },
        }
    }
}

/// Returns the ids of the corpora that are searched; `None` if all are.
pub(super) fn ids(whose: CorpusScope<'_>) -> Option<Vec<&str>> {
    match whose {
        CorpusScope::All => None,
        CorpusScope::Of(owners) => Some(owners.iter().map(PersonaId::as_str).collect()),
    }
}

/// Builds the lateral subquery for the cosine of the nearest sentence of each passage in `passages`.
pub(super) fn nearest_sentences(width: usize, passages: &str, embedder: &str) -> String {
    format!(
        "(
            select max(1 - (vector::halfvec({width}) <=> (select vector from asked))) as sentence_cosine
            from sentence_vectors
            where sentence_vectors.persona = {passages}.persona
                and sentence_vectors.embedder = {embedder}
                and sentence_vectors.chunk = {passages}.chunk
        ) as sentences"
    )
}
