//! Announcements of the moderator, which no model words.

use crate::engines::pro_con::settings::{FactCheckMode, ProConOptions};
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::ids::PersonaId;

/// Announces a round: its number, the sides, the order of the speakers, and the rules.
pub fn announcement(
    options: &ProConOptions,
    round: u32,
    sides: &SidesAssigned,
    name: impl Fn(&PersonaId) -> String,
) -> String {
    let names = |side: MotionSide| sides.of(side).iter().map(&name).collect::<Vec<_>>().join(", ");
    let order: Vec<String> = sides.speaking_order().map(|(id, _)| name(id)).collect();
    let (pro, con) = (names(MotionSide::Pro), names(MotionSide::Con));
    let sides = format!("Round {round} of {}. For the motion: {pro}. Against it: {con}.", options.rounds);
    let order = if order.len() > 2 { format!(" The order: {}.", order.join(", ")) } else { String::new() };
    let words = format!(
        " A speech has at most {} words; a longer one is refused once, and then cut at the end of a sentence.",
        options.words
    );
    let facts = match (options.fact_check, options.retries) {
        (FactCheckMode::Off, _) => " Facts are not checked.".to_owned(),
        (FactCheckMode::Standard, _) => {
            " Facts are checked after each speech, and the results are shown to all.".to_owned()
        }
        (FactCheckMode::Strict, 0) => {
            " Facts are checked before a speech is taken, and those found false are marked.".to_owned()
        }
        (FactCheckMode::Strict, retries) => {
            let times = if retries == 1 { "once".to_owned() } else { format!("up to {retries} times") };
            format!(
                " Facts are checked before a speech is taken: a draft with a claim found false is rejected, {times}."
            )
        }
    };
    format!("{sides}{order}{words}{facts}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::pro_con::settings::read;

    #[test]
    fn the_moderator_announces_sides_order_and_rules() {
        let ids = |names: &[&str]| names.iter().map(|id| id.parse().expect("an id")).collect::<Vec<PersonaId>>();
        let sides = SidesAssigned { pro: ids(&["ada", "cy"]), con: ids(&["ben"]), reason: String::new() };
        let options = read(&json!({ "fact_check": "strict", "retries": 1 })).expect("options");
        assert_eq!(
            announcement(&options, 2, &sides, |id| id.as_str().to_uppercase()),
            "Round 2 of 3. For the motion: ADA, CY. Against it: BEN. The order: ADA, BEN, CY. A speech has at most 500 words; \
             a longer one is refused once, and then cut at the end of a sentence. Facts are checked before a speech is \
             taken: a draft with a claim found false is rejected, once."
        );
    }
}
