//! How somebody sounds: over the corpora and personas that are shipped.

use std::path::Path;

use faultline::engines::manner::{MANNERS, Manner, PERSONA_BYTES, told};
use faultline::events::persona::Persona;
use faultline::ingest::chunks::document;
use faultline::ingest::personas::read_personas;
use faultline::ingest::sources::{DOCUMENT_BYTES, documents, text_of};
use faultline::voices::accuracy::leave_one_out;
use faultline::voices::delta::Works;
use faultline::voices::tokens::tokens;

use crate::rehearsal::{Script, play};

/// Words and marks of a turn, more or less.
const TURN: usize = 60;

fn works(persona: &faultline::events::ids::PersonaId) -> Works {
    let (sources, _) = documents(&Path::new("corpus").join(persona.as_str())).expect("a corpus");
    let read = |file: &Path| {
        let text = text_of(file, DOCUMENT_BYTES).expect("a text");
        tokens(&document(file, &text).expect("a document").passages.join("\n\n"))
    };
    Works { persona: persona.clone(), documents: sources.iter().map(|it| read(&it.file)).collect() }
}

#[test]
fn documents_sound_most_like_those_who_wrote_them() {
    let personas = read_personas(Path::new("personas"), None).expect("personas");
    let all: Vec<Works> = personas.iter().map(|it| works(&it.persona.id)).collect();
    let (whole, turns) = leave_one_out(&all, TURN);
    println!("among all {}: documents {whole:?}, pieces of {TURN} {turns:?}", all.len());
    assert!(whole.share() >= Some(0.85), "{whole:?}");
    assert!(turns.share() >= Some(0.42), "{turns:?}");

    for topic in personas.iter().flat_map(|it| it.topics.first()).collect::<std::collections::BTreeSet<_>>() {
        let on_it =
            |it: &&Works| personas.iter().any(|file| file.persona.id == it.persona && file.topics.contains(topic));
        let rivals: Vec<Works> = all.iter().filter(on_it).cloned().collect();
        let (whole, turns) = leave_one_out(&rivals, TURN);
        println!("among {} on one topic: documents {whole:?}, pieces of {TURN} {turns:?}", rivals.len());
        assert!(whole.share() >= Some(0.8) && turns.share() >= Some(0.45), "{topic}: {whole:?} {turns:?}");
    }
}

#[test]
fn prompts_have_room_for_every_persona_that_is_shipped() {
    let personas = read_personas(Path::new("personas"), None).expect("personas");
    let mut largest = 0;
    for (file, manner) in personas.iter().flat_map(|file| MANNERS.iter().map(move |it| (file, *it))) {
        let told = told(&file.persona, manner, 1);
        assert_eq!(told.left_out, 0, "{} {manner:?}", file.persona.id);
        largest = largest.max(told.text.len());
    }
    println!("at most {largest} of {PERSONA_BYTES} bytes");
}

/// What every prompt of a speaker has to hold, whatever the engine asks for.
#[test]
fn every_engine_asks_every_kind_of_turn_in_the_voice_of_the_persona() {
    let mut seen = Vec::new();
    for path in crate::rehearsals::fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let mut script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
        let names = script.personas.clone();
        script.cast = names.iter().map(|name| (name.clone(), voiced(name))).collect();
        play(&mut script, None);
        for ask in script.asked.iter().filter(|it| it.prompt.task.speaker.is_some()) {
            let name = ask.prompt.task.speaker.as_ref().expect("a speaker").as_str();
            let manner = manner_of(&script.engine, &ask.key.purpose, &ask.prompt.system);
            let system = &ask.prompt.system;
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
    let told: Vec<String> =
        seen.iter().map(|(engine, purpose, manner)| format!("{engine} {purpose} {manner}")).collect();
    let expected = [
        "dialectic criticize Criticism",
        "dialectic draft Draft",
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
        "graph attack Attack",
        "graph open Opening",
    ];
    assert_eq!(told, expected);
}

fn voiced(name: &str) -> Persona {
    let mut persona = crate::rehearsal::persona(name);
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

/// The kind of turn, by what was asked; in a talk, where one purpose has several, by the register that was told.
fn manner_of(engine: &str, purpose: &str, system: &str) -> Manner {
    match (engine, purpose) {
        (_, "open") => Manner::Opening,
        (_, "draft") => Manner::Draft,
        (_, "attack") => Manner::Attack,
        (_, "criticize") => Manner::Criticism,
        (_, "synthesize") => Manner::Synthesis,
        (_, "close") => Manner::Closing,
        (_, "turn") if system.contains("register crux") => Manner::CruxSeeking,
        (_, "turn") if system.contains("register attack") => Manner::Answer,
        (_, "turn") => Manner::Exchange,
        other => panic!("{other:?} is a kind of turn that no test knows"),
    }
}
