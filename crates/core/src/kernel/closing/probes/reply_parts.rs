//! Parts of replies to probes, read one by one: a broken part is refused with a reason, and the rest is accepted.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum number of reasons recorded of one reply; a last one says that there were more.
const MAX_REFUSED: usize = 24;
/// Maximum number of characters of a reason, since it may quote the reply.
const MAX_REASON_CHARS: usize = 160;

/// Rejected parts of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedParts(Vec<String>);

impl RefusedParts {
    /// Adds the reason for which a part was rejected.
    pub fn add(&mut self, reason: &str) {
        match self.0.len() {
            n if n < MAX_REFUSED => self.0.push(reason.chars().take(MAX_REASON_CHARS).collect()),
            MAX_REFUSED => self.0.push("further parts".to_owned()),
            _ => {}
        }
    }

    /// Adds the reason for a name that was not asked about; `what` says what the reply does with it, such as `reads`.
    pub fn add_unknown(&mut self, what: &str, name: &str) {
        let name: String = name.chars().take(20).collect();
        self.add(&format!("{what} {name:?}, which was not asked"));
    }

    /// Returns the reasons.
    pub fn into_reasons(self) -> Vec<String> {
        self.0
    }
}

/// Decodes the first `most` parts of a list; `what` names a part, such as `rating`.
pub fn decoded<T: DeserializeOwned>(given: Vec<Value>, what: &str, most: usize, refused: &mut RefusedParts) -> Vec<T> {
    if given.len() > most {
        refused.add(&format!("{} parts of the kind {what}, of which the first {most} were read", given.len()));
    }
    let mut read = Vec::new();
    for part in given.into_iter().take(most) {
        match serde_json::from_value(part) {
            Ok(part) => read.push(part),
            Err(error) => refused.add(&format!("a {what} without the requested form: {error}")),
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn broken_parts_are_refused_one_by_one() {
        let mut refused = RefusedParts::default();
        let read: Vec<u32> = decoded(vec![json!(1), json!("two"), json!(3), json!(4)], "number", 3, &mut refused);
        let reasons = refused.into_reasons();
        assert_eq!((read, reasons.len()), (vec![1, 3], 2));
        assert_eq!(reasons[0], "4 parts of the kind number, of which the first 3 were read");
        assert!(reasons[1].starts_with("a number without the requested form: "), "{reasons:?}");
    }

    #[test]
    fn reasons_are_bounded() {
        let mut refused = RefusedParts::default();
        (0..99).for_each(|_| refused.add(&"é".repeat(999)));
        let reasons = refused.into_reasons();
        assert_eq!((reasons.len(), reasons[24].as_str()), (25, "further parts"));
        assert!(reasons.iter().all(|reason| reason.chars().count() <= 160));
    }
}
