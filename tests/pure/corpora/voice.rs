//! Voices of personas: attribution and prompts, over the shipped corpora and personas.

use std::path::Path;

use faultline_core::engines::shared::persona_prompts::{MANNERS, MAX_PERSONA_BYTES, TurnKind, describe};
use faultline_core::events::persona::Persona;
use faultline_core::voices::accuracy::leave_one_out;
use faultline_core::voices::delta::WriterTexts;
use faultline_core::voices::tokens::tokens;
use faultline_ingest::personas::read_personas;
use faultline_ingest::readers::form::Form;
use faultline_ingest::readers::read::read_file;
use faultline_ingest::sources::documents;

use crate::rehearsal::{Script, play};

/// Approximate number of words and marks in a turn.
const TURN: usize = 60;

fn works(persona: &faultline_core::events::ids::PersonaId) -> WriterTexts {
    let (sources, _) = documents(&Path::new("corpus").join(persona.as_str())).expect("a corpus");
    let read = |file: &Path| {
        let bytes = std::fs::read(file).expect("a text");
        let reading = read_file(Form::Markdown, file, bytes).expect("a document");
        tokens(&reading.documents[0].1.passages.join("\n\n"))
    };
    WriterTexts { persona: persona.clone(), documents: sources.iter().map(|source| read(&source.file)).collect() }
}

#[test]
fn documents_are_attributed_to_their_authors() {
    let personas = read_personas(Path::new("personas"), None).expect("personas");
    let all: Vec<WriterTexts> = personas.iter().map(|file| works(&file.persona.id)).collect();
    let (whole, turns) = leave_one_out(&all, TURN);
    println!("among all {}: documents {whole:?}, pieces of {TURN} {turns:?}", all.len());
    assert!(whole.share() >= Some(0.85), "{whole:?}");
    assert!(turns.share() >= Some(0.42), "{turns:?}");

    for topic in personas.iter().flat_map(|file| file.topics.first()).collect::<std::collections::BTreeSet<_>>() {
        let on_it = |writer: &&WriterTexts| {
            personas.iter().any(|file| file.persona.id == writer.persona && file.topics.contains(topic))
        };
        let rivals: Vec<WriterTexts> = all.iter().filter(on_it).cloned().collect();
        let (whole, turns) = leave_one_out(&rivals, TURN);
        println!("among {} on one topic: documents {whole:?}, pieces of {TURN} {turns:?}", rivals.len());
        assert!(whole.share() >= Some(0.8) && turns.share() >= Some(0.45), "{topic}: {whole:?} {turns:?}");
    }
}

#[test]
fn prompts_have_room_for_every_shipped_persona() {
    let personas = read_personas(Path::new("personas"), None).expect("personas");
    let mut largest = 0;
    for (file, manner) in personas.iter().flat_map(|file| MANNERS.iter().map(move |manner| (file, *manner))) {
        let actual = describe(&file.persona, manner, 1);
        assert_eq!(actual.left_out, 0, "{} {manner:?}", file.persona.id);
        largest = largest.max(actual.text.len());
    }
    println!("at most {largest} of {MAX_PERSONA_BYTES} bytes");
}

/// Parts of the voice that every prompt of a speaker must contain, whatever the engine.
#[test]
fn every_prompt_of_a_speaker_contains_the_voice_of_the_persona() {
    let mut seen = Vec::new();
    for path in crate::rehearsals::fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let mut script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
        let names = script.personas.clone();
        script.cast = names.iter().map(|name| (name.clone(), voiced(name))).collect();
        play(&mut script, None);
        for ask in script.asked.iter().filter(|ask| ask.prompt.task.speaker.is_some()) {
            let name = ask.prompt.task.speaker.as_ref().expect("a speaker").as_str();
            let manner = manner_of(&script.engine, &ask.key.purpose, &ask.prompt.joined());
            let system = ask.prompt.joined();
            let what = format!("{} {}\n{system}", path.display(), ask.key);
            assert!(system.contains(&format!("Never say: never {name}")), "{what}");
            assert!(system.contains(&format!("- pattern {name}")), "{what}");
            for (register, _) in manner.registers() {
                assert!(system.contains(&format!("register {register} {name}")), "{register} in {what}");
            }
            for situation in manner.situations() {
                assert!(system.contains(&format!("- line {situation} {name}")), "{situation} in {what}");
            }
            seen.push((script.engine.clone(), ask.key.purpose.clone(), format!("{manner:?}")));
        }
    }
    seen.sort();
    seen.dedup();
    let actual: Vec<String> =
        seen.iter().map(|(engine, purpose, manner)| format!("{engine} {purpose} {manner}")).collect();
    let expected = [
        "baseline turn Exchange",
        "blitz answer Closing",
        "blitz close Closing",
        "blitz stance Opening",
        "blitz turn Exchange",
        "classical answer Closing",
        "classical close Closing",
        "classical intent Exchange",
        "classical stance Opening",
        "classical turn Exchange",
        "crux_rooms clash CruxSeeking",
        "crux_rooms close Closing",
        "crux_rooms confirm CruxSeeking",
        "crux_rooms diagnose CruxSeeking",
        "crux_rooms enter Opening",
        "crux_rooms falsify CruxSeeking",
        "crux_rooms open Opening",
        "crux_rooms rejoinder Answer",
        "crux_rooms reply Answer",
        "crux_rooms resolve CruxSeeking",
        "crux_rooms room_closing Closing",
        "crux_rooms room_turn CruxSeeking",
        "crux_rooms steelman CruxSeeking",
        "crux_rooms take Exchange",
        "crux_rooms turn Answer",
        "crux_rooms turn CruxSeeking",
        "crux_rooms turn Exchange",
        "dialectic close Closing",
        "dialectic criticize Criticism",
        "dialectic draft Draft",
        "dialectic ratify Criticism",
        "dialectic synthesize Synthesis",
        "dialogue close Closing",
        "dialogue open Opening",
        "dialogue turn Answer",
        "dialogue turn CruxSeeking",
        "dialogue turn Exchange",
        "disputes close Closing",
        "disputes open Opening",
        "disputes turn Answer",
        "disputes turn CruxSeeking",
        "disputes turn Exchange",
        "forum close Closing",
        "forum enter Opening",
        "forum open Opening",
        "forum room_turn Answer",
        "forum room_turn CruxSeeking",
        "forum turn Answer",
        "forum turn CruxSeeking",
        "forum turn Exchange",
        "graph attack Attack",
        "graph close Closing",
        "graph open Opening",
        "pro_con answer Closing",
        "pro_con close Closing",
        "pro_con open Opening",
        "pro_con turn Answer",
        "pro_con turn Exchange",
    ];
    assert_eq!(actual, expected);
}

fn voiced(name: &str) -> Persona {
    let mut persona = crate::support::personas::persona(name);
    persona.voice.speech_patterns = vec![format!("pattern {name}")];
    persona.voice.forbidden_phrases = vec![format!("never {name}")];
    for situation in ["opening", "challenge", "concession", "crux", "closing"] {
        persona.voice.examples.insert(situation.into(), vec![format!("line {situation} {name}")]);
    }
    for register in ["opening", "argument", "attack", "concession", "crux", "closing"] {
        persona.voice.registers.insert(register.into(), format!("register {register} {name}"));
    }
    persona
}

/// Returns the kind of turn, by the purpose of the request; in a dialogue, where one purpose has several kinds, by the
/// register in the prompt.
fn manner_of(engine: &str, purpose: &str, system: &str) -> TurnKind {
    match (engine, purpose) {
        (_, "open") => TurnKind::Opening,
        (_, "draft") => TurnKind::Draft,
        (_, "attack") => TurnKind::Attack,
        (_, "criticize" | "ratify") => TurnKind::Criticism,
        (_, "synthesize") => TurnKind::Synthesis,
        (_, "close" | "answer") => TurnKind::Closing,
        (_, "stance") => TurnKind::Opening,
        (_, "intent") => TurnKind::Exchange,
        (_, "enter") => TurnKind::Opening,
        ("pro_con", "turn") if system.contains("register attack") => TurnKind::Answer,
        ("forum", "room_turn") if system.contains("register attack") => TurnKind::Answer,
        (_, "room_turn" | "steelman" | "confirm" | "diagnose" | "falsify" | "resolve") => TurnKind::CruxSeeking,
        (_, "take") => TurnKind::Exchange,
        (_, "reply" | "rejoinder") => TurnKind::Answer,
        (_, "clash") => TurnKind::CruxSeeking,
        (_, "room_closing") => TurnKind::Closing,
        (_, "turn") if system.contains("register crux") => TurnKind::CruxSeeking,
        (_, "turn") if system.contains("register attack") => TurnKind::Answer,
        (_, "turn") => TurnKind::Exchange,
        other => panic!("no test covers the kind of turn {other:?}"),
    }
}
