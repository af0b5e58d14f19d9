//! Check of spoken texts for phrases that a persona never uses, and for stock phrases.
//!
//! A speaker that uses one is asked once to say it otherwise. A second use is accepted: the turn stands, and the voice
//! compliance of the debate counts it ([`crate::projections::voice_compliance`]).

use std::collections::BTreeMap;

use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::events::receipt::Failure;
use crate::kernel::prompt::Prompt;
use crate::kernel::reply::Unreadable;
use crate::kernel::spoken_text::{SpokenText, spoken_field};
use crate::voices::phrase::uses;
use crate::voices::stock_phrases::STOCK_PHRASES;

/// Beginning of the reason for asking again.
const REASON: &str = "the text uses the phrase";

/// Phrases that the participants of a debate never use.
#[derive(Clone, Debug, Default)]
pub struct PhraseCheck {
    forbidden: BTreeMap<PersonaId, Vec<String>>,
}

impl PhraseCheck {
    /// Applies an event: the participants, as the debate pins them.
    pub fn evolve(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => self.pin(&opened.participants),
            Event::DebateForked(forked) => self.pin(&forked.opened.participants),
            _ => {}
        }
    }

    fn pin(&mut self, participants: &[Persona]) {
        let phrases = |persona: &Persona| (persona.id.clone(), persona.voice.forbidden_phrases.clone());
        self.forbidden = participants.iter().map(phrases).collect();
    }

    /// Returns why a reply should be said otherwise: it uses a phrase that its speaker never uses, and the last failure
    /// was not the use of a phrase. Linear in the text for each phrase.
    pub fn fault(&self, prompt: &Prompt, reply: &str, last: Option<&Failure>) -> Option<Unreadable> {
        if last.is_some_and(|failure| failure.message.starts_with(REASON)) {
            return None;
        }
        let forbidden = self.forbidden.get(prompt.task.speaker.as_ref()?).into_iter().flatten().map(String::as_str);
        let text = SpokenText::new(spoken_field(&prompt.schema)?).push(reply);
        let (phrase, whose) = forbidden
            .map(|phrase| (phrase, "its speaker never uses"))
            .chain(STOCK_PHRASES.iter().map(|phrase| (*phrase, "could be anybody's")))
            .find(|(phrase, _)| uses(&text, phrase) > 0)?;
        Some(Unreadable::because(format!("{REASON} {phrase:?}, which {whose}")).advise("say it in your own words"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::task::{Task, TaskKind};

    #[test]
    fn a_phrase_is_refused_once() {
        let speaker: PersonaId = "ada".parse().expect("an id");
        let check = PhraseCheck { forbidden: [(speaker.clone(), vec!["Going forward".to_owned()])].into() };
        let (topic, participants) = (String::new(), Vec::new());
        let prompt = Prompt {
            system: String::new(),
            text: String::new(),
            schema: json!({ "properties": { "text": { "type": "string" } } }),
            schema_name: "turn",
            max_tokens: 1,
            task: Task { topic, seed: 0, speaker: Some(speaker), participants, work: TaskKind::OpenTalk },
        };
        let found = |text: &str, last: Option<&Failure>| {
            let reply = json!({ "text": text }).to_string();
            check.fault(&prompt, &reply, last).map(|unreadable| unreadable.to_string())
        };
        let own = r#"the text uses the phrase "Going forward", which its speaker never uses"#;
        assert_eq!(found("The ferry runs, going  forward.", None).as_deref(), Some(own));
        let stock = r#"the text uses the phrase "great point", which could be anybody's"#;
        assert_eq!(found("Great point!", None).as_deref(), Some(stock));
        assert_eq!(found("The great pointer went forward.", None), None);
        let failure = |reason: &str| Unreadable::because(reason).failure();
        assert_eq!(found("Great point!", Some(&failure(own))), None);
        assert!(found("Great point!", Some(&failure("the reply contains no JSON object"))).is_some());
    }
}
