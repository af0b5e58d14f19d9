//! Parts of the disagreement in a report: fault lines between camps or on questions, conditions, and evidence that was
//! contested. What would settle a crux is told with the crux.

use std::collections::BTreeSet;

use crate::events::citation::Evidence;
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{DebateReport, DisagreementNotes, OTHER_CONDITIONS};
use crate::export::report::quotes::short;
use crate::export::report::report_words::side_word;
use crate::export::report::unsaid::unsaid_in_reason;
use crate::projections::disputes::dispute_state::Dispute;
use crate::questions::wording::says_the_same;
use crate::verdicts::concessions::granted::GrantedStatement;
use crate::verdicts::disagreement::evidence_ledger::{ContestedEvidence, evidence_ledgers};
use crate::verdicts::disagreement::fault_line::{FaultLine, FaultSide};
use crate::verdicts::disagreement::fault_lines::fault_lines;
use crate::verdicts::disagreement::flip_conditions::{FlipCondition, flip_conditions};
use crate::verdicts::disagreement::tracked_conditions::{TrackedCondition, tracked_conditions};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Title of the fault lines on questions. The first reasons of a [`FaultSide`] are those in conflict with the other side.
const ON_QUESTIONS: &str = "Fault lines: questions that divide the participants, with a reason of each side: one \
                            in conflict with the other side, if there is one, or else the first; without reasons, an \
                            answer";
/// Maximum number of words told of a category.
const MAX_CATEGORY_WORDS: usize = 3;
/// Mark of two arguments that attack each other.
const BOTH_UNDECIDED: &str = " (each attacks the other, and both are undecided)";
/// Maximum number of characters of a claim or a piece of evidence in a note.
const MAX_SHORT: usize = 400;

/// Notes on the parts of the disagreement; parts of which the debate shows nothing are left out.
pub fn notes(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<DisagreementNotes> {
    let words = Words { read_model };
    let DebateReadModel { summary, arguments, disputes, .. } = read_model;
    let contested = evidence_ledgers(summary, arguments, disputes, &verdict.labels);
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for ledger in &contested {
        for it in &ledger.contested {
            let (offered, attack) = (words.offered(it, &verdict.granted), words.attacking(&ledger.persona, it));
            match told.iter_mut().find(|(known, _)| *known == offered) {
                Some((_, attacks)) => attacks.push(attack),
                None => told.push((offered, vec![attack])),
            }
        }
    }
    let contested = told.into_iter().map(|(offered, attacks)| format!("{offered}; {}", attacks.join("; ")));
    let (on_questions, between_camps): (Vec<FaultLine>, Vec<FaultLine>) =
        fault_lines(read_model, verdict).into_iter().partition(|line| line.dispute.is_some());
    let parts = [
        (
            "Fault lines: claims that stand in different camps, and claims that attack each other and stay undecided",
            words.camp_lines(&between_camps, verdict),
        ),
        (ON_QUESTIONS, on_questions.iter().filter_map(|line| words.dispute_line(line)).collect()),
        (
            "Conditions under which an argument would stand better, at most one for each participant",
            flip_conditions(summary, arguments, &verdict.labels).iter().map(|it| words.condition(it)).collect(),
        ),
        ("Support offered for arguments that another argument attacks", contested.collect()),
        (OTHER_CONDITIONS, words.other_conditions(verdict)),
    ];
    let parts = parts.into_iter().filter(|(_, lines): &(_, Vec<String>)| !lines.is_empty());
    parts.map(|(title, lines)| DisagreementNotes { title, lines }).collect()
}

/// Wording of the notes of one debate.
struct Words<'a> {
    read_model: &'a DebateReadModel,
}

impl Words<'_> {
    fn name<'b>(&'b self, persona: &'b PersonaId) -> &'b str {
        let found = self.read_model.summary.participants.iter().find(|participant| participant.persona == *persona);
        found.map_or(persona.as_str(), |participant| participant.name.as_str())
    }

    fn claim(&self, id: ArgumentId) -> String {
        let argument = self.read_model.arguments.arguments.get(&id);
        argument.map_or(String::new(), |argument| {
            let mark =
                if self.read_model.is_unsaid(argument, &argument.advanced.claim) { " (not said aloud)" } else { "" };
            format!("\"{}\"{mark}", short(&argument.advanced.claim, MAX_SHORT))
        })
    }

    /// Fault lines between camps, then other pairs of arguments that attack each other and leave both undecided.
    fn camp_lines(&self, lines: &[FaultLine], verdict: &Verdict) -> Vec<String> {
        let first = |side: &FaultSide| side.arguments.first().copied();
        let ordered = |(one, other): (ArgumentId, ArgumentId)| (one.min(other), one.max(other));
        let quoted: BTreeSet<_> =
            lines.iter().filter_map(|line| Some(ordered((first(&line.one)?, first(&line.other)?)))).collect();
        let is_undecided = |id: &ArgumentId| verdict.labels.get(id) == Some(&Label::Undec);
        let mutual = self.read_model.arguments.active().filter(|(_, attack)| attack.is_mutual());
        let mutual = mutual.map(|(_, attack)| ordered((attack.raised.source, attack.raised.target)));
        let opposed = self.read_model.arguments.opposed_theses().into_iter().map(ordered);
        let undecided = mutual.chain(opposed).filter(|pair| is_undecided(&pair.0) && is_undecided(&pair.1));
        let undecided: BTreeSet<_> = undecided.collect();
        let others = undecided.difference(&quoted);
        let told = others.map(|(one, other)| format!("{} / {}{BOTH_UNDECIDED}", self.held(*one), self.held(*other)));
        let between = lines.iter().map(|line| {
            let pair = first(&line.one).zip(first(&line.other)).map(ordered);
            let mark = if pair.is_some_and(|pair| undecided.contains(&pair)) { BOTH_UNDECIDED } else { "" };
            self.camp_line(line) + mark
        });
        between.chain(told).collect()
    }

    /// Argument with the participant who made it.
    fn held(&self, id: ArgumentId) -> String {
        let speaker = self.read_model.arguments.speaker(id).map_or("nobody", |speaker| self.name(speaker));
        format!("{speaker}: {id} {}", self.claim(id))
    }

    fn camp_line(&self, line: &FaultLine) -> String {
        format!("{} / {}{}", self.camp(&line.one), self.camp(&line.other), about(line))
    }

    fn camp(&self, side: &FaultSide) -> String {
        let names = || self.names(&side.personas);
        // A camp has arguments of participants who are not listed with it.
        side.arguments.first().map_or_else(names, |id| self.held(*id))
    }

    fn dispute_line(&self, line: &FaultLine) -> Option<String> {
        let id = line.dispute?;
        let dispute = self.read_model.disputes.disputes.get(&id)?;
        let side = |answer: Side, side: &FaultSide| {
            format!("{} ({}): {}", side_word(answer), self.names(&side.personas), self.answer(dispute, side))
        };
        let (yes, no) = (side(Side::Yes, &line.one), side(Side::No, &line.other));
        Some(format!("{}: {yes} / {no}{}", question(id, dispute), about(line)))
    }

    /// Reason that comes first on a side: one in conflict with the other side, if there is one. Without reasons, the words with
    /// which the first participant on it answers the question.
    fn answer(&self, dispute: &Dispute, side: &FaultSide) -> String {
        let first = side.reasons.first().and_then(|id| Some((id, &dispute.reasons.get(id)?.given)));
        if let Some((id, given)) = first {
            let unsaid = unsaid_in_reason(self.read_model, given, &given.claim);
            let said = unsaid.map_or_else(|| format!(" in {}", given.turn), |remark| format!(" ({remark})"));
            return format!("{id} of {}, \"{}\"{said}", self.name(&given.speaker), short(&given.claim, MAX_SHORT));
        }
        let stance = side.personas.first().and_then(|persona| Some((persona, dispute.stances.get(persona)?)));
        stance.map_or_else(String::new, |(persona, stance)| {
            let words = short(stance.quote.as_deref().unwrap_or_default(), MAX_SHORT);
            format!("{}, \"{words}\" in {}", self.name(persona), stance.turn)
        })
    }

    fn names(&self, personas: &[PersonaId]) -> String {
        personas.iter().map(|persona| self.name(persona)).collect::<Vec<_>>().join(", ")
    }

    fn condition(&self, condition: &FlipCondition) -> String {
        let FlipCondition { persona, argument, refuted, becomes, .. } = condition;
        let refuted: Vec<String> = refuted.iter().map(|id| format!("{id} {}", self.claim(*id))).collect();
        let becomes = if *becomes == Label::In { "accepted" } else { "undecided" };
        let (name, claim) = (self.name(persona), self.claim(*argument));
        format!("{argument} of {name}, {claim}, would be {becomes} if {} were refuted", refuted.join(" and "))
    }

    /// Conditions that participants stated, and that neither a card of a crux nor a question tells.
    fn other_conditions(&self, verdict: &Verdict) -> Vec<String> {
        let cards = || verdict.cruxes.iter().chain(&verdict.resolved).map(|crux| &crux.card);
        let is_told = |quote: &str| {
            cards().any(|card| {
                let mut minds = card.mind_changes.iter().filter_map(|change| change.condition.text());
                minds.any(|text| text == quote) || card.criteria.iter().any(|criterion| criterion.contains(quote))
            })
        };
        let is_criterion = |quote: &str| {
            let mut criteria = self.read_model.disputes.disputes.values().flat_map(|dispute| &dispute.criteria);
            criteria.any(|criterion| criterion.contains(quote))
        };
        let tracked = tracked_conditions(&self.read_model.flip_conditions, &self.read_model.disputes);
        // One whose speaker has changed sides is told in any case.
        let is_new = |it: &&TrackedCondition| {
            it.changed_in.is_some() || !is_told(&it.stated.quote) && !is_criterion(&it.stated.quote)
        };
        let line = |TrackedCondition { stated, followed_on, changed_in }: &TrackedCondition| {
            let moved = followed_on
                .zip(*changed_in)
                .map(|(dispute, turn)| format!(" (took another side of {dispute} in {turn})"));
            let (name, moved) = (self.name(&stated.speaker), moved.unwrap_or_default());
            format!("{name} in {}: \"{}\"{moved}", stated.turn, stated.quote)
        };
        tracked.iter().filter(is_new).map(line).collect()
    }

    fn offered(&self, contested: &ContestedEvidence, granted: &[GrantedStatement]) -> String {
        let ContestedEvidence { point, offered_by, evidence: Evidence { text, .. }, .. } = contested;
        let by = granted.iter().find(|granted| says_the_same(&granted.statement, text)).map(|it| &it.granters);
        let by = by.into_iter().flatten().map(|granter| format!(" (granted by {})", self.name(&granter.persona)));
        format!(
            "\"{}\", offered by {} for {point}{}",
            short(text, MAX_SHORT),
            self.name(offered_by),
            by.collect::<String>()
        )
    }

    fn attacking(&self, by: &PersonaId, contested: &ContestedEvidence) -> String {
        let ContestedEvidence { point, by: with, turn, .. } = contested;
        format!("{} attacks {point} with {with} in {turn}", self.name(by))
    }
}

/// Subject of a fault line with its words, in brackets; empty if it has none.
fn about(line: &FaultLine) -> String {
    let words = line.words.iter().take(MAX_CATEGORY_WORDS).cloned().collect::<Vec<_>>().join(", ");
    let about = line.category.map(|category| category.name().replace('_', " "));
    about.map(|category| format!(" (about {category}: {words})")).unwrap_or_default()
}

fn question(id: DisputeId, dispute: &Dispute) -> String {
    format!("{id} \"{}\"", short(&dispute.question, MAX_SHORT))
}

/// Renders the parts of the disagreement.
pub fn section(page: &mut Markup, account: &DebateReport) {
    if account.disagreement.is_empty() {
        return;
    }
    page.raw("<h2 id=disagreement>").raw(account.disagreement_title()).raw("</h2>\n");
    for part in &account.disagreement {
        page.raw("<h3>").text(part.title).raw("</h3>\n<ul>\n");
        for line in &part.lines {
            page.raw("<li dir=auto>").text(line).raw("</li>\n");
        }
        page.raw("</ul>\n");
    }
}
