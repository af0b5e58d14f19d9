//! Prices of models.
//!
//! A table of common models is shipped, with the date of its prices ([`SHIPPED_AS_OF`]). A table of the user's own, in
//! TOML, is added to it. The price of a model in neither is unknown, and its calls are marked so.
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
//! A name applies to the model of that name and to its dated versions (`some-model-20260301`, `some-model-latest`). It does
//! not apply to `some-model-mini`: a price that is unknown is better than a wrong one. The longest matching name wins.

use std::collections::BTreeMap;

use serde::Deserialize;

use faultline_core::events::receipt::Usage;

/// Month of the shipped prices.
pub const SHIPPED_AS_OF: &str = "2026-03";

const SHIPPED: &str = include_str!("prices.toml");

/// Price table; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    own: BTreeMap<String, Price>,
    shipped: BTreeMap<String, Price>,
}

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
        Ok(Prices { own: toml::from_str(text)?, shipped: BTreeMap::new() })
    }

    /// Prices of common models, as their providers published them by [`SHIPPED_AS_OF`].
    ///
    /// # Panics
    /// Panics if the shipped table is invalid, which a test excludes.
    pub fn shipped() -> Self {
        let table = Prices::parse(SHIPPED).expect("the shipped price table is valid");
        Prices { own: BTreeMap::new(), shipped: table.own }
    }

    /// Names of the models with a known price.
    pub fn models(&self) -> impl Iterator<Item = &String> {
        self.own.keys().chain(self.shipped.keys())
    }

    /// Returns the table with the user's own entries of another one; they take precedence over shipped ones.
    #[must_use]
    pub fn with(mut self, others: Prices) -> Self {
        self.own.extend(others.own);
        self
    }

    /// Cost of a call by the model name that the provider reports, or else by the name in the request if the user's own
    /// table has it; `None` otherwise. Shipped prices do not apply to the requested name: a local server may answer to
    /// every name, with a model of its own.
    pub fn cost_of_either(&self, usage: &Usage, told: &str, asked_for: &str) -> Option<u64> {
        self.cost(usage, told).or_else(|| Some(price(&self.own, asked_for)?.of(usage)))
    }

    /// Cost of a call in millionths of a US dollar, rounded up; `None` if the table does not contain the model.
    pub fn cost(&self, usage: &Usage, model: &str) -> Option<u64> {
        let price = price(&self.own, model).or_else(|| price(&self.shipped, model))?;
        Some(price.of(usage))
    }
}

/// Returns true if a model has this name, or is a dated version of the model of this name.
pub fn is_version_of(model: &str, name: &str) -> bool {
    let is_version = |rest: &str| {
        let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
        // A year or a month and a day; `-5` is the next version.
        let dated = rest.strip_prefix('-').is_some_and(|rest| digits(rest) >= 4);
        rest.is_empty() || dated || rest == "-latest" || rest.starts_with(['@', ':'])
    };
    model.strip_prefix(name).is_some_and(is_version)
}

/// Finds the price of a model: that of the longest name of which it is a version.
fn price<'a>(table: &'a BTreeMap<String, Price>, model: &str) -> Option<&'a Price> {
    let named = table.iter().filter(|(name, _)| is_version_of(model, name));
    named.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
}

impl Price {
    fn of(&self, usage: &Usage) -> u64 {
        let parts = [
            (usage.input_tokens, self.input),
            (usage.cache_read_tokens, self.cache_read.unwrap_or(self.input)),
            (usage.cache_write_tokens, self.cache_write.unwrap_or(self.input)),
            (usage.output_tokens, self.output),
        ];
        let product = |(tokens, price): (u64, u64)| u128::from(tokens).saturating_mul(u128::from(price));
        let total = parts.into_iter().map(product).fold(0, u128::saturating_add);
        u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX)
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
            ..Usage::default()
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let prices = Prices::parse(TABLE).unwrap();
        assert_eq!(prices.cost(&usage(1_000, 0, 0, 0), "big"), Some(3_000));
        assert_eq!(prices.cost(&usage(1_000, 10_000, 100, 10), "big-20261101"), Some(3_000 + 3_000 + 375 + 150));
    }

    #[test]
    fn the_longest_name_wins_and_missing_prices_default_to_input() {
        let prices = Prices::parse(TABLE).unwrap();
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 1_000_000, 1_000_000), "big-mini-20260101"), Some(5));
        assert_eq!(prices.cost(&usage(1, 0, 0, 0), "big-mini"), Some(1), "rounded up");
    }

    #[test]
    fn the_price_of_other_models_is_unknown_and_sums_saturate() {
        let prices = Prices::parse(TABLE).unwrap();
        for model in ["other", "big.2", "bigger", "big-small", "big-5", ""] {
            assert_eq!(prices.cost(&usage(1_000, 0, 0, 0), model), None, "{model}");
        }
        for model in ["big-latest", "big@2026", "big:free"] {
            assert_eq!(prices.cost(&usage(1_000, 0, 0, 0), model), Some(3_000), "{model}");
        }
        assert_eq!(Prices::default().cost(&usage(1_000, 0, 0, 0), "big"), None);
        assert_eq!(prices.cost(&usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX), "big"), Some(u64::MAX));
        assert_eq!(prices.cost_of_either(&usage(1_000, 0, 0, 0), "mock", "big"), Some(3_000));
        assert_eq!(prices.cost_of_either(&usage(1_000, 0, 0, 0), "mock", "other"), None);
    }

    #[test]
    fn own_prices_replace_shipped_ones() {
        let shipped = Prices::shipped();
        let own = Prices::parse("[\"gpt-4.1\"]\ninput = 1_000_000\noutput = 0").unwrap();
        let call = usage(1_000_000, 0, 0, 1_000_000);
        assert_eq!(shipped.cost(&call, "gpt-4.1-2025-04-14"), Some(10_000_000));
        assert_eq!(shipped.cost(&call, "claude-haiku-4-5-20251001"), Some(6_000_000));
        assert_eq!(shipped.cost_of_either(&call, "smol.gguf", "gpt-4.1"), None, "a local server answers to every name");
        let both = shipped.with(own);
        assert_eq!(both.cost(&call, "gpt-4.1"), Some(1_000_000));
        assert_eq!(both.cost_of_either(&call, "smol.gguf", "gpt-4.1"), Some(1_000_000));
    }

    #[test]
    fn an_invalid_table_is_reported_with_its_line() {
        let error = |text| Prices::parse(text).unwrap_err().to_string();
        assert!(error("[a]\ninput = 1").contains("missing field `output`"), "{}", error("[a]\ninput = 1"));
        assert!(error("[a]\ninput = -1\noutput = 1").contains("line 2"));
        assert!(error("[a]\ninput = 1\noutput = 1\ncached = 1").contains("unknown field `cached`"));
    }
}
