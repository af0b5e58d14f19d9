//! Requests of a talk to a model, and those that all talk engines make to their clerk.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde_json::Value;

use crate::engines::talk::prompts;
use crate::engines::talk::replies::schema::ComparisonReply;
use crate::engines::talk::state::Talk;
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::schema;
use crate::kernel::task::{ClaimInput, PairInput, TaskKind};

/// Request: instructions, text, reply schema, and the task as data.
pub struct ModelRequest {
    /// System instructions: role and rules.
    pub system: String,
    /// Text of the request.
    pub text: String,
    /// JSON Schema of the reply, and its name.
    pub schema: (Value, &'static str),
    /// The task as data.
    pub work: TaskKind,
}

impl ModelRequest {
    /// Builds the clerk's request to distill turns; `D` is the form of the reply, and `names` are the names that its
    /// fields may use.
    pub fn distillation<D: JsonSchema>(
        templates: PromptTemplates,
        values: &[(&str, &str)],
        names: &[(&str, Vec<String>)],
        work: TaskKind,
    ) -> ModelRequest {
        ModelRequest {
            system: templates.fill("clerk", &[]),
            text: templates.fill("crystallize", values),
            schema: (schema::closed(schema::strict::<D>(), names), "crystallization"),
            work,
        }
    }

    /// Builds the clerk's request to compare pairs of claims.
    pub fn comparison(templates: PromptTemplates, talk: &Talk, pairs: Vec<PairInput>) -> ModelRequest {
        let lines = prompts::pair_lines(&pairs, &talk.names);
        let claims = |claim: fn(&PairInput) -> &ClaimInput| {
            let aliases: BTreeSet<String> = pairs.iter().map(|pair| claim(pair).alias.clone()).collect();
            aliases.into_iter().collect()
        };
        let names = [("one", claims(|pair| &pair.one)), ("other", claims(|pair| &pair.other))];
        ModelRequest {
            system: templates.fill("clerk", &[]),
            text: templates.fill("compare", &[("topic", talk.topic.as_str()), ("pairs", &lines)]),
            schema: (schema::closed(schema::strict::<ComparisonReply>(), &names), "comparison"),
            work: TaskKind::Compare { pairs },
        }
    }
}
