//! Reasons in a report: each with the question and the side that it supports.

use crate::events::dispute::{Polarity, ReasonGiven, Side};
use crate::events::distillation::ComparisonFinding;
use crate::events::ids::{PointId, ReasonId};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{DebateReport, QuestionReasons, ReasonReport};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_sections::{colour, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::side_word;
use crate::export::report::unsaid::unsaid_in_reason;
use crate::projections::disputes::dispute_state::{Dispute, Reason};
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of the reasons on each question. Reasons that no longer count are marked.
pub fn reasons(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<QuestionReasons> {
    let disputes = read_model.disputes.disputes.iter().filter(|(_, dispute)| !dispute.reasons.is_empty());
    let told = disputes.map(|(question, dispute)| {
        let reasons = dispute.reasons.iter().map(|(id, reason)| {
            let given = &reason.given;
            let unsaid = unsaid_in_reason(read_model, given, &given.claim);
            let said = Statement {
                speaker: teller.place(&given.speaker),
                turn: given.turn,
                what: format!("{}{}", stands(dispute, reason), remarks(reason, unsaid, &excluded(read_model, *id))),
                text: given.claim.clone(),
            };
            ReasonReport { id: *id, said, grounds: grounds(read_model, given) }
        });
        let remark = between(teller, dispute);
        QuestionReasons { id: *question, question: dispute.question.clone(), reasons: reasons.collect(), remark }
    });
    told.collect()
}

/// Names the participants who say that it depends: a reason is recorded for or against a yes or a no only.
fn between(teller: &ReportBuilder, dispute: &Dispute) -> Option<String> {
    let nuanced = dispute.stances.iter().filter(|(_, stance)| stance.side == Side::Nuanced);
    let names: Vec<String> =
        nuanced.filter_map(|(who, _)| Some(teller.speakers[teller.place(who)?].name.clone())).collect();
    let says = if names.len() == 1 { "says" } else { "say" };
    (!names.is_empty())
        .then(|| format!("{} {says} that it depends; reasons for that answer are not recorded.", listed(&names)))
}

/// Evidence and assumptions of a reason, as lines.
fn grounds(read_model: &DebateReadModel, given: &ReasonGiven) -> Vec<String> {
    let evidence = given.evidence.iter().map(|piece| ("because", &piece.text));
    let assumptions = given.assumptions.iter().map(|text| ("assuming", text));
    let grounds = evidence.chain(assumptions).map(|(role, text)| {
        let remark = unsaid_in_reason(read_model, given, text).map(|remark| format!(" ({remark})"));
        format!("{role}: {text}{}", remark.unwrap_or_default())
    });
    grounds.collect()
}

/// Relation of a reason to the question: the side that it supports or attacks, and the reasons that it attacks. One that
/// speaks against a side is not for the other: its speaker may be between them. If it answers reasons, it says no more than
/// that, since it may only defend; nor does one that answers reasons for its own side.
pub fn stands(dispute: &Dispute, reason: &Reason) -> String {
    let attacked: Vec<String> = reason.given.attacks.iter().map(ToString::to_string).collect();
    let (side, attacked) = (side_word(reason.given.side), listed(&attacked));
    match (reason.given.polarity, attacked.is_empty()) {
        (Polarity::Supports, true) => format!("for {side}"),
        (Polarity::Supports, false) if !answers_own_side(dispute, &reason.given) => {
            format!("for {side}, against {attacked}")
        }
        (Polarity::Attacks, true) => format!("against {side}"),
        (_, false) => format!("against {attacked}"),
    }
}

/// True if a reason attacks only reasons for the side that it is given for.
pub fn answers_own_side(dispute: &Dispute, given: &ReasonGiven) -> bool {
    let is_own = |it: &Reason| it.given.polarity == Polarity::Supports && it.given.side == given.side;
    !given.attacks.is_empty() && given.attacks.iter().all(|id| dispute.reasons.get(id).is_some_and(is_own))
}

/// Reasons that a comparison found to contradict a reason, where neither attacks the other.
fn excluded(read_model: &DebateReadModel, id: ReasonId) -> Vec<String> {
    let attacks = |one: ReasonId, other: ReasonId| {
        let given = read_model.disputes.reason(one).map(|(_, reason)| &reason.given);
        given.is_some_and(|given| given.attacks.contains(&other))
    };
    let conflicts = read_model.disputes.comparisons.iter().filter(|it| it.finding == ComparisonFinding::Conflict);
    let others = conflicts.filter_map(|it| match (it.one, it.other) {
        (PointId::Reason(one), PointId::Reason(other)) if one == id => Some(other),
        (PointId::Reason(one), PointId::Reason(other)) if other == id => Some(one),
        _ => None,
    });
    let others = others.filter(|other| !attacks(id, *other) && !attacks(*other, id));
    others.map(|other| other.to_string()).collect()
}

/// Remarks on a reason, in brackets; empty if there are none.
fn remarks(reason: &Reason, unsaid: Option<String>, excluded: &[String]) -> String {
    let remarks = [
        (!excluded.is_empty()).then(|| format!("contradicts {}", listed(excluded))),
        unsaid,
        reason.withdrawn.as_ref().map(|withdrawn| format!("withdrawn in {}", withdrawn.turn)),
        reason.is_contested().then(|| "contested by the audit".to_owned()),
    ];
    let remarks: Vec<String> = remarks.into_iter().flatten().collect();
    if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) }
}

/// Renders the reasons as HTML.
pub fn reasons_section(page: &mut Markup, account: &DebateReport) {
    if account.reasons.is_empty() {
        return;
    }
    page.raw("<h2 id=reasons>Reasons</h2>\n<p class=lead>Reasons for the sides of each question.</p>\n");
    for on_question in &account.reasons {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&on_question.question).raw("</h4>\n<div class=meta><b>");
        page.text(&on_question.id.to_string()).raw("</b></div>\n<ul class=evidence>\n");
        for reason in &on_question.reasons {
            let (id, said) = (reason.id.to_string(), &reason.said);
            page.raw("<li class=").raw(colour(said.speaker)).raw(" id=").text(&id).raw("><b class=who>").text(&id);
            page.raw(" ");
            who(page, account, said.speaker);
            page.raw("</b> ").text(&said.what).raw(" <span class=at>");
            turn_link(page, said.turn);
            page.raw("</span> ").text(&said.text);
            for ground in &reason.grounds {
                page.raw("<br><span class=at>").text(ground).raw("</span>");
            }
            page.raw("</li>\n");
        }
        page.raw("</ul>\n");
        if let Some(remark) = &on_question.remark {
            page.raw("<p class=at>").text(remark).raw("</p>\n");
        }
        page.raw("</section>\n");
    }
}
