//! Debates that the laws are tested on: all rehearsals, and short debates with chosen settings and replies.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::receipt::{ProviderAnswer, Usage};
use faultline_core::kernel::command::{Command, DebateConfig};
use serde_json::Value;

use crate::debates::channel::channel_debate;
use crate::debates::rooms::external_debate;
use crate::debates::threads::threads_debate;
use crate::debates::verdicts::probes::probed_debate;
use crate::rehearsal::{Log, Script};
use crate::rehearsals::rehearsals;
use crate::support::personas::persona;

/// Returns the rehearsals, debates driven from outside with the events that no engine records, and one that was probed.
pub fn debates() -> Vec<(String, Log)> {
    let mut debates = rehearsals().to_vec();
    debates.push(("external".to_owned(), Log(external_debate(), Vec::new())));
    debates.push(("channel".to_owned(), Log(channel_debate(), Vec::new())));
    debates.push(("threads".to_owned(), Log(threads_debate(), Vec::new())));
    debates.push(("probed".to_owned(), Log(probed_debate(), Vec::new())));
    debates
}

/// Engines with options under which they make requests of further purposes: each begins with the name of its engine.
const VARIANTS: [&str; 3] = ["baseline_one_shot", "crux_rooms_panel", "crux_rooms_staged"];

/// Returns the rehearsal `ENGINE_valid_replies` of an engine or of a variant: a short debate with a valid reply to each of its
/// requests.
fn valid_replies(engine: &str) -> Script {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals");
    let path = format!("{folder}/{engine}_valid_replies.txt");
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("the engine {engine} needs the rehearsal {path}"));
    let script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
    assert!(engine.starts_with(&script.engine), "{path} plays {}", script.engine);
    script
}

/// Purposes of requests, each with a valid reply.
type ValidReplies = Vec<(String, String)>;

/// Returns every request of every engine that this service drives, with a valid reply.
pub fn questions() -> Vec<(&'static str, ValidReplies)> {
    let driven = ENGINES.iter().filter(|engine| !engine.is_external()).map(|engine| engine.name);
    driven.map(|engine| (engine, purposes(engine))).collect()
}

/// Returns the same, and the requests that only variants of an engine make.
pub fn all_questions() -> Vec<(&'static str, ValidReplies)> {
    let mut all = questions();
    for variant in VARIANTS {
        let engine = all.iter().find(|(engine, _)| variant.starts_with(engine)).map(|(_, known)| known.clone());
        let known = engine.expect("the engine of the variant");
        let is_new = |(purpose, _): &(String, String)| known.iter().all(|(other, _)| other != purpose);
        all.push((variant, purposes(variant).into_iter().filter(is_new).collect()));
    }
    all
}

fn purposes(engine: &str) -> ValidReplies {
    let purposes = valid_replies(engine).answers.into_iter().map(|(key, replies)| {
        let purpose = key.strip_suffix("/*").expect("a valid reply answers all requests of a purpose");
        (purpose.to_owned(), replies.front().cloned().unwrap_or_default())
    });
    purposes.collect()
}

/// Builds a debate in which every request receives its valid reply, except for those in `otherwise`.
pub fn script(engine: &str, limits: DebateLimits, otherwise: &[(&str, &str)]) -> Script {
    let mut script = Script { limits, ..valid_replies(engine) };
    for (purpose, reply) in otherwise {
        script.answers.insert(format!("{purpose}/*"), [(*reply).to_owned()].into());
    }
    script
}

/// Returns the configuration of a debate between ada and ben.
pub fn opening(engine: &str, limits: DebateLimits) -> DebateConfig {
    DebateConfig {
        topic: "Should the ferry run at night?".into(),
        engine: engine.into(),
        options: Value::Null,
        participants: vec![persona("ada"), persona("ben")],
        limits,
        models: std::collections::BTreeMap::new(),
        seed: 1,
        provider: "script".into(),
    }
}

/// Returns the command of a moderator who says this.
pub fn interject(text: &str) -> Command {
    Command::Interject { text: text.to_owned(), speaker: None }
}

/// Returns an answer that cost nothing.
pub fn answer(text: &str) -> ProviderAnswer {
    ProviderAnswer {
        by: "late".into(),
        text: text.into(),
        usage: Usage::default(),
        millis: 0,
        request_id: None,
        tries: 1,
        grounds: Vec::new(),
    }
}

/// Returns the start of a text, short enough to print.
pub fn short(text: &str) -> String {
    text.chars().take(6_000).collect()
}
