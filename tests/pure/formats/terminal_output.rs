//! Terminal output of whole debates. `UPDATE=1 cargo test terminal_output` rewrites the recorded pictures; look at the
//! difference.

use std::collections::BTreeSet;
use std::path::PathBuf;

use chrono::{NaiveDate, TimeDelta};
use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{ArgumentId, AttackId, TurnId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOpened};
use faultline_core::events::persona::Persona;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::library::recall::StoredPassage;
use faultline_terminal::citation_numbers::CitationNumbers;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::passage_list::cited_documents;
use faultline_terminal::tables::history::line;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::card::card;
use faultline_terminal::verdict::report::report;
use serde_json::Value;
use uuid::Uuid;

use crate::rehearsal::Log;
use crate::rehearsals::{rehearsals, rehearsed};
use crate::support::personas::persona;

/// Text with everything that a terminal might act upon, wide letters, stacked diacritics, and great length.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}5A\u{90}x\u{9c}\r\u{8}\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}\
                       \u{2028}日本語のとても長い文🙂🙂 e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\t\u{0}\u{1b}";

fn fixture(folder: &str, name: &str) -> PathBuf {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    PathBuf::from(fixtures).join(folder).join(format!("{name}.txt"))
}

/// Renders a debate, part by part.
fn pictures(log: &[Recorded], look: TerminalStyle) -> [String; 4] {
    let mut stage = DebateRenderer::new(look);
    let shown: String = log.iter().map(|recorded| stage.render(recorded)).collect();
    let history: String = log.iter().map(|recorded| line(recorded, look)).collect();
    [shown, card(stage.read_model(), look), report(stage.read_model(), &[], look), history]
}

fn looks() -> impl Iterator<Item = TerminalStyle> {
    let widths = [60, 61, 72, 80, 100, 120, 250].into_iter();
    widths.flat_map(|width| {
        [(false, false), (false, true), (true, true)].map(|(colour, unicode)| TerminalStyle { width, colour, unicode })
    })
}

/// Removes the sequences that set colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |faded, part| {
        let end = part.find('m').unwrap_or_else(|| panic!("an unknown sequence: {part:?}"));
        assert!(part[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "an unknown sequence: {part:?}");
        faded + &part[end + 1..]
    })
}

fn check_picture(text: &str, look: TerminalStyle, of: &str) {
    assert!(look.colour || !text.contains('\u{1b}'), "{of}: escapes without colours");
    let faded = without_colours(text);
    assert!(look.unicode || faded.is_ascii(), "{of}: beyond ASCII in {faded}");
    let acts = |letter: char| {
        letter != '\n'
            && (letter.is_control()
                || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    };
    assert!(!faded.contains(acts), "{of}: something that acts in {faded:?}");
    for line in faded.lines() {
        let width = textwrap::core::display_width(line);
        assert!(width <= look.width.min(120), "{of}: {width} columns on a page of {}: {line}", look.width);
        assert_eq!(line.trim_end(), line, "{of}: blanks at the end");
    }
}

/// Appends hostile text to each text of an event where the event can still be decoded.
fn spoiled(event: &Event, with: &str) -> Event {
    let whole = serde_json::to_value(event).expect("an event is JSON");
    let mut spoiled = whole.clone();
    for path in texts(&whole) {
        let before = spoiled.clone();
        let leaf = spoiled.pointer_mut(&path).expect("the path was found");
        *leaf = Value::String(format!("{}{with}", leaf.as_str().unwrap_or_default()));
        if serde_json::from_value::<Event>(spoiled.clone()).is_err() {
            spoiled = before;
        }
    }
    serde_json::from_value(spoiled).expect("it could be read a moment ago")
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(_) => vec![String::new()],
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(at, element)| texts(element).into_iter().map(move |path| format!("/{at}{path}")))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| texts(field).into_iter().map(move |path| format!("/{name}{path}")))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_output_matches_the_recorded_pictures() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut faults = Vec::new();
    for name in ["graph_polarized", "dialectic_accepts", "dialogue_crux", "dialogue_concedes", "disputes_settles"] {
        let look = TerminalStyle { width: 80, colour: false, unicode: true };
        let [stage, card, report, history] = pictures(&rehearsed(name).0, look);
        let drawn = format!("= stage\n{stage}= card\n{card}= report\n{report}= history\n{history}");
        let path = fixture("stage", name);
        if update {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of pictures");
            std::fs::write(&path, &drawn).expect("the picture is rewritten");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if drawn != expected {
            faults.push(format!("{}\n--- expected\n{expected}--- got\n{drawn}", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_line_exceeds_the_width_of_the_terminal() {
    for (name, Log(log, _)) in rehearsals() {
        for look in looks() {
            for picture in pictures(log, look) {
                check_picture(&picture, look, name);
            }
        }
    }
}

#[test]
fn colours_do_not_change_the_text() {
    for (name, Log(log, _)) in rehearsals() {
        let plain = TerminalStyle { width: 80, colour: false, unicode: true };
        let coloured = pictures(log, TerminalStyle { colour: true, ..plain });
        for (plain, coloured) in pictures(log, plain).iter().zip(&coloured) {
            assert_eq!(*plain, without_colours(coloured), "{name}");
        }
    }
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let huge = format!("{HOSTILE} {} {}", "unbroken".repeat(40), "many words ".repeat(500));
    for (name, Log(log, _)) in rehearsals() {
        let styles = [(60, false, false), (60, true, true), (60, false, true), (120, true, true)];
        let styles = styles.map(|(width, colour, unicode)| TerminalStyle { width, colour, unicode });
        for (with, styles) in [(HOSTILE, &styles[..2]), (huge.as_str(), &styles[2..])] {
            let spoiled =
                log.iter().map(|recorded| Recorded { event: spoiled(&recorded.event, with), ..recorded.clone() });
            let spoiled: Vec<Recorded> = spoiled.collect();
            let context = format!("{:?}", spoiled[0].event);
            assert!(context.contains("owned"), "the topic was not spoiled: {context}");
            for look in styles {
                for picture in pictures(&spoiled, *look) {
                    check_picture(&picture, *look, name);
                    let shown: Vec<&str> = picture.lines().filter(|line| line.contains("owned")).collect();
                    assert!(shown.is_empty(), "{name}: a title was shown: {shown:?}");
                }
            }
        }
    }
}

/// A debate can be shown even if its events are reordered or missing.
#[test]
fn reordered_and_missing_events_are_shown_without_a_panic() {
    for (name, Log(log, _)) in rehearsals() {
        let look = TerminalStyle { width: 80, colour: false, unicode: true };
        for skipped in [1, 2, 3, 5, 7, 11, 23, 47, 97] {
            let holed: Vec<Recorded> = log
                .iter()
                .enumerate()
                .filter(|(at, _)| at % skipped != 0)
                .map(|(_, recorded)| recorded.clone())
                .collect();
            pictures(&holed, look).iter().for_each(|picture| check_picture(picture, look, name));
        }
        let reversed: Vec<Recorded> = log.iter().rev().cloned().collect();
        pictures(&reversed, look).iter().for_each(|picture| check_picture(picture, look, name));
    }
}

/// Builds a debate of two speakers who contradict each other on `points` points, each independent of the others.
fn contradicting(points: u32) -> Vec<Recorded> {
    let (ada, ben) = (persona("ada"), persona("ben"));
    let said = |speaker: &Persona, argument: u32, carries: Option<u32>| ArgumentAdvanced {
        argument: ArgumentId(argument),
        speaker: speaker.id.clone(),
        turn: TurnId(1),
        claim: format!("Claim number {argument}."),
        premises: Vec::new(),
        assumptions: vec![format!("Assumption number {argument}.")],
        evidence: Vec::new(),
        carries: carries.map(AttackId),
        answers_topic: false,
        distilled: false,
        paraphrased: false,
    };
    let mut events = vec![Event::DebateOpened(Box::new(DebateOpened {
        topic: "Is it so?".into(),
        engine: "graph".into(),
        engine_revision: 1,
        options: Value::Null,
        participants: vec![ada.clone(), ben.clone()],
        limits: DebateLimits::default(),
        models: std::collections::BTreeMap::new(),
        seed: 1,
        provider: "script".into(),
        sentence_revision: None,
    }))];
    for point in 0..points {
        let (one, other) = (2 * point + 1, 2 * point + 2);
        events.push(Event::ArgumentAdvanced(said(&ada, one, None)));
        events.push(Event::ArgumentAdvanced(said(&ben, other, Some(point))));
        let (kind, component) = (AttackKind::Rebut, ArgumentPart::Claim);
        let (attack, source, target) = (AttackId(point), ArgumentId(other), ArgumentId(one));
        let (speaker, turn, rationale) = (ben.id.clone(), TurnId(2), String::new());
        events.push(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale,
            quote: None,
            confidence: 1.0,
        }));
        let (reason, kind, component) = (String::new(), None, None);
        events.push(Event::AttackJudged(AttackJudged { attack, valid: true, strength: 1.0, reason, kind, component }));
    }
    let mut log = Log::default();
    log.append(events);
    log.0
}

#[test]
fn long_lists_are_shortened_and_name_the_command_for_all() {
    let look = TerminalStyle { width: 80, colour: false, unicode: true };
    let [_, card, report, _] = pictures(&contradicting(11), look);
    assert!(card.lines().count() < 80, "{card}");
    assert!(card.contains("and 6 more: faultline show 00000007"), "{card}");
    assert!(!card.contains("exact: false"), "2,048 positions, none of them missing: {card}");
    assert!(!report.contains("more: faultline"), "{report}");
    assert!(report.contains("Assumption number 22."), "{report}");
}

/// Passages that a debate cites, as the library would return them.
fn stored(read_model: &DebateReadModel) -> Vec<StoredPassage> {
    let passage = |(number, chunk): (usize, &Uuid)| StoredPassage {
        is_shared: false,
        persona: "ada".parse().expect("an id"),
        chunk: *chunk,
        document: "letters".to_owned(),
        ordinal: 0,
        text: format!("Passage with the number {number}."),
        title: format!("Letter {number}"),
        source: "Harbour Papers".to_owned(),
        date: NaiveDate::from_ymd_opt(1901, 2, 3).expect("a date"),
        kind: "letter".to_owned(),
        score: 0.0,
    };
    (1..).zip(CitationNumbers::of(read_model).chunks()).map(passage).collect()
}

#[test]
fn every_footnote_resolves_to_a_passage_at_the_end() {
    let look = TerminalStyle { width: 80, colour: false, unicode: true };
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    for (name, log) in rehearsals().iter().filter(|(name, _)| name.ends_with("_grounded")) {
        let mut renderer = DebateRenderer::new(look);
        let live: String = log.0.iter().map(|recorded| renderer.render(recorded)).collect();
        let passages = stored(renderer.read_model());
        assert!(!passages.is_empty(), "{name}");
        let live = live + &cited_documents(renderer.cited(), &passages, look);
        for text in [live, report(renderer.read_model(), &passages, look)] {
            let (body, list) = text.rsplit_once("Passages cited").expect("a list");
            let notes = body.split(|letter| !digits.contains(&letter)).filter(|note| !note.is_empty());
            let notes: BTreeSet<String> = notes
                .map(|note| {
                    note.chars()
                        .filter_map(|digit| digits.iter().position(|other| *other == digit))
                        .fold(String::new(), |number, digit| number + &digit.to_string())
                })
                .collect();
            assert!(!notes.is_empty(), "{name}: no footnote in {body}");
            for note in notes {
                let entry = list.lines().any(|line| line.trim_start().starts_with(&format!("{note} ")));
                assert!(entry && list.contains("Harbour Papers, 1901-02-03"), "{name}: {note} in {list}");
            }
        }
        let gone = cited_documents(renderer.cited(), &[], look);
        assert!(gone.contains("which is no longer in"), "{gone}");
    }
}

#[test]
fn the_report_prints_whole_turns() {
    let look = TerminalStyle { width: 80, colour: false, unicode: true };
    let mut read_model = DebateReadModel::of(&rehearsed("disputes_settles").0);
    let words: Vec<String> = (0..1_500).map(|number| format!("word{number}")).collect();
    for turn in &mut read_model.transcript.turns {
        turn.text = words.join(" ");
    }
    let report = report(&read_model, &[], look);
    let transcript = report.split_once("─ Transcript ─").expect("a transcript").1;
    for word in &words {
        assert!(transcript.contains(word.as_str()), "{word}");
    }
    assert!(!transcript.contains("more characters"), "nothing is cut");
}

#[test]
fn it_shows_whose_answer_is_pending() {
    let log = &rehearsed("graph_polarized").0;
    let mut stage = DebateRenderer::new(TerminalStyle { width: 80, colour: false, unicode: true });
    let mut actual = Vec::new();
    for recorded in log {
        let shown = stage.render(recorded);
        if matches!(recorded.event, Event::EffectRequested(_) | Event::EffectAnswered(_)) {
            assert_eq!(shown, "", "a call shows nothing");
        }
        let waiting = stage.waiting(recorded.at + TimeDelta::seconds(10));
        if actual.last() != Some(&waiting) {
            actual.push(waiting);
        }
    }
    let said = |text: &str| actual.iter().flatten().any(|line| line == text);
    assert!(said("Ada and Ben are thinking (2 calls, 11 s)"), "{actual:?}");
    assert!(said("Ben is thinking (1 call, 11 s)"), "{actual:?}");
    assert!(said("The judge is weighing the attacks (1 call, 10 s)"), "{actual:?}");
    assert_eq!(actual.last(), Some(&None), "no call is pending at the end");
}
