//! Decodes the concessions that a clerk found in new turns, and the statements of others that they grant.

use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::ground_given;
use crate::engines::talk::replies::schema::{Conceding, Extent};
use crate::engines::talk::state::{Talk, Window};
use crate::events::argument::ArgumentPart;
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, PersonaId, TurnId};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, GrantedPoint, StatementSource};
use crate::projections::argument_graph::{Argument, ArgumentGraph};
use crate::questions::wording::says_the_same;

/// Maximum number of concessions in a reply; an excess is rejected.
const MAX_CONCESSIONS: usize = 6;

/// State in which concessions are decoded.
pub struct ConcessionContext<'a> {
    /// The talk so far.
    pub talk: &'a Talk,
    /// Turns shown to the clerk.
    pub window: &'a Window<'a>,
    /// The arguments, those of the same reply included; `None` if the engine has none.
    pub graph: Option<&'a ArgumentGraph>,
    /// Events decoded from the same reply.
    pub facts: &'a [Event],
}

/// Decodes concessions, each with the statement that it grants, if any. A turn whose concession is in the log or among the
/// events of the same reply is skipped, unless the sentence grants a statement: a turn can carry several moves.
pub fn said(at: &ConcessionContext, given: Vec<Conceding>, refused: &mut Vec<String>) -> Vec<Event> {
    if given.len() > MAX_CONCESSIONS {
        refused.push(format!("{} concessions, of which the first {MAX_CONCESSIONS} are considered", given.len()));
    }
    let mut conceded: Vec<ConcessionMade> = Vec::new();
    for it in given.into_iter().take(MAX_CONCESSIONS) {
        let (turn, speaker, words) = match at.window.new_sentence(&it.sentence) {
            Ok(sentence) => sentence,
            Err(reason) => {
                refused.push(reason);
                continue;
            }
        };
        if let Err(why) = ground_given::check(&at.talk.names, &speaker, &words) {
            refused.push(format!("{speaker} concedes in {}, {why}", view_prompts::excerpt(&words)));
            continue;
        }
        let granted = named(it.grants.as_deref()).and_then(|name| match at.granted(&speaker, turn, name) {
            Ok(granted) => Some(granted),
            Err(reason) => {
                refused.push(reason);
                None
            }
        });
        let is_known = match &granted {
            None => at.made().any(|made| made.turn == turn),
            Some(granted) => at.made().chain(&conceded).any(|made| {
                made.speaker == speaker
                    && made.granted.as_ref().is_some_and(|known| says_the_same(&known.statement, &granted.statement))
            }),
        };
        if !is_known {
            let (kind, effect, quote) = (it.kind.into(), ConcessionEffect::Said, Some(words.clone()));
            conceded.push(ConcessionMade { turn, speaker, kind, what: words, quote, effect, granted });
        }
    }
    conceded.into_iter().map(Event::ConcessionMade).collect()
}

impl ConcessionContext<'_> {
    /// Returns the concessions in the log and in the same reply.
    fn made(&self) -> impl Iterator<Item = &ConcessionMade> {
        let recorded = self.talk.concessions.concessions.iter().map(|concession| &concession.made);
        recorded.chain(self.facts.iter().filter_map(|fact| match fact {
            Event::ConcessionMade(made) => Some(made),
            _ => None,
        }))
    }

    /// Resolves the statement that a participant grants in a turn: the claim of an argument, or a sentence, which is the
    /// part of an argument if its speaker's argument consists of it.
    fn granted(&self, granter: &PersonaId, turn: TurnId, name: &str) -> Result<GrantedPoint, String> {
        if let Some((id, argument)) = self.argument(name) {
            if argument.advanced.speaker == *granter {
                return Err(format!("{granter} grants {id}, which is their own"));
            }
            let (statement, component) = (argument.advanced.claim.clone(), ArgumentPart::Claim);
            return Ok(GrantedPoint { statement, source: StatementSource::Argument { argument: id, component } });
        }
        let (of, speaker, statement) = self.window.shown_sentence(name)?;
        if speaker == *granter {
            return Err(format!("{granter} grants {}, which is their own", view_prompts::excerpt(name)));
        }
        if of > turn {
            return Err(format!("grants {} in {turn}, which came before it", view_prompts::excerpt(name)));
        }
        let part = self.graph.and_then(|graph| part_of_argument(graph, &speaker, &statement));
        let source = match part {
            Some((argument, component)) => StatementSource::Argument { argument, component },
            None => StatementSource::Turn { turn: of },
        };
        Ok(GrantedPoint { statement, source })
    }

    fn argument(&self, name: &str) -> Option<(ArgumentId, &Argument)> {
        let (graph, id) = (self.graph?, name.trim().parse().ok()?);
        graph.live().find(|(live, _)| *live == id)
    }
}

/// Finds the part of a speaker's live argument that consists of these words.
fn part_of_argument(graph: &ArgumentGraph, speaker: &PersonaId, words: &str) -> Option<(ArgumentId, ArgumentPart)> {
    let own = graph.live().filter(|(_, argument)| argument.advanced.speaker == *speaker);
    own.flat_map(|(id, argument)| argument.parts().map(move |(component, text)| (id, component, text)))
        .find(|(_, _, text)| *text == words)
        .map(|(id, component, _)| (id, component))
}

impl From<Extent> for ConcessionExtent {
    fn from(extent: Extent) -> ConcessionExtent {
        match extent {
            Extent::Full => ConcessionExtent::Full,
            Extent::Partial => ConcessionExtent::Partial,
            Extent::Scope => ConcessionExtent::Scope,
        }
    }
}
