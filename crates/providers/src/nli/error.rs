//! Errors of opening an inference model.

use std::io;
use std::path::PathBuf;

/// Error of opening an inference model. Each names the file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum NliError {
    /// A file is missing or cannot be read.
    #[error("cannot read the {what} of the inference model, {path}: {source}; {remedy}")]
    Unread {
        /// Kind of file: `network`, `tokenizer`, `configuration`.
        what: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The network cannot be loaded.
    #[error(
        "cannot load the network {path}: {why}; it must be an ONNX file of a cross-encoder, with its weights inside"
    )]
    Network {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        why: String,
    },
    /// The network has other inputs than a cross-encoder.
    #[error(
        "the network {path} has the inputs {found}; it must have input_ids and attention_mask, and may have \
         token_type_ids. Export it as a text-classification model"
    )]
    Inputs {
        /// Path of the file.
        path: PathBuf,
        /// Names of its inputs, separated by commas.
        found: String,
    },
    /// The tokenizer cannot be loaded.
    #[error("cannot load the tokenizer {path}: {why}; it must be the tokenizer.json that belongs to the network")]
    Tokenizer {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        why: String,
    },
    /// The order of the labels is unknown or unusable.
    #[error(
        "the labels of the inference model are {labels} in {origin}; {why}. Set FAULTLINE_NLI_LABELS to the names in the \
         order of the network's output, such as entailment,neutral,contradiction or not_entailment,entailment"
    )]
    Labels {
        /// Labels as found, separated by commas; `unknown` if there are none.
        labels: String,
        /// File or setting that names them.
        origin: String,
        /// Problem.
        why: String,
    },
    /// The network's output does not fit the labels.
    #[error(
        "the network {path} gives {found} for each pair of texts, and {labels} labels are configured; check the order \
             and number of labels in its config.json, or set FAULTLINE_NLI_LABELS"
    )]
    Output {
        /// Path of the file.
        path: PathBuf,
        /// Shape of the output.
        found: String,
        /// Number of labels.
        labels: usize,
    },
}
