//! Finds the candidates of a search on one server. Their texts are read once they are ranked, because only a few of them are
//! returned.
//!
//! Passages near in meaning and passages with the words are found at once, each on a connection of its own, so that a search takes
//! as long as the longer of the two. Of a passage found by both, one candidate is made.

use pgvector::HalfVector;
use sqlx::PgPool;
use tokio::try_join;
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::nearest_passages::nearest_passages;
use crate::library::recall::LibrarySearch;
use crate::library::survey::AccessPath;
use crate::library::worded_passages::{SearchWords, worded_passages};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::{MeaningMatch, PassageCandidate};

/// Returns the candidates of a search on one server, each with the persona or the shared corpus of its passage; without an
/// embedder, by words alone.
pub(super) async fn candidates(
    pool: &PgPool,
    meant: Option<(&StoredEmbedder, &HalfVector)>,
    search: LibrarySearch<'_>,
    (words, path): (&SearchWords, AccessPath),
) -> Result<Vec<(PersonaId, PassageCandidate)>, StoreError> {
    let near = async {
        match meant {
            Some(meant) => nearest_passages(pool, meant, (search.whose, path)).await,
            None => Ok(Vec::new()),
        }
    };
    let (near, worded) = try_join!(near, worded_passages(pool, meant, search, (words, path)))?;
    Ok(merged(near, worded))
}

/// Makes one candidate of each passage that was found.
fn merged(
    near: Vec<(PersonaId, Uuid, MeaningMatch)>,
    mut found: Vec<(PersonaId, PassageCandidate)>,
) -> Vec<(PersonaId, PassageCandidate)> {
    for (owner, chunk, meaning) in near {
        match found.iter_mut().find(|(of, candidate)| candidate.chunk == chunk && *of == owner) {
            Some((_, candidate)) => candidate.meaning = Some(meaning),
            None => found.push((owner, PassageCandidate { chunk, meaning: Some(meaning), words: None })),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_core::retrieval::fusion::WordMatch;

    #[test]
    fn a_passage_found_twice_is_one_candidate() {
        let owner = |name: &str| -> PersonaId { name.parse().expect("an id") };
        let meaning = |is_near| MeaningMatch { cosine: 0.5, sentence_cosine: Some(0.6), is_near };
        let words = Some(WordMatch { share: 0.2, as_written: false, density: 0.1 });
        let worded = |name, chunk| {
            let candidate = PassageCandidate { chunk: Uuid::from_u128(chunk), meaning: Some(meaning(false)), words };
            (owner(name), candidate)
        };
        let near = ["ada", "ben"].map(|name| (owner(name), Uuid::from_u128(1), meaning(true)));
        let found = merged(near.to_vec(), vec![worded("ada", 1), worded("ada", 2)]);
        let told: Vec<(&str, u128, bool, bool)> = found
            .iter()
            .map(|(owner, it)| {
                let is_near = it.meaning.is_some_and(|meaning| meaning.is_near);
                (owner.as_str(), it.chunk.as_u128(), is_near, it.words.is_some())
            })
            .collect();
        assert_eq!(told, [("ada", 1, true, true), ("ada", 2, false, true), ("ben", 1, true, false)]);
    }
}
