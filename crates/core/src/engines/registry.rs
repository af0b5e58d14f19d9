//! Registry of all engines.

use crate::engines::baseline::baseline;
use crate::engines::blackboard::{blitz, classical};
use crate::engines::crux_rooms::crux_rooms;
use crate::engines::dialectic::dialectic;
use crate::engines::dialogue::dialogue;
use crate::engines::disputes::disputes;
use crate::engines::external;
use crate::engines::forum::forum;
use crate::engines::graph::graph;
use crate::engines::pro_con::pro_con;
use crate::kernel::engine::EngineRegistration;

/// Engine of debates that name none.
pub const DEFAULT_ENGINE: EngineRegistration = ENGINES[0];

/// All engines, in display order. The first is the default.
pub const ENGINES: &[EngineRegistration] = &[
    graph::REGISTRATION,
    dialectic::REGISTRATION,
    dialogue::REGISTRATION,
    disputes::REGISTRATION,
    crux_rooms::REGISTRATION,
    forum::REGISTRATION,
    blitz::REGISTRATION,
    classical::REGISTRATION,
    pro_con::REGISTRATION,
    baseline::REGISTRATION,
    external::REGISTRATION,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::baseline::words as baseline_words;
    use crate::engines::blackboard::words as blackboard_words;
    use crate::engines::closing::closing_phase;
    use crate::engines::crux_rooms::words as crux_rooms_words;
    use crate::engines::forum::words as forum_words;
    use crate::engines::pro_con::words as pro_con_words;
    use crate::engines::talk::argument_clerk::argument_clerk;
    use crate::engines::talk::dispute_clerk::dispute_clerk;
    use crate::engines::talk::prompts;
    use crate::engines::talk::rooms::words as room_words;
    use crate::kernel::prompt::PromptTemplates;

    #[test]
    fn engine_names_are_unique_and_documented_defaults_are_correct() {
        let mut names: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ENGINES.len());
        for engine in ENGINES {
            let defaults = (engine.normalize)(&serde_json::Value::Null).expect("options may be absent");
            let documented: serde_json::Map<String, serde_json::Value> = engine
                .options
                .iter()
                .map(|option| {
                    (
                        option.name.to_owned(),
                        serde_json::from_str(option.default).expect("documented defaults are JSON"),
                    )
                })
                .collect();
            assert_eq!(defaults, serde_json::Value::Object(documented), "{}", engine.name);
        }
    }

    #[test]
    fn every_prompt_section_has_text() {
        for PromptTemplates(words) in [
            baseline_words::WORDS,
            closing_phase::WORDS,
            blackboard_words::WORDS,
            graph::WORDS,
            dialectic::WORDS,
            prompts::WORDS,
            argument_clerk::WORDS,
            dispute_clerk::WORDS,
            crux_rooms_words::WORDS,
            forum_words::WORDS,
            pro_con_words::WORDS,
            room_words::WORDS,
        ] {
            let words = PromptTemplates(words);
            assert!(words.sections().count() >= 2);
            for section in words.sections() {
                assert!(words.section(section).is_some_and(|text| !text.is_empty()), "{section} is empty");
            }
        }
    }
}
