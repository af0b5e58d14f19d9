//! The large frameworks: each answer checked, each query timed.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::Duration;

use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, Labelling, grounded, is_complete};
use faultline_argumentation::limits::{Exhausted, SolverLimits};
use faultline_argumentation::queries::argument_acceptance::{is_credulous, is_sceptical};
use faultline_argumentation::queries::extension_search::some_extension;
use faultline_argumentation::semantics::Semantics;
use serde::Deserialize;

use crate::digits::set_of;
use crate::stopwatch::{Stopwatch, micros};

#[derive(Deserialize)]
struct Instance {
    id: String,
    file: String,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    #[serde(rename = "GR")]
    grounded: Option<String>,
    #[serde(rename = "ID")]
    ideal: Option<String>,
    #[serde(rename = "SE-PR")]
    preferred: Option<Witness>,
    has_stable: Option<bool>,
    queries: BTreeMap<u32, Query>,
}

#[derive(Deserialize)]
struct Witness {
    witness: String,
}

#[derive(Deserialize)]
struct Query {
    #[serde(rename = "DC-PR")]
    credulous: Option<bool>,
    #[serde(rename = "DS-PR")]
    sceptical: Option<bool>,
}

/// Results of the queries of one kind.
#[derive(Default)]
struct Score {
    right: usize,
    /// Number of answers that no other solver has found.
    fresh: usize,
    open: usize,
    wrong: Vec<String>,
    longest: Duration,
}

impl Score {
    /// Runs a query and records its answer; `right` checks the answer if the correct one is known.
    fn ask<T>(
        &mut self,
        place: &str,
        question: impl FnOnce(&SolverLimits<'_>) -> Result<T, Exhausted>,
        right: impl FnOnce(&T) -> Option<bool>,
        limit: Duration,
    ) {
        let watch = Stopwatch::start();
        let stop = move || watch.spent() > limit;
        let limits = SolverLimits { conflicts: u64::MAX, stop: Some(&stop), ..SolverLimits::default() };
        let answer = question(&limits);
        self.longest = self.longest.max(watch.spent());
        match answer.map(|answer| right(&answer)) {
            Ok(Some(true)) => self.right += 1,
            Ok(Some(false)) => self.wrong.push(place.to_owned()),
            Ok(None) => self.fresh += 1,
            Err(_) => self.open += 1,
        }
    }

    fn text(&self) -> String {
        let mut words = format!("{:8.1} ms {}", self.longest.as_secs_f64() * 1e3, self.right);
        let mut add = |count: usize, word: &str| {
            if count > 0 {
                words.push_str(&format!(" +{count} {word}"));
            }
        };
        add(self.fresh, "new");
        add(self.open, "OPEN");
        add(self.wrong.len(), "WRONG");
        words
    }
}

/// Checks every instance that `large.jsonl` in `folder` lists and whose file exists. Prints one line per instance, with
/// the longest time of a query of each kind and the number of correct answers. Returns true if no answer is wrong.
pub fn check(folder: &Path, limit: Duration, only: Option<&str>) -> bool {
    let list = folder.join("large.jsonl");
    let text = fs::read_to_string(&list).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    let (mut sound, mut absent) = (true, Vec::new());
    println!(
        "{:28} {:>9} {:>9}  {:22} {:22} {:22} {:22} {:22}",
        "instance", "n", "GR ms", "SE-PR", "DC-PR", "DS-PR", "ID", "SE-ST"
    );
    for line in text.lines() {
        let instance: Instance =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
        if only.is_some_and(|only| !instance.id.contains(only)) {
            continue;
        }
        match fs::read_to_string(folder.join(&instance.file)) {
            Ok(text) => sound &= check_one(&instance, &parsed(&text), limit),
            Err(_) => absent.push(instance.id),
        }
    }
    if !absent.is_empty() {
        println!("not present: {}", absent.join(", "));
    }
    sound
}

fn check_one(instance: &Instance, framework: &Framework, limit: Duration) -> bool {
    let Instance { id, expected, .. } = instance;
    let labelling = grounded(framework);
    let grounded_millis = micros(|| grounded(framework)) / 1e3;
    let is_grounded = expected.grounded.as_ref().is_none_or(|set| labelling.with(Label::In).eq(set_of(set)));
    let one = |semantics: Semantics| move |limits: &SolverLimits<'_>| some_extension(framework, semantics, limits);

    let (mut some, mut credulous, mut sceptical, mut ideal, mut stable) =
        <(Score, Score, Score, Score, Score)>::default();
    let maximal = |set: &Option<Vec<u32>>| Some(set.as_ref().is_some_and(|set| is_preferred(framework, set, expected)));
    some.ask("SE-PR", one(Semantics::Preferred), maximal, limit);
    for (&argument, query) in &expected.queries {
        let place = argument.to_string();
        let agrees = |known: Option<bool>| move |answer: &bool| known.map(|known| known == *answer);
        credulous.ask(
            &place,
            |limits| is_credulous(framework, argument, Semantics::Preferred, limits),
            agrees(query.credulous),
            limit,
        );
        sceptical.ask(
            &place,
            |limits| is_sceptical(framework, argument, Semantics::Preferred, limits),
            agrees(query.sceptical),
            limit,
        );
    }
    let is_ideal = |set: &Option<Vec<u32>>| expected.ideal.as_ref().map(|due| *set == Some(set_of(due)));
    ideal.ask("ID", one(Semantics::Ideal), is_ideal, limit);
    let is_stable = |set: &Option<Vec<u32>>| {
        let holds = set.as_ref().is_none_or(|set| !Labelling::of_extension(framework, set).0.contains(&Label::Undec));
        expected.has_stable.map(|due| holds && due == set.is_some())
    };
    stable.ask("SE-ST", one(Semantics::Stable), is_stable, limit);

    let scores = [some, credulous, sceptical, ideal, stable];
    let columns = scores.each_ref().map(|score| format!("{:22}", score.text())).join(" ");
    let verdict = if is_grounded { "" } else { " GR WRONG" };
    println!("{id:28} {:9} {grounded_millis:9.3}  {columns}{verdict}", framework.len());
    for wrong in scores.iter().flat_map(|score| &score.wrong) {
        println!("  wrong: {wrong}");
    }
    is_grounded && scores.iter().all(|score| score.wrong.is_empty())
}

/// Returns true if a set is a preferred extension: the known witness, or a complete extension that is not a subset of
/// it.
///
/// Maximality is not proved again, but an error of the search would soon be seen here, because a set within the witness
/// is refused.
fn is_preferred(framework: &Framework, set: &[u32], expected: &Expected) -> bool {
    let labelling = Labelling::of_extension(framework, set);
    let is_fair = set.iter().all(|&member| labelling.of(member) == Label::In) && is_complete(framework, &labelling);
    let witness = expected.preferred.as_ref().map(|preferred| set_of(&preferred.witness)).unwrap_or_default();
    let within = |set: &[u32], other: &[u32]| set.iter().all(|member| other.binary_search(member).is_ok());
    is_fair && (witness == set || !within(set, &witness))
}

/// Parses a framework in the format of ICCMA 2023: `p af n`, then one attack a line, numbered from 1.
fn parsed(text: &str) -> Framework {
    let mut arguments = 0;
    let mut attacks = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["p", "af", count] => arguments = number(count) as usize,
            [attacker, target] => attacks.push((number(attacker) - 1, number(target) - 1)),
            _ => panic!("neither a header nor an attack: {line}"),
        }
    }
    Framework::new(arguments, attacks).unwrap_or_else(|error| panic!("{}", failed("to build a framework", error)))
}

fn number(word: &str) -> u32 {
    word.parse().unwrap_or_else(|error| panic!("{}", failed(word, error)))
}

fn failed(what: &str, error: impl Display) -> String {
    format!("{what}: {error}")
}
