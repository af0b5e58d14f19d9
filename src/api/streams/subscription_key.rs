//! Key by which identical subscriptions are recognized, however they are written; they are then executed once.
//!
//! Subscriptions are shared if they have the same document, operation name and role, and the same variables except for
//! the cursor: their responses are identical. A cursor that is used twice, or is a literal in the document, counts as
//! part of the variables. Less is then shared, but nothing is wrong.

use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition, OperationType, Selection};
use async_graphql::{Name, Request, Value, Variables};

use crate::api::role::Role;
use crate::api::streams::position::{Position, PositionKind};

/// Sharing mode of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every item is sent, from any position.
    Every,
    /// Only the latest item is sent; it replaces earlier ones.
    Newest,
    /// Every item from now on is sent.
    Live,
}

/// Everything that the responses to a subscription depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubscriptionKey {
    /// Text of the document.
    pub query: String,
    /// Name of the operation in the document.
    pub operation: Option<String>,
    /// Variables without the cursor, as JSON.
    variables: String,
    role: Role,
}

/// Subscription that can be shared.
#[derive(Clone, Debug)]
pub struct SharedSubscription {
    /// Everything that its responses depend on.
    pub key: SubscriptionKey,
    /// Subscribed field.
    pub field: &'static str,
    /// Sharing mode.
    pub sharing: Sharing,
    /// Position to start after.
    pub after: Position,
}

impl SharedSubscription {
    /// Analyses a request; `None` if it is not a subscription that can be shared, which is left to the executor. `last`
    /// is the position that a reconnecting client has received; it overrides the arguments.
    ///
    /// # Errors
    /// A message if `last` is not a position of this stream.
    pub fn read(request: &mut Request, role: Role, last: Option<&str>) -> Result<Option<SharedSubscription>, String> {
        let Ok(document) = request.parsed_query() else { return Ok(None) };
        let document = document.clone();
        let Some(field) = root(&document, request.operation_name.as_deref()) else { return Ok(None) };
        let (field, sharing, cursor) = match field.0.name.node.as_str() {
            "debateEvents" => {
                ("debateEvents", Sharing::Every, Some((PositionKind::Version, cursor(field, &request.variables))))
            }
            "log" => ("log", Sharing::Every, Some((PositionKind::Log, cursor(field, &request.variables)))),
            "debateView" => ("debateView", Sharing::Newest, None),
            "projectionProgress" => ("projectionProgress", Sharing::Newest, None),
            "cruxFound" => ("cruxFound", Sharing::Live, None),
            _ => return Ok(None),
        };
        let mut variables = request.variables.clone();
        let after = match cursor {
            None => Position::Nowhere,
            Some((kind, (value, name))) => {
                let own = last.map_or_else(|| kind.read_argument(&value), |last| kind.parse(last).ok());
                let Some(after) = own else {
                    return last.map_or(Ok(None), |_| Err(format!("Last-Event-ID is not a position of {field}")));
                };
                if let Some(name) = name.filter(|name| uses(&request.query, name) == 2) {
                    variables.remove(&name);
                }
                after
            }
        };
        let variables = serde_json::to_string(&variables).unwrap_or_default();
        let key = SubscriptionKey {
            query: request.query.clone(),
            operation: request.operation_name.clone(),
            variables,
            role,
        };
        Ok(Some(SharedSubscription { key, field, sharing, after }))
    }
}

/// Returns the single root field of the selected operation; `None` if it is in a fragment, has directives, or is not
/// the only one.
fn root<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<(&'a Field, &'a OperationDefinition)> {
    let mut operations = document
        .operations
        .iter()
        .filter(|(own, _)| name.is_none() || own.map(Name::as_str) == name)
        .map(|(_, operation)| operation);
    let (operation, None) = (&operations.next()?.node, operations.next()) else { return None };
    if operation.ty != OperationType::Subscription {
        return None;
    }
    let [selection] = &operation.selection_set.node.items[..] else { return None };
    match &selection.node {
        Selection::Field(field) if field.node.directives.is_empty() => Some((&field.node, operation)),
        _ => None,
    }
}

/// Returns the value of the field's `after` argument, and the variable that contains it.
fn cursor((field, operation): (&Field, &OperationDefinition), variables: &Variables) -> (Value, Option<Name>) {
    let Some(argument) = field.get_argument("after") else { return (Value::Null, None) };
    let mut by = None;
    let value = argument.node.clone().into_const_with(|name| {
        let definitions = operation.variable_definitions.iter();
        let default = definitions
            .filter(|definition| definition.node.name.node == name)
            .find_map(|definition| definition.node.default_value());
        let value = variables.get(&name).or(default).cloned().unwrap_or_default();
        by = Some(name);
        Ok::<_, std::convert::Infallible>(value)
    });
    let Ok(value) = value;
    (value, by)
}

/// Returns the number of times a document names a variable, including its declaration.
fn uses(query: &str, name: &Name) -> usize {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    query.split('$').skip(1).filter(|part| part.split(|letter| !is_word(letter)).next() == Some(name.as_str())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        query: &str,
        variables: serde_json::Value,
        last: Option<&str>,
    ) -> Result<Option<SharedSubscription>, String> {
        SharedSubscription::read(
            &mut Request::new(query).variables(Variables::from_json(variables)),
            Role::Reader,
            last,
        )
    }

    fn shared(query: &str, variables: serde_json::Value) -> SharedSubscription {
        read(query, variables, None).expect("a position").expect("a shared subscription")
    }

    const BY_VARIABLE: &str =
        "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { version } }";

    #[test]
    fn identical_subscriptions_are_shared_whatever_their_cursor() {
        let one = shared(BY_VARIABLE, serde_json::json!({ "id": "a", "after": 7 }));
        let two = shared(BY_VARIABLE, serde_json::json!({ "id": "a" }));
        assert_eq!((&one.key, one.after, two.after), (&two.key, Position::Version(7), Position::Version(0)));
        let other = shared(BY_VARIABLE, serde_json::json!({ "id": "b", "after": 7 }));
        assert_ne!(one.key, other.key);
        let by_default = BY_VARIABLE.replace("Int)", "Int = 3)");
        assert_eq!(shared(&by_default, serde_json::json!({ "id": "a" })).after, Position::Version(3));
        let admin = SharedSubscription::read(&mut Request::new("subscription { log { id } }"), Role::Admin, None);
        let reader = shared("subscription { log { id } }", serde_json::json!({}));
        assert_ne!(admin.expect("a position").expect("shared").key, reader.key, "roles do not share");
    }

    #[test]
    fn a_variable_used_beyond_the_cursor_stays_in_the_key() {
        let query = "subscription ($a: Int) { debateEvents(debateId: \"x\", after: $a) { id @f(n: $a) } }";
        let keys = [1, 2].map(|number| shared(query, serde_json::json!({ "a": number })).key);
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn subscriptions_that_cannot_be_shared_are_left_to_the_executor() {
        for query in [
            "{ engines { name } }",
            "subscription { debateEvents(debateId: \"x\", after: \"y\") { id } }",
            "subscription { log(after: \"y\") { id } }",
            "subscription { log @skip(if: false) { id } }",
            "subscription { ...F } fragment F on Subscription { log { id } }",
            "subscription { other { id } }",
            "subscription A { log { id } } subscription B { log { id } }",
            "subscription { log {",
        ] {
            assert!(read(query, serde_json::json!({}), None).is_ok_and(|shared| shared.is_none()), "{query}");
        }
    }

    #[test]
    fn the_last_received_position_overrides_the_arguments() {
        let arguments = serde_json::json!({ "id": "a", "after": 7 });
        let at = |last: &str| {
            read(BY_VARIABLE, arguments.clone(), Some(last)).map(|shared| shared.map(|shared| shared.after))
        };
        assert_eq!(at("9"), Ok(Some(Position::Version(9))));
        assert_eq!(at("x"), Err("Last-Event-ID is not a position of debateEvents".to_owned()));
    }
}
