//! Lock of a corpus whose documents are moved or removed, and the placement of corpora.
//!
//! A server where a corpus is *closed* stores and removes no documents of it. Exactly the server that the placement names has
//! it open, except while the lock is held, and after the process that held it died: [`CorpusLock::settle`] restores that.

use std::time::Duration;

use sqlx::{Connection, PgConnection, PgPool, Postgres, Transaction};

use crate::database::pool::close_unlocked;
use crate::database::row_copy::copying_connection;
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::shard::{HOME, ShardError};
use crate::shards::corpus_places::CORPUS_LOCK;
use crate::shards::shards::Shards;
use faultline_core::events::ids::PersonaId;

/// Lock of a corpus. Held by a connection to the home, so it ends with the process.
pub(super) struct CorpusLock {
    home: PgConnection,
    owner: PersonaId,
}

impl CorpusLock {
    /// Takes the lock; `None` if another process holds it.
    pub(super) async fn take(servers: &Shards, owner: &PersonaId) -> Result<Option<CorpusLock>, StoreError> {
        let mut home = copying_connection(servers.home(), "lock of a corpus").await?;
        let taken: bool = sqlx::query_scalar("select pg_try_advisory_lock($1, hashtext($2))")
            .bind(CORPUS_LOCK)
            .bind(owner.as_str())
            .fetch_one(&mut home)
            .await
            .map_err(StoreError::database("lock a corpus"))?;
        Ok(taken.then(|| CorpusLock { home, owner: owner.clone() }))
    }

    /// Returns the name of the shard that holds the corpus; `None` if there is no such persona or shared corpus.
    pub(super) async fn placement(&mut self) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar("select shard from corpus_owners where id = $1")
            .bind(self.owner.as_str())
            .fetch_optional(&mut self.home)
            .await
            .map_err(StoreError::database("read where a corpus is"))
    }

    /// Changes the placement.
    pub(super) async fn place(&mut self, shard: &str) -> Result<(), LibraryError> {
        let placed = sqlx::query("update corpus_owners set shard = $2 where id = $1")
            .bind(self.owner.as_str())
            .bind(shard)
            .execute(&mut self.home)
            .await
            .map_err(StoreError::database("change the placement of a corpus"))?;
        match placed.rows_affected() {
            0 => Err(LibraryError::NoPersona { persona: self.owner.clone() }),
            _ => Ok(()),
        }
    }

    /// Closes the corpus on a server.
    pub(super) async fn close(&self, server: &PgPool) -> Result<(), StoreError> {
        self.set_closed(server, true).await
    }

    /// Opens the corpus on a server.
    pub(super) async fn open(&self, server: &PgPool) -> Result<(), StoreError> {
        self.set_closed(server, false).await
    }

    async fn set_closed(&self, server: &PgPool, is_closed: bool) -> Result<(), StoreError> {
        sqlx::query("update corpus_owners set is_closed = $2 where id = $1")
            .bind(self.owner.as_str())
            .bind(is_closed)
            .execute(server)
            .await
            .map(drop)
            .map_err(StoreError::database("open or close a corpus"))
    }

    /// Opens the corpus where the placement says that it is, and closes and deletes it on all other servers: what a move has
    /// left, whether it was interrupted or not. If there is no such persona or shared corpus any more, it is deleted on all.
    pub(super) async fn settle(&mut self, servers: &Shards) -> Result<(), StoreError> {
        let placement = self.placement().await?;
        if let Some(shard) = placement.as_ref().filter(|shard| servers.named(shard).is_none()) {
            let what = format!("the corpus of {}", self.owner);
            return Err(ShardError::Unknown { what, shard: shard.clone() }.into());
        }
        for (name, pool) in servers.names().into_iter().zip(servers.pools()) {
            match &placement {
                Some(shard) if shard == name => self.open(pool).await?,
                Some(_) => self.clear(pool).await?,
                None if name == HOME => {}
                None => self.forget(pool).await?,
            }
        }
        Ok(())
    }

    /// Closes the corpus on a server, and deletes its documents there, one after another.
    async fn clear(&self, server: &PgPool) -> Result<(), StoreError> {
        let attempt = StoreError::database("delete the former copy of a corpus");
        let is_there: bool = sqlx::query_scalar("select exists (select from corpus_owners where id = $1)")
            .bind(self.owner.as_str())
            .fetch_one(server)
            .await
            .map_err(&attempt)?;
        if !is_there {
            return Ok(());
        }
        self.close(server).await?;
        let mut connection = copying_connection(server, "deleting a corpus").await?;
        loop {
            let sql = "
                delete from documents
                where persona = $1
                and name = (select name from documents where persona = $1 limit 1)";
            let gone = sqlx::query(sql).bind(self.owner.as_str()).execute(&mut connection).await.map_err(&attempt)?;
            if gone.rows_affected() == 0 {
                break;
            }
        }
        let sources = sqlx::query("delete from sources where persona = $1").bind(self.owner.as_str());
        sources.execute(&mut connection).await.map_err(&attempt)?;
        connection.close().await.map_err(attempt)
    }

    /// Deletes the corpus on a server together with its owner.
    async fn forget(&self, server: &PgPool) -> Result<(), StoreError> {
        self.clear(server).await?;
        sqlx::query("delete from corpus_owners where id = $1")
            .bind(self.owner.as_str())
            .execute(server)
            .await
            .map(drop)
            .map_err(StoreError::database("remove the owner of a corpus"))
    }

    /// Adds the owner to a server, closed, unless it is there.
    pub(super) async fn admit(&mut self, server: &PgPool) -> Result<(), StoreError> {
        let attempt = StoreError::database("add the owner of a corpus to a server");
        let is_shared: Option<bool> = sqlx::query_scalar("select is_shared from corpus_owners where id = $1")
            .bind(self.owner.as_str())
            .fetch_optional(&mut self.home)
            .await
            .map_err(&attempt)?;
        let sql = "
            insert into corpus_owners (id, is_shared, is_closed)
            values ($1, $2, true)
            on conflict (id) do nothing";
        let query = sqlx::query(sql).bind(self.owner.as_str()).bind(is_shared.unwrap_or_default());
        query.execute(server).await.map(drop).map_err(attempt)
    }

    /// Releases the lock before it returns.
    pub(super) async fn release(self) -> Result<(), StoreError> {
        close_unlocked(self.home).await.map_err(StoreError::database("release the lock of a corpus"))
    }
}

impl Library {
    /// Begins a transaction on the server that holds a corpus, in which documents of the owner may be stored and removed. The
    /// corpus is not moved until it ends.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if it is being moved; [`LibraryError::Fault`] if a database cannot be reached or refuses a
    /// statement.
    pub(super) async fn begin_change(
        &self,
        owner: &PersonaId,
        what: &'static str,
    ) -> Result<Transaction<'static, Postgres>, LibraryError> {
        let attempt = StoreError::database(what);
        if let Some(tx) = self.try_begin_change(owner, &attempt).await? {
            return Ok(tx);
        }
        // It was moved, or a move of it was interrupted.
        if let Some(mut lock) = CorpusLock::take(&self.servers, owner).await? {
            lock.settle(&self.servers).await?;
            lock.release().await?;
        }
        self.servers.reload().await?;
        let tx = self.try_begin_change(owner, &attempt).await?;
        tx.ok_or_else(|| LibraryError::BeingMoved { owner: owner.clone() })
    }

    /// Begins the transaction where the corpus is, as far as this process knows; `None` if it is closed there.
    async fn try_begin_change(
        &self,
        owner: &PersonaId,
        attempt: &impl Fn(sqlx::Error) -> StoreError,
    ) -> Result<Option<Transaction<'static, Postgres>>, LibraryError> {
        let server = self.servers.corpora().of(owner);
        let mut tx = begin(server).await.map_err(attempt)?;
        if self.servers.others().is_empty() {
            return Ok(Some(tx));
        }
        let is_closed: Option<bool> = sqlx::query_scalar("select is_closed from corpus_owners where id = $1 for share")
            .bind(owner.as_str())
            .fetch_optional(&mut *tx)
            .await
            .map_err(attempt)?;
        let is_at_home = std::ptr::eq(server, self.servers.home());
        // At home there may be no such owner, which the constraint of its documents tells.
        let is_open = is_closed.map_or(is_at_home, |is_closed| !is_closed);
        Ok(is_open.then_some(tx))
    }

    /// Removes a persona, or a shared corpus (`is_shared`), with all its documents. Returns whether it existed.
    pub(super) async fn remove_owner(&self, owner: &PersonaId, is_shared: bool) -> Result<bool, LibraryError> {
        let deletion = match is_shared {
            true => "delete from shared_corpora where id = $1",
            false => "delete from personas where id = $1",
        };
        let attempt = StoreError::database("remove a corpus");
        if self.servers.others().is_empty() {
            let done = sqlx::query(deletion).bind(owner.as_str()).execute(self.home()).await;
            return Ok(done.map_err(attempt)?.rows_affected() > 0);
        }
        let Some(mut lock) = CorpusLock::take(&self.servers, owner).await? else {
            return Err(LibraryError::BeingMoved { owner: owner.clone() });
        };
        // An owner of the other kind keeps its documents.
        let is_there: bool =
            sqlx::query_scalar("select exists (select from corpus_owners where id = $1 and is_shared = $2)")
                .bind(owner.as_str())
                .bind(is_shared)
                .fetch_one(&mut lock.home)
                .await
                .map_err(&attempt)?;
        if !is_there {
            lock.release().await?;
            return Ok(false);
        }
        for shard in self.servers.others() {
            lock.forget(&shard.pool).await?;
        }
        let done = sqlx::query(deletion).bind(owner.as_str()).execute(&mut lock.home).await;
        let existed = done.map_err(attempt)?.rows_affected() > 0;
        lock.release().await?;
        self.servers.reload().await?;
        Ok(existed)
    }

    /// Places the corpus of a new persona, or a new shared corpus: on the server of the library that has the fewest passages.
    /// So a library that was moved away from the home stays away from it.
    pub(super) async fn place_new_corpus(&self, owner: &PersonaId) -> Result<(), LibraryError> {
        if self.servers.others().is_empty() {
            return Ok(());
        }
        self.servers.reload().await?;
        let mut amounts = Vec::new();
        for (place, server) in self.servers.corpora().all() {
            let n: i64 = sqlx::query_scalar("select coalesce(sum(n_passages), 0)::bigint from shelves")
                .fetch_one(server)
                .await
                .map_err(StoreError::database("choose a server for a corpus"))?;
            amounts.push((n, place));
        }
        let with_passages = amounts.iter().filter(|(n, _)| *n > 0).min();
        let name = with_passages.and_then(|(_, place)| self.servers.names().get(*place).copied());
        let Some(name) = name.filter(|name| *name != HOME) else { return Ok(()) };
        // Nothing is copied, and nobody has looked for it yet.
        match self.move_corpus(owner, name, Duration::ZERO, |_, _| ()).await {
            // By another process that has found it new, too.
            Ok(_) | Err(LibraryError::BeingMoved { .. }) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Restores the placement of corpora whose moves were interrupted, unless another process is at it.
    ///
    /// Cost: a statement for each server, and some more for each such corpus.
    pub(super) async fn settle_corpora(&self) -> Result<(), StoreError> {
        let attempt = StoreError::database("look for interrupted moves of corpora");
        if self.servers.others().is_empty() {
            return Ok(());
        }
        self.servers.reload().await?;
        let corpora = self.servers.corpora();
        for (place, pool) in self.servers.pools().enumerate() {
            let sql = "
                select id, is_closed, exists (select from documents where documents.persona = corpus_owners.id)
                from corpus_owners";
            let rows: Vec<(String, bool, bool)> = sqlx::query_as(sql).fetch_all(pool).await.map_err(&attempt)?;
            for (owner, is_closed, has_documents) in rows {
                let owner: PersonaId = owner.parse().map_err(|error| attempt(sqlx::Error::Decode(Box::new(error))))?;
                let is_here = corpora.holds(place, &owner);
                let is_as_placed = if is_here { !is_closed } else { is_closed && !has_documents };
                if is_as_placed {
                    continue;
                }
                if let Some(mut lock) = CorpusLock::take(&self.servers, &owner).await? {
                    lock.settle(&self.servers).await?;
                    lock.release().await?;
                }
            }
        }
        Ok(())
    }
}
