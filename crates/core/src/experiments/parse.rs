//! Parser of experiment files in TOML, and the check of what they say. All faults are reported at once.

use std::collections::BTreeSet;

use crate::experiments::experiment::Experiment;
use crate::measures::registry::{measure, summarized_measure, unknown_measures};

/// Maximum number of debates of an experiment.
pub const MAX_DEBATES: usize = 10_000;
/// Maximum number of debates that run at once.
pub const MAX_AT_ONCE: usize = 64;

/// Example of an experiment file.
pub const EXAMPLE: &str = include_str!("example.toml");

/// Parses an experiment.
///
/// # Errors
/// A list of faults, each as a sentence: TOML that cannot be read, unknown fields or measures, repeated or missing arms.
pub fn parse_experiment(text: &str) -> Result<Experiment, Vec<String>> {
    let experiment: Experiment = toml::from_str(text).map_err(|error| vec![error.to_string().trim_end().to_owned()])?;
    let faults = faults(&experiment);
    if faults.is_empty() { Ok(experiment) } else { Err(faults) }
}

fn faults(experiment: &Experiment) -> Vec<String> {
    let mut faults = Vec::new();
    for (is_empty, list) in [
        (experiment.seeds.is_empty(), "seeds"),
        (experiment.measures.is_empty(), "measures"),
        (experiment.topics.is_empty(), "topics"),
        (experiment.arms.is_empty(), "arms"),
    ] {
        if is_empty {
            faults.push(format!("`{list}` is empty: name at least one"));
        }
    }
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        experiment.measures.iter().map(String::as_str).partition(|key| measure(key).is_some());
    if !unknown.is_empty() {
        faults.push(unknown_measures(&unknown));
    }
    faults.extend(known.into_iter().filter_map(|key| summarized_measure(key).err()));
    let mut names = BTreeSet::new();
    for arm in &experiment.arms {
        if !names.insert(arm.name.as_str()) {
            faults.push(format!("two arms are named \"{}\": give each its own name", arm.name));
        }
    }
    if !names.contains(experiment.baseline()) && !experiment.arms.is_empty() {
        let known: Vec<&str> = names.iter().copied().collect();
        faults.push(format!("the baseline \"{}\" is no arm; arms: {}", experiment.baseline(), known.join(", ")));
    }
    let seeds: BTreeSet<u64> = experiment.seeds.iter().copied().collect();
    if seeds.len() < experiment.seeds.len() {
        faults.push("a seed is listed twice: each combination is debated once".to_owned());
    }
    if !(1..=MAX_AT_ONCE).contains(&experiment.at_once) {
        faults.push(format!("`at_once` is {}; it may be 1 to {MAX_AT_ONCE}", experiment.at_once));
    }
    let debates = experiment.seeds.len() * experiment.topics.len() * experiment.arms.len();
    if debates > MAX_DEBATES {
        faults.push(format!("{debates} debates are more than {MAX_DEBATES}: use fewer seeds, topics or arms"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_an_experiment() {
        let experiment = parse_experiment(EXAMPLE).expect("an experiment");
        let cells = experiment.cells();
        assert_eq!(cells.len(), experiment.seeds.len() * experiment.topics.len() * experiment.arms.len());
        let ids: BTreeSet<_> = cells.iter().map(|cell| cell.debate).collect();
        assert_eq!(ids.len(), cells.len(), "each combination has an id of its own");
        let again = parse_experiment(EXAMPLE).expect("an experiment");
        assert_eq!(again.cells().iter().map(|cell| cell.debate).collect::<BTreeSet<_>>(), ids);
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let text = "name = \"x\"\nseeds = [1, 1]\nmeasures = [\"beauty\", \"truth\", \"label_changes\"]\nbaseline = \"c\"\nat_once = 0\ntopics = []\n\
            [[arms]]\nname = \"a\"\nengine = \"graph\"\nprovider = \"offline\"\n[[arms]]\nname = \"a\"\nengine = \"graph\"\n\
            provider = \"offline\"\n";
        let faults = parse_experiment(text).expect_err("faults");
        for expected in [
            "`topics` is empty",
            "unknown measures \"beauty\", \"truth\"; available: cruxes, ",
            "one debate at a time",
            "two arms",
            "no arm",
            "twice",
            "`at_once` is 0",
        ] {
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{expected}: {faults:?}");
        }
        let unknown = parse_experiment("name = \"x\"\nspeed = 3\n").expect_err("faults");
        assert!(unknown[0].contains("speed"), "{unknown:?}");
    }
}
