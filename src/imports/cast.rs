//! Who takes part. Files name the same persona as `Alma Voss` here and `alma-voss` there, and a model that was asked for a
//! speaker may have named nobody at all: a name is a participant's, or it is refused.

use serde_json::Value;

use crate::events::ids::PersonaId;
use crate::events::persona::{Contract, Persona, Voice};
use crate::imports::fault::ImportError;
use crate::imports::fields::text_of;
use crate::imports::limits::PARTICIPANTS;

/// The longest id of a persona, in bytes.
const ID_BYTES: usize = 64;

/// Who takes part, in speaking order.
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
    /// Takes somebody in, unless they are in it already.
    ///
    /// # Errors
    /// [`ImportError::Limit`] where there are too many.
    pub fn admit(&mut self, name: &str, place: &str) -> Result<(), ImportError> {
        let normal = normal(name);
        if normal.is_empty() || self.members.iter().any(|it| it.normal == normal) {
            return Ok(());
        }
        ImportError::within(place, "participants", PARTICIPANTS, self.members.len() + 1)?;
        let id = self.free_id(name);
        self.members.push(Member { id, name: name.trim().to_owned(), normal });
        Ok(())
    }

    /// Takes in whoever a list names: by a string, or by an object with a name or an id.
    ///
    /// # Errors
    /// As [`Cast::admit`].
    pub fn admit_all(&mut self, names: &[Value], place: &str) -> Result<(), ImportError> {
        let named =
            |it: &'_ Value| it.as_str().or_else(|| text_of(it, &["name", "personaId", "id"])).map(str::to_owned);
        names.iter().filter_map(named).try_for_each(|it| self.admit(&it, place))
    }

    /// The participant of this name, or slug of a name; `None` where nobody has it.
    pub fn find(&self, name: &str) -> Option<&PersonaId> {
        let wanted = normal(name);
        self.members.iter().find(|it| it.normal == wanted || it.id.as_str() == name).map(|it| &it.id)
    }

    /// A participant's name for people.
    pub fn name<'a>(&'a self, id: &'a PersonaId) -> &'a str {
        self.members.iter().find(|it| it.id == *id).map_or(id.as_str(), |it| it.name.as_str())
    }

    /// Everybody, in a line.
    pub fn listed(&self) -> String {
        self.members.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether nobody takes part.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Everybody as a debate pins them. The file says no more of them than their names.
    pub fn personas(&self, origin: &str) -> Vec<Persona> {
        let persona = |it: &Member| Persona {
            id: it.id.clone(),
            name: it.name.clone(),
            about: format!("took part in a debate that was imported ({origin})"),
            version: 0,
            contract: Contract::default(),
            voice: Voice::default(),
        };
        self.members.iter().map(persona).collect()
    }

    /// The id that a name makes, if nobody has it; else one with a number behind.
    fn free_id(&self, name: &str) -> PersonaId {
        let slug = slug(name);
        let taken = |it: &PersonaId| self.members.iter().any(|member| member.id == *it);
        let ids = (1..).map(|n| match (slug.is_empty(), n) {
            (true, n) => format!("persona-{n}"),
            (false, 1) => slug.clone(),
            (false, n) => format!("{slug}-{n}"),
        });
        let mut free = ids.filter_map(|it| it.parse::<PersonaId>().ok()).filter(|it| !taken(it));
        free.next().expect("of the endless names with a number only so many are taken")
    }
}

/// What two spellings of one name have in common: letters and digits, lower case.
fn normal(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A name as an id: lower-case ASCII letters and digits, a dash for everything between them; room is left for a number.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= ID_BYTES - 4 {
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
        names.iter().for_each(|it| cast.admit(it, "line 1").expect("few enough"));
        cast
    }

    #[test]
    fn a_name_is_found_however_it_is_spelt() {
        let cast = cast(&["Alma Voss", "bram-keller", "Józef Ł.", "李明", "王芳", "alma  voss"]);
        let ids: Vec<&str> = cast.members.iter().map(|it| it.id.as_str()).collect();
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
    fn there_is_room_for_so_many() {
        let names: Vec<String> = (0..PARTICIPANTS).map(|it| format!("P {it}")).collect();
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
