//! Registration of the types of event contents with the GraphQL schema.

use async_graphql::registry::{Deprecation, MetaEnumValue, MetaField, MetaType, Registry};
use async_graphql::{ID, Json, OutputType};

use crate::api::types::event_content::shape::{EnumShape, FieldType, ObjectShape, SHAPES, enum_value};
use crate::api::types::scalars::{Long, Seed};

/// Name of the interface of all contents.
pub const INTERFACE: &str = "EventContent";
/// Field of the interface.
pub const EVENT_KIND: &str = "eventKind";

/// Registers the types of all contents, and returns the interface.
pub fn register(registry: &mut Registry) -> MetaType {
    for create in [Long::create_type_info, Seed::create_type_info, ID::create_type_info] {
        create(registry);
    }
    for create in [f64::create_type_info, i32::create_type_info, bool::create_type_info, String::create_type_info] {
        create(registry);
    }
    Json::<serde_json::Value>::create_type_info(registry);
    for (name, shape) in &SHAPES.enums {
        insert(registry, name, enum_type(name, shape));
    }
    for (name, shape) in &SHAPES.objects {
        insert(registry, name, object_type(name, shape));
    }
    for name in SHAPES.kinds.values() {
        registry.add_implements(name, INTERFACE);
    }
    MetaType::Interface {
        name: INTERFACE.to_owned(),
        description: Some("Content of an event, with a type for each kind.".to_owned()),
        fields: [(EVENT_KIND.to_owned(), event_kind())].into(),
        possible_types: SHAPES.kinds.values().cloned().collect(),
        extends: false,
        keys: None,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

/// Adds a type. Its name is its own, which the schema's tests would notice otherwise.
fn insert(registry: &mut Registry, name: &str, added: MetaType) {
    let replaced = registry.types.insert(name.to_owned(), added);
    debug_assert!(replaced.is_none(), "{name} is the name of another type");
}

fn object_type(name: &str, shape: &ObjectShape) -> MetaType {
    let is_kind = SHAPES.kinds.values().any(|kind| kind == name);
    let own = shape.fields.iter().map(|field| {
        let mark = if field.nullable { "" } else { "!" };
        let named = format!("{}{mark}", type_name(&field.field_type));
        (field.name.clone(), meta_field(&field.name, &field.description, named))
    });
    let kind = is_kind.then(|| (EVENT_KIND.to_owned(), event_kind()));
    MetaType::Object {
        name: name.to_owned(),
        description: Some(shape.description.clone()),
        fields: kind.into_iter().chain(own).collect(),
        cache_control: Default::default(),
        extends: false,
        shareable: false,
        resolvable: true,
        keys: None,
        visible: None,
        inaccessible: false,
        interface_object: false,
        tags: Vec::new(),
        is_subscription: false,
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

fn enum_type(name: &str, shape: &EnumShape) -> MetaType {
    let values = shape.values.iter().map(|(value, description)| {
        let name = enum_value(value);
        let described = MetaEnumValue {
            name: name.clone(),
            description: Some(description.clone()),
            deprecation: Deprecation::NoDeprecated,
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            directive_invocations: Vec::new(),
        };
        (name, described)
    });
    MetaType::Enum {
        name: name.to_owned(),
        description: Some(shape.description.clone()),
        enum_values: values.collect(),
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

fn event_kind() -> MetaField {
    meta_field(EVENT_KIND, "Kind of the event, such as `turn_taken`.", "String!".to_owned())
}

fn meta_field(name: &str, description: &str, ty: String) -> MetaField {
    MetaField {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        args: Default::default(),
        ty,
        deprecation: Deprecation::NoDeprecated,
        cache_control: Default::default(),
        external: false,
        requires: None,
        provides: None,
        visible: None,
        shareable: false,
        inaccessible: false,
        tags: Vec::new(),
        override_from: None,
        compute_complexity: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

fn type_name(of: &FieldType) -> String {
    match of {
        FieldType::Scalar(name) => (*name).to_owned(),
        FieldType::Enum(name) | FieldType::Object(name) => name.clone(),
        FieldType::List(item) => format!("[{}!]", type_name(item)),
    }
}
