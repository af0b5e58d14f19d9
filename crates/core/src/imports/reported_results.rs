//! Comparison of the results that a file states with those computed from its events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::imports::fields::{count, flag, items, text};
use crate::verdicts::regime::RegimeKind;
use crate::verdicts::verdict::Verdict;

/// Results that a file states. They are never used for the verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatedResults {
    /// Stated regime, such as `consensus`.
    pub regime: Option<String>,
    /// Stated description of the regime.
    pub description: Option<String>,
    /// Stated convergence, as of the last record about it.
    pub converged: Option<bool>,
    /// Stated reason for convergence.
    pub converged_because: Option<String>,
    /// Stated number of arguments in common ground.
    pub common_ground: Option<usize>,
    /// Stated number of camps.
    pub camps: Option<usize>,
    /// Stated number of undefeated arguments.
    pub standing: Option<u32>,
    /// Stated number of preferred extensions.
    pub extensions: Option<u32>,
}

impl StatedResults {
    /// Collects the results in a record; later records replace earlier ones.
    pub fn collect(&mut self, name: &str, said: &Value) {
        let metrics = said.get("metrics").unwrap_or(said);
        match name {
            "convergence_update" | "convergence_check" => {
                self.converged = flag(metrics, "converged").or(self.converged);
                self.converged_because = text(metrics, "reason").map(str::to_owned);
            }
            "graph_update" | "graph_updated" => {
                self.standing = count(said, "groundedSize").or(count(said, "inCount")).or(self.standing);
                self.extensions = count(said, "preferredCount").or(self.extensions);
            }
            _ => {
                let taken = |key: &str, before: &Option<String>| text(said, key).map(str::to_owned).or(before.clone());
                self.regime = taken("regime", &self.regime);
                self.description = taken("regimeDescription", &self.description);
                let listed = |key: &str| said.get(key).is_some_and(Value::is_array).then(|| items(said, key).len());
                self.common_ground = listed("commonGround").or(listed("skepticalAcceptance")).or(self.common_ground);
                self.camps = listed("camps").or(self.camps);
            }
        }
    }

    /// Describes each difference between the file and the log in a sentence.
    pub fn differences(&self, verdict: &Verdict) -> Vec<String> {
        let regime = &verdict.regime;
        let log = format!("the log gives {}, because {}", regime.kind.name(), regime.reason);
        let mut differences = Vec::new();
        if let Some(said) = self.regime.as_ref().filter(|text| text.to_lowercase() != regime.kind.name()) {
            let words = self.description.as_ref().map_or(String::new(), |description| format!(" (\"{description}\")"));
            differences.push(format!("the file states {said}{words}; {log}"));
        }
        let disagrees = self.regime.is_none() && regime.kind != RegimeKind::Consensus;
        if self.converged == Some(true) && (disagrees || verdict.limit.is_some()) {
            let because = self.converged_because.as_ref().map_or(String::new(), |reason| format!(" (\"{reason}\")"));
            let limit = verdict.limit.as_ref().map_or(String::new(), |it| format!("; the limit {it} was reached"));
            differences.push(format!("the file states convergence{because}; {log}{limit}"));
        }
        let held = verdict.common_ground.len();
        if let Some(said) = self.common_ground.filter(|number| *number > 0 && held == 0) {
            differences.push(format!(
                "the file counts {said} arguments as common ground; the log has none, because an undefeated argument \
                 is not yet shared by several participants"
            ));
        }
        let extensions = self.extensions.map(|number| number.to_string()).filter(|text| *text != verdict.n_extensions);
        if let Some(said) = extensions {
            differences.push(format!(
                "the file counts {said} preferred extensions; the log has {}, because rebuttals of claims are mutual \
                 and attacks that were not judged valid are ignored",
                verdict.n_extensions
            ));
        }
        differences
    }
}
