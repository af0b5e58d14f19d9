//! Reads the JSON Schemas of event bodies: which fields a body has, which of them are required, and which words are
//! allowed.

use serde_json::Value;

/// A part of the JSON Schema of a body, with references resolved in that body's definitions.
pub struct BodySchema<'a> {
    root: &'a Value,
    /// The part.
    pub value: &'a Value,
}

impl<'a> BodySchema<'a> {
    /// Takes the whole schema of a body.
    pub fn of(root: &'a Value) -> BodySchema<'a> {
        BodySchema { root, value: root }
    }

    /// Follows references, and skips the null of optional fields.
    fn at(&self, value: &'a Value) -> BodySchema<'a> {
        if let Some(path) = value["$ref"].as_str() {
            return self.at(self.root.pointer(path.trim_start_matches('#')).expect("a definition of this body"));
        }
        match value["anyOf"].as_array().and_then(|options| options.iter().find(|option| option["type"] != "null")) {
            Some(option) => self.at(option),
            None => BodySchema { root: self.root, value },
        }
    }

    /// Returns the fields of an object: name, schema, and whether the field is required.
    pub fn fields(&self) -> Vec<(&'a str, BodySchema<'a>, bool)> {
        let required =
            |name: &String| self.value["required"].as_array().is_some_and(|list| list.contains(&name[..].into()));
        let fields = self.value["properties"].as_object().into_iter().flatten();
        fields.map(|(name, field)| (name.as_str(), self.at(field), required(name))).collect()
    }

    /// Returns the variants of a list of words or of a tagged object.
    pub fn variants(&self) -> Vec<BodySchema<'a>> {
        self.value["oneOf"].as_array().into_iter().flatten().map(|variant| self.at(variant)).collect()
    }

    /// Returns the schema of the items of a list.
    pub fn items(&self) -> Option<BodySchema<'a>> {
        self.value["items"].is_object().then(|| self.at(&self.value["items"]))
    }

    /// Returns the variant to which a value belongs, or the schema itself.
    fn fitting(self, value: &Value) -> BodySchema<'a> {
        let tagged = |variant: &BodySchema| variant.tag().is_some_and(|(tag, word)| value[tag] == word);
        self.variants().into_iter().find(tagged).unwrap_or(self)
    }

    /// Returns name and word of the constant field by which a variant is recognized.
    pub fn tag(&self) -> Option<(&'a str, &'a str)> {
        self.fields().into_iter().find_map(|(name, field, _)| Some((name, field.value["const"].as_str()?)))
    }

    /// Calls `visit` for the schema of each value of a body that the schema describes, with the value's pointer.
    pub fn walk(self, body: &Value, pointer: &str, visit: &mut dyn FnMut(&BodySchema, &str)) {
        visit(&self, pointer);
        let schema = self.fitting(body);
        for (name, field, _) in schema.fields() {
            if let Some(value) = body.get(name) {
                field.walk(value, &format!("{pointer}/{name}"), visit);
            }
        }
        for (at, value) in body.as_array().into_iter().flatten().enumerate() {
            if let Some(item) = schema.items() {
                item.walk(value, &format!("{pointer}/{at}"), visit);
            }
        }
    }

    /// Returns true if a body is incomplete without the field at this pointer.
    pub fn requires(self, body: &Value, pointer: &str) -> bool {
        let (first, rest) =
            pointer[1..].split_once('/').map_or((&pointer[1..], None), |(first, rest)| (first, Some(rest)));
        let schema = self.fitting(body);
        let field = match schema.fields().into_iter().find(|(name, ..)| *name == first) {
            Some((_, _, required)) if rest.is_none() => return required,
            Some((_, field, _)) => field,
            None => match schema.items() {
                Some(item) => item,
                None => return false,
            },
        };
        let value = body.pointer(&format!("/{first}")).expect("a value of the body");
        rest.is_some_and(|rest| field.requires(value, &format!("/{rest}")))
    }

    /// Lists the fields that are in none of these values of one place, as pointers with `*` for any index.
    pub fn lacking(self, values: &[&Value], pointer: &str) -> Vec<String> {
        let mut lacking = Vec::new();
        for value in values {
            for variant in self
                .variants()
                .into_iter()
                .filter(|variant| variant.tag().is_some_and(|(tag, word)| value[tag] == word))
            {
                lacking.extend(variant.lacking(&[*value], pointer));
            }
        }
        for (name, field, _) in self.fields() {
            let below: Vec<&Value> = values.iter().filter_map(|value| value.get(name)).collect();
            let path = format!("{pointer}/{name}");
            if below.is_empty() { lacking.push(path) } else { lacking.extend(field.lacking(&below, &path)) }
        }
        if let Some(item) = self.items() {
            let below: Vec<&Value> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
            let path = format!("{pointer}/*");
            if below.is_empty() { lacking.push(path) } else { lacking.extend(item.lacking(&below, &path)) }
        }
        lacking
    }
}

/// Returns the word of a variant: its own, or that of its tag.
pub fn variant_name(variant: &Value) -> Option<&str> {
    let mut tags = variant["properties"].as_object().into_iter().flatten();
    variant["const"].as_str().or_else(|| tags.find_map(|(_, field)| field["const"].as_str()))
}
