//! `faultline argue`: solves problems of abstract argumentation by the conventions of the ICCMA competitions.
//!
//! Needs no configuration, database or threads. Exits with 0 if the printed answer is complete (NO is a complete
//! answer), and with 1 if a limit was reached or the file cannot be read.

use std::io::{BufWriter, Write, stdout};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::cli::argumentation::argue_args::ArgueArgs;
use crate::cli::argumentation::changes::print_changes;
use crate::cli::argumentation::clock::Clock;
use crate::cli::argumentation::iccma::{ReasoningProblem, ReasoningTask, bracketed, extension, incomplete, limit_name};
use crate::cli::argumentation::input::{STDIN, framework, shown};
use crate::cli::argumentation::issues::print_issues;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;
use faultline_argumentation::extensions::EnumerationSummary;
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::named_framework::NamedFramework;
use faultline_argumentation::limits::{STOP_LIMIT, SolverLimits};
use faultline_argumentation::queries::argument_acceptance::{is_credulous, is_sceptical};
use faultline_argumentation::queries::extension_search::{deciding_extension, some_extension};
use faultline_argumentation::reasoning::{enumerate_extensions_of, factors_of};
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::count::Count;

/// Solves a problem and prints the answer.
///
/// # Errors
/// [`CliError::Usage`] if arguments are missing or inconsistent; [`CliError::Refused`] if the file cannot be read or a
/// limit was reached first.
pub fn run(args: &ArgueArgs) -> Result<(), CliError> {
    if args.problems {
        return print(&format!("{}\n", bracketed(ReasoningProblem::all())));
    }
    if args.formats {
        return print(&format!("{}\n", bracketed(Format::ALL)));
    }
    let (Some(problem), Some(path)) = (args.problem, &args.file) else {
        return Err(CliError::Usage("specify a problem (-p) and a file (-f), such as -p EE-PR -f FILE".to_owned()));
    };
    check_options(args, problem, path)?;
    let (named, format) = framework(path, args.format)?;
    let argument = args.argument.as_deref().map(|name| {
        let argument = named.names.find(name);
        argument.ok_or_else(|| CliError::Refused(format!("{} has no argument {name:?}", shown(path))))
    });
    let argument = argument.transpose()?;
    let clock = Clock::new(args.timeout);
    let stop = || clock.has_run_out(problem);
    let is_of_issues = problem.task == ReasoningTask::Issues;
    let defaults = SolverLimits::default();
    let limits = SolverLimits {
        nodes: args.budget.unwrap_or(u64::MAX),
        conflicts: args.budget.unwrap_or(u64::MAX),
        // Issues are computed from extensions in memory, all other answers from one extension at a time.
        sets: args.limit.unwrap_or(if is_of_issues { defaults.sets } else { usize::MAX }),
        stop: Some(&stop),
    };
    let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
    let limit = if let Some(changes) = &args.changes {
        print_changes(&named, format, (path, changes), args.json, &clock, &mut out)
    } else if is_of_issues {
        print_issues(&named, argument, &limits, args.json, &clock, &mut out)
    } else {
        let query = Query { problem, argument, format, named: &named, witness: !args.no_witness };
        if args.json { query.as_json(&limits, &clock, &mut out) } else { query.as_lines(&limits, &clock, &mut out) }
    };
    clock.clear();
    out.flush()?;
    match limit? {
        None => Ok(()),
        Some(limit) => Err(CliError::Refused(limit)),
    }
}

/// Checks that the options fit the problem.
fn check_options(args: &ArgueArgs, problem: ReasoningProblem, path: &Path) -> Result<(), CliError> {
    let usage = |message: String| Err(CliError::Usage(message));
    if problem.task.needs_argument() && args.argument.is_none() {
        return usage(format!("{problem} requires an argument: specify it with -a"));
    }
    if !problem.task.takes_argument() && args.argument.is_some() {
        return usage(format!("{problem} takes no argument: omit -a"));
    }
    let Some(changes) = &args.changes else { return Ok(()) };
    if (problem.task, problem.semantics) != (ReasoningTask::Some, Semantics::Grounded) {
        return usage(format!("--changes applies to SE-GR, not to {problem}: specify -p SE-GR or omit --changes"));
    }
    if [path, changes.as_path()] == [Path::new(STDIN); 2] {
        return usage("standard input is one file: give the framework or the changes by name".to_owned());
    }
    Ok(())
}

/// Problem with its inputs and options.
struct Query<'a> {
    problem: ReasoningProblem,
    argument: Option<u32>,
    format: Format,
    named: &'a NamedFramework,
    witness: bool,
}

/// Answer to a problem other than EE; each part is set as far as it was computed.
#[derive(Default)]
struct Answer {
    /// True if the argument is accepted.
    holds: Option<bool>,
    /// Number of extensions.
    count: Option<Count>,
    /// Extension that answers the problem or is a witness; the inner `None` means that there is no extension.
    set: Option<Option<Vec<u32>>>,
    limit: Option<&'static str>,
}

impl Query<'_> {
    /// Solves any problem other than EE.
    fn answer(&self, limits: &SolverLimits<'_>) -> Answer {
        let (framework, semantics) = (&self.named.framework, self.problem.semantics);
        let mut answer = Answer::default();
        match (self.problem.task, self.argument) {
            (ReasoningTask::Some, _) => match some_extension(framework, semantics, limits) {
                Ok(set) => answer.set = Some(set),
                Err(exhausted) => answer.limit = Some(exhausted.limit),
            },
            (ReasoningTask::Credulous | ReasoningTask::Sceptical, Some(argument)) => {
                answer = self.decision(argument, limits)
            }
            _ => {
                let factors = factors_of(framework, semantics, limits);
                (answer.count, answer.limit) = (Some(factors.count()), factors.limit);
            }
        }
        answer
    }

    /// Decides if the argument is accepted, with an extension as witness: of a YES to DC and a NO to DS, for only these
    /// have one.
    fn decision(&self, argument: u32, limits: &SolverLimits<'_>) -> Answer {
        let (framework, semantics) = (&self.named.framework, self.problem.semantics);
        let asks_credulous = self.problem.task == ReasoningTask::Credulous;
        let mut answer = Answer::default();
        let find_witness =
            |answer: &mut Answer| match deciding_extension(framework, argument, semantics, asks_credulous, limits) {
                Ok(Some(set)) => (answer.holds, answer.set) = (Some(asks_credulous), Some(Some(set))),
                Ok(None) => answer.holds = Some(!asks_credulous),
                Err(exhausted) => answer.limit = Some(exhausted.limit),
            };
        // Under these semantics the search for a witness decides the question; under the others it takes much longer.
        let decides = matches!(semantics, Semantics::Complete | Semantics::Preferred | Semantics::Stable);
        if self.witness && decides {
            find_witness(&mut answer);
        }
        if answer.holds.is_none() {
            let decide = if asks_credulous { is_credulous } else { is_sceptical };
            match decide(framework, argument, semantics, limits) {
                Ok(holds) if holds != asks_credulous || !self.witness => {
                    (answer.holds, answer.limit) = (Some(holds), None);
                }
                Ok(holds) => answer.holds = Some(holds),
                Err(exhausted) => answer.limit = Some(exhausted.limit),
            }
            if self.witness && !decides && answer.holds == Some(asks_credulous) {
                find_witness(&mut answer);
            }
        }
        answer
    }

    /// Enumerates all extensions; an error of the callback stops the enumeration.
    fn enumerate(
        &self,
        limits: &SolverLimits<'_>,
        clock: &Clock,
        mut take: impl FnMut(usize, &[u32]) -> std::io::Result<()>,
    ) -> Result<EnumerationSummary, CliError> {
        let (mut number, mut fault, mut late) = (0, None, false);
        let mut all = enumerate_extensions_of(&self.named.framework, self.problem.semantics, limits, |set| {
            late = number % 256 == 255 && clock.has_run_out(self.problem);
            if late {
                return ControlFlow::Break(());
            }
            number += 1;
            match take(number, set) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    fault = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if late {
            (all.exact, all.limit) = (false, Some(STOP_LIMIT));
        }
        fault.map_or(Ok(all), |fault| Err(fault.into()))
    }

    /// Prints the answer in competition format; returns a message if a limit was reached.
    fn as_lines(
        &self,
        limits: &SolverLimits<'_>,
        clock: &Clock,
        out: &mut impl Write,
    ) -> Result<Option<String>, CliError> {
        if self.problem.task == ReasoningTask::Every {
            let summary = self.every_line(limits, clock, out)?;
            return Ok(summary
                .limit
                .map(|limit| self.limit_message(limit, &format!("after {} extensions", summary.count))));
        }
        let answer = self.answer(limits);
        clock.clear();
        let mut line = String::new();
        match (answer.holds, &answer.count) {
            (Some(holds), _) => writeln!(out, "{}", if holds { "YES" } else { "NO" })?,
            (None, Some(Count::Exactly(number))) => writeln!(out, "{number}")?,
            _ => {}
        }
        match &answer.set {
            Some(None) => writeln!(out, "NO")?,
            Some(Some(set)) if answer.holds.is_none() || self.format == Format::Af => {
                extension(self.format, |member| self.named.names.name(member), set, &mut line);
                writeln!(out, "{line}")?;
            }
            _ => {}
        }
        let progress = match (&answer.count, answer.holds) {
            (Some(count), _) => format!("the count is {count}"),
            (None, Some(_)) => "the answer is known, but no witness was found".to_owned(),
            (None, None) => "nothing was found".to_owned(),
        };
        Ok(answer.limit.map(|limit| self.limit_message(limit, &progress)))
    }

    fn every_line(
        &self,
        limits: &SolverLimits<'_>,
        clock: &Clock,
        out: &mut impl Write,
    ) -> Result<EnumerationSummary, CliError> {
        let is_list = self.format != Format::Af;
        let mut line = String::new();
        if is_list {
            write!(out, "[")?;
        }
        let summary = self.enumerate(limits, clock, |number, set| {
            extension(self.format, |member| self.named.names.name(member), set, &mut line);
            match (is_list, number) {
                (true, 1) => write!(out, "{line}"),
                (true, _) => write!(out, ",{line}"),
                (false, _) => writeln!(out, "{line}"),
            }
        })?;
        if is_list {
            writeln!(out, "]")?;
        } else if summary.count == 0 && summary.exact {
            writeln!(out, "NO")?;
        }
        Ok(summary)
    }

    /// Prints the answer as one JSON value; returns a message if a limit was reached.
    fn as_json(
        &self,
        limits: &SolverLimits<'_>,
        clock: &Clock,
        out: &mut impl Write,
    ) -> Result<Option<String>, CliError> {
        let started = Instant::now();
        let words = |set: &[u32]| set.iter().map(|argument| self.named.names.name(*argument)).collect::<Value>();
        let mut object = Map::new();
        object.insert("problem".to_owned(), json!(self.problem.to_string()));
        let limit = if self.problem.task == ReasoningTask::Every {
            let mut sets: Vec<Value> = Vec::new();
            let all = self.enumerate(limits, clock, |_, set| {
                sets.push(words(set));
                Ok(())
            })?;
            object.insert("count".to_owned(), json!(sets.len().to_string()));
            object.insert("extensions".to_owned(), Value::Array(sets));
            all.limit
        } else {
            let answer = self.answer(limits);
            if let Some(count) = &answer.count {
                object.insert("count".to_owned(), json!(count.number().to_string()));
            }
            if let Some(holds) = answer.holds {
                object.insert("answer".to_owned(), json!(holds));
            }
            if let Some(set) = &answer.set {
                let key = if answer.holds.is_some() { "witness" } else { "extension" };
                object.insert(key.to_owned(), set.as_deref().map_or(Value::Null, words));
            }
            answer.limit
        };
        object.insert("exact".to_owned(), json!(limit.is_none()));
        if let Some(limit) = limit {
            object.insert("limit".to_owned(), json!(limit_name(limit)));
        }
        object.insert("micros".to_owned(), json!(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)));
        clock.clear();
        writeln!(out, "{}", Value::Object(object))?;
        Ok(limit.map(|limit| self.limit_message(limit, "the JSON contains the results so far")))
    }

    fn limit_message(&self, limit: &str, progress: &str) -> String {
        incomplete(self.problem, limit, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_argumentation::formats::file_limits::FileLimits;
    use faultline_argumentation::formats::read;

    /// Returns the printed answer and the message about a limit.
    fn answered(file: &str, format: Format, problem: &str, sets: usize, json: bool) -> (String, Option<String>) {
        let named = read::read(file.as_bytes(), format, &FileLimits::default()).unwrap();
        let (problem, argument) = problem.split_once(' ').map_or((problem, None), |(problem, of)| (problem, Some(of)));
        let argument = argument.map(|name| named.names.find(name).unwrap());
        let query = Query { problem: problem.parse().unwrap(), argument, format, named: &named, witness: true };
        let (limits, clock, mut out) = (SolverLimits { sets, ..SolverLimits::default() }, Clock::new(None), Vec::new());
        let limit = match json {
            true => query.as_json(&limits, &clock, &mut out),
            false => query.as_lines(&limits, &clock, &mut out),
        };
        (String::from_utf8(out).unwrap(), limit.unwrap())
    }

    const APX: &str = "arg(a). arg(b). arg(c). att(a,b). att(b,a). att(a,c). att(b,c).";
    const AF: &str = "p af 3\n1 2\n2 1\n1 3\n2 3\n";
    const ODD: &str = "p af 1\n1 1\n";

    #[test]
    fn answers_follow_the_competition_formats() {
        let check = |file: &str, format, problem: &str, expected: &str| {
            assert_eq!(answered(file, format, problem, usize::MAX, false), (expected.to_owned(), None), "{problem}");
        };
        check(APX, Format::Apx, "SE-GR", "[]\n");
        check(APX, Format::Apx, "EE-PR", "[[a],[b]]\n");
        check(APX, Format::Apx, "CE-CO", "3\n");
        check(APX, Format::Apx, "DC-PR a", "YES\n");
        check(APX, Format::Apx, "DS-PR a", "NO\n");
        check(AF, Format::Af, "SE-GR", "w\n");
        check(AF, Format::Af, "EE-ST", "w 1\nw 2\n");
        check(AF, Format::Af, "CE-STG", "2\n");
        check(AF, Format::Af, "DC-PR 1", "YES\nw 1\n");
        check(AF, Format::Af, "DC-PR 3", "NO\n");
        check(AF, Format::Af, "DS-PR 1", "NO\nw 2\n");
        check(AF, Format::Af, "DC-ID 1", "NO\n");
        check("x\n#\n", Format::Tgf, "DS-SST x", "YES\n");
        check("#\n", Format::Tgf, "EE-PR", "[[]]\n");
        // Frameworks without an extension.
        check(ODD, Format::Af, "SE-ST", "NO\n");
        check(ODD, Format::Af, "EE-ST", "NO\n");
        check(ODD, Format::Af, "CE-ST", "0\n");
        check(ODD, Format::Af, "DC-ST 1", "NO\n");
        check(ODD, Format::Af, "DS-ST 1", "YES\n");
        check("arg(x). att(x,x).", Format::Apx, "EE-ST", "[]\n");
        check("arg(x). att(x,x).", Format::Apx, "SE-ST", "NO\n");
    }

    #[test]
    fn a_reached_limit_is_reported() {
        let expected = "incomplete answer to EE-PR: the limit `sets` was reached, after 1 extensions; raise --limit";
        let (printed, limit) = answered(APX, Format::Apx, "EE-PR", 1, false);
        assert_eq!((printed.as_str(), limit.as_deref()), ("[[a]]\n", Some(expected)));
    }

    #[test]
    fn json_output_is_one_value() {
        let check = |problem: &str, sets, expected: Value| {
            let (printed, _) = answered(AF, Format::Af, problem, sets, true);
            let mut value: Value = serde_json::from_str(&printed).unwrap();
            assert!(
                value.as_object_mut().and_then(|object| object.remove("micros")).is_some_and(|micros| micros.is_u64())
            );
            assert_eq!(value, expected);
        };
        let all = json!({ "problem": "EE-PR", "count": "2", "extensions": [["1"], ["2"]], "exact": true });
        check("EE-PR", 9, all);
        let some = json!({ "problem": "EE-PR", "count": "1", "extensions": [["1"]], "exact": false, "limit": "sets" });
        check("EE-PR", 1, some);
        check("CE-CO", 9, json!({ "problem": "CE-CO", "count": "3", "exact": true }));
        check("SE-GR", 9, json!({ "problem": "SE-GR", "extension": [], "exact": true }));
        check("DC-ST 2", 9, json!({ "problem": "DC-ST", "answer": true, "witness": ["2"], "exact": true }));
        check("DS-ST 3", 9, json!({ "problem": "DS-ST", "answer": false, "witness": ["1"], "exact": true }));
        check("DC-ST 3", 9, json!({ "problem": "DC-ST", "answer": false, "exact": true }));
    }
}
