//! Debates named by part of their id.

use faultline_core::events::ids::DebateId;

use crate::error::StoreError;
use crate::views::views::Views;

/// Minimum number of hexadecimal digits in a short id.
pub const MIN_DIGITS: usize = 4;
/// Maximum number of debates that are looked up for a short id.
const MAX_FOUND: i64 = 10;

/// Beginning or end of a debate's id, in lower-case hexadecimal digits. Lists show the end, because the beginning is the
/// time and equal for debates of the same minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortId(String);

impl ShortId {
    /// Parses a short id: hexadecimal digits, at least [`MIN_DIGITS`] and fewer than those of a whole id, and hyphens.
    pub fn parse(text: &str) -> Option<ShortId> {
        let digits = text.trim().to_ascii_lowercase().replace('-', "");
        let is_short = (MIN_DIGITS..32).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_short.then_some(ShortId(digits))
    }
}

impl Views {
    /// Finds the listed debates whose id begins or ends with a short id, at most ten. One statement, which reads the index
    /// of all ids.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn named(&self, ShortId(digits): &ShortId) -> Result<Vec<DebateId>, StoreError> {
        let found: Vec<uuid::Uuid> = sqlx::query_scalar(
            "select debate_id
            from debates
            where generation = (select generation from served where name = 'debates')
            and (
                replace(debate_id::text, '-', '') like $1 || '%'
                or replace(debate_id::text, '-', '') like '%' || $1
            )
            limit $2",
        )
        .bind(digits)
        .bind(MAX_FOUND)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("look up a debate by part of its id"))?;
        Ok(found.into_iter().map(DebateId).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_is_part_of_an_id() {
        let parsed = |text: &str| ShortId::parse(text).map(|short| short.0);
        assert_eq!(parsed(" 6C1D-2f3e "), Some("6c1d2f3e".to_owned()));
        for other in ["", "6c1", "graph", "6c1d%", "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b"] {
            assert_eq!(parsed(other), None, "{other:?}");
        }
    }
}
