//! Arguments as replies of the graph engine give them, part by part.
//!
//! A part must state something of its own. A model may copy the name of a part from the prompt (“premise 0”), or give its
//! claim again as the reason for it: an attack on such a part, or a crux about it, would be about nothing.

use crate::engines::graph::context::GraphContext;
use crate::engines::graph::schema::{ArgumentReply, EvidenceReply};
use crate::engines::shared::view_prompts;
use crate::events::argument::ArgumentAdvanced;
use crate::events::citation::Evidence;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::kernel::reply::Unreadable;
use crate::questions::wording::says_the_same;

/// Maximum number of premises of an argument; an excess is rejected.
const MAX_PREMISES: usize = 3;
/// Maximum number of assumptions, and of pieces of evidence, of an argument; an excess is rejected.
const MAX_ASSUMPTIONS: usize = 2;
/// Maximum length of a statement or speech, in bytes; longer ones make the reply unreadable.
const MAX_TEXT_BYTES: usize = 4_000;
/// Names of parts, as prompts show them.
const PART_NAMES: &[&str] = &["assumption", "assumptions", "claim", "evidence", "premise", "premises"];

/// Decodes an argument. Parts that state nothing, or repeat an earlier part, are rejected.
///
/// # Errors
/// [`Unreadable`] if the claim states nothing, or a text is empty or too long.
pub fn argument(
    at: &GraphContext,
    speaker: &PersonaId,
    argument: ArgumentId,
    told: ArgumentReply,
    refused: &mut Vec<String>,
) -> Result<ArgumentAdvanced, Unreadable> {
    let claim = text("claim", &told.claim)?;
    if names_a_part(&claim) {
        let excerpt = view_prompts::excerpt(&claim);
        return Err(Unreadable::because(format!("the claim {excerpt} names a part of an argument and states nothing")));
    }
    let mut parts = Parts { argument, stated: vec![claim.clone()], refused };
    let premises = parts.statements("premise", &told.premises, MAX_PREMISES)?;
    let assumptions = parts.statements("assumption", &told.assumptions, MAX_ASSUMPTIONS)?;
    let evidence = offered_evidence(at, argument, told.evidence, refused)?;
    Ok(ArgumentAdvanced {
        argument,
        speaker: speaker.clone(),
        turn: at.turn,
        claim,
        premises,
        assumptions,
        evidence,
        carries: None,
        answers_topic: false,
        distilled: false,
        paraphrased: false,
    })
}

/// Statements of one argument so far.
struct Parts<'a> {
    argument: ArgumentId,
    stated: Vec<String>,
    refused: &'a mut Vec<String>,
}

impl Parts<'_> {
    /// Decodes the parts of one kind, such as `premise`.
    fn statements(&mut self, kind: &str, given: &[String], most: usize) -> Result<Vec<String>, Unreadable> {
        if given.len() > most {
            self.refused.push(excess(given.len(), &format!("{kind}s"), self.argument, most));
        }
        let mut kept = Vec::new();
        for entry in given.iter().filter(|entry| !entry.trim().is_empty()).take(most) {
            let statement = text(kind, entry)?;
            if names_a_part(&statement) {
                self.refused.push(states_nothing(&statement, self.argument));
            } else if self.stated.iter().any(|earlier| says_the_same(earlier, &statement)) {
                self.refused.push(format!("says {} twice in {}", view_prompts::excerpt(&statement), self.argument));
            } else {
                self.stated.push(statement.clone());
                kept.push(statement);
            }
        }
        Ok(kept)
    }
}

/// Decodes the evidence of an argument. It may repeat a statement: then it tells the source of that statement.
fn offered_evidence(
    at: &GraphContext,
    argument: ArgumentId,
    given: Vec<EvidenceReply>,
    refused: &mut Vec<String>,
) -> Result<Vec<Evidence>, Unreadable> {
    if given.len() > MAX_ASSUMPTIONS {
        refused.push(excess(given.len(), "pieces of evidence", argument, MAX_ASSUMPTIONS));
    }
    let mut evidence = Vec::new();
    for piece in given.into_iter().filter(|piece| !piece.text.trim().is_empty()).take(MAX_ASSUMPTIONS) {
        let alias = piece.passage.as_deref().map(str::trim).filter(|alias| !alias.is_empty());
        let citation = alias.and_then(|alias| view_prompts::citation(alias, at.grounds));
        if let (Some(alias), None) = (alias, &citation) {
            refused.push(view_prompts::not_given(alias));
        }
        let stated = text("piece of evidence", &piece.text)?;
        match names_a_part(&stated) {
            true => refused.push(states_nothing(&stated, argument)),
            false => evidence.push(Evidence { text: stated, citation }),
        }
    }
    Ok(evidence)
}

fn excess(n_given: usize, what: &str, argument: ArgumentId, most: usize) -> String {
    format!("{n_given} {what} of {argument}, of which the first {most} are kept")
}

fn states_nothing(text: &str, argument: ArgumentId) -> String {
    format!("{} in {argument} names a part and states nothing", view_prompts::excerpt(text))
}

/// Returns true for texts such as `premise 0`, `Assumption 1 of a3` and `the claim`.
fn names_a_part(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let is_name = |word: &str| PART_NAMES.contains(&word);
    // Of a part, or of the argument that it belongs to; the article `a` passes too.
    let is_number = |word: &str| word.strip_prefix('a').unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit());
    words.iter().any(|word| is_name(word))
        && words.iter().all(|word| is_name(word) || is_number(word) || ["of", "the"].contains(&word.as_str()))
}

/// Trims a text that a reply must contain.
///
/// # Errors
/// [`Unreadable`] if it is empty or too long.
pub fn text(what: &str, given: &str) -> Result<String, Unreadable> {
    let given = given.trim();
    if given.is_empty() {
        return Err(Unreadable::because(format!("a {what} is empty")));
    }
    if given.len() > MAX_TEXT_BYTES {
        return Err(Unreadable::because(format!(
            "a {what} has {} bytes; at most {MAX_TEXT_BYTES} are allowed",
            given.len()
        )));
    }
    Ok(given.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::{names, persona};
    use crate::events::ids::{DisputeId, TurnId};
    use crate::projections::argument_graph::ArgumentGraph;
    use crate::projections::transcript::Transcript;

    fn decoded(claim: &str, premises: &[&str], assumptions: &[&str]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let graph = ArgumentGraph::default();
        let transcript = Transcript::default();
        let at = GraphContext {
            graph: &graph,
            shown: &graph,
            transcript: &transcript,
            names: &names(&["ada"]),
            topic: DisputeId(1),
            question: "Should the port close its gates by night?",
            turn: TurnId(1),
            round: 0,
            grounds: &[],
        };
        let texts = |given: &[&str]| given.iter().map(|text| (*text).to_owned()).collect();
        let told = ArgumentReply {
            claim: claim.to_owned(),
            premises: texts(premises),
            assumptions: texts(assumptions),
            evidence: vec![EvidenceReply { text: "evidence 0".to_owned(), passage: None }],
        };
        let mut refused = Vec::new();
        let read = argument(&at, &persona("ada"), ArgumentId(6), told, &mut refused).expect("readable");
        assert_eq!(read.evidence, []);
        (read.premises, read.assumptions, refused)
    }

    #[test]
    fn parts_that_state_nothing_or_repeat_another_are_rejected() {
        let nothing = |text: &str| format!("{text:?} in a6 names a part and states nothing");
        let twice = |text: &str| format!("says {text:?} twice in a6");
        let actual =
            decoded("Trade is vital.", &["trade is VITAL", "premise 0", "Ships pay."], &["Ships pay", "No storm"]);
        let refused = vec![twice("trade is VITAL"), nothing("premise 0"), twice("Ships pay"), nothing("evidence 0")];
        assert_eq!(actual, (vec!["Ships pay.".to_owned()], vec!["No storm".to_owned()], refused));
    }

    #[test]
    fn names_of_parts_are_told_from_statements() {
        for text in ["premise 0", "a premise", "Premise 1 of a3", "a3 assumption 0.", "the claim", "Evidence"] {
            assert!(names_a_part(text), "{text}");
        }
        for text in ["The premise is false", "evidence of 1994 counts", "61 hectares", "a3", "Premise: ships pay"] {
            assert!(!names_a_part(text), "{text}");
        }
    }
}
