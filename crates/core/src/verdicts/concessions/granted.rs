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
use crate::projections::transcript::Transcript;
use crate::questions::polarity::turns;
use crate::questions::wording::TextFeatures;
use crate::verdicts::common_ground::{CommonGround, Holder};
use crate::verdicts::crux_id::normal;

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
        match found.iter_mut().find(|known| normal(&known.statement) == key) {
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

/// True if a valid attack denies the statement, a claim conflicts with it, or somebody takes the side of a dispute that
/// denies it. Disputes on which the participants agree are left to [`without_contradicted_grants`].
fn is_denied(views: GrantInputs<'_>, granted: &GrantedStatement) -> bool {
    let (graph, key) = (views.graph, normal(&granted.statement));
    let is_attacked = graph.active().any(|(_, attack)| {
        let (source, target) = (attack.raised.source, attack.raised.target);
        let says = |id, component| graph.component_text(id, component).is_some_and(|text| normal(text) == key);
        says(target, attack.component()) || attack.is_mutual() && says(source, ArgumentPart::Claim)
    });
    let is_opposed = graph
        .opposed_theses()
        .iter()
        .flat_map(|(one, other)| [*one, *other])
        .any(|id| graph.component_text(id, ArgumentPart::Claim).is_some_and(|claim| normal(claim) == key));
    let features = TextFeatures::of(&granted.statement);
    let takes_against = views.disputes.not_retired().filter(|(_, dispute)| dispute.is_split()).any(|(_, dispute)| {
        let question = TextFeatures::of(&dispute.question);
        [Side::Yes, Side::No]
            .into_iter()
            .any(|side| dispute.on_side(side).next().is_some() && contradicts(&features, &question, side))
    });
    is_attacked || is_opposed || takes_against
}

/// True if this side of a question denies a statement: no to a question that asks it, or yes to one that asks its
/// negation. Statement and question are compared by their content words.
fn contradicts(statement: &TextFeatures, question: &TextFeatures, side: Side) -> bool {
    let reversals = turns(statement, question);
    let is_same_matter = reversals.left == 0 && statement.numbers == question.numbers && !statement.words.is_empty();
    match side {
        Side::Yes => is_same_matter && reversals.is_odd(),
        Side::No => is_same_matter && !reversals.is_odd(),
        Side::Nuanced | Side::Undecided => false,
    }
}

/// Removes granted statements that contradict other granted statements or agreed disputes, together with what they
/// contradict. Returns what is left of both, and the contradictions as clauses. Quadratic in what is agreed upon.
pub fn without_contradicted_grants(
    ground: Vec<CommonGround>,
    granted: Vec<GrantedStatement>,
) -> (Vec<CommonGround>, Vec<GrantedStatement>, Vec<String>) {
    let statements: Vec<TextFeatures> = granted.iter().map(|it| TextFeatures::of(&it.statement)).collect();
    let questions: Vec<TextFeatures> = ground.iter().map(|it| TextFeatures::of(&it.question)).collect();
    let (mut lost_grants, mut lost_ground, mut clauses) =
        (vec![false; granted.len()], vec![false; ground.len()], vec![]);
    for (one, statement) in statements.iter().enumerate() {
        let quoted = &granted[one].statement;
        for (other, question) in questions.iter().enumerate() {
            if contradicts(statement, question, ground[other].side) {
                (lost_grants[one], lost_ground[other]) = (true, true);
                let dispute = ground[other].dispute;
                clauses.push(format!("{dispute} and the granted statement “{quoted}” contradict each other and are not counted as agreed upon"));
            }
        }
        for (other, second) in statements.iter().enumerate().skip(one + 1) {
            if contradicts(statement, second, Side::Yes) {
                (lost_grants[one], lost_grants[other]) = (true, true);
                let second = &granted[other].statement;
                clauses.push(format!("the granted statements “{quoted}” and “{second}” contradict each other and are not counted as agreed upon"));
            }
        }
    }
    let ground = ground.into_iter().zip(lost_ground).filter(|(_, is_lost)| !is_lost).map(|(it, _)| it).collect();
    let granted = granted.into_iter().zip(lost_grants).filter(|(_, is_lost)| !is_lost).map(|(it, _)| it).collect();
    (ground, granted, clauses)
}
