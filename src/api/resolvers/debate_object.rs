//! Objects of a debate by their ids.

use std::sync::Arc;

use async_graphql::{Context, Result};

use crate::api::error::from_service;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::dispute::dispute::Dispute;
use crate::api::types::event::Event;
use crate::api::types::node::Node;
use crate::api::types::speech::argument::Turn;
use faultline_core::events::ids::ReasonId;
use faultline_service::service::DebateService;

impl Debate {
    /// Returns an object of the debate; `None` if the debate has no such object at its version.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if the debate cannot be folded.
    pub(crate) async fn find(&self, context: &Context<'_>, object: &DebateObject) -> Result<Option<Node>> {
        let id = self.object_id(object.clone());
        let (read_model, source) = (self.read_model(context).await?, ParticipantSource::from(&Arc::new(self.clone())));
        /// Returns the object with the id as a node.
        macro_rules! pick {
            ($all:expr, $node:ident) => {
                $all.into_iter().find(|found| found.id == id).map(Arc::new).map(Node::$node)
            };
        }
        Ok(match object {
            DebateObject::Turn(turn) => {
                read_model.transcript.turn(*turn).map(|turn| Node::Turn(Arc::new(Turn::new(turn, &source))))
            }
            DebateObject::Dispute(dispute) => {
                Dispute::of(read_model, *dispute, &source).map(Arc::new).map(Node::Dispute)
            }
            DebateObject::Reason(reason) => self.find_reason(context, *reason).await?,
            DebateObject::Argument(_) => pick!(self.arguments(context).await?, Argument),
            DebateObject::Attack(_) => pick!(self.attacks(context).await?, Attack),
            DebateObject::Proposal(_) => pick!(self.proposals(context).await?, Proposal),
            DebateObject::Issue(_) => {
                let proposals = self.proposals(context).await?.into_iter();
                let issues = proposals.filter_map(|proposal| proposal.criticism).flat_map(|found| found.issues);
                pick!(issues, ProposalIssue)
            }
            DebateObject::CruxProposal(_) => pick!(self.crux_proposals(context).await?, CruxProposal),
            DebateObject::Room(_) => pick!(self.rooms(context, None).await?, Room),
            DebateObject::RoomCandidate(_) => pick!(self.room_candidates(context).await?, RoomCandidate),
            DebateObject::FactCheck(_) => pick!(self.fact_checks(context).await?, FactCheck),
            DebateObject::GrantedStatement(_) => pick!(self.granted_statements(context).await?, GrantedStatement),
            DebateObject::Participant(_) => pick!(self.participants(context).await?, Participant),
            DebateObject::Event(version) => self.find_event(context, *version).await?,
        })
    }

    async fn find_reason(&self, context: &Context<'_>, reason: ReasonId) -> Result<Option<Node>> {
        let read_model = self.read_model(context).await?;
        let on = read_model.disputes.disputes.iter().find(|(_, dispute)| dispute.reasons.contains_key(&reason));
        let source = ParticipantSource::from(&Arc::new(self.clone()));
        let Some(dispute) = on.and_then(|(id, _)| Dispute::of(read_model, *id, &source)) else { return Ok(None) };
        let id = self.object_id(DebateObject::Reason(reason));
        let reason = dispute.reasons(context).await?.into_iter().find(|reason| reason.id == id);
        Ok(reason.map(Arc::new).map(Node::DisputeReason))
    }

    async fn find_event(&self, context: &Context<'_>, version: i64) -> Result<Option<Node>> {
        if !(1..=self.version).contains(&version) {
            return Ok(None);
        }
        let events = context.data::<DebateService>()?.events(self.debate, version - 1, 1).await;
        let found = events.map_err(from_service)?;
        Ok(found.first().map(|event| Node::Event(Arc::new(Event::from(event)))))
    }
}
