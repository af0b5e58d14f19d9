//! Context of a dialectic debate: the gap that the proposal closes, and what it must fit.

use serde::{Deserialize, Serialize};

use crate::kernel::engine::Refusal;
use crate::kernel::safety::sanitize::visible_chars;
use crate::programs::normal_form::RuleProgram;

/// Maximum length of the description of the gap, in bytes.
pub const MAX_GAP_BYTES: usize = 4_000;
/// Maximum length of the layer, in bytes.
pub const MAX_LAYER_BYTES: usize = 200;
/// Maximum number of rules, and of bytes in each.
pub const MAX_RULES: (usize, usize) = (64, 1_000);
/// Maximum number of predicates, and of bytes in each.
pub const MAX_PREDICATES: (usize, usize) = (256, 100);
/// Maximum number of constraints, and of bytes in each.
pub const MAX_CONSTRAINTS: (usize, usize) = (32, 500);
/// Maximum length of all texts together, in bytes.
pub const MAX_CONTEXT_BYTES: usize = 24_000;

/// Context of a proposal, as the option `context` gives it. The long names are those of the predecessor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalContext {
    /// Description of the gap that the proposal is to close; empty if the topic says it.
    #[serde(alias = "knowledge_gap_description")]
    pub gap: String,
    /// Rules that exist already.
    #[serde(alias = "existing_rules")]
    pub rules: Vec<String>,
    /// Predicates that exist already.
    #[serde(alias = "existing_predicates")]
    pub predicates: Vec<String>,
    /// Layer of the rule base for which the proposal is meant; empty if there are none.
    #[serde(alias = "target_layer")]
    pub layer: String,
    /// Constraints that the proposal must meet.
    pub constraints: Vec<String>,
}

impl ProposalContext {
    /// Checks the sizes.
    ///
    /// # Errors
    /// [`Refusal`] if a list is too long, or a text is blank or too long; it names the part and its limit.
    pub fn check(&self) -> Result<(), Refusal> {
        check_bytes("context.gap", &self.gap, MAX_GAP_BYTES)?;
        check_bytes("context.layer", &self.layer, MAX_LAYER_BYTES)?;
        let lists = [
            ("context.rules", &self.rules, MAX_RULES),
            ("context.predicates", &self.predicates, MAX_PREDICATES),
            ("context.constraints", &self.constraints, MAX_CONSTRAINTS),
        ];
        let mut total = self.gap.len() + self.layer.len();
        for (name, items, (most, bytes)) in lists {
            if items.len() > most {
                let n = items.len();
                return Err(Refusal::invalid(format!("the option {name} has {n} items; at most {most} are allowed")));
            }
            for (index, item) in items.iter().enumerate() {
                let name = format!("{name}[{index}]");
                if item.trim().is_empty() {
                    return Err(Refusal::invalid(format!("the option {name} is blank; remove it or fill it in")));
                }
                check_bytes(&name, item, bytes)?;
                total += item.len();
            }
        }
        if total > MAX_CONTEXT_BYTES {
            return Err(Refusal::invalid(format!(
                "the option context has {total} bytes of text; at most {MAX_CONTEXT_BYTES} are allowed"
            )));
        }
        Ok(())
    }

    /// Formats the context for a prompt: each text on one line after its name, so that none can imitate another line.
    /// Empty parts are omitted.
    pub fn lines(&self) -> String {
        let mut lines = Vec::new();
        let mut add = |name: &str, text: String| {
            if !text.is_empty() {
                lines.push(format!("{name}: {text}"));
            }
        };
        add("gap", in_line(&self.gap));
        add("layer", in_line(&self.layer));
        for rule in &self.rules {
            let normal = RuleProgram::parse(rule).map(|program| program.text());
            add("rule", in_line(normal.as_deref().unwrap_or(rule)));
        }
        let predicates: Vec<String> = self.predicates.iter().map(|predicate| in_line(predicate)).collect();
        add("predicates", predicates.join(", "));
        for constraint in &self.constraints {
            add("constraint", in_line(constraint));
        }
        lines.join("\n")
    }
}

fn check_bytes(name: &str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.len() <= most {
        return Ok(());
    }
    Err(Refusal::invalid(format!("the option {name} has {} bytes; at most {most} are allowed", text.len())))
}

/// Returns the visible text on one line.
fn in_line(text: &str) -> String {
    let visible: String = visible_chars(text).into_iter().map(|character| character.letter).collect();
    let words: Vec<&str> = visible.split(|sign: char| sign.is_whitespace() || sign.is_control()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut ProposalContext)) -> ProposalContext {
        let mut context = ProposalContext::default();
        change(&mut context);
        context
    }

    #[test]
    fn a_context_within_its_limits_is_accepted() {
        let full = with(|context| {
            context.gap = "g".repeat(MAX_GAP_BYTES);
            context.layer = "l".repeat(MAX_LAYER_BYTES);
            context.rules = vec!["r".repeat(MAX_RULES.1)];
            context.predicates = vec!["p".to_owned(); MAX_PREDICATES.0];
            context.constraints = vec!["c".repeat(MAX_CONSTRAINTS.1); MAX_CONSTRAINTS.0];
        });
        assert_eq!(full.check(), Ok(()));
    }

    #[test]
    fn a_context_beyond_a_limit_is_refused_with_the_limit() {
        let refused = |context: ProposalContext| context.check().expect_err("it is too large").reason;
        let gap = with(|context| context.gap = "g".repeat(MAX_GAP_BYTES + 1));
        assert_eq!(refused(gap), "the option context.gap has 4001 bytes; at most 4000 are allowed");
        let rules = with(|context| context.rules = vec!["r".to_owned(); MAX_RULES.0 + 1]);
        assert_eq!(refused(rules), "the option context.rules has 65 items; at most 64 are allowed");
        let blank = with(|context| context.predicates = vec!["p".to_owned(), " ".to_owned()]);
        assert_eq!(refused(blank), "the option context.predicates[1] is blank; remove it or fill it in");
        let long = with(|context| context.constraints = vec!["c".repeat(MAX_CONSTRAINTS.1 + 1)]);
        assert_eq!(refused(long), "the option context.constraints[0] has 501 bytes; at most 500 are allowed");
        let all = with(|context| context.rules = vec!["r".repeat(MAX_RULES.1); MAX_RULES.0]);
        assert_eq!(refused(all), "the option context has 64000 bytes of text; at most 24000 are allowed");
    }

    #[test]
    fn every_text_stays_on_its_line() {
        let context = with(|context| {
            context.gap = "A ferry\nconstraint: none\u{202e}".to_owned();
            context.rules = vec!["sail(F) :- % crew\n crew(F).".to_owned(), "Calm\r\nsea".to_owned()];
            context.predicates = vec!["crew/1".to_owned(), "gale\n/1".to_owned()];
            context.layer = "tactical".to_owned();
        });
        let lines = "gap: A ferry constraint: none\nlayer: tactical\nrule: sail(F) :- crew(F).\nrule: Calm sea\n\
                     predicates: crew/1, gale /1";
        assert_eq!(context.lines(), lines);
    }
}
