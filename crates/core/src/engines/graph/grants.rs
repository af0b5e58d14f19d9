//! Decodes the statements of others that a speech of the graph engine grants.

use crate::engines::graph::context::GraphContext;
use crate::engines::graph::schema::GrantMade;
use crate::engines::shared::grants::given_up;
use crate::engines::shared::view_prompts;
use crate::engines::talk::ground_given;
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, GrantedPoint, StatementSource};
use crate::kernel::quotations::turn_quotes;

/// Maximum number of granted statements in a turn; an excess is rejected.
const MAX_GRANTS: usize = 4;

/// Decodes the statements of others that a speech grants, each with words of the speech, and the withdrawals of the
/// attacks that are given up by it.
pub fn grants(
    at: &GraphContext,
    speaker: &PersonaId,
    speech: &str,
    given: Vec<GrantMade>,
    refused: &mut Vec<String>,
) -> Vec<Event> {
    if given.len() > MAX_GRANTS {
        refused.push(format!("{} grants, of which the first {MAX_GRANTS} are kept", given.len()));
    }
    let mut facts = Vec::new();
    let mut seen: Vec<StatementSource> = Vec::new();
    for made in given.into_iter().take(MAX_GRANTS) {
        match grant(at, speaker, speech, &made) {
            Err(reason) => refused.push(reason),
            Ok((_, granted)) if seen.contains(&granted.source) => {}
            Ok((words, granted)) => {
                seen.push(granted.source);
                let (kind, effect, turn) = (ConcessionExtent::Full, ConcessionEffect::Said, at.turn);
                let (what, quote, source) = (granted.statement.clone(), Some(words), granted.source);
                let (speaker, granted) = (speaker.clone(), Some(granted));
                let withdrawn = given_up(at.graph, &speaker, source, turn);
                let made = ConcessionMade { turn, speaker, kind, what, quote, effect, granted };
                facts.extend(std::iter::once(Event::ConcessionMade(made)).chain(withdrawn));
            }
        }
    }
    facts
}

/// Resolves the statement that a speech grants, and the words that grant it; or returns the reason why it is rejected.
fn grant(
    at: &GraphContext,
    speaker: &PersonaId,
    speech: &str,
    made: &GrantMade,
) -> Result<(String, GrantedPoint), String> {
    let named = view_prompts::excerpt(&made.argument);
    let id: Option<ArgumentId> = made.argument.trim().parse().ok();
    let Some(argument) = id.filter(|id| at.shown.is_live(*id)) else {
        return Err(format!("grants a part of {named}, which is not among the arguments"));
    };
    if at.shown.speaker(argument) == Some(speaker) {
        return Err(format!("grants a part of {named}, which is the speaker's own"));
    }
    let component = made.component.component(made.index);
    let Some(statement) = at.shown.component_text(argument, component) else {
        return Err(format!("grants {} of {named}, which does not exist", view_prompts::component_name(component)));
    };
    let granted =
        GrantedPoint { statement: statement.to_owned(), source: StatementSource::Argument { argument, component } };
    match turn_quotes::words(speech.trim(), &made.words) {
        Some(words) => match ground_given::check(at.names, speaker, &words) {
            Err(why) => Err(format!("grants a part of {named} in {}, {why}", view_prompts::excerpt(&words))),
            Ok(()) => Ok((words, granted)),
        },
        None => Err(format!("grants a part of {named} without words of the speech")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::shared::reply_schema::ArgumentPartReply;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{names, persona, thesis};
    use crate::events::ids::{DisputeId, TurnId};
    use crate::projections::argument_graph::ArgumentGraph;
    use crate::projections::projection::Projection;
    use crate::projections::transcript::Transcript;

    #[test]
    fn words_that_refuse_grant_nothing() {
        let mut graph = ArgumentGraph::default();
        graph.apply(&noted(&thesis(1, "ada", "The gates are old.")));
        let (transcript, topic, turn) = (Transcript::default(), DisputeId(1), TurnId(2));
        let (graph, question) = (&graph, "Should the port close its gates?");
        let at = GraphContext {
            graph,
            shown: graph,
            transcript: &transcript,
            names: &names(&["ada", "ben"]),
            topic,
            question,
            turn,
            round: 1,
            grounds: &[],
        };
        let speech = "I disagree with the conclusion about the gates. I grant that the gates are old. \
                      I agree with Ben's point.";
        let granted = |words: &str| {
            let (argument, component) = ("a1".to_owned(), ArgumentPartReply::Claim);
            let made = GrantMade { words: words.to_owned(), argument, component, index: None };
            grant(&at, &persona("ben"), speech, &made).map(|(words, _)| words)
        };
        let (refusing, granting) =
            ("I disagree with the conclusion about the gates.", "I grant that the gates are old.");
        assert_eq!(granted(refusing), Err(format!("grants a part of \"a1\" in \"{refusing}\", which grants nothing")));
        assert_eq!(granted(granting), Ok(granting.to_owned()));
        let own = "grants a part of \"a1\" in \"I agree with Ben's point.\", which names nobody else";
        assert_eq!(granted("I agree with Ben's point."), Err(own.to_owned()));
    }
}
