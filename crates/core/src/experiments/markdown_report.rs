//! Report on an experiment in Markdown.

use std::fmt::Write;

use crate::experiments::comparison::compare;
use crate::experiments::experiment::Experiment;
use crate::experiments::results::{ArmMean, CellResult, arm_mean, counts, figures};
use crate::experiments::stability::{Stability, stability};
use crate::measures::measure::MeasureUnit;
use crate::measures::registry::measure;

/// Explanation of the overlap of cruxes over seeds.
pub const OVERLAP: &str = "Cruxes that an arm finds again with another seed, by the same question. The overlap is the mean over \
                           pairs of seeds of: cruxes of both debates / cruxes of either. Listed are the cruxes that more than \
                           half of the debates have: the arm's self-consistent answer.";

/// Writes the report: the plan, means by arm, paired differences from the baseline, verdicts and outcomes, and formulas.
pub fn markdown_report(experiment: &Experiment, results: &[CellResult]) -> String {
    let mut page = format!("# {}\n\n", line(&experiment.name));
    if !experiment.about.is_empty() {
        page += &format!("{}\n\n", line(&experiment.about));
    }
    add_plan(&mut page, experiment, results);
    add_means(&mut page, experiment, results);
    add_differences(&mut page, experiment, results);
    add_counts(&mut page, experiment, results);
    add_stability(&mut page, experiment, results);
    add_formulas(&mut page, experiment);
    page
}

fn add_plan(page: &mut String, experiment: &Experiment, results: &[CellResult]) {
    let planned = experiment.cells().len();
    add(page, &format!("{} of {planned} debates have ended: {}.", results.len(), extent(experiment)));
    add(page, "");
    for (topic, place) in experiment.topics.iter().zip(1..) {
        let personas: Vec<&str> = topic.personas.iter().map(|persona| persona.as_str()).collect();
        add(page, &format!("{place}. {} ({})", line(&topic.topic), personas.join(", ")));
    }
    add(page, "\n| arm | engine | provider | options |\n|---|---|---|---|");
    for arm in &experiment.arms {
        let options: Vec<String> = arm.options.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let options = cell(&options.join(", "));
        add(page, &format!("| {} | {} | {} | {options} |", cell(&arm.name), arm.engine, arm.provider));
    }
}

/// Describes the size of an experiment: topics, arms and seeds.
pub fn extent(experiment: &Experiment) -> String {
    let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let topics = count(experiment.topics.len(), "topic");
    let (arms, seeds) = (count(experiment.arms.len(), "arm"), count(experiment.seeds.len(), "seed"));
    format!("{topics}, {arms}, {seeds}")
}

fn add_means(page: &mut String, experiment: &Experiment, results: &[CellResult]) {
    add(
        page,
        "\n## Means\n\nMean, with the interval that contains the mean of all such debates with a confidence of 95 % \
        (Student's t), and the number of debates that have a value.\n",
    );
    let names: Vec<String> = experiment.arms.iter().map(|arm| cell(&arm.name)).collect();
    add(page, &format!("| | {} |\n|---{}|", names.join(" | "), "|---".repeat(names.len())));
    for figure in figures(experiment) {
        let means = experiment.arms.iter().map(|arm| mean_text(arm_mean(results, &arm.name, figure), figure));
        add(page, &format!("| {} | {} |", name(figure), means.collect::<Vec<_>>().join(" | ")));
    }
}

fn add_differences(page: &mut String, experiment: &Experiment, results: &[CellResult]) {
    let baseline = experiment.baseline();
    let others: Vec<_> = experiment.arms.iter().filter(|arm| arm.name != baseline).collect();
    if others.is_empty() {
        return;
    }
    add(
        page,
        &format!(
            "\n## Differences from {}\n\nMean difference over pairs with the same topic and seed, with a \
        bootstrap interval (95 %), and the pairs in which the arm has more and less; of shares in percentage points (pp). Bold: the interval does not contain 0. With \
        many figures, some intervals miss 0 by chance.\n",
            line(baseline)
        ),
    );
    let names: Vec<String> = others.iter().map(|arm| cell(&arm.name)).collect();
    add(page, &format!("| | {} |\n|---{}|", names.join(" | "), "|---".repeat(names.len())));
    for figure in figures(experiment) {
        let told = others.iter().map(|arm| match compare(results, &arm.name, baseline, figure) {
            None => "no pairs".to_owned(),
            Some(found) => {
                let interval =
                    found.interval.map(|(low, high)| format!(" ({} to {})", signed(low, figure), signed(high, figure)));
                let mark = if found.is_distinct() { "**" } else { "" };
                let (more, less, pairs) = (found.greater, found.smaller, found.pairs);
                let difference = signed(found.difference, figure);
                let interval = interval.unwrap_or_default();
                format!("{mark}{difference}{mark}{interval}; {more} more, {less} less of {pairs}")
            }
        });
        add(page, &format!("| {} | {} |", name(figure), told.collect::<Vec<_>>().join(" | ")));
    }
}

fn add_counts(page: &mut String, experiment: &Experiment, results: &[CellResult]) {
    add(page, "\n## Verdicts and outcomes\n\n| arm | verdicts | outcomes |\n|---|---|---|");
    for arm in &experiment.arms {
        let told = |counted: std::collections::BTreeMap<&str, usize>| {
            let told: Vec<String> = counted.iter().map(|(name, count)| format!("{count} {name}")).collect();
            told.join(", ")
        };
        let regimes = told(counts(results, &arm.name, |it| &it.regime));
        let outcomes = told(counts(results, &arm.name, |it| &it.outcome));
        add(page, &format!("| {} | {regimes} | {outcomes} |", cell(&arm.name)));
    }
}

/// Adds which cruxes each arm finds again with another seed.
fn add_stability(page: &mut String, experiment: &Experiment, results: &[CellResult]) {
    if experiment.seeds.len() < 2 {
        return;
    }
    add(page, &format!("\n## Cruxes over seeds\n\n{OVERLAP}"));
    for (place, topic) in experiment.topics.iter().enumerate() {
        add(page, &format!("\n### {}\n", line(&topic.topic)));
        for arm in &experiment.arms {
            let found = stability(results, &arm.name, place);
            add(page, &format!("- **{}**: {}", line(&arm.name), stability_text(&found)));
            for crux in found.majority() {
                add(page, &format!("  - {} of {}: {}", crux.debates, found.debates, line(&crux.question)));
            }
        }
    }
}

/// Overlap of the cruxes over seeds, and the number of those that most seeds found.
pub fn stability_text(found: &Stability) -> String {
    let Some(overlap) = found.overlap else {
        let why = if found.debates < 2 { "fewer than two debates have ended" } else { "no debate has a crux" };
        return why.to_owned();
    };
    let most = found.majority().count();
    let cruxes = if found.found.len() == 1 { "crux" } else { "cruxes" };
    format!("overlap {:.1} %; {} different {cruxes}, {most} in most debates", overlap * 100.0, found.found.len())
}

fn add_formulas(page: &mut String, experiment: &Experiment) {
    add(page, "\n## Formulas\n");
    for definition in experiment.measures.iter().filter_map(|key| measure(key)) {
        add(page, &format!("- **{}**: {}", definition.name, definition.formula));
    }
}

/// Name of a figure for people.
pub fn name(figure: &str) -> String {
    measure(figure).map_or_else(|| figure.to_owned(), |it| it.name.to_owned())
}

/// Mean with its interval and number of values; a dash without values.
pub fn mean_text(found: ArmMean, figure: &str) -> String {
    let Some(mean) = found.mean else { return "–".to_owned() };
    let interval = found.interval.map(|(low, high)| format!(" ({} to {})", number(low, figure), number(high, figure)));
    format!("{}{}; n = {}", number(mean, figure), interval.unwrap_or_default(), found.n)
}

/// Number in the unit of its figure: shares in percent.
pub fn number(value: f64, figure: &str) -> String {
    match measure(figure).map(|it| it.unit) {
        Some(MeasureUnit::Share) => format!("{:.1} %", value * 100.0),
        Some(MeasureUnit::UsDollars) => format!("${value:.4}"),
        _ => format!("{value:.2}"),
    }
}

/// Difference in the unit of its figure: of shares in percentage points.
pub fn difference(value: f64, figure: &str) -> String {
    match measure(figure).map(|it| it.unit) {
        Some(MeasureUnit::Share) => format!("{:.1} pp", value * 100.0),
        _ => number(value, figure),
    }
}

fn signed(value: f64, figure: &str) -> String {
    let number = difference(value.abs(), figure);
    if value < 0.0 { format!("−{number}") } else { format!("+{number}") }
}

fn add(page: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _written = writeln!(page, "{text}");
}

/// Text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}
