//! Roles: the permissions of a token.
//!
//! | role | may |
//! |---|---|
//! | `reader` | query and subscribe |
//! | `writer` | also change debates |
//! | `admin` | also operate the service: rebuild projections, erase debates |

use std::str::FromStr;

/// Permissions of a token. Each role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// May query and subscribe.
    Reader,
    /// May change debates.
    Writer,
    /// May operate the service.
    Admin,
}

impl Role {
    /// All roles, in ascending order.
    pub const ALL: [Role; 3] = [Role::Reader, Role::Writer, Role::Admin];

    /// Returns the name used in the token file.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        let role = Role::ALL.into_iter().find(|role| role.name() == text);
        role.ok_or_else(|| format!("unknown role {text:?}; available: reader, writer, admin"))
    }
}
