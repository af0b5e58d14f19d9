//! Questions, reasons and proposals in the formats that show the map of a debate.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::export::map::{DebateMap, MapNode, NodeContent, NodeId, Relation};
use faultline_core::export::map_builder::debate_map;
use faultline_core::export::map_text::side_name;
use faultline_core::export::marks::mark_of;
use faultline_core::projections::disputes::dispute_state::Dispute;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::speakers::Speakers;
use serde_json::Value;

use crate::formats::exports::{HOSTILE, check_escapes, check_picture, exported, small};
use crate::rehearsals::{rehearsals, rehearsed};

const FORMATS: [&str; 4] = ["svg", "dot", "mermaid", "argdown"];

/// Returns the entry of a node in a format, with escapes resolved and white space merged.
fn entry(format: &str, text: &str, id: &str) -> Option<String> {
    let found = match format {
        "svg" => {
            let document = roxmltree::Document::parse(text).expect("XML");
            let drawn = document.descendants().find(|node| node.attribute("id") == Some(id))?;
            drawn.first_element_child()?.text()?.to_owned()
        }
        "dot" => {
            let line = text.lines().find(|line| line.starts_with(&format!("  {id} [")))?;
            line.replace("\\n", " ").replace("\\\"", "\"").replace("\\\\", "\\").replace("&amp;", "&")
        }
        "mermaid" => {
            let opens = |line: &&str| {
                let rest = line.strip_prefix("  ").and_then(|line| line.strip_prefix(id));
                rest.is_some_and(|rest| rest.starts_with(['[', '(', '{', '>']))
            };
            let mut pieces = text.lines().find(opens)?.split('#');
            let mut decoded = pieces.next()?.to_owned();
            for piece in pieces {
                let (code, rest) = piece.split_once(';').expect("a code");
                decoded.push(char::from_u32(code.parse().expect("a number")).expect("a character"));
                decoded += rest;
            }
            decoded.replace("<br/>", " ")
        }
        "argdown" => {
            let titles = [format!("[{id}]: "), format!("<{id}>: "), format!("# {id}\\: ")];
            let is_title = |line: &&str| titles.iter().any(|title| line.starts_with(title));
            let mut lines = text.lines().skip_while(|line| !is_title(line));
            let mut block = lines.next()?.to_owned();
            for line in lines.take_while(|line| !line.starts_with(['[', '<', '#'])) {
                block.push(' ');
                block += line;
            }
            let mut signs = block.chars();
            let mut plain = String::new();
            while let Some(sign) = signs.next() {
                plain.extend(if sign == '\\' { signs.next() } else { Some(sign) });
            }
            plain
        }
        other => panic!("unknown format {other}"),
    };
    Some(merged(&found))
}

fn merged(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first words of a text: some formats shorten long ones.
fn beginning(text: &str) -> String {
    merged(text).chars().take(100).collect()
}

/// Debates of all engines, among them those without arguments.
fn debates() -> Vec<(String, DebateReadModel)> {
    rehearsals().iter().map(|(name, log)| (name.clone(), DebateReadModel::of(&log.0))).collect()
}

fn name_of(read_model: &DebateReadModel, persona: &str) -> String {
    let known = read_model.summary.participants.iter().find(|participant| participant.persona.as_str() == persona);
    known.map_or(persona, |participant| participant.name.as_str()).to_owned()
}

/// Node that shows a dispute: its question, or the proposal that it is about.
fn node_of<'m>(map: &'m DebateMap, id: &str) -> &'m MapNode {
    let shows = |node: &&MapNode| match &node.content {
        NodeContent::Question { .. } => node.id.to_string() == id,
        NodeContent::Proposal { dispute: Some((dispute, _)), .. } => dispute.to_string() == id,
        _ => false,
    };
    map.nodes.iter().find(shows).unwrap_or_else(|| panic!("no node shows {id}"))
}

fn check_dispute(read_model: &DebateReadModel, map: &DebateMap, id: &str, dispute: &Dispute, context: &str) {
    let node = node_of(map, id);
    let is_question = matches!(node.id, NodeId::Question(_));
    let find = |format: &str, text: &str, node: &str| {
        entry(format, text, node).unwrap_or_else(|| panic!("{context}: no {node} in {format}:\n{text}"))
    };
    for format in FORMATS {
        let text = exported(read_model, format);
        let about = find(format, &text, &node.id.to_string());
        assert!(
            about.contains(&beginning(&dispute.question)) || is_drawn_short(format, is_question),
            "{context}, {format}, {id}: {about}"
        );
        for (persona, stance) in &dispute.stances {
            let said = format!("{} in {}", name_of(read_model, persona.as_str()), stance.turn);
            let (place, said) = if is_question {
                (format!("{id}_{}", stance.side.name()), said)
            } else {
                (node.id.to_string(), format!("{id} {}: {said}", side_name(stance.side)))
            };
            let position = find(format, &text, &place);
            assert!(position.contains(&said), "{context}, {format}, {place}: no {said:?} in {position}");
        }
        for (reason, given) in &dispute.reasons {
            let shown = find(format, &text, &reason.to_string());
            assert!(shown.contains(&beginning(&given.given.claim)), "{context}, {format}, {reason}: {shown}");
        }
    }
}

/// Mermaid has no tooltips, so a proposal there does not repeat the question whether it stands.
fn is_drawn_short(format: &str, is_question: bool) -> bool {
    format == "mermaid" && !is_question
}

#[test]
fn each_format_shows_every_question_stance_and_reason() {
    let mut seen = BTreeSet::new();
    for (name, read_model) in debates() {
        let map = debate_map(&read_model);
        for (id, dispute) in &read_model.disputes.disputes {
            check_dispute(&read_model, &map, &id.to_string(), dispute, &name);
            seen.extend((!dispute.stances.is_empty()).then_some("stance"));
            seen.extend((!dispute.reasons.is_empty()).then_some("reason"));
        }
        check_picture(&read_model);
    }
    assert_eq!(seen.len(), 2, "some rehearsal has stances and reasons");
}

#[test]
fn each_format_shows_every_proposal_and_issue() {
    let mut resolved = 0;
    for (name, read_model) in debates() {
        let map = debate_map(&read_model);
        let proposals = &read_model.proposals.proposals;
        for format in FORMATS {
            let text = exported(&read_model, format);
            for (at, proposal) in proposals.iter().enumerate() {
                let shown = entry(format, &text, &proposal.proposal.to_string()).expect("the proposal");
                assert!(shown.contains(&beginning(&proposal.text)), "{name}, {format}: {shown}");
                let is_final = shown.contains("final");
                let is_last = at + 1 == proposals.len() && read_model.summary.status.is_final();
                assert_eq!(is_final, is_last && !proposal.is_rejected(), "{name}, {format}: {shown}");
                for issue in proposal.criticism.iter().flat_map(|criticism| &criticism.issues) {
                    let shown = entry(format, &text, &issue.issue.to_string()).expect("the issue");
                    assert!(shown.contains(&beginning(&issue.text)), "{name}, {format}: {shown}");
                    let by = proposals.iter().find(|later| {
                        later.proposal > proposal.proposal
                            && later.changes.iter().any(|change| change.issue == issue.issue)
                    });
                    let standing = by.map_or("open".to_owned(), |later| format!("resolved by {}", later.proposal));
                    assert!(shown.contains(&standing), "{name}, {format}: no {standing} in {shown}");
                    resolved += usize::from(by.is_some());
                }
            }
        }
        let criticisms = map.links.iter().filter(|link| link.relation == Relation::Criticism).count();
        let issues = map.nodes.iter().filter(|node| matches!(node.content, NodeContent::Issue { .. })).count();
        assert_eq!(criticisms, issues, "{name}: each issue criticizes its proposal");
    }
    assert!(resolved > 0, "some issue is resolved");
}

#[test]
fn lone_arguments_stay_in_argdown_maps() {
    let argdown = exported(&small(), "argdown");
    assert!(argdown.contains("\n<a4>: Nobody asked."), "{argdown}");
    assert!(
        argdown.starts_with("===\ntitle: ") && argdown.contains("\nselection:\n  excludeDisconnected: false\n===\n")
    );
}

#[test]
fn interchange_maps_are_consistent() {
    for (name, read_model) in debates() {
        let whole: Value = serde_json::from_str(&exported(&read_model, "aif")).expect("JSON");
        let list = |key: &str| whole[key].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let kinds: BTreeMap<String, String> =
            list("nodes").iter().map(|node| (text(&node["nodeID"]), text(&node["type"]))).collect();
        assert_eq!(kinds.len(), list("nodes").len(), "{name}: ids are unique");
        let (mut leaving, mut arriving) = (BTreeMap::new(), BTreeMap::new());
        for edge in list("edges") {
            let (from, to) = (text(&edge["fromID"]), text(&edge["toID"]));
            let ends = (kinds[&from].as_str(), kinds[&to].as_str());
            let allowed = matches!(
                ends,
                ("I", "RA" | "CA" | "MA")
                    | ("RA" | "MA", "I")
                    | ("CA", "I" | "RA")
                    | ("L", "YA")
                    | ("YA", "I" | "RA" | "CA" | "MA")
            );
            assert!(allowed, "{name}: an edge from {ends:?}");
            *leaving.entry(from).or_insert(0) += 1;
            *arriving.entry(to).or_insert(0) += 1;
        }
        for (id, kind) in kinds.iter().filter(|(_, kind)| *kind != "I" && *kind != "L") {
            assert_eq!(leaving.get(id), Some(&1), "{name}: node {id} ({kind}) has one conclusion");
            assert!(arriving.contains_key(id), "{name}: node {id} ({kind}) has a source");
        }
        let persons: BTreeSet<String> =
            list("participants").iter().map(|person| text(&person["participantID"])).collect();
        for locution in list("locutions") {
            assert_eq!(kinds[&text(&locution["nodeID"])], "L", "{name}");
            assert!(persons.contains(&text(&locution["personID"])), "{name}: {locution}");
        }
        let texts = |kind: &str| -> BTreeSet<String> {
            list("nodes").iter().filter(|node| node["type"] == kind).map(|node| text(&node["text"])).collect()
        };
        let (claims, said) = (texts("I"), texts("L"));
        for dispute in read_model.disputes.disputes.values() {
            for (persona, stance) in &dispute.stances {
                let name = name_of(&read_model, persona.as_str());
                let words = format!("{name} : {}: {}", side_name(stance.side), merged(&dispute.question));
                assert!(said.iter().any(|said| said.starts_with(&words)), "no {words:?}");
            }
            let reasons = dispute.reasons.values().map(|reason| merged(&reason.given.claim));
            reasons.for_each(|claim| assert!(claims.contains(&claim), "no {claim:?}"));
        }
        for proposal in &read_model.proposals.proposals {
            assert!(claims.contains(&merged(&proposal.text)));
            let issues = proposal.criticism.iter().flat_map(|criticism| &criticism.issues);
            issues.for_each(|issue| assert!(claims.contains(&merged(&issue.text)), "no {:?}", issue.text));
        }
    }
}

/// Replaces every text of questions, stances, reasons and proposals.
fn with_texts(read_model: &DebateReadModel, by: &str) -> DebateReadModel {
    let mut changed = read_model.clone();
    let set = |text: &mut String| by.clone_into(text);
    set(&mut changed.summary.topic);
    changed.summary.participants.iter_mut().for_each(|participant| set(&mut participant.name));
    for dispute in changed.disputes.disputes.values_mut() {
        set(&mut dispute.question);
        dispute.retired.iter_mut().for_each(set);
        dispute.wordings.iter_mut().for_each(|wording| set(&mut wording.question));
        dispute.stances.values_mut().for_each(|stance| stance.statement = Some(by.to_owned()));
        for reason in dispute.reasons.values_mut() {
            set(&mut reason.given.claim);
            reason.given.assumptions.iter_mut().for_each(set);
        }
    }
    for proposal in &mut changed.proposals.proposals {
        set(&mut proposal.text);
        proposal.changes.iter_mut().for_each(|change| set(&mut change.text));
        if let Some(criticism) = &mut proposal.criticism {
            criticism.issues.iter_mut().for_each(|issue| set(&mut issue.text));
            criticism.edge_cases.iter_mut().chain(&mut criticism.contradictions).for_each(set);
        }
    }
    changed
}

/// Characters of Argdown's syntax that are not escaped, line by line.
fn argdown_syntax(text: &str) -> Vec<String> {
    let body = text.splitn(3, "===\n").nth(2).expect("settings");
    let bare = |line: &str| {
        let mut signs = line.chars();
        let mut syntax = String::new();
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => drop(signs.next()),
                '#' | '[' | ']' | '(' | ')' | '<' | '>' | '{' | '}' | '@' | '*' | '_' | '+' | '=' | '/' => {
                    syntax.push(sign);
                }
                _ => {}
            }
        }
        syntax
    };
    body.lines().map(bare).collect()
}

#[test]
fn texts_of_questions_and_proposals_are_never_markup() {
    for name in ["disputes_valid_replies", "disputes_five", "dialectic_valid_replies", "dialectic_veto"] {
        let read_model = DebateReadModel::of(&rehearsed(name).0);
        let harmless = with_texts(&read_model, "word");
        for text in HOSTILE.iter().filter(|text| !text.is_empty()) {
            let hostile = with_texts(&read_model, text);
            check_escapes(&hostile);
            let syntax = |read_model| argdown_syntax(&exported(read_model, "argdown"));
            assert_eq!(syntax(&hostile), syntax(&harmless), "{name}: {text}");
            let nodes = |read_model| {
                let aif: Value = serde_json::from_str(&exported(read_model, "aif")).expect("JSON");
                ["nodes", "edges", "locutions"].map(|key| aif[key].as_array().map(Vec::len))
            };
            assert_eq!(nodes(&hostile), nodes(&harmless), "{name}: {text}");
        }
        check_escapes(&with_texts(&read_model, ""));
    }
}

#[test]
fn a_participant_has_the_same_mark_in_terminal_picture_and_report() {
    for name in ["disputes_five", "dialogue_five", "graph_three_rounds", "dialectic_valid_replies"] {
        let log = &rehearsed(name).0;
        let read_model = DebateReadModel::of(log);
        let (svg, html) = (exported(&read_model, "svg"), exported(&read_model, "html"));
        let speakers = Speakers::of(&read_model.summary);
        let map = debate_map(&read_model);
        for participant in &read_model.summary.participants {
            let mark = mark_of(&read_model.summary, &participant.persona);
            assert_eq!(speakers.get(&participant.persona).mark, mark.glyph);
            let class = mark.colour.class;
            let in_report =
                format!("<li class={class}><b class=who><span class=mark aria-hidden=true>{}</span> ", mark.glyph);
            assert!(html.contains(&format!("{in_report}{}", participant.name)), "{name}: no {in_report}");
            assert!(html.contains(&format!("--{class}:{};", mark.colour.on_light)), "{name}: no colour {class}");
            if map.speakers.iter().any(|speaker| speaker.persona == participant.persona) {
                assert!(svg.contains(mark.path) && svg.contains(mark.colour.on_light), "{name}: {}", participant.name);
            }
        }
    }
}
