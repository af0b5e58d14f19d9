//! Batch append: writes several appends with one statement and reads back the outcome of each.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::lanes::lane_of;
use crate::log::append::{AppendOutcome, Request};
use crate::log::single_append;
use faultline_core::events::ids::DebateId;

/// Maximum number of events in one transaction; a single append may have more.
const MAX_BATCH_EVENTS: usize = 4_096;
/// Maximum size of the bodies in one transaction; a single append may have more: 8 MiB.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Appends to be written in one transaction.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    requests: Vec<Request>,
    ids: HashSet<(DebateId, Uuid)>,
    bytes: usize,
}

impl Batch {
    /// Adds a request, or returns it if the batch is full. A request that repeats an id of this batch is returned as
    /// well, because the database looks for repeated ids only among the events recorded before.
    pub(crate) fn take(&mut self, request: Request) -> Option<Request> {
        let full =
            self.ids.len() + request.events.len() > MAX_BATCH_EVENTS || self.bytes + request.bytes > MAX_BATCH_BYTES;
        let repeats = request.events.iter().any(|line| self.ids.contains(&(request.debate, line.id)));
        if !self.requests.is_empty() && (full || repeats) {
            return Some(request);
        }
        self.bytes += request.bytes;
        self.ids.extend(request.events.iter().map(|line| (request.debate, line.id)));
        self.requests.push(request);
        None
    }

    /// Returns the requests in the order of their arrival.
    pub(crate) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Returns the requests, so that their callers can be answered.
    pub(crate) fn into_requests(self) -> Vec<Request> {
        self.requests
    }
}

const APPEND: &str = "
    select append, outcome, at_version, at_position, at_time, which
    from append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

/// Like [`APPEND`], and records the keys of new debates in the same transaction.
const APPEND_BEGINNINGS: &str = "
    select append, outcome, at_version, at_position, at_time, which
    from append_beginnings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

/// SQLSTATE raised if an append is encrypted with another key than the one recorded for its debate.
pub(crate) const KEY_TAKEN: &str = "FL002";

type Decided = (i32, String, i64, Option<i64>, DateTime<Utc>, Option<Uuid>);

/// Records the requests in one transaction and returns an outcome for each, in their order.
///
/// # Errors
/// The driver's error. Then either nothing or everything was recorded; a retry records everything only once.
pub(crate) async fn write(
    connection: &mut PgConnection,
    requests: &[Request],
) -> Result<Vec<AppendOutcome>, sqlx::Error> {
    if let [request] = requests
        && let Some(outcome) = single_append::write(connection, request).await?
    {
        return Ok(vec![outcome]);
    }
    let columns = Columns::of(requests);
    let beginnings = Beginnings::of(requests);
    let statement = if beginnings.debates.is_empty() { APPEND } else { APPEND_BEGINNINGS };
    let mut query = sqlx::query_as(statement);
    if !beginnings.debates.is_empty() {
        query =
            query.bind(&beginnings.debates).bind(&beginnings.lanes).bind(&beginnings.keys).bind(&beginnings.masters);
    }
    let decided: Vec<Decided> = query
        .bind(&columns.lane_numbers)
        .bind(&columns.stream_debates)
        .bind(&columns.stream_lanes)
        .bind(&columns.stream_lane_places)
        .bind(&columns.append_streams)
        .bind(&columns.append_expects)
        .bind(columns.append_fences.iter().any(Option::is_some).then_some(&columns.append_fences))
        .bind(&columns.append_sizes)
        .bind(&columns.event_appends)
        .bind(&columns.event_ids)
        .bind(&columns.event_kinds)
        .bind(&columns.event_schemas)
        .bind(&columns.event_bodies)
        .bind(&columns.event_causes)
        .bind(&columns.event_actors)
        .fetch_all(connection)
        .await?;
    if !decided.iter().map(|row| row.0).eq(1..=requests.len() as i32) {
        let odd = format!(
            "append_events returned {} outcomes for {} appends, or returned them out of order",
            decided.len(),
            requests.len()
        );
        return Err(sqlx::Error::Decode(odd.into()));
    }
    decided.into_iter().map(outcome).collect()
}

fn outcome((_, outcome, version, position, at, which): Decided) -> Result<AppendOutcome, sqlx::Error> {
    match (outcome.as_str(), position, which) {
        ("appended", Some(position), _) => Ok(AppendOutcome::Appended { version, position, at }),
        ("repeated", ..) => Ok(AppendOutcome::Repeated),
        ("conflict", ..) => Ok(AppendOutcome::Conflict { actual: version }),
        ("reused", _, Some(id)) => Ok(AppendOutcome::Reused { id }),
        ("fenced", ..) => Ok(AppendOutcome::Fenced),
        _ => Err(sqlx::Error::Decode(format!("append_events returned the unknown outcome {outcome:?}").into())),
    }
}

/// Keys of new debates, as the parameters of `append_beginnings`.
#[derive(Debug, Default)]
struct Beginnings<'a> {
    debates: Vec<Uuid>,
    lanes: Vec<i16>,
    keys: Vec<&'a [u8]>,
    masters: Vec<Option<&'a [u8]>>,
}

impl<'a> Beginnings<'a> {
    fn of(requests: &'a [Request]) -> Self {
        let mut beginnings = Beginnings::default();
        for (request, stored) in requests.iter().filter_map(|request| Some((request, request.new_key.as_ref()?))) {
            beginnings.debates.push(request.debate.0);
            beginnings.lanes.push(lane_of(request.debate));
            beginnings.keys.push(&stored.key);
            beginnings.masters.push(stored.master.as_deref());
        }
        beginnings
    }
}

/// Parameters of `append_events`, under its parameter names; indexes count from 1.
#[derive(Debug, Default)]
struct Columns<'a> {
    lane_numbers: Vec<i16>,
    stream_debates: Vec<Uuid>,
    stream_lanes: Vec<i16>,
    stream_lane_places: Vec<i32>,
    append_streams: Vec<i32>,
    append_expects: Vec<i64>,
    append_fences: Vec<Option<i64>>,
    append_sizes: Vec<i32>,
    event_appends: Vec<i32>,
    event_ids: Vec<Uuid>,
    event_kinds: Vec<&'a str>,
    event_schemas: Vec<i16>,
    event_bodies: Vec<&'a [u8]>,
    event_causes: Vec<Option<Uuid>>,
    event_actors: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn of(requests: &'a [Request]) -> Self {
        let mut columns = Columns::default();
        let mut streams: HashMap<DebateId, i32> = HashMap::with_capacity(requests.len());
        for (ix, request) in requests.iter().enumerate() {
            let stream = *streams.entry(request.debate).or_insert_with(|| columns.stream(request.debate));
            columns.append_streams.push(stream);
            columns.append_expects.push(request.expected);
            columns.append_fences.push(request.fence);
            columns.append_sizes.push(request.events.len() as i32);
            for line in &request.events {
                columns.event_appends.push(ix as i32 + 1);
                columns.event_ids.push(line.id);
                columns.event_kinds.push(&line.stored.kind);
                columns.event_schemas.push(line.stored.schema);
                columns.event_bodies.push(&line.stored.body);
                columns.event_causes.push(line.caused_by);
                columns.event_actors.push(request.actor.as_deref());
            }
        }
        let lanes: BTreeMap<i16, i32> = columns.stream_lanes.iter().map(|lane| (*lane, 0)).collect();
        let lanes: BTreeMap<i16, i32> = lanes.into_keys().zip(1..).collect();
        columns.stream_lane_places = columns.stream_lanes.iter().map(|lane| lanes[lane]).collect();
        columns.lane_numbers = lanes.into_keys().collect();
        columns
    }

    fn stream(&mut self, debate: DebateId) -> i32 {
        self.stream_debates.push(debate.0);
        self.stream_lanes.push(lane_of(debate));
        self.stream_debates.len() as i32
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;
    use crate::log::append::AppendRow;
    use faultline_core::events::wire::EncodedEvent;

    fn request(debate: u128, ids: &[u128], bytes: usize) -> Request {
        let stored = EncodedEvent { kind: "phase_entered".into(), schema: 1, body: b"{}".to_vec() };
        let line =
            |id: &u128| AppendRow { id: Uuid::from_u128(*id), caused_by: None, stored: stored.clone(), plain: None };
        Request {
            debate: DebateId(Uuid::from_u128(debate)),
            expected: 0,
            fence: None,
            actor: None,
            events: ids.iter().map(line).collect(),
            bytes,
            new_key: None,
            reply: oneshot::channel().0,
        }
    }

    #[test]
    fn a_batch_accepts_requests_up_to_its_limits() {
        let mut batch = Batch::default();
        assert!(
            batch.take(request(1, &[1, 2], MAX_BATCH_BYTES * 2)).is_none(),
            "the first request is accepted whatever its size"
        );
        assert!(batch.take(request(2, &[1], 1)).is_some(), "more bytes than fit");
        let mut batch = Batch::default();
        assert!(batch.take(request(1, &(0..4_000).collect::<Vec<_>>(), 0)).is_none());
        assert!(batch.take(request(2, &(0..96).collect::<Vec<_>>(), 0)).is_none());
        assert!(batch.take(request(3, &[1], 0)).is_some(), "more events than fit");
    }

    #[test]
    fn an_id_occurs_once_per_batch_and_stream() {
        let mut batch = Batch::default();
        assert!(batch.take(request(1, &[1, 2], 0)).is_none());
        assert!(batch.take(request(2, &[1, 2], 0)).is_none(), "the same ids in another stream name other events");
        assert!(batch.take(request(1, &[3, 2], 0)).is_some());
        assert!(batch.take(request(1, &[3], 0)).is_none(), "a second append to the same stream");
    }

    #[test]
    fn columns_refer_to_one_another_by_index() {
        let requests = [request(7, &[1, 2], 0), request(8, &[3], 0), request(7, &[4], 0)];
        let columns = Columns::of(&requests);
        assert_eq!(columns.append_streams, [1, 2, 1]);
        assert_eq!(columns.append_sizes, [2, 1, 1]);
        assert_eq!(columns.event_appends, [1, 1, 2, 3]);
        assert!(columns.lane_numbers.is_sorted());
        for (lane, place) in columns.stream_lanes.iter().zip(&columns.stream_lane_places) {
            assert_eq!(columns.lane_numbers[*place as usize - 1], *lane);
        }
    }
}
