//! Participants of an imported debate. Files spell the same persona as `Alma Voss` here and `alma-voss` there, and a
//! model may have left the speaker out; a name that is no participant's is refused.

use serde_json::Value;

use crate::events::ids::PersonaId;
use crate::events::persona::{Contract, Persona, Voice};
use crate::imports::fields::text_of;
use crate::imports::import_error::ImportError;
use crate::imports::limits::MAX_PARTICIPANTS;

/// Maximum length of a persona id, in bytes.
const MAX_ID_BYTES: usize = 64;

/// Participants, in speaking order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    id: PersonaId,
    name: String,
    normal: String,
}

impl Cast {
    /// Adds a participant, unless it is present.
    ///
    /// # Errors
    /// [`ImportError::Limit`] if there are too many participants.
    pub fn admit(&mut self, name: &str, place: &str) -> Result<(), ImportError> {
        let normal = normal(name);
        if normal.is_empty() || self.members.iter().any(|member| member.normal == normal) {
            return Ok(());
        }
        ImportError::within(place, "participants", MAX_PARTICIPANTS, self.members.len() + 1)?;
        let id = self.free_id(name);
        self.members.push(Member { id, name: name.trim().to_owned(), normal });
        Ok(())
    }

    /// Adds all participants of a list, each given as a string or as an object with a name or an id.
    ///
    /// # Errors
    /// [`ImportError::Limit`] if there are too many participants.
    pub fn admit_all(&mut self, names: &[Value], place: &str) -> Result<(), ImportError> {
        let named = |value: &'_ Value| {
            value.as_str().or_else(|| text_of(value, &["name", "personaId", "id"])).map(str::to_owned)
        };
        names.iter().filter_map(named).try_for_each(|name| self.admit(&name, place))
    }

    /// Finds the participant with this name, or with this slug of a name.
    pub fn find(&self, name: &str) -> Option<&PersonaId> {
        let wanted = normal(name);
        self.members
            .iter()
            .find(|member| member.normal == wanted || member.id.as_str() == name)
            .map(|member| &member.id)
    }

    /// Display name of a participant.
    pub fn name<'a>(&'a self, id: &'a PersonaId) -> &'a str {
        self.members.iter().find(|member| member.id == *id).map_or(id.as_str(), |member| member.name.as_str())
    }

    /// Names of all participants, separated by commas.
    pub fn listed(&self) -> String {
        self.members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// True if there are no participants.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Participants as personas of a debate. The file contains nothing but their names.
    pub fn personas(&self, origin: &str) -> Vec<Persona> {
        let persona = |member: &Member| Persona {
            id: member.id.clone(),
            name: member.name.clone(),
            about: format!("participant of an imported debate ({origin})"),
            version: 0,
            contract: Contract::default(),
            voice: Voice::default(),
        };
        self.members.iter().map(persona).collect()
    }

    /// Id made from a name, with a number appended if it is in use.
    fn free_id(&self, name: &str) -> PersonaId {
        let slug = slug(name);
        let taken = |candidate: &PersonaId| self.members.iter().any(|member| member.id == *candidate);
        let ids = (1..).map(|n| match (slug.is_empty(), n) {
            (true, n) => format!("persona-{n}"),
            (false, 1) => slug.clone(),
            (false, n) => format!("{slug}-{n}"),
        });
        let mut free = ids.filter_map(|text| text.parse::<PersonaId>().ok()).filter(|candidate| !taken(candidate));
        free.next().expect("some numbered id is unused")
    }
}

/// Normal form of a name, for comparison: letters and digits in lower case.
fn normal(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Slug of a name: lower-case ASCII letters and digits, with a dash for everything between them, short enough for a
/// number.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= MAX_ID_BYTES - 4 {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cast(names: &[&str]) -> Cast {
        let mut cast = Cast::default();
        names.iter().for_each(|name| cast.admit(name, "line 1").expect("few enough"));
        cast
    }

    #[test]
    fn a_name_is_found_in_any_spelling() {
        let cast = cast(&["Alma Voss", "bram-keller", "Józef Ł.", "李明", "王芳", "alma  voss"]);
        let ids: Vec<&str> = cast.members.iter().map(|member| member.id.as_str()).collect();
        assert_eq!(ids, ["alma-voss", "bram-keller", "j-zef", "persona-1", "persona-2"]);
        for (name, wanted) in [
            ("alma-voss", Some("alma-voss")),
            ("ALMA_VOSS ", Some("alma-voss")),
            ("Bram Keller", Some("bram-keller")),
            ("JÓZEF Ł", Some("j-zef")),
            ("j-zef", Some("j-zef")),
            ("王芳", Some("persona-2")),
            ("alma", None),
            ("", None),
            ("Cora Lind", None),
        ] {
            assert_eq!(cast.find(name).map(PersonaId::as_str), wanted, "{name}");
        }
    }

    #[test]
    fn the_number_of_participants_is_limited() {
        let names: Vec<String> = (0..MAX_PARTICIPANTS).map(|number| format!("P {number}")).collect();
        let mut full = cast(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(full.admit("P 3", "line 2").is_ok());
        assert!(matches!(full.admit("one more", "line 2"), Err(ImportError::Limit { actual: 65, .. })));
        let mut other = Cast::default();
        let listed = json!(["A", {"id": "b", "name": "B"}, {"id": "c"}, 7, ""]);
        other.admit_all(listed.as_array().expect("a list"), "line 1").expect("few enough");
        assert_eq!(other.listed(), "A, B, c");
        let long = "x".repeat(500);
        assert_eq!(cast(&[&long, &format!("{long}y")]).members[1].id.as_str().len(), 62);
    }
}
