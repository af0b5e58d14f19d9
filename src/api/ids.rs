//! Ids in arguments and inputs.
//!
//! An object at a version that a query names has another id than the present object: the version stands behind the id
//! of its debate, after `@`. Caches that identify objects by id therefore keep both. Arguments accept both forms.

use std::str::FromStr;

use async_graphql::{Context, ID, Result};

use crate::api::error::{error_with_code, from_fault, from_misnamed, invalid};
use faultline_core::events::ids::{ArgumentId, DebateId, Misnamed};
use faultline_store::views::short_ids::ShortId;
use faultline_store::views::views::Views;

/// Parses the id of a debate, persona or argument.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_id<T: FromStr<Err = Misnamed>>(id: &ID) -> Result<T> {
    id.parse().map_err(|misnamed| from_misnamed(&misnamed))
}

/// Parses the id of an argument of a known debate: the short id, or the unique id, which ends in it.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_argument_id(id: &ID) -> Result<ArgumentId> {
    parse_id(&ID(id.rsplit(':').next().unwrap_or_default().to_owned()))
}

/// Parses an id that may be omitted.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_optional_id<T: FromStr<Err = Misnamed>>(id: Option<&ID>) -> Result<Option<T>> {
    id.map(parse_id).transpose()
}

/// Separator of a debate's id and a version.
const AT: char = '@';

/// Returns the id of a debate at a version.
pub fn versioned(debate: DebateId, at: i64) -> String {
    format!("{debate}{AT}{at}")
}

/// Splits an id that may contain a version: the id without it, and the version. An id with a malformed version is
/// returned unchanged.
pub fn split_version(id: &str) -> (String, Option<i64>) {
    let found = id.split_once(AT).and_then(|(debate, rest)| {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
        let version = digits.parse().ok().filter(|version| *version > 0)?;
        Some((format!("{debate}{}", &rest[digits.len()..]), Some(version)))
    });
    found.unwrap_or_else(|| (id.to_owned(), None))
}

/// Resolves the id of a debate, with or without a version, and returns both. Instead of the id, the beginning or end that no
/// other listed debate has may be given: at least four hexadecimal digits of it, such as the command line shows.
///
/// # Errors
/// `INVALID` if the id is malformed, or several debates match; `NOT_FOUND` if none does; the codes of [`from_fault`] if the
/// database fails.
pub async fn resolve_versioned(context: &Context<'_>, id: &ID) -> Result<(DebateId, Option<i64>)> {
    let (id, at) = split_version(id);
    let Some(short) = ShortId::parse(&id) else { return Ok((parse_id(&ID(id))?, at)) };
    let named = context.data::<Views>()?.named(&short).await.map_err(|error| from_fault(&error))?;
    match named.as_slice() {
        [debate] => Ok((*debate, at)),
        [] => Err(error_with_code(&format!("no debate id begins or ends with {id}"), "NOT_FOUND")),
        _ => Err(invalid(&format!("several debate ids begin or end with {id}; give more characters"))),
    }
}

/// Resolves the id of a debate like [`resolve_versioned`]; a version in it is ignored.
///
/// # Errors
/// As [`resolve_versioned`].
pub async fn resolve_debate(context: &Context<'_>, id: &ID) -> Result<DebateId> {
    Ok(resolve_versioned(context, id).await?.0)
}

/// Parses the whole id of a debate; a version in it is ignored.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_debate_id(id: &ID) -> Result<DebateId> {
    parse_id(&ID(split_version(id).0))
}

/// Resolves the id of a debate that may be omitted, like [`resolve_debate`].
///
/// # Errors
/// As [`resolve_versioned`].
pub async fn resolve_optional_debate(context: &Context<'_>, id: Option<&ID>) -> Result<Option<DebateId>> {
    match id {
        Some(id) => resolve_debate(context, id).await.map(Some),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_contain_a_version() {
        const DEBATE: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        let check = |rest: &str, left: &str, version: Option<i64>| {
            let found = split_version(&format!("{DEBATE}{rest}"));
            assert_eq!(found, (format!("{DEBATE}{left}"), version), "{rest}");
        };
        check("", "", None);
        check(":d1", ":d1", None);
        check("@20", "", Some(20));
        check("@20:d1", ":d1", Some(20));
        for malformed in ["@", "@0", "@-1", "@x", "@:d1", "@99999999999999999999"] {
            check(malformed, malformed, None);
        }
        let debate: DebateId = DEBATE.parse().expect("an id");
        assert_eq!(parse_debate_id(&ID(versioned(debate, 7))).ok(), Some(debate));
        assert!(parse_debate_id(&ID(format!("{DEBATE}@x"))).is_err());
    }
}
