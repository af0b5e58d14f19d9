//! A debate as one page: nothing to fetch, nothing to run, light and dark, on a screen and on paper.

use crate::events::event::Recorded;
use crate::export::account::Account;
use crate::export::grounding;
use crate::export::markup::Markup;
use crate::export::rooms;
use crate::export::sections;
use crate::verdicts::board::Board;
use crate::verdicts::verdict::ALGORITHM;

/// How it looks.
const STYLE: &str = include_str!("html.css");

/// The page of a debate, with a picture of its arguments where there is one (SVG, as it was drawn here).
///
/// Whatever was said in the debate is text on it, and cannot be anything else: see [`Markup`]. A policy in the page's head
/// forbids what could be fetched or run, besides.
pub fn html(board: &Board, events: &[Recorded], picture: Option<&str>) -> String {
    let account = Account::of(board, events);
    let mut page = Markup::default();
    page.raw("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    page.raw("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    page.raw("<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<meta name=generator content=faultline>\n");
    page.raw("<title>")
        .text(&account.topic)
        .raw("</title>\n<style>\n")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n<main>\n");
    sections::head(&mut page, &account);
    sections::verdict(&mut page, &account);
    sections::contents(&mut page, &account, picture.is_some());
    sections::cruxes(&mut page, &account);
    if let Some(picture) = picture {
        page.raw("<h2 id=picture>The arguments at a glance</h2>\n");
        page.raw("<p class=lead>Each box is an argument, each arrow an attack that counts.</p>\n<figure>");
        page.picture(picture).raw("</figure>\n");
    }
    sections::camps(&mut page, &account);
    sections::common(&mut page, &account);
    sections::questions(&mut page, &account);
    rooms::rooms_section(&mut page, &account);
    sections::concessions(&mut page, &account);
    rooms::checks_section(&mut page, &account);
    sections::proposals(&mut page, &account);
    sections::arguments(&mut page, &account);
    sections::transcript(&mut page, &account);
    grounding::table(&mut page, board);
    sections::facts(&mut page, &account);
    page.raw("</main>\n<footer>The verdict is computed from the structure of the debate, by ").text(ALGORITHM);
    page.raw(
        "; no model was asked for it. Every quotation links to the turn it comes from.</footer>\n</body>\n</html>\n",
    );
    page.finish()
}
