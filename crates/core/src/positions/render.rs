//! Rendering of positions as the text of a positions file. The parser reads it back to the same positions.

use std::fmt::Write;

use crate::events::argument::ArgumentPart;
use crate::events::checks::check::CheckVerdict;
use crate::positions::model::{
    AnnotatedClaim, AnnotatedCrux, AnnotatedDispute, AnnotatedFact, AnnotatedReply, Basis, CompatibleClaims, GivesWay,
    PassageQuote, Positions, TopicPositions,
};

/// First words of a file that a model has drafted. Such a file is not played until a person has removed the line.
pub const DRAFT_MARK: &str = "# DRAFT";

/// Returns true if a file is marked as a draft in its first line.
pub fn is_draft(text: &str) -> bool {
    text.starts_with(DRAFT_MARK)
}

/// Renders a positions file behind a head of comment lines.
pub fn render(head: &str, positions: &Positions) -> String {
    let mut file = head.to_owned();
    positions.topics.iter().for_each(|topic| render_topic(&mut file, topic));
    file
}

fn render_topic(file: &mut String, topic: &TopicPositions) {
    let _ = writeln!(file, "\n[[topics]]\nname = {}\nquestion = {}", toml(&topic.name), toml(&topic.question));
    strings(file, "wordings", &topic.wordings);
    let _ = writeln!(file, "side = {}\nstatement = {}", toml(topic.side.name()), quote(&topic.statement));
    quotes(file, "opening", &topic.openings);
    quotes(file, "closing", &topic.closings);
    quotes(file, "falsifiers", &topic.falsifiers);
    topic.claims.iter().for_each(|claim| render_claim(file, claim));
    topic.replies.iter().for_each(|reply| render_reply(file, reply));
    topic.compatible.iter().for_each(|entry| render_compatible(file, entry));
    topic.disputes.iter().for_each(|dispute| render_dispute(file, dispute));
    topic.crux.iter().for_each(|crux| render_crux(file, crux));
    topic.facts.iter().for_each(|fact| render_fact(file, fact));
}

fn render_fact(file: &mut String, fact: &AnnotatedFact) {
    let verdict = match fact.verdict {
        CheckVerdict::True => "true",
        CheckVerdict::False => "false",
        CheckVerdict::Unverifiable => "unknown",
    };
    let (of, sentence) = (toml(fact.of.as_str()), toml(&fact.sentence));
    let _ = writeln!(file, "\n[[topics.facts]]\nof = {of}\nsentence = {sentence}\nverdict = {}", toml(verdict));
    if let Some(source) = &fact.source {
        let _ = writeln!(file, "source = {}", quote(source));
    }
    let _ = writeln!(file, "reason = {}", toml(&fact.reason));
}

fn render_claim(file: &mut String, claim: &AnnotatedClaim) {
    let (name, sentence) = (toml(&claim.name), quote(&claim.sentence));
    let _ = writeln!(file, "\n[[topics.claims]]\nname = {name}\nsentence = {sentence}");
    list(file, "premises", claim.premises.iter().map(basis));
    list(file, "assumptions", claim.assumptions.iter().map(basis));
    if claim.answers_topic {
        file.push_str("answers_topic = true\n");
    }
    if claim.supports_side {
        file.push_str("supports_side = true\n");
    }
}

fn render_reply(file: &mut String, reply: &AnnotatedReply) {
    let (to, kind) = (toml(&reply.to.to_string()), toml(reply.kind.name()));
    let _ = writeln!(file, "\n[[topics.replies]]\nto = {to}\nkind = {kind}");
    if reply.component != ArgumentPart::Claim {
        let _ = writeln!(file, "component = {}", toml(&component(reply.component)));
    }
    if !reply.in_words {
        file.push_str("in_words = false\n");
    }
    if let Some(with) = &reply.with {
        let _ = writeln!(file, "with = {}", toml(with));
    }
    quotes(file, "words", &reply.words);
    let _ = writeln!(file, "reason = {}", basis(&reply.reason));
    list(file, "gives_way", reply.gives_way.iter().map(gives_way));
    list(file, "needs", reply.needs.iter().map(|needed| toml(&needed.to_string())));
}

fn render_compatible(file: &mut String, entry: &CompatibleClaims) {
    let _ = writeln!(file, "\n[[topics.compatible]]\nwith = {}", toml(&entry.with.to_string()));
    strings(file, "claims", &entry.claims);
    let _ = writeln!(file, "reason = {}", toml(&entry.reason));
}

fn render_dispute(file: &mut String, dispute: &AnnotatedDispute) {
    let (name, question) = (toml(&dispute.name), toml(&dispute.question));
    let _ = writeln!(file, "\n[[topics.disputes]]\nname = {name}\nquestion = {question}");
    let _ = writeln!(file, "side = {}\nwords = {}", toml(dispute.side.name()), quote(&dispute.words));
    quotes(file, "settled_by", &dispute.settled_by);
}

fn render_crux(file: &mut String, crux: &AnnotatedCrux) {
    let (dispute, words) = (toml(&crux.dispute), quote(&crux.words));
    let _ = writeln!(file, "\n[topics.crux]\ndispute = {dispute}\nwords = {words}");
    let signs = crux
        .signs
        .iter()
        .map(|sign| format!("{{ persona = {}, words = {} }}", toml(sign.persona.as_str()), quote(&sign.words)));
    list(file, "signs", signs);
}

/// Returns the name of a part in a file: `claim`, `premise 1` or `assumption 2`.
pub fn component(part: ArgumentPart) -> String {
    match part {
        ArgumentPart::Claim => "claim".to_owned(),
        ArgumentPart::Premise(at) => format!("premise {}", u64::from(at) + 1),
        ArgumentPart::Assumption(at) => format!("assumption {}", u64::from(at) + 1),
    }
}

fn gives_way(way: &GivesWay) -> String {
    match way {
        GivesWay::Claim { name, extent, becomes } => {
            let extent = serde_json::to_value(extent).ok().and_then(|name| name.as_str().map(toml)).unwrap_or_default();
            let becomes = becomes.as_ref().map(|becomes| format!(", becomes = {}", quote(becomes))).unwrap_or_default();
            format!("{{ claim = {}, extent = {extent}{becomes} }}", toml(name))
        }
        GivesWay::Dispute { name, side } => format!("{{ dispute = {}, side = {} }}", toml(name), toml(side.name())),
        GivesWay::Topic { side, closing } => {
            let closing = closing.as_ref().map(|closing| format!(", closing = {}", quote(closing))).unwrap_or_default();
            format!("{{ topic = {}{closing} }}", toml(side.name()))
        }
    }
}

fn quote(quote: &PassageQuote) -> String {
    format!("{{ document = {}, quote = {} }}", toml(&quote.document), toml(&quote.quote))
}

fn basis(basis: &Basis) -> String {
    match basis {
        Basis::Quoted(words) => quote(words),
        Basis::Own(own) => format!("{{ own = {} }}", toml(own)),
    }
}

fn quotes(file: &mut String, key: &str, entries: &[PassageQuote]) {
    list(file, key, entries.iter().map(quote));
}

fn strings(file: &mut String, key: &str, entries: &[String]) {
    list(file, key, entries.iter().map(|entry| toml(entry)));
}

/// Writes a list with one entry a line; nothing if it is empty.
fn list(file: &mut String, key: &str, entries: impl Iterator<Item = String>) {
    let entries: String = entries.map(|entry| format!("    {entry},\n")).collect();
    if !entries.is_empty() {
        let _ = writeln!(file, "{key} = [\n{entries}]");
    }
}

/// Returns a text as a TOML string on one line.
fn toml(text: &str) -> String {
    // A JSON string is a basic string of TOML: both know the same escapes of control characters.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::parse::parse;

    #[test]
    fn rendered_positions_are_read_back() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
        let mut n_files = 0;
        for folder in std::fs::read_dir(corpus).expect("the folder of corpora") {
            let file = folder.expect("a folder").path().join("positions.toml");
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            let positions = parse(&text).expect("positions");
            let rendered = render("# A head.\n", &positions);
            let again = parse(&rendered).expect("positions");
            // Lines differ, so what is compared is rendered once more.
            assert_eq!(render("# A head.\n", &again), rendered);
            assert_eq!(without_lines(&again), without_lines(&positions));
            n_files += 1;
        }
        assert!(n_files >= 9, "{n_files}");
    }

    fn without_lines(positions: &Positions) -> String {
        let shown = format!("{positions:?}");
        let mut parts = shown.split("line: ");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.trim_start_matches(|letter: char| letter.is_ascii_digit()))
    }

    #[test]
    fn quotation_marks_and_control_characters_are_escaped() {
        for text in ["She said \"no\" \\ and left.", "tab\tand\u{1}\u{7f}\nline", "“curly”"] {
            let parsed: toml::Table = toml::from_str(&format!("text = {}", toml(text))).expect("TOML");
            assert_eq!(parsed["text"].as_str(), Some(text));
        }
    }
}
