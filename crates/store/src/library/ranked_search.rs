//! Runs a search: asks the servers for candidates, and ranks them.
//!
//! ```text
//! survey      amounts of the library, words of the search with their counts, access path
//! candidates  the best passages of each ranking
//! fusion      both rankings combined (`faultline_core::retrieval::fusion`), without the database
//! texts       of the passages that are returned
//! ```
//!
//! Servers are asked at once. Each survey precedes all candidates, because a word weighs what it weighs in the whole library.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::try_join_all;
use pgvector::HalfVector;
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::candidates::candidates;
use crate::library::open::{Library, LibraryError, halved};
use crate::library::reading::passages_of;
use crate::library::recall::{
    CorpusScope, FoundPassage, LibrarySearch, MAX_PASSAGES, MAX_SEARCH_BYTES, MatchReasons, StoredPassage,
};
use crate::library::survey::Survey;
use crate::library::worded_passages::SearchWords;
use crate::shards::corpus_servers::CorpusServers;
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::{CountedWord, FusedPassage, PassageCandidate, fuse};

/// Maximum time for a server that is not searched to count the words of the search. The weights of words are those of the other
/// servers if it does not answer.
const COUNTING_TIMEOUT: Duration = Duration::from_secs(2);

impl Library {
    /// Returns the best passages with the reasons, best first; without an embedder, by words alone.
    pub(super) async fn found(
        &self,
        by: Option<&StoredEmbedder>,
        search: LibrarySearch<'_>,
    ) -> Result<Vec<FoundPassage>, LibraryError> {
        for (what, most, given) in [
            ("the number of passages to return", MAX_PASSAGES, search.limit),
            ("the size of the search text in bytes", MAX_SEARCH_BYTES, search.text.len()),
        ] {
            if given > most {
                return Err(LibraryError::Limit { what, most, given });
            }
        }
        let vector = by.map(|embedder| halved(embedder, search.vector)).transpose()?;
        let corpora = self.servers.corpora();
        let found = all_candidates(&corpora, by.zip(vector.as_ref()), search).await?;
        let (owners, candidates): (Vec<PersonaId>, Vec<PassageCandidate>) = found.into_iter().unzip();
        let ranked = fuse(&candidates, by.is_some_and(|embedder| embedder.stand_in), search.limit);
        let wanted: Vec<(&PersonaId, Uuid)> =
            ranked.iter().map(|it| (&owners[it.index], candidates[it.index].chunk)).collect();
        let passages = texts(&corpora, &wanted).await?;
        let found = |(ranked, passage): (FusedPassage, Option<StoredPassage>)| {
            let why = MatchReasons::of(&candidates[ranked.index], &ranked);
            Some(FoundPassage { passage: StoredPassage { score: ranked.score, ..passage? }, why })
        };
        Ok(ranked.into_iter().zip(passages).filter_map(found).collect())
    }
}

/// Returns the passages with these owners and ids, in their order, with a score of 0; `None` for one that was removed meanwhile.
async fn texts(
    corpora: &CorpusServers<'_>,
    wanted: &[(&PersonaId, Uuid)],
) -> Result<Vec<Option<StoredPassage>>, StoreError> {
    let groups = corpora.grouped(wanted, |(owner, _)| owner);
    let read = groups.iter().map(async |group| passages_of(group.pool, &group.of(wanted)).await);
    let mut all = vec![None; wanted.len()];
    for (group, passages) in groups.iter().zip(try_join_all(read).await?) {
        group.place(passages, &mut all);
    }
    Ok(all)
}

/// Returns the candidates of a search on all servers, each with the persona or the shared corpus of its passage.
async fn all_candidates(
    corpora: &CorpusServers<'_>,
    meant: Option<(&StoredEmbedder, &HalfVector)>,
    search: LibrarySearch<'_>,
) -> Result<Vec<(PersonaId, PassageCandidate)>, StoreError> {
    let is_searched = |place: usize| match search.whose {
        CorpusScope::All => true,
        CorpusScope::Of(owners) => owners.iter().any(|owner| corpora.holds(place, owner)),
    };
    let (servers, by) = (corpora.all(), meant.map(|(by, _)| by));
    let surveys = servers.iter().map(async |(place, server)| match is_searched(*place) {
        true => Survey::of(server, by, search).await.map(Some),
        false => Ok(timeout(COUNTING_TIMEOUT, Survey::of(server, by, search)).await.ok().and_then(Result::ok)),
    });
    let surveys = try_join_all(surveys).await?;
    let words = weighed(surveys.iter().flatten());
    let found = servers.iter().zip(&surveys).map(async |((place, server), survey)| match survey {
        Some(survey) if is_searched(*place) => {
            let found = candidates(server, meant, search, (&words, survey.path)).await?;
            // Not the copies of corpora that are being moved. They displace nothing: a passage that is among the best of the
            // library is among the best of each part that contains it.
            let is_here = |(owner, _): &(PersonaId, PassageCandidate)| corpora.holds(*place, owner);
            Ok::<_, StoreError>(found.into_iter().filter(is_here).collect())
        }
        _ => Ok(Vec::new()),
    });
    Ok(try_join_all(found).await?.into_iter().flatten().collect())
}

/// Weighs the words of a search by their counts on all servers.
fn weighed<'a>(surveys: impl Iterator<Item = &'a Survey> + Clone) -> SearchWords {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for counted in surveys.clone().flat_map(|survey| &survey.words) {
        *counts.entry(&counted.word).or_default() += counted.n_passages;
    }
    let words = counts.into_iter().map(|(word, n_passages)| CountedWord { word: word.to_owned(), n_passages });
    SearchWords::weighed(words.collect(), surveys.map(|survey| survey.n_passages).sum())
}

impl MatchReasons {
    fn of(candidate: &PassageCandidate, ranked: &FusedPassage) -> Self {
        let number = |cosine: f64| cosine.is_finite().then_some(cosine);
        let words = candidate.words.filter(|_| ranked.by_words.is_some());
        MatchReasons {
            cosine: candidate.meaning.and_then(|it| number(it.cosine)),
            sentence_cosine: candidate.meaning.and_then(|it| it.sentence_cosine).and_then(number),
            by_meaning: ranked.by_meaning.map(i64::from),
            by_words: ranked.by_words.map(i64::from),
            share: words.map_or(0.0, |it| it.share),
            as_written: words.is_some_and(|it| it.as_written),
        }
    }
}
