//! Conventions of the ICCMA argumentation solver competitions: problems and answer formats.
//!
//! | | `apx`, `tgf`: as in 2015 to 2021 | `af`: as in 2023 |
//! |---|---|---|
//! | SE, one extension | `[a,b]`, or `NO` | `w 1 2`, or `NO` |
//! | EE, all extensions | `[[a,b],[c]]` | one line `w 1 2` each, or `NO`: not part of ICCMA 2023 |
//! | CE, number of extensions | `2` | `2` |
//! | DC, is it in some extension? | `YES` or `NO` | `YES` and a line `w 1 2` with one that contains it, or `NO` |
//! | DS, is it in all extensions? | `YES` or `NO` | `YES`, or `NO` and a line `w 1 2` with one that lacks it |
//!
//! If there is no extension, which is only possible under stable semantics, SE is `NO`, EE is `[]`, CE is 0, DC is `NO`
//! and DS is `YES`.
//!
//! Faultline adds the task IS, the issues on which the preferred labellings divide. No competition has it, so its answer
//! has a format of its own.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use faultline_argumentation::formats::apx::term;
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::limits::STOP_LIMIT;
use faultline_argumentation::semantics::Semantics;

/// Reasoning problem on an argumentation framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasoningProblem {
    /// Reasoning task.
    pub task: ReasoningTask,
    /// Semantics of the extensions.
    pub semantics: Semantics,
}

/// Reasoning task on extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningTask {
    /// One extension: `SE`.
    Some,
    /// All extensions: `EE`.
    Every,
    /// Number of extensions: `CE`.
    Count,
    /// Credulous acceptance, that is membership in some extension: `DC`.
    Credulous,
    /// Sceptical acceptance, that is membership in all extensions: `DS`.
    Sceptical,
    /// Issues on which the preferred labellings divide: `IS`, under preferred semantics only.
    Issues,
}

impl ReasoningTask {
    /// The five tasks of the competitions, which apply to all semantics.
    pub const COMPETITION: [Self; 5] = [Self::Some, Self::Every, Self::Count, Self::Credulous, Self::Sceptical];

    /// Returns the competition's code of the task.
    pub fn code(self) -> &'static str {
        match self {
            Self::Some => "SE",
            Self::Every => "EE",
            Self::Count => "CE",
            Self::Credulous => "DC",
            Self::Sceptical => "DS",
            Self::Issues => "IS",
        }
    }

    /// Returns whether the task requires an argument.
    pub fn needs_argument(self) -> bool {
        matches!(self, Self::Credulous | Self::Sceptical)
    }

    /// Returns whether the task accepts an argument.
    pub fn takes_argument(self) -> bool {
        self.needs_argument() || self == Self::Issues
    }
}

impl ReasoningProblem {
    /// Issues on which the preferred labellings divide: `IS-PR`.
    pub const ISSUES: Self = Self { task: ReasoningTask::Issues, semantics: Semantics::Preferred };

    /// Returns all problems.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |semantics| ReasoningTask::COMPETITION.map(|task| Self { task, semantics });
        Semantics::ALL.into_iter().flat_map(of).chain([Self::ISSUES])
    }
}

impl fmt::Display for ReasoningProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.task.code(), self.semantics.code())
    }
}

impl FromStr for ReasoningProblem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = Self::all().find(|problem| problem.to_string().eq_ignore_ascii_case(text));
        problem.ok_or_else(|| {
            "expected SE, EE, CE, DC or DS, a hyphen, and GR, CO, PR, ST, SST, STG or ID, such as DS-PR; or IS-PR"
                .to_owned()
        })
    }
}

/// Formats a list in brackets, as in the competitions.
pub fn bracketed(items: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(","))
}

/// Writes one extension on a line in the given format.
pub fn extension<'a>(format: Format, name: impl Fn(u32) -> Cow<'a, str>, members: &[u32], line: &mut String) {
    line.clear();
    if format == Format::Af {
        line.push('w');
        members.iter().for_each(|member| line.extend([" ", &name(*member)]));
        return;
    }
    line.push('[');
    for (place, member) in members.iter().enumerate() {
        line.extend([if place == 0 { "" } else { "," }, &quoted(&name(*member))]);
    }
    line.push(']');
}

/// Returns a name unchanged, or quoted if it would be ambiguous in a list.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let is_plain = !name.contains([',', '[', ']', '"', ' ']);
    if is_plain { Cow::Borrowed(name) } else { Cow::Owned(term(name)) }
}

/// Returns the name of a limit in messages and in JSON.
pub fn limit_name(limit: &str) -> &str {
    if limit == STOP_LIMIT { "timeout" } else { limit }
}

/// Returns the message that a limit was reached, with the progress up to it and the option that raises the limit.
pub fn incomplete(problem: ReasoningProblem, limit: &str, progress: &str) -> String {
    let mend = match limit {
        STOP_LIMIT => "raise --timeout",
        "sets" => "raise --limit",
        "nodes" | "conflicts" => "raise --budget",
        _ => "no option changes it",
    };
    format!("incomplete answer to {problem}: the limit `{}` was reached, {progress}; {mend}", limit_name(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_argumentation::formats::names::ArgumentNames;

    #[test]
    fn problems_are_parsed_as_they_are_written() {
        assert_eq!(ReasoningProblem::all().count(), 36);
        for problem in ReasoningProblem::all() {
            assert_eq!(problem.to_string().parse(), Ok(problem));
            assert_eq!(problem.to_string().to_lowercase().parse(), Ok(problem));
        }
        for text in ["", "SE", "SE-", "-PR", "SE-PRX", "EE-AD", "IS-CO", "SE PR", "SE-PR-D"] {
            assert!(text.parse::<ReasoningProblem>().is_err(), "{text:?} was accepted as a problem");
        }
    }

    #[test]
    fn extensions_are_written_in_the_syntax_of_their_format() {
        let check = |format, names: &ArgumentNames, members: &[u32], expected: &str| {
            let mut line = "before".to_owned();
            extension(format, |member| names.name(member), members, &mut line);
            assert_eq!(line, expected);
        };
        let names = ArgumentNames::from_words(["a", "B2", "c d", "e,f", "[\""]).unwrap();
        check(Format::Apx, &names, &[], "[]");
        check(Format::Apx, &names, &[0, 1], "[a,B2]");
        check(Format::Tgf, &names, &[2, 3, 4], r#"["c d","e,f","[\""]"#);
        check(Format::Af, &ArgumentNames::numbers(3), &[], "w");
        check(Format::Af, &ArgumentNames::numbers(3), &[0, 2], "w 1 3");
        assert_eq!(bracketed(["a", "b"]), "[a,b]");
    }
}
