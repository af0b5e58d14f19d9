//! Parsing and validation of engine options.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kernel::engine::{OptionDoc, Refusal};
use crate::questions::nearest::suggestions;

/// Documentation of the option `audit`, which every engine has.
pub const AUDIT: OptionDoc = OptionDoc::choice(
    "audit",
    &["required", "off"],
    "second reading of the words at the end: `required` (without it there is no consensus) or `off`",
    "\"required\"",
);

/// Documentation of the option `quorum`, which every engine has. The range is checked when a debate is opened
/// ([`crate::kernel::command::validate_config`]), since it depends on the participants.
pub const QUORUM: OptionDoc = OptionDoc::integer_from(
    "quorum",
    2,
    "participants who must take one side of a dispute before it is common ground, 2 to all; null requires all",
    "null",
);

/// Documentation of the option `searches`, which every engine has that this service drives.
pub const SEARCHES: OptionDoc = OptionDoc::integer(
    "searches",
    (0, MAX_SEARCHES),
    "searches that each participant may ask for before an answer, 0 to 20; the provider `offline` asks for none",
    "0",
);

/// Documentation of the option `shared_corpus`, which every engine has that this service drives. Whether there is such a
/// corpus is checked when a debate is opened.
pub const SHARED_CORPUS: OptionDoc = OptionDoc::text(
    "shared_corpus",
    "id of a corpus of which all participants are given as many passages as of their own, or null",
    "null",
);

/// Largest value of the option `searches`.
pub const MAX_SEARCHES: u32 = 20;

/// Reads options strictly; `null` means that none are given.
///
/// # Errors
/// [`Refusal`] if `given` is not an object, or an option is unknown or has the wrong type, with the name of the option.
pub fn read<O: DeserializeOwned + Default>(given: &Value, known: &[OptionDoc]) -> Result<O, Refusal> {
    if given.is_null() {
        return Ok(O::default());
    }
    if !given.is_object() {
        return Err(Refusal::invalid("`options` must be a JSON object"));
    }
    serde_json::from_value(given.clone()).map_err(|error| {
        let names: Vec<&str> = known.iter().map(|option| option.name).collect();
        let options = given.as_object().into_iter().flatten();
        if let Some((key, _)) = options.clone().find(|(key, _)| !names.contains(&key.as_str())) {
            let key: String = key.chars().take(64).collect();
            return Refusal::invalid(format!("unknown option {key:?}{}", suggestions(&key, &names))).of_option(&key);
        }
        let alone =
            |(key, value): (&String, &Value)| Value::Object([(key.clone(), value.clone())].into_iter().collect());
        let wrong = options.into_iter().find(|option| serde_json::from_value::<O>(alone(*option)).is_err());
        match wrong {
            Some((key, _)) => Refusal::invalid(format!("the option {key} is invalid: {error}")).of_option(key),
            None => Refusal::invalid(format!("the options are invalid: {error}")),
        }
    })
}

/// Serializes options, defaults included.
pub fn with_defaults<O: Serialize>(options: &O) -> Value {
    serde_json::to_value(options).expect("options serialize: they have string keys and finite values")
}

/// Refuses options outside the ranges that their documentation declares.
///
/// # Errors
/// [`Refusal`] that names the first such option and its range.
pub fn check<O: Serialize>(options: &O, known: &[OptionDoc]) -> Result<(), Refusal> {
    let values = with_defaults(options);
    let fault = known.iter().find_map(|option| Some((option, range_fault(option, &values)?)));
    fault.map_or(Ok(()), |(option, fault)| Err(Refusal::invalid(fault).of_option(option.name)))
}

/// Describes all options outside the ranges that their documentation declares, in its order. An option that is null is
/// within any range.
pub fn range_faults<O: Serialize>(options: &O, known: &[OptionDoc]) -> Vec<String> {
    let values = with_defaults(options);
    known.iter().filter_map(|option| range_fault(option, &values)).collect()
}

fn range_fault(option: &OptionDoc, values: &Value) -> Option<String> {
    let number = |name: &str| values.get(name).and_then(Value::as_f64);
    let value = number(option.name)?;
    let (lowest, highest) = (option.kind.minimum(), option.kind.maximum());
    let lowest = match (lowest, option.not_below.and_then(number)) {
        (Some(lowest), Some(other)) => Some(lowest.max(other)),
        (lowest, other) => lowest.or(other),
    };
    let is_within = lowest.is_none_or(|lowest| value >= lowest) && highest.is_none_or(|highest| value <= highest);
    let range = match (lowest, highest) {
        _ if is_within => return None,
        (Some(lowest), Some(highest)) => format!("between {lowest} and {highest}"),
        (Some(lowest), None) => format!("at least {lowest}"),
        (None, Some(highest)) => format!("at most {highest}"),
        (None, None) => return None,
    };
    Some(format!("the option {} is {value}; it must be {range}", option.name))
}
