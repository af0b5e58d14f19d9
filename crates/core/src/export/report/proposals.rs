//! Proposals of a dialectic debate in a report: each with its reasoning, the sides taken on it, and its issues.

use crate::events::ids::TurnId;
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{DebateReport, IssueReport, ProposalReport};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_sections::{colour, listed, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::{recommendation_words, severity_word};
use crate::export::report::unsaid::unsaid_reasoning;
use crate::projections::proposals::{Proposal, Proposals};
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each proposal.
pub fn proposals(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<ProposalReport> {
    let all = &read_model.proposals;
    let told = all.proposals.iter().map(|proposal| ProposalReport {
        said: Statement {
            speaker: teller.place(&proposal.speaker),
            turn: proposal.turn,
            what: relation(all, proposal),
            text: proposal.text.clone(),
        },
        reasoning: proposal.reasoning.clone(),
        not_reviewed: all.not_reviewed(proposal),
        unsaid: unsaid_reasoning(&read_model.transcript, proposal.turn, &proposal.speaker, &proposal.reasoning),
        sides: sides(teller, proposal),
        issues: issues(all, proposal),
    });
    told.collect()
}

/// Describes a proposal by its id, its relation to an earlier one, and its round.
fn relation(all: &Proposals, proposal: &Proposal) -> String {
    let Some(from) = proposal.from else {
        return format!("{} drafted, round {}", proposal.proposal, proposal.round);
    };
    let before = all.get(from).map(|it| (it.text == proposal.text, it.speaker == proposal.speaker));
    let relation = match before {
        Some((true, _)) => "repeats",
        Some((false, true)) => "revises",
        Some((false, false)) | None => "competes with",
    };
    format!("{} {relation} {from}, round {}", proposal.proposal, proposal.round)
}

/// Recommendation of the critic, and the acceptances with their words.
fn sides(teller: &ReportBuilder, proposal: &Proposal) -> Vec<Statement> {
    // A review that accepts the proposal is told by the acceptance.
    let is_told = |turn: TurnId| proposal.acceptances.iter().any(|acceptance| acceptance.turn == turn);
    let reviews = proposal.criticism.iter().filter(|criticism| !is_told(criticism.turn));
    let critic = reviews.map(|criticism| Statement {
        speaker: teller.place(&criticism.speaker),
        turn: criticism.turn,
        what: recommendation_words(criticism.recommendation).to_owned(),
        text: String::new(),
    });
    let accepted = proposal.acceptances.iter().map(|acceptance| Statement {
        speaker: teller.place(&acceptance.speaker),
        turn: acceptance.turn,
        what: "accepts it".to_owned(),
        text: acceptance.words.clone(),
    });
    critic.chain(accepted).collect()
}

fn issues(all: &Proposals, proposal: &Proposal) -> Vec<IssueReport> {
    let raised = proposal.criticism.iter().flat_map(|criticism| &criticism.issues);
    let told = raised.map(|issue| {
        let answers = |other: &&Proposal| other.changes.iter().any(|change| change.issue == issue.issue);
        IssueReport {
            id: issue.issue,
            severity: severity_word(issue.severity),
            text: issue.text.clone(),
            answered_by: all.proposals.iter().find(answers).map(|other| other.proposal),
        }
    });
    told.collect()
}

/// Renders the proposals as HTML.
pub fn proposals_section(page: &mut Markup, account: &DebateReport) {
    if account.proposals.is_empty() {
        return;
    }
    page.raw(
        "<h2 id=proposals>Proposals</h2>\n<p class=lead>Each revises the one before in response to criticism.</p>\n",
    );
    for sentence in &account.refinement {
        page.raw("<p>").text(sentence).raw("</p>\n");
    }
    page.raw("<ol class=trail>\n");
    account.proposals.iter().for_each(|proposal| entry(page, account, proposal));
    page.raw("</ol>\n");
}

fn entry(page: &mut Markup, account: &DebateReport, proposal: &ProposalReport) {
    let said = &proposal.said;
    page.raw("<li class=").raw(colour(said.speaker)).raw("><span class=who>");
    who(page, account, said.speaker);
    page.raw("</span> <span class=tag>").text(&said.what).raw("</span> <span class=at>");
    turn_link(page, said.turn);
    page.raw("</span>").paragraphs(&said.text);
    if !proposal.reasoning.trim().is_empty() {
        let remark = proposal.unsaid.map(|remark| format!(" ({remark})")).unwrap_or_default();
        page.raw("<p class=at dir=auto>Reasoning").text(&remark).raw(": ").text(&proposal.reasoning).raw("</p>");
    }
    if proposal.sides.is_empty() {
        page.raw("<p class=at>").raw(proposal.not_reviewed).raw("</p>");
    }
    listed(page, account, &proposal.sides);
    if !proposal.issues.is_empty() {
        page.raw("<dl>");
        for issue in &proposal.issues {
            page.raw("<dt>").text(&issue.id.to_string()).raw("</dt><dd dir=auto>").text(&issue.remark());
            page.raw(": ").text(&issue.text).raw("</dd>");
        }
        page.raw("</dl>");
    }
    page.raw("</li>\n");
}
