//! Decodes the concessions that a new proposal makes to its critic.

use crate::engines::dialectic::dialectic_context::DialecticContext;
use crate::engines::dialectic::schema::ConcessionReply;
use crate::engines::shared::view_prompts;
use crate::events::event::Event;
use crate::events::proposal::ProposalCriticized;
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, GrantedPoint, StatementSource};
use crate::kernel::quotations::turn_quotes;

/// Maximum number of concessions in a synthesis; an excess is rejected.
const MAX_CONCESSIONS: usize = 6;

/// Decodes concessions, each by words of the proposal and with the sentence of the critic that it grants, if any. Words
/// that are conceded twice count once.
pub fn concessions(
    at: &DialecticContext,
    criticism: Option<&ProposalCriticized>,
    proposal: &str,
    given: &[ConcessionReply],
    refused: &mut Vec<String>,
) -> Vec<Event> {
    if given.len() > MAX_CONCESSIONS {
        refused.push(format!("{} concessions, of which the first {MAX_CONCESSIONS} are kept", given.len()));
    }
    let mut made: Vec<ConcessionMade> = Vec::new();
    for reply in given.iter().take(MAX_CONCESSIONS) {
        match concession(at, criticism, proposal, reply, refused) {
            Some(it) if made.iter().all(|known| known.quote != it.quote) => made.push(it),
            _ => {}
        }
    }
    made.into_iter().map(Event::ConcessionMade).collect()
}

/// Decodes one concession. One that grants nothing gives way in part: the proposal stands in its new words.
fn concession(
    at: &DialecticContext,
    criticism: Option<&ProposalCriticized>,
    proposal: &str,
    reply: &ConcessionReply,
    refused: &mut Vec<String>,
) -> Option<ConcessionMade> {
    let Some(words) = turn_quotes::words(proposal, &reply.words) else {
        refused.push(format!("concedes {}, which the proposal does not say", view_prompts::excerpt(&reply.words)));
        return None;
    };
    let named = reply.grants.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let granted = named.and_then(|name| {
        let found = criticism.and_then(|criticism| granted(criticism, name));
        if found.is_none() {
            refused.push(format!("grants {}, which is not a sentence of an issue", view_prompts::excerpt(name)));
        }
        found
    });
    let kind = if granted.is_some() { ConcessionExtent::Full } else { ConcessionExtent::Partial };
    let what = granted.as_ref().map_or(&words, |point| &point.statement).clone();
    let (turn, speaker, effect, quote) = (at.turn, at.speaker.clone(), ConcessionEffect::Said, Some(words));
    Some(ConcessionMade { turn, speaker, kind, what, effect, quote, granted })
}

/// Resolves the name of a sentence of an issue, such as `i3.2`.
fn granted(criticism: &ProposalCriticized, name: &str) -> Option<GrantedPoint> {
    let (issue, number) = name.split_once('.')?;
    let issue = criticism.issues.iter().find(|raised| raised.issue.to_string() == issue)?;
    let statement = turn_quotes::sentence(&issue.text, number.parse().ok()?)?;
    Some(GrantedPoint { statement, source: StatementSource::Turn { turn: criticism.turn } })
}
