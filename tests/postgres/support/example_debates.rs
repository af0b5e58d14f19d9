//! Debates with every kind of content, for tests that read them.

use faultline_core::events::dispute::Side;

use crate::support::debate_builder::DebateBuilder;
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;

/// Appends debates with cruxes of several statements and disputes of their own.
pub async fn append_debates(server: &TestServer, n: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    for at in 0..n {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        let own = builder.add_argument("ada", "It pays", &format!("The crews of {at} are rested."));
        let theirs = builder.add_argument("ben", "It loses", &format!("Nobody travels on {at}."));
        builder.add_mutual_attack("ben", theirs, own);
        builder.undermine_each_other(("ada", own), ("ben", theirs));
        builder.raise_dispute(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        let late = builder.raise_dispute("Is the ferry late?", &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.discuss_in_room(late, "Is the ferry late?", &["ada", "ben"]);
        builder.discuss_in_room(late, "Is it late on Sundays?", &["ben", "ada"]);
        builder.add_check("It was late on forty days.");
        debates.push(builder);
    }
    let mut versions = Vec::new();
    for debate in &mut debates {
        versions.push(debate.append_new(&server.log).await);
    }
    wait_for_views(server, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    debates
}
