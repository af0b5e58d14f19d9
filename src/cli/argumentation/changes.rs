//! `argue --changes`: the grounded extension of a framework, first and after each change.
//!
//! The labels are kept current: a change costs about as much as the labels that depend on it, and printing the
//! extension is linear in its members.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::cli::argumentation::clock::Clock;
use crate::cli::argumentation::iccma::{ReasoningProblem, ReasoningTask, extension, incomplete, limit_name};
use crate::cli::argumentation::input;
use crate::cli::output::exit::CliError;
use faultline_argumentation::change::dynamic_framework::DynamicFramework;
use faultline_argumentation::formats::apx::term;
use faultline_argumentation::formats::apx_changes::{ChangeLine, FrameworkChange};
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::named_framework::NamedFramework;
use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::STOP_LIMIT;
use faultline_argumentation::semantics::Semantics;

/// The problem whose answers are printed.
const PROBLEM: ReasoningProblem = ReasoningProblem { task: ReasoningTask::Some, semantics: Semantics::Grounded };

/// Prints the grounded extension of the framework, and again after each change of a file. `files` are the framework and
/// the changes. Returns a message if the timeout passed.
///
/// # Errors
/// [`CliError::Refused`] if the format is not `apx`, the changes cannot be read, or one of them is not possible; in the
/// last case the extensions before it are printed, unless as JSON.
pub fn print_changes(
    named: &NamedFramework,
    format: Format,
    files: (&Path, &Path),
    as_json: bool,
    clock: &Clock,
    out: &mut impl Write,
) -> Result<Option<String>, CliError> {
    if format != Format::Apx {
        let framework = input::shown(files.0);
        let message = format!("--changes supports the format apx only, and {framework} is {format}: convert it to apx");
        return Err(CliError::Refused(message));
    }
    let changes = input::changes(files.1)?;
    let changing = NamedDynamicFramework::of(named);
    answer(changing, &changes, as_json, clock, out).map_err(|error| match error {
        CliError::Refused(message) => CliError::Refused(format!("{}: {message}", input::shown(files.1))),
        error => error,
    })
}

/// Prints the extensions as lines or as one JSON value.
fn answer(
    mut changing: NamedDynamicFramework,
    changes: &[ChangeLine],
    as_json: bool,
    clock: &Clock,
    out: &mut impl Write,
) -> Result<Option<String>, CliError> {
    let started = Instant::now();
    let (mut line, mut answers, mut done) = (String::new(), Vec::new(), 0);
    let first = changing.members();
    if !as_json {
        writeln!(out, "{}", changing.line(&first, &mut line))?;
    }
    for ChangeLine { line: number, change } in changes {
        if clock.has_run_out(PROBLEM) {
            break;
        }
        let applied = changing.apply(change);
        applied.map_err(|message| CliError::Refused(format!("line {number}: {message}")))?;
        let members = changing.members();
        if as_json {
            answers.push(json!({ "change": written(change), "extension": changing.names_of(&members) }));
        } else {
            writeln!(out, "{}", changing.line(&members, &mut line))?;
        }
        done += 1;
    }
    let limit = (done < changes.len()).then_some(STOP_LIMIT);
    if as_json {
        let mut answer = json!({
            "problem": PROBLEM.to_string(),
            "extension": changing.names_of(&first),
            "changes": answers,
            "exact": limit.is_none(),
            "micros": u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        });
        if let Some(limit) = limit {
            answer["limit"] = json!(limit_name(limit));
        }
        clock.clear();
        writeln!(out, "{answer}")?;
    }
    Ok(limit.map(|limit| incomplete(PROBLEM, limit, &format!("after {done} of {} changes", changes.len()))))
}

/// Framework that changes, with the names of its arguments.
struct NamedDynamicFramework {
    framework: DynamicFramework,
    /// Name of every argument that ever existed, by number.
    names: Vec<String>,
    /// Numbers of the existing arguments.
    numbers: HashMap<String, u32>,
}

impl NamedDynamicFramework {
    fn of(named: &NamedFramework) -> Self {
        let names: Vec<String> = named.names.iter().map(Cow::into_owned).collect();
        let numbers = names.iter().cloned().zip(0..).collect();
        Self { framework: DynamicFramework::of(&named.framework), names, numbers }
    }

    /// Applies a change; an error says why it is not possible.
    fn apply(&mut self, change: &FrameworkChange) -> Result<(), String> {
        match change {
            FrameworkChange::AddArgument(name) => {
                if self.numbers.contains_key(name) {
                    return Err(format!("cannot add the argument {}: it exists already", term(name)));
                }
                let number = self.framework.add().map_err(|error| error.to_string())?;
                self.names.push(name.clone());
                self.numbers.insert(name.clone(), number);
            }
            FrameworkChange::RemoveArgument(name) => {
                let number = self.number(name)?;
                self.framework.withdraw(number).map_err(|error| error.to_string())?;
                self.numbers.remove(name);
            }
            FrameworkChange::AddAttack(attacker, target) => {
                let (from, to) = (self.number(attacker)?, self.number(target)?);
                if !self.framework.attack(from, to).map_err(|error| error.to_string())? {
                    return Err(format!("cannot add att({},{}): it exists already", term(attacker), term(target)));
                }
            }
            FrameworkChange::RemoveAttack(attacker, target) => {
                let (from, to) = (self.number(attacker)?, self.number(target)?);
                if !self.framework.retract(from, to).map_err(|error| error.to_string())? {
                    return Err(format!("cannot remove att({},{}): it does not exist", term(attacker), term(target)));
                }
            }
        }
        Ok(())
    }

    fn number(&self, name: &str) -> Result<u32, String> {
        let number = self.numbers.get(name).copied();
        number.ok_or_else(|| format!("unknown argument {}: it was never added, or it was removed", term(name)))
    }

    /// Returns the members of the grounded extension, in the order in which they were added.
    fn members(&self) -> Vec<u32> {
        self.framework.arguments().filter(|argument| self.framework.label(*argument) == Some(Label::In)).collect()
    }

    fn line<'a>(&self, members: &[u32], line: &'a mut String) -> &'a str {
        extension(Format::Apx, |member| Cow::Borrowed(self.names[member as usize].as_str()), members, line);
        line
    }

    fn names_of(&self, members: &[u32]) -> Value {
        members.iter().map(|member| self.names[*member as usize].as_str()).collect()
    }
}

/// Returns a change as it is written in a file.
fn written(change: &FrameworkChange) -> String {
    match change {
        FrameworkChange::AddArgument(name) => format!("+arg({}).", term(name)),
        FrameworkChange::RemoveArgument(name) => format!("-arg({}).", term(name)),
        FrameworkChange::AddAttack(attacker, target) => format!("+att({},{}).", term(attacker), term(target)),
        FrameworkChange::RemoveAttack(attacker, target) => format!("-att({},{}).", term(attacker), term(target)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::time::Duration;

    use faultline_argumentation::formats::apx_changes::read_changes;
    use faultline_argumentation::formats::file_limits::FileLimits;
    use faultline_argumentation::formats::read::read;

    const APX: &str = "arg(a). arg(b). arg(c). att(a,b). att(b,c).";

    /// Returns the printed answer, and the message about the timeout or the error.
    fn answered(changes: &str, as_json: bool, timeout: Option<Duration>) -> (String, Option<String>) {
        let named = read(APX.as_bytes(), Format::Apx, &FileLimits::default()).unwrap();
        let changes = read_changes(changes.as_bytes(), &FileLimits::default()).unwrap();
        let mut out = Vec::new();
        let limit = answer(NamedDynamicFramework::of(&named), &changes, as_json, &Clock::new(timeout), &mut out);
        (String::from_utf8(out).unwrap(), limit.unwrap_or_else(|error| Some(error.to_string())))
    }

    #[test]
    fn the_extension_is_printed_first_and_after_each_change() {
        let changes = "+arg(d). +att(d,a).\n-arg(d).\n-att(a,b). +arg(d). +att(d,d).";
        let (printed, limit) = answered(changes, false, None);
        let expected = ["[a,c]", "[a,c,d]", "[b,d]", "[a,c]", "[a,b]", "[a,b,d]", "[a,b]"];
        assert_eq!((printed.lines().collect::<Vec<_>>(), limit), (expected.to_vec(), None));
    }

    #[test]
    fn a_change_that_is_not_possible_is_refused_with_its_line() {
        let check = |changes: &str, expected: &str| {
            let (printed, message) = answered(changes, false, None);
            assert_eq!((printed.as_str(), message.as_deref()), ("[a,c]\n", Some(expected)));
        };
        check("+arg(a).", "line 1: cannot add the argument a: it exists already");
        check("% c\n-arg(d).", "line 2: unknown argument d: it was never added, or it was removed");
        check("+att(a,\"x y\").", "line 1: unknown argument \"x y\": it was never added, or it was removed");
        check("+att(a,b).", "line 1: cannot add att(a,b): it exists already");
        check("\n\n-att(a,c).", "line 3: cannot remove att(a,c): it does not exist");
    }

    #[test]
    fn json_output_is_one_value_and_a_timeout_is_reported() {
        let (printed, limit) = answered("-att(a,b).", true, None);
        let mut value: Value = serde_json::from_str(&printed).unwrap();
        assert!(value.as_object_mut().and_then(|object| object.remove("micros")).is_some_and(|micros| micros.is_u64()));
        let changes = json!([{ "change": "-att(a,b).", "extension": ["a", "b"] }]);
        let expected = json!({ "problem": "SE-GR", "extension": ["a", "c"], "changes": changes, "exact": true });
        assert_eq!((value, limit), (expected, None));

        let (printed, limit) = answered("-att(a,b).", false, Some(Duration::ZERO));
        let expected =
            "incomplete answer to SE-GR: the limit `timeout` was reached, after 0 of 1 changes; raise --timeout";
        assert_eq!((printed.as_str(), limit.as_deref()), ("[a,c]\n", Some(expected)));
    }
}
