//! Calls that were given up, as a warning of a report: a reader must know which part of a debate never came about.

use crate::events::event::Event;
use crate::export::report::quotes::short;
use crate::export::report::report_model::Speaker;

/// Maximum number of calls that a warning names.
const MAX_NAMED: usize = 5;
/// Maximum length of a reason in characters.
const MAX_REASON: usize = 120;

/// Names the calls that left nothing, each with its last failure; `None` if there are none.
pub fn abandoned_calls<'a>(events: impl Iterator<Item = &'a Event>, speakers: &[Speaker]) -> Option<String> {
    let abandoned = events.filter_map(|event| match event {
        Event::EffectAbandoned(it) => Some(it),
        _ => None,
    });
    let calls: Vec<String> = abandoned
        .map(|it| {
            let name = speakers.iter().find(|speaker| speaker.id.as_str() == it.key.subject);
            let whose = name.map(|speaker| format!(" by {}", speaker.name)).unwrap_or_default();
            let reason = short(it.reason.trim_end_matches('.'), MAX_REASON);
            format!("{}{whose} ({reason})", it.key.purpose_in_words())
        })
        .collect();
    let (n, noun) = (calls.len(), if calls.len() == 1 { "call was" } else { "calls were" });
    let named = calls.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = if n > MAX_NAMED { format!("; and {} more", n - MAX_NAMED) } else { String::new() };
    (n > 0).then(|| format!("{n} {noun} given up, and nothing stands in the place of the answer: {named}{more}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::receipt::{EffectAbandoned, EffectKey};

    fn abandoned(subject: &str) -> Event {
        let key = EffectKey { purpose: "criticize".to_owned(), subject: subject.to_owned(), ordinal: 1 };
        Event::EffectAbandoned(EffectAbandoned {
            key,
            attempts: 3,
            reason: "the reply contains no JSON object".to_owned(),
        })
    }

    #[test]
    fn calls_that_were_given_up_are_named() {
        assert_eq!(abandoned_calls([].iter(), &[]), None);
        let warning = abandoned_calls([abandoned("ada")].iter(), &[]).expect("a warning");
        let expected = "1 call was given up, and nothing stands in the place of the answer: criticism (the reply \
                        contains no JSON object).";
        assert_eq!(warning, expected);
        let many = abandoned_calls(vec![abandoned("ada"); 7].iter(), &[]).expect("a warning");
        assert!(many.starts_with("7 calls were given up") && many.ends_with("; and 2 more."), "{many}");
    }
}
