//! The content of one event, resolved from its body by the shape of its kind.

use std::borrow::Cow;
use std::collections::HashMap;

use async_graphql::async_trait::async_trait;
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{Field, FragmentDefinition, Selection, SelectionSet};
use async_graphql::registry::{MetaTypeId, Registry};
use async_graphql::{ContextSelectionSet, Name, OutputType, Pos, Positioned, ServerError, ServerResult, Value};
use serde_json::Value as Json;

use crate::api::types::event_content::registration::{EVENT_KIND, INTERFACE, register};
use crate::api::types::event_content::shape::{FieldShape, FieldType, SHAPES, enum_value};

/// The content of an event.
pub struct EventContent {
    kind: &'static str,
    body: Json,
}

impl EventContent {
    /// Reads a body in the current schema of its kind; `None` if this version does not know the kind.
    ///
    /// # Errors
    /// [`serde_json::Error`] if the body is no JSON.
    pub fn read(kind: &str, body: &[u8]) -> serde_json::Result<Option<EventContent>> {
        let Some((kind, _)) = SHAPES.kinds.get_key_value(kind) else { return Ok(None) };
        Ok(Some(EventContent { kind, body: serde_json::from_slice(body)? }))
    }
}

#[async_trait]
impl OutputType for EventContent {
    fn type_name() -> Cow<'static, str> {
        INTERFACE.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        registry.create_output_type::<EventContent, _>(MetaTypeId::Interface, register)
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        let name = &SHAPES.kinds[self.kind];
        let resolver = Resolver { kind: self.kind, fragments: &context.query_env.fragments };
        let resolved = resolver.object(name, &self.body, &[&context.item.node], context.item.pos);
        resolved.map_err(|error| context.set_error_path(error))
    }
}

/// Fields selected under each key of the response, in order.
type Selected<'a> = IndexMap<Name, Vec<&'a Positioned<Field>>>;

/// Resolver of the selected fields of one event.
struct Resolver<'a> {
    kind: &'static str,
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
}

impl<'a> Resolver<'a> {
    fn object(&self, name: &str, body: &Json, sets: &[&'a SelectionSet], at: Pos) -> ServerResult<Value> {
        let mut selected = Selected::new();
        for set in sets {
            self.collect(name, set, &mut selected);
        }
        let shape = SHAPES.objects.get(name).ok_or_else(|| broken(name, at))?;
        let mut resolved = IndexMap::with_capacity(selected.len());
        for (key, fields) in selected {
            let [first, ..] = fields.as_slice() else { continue };
            let value = match first.node.name.node.as_str() {
                "__typename" => Value::from(name),
                EVENT_KIND => Value::from(self.kind),
                field => {
                    let shape = shape.fields.iter().find(|it| it.name == field).ok_or_else(|| broken(field, at))?;
                    self.field(shape, body, &fields)?
                }
            };
            resolved.insert(key, value);
        }
        Ok(Value::Object(resolved))
    }

    /// Collects the fields of a selection set that apply to a type. Skipped selections were removed before.
    fn collect(&self, name: &str, set: &'a SelectionSet, selected: &mut Selected<'a>) {
        let applies = |condition: &str| condition == name || condition == INTERFACE;
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    selected.entry(field.node.response_key().node.clone()).or_default().push(field);
                }
                Selection::InlineFragment(it) => {
                    let condition = it.node.type_condition.as_ref();
                    if condition.is_none_or(|condition| applies(&condition.node.on.node)) {
                        self.collect(name, &it.node.selection_set.node, selected);
                    }
                }
                Selection::FragmentSpread(it) => {
                    if let Some(fragment) = self.fragments.get(&it.node.fragment_name.node)
                        && applies(&fragment.node.type_condition.node.on.node)
                    {
                        self.collect(name, &fragment.node.selection_set.node, selected);
                    }
                }
            }
        }
    }

    fn field(&self, shape: &FieldShape, body: &Json, fields: &[&'a Positioned<Field>]) -> ServerResult<Value> {
        let at = fields.first().map(|field| field.pos).unwrap_or_default();
        let value = body.get(&shape.key).filter(|value| !value.is_null()).unwrap_or(&shape.default);
        match value {
            Json::Null if shape.nullable => Ok(Value::Null),
            Json::Null => Err(broken(&shape.name, at)),
            value => self.value(&shape.field_type, value, fields, at),
        }
    }

    fn value(&self, of: &FieldType, value: &Json, fields: &[&'a Positioned<Field>], at: Pos) -> ServerResult<Value> {
        match of {
            FieldType::Scalar("Seed") => Ok(Value::from(value.to_string())),
            FieldType::Scalar(_) => Value::from_json(value.clone()).map_err(|_| broken("a value", at)),
            FieldType::Enum(_) => Ok(Value::Enum(Name::new(enum_value(value.as_str().unwrap_or_default())))),
            FieldType::Object(name) => {
                let sets: Vec<&SelectionSet> = fields.iter().map(|field| &field.node.selection_set.node).collect();
                self.object(name, value, &sets, at)
            }
            FieldType::List(item) => {
                let items = value.as_array().into_iter().flatten();
                items.map(|it| self.value(item, it, fields, at)).collect::<ServerResult<Vec<Value>>>().map(Value::List)
            }
        }
    }
}

/// Returns the error for a body that does not have the schema of its kind. Bodies are checked when they are recorded.
fn broken(what: &str, at: Pos) -> ServerError {
    ServerError::new(format!("the event cannot be shown by its type: it lacks {what}; see `body`"), Some(at))
}
