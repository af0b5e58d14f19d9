//! Entity tags of GraphQL queries: a hash of query, variables and debate versions.
//!
//! A debate at a given version never changes, so an answer that depends only on the events of its debates is identified
//! by their versions. The strong tag is a hash of the query, its variables and the version of each debate. A request
//! that sends it in `if-none-match` is answered with 304 after one index lookup per debate, and nothing is executed.
//! The tag of a finished debate, or of a query with `at:` an existing version, never changes.
//!
//! Other data in an answer (passages, voices, other debates) can change without an event, so a query that selects them
//! has no tag. `EVENT_SOURCED_TYPES` lists the object types that depend on events alone; a type that is not listed is assumed to
//! depend on more.

use async_graphql::parser::types::{BaseType, Field, OperationType, Selection, SelectionSet};
use async_graphql::{Name, Request, Value};
use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use sha2::{Digest, Sha256};

use crate::api::execution::admission::AdmissionExecutor;
use crate::api::execution::response_order::{FieldTypes, Operation};
use crate::api::ids::split_version;
use crate::api::types::event_content::registration::INTERFACE;
use crate::api::types::event_content::shape::SHAPES;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::log::log::Log;

/// Maximum number of debates in a query that gets a tag.
const MAX_DEBATES: usize = 10;
/// Maximum nesting of selections and fragments in a query that gets a tag.
const MAX_NESTING: usize = 64;

/// Object types below a debate that are computed from its own events alone. Remove a type from this list when one of
/// its fields starts to read anything else.
const EVENT_SOURCED_TYPES: &[&str] = &[
    "Acknowledgement",
    "Argument",
    "ArgumentRevision",
    "Attack",
    "ByteRange",
    "Camp",
    "Citation",
    "CommonGround",
    "Concession",
    "Consequence",
    "Contract",
    "Coverage",
    "Criticism",
    "Crux",
    "CruxPosition",
    "CruxProposal",
    "DebateGrounding",
    "DebateState",
    "DefeatedAttacker",
    "Dispute",
    "DisputeReason",
    "DisputeWording",
    "Event",
    "EventConnection",
    "EventEdge",
    "Evidence",
    "Explanation",
    "ExplanationStep",
    "Extensions",
    "ForbiddenPhraseUse",
    "ForkOrigin",
    "Grounding",
    "Hint",
    "Judgement",
    "Label",
    "LabelChange",
    "LiteralChange",
    "Outcome",
    "PageInfo",
    "Participant",
    "ParticipantVoice",
    "Phase",
    "ProgressSignal",
    "Proposal",
    "ProposalAcceptance",
    "ProposalChange",
    "ProposalIssue",
    "Quote",
    "Refinement",
    "Regime",
    "Stance",
    "StanceHistoryEntry",
    "StanceShift",
    "SuspectedPassage",
    "Turn",
    "TurnConnection",
    "TurnEdge",
    "UnansweredShare",
    "Usage",
    "UsageShare",
    "WhatIf",
    "Withdrawal",
];

/// Version of an answer, as used in its `etag` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(String);

impl ETag {
    /// Returns the current version of the answer to a query in a media type; `None` if the answer may change without new events in its
    /// debates.
    pub async fn of<E>(
        api: &AdmissionExecutor<E>,
        log: &Log,
        request: &Request,
        operation: &Operation,
        media_type: &str,
    ) -> Option<ETag>
    where
        E: async_graphql::Executor,
    {
        let debates = debates(api.field_types(), operation, request)?;
        let mut hash = Sha256::new();
        let variables = serde_json::to_string(&request.variables).ok()?;
        let name = request.operation_name.as_deref().unwrap_or_default();
        let revision = format!("{REVISION} {}", env!("CARGO_PKG_VERSION"));
        let parts = [media_type, &revision, api.field_types().digest(), name, &variables, &request.query];
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        for (debate, at) in debates {
            // Read before execution: the answer may then be newer than its tag, which costs one extra fetch but is
            // never stale.
            let head = log.head(debate).await.ok().filter(|head| *head > 0)?;
            hash.update(debate.0.as_bytes());
            hash.update(at.unwrap_or(i64::MAX).min(head).to_be_bytes());
        }
        let digest = hash.finalize();
        Some(ETag(digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the value of the `etag` header. The compressed body is a different sequence of bytes and has its own
    /// tag.
    pub fn tag(&self, packed: bool) -> String {
        if packed { format!("\"{}-gzip\"", self.0) } else { format!("\"{}\"", self.0) }
    }

    /// Returns true if `if-none-match` contains this version, compressed or not.
    pub fn is_known(&self, headers: &HeaderMap) -> bool {
        let known = headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(','));
        let mut bare = known.map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'));
        bare.any(|tag| tag.strip_suffix("-gzip").unwrap_or(tag) == self.0)
    }
}

/// Returns the debates that a query selects, each with the requested version; `None` if the query selects anything that
/// does not depend on their events alone.
fn debates(field_types: &FieldTypes, operation: &Operation, request: &Request) -> Option<Vec<(DebateId, Option<i64>)>> {
    let (OperationType::Query, set) = operation.selected()? else { return None };
    let mut selection = DebateSelection { field_types, operation, request, debates: Vec::new() };
    selection.set("Query", set, 0)?;
    (1..=MAX_DEBATES).contains(&selection.debates.len()).then_some(selection.debates)
}

/// Returns the type to which a condition narrows a type; `None` if it is another one.
fn narrowed<'a>(of: &'a str, condition: Option<&'a Name>) -> Option<&'a str> {
    match condition.map(Name::as_str) {
        None => Some(of),
        Some(name) if name == of => Some(of),
        Some(name) if of == INTERFACE && SHAPES.objects.contains_key(name) => Some(name),
        Some(_) => None,
    }
}

struct DebateSelection<'a> {
    field_types: &'a FieldTypes,
    operation: &'a Operation,
    request: &'a Request,
    debates: Vec<(DebateId, Option<i64>)>,
}

impl DebateSelection<'_> {
    fn set(&mut self, of: &str, set: &SelectionSet, depth: usize) -> Option<()> {
        if depth > MAX_NESTING {
            return None;
        }
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => self.field(of, &field.node, depth)?,
                Selection::InlineFragment(it) => {
                    let condition = it.node.type_condition.as_ref().map(|condition| &condition.node.on.node);
                    self.set(narrowed(of, condition)?, &it.node.selection_set.node, depth + 1)?;
                }
                Selection::FragmentSpread(it) => {
                    let fragment = &self.operation.document().fragments.get(&it.node.fragment_name.node)?.node;
                    let condition = &fragment.type_condition.node.on.node;
                    self.set(narrowed(of, Some(condition))?, &fragment.selection_set.node, depth + 1)?;
                }
            }
        }
        Some(())
    }

    fn field(&mut self, of: &str, field: &Field, depth: usize) -> Option<()> {
        let name = field.name.node.as_str();
        if name == "__typename" {
            return Some(());
        }
        if of == "Query" {
            (name == "debate").then_some(())?;
            let Value::String(id) = self.argument(field, "id")? else { return None };
            let (id, version) = split_version(&id);
            let debate = id.parse().ok()?;
            let at = match self.argument(field, "at") {
                Some(Value::Number(it)) => Some(it.as_i64()?),
                Some(Value::Null) | None => version,
                Some(_) => return None,
            };
            self.debates.push((debate, at));
            return self.set("Debate", &field.selection_set.node, depth + 1);
        }
        let mut base = &self.field_types.field(of, name)?.base;
        while let BaseType::List(items) = base {
            base = &items.base;
        }
        let BaseType::Named(below) = base else { return None };
        if field.selection_set.node.items.is_empty() {
            return (!self.field_types.is_object(below)).then_some(());
        }
        let is_content = below == INTERFACE || SHAPES.objects.contains_key(below.as_str());
        (is_content || EVENT_SOURCED_TYPES.contains(&below.as_str())).then_some(())?;
        self.set(below, &field.selection_set.node, depth + 1)
    }

    /// Returns the value of an argument with variables replaced; `None` if it is not given.
    fn argument(&self, field: &Field, name: &str) -> Option<Value> {
        let given = field.get_argument(name)?.node.clone();
        given.into_const_with(|name| self.variable(&name).ok_or(())).ok()
    }

    fn variable(&self, name: &Name) -> Option<Value> {
        if let Some(given) = self.request.variables.get(name) {
            return Some(given.clone());
        }
        let operations = self.operation.document().operations.iter();
        let mut defined = operations.flat_map(|(_, operation)| &operation.node.variable_definitions);
        defined
            .find(|definition| definition.node.name.node == *name)?
            .node
            .default_value
            .as_ref()
            .map(|value| value.node.clone())
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::Variables;
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::*;
    use crate::api::schema::schema::field_types;

    const ID: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";

    /// Checks the requested versions of the selected debates; `None` means that the query has no tag.
    fn check(query: &str, variables: serde_json::Value, expected: Option<&[Option<i64>]>) {
        let query = query.replace("\"ID\"", &format!("\"{ID}\""));
        let request = Request::new(&query).variables(Variables::from_json(variables));
        let operation = Operation::new(parse_query(&query).expect("a query"), None);
        let found = debates(&field_types(), &operation, &request);
        let versions = found.map(|debates| debates.into_iter().map(|(_, at)| at).collect::<Vec<_>>());
        assert_eq!(versions.as_deref(), expected, "{query}");
    }

    #[test]
    fn a_query_that_depends_on_events_alone_has_a_tag() {
        check("{ debate(id: \"ID\") { topic } }", json!({}), Some(&[None]));
        check("{ debate(id: \"ID\", at: 7) { turns { nodes { id text } } __typename } }", json!({}), Some(&[Some(7)]));
        check("query ($at: Int) { debate(id: \"ID\", at: $at) { id } }", json!({ "at": 3 }), Some(&[Some(3)]));
        check(&format!("{{ debate(id: \"{ID}@5\") {{ id }} }}"), json!({}), Some(&[Some(5)]));
        check(&format!("{{ debate(id: \"{ID}@5\", at: 2) {{ id }} }}"), json!({}), Some(&[Some(2)]));
        check("query ($at: Int = 4) { debate(id: \"ID\", at: $at) { id } }", json!({}), Some(&[Some(4)]));
        check("query ($at: Int) { debate(id: \"ID\", at: $at) { id } }", json!({ "at": null }), Some(&[None]));
        let two =
            "{ a: debate(id: \"ID\") { ...F } b: debate(id: \"ID\", at: 2) { ...F } } fragment F on Debate { id }";
        check(two, json!({}), Some(&[None, Some(2)]));
        let deep =
            "{ debate(id: \"ID\") { ... on Debate { cruxes { statement turns { citations { passageId } } } } } }";
        check(deep, json!({}), Some(&[None]));
    }

    #[test]
    fn a_query_that_depends_on_more_than_events_has_no_tag() {
        check("{ engines { name } }", json!({}), None);
        check("{ __typename }", json!({}), None);
        check("{ debate(id: \"ID\") { topic } engines { name } }", json!({}), None);
        check("{ debate(id: \"ID\") { turns { nodes { citations { passage { text } } } } } }", json!({}), None);
        let contents =
            "{ debate(id: \"ID\") { events { nodes { content { eventKind ... on TurnTaken { text } } } } } }";
        check(contents, json!({}), Some(&[None]));
        check("{ debate(id: \"ID\") { cruxes { debate { version } } } }", json!({}), None);
        check(
            "{ debate(id: \"ID\") { participants { voice { attribution { correctTurnCount } } } } }",
            json!({}),
            None,
        );
        check("{ debate(id: \"x\") { id } }", json!({}), None);
        check("query ($id: ID!) { debate(id: $id) { id } }", json!({}), None);
        check("{ ...A } fragment A on Query { ...A }", json!({}), None);
        check("mutation { pauseDebate(input: { debateId: \"ID\" }) { debate { id } } }", json!({}), None);
    }
}
