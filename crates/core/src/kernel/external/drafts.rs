//! Validates sides, drafts and extracted claims in external events.

use crate::events::checks::check::CheckVerdict;
use crate::events::checks::claims::ClaimsExtracted;
use crate::events::checks::drafts::{TurnDrafted, TurnRejected};
use crate::events::checks::sides::SidesAssigned;
use crate::events::event::Event;
use crate::events::ids::{CheckId, DraftId, PersonaId};
use crate::events::turn::{Preparation, TurnTaken};
use crate::kernel::engine::Refusal;
use crate::kernel::external::checks::MAX_CHECKS;
use crate::kernel::external::claims::{check_count, check_turn};
use crate::kernel::external::id_rules::{check_not_blank, conflict, drafted_for, missing, next, own_turn, present};
use crate::kernel::quotations::turn_quotes;
use crate::projections::fact_checks::FactCheck;
use crate::projections::motion::Draft;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of drafts in an external debate.
pub const MAX_DRAFTS: usize = 2_000;

/// Checks whether sides, a draft or extracted claims are consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_draft(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::SidesAssigned(it) => sides(read_model, it),
        Event::TurnDrafted(it) => drafted(read_model, it),
        Event::TurnRejected(it) => rejected(read_model, it),
        Event::ClaimsExtracted(it) => extracted(read_model, it),
        Event::TurnTaken(it) => match &it.preparation {
            Some(preparation) => prepared(read_model, it, preparation),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks that each side has somebody, and nobody has two.
fn sides(read_model: &DebateReadModel, it: &SidesAssigned) -> Result<(), Refusal> {
    let all: Vec<&PersonaId> = it.pro.iter().chain(&it.con).collect();
    for (at, participant) in all.iter().enumerate() {
        present(read_model, participant)?;
        if all[..at].contains(participant) {
            return Err(Refusal::invalid(format!("{participant} is named twice among the sides")));
        }
    }
    for (side, members) in [("pro", &it.pro), ("con", &it.con)] {
        if members.is_empty() {
            return Err(Refusal::invalid(format!("`{side}` is empty; each side needs a participant")));
        }
    }
    check_not_blank("reason", &it.reason)
}

fn drafted(read_model: &DebateReadModel, it: &TurnDrafted) -> Result<(), Refusal> {
    check_count("drafts", read_model.motion.drafts.len(), MAX_DRAFTS)?;
    next("draft", &it.draft, &read_model.motion.next_draft())?;
    let since = read_model.transcript.turns.iter().rev().find(|turn| turn.speaker.as_ref() == Some(&it.turn.speaker));
    let since = since.map_or(0, |turn| turn.version);
    let is_of_turn = |draft: &&Draft| draft.version > since && draft.drafted.turn.speaker == it.turn.speaker;
    let before: Vec<&Draft> = read_model.motion.drafts.values().filter(is_of_turn).collect();
    if let Some(open) = before.iter().find(|draft| draft.rejected.is_none()) {
        return Err(conflict(format!("{} is neither taken nor rejected yet", open.drafted.draft)));
    }
    let expected = u32::try_from(before.len()).unwrap_or(u32::MAX).saturating_add(1);
    if it.attempt != expected {
        return Err(conflict(format!("the attempt is {}, not {expected}", it.attempt)));
    }
    check_turn(read_model, &it.turn)
}

/// Checks that a draft is rejected for claims of it that were found false.
fn rejected(read_model: &DebateReadModel, it: &TurnRejected) -> Result<(), Refusal> {
    let draft = draft(read_model, it.draft)?;
    if draft.rejected.is_some() || draft.said_in.is_some() {
        return Err(conflict(format!("{} is taken or rejected already", it.draft)));
    }
    if it.checks.is_empty() {
        return Err(Refusal::invalid("`checks` is empty; a draft is rejected for claims that were found false"));
    }
    false_checks(read_model, it.draft, &it.checks)?;
    check_not_blank("reason", &it.reason)
}

fn extracted(read_model: &DebateReadModel, it: &ClaimsExtracted) -> Result<(), Refusal> {
    let text = match it.draft {
        Some(id) => {
            let draft = draft(read_model, id)?;
            if draft.drafted.turn.speaker != it.speaker {
                return Err(Refusal::invalid(format!("{id} is a draft of {}", draft.drafted.turn.speaker)));
            }
            drafted_for(draft, it.turn)?;
            &draft.drafted.turn.text
        }
        None => {
            own_turn(read_model, &it.speaker, it.turn)?;
            &read_model.transcript.get(it.turn).ok_or_else(|| missing("turn", it.turn))?.text
        }
    };
    let known = read_model.fact_checks.checks.len() + read_model.fact_checks.unchecked.len();
    check_count("checks", known + it.claims.len(), MAX_CHECKS)?;
    let mut free = read_model.fact_checks.next_check();
    for claim in &it.claims {
        next("check", &claim.check, &free)?;
        free = CheckId(free.0 + 1);
        check_not_blank("claim", &claim.claim)?;
        if !turn_quotes::is_quoted(text, &claim.quote) {
            return Err(Refusal::invalid(format!("the quote of {} does not occur in the words", claim.check)));
        }
        if let Some(same) = claim.same_as.filter(|same| !read_model.fact_checks.checks.contains_key(same)) {
            return Err(missing("check", same));
        }
    }
    Ok(())
}

/// Checks that a prepared turn has a reflection and a critique, or neither, and that one with a draft is that draft, and names the
/// checks that found a claim of it false.
fn prepared(read_model: &DebateReadModel, turn: &TurnTaken, it: &Preparation) -> Result<(), Refusal> {
    if !(it.reflection.is_empty() && it.critique.is_empty()) {
        check_not_blank("reflection", &it.reflection)?;
        check_not_blank("critique", &it.critique)?;
    }
    let Some(id) = it.draft else {
        return if it.violations.is_empty() {
            Ok(())
        } else {
            Err(Refusal::invalid("`violations` needs a `draft`: claims of other turns are checked after them"))
        };
    };
    let draft = draft(read_model, id)?;
    let drafted = &draft.drafted.turn;
    if drafted.speaker != turn.speaker {
        return Err(Refusal::invalid(format!("{id} is a draft of {}", drafted.speaker)));
    }
    if draft.said_in.is_some() {
        return Err(conflict(format!("{id} is taken already")));
    }
    if (&drafted.text, &drafted.moves, drafted.round) != (&turn.text, &turn.moves, turn.round) {
        return Err(Refusal::invalid(format!(
            "the turn is not the draft {id}: text, moves and round must be the same"
        )));
    }
    let is_false = |check: &&FactCheck| check.checked.verdict == CheckVerdict::False;
    let found: Vec<CheckId> =
        read_model.fact_checks.of_draft(id).filter(is_false).map(|check| check.checked.check).collect();
    if found == it.violations {
        return Ok(());
    }
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    Err(Refusal::invalid(format!("`violations` must be the checks that found a claim of {id} false: {found}")))
}

fn false_checks(read_model: &DebateReadModel, draft: DraftId, checks: &[CheckId]) -> Result<(), Refusal> {
    checks.iter().try_for_each(|id| {
        let check = read_model.fact_checks.checks.get(id).ok_or_else(|| missing("check", id))?;
        if check.checked.draft != Some(draft) || check.checked.verdict != CheckVerdict::False {
            return Err(Refusal::invalid(format!("{id} found no claim of {draft} false")));
        }
        Ok(())
    })
}

fn draft(read_model: &DebateReadModel, id: DraftId) -> Result<&Draft, Refusal> {
    read_model.motion.drafts.get(&id).ok_or_else(|| missing("draft", id))
}
