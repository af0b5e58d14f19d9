//! What makes an answer stay as it is: the versions of the debates that it tells of.
//!
//! A debate as of a version never changes, so an answer that says nothing but what follows from debates' own events is
//! named by them: the strong tag is a hash of the query, its variables, and the version of each debate. Whoever sends it
//! back in `if-none-match` is answered with 304 after one look at an index, and nothing is executed. A debate that has
//! ended, or one `at:` a version that is there, has the same tag for ever.
//!
//! What else an answer may tell of (passages, voices, other debates) can change without an event: a query that asks for
//! it has no tag. `OF_EVENTS` says which objects are of events alone; one that does not stand there is taken for one
//! that is not.

use async_graphql::parser::types::{BaseType, Field, OperationType, Selection, SelectionSet};
use async_graphql::{Name, Request, Value};
use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use sha2::{Digest, Sha256};

use crate::api::answer::Reply;
use crate::api::guard::Guarded;
use crate::api::shape::{Operation, Shapes};
use crate::events::ids::DebateId;
use crate::store::log::Log;
use crate::verdicts::board::REVISION;

/// The most debates of one answer that are looked up for a tag.
const MAX_DEBATES: usize = 10;
/// How deep fragments may be spread in what gets a tag.
const MAX_NESTING: usize = 64;

/// The objects below a debate that are folded from its own events, whatever else happens. Whoever gives one of them a field
/// that looks elsewhere takes it off the list.
const OF_EVENTS: &[&str] = &[
    "Acknowledgement",
    "Argument",
    "Attack",
    "ByteRange",
    "Camp",
    "Change",
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
    "Dispute",
    "DisputeLink",
    "DisputeReason",
    "Event",
    "EventConnection",
    "EventEdge",
    "Evidence",
    "Extensions",
    "Grounding",
    "Hint",
    "Issue",
    "Judgement",
    "Label",
    "LabelChange",
    "LastWord",
    "Origin",
    "Outcome",
    "PageInfo",
    "Participant",
    "ParticipantVoice",
    "Phase",
    "Proposal",
    "Quote",
    "Regime",
    "Revision",
    "Shift",
    "Signal",
    "Slip",
    "Stance",
    "StanceTaken",
    "SuspectedPassage",
    "Turn",
    "TurnConnection",
    "TurnEdge",
    "Usage",
    "UsageOf",
    "WhatIf",
    "Why",
    "WhyAnswer",
    "WhyStep",
    "Withdrawal",
];

/// The version of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// The version that the answer to a query has now; `None` where it may change without a debate's going on.
    pub async fn of<E>(
        api: &Guarded<E>,
        log: &Log,
        request: &Request,
        operation: &Operation,
        reply: Reply,
    ) -> Option<Version>
    where
        E: async_graphql::Executor,
    {
        let debates = debates(api.shapes(), operation, request)?;
        let mut hash = Sha256::new();
        let variables = serde_json::to_string(&request.variables).ok()?;
        let name = request.operation_name.as_deref().unwrap_or_default();
        let revision = format!("{REVISION} {}", env!("CARGO_PKG_VERSION"));
        let parts = [reply.media().name(), &revision, api.shapes().digest(), name, &variables, &request.query];
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        for (debate, at) in debates {
            // Read before anything is executed: the answer may be newer than its tag, and then is fetched once more.
            let head = log.head(debate).await.ok().filter(|it| *it > 0)?;
            hash.update(debate.0.as_bytes());
            hash.update(at.unwrap_or(i64::MAX).min(head).to_be_bytes());
        }
        let digest = hash.finalize();
        Some(Version(digest[..16].iter().map(|it| format!("{it:02x}")).collect()))
    }

    /// As it stands in `etag`. What is packed is another row of bytes, and has another tag.
    pub fn tag(&self, packed: bool) -> String {
        if packed { format!("\"{}-gzip\"", self.0) } else { format!("\"{}\"", self.0) }
    }

    /// Whether whoever sends these headers has the answer already, packed or not.
    pub fn is_known(&self, headers: &HeaderMap) -> bool {
        let known =
            headers.get_all(IF_NONE_MATCH).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
        let mut bare = known.map(|it| it.trim().trim_start_matches("W/").trim_matches('"'));
        bare.any(|it| it.strip_suffix("-gzip").unwrap_or(it) == self.0)
    }
}

/// The debates that a query asks for, each with the version as of which; `None` where it asks for anything that does not
/// follow from their events alone.
fn debates(shapes: &Shapes, operation: &Operation, request: &Request) -> Option<Vec<(DebateId, Option<i64>)>> {
    let (OperationType::Query, set) = operation.meant()? else { return None };
    let mut asked = Asked { shapes, operation, request, debates: Vec::new() };
    asked.set("Query", set, 0)?;
    (1..=MAX_DEBATES).contains(&asked.debates.len()).then_some(asked.debates)
}

struct Asked<'a> {
    shapes: &'a Shapes,
    operation: &'a Operation,
    request: &'a Request,
    debates: Vec<(DebateId, Option<i64>)>,
}

impl Asked<'_> {
    fn set(&mut self, of: &str, set: &SelectionSet, depth: usize) -> Option<()> {
        if depth > MAX_NESTING {
            return None;
        }
        let is_same = |condition: Option<&Name>| condition.is_none_or(|it| it.as_str() == of);
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => self.field(of, &field.node, depth)?,
                Selection::InlineFragment(it) => {
                    let condition = it.node.type_condition.as_ref().map(|it| &it.node.on.node);
                    is_same(condition).then_some(())?;
                    self.set(of, &it.node.selection_set.node, depth + 1)?;
                }
                Selection::FragmentSpread(it) => {
                    let fragment = &self.operation.document().fragments.get(&it.node.fragment_name.node)?.node;
                    is_same(Some(&fragment.type_condition.node.on.node)).then_some(())?;
                    self.set(of, &fragment.selection_set.node, depth + 1)?;
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
            let debate = match self.argument(field, "id")? {
                Value::String(it) => it.parse().ok()?,
                _ => return None,
            };
            let at = match self.argument(field, "at") {
                Some(Value::Number(it)) => Some(it.as_i64()?),
                Some(Value::Null) | None => None,
                Some(_) => return None,
            };
            self.debates.push((debate, at));
            return self.set("Debate", &field.selection_set.node, depth + 1);
        }
        let mut base = &self.shapes.field(of, name)?.base;
        while let BaseType::List(items) = base {
            base = &items.base;
        }
        let BaseType::Named(below) = base else { return None };
        if field.selection_set.node.items.is_empty() {
            return (!self.shapes.is_object(below)).then_some(());
        }
        OF_EVENTS.contains(&below.as_str()).then_some(())?;
        self.set(below, &field.selection_set.node, depth + 1)
    }

    /// What is given for an argument, variables replaced; `None` where nothing is.
    fn argument(&self, field: &Field, name: &str) -> Option<Value> {
        let given = field.get_argument(name)?.node.clone();
        given.into_const_with(|name| self.variable(&name).ok_or(())).ok()
    }

    fn variable(&self, name: &Name) -> Option<Value> {
        if let Some(given) = self.request.variables.get(name) {
            return Some(given.clone());
        }
        let operations = self.operation.document().operations.iter();
        let mut defined = operations.flat_map(|(_, it)| &it.node.variable_definitions);
        defined.find(|it| it.node.name.node == *name)?.node.default_value.as_ref().map(|it| it.node.clone())
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::Variables;
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::*;
    use crate::api::schema::sdl;

    const ID: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";

    /// The versions as of which debates are asked for; `None` where the query has no tag.
    fn check(query: &str, variables: serde_json::Value, expected: Option<&[Option<i64>]>) {
        let query = query.replace("\"ID\"", &format!("\"{ID}\""));
        let request = Request::new(&query).variables(Variables::from_json(variables));
        let operation = Operation::new(parse_query(&query).expect("a query"), None);
        let found = debates(&Shapes::new(&sdl()), &operation, &request);
        let versions = found.map(|it| it.into_iter().map(|(_, at)| at).collect::<Vec<_>>());
        assert_eq!(versions.as_deref(), expected, "{query}");
    }

    #[test]
    fn what_follows_from_events_has_a_tag() {
        check("{ debate(id: \"ID\") { topic } }", json!({}), Some(&[None]));
        check("{ debate(id: \"ID\", at: 7) { turns { nodes { id text } } __typename } }", json!({}), Some(&[Some(7)]));
        check("query ($at: Int) { debate(id: \"ID\", at: $at) { id } }", json!({ "at": 3 }), Some(&[Some(3)]));
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
    fn what_may_change_without_them_has_none() {
        check("{ engines { name } }", json!({}), None);
        check("{ __typename }", json!({}), None);
        check("{ debate(id: \"ID\") { topic } engines { name } }", json!({}), None);
        check("{ debate(id: \"ID\") { turns { citations { passage { text } } } } }", json!({}), None);
        check("{ debate(id: \"ID\") { cruxes { debate { version } } } }", json!({}), None);
        check("{ debate(id: \"ID\") { participants { voice { sound { right } } } } }", json!({}), None);
        check("{ debate(id: \"x\") { id } }", json!({}), None);
        check("query ($id: ID!) { debate(id: $id) { id } }", json!({}), None);
        check("{ ...A } fragment A on Query { ...A }", json!({}), None);
        check("mutation { pauseDebate(id: \"ID\") { id } }", json!({}), None);
    }
}
