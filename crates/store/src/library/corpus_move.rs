//! Moves a corpus to another server while the library is searched.
//!
//! ```text
//! close it here ─▶ copy it ─▶ build the indexes there ─▶ change the placement ─▶ open it there ─▶ delete it here
//! └── documents of this owner are neither stored nor removed ──────────────────────────────────┘
//! ```
//!
//! The change of the placement, at home, decides. It is made by the connection that holds the lock of the move, so a process
//! that lost the lock cannot make it. If the process that moves the corpus dies before it, the corpus is opened again where it
//! was, and after it, where it is then: by the next move or change of the corpus, or the next maintenance of the library.
//!
//! While there are two copies, readers ignore the one that the placement does not name.

use std::time::Duration;

use sqlx::{Connection, PgConnection, PgPool};
use tokio::time::sleep;

use crate::database::row_copy::{copy_rows, copying_connection};
use crate::error::StoreError;
use crate::library::corpus_lock::CorpusLock;
use crate::library::embedder_copy::copy_embedders;
use crate::library::index_maintenance::quoted;
use crate::library::open::{Library, LibraryError};
use crate::shard::ShardError;
use faultline_core::events::ids::PersonaId;

/// Time after which the former copy of a corpus is deleted: all processes know of the move by then, unless they are cut off
/// from the home.
pub const CORPUS_GRACE: Duration = Duration::from_secs(5);

const ATTEMPT: &str = "move a corpus";
/// Name of the connections.
const ROLE: &str = "moving a corpus";

/// Result of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedCorpus {
    /// Name of the shard that held the corpus before.
    pub from: String,
    /// Number of documents.
    pub n_documents: u64,
    /// Number of passages.
    pub n_passages: u64,
}

impl Library {
    /// Moves the corpus of a persona, or a shared corpus, to a shard by its name; `None` if it is there already. Its former
    /// copy is deleted after `grace`. `report` is called with the number of copied documents and that of all.
    ///
    /// Cost: reads and writes every passage and vector of the corpus once, and builds its index.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if another process moves it; [`LibraryError::NoPersona`] if there is no such persona or
    /// shared corpus; [`LibraryError::Fault`] if the shard is unknown, or a database cannot be reached or refuses a statement.
    /// The corpus is then where it was, or in its new place.
    pub async fn move_corpus(
        &self,
        owner: &PersonaId,
        target: &str,
        grace: Duration,
        report: impl FnMut(u64, u64),
    ) -> Result<Option<MovedCorpus>, LibraryError> {
        let Some(to) = self.servers.named(target) else {
            let known = self.servers.names().join(", ");
            return Err(StoreError::from(ShardError::NoShard { shard: target.to_owned(), known }).into());
        };
        let Some(mut lock) = CorpusLock::take(&self.servers, owner).await? else {
            return Err(LibraryError::BeingMoved { owner: owner.clone() });
        };
        lock.settle(&self.servers).await?;
        let Some(from) = lock.placement().await? else {
            return Err(LibraryError::NoPersona { persona: owner.clone() });
        };
        if from == target {
            lock.release().await?;
            return Ok(None);
        }
        self.servers.reload().await?;
        let (n_documents, n_passages) = match self.carry_over(&mut lock, (owner, target, to), report).await {
            Ok(copied) => copied,
            Err(fault) => {
                // Opens it where the placement says.
                lock.settle(&self.servers).await?;
                lock.release().await?;
                return Err(fault);
            }
        };
        sleep(grace).await;
        lock.settle(&self.servers).await?;
        lock.release().await?;
        if let Some(server) = self.servers.named(&from) {
            self.maintain_server(server).await?;
        }
        Ok(Some(MovedCorpus { from, n_documents, n_passages }))
    }

    /// Copies a corpus and changes its placement.
    async fn carry_over(
        &self,
        lock: &mut CorpusLock,
        (owner, target, to): (&PersonaId, &str, &PgPool),
        report: impl FnMut(u64, u64),
    ) -> Result<(u64, u64), LibraryError> {
        let from = self.servers.corpora().of(owner);
        // Waits for changes of its documents in progress.
        lock.close(from).await?;
        lock.admit(to).await?;
        copy_embedders(self.servers.home(), to).await?;
        let mut connections = (copying_connection(from, ROLE).await?, copying_connection(to, ROLE).await?);
        let copied = copy(&mut connections, owner, report).await.map_err(StoreError::database(ATTEMPT))?;
        self.maintain_server(to).await?;
        lock.place(target).await?;
        // One may have been registered or put into use meanwhile.
        copy_embedders(self.servers.home(), to).await?;
        lock.open(to).await?;
        self.servers.reload().await?;
        Ok(copied)
    }
}

/// Copies the documents of an owner, all or none. Returns the numbers of documents and passages.
async fn copy(
    (source, target): &mut (PgConnection, PgConnection),
    owner: &PersonaId,
    mut report: impl FnMut(u64, u64),
) -> Result<(u64, u64), sqlx::Error> {
    let mut tx = target.begin().await?;
    let names: Vec<String> =
        sqlx::query_scalar(r#"select name from documents where persona = $1 order by name collate "C""#)
            .bind(owner.as_str())
            .fetch_all(&mut *source)
            .await?;
    let n_documents = names.len() as u64;
    let mut n_passages = 0;
    copy_table(source, &mut tx, &SOURCES, owner, "").await?;
    for (copied, name) in (0..).zip(&names) {
        report(copied, n_documents);
        let quoted = name.replace('\'', "''");
        copy_table(source, &mut tx, &DOCUMENTS, owner, &format!("and name = '{quoted}'")).await?;
        n_passages += copy_table(source, &mut tx, &CHUNKS, owner, &format!("and document = '{quoted}'")).await?;
        let of_document = format!(
            "and chunk in (select id from chunks where persona = '{}' and document = '{quoted}')",
            self::quoted(owner)
        );
        for table in [SENTENCES, CHUNK_VECTORS, SENTENCE_VECTORS] {
            copy_table(source, &mut tx, &table, owner, &of_document).await?;
        }
    }
    tx.commit().await?;
    report(n_documents, n_documents);
    Ok((n_documents, n_passages))
}

/// Table of the library with the columns that are copied.
type Table = (&'static str, &'static str);

const SOURCES: Table = ("sources", "persona, name, url, etag, modified, revision, fetched_at");
const DOCUMENTS: Table = ("documents", "persona, name, title, source, dated, kind, hash, stored_at, flags");
const CHUNKS: Table = ("chunks", "persona, id, document, ordinal, body");
const SENTENCES: Table = ("sentences", "persona, chunk, ordinal, body");
const CHUNK_VECTORS: Table = ("chunk_vectors", "persona, embedder, chunk, vector");
const SENTENCE_VECTORS: Table = ("sentence_vectors", "persona, embedder, chunk, ordinal, vector");

/// Copies those rows of an owner that meet a further condition. Returns their number.
async fn copy_table(
    source: &mut PgConnection,
    target: &mut PgConnection,
    table: &Table,
    owner: &PersonaId,
    condition: &str,
) -> Result<u64, sqlx::Error> {
    let (name, columns) = table;
    let query = format!("select {columns} from {name} where persona = '{}' {condition}", quoted(owner));
    copy_rows(source, target, &query, *table).await
}
