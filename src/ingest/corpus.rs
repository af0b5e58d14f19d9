//! From folders to the library.
//!
//! | step | what | a crash after it |
//! |------|------|------------------|
//! | 1 | read and check all persona files | nothing was written |
//! | 2 | agree on the embedder: another than the one in use is refused | |
//! | 3 | enter personas, take out those whose files are gone | |
//! | 4 | ask for what lies in the web, where that was wanted | |
//! | 5 | read all documents, set aside those whose hash is stored | |
//! | 6 | for each other document: embed the passages that are not stored, write it whole | goes on with the next |
//! | 7 | remember how what lies in the web was found | asks for it once more |
//!
//! The folders are the truth: what is gone from them goes from the library, unless only some personas were asked for.
//! Embedding is nearly all of the cost, and it is paid once a passage; an ingest that finds nothing changed reads and
//! hashes the files and asks one question a persona.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::ingest::embedding::embed_passages;
use crate::ingest::fault::Fault;
use crate::ingest::fetch::fetcher::Fetcher;
use crate::ingest::gathering::{ask, found_at, remember};
use crate::ingest::personas::{PersonaFile, read_personas};
use crate::ingest::report::{Flagged, IngestError, Progress, Report, Tally, Tell};
use crate::ingest::sources::listed;
use crate::ingest::survey::{Changed, Cut, Survey, strays, survey};
use crate::providers::ports::Embedder;
use crate::store::library::intake::{NewChunk, NewDocument, Written};
use crate::store::library::open::{Library, StoredEmbedder};

/// What is to be ingested.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Where the persona files are.
    pub personas: PathBuf,
    /// Where each persona has a folder of documents, named by its id.
    pub corpus: PathBuf,
    /// Only these personas; `None` for all, and for taking out those that are gone.
    pub only: Option<Vec<PersonaId>>,
}

/// Brings the library up to date with the folders. What lies in the web stays as it is stored.
///
/// # Errors
/// As [`gather`].
pub async fn ingest(
    library: &Library,
    embedder: &dyn Embedder,
    folders: &Folders,
    tell: Tell<'_>,
) -> Result<Report, IngestError> {
    gather(library, embedder, folders, None, tell).await
}

/// Brings the library up to date with the folders, and with what they name in the web where there is a fetcher.
///
/// # Errors
/// [`IngestError`]; documents stored before it stay. A source that cannot be read or reached is no error: it is passed
/// over, what is stored of it stays, and the report says why.
pub async fn gather(
    library: &Library,
    embedder: &dyn Embedder,
    folders: &Folders,
    fetcher: Option<&Fetcher>,
    tell: Tell<'_>,
) -> Result<Report, IngestError> {
    let Folders { personas, corpus, only, .. } = folders.clone();
    let files = reading(move || read_personas(&personas, only.as_deref())).await??;
    reading(move || listed(&corpus).map_err(|why| Fault::of(corpus, why))).await??;
    let mut report = Report::default();
    let by = library.embedder(embedder.name(), embedder.width(), embedder.is_stand_in()).await?;
    report.embedder.clone_from(&by.name);
    enter(library, &files, folders.only.is_none(), &mut report).await?;

    let mut found = Vec::new();
    for file in &files {
        let persona = &file.persona.id;
        let stored = library.documents(persona).await?;
        let (id, folder) = (persona.clone(), folders.corpus.join(persona.as_str()));
        let asked = ask(library, persona, folder.clone(), &stored, fetcher, tell).await?;
        let links = found_at(&asked);
        let seen = reading(move || survey(&id, &folder, asked, stored)).await?;
        found.push((persona, seen, links));
    }
    if folders.only.is_none() {
        let corpus = folders.corpus.clone();
        let known: HashSet<String> = files.iter().map(|it| it.persona.id.to_string()).collect();
        report.skipped.extend(reading(move || strays(&corpus, &known)).await?);
    }
    let changed = || found.iter().flat_map(|(_, seen, _)| &seen.changed);
    tell(Progress::Planned { n_documents: changed().count(), n_texts: changed().map(Changed::n_texts).sum() });
    for (persona, seen, links) in found {
        let tally = bring_up(library, embedder, &by, persona, &seen, tell).await?;
        remember(library, persona, &seen, links).await?;
        report.flagged.extend(flagged(persona, &seen));
        report.sources.extend(seen.sources);
        report.personas.insert(persona.clone(), tally);
        report.skipped.extend(seen.skipped);
        report.remarks.extend(seen.remark);
    }
    Ok(report)
}

/// Runs something that blocks on the file system where it may.
pub(super) async fn reading<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> Result<T, IngestError> {
    tokio::task::spawn_blocking(what).await.map_err(|it| IngestError::Reading(it.to_string()))
}

/// Enters the personas; with `all`, takes out those that are not among them.
async fn enter(library: &Library, files: &[PersonaFile], all: bool, report: &mut Report) -> Result<(), IngestError> {
    let stored = library.personas().await?;
    for file in files {
        let before = stored.iter().find(|it| it.persona.id == file.persona.id);
        if before.is_some_and(|it| is_unversioned(&it.persona, &file.persona)) {
            let version = file.persona.version;
            let what = format!("contract or voice changed, and version is still {version}; raise it");
            report.remarks.push(Fault::of(&file.file, what));
        }
        library.upsert_persona(&file.persona, &file.topics).await?;
    }
    let gone = stored.into_iter().map(|it| it.persona.id).filter(|id| files.iter().all(|it| it.persona.id != *id));
    for id in gone.filter(|_| all) {
        library.remove_persona(&id).await?;
        report.removed.push(id);
    }
    Ok(())
}

/// Whether a persona is another than it was, under the same version.
fn is_unversioned(before: &Persona, now: &Persona) -> bool {
    (&before.contract, &before.voice) != (&now.contract, &now.voice) && before.version == now.version
}

/// Makes what is stored of a persona what was seen.
async fn bring_up(
    library: &Library,
    embedder: &dyn Embedder,
    by: &StoredEmbedder,
    persona: &PersonaId,
    seen: &Survey,
    tell: Tell<'_>,
) -> Result<Tally, IngestError> {
    let mut tally = Tally { n_unchanged: seen.unchanged.len(), ..Tally::default() };
    tally.passages.unchanged = seen.unchanged.iter().map(|it| it.n_passages.unsigned_abs()).sum();
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
        tell(Progress::Stored { persona: persona.clone(), document: changed.name.clone(), written });
    }
    Ok(tally)
}

/// Embeds what is new in a document, and stores it.
async fn store(
    library: &Library,
    embedder: &dyn Embedder,
    by: &StoredEmbedder,
    persona: &PersonaId,
    changed: &Changed,
    tell: Tell<'_>,
) -> Result<Written, IngestError> {
    let stored = library.chunks_of(persona, &changed.name).await?;
    let is_new = |it: &&Cut| stored.get(&it.id) != Some(&it.sentences);
    let new: Vec<&Cut> = changed.passages.iter().filter(is_new).collect();
    let n_new: usize = new.iter().map(|it| it.n_texts()).sum();
    tell(Progress::Embedded { n_texts: changed.n_texts() - n_new });
    let texts: Vec<_> = new.iter().map(|it| (it.text.as_str(), it.sentences.as_slice())).collect();
    let embedded = embed_passages(embedder, &texts, &|n_texts| tell(Progress::Embedded { n_texts })).await;
    let what = || format!("the document {} of {persona}", changed.name);
    let mut embedded = embedded.map_err(|failure| IngestError::Embedding { what: what(), failure })?.into_iter();
    let chunk = |it: &Cut| NewChunk {
        id: it.id,
        text: it.text.clone(),
        embedded: if is_new(&it) { embedded.next() } else { None },
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

/// What was seen of a persona that looks like an attempt on a model.
fn flagged(persona: &PersonaId, seen: &Survey) -> Vec<Flagged> {
    let changed = seen.changed.iter().map(|it| (&it.name, &it.flags));
    let all = changed.chain(seen.unchanged.iter().map(|it| (&it.name, &it.flags)));
    let flagged = |(name, flags): (&String, &Vec<String>)| Flagged {
        persona: persona.clone(),
        document: name.clone(),
        flags: flags.clone(),
    };
    all.filter(|(_, flags)| !flags.is_empty()).map(flagged).collect()
}
