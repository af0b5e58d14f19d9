//! Results of a debate in the form that both old systems have in common.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId};
use crate::export::legacy::crux_tables::surfaced_by;
use crate::export::legacy::legacy_debate::{CLAIM_AS_QUESTION, LegacyDebate, argument_name, claim_name, dispute_name};
use crate::projections::disputes::dispute_state::Dispute;
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::disagreement::evidence_ledger::{EvidenceLedger, evidence_ledgers};
use crate::verdicts::disagreement::fault_category::FaultCategory;
use crate::verdicts::disagreement::fault_line::{FaultLine, FaultSide};
use crate::verdicts::disagreement::fault_lines::fault_lines;
use crate::verdicts::disagreement::flip_conditions::{FlipCondition, flip_conditions};
use crate::verdicts::disagreement::resolution_paths::{ResolutionPath, resolution_paths};
use crate::verdicts::disagreement::tracked_conditions::tracked_conditions;
use crate::verdicts::verdict::{MAX_CONFLICTS, MAX_STEPS, Verdict};
use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::reasoning::extensions_of;
use faultline_argumentation::semantics::Semantics;

/// Maximum number of accepted pieces of evidence of a participant, as in the old systems.
const MAX_ACCEPTED: usize = 5;
/// Maximum number of rejected pieces of evidence of a participant, as in the old systems.
const MAX_REJECTED: usize = 3;
/// Maximum number of preferred extensions that are listed.
const MAX_EXTENSIONS: usize = 64;

/// Results of a debate, without those of one system only.
pub struct LegacyOutput<'a> {
    legacy: &'a LegacyDebate,
    verdict: &'a Verdict,
    /// Old ids of the cruxes.
    names: BTreeMap<CruxKey, String>,
}

impl<'a> LegacyOutput<'a> {
    /// Prepares the results of a verdict.
    pub fn of(legacy: &'a LegacyDebate, verdict: &'a Verdict) -> LegacyOutput<'a> {
        let names = verdict.all_cruxes().enumerate().map(|(at, crux)| (crux.key, format!("crux-{}", at + 1)));
        LegacyOutput { legacy, verdict, names: names.collect() }
    }

    /// Open and resolved cruxes.
    pub fn cruxes(&self) -> Vec<Value> {
        self.verdict.all_cruxes().map(|crux| self.crux(crux)).collect()
    }

    fn crux(&self, crux: &Crux) -> Value {
        let rest_on_it: Vec<String> = crux.dependents.iter().map(|dependent| argument_name(*dependent)).collect();
        json!({
            "id": self.names.get(&crux.key),
            "proposition": crux.statement,
            "weight": crux.pivotality.unwrap_or(1.0),
            "surfacedByTables": surfaced_by(&self.legacy.read_model, crux),
            "resolved": !crux.open,
            "argIds": rest_on_it,
        })
    }

    /// Lines between camps, or on questions if there are no arguments. A line without a category counts as one of
    /// assumptions, since the old format requires a category.
    pub fn fault_lines(&self) -> Vec<Value> {
        let lines = fault_lines(&self.legacy.read_model, self.verdict);
        lines.iter().map(|line| self.fault_line(line)).collect()
    }

    fn fault_line(&self, line: &FaultLine) -> Value {
        let dispute = line.dispute.and_then(|id| self.legacy.read_model.disputes.disputes.get(&id));
        let side = |side: &FaultSide| match dispute {
            Some(dispute) => self.answer(dispute, side),
            None => self.camp(side),
        };
        let asked = dispute.map(|dispute| dispute.question.as_str());
        let asked = asked.map(|question| question.strip_prefix(CLAIM_AS_QUESTION).unwrap_or(question));
        let question = asked.map(|question| format!("{question} ")).unwrap_or_default();
        json!({
            "category": line.category.unwrap_or(FaultCategory::Assumptions).name(),
            "description": format!("{question}{} / {}", side(&line.one), side(&line.other)),
            "relatedCruxIds": line.cruxes.iter().filter_map(|key| self.names.get(key)).collect::<Vec<_>>(),
        })
    }

    /// First claim of a camp, with the participant who made it.
    fn camp(&self, side: &FaultSide) -> String {
        let Some(first) = side.arguments.first() else { return self.legacy.names_of(&side.personas).join(", ") };
        let speaker = self.legacy.read_model.arguments.speaker(*first);
        let name = speaker.map_or("nobody", |speaker| self.legacy.name(speaker));
        format!("{name}: \"{}\"", self.claim(*first))
    }

    /// First reason of a side, or else the words of the first participant who takes it, with their speaker.
    fn answer(&self, dispute: &Dispute, side: &FaultSide) -> String {
        let reason = side.reasons.first().and_then(|id| dispute.reasons.get(id)).map(|reason| &reason.given);
        let stance = side.personas.first().and_then(|persona| Some((persona, dispute.stances.get(persona)?.words()?)));
        let told = reason.map(|given| (&given.speaker, given.claim.as_str())).or(stance);
        told.map_or_else(String::new, |(speaker, words)| format!("{}: \"{words}\"", self.legacy.name(speaker)))
    }

    fn claim(&self, argument: ArgumentId) -> &'a str {
        let found = self.legacy.read_model.arguments.arguments.get(&argument);
        found.map_or("", |argument| argument.advanced.claim.as_str())
    }

    /// Conditions under which arguments would be accepted, and conditions that participants stated.
    pub fn flip_conditions(&self) -> Vec<Value> {
        let read_model = &self.legacy.read_model;
        let found = flip_conditions(&read_model.summary, &read_model.arguments, &self.verdict.labels);
        let cards = read_model.rooms.rooms.values().filter_map(|room| room.closed.as_ref()?.closed.card.as_ref());
        let told = |name: &PersonaId, condition: &str, (dispute, triggered): (Option<DisputeId>, bool)| {
            let claim = dispute.map(claim_name).unwrap_or_default();
            json!({ "personaId": self.legacy.name(name), "condition": condition, "claimId": claim, "triggered": triggered })
        };
        let tracked = tracked_conditions(&read_model.flip_conditions, &read_model.disputes);
        let is_stated = |text: &str| tracked.iter().any(|it| it.stated.quote == text);
        let falsifiers = cards.flat_map(|card| &card.falsifiers).filter(|falsifier| !is_stated(&falsifier.text));
        let falsifiers = falsifiers.map(|falsifier| told(&falsifier.speaker, &falsifier.text, (None, false)));
        let stated = tracked
            .iter()
            .map(|it| told(&it.stated.speaker, &it.stated.quote, (it.stated.dispute, it.changed_in.is_some())));
        found.iter().map(|condition| self.flip_condition(condition)).chain(falsifiers).chain(stated).collect()
    }

    fn flip_condition(&self, condition: &FlipCondition) -> Value {
        let claims: Vec<String> =
            condition.refuted.iter().map(|refuted| format!("\"{}\"", self.claim(*refuted))).collect();
        let becomes = if condition.becomes == Label::In { "accepted" } else { "undecided" };
        let own = self.claim(condition.argument);
        json!({
            "personaId": self.legacy.name(&condition.persona),
            "condition": format!("\"{own}\" would be {becomes} if {} were refuted", claims.join(" and ")),
            "claimId": argument_name(condition.argument),
            "triggered": false,
        })
    }

    /// Evidence that each participant offered, and that of others which an accepted attack of theirs defeats.
    pub fn evidence_ledger(&self) -> Vec<Value> {
        let read_model = &self.legacy.read_model;
        let labels = &self.verdict.labels;
        let ledgers = evidence_ledgers(&read_model.summary, &read_model.arguments, &read_model.disputes, labels);
        ledgers.iter().map(|ledger| self.ledger(ledger)).collect()
    }

    fn ledger(&self, ledger: &EvidenceLedger) -> Value {
        let accepted = ledger.offered.iter().map(|offered| offered.evidence.text.as_str());
        let rejected = ledger.contested.iter().filter(|contested| contested.defeated);
        let rejected = rejected.map(|it| json!({ "evidence": it.evidence.text, "reason": it.reason }));
        json!({
            "personaId": self.legacy.name(&ledger.persona),
            "accepted": accepted.take(MAX_ACCEPTED).collect::<Vec<_>>(),
            "rejected": rejected.take(MAX_REJECTED).collect::<Vec<_>>(),
        })
    }

    /// Questions that would settle the open cruxes.
    pub fn resolution_paths(&self) -> Vec<Value> {
        let paths = resolution_paths(&self.legacy.read_model.disputes, self.verdict);
        paths.iter().map(|path| self.resolution_path(path)).collect()
    }

    fn resolution_path(&self, path: &ResolutionPath) -> Value {
        let within = path.horizon.as_ref().map(|horizon| format!(" ({horizon})")).unwrap_or_default();
        let criteria = path.criteria.join("; ");
        let by = if criteria.is_empty() { criteria } else { format!(" To be settled by: {criteria}") };
        json!({
            "description": format!("{}{within}{by}", path.question),
            "relatedCruxIds": self.names.get(&path.crux).into_iter().collect::<Vec<_>>(),
        })
    }

    /// Camps of the arguments, each with the participants who belong to it alone.
    pub fn camps(&self) -> Vec<Value> {
        let camps = self.verdict.camps.iter().enumerate().map(|(at, camp)| {
            let arguments: Vec<String> = camp.arguments.iter().map(|argument| argument_name(*argument)).collect();
            json!({
                "extensionIndex": at,
                "argumentIds": arguments,
                "personaIds": self.legacy.names_of(&camp.personas),
            })
        });
        camps.collect()
    }

    /// Questions on which the participants agree, each with the side and its holders.
    pub fn agreements(&self) -> Vec<Value> {
        let agreed = self.verdict.common_ground.iter().map(|ground| {
            let holders: Vec<&PersonaId> = ground.holders.iter().map(|holder| &holder.persona).collect();
            json!({
                "disputeId": dispute_name(ground.dispute),
                "question": ground.question,
                "agreedSide": if ground.side == Side::Yes { "YES" } else { "NO" },
                "personaIds": self.legacy.names_of(holders),
            })
        });
        agreed.collect()
    }

    /// Final graph: live arguments and valid attacks only, with its grounded and preferred extensions.
    pub fn graph(&self) -> Value {
        let legacy = self.legacy;
        let graph = &legacy.read_model.arguments;
        let arguments: Vec<Value> = graph.live().map(|(_, argument)| legacy.argument(&argument.advanced)).collect();
        let attacks: Vec<Value> = graph.active().map(|(_, attack)| legacy.attack(&attack.raised)).collect();
        let judged = graph.active().filter_map(|(_, attack)| attack.judged.as_ref());
        let accepted = self.verdict.labels.iter().filter(|(_, label)| **label == Label::In);
        let framed = graph.framework();
        let limits = SolverLimits { nodes: MAX_STEPS, conflicts: MAX_CONFLICTS, sets: MAX_EXTENSIONS, stop: None };
        let preferred = extensions_of(&framed.framework, Semantics::Preferred, &limits);
        let named = |set: &Vec<u32>| set.iter().map(|index| argument_name(framed.id(*index))).collect::<Vec<_>>();
        json!({
            "topic": legacy.read_model.summary.topic,
            "arguments": arguments,
            "attacks": attacks,
            "validationResults": judged.map(|judgement| legacy.validation(judgement)).collect::<Vec<_>>(),
            "groundedExtension": accepted.map(|(id, _)| argument_name(*id)).collect::<Vec<_>>(),
            "preferredExtensions": preferred.sets.iter().map(named).collect::<Vec<_>>(),
            "preferredExtensionsExact": preferred.exact,
            "labelling": LegacyDebate::labels(self.verdict),
            "round": legacy.read_model.summary.round.unwrap_or(0),
        })
    }
}
