//! The clerk that distils a talk into disputes, stances and reasons. Every stance belongs to a dispute, and every reason
//! to a stance.
//!
//! From time to time the clerk reads turns and reports changes: new disputes (two at most by default), each a yes-or-no
//! question with observable criteria; stances, each from a turn of the participant who takes it; reasons for and against
//! a stance. Missing stances are requested, not guessed. A dispute is contested if it has both a yes and a no. One that
//! nobody contradicted in three distillations, although everybody took a side or was asked for one, is retired.
//! Agreement is derived from stances alone; Dung's semantics is applied within a dispute, to rank its reasons.

use serde::{Deserialize, Serialize};

use crate::engines::talk::dispute_clerk::decode;
use crate::engines::talk::dispute_clerk::decode::Bounds;
use crate::engines::talk::dispute_clerk::schema::DisputeDistillation;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::phases::StructureSummary;
use crate::engines::talk::prompts as telling;
use crate::engines::talk::question_matching::QuestionMatcher;
use crate::engines::talk::replies::distillation::unexamined;
use crate::engines::talk::state::{Talk, Window};
use crate::engines::talk::talk::Distiller;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, PointId, ReasonId};
use crate::kernel::engine::{EngineReply, OptionDoc};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::task::{ClaimInput, PairInput, ReasonInput, TaskKind};

/// Prompt templates of the clerk.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("dispute_clerk.md"));

/// Documentation of the clerk's options.
pub const OPTIONS: [OptionDoc; 2] = [
    OptionDoc::integer("new_disputes", (1, 12), "new disputes per distillation, 1 to 12", "2"),
    OptionDoc::number(
        "alike",
        (0.0, 1.0),
        "share of common content words from which two questions count as the same, 0 to 1",
        "1.0",
    ),
];

/// Options of the clerk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DisputeClerkOptions {
    /// Maximum number of new disputes in one distillation.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
}

impl Default for DisputeClerkOptions {
    fn default() -> Self {
        DisputeClerkOptions { new_disputes: 2, alike: 1.0 }
    }
}

/// Clerk. Stateless apart from its options: the disputes are part of the talk.
pub struct DisputeClerk {
    /// Options.
    pub options: DisputeClerkOptions,
}

impl Distiller for DisputeClerk {
    fn evolve(&mut self, _recorded: &Recorded) {}

    fn summary(&self, talk: &Talk) -> StructureSummary {
        let (pairs, examined) = (talk.disputes.pairs(), talk.disputes.examined());
        let contested = talk.disputes.not_retired().filter(|(_, dispute)| dispute.is_split());
        let frontier: Vec<PointId> = contested.map(|(id, _)| PointId::Dispute(id)).collect();
        let attacks = talk
            .disputes
            .not_retired()
            .map(|(_, dispute)| talk.disputes.reason_framework(dispute).framework.attacks().count());
        StructureSummary {
            live: talk.disputes.live_reasons().count(),
            attacks: attacks.sum(),
            examined: pairs.iter().filter(|pair| examined.contains(pair)).count(),
            pairs: pairs.len(),
            looked: !examined.is_empty(),
            // A participant who has not been asked may still say no.
            split: !frontier.is_empty() || talk.speakers().any(|speaker| !self.missing(talk, &speaker.id).is_empty()),
            exact: true,
            frontier,
        }
    }

    /// Distills all opening statements together: disputes show when positions are side by side.
    fn openings(&self) -> usize {
        usize::MAX
    }

    /// Returns the disputes on which the speaker has taken no side, the oldest first, including those they were asked
    /// about in vain.
    fn missing(&self, talk: &Talk, speaker: &PersonaId) -> Vec<DisputeId> {
        let open = talk.disputes.not_retired().filter(|(_, dispute)| !dispute.stances.contains_key(speaker));
        open.map(|(id, _)| id).collect()
    }

    fn crystallization(&self, talk: &Talk, window: &Window) -> ModelRequest {
        let turns = telling::window(window);
        let disputes = telling::disputes(&talk.disputes);
        let reasons: Vec<ReasonInput> = talk
            .disputes
            .live_reasons()
            .map(|(id, reason)| ReasonInput {
                alias: id.to_string(),
                dispute: reason.given.dispute.to_string(),
                speaker: reason.given.speaker.clone(),
                side: reason.supported_side(),
                claim: reason.given.claim.clone(),
                assumptions: reason.given.assumptions.clone(),
            })
            .collect();
        let most = self.options.new_disputes;
        let values = [
            ("topic", talk.topic.as_str()),
            ("turns", &telling::clerk_lines(&turns, &talk.names)),
            ("disputes", &telling::dispute_lines(&disputes, &talk.names)),
            ("reasons", &telling::reason_lines(&reasons, &talk.names)),
            ("most", &most.to_string()),
        ];
        let new: Vec<String> = (1..=most).map(|number| format!("n{number}")).collect();
        let asked = disputes.iter().map(|dispute| dispute.alias.clone());
        let reasons_given: Vec<String> = reasons.iter().map(|reason| reason.alias.clone()).collect();
        let names = [
            ("name", new.clone()),
            ("dispute", asked.chain(new).collect()),
            ("sentence", window.sentence_names()),
            ("evidence", window.sentence_names()),
            ("reason", reasons_given.clone()),
            ("attacks", reasons_given.into_iter().chain(window.sentence_names()).collect()),
            ("turns", window.turn_names()),
            ("grants", window.shown_sentence_names()),
        ];
        ModelRequest::distillation::<DisputeDistillation>(
            WORDS,
            &values,
            &names,
            TaskKind::CrystallizeDisputes { turns, disputes, reasons, most },
        )
    }

    fn comparison(&self, talk: &Talk) -> ModelRequest {
        let claim = |id: ReasonId| {
            let given = talk.disputes.reason(id).map(|(_, reason)| &reason.given);
            given.map(|reason| ClaimInput {
                alias: id.to_string(),
                speaker: reason.speaker.clone(),
                text: reason.claim.clone(),
            })
        };
        let told = |(one, other)| Some(PairInput { one: claim(one)?, other: claim(other)? });
        let pairs: Vec<PairInput> =
            unexamined(talk, talk.disputes.pairs(), &talk.disputes.examined()).into_iter().filter_map(told).collect();
        ModelRequest::comparison(WORDS, talk, pairs)
    }

    fn similarity_inputs(&self, talk: &Talk, text: &str) -> Vec<String> {
        let raised = reply::read::<DisputeDistillation>(text).map(|reply| reply.value.disputes).unwrap_or_default();
        if raised.is_empty() {
            return Vec::new();
        }
        let raised = raised.into_iter().map(|dispute| dispute.question.trim().to_owned());
        let asked = talk
            .disputes
            .not_retired()
            .flat_map(|(_, dispute)| dispute.worded())
            .map(|(wording, _)| wording.to_owned());
        raised.chain(asked).collect()
    }

    fn crystallized(&self, talk: &Talk, window: &Window, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let DisputeClerkOptions { new_disputes, alike } = self.options;
        let same = QuestionMatcher { words: alike, likeness: reply.likeness };
        decode::crystallized(
            talk,
            window,
            Bounds { disputes: new_disputes as usize, same },
            reply::read(reply.text)?.value,
        )
    }

    fn compared(&self, talk: &Talk, text: &str) -> Result<Vec<Event>, Unreadable> {
        decode::compared(&unexamined(talk, talk.disputes.pairs(), &talk.disputes.examined()), reply::read(text)?.value)
    }
}
