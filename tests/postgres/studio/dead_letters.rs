//! Dead letters on the page of the projections: shown as they come, retried, and gone once they are processed.

use serde_json::json;

use crate::studio::scene::{close, scene};
use crate::support::debate_builder::DebateBuilder;
use crate::support::phase_events::{mend_unreadable, record_unreadable};

/// Cells of the table of dead letters: version, kind, number of attempts.
const LETTERS: &str = "[...document.querySelectorAll('.projection tbody tr')]
    .filter((row) => row.closest('.scrolls').ariaLabel.startsWith('Dead letters'))
    .map((row) => [1, 2, 4].map((cell) => row.cells[cell].innerText).join(' ')).join()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_cannot_be_processed_is_shown_retried_and_gone_once_it_can() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let mut broken = DebateBuilder::new(&["ada", "ben"]);
    broken.add_argument("ada", "Yes", "Crews are rested.");
    let version = broken.append_new(&server.log).await + 1;
    tab.go("/projections").await;
    tab.wait("document.querySelector('.projection .figures')?.innerText.includes('no, up to date')").await;
    assert_eq!(tab.eval(LETTERS).await, json!(""), "nothing is listed before");

    record_unreadable(&server, broken.id, version).await;
    tab.wait(&format!("{LETTERS} === '{version} phase_entered 1'")).await;
    tab.wait_for_text("cannot be read").await;
    tab.click(".projection button", "Retry all").await;
    tab.wait(&format!("{LETTERS} === '{version} phase_entered 2'")).await;

    mend_unreadable(&server, broken.id, version).await;
    tab.click(".projection button", "Retry all").await;
    tab.wait(&format!("{LETTERS} === ''")).await;
    assert!(!tab.text("main").await.contains("Dead letters"));
    close((server, tab)).await;
}
