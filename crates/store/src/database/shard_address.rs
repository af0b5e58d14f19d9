//! Names and addresses of shards.

/// Name of the database at `DATABASE_URL`, which holds everything but the lanes that were moved elsewhere.
pub const HOME: &str = "home";
/// Maximum number of shards besides the home: each lane has one of its own.
pub const MAX_SHARDS: usize = 15;
/// Maximum length of a shard's name, in bytes.
pub const MAX_NAME_BYTES: usize = 32;

/// Shard with the address of its database.
#[derive(Clone, PartialEq, Eq)]
pub struct ShardAddress {
    /// Name under which the placement of lanes is stored; it must not change.
    pub name: String,
    /// Address of the database, with its password.
    pub url: String,
}

// Without the password.
impl std::fmt::Debug for ShardAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ShardAddress({})", self.name)
    }
}

/// Returns whether a text can name a shard: lower-case letters, digits and hyphens, and not that of the home.
pub fn is_shard_name(name: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name != HOME && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain_and_not_that_of_the_home() {
        for name in ["b", "eu-2", &"x".repeat(MAX_NAME_BYTES)] {
            assert!(is_shard_name(name), "{name}");
        }
        for name in ["", "home", "B", "a b", "a=b", "ü", &"x".repeat(MAX_NAME_BYTES + 1)] {
            assert!(!is_shard_name(name), "{name}");
        }
    }
}
