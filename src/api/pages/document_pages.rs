//! Pages of documents and of their passages. A cursor is the name of a document, or the index of a passage.

use async_graphql::connection::PageInfo;
use async_graphql::dataloader::DataLoader;
use async_graphql::{Context, Result};

use crate::api::loading::library_loader::{DocumentCount, LibraryLoader};
use crate::api::paging::{PageRequest, invalid_cursor, page_info};
use crate::api::types::persona::document::{Document, DocumentConnection, Passage, PassageConnection};
use faultline_core::events::ids::PersonaId;
use faultline_store::library::documents::{DocumentPage, PageItems, PassagePage};
use faultline_store::views::debates::PageDirection;

/// First characters of the cursors of documents and of passages, which cannot be exchanged.
const DOCUMENT: &str = "document.";
const PASSAGE: &str = "passage.";

/// Returns a page of the documents of a persona or a shared corpus, ordered by name.
///
/// # Errors
/// `INVALID` if the cursor is malformed; the codes of [`from_service`] if the library cannot be read.
///
/// [`from_service`]: crate::api::error::from_service
pub async fn documents(context: &Context<'_>, owner: &PersonaId, page: PageRequest) -> Result<DocumentConnection> {
    let loader = context.data::<DataLoader<LibraryLoader>>()?;
    let from = page.from.as_deref().map(|cursor| place(DOCUMENT, cursor).map(str::to_owned)).transpose()?;
    let request = DocumentPage { of: owner.clone(), from, forward: is_forward(&page), size: page.size };
    let PageItems { items, more } = loader.load_one(request).await?.unwrap_or_else(empty);
    let total = match context.look_ahead().field("totalCount").exists() {
        true => loader.load_one(DocumentCount(owner.clone())).await?,
        false => None,
    };
    let edges: Vec<(String, Document)> =
        items.into_iter().map(|document| (format!("{DOCUMENT}{}", document.name.name), document.into())).collect();
    let info = info(&page, more, &edges);
    Ok(DocumentConnection::new(edges, info, total))
}

/// Returns a page of the passages of a document, in their order.
///
/// # Errors
/// As [`documents`].
pub async fn passages(context: &Context<'_>, document: &Document, page: PageRequest) -> Result<PassageConnection> {
    let index = |cursor| place(PASSAGE, cursor)?.parse().map_err(|_| invalid_cursor());
    let from: Option<i32> = page.from.as_deref().map(index).transpose()?;
    let request = PassagePage { of: document.document.clone(), from, forward: is_forward(&page), size: page.size };
    let read = context.data::<DataLoader<LibraryLoader>>()?.load_one(request).await?;
    let PageItems { items, more } = read.unwrap_or_else(empty);
    let edges: Vec<(String, Passage)> =
        items.into_iter().map(|passage| (format!("{PASSAGE}{}", passage.ordinal), passage.into())).collect();
    let info = info(&page, more, &edges);
    Ok(PassageConnection::new(edges, info, document.n_passages()))
}

fn is_forward(page: &PageRequest) -> bool {
    page.toward == PageDirection::Older
}

fn empty<T>() -> PageItems<T> {
    PageItems { items: Vec::new(), more: false }
}

fn place<'a>(kind: &str, cursor: &'a str) -> Result<&'a str> {
    cursor.strip_prefix(kind).ok_or_else(invalid_cursor)
}

fn info<T>(page: &PageRequest, more: bool, edges: &[(String, T)]) -> PageInfo {
    let (before, behind) = page.has_previous_and_next(more);
    page_info(edges.iter().map(|edge| &edge.0), before, behind)
}
