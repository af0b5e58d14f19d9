//! Newly found cruxes, and whether they match a filter.

use std::sync::Arc;

use async_graphql::Result;

use crate::api::error::invalid;
use crate::api::types::crux::crux::{Crux, CruxOrigin, RankedCrux};
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::DebateRef;
use crate::service::crux_feed::FoundCrux;
use faultline_core::events::dispute::Side;
use faultline_store::views::cruxes::CruxQuery;

/// Builds the crux with its debate at the version at which it was found.
///
/// # Errors
/// `INVALID` if the debate has no opening event.
pub fn crux(found: &FoundCrux) -> Result<Crux> {
    let board = found.read_model.as_ref();
    let at_discovery = Debate::from_read_model(board.clone(), Some(board.summary.version))?;
    let (Some(debate), Some(opened)) = (board.summary.debate, board.summary.opened_at) else {
        return Err(invalid("the debate has no opening event"));
    };
    let times = found.crux.times(&board.transcript, opened);
    Ok(Crux::new(
        RankedCrux { debate, rank: found.rank, crux: &found.crux, times },
        DebateRef::Known(Arc::new(at_discovery)),
    ))
}

/// Returns true if the crux matches the filter, by the same rules as in the list of cruxes.
pub fn matches_filter(filter: &CruxQuery, found: &FoundCrux) -> bool {
    let crux = &found.crux;
    let takes_side = |persona| {
        let sides = crux.positions.iter().filter(|it| it.persona == persona);
        sides.map(|it| it.side).any(|it| matches!(it, Side::Yes | Side::No))
    };
    filter.debate.is_none_or(|it| found.read_model.summary.debate == Some(it))
        && filter.persona.clone().is_none_or(takes_side)
        && filter.kind.as_deref().is_none_or(|it| CruxOrigin::of(crux.origin).name() == it)
        && filter.open.is_none_or(|it| crux.open == it)
        && filter.regime.as_deref().is_none_or(|it| found.regime.name() == it)
        && filter.min_pivotality.is_none_or(|it| crux.pivotality.unwrap_or(-1.0) >= it)
}
