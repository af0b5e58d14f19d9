//! Prices of models.
//!
//! Prices change, so none are built in: the table is read from TOML.
//!
//! ```toml
//! # Millionths of a US dollar per million tokens: 3 dollars are 3_000_000.
//! ["some-model"]
//! input = 3_000_000
//! cache_read = 300_000
//! cache_write = 3_750_000
//! output = 15_000_000
//! ```
//!
//! A name applies to every model whose name starts with it, so dated versions need no entry of their own. The longest
//! matching name wins: without its own entry, `some-model-mini` is priced as `some-model`.

use std::collections::BTreeMap;

use serde::Deserialize;

use faultline_core::events::receipt::Usage;

/// Price table; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

/// Error of parsing a price table.
#[derive(Debug, thiserror::Error)]
#[error("invalid price table: {0}")]
pub struct PricesError(#[from] toml::de::Error);

/// Prices of a model, in millionths of a US dollar per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: u64,
    output: u64,
    /// Price of tokens read from the cache; defaults to `input`.
    cache_read: Option<u64>,
    /// Price of tokens written to the cache; defaults to `input`.
    cache_write: Option<u64>,
}

impl Prices {
    /// Parses a table.
    ///
    /// # Errors
    /// [`PricesError`] if the text is not TOML, a price is missing, negative or not a whole number, or a price has an
    /// unknown name. The error names the line.
    pub fn parse(text: &str) -> Result<Self, PricesError> {
        Ok(toml::from_str(text)?)
    }

    /// Cost of a call in millionths of a US dollar, rounded up; 0 if the table does not contain the model.
    pub fn cost(&self, usage: &Usage, model: &str) -> u64 {
        self.known_cost(usage, model).unwrap_or(0)
    }

    /// Cost of a call by the model name that the provider reports, or else by the name in the request.
    pub fn cost_of_either(&self, usage: &Usage, told: &str, asked_for: &str) -> u64 {
        self.known_cost(usage, told).unwrap_or_else(|| self.cost(usage, asked_for))
    }

    fn known_cost(&self, usage: &Usage, model: &str) -> Option<u64> {
        let named = self.0.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        let (_, price) = named.max_by_key(|(name, _)| name.len())?;
        let parts = [
            (usage.input_tokens, price.input),
            (usage.cache_read_tokens, price.cache_read.unwrap_or(price.input)),
            (usage.cache_write_tokens, price.cache_write.unwrap_or(price.input)),
            (usage.output_tokens, price.output),
        ];
        let product = |(tokens, price): (u64, u64)| u128::from(tokens).saturating_mul(u128::from(price));
        let total = parts.into_iter().map(product).fold(0, u128::saturating_add);
        Some(u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const TABLE: &str = r#"
        ["big"]
        input = 3_000_000
        cache_read = 300_000
        cache_write = 3_750_000
        output = 15_000_000
        ["big-mini"]
        input = 1
        output = 2
    "#;

    fn usage(input: u64, cache_read: u64, cache_write: u64, output: u64) -> Usage {
        Usage {
            input_tokens: input,
            cache_read_tokens: cache_read,
            cache_write_tokens: cache_write,
            output_tokens: output,
            cost_micros: 0,
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let prices = Prices::parse(TABLE).unwrap();
        assert_eq!(prices.cost(&usage(1_000, 0, 0, 0), "big"), 3_000);
        assert_eq!(prices.cost(&usage(1_000, 10_000, 100, 10), "big-20261101"), 3_000 + 3_000 + 375 + 150);
    }

    #[test]
    fn the_longest_name_wins_and_missing_prices_default_to_input() {
        let prices = Prices::parse(TABLE).unwrap();
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 1_000_000, 1_000_000), "big-mini-2"), 5);
        assert_eq!(prices.cost(&usage(1, 0, 0, 0), "big-mini"), 1, "rounded up");
    }

    #[test]
    fn unknown_models_cost_nothing_and_sums_saturate() {
        let prices = Prices::parse(TABLE).unwrap();
        assert_eq!(prices.cost(&usage(1_000, 0, 0, 0), "other"), 0);
        assert_eq!(Prices::default().cost(&usage(1_000, 0, 0, 0), "big"), 0);
        assert_eq!(prices.cost(&usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX), "big"), u64::MAX);
        assert_eq!(prices.cost_of_either(&usage(1_000, 0, 0, 0), "mock", "big"), 3_000);
    }

    #[test]
    fn an_invalid_table_is_reported_with_its_line() {
        let error = |text| Prices::parse(text).unwrap_err().to_string();
        assert!(error("[a]\ninput = 1").contains("missing field `output`"), "{}", error("[a]\ninput = 1"));
        assert!(error("[a]\ninput = -1\noutput = 1").contains("line 2"));
        assert!(error("[a]\ninput = 1\noutput = 1\ncached = 1").contains("unknown field `cached`"));
    }
}
