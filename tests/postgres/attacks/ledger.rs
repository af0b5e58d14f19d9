//! Ledger of everything that a service acknowledged while it was killed, for comparison with its stored events.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Mutex;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::Client;

/// State of a debate with an external engine, as its clients know it.
#[derive(Clone, Debug, Default)]
pub struct KnownDebate {
    /// Events that were acknowledged, with their versions.
    acknowledged: HashMap<Uuid, i64>,
    /// Events that were sent and have no response.
    in_flight: HashSet<Uuid>,
    /// Latest known version.
    pub version: i64,
    /// True once an erasure was requested; the debate may then be erased.
    erasing: bool,
    /// True once the erasure was acknowledged; the debate must then be erased.
    erased: bool,
}

/// Faults that were found, and numbers of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub n_acknowledged: usize,
    pub n_in_flight: usize,
    /// Number of events in flight that were recorded after all.
    pub n_recorded_unheard: usize,
    pub n_debates: usize,
    pub n_erased: usize,
    pub n_rebuilds: usize,
    pub lost: BTreeSet<String>,
    pub unreadable: BTreeSet<String>,
    pub doubled: BTreeSet<String>,
    pub gaps: BTreeSet<String>,
    pub undone: BTreeSet<String>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} debates opened, {} events acknowledged, {} in flight (of which {} recorded), {} erasures acknowledged, {} \
             rebuilds started; lost {}, unreadable {}, doubled {}, gaps {}, erasures undone {}",
            self.n_debates,
            self.n_acknowledged,
            self.n_in_flight,
            self.n_recorded_unheard,
            self.n_erased,
            self.n_rebuilds,
            self.lost.len(),
            self.unreadable.len(),
            self.doubled.len(),
            self.gaps.len(),
            self.undone.len(),
        )
    }
}

/// Known debates and the figures of the comparisons.
#[derive(Default)]
pub struct Ledger {
    debates: Mutex<HashMap<Uuid, KnownDebate>>,
    figures: Mutex<Figures>,
}

impl Ledger {
    /// Registers events before they are sent.
    pub fn record_sent(&self, debate: Uuid, events: &[Uuid]) {
        let mut debates = self.debates.lock().expect("the ledger");
        debates.entry(debate).or_default().in_flight.extend(events);
        self.figures.lock().expect("figures").n_in_flight += events.len();
    }

    /// Registers acknowledged events with the ids and versions of the response.
    pub fn record_acknowledged(&self, debate: Uuid, answer: &Value) {
        let mut debates = self.debates.lock().expect("the ledger");
        let mut figures = self.figures.lock().expect("figures");
        let known = debates.entry(debate).or_default();
        if known.version == 0 {
            figures.n_debates += 1;
        }
        for event in answer["events"].as_array().into_iter().flatten() {
            let id: Uuid = event["id"].as_str().expect("an id").parse().expect("an id");
            let version = event["version"].as_i64().expect("a version");
            if known.in_flight.remove(&id) {
                figures.n_in_flight -= 1;
            }
            if known.acknowledged.insert(id, version).is_none() {
                figures.n_acknowledged += 1;
            }
            known.version = known.version.max(version);
        }
    }

    /// Registers that an erasure will be requested.
    pub fn record_erasure_request(&self, debate: Uuid) {
        self.debates.lock().expect("the ledger").entry(debate).or_default().erasing = true;
    }

    /// Registers that an erasure was acknowledged.
    pub fn record_erasure(&self, debate: Uuid) {
        self.debates.lock().expect("the ledger").entry(debate).or_default().erased = true;
        self.figures.lock().expect("figures").n_erased += 1;
    }

    /// Counts a rebuild that was started.
    pub fn record_rebuild(&self) {
        self.figures.lock().expect("figures").n_rebuilds += 1;
    }

    /// Debates with events for which no erasure was requested, with their versions.
    pub fn live_debates(&self) -> Vec<(Uuid, i64)> {
        let debates = self.debates.lock().expect("the ledger");
        debates
            .iter()
            .filter(|(_, debate)| !debate.erasing && debate.version > 0)
            .map(|(id, debate)| (*id, debate.version))
            .collect()
    }

    /// Returns the figures so far.
    pub fn figures(&self) -> Figures {
        self.figures.lock().expect("figures").clone()
    }

    /// Compares the service's events of these debates, or of all, with the acknowledged ones.
    pub async fn check(&self, client: &Client, debates: Option<&HashSet<Uuid>>) {
        let named: Vec<Uuid> = match debates {
            Some(debates) => debates.iter().copied().collect(),
            None => self.debates.lock().expect("the ledger").keys().copied().collect(),
        };
        for debate in named {
            let known = self.debates.lock().expect("the ledger").get(&debate).cloned().unwrap_or_default();
            let found = read(client, debate).await;
            self.compare(debate, &known, found);
        }
    }

    fn compare(&self, debate: Uuid, known: &KnownDebate, found: Result<Vec<(Uuid, i64)>, String>) {
        let mut figures = self.figures.lock().expect("figures");
        let events = match (found, known) {
            (Err(code), KnownDebate { erasing: true, .. }) if code == "ERASED" => return,
            (_, KnownDebate { erased: true, .. }) => {
                figures.undone.insert(debate.to_string());
                return;
            }
            // Nothing was acknowledged, and nothing was recorded.
            (Err(code), known) if code == "NONE" && known.acknowledged.is_empty() => return,
            (Err(code), _) => {
                figures.unreadable.insert(format!("{debate}: {code}"));
                return;
            }
            (Ok(events), _) => events,
        };
        let versions: Vec<i64> = events.iter().map(|(_, version)| *version).collect();
        if versions.iter().zip(1..).any(|(version, expected)| *version != expected) {
            figures.gaps.insert(format!("{debate}: {versions:?}"));
        }
        let at: HashMap<Uuid, i64> = events.iter().copied().collect();
        if at.len() < events.len() {
            figures.doubled.insert(debate.to_string());
        }
        for (id, version) in &known.acknowledged {
            if at.get(id) != Some(version) {
                figures.lost.insert(format!("{debate}: {id} at {version}, found at {:?}", at.get(id)));
            }
        }
        let recorded: Vec<Uuid> = known.in_flight.iter().filter(|id| at.contains_key(id)).copied().collect();
        figures.n_recorded_unheard += recorded.len();
        let mut debates = self.debates.lock().expect("the ledger");
        if let Some(known) = debates.get_mut(&debate) {
            // Recorded events count as acknowledged from now on, because they were returned.
            for id in recorded {
                known.in_flight.remove(&id);
                known.acknowledged.insert(id, at[&id]);
            }
            known.version = versions.last().copied().unwrap_or_default();
        }
    }
}

/// Reads the ids and versions of a debate's events; the error is the refusal's code, or `NONE` if there is no such
/// debate.
async fn read(client: &Client, debate: Uuid) -> Result<Vec<(Uuid, i64)>, String> {
    const PAGE: &str = "query ($id: ID!, $after: String) {
        debate(id: $id) { events(first: 100, after: $after) { nodes { id: recordId version } pageInfo { hasNextPage endCursor } } }
    }";
    let (mut events, mut after) = (Vec::new(), Value::Null);
    loop {
        let answer = client.query(PAGE, json!({ "id": debate, "after": after })).await;
        if let Some(error) = answer.get("errors") {
            return Err(error[0]["extensions"]["code"].as_str().unwrap_or_default().to_owned());
        }
        let page = &answer["data"]["debate"]["events"];
        if page.is_null() {
            return Err("NONE".to_owned());
        }
        for node in page["nodes"].as_array().expect("events") {
            let id = node["id"].as_str().expect("an id").parse().expect("an id");
            events.push((id, node["version"].as_i64().expect("a version")));
        }
        if page["pageInfo"]["hasNextPage"] != true {
            return Ok(events);
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}
