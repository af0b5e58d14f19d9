//! Calibration set: labelled sentences that an auditor reads before its readings count, and the result.

use std::collections::BTreeMap;

use crate::events::audit::{AuditQuestion, Auditor, QualificationBasis, Reading};
use crate::kernel::closing::audit_request::{AUDIT_REVISION, BATCH, prompt};
use crate::kernel::prompt::Prompt;
use crate::kernel::task::{Task, TaskKind, WordsInput};

/// Precision of the sides taken from which an auditor is qualified.
pub const MIN_PRECISION: f64 = 0.9;

const SET: &str = include_str!("../../../../../tests/fixtures/audit/calibration.tsv");

/// Labelled sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledSentence {
    /// The sentence, as shown in a prompt.
    pub input: WordsInput,
    /// Correct reading.
    pub label: Reading,
}

/// Returns the calibration set.
pub fn sentences() -> Vec<LabelledSentence> {
    read(SET)
}

/// Reads labelled sentences from tab-separated lines below a line of column names. Lines without a valid label are left
/// out; a test checks that the calibration set has none.
pub fn read(lines: &str) -> Vec<LabelledSentence> {
    let sentence = |(line, number): (&str, usize)| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, question, _, _, before, words, after, label, ..] = columns.as_slice() else { return None };
        let [question, before, words, after] = [question, before, words, after].map(|text| (*text).to_owned());
        let label = match *label {
            "yes" => Reading::Yes,
            "no" => Reading::No,
            "nuanced" => Reading::Nuanced,
            "none" => Reading::None,
            _ => return None,
        };
        let (alias, asked, about) = (format!("e{number}"), AuditQuestion::Side, None);
        Some(LabelledSentence { input: WordsInput { alias, asked, question, about, before, words, after }, label })
    };
    lines.lines().skip(1).zip(1..).filter_map(sentence).collect()
}

/// Returns the requests by which sentences are read, each with the aliases that it asks about.
pub fn requests(sentences: &[LabelledSentence]) -> Vec<(Prompt, Vec<String>)> {
    let request = |batch: &[LabelledSentence]| {
        let items: Vec<WordsInput> = batch.iter().map(|sentence| sentence.input.clone()).collect();
        let aliases = items.iter().map(|item| item.alias.clone()).collect();
        let task = Task {
            topic: String::new(),
            seed: 1,
            speaker: None,
            participants: Vec::new(),
            work: TaskKind::ReadWords { items: Vec::new() },
        };
        (prompt(task, items), aliases)
    };
    sentences.chunks(BATCH).map(request).collect()
}

/// Result of reading labelled sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CalibrationResult {
    /// Number of sentences.
    pub sentences: u32,
    /// Number of sentences that were read.
    pub read: u32,
    /// Number of sentences that take a side, yes or no.
    pub sides: u32,
    /// Number of sentences that were read as taking a side.
    pub taken: u32,
    /// Number of sides that were read rightly.
    pub right: u32,
    /// Number of sides that were read as the opposite one.
    pub opposite: u32,
}

impl CalibrationResult {
    /// Precision of the sides taken, from 0 to 1; `None` if none was taken.
    pub fn precision(&self) -> Option<f64> {
        (self.taken > 0).then(|| f64::from(self.right) / f64::from(self.taken))
    }

    /// Share of the sides that were read rightly, from 0 to 1.
    pub fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from(self.sides.max(1))
    }

    /// True if the precision of the sides taken is at least [`MIN_PRECISION`].
    pub fn is_qualified(&self) -> bool {
        self.precision().is_some_and(|precision| precision >= MIN_PRECISION)
    }

    /// Returns the auditor that this result describes.
    pub fn auditor(&self, provider: &str, model: &str) -> Auditor {
        Auditor {
            provider: provider.to_owned(),
            model: model.to_owned(),
            revision: AUDIT_REVISION,
            qualified: self.is_qualified(),
            basis: QualificationBasis::Measured,
            precision: self.precision(),
            recall: Some(self.recall()),
        }
    }
}

/// Compares readings, by alias, with the labels.
pub fn measure(sentences: &[LabelledSentence], readings: &BTreeMap<String, Reading>) -> CalibrationResult {
    let is_side = |reading: Reading| matches!(reading, Reading::Yes | Reading::No);
    let mut result = CalibrationResult::default();
    for LabelledSentence { input, label } in sentences {
        let reading = readings.get(&input.alias).copied();
        let taken = reading.filter(|reading| is_side(*reading));
        result.sentences += 1;
        result.read += u32::from(reading.is_some());
        result.sides += u32::from(is_side(*label));
        result.taken += u32::from(taken.is_some());
        result.right += u32::from(taken == Some(*label));
        result.opposite += u32::from(is_side(*label) && taken.is_some_and(|reading| reading != *label));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calibration_set_is_complete() {
        let sentences = sentences();
        assert_eq!(sentences.len(), SET.lines().count() - 1);
        assert!(sentences.len() >= 60);
        assert_eq!(requests(&sentences).iter().map(|(_, aliases)| aliases.len()).sum::<usize>(), sentences.len());
    }

    #[test]
    fn precision_is_that_of_the_sides_taken() {
        let set = sentences();
        let by = |read: &dyn Fn(&LabelledSentence) -> Option<Reading>| {
            let readings = set.iter().filter_map(|it| Some((it.input.alias.clone(), read(it)?))).collect();
            measure(&set, &readings)
        };
        let faithful = by(&|it| Some(it.label));
        assert_eq!((faithful.precision(), faithful.recall(), faithful.opposite), (Some(1.0), 1.0, 0));
        assert!(faithful.is_qualified());
        let silent = by(&|_| None);
        assert_eq!((silent.precision(), silent.recall(), silent.read), (None, 0.0, 0));
        assert!(!silent.is_qualified());
        let biased = by(&|_| Some(Reading::Yes));
        assert!(!biased.is_qualified() && biased.opposite > 0, "{biased:?}");
    }
}
