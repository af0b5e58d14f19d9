//! Short events and appends for tests of the log: phases with a name, and one that this version cannot read.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::PhaseEntered;
use faultline_store::lanes::lane_of;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::Log;
use uuid::Uuid;

use crate::support::test_server::TestServer;

/// Returns a new debate id.
pub fn new_debate_id() -> DebateId {
    DebateId(Uuid::now_v7())
}

/// Builds a `phase_entered` event with this name of the phase.
pub fn phase_event(phase: impl Into<String>) -> Event {
    Event::PhaseEntered(PhaseEntered::new(phase, None, None))
}

/// Returns the name of the phase in an event built by [`phase_event`].
pub fn phase_of(recorded: &Recorded) -> &str {
    let Event::PhaseEntered(it) = &recorded.event else { panic!("not said by a test: {recorded:?}") };
    &it.phase
}

/// Builds a new event with this name of the phase, under a new id.
pub fn new_phase_event(phase: impl Into<String>) -> NewEvent {
    NewEvent { id: Uuid::now_v7(), event: phase_event(phase), caused_by: None }
}

/// Builds an append of new events.
pub fn phase_append(debate: DebateId, expected: i64, phases: &[&str]) -> Append {
    let events = phases.iter().map(|phase| new_phase_event(*phase)).collect();
    Append { debate, expected, events, fence: None, actor: None }
}

/// Appends events at the current end of the stream.
pub async fn append_phases(log: &Log, debate: DebateId, phases: &[&str]) -> Vec<Recorded> {
    let mut append = phase_append(debate, log.head(debate).await.expect("head"), phases);
    loop {
        match log.append(append.clone()).await {
            Ok(recorded) => return recorded,
            Err(AppendError::Conflict { actual }) => append.expected = actual,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Appends an event that this version cannot read, as a program with a bug would, as this version of the debate.
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
