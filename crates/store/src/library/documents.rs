//! Reads documents and their passages in order, page by page. One statement on each server reads any number of pages.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use chrono::NaiveDate;

use crate::error::StoreError;
use crate::library::open::Library;
use crate::library::recall::{PASSAGE_COLUMNS, StoredPassage, passage, persona_id};
use faultline_core::events::ids::PersonaId;

/// Name of a document in the library. Documents of different owners can have the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentName {
    /// Persona that wrote it, or the shared corpus that contains it.
    pub owner: PersonaId,
    /// Name, unique for the owner.
    pub name: String,
}

/// A document, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryDocument {
    /// Name of the document.
    pub name: DocumentName,
    /// True if the owner is a shared corpus.
    pub is_shared: bool,
    /// Title.
    pub title: String,
    /// Publication in which it appeared.
    pub source: String,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document: an essay, a letter.
    pub kind: String,
    /// Number of passages.
    pub n_passages: i64,
}

/// Requested page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LibraryPage<Whole, Place> {
    /// Owner of the documents, or the document with the passages.
    pub of: Whole,
    /// Place at which the page begins, excluded; `None` for an end of the list.
    pub from: Option<Place>,
    /// True if the page extends toward the end of the list.
    pub forward: bool,
    /// Maximum number of items.
    pub size: i32,
}

/// Requested page of an owner's documents, ordered by name.
pub type DocumentPage = LibraryPage<PersonaId, String>;

/// Requested page of a document's passages, in their order; a place is an index.
pub type PassagePage = LibraryPage<DocumentName, i32>;

/// Page that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct PageItems<T> {
    /// Items, in the order of the list.
    pub items: Vec<T>,
    /// True if there are further items in the direction of the page.
    pub more: bool,
}

/// Passages before and after a passage in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbors {
    /// The passage.
    pub chunk: Uuid,
    /// Passage before it.
    pub previous: Option<Uuid>,
    /// Passage after it.
    pub next: Option<Uuid>,
}

impl Library {
    /// Returns pages of documents, in the order of the requests.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn document_pages(&self, pages: &[DocumentPage]) -> Result<Vec<PageItems<LibraryDocument>>, StoreError> {
        let sql = r#"
            select place, documents.*, is_shared, n_passages
            from unnest($1::text[], $2::text[], $3::boolean[], $4::integer[]) with ordinality
                as wanted (owner, since, forward, size, place)
            cross join lateral (
                select persona, name, title, source, dated, kind
                from documents
                where
                    persona = owner
                    and (since is null or forward and name collate "C" > since or not forward and name collate "C" < since)
                order by
                    case when forward then name end collate "C",
                    case when not forward then name end collate "C" desc
                limit size + 1
            ) as documents
            cross join lateral (
                select count(*) as n_passages
                from chunks
                where chunks.persona = documents.persona and chunks.document = documents.name
            ) as counted
            join corpus_owners on corpus_owners.id = documents.persona
            order by place, documents.name collate "C""#;
        let mut all = empty_pages(pages.len());
        for group in self.servers.corpora().grouped(pages, |page| &page.of) {
            let pages = group.of(pages);
            let rows = sqlx::query(sql)
                .bind(pages.iter().map(|page| page.of.as_str()).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.from.as_deref()).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.forward).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.size).collect::<Vec<_>>())
                .fetch_all(group.pool)
                .await
                .map_err(StoreError::database("read documents"))?;
            group.place(distributed(&pages, &rows, document)?, &mut all);
        }
        Ok(all)
    }

    /// Returns the number of documents of each of these owners, in their order.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn count_documents(&self, owners: &[PersonaId]) -> Result<Vec<i64>, StoreError> {
        let sql = "
            select (select count(*) from documents where persona = owner)
            from unnest($1::text[]) with ordinality as wanted (owner, place)
            order by place";
        let mut all = vec![0; owners.len()];
        for group in self.servers.corpora().grouped(owners, |owner| owner) {
            let owners = group.of(owners);
            let owners: Vec<&str> = owners.iter().map(PersonaId::as_str).collect();
            let counts = sqlx::query_scalar(sql).bind(owners).fetch_all(group.pool).await;
            group.place(counts.map_err(StoreError::database("count documents"))?, &mut all);
        }
        Ok(all)
    }

    /// Returns the documents with these names, in no particular order. Omits those that do not exist.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn named_documents(&self, names: &[DocumentName]) -> Result<Vec<LibraryDocument>, StoreError> {
        let sql = "
            select
                persona, documents.name, title, source, dated, kind, is_shared,
                (select count(*) from chunks where chunks.persona = documents.persona and document = documents.name)
                    as n_passages
            from unnest($1::text[], $2::text[]) as wanted (owner, name)
            join documents on documents.persona = owner and documents.name = wanted.name
            join corpus_owners on corpus_owners.id = documents.persona";
        let mut found = Vec::with_capacity(names.len());
        for group in self.servers.corpora().grouped(names, |name| &name.owner) {
            let names = group.of(names);
            let rows = sqlx::query(sql)
                .bind(names.iter().map(|name| name.owner.as_str()).collect::<Vec<_>>())
                .bind(names.iter().map(|name| name.name.as_str()).collect::<Vec<_>>())
                .fetch_all(group.pool)
                .await
                .map_err(StoreError::database("read documents"))?;
            for row in &rows {
                found.push(document(row)?);
            }
        }
        Ok(found)
    }

    /// Returns pages of passages, in the order of the requests. Scores are 0.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn passage_pages(&self, pages: &[PassagePage]) -> Result<Vec<PageItems<StoredPassage>>, StoreError> {
        let sql = format!(
            "
            select place, {PASSAGE_COLUMNS}
            from unnest($1::text[], $2::text[], $3::integer[], $4::boolean[], $5::integer[]) with ordinality
                as wanted (owner, name, since, forward, size, place)
            join documents on documents.persona = owner and documents.name = wanted.name
            cross join lateral (
                select persona, id, document, ordinal, body
                from chunks
                where
                    persona = owner
                    and document = wanted.name
                    and (since is null or forward and ordinal > since or not forward and ordinal < since)
                order by case when forward then ordinal else -ordinal end
                limit size + 1
            ) as chunks
            order by place, ordinal"
        );
        let mut all = empty_pages(pages.len());
        for group in self.servers.corpora().grouped(pages, |page| &page.of.owner) {
            let pages = group.of(pages);
            let rows = sqlx::query(AssertSqlSafe(sql.as_str()))
                .bind(pages.iter().map(|page| page.of.owner.as_str()).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.of.name.as_str()).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.from).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.forward).collect::<Vec<_>>())
                .bind(pages.iter().map(|page| page.size).collect::<Vec<_>>())
                .fetch_all(group.pool)
                .await
                .map_err(StoreError::database("read the passages of documents"))?;
            group.place(distributed(&pages, &rows, passage)?, &mut all);
        }
        Ok(all)
    }

    /// Returns the neighbors of passages in their documents, in no particular order. Omits passages that do not exist.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn neighbors(&self, chunks: &[Uuid]) -> Result<Vec<Neighbors>, StoreError> {
        let sql = "
            select
                persona,
                id,
                (
                    select other.id
                    from chunks as other
                    where (other.persona, other.document) = (own.persona, own.document) and other.ordinal < own.ordinal
                    order by other.ordinal desc
                    limit 1
                ),
                (
                    select other.id
                    from chunks as other
                    where (other.persona, other.document) = (own.persona, own.document) and other.ordinal > own.ordinal
                    order by other.ordinal
                    limit 1
                )
            from chunks as own
            where id = any($1)";
        let mut found = Vec::with_capacity(chunks.len());
        let corpora = self.servers.corpora();
        for (place, server) in corpora.all() {
            let rows: Vec<(String, Uuid, Option<Uuid>, Option<Uuid>)> = sqlx::query_as(sql)
                .bind(chunks)
                .fetch_all(server)
                .await
                .map_err(StoreError::database("read the neighbors of passages"))?;
            for (owner, chunk, previous, next) in rows {
                if persona_id(&owner).is_ok_and(|owner| corpora.holds(place, &owner)) {
                    found.push(Neighbors { chunk, previous, next });
                }
            }
        }
        Ok(found)
    }
}

fn document(row: &PgRow) -> Result<LibraryDocument, StoreError> {
    let read = || -> Result<LibraryDocument, sqlx::Error> {
        Ok(LibraryDocument {
            name: DocumentName { owner: persona_id(row.try_get("persona")?)?, name: row.try_get("name")? },
            is_shared: row.try_get("is_shared")?,
            title: row.try_get("title")?,
            source: row.try_get("source")?,
            date: row.try_get("dated")?,
            kind: row.try_get("kind")?,
            n_passages: row.try_get("n_passages")?,
        })
    };
    read().map_err(StoreError::database("read a document"))
}

fn empty_pages<T>(n: usize) -> Vec<PageItems<T>> {
    std::iter::repeat_with(|| PageItems { items: Vec::new(), more: false }).take(n).collect()
}

/// Distributes rows to the pages that requested them. A page was read with one item more than requested, which shows
/// whether there are further ones.
fn distributed<Whole, Place, T>(
    pages: &[LibraryPage<Whole, Place>],
    rows: &[PgRow],
    read: impl Fn(&PgRow) -> Result<T, StoreError>,
) -> Result<Vec<PageItems<T>>, StoreError> {
    let mut found = empty_pages(pages.len());
    for row in rows {
        let place: i64 = row.try_get("place").map_err(StoreError::database("read a page of the library"))?;
        let page = usize::try_from(place).ok().and_then(|place| found.get_mut(place.saturating_sub(1)));
        if let Some(page) = page {
            page.items.push(read(row)?);
        }
    }
    for (page, wanted) in found.iter_mut().zip(pages) {
        let size = usize::try_from(wanted.size).unwrap_or_default();
        page.more = page.items.len() > size;
        if page.more && wanted.forward {
            page.items.truncate(size);
        } else if page.more {
            page.items.remove(0);
        }
    }
    Ok(found)
}
