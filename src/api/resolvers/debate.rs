//! Resolvers of debates.

use std::sync::Arc;

use async_graphql::dataloader::DataLoader;
use async_graphql::{ComplexObject, Context, ID, Result};

use crate::api::complexity::{
    CRUXES_PER_DEBATE, DEBATE_COMPLEXITY, FOLD_COMPLEXITY, ROOMS_PER_DEBATE, SEARCH_COMPLEXITY, assumed_page_size,
    measures_complexity,
};
use crate::api::error::{from_fault, from_panic};
use crate::api::json::direct_json::List;
use crate::api::loading::timelines::verdict_changes;
use crate::api::pages::stream_pages;
use crate::api::paging::PageArguments;
use crate::api::types::analysis::audit::AuditVerdict;
use crate::api::types::analysis::debate_map::DebateMap;
use crate::api::types::analysis::disagreement::Disagreement;
use crate::api::types::analysis::extensions;
use crate::api::types::analysis::extensions::Extensions;
use crate::api::types::analysis::measure::{Measure, known_measures};
use crate::api::types::analysis::timeline::TimelineEntry;
use crate::api::types::analysis::verdict::{Camp, CommonGround, Regime, TopicVerdict};
use crate::api::types::analysis::what_if::{WhatIf, WhatIfAttack, change};
use crate::api::types::channel::{Agenda, FloorEntry, RoomCandidate, SkippedTurn};
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::{DebateRef, ParticipantSource};
use crate::api::types::debate::driver::{DebateDriver, DriverKind, Runners};
use crate::api::types::dispute::dispute::Dispute;
use crate::api::types::event::EventConnection;
use crate::api::types::motion::Motion;
use crate::api::types::persona::participant::Participant;
use crate::api::types::room::Room;
use crate::api::types::scalars::{DebateStatus, DisputeStatus, RoomKind, Semantics};
use crate::api::types::speech::argument::{Argument, Attack, Label, Reasons};
use crate::api::types::speech::concession::Concession;
use crate::api::types::speech::fact_check::{FactCheck, UncheckedClaim};
use crate::api::types::speech::granted::GrantedStatement;
use crate::api::types::speech::grounding::DebateGrounding;
use crate::api::types::speech::proposal::Proposal;
use crate::api::types::speech::refinement::Refinement;
use crate::api::types::speech::search::Search;
use crate::api::types::speech::talk::{CruxProposal, Hint, Phase, ProgressSignal, StanceShift};
use crate::api::types::speech::turns::TurnConnection;
use crate::api::types::table::Table;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::ArgumentId;
use faultline_core::kernel::engine::is_external;
use faultline_core::measures::registry::MEASURES;
use faultline_core::verdicts::concessions::concessions::concessions;
use faultline_service::compute::compute;

/// Fields that require folding the debate. Each has a complexity above 1.
#[ComplexObject]
impl Debate {
    /// Participants in speaking order.
    #[graphql(complexity = "child_complexity")]
    pub(crate) async fn participants(&self) -> Vec<Participant> {
        let debate = Arc::new(self.clone());
        self.cast.iter().map(|member| Participant::new(member, Arc::clone(&debate))).collect()
    }

    /// Process that drives the debate at the moment; null unless it is running, and at a version that the query names.
    #[graphql(complexity = "DEBATE_COMPLEXITY + child_complexity")]
    async fn driver(&self, context: &Context<'_>) -> Result<Option<DebateDriver>> {
        let is_present = *self.id == self.debate.to_string();
        if self.status != DebateStatus::Running || !is_present {
            return Ok(None);
        }
        if is_external(ENGINES, &self.engine) {
            return Ok(Some(DriverKind::External.into()));
        }
        let runner = context.data::<DataLoader<Runners>>()?.load_one(self.debate).await?;
        Ok(Some(runner.map_or(DriverKind::None, |()| DriverKind::Runner).into()))
    }

    /// Turns in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn turns(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of turns from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only turns after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of turns from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only turns before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<TurnConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        stream_pages::turns(&self.read_model(context).await?.transcript.turns, &page, &self.participant_source())
    }

    /// Events in order, up to the version of the debate.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn events(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of events from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only events after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of events from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only events before this cursor. Requires `last`.")] before: Option<String>,
        #[graphql(desc = "Only events of these kinds, such as `turn_taken`.")] kinds: Option<Vec<String>>,
    ) -> Result<EventConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        let kinds = stream_pages::known_kinds(kinds)?;
        stream_pages::events(context, &self.batch, (self.debate, self.version), &page, kinds.as_deref()).await
    }

    /// All arguments ever advanced, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn arguments(&self, context: &Context<'_>) -> Result<Vec<Argument>> {
        let labels = &self.verdict(context).await?.labels;
        let read_model = self.read_model(context).await?;
        let (graph, reasons) = (&read_model.arguments, Reasons::new(Arc::clone(read_model)));
        let participants = self.participant_source();
        let state = |id: &ArgumentId| (graph.is_live(*id), labels.get(id).copied());
        let arguments = graph.arguments.iter();
        Ok(arguments.map(|(id, argument)| Argument::new(argument, state(id), &reasons, &participants)).collect())
    }

    /// All attacks ever raised, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn attacks(&self, context: &Context<'_>) -> Result<Vec<Attack>> {
        let participants = self.participant_source();
        let attacks = self.read_model(context).await?.arguments.attacks.values();
        Ok(attacks.map(|attack| Attack::new(attack, &participants)).collect())
    }

    /// Labels of all arguments that count. Under a semantics with several extensions: `IN` if the argument is in all of
    /// them, `OUT` if all of them attack it, otherwise `UNDEC`, also if there is no extension.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn labelling(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Grounded", desc = "Semantics of the labels.")] semantics: Semantics,
    ) -> Result<Vec<Label>> {
        extensions::labelling(context, self, semantics.into()).await
    }

    /// Extensions: the sets of arguments that are accepted together.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn extensions(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Preferred", desc = "Semantics of the sets.")] semantics: Semantics,
        #[graphql(default = 100, desc = "Maximum number of sets to list: 1 to 1000.")] limit: i32,
    ) -> Result<Extensions> {
        Extensions::of(context, self, semantics.into(), limit).await
    }

    /// Versions at which a label, the regime or an open crux changed, in order, with the changes.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn timeline(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only changes after this version, for clients that have those before it.")] after: Option<i64>,
    ) -> Result<Vec<TimelineEntry>> {
        let entries = verdict_changes(context, self.debate, self.version).await?;
        let after = after.unwrap_or_default();
        Ok(entries.iter().filter(|entry| entry.version > after).map(TimelineEntry::from).collect())
    }

    /// Layered drawing of the debate's arguments, questions and proposals.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn map(&self, context: &Context<'_>) -> Result<DebateMap> {
        let read_model = Arc::clone(self.read_model(context).await?);
        compute(move || DebateMap::of(&read_model)).await.map_err(|error| from_panic(&error))
    }

    /// Computes the effects of withdrawing arguments and adding attacks, without changing the debate.
    #[graphql(complexity = "SEARCH_COMPLEXITY + CRUXES_PER_DEBATE * child_complexity")]
    async fn what_if(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Arguments withdrawn, with every attack on and by them; at most 100.")] remove: Option<
            Vec<ID>,
        >,
        #[graphql(desc = "Attacks added, as if they were judged valid; at most 100.")] add: Option<Vec<WhatIfAttack>>,
    ) -> Result<WhatIf> {
        WhatIf::of(context, self, change(remove, add)?).await
    }

    /// Concessions in the order of their turns. A participant who takes the other side of a dispute makes a concession,
    /// even if nobody calls it one.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn concessions(&self, context: &Context<'_>) -> Result<Vec<Concession>> {
        let read_model = self.read_model(context).await?;
        let all = concessions(&read_model.concessions, &read_model.disputes);
        let participants = self.participant_source();
        Ok(all.iter().map(|concession| Concession::new(concession, &read_model.transcript, &participants)).collect())
    }

    /// First and last stance of each participant on each dispute, from the opening to the end, ordered by dispute. A
    /// participant without a stance on a dispute is omitted there.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn stance_shifts(&self, context: &Context<'_>) -> Result<Vec<StanceShift>> {
        Ok(StanceShift::all(&self.read_model(context).await?.disputes, &self.participant_source()))
    }

    /// Grounding of the speech in the speakers' own texts, and suspicious passages.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<DebateGrounding> {
        Ok(DebateGrounding::from(&self.read_model(context).await?.grounding))
    }

    /// Phases in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn phases(&self, context: &Context<'_>) -> Result<Vec<Phase>> {
        Ok(self.read_model(context).await?.transcript.phases.iter().map(Phase::from).collect())
    }

    /// Progress signals, measured after each distillation of the talk. Engines that do not distil measure nothing.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn progress(&self, context: &Context<'_>) -> Result<Vec<ProgressSignal>> {
        Ok(self.read_model(context).await?.progress.signals.iter().map(ProgressSignal::from).collect())
    }

    /// Hints given by a moderator: those on which a turn was taken, in order, and the one for the next turn.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn hints(&self, context: &Context<'_>) -> Result<Vec<Hint>> {
        Ok(Hint::all(&self.read_model(context).await?.transcript, &self.participant_source()))
    }

    /// Cruxes that participants proposed themselves, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn crux_proposals(&self, context: &Context<'_>) -> Result<Vec<CruxProposal>> {
        let cruxes = &self.read_model(context).await?.crux_proposals.cruxes;
        let participants = self.participant_source();
        Ok(cruxes.iter().map(|(id, crux)| CruxProposal::new(*id, crux, &participants)).collect())
    }

    /// Rooms and threads in which a disagreement is discussed beside the main channel, in the order of opening. Verdicts do
    /// not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + ROOMS_PER_DEBATE * child_complexity")]
    pub(crate) async fn rooms(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only rooms of this kind; by default all.")] kind: Option<RoomKind>,
    ) -> Result<Vec<Room>> {
        let rooms = Room::all(&self.read_model(context).await?.rooms, &Arc::new(self.clone()));
        self.prepare_cruxes(context).await?;
        Ok(rooms.into_iter().filter(|room| kind.is_none_or(|kind| room.kind == kind)).collect())
    }

    /// Agendas in order: the open questions that divided the participants most. The last one is in force. Verdicts do not
    /// depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn agendas(&self, context: &Context<'_>) -> Result<Vec<Agenda>> {
        Ok(Agenda::all(&self.read_model(context).await?.agenda, &Arc::new(self.clone())))
    }

    /// Tables of a debate in rounds, in the order in which they were seated. Verdicts do not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn tables(&self, context: &Context<'_>) -> Result<Vec<Table>> {
        Ok(Table::all(&self.read_model(context).await?.tables, &Arc::new(self.clone())))
    }

    /// Candidates for rooms and threads: disagreements that a detector saw, in the order in which they were first seen.
    /// Verdicts do not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + ROOMS_PER_DEBATE * child_complexity")]
    pub(crate) async fn room_candidates(&self, context: &Context<'_>) -> Result<Vec<RoomCandidate>> {
        Ok(RoomCandidate::all(&self.read_model(context).await?.candidates, &Arc::new(self.clone())))
    }

    /// Occasions on which a participant was given the floor of the main channel or of a room, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn floor(&self, context: &Context<'_>) -> Result<Vec<FloorEntry>> {
        Ok(FloorEntry::all(&self.read_model(context).await?.floor, &self.participant_source()))
    }

    /// Turns that participants skipped, in order, including those of rooms.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn skipped_turns(&self, context: &Context<'_>) -> Result<Vec<SkippedTurn>> {
        Ok(SkippedTurn::all(&self.read_model(context).await?.floor, &self.participant_source()))
    }

    /// Fact checks in order. Verdicts do not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn fact_checks(&self, context: &Context<'_>) -> Result<Vec<FactCheck>> {
        let participants = self.participant_source();
        let all = &self.read_model(context).await?.fact_checks;
        Ok(all.checks.values().map(|check| FactCheck::new(check, all, &participants)).collect())
    }

    /// Claims without a result, in order: their checks are under way, or were given up.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn unchecked_claims(&self, context: &Context<'_>) -> Result<Vec<UncheckedClaim>> {
        Ok(UncheckedClaim::all(&self.read_model(context).await?.fact_checks, &self.participant_source()))
    }

    /// Searches that participants asked for before answering, in order. Verdicts do not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn searches(&self, context: &Context<'_>) -> Result<Vec<Search>> {
        let participants = self.participant_source();
        let all = &self.read_model(context).await?.searches.all;
        Ok(all.iter().map(|search| Search::new(search, &participants)).collect())
    }

    /// Sides for and against a motion, with announcements and drafts; null if the engine assigns none. Verdicts do not depend on
    /// them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn motion(&self, context: &Context<'_>) -> Result<Option<Motion>> {
        Ok(Motion::of(self.read_model(context).await?, &self.participant_source()))
    }

    /// Disputes in the order in which they were raised.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn disputes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only disputes with this status; by default all.")] status: Option<DisputeStatus>,
    ) -> Result<Vec<Dispute>> {
        let participants = self.participant_source();
        let all = Dispute::all(self.read_model(context).await?, &participants);
        Ok(all.filter(|dispute| status.is_none_or(|status| dispute.status == status)).collect())
    }

    /// Cruxes of the disagreement, highest rank first.
    #[graphql(complexity = "FOLD_COMPLEXITY + CRUXES_PER_DEBATE * child_complexity")]
    async fn cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(default = false, desc = "True to include resolved cruxes, after the others.")] resolved: bool,
    ) -> Result<List<Arc<Crux>>> {
        let debate = Arc::new(self.clone());
        if let Some(rows) = self.batch.cruxes(context, self.debate).await? {
            let cruxes = rows.iter().map(|row| Crux::of_row(row, DebateRef::Known(Arc::clone(&debate))));
            let cruxes = cruxes.collect::<Result<Vec<_>, _>>().map_err(|error| from_fault(&error))?;
            return Ok(List(cruxes.into_iter().filter(|crux| resolved || crux.is_open()).map(Arc::new).collect()));
        }
        let verdict = self.verdict(context).await?;
        let n_open = verdict.cruxes.len();
        let ranked = (1..).zip(verdict.all_cruxes()).filter(|(rank, _)| resolved || *rank <= n_open);
        let mut cruxes = Vec::new();
        for (rank, it) in ranked {
            cruxes.push(Arc::new(Crux::ranked(context, &debate, rank, it).await?));
        }
        Ok(List(cruxes))
    }

    /// The topic, and where the participants stand on it; null if the debate has no dispute about its topic.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn topic_verdict(&self, context: &Context<'_>) -> Result<Option<TopicVerdict>> {
        let participants = self.participant_source();
        Ok(self.verdict(context).await?.topic.as_ref().map(|topic| TopicVerdict::new(topic, &participants)))
    }

    /// Audit: the second reading of the words on which the verdict rests.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn audit(&self, context: &Context<'_>) -> Result<AuditVerdict> {
        Ok(AuditVerdict::new(&self.verdict(context).await?.audit, &self.participant_source()))
    }

    /// Contested premises: statements that one participant's argument rests on and another attacks, but that decide no
    /// thesis. They are no cruxes, and are not listed across debates.
    #[graphql(complexity = "FOLD_COMPLEXITY + CRUXES_PER_DEBATE * child_complexity")]
    async fn contested_premises(&self, context: &Context<'_>) -> Result<Vec<Crux>> {
        let (debate, verdict) = (Arc::new(self.clone()), self.verdict(context).await?);
        let ranked: Vec<_> = (verdict.all_cruxes().count() + 1..).zip(verdict.contested.iter().cloned()).collect();
        Crux::all_ranked(context, &debate, &ranked).await
    }

    /// Common ground: points that each participant, or as many as the debate's quorum, stated in a turn of their own and
    /// nobody denied.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn common_ground(&self, context: &Context<'_>) -> Result<Vec<CommonGround>> {
        let participants = self.participant_source();
        let common = self.verdict(context).await?.common_ground.iter();
        Ok(common.map(|ground| CommonGround::new(ground, &participants)).collect())
    }

    /// Granted statements: said by one participant, granted in words by another, and denied by nobody, in the order of the
    /// first grants. They are common ground of their own kind.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn granted_statements(&self, context: &Context<'_>) -> Result<Vec<GrantedStatement>> {
        let participants = self.participant_source();
        let granted = self.verdict(context).await?.granted.iter();
        Ok(granted.map(|granted| GrantedStatement::new(granted, &participants)).collect())
    }

    /// Camps: the preferred extensions, grouped by persona.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn camps(&self, context: &Context<'_>) -> Result<Vec<Camp>> {
        let participants = self.participant_source();
        Ok(self.verdict(context).await?.camps.iter().map(|camp| Camp::new(camp, &participants)).collect())
    }

    /// True if `camps` is complete; false if a participant is tied among more than 64 camps, or the search for
    /// extensions was stopped early.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn camps_exact(&self, context: &Context<'_>) -> Result<bool> {
        Ok(self.verdict(context).await?.camps_exact)
    }

    /// Fault lines, evidence offered and contested, conditions under which arguments would be accepted,
    /// and questions that would settle the cruxes.
    #[graphql(complexity = "FOLD_COMPLEXITY + CRUXES_PER_DEBATE * child_complexity")]
    async fn disagreement(&self, context: &Context<'_>) -> Result<Disagreement> {
        let (read_model, verdict) = (self.read_model(context).await?, self.verdict(context).await?);
        Ok(Disagreement::of(read_model, verdict, &self.participant_source()))
    }

    /// Overall state of the debate, with an explanation.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn regime(&self, context: &Context<'_>) -> Result<Regime> {
        let it = &self.verdict(context).await?;
        Ok(Regime::new(&it.regime, it.limit.clone(), it.last_word, &it.algorithm))
    }

    /// Measures of the debate, in the order of `measureDefinitions`, each with the turns behind it. Those that take the
    /// timeline of the debate have a value only if they are requested by their keys.
    #[graphql(complexity = "measures_complexity(keys.as_deref()) + MEASURES.len() * child_complexity")]
    async fn measures(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only the measures with these keys; by default all.")] keys: Option<Vec<String>>,
    ) -> Result<Vec<Measure>> {
        let keys = keys.as_deref().map(known_measures).transpose()?;
        let is_needed = keys.iter().flatten().any(|it| it.needs_timeline);
        let timeline = if is_needed { Some(verdict_changes(context, self.debate, self.version).await?) } else { None };
        Measure::of(context, self, keys.as_deref(), timeline).await
    }

    /// Number of preferred extensions as a decimal number, after `at least` if the search was stopped early.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn extension_count(&self, context: &Context<'_>) -> Result<String> {
        Ok(self.verdict(context).await?.n_extensions.clone())
    }

    /// Proposals in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    pub(crate) async fn proposals(&self, context: &Context<'_>) -> Result<Vec<Proposal>> {
        let participants = self.participant_source();
        let proposals = self.read_model(context).await?.proposals.proposals.iter();
        Ok(proposals.map(|proposal| Proposal::new(proposal, &participants)).collect())
    }

    /// Change of the proposal from first to last, with averages; null without proposals.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn refinement(&self, context: &Context<'_>) -> Result<Option<Refinement>> {
        Ok(self.read_model(context).await?.proposals.refinement().as_ref().map(Refinement::from))
    }
}

impl Debate {
    fn participant_source(&self) -> ParticipantSource {
        ParticipantSource::from(&Arc::new(self.clone()))
    }
}
