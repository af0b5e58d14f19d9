//! Measurements at one size of the store.

use std::time::{Duration, Instant};

use faultline_store::lanes::{Cursor, LANES};
use faultline_store::log::log::MAX_PAGE;
use faultline_store::open::Store;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort};
use faultline_store::views::debates::{DebatePageRequest, DebateQuery, DebateSort, PageDirection};

use crate::debates::EVENTS;
use crate::rebuild::rebuild;
use crate::simulation::Size;

/// Number of times that each query is sent; the median counts.
const TIMES: usize = 9;
/// Tables of the log, with the keys and the leases of its debates.
const LOG: &[&str] = &["events", "debate_keys", "leases"];
/// Tables of the stored views.
const VIEWS: &[&str] = &["debates", "cruxes", "disputes", "views", "casts", "persona_versions", "questions"];

/// Rebuilds the views of so many debates, and measures sizes, the rebuild, and queries.
pub async fn measure(store: &Store, n_debates: usize) -> Size {
    let begun = Instant::now();
    rebuild(store, Some(1)).await;
    let rebuild = begun.elapsed();
    // The rows of the generation before would count as well.
    sqlx::query("delete from debates where generation <> (select max(generation) from generations)")
        .execute(store.log.pool())
        .await
        .expect("delete the former generation");
    for table in ["cruxes", "disputes", "views"] {
        let former = format!("delete from {table} where generation <> (select max(generation) from generations)");
        sqlx::query(sqlx::AssertSqlSafe(former)).execute(store.log.pool()).await.expect("delete the former generation");
    }
    for table in LOG.iter().chain(VIEWS) {
        let vacuum = format!("vacuum (full, analyze) {table}");
        sqlx::query(sqlx::AssertSqlSafe(vacuum)).execute(store.log.pool()).await.expect("vacuum");
    }
    let page = |counted| DebatePageRequest {
        order: DebateSort::Newest,
        from: None,
        toward: PageDirection::Older,
        limit: 20,
        counted,
        brief: true,
    };
    let everything = DebateQuery::default();
    let list = median(async || {
        store.views.list_debates(None, &everything, &page(false)).await.expect("a page");
    })
    .await;
    let counted = median(async || {
        store.views.list_debates(None, &everything, &page(true)).await.expect("a page");
    })
    .await;
    let search = median(async || {
        let query = CruxQuery { search: Some("crews".to_owned()), ..CruxQuery::default() };
        let page = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 20, counted: true, brief: true };
        let found = store.views.cruxes(None, &query, CruxSort::Newest, &page).await.expect("a page");
        assert!(found.total.is_some_and(|total| total > 0), "the search finds nothing");
    })
    .await;
    let newest = store.log.debates(0, None, 1).await.expect("a debate");
    let read = median(async || {
        for debate in &newest {
            store.log.read(*debate, 0, MAX_PAGE).await.expect("a debate");
        }
    })
    .await;
    let scan = scan(store).await;
    Size {
        is_measured: true,
        n_events: (n_debates * EVENTS) as i64,
        log_bytes: bytes(store, LOG).await,
        view_bytes: bytes(store, VIEWS).await,
        rebuild,
        scan,
        list,
        counted,
        search,
        read,
    }
}

/// Returns the size of tables with their indexes.
async fn bytes(store: &Store, tables: &[&str]) -> i64 {
    sqlx::query_scalar("select sum(pg_total_relation_size(name::regclass))::bigint from unnest($1::text[]) as name")
        .bind(tables)
        .fetch_one(store.log.pool())
        .await
        .expect("the sizes of tables")
}

/// Returns the time for one reader to read all events.
async fn scan(store: &Store) -> Duration {
    let (mut cursor, heads, begun) = (Cursor::default(), store.log.heads().await.expect("heads"), Instant::now());
    loop {
        let (events, reached) = store.log.read_to(&cursor, &heads, i64::from(LANES) * 500).await.expect("read");
        if events.is_empty() {
            return begun.elapsed();
        }
        cursor = reached;
    }
}

async fn median(ask: impl AsyncFn()) -> Duration {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        ask().await;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    times[TIMES / 2]
}
