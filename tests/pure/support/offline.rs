//! Offline debates in memory: the real session and the offline provider, with the shipped personas and their corpora.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use chrono::{DateTime, TimeDelta, Utc};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::audit::{Auditor, QualificationBasis};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::persona::Persona;
use faultline_core::events::receipt::PassageRef;
use faultline_core::kernel::closing::audit_request::AUDIT_REVISION;
use faultline_core::kernel::command;
use faultline_core::kernel::command::DebateConfig;
use faultline_core::kernel::effect::{Effect, EffectAttempt, SuppliedPassage};
use faultline_core::kernel::session::{Session, SessionStep};
use faultline_core::positions::all_quotes::all_quotes;
use faultline_core::positions::model::AllPositions;
use faultline_core::projections::audits::AUDIT_PURPOSE;
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::personas::read_personas;
use faultline_ingest::positions::read_all_positions;
use faultline_ingest::sentences::sentences;
use faultline_providers::offline::model::Offline;
use faultline_providers::ports::{Corpora, Model, Pending, Sentence};
use serde_json::Value;
use uuid::Uuid;

/// Shipped personas, their positions and their passages.
pub struct Shipped {
    personas: BTreeMap<PersonaId, Persona>,
    /// Positions by persona.
    pub positions: Arc<AllPositions>,
    passages: BTreeMap<Uuid, SuppliedPassage>,
    offline: Offline,
}

struct Library(BTreeMap<PersonaId, Arc<Vec<Sentence>>>);

impl Corpora for Library {
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(async move { Ok(self.0.get(persona).cloned().unwrap_or_default()) })
    }
}

impl Shipped {
    /// Reads the personas and corpora of the repository at `root`.
    pub fn read(root: &Path) -> Shipped {
        let files = read_personas(&root.join("personas"), None).expect("personas");
        let corpora = root.join("corpus");
        let read = read_all_positions(&corpora, files.iter().map(|file| &file.persona.id));
        assert!(read.faults.is_empty(), "{:#?}", read.faults);
        let (mut library, mut passages) = (BTreeMap::new(), BTreeMap::new());
        for file in &files {
            let id = &file.persona.id;
            let corpus = CorpusTexts::of_folder(&corpora.join(id.as_str())).expect("a corpus");
            let mut own = Vec::new();
            for (number, passage) in corpus.passages.iter().enumerate() {
                let chunk = Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{id}/{number}").as_bytes());
                let text = passage.text();
                let of = |(ordinal, text): (u16, &str)| {
                    let (persona, text) = (id.clone(), text.trim().to_owned());
                    Sentence { persona, chunk, ordinal, text }
                };
                own.extend((0..).zip(sentences(&text)).map(of));
                let ground = PassageRef::of_chunk("", chunk, 1.0);
                passages.insert(chunk, SuppliedPassage { ground, text, title: passage.document.clone() });
            }
            library.insert(id.clone(), Arc::new(own));
        }
        let positions = Arc::new(read.positions);
        let offline = Offline::new(Arc::new(Library(library)), positions.clone());
        let personas = files.into_iter().map(|file| (file.persona.id.clone(), file.persona)).collect();
        Shipped { personas, positions, passages, offline }
    }

    /// Returns every quotation in the positions of a persona, longer ones first.
    pub fn quotations(&self, persona: &PersonaId) -> Vec<String> {
        let topics = self.positions[persona].topics.iter();
        let mut all: Vec<String> = topics.flat_map(all_quotes).map(|(_, quote)| quote.quote.clone()).collect();
        all.sort_by_key(|quote| std::cmp::Reverse(quote.len()));
        all
    }

    /// Plays a debate to its end.
    pub fn play(&self, debate: &OfflineDebate) -> Vec<Recorded> {
        let persona = |id: &&str| self.personas[&id.parse().expect("an id")].clone();
        let opening = DebateConfig {
            topic: debate.topic.to_owned(),
            engine: debate.engine.to_owned(),
            options: debate.options.clone(),
            participants: debate.personas.iter().map(persona).collect(),
            limits: debate.limits.clone(),
            models: std::collections::BTreeMap::new(),
            seed: debate.seed,
            provider: "offline".to_owned(),
        };
        let mut log = Vec::new();
        append(&mut log, command::open(ENGINES, opening).expect("a debate"));
        let Event::DebateOpened(opened) = &log[0].event else { panic!("the first event opens the debate") };
        let mut session = Session::open(ENGINES, opened).expect("the engine starts");
        log.iter().for_each(|recorded| session.evolve(recorded));
        let (mut under_way, mut started) = (BTreeSet::new(), VecDeque::<(Effect, EffectAttempt)>::new());
        for _ in 0..5_000 {
            let events = match session.step(&under_way) {
                SessionStep::Done => return log,
                SessionStep::Append(events) => events,
                SessionStep::Start(effects) => {
                    let mut requests = Vec::new();
                    for effect in effects {
                        let ask = session.attempt(&effect, Vec::new());
                        requests.push(session.requested(&ask));
                        under_way.insert(effect.key.clone());
                        started.push_back((effect, ask));
                    }
                    requests
                }
                SessionStep::Await => {
                    let (effect, mut ask) = started.pop_front().expect("something is under way");
                    under_way.remove(&effect.key);
                    let outcome = now(self.offline.complete(&ask));
                    if let Ok(answer) = &outcome {
                        if ask.key.purpose == AUDIT_PURPOSE {
                            ask.auditor = Some(by_annotations(&answer.by));
                        }
                        let found = answer.grounds.iter();
                        ask.grounds.extend(
                            found.map(|it| SuppliedPassage { ground: it.clone(), ..self.passages[&it.chunk].clone() }),
                        );
                    }
                    session.record_outcome(&ask, outcome, None)
                }
                step => panic!("{step:?} in an offline debate"),
            };
            append(&mut log, events).iter().for_each(|recorded| session.evolve(recorded));
        }
        panic!("the debate does not end");
    }
}

/// Debate to be played.
#[derive(Clone, Debug, Default)]
pub struct OfflineDebate {
    pub topic: &'static str,
    pub engine: &'static str,
    pub personas: Vec<&'static str>,
    pub seed: u64,
    pub options: Value,
    pub limits: DebateLimits,
}

/// Returns the output of a future that does not wait for anything.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the offline provider waits"),
    }
}

fn append(log: &mut Vec<Recorded>, events: Vec<Event>) -> Vec<Recorded> {
    let before = log.len();
    for event in events {
        let version = log.len() as i64 + 1;
        let start = DateTime::<Utc>::from_timestamp(1_700_000_000, 0).expect("a time");
        log.push(Recorded {
            id: Uuid::from_u128(version as u128),
            debate: DebateId(Uuid::from_u128(7)),
            version,
            lane: 0,
            position: version,
            at: start + TimeDelta::seconds(version),
            caused_by: None,
            event,
        });
    }
    log[before..].to_vec()
}

/// Auditor that reads by annotations, as the service marks it.
fn by_annotations(model: &str) -> Auditor {
    Auditor {
        provider: "offline".to_owned(),
        model: model.to_owned(),
        revision: AUDIT_REVISION,
        qualified: true,
        basis: QualificationBasis::Annotations,
        precision: None,
        recall: None,
    }
}
