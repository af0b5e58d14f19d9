//! Events that this version cannot read, as a program with a bug would record them.

use faultline_core::events::ids::DebateId;
use faultline_store::lanes::lane_of;
use uuid::Uuid;

use crate::support::test_server::TestServer;

/// Appends an unreadable event as this version of the debate.
pub async fn record_unreadable(server: &TestServer, debate: DebateId, version: i64) {
    let statement = format!(
        "select append_events(
            '{{{lane}}}', '{{{debate}}}', '{{{lane}}}', '{{1}}', '{{1}}', '{{{}}}', null, '{{1}}', '{{1}}', '{{{}}}',
            '{{phase_entered}}', '{{1}}', array['{{\"phase\":7}}'::bytea], '{{null}}', '{{null}}')",
        version - 1,
        Uuid::now_v7(),
        lane = lane_of(debate),
    );
    server.database.run(&statement).await;
}

/// Makes the event that [`record_unreadable`] appended readable.
pub async fn mend_unreadable(server: &TestServer, debate: DebateId, version: i64) {
    let mend = format!(
        "alter table events disable trigger all;
        update events set body = '{{\"phase\":\"seven\"}}' where debate_id = '{debate}' and version = {version};
        alter table events enable trigger all",
    );
    server.database.run(&mend).await;
}
