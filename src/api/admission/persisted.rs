//! Persisted queries: operations identified by a hash or an id instead of their text.
//!
//! **Automatic persisted queries:** a client sends only `extensions.persistedQuery.sha256Hash`. If the text is unknown,
//! it gets `PERSISTED_QUERY_NOT_FOUND` and sends hash and text once. The hash is verified, so nobody can register
//! another text under it. Only admitted queries are stored, up to a size limit with LRU eviction.
//!
//! **Allow-list:** if a file of operations is configured, callers without an admin token may execute only these, by
//! `documentId`, by hash or by their exact text. The file is the output of common code generators: a JSON object of
//! texts by id, or an Apollo manifest.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Request, Value as GraphValue};
use lru::LruCache;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::api::admission::token_limits::scan;
use crate::limits::ApiLimits;

/// Maximum length of a document id, in bytes.
pub const MAX_NAME_BYTES: usize = 256;
/// Maximum number of operations in a file.
pub const MAX_OPERATIONS: usize = 10_000;
/// Name of the request extension with the hash.
pub const PERSISTED_QUERY: &str = "persistedQuery";
/// Name of the request field, and of the extension it becomes internally, with the document id.
pub const DOCUMENT_ID: &str = "documentId";
/// Memory of a stored query beside its text, in bytes.
const OVERHEAD_BYTES: usize = 160;

/// Reason why a request by hash or id is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersistedQueryError {
    /// The text is unknown. Clients recognize this message and send the text.
    #[error("PersistedQueryNotFound")]
    NotFound,
    /// Automatic persisted queries are disabled.
    #[error("PersistedQueryNotSupported")]
    NotSupported,
    /// The operation is not on the allow-list.
    #[error("the operation is not on the allow-list")]
    NotAllowed,
    /// The hash or id is malformed, or is not the hash of the text.
    #[error("{0}")]
    Invalid(&'static str),
}

impl PersistedQueryError {
    /// Returns the GraphQL error code.
    pub fn code(&self) -> &'static str {
        match self {
            PersistedQueryError::NotFound => "PERSISTED_QUERY_NOT_FOUND",
            PersistedQueryError::NotSupported => "PERSISTED_QUERY_NOT_SUPPORTED",
            PersistedQueryError::NotAllowed => NOT_ALLOWED,
            PersistedQueryError::Invalid(_) => "INVALID",
        }
    }
}

/// Error code for an operation that is not on the allow-list.
pub const NOT_ALLOWED: &str = "OPERATION_NOT_ALLOWED";

/// Allow-list of operations, read from a file.
#[derive(Clone, Default)]
pub struct AllowList {
    /// Texts by id, and by the hash of the text.
    texts: HashMap<String, Arc<str>>,
}

impl fmt::Debug for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Allowed({} names)", self.texts.len())
    }
}

impl AllowList {
    /// Reads a file of operations. Each must be a query within the limits.
    ///
    /// # Errors
    /// A description of the first problem, with the id of the operation.
    pub fn read(file: &str, limits: &ApiLimits) -> Result<AllowList, String> {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(file) else {
            return Err("the file must be a JSON object: texts by id, or an Apollo query manifest".to_owned());
        };
        let operations: Vec<(String, Value)> = match fields.remove("operations") {
            Some(Value::Array(entries)) => entries.into_iter().map(of_manifest).collect::<Result<_, _>>()?,
            Some(_) => return Err("`operations` must be a list".to_owned()),
            None => fields.into_iter().collect(),
        };
        if operations.len() > MAX_OPERATIONS {
            return Err(format!("the file has more than {MAX_OPERATIONS} operations"));
        }
        let mut texts = HashMap::new();
        for (id, text) in operations {
            let text = text.as_str().ok_or_else(|| format!("{id}: the text of an operation must be a string"))?;
            scan(text, limits).map_err(|error| format!("{id}: {error}"))?;
            async_graphql::parser::parse_query(text)
                .map_err(|error| format!("{id}: the query cannot be parsed: {error}"))?;
            let text: Arc<str> = text.into();
            texts.insert(hex(&text), Arc::clone(&text));
            texts.insert(id, text);
        }
        Ok(AllowList { texts })
    }

    fn text(&self, request: &Request, name: Option<&str>) -> Option<&Arc<str>> {
        let given = (!request.query.is_empty()).then(|| hex(&request.query));
        let text = self.texts.get(name.map(str::to_owned).or_else(|| given.clone())?.as_str())?;
        (given.is_none_or(|digest| digest == hex(text))).then_some(text)
    }
}

fn of_manifest(entry: Value) -> Result<(String, Value), String> {
    match entry {
        Value::Object(mut it) => match (it.remove("id"), it.remove("body")) {
            (Some(Value::String(id)), Some(body)) => Ok((id, body)),
            _ => Err("an operation of a manifest must have an id and a body".to_owned()),
        },
        _ => Err("an operation of a manifest must be an object".to_owned()),
    }
}

/// Query texts by id or hash: those of the allow-list, and those that clients registered.
pub struct PersistedQueries {
    allowed: Option<AllowList>,
    remembered: Mutex<Remembered>,
}

struct Remembered {
    texts: LruCache<String, Arc<str>>,
    n_bytes: usize,
    room: usize,
}

impl fmt::Debug for PersistedQueries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Persisted").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

impl PersistedQueries {
    /// Creates the store, with no registered queries.
    pub fn new(allowed: Option<AllowList>, limits: &ApiLimits) -> PersistedQueries {
        let remembered = Remembered { texts: LruCache::unbounded(), n_bytes: 0, room: limits.remembered_bytes };
        PersistedQueries { allowed, remembered: Mutex::new(remembered) }
    }

    /// True if only operations of an allow-list are executed.
    pub fn is_restricted(&self) -> bool {
        self.allowed.is_some()
    }

    /// Sets the text of a request. With `freely`, the operation need not be on the allow-list. Returns the hash under
    /// which to register the text once it is admitted, if it is to be registered.
    ///
    /// # Errors
    /// [`PersistedQueryError`] if the text is unknown or not allowed, or the hash or id is malformed.
    pub fn resolve(&self, request: &mut Request, freely: bool) -> Result<Option<String>, PersistedQueryError> {
        let name = name(request)?;
        if let Some(allowed) = &self.allowed {
            match allowed.text(request, name.as_deref()) {
                Some(text) => {
                    request.query = text.to_string();
                    return Ok(None);
                }
                None if !freely => return Err(PersistedQueryError::NotAllowed),
                None => {}
            }
        }
        let Some(name) = name else { return Ok(None) };
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.room == 0 {
            return Err(PersistedQueryError::NotSupported);
        }
        if request.query.is_empty() {
            request.query = remembered.texts.get(&name).ok_or(PersistedQueryError::NotFound)?.to_string();
            return Ok(None);
        }
        if hex(&request.query) != name {
            return Err(PersistedQueryError::Invalid("sha256Hash is not the SHA-256 of the query"));
        }
        Ok((!remembered.texts.contains(&name)).then_some(name))
    }

    /// Registers a text under its hash, and evicts the least recently used texts if the size limit is exceeded.
    pub fn remember(&self, name: String, text: &str) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let n_bytes = text.len() + OVERHEAD_BYTES;
        if n_bytes > remembered.room || remembered.texts.contains(&name) {
            return;
        }
        remembered.n_bytes += n_bytes;
        remembered.texts.put(name, text.into());
        while remembered.n_bytes > remembered.room {
            let Some((_, text)) = remembered.texts.pop_lru() else { break };
            remembered.n_bytes -= text.len() + OVERHEAD_BYTES;
        }
    }
}

/// Returns the hash in hexadecimal digits, or the id, that a request contains.
fn name(request: &Request) -> Result<Option<String>, PersistedQueryError> {
    let id = match request.extensions.get(DOCUMENT_ID) {
        Some(GraphValue::String(id)) if id.len() <= MAX_NAME_BYTES => Some(id.strip_prefix("sha256:").unwrap_or(id)),
        Some(_) => return Err(PersistedQueryError::Invalid("documentId must be a string of at most 256 bytes")),
        None => None,
    };
    let hash = match request.extensions.get(PERSISTED_QUERY) {
        Some(GraphValue::Object(fields)) => match (fields.get("version"), fields.get("sha256Hash")) {
            (Some(GraphValue::Number(version)), Some(GraphValue::String(hash)))
                if version.as_i64() == Some(1) && hash.len() == 64 =>
            {
                Some(hash.to_ascii_lowercase())
            }
            _ => {
                return Err(PersistedQueryError::Invalid(
                    "persistedQuery must have version 1 and a sha256Hash of 64 digits",
                ));
            }
        },
        Some(_) => return Err(PersistedQueryError::Invalid("persistedQuery must be an object")),
        None => None,
    };
    Ok(hash.or_else(|| id.map(str::to_owned)))
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
pub fn hex(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use async_graphql::value;

    use super::*;

    fn request(query: &str, hash: Option<&str>, id: Option<&str>) -> Request {
        let mut request = Request::new(query);
        if let Some(hash) = hash {
            let named = value!({ "version": 1, "sha256Hash": hash });
            request.extensions.insert(PERSISTED_QUERY.to_owned(), named);
        }
        if let Some(id) = id {
            request.extensions.insert(DOCUMENT_ID.to_owned(), GraphValue::String(id.to_owned()));
        }
        request
    }

    /// Returns the text of a request that is admitted, or the error code.
    fn ask(persisted: &PersistedQueries, mut request: Request, freely: bool) -> String {
        match persisted.resolve(&mut request, freely) {
            Ok(name) => {
                name.into_iter().for_each(|name| persisted.remember(name, &request.query));
                request.query
            }
            Err(why) => why.code().to_owned(),
        }
    }

    #[test]
    fn a_registered_query_is_found_by_its_hash() {
        let persisted = PersistedQueries::new(None, &ApiLimits::default());
        let ask = |query: &str, hash: &str| ask(&persisted, request(query, Some(hash), None), false);
        let hash = hex("{ a }");
        assert_eq!(ask("", &hash), "PERSISTED_QUERY_NOT_FOUND");
        assert_eq!(ask("{ b }", &hash), "INVALID", "the hash must match the text");
        assert_eq!(ask("", &hash), "PERSISTED_QUERY_NOT_FOUND");
        assert_eq!(ask("{ a }", &hash), "{ a }");
        assert_eq!(ask("", &hash), "{ a }");
        assert_eq!(ask("", &hash.to_uppercase()), "{ a }");
        assert_eq!(ask("", "abc"), "INVALID");
        let none = PersistedQueries::new(None, &ApiLimits { remembered_bytes: 0, ..ApiLimits::default() });
        let code = super::tests::ask(&none, request("{ a }", Some(&hash), None), false);
        assert_eq!(code, "PERSISTED_QUERY_NOT_SUPPORTED");
    }

    #[test]
    fn registered_queries_are_bounded_and_evicted_by_last_use() {
        let texts: Vec<String> = (0..5).map(|index| format!("{{ a{index} }}")).collect();
        let each = texts[0].len() + OVERHEAD_BYTES;
        let persisted = PersistedQueries::new(None, &ApiLimits { remembered_bytes: 3 * each, ..ApiLimits::default() });
        let ask = |query: &str, text: &str| ask(&persisted, request(query, Some(&hex(text)), None), false);
        texts[..3].iter().for_each(|text| assert_eq!(&ask(text, text), text));
        assert_eq!(ask("", &texts[0]), texts[0], "a use renews it");
        ask(&texts[3], &texts[3]);
        assert_eq!(ask("", &texts[1]), "PERSISTED_QUERY_NOT_FOUND");
        assert_eq!(ask("", &texts[0]), texts[0]);
        let long = format!("{{ {} }}", "a".repeat(4 * each));
        assert_eq!(ask(&long, &long), long, "executed, but not stored");
        assert_eq!(ask("", &long), "PERSISTED_QUERY_NOT_FOUND");
        assert_eq!(ask("", &texts[0]), texts[0], "it evicts nothing");
    }

    #[test]
    fn with_an_allow_list_only_its_operations_are_executed() {
        let manifest = r#"{"format":"apollo-persisted-query-manifest","version":1,
            "operations":[{"id":"one","name":"A","type":"query","body":"{ a }"}]}"#;
        for file in [r#"{"one":"{ a }"}"#, manifest] {
            let allowed = AllowList::read(file, &ApiLimits::default()).expect("a file");
            let persisted = PersistedQueries::new(Some(allowed), &ApiLimits::default());
            let ask = |query: &str, hash: Option<&str>, id: Option<&str>, freely| {
                ask(&persisted, request(query, hash, id), freely)
            };
            let (a, b) = (hex("{ a }"), hex("{ b }"));
            for (query, hash, id) in
                [("{ a }", None, None), ("", Some(&*a), None), ("", None, Some("one")), ("{ a }", None, Some("one"))]
            {
                assert_eq!(ask(query, hash, id, false), "{ a }", "{query} {hash:?} {id:?}");
            }
            assert_eq!(ask("", None, Some(&format!("sha256:{a}")), false), "{ a }");
            for (query, hash, id) in
                [("{ b }", None, None), ("{ b }", Some(&*b), None), ("{ b }", None, Some("one")), ("", None, Some("2"))]
            {
                assert_eq!(ask(query, hash, id, false), NOT_ALLOWED, "{query} {hash:?} {id:?}");
            }
            assert_eq!(ask("{ b }", None, None, true), "{ b }", "an admin may execute any operation");
        }
    }

    #[test]
    fn a_malformed_allow_list_is_refused_with_the_reason() {
        let wrong = |file: &str| AllowList::read(file, &ApiLimits::default()).expect_err(file);
        assert!(wrong("query { a }").starts_with("the file must be a JSON object"));
        assert!(wrong(r#"{"one":"{ a"}"#).starts_with("one: the query cannot be parsed"));
        assert!(wrong(r#"{"one":1}"#).starts_with("one: the text"));
        assert!(wrong(r#"{"operations":[{"id":"one"}]}"#).contains("an id and a body"));
        assert!(wrong(&format!(r#"{{"one":"{}"}}"#, "[".repeat(100))).starts_with("one: the query nests"));
    }
}
