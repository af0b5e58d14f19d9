//! Auditor in process: reads quoted words with a natural-language-inference model, run by `rten` in pure Rust.
//!
//! ```text
//! question -> [hypotheses]: its statement and the negation -> [cross_encoder]: does the quotation entail them?
//!     -> [reader]: yes, no, or no reading
//! ```
//!
//! The model is the user's: any ONNX cross-encoder of two or three classes with its `tokenizer.json` ([`files`],
//! [`labels`]). It reads words and cannot take part in a debate. Like every auditor it must first qualify on the
//! calibration set; both read the questions by the same rules.

pub mod cross_encoder;
pub mod error;
pub mod files;
pub mod hypotheses;
pub mod labels;
pub mod reader;
mod words;
