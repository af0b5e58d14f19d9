//! Labels of an inference model: which number of its output is the entailment.

use serde::Deserialize;

use std::collections::BTreeMap;

/// Position of each class in the network's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelOrder {
    /// Number of classes: two or three.
    pub classes: usize,
    /// Position of the entailment.
    pub entailment: usize,
    /// Position of the contradiction; `None` for a model that knows entailment and the rest only.
    pub contradiction: Option<usize>,
}

/// Configuration beside a network, as far as it is used.
#[derive(Debug, Default, Deserialize)]
pub struct ModelConfig {
    /// Labels by position.
    #[serde(default)]
    pub id2label: BTreeMap<String, String>,
    /// Maximum number of tokens.
    #[serde(default)]
    pub max_position_embeddings: Option<usize>,
}

impl ModelConfig {
    /// Returns the labels in the order of the network's output; `None` if a position is no number, or one is missing.
    pub fn labels(&self) -> Option<Vec<String>> {
        let mut labels: Vec<(usize, String)> = Vec::new();
        for (position, label) in &self.id2label {
            labels.push((position.parse().ok()?, label.clone()));
        }
        labels.sort();
        let is_complete = labels.iter().enumerate().all(|(at, (position, _))| at == *position);
        (is_complete && !labels.is_empty()).then(|| labels.into_iter().map(|(_, label)| label).collect())
    }
}

impl LabelOrder {
    /// Reads labels in the order of the network's output. Case, blanks, hyphens and underscores do not matter.
    ///
    /// # Errors
    /// The problem in words, if a label is unknown or missing, or occurs twice.
    pub fn of(labels: &[String]) -> Result<LabelOrder, String> {
        let classes = labels.iter().map(|label| class(label)).collect::<Result<Vec<Class>, String>>()?;
        let position = |wanted: Class| classes.iter().position(|class| *class == wanted);
        let is_once = |wanted: Class| classes.iter().filter(|class| **class == wanted).count() == 1;
        let entailment = position(Class::Entailment).ok_or("none of them is entailment")?;
        let rest: &[Class] = match classes.len() {
            2 => &[Class::NotEntailment],
            3 => &[Class::Neutral, Class::Contradiction],
            n => return Err(format!("a model of two or three classes is needed, and there are {n}")),
        };
        // A model of two classes may call the other one a contradiction, and mean everything but the entailment.
        let is_pair = classes.len() == 2 && is_once(Class::Contradiction);
        if !is_once(Class::Entailment) || !(is_pair || rest.iter().all(|wanted| is_once(*wanted))) {
            let needed = if classes.len() == 2 { "not_entailment" } else { "neutral and contradiction" };
            return Err(format!("beside entailment there must be {needed}, each once"));
        }
        let contradiction = position(Class::Contradiction).filter(|_| classes.len() == 3);
        Ok(LabelOrder { classes: classes.len(), entailment, contradiction })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Entailment,
    Neutral,
    Contradiction,
    NotEntailment,
}

fn class(label: &str) -> Result<Class, String> {
    let letters: String =
        label.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match letters.as_str() {
        "entailment" | "entail" | "entailed" | "entails" | "supported" | "consistent" => Ok(Class::Entailment),
        "neutral" => Ok(Class::Neutral),
        "contradiction" | "contradict" | "contradicted" | "contradicts" => Ok(Class::Contradiction),
        "notentailment" | "notentailed" | "nonentailment" | "unsupported" | "inconsistent" | "hallucinated" => {
            Ok(Class::NotEntailment)
        }
        _ => {
            let label: String = label.chars().take(40).collect();
            Err(format!("{label:?} is none of entailment, neutral, contradiction and not_entailment"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(labels: &[&str]) -> Result<LabelOrder, String> {
        LabelOrder::of(&labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn labels_are_known_in_any_order_and_case() {
        for (labels, entailment, contradiction) in [
            (&["entailment", "neutral", "contradiction"][..], 0, Some(2)),
            (&["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], 2, Some(0)),
            (&["Not-Entailment", "entailment"], 1, None),
            (&["entailment", "not entailment"], 0, None),
            (&["entailment", "contradiction"], 0, None),
        ] {
            let expected = LabelOrder { classes: labels.len(), entailment, contradiction };
            assert_eq!(order(labels), Ok(expected), "{labels:?}");
        }
    }

    #[test]
    fn unknown_or_incomplete_labels_are_refused() {
        for (labels, expected) in [
            (&["LABEL_0", "LABEL_1"][..], "\"LABEL_0\" is none of"),
            (&["neutral", "contradiction"], "none of them is entailment"),
            (&["entailment"], "there are 1"),
            (&["entailment", "neutral"], "there must be not_entailment"),
            (&["entailment", "entailment", "neutral"], "neutral and contradiction, each once"),
        ] {
            let error = order(labels).expect_err("unusable labels");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn labels_of_a_configuration_are_complete_or_unknown() {
        for (text, expected) in [
            (r#"{"id2label": {"1": "b", "0": "a"}}"#, Some(vec!["a", "b"])),
            (r#"{"id2label": {"1": "b"}}"#, None),
            (r#"{"id2label": {"x": "b"}}"#, None),
            ("{}", None),
        ] {
            let config: ModelConfig = serde_json::from_str(text).expect("a configuration");
            assert_eq!(config.labels(), expected.map(|it| it.into_iter().map(str::to_owned).collect()), "{text}");
        }
    }
}
