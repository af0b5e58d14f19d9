//! Cruxes by place in a report: the rooms and threads in which each was worked out.

use crate::events::ids::RoomId;
use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::CruxPlacesReport;
use crate::projections::crux_rooms::CruxRooms;
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_card::crux_places::CruxMarks;
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Builds the places of each crux, open ones first; none in a debate without rooms.
pub fn crux_places(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<CruxPlacesReport> {
    let rooms = &read_model.rooms;
    if rooms.rooms.is_empty() {
        return Vec::new();
    }
    let told = verdict.all_cruxes().map(|crux| CruxPlacesReport {
        question: crux.question.clone(),
        places: places(rooms, &CruxMarks::from(crux).rooms(rooms), is_in_channel(read_model, crux)),
    });
    told.collect()
}

/// Returns true if a turn of a crux, or one in which somebody took a side on it, was taken in the main channel.
pub fn is_in_channel(read_model: &DebateReadModel, crux: &Crux) -> bool {
    let turns = crux.turns.iter().copied().chain(crux.positions.iter().map(|position| position.turn));
    let mut places = turns.filter_map(|turn| read_model.transcript.turn(turn));
    places.any(|turn| turn.room.is_none())
}

/// States in which rooms and threads a crux was worked out: `in thread m1`, or across several, and whether it was in the main
/// channel as well.
pub fn places(rooms: &CruxRooms, found: &[RoomId], is_in_channel: bool) -> String {
    let names: Vec<String> = found.iter().map(|room| rooms.named(*room)).collect();
    let as_well = if is_in_channel { ", and in the main channel" } else { "" };
    match names.len() {
        0 => "in the main channel alone".to_owned(),
        1 => format!("in {}{as_well}", names.concat()),
        _ => format!("across {}{as_well}", listed(&names)),
    }
}

/// Renders the places of the cruxes as HTML.
pub fn crux_places_list(page: &mut Markup, account: &DebateReport) {
    if account.crux_places.is_empty() {
        return;
    }
    page.raw("<h3>").raw(account.room_kinds.crux_places()).raw("</h3>\n<ul>\n");
    for crux in &account.crux_places {
        page.raw("<li dir=auto>").text(&crux.question).raw(" <span class=tag>").text(&crux.places);
        page.raw("</span></li>\n");
    }
    page.raw("</ul>\n");
}

impl MarkdownPage<'_> {
    /// Appends the places of the cruxes.
    pub fn crux_places(&mut self) {
        if self.account.crux_places.is_empty() {
            return;
        }
        self.line(&format!("{}:\n", self.account.room_kinds.crux_places()));
        for crux in &self.account.crux_places {
            self.line(&format!("- {}: {}", escaped(&crux.question), crux.places));
        }
        self.line("");
    }
}
