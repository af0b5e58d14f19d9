//! What a file concluded, against what its own events add up to.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::imports::fields::{count, flag, items, text};
use crate::verdicts::regime::RegimeKind;
use crate::verdicts::verdict::Verdict;

/// What a file concluded. Never used as truth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claimed {
    /// The regime that it names: `consensus`.
    pub regime: Option<String>,
    /// What it says of it.
    pub description: Option<String>,
    /// Whether it said at last that the debate converged.
    pub converged: Option<bool>,
    /// Why, where it says so.
    pub converged_because: Option<String>,
    /// Arguments that it called common ground.
    pub common_ground: Option<usize>,
    /// Camps that it counted.
    pub camps: Option<usize>,
    /// Arguments that it called undefeated.
    pub standing: Option<u32>,
    /// Preferred extensions that it counted.
    pub extensions: Option<u32>,
}

impl Claimed {
    /// Takes note of a record in which the file concludes something; the last word on each counts.
    pub fn hear(&mut self, name: &str, said: &Value) {
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

    /// Where the file and the log differ, each in a sentence.
    pub fn differences(&self, verdict: &Verdict) -> Vec<String> {
        let regime = &verdict.regime;
        let log = format!("the log says {}, because {}", regime.kind.name(), regime.reason);
        let mut differences = Vec::new();
        if let Some(said) = self.regime.as_ref().filter(|it| it.to_lowercase() != regime.kind.name()) {
            let words = self.description.as_ref().map_or(String::new(), |it| format!(" (\"{it}\")"));
            differences.push(format!("the file said {said}{words}; {log}"));
        }
        let disagrees = self.regime.is_none() && regime.kind != RegimeKind::Consensus;
        if self.converged == Some(true) && (disagrees || verdict.limit.is_some()) {
            let because = self.converged_because.as_ref().map_or(String::new(), |it| format!(" (\"{it}\")"));
            let limit = verdict.limit.as_ref().map_or(String::new(), |it| format!("; the limit {it} was reached"));
            differences.push(format!("the file said converged{because}; {log}{limit}"));
        }
        let held = verdict.common_ground.len();
        if let Some(said) = self.common_ground.filter(|it| *it > 0 && held == 0) {
            differences.push(format!(
                "the file counted {said} arguments as common ground; the log holds none, because what nobody defeated is \
                 not yet held by several"
            ));
        }
        let extensions = self.extensions.map(|it| it.to_string()).filter(|it| *it != verdict.n_extensions);
        if let Some(said) = extensions {
            differences.push(format!(
                "the file counted {said} preferred extensions; the log has {}, because a rebuttal of a claim is mutual \
                 and what was not judged valid does not count",
                verdict.n_extensions
            ));
        }
        differences
    }
}
