//! Decodes speeches into events.

use crate::engines::pro_con::schema::SpeechReply;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::events::checks::drafts::TurnDrafted;
use crate::events::event::Event;
use crate::events::ids::DraftId;
use crate::events::turn::Preparation;
use crate::events::turn::TurnTaken;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;

/// Maximum number of characters of a reflection or critique; longer ones are cut.
const MAX_PART_CHARS: usize = 4_000;

/// Rules for a speech.
#[derive(Clone, Copy, Debug)]
pub struct SpeechRules {
    /// Number of the round.
    pub round: u32,
    /// Maximum number of words.
    pub most_words: usize,
    /// True if a speech that is too long is cut; otherwise it is refused.
    pub may_cut: bool,
    /// True if its draft is taken: it was compared with earlier turns before.
    pub is_draft_taken: bool,
}

/// Decodes a speech into its turn, which comes first, and what it states. Reflection and critique may both be null: nothing was
/// reflected on.
///
/// # Errors
/// [`Unreadable`] if the speech is empty, one of reflection and critique is, the speech is too long and may not be cut, or it
/// repeats a turn.
pub fn speech(at: &TalkContext, mut reply: SpeechReply, rules: SpeechRules) -> Result<Vec<Event>, Unreadable> {
    let part = |name: &str, text: &Option<String>| match text.as_deref().unwrap_or_default().trim() {
        "" => Err(Unreadable::because(format!("the {name} is empty")).advise(format!("write the {name} as well"))),
        text => Ok(decode::cut(text, MAX_PART_CHARS)),
    };
    let (reflection, critique) = match (&reply.reflection, &reply.critique) {
        (None, None) => (String::new(), String::new()),
        (reflection, critique) => (part("reflection", reflection)?, part("critique", critique)?),
    };
    let n_words = reply.text.split_whitespace().count();
    if n_words > rules.most_words {
        if !rules.may_cut {
            let reason = format!("the speech has {n_words} words; at most {} are allowed", rules.most_words);
            return Err(Unreadable::overlong(reason).advise("keep what matters most and leave out the rest"));
        }
        reply.text = shortened(reply.text.trim(), rules.most_words);
    }
    let omitted = n_words.saturating_sub(reply.text.split_whitespace().count());
    let omitted_words = u32::try_from(omitted).unwrap_or(u32::MAX);
    let mut facts =
        if rules.is_draft_taken { decode::said(at, reply.turn())? } else { decode::spoken(at, reply.turn())? };
    if let Some(Event::TurnTaken(taken)) = facts.first_mut() {
        taken.round = Some(rules.round);
        let (draft, violations) = (None, Vec::new());
        taken.preparation = Some(Preparation { reflection, critique, omitted_words, draft, violations });
    }
    Ok(facts)
}

/// Returns the draft of a speech instead of its turn; what the speech states is recorded if it is taken.
pub fn drafted(facts: Vec<Event>, draft: DraftId, attempt: u32) -> Vec<Event> {
    let taken = facts.into_iter().find_map(|fact| match fact {
        Event::TurnTaken(mut taken) => {
            if let Some(preparation) = &mut taken.preparation {
                preparation.draft = Some(draft);
            }
            Some(taken)
        }
        _ => None,
    });
    let drafted = taken.map(|turn| Event::TurnDrafted(TurnDrafted { draft, attempt, turn: Box::new(turn) }));
    drafted.into_iter().collect()
}

/// Returns the facts of a speech with its turn as the draft has it, whose quotations were checked when it was drafted.
pub fn taken(mut facts: Vec<Event>, draft: &TurnTaken) -> Vec<Event> {
    if let Some(Event::TurnTaken(taken)) = facts.first_mut() {
        *taken = TurnTaken { turn: taken.turn, ..draft.clone() };
    }
    facts
}

/// Cuts a text to at most this number of words, at the end of a sentence; a first sentence that is too long is cut with an
/// ellipsis.
fn shortened(text: &str, most_words: usize) -> String {
    let fits = |end: usize| text[..end].split_whitespace().count() <= most_words;
    let ends = turn_quotes::sentences(text).into_iter().map(|sentence| sentence.end);
    match ends.take_while(|end| fits(*end)).last() {
        Some(end) => text[..end].trim_end().to_owned(),
        None => format!("{}…", text.split_whitespace().take(most_words).collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeches_are_cut_at_the_end_of_a_sentence() {
        for (text, most, expected) in [
            ("One two. Three four. Five six.", 5, "One two. Three four."),
            ("One two. Three four. Five six.", 2, "One two."),
            ("One two three four.", 3, "One two three…"),
        ] {
            assert_eq!(shortened(text, most), expected, "{most}");
        }
    }
}
