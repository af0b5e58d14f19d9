//! Assignment of sides: as the options name them, and for all others by their opening statements.

use crate::engines::pro_con::settings::ProConOptions;
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;

/// Assigns sides. `stated` are the participants with the side of the topic that their opening statements take, in speaking order;
/// those without an opening statement are left out, unless the options name them. A participant who takes neither side joins the smaller
/// one, or the side for the motion if both are equal.
///
/// # Errors
/// A reason if a side would be empty.
pub fn assign(options: &ProConOptions, stated: &[(PersonaId, Side)]) -> Result<SidesAssigned, String> {
    let (mut pro, mut con) = (options.pro.clone(), options.con.clone());
    let is_named = |id: &PersonaId| options.pro.contains(id) || options.con.contains(id);
    let others: Vec<&(PersonaId, Side)> = stated.iter().filter(|(id, _)| !is_named(id)).collect();
    for (id, side) in &others {
        match side {
            Side::Yes => pro.push(id.clone()),
            Side::No => con.push(id.clone()),
            Side::Nuanced | Side::Undecided => {}
        }
    }
    let neither: Vec<_> =
        others.iter().filter(|(_, side)| matches!(side, Side::Nuanced | Side::Undecided)).map(|(id, _)| id).collect();
    let mut was_equal = false;
    for id in &neither {
        was_equal |= pro.len() == con.len();
        if pro.len() <= con.len() { pro.push((*id).clone()) } else { con.push((*id).clone()) }
    }
    for (side, members) in [(MotionSide::Pro, &pro), (MotionSide::Con, &con)] {
        if members.is_empty() {
            let (side, option) = (side.in_words(), side.name());
            return Err(format!(
                "nobody speaks {side}: no opening statement takes that side; name somebody in the option {option}, or \
                 choose other participants"
            ));
        }
    }
    let reason = match (others.is_empty(), options.pro.is_empty() && options.con.is_empty()) {
        (true, _) => "as the options name them",
        (_, true) => "by the opening statements",
        _ => "as the options name them, the others by their opening statements",
    };
    let balanced = match (neither.is_empty(), was_equal) {
        (true, _) => "",
        (false, false) => "; those who took neither side join the smaller one",
        (false, true) => "; those who took neither side join the smaller one, or that for the motion if both are equal",
    };
    Ok(SidesAssigned { pro, con, reason: format!("{reason}{balanced}") })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engines::pro_con::settings::read;

    /// Assigns sides to participants such as `ada yes`, and lists both: `ada | ben`.
    fn assigned(options: Value, stated: &str) -> String {
        let stated: Vec<(PersonaId, Side)> = stated
            .split(", ")
            .map(|told| {
                let (id, side) = told.split_once(' ').expect("a side");
                let side = match side {
                    "yes" => Side::Yes,
                    "no" => Side::No,
                    "nuanced" => Side::Nuanced,
                    _ => Side::Undecided,
                };
                (id.parse().expect("an id"), side)
            })
            .collect();
        let names = |side: &[PersonaId]| side.iter().map(PersonaId::as_str).collect::<Vec<_>>().join(" ");
        match assign(&read(&options).expect("options"), &stated) {
            Ok(sides) => format!("{} | {}", names(&sides.pro), names(&sides.con)),
            Err(reason) => reason.split(':').next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn the_reason_tells_who_took_neither_side() {
        let stated = |sides: &[Side]| -> Vec<_> {
            let ids = ["ada", "ben", "cy"].map(|id| id.parse().expect("an id"));
            ids.into_iter().zip(sides.iter().copied()).collect()
        };
        for (sides, expected) in [
            (&[Side::Yes, Side::No][..], "by the opening statements"),
            (
                &[Side::Yes, Side::Undecided][..],
                "by the opening statements; those who took neither side join the smaller one",
            ),
            (
                &[Side::Yes, Side::No, Side::Nuanced][..],
                "by the opening statements; those who took neither side join the smaller one, or that for the motion if \
                 both are equal",
            ),
        ] {
            let assigned = assign(&ProConOptions::default(), &stated(sides)).expect("both sides have a speaker");
            assert_eq!(assigned.reason, expected, "{sides:?}");
        }
    }

    #[test]
    fn sides_follow_the_options_and_then_the_opening_statements() {
        for (options, stated, expected) in [
            (Value::Null, "ada yes, ben no", "ada | ben"),
            (Value::Null, "ada no, ben yes, cy no", "ben | ada cy"),
            (Value::Null, "ada yes, ben yes, cy no, di nuanced", "ada ben | cy di"),
            (Value::Null, "ada yes, ben undecided", "ada | ben"),
            (Value::Null, "ada undecided, ben undecided", "ada | ben"),
            (json!({ "pro": ["ben"] }), "ada yes, ben no, cy no", "ben ada | cy"),
            (json!({ "pro": ["ben"], "con": ["ada"] }), "ada yes, ben no", "ben | ada"),
            (Value::Null, "ada yes, ben yes", "nobody speaks against the motion"),
            (Value::Null, "ada no, ben no", "nobody speaks for the motion"),
        ] {
            assert_eq!(assigned(options.clone(), stated), expected, "{options} {stated}");
        }
    }
}
