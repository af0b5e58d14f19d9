//! `argue -p IS-PR`: the issues on which the preferred labellings divide, and those that decide an argument.

use std::io::Write;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::cli::argumentation::clock::Clock;
use crate::cli::argumentation::iccma::{ReasoningProblem, bracketed, incomplete, limit_name, quoted};
use crate::cli::output::exit::CliError;
use faultline_argumentation::formats::named_framework::NamedFramework;
use faultline_argumentation::formats::names::ArgumentNames;
use faultline_argumentation::issues::division::{DividingIssue, Division, division};
use faultline_argumentation::issues::issue_crux::{CruxIssue, IssueCrux, issue_crux};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::reasoning::extensions_of;

/// Issues of a framework, and the set of issues that decides an argument.
struct Issues<'a> {
    names: &'a ArgumentNames,
    division: Division,
    /// The argument and its deciding issues; the inner `None` means that the issues do not decide it.
    crux: Option<(u32, Option<IssueCrux>)>,
    limit: Option<&'static str>,
}

/// Prints the issues, one per line, or all as one JSON value. Returns a message if a limit was reached.
///
/// # Errors
/// [`CliError`] if the output cannot be written.
pub fn print_issues(
    named: &NamedFramework,
    argument: Option<u32>,
    limits: &SolverLimits<'_>,
    as_json: bool,
    clock: &Clock,
    out: &mut impl Write,
) -> Result<Option<String>, CliError> {
    let started = Instant::now();
    let problem = ReasoningProblem::ISSUES;
    let mut positions = extensions_of(&named.framework, problem.semantics, limits);
    // The order of the search does not show in the answer.
    positions.sets.sort_unstable();
    let division = division(&named.framework, &positions.sets, positions.exact);
    let crux = argument.map(|argument| (argument, issue_crux(&named.framework, &division, argument)));
    let issues = Issues { names: &named.names, division, crux, limit: positions.limit };
    clock.clear();
    if as_json {
        let mut answer = issues.as_json();
        answer.insert("micros".to_owned(), json!(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)));
        writeln!(out, "{}", Value::Object(answer))?;
    } else {
        out.write_all(issues.as_lines().as_bytes())?;
    }
    let progress = format!("only {} preferred labellings were compared", issues.division.positions);
    Ok(issues.limit.map(|limit| incomplete(problem, limit, &progress)))
}

impl Issues<'_> {
    fn as_lines(&self) -> String {
        let division = &self.division;
        let mut lines = format!(
            "{}, {}, {}\n",
            counted(division.positions, "preferred labelling"),
            counted(division.issues.len(), "issue"),
            if division.exact { "exact" } else { "not exact" },
        );
        for (number, issue) in (1..).zip(&division.issues) {
            lines.push_str(&format!("{number}: {}\n", self.issue(issue)));
        }
        if let Some((argument, crux)) = &self.crux {
            lines.push_str(&format!("{}: {}\n", self.name(*argument), self.crux_text(crux.as_ref())));
        }
        lines
    }

    /// Returns the two sides of an issue; the second one only if it has arguments.
    fn issue(&self, issue: &DividingIssue) -> String {
        let side = |arguments: &[u32]| bracketed(arguments.iter().map(|argument| self.name(*argument)));
        match issue.contrary.is_empty() {
            true => side(&issue.alike),
            false => format!("{} against {}", side(&issue.alike), side(&issue.contrary)),
        }
    }

    fn crux_text(&self, crux: Option<&IssueCrux>) -> String {
        let exactness = if self.division.exact { "exact" } else { "not exact" };
        let Some(crux) = crux else {
            return format!("not decided by the issues among its attackers, {exactness}");
        };
        if crux.issues.is_empty() {
            return format!("the same label in all labellings, {exactness}");
        }
        let issue =
            |issue: &CruxIssue| format!("{} ({}, {:.3} bits)", issue.issue + 1, self.name(issue.argument), issue.bits);
        let issues: Vec<String> = crux.issues.iter().map(issue).collect();
        let size = if crux.smallest { "a smallest set" } else { "no issue is redundant, but a smaller set may exist" };
        format!("decided by {}; {size}, {exactness}", issues.join(", "))
    }

    fn as_json(&self) -> Map<String, Value> {
        let names = |arguments: &[u32]| arguments.iter().map(|argument| self.names.name(*argument)).collect::<Value>();
        let issue = |issue: &DividingIssue| json!({ "alike": names(&issue.alike), "contrary": names(&issue.contrary) });
        let mut object = Map::new();
        object.insert("problem".to_owned(), json!(ReasoningProblem::ISSUES.to_string()));
        object.insert("positions".to_owned(), json!(self.division.positions));
        object.insert("issues".to_owned(), self.division.issues.iter().map(issue).collect());
        if let Some((argument, crux)) = &self.crux {
            let mut value = json!({ "argument": self.names.name(*argument), "issues": null });
            if let Some(crux) = crux {
                // Issues are numbered from 1, as in the text.
                let issues = crux.issues.iter().map(|issue| {
                    json!({ "issue": issue.issue + 1, "argument": self.names.name(issue.argument), "bits": issue.bits })
                });
                value["issues"] = issues.collect();
                value["smallest"] = json!(crux.smallest);
            }
            object.insert("crux".to_owned(), value);
        }
        object.insert("exact".to_owned(), json!(self.division.exact));
        if let Some(limit) = self.limit {
            object.insert("limit".to_owned(), json!(limit_name(limit)));
        }
        object
    }

    fn name(&self, argument: u32) -> String {
        quoted(&self.names.name(argument)).into_owned()
    }
}

/// Returns a number with its noun, in the plural unless it is 1.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_argumentation::formats::file_limits::FileLimits;
    use faultline_argumentation::formats::format::Format;
    use faultline_argumentation::formats::read::read;

    /// Two pairs of arguments that attack each other; one of each attacks x.
    const APX: &str = "arg(x). arg(a). arg(b). arg(c). arg(d). arg(y). arg(z). \
        att(a,b). att(b,a). att(c,d). att(d,c). att(a,x). att(c,x). att(b,y). att(z,y).";

    /// Returns the printed answer and the message about a limit.
    fn answered(argument: Option<&str>, sets: usize, as_json: bool) -> (String, Option<String>) {
        let named = read(APX.as_bytes(), Format::Apx, &FileLimits::default()).unwrap();
        let argument = argument.map(|name| named.names.find(name).unwrap());
        let limits = SolverLimits { sets, ..SolverLimits::default() };
        let mut out = Vec::new();
        let limit = print_issues(&named, argument, &limits, as_json, &Clock::new(None), &mut out).unwrap();
        (String::from_utf8(out).unwrap(), limit)
    }

    #[test]
    fn issues_and_the_deciding_ones_are_printed() {
        let issues = "4 preferred labellings, 3 issues, exact\n1: [x]\n2: [a] against [b]\n3: [c] against [d]\n";
        assert_eq!(answered(None, 9, false), (issues.to_owned(), None));
        let of = |argument: &str| answered(Some(argument), 9, false).0.lines().last().unwrap_or_default().to_owned();
        assert_eq!(of("x"), "x: decided by 2 (a, 0.311 bits), 3 (c, 0.311 bits); a smallest set, exact");
        assert_eq!(of("a"), "a: decided by 2 (b, 1.000 bits); a smallest set, exact");
        assert_eq!(of("y"), "y: the same label in all labellings, exact");
    }

    #[test]
    fn json_output_is_one_value() {
        let mut value: Value = serde_json::from_str(&answered(Some("a"), 9, true).0).unwrap();
        assert!(value.as_object_mut().and_then(|object| object.remove("micros")).is_some_and(|micros| micros.is_u64()));
        let issues = json!([
            { "alike": ["x"], "contrary": [] },
            { "alike": ["a"], "contrary": ["b"] },
            { "alike": ["c"], "contrary": ["d"] },
        ]);
        let deciding = json!([{ "issue": 2, "argument": "b", "bits": 1.0 }]);
        let crux = json!({ "argument": "a", "issues": deciding, "smallest": true });
        let expected = json!({ "problem": "IS-PR", "positions": 4, "issues": issues, "crux": crux, "exact": true });
        assert_eq!(value, expected);
    }

    #[test]
    fn a_reached_limit_is_reported() {
        let (printed, limit) = answered(None, 1, false);
        assert_eq!(printed, "1 preferred labelling, 0 issues, not exact\n");
        let expected = "incomplete answer to IS-PR: the limit `sets` was reached, only 1 preferred labellings were \
            compared; raise --limit";
        assert_eq!(limit.as_deref(), Some(expected));
    }
}
