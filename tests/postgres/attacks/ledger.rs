//! A ledger of all that a service acknowledged while it was killed, held against what it keeps.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Mutex;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::Client;

/// A debate that is run from outside, as its clients know it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Events that were acknowledged, with their versions.
    acknowledged: HashMap<Uuid, i64>,
    /// Events that were sent and of which nothing was heard.
    in_flight: HashSet<Uuid>,
    /// The version at which it stands as far as is known.
    pub version: i64,
    /// True once somebody asked to erase it; then it may be erased.
    erasing: bool,
    /// True once that was acknowledged; then it has to be.
    erased: bool,
}

/// Faults that were found, and counts of all that was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub n_acknowledged: usize,
    pub n_in_flight: usize,
    /// Of those in flight, recorded after all.
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
             rebuilds begun; lost {}, unreadable {}, doubled {}, gaps {}, erasures undone {}",
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

/// The ledger.
#[derive(Default)]
pub struct Ledger {
    debates: Mutex<HashMap<Uuid, Known>>,
    figures: Mutex<Figures>,
}

impl Ledger {
    /// Counts what was sent before it is.
    pub fn sends(&self, debate: Uuid, events: &[Uuid]) {
        let mut debates = self.debates.lock().expect("the ledger");
        debates.entry(debate).or_default().in_flight.extend(events);
        self.figures.lock().expect("figures").n_in_flight += events.len();
    }

    /// Books events that were acknowledged: names and versions, as the service told them.
    pub fn heard(&self, debate: Uuid, answer: &Value) {
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

    /// Books that a debate is to be erased.
    pub fn erases(&self, debate: Uuid) {
        self.debates.lock().expect("the ledger").entry(debate).or_default().erasing = true;
    }

    /// Books that it was acknowledged.
    pub fn erased(&self, debate: Uuid) {
        self.debates.lock().expect("the ledger").entry(debate).or_default().erased = true;
        self.figures.lock().expect("figures").n_erased += 1;
    }

    /// Books a rebuild that was begun.
    pub fn rebuilds(&self) {
        self.figures.lock().expect("figures").n_rebuilds += 1;
    }

    /// Debates that stand, nobody is erasing, and have events.
    pub fn standing(&self) -> Vec<(Uuid, i64)> {
        let debates = self.debates.lock().expect("the ledger");
        debates.iter().filter(|(_, it)| !it.erasing && it.version > 0).map(|(id, it)| (*id, it.version)).collect()
    }

    /// The figures so far.
    pub fn figures(&self) -> Figures {
        self.figures.lock().expect("figures").clone()
    }

    /// Holds what the service has of these debates, or of all, against what it acknowledged.
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

    fn compare(&self, debate: Uuid, known: &Known, found: Result<Vec<(Uuid, i64)>, String>) {
        let mut figures = self.figures.lock().expect("figures");
        let events = match (found, known) {
            (Err(code), Known { erasing: true, .. }) if code == "ERASED" => return,
            (_, Known { erased: true, .. }) => {
                figures.undone.insert(debate.to_string());
                return;
            }
            // Nothing was acknowledged, and nothing recorded.
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
        let recorded: Vec<Uuid> = known.in_flight.iter().filter(|it| at.contains_key(it)).copied().collect();
        figures.n_recorded_unheard += recorded.len();
        let mut debates = self.debates.lock().expect("the ledger");
        if let Some(known) = debates.get_mut(&debate) {
            // What is recorded from now on counts as acknowledged: it was shown.
            for id in recorded {
                known.in_flight.remove(&id);
                known.acknowledged.insert(id, at[&id]);
            }
            known.version = versions.last().copied().unwrap_or_default();
        }
    }
}

/// All events of a debate: names and versions; else the code of the refusal, `NONE` where there is no such debate.
async fn read(client: &Client, debate: Uuid) -> Result<Vec<(Uuid, i64)>, String> {
    const PAGE: &str = "query ($id: ID!, $after: String) {
        debate(id: $id) { events(first: 100, after: $after) { nodes { id version } pageInfo { hasNextPage endCursor } } }
    }";
    let (mut events, mut after) = (Vec::new(), Value::Null);
    loop {
        let answer = client.ask(PAGE, json!({ "id": debate, "after": after })).await;
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
