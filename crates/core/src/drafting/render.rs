//! Rendering of a portrait as a persona file for a person to edit, with the source of every line taken from the corpus.

use std::fmt::Write;

use crate::drafting::verify::{Anchor, Portrait, VerifiedStatement};

/// Renders a persona file. `by` names the author of the draft.
pub fn render(name: &str, by: &str, portrait: &Portrait) -> String {
    let mut file = String::new();
    let _ = writeln!(
        file,
        "# Drafted by {by}; please edit. Comments give the source of a line in the corpus; `faultline persona check` checks\n\
         # the anchors at the end against it. Increase `version` when the contract or the voice changes.\n"
    );
    let _ = writeln!(file, "name = {}\nabout = {}\nversion = 1\ntopics = []\n", toml(name), toml(&portrait.about));
    file.push_str("[contract]\n");
    for (key, stated) in &portrait.statements {
        let key = key.trim_start_matches("contract.");
        // Order of a persona file: flip conditions come before the evidence policy.
        if key == "evidence_policy" {
            list(&mut file, "flip_conditions", &portrait.flip_conditions);
        }
        comments(&mut file, "", stated);
        let _ = writeln!(file, "{key} = {}", toml(&stated.text));
    }
    file.push_str("\n[voice]\n");
    list(&mut file, "speech_patterns", &portrait.speech_patterns);
    let plain = |texts: &[String]| texts.iter().map(|text| toml(text)).collect::<Vec<_>>().join(", ");
    let _ = writeln!(file, "vocabulary = [{}]", plain(&portrait.vocabulary));
    let _ = writeln!(file, "forbidden_phrases = [{}]", plain(&portrait.forbidden_phrases));
    file.push_str("\n[voice.examples]\n");
    for (situation, lines) in portrait.examples.iter().filter(|(_, lines)| !lines.is_empty()) {
        list(&mut file, situation, lines);
    }
    file.push_str(
        "\n# Manner of speaking in each kind of turn; please write by hand.\n[voice.registers]\n\
         # opening = \"\"\n# argument = \"\"\n# attack = \"\"\n# concession = \"\"\n# crux = \"\"\n# closing = \"\"\n",
    );
    file.push_str("\n# Quotations that support the statements above, word for word. Numbers count the entries of a list from 1.\n[anchors]\n");
    for (key, anchors) in anchored(portrait) {
        let quotes: Vec<String> = anchors
            .iter()
            .map(|anchor| format!("{{ document = {}, quote = {} }}", toml(&anchor.document), toml(&anchor.quote)))
            .collect();
        let _ = writeln!(file, "{key} = [{}]", quotes.join(", "));
    }
    file
}

fn list(file: &mut String, key: &str, entries: &[VerifiedStatement]) {
    let _ = writeln!(file, "{key} = [");
    for entry in entries {
        comments(file, "    ", entry);
        let _ = writeln!(file, "    {},", toml(&entry.text));
    }
    file.push_str("]\n");
}

fn comments(file: &mut String, indent: &str, stated: &VerifiedStatement) {
    if stated.anchors.is_empty() {
        let _ = writeln!(file, "{indent}# no anchor");
    }
    for anchor in &stated.anchors {
        let own = anchor.quote == stated.text;
        let quote = if own { String::new() } else { format!(": {}", anchor.quote) };
        let line = anchor.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let _ = writeln!(file, "{indent}# {}{line}{quote}", anchor.document);
    }
}

fn anchored(portrait: &Portrait) -> Vec<(String, &[Anchor])> {
    let mut all: Vec<(String, &[Anchor])> =
        portrait.statements.iter().map(|(key, statement)| ((*key).to_owned(), statement.anchors.as_slice())).collect();
    let entries = |key: &str, list: &[VerifiedStatement]| -> Vec<String> {
        (1..=list.len()).map(|number| format!("{key}.{number}")).collect()
    };
    let flips = entries("contract.flip_conditions", &portrait.flip_conditions);
    all.extend(flips.into_iter().zip(portrait.flip_conditions.iter().map(|condition| condition.anchors.as_slice())));
    let patterns = entries("voice.speech_patterns", &portrait.speech_patterns);
    all.extend(patterns.into_iter().zip(portrait.speech_patterns.iter().map(|pattern| pattern.anchors.as_slice())));
    for (situation, lines) in &portrait.examples {
        let keys = entries(&format!("voice.examples.{situation}"), lines);
        all.extend(keys.into_iter().zip(lines.iter().map(|line| line.anchors.as_slice())));
    }
    all.retain(|(_, anchors)| !anchors.is_empty());
    all
}

/// Returns a text as a TOML string on one line.
fn toml(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string().replace('\n', " ")
}
