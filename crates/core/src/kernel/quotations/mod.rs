//! Quotations: folding text to one form, finding quoted words in passages, and checking citations.

pub mod citation_check;
pub mod quote_matching;
pub mod text_folding;
pub mod turn_quotes;
