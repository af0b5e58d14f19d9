//! The conventions of the competitions of argumentation solvers (ICCMA): problems, and how answers are written.
//!
//! | | `apx`, `tgf`: as in 2015 to 2021 | `af`: as in 2023 |
//! |---|---|---|
//! | SE, some extension | `[a,b]`, or `NO` | `w 1 2`, or `NO` |
//! | EE, every extension | `[[a,b],[c]]` | a line `w 1 2` each, or `NO`: not asked for in 2023 |
//! | CE, how many | `2` | `2` |
//! | DC, is it in some? | `YES` or `NO` | `YES` and a line `w 1 2` of one that holds it, or `NO` |
//! | DS, is it in every one? | `YES` or `NO` | `YES`, or `NO` and a line `w 1 2` of one that does not hold it |
//!
//! Where there is no extension, as may be under stable semantics alone, SE is `NO`, EE is `[]`, CE is 0, DC is `NO` and
//! DS is `YES`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::argumentation::formats::apx::term;
use crate::argumentation::formats::format::Format;
use crate::argumentation::formats::names::Names;
use crate::argumentation::semantics::Semantics;

/// What is asked of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is asked.
    pub task: Task,
    /// Of which sets.
    pub semantics: Semantics,
}

/// What is asked of extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Some extension: `SE`.
    Some,
    /// Every extension: `EE`.
    Every,
    /// How many: `CE`.
    Count,
    /// Whether an argument is in some: `DC`.
    Credulous,
    /// Whether an argument is in every one: `DS`.
    Sceptical,
}

impl Task {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Some, Self::Every, Self::Count, Self::Credulous, Self::Sceptical];

    /// The letters of the competition.
    pub fn code(self) -> &'static str {
        match self {
            Self::Some => "SE",
            Self::Every => "EE",
            Self::Count => "CE",
            Self::Credulous => "DC",
            Self::Sceptical => "DS",
        }
    }

    /// Whether it is asked of an argument.
    pub fn is_of_argument(self) -> bool {
        matches!(self, Self::Credulous | Self::Sceptical)
    }
}

impl Problem {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        Semantics::ALL.into_iter().flat_map(|semantics| Task::ALL.map(|task| Self { task, semantics }))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.task.code(), self.semantics.code())
    }
}

impl FromStr for Problem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::all().find(|it| it.to_string().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            "a problem is SE, EE, CE, DC or DS, a hyphen, and GR, CO, PR, ST, SST, STG or ID, such as DS-PR".to_owned()
        })
    }
}

/// A list in brackets, as competitions write one.
pub fn bracketed(items: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|it| it.to_string()).collect();
    format!("[{}]", items.join(","))
}

/// One extension in a line, as its format has it.
pub fn extension(format: Format, names: &Names, members: &[u32], line: &mut String) {
    line.clear();
    if format == Format::Af {
        line.push('w');
        members.iter().for_each(|it| line.extend([" ", &names.name(*it)]));
        return;
    }
    line.push('[');
    for (place, member) in members.iter().enumerate() {
        line.extend([if place == 0 { "" } else { "," }, &shown(&names.name(*member))]);
    }
    line.push(']');
}

/// A name as it stands, or between quotes where it would be taken for two, or for the end of the list.
fn shown(name: &str) -> Cow<'_, str> {
    let is_plain = !name.contains([',', '[', ']', '"', ' ']);
    if is_plain { Cow::Borrowed(name) } else { Cow::Owned(term(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_read_as_they_are_written() {
        assert_eq!(Problem::all().count(), 35);
        for problem in Problem::all() {
            assert_eq!(problem.to_string().parse(), Ok(problem));
            assert_eq!(problem.to_string().to_lowercase().parse(), Ok(problem));
        }
        for text in ["", "SE", "SE-", "-PR", "SE-PRX", "EE-AD", "SE PR", "SE-PR-D"] {
            assert!(text.parse::<Problem>().is_err(), "{text:?} was taken for a problem");
        }
    }

    #[test]
    fn an_extension_is_written_as_its_format_has_it() {
        let check = |format, names: &Names, members: &[u32], expected: &str| {
            let mut line = "before".to_owned();
            extension(format, names, members, &mut line);
            assert_eq!(line, expected);
        };
        let names = Names::words(["a", "B2", "c d", "e,f", "[\""]).unwrap();
        check(Format::Apx, &names, &[], "[]");
        check(Format::Apx, &names, &[0, 1], "[a,B2]");
        check(Format::Tgf, &names, &[2, 3, 4], r#"["c d","e,f","[\""]"#);
        check(Format::Af, &Names::numbers(3), &[], "w");
        check(Format::Af, &Names::numbers(3), &[0, 2], "w 1 3");
        assert_eq!(bracketed(["a", "b"]), "[a,b]");
    }
}
