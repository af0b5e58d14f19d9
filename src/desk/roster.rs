//! Who can take part, and who can answer.

use std::collections::BTreeMap;

use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::kernel::engine::{Refusal, RefusalKind};

/// The personas and providers that this service knows.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// By id.
    pub personas: BTreeMap<PersonaId, Member>,
    /// In order of preference; the first is asked where none is named.
    pub providers: Vec<Provider>,
}

/// A persona, and what it is known to have views on.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The persona.
    pub persona: Persona,
    /// Topics that it wrote about.
    pub topics: Vec<String>,
}

/// Whoever answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name under which debates ask for it.
    pub name: String,
    /// What it is, for people.
    pub about: String,
}

impl Roster {
    /// A persona by its id.
    ///
    /// # Errors
    /// A [`Refusal`] that names those there are.
    pub fn persona(&self, id: &str) -> Result<&Member, Refusal> {
        let found = id.parse::<PersonaId>().ok().and_then(|it| self.personas.get(&it));
        found.ok_or_else(|| {
            let known: Vec<&str> = self.personas.keys().map(PersonaId::as_str).collect();
            let id: String = id.chars().take(64).collect();
            Refusal::new(RefusalKind::NotFound, format!("there is no persona {id:?}; there are {}", listed(&known)))
        })
    }

    /// A provider by its name; the preferred one where none is named.
    ///
    /// # Errors
    /// A [`Refusal`] that names those there are.
    pub fn provider(&self, name: Option<&str>) -> Result<&Provider, Refusal> {
        let found = match name {
            None => self.providers.first(),
            Some(name) => self.providers.iter().find(|it| it.name == name),
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.providers.iter().map(|it| it.name.as_str()).collect();
            let name: String = name.unwrap_or_default().chars().take(64).collect();
            Refusal::new(
                RefusalKind::NotFound,
                format!("there is no provider {name:?} here; there are {}", listed(&known)),
            )
        })
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
