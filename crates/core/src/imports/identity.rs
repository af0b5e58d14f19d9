//! Ids made from content, so that importing the same file again gives the same debate.

use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::export::line_hash::{canonical, hex};

/// Provider of an imported debate. It does not exist, so no process continues the debate.
pub const PROVIDER: &str = "import";

/// UUID namespace of imported debates.
const IMPORTED: Uuid = Uuid::from_u128(0x6f1d_0c2e_9b74_5a38_8e05_3d6a_71c4_b9f2);

/// Hash of records, as lower-case hexadecimal digits. White space, the order of keys and the layout of the file (lines
/// or array) make no difference.
pub fn content_hash<'a>(records: impl IntoIterator<Item = &'a Value>) -> String {
    let mut hasher = Sha256::new();
    for record in records {
        canonical(record, &mut hasher);
        hasher.update(b"\n");
    }
    hex(hasher)
}

/// Debate id for a content hash.
pub fn debate_id(content_hash: &str) -> DebateId {
    DebateId(Uuid::new_v5(&IMPORTED, content_hash.as_bytes()))
}

/// Event id at a version of an imported debate.
pub fn event_id(debate: DebateId, version: i64) -> Uuid {
    Uuid::new_v5(&debate.0, version.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_id_depends_only_on_the_content() {
        let one = content_hash(&[json!({"a": 1, "b": [2, "x"]}), json!(null)]);
        assert_eq!(one.len(), 64);
        assert_eq!(one, content_hash(&[json!({"b": [2, "x"], "a": 1}), json!(null)]));
        for other in [json!({"a": 1, "b": [2, "y"]}), json!({"a": 1, "b": [[2], "x"]}), json!({"a": 1})] {
            assert_ne!(one, content_hash(&[other, json!(null)]));
        }
        let debate = debate_id(&one);
        assert_eq!(debate, debate_id(&one));
        assert_eq!(event_id(debate, 1), event_id(debate, 1));
        assert_ne!(event_id(debate, 1), event_id(debate, 2));
        assert_eq!(debate.0.get_version_num(), 5);
    }
}
