//! Granted statements: said by one participant, granted in words by another, and denied by nobody.
//!
//! They are common ground of their own kind. Granting a statement is no stance on anything else, so granted statements
//! alone never make a consensus.

use serde::{Deserialize, Serialize};

use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::ids::TurnId;
use crate::events::turn::{ConcessionMade, GrantedPoint, StatementSource};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::concessions::Concessions;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Stance;
use crate::projections::transcript::Transcript;
use crate::questions::polarity::turns;
use crate::questions::wording::TextFeatures;
use crate::verdicts::common_ground::Holder;
use crate::verdicts::crux_id::{is_normally, normal};

/// Statement of one participant that others granted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrantedStatement {
    /// The statement.
    pub statement: String,
    /// Source of the statement: an argument's part, or the words of a turn.
    pub source: StatementSource,
    /// Participant who made it, with the turn. The quotation is `None` if it was written in an argument and not spoken.
    pub author: Holder,
    /// Participants who granted it, each with the turn and the words that grant it, in order.
    pub granters: Vec<Holder>,
}

/// Projections from which granted statements are computed.
#[derive(Clone, Copy, Debug)]
pub struct GrantInputs<'a> {
    /// Turns.
    pub transcript: &'a Transcript,
    /// Arguments and attacks.
    pub graph: &'a ArgumentGraph,
    /// Disputes and stances.
    pub disputes: &'a DisputeGraph,
    /// Recorded concessions.
    pub concessions: &'a Concessions,
}

/// Finds the granted statements, in the order in which they were first granted. A statement is left out if its author has
/// withdrawn or changed it, if an attack on it or a claim that conflicts with it is valid, or if anybody takes the side
/// that denies it in a dispute. Texts that differ only in white space, case and a final stop are one statement.
///
/// Cost: the granted statements times the attacks and the disputes.
pub fn granted(views: GrantInputs<'_>) -> Vec<GrantedStatement> {
    let mut found: Vec<GrantedStatement> = Vec::new();
    let counted = views.concessions.concessions.iter().filter(|concession| !concession.is_contested());
    for made in counted.map(|concession| &concession.made) {
        let Some((point, author)) = made.granted.as_ref().and_then(|point| Some((point, author(views, point)?))) else {
            continue;
        };
        let Some(granter) = granter(made).filter(|granter| granter.persona != author.persona) else { continue };
        let key = normal(&point.statement);
        match found.iter_mut().find(|known| is_normally(&known.statement, &key)) {
            Some(known) if known.author.persona == granter.persona => {}
            Some(known) => {
                known.granters.retain(|holder| holder.persona != granter.persona);
                known.granters.push(granter);
            }
            None => {
                let (statement, source) = (point.statement.clone(), point.source);
                found.push(GrantedStatement { statement, source, author, granters: vec![granter] });
            }
        }
    }
    found.retain(|granted| !is_denied(views, granted));
    found
}

/// Participant who granted something in words; `None` if the concession was only reported.
fn granter(made: &ConcessionMade) -> Option<Holder> {
    let quote = made.quote.clone()?;
    Some(Holder { persona: made.speaker.clone(), turn: made.turn, quote: Some(quote), confidence: None })
}

/// Participant who made a granted statement and stands by it; `None` if nobody does.
fn author(views: GrantInputs<'_>, point: &GrantedPoint) -> Option<Holder> {
    let said = |turn: TurnId| views.transcript.turn(turn).filter(|turn| turn.text.contains(&point.statement));
    let quote = |turn: TurnId| said(turn).map(|_| point.statement.clone());
    match point.source {
        StatementSource::Turn { turn } => {
            let persona = said(turn)?.speaker.clone()?;
            Some(Holder { persona, turn, quote: quote(turn), confidence: None })
        }
        StatementSource::Argument { argument: id, component } => {
            let argument = views.graph.arguments.get(&id).filter(|argument| argument.withdrawn.is_none())?;
            let is_kept = views.graph.component_text(id, component) == Some(point.statement.as_str());
            let turn = argument.turn().filter(|_| is_kept)?;
            Some(Holder { persona: argument.advanced.speaker.clone(), turn, quote: quote(turn), confidence: None })
        }
    }
}

/// True if a valid attack denies the statement, a claim conflicts with it, somebody takes the side of a dispute that
/// denies it, or it states a side of a dispute that divides the participants. Disputes on which the participants agree are left to the
/// [guard](crate::verdicts::concessions::guard::without_contradictions).
fn is_denied(views: GrantInputs<'_>, granted: &GrantedStatement) -> bool {
    let (graph, key) = (views.graph, normal(&granted.statement));
    let is_attacked = graph.active().any(|(_, attack)| {
        let (source, target) = (attack.raised.source, attack.raised.target);
        let says = |id, component| graph.component_text(id, component).is_some_and(|text| is_normally(text, &key));
        says(target, attack.component()) || attack.is_mutual() && says(source, ArgumentPart::Claim)
    });
    let is_opposed = graph
        .opposed_theses()
        .iter()
        .flat_map(|(one, other)| [*one, *other])
        .any(|id| graph.component_text(id, ArgumentPart::Claim).is_some_and(|claim| is_normally(claim, &key)));
    let features = TextFeatures::of(&granted.statement);
    let takes_against = views.disputes.not_retired().filter(|(_, dispute)| dispute.is_split()).any(|(_, dispute)| {
        [Side::Yes, Side::No]
            .into_iter()
            .any(|side| dispute.on_side(side).next().is_some() && denies(dispute.worded(), side, &features))
    });
    is_attacked || is_opposed || takes_against || states_divided_side(views.disputes, &key)
}

/// True if a statement is part of the words with which somebody takes a side of a dispute that divides the participants: whoever
/// takes the other side denies it.
fn states_divided_side(disputes: &DisputeGraph, statement: &str) -> bool {
    let divided = disputes.not_retired().filter(|(_, dispute)| dispute.is_split());
    let stances = divided.flat_map(|(_, dispute)| dispute.stances.values());
    let sides = stances.filter(|stance| matches!(stance.side, Side::Yes | Side::No));
    sides.filter_map(Stance::words).any(|words| normal(words).contains(statement))
}

/// True if affirming or denying a question or a statement affirms another statement. The two are compared by their content
/// words.
pub fn affirms(wording: &TextFeatures, is_affirmed: bool, statement: &TextFeatures) -> bool {
    let reversals = turns(wording, statement);
    let is_same_matter = reversals.left == 0 && wording.numbers == statement.numbers && !statement.words.is_empty();
    is_same_matter && reversals.is_odd() != is_affirmed
}

/// True if a side of a dispute denies a statement, in any wording of the question: no to one that asks it, or yes to one
/// that asks its negation.
fn denies<'a>(worded: impl Iterator<Item = (&'a str, bool)>, side: Side, statement: &TextFeatures) -> bool {
    let is_side = matches!(side, Side::Yes | Side::No);
    let mut wordings = worded.map(|(text, negates)| (TextFeatures::of(text), (side == Side::Yes) != negates));
    is_side && wordings.any(|(wording, is_affirmed)| affirms(&wording, !is_affirmed, statement))
}
