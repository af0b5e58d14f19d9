//! Provider `nli`: reads words by inference.
//!
//! | asked | premise | yes | no |
//! |---|---|---|---|
//! | which side of a question | the words | they entail its statement | they entail its negation, or contradict the statement |
//! | whether the words say a claim, or grant it | the words | they entail the claim | they contradict it, or entail its negation |
//! | anything else | | | |
//!
//! Everything else, words that take no side included, gets no reading: that a model entails neither statement does not
//! tell whether it understood the words. Neighbouring sentences are not read, since a side in them is not one of the
//! words.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio::sync::Semaphore;

use crate::nli::cross_encoder::{CrossEncoder, Scores};
use crate::nli::error::NliError;
use crate::nli::files::{ModelFiles, NliConfig};
use crate::nli::hypotheses::{Hypotheses, of_question, of_statement};
use crate::ports::{Model, Pending};
use faultline_core::events::audit::{AuditQuestion, Reading};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{TaskKind, WordsInput};

/// Name of the provider.
pub const NLI: &str = "nli";

/// Revision of the rules for statements and readings. Raise it when they change: models must then qualify again.
const RULES: &str = "rules-1";

/// Probability from which words entail or contradict a statement.
pub const MIN_PROBABILITY: f32 = 0.8;

/// Least difference between the support of a side and that of the other.
pub const MIN_MARGIN: f32 = 0.5;

/// Maximum number of requests that are read at once.
const MAX_CALLS: usize = 2;

/// Auditor in process. Cheap to clone; clones share the network.
#[derive(Clone)]
pub struct Nli {
    model: Arc<str>,
    encoder: Arc<CrossEncoder>,
    seats: Arc<Semaphore>,
}

impl Nli {
    /// Loads a model. Blocks on the file system, and for the time of loading a network.
    ///
    /// # Errors
    /// Every [`NliError`].
    pub fn open(config: &NliConfig) -> Result<Nli, NliError> {
        let files = ModelFiles::read(config)?;
        let model = format!("{NLI}/{}", files.identity(RULES)).into();
        let encoder = Arc::new(CrossEncoder::load(files)?);
        Ok(Nli { model, encoder, seats: Arc::new(Semaphore::new(MAX_CALLS)) })
    }

    /// Returns the name under which readings are recorded: `nli/`, the name of the model, and the beginnings of two
    /// hashes, of the network and of all else that determines a reading.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the answer of words to a question; `None` if the model cannot tell.
    ///
    /// # Errors
    /// The cause in words, if the tokenizer or the network fails.
    pub fn read(&self, item: &WordsInput) -> Result<Option<Reading>, String> {
        let Some(Hypotheses { yes, no }) = hypotheses(item) else { return Ok(None) };
        let Some(yes) = self.encoder.score(&item.words, &yes)? else { return Ok(None) };
        let no = match &no {
            Some(no) => match self.encoder.score(&item.words, no)? {
                Some(no) => Some(no),
                None => return Ok(None),
            },
            None => None,
        };
        Ok(reading(yes, no))
    }

    fn answer(&self, items: &[WordsInput]) -> Result<String, String> {
        let mut readings = Vec::new();
        for item in items {
            if let Some(reading) = self.read(item)? {
                readings.push(json!({ "name": item.alias, "reading": reading.name() }));
            }
        }
        Ok(json!({ "readings": readings }).to_string())
    }

    async fn complete(&self, ask: &EffectAttempt) -> Result<ProviderAnswer, Failure> {
        let TaskKind::ReadWords { items } = &ask.prompt.task.work else {
            return Err(hopeless(
                "the provider nli reads words, and cannot take part in a debate; choose another provider",
            ));
        };
        let _seat = self.seats.acquire().await.map_err(|_| hopeless("the provider nli was shut down"))?;
        let (reader, items, began) = (self.clone(), items.clone(), Instant::now());
        let reading = tokio::task::spawn_blocking(move || reader.answer(&items)).await;
        let text = reading.map_err(|error| hopeless(format!("the task of the provider nli failed: {error}")))?;
        let text = text.map_err(|why| hopeless(format!("the inference model {} failed: {why}", self.model)))?;
        Ok(ProviderAnswer {
            by: self.model.as_ref().to_owned(),
            text,
            usage: Usage::default(),
            millis: u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX),
            request_id: None,
            tries: 1,
            grounds: Vec::new(),
        })
    }
}

impl Model for Nli {
    fn name(&self) -> &str {
        NLI
    }

    fn about(&self) -> String {
        format!("{}, an inference model in this process: reads words, and takes no part in debates", self.model)
    }

    fn is_reproducible(&self) -> bool {
        true
    }

    fn answers_as(&self) -> Option<&str> {
        Some(&self.model)
    }

    // A call cannot be interrupted, and its time is bounded by the words of a request.
    fn keeps_time(&self) -> bool {
        true
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.complete(ask))
    }
}

/// Returns the statements between which words decide; `None` if the question has none.
fn hypotheses(item: &WordsInput) -> Option<Hypotheses> {
    let about = item.about.as_deref();
    match item.asked {
        AuditQuestion::Side => of_question(&item.question),
        AuditQuestion::Claim | AuditQuestion::Grant => about.map(of_statement),
        AuditQuestion::Concession | AuditQuestion::Agreement => None,
    }
}

/// Returns the side that scores of a statement and of its negation take; `None` if they take none clearly.
pub fn reading(yes: Scores, no: Option<Scores>) -> Option<Reading> {
    // Support of a side: the mean of what entails it and what contradicts the other side, as far as it is known.
    let support = |own: Option<Scores>, other: Option<Scores>| {
        let found = [own.map(|own| own.entailment), other.and_then(|other| other.contradiction)];
        let known: Vec<f32> = found.into_iter().flatten().collect();
        if known.is_empty() { 0.0 } else { known.iter().sum::<f32>() / known.len() as f32 }
    };
    let (for_yes, for_no) = (support(Some(yes), no), support(no, Some(yes)));
    let takes = |own: f32, other: f32| own >= MIN_PROBABILITY && own - other >= MIN_MARGIN;
    match (takes(for_yes, for_no), takes(for_no, for_yes)) {
        (true, false) => Some(Reading::Yes),
        (false, true) => Some(Reading::No),
        _ => None,
    }
}

fn hopeless(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Hopeless, message)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    use faultline_core::kernel::closing::calibration::{self, CalibrationResult, measure};

    /// Returns the settings of a toy model of tests/fixtures/nli.
    fn fixture(folder: &str, labels: &[&str]) -> NliConfig {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/nli").join(folder);
        NliConfig { model, tokenizer: None, labels: labels.iter().map(|label| (*label).to_owned()).collect() }
    }

    fn open(folder: &str, labels: &[&str]) -> Nli {
        Nli::open(&fixture(folder, labels)).expect("a model")
    }

    fn item(asked: AuditQuestion, question: &str, about: Option<&str>, words: &str) -> WordsInput {
        WordsInput {
            alias: "e1".to_owned(),
            asked,
            question: question.to_owned(),
            about: about.map(str::to_owned),
            before: "I favour it.".to_owned(),
            words: words.to_owned(),
            after: String::new(),
        }
    }

    fn side(words: &str) -> WordsInput {
        item(AuditQuestion::Side, "Should the ferry be closed at night?", None, words)
    }

    const CLASSES: [&str; 2] = ["three-classes", "two-classes"];

    #[test]
    fn words_take_the_side_whose_statement_they_entail() {
        for folder in CLASSES {
            let nli = open(folder, &[]);
            for (words, expected) in [
                ("I favour the ferry.", Some(Reading::Yes)),
                ("I OPPOSE it, and we reject it.", Some(Reading::No)),
                ("The ferry sails to the islands.", None),
                ("I favour it and I oppose it.", None),
                ("", None),
            ] {
                assert_eq!(nli.read(&side(words)), Ok(expected), "{folder}: {words:?}");
            }
        }
    }

    #[test]
    fn neighbouring_sentences_are_not_read() {
        let nli = open("three-classes", &[]);
        assert_eq!(nli.read(&side("It rains.")), Ok(None));
    }

    #[test]
    fn a_question_without_statements_and_an_agreement_are_not_read() {
        let nli = open("three-classes", &[]);
        let (claim, words) = ("The ferry should be closed at night.", "I favour it.");
        for (asked, question, about, expected) in [
            (AuditQuestion::Side, "Why should the ferry run?", None, None),
            (AuditQuestion::Side, "Should every ferry run?", None, None),
            (AuditQuestion::Claim, "Does the speaker say this: “…”?", Some(claim), Some(Reading::Yes)),
            (AuditQuestion::Claim, "Does the speaker say this: “…”?", None, None),
            (AuditQuestion::Grant, "Does the speaker grant this: “…”?", Some(claim), Some(Reading::Yes)),
            (AuditQuestion::Concession, "Does the speaker give up this claim: “…”?", Some(claim), None),
            (AuditQuestion::Agreement, "Does the speaker agree with this crux: “…”?", Some(claim), None),
        ] {
            assert_eq!(nli.read(&item(asked, question, about, words)), Ok(expected), "{asked:?} {question}");
        }
    }

    #[test]
    fn a_claim_without_a_negation_is_denied_by_a_contradiction_only() {
        let claim = Some("Crews tire, and tired crews err.");
        let item = |words| item(AuditQuestion::Claim, "Does the speaker say this: “…”?", claim, words);
        for (folder, denied) in [("three-classes", Some(Reading::No)), ("two-classes", None)] {
            let nli = open(folder, &[]);
            assert_eq!(nli.read(&item("I favour it.")), Ok(Some(Reading::Yes)), "{folder}");
            assert_eq!(nli.read(&item("I oppose it.")), Ok(denied), "{folder}");
        }
    }

    #[test]
    fn the_order_of_the_labels_decides() {
        let reversed = open("three-classes", &["contradiction", "neutral", "entailment"]);
        assert_eq!(reversed.read(&side("I favour the ferry.")), Ok(Some(Reading::No)));
        let given = open("three-classes", &["entailment", "neutral", "contradiction"]);
        assert_eq!(given.read(&side("I favour the ferry.")), Ok(Some(Reading::Yes)));
        let names = [open("three-classes", &[]), given, reversed].map(|nli| nli.model().to_owned());
        assert!(names[0].starts_with("nli/three-classes@"), "{names:?}");
        assert!(names[0] == names[1] && names[1] != names[2], "the name depends on the order of the labels: {names:?}");
    }

    #[test]
    fn a_side_is_taken_from_a_probability_and_a_margin() {
        let pair = |entailment, contradiction| Scores { entailment, contradiction };
        for (yes, no, expected) in [
            (pair(0.81, None), Some(pair(0.3, None)), Some(Reading::Yes)),
            (pair(0.79, None), Some(pair(0.0, None)), None),
            (pair(0.95, None), Some(pair(0.5, None)), None),
            (pair(0.95, None), Some(pair(0.95, None)), None),
            (pair(0.1, None), Some(pair(0.9, None)), Some(Reading::No)),
            (pair(0.9, Some(0.0)), Some(pair(0.0, Some(0.75))), Some(Reading::Yes)),
            (pair(0.9, Some(0.0)), Some(pair(0.0, Some(0.6))), None),
            (pair(0.0, Some(0.9)), Some(pair(0.8, Some(0.0))), Some(Reading::No)),
            (pair(0.9, None), None, Some(Reading::Yes)),
            (pair(0.0, None), None, None),
            (pair(0.0, Some(0.9)), None, Some(Reading::No)),
        ] {
            assert_eq!(reading(yes, no), expected, "{yes:?} {no:?}");
        }
    }

    #[test]
    fn a_pair_that_is_too_long_is_not_read_in_part() {
        let nli = open("three-classes", &[]);
        assert_eq!(nli.read(&side(&"I favour it. ".repeat(60))), Ok(Some(Reading::Yes)));
        assert_eq!(nli.read(&side(&"I favour it. ".repeat(200))), Ok(None));
    }

    fn calibrated(nli: &Nli) -> CalibrationResult {
        let set = calibration::sentences();
        let readings = set.iter().filter_map(|sentence| {
            let reading = nli.read(&sentence.input).expect("a run of the network")?;
            Some((sentence.input.alias.clone(), reading))
        });
        measure(&set, &readings.collect())
    }

    #[test]
    fn a_model_with_exchanged_labels_does_not_qualify() {
        let right = calibrated(&open("three-classes", &[]));
        assert!(right.is_qualified() && right.taken >= 4, "{right:?}");
        let exchanged = calibrated(&open("three-classes", &["contradiction", "neutral", "entailment"]));
        assert!(!exchanged.is_qualified() && exchanged.opposite >= 4, "{exchanged:?}");
    }

    #[test]
    fn the_same_words_have_the_same_scores_in_any_order_and_thread() {
        let nli = open("two-classes", &[]);
        let set = calibration::sentences();
        let scores = |nli: &Nli, text: &str| nli.encoder.score(text, "The ferry should not run.").expect("scores");
        let one: Vec<_> = set.iter().map(|it| scores(&nli, &it.input.words)).collect();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (nli, set) = (nli.clone(), set.clone());
                std::thread::spawn(move || set.iter().rev().map(|it| scores(&nli, &it.input.words)).collect::<Vec<_>>())
            })
            .collect();
        for thread in threads {
            let mut other = thread.join().expect("a thread");
            other.reverse();
            assert_eq!(other, one);
        }
    }

    #[test]
    fn errors_name_the_file_and_what_to_do() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = |name: &str, files: &[(&str, &[u8])]| -> PathBuf {
            let folder = scratch.path().join(name);
            std::fs::create_dir(&folder).expect("a folder");
            for (file, bytes) in files {
                std::fs::write(folder.join(file), bytes).expect("a file");
            }
            folder
        };
        let three = fixture("three-classes", &[]).model;
        let bytes = |file: &str| std::fs::read(three.join(file)).expect("a file of the fixture");
        let (network, tokenizer, config) = (bytes("model.onnx"), bytes("tokenizer.json"), bytes("config.json"));
        let named = |model: PathBuf, labels: &[&str]| NliConfig { model, ..fixture("", labels) };
        for (config, file, remedy) in [
            (named(scratch.path().join("absent"), &[]), "absent", "set FAULTLINE_NLI_MODEL"),
            (named(folder("empty", &[]), &[]), "model.onnx", "set FAULTLINE_NLI_MODEL"),
            (named(folder("network", &[("model.onnx", &network)]), &[]), "tokenizer.json", "FAULTLINE_NLI_TOKENIZER"),
            (
                named(folder("labels", &[("model.onnx", &network), ("tokenizer.json", &tokenizer)]), &[]),
                "config.json",
                "Set FAULTLINE_NLI_LABELS",
            ),
            (
                fixture("three-classes", &["LABEL_0", "LABEL_1", "LABEL_2"]),
                "FAULTLINE_NLI_LABELS",
                "\"LABEL_0\" is none of",
            ),
            (
                named(
                    folder(
                        "config",
                        &[("model.onnx", &network), ("tokenizer.json", &tokenizer), ("config.json", b"{")],
                    ),
                    &[],
                ),
                "config.json",
                "fix the file",
            ),
            (
                named(
                    folder(
                        "onnx",
                        &[("model.onnx", b"no network"), ("tokenizer.json", &tokenizer), ("config.json", &config)],
                    ),
                    &[],
                ),
                "model.onnx",
                "it must be an ONNX file of a cross-encoder",
            ),
            (
                named(
                    folder("words", &[("model.onnx", &network), ("tokenizer.json", b"{}"), ("config.json", &config)]),
                    &[],
                ),
                "tokenizer.json",
                "belongs to the network",
            ),
            (fixture("other-inputs", &[]), "other-inputs", "it must have input_ids and attention_mask"),
            (fixture("one-score", &["entailment", "not_entailment"]), "one-score", "gives 1 number"),
            (fixture("three-classes", &["entailment", "not_entailment"]), "three-classes", "gives 3 numbers"),
        ] {
            let error = Nli::open(&config).err().expect("an unusable model").to_string();
            assert!(error.contains(file) && error.contains(remedy), "{error}");
        }
    }

    #[test]
    fn a_folder_may_hold_the_network_in_a_folder_of_its_own() {
        let scratch = tempfile::tempdir().expect("a folder");
        let (from, to) = (fixture("three-classes", &[]).model, scratch.path().join("toy"));
        std::fs::create_dir_all(to.join("onnx")).expect("a folder");
        for (file, target) in
            [("model.onnx", "onnx/model.onnx"), ("tokenizer.json", "tokenizer.json"), ("config.json", "config.json")]
        {
            std::fs::copy(from.join(file), to.join(target)).expect("a copy");
        }
        let nested = Nli::open(&NliConfig { model: to, ..fixture("", &[]) }).expect("a model");
        let flat = open("three-classes", &[]);
        let hashes = |nli: &Nli| nli.model().rsplit_once('@').map(|(_, hashes)| hashes.to_owned());
        assert_eq!(hashes(&nested), hashes(&flat));
    }
}
