//! Cruxes in a report, with the words that show each position and what would change minds.

use crate::events::ids::TurnId;
use crate::export::report::model::report_model::{CruxReport, MindChangeReport};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::{
    card_notes, is_met_by_own_criterion, met_by_criterion, met_by_own_criteria, position_word,
};
use crate::verdicts::candidates::Level;
use crate::verdicts::card::{CruxCard, MindChange, MindChangeCondition};
use crate::verdicts::crux::{Crux, CruxOrigin, Position};
use crate::verdicts::crux_card::crux_text::{no_condition_of, quoted, why_theses};

impl ReportBuilder<'_> {
    /// Report of a crux, with quotations for each position.
    pub fn crux(&self, crux: &Crux) -> CruxReport {
        let origin = match crux.origin {
            CruxOrigin::Dispute { dispute } => match crux.agreed {
                Some(proposal) => format!("open question {dispute}, agreed on as the crux {proposal}"),
                None => format!("open question {dispute}"),
            },
            CruxOrigin::Acknowledged { proposal } => format!("agreed on as the crux {proposal}"),
            CruxOrigin::Structure { level: Level::Assumption } => "an assumption".to_owned(),
            CruxOrigin::Structure { level: Level::Premise } => "a premise".to_owned(),
            CruxOrigin::Structure { level: Level::Claim } if crux.is_inference() => "the step to a claim".to_owned(),
            CruxOrigin::Structure { level: Level::Claim } => "a claim".to_owned(),
        };
        let is_dispute = matches!(crux.origin, CruxOrigin::Dispute { .. });
        CruxReport {
            question: crux.question.clone(),
            statement: (!is_dispute).then(|| crux.statement.clone()),
            others: crux.other_statements.iter().map(|other| self.marked(other)).collect(),
            origin,
            weight: crux.consequence.map(|it| why_theses(&it)),
            evidence: crux.positions.iter().map(|position| self.position(position)).collect(),
            dependents: crux.dependents.clone(),
            notes: card_notes(&self.read_model.rooms, &crux.card),
            mind_changes: self.mind_changes(&crux.card),
        }
    }

    /// What would change minds. Several participants without a condition are told in one sentence, and so are those whose
    /// own criteria are their conditions.
    fn mind_changes(&self, card: &CruxCard) -> Vec<MindChangeReport> {
        let (unknown, known): (Vec<&MindChange>, Vec<&MindChange>) =
            card.mind_changes.iter().partition(|change| change.condition.text().is_none());
        let name = |change: &&MindChange| {
            let place = self.place(&change.persona);
            place.map_or_else(|| change.persona.to_string(), |place| self.speakers[place].name.clone())
        };
        let is_own = |change: &&MindChange| is_met_by_own_criterion(card, &change.condition, &name(change));
        let own: Vec<String> = known.iter().filter(|change| is_own(change)).map(name).collect();
        let own = met_by_own_criteria(&own);
        let is_grouped = own.is_some();
        let own = own.map(|source| MindChangeReport { speaker: None, turn: None, source, text: None });
        let known = known.into_iter().filter(|change| !(is_grouped && is_own(change)));
        let known = own.into_iter().chain(known.map(|change| self.mind_change(card, change)));
        let names: Vec<String> = unknown.iter().map(name).collect();
        let without = match unknown.as_slice() {
            [one] => Some(self.mind_change(card, one)),
            [] => None,
            _ => {
                let source = no_condition_of(&names);
                Some(MindChangeReport { speaker: None, turn: None, source, text: None })
            }
        };
        known.chain(without).collect()
    }

    fn mind_change(&self, card: &CruxCard, change: &MindChange) -> MindChangeReport {
        let speaker = self.place(&change.persona);
        let name = speaker.map_or(change.persona.as_str(), |place| self.speakers[place].name.as_str());
        if let Some(source) = met_by_criterion(&self.read_model.rooms, card, &change.condition, name) {
            return MindChangeReport { speaker, turn: None, source, text: None };
        }
        let (turn, source) = match &change.condition {
            MindChangeCondition::Spoken { turn, .. } => (Some(*turn), "said".to_owned()),
            MindChangeCondition::Room { room, .. } => (None, format!("card of {}", self.read_model.rooms.named(*room))),
            MindChangeCondition::Contract { .. } => (None, "from the persona file, not said".to_owned()),
            MindChangeCondition::Unknown { reason } => (None, reason.clone()),
        };
        let text = change.condition.text().map(str::to_owned);
        MindChangeReport { speaker, turn, source, text }
    }

    /// Position with the words that show it: those of an attack, with the claim of the attacking argument if the same turn
    /// states it.
    fn position(&self, position: &Position) -> Statement {
        let text = match (&position.quote, position.argument) {
            (Some(quote), _) => self.with_claim(position, quote),
            // Words of an argument are no quotation of this turn.
            (None, Some(_)) => String::new(),
            (None, None) => quoted(&position.words),
        };
        let what = position_word(position.side).to_owned() + &position.remark();
        Statement { speaker: self.place(&position.persona), turn: position.turn, what, text }
    }

    fn with_claim(&self, position: &Position, quote: &str) -> String {
        let argument = position.argument.filter(|_| position.side.denies());
        let argument = argument.and_then(|argument| self.read_model.arguments.arguments.get(&argument));
        let claim = argument.map(|argument| argument.advanced.claim.as_str());
        let place = |words: &str| self.place_in(position.turn, words);
        // Sentences of which one follows the other are one quotation.
        let both = |first: (usize, &str), second: (usize, &str)| {
            let text = self.read_model.transcript.turn(position.turn).map_or("", |turn| turn.text.as_str());
            let between = text.get(first.0 + first.1.len()..second.0);
            let (first, second) = (quoted(first.1), quoted(second.1));
            let is_joined = first.ends_with('…') || between.is_some_and(|gap| gap.trim().is_empty());
            format!("{first}{}{second}", if is_joined { " " } else { " … " })
        };
        match claim.filter(|claim| !quote.contains(claim) && !claim.contains(quote)) {
            Some(claim) => match (place(quote), place(claim)) {
                (Some(first), Some(second)) if first < second => both((first, quote), (second, claim)),
                (Some(first), Some(second)) => both((second, claim), (first, quote)),
                _ => quoted(quote),
            },
            None => quoted(quote),
        }
    }

    /// Index of words in a turn, in bytes; `None` if it does not contain them as they are.
    fn place_in(&self, turn: TurnId, words: &str) -> Option<usize> {
        self.read_model.transcript.turn(turn)?.text.find(words)
    }

    /// Statement of arguments, with a mark if no turn contains it.
    pub fn marked(&self, statement: &str) -> String {
        if self.read_model.is_said(statement) { statement.to_owned() } else { format!("{statement} (not said aloud)") }
    }
}
