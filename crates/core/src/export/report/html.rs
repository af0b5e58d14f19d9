//! Debate as one HTML page: self-contained, without scripts, with light and dark styles for screen and print.

use crate::events::event::Recorded;
use crate::export::report::build::report;
use crate::export::report::camps;
use crate::export::report::crux_sections;
use crate::export::report::disagreement;
use crate::export::report::figures::agreement::{agreement, agreement_section};
use crate::export::report::figures::debate_charts::debate_charts;
use crate::export::report::figures::report_chart::charts_section;
use crate::export::report::figures::{grounding, measures};
use crate::export::report::markup::Markup;
use crate::export::report::proposals;
use crate::export::report::reasons;
use crate::export::report::report_sections::{self, PictureSections};
use crate::export::report::rooms::{agenda, fact_checks, motion, room_sections, searches, tables};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::ALGORITHM;

/// Style sheet of the page.
const STYLE: &str = include_str!("html.css");

/// Renders the page of a debate. `picture` is the map of the debate as SVG, drawn by this program, if there is one.
///
/// Texts of the debate are always escaped: see [`Markup`]. In addition, a content security policy in the head of the
/// page forbids scripts and external resources.
pub fn html(read_model: &DebateReadModel, events: &[Recorded], picture: Option<&str>) -> String {
    let account = report(read_model, events);
    let (charts, agreement) = (debate_charts(read_model, events), agreement(read_model));
    let mut page = Markup::default();
    page.raw("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    page.raw("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    page.raw("<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<meta name=generator content=faultline>\n");
    page.raw("<title>").text(&account.topic).raw("</title>\n<style>\n").raw(STYLE);
    report_sections::colours(&mut page);
    page.raw("</style>\n</head>\n<body>\n<main>\n");
    report_sections::head(&mut page, &account);
    report_sections::verdict(&mut page, &account);
    let pictures =
        PictureSections { map: picture.is_some(), agreement: agreement.is_some(), course: !charts.is_empty() };
    report_sections::contents(&mut page, &account, pictures);
    report_sections::on_topic(&mut page, &account);
    crux_sections::cruxes(&mut page, &account);
    if let Some(picture) = picture {
        page.raw("<h2 id=picture>The debate at a glance</h2>\n");
        page.raw("<p class=lead>Arguments, questions and proposals, and the relations between them; the legend is below.</p>\n<figure>");
        page.picture(picture).raw("</figure>\n");
    }
    camps::camps(&mut page, &account);
    disagreement::section(&mut page, &account);
    report_sections::common(&mut page, &account);
    report_sections::questions(&mut page, &account);
    if let Some(agreement) = &agreement {
        agreement_section(&mut page, agreement);
    }
    reasons::reasons_section(&mut page, &account);
    room_sections::rooms_section(&mut page, &account);
    agenda::agenda_section(&mut page, &account);
    tables::tables_section(&mut page, &account);
    motion::motion_section(&mut page, &account);
    report_sections::concessions(&mut page, &account);
    fact_checks::checks_section(&mut page, &account);
    searches::searches_section(&mut page, &account);
    proposals::proposals_section(&mut page, &account);
    report_sections::arguments(&mut page, &account);
    report_sections::transcript(&mut page, &account);
    charts_section(&mut page, &charts);
    grounding::table(&mut page, read_model);
    measures::measures_section(&mut page, &measures::sections(read_model));
    report_sections::facts(&mut page, &account);
    page.raw("</main>\n<footer>The verdict is computed from the structure of the debate by ").text(ALGORITHM);
    page.raw(
        ", without a language model. Every quotation links to the turn it comes from.</footer>\n</body>\n</html>\n",
    );
    page.finish()
}
