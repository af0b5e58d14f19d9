//! Options of engines: read strictly, refused in words.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kernel::engine::{OptionDoc, Refusal};

/// Reads options; `null` stands for none given.
///
/// # Errors
/// A [`Refusal`] that names the option, and those there are.
pub fn read<O: DeserializeOwned + Default>(given: &Value, known: &[OptionDoc]) -> Result<O, Refusal> {
    if given.is_null() {
        return Ok(O::default());
    }
    if !given.is_object() {
        return Err(Refusal::invalid("the options are no object; give names with values"));
    }
    serde_json::from_value(given.clone()).map_err(|error| {
        let names: Vec<&str> = known.iter().map(|it| it.name).collect();
        Refusal::invalid(format!("the options cannot be read: {error}; there are {}", names.join(", ")))
    })
}

/// Options with their defaults written out.
pub fn written_out<O: Serialize>(options: &O) -> Value {
    serde_json::to_value(options).expect("options have string keys and finite values only")
}

/// Refuses a value outside its range.
///
/// # Errors
/// A [`Refusal`] that names option and range.
pub fn within<T: PartialOrd + std::fmt::Display>(name: &str, value: T, lowest: T, highest: T) -> Result<(), Refusal> {
    if value >= lowest && value <= highest {
        Ok(())
    } else {
        Err(Refusal::invalid(format!("the option {name} is {value}; it may be {lowest} to {highest}")))
    }
}
