//! Debate as a Markdown report.

use crate::events::event::Recorded;
use crate::events::ids::TurnId;
use crate::export::report::build::report;
use crate::export::report::figures::agreement::agreement;
use crate::export::report::figures::{grounding, measures};
use crate::export::report::markdown_page::{MarkdownPage, escaped, link, listed};
use crate::export::report::model::report_model::{
    ARGUMENT_STATUSES, ArgumentReport, CampReport, CruxReport, ProposalReport, TranscriptEntry,
};
use crate::export::report::model::room_models::CheckReport;
use crate::export::text::capital;
use crate::verdicts::read_model::DebateReadModel;

/// Renders the report of a debate. Texts of the debate are escaped, so that Markdown in them has no effect.
pub fn markdown(read_model: &DebateReadModel, events: &[Recorded]) -> String {
    let account = report(read_model, events);
    let mut page = MarkdownPage { account: &account, text: String::new() };
    page.head();
    page.verdict();
    page.on_topic();
    page.cruxes();
    page.common();
    page.camps();
    page.questions();
    if let Some(matrix) = agreement(read_model) {
        page.agreement(&matrix);
    }
    page.reasons();
    page.disagreement();
    page.rooms();
    page.agenda();
    page.tables();
    page.motion();
    page.concessions();
    page.trail("Checks", &account.checks);
    page.trail("Searches", &account.searches);
    page.arguments();
    page.proposals();
    page.transcript();
    page.grounding(&grounding::rows(read_model));
    page.measures(&measures::sections(read_model));
    page.text
}

impl MarkdownPage<'_> {
    fn head(&mut self) {
        self.line(&format!("# {}\n", escaped(&self.account.topic)));
        for (word, fact) in &self.account.facts {
            self.line(&format!("- {word}: {}", escaped(fact)));
        }
        self.line("\nParticipants:\n");
        for speaker in &self.account.speakers {
            self.line(&format!("- **{}**, {}", escaped(&speaker.name), escaped(&speaker.about)));
        }
    }

    fn verdict(&mut self) {
        self.title("Verdict");
        self.line(&format!("**{}**: {}.", capital(self.account.regime), escaped(&self.account.because)));
        for warning in &self.account.warnings {
            self.line(&format!("\n> {}", escaped(warning)));
        }
    }

    fn on_topic(&mut self) {
        if !self.account.has_topic() {
            return;
        }
        self.title(&self.account.topic_title());
        self.evidence(&self.account.on_topic, "");
        for (place, remark) in &self.account.silent_on_topic {
            let name = escaped(self.account.name(Some(*place)));
            self.line(&format!("- {name} {remark}"));
        }
        for remark in &self.account.topic_remarks {
            self.line(&format!("- {}", escaped(remark)));
        }
    }

    fn cruxes(&mut self) {
        if !self.account.has_cruxes() {
            return;
        }
        self.title("Cruxes");
        if self.account.cruxes.is_empty() && self.account.resolved.is_empty() {
            self.line(&format!("{}\n", self.account.no_cruxes));
        }
        for (at, crux) in self.account.cruxes.iter().enumerate() {
            self.crux(&format!("{}.", at + 1), crux);
        }
        if !self.account.resolved.is_empty() {
            self.line("Resolved:\n");
        }
        for crux in &self.account.resolved {
            self.crux("-", crux);
        }
        self.crux_places();
        if !self.account.contested.is_empty() {
            self.line(&format!("{}:\n", self.account.contested_title));
        }
        for premise in &self.account.contested {
            self.line(&format!("- {}", escaped(&premise.question)));
            self.evidence(&premise.evidence, "  ");
        }
        if !self.account.proposed.is_empty() {
            self.line("\nProposed by participants as the crux:\n");
        }
        for said in &self.account.proposed {
            let name = escaped(self.account.name(said.speaker));
            self.line(&format!(
                "- {name} proposed in {} ({}): {}",
                link(said),
                escaped(&said.what),
                escaped(&said.text)
            ));
        }
    }

    /// Writes the card of a crux as a list item.
    fn crux(&mut self, bullet: &str, crux: &CruxReport) {
        let weight = crux.weight.as_ref().map_or(String::new(), |weight| format!(", {weight}"));
        self.line(&format!("{bullet} **{}** ({}{weight})\n", escaped(&crux.question), crux.origin));
        let is_asked = |statement: &&String| crux.question.contains(statement.trim().trim_end_matches('.'));
        if let Some(statement) = crux.statement.as_ref().filter(|statement| !is_asked(statement)) {
            self.line(&format!("   - statement: {}", escaped(statement)));
        }
        self.evidence(&crux.evidence, "   ");
        for other in &crux.others {
            self.line(&format!("   - decided together with it: {}", escaped(other)));
        }
        if !crux.dependents.is_empty() {
            self.line(&format!("   - dependent arguments: {}", listed(&crux.dependents)));
        }
        for (word, note) in &crux.notes {
            self.line(&format!("   - {word}: {}", escaped(note)));
        }
        for change in &crux.mind_changes {
            let name = escaped(self.account.name(change.speaker));
            let turn = change.turn.map(|turn| format!(", [{turn}](#{turn})")).unwrap_or_default();
            let source = escaped(&change.source);
            self.line(&match &change.text {
                Some(text) => format!("   - What would change {name}'s mind ({source}{turn}): \"{}\"", escaped(text)),
                None => format!("   - {source}"),
            });
        }
        self.line("");
    }

    fn common(&mut self) {
        if !self.account.common.is_empty() || !self.account.granted.is_empty() {
            self.title("Common ground");
            if self.account.common.is_empty() {
                self.line("No question is answered alike by all. Granted by one participant to another:\n");
            }
            for held in &self.account.common {
                self.line(&format!("- **{}** {}", escaped(&held.question), capital(held.side)));
                self.evidence(&held.holders, "  ");
            }
            for granted in &self.account.granted {
                self.line(&format!("- **{}** Granted", escaped(&granted.statement)));
                self.evidence(&granted.holders, "  ");
            }
        }
    }

    fn camps(&mut self) {
        let account = self.account;
        if account.camps.is_empty() {
            return;
        }
        self.title(account.camps_title());
        self.line(&format!("{}\n", account.camps_lead()));
        let tie = account.tie();
        if let Some(tie) = &tie {
            self.line(&format!("{}\n", escaped(tie)));
        }
        for (number, camp) in account.camps.iter().enumerate() {
            let (own, others) = account.own_and_others(camp);
            let arguments = match (own.is_empty(), others.is_empty()) {
                (_, true) => listed(&own),
                (true, false) => format!("of others: {}", listed(&others)),
                (false, false) => format!("{}; of others: {}", listed(&own), listed(&others)),
            };
            if account.is_only_set {
                self.line(&format!("- {arguments}"));
            } else {
                let names = self.members(camp, tie.is_some().then_some(number + 1));
                self.line(&format!("- **{names}**: {arguments}"));
            }
        }
        if !account.in_every_camp().is_empty() {
            self.line(&format!("- in every camp, by the attacks alone: {}", listed(account.in_every_camp())));
        }
    }

    fn questions(&mut self) {
        if !self.account.questions.is_empty() {
            self.title("Questions");
        }
        for question in &self.account.questions {
            self.line(&format!("- {}: **{}** {}", question.id, escaped(&question.question), question.status));
            self.evidence(&question.stances, "  ");
            for remark in &question.remarks {
                self.line(&format!("  - {}", escaped(remark)));
            }
        }
    }

    fn reasons(&mut self) {
        if !self.account.reasons.is_empty() {
            self.title("Reasons");
        }
        for on_question in &self.account.reasons {
            self.line(&format!("- {}: **{}**", on_question.id, escaped(&on_question.question)));
            for reason in &on_question.reasons {
                let (id, said, claim) = (reason.id, &reason.said, escaped(&reason.said.text));
                let name = escaped(self.account.name(said.speaker));
                self.line(&format!("  - {id}, {name}, {}, {}: {claim}", said.what, link(said)));
                reason.grounds.iter().for_each(|ground| self.line(&format!("    - {}", escaped(ground))));
            }
            if let Some(remark) = &on_question.remark {
                self.line(&format!("  - {}", escaped(remark)));
            }
        }
    }

    /// Names of the members of a camp, or its number if all camps are tied.
    fn members(&self, camp: &CampReport, number: Option<usize>) -> String {
        if let Some(number) = number {
            return number.to_string();
        }
        if camp.speakers.is_empty() && camp.tied.is_empty() {
            return "Nobody".to_owned();
        }
        let name = |place: &usize| escaped(self.account.name(Some(*place)));
        let tied = camp.tied.iter().map(|place| format!("{} (tied)", name(place)));
        camp.speakers.iter().map(name).chain(tied).collect::<Vec<_>>().join(", ")
    }

    fn disagreement(&mut self) {
        if !self.account.disagreement.is_empty() {
            self.title(self.account.disagreement_title());
        }
        for part in &self.account.disagreement {
            self.line(&format!("{}:\n", part.title));
            for line in &part.lines {
                self.line(&format!("- {}", escaped(line)));
            }
            self.line("");
        }
    }

    /// Renders statements with their explanations and sources under a title, if there are any.
    fn trail(&mut self, title: &str, checks: &[CheckReport]) {
        if !checks.is_empty() {
            self.title(title);
        }
        for check in checks {
            let (said, name) = (&check.said, escaped(self.account.name(check.said.speaker)));
            self.line(&format!("- {name}, {}, {}: {}", link(said), escaped(&said.what), escaped(&said.text)));
            if let Some(explanation) = &check.explanation {
                self.line(&format!("  - because: {}", escaped(explanation)));
            }
            for source in &check.sources {
                self.line(&format!("  - source: {}", escaped(source)));
            }
        }
    }

    fn concessions(&mut self) {
        if self.account.concessions.is_empty() {
            return;
        }
        self.title("Concessions");
        for (at, said) in self.account.concessions.iter().enumerate() {
            let name = escaped(self.account.name(said.speaker));
            self.line(&format!("{}. {name} {}, {}: {}", at + 1, escaped(&said.what), link(said), escaped(&said.text)));
        }
    }

    fn arguments(&mut self) {
        if !self.account.arguments.is_empty() {
            self.title("Arguments");
            self.line(&format!("{ARGUMENT_STATUSES}\n"));
        }
        for argument in &self.account.arguments {
            self.argument(argument);
        }
    }

    fn proposals(&mut self) {
        if !self.account.proposals.is_empty() {
            self.title("Proposals");
        }
        for sentence in &self.account.refinement {
            self.line(&format!("{}\n", escaped(sentence)));
        }
        for proposal in &self.account.proposals {
            self.proposal(proposal);
        }
    }

    fn proposal(&mut self, proposal: &ProposalReport) {
        let said = &proposal.said;
        let name = escaped(self.account.name(said.speaker));
        self.line(&format!("- **{}**, {name}, {}\n", escaped(&said.what), link(said)));
        self.quoted(&said.text, "  ");
        if !proposal.reasoning.trim().is_empty() {
            let mark = proposal.unsaid.map(|remark| format!(" ({remark})")).unwrap_or_default();
            self.line(&format!("  - reasoning{mark}: {}", escaped(&proposal.reasoning)));
        }
        if proposal.sides.is_empty() {
            self.line(&format!("  - {}", proposal.not_reviewed));
        }
        self.evidence(&proposal.sides, "  ");
        for issue in &proposal.issues {
            self.line(&format!("  - {}, {}: {}", issue.id, issue.remark(), escaped(&issue.text)));
        }
        self.line("");
    }

    fn argument(&mut self, argument: &ArgumentReport) {
        let name = escaped(self.account.name(argument.speaker));
        let turn = match argument.turn {
            Some(turn) => format!("[{}](#{turn})", argument.turn_text),
            None => argument.turn_text.clone(),
        };
        self.line(&format!(
            "- **{}** {}: {} ({}, {turn})",
            argument.id,
            argument.standing,
            escaped(&argument.claim),
            name
        ));
        let lists =
            [("premise", &argument.premises), ("assumption", &argument.assumptions), ("evidence", &argument.evidence)];
        for (word, texts) in lists {
            for text in texts {
                self.line(&format!("  - {word}: {}", escaped(text)));
            }
        }
        for former in &argument.former {
            let (narrowed_in, claim) = (former.narrowed_in, escaped(&former.claim));
            let made_in = former.turn.map(|turn| format!(" ([{turn}](#{turn}))")).unwrap_or_default();
            self.line(&format!("  - narrowed in [{narrowed_in}](#{narrowed_in}) from: {claim}{made_in}"));
        }
        if !argument.attacked_by.is_empty() {
            self.line(&format!("  - attacked by {}", listed(&argument.attacked_by)));
        }
    }

    fn transcript(&mut self) {
        self.title("Transcript");
        for stretch in &self.account.sections {
            self.line(&format!("### {}\n", escaped(&stretch.title)));
            for entry in &stretch.entries {
                let said = match entry {
                    TranscriptEntry::Turn(said) => said,
                    TranscriptEntry::Missed(sentence) => {
                        self.line(&format!("*{}.*\n", escaped(sentence)));
                        continue;
                    }
                    TranscriptEntry::Announced(text) => {
                        self.line(&format!("*Moderator: {}*\n", escaped(text)));
                        continue;
                    }
                };
                let turn = said.turn;
                let does = if said.what.is_empty() { String::new() } else { format!(" {}", said.what) };
                let name = escaped(self.account.name(said.speaker));
                self.line(&format!("<a id=\"{turn}\"></a>**{name}**{does} · {turn}\n"));
                for (part, text) in self.account.preparations.get(&turn).into_iter().flatten() {
                    self.line(&format!("*{part}: {}*\n", escaped(text)));
                }
                self.quoted(&said.text, "");
                self.arguments_of(turn);
            }
        }
    }

    /// Lists the claims that a turn makes, and its attacks.
    fn arguments_of(&mut self, turn: TurnId) {
        let claims = self.account.claims_of(turn);
        for (id, claim) in &claims {
            self.line(&format!("- {id}: {}", escaped(claim)));
        }
        let attacks: Vec<&str> = self.account.attacks_of(turn).collect();
        for attack in &attacks {
            self.line(&format!("- {attack}"));
        }
        if !claims.is_empty() || !attacks.is_empty() {
            self.line("");
        }
    }
}
