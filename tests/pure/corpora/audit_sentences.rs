//! Labelled sentences that measure and qualify an auditor: their form, and that the two sets are independent.

use std::collections::{BTreeMap, BTreeSet};

const COLUMNS: [&str; 9] =
    ["id", "question", "statement_yes", "statement_no", "before", "words", "after", "side", "manner"];
const SIDES: [&str; 4] = ["yes", "no", "nuanced", "none"];
const MANNERS: [&str; 9] =
    ["plain", "hedged", "ironic", "quoted", "negated", "conditional", "question", "fact", "concession"];

fn rows(name: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/fixtures/audit/{name}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a set of sentences");
    let rows: Vec<Vec<String>> = text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert_eq!(rows[0], COLUMNS, "{name}");
    rows[1..].to_vec()
}

fn column(rows: &[Vec<String>], at: usize) -> BTreeSet<&str> {
    rows.iter().map(|row| row[at].as_str()).collect()
}

#[test]
fn every_labelled_sentence_is_complete_and_occurs_once() {
    for (name, least) in [("calibration", 60), ("labelled", 300)] {
        let rows = rows(name);
        assert!(rows.len() >= least, "{name} has {} rows", rows.len());
        let mut n: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            assert_eq!(row.len(), COLUMNS.len(), "{name} {row:?}");
            assert!([0, 1, 2, 3, 5].iter().all(|at| !row[*at].trim().is_empty()), "{name} {row:?}");
            assert!(row[1].ends_with('?'), "{name} {row:?}");
            assert!(SIDES.contains(&row[7].as_str()) && MANNERS.contains(&row[8].as_str()), "{name} {row:?}");
            *n.entry(&row[8]).or_default() += 1;
        }
        for at in [0, 5] {
            assert_eq!(column(&rows, at).len(), rows.len(), "{name}: {} occurs twice", COLUMNS[at]);
        }
        let (fewest, most) = (n.values().min().copied(), n.values().max().copied());
        assert!(n.len() == MANNERS.len() && most <= fewest.map(|fewest| fewest + 1), "{name}: {n:?}");
    }
}

#[test]
fn the_calibration_shares_nothing_with_the_measurement() {
    let (calibration, labelled) = (rows("calibration"), rows("labelled"));
    for at in [0, 1, 5] {
        let (one, other) = (column(&calibration, at), column(&labelled, at));
        assert!(one.is_disjoint(&other), "{}: {:?}", COLUMNS[at], one.intersection(&other).collect::<Vec<_>>());
    }
}
