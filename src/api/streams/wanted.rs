//! What two subscriptions have in common, however they were written down: then one is executed for both.
//!
//! Shared are those of one document, one operation name, the same variables but for the cursor, and one role: their
//! responses are the same letter by letter. The cursor counts as part of the variables where it is used twice, or stands in
//! the document itself: then less is shared, and nothing is wrong.

use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition, OperationType, Selection};
use async_graphql::{Name, Request, Value, Variables};

use crate::api::role::Role;
use crate::api::streams::place::Place;
use crate::store::lanes::Cursor;

/// How a stream is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every item, from any place.
    Every,
    /// The newest, from whenever one comes: what it replaces need not be told.
    Newest,
    /// Every item from whenever one comes.
    Live,
}

/// What the responses to a subscription depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The document, letter by letter.
    pub query: String,
    /// Which of its operations.
    pub operation: Option<String>,
    /// The variables without the cursor, as JSON.
    variables: String,
    role: Role,
}

/// A subscription that can be shared.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What its responses depend on.
    pub key: Key,
    /// The field that is subscribed to.
    pub field: &'static str,
    /// How it is shared.
    pub sharing: Sharing,
    /// The place behind which it begins.
    pub from: Place,
}

impl Wanted {
    /// Reads a request; `None` where it is no subscription that can be shared, which the executor then sees to. `last` is
    /// the place that the client had come to before it was cut off: it counts more than the arguments.
    ///
    /// # Errors
    /// Where that is no place of this stream; in words.
    pub fn read(request: &mut Request, role: Role, last: Option<&str>) -> Result<Option<Wanted>, String> {
        let Ok(document) = request.parsed_query() else { return Ok(None) };
        let document = document.clone();
        let Some(field) = root(&document, request.operation_name.as_deref()) else { return Ok(None) };
        let (field, sharing, cursor) = match field.0.name.node.as_str() {
            "debateEvents" => ("debateEvents", Sharing::Every, Some(cursor(field, &request.variables))),
            "log" => ("log", Sharing::Every, Some(cursor(field, &request.variables))),
            "debateView" => ("debateView", Sharing::Newest, None),
            "projectionProgress" => ("projectionProgress", Sharing::Newest, None),
            "cruxFound" => ("cruxFound", Sharing::Live, None),
            _ => return Ok(None),
        };
        let mut variables = request.variables.clone();
        let from = match cursor {
            None => Place::Nowhere,
            Some((value, name)) => {
                let own = last.map_or_else(|| place(field, &value), |it| named(field, it));
                let Some(from) = own else {
                    return last.map_or(Ok(None), |_| Err(format!("the last id is no place of {field}")));
                };
                if let Some(name) = name.filter(|it| uses(&request.query, it) == 2) {
                    variables.remove(&name);
                }
                from
            }
        };
        let variables = serde_json::to_string(&variables).unwrap_or_default();
        let key = Key { query: request.query.clone(), operation: request.operation_name.clone(), variables, role };
        Ok(Some(Wanted { key, field, sharing, from }))
    }
}

/// The one field at the root of the operation that is meant; none where it is not written there plainly.
fn root<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<(&'a Field, &'a OperationDefinition)> {
    let mut meant =
        document.operations.iter().filter(|(own, _)| name.is_none() || own.map(Name::as_str) == name).map(|(_, it)| it);
    let (operation, None) = (&meant.next()?.node, meant.next()) else { return None };
    if operation.ty != OperationType::Subscription {
        return None;
    }
    let [selection] = &operation.selection_set.node.items[..] else { return None };
    match &selection.node {
        Selection::Field(field) if field.node.directives.is_empty() => Some((&field.node, operation)),
        _ => None,
    }
}

/// What a field's `after` says, and by which variable.
fn cursor((field, operation): (&Field, &OperationDefinition), variables: &Variables) -> (Value, Option<Name>) {
    let Some(argument) = field.get_argument("after") else { return (Value::Null, None) };
    let mut by = None;
    let value = argument.node.clone().into_const_with(|name| {
        let definitions = operation.variable_definitions.iter();
        let default = definitions.filter(|it| it.node.name.node == name).find_map(|it| it.node.default_value());
        let value = variables.get(&name).or(default).cloned().unwrap_or_default();
        by = Some(name);
        Ok::<_, std::convert::Infallible>(value)
    });
    let Ok(value) = value;
    (value, by)
}

/// How often a document names a variable; once where it declares it.
fn uses(query: &str, name: &Name) -> usize {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    query.split('$').skip(1).filter(|it| it.split(|it| !is_word(it)).next() == Some(name.as_str())).count()
}

/// A place as an argument says it; the beginning where it says nothing.
fn place(field: &str, value: &Value) -> Option<Place> {
    match (field, value) {
        ("log", Value::Null) => Some(Place::Log(Cursor::default())),
        ("log", Value::String(text)) => text.parse().ok().map(Place::Log),
        ("debateEvents", Value::Null) => Some(Place::Version(0)),
        ("debateEvents", Value::Number(number)) => number.as_i64().map(Place::Version),
        _ => None,
    }
}

/// A place as a transport says it.
fn named(field: &str, text: &str) -> Option<Place> {
    match field {
        "log" => text.parse().ok().map(Place::Log),
        _ => text.parse().ok().map(Place::Version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str, variables: serde_json::Value, last: Option<&str>) -> Result<Option<Wanted>, String> {
        Wanted::read(&mut Request::new(query).variables(Variables::from_json(variables)), Role::Reader, last)
    }

    fn wanted(query: &str, variables: serde_json::Value) -> Wanted {
        read(query, variables, None).expect("a place").expect("it can be shared")
    }

    const BY_VARIABLE: &str =
        "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { version } }";

    #[test]
    fn whoever_asks_the_same_shares_whatever_his_cursor() {
        let one = wanted(BY_VARIABLE, serde_json::json!({ "id": "a", "after": 7 }));
        let two = wanted(BY_VARIABLE, serde_json::json!({ "id": "a" }));
        assert_eq!((&one.key, one.from, two.from), (&two.key, Place::Version(7), Place::Version(0)));
        let other = wanted(BY_VARIABLE, serde_json::json!({ "id": "b", "after": 7 }));
        assert_ne!(one.key, other.key);
        let by_default = BY_VARIABLE.replace("Int)", "Int = 3)");
        assert_eq!(wanted(&by_default, serde_json::json!({ "id": "a" })).from, Place::Version(3));
        let admin = Wanted::read(&mut Request::new("subscription { log { id } }"), Role::Admin, None);
        let reader = wanted("subscription { log { id } }", serde_json::json!({}));
        assert_ne!(admin.expect("a place").expect("shared").key, reader.key, "roles do not share");
    }

    #[test]
    fn a_cursor_that_is_more_than_one_is_not_taken_out() {
        let query = "subscription ($a: Int) { debateEvents(debateId: \"x\", after: $a) { id @f(n: $a) } }";
        let keys = [1, 2].map(|it| wanted(query, serde_json::json!({ "a": it })).key);
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn what_cannot_be_shared_is_left_to_the_executor() {
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
            assert!(read(query, serde_json::json!({}), None).is_ok_and(|it| it.is_none()), "{query}");
        }
    }

    #[test]
    fn where_the_client_was_cut_off_counts_more_than_what_it_asked_for() {
        let asked = serde_json::json!({ "id": "a", "after": 7 });
        let at = |last: &str| read(BY_VARIABLE, asked.clone(), Some(last)).map(|it| it.map(|it| it.from));
        assert_eq!(at("9"), Ok(Some(Place::Version(9))));
        assert_eq!(at("x"), Err("the last id is no place of debateEvents".to_owned()));
    }
}
