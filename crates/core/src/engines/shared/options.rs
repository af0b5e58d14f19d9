//! Parsing and validation of engine options.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kernel::engine::{OptionDoc, Refusal};

/// Documentation of the option `audit`, which every engine has.
pub const AUDIT: OptionDoc = OptionDoc {
    name: "audit",
    about: "second reading of the words at the end: `required` (without it there is no consensus) or `off`",
    default: "\"required\"",
};

/// Documentation of the option `quorum`, which every engine has. The range is checked when a debate is opened
/// ([`crate::kernel::command::validate_config`]), since it depends on the participants.
pub const QUORUM: OptionDoc = OptionDoc {
    name: "quorum",
    about: "participants who must take one side of a dispute before it is common ground, 2 to all; null requires all",
    default: "null",
};

/// Documentation of the option `searches`, which every engine has that this service drives.
pub const SEARCHES: OptionDoc = OptionDoc {
    name: "searches",
    about: "searches that each participant may ask for before an answer, 0 to 20; the provider `offline` asks for none",
    default: "0",
};

/// Documentation of the option `shared_corpus`, which every engine has that this service drives. Whether there is such a
/// corpus is checked when a debate is opened.
pub const SHARED_CORPUS: OptionDoc = OptionDoc {
    name: "shared_corpus",
    about: "id of a corpus of which all participants are given as many passages as of their own, or null",
    default: "null",
};

/// Largest value of the option `searches`.
pub const MAX_SEARCHES: u32 = 20;

/// Reads options strictly; `null` means that none are given.
///
/// # Errors
/// [`Refusal`] if `given` is not an object, or an option is unknown or has the wrong type. Lists the available options.
pub fn read<O: DeserializeOwned + Default>(given: &Value, known: &[OptionDoc]) -> Result<O, Refusal> {
    if given.is_null() {
        return Ok(O::default());
    }
    if !given.is_object() {
        return Err(Refusal::invalid("`options` must be a JSON object"));
    }
    serde_json::from_value(given.clone()).map_err(|error| {
        let names: Vec<&str> = known.iter().map(|option| option.name).collect();
        Refusal::invalid(format!("the options are invalid: {error}; available options: {}", names.join(", ")))
    })
}

/// Serializes options, defaults included.
pub fn with_defaults<O: Serialize>(options: &O) -> Value {
    serde_json::to_value(options).expect("options serialize: they have string keys and finite values")
}

/// Refuses a value outside its range.
///
/// # Errors
/// [`Refusal`] that names the option and its range.
pub fn within<T: PartialOrd + std::fmt::Display>(name: &str, value: T, lowest: T, highest: T) -> Result<(), Refusal> {
    if value >= lowest && value <= highest {
        Ok(())
    } else {
        Err(Refusal::invalid(format!("the option {name} is {value}; it must be between {lowest} and {highest}")))
    }
}
