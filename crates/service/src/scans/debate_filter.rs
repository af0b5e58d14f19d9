//! Filters of debates as text, from parameters of an address or options of a command.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

use faultline_core::engines::registry::ENGINES;
use faultline_core::projections::summary::Status;
use faultline_core::questions::nearest::suggestions;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_store::views::debates::{DebateQuery, MAX_SEARCH_CHARS};

/// Names of the filters.
pub const FILTERS: [&str; 10] =
    ["status", "engine", "provider", "model", "regime", "outcome", "persona", "search", "openedAfter", "openedBefore"];
/// Outcomes, as the stored list names them.
const OUTCOMES: [&str; 6] = ["settled", "exhausted", "limit", "stalled", "failed", "cancelled"];

/// Adds a condition to a filter.
///
/// # Errors
/// The reason if there is no filter of this name, or the value is none of its values.
pub fn add_condition(filter: &mut DebateQuery, name: &str, value: &str) -> Result<(), String> {
    let text = || Some(value.to_owned());
    match name {
        "status" => {
            let statuses = [Status::Running, Status::Paused, Status::Concluded, Status::Cancelled];
            one_of(value, "status", statuses.map(Status::name))?;
            filter.status = text();
        }
        "engine" => {
            let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
            if !known.contains(&value) {
                return Err(format!("unknown engine {value:?}{}", suggestions(value, &known)));
            }
            filter.engine = text();
        }
        "provider" => filter.provider = text(),
        "model" => filter.model = text(),
        "outcome" => {
            one_of(value, "outcome", OUTCOMES)?;
            filter.outcome = text();
        }
        "regime" => {
            let regimes = [RegimeKind::Consensus, RegimeKind::Polarized, RegimeKind::Partial, RegimeKind::Undetermined];
            one_of(value, "regime", regimes.map(RegimeKind::name))?;
            filter.regime = text();
        }
        "persona" => filter.persona = Some(value.parse().map_err(|misnamed| format!("{misnamed}"))?),
        "search" if value.chars().count() > MAX_SEARCH_CHARS => {
            return Err(format!("the text is longer than {MAX_SEARCH_CHARS} characters"));
        }
        "search" => filter.topic = text(),
        "openedAfter" => filter.opened_after = Some(time(value)?),
        "openedBefore" => filter.opened_before = Some(time(value)?),
        _ => return Err(format!("there is no filter of this name; available: {}", FILTERS.join(", "))),
    }
    Ok(())
}

fn one_of<'a>(value: &str, what: &str, known: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let known: Vec<&str> = known.into_iter().collect();
    match known.contains(&value) {
        true => Ok(()),
        false => Err(format!("unknown {what} {value:?}; available: {}", known.join(", "))),
    }
}

/// Parses a time, or the start of a day in UTC.
fn time(value: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(day) = value.parse::<NaiveDate>() {
        return Ok(day.and_time(NaiveTime::MIN).and_utc());
    }
    let time = DateTime::parse_from_rfc3339(value);
    time.map(|time| time.to_utc()).map_err(|_| {
        format!("{value:?} is neither a day (2027-01-31) nor a time with its offset (2027-01-31T12:00:00Z)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_added_by_name_and_checked() {
        let check = |name: &str, value: &str, expected: Result<(), &str>| {
            let added = add_condition(&mut DebateQuery::default(), name, value);
            assert_eq!(added.as_ref().copied().map_err(String::as_str), expected, "{name} {value:?}");
        };
        check("status", "concluded", Ok(()));
        check("status", "over", Err("unknown status \"over\"; available: running, paused, concluded, cancelled"));
        check("engine", "graph", Ok(()));
        assert!(
            add_condition(&mut DebateQuery::default(), "engine", "grahp")
                .is_err_and(|it| it.contains("did you mean graph?"))
        );
        check("provider", "of another version", Ok(()));
        check("regime", "polarized", Ok(()));
        check("regime", "", Err("unknown regime \"\"; available: consensus, polarized, partial, undetermined"));
        check("persona", "ada-quill", Ok(()));
        check("openedAfter", "2027-01-31", Ok(()));
        check("openedBefore", "2027-01-31T12:00:00.5+02:00", Ok(()));
        let reason = "\"soon\" is neither a day (2027-01-31) nor a time with its offset (2027-01-31T12:00:00Z)";
        check("openedBefore", "soon", Err(reason));
        let long = "x".repeat(MAX_SEARCH_CHARS + 1);
        check("search", &long, Err("the text is longer than 200 characters"));
        assert!(add_condition(&mut DebateQuery::default(), "persona", "Ada Quill").is_err());
        for name in FILTERS {
            let absent = add_condition(&mut DebateQuery::default(), name, "?");
            assert!(absent.is_ok() || !absent.is_err_and(|reason| reason.contains("no filter")), "{name}");
        }
        assert!(add_condition(&mut DebateQuery::default(), "topic", "x").is_err());
    }
}
