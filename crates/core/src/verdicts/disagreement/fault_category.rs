//! Subject of a fault line, found by the words of its claims.

use serde::{Deserialize, Serialize};

/// Subject of a fault line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultCategory {
    /// The time frame.
    TimeHorizon,
    /// Things taken for granted.
    Assumptions,
    /// Values and belonging.
    IdentityValues,
    /// Evidence and knowledge.
    Epistemology,
    /// Gains, costs and risks.
    Stakes,
}

/// Words of each category, in lower case. A word belongs to one category.
const WORDS: &[(FaultCategory, &[&str])] = &[
    (
        FaultCategory::TimeHorizon,
        &[
            "century",
            "centuries",
            "deadline",
            "decade",
            "decades",
            "eventually",
            "future",
            "generation",
            "generations",
            "horizon",
            "month",
            "months",
            "soon",
            "tomorrow",
            "year",
            "years",
        ],
    ),
    (
        FaultCategory::Assumptions,
        &[
            "assume",
            "assumed",
            "assumes",
            "assuming",
            "assumption",
            "assumptions",
            "premise",
            "presume",
            "presumes",
            "presuppose",
            "presupposes",
            "suppose",
            "supposes",
            "unless",
        ],
    ),
    (
        FaultCategory::IdentityValues,
        &[
            "belong",
            "belongs",
            "community",
            "deserve",
            "deserves",
            "dignity",
            "duty",
            "ethical",
            "fair",
            "fairness",
            "freedom",
            "identity",
            "justice",
            "liberty",
            "moral",
            "ought",
            "rights",
            "tradition",
            "unfair",
            "unjust",
            "values",
        ],
    ),
    (
        FaultCategory::Epistemology,
        &[
            "count",
            "counted",
            "counts",
            "data",
            "estimate",
            "estimates",
            "evidence",
            "figure",
            "figures",
            "known",
            "measure",
            "measured",
            "measurement",
            "measures",
            "percent",
            "proof",
            "prove",
            "proves",
            "statistics",
            "studies",
            "study",
            "survey",
            "uncertain",
        ],
    ),
    (
        FaultCategory::Stakes,
        &[
            "benefit",
            "benefits",
            "catastrophe",
            "cost",
            "costs",
            "damage",
            "danger",
            "dangerous",
            "harm",
            "harms",
            "jobs",
            "lives",
            "lose",
            "loses",
            "loss",
            "losses",
            "lost",
            "pay",
            "pays",
            "price",
            "prices",
            "risk",
            "risks",
            "safety",
            "threat",
        ],
    ),
];

impl FaultCategory {
    /// Name of the category: `time_horizon`, `assumptions`, `identity_values`, `epistemology`, `stakes`.
    pub fn name(self) -> &'static str {
        match self {
            FaultCategory::TimeHorizon => "time_horizon",
            FaultCategory::Assumptions => "assumptions",
            FaultCategory::IdentityValues => "identity_values",
            FaultCategory::Epistemology => "epistemology",
            FaultCategory::Stakes => "stakes",
        }
    }

    /// Finds the category with most words in the texts, and these words, each once. Of several, the first in the order
    /// of the enum. `None` unless the texts contain two words of it: one, in singular and plural, may be there by chance.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<(FaultCategory, Vec<String>)> {
        let mut found: Vec<(FaultCategory, usize, Vec<String>)> =
            WORDS.iter().map(|(category, _)| (*category, 0, Vec::new())).collect();
        for text in texts {
            for word in words_of(text) {
                let place = WORDS.iter().position(|(_, words)| words.contains(&word.as_str()));
                if let Some((_, count, words)) = place.map(|place| &mut found[place]) {
                    *count += 1;
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
            }
        }
        let most = found.iter().map(|(_, count, _)| *count).max().filter(|count| *count > 0)?;
        let (category, _, words) = found.into_iter().find(|(_, count, _)| *count == most)?;
        let has_two = words.iter().any(|word| !words[0].starts_with(word.trim_end_matches('s')));
        has_two.then_some((category, words))
    }
}

/// Words of a text, in lower case, in order.
pub fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_category_with_most_words_wins() {
        let check = |texts: &[&str], expected: Option<(FaultCategory, &[&str])>| {
            let expected =
                expected.map(|(category, words)| (category, words.iter().map(|it| it.to_string()).collect()));
            assert_eq!(FaultCategory::of(texts.iter().copied()), expected, "{texts:?}");
        };
        check(&["Shops lost 19 percent.", "The costs, the costs!"], Some((FaultCategory::Stakes, &["lost", "costs"])));
        check(
            &["In ten YEARS the data may differ", "by the next decade"],
            Some((FaultCategory::TimeHorizon, &["years", "decade"])),
        );
        check(&["The costume is yearly"], None);
        check(&["The costs are no cost"], None);
        check(&["In ten years the data may differ"], None);
        check(&[], None);
    }

    #[test]
    fn a_word_belongs_to_one_category() {
        let all: Vec<&str> = WORDS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(all.iter().all(|word| word.chars().all(|letter| letter.is_ascii_lowercase())));
    }
}
