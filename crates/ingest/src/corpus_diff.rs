//! Comparison of the folder and web sources of a persona or a shared corpus with the stored documents.
//!
//! | state of a source | effect on its documents |
//! |-------------------|-------------------------|
//! | read | updated; missing ones are removed, except those of a feed, which have only left its window |
//! | unreadable, unreachable, unchanged, or not fetched | kept as stored |
//! | removed from the folder or from `sources.toml` | removed |

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use chrono::{NaiveDate, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::chunks;
use crate::chunks::ParsedDocument;
use crate::fetch::fetcher::FetchedBody;
use crate::file_error::FileError;
use crate::links::WebSource;
use crate::readers::document::{ReadDocuments, SourceMetadata};
use crate::readers::form::Form;
use crate::readers::read::{read, read_file};
use crate::report::SourceReport;
use crate::sentences::sentences;
use crate::sources::{MAX_NAME_BYTES, Skipped, SourceFile, bytes_of_source, documents, listed};
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::safety::injection_scan::scan;
use faultline_shipped::built_in::is_built_in;
use faultline_store::library::document_writes::{StoredDocument, chunk_id};

/// Differences between a persona's sources and the stored documents.
#[derive(Debug, Default)]
pub struct CorpusDiff {
    /// New or changed documents.
    pub changed: Vec<ChangedDocument>,
    /// Unchanged documents.
    pub unchanged: Vec<StoredDocument>,
    /// Stored documents whose sources are gone.
    pub gone: Vec<StoredDocument>,
    /// Skipped files and sources.
    pub skipped: Vec<Skipped>,
    /// Results per source.
    pub sources: Vec<SourceReport>,
    /// Remark for the author, such as a missing corpus.
    pub remark: Option<FileError>,
}

/// Web source with the outcome of its fetch.
#[derive(Debug)]
pub struct RemoteSource {
    /// Web source.
    pub link: WebSource,
    /// Outcome of the fetch.
    pub came: FetchOutcome,
}

/// Outcome of fetching a web source.
#[derive(Debug)]
pub enum FetchOutcome {
    /// The source was not fetched: this ingest reads files only.
    Unasked,
    /// The source has not changed.
    Unchanged,
    /// The fetch failed, with the reason.
    Nothing(String),
    /// Current contents of the source.
    Body(FetchedBody),
}

/// New or changed document.
#[derive(Debug)]
pub struct ChangedDocument {
    /// Name among the persona's documents.
    pub name: String,
    /// Hash of its source and of the revision of the cutting rules.
    pub hash: [u8; 32],
    /// Title of the document.
    pub title: String,
    /// Publication in which it appeared.
    pub source: String,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document.
    pub kind: String,
    /// Passages, in order.
    pub passages: Vec<Cut>,
    /// Signs of prompt injection.
    pub flags: Vec<String>,
}

impl ChangedDocument {
    /// Maximum number of texts to embed.
    pub fn n_texts(&self) -> usize {
        self.passages.iter().map(Cut::n_texts).sum()
    }
}

/// Passage, cut into sentences.
#[derive(Debug)]
pub struct Cut {
    /// Id under which it is stored.
    pub id: Uuid,
    /// Text of the passage.
    pub text: String,
    /// Sentences, in order.
    pub sentences: Vec<String>,
}

impl Cut {
    /// Number of texts to embed: the passage and its sentences.
    pub fn n_texts(&self) -> usize {
        1 + self.sentences.len()
    }
}

/// Compares a persona's folder and web sources with the stored documents. Blocks on the file system.
pub fn survey(
    persona: &PersonaId,
    folder: &Path,
    web: Result<Vec<RemoteSource>, FileError>,
    stored: Vec<StoredDocument>,
) -> CorpusDiff {
    let (sources, skipped) = match documents(folder) {
        Ok(found) => found,
        Err(why) => {
            // The folder's contents are unknown, so no document is removed.
            let skipped = vec![Skipped { file: folder.to_owned(), why }];
            return CorpusDiff { unchanged: stored, skipped, ..CorpusDiff::default() };
        }
    };
    let mut looking = Looking {
        persona,
        stored: stored.into_iter().map(|source| (source.name.clone(), source)).collect(),
        names: HashSet::new(),
        seen: CorpusDiff { skipped, ..CorpusDiff::default() },
    };
    if sources.is_empty() && web.as_ref().is_ok_and(Vec::is_empty) {
        let what = "there is no document in this folder, so there are no passages to quote";
        looking.seen.remark = Some(FileError::of(folder, what));
    }
    for source in sources {
        looking.at_file(&source);
    }
    let unknown = web.is_err();
    match web {
        Ok(web) => web.into_iter().for_each(|link| looking.at_link(link)),
        Err(fault) => looking.seen.skipped.push(Skipped { why: fault.within(), file: fault.file }),
    }
    let Looking { stored, mut seen, .. } = looking;
    // Without the list of web sources, their documents cannot be distinguished from removed ones.
    let rest = if unknown { &mut seen.unchanged } else { &mut seen.gone };
    rest.extend(stored.into_values());
    seen
}

/// Survey in progress.
struct Looking<'a> {
    persona: &'a PersonaId,
    /// Stored documents not yet matched with a source.
    stored: BTreeMap<String, StoredDocument>,
    names: HashSet<String>,
    seen: CorpusDiff,
}

impl Looking<'_> {
    fn at_file(&mut self, source: &SourceFile) {
        if !self.is_first(&source.name, &source.file) {
            return;
        }
        let before = self.before(&source.name);
        let stored =
            before.iter().find(|document| document.name == source.name).map(|document| document.hash.as_slice());
        match read_source(source, stored) {
            Ok(None) => self.stays(before, &source.name, source.form),
            Ok(Some((hash, reading))) => {
                let given = SourceMetadata::of_file(&source.file).date;
                self.became(before, &source.name, source.form, (reading, hash, given));
            }
            Err(why) => self.passed_over(before, source.file.clone(), why),
        }
    }

    fn at_link(&mut self, asked: RemoteSource) {
        let RemoteSource { link, came } = asked;
        let address = PathBuf::from(&link.url);
        if !self.is_first(&link.name, &address) {
            return;
        }
        let before = self.before(&link.name);
        match came {
            FetchOutcome::Unasked => self.seen.unchanged.extend(before),
            FetchOutcome::Unchanged => self.stays(before, &link.name, link.form.unwrap_or(Form::Html)),
            FetchOutcome::Nothing(why) => self.passed_over(before, address, why),
            FetchOutcome::Body(body) => match read_body(&link, body) {
                Ok((form, reading, date)) => self.became(before, &link.name, form, (reading, None, date)),
                Err(why) => self.passed_over(before, address, why),
            },
        }
    }

    /// Returns true if no other source has this name, and records a skipped source otherwise.
    fn is_first(&mut self, name: &str, file: &Path) -> bool {
        let first = self.names.insert(name.to_owned());
        if !first {
            let why = format!("another source has the name {name} too; rename one of them");
            self.seen.skipped.push(Skipped { file: file.to_owned(), why });
        }
        first
    }

    /// Removes and returns the stored documents of a source.
    fn before(&mut self, name: &str) -> Vec<StoredDocument> {
        let within = format!("{name}/");
        let parts = self.stored.range(within.clone()..).take_while(|(part, _)| part.starts_with(&within));
        let names: Vec<String> = parts.map(|(part, _)| part.clone()).chain([name.to_owned()]).collect();
        names.iter().filter_map(|name| self.stored.remove(name)).collect()
    }

    fn stays(&mut self, before: Vec<StoredDocument>, name: &str, form: Form) {
        let told = SourceReport { n_unchanged: before.len(), ..SourceReport::new(self.persona, name, form) };
        self.seen.sources.push(told);
        self.seen.unchanged.extend(before);
    }

    fn passed_over(&mut self, before: Vec<StoredDocument>, file: PathBuf, why: String) {
        self.seen.unchanged.extend(before);
        self.seen.skipped.push(Skipped { file, why });
    }

    /// Records what was read from a source. `hash` is the hash of the whole source if it is one document; `given` is
    /// the date assigned to undated documents.
    fn became(
        &mut self,
        before: Vec<StoredDocument>,
        name: &str,
        form: Form,
        (reading, hash, given): (ReadDocuments, Option<[u8; 32]>, NaiveDate),
    ) {
        let mut told = SourceReport::new(self.persona, name, form);
        told.passed_over = reading.passed_over;
        told.remarks = reading.remarks;
        let mut before: HashMap<String, StoredDocument> =
            before.into_iter().map(|document| (document.name.clone(), document)).collect();
        for (part, document) in reading.documents {
            let whole = if part.is_empty() { name.to_owned() } else { format!("{name}/{part}") };
            if whole.len() > MAX_NAME_BYTES {
                told.passed_over.push(format!(
                    "{part}: its name is longer than {MAX_NAME_BYTES} bytes, including that of its source"
                ));
                continue;
            }
            let hash = hash.unwrap_or_else(|| hash_of(&document, given));
            let stored = before.remove(&whole);
            if stored.as_ref().is_some_and(|document| document.hash == hash) {
                told.n_unchanged += 1;
                self.seen.unchanged.extend(stored);
            } else {
                told.n_read += 1;
                self.seen.changed.push(changed(self.persona, whole, hash, document));
            }
        }
        if form == Form::Feed {
            // They have left the feed's window, but the persona did write them.
            told.n_kept = before.len();
            self.seen.unchanged.extend(before.into_values());
        } else {
            self.seen.gone.extend(before.into_values());
        }
        self.seen.sources.push(told);
    }
}

/// Contents of a file, with the hash of the whole if it is one document; `None` if that hash is stored already.
type ReadSource = Option<(Option<[u8; 32]>, ReadDocuments)>;

fn read_source(source: &SourceFile, stored: Option<&[u8]>) -> Result<ReadSource, String> {
    let (file, form) = (&source.file, source.form);
    let bytes = bytes_of_source(form, file)?;
    let mark: &[u8] = if form == Form::Markdown { b"" } else { form.name().as_bytes() };
    let hash: [u8; 32] =
        Sha256::new().chain_update([chunks::REVISION]).chain_update(mark).chain_update(&bytes).finalize().into();
    if form.is_one() && stored.is_some_and(|stored_hash| stored_hash == hash) {
        return Ok(None);
    }
    Ok(Some((form.is_one().then_some(hash), read_file(form, file, bytes)?)))
}

/// Reads a fetched source. Returns its form, its contents, and the date assigned to undated documents.
fn read_body(link: &WebSource, body: FetchedBody) -> Result<(Form, ReadDocuments, NaiveDate), String> {
    let found = Form::of_response(body.content_type.as_deref(), &body.bytes);
    let form = link.form.or(found).ok_or_else(|| {
        let said = body.content_type.as_deref().unwrap_or("nothing");
        format!("has an unsupported type ({said:?}); if it is readable, set its `kind` in sources.toml")
    })?;
    if body.bytes.len() as u64 > form.most_bytes() {
        return Err(format!("is larger than {} KiB, the limit for its kind", form.most_bytes() / 1024));
    }
    let date = body.validators.date().unwrap_or_else(|| Utc::now().date_naive());
    let charset = body.charset();
    let origin = SourceMetadata { name: link.name.clone(), place: link.url.clone(), date, url: Some(body.url) };
    Ok((form, read(form, body.bytes, charset, origin)?, date))
}

/// Hashes a document that is part of a source. An assigned date is not part of the hash.
fn hash_of(document: &ParsedDocument, given: NaiveDate) -> [u8; 32] {
    let mut hash = Sha256::new().chain_update([chunks::REVISION]);
    let date = if document.date == given { String::new() } else { document.date.to_string() };
    for text in [&document.title, &document.source, &date, &document.kind].into_iter().chain(&document.passages) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

fn changed(persona: &PersonaId, name: String, hash: [u8; 32], document: ParsedDocument) -> ChangedDocument {
    let ParsedDocument { title, source, date, kind, passages } = document;
    let whole = format!("{title}\n{}", passages.join("\n\n"));
    let flags = scan(&whole).iter().map(ToString::to_string).collect();
    let mut before: HashMap<String, usize> = HashMap::new();
    let cut = |text: String| {
        let before = before.entry(text.clone()).or_default();
        let id = chunk_id(persona, &name, *before, &text);
        *before += 1;
        let sentences = sentences(&text).into_iter().map(str::to_owned).collect();
        Cut { id, text, sentences }
    };
    let passages = passages.into_iter().map(cut).collect();
    ChangedDocument { name, hash, title, source, date, kind, passages, flags }
}

/// Lists the entries of the corpus folder that belong to no persona and are no shared corpora; none of the folder that is
/// built into the program, which nobody has to tidy up. Blocks on the file system.
pub fn strays(corpus: &Path, known: &HashSet<String>) -> Vec<Skipped> {
    let entries = if is_built_in(corpus) { Vec::new() } else { listed(corpus).unwrap_or_default() };
    let is_known =
        |entry: &PathBuf| entry.file_name().and_then(|name| name.to_str()).is_some_and(|name| known.contains(name));
    let why = "belongs to no persona and is no shared corpus; add a persona file with this name, or a file shared.toml \
               with `name` and `about` to the folder";
    entries.into_iter().filter(|entry| !is_known(entry)).map(|file| Skipped { file, why: why.to_owned() }).collect()
}
