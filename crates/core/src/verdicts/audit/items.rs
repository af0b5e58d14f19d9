//! Words that an audit reads: those of stances, theses, distilled claims, concessions and agreements.

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditQuestion, Reading};
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, ProposalId, ReasonId, TurnId};
use crate::events::turn::{ConcessionEffect, ConcessionMade};
use crate::projections::argument_graph::{Argument, ArgumentGraph};
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::proposals::Proposals;
use crate::projections::transcript::Transcript;

/// Maximum length of words that are not a quotation, in characters: the turn of a claim that it does not contain.
const MAX_WORDS_CHARS: usize = 1_200;

/// Words to read again, with what was recorded about them.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditItem {
    /// Version of the event that recorded them.
    pub event: i64,
    /// Record that rests on them.
    pub subject: AuditSubject,
    /// Kind of question.
    pub asked: AuditQuestion,
    /// The question, answerable with yes or no.
    pub question: String,
    /// Statement that the question quotes: a claim, a crux or a proposal.
    pub about: Option<String>,
    /// Participant who said the words.
    pub persona: PersonaId,
    /// Turn that contains them.
    pub turn: TurnId,
    /// The words.
    pub words: String,
    /// Reading that agrees with the record.
    pub recorded: Reading,
}

impl AuditItem {
    /// Returns true if a reading agrees with the record.
    pub fn agrees_with(&self, reading: Reading) -> bool {
        self.subject.agrees(self.recorded, reading)
    }
}

/// Record that rests on words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AuditSubject {
    /// A stance on a dispute.
    Stance {
        /// The dispute.
        dispute: DisputeId,
    },
    /// An argument whose claim answers the topic.
    Thesis {
        /// The argument.
        argument: ArgumentId,
    },
    /// An argument that a clerk distilled.
    Claim {
        /// The argument.
        argument: ArgumentId,
    },
    /// A reason that a clerk distilled.
    Reason {
        /// The reason.
        reason: ReasonId,
    },
    /// A concession that is not a change of sides, and grants no statement of another participant.
    Concession,
    /// A statement of another participant that a concession grants.
    Grant,
    /// An agreement with a crux.
    Crux {
        /// The crux.
        crux: CruxId,
    },
    /// An acceptance of a proposal.
    Proposal {
        /// The proposal.
        proposal: ProposalId,
    },
}

impl AuditSubject {
    /// Name of the record in singular and plural, with its rank in a list.
    pub fn record(&self) -> (usize, [&'static str; 2]) {
        match self {
            AuditSubject::Stance { .. } => (0, ["stance", "stances"]),
            AuditSubject::Thesis { .. } | AuditSubject::Claim { .. } => (2, ["claim", "claims"]),
            AuditSubject::Reason { .. } => (3, ["reason", "reasons"]),
            AuditSubject::Concession => (4, ["concession", "concessions"]),
            AuditSubject::Grant => (5, ["granted statement", "granted statements"]),
            AuditSubject::Crux { .. } => (6, ["agreement on a crux", "agreements on a crux"]),
            AuditSubject::Proposal { .. } => (7, ["acceptance", "acceptances"]),
        }
    }

    /// Returns true for words that can settle something: stances, concessions, agreements and acceptances. Nothing is
    /// settled by a granted statement.
    pub fn settles(&self) -> bool {
        match self {
            AuditSubject::Thesis { .. }
            | AuditSubject::Claim { .. }
            | AuditSubject::Reason { .. }
            | AuditSubject::Grant => false,
            AuditSubject::Stance { .. }
            | AuditSubject::Concession
            | AuditSubject::Crux { .. }
            | AuditSubject::Proposal { .. } => true,
        }
    }

    /// Returns true if a reading agrees with the record. A thesis need not name its side, and ground can be given in part.
    pub fn agrees(&self, recorded: Reading, reading: Reading) -> bool {
        match (self, recorded) {
            (AuditSubject::Thesis { .. }, Reading::Yes) => reading.confirms_thesis(Side::Yes),
            (AuditSubject::Thesis { .. }, Reading::No) => reading.confirms_thesis(Side::No),
            (AuditSubject::Concession, _) => reading.confirms_concession(),
            _ => reading == recorded,
        }
    }
}

/// Views that record words.
#[derive(Clone, Copy, Debug)]
pub struct AuditViews<'a> {
    /// Turns.
    pub transcript: &'a Transcript,
    /// Arguments.
    pub arguments: &'a ArgumentGraph,
    /// Disputes.
    pub disputes: &'a DisputeGraph,
    /// Cruxes that participants proposed.
    pub cruxes: &'a CruxProposals,
    /// Proposals of a dialectic debate.
    pub proposals: &'a Proposals,
    /// Concessions.
    pub concessions: &'a Concessions,
}

/// Lists the words on which a verdict rests, in the order in which they were recorded. Words that were read before are
/// included. Of arguments and reasons, those that take part in the debate are read. A change of sides is read as the
/// stance that it is. A concession that grants a statement is read for what it grants.
pub fn items(views: AuditViews<'_>) -> Vec<AuditItem> {
    let mut items: Vec<AuditItem> = stances(views.disputes)
        .chain(reasons(views))
        .chain(claims(views))
        .chain(concessions(views))
        .chain(agreements(views))
        .collect();
    items.sort_by_key(|item| (item.event, item.asked));
    items
}

fn stances(disputes: &DisputeGraph) -> impl Iterator<Item = AuditItem> {
    disputes.not_retired().flat_map(|(id, dispute)| {
        let stances = dispute.history.iter().chain(&dispute.contested);
        stances.filter_map(move |(persona, stance)| {
            Some(AuditItem {
                event: stance.version,
                subject: AuditSubject::Stance { dispute: id },
                asked: AuditQuestion::Side,
                question: dispute.question.clone(),
                about: None,
                persona: persona.clone(),
                turn: stance.turn,
                words: stance.quote.clone()?,
                recorded: Reading::of_side(stance.side),
            })
        })
    })
}

fn reasons(views: AuditViews<'_>) -> impl Iterator<Item = AuditItem> {
    let reasons = views.disputes.not_retired().flat_map(|(_, dispute)| &dispute.reasons);
    reasons.filter(|(_, reason)| reason.withdrawn.is_none()).map(move |(id, reason)| {
        let given = &reason.given;
        AuditItem {
            event: reason.version,
            subject: AuditSubject::Reason { reason: *id },
            asked: AuditQuestion::Claim,
            question: says(&given.claim),
            about: Some(given.claim.clone()),
            persona: given.speaker.clone(),
            turn: given.turn,
            words: source(views.transcript, given.turn, &given.claim),
            recorded: Reading::Yes,
        }
    })
}

/// Lists theses of speakers who stand on a side of the topic, and the other claims that a clerk distilled. A thesis that
/// is not a sentence of its turn is read as a claim first: its own words prove nothing about what was said.
fn claims(views: AuditViews<'_>) -> impl Iterator<Item = AuditItem> {
    let graph = views.arguments;
    let question = views.disputes.topic().map(|(_, topic)| topic.question.clone());
    let takes_part = |argument: &Argument| argument.withdrawn.is_none();
    graph.arguments.iter().filter(move |(_, argument)| takes_part(argument)).filter_map(move |(id, argument)| {
        let advanced = &argument.advanced;
        let revised = argument.revisions.iter().rev().find(|revision| revision.before.is_some());
        let turn = revised.map_or(advanced.turn, |revision| revision.revised.turn);
        let words = source(views.transcript, turn, &advanced.claim);
        let is_said = !advanced.distilled || words == advanced.claim;
        let side = graph.topic_sides.get(&advanced.speaker).filter(|_| advanced.answers_topic && is_said);
        let (subject, asked, question, words, recorded) = match (side, &question) {
            (Some(side @ (Side::Yes | Side::No)), Some(question)) => {
                let subject = AuditSubject::Thesis { argument: *id };
                let words = advanced.claim.clone();
                (subject, AuditQuestion::Side, question.clone(), words, Reading::of_side(*side))
            }
            _ if advanced.distilled => {
                let subject = AuditSubject::Claim { argument: *id };
                (subject, AuditQuestion::Claim, says(&advanced.claim), words, Reading::Yes)
            }
            _ => return None,
        };
        let (event, persona) = (argument.version, advanced.speaker.clone());
        let about = (asked == AuditQuestion::Claim).then(|| advanced.claim.clone());
        Some(AuditItem { event, subject, asked, question, about, persona, turn, words, recorded })
    })
}

fn concessions(views: AuditViews<'_>) -> impl Iterator<Item = AuditItem> {
    views.concessions.concessions.iter().filter_map(move |concession| {
        let made = &concession.made;
        let (question, about) = gives_ground(views.arguments, made)?;
        Some(AuditItem {
            event: concession.version,
            subject: if made.granted.is_some() { AuditSubject::Grant } else { AuditSubject::Concession },
            asked: made.audit_question(),
            question,
            about,
            persona: made.speaker.clone(),
            turn: made.turn,
            words: made.quote.clone()?,
            recorded: Reading::Yes,
        })
    })
}

/// Returns the question about a concession, and the statement that it quotes; `None` for a change of sides that grants
/// nothing.
fn gives_ground(graph: &ArgumentGraph, made: &ConcessionMade) -> Option<(String, Option<String>)> {
    if let Some(point) = &made.granted {
        let question = format!("Does the speaker grant this: “{}”?", point.statement);
        return Some((question, Some(point.statement.clone())));
    }
    let claim = |id: ArgumentId| graph.arguments.get(&id).map(|argument| argument.advanced.claim.as_str());
    match made.effect {
        ConcessionEffect::Moved { .. } => None,
        ConcessionEffect::Withdrew { argument } => {
            let claim = claim(argument)?;
            Some((format!("Does the speaker give up this claim: “{claim}”?"), Some(claim.to_owned())))
        }
        ConcessionEffect::Revised { argument } => {
            let claim = claim(argument)?;
            Some((format!("Does the speaker narrow or qualify this claim: “{claim}”?"), Some(claim.to_owned())))
        }
        ConcessionEffect::Said => Some(("Does the speaker grant a point to the other side?".to_owned(), None)),
    }
}

fn agreements(views: AuditViews<'_>) -> impl Iterator<Item = AuditItem> {
    let agreement =
        |event: i64, subject, (question, about): (String, &str), persona: &PersonaId, turn, words: &str| AuditItem {
            event,
            subject,
            asked: AuditQuestion::Agreement,
            question,
            about: Some(about.to_owned()),
            persona: persona.clone(),
            turn,
            words: words.to_owned(),
            recorded: Reading::Yes,
        };
    let cruxes = views.cruxes.cruxes.iter().flat_map(move |(id, crux)| {
        let question =
            format!("Does the speaker agree that the disagreement turns on this: “{}”?", crux.proposed.statement);
        crux.in_words.iter().filter_map(move |(event, by, _)| {
            let subject = AuditSubject::Crux { crux: *id };
            let question = (question.clone(), crux.proposed.statement.as_str());
            Some(agreement(*event, subject, question, &by.speaker, by.turn, by.quote.as_deref()?))
        })
    });
    // Acceptances of the last proposal: no other is counted.
    let proposals = views.proposals.proposals.last().into_iter().flat_map(move |proposal| {
        let question = format!("Does the speaker accept this proposal: “{}”?", proposal.text);
        proposal.in_words.iter().map(move |(event, by, _)| {
            let subject = AuditSubject::Proposal { proposal: proposal.proposal };
            let question = (question.clone(), proposal.text.as_str());
            agreement(*event, subject, question, &by.speaker, by.turn, &by.words)
        })
    });
    cruxes.chain(proposals)
}

fn says(claim: &str) -> String {
    format!("Does the speaker say this, in their own name: “{claim}”?")
}

/// Returns the claim itself if the turn contains it word for word, otherwise the beginning of the turn.
fn source(transcript: &Transcript, turn: TurnId, claim: &str) -> String {
    match transcript.turn(turn).map(|turn| turn.text.as_str()) {
        Some(text) if !text.contains(claim) => text.chars().take(MAX_WORDS_CHARS).collect(),
        _ => claim.to_owned(),
    }
}
