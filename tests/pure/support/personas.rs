//! Personas of the tests.

use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::{Contract, Persona, Voice};

/// Parses a persona's id.
pub fn persona_id(id: &str) -> PersonaId {
    id.parse().expect("a persona id")
}

/// Returns a persona with nothing but a name.
pub fn persona(id: &str) -> Persona {
    let mut name = id.to_owned();
    name[..1].make_ascii_uppercase();
    Persona {
        id: persona_id(id),
        name,
        about: format!("{id} of the rehearsals"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    }
}
