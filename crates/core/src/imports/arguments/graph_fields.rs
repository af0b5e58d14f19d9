//! Fields of the attacks of imported files.

use serde_json::Value;

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::imports::fields::{count, text, text_of};

/// Name of the argument that an attack of the file targets.
pub fn target_of(attack: &Value) -> Option<&str> {
    let nested = || attack.get("target").and_then(|target| text(target, "argId"));
    text_of(attack, &["toArgId", "targetArgId"]).or_else(nested)
}

/// Kind of attack by its name.
pub fn kind_of(word: &str) -> Option<AttackKind> {
    Some(match word.to_lowercase().as_str() {
        "rebut" | "rebuttal" => AttackKind::Rebut,
        "undermine" => AttackKind::Undermine,
        "undercut" => AttackKind::Undercut,
        _ => return None,
    })
}

/// Component that is attacked; some models wrote it in the plural.
pub fn component_of(target: &Value) -> Option<ArgumentPart> {
    let index = count(target, "index").or_else(|| count(target, "targetIndex")).unwrap_or(0);
    let word = text_of(target, &["component", "targetComponent"])?.to_lowercase();
    match word.trim_end_matches('s') {
        "claim" => Some(ArgumentPart::Claim),
        "premise" => Some(ArgumentPart::Premise(index)),
        "assumption" => Some(ArgumentPart::Assumption(index)),
        _ => None,
    }
}
