//! Plain sides: participants without a character and without writings, for debates of positions rather than persons.

use faultline_core::events::persona::{Contract, Persona, Voice};

/// Maximum number of participants on one plain side.
const MAX_PER_SIDE: u32 = 6;

/// Returns the participant of a plain side: `pro` answers the topic with yes, `con` with no. Further participants of a side
/// have a number behind its name, from 2 to 6: `pro-2`. `None` for any other id.
pub fn plain_side(id: &str) -> Option<Persona> {
    let id = id.trim().to_lowercase();
    let (side, number) = match id.split_once('-') {
        None => (id.as_str(), None),
        Some((side, number)) => {
            let number: u32 = number.parse().ok().filter(|number| (2..=MAX_PER_SIDE).contains(number))?;
            (side, Some(number))
        }
    };
    let (name, answer) = match side {
        "pro" => ("Pro", "yes"),
        "con" => ("Con", "no"),
        _ => return None,
    };
    let number = number.map(|number| format!(" {number}")).unwrap_or_default();
    Some(Persona {
        id: format!("{side}{}", number.replace(' ', "-")).parse().ok()?,
        name: format!("{name}{number}"),
        about: format!(
            "The side that answers the topic with {answer}, without a past, a character or writings of its own."
        ),
        version: 1,
        contract: Contract {
            bias: format!("You begin with the answer {answer}, and change it only if you are convinced."),
            evidence_policy: "What anybody could check. No experience of your own, since you have none.".to_owned(),
            ..Contract::default()
        },
        voice: Voice { speech_patterns: vec!["Plain and matter-of-fact.".to_owned()], ..Voice::default() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_have_ids_and_names() {
        let named = |id: &str| plain_side(id).map(|side| (side.id.to_string(), side.name));
        let pair = |id: &str, name: &str| Some((id.to_owned(), name.to_owned()));
        assert_eq!(named("pro"), pair("pro", "Pro"));
        assert_eq!(named(" Con "), pair("con", "Con"));
        assert_eq!(named("con-3"), pair("con-3", "Con 3"));
        for other in ["", "yes", "pro-", "pro-1", "pro-02x", "con-7", "pro-con"] {
            assert_eq!(named(other), None, "{other}");
        }
        let (pro, con) = (plain_side("pro"), plain_side("con"));
        assert!(pro.zip(con).is_some_and(|(pro, con)| pro.about != con.about && pro.contract != con.contract));
    }
}
