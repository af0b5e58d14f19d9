//! Roles: what a token allows.
//!
//! | role | may |
//! |---|---|
//! | `reader` | ask and subscribe |
//! | `writer` | change debates as well |
//! | `admin` | keep the service as well: rebuild what is stored, erase |

use std::str::FromStr;

/// The rights of a token; each role has those of the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// To ask and to subscribe.
    Reader,
    /// To change debates.
    Writer,
    /// To keep the service.
    Admin,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 3] = [Role::Reader, Role::Writer, Role::Admin];

    /// Its name in the file of tokens.
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
        let role = Role::ALL.into_iter().find(|it| it.name() == text);
        role.ok_or_else(|| format!("{text:?} is no role: reader, writer or admin"))
    }
}
