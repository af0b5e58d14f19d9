//! Ingest: synchronizes the library with the folders of personas and corpora.
//!
//! | step | action | state after a crash |
//! |------|--------|---------------------|
//! | 1 | read and validate all persona files, and the files of shared corpora | nothing was written |
//! | 2 | check the embedder: another one than that in use is refused | |
//! | 3 | store personas and shared corpora, remove those whose files are gone | |
//! | 4 | fetch web sources, if requested | |
//! | 5 | read all documents, skip those whose hash is stored | |
//! | 6 | per changed document: embed the passages not yet stored, write it as a whole | continues with the next one |
//! | 7 | store the HTTP validators of the web sources | fetches them once more |
//!
//! The folders are authoritative: what is removed from them is removed from the library, unless the ingest is limited
//! to some personas or shared corpora. Those that are built into the program are not: a service that was started in the
//! wrong folder, and therefore reads them, must not remove personas of one's own. Embedding is nearly all of the cost, and each passage is embedded once; an ingest
//! without changes reads and hashes the files and runs one query per persona and shared corpus.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::corpus_diff::{ChangedDocument, CorpusDiff, Cut, strays, survey};
use crate::embedding::embed_passages;
use crate::fetch::fetcher::Fetcher;
use crate::file_error::FileError;
use crate::owners::CorpusOwners;
use crate::remote_sources::{ask, found_at, remember};
use crate::report::{Flagged, IngestError, IngestProgress, IngestReport, OnProgress, PersonaCounts};
use crate::sources::listed;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::Persona;
use faultline_providers::ports::Embedder;
use faultline_shipped::built_in::is_built_in;
use faultline_store::library::document_writes::DocumentChanges;
use faultline_store::library::new_document::{NewChunk, NewDocument};
use faultline_store::library::open::Library;
use faultline_store::stored_embedder::StoredEmbedder;

/// Input folders of an ingest.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Folder of the persona files.
    pub personas: PathBuf,
    /// Folder with one subfolder of documents per persona and per shared corpus, named by its id.
    pub corpus: PathBuf,
    /// Personas and shared corpora to ingest; `None` for all, which also removes those whose files are gone.
    pub only: Option<Vec<PersonaId>>,
}

/// Synchronizes the library with the folders. Documents from web sources stay as they are stored.
///
/// # Errors
/// The errors of [`ingest_with_web`].
pub async fn ingest(
    library: &Library,
    embedder: &dyn Embedder,
    folders: &Folders,
    tell: OnProgress<'_>,
) -> Result<IngestReport, IngestError> {
    ingest_with_web(library, embedder, folders, None, tell).await
}

/// Synchronizes the library with the folders, and with their web sources if there is a fetcher.
///
/// # Errors
/// [`IngestError`]; documents stored before it remain. A source that cannot be read or reached is not an error: it is
/// skipped, its stored documents remain, and the report gives the reason.
pub async fn ingest_with_web(
    library: &Library,
    embedder: &dyn Embedder,
    folders: &Folders,
    fetcher: Option<&Fetcher>,
    tell: OnProgress<'_>,
) -> Result<IngestReport, IngestError> {
    let Folders { personas, corpus, only } = folders.clone();
    let within = corpus.clone();
    let owners = reading(move || CorpusOwners::of(&personas, &within, only.as_deref())).await??;
    reading(move || listed(&corpus).map_err(|why| FileError::of(corpus, why))).await??;
    let mut report = IngestReport::default();
    let by = library.embedder(embedder.name(), embedder.width(), embedder.is_fallback()).await?;
    report.embedder.clone_from(&by.name);
    enter(library, &owners, folders, &mut report).await?;

    let mut found = Vec::new();
    for persona in owners.ids() {
        let stored = library.documents(persona).await?;
        let (id, folder) = (persona.clone(), folders.corpus.join(persona.as_str()));
        let asked = ask(library, persona, folder.clone(), &stored, fetcher, tell).await?;
        let links = found_at(&asked);
        let seen = reading(move || survey(&id, &folder, asked, stored)).await?;
        found.push((persona, seen, links));
    }
    if folders.only.is_none() {
        let corpus = folders.corpus.clone();
        let known: HashSet<String> = owners.ids().map(PersonaId::to_string).collect();
        report.skipped.extend(reading(move || strays(&corpus, &known)).await?);
    }
    let changed = || found.iter().flat_map(|(_, seen, _)| &seen.changed);
    tell(IngestProgress::Planned {
        n_documents: changed().count(),
        n_texts: changed().map(ChangedDocument::n_texts).sum(),
    });
    for (persona, seen, links) in found {
        let tally = bring_up(library, embedder, &by, persona, &seen, tell).await?;
        remember(library, persona, &seen, links).await?;
        report.flagged.extend(flagged(persona, &seen));
        report.sources.extend(seen.sources);
        let counts = if owners.has_shared(persona) { &mut report.shared } else { &mut report.personas };
        counts.insert(persona.clone(), tally);
        report.skipped.extend(seen.skipped);
        report.remarks.extend(seen.remark);
    }
    Ok(report)
}

/// Runs a blocking file system operation on a blocking thread.
pub(super) async fn reading<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> Result<T, IngestError> {
    tokio::task::spawn_blocking(what).await.map_err(|error| IngestError::Reading(error.to_string()))
}

/// Stores the owners; an ingest of all removes those that are not among them, if the folder is on disk. An id that has come
/// to belong to an owner of the other kind loses the documents of the former.
async fn enter(
    library: &Library,
    owners: &CorpusOwners,
    folders: &Folders,
    report: &mut IngestReport,
) -> Result<(), IngestError> {
    let is_complete = |folder: &Path| folders.only.is_none() && !is_built_in(folder);
    let (stored, shared) = (library.personas().await?, library.shared_corpora().await?);
    for id in stored.iter().map(|entry| &entry.persona.id) {
        if owners.has_shared(id) || (is_complete(&folders.personas) && !owners.has_persona(id)) {
            library.remove_persona(id).await?;
            report.removed.push(id.clone());
        }
    }
    for id in shared.iter().map(|entry| &entry.corpus.id) {
        if owners.has_persona(id) || (is_complete(&folders.corpus) && !owners.has_shared(id)) {
            library.remove_shared_corpus(id).await?;
            report.removed_shared.push(id.clone());
        }
    }
    for file in &owners.personas {
        let before = stored.iter().find(|entry| entry.persona.id == file.persona.id);
        if before.is_some_and(|entry| is_unversioned(&entry.persona, &file.persona)) {
            let version = file.persona.version;
            let what = format!("contract or voice changed, but version is still {version}; increase it");
            report.remarks.push(FileError::of(&file.file, what));
        }
        library.upsert_persona(&file.persona, &file.topics).await?;
    }
    for corpus in &owners.shared {
        library.upsert_shared_corpus(corpus).await?;
    }
    Ok(())
}

/// Returns true if contract or voice of a persona changed while the version stayed the same.
fn is_unversioned(before: &Persona, now: &Persona) -> bool {
    (&before.contract, &before.voice) != (&now.contract, &now.voice) && before.version == now.version
}

/// Updates the stored documents of a persona or a shared corpus to the result of a survey.
async fn bring_up(
    library: &Library,
    embedder: &dyn Embedder,
    by: &StoredEmbedder,
    persona: &PersonaId,
    seen: &CorpusDiff,
    tell: OnProgress<'_>,
) -> Result<PersonaCounts, IngestError> {
    let mut tally = PersonaCounts { n_unchanged: seen.unchanged.len(), ..PersonaCounts::default() };
    tally.passages.unchanged = seen.unchanged.iter().map(|source| source.n_passages.unsigned_abs()).sum();
    for gone in &seen.gone {
        tally.passages.removed += library.remove_document(persona, &gone.name).await?;
        tally.n_removed += 1;
    }
    for changed in &seen.changed {
        let written = store(library, embedder, by, persona, changed, tell).await?;
        tally.n_read += 1;
        tally.passages.new += written.new;
        tally.passages.unchanged += written.unchanged;
        tally.passages.removed += written.removed;
        tell(IngestProgress::Stored { persona: persona.clone(), document: changed.name.clone(), written });
    }
    Ok(tally)
}

/// Embeds the new passages of a document, and stores it.
async fn store(
    library: &Library,
    embedder: &dyn Embedder,
    by: &StoredEmbedder,
    persona: &PersonaId,
    changed: &ChangedDocument,
    tell: OnProgress<'_>,
) -> Result<DocumentChanges, IngestError> {
    let stored = library.chunks_of(persona, &changed.name).await?;
    let is_new = |passage: &&Cut| stored.get(&passage.id) != Some(&passage.sentences);
    let new: Vec<&Cut> = changed.passages.iter().filter(is_new).collect();
    let n_new: usize = new.iter().map(|passage| passage.n_texts()).sum();
    tell(IngestProgress::Embedded { n_texts: changed.n_texts() - n_new });
    let texts: Vec<_> = new.iter().map(|passage| (passage.text.as_str(), passage.sentences.as_slice())).collect();
    let embedded = embed_passages(embedder, &texts, &|n_texts| tell(IngestProgress::Embedded { n_texts })).await;
    let what = || format!("the document {} of {persona}", changed.name);
    let mut embedded = embedded.map_err(|failure| IngestError::Embedding { what: what(), failure })?.into_iter();
    let chunk = |passage: &Cut| NewChunk {
        id: passage.id,
        text: passage.text.clone(),
        embedded: if is_new(&passage) { embedded.next() } else { None },
    };
    let document = NewDocument {
        persona: persona.clone(),
        name: changed.name.clone(),
        title: changed.title.clone(),
        source: changed.source.clone(),
        date: changed.date,
        kind: changed.kind.clone(),
        hash: changed.hash,
        chunks: changed.passages.iter().map(chunk).collect(),
    };
    Ok(library.put_flagged(by, &document, &changed.flags).await?)
}

/// Collects the documents that look like prompt injection.
fn flagged(persona: &PersonaId, seen: &CorpusDiff) -> Vec<Flagged> {
    let changed = seen.changed.iter().map(|source| (&source.name, &source.flags));
    let all = changed.chain(seen.unchanged.iter().map(|source| (&source.name, &source.flags)));
    let flagged = |(name, flags): (&String, &Vec<String>)| Flagged {
        persona: persona.clone(),
        document: name.clone(),
        flags: flags.clone(),
    };
    all.filter(|(_, flags)| !flags.is_empty()).map(flagged).collect()
}
