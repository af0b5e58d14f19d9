//! Criteria that participants name themselves: what could be observed that would settle a question.

use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::copied_words::{named, own_words};
use crate::engines::talk::replies::schema::StanceReply;
use crate::events::dispute::DisputeRevised;
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;

/// Maximum number of criteria that a clerk names for a dispute; an excess is dropped.
pub const MAX_CRITERIA: usize = 3;
/// Maximum number of criteria of a dispute, those of participants included.
const MAX_STATED_CRITERIA: usize = 12;

/// Criterion that a participant may name in a turn.
pub struct StatedCriterion<'a> {
    /// The dispute that it would settle.
    pub dispute: DisputeId,
    /// Author of the turn.
    pub speaker: &'a PersonaId,
    /// The turn.
    pub turn: TurnId,
    /// Text of the turn.
    pub text: &'a str,
    /// Words of the text that name it; `None` if the turn names none.
    pub copied: Option<&'a str>,
}

/// Decodes a criterion into a revision of its dispute. `None` if the turn names none, the dispute is about the topic or has
/// enough criteria, or one of them contains the words.
///
/// # Errors
/// A message if the text does not contain the words.
pub fn criterion(
    disputes: &DisputeGraph,
    names: &DisplayNames,
    stated: StatedCriterion,
) -> Result<Option<Event>, String> {
    let StatedCriterion { dispute, speaker, turn, text, copied } = stated;
    let Some(copied) = named(copied) else { return Ok(None) };
    let words = own_words(text, copied, &format!("states what would settle {dispute}"))?;
    let there = disputes.disputes.get(&dispute).filter(|there| !there.is_topic);
    let is_known = |criterion: &String| criterion.contains(&words);
    let Some(there) = there.filter(|it| it.criteria.len() < MAX_STATED_CRITERIA && !it.criteria.iter().any(is_known))
    else {
        return Ok(None);
    };
    let name = names.of(speaker);
    let criteria = there.criteria.iter().cloned().chain([quoted_criterion(&name, turn, &words)]).collect();
    let reason = format!("{name} said in {turn} what would settle it");
    let (question, horizon) = (None, None);
    Ok(Some(Event::DisputeRevised(DisputeRevised { dispute, question, horizon, criteria, turns: vec![turn], reason })))
}

/// Returns the dispute that a condition for a change of mind is about: the one of which the same words say what would
/// settle it. `None` if there is none.
pub fn settled_by_condition(stances: &[StanceReply], condition: &str) -> Option<DisputeId> {
    let condition = condition.trim();
    let says_so = |stance: &&StanceReply| {
        named(stance.settled_by.as_deref()).is_some_and(|words| words.contains(condition) || condition.contains(words))
    };
    stances.iter().find(says_so)?.dispute.trim().parse().ok()
}

/// Returns a criterion in words of a turn.
pub fn quoted_criterion(name: &str, turn: TurnId, words: &str) -> String {
    format!("{name} in {turn}: \"{words}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::dispute::DisputeRaised;

    const TEXT: &str = "They cannot refuse. A year of rosters would settle it.";

    #[test]
    fn a_criterion_is_recorded_once_in_words_of_its_turn() {
        let mut talk = talk(&["ada", "ben"], &["ada: a"]);
        for (question, is_topic) in [("Should the ferry run at night?", true), ("Can the crews refuse?", false)] {
            let dispute = talk.disputes.next_dispute();
            talk.evolve(&noted(&Event::DisputeRaised(DisputeRaised::bare(dispute, question, is_topic))));
        }
        let speaker = persona("ada");
        for (dispute, copied, expected) in [
            (2, Some("A year of rosters would settle it"), "ada in t9: \"A year of rosters would settle it\""),
            (2, Some("A year of rosters"), "nothing"),
            (2, Some("the tide"), "states what would settle d2 in \"the tide\", which the text does not contain"),
            (2, None, "nothing"),
            (2, Some("null"), "nothing"),
            (1, Some("They cannot refuse"), "nothing"),
            (7, Some("They cannot refuse"), "nothing"),
            (2, Some("They cannot refuse"), "ada in t9: \"They cannot refuse\""),
        ] {
            let (dispute, turn) = (DisputeId(dispute), TurnId(9));
            let stated = StatedCriterion { dispute, speaker: &speaker, turn, text: TEXT, copied };
            let found = match criterion(&talk.disputes, &talk.names, stated) {
                Ok(None) => "nothing".to_owned(),
                Ok(Some(Event::DisputeRevised(revised))) => {
                    let added = revised.criteria.last().cloned().unwrap_or_default();
                    talk.evolve(&noted(&Event::DisputeRevised(revised)));
                    added
                }
                Ok(Some(other)) => panic!("{other:?}"),
                Err(reason) => reason,
            };
            assert_eq!(found, expected, "{dispute}: {copied:?}");
        }
    }
}
