//! Objects with globally unique ids, which can be queried by id alone.

use std::sync::Arc;

use async_graphql::{ID, Interface};
use uuid::Uuid;

use crate::api::ids::split_version;
use crate::api::types::channel::RoomCandidate;
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::dispute::dispute::{Dispute, DisputeReason};
use crate::api::types::event::Event;
use crate::api::types::persona::document::{DOCUMENT_ID, Document, Passage, parse_document_name};
use crate::api::types::persona::edition::PersonaVersion;
use crate::api::types::persona::participant::Participant;
use crate::api::types::persona::persona::{Engine, ModelProvider, Persona};
use crate::api::types::persona::shared_corpus::SharedCorpus;
use crate::api::types::projection::{DeadLetter, Generation, Projection};
use crate::api::types::room::Room;
use crate::api::types::speech::argument::{Argument, Attack, Turn};
use crate::api::types::speech::fact_check::FactCheck;
use crate::api::types::speech::granted::GrantedStatement;
use crate::api::types::speech::proposal::{Proposal, ProposalIssue};
use crate::api::types::speech::talk::CruxProposal;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::verdicts::crux_id::GlobalCruxId;
use faultline_store::library::documents::DocumentName;

/// Maximum number of ids per request.
pub const MAX_NODES: usize = 100;

/// An object with a globally unique id.
#[derive(Interface, Clone)]
#[graphql(field(name = "id", ty = "&ID", desc = "Globally unique id."))]
pub enum Node {
    /// A debate.
    Debate(Arc<Debate>),
    /// A crux.
    Crux(Arc<Crux>),
    /// A turn.
    Turn(Arc<Turn>),
    /// An argument.
    Argument(Arc<Argument>),
    /// An attack.
    Attack(Arc<Attack>),
    /// A dispute.
    Dispute(Arc<Dispute>),
    /// A reason on a dispute.
    DisputeReason(Arc<DisputeReason>),
    /// A proposal.
    Proposal(Arc<Proposal>),
    /// An issue with a proposal.
    ProposalIssue(Arc<ProposalIssue>),
    /// A crux that a participant proposed.
    CruxProposal(Arc<CruxProposal>),
    /// A room.
    Room(Arc<Room>),
    /// A candidate for a room.
    RoomCandidate(Arc<RoomCandidate>),
    /// A fact check.
    FactCheck(Arc<FactCheck>),
    /// A granted statement.
    GrantedStatement(Arc<GrantedStatement>),
    /// A participant.
    Participant(Arc<Participant>),
    /// An event.
    Event(Arc<Event>),
    /// A persona.
    Persona(Arc<Persona>),
    /// A version of a persona.
    PersonaVersion(Arc<PersonaVersion>),
    /// A shared corpus.
    SharedCorpus(Arc<SharedCorpus>),
    /// A stored passage.
    Passage(Arc<Passage>),
    /// A document.
    Document(Arc<Document>),
    /// An engine.
    Engine(Arc<Engine>),
    /// A model provider.
    Provider(Arc<ModelProvider>),
    /// A projection.
    Projection(Arc<Projection>),
    /// A generation of a projection.
    Generation(Arc<Generation>),
    /// An event that a projection could not process.
    DeadLetter(Arc<DeadLetter>),
}

/// A parsed id; its form determines the type of the object.
#[derive(Clone, Debug, PartialEq)]
pub enum ParsedId {
    /// Id of a debate, a UUID, and the version in it.
    Debate(DebateId, Option<i64>),
    /// Id of a crux: a UUID, a colon, and its key; and the version in it.
    Crux(GlobalCruxId, Option<i64>),
    /// Id of an object inside a debate: a UUID, a colon, its type and its short id; and the version in it.
    Inside(DebateId, Option<i64>, DebateObject),
    /// Id of a persona or a shared corpus, which may not exist, and the version behind an `@`.
    Persona(PersonaId, Option<String>),
    /// Id of a version of a persona.
    PersonaVersion(PersonaId),
    /// Id of a document: its owner and its name.
    Document(DocumentName),
    /// Name of an engine.
    Engine(String),
    /// Name of a model provider.
    Provider(String),
    /// Id of a projection, or of an object in it.
    Projection,
}

impl ParsedId {
    /// Parses an id; `None` if it has none of these forms.
    pub fn read(id: &str) -> Option<ParsedId> {
        ParsedId::of_debate(id).or_else(|| ParsedId::of_service(id)).or_else(|| {
            let (name, version) = id.split_once('@').map_or((id, None), |(name, version)| (name, Some(version)));
            Some(ParsedId::Persona(name.parse().ok()?, version.map(str::to_owned)))
        })
    }

    /// Parses the id of a debate or of an object inside one.
    fn of_debate(id: &str) -> Option<ParsedId> {
        let (id, at) = split_version(id);
        let Some((debate, rest)) = id.split_once(':') else {
            return Some(ParsedId::Debate(id.parse().ok()?, at));
        };
        let debate: DebateId = debate.parse().ok()?;
        let crux = id.parse().map(|crux| ParsedId::Crux(crux, at));
        crux.or_else(|_| rest.parse().map(|object| ParsedId::Inside(debate, at, object))).ok()
    }

    /// Parses the id of an object that no debate contains.
    fn of_service(id: &str) -> Option<ParsedId> {
        let (kind, name) = id.split_once(':')?;
        Some(match kind {
            DOCUMENT_ID => ParsedId::Document(parse_document_name(name)?),
            "engine" => ParsedId::Engine(name.to_owned()),
            "provider" => ParsedId::Provider(name.to_owned()),
            "projection" => ParsedId::Projection,
            "persona-version" => ParsedId::PersonaVersion(name.split_once('@')?.0.parse().ok()?),
            _ => return None,
        })
    }

    /// Returns the UUID of an id that is nothing else. It identifies a debate, or a stored passage.
    pub fn uuid(&self) -> Option<Uuid> {
        match self {
            ParsedId::Debate(debate, None) => Some(debate.0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_core::events::ids::{ArgumentId, DisputeId};

    #[test]
    fn the_form_of_an_id_determines_the_type() {
        const DEBATE: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        let debate: DebateId = DEBATE.parse().expect("an id");
        let persona = |name: &str| name.parse::<PersonaId>().expect("an id");
        let check = |id: &str, expected: Option<ParsedId>| assert_eq!(ParsedId::read(id), expected, "{id}");
        let inside = |at, object| Some(ParsedId::Inside(debate, at, object));
        check(DEBATE, Some(ParsedId::Debate(debate, None)));
        check(&format!("{DEBATE}@20"), Some(ParsedId::Debate(debate, Some(20))));
        let crux = format!("{DEBATE}:d1").parse().expect("a crux");
        check(&format!("{DEBATE}:d1"), Some(ParsedId::Crux(crux, None)));
        check(&format!("{DEBATE}@20:d1"), Some(ParsedId::Crux(crux, Some(20))));
        check(&format!("{DEBATE}:dispute:d1"), inside(None, DebateObject::Dispute(DisputeId(1))));
        check(&format!("{DEBATE}@7:argument:a3"), inside(Some(7), DebateObject::Argument(ArgumentId(3))));
        check(&format!("{DEBATE}:a3"), inside(None, DebateObject::Argument(ArgumentId(3))));
        check("engine:graph", Some(ParsedId::Engine("graph".to_owned())));
        check("edda-tolvane", Some(ParsedId::Persona(persona("edda-tolvane"), None)));
        check("edda-tolvane@1-x-y", Some(ParsedId::Persona(persona("edda-tolvane"), Some("1-x-y".to_owned()))));
        check("persona-version:edda-tolvane@1-x-y", Some(ParsedId::PersonaVersion(persona("edda-tolvane"))));
        let document = DocumentName { owner: persona("edda-tolvane"), name: "a/b".to_owned() };
        check("document:edda-tolvane/a/b", Some(ParsedId::Document(document)));
        for unknown in ["", ":", "x:y", "Edda", &format!("{DEBATE}:verse:a3"), &format!("{DEBATE}:")] {
            check(unknown, None);
        }
    }
}
