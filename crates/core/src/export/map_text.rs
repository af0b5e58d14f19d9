//! Words for the nodes of a map, shared by the formats that draw boxes.

use crate::events::dispute::Side;
use crate::events::ids::TurnId;
use crate::events::imported::TurnBasis;
use crate::events::proposal::{Recommendation, Severity};
use crate::export::map::{DebateMap, MapGround, MapNode, MapStance, NodeContent, NodeId, label_name};
use crate::projections::disputes::dispute_state::DisputeStatus;
use faultline_argumentation::labelling::Label;

/// Line below the text of a node, about one speaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// The speaker: an index into [`DebateMap::speakers`]; `None` if the line is about nobody.
    pub speaker: Option<usize>,
    /// Text of the line.
    pub text: String,
}

impl MapNode {
    /// Label of the node: that of an argument, or of a reason that was not withdrawn.
    pub fn label(&self) -> Option<Label> {
        match &self.content {
            NodeContent::Argument { label, .. } => Some(*label),
            NodeContent::Reason { label, .. } => *label,
            _ => None,
        }
    }

    /// Kind and status of the node, apart from its label: `issue, critical, resolved by p2`. Empty for an argument that
    /// is no thesis.
    pub fn status(&self) -> String {
        match &self.content {
            NodeContent::Argument { is_thesis: true, .. } => "thesis".to_owned(),
            NodeContent::Argument { .. } => String::new(),
            NodeContent::Question { status, is_topic, .. } => {
                format!("{}, {}", if *is_topic { "topic" } else { "question" }, dispute_status_name(*status))
            }
            NodeContent::Position { side, .. } => side_name(*side).to_owned(),
            NodeContent::Reason { label: None, .. } => "reason, withdrawn".to_owned(),
            NodeContent::Reason { .. } => "reason".to_owned(),
            NodeContent::Proposal { round, standing, .. } => format!("round {round}, {}", standing.name()),
            NodeContent::Issue { severity, resolved_by, .. } if resolved_by.is_empty() => {
                format!("{}, open", severity_name(*severity))
            }
            NodeContent::Issue { severity, resolved_by, .. } => {
                let resolved: Vec<String> = resolved_by.iter().map(ToString::to_string).collect();
                format!("{}, resolved by {}", severity_name(*severity), resolved.join(", "))
            }
        }
    }

    /// First line of a box: `a1 ✓ IN · ▲ Ada · thesis`, or `YES on d1`.
    pub fn heading(&self, map: &DebateMap) -> String {
        if let NodeId::Position(question, side) = self.id {
            return format!("{} on {question}", side_name(side));
        }
        let mut heading = self.id.to_string();
        if let Some(label) = self.label() {
            heading += &format!(" {} {}", label_sign(label), label_name(label));
        }
        if let Some(speaker) = self.speaker.map(|place| &map.speakers[place]) {
            heading += &format!(" · {} {}", speaker.mark.glyph, speaker.name);
        }
        let status = self.status();
        if status.is_empty() { heading } else { format!("{heading} · {status}") }
    }

    /// Turn with the basis of its attribution, for an argument whose turn is not recorded: `t5 by matching words`. `None`
    /// otherwise.
    pub fn turn_note(&self) -> Option<String> {
        match (self.turn_basis, self.turn) {
            (TurnBasis::Stated, _) => None,
            (basis, turn) => Some(basis.describe(turn.unwrap_or(TurnId(0)))),
        }
    }

    /// Text in a box. A side of a question has none, since the question has a box of its own.
    pub fn body(&self) -> &str {
        if matches!(self.content, NodeContent::Position { .. }) { "" } else { &self.text }
    }

    /// Lines below the text: the stances on a side or a proposal, the critic's recommendation, and the turn of an argument
    /// if it is not recorded.
    pub fn rows(&self, map: &DebateMap) -> Vec<NodeRow> {
        let name = |speaker: usize| &map.speakers[speaker].name;
        let words = MapStance::words;
        match &self.content {
            NodeContent::Position { stances, .. } if stances.is_empty() => {
                vec![NodeRow { speaker: None, text: "nobody".to_owned() }]
            }
            NodeContent::Position { stances, .. } => stances
                .iter()
                .map(|stance| {
                    let text = format!("{} in {}{}", name(stance.speaker), stance.turn, words(stance));
                    NodeRow { speaker: Some(stance.speaker), text }
                })
                .collect(),
            NodeContent::Proposal { criticism, stances, dispute, .. } => {
                let about = dispute.as_ref().map(|(id, _)| format!("{id} ")).unwrap_or_default();
                let stances = stances.iter().map(|stance| {
                    let side = side_name(stance.side);
                    let text = format!("{about}{side}: {} in {}{}", name(stance.speaker), stance.turn, words(stance));
                    NodeRow { speaker: Some(stance.speaker), text }
                });
                let criticism = criticism.iter().map(|criticism| {
                    let recommendation = recommendation_name(criticism.recommendation);
                    let text =
                        format!("criticism by {} in {}: {recommendation}", name(criticism.speaker), criticism.turn);
                    NodeRow { speaker: Some(criticism.speaker), text }
                });
                stances.chain(criticism).collect()
            }
            NodeContent::Argument { .. } => {
                self.turn_note().into_iter().map(|text| NodeRow { speaker: None, text }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Everything that a box has no room for, each with a word that introduces it.
    pub fn remarks(&self) -> Vec<(&'static str, &str)> {
        fn each<'a>(word: &'static str, texts: &'a [String]) -> impl Iterator<Item = (&'static str, &'a str)> {
            texts.iter().map(move |text| (word, text.as_str()))
        }
        fn grounds<'a>(
            (said, unsaid): (&'static str, &'static str),
            grounds: &'a [MapGround],
        ) -> impl Iterator<Item = (&'static str, &'a str)> {
            grounds.iter().map(move |ground| (if ground.is_unsaid { unsaid } else { said }, ground.text.as_str()))
        }
        const BECAUSE: (&str, &str) = ("because", "because (not said)");
        const ASSUMING: (&str, &str) = ("assuming", "assuming (not said)");
        match &self.content {
            NodeContent::Argument { premises, assumptions, .. } => {
                grounds(BECAUSE, premises).chain(grounds(ASSUMING, assumptions)).collect()
            }
            NodeContent::Question { remarks, .. } => each("note", remarks).collect(),
            NodeContent::Reason { assumptions, .. } => grounds(ASSUMING, assumptions).collect(),
            NodeContent::Proposal { criticism: Some(criticism), dispute, .. } => {
                let question = dispute.iter().map(|(_, question)| ("question", question.as_str()));
                question.chain(each("critic", &criticism.remarks)).collect()
            }
            NodeContent::Proposal { dispute, .. } => {
                dispute.iter().map(|(_, question)| ("question", question.as_str())).collect()
            }
            NodeContent::Position { .. } | NodeContent::Issue { .. } => Vec::new(),
        }
    }
}

impl MapStance {
    /// Confidence, statement and quotation, as they follow the turn of the stance. Empty if none is recorded.
    fn words(&self) -> String {
        let confidence = self.confidence.map(|share| format!(" ({:.0} % sure)", share * 100.0)).unwrap_or_default();
        let is_quoted = |statement: &&String| self.quote.as_ref() == Some(*statement);
        let statement = self.statement.as_ref().filter(|statement| !is_quoted(statement));
        let quote = self.quote.as_ref().map(|quote| format!("“{quote}”"));
        let words: Vec<String> = statement.cloned().into_iter().chain(quote).collect();
        let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(" ")) };
        format!("{confidence}{words}")
    }
}

/// Sign of a label.
pub fn label_sign(label: Label) -> &'static str {
    match label {
        Label::In => "✓",
        Label::Out => "✗",
        Label::Undec => "?",
    }
}

/// Name of a side, in capitals.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::Yes => "YES",
        Side::No => "NO",
        Side::Nuanced => "IT DEPENDS",
        Side::Undecided => "UNDECIDED",
    }
}

/// Name of a dispute's status, for readers.
fn dispute_status_name(status: DisputeStatus) -> &'static str {
    match status {
        DisputeStatus::Proposed => "uncontested",
        DisputeStatus::Open | DisputeStatus::Settled | DisputeStatus::Retired => status.name(),
    }
}

/// Name of a severity.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Minor => "minor",
        Severity::Major => "major",
        Severity::Critical => "critical",
    }
}

/// Recommendation of a critic, in words.
pub fn recommendation_name(recommendation: Recommendation) -> &'static str {
    match recommendation {
        Recommendation::Accept => "accept",
        Recommendation::NoObjection => "no objection",
        Recommendation::Revise => "revise",
        Recommendation::Reject => "reject",
    }
}
