//! Fetching of the web sources that a persona's folder lists, and storage of their HTTP validators.

use std::path::PathBuf;

use futures_util::stream::{self, StreamExt};

use crate::chunks::REVISION;
use crate::corpus_diff::{CorpusDiff, FetchOutcome, RemoteSource};
use crate::fetch::fetcher::{Fetched, Fetcher};
use crate::fetch::validators::Validators;
use crate::file_error::FileError;
use crate::links::{WebSource, links};
use crate::report::{IngestError, IngestProgress, OnProgress};
use faultline_core::events::ids::PersonaId;
use faultline_store::library::document_writes::StoredDocument;
use faultline_store::library::open::Library;
use faultline_store::library::sources::StoredSource;

/// Number of concurrent fetches; at most one per host.
const AT_ONCE: usize = 4;

/// Fetches the web sources that a folder lists; without a fetcher, only lists them. The inner [`FileError`] means that the
/// list is unreadable.
pub(super) async fn ask(
    library: &Library,
    persona: &PersonaId,
    folder: PathBuf,
    stored: &[StoredDocument],
    fetcher: Option<&Fetcher>,
    tell: OnProgress<'_>,
) -> Result<Result<Vec<RemoteSource>, FileError>, IngestError> {
    let read = tokio::task::spawn_blocking(move || links(&folder)).await;
    let found = match read.map_err(|error| IngestError::Reading(error.to_string()))? {
        Ok(found) => found,
        Err(fault) => return Ok(Err(fault)),
    };
    let Some(fetcher) = fetcher.filter(|_| !found.is_empty()) else {
        return Ok(Ok(found.into_iter().map(|link| RemoteSource { link, came: FetchOutcome::Unasked }).collect()));
    };
    tell(IngestProgress::Fetching { n_sources: found.len() });
    let known = library.sources(persona).await?;
    // Owned requests, so that the future is `Send`.
    let questions: Vec<(WebSource, Validators)> = found
        .into_iter()
        .map(|link| {
            let validators = validators(&link, &known, stored);
            (link, validators)
        })
        .collect();
    let answers = stream::iter(questions).map(|(link, validators)| fetched(fetcher, link, validators, tell));
    Ok(Ok(answers.buffered(AT_ONCE).collect().await))
}

async fn fetched(fetcher: &Fetcher, link: WebSource, validators: Validators, tell: OnProgress<'_>) -> RemoteSource {
    let came = match fetcher.fetch(&link.url, &validators).await {
        Ok(Fetched::Unchanged) => FetchOutcome::Unchanged,
        Ok(Fetched::Body(body)) => FetchOutcome::Body(body),
        Err(why) => FetchOutcome::Nothing(why),
    };
    tell(IngestProgress::Fetched { url: link.url.clone() });
    RemoteSource { link, came }
}

/// Returns the validators of a conditional request; none unless the stored documents come from this URL and the current
/// rules.
fn validators(link: &WebSource, known: &[StoredSource], stored: &[StoredDocument]) -> Validators {
    let is_of = |document: &StoredDocument| {
        document.name.strip_prefix(link.name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let as_now = |source: &&StoredSource| {
        source.name == link.name && source.url == link.url && source.revision == i16::from(REVISION)
    };
    match known.iter().find(as_now) {
        Some(it) if stored.iter().any(is_of) => Validators { etag: it.etag.clone(), modified: it.modified.clone() },
        _ => Validators::default(),
    }
}

/// Returns the listed sources with the validators of those that were fetched; `None` if the list is unreadable.
pub(super) fn found_at(asked: &Result<Vec<RemoteSource>, FileError>) -> Option<Vec<(String, Option<StoredSource>)>> {
    let found = |remote: &RemoteSource| {
        let FetchOutcome::Body(body) = &remote.came else { return (remote.link.name.clone(), None) };
        let stored = StoredSource {
            name: remote.link.name.clone(),
            url: remote.link.url.clone(),
            etag: body.validators.etag.clone(),
            modified: body.validators.modified.clone(),
            revision: i16::from(REVISION),
        };
        (remote.link.name.clone(), Some(stored))
    };
    asked.as_ref().ok().map(|sources| sources.iter().map(found).collect())
}

/// Stores the validators of sources that were read, and deletes those of sources that are gone.
pub(super) async fn remember(
    library: &Library,
    persona: &PersonaId,
    seen: &CorpusDiff,
    found: Option<Vec<(String, Option<StoredSource>)>>,
) -> Result<(), IngestError> {
    let Some(found) = found else { return Ok(()) };
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    library.forget_sources(persona, &names).await?;
    for source in found.into_iter().filter_map(|(_, source)| source) {
        // A source that was fetched but could not be read is fetched unconditionally the next time.
        if seen.sources.iter().any(|other| other.name == source.name) {
            library.remember_source(persona, &source).await?;
        }
    }
    Ok(())
}
