//! Suggestions by a model: questions on which the writings of two personas differ, each with the words of both.
//!
//! ```text
//! corpora -> [closeness] -> [pairs]: the passages shown -> [request]: the prompt -> a model -> [reply]
//!     -> [verification]: sides and [quoted_words] -> [collected]: one list for all pairs
//! ```
//!
//! A model only proposes. A question is checked like those that a clerk raises in a debate, quoted words must be in a
//! passage of the persona that they are attributed to, and the two sides must be opposite. What fails is rejected and
//! reported with the reason. Whether the words really take the side remains the model's reading.
//!
//! [`crate::positions::suggestions`] suggests topics without a model, from annotated writings.

pub mod closeness;
pub mod collected;
pub mod pairs;
pub mod quoted_words;
pub mod reply;
pub mod request;
pub mod verification;
