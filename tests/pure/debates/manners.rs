//! Manners of speakers: phrases that they are asked to avoid, and the settings `brevity` and `combativeness`.

use faultline_core::events::event::Event;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::json;

use crate::rehearsal::{Log, Script, play};
use crate::support::personas::persona;

const SCRIPT: &str = r#"topic: Should the ferry run at night?
engine: disputes
personas: ada, ben
limits: {"turns": 3}

> open/ada/0
{"text": "Run the ferry at night.", "stance": "yes", "stance_words": "Run the ferry at night.", "passages": []}

> open/ben/0
{"text": "Leave it tied up.", "stance": "no", "stance_words": "Leave it tied up.", "passages": []}

> turn/*
"#;

/// Plays three turns, the third with the given replies in order. The persona Ada never says "going forward".
fn talk(options: serde_json::Value, replies: &[&str]) -> (Script, Log) {
    let mut script = Script::parse(SCRIPT.trim_end_matches("\n> turn/*\n"));
    let mut options = options;
    options["passages"] = json!(0);
    script.options = options;
    let reply = |text: &&str| json!({ "text": text, "moves": ["claim"] }).to_string();
    script.answers.insert("turn/*".into(), replies.iter().map(reply).collect());
    let silent =
        json!({ "disputes": [], "stances": [], "reasons": [], "withdrawn": [], "concessions": [], "retired": [] });
    script.answers.insert("crystallize/*".into(), [silent.to_string()].into());
    let mut ada = persona("ada");
    ada.voice.forbidden_phrases = vec!["going forward".into()];
    script.cast.insert("ada".into(), ada);
    let log = play(&mut script, None);
    (script, log)
}

fn third_turn(log: &Log) -> String {
    DebateReadModel::of(&log.0).transcript.turns[2].text.clone()
}

fn failures(log: &Log) -> Vec<String> {
    let failed = |event: &Event| match event {
        Event::EffectFailed(it) => Some(it.failure.message.clone()),
        _ => None,
    };
    log.0.iter().filter_map(|recorded| failed(&recorded.event)).collect()
}

#[test]
fn a_speaker_is_asked_to_say_a_forbidden_phrase_otherwise() {
    for (phrase, whose) in [("going forward", "its speaker never uses"), ("great point", "could be anybody's")] {
        let said = format!("The crew is tired, {phrase}.");
        let (script, log) = talk(json!({}), &[&said, "The crew is tired."]);
        assert_eq!(third_turn(&log), "The crew is tired.");
        let reason = format!("the text uses the phrase {phrase:?}, which {whose}");
        assert_eq!(failures(&log).join("; "), reason);
        let again = script.asked.iter().filter(|asked| asked.key.purpose == "turn").nth(1).expect("a second request");
        assert!(again.prompt.text.contains(&format!("{reason}; say it in your own words")), "{}", again.prompt.text);
    }
}

#[test]
fn a_phrase_that_is_used_again_stands_and_is_counted() {
    let said = "Great point, going forward.";
    let (_, log) = talk(json!({}), &[said]);
    assert_eq!((third_turn(&log).as_str(), failures(&log).len()), (said, 1));
    let voice = DebateReadModel::of(&log.0).voice;
    let slips = voice.by_persona.values().flat_map(|kept| &kept.slips);
    let slips: Vec<(u32, &str)> = slips.map(|slip| (slip.turn.0, slip.phrase.as_str())).collect();
    assert_eq!(slips, [(3, "going forward"), (3, "great point")]);
}

#[test]
fn length_and_manner_of_turns_are_settings() {
    let check = |options, length: &str, manner: &str| {
        let (script, _) = talk(options, &["The crew is tired."]);
        let asked = script.asked.iter().find(|asked| asked.key.purpose == "turn").expect("a turn");
        assert!(asked.prompt.text.contains(&format!("It is your turn: {length}.")), "{}", asked.prompt.text);
        assert!(asked.prompt.system.contains(&format!("A turn has {length}")), "{}", asked.prompt.system);
        assert!(asked.prompt.system.contains(manner), "{}", asked.prompt.system);
    };
    check(json!({}), "two to four sentences", "When somebody is right, say so");
    check(json!({ "brevity": "short", "combativeness": "high" }), "one or two sentences", "Fight for your side.");
    check(
        json!({ "brevity": "long", "combativeness": "low" }),
        "four to eight sentences",
        "Look first for what is right",
    );
}
