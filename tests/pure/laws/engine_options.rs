//! The documented types, ranges, choices and defaults of engine options are those that the engines apply.

use faultline_core::engines::registry::ENGINES;
use faultline_core::kernel::engine::{EngineRegistration, OptionDoc, OptionKind};
use serde_json::{Map, Value, json};

/// Calls `rule` with every option of every engine.
fn for_each(rule: impl Fn(&EngineRegistration, &OptionDoc)) {
    for engine in ENGINES {
        for option in engine.options {
            rule(engine, option);
        }
    }
}

fn is_accepted(engine: &EngineRegistration, options: Map<String, Value>) -> bool {
    (engine.normalize)(&Value::Object(options)).is_ok()
}

/// Asserts whether an engine accepts a value of an option, with other options set so that they do not limit it.
fn check(engine: &EngineRegistration, option: &OptionDoc, value: Value, expected: bool) {
    let mut options = Map::new();
    for other in engine.options {
        let bound = match () {
            () if other.not_below == Some(option.name) => other.kind.maximum(),
            () if option.not_below == Some(other.name) => other.kind.minimum(),
            () if other.name.starts_with("weight_") && option.name.starts_with("weight_") => other.kind.minimum(),
            () => continue,
        };
        options.insert(other.name.into(), number(other, bound.expect("a bound")));
    }
    options.insert(option.name.into(), value.clone());
    assert_eq!(is_accepted(engine, options), expected, "{} {} = {value}", engine.name, option.name);
}

/// Writes a bound as JSON: an integer if the option is one.
fn number(option: &OptionDoc, value: f64) -> Value {
    if matches!(option.kind, OptionKind::Integer(..)) { json!(value as i64) } else { json!(value) }
}

/// Returns the nearest values below and above a number that the option could have.
fn neighbors(option: &OptionDoc, value: f64) -> (Value, Value) {
    let (below, above) = match option.kind {
        OptionKind::Integer(..) => (value - 1.0, value + 1.0),
        _ => (value.next_down(), value.next_up()),
    };
    (number(option, below), number(option, above))
}

#[test]
fn bounds_are_accepted_and_the_values_next_to_them_are_refused() {
    for_each(|engine, option| {
        let numeric = matches!(option.kind, OptionKind::Integer(..) | OptionKind::Number(..));
        assert_eq!(option.kind.minimum().is_some(), numeric, "{} {}", engine.name, option.name);
        if let Some(minimum) = option.kind.minimum() {
            check(engine, option, number(option, minimum), true);
            check(engine, option, neighbors(option, minimum).0, false);
            check(engine, option, json!("1"), false);
        }
        if let Some(maximum) = option.kind.maximum() {
            check(engine, option, number(option, maximum), true);
            check(engine, option, neighbors(option, maximum).1, false);
        }
        if matches!(option.kind, OptionKind::Integer(..)) {
            check(engine, option, json!(option.kind.minimum().map(|minimum| minimum + 0.5)), false);
        }
    });
}

#[test]
fn choices_are_accepted_and_other_values_are_refused() {
    for_each(|engine, option| match option.kind {
        OptionKind::Choice(choices) => {
            assert!(choices.len() > 1, "{} {}", engine.name, option.name);
            choices.iter().for_each(|choice| check(engine, option, json!(choice), true));
            check(engine, option, json!("other"), false);
            check(engine, option, json!(0), false);
        }
        OptionKind::Boolean => {
            [true, false].iter().for_each(|choice| check(engine, option, json!(choice), true));
            check(engine, option, json!("true"), false);
        }
        OptionKind::Text => {
            check(engine, option, json!("ada"), true);
            check(engine, option, json!(1), false);
        }
        OptionKind::Texts => {
            check(engine, option, json!(["ada", "ben"]), true);
            check(engine, option, json!("ada"), false);
        }
        OptionKind::Integer(..) | OptionKind::Number(..) | OptionKind::Json => {}
    });
}

#[test]
fn an_option_that_must_not_be_less_than_another_is_refused_below_it() {
    let mut found = 0;
    for engine in ENGINES {
        for option in engine.options {
            let Some(other) = option.not_below else { continue };
            let other = engine.options.iter().find(|doc| doc.name == other).expect("an option of the engine");
            let limit: f64 = serde_json::from_str(other.default).expect("a number");
            let with = |value: Value| {
                let pair = [(other.name.to_owned(), number(other, limit)), (option.name.to_owned(), value)];
                is_accepted(engine, pair.into_iter().collect())
            };
            assert!(with(number(option, limit)), "{} {}", engine.name, option.name);
            assert!(!with(neighbors(option, limit).0), "{} {}", engine.name, option.name);
            found += 1;
        }
    }
    assert!(found > 0);
}

#[test]
fn defaults_are_those_that_engines_apply_and_within_their_ranges() {
    for engine in ENGINES {
        let applied = (engine.normalize)(&Value::Null).expect("defaults");
        let named: Vec<&str> = engine.options.iter().map(|option| option.name).collect();
        let mut applied_names: Vec<&String> = applied.as_object().expect("an object").keys().collect();
        applied_names.sort_by_key(|name| named.iter().position(|other| *other == name.as_str()));
        assert_eq!(applied_names, named, "{}", engine.name);
        for option in engine.options {
            let default: Value = serde_json::from_str(option.default).expect("JSON");
            assert_eq!(applied[option.name], default, "{} {}", engine.name, option.name);
            let within = match option.kind {
                _ if default.is_null() => true,
                OptionKind::Boolean => default.is_boolean(),
                OptionKind::Integer(..) | OptionKind::Number(..) => default.as_f64().is_some_and(|value| {
                    option.kind.minimum().is_none_or(|minimum| minimum <= value)
                        && option.kind.maximum().is_none_or(|maximum| value <= maximum)
                }),
                OptionKind::Choice(choices) => default.as_str().is_some_and(|choice| choices.contains(&choice)),
                OptionKind::Text => default.is_string(),
                OptionKind::Texts => default.is_array(),
                OptionKind::Json => true,
            };
            assert!(within, "{} {} = {default}", engine.name, option.name);
        }
    }
}

#[test]
fn descriptions_contain_the_range_and_the_choices() {
    for_each(|engine, option| {
        let range = match (option.kind.minimum(), option.kind.maximum()) {
            (Some(minimum), Some(maximum)) => match option.not_below {
                Some(other) => format!("{other} to {maximum}"),
                None => format!("{minimum} to {maximum}"),
            },
            (Some(minimum), None) => format!("{minimum} to all"),
            _ => String::new(),
        };
        assert!(option.about.contains(&range), "{} {}: {range}", engine.name, option.name);
        if let OptionKind::Choice(choices) = option.kind {
            let is_described = |choice: &&str| option.about.contains(&format!("`{choice}`"));
            assert!(choices.iter().all(is_described), "{} {}", engine.name, option.name);
        }
    });
}
