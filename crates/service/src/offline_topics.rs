//! Topics of the offline provider: a debate that annotated writings cannot play is refused before it is opened.

use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::engine::Refusal;
use faultline_core::positions::model::AllPositions;
use faultline_core::positions::playable::{PlayableTopic, SideTakers, Unplayable, check_playable, playable_topics};

/// How to debate any topic with a model on this machine, as one shell line.
pub const LOCAL_SERVER: &str = "OPENAI_BASE_URL=http://127.0.0.1:11434/v1 FAULTLINE_OPENAI_DEEP=llama3.1 \
                                FAULTLINE_OPENAI_QUICK=llama3.1 faultline debate \"YOUR TOPIC\"";

/// Maximum number of characters of a topic that a refusal repeats.
const MAX_TOPIC_CHARS: usize = 200;

/// Checks that participants can debate a topic from their annotated writings. `models` are the names of the configured
/// providers with a model.
///
/// # Errors
/// A [`Refusal`] of three lines: why, what can be played instead, and how to use a model.
pub fn check_offline_topic(
    positions: &AllPositions,
    topic: &str,
    participants: &[PersonaId],
    models: &[&str],
) -> Result<(), Refusal> {
    let Err(unplayable) = check_playable(positions, topic, participants) else { return Ok(()) };
    let asked: String = topic.chars().take(MAX_TOPIC_CHARS).collect();
    let provider = match models {
        [] => "no model is configured",
        _ => "the provider offline uses no model",
    };
    let (why, instead) = match &unplayable {
        Unplayable::Topic { instead } => {
            (format!("{provider}, and nobody has annotated writings on {asked:?}"), topic_list(instead))
        }
        Unplayable::Personas { topic, missing } => {
            let (missing, has) = (ids(missing), if missing.len() == 1 { "has" } else { "have" });
            let why = format!("{provider}, and {missing} {has} no annotated writings on {asked:?}");
            (why, format!("personas that can debate it offline: {}", ids(&topic.personas)))
        }
    };
    let how = match models {
        [] => format!(
            "to debate any topic, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use a local server: {LOCAL_SERVER}"
        ),
        _ => format!("to debate any topic, choose a provider with a model: {}", models.join(", ")),
    };
    Err(Refusal::invalid(format!("{why}\n{instead}\n{how}")))
}

/// Checks that the annotated writings of all participants take a side of a motion, which a debate of two sides needs.
///
/// # Errors
/// A [`Refusal`] with the participants whose writings take no side, and the personas whose writings take one.
pub fn check_offline_sides(positions: &AllPositions, motion: &str, participants: &[PersonaId]) -> Result<(), Refusal> {
    let takers = SideTakers::on(positions, motion);
    let takes_none = |id: &&PersonaId| !takers.yes.contains(id) && !takers.no.contains(id);
    let without: Vec<PersonaId> = participants.iter().filter(takes_none).cloned().collect();
    if without.is_empty() {
        return Ok(());
    }
    let (without, takers) = (ids(&without), takers.in_words());
    Err(Refusal::invalid(format!(
        "the annotated writings of {without} take no side of the motion, and offline nobody speaks for another side than \
         that of their writings; {takers}; choose among them, or choose a provider with a model"
    )))
}

/// Lists the topics that can be played offline, for people, on one line.
pub fn offline_topics(positions: &AllPositions) -> String {
    topic_list(&playable_topics(positions))
}

fn topic_list(topics: &[PlayableTopic]) -> String {
    if topics.is_empty() {
        return "no topic can be played offline: no two personas have positions on the same topic".to_owned();
    }
    let told = topics.iter().map(|topic| format!("{:?} ({})", topic.question, ids(&topic.personas)));
    format!("topics that can be played offline: {}", told.collect::<Vec<_>>().join("; "))
}

fn ids(personas: &[PersonaId]) -> String {
    personas.iter().map(PersonaId::as_str).collect::<Vec<_>>().join(", ")
}
