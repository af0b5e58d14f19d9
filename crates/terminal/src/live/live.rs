//! Live rendering of a debate: takes one event at a time and returns the text to print.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::live::block::Block;
use crate::live::clerk;
use crate::live::drafts::LiveDrafts;
use crate::live::event_notices;
use crate::live::judgements;
use crate::live::pending_calls::PendingCalls;
use crate::live::places;
use crate::live::proposal;
use crate::live::room_card;
use crate::live::speech;
use crate::live::talk;
use crate::opening;
use crate::speakers;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::trusted;
use crate::text::style::{TerminalStyle, Tone};
use faultline_argumentation::labelling::Label;
use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::{DisputeRaised, DisputeRetired, ReasonGiven, Side, StanceTaken};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{ArgumentId, PersonaId, RoomId, TurnId};
use faultline_core::events::lifecycle::{Interjected, PhaseEntered};
use faultline_core::events::proposal::{ProposalAccepted, ProposalCriticized, ProposalDrafted, ProposalSynthesized};
use faultline_core::events::turn::{ConcessionMade, FlipConditionStated, Move, TurnTaken};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::drafts::draft_reader::DraftUpdate;

/// Renderer of one debate.
///
/// Pass it every event of the debate, in order, from the first. To start in the middle, pass the earlier events and
/// discard the text.
#[derive(Debug)]
pub struct DebateRenderer {
    look: TerminalStyle,
    read_model: DebateReadModel,
    speakers: Speakers,
    sources: CitationNumbers,
    pending_calls: PendingCalls,
    drafts: LiveDrafts,
    block: Block,
    /// Room in which the last text was shown; `None` in the main channel.
    place: Option<RoomId>,
    /// Text of the current speaker's turn.
    speech: String,
    /// Text of a turn that the next event is expected to repeat.
    held: Option<String>,
    /// Refused parts of a turn, shown after its accepted parts.
    refused: Option<(TurnId, PersonaId, Vec<String>)>,
    /// Labels as last shown.
    labels: BTreeMap<ArgumentId, Label>,
    /// True if attacks were judged, or items withdrawn, since the labels were last shown.
    judged: bool,
    /// Heading for the clerk's next block; `Some` while the following events may belong to its extraction.
    clerk_heading: Option<String>,
    /// True while nothing that the clerk found in the turns of its reading was shown.
    found_nothing: bool,
    /// True if the legend of the labels was shown.
    explained: bool,
    /// True while nothing was shown since the heading of the current phase.
    is_phase_empty: bool,
}

impl DebateRenderer {
    /// Creates a renderer with nothing shown yet.
    pub fn new(look: TerminalStyle) -> DebateRenderer {
        DebateRenderer {
            look,
            read_model: DebateReadModel::default(),
            speakers: Speakers::default(),
            sources: CitationNumbers::default(),
            pending_calls: PendingCalls::default(),
            drafts: LiveDrafts::default(),
            block: Block::Title,
            place: None,
            speech: String::new(),
            held: None,
            refused: None,
            labels: BTreeMap::new(),
            judged: false,
            clerk_heading: None,
            found_nothing: false,
            explained: false,
            is_phase_empty: false,
        }
    }

    /// Returns the read model of the debate so far.
    pub fn read_model(&self) -> &DebateReadModel {
        &self.read_model
    }

    /// Returns the numbers of the passages cited so far.
    pub fn cited(&self) -> &CitationNumbers {
        &self.sources
    }

    /// Returns the style of the terminal.
    pub fn look(&self) -> TerminalStyle {
        self.look
    }

    /// Returns one line about pending calls, without a line feed; `None` if nothing is pending. It contains no escape
    /// sequence and fits the terminal, with room for a spinner.
    pub fn waiting(&self, now: DateTime<Utc>) -> Option<String> {
        let text = self.pending_calls.describe(&self.speakers, now)?;
        let page = TextPage::new(self.look);
        Some(page.fit(&text, page.room()))
    }

    /// Applies news of a draft.
    pub fn apply_draft(&mut self, update: DraftUpdate) {
        self.drafts.apply(update);
    }

    /// Returns the last words of turns that are being generated, like [`DebateRenderer::waiting`]; empty if there are
    /// none.
    pub fn drafts(&self) -> Vec<String> {
        self.drafts.lines(&self.speakers, &TextPage::new(self.look))
    }

    /// Returns the text to print for the next event; empty if there is nothing to show.
    pub fn render(&mut self, recorded: &Recorded) -> String {
        let event = &recorded.event;
        let mut page = self.page(self.place);
        let rest = self.release(&mut page, event);
        self.print_refused(&mut page, event);
        let mut text = page.print();
        let is_drawn = self.clerk_heading.is_some() && clerk::is_drawn(event);
        text += &self.print_ended(event, is_drawn);
        let before = clerk::stance_before(&self.read_model, event);
        self.read_model.apply(recorded);
        self.pending_calls.apply(recorded);
        let place = if is_drawn { None } else { places::place_of(&self.read_model, event) };
        if place != self.place && (place.is_some() || speech::turn_of(event).is_some()) {
            self.block = Block::Title;
        }
        let mut page = self.page(place);
        if !self.render_extraction(&mut page, event, before, is_drawn) {
            self.render_event(&mut page, event, before);
        }
        self.print_rest(&mut page, &rest);
        if !page.is_empty() && std::mem::replace(&mut self.place, place) != place {
            text += &places::heading(self.look, &self.read_model, place);
        }
        text += &page.print();
        let card = room_card::closed_by(self.look, &self.speakers, &self.read_model, event);
        if !card.is_empty() {
            self.block = Block::Title;
        }
        text += &card;
        self.is_phase_empty = match event {
            Event::PhaseEntered(_) => true,
            _ => self.is_phase_empty && text.is_empty(),
        };
        text
    }

    /// Creates a page for text of a place.
    fn page(&self, place: Option<RoomId>) -> TextPage {
        places::page_of(self.look, &self.read_model, place)
    }

    /// Renders what an event ends: a phase, or the clerk's reading. It is shown in the main channel.
    fn print_ended(&mut self, event: &Event, is_drawn: bool) -> String {
        let mut page = self.page(None);
        let ends = matches!(event, Event::PhaseEntered(_) | Event::DebateConcluded(_) | Event::DebateAborted(_));
        if ends && (self.judged || judgements::has_new_conflict(&self.read_model, &self.labels)) {
            self.print_labels(&mut page);
        }
        if ends && std::mem::take(&mut self.is_phase_empty) {
            page.text(&[trusted(Tone::Quiet, "Nothing was added.")]);
        }
        if !is_drawn {
            self.close_reading(&mut page);
        }
        if !page.is_empty() {
            self.place = None;
        }
        page.print()
    }

    /// Renders events of the clerk's extraction; returns whether the event was one.
    fn render_extraction(&mut self, page: &mut TextPage, event: &Event, before: Option<Side>, is_drawn: bool) -> bool {
        match event {
            Event::TurnsCrystallized(it) => {
                self.found_nothing = true;
                if !self.judged {
                    self.labels = self.read_model.arguments.labels();
                }
                self.clerk_heading = Some(clerk::extraction_heading(it));
                self.block = Block::Aside;
                self.refused_by_clerk(page, &it.refused);
            }
            Event::ClaimsCompared(it) => {
                self.clerk_heading = Some(clerk::comparison_heading(it));
                self.block = Block::Aside;
                self.clerk_speaks(page);
                clerk::compared(page, it);
                self.refused_by_clerk(page, &it.refused);
            }
            Event::ProgressMeasured(_) => {
                self.clerk_heading = None;
                if self.judged {
                    self.print_labels(page);
                }
                if clerk::has_progress_changed(&self.read_model) {
                    self.aside(page, event);
                }
            }
            // An attack that the clerk found is shown with its judgement, which is the next event.
            Event::AttackRaised(_) if self.clerk_heading.is_some() => {}
            _ if is_drawn => {
                self.clerk_speaks(page);
                match event {
                    Event::AttackJudged(it) => judgements::judged(page, &self.speakers, &self.read_model, it, false),
                    _ => clerk::drawn(page, &self.speakers, &mut self.sources, &self.read_model, event, before),
                }
                self.judged |=
                    matches!(event, Event::AttackJudged(_) | Event::ArgumentWithdrawn(_) | Event::AttackWithdrawn(_));
            }
            _ => {
                self.clerk_heading = None;
                return false;
            }
        }
        true
    }

    /// Ends the clerk's reading; one that found nothing is shown as such.
    fn close_reading(&mut self, page: &mut TextPage) {
        if std::mem::take(&mut self.found_nothing) {
            let heading = self.clerk_heading.as_deref().unwrap_or("takes notes");
            speech::heading(page, &speakers::clerk(), &format!("{heading}: nothing to add"));
            self.block = Block::Aside;
        }
    }

    /// Starts a block of the clerk unless one is open.
    fn clerk_speaks(&mut self, page: &mut TextPage) {
        self.found_nothing = false;
        if self.block != Block::Clerk {
            speech::heading(page, &speakers::clerk(), self.clerk_heading.as_deref().unwrap_or("takes notes"));
            self.block = Block::Clerk;
        }
    }

    fn refused_by_clerk(&mut self, page: &mut TextPage, refused: &[String]) {
        if !refused.is_empty() {
            self.clerk_speaks(page);
            speech::refused(page, &speakers::clerk(), refused);
        }
    }

    /// Renders an event that is not part of an extraction.
    fn render_event(&mut self, page: &mut TextPage, event: &Event, before: Option<Side>) {
        match event {
            Event::DebateOpened(_) | Event::DebateForked(_) => {
                self.speakers = Speakers::of(&self.read_model.summary);
                opening::head(page, &self.read_model.summary, &self.speakers);
                self.block = Block::Title;
            }
            Event::PhaseEntered(it) => self.phase(page, it),
            Event::TurnTaken(it) => self.turn(page, it),
            Event::Interjected(it) => self.interjected(page, it),
            Event::StanceTaken(it) if self.shows_stance(it) => {
                self.speaks(page, &it.speaker, it.turn);
                speech::stance(page, &self.speakers.get(&it.speaker), &self.read_model, it, before);
            }
            Event::ArgumentAdvanced(it) => {
                self.speaks(page, &it.speaker, it.turn);
                let speaker = self.speakers.get(&it.speaker);
                speech::argument(page, &speaker, &mut self.sources, it, (&self.speech, &self.read_model.transcript));
            }
            Event::AttackRaised(it) => {
                self.speaks(page, &it.speaker, it.turn);
                speech::attack(page, &self.speakers, &self.read_model, it);
            }
            Event::AttackJudged(it) => {
                if self.block != Block::Judging {
                    judgements::opened(page, &self.read_model);
                    self.block = Block::Judging;
                }
                judgements::judged(page, &self.speakers, &self.read_model, it, true);
                self.judged = true;
                if self.read_model.arguments.attacks.values().all(|attack| attack.judged.is_some()) {
                    self.print_labels(page);
                }
            }
            Event::ProposalDrafted(ProposalDrafted { speaker, turn, .. })
            | Event::ProposalCriticized(ProposalCriticized { speaker, turn, .. })
            | Event::ProposalAccepted(ProposalAccepted { speaker, turn, .. })
            | Event::ProposalSynthesized(ProposalSynthesized { speaker, turn, .. }) => {
                self.speaks(page, speaker, *turn);
                proposal::show(page, &self.speakers, &self.read_model, event);
            }
            Event::ConcessionMade(ConcessionMade { speaker, turn, .. })
            | Event::FlipConditionStated(FlipConditionStated { speaker, turn, .. })
            | Event::CruxProposed(CruxProposed { speaker, turn, .. })
            | Event::CruxAcknowledged(CruxAcknowledged { speaker, turn, .. })
            | Event::ReasonGiven(ReasonGiven { speaker, turn, .. }) => {
                self.speaks(page, speaker, *turn);
                talk::show(page, &self.speakers, &self.read_model, (speaker, event));
            }
            Event::DebateConcluded(it) => {
                page.blank();
                event_notices::ending(page, &it.outcome, &self.read_model);
                self.block = Block::Title;
            }
            Event::DebateAborted(it) => {
                page.blank();
                event_notices::stopped(page, &it.reason);
                self.block = Block::Title;
            }
            // Each proposal is a dispute; its fate is shown with the proposal.
            Event::StanceTaken(_) => {}
            Event::DisputeRaised(DisputeRaised { dispute, .. })
            | Event::DisputeRetired(DisputeRetired { dispute, .. })
                if self.read_model.asks_about_proposal(*dispute) => {}
            other => self.aside(page, other),
        }
    }

    /// True unless the stance is about a proposal: its fate is shown with the proposal.
    fn shows_stance(&self, taken: &StanceTaken) -> bool {
        !self.read_model.asks_about_proposal(taken.dispute)
    }

    fn phase(&mut self, page: &mut TextPage, entered: &PhaseEntered) {
        event_notices::phase(page, entered);
        self.block = Block::Title;
        if !self.judged {
            self.labels = self.read_model.arguments.labels();
        }
    }

    fn turn(&mut self, page: &mut TextPage, taken: &TurnTaken) {
        let speaker = self.speakers.get(&taken.speaker);
        speech::heading(page, &speaker, &labels::turn(taken.turn, taken.answers, taken.room, &taken.moves));
        self.block = Block::Speech(Some(taken.speaker.clone()));
        self.speech.clone_from(&taken.text);
        let works_on_proposal = taken.moves.contains(&Move::Propose)
            || taken.moves.contains(&Move::Challenge) && self.read_model.proposals.thesis().is_some();
        if works_on_proposal {
            self.held = Some(taken.text.clone());
            speech::cites(page, &speaker, self.sources.marks(&taken.citations));
        } else {
            if let Some(preparation) = &taken.preparation {
                speech::prepared(page, &speaker, preparation);
            }
            let text = self.sources.in_text(&taken.text, &taken.citations);
            speech::said(page, &speaker, &text, Some(self.sources.marks(&taken.citations)));
            if let Some(preparation) = &taken.preparation {
                speech::taken_as(page, &speaker, preparation, &self.read_model.fact_checks);
            }
        }
        self.refused = Some((taken.turn, taken.speaker.clone(), taken.refused.clone()));
    }

    /// Renders the refused parts of a turn once an event of another turn follows.
    fn print_refused(&mut self, page: &mut TextPage, next: &Event) {
        if matches!(next, Event::EffectRequested(_) | Event::EffectAnswered(_) | Event::SearchRequested(_)) {
            return;
        }
        let other_turn = |entry: &mut (TurnId, PersonaId, Vec<String>)| speech::turn_of(next) != Some(entry.0);
        if let Some((_, speaker, refused)) = self.refused.take_if(other_turn) {
            speech::refused(page, &self.speakers.get(&speaker), &refused);
        }
    }

    /// Renders the text held back, unless the next event begins with it; returns what follows in the turn in that case.
    fn release(&mut self, page: &mut TextPage, next: &Event) -> String {
        let Some(held) = self.held.take() else { return String::new() };
        let rest = proposal::repeated(next).and_then(|repeated| held.trim().strip_prefix(repeated.trim()));
        if rest.is_none() {
            self.print_rest(page, held.trim());
        }
        rest.unwrap_or_default().trim().to_owned()
    }

    /// Renders the rest of a turn in its speaker's block.
    fn print_rest(&self, page: &mut TextPage, rest: &str) {
        if let (false, Block::Speech(speaker)) = (rest.is_empty(), &self.block) {
            speech::said(page, &self.speakers.maybe(speaker.as_ref()), rest, None);
        }
    }

    fn interjected(&mut self, page: &mut TextPage, said: &Interjected) {
        let speaker = self.speakers.maybe(said.speaker.as_ref());
        speech::heading(page, &speaker, &format!("{}{} · interjected", said.turn, labels::within(said.room)));
        speech::said(page, &speaker, &said.text, None);
        self.block = Block::Speech(said.speaker.clone());
        self.speech.clone_from(&said.text);
    }

    /// Starts a block of the speaker unless one is open.
    fn speaks(&mut self, page: &mut TextPage, speaker: &PersonaId, turn: TurnId) {
        let block = Block::Speech(Some(speaker.clone()));
        if self.block != block {
            speech::heading(page, &self.speakers.get(speaker), &turn.to_string());
            self.block = block;
            self.speech.clear();
        }
    }

    fn print_labels(&mut self, page: &mut TextPage) {
        let has_changes = judgements::changes(page, &self.speakers, &self.read_model, &self.labels);
        judgements::opposed(page, &self.speakers, &self.read_model, &self.labels);
        if has_changes && !self.explained {
            judgements::legend(page);
            self.explained = true;
        }
        self.labels = self.read_model.arguments.labels();
        self.judged = false;
        self.block = Block::Title;
    }

    fn aside(&mut self, page: &mut TextPage, event: &Event) {
        let is_elsewhere = self.place != places::place_of(&self.read_model, event);
        let opens = self.block != Block::Aside || is_elsewhere;
        if event_notices::show(page, event, &self.speakers, &self.read_model, opens) {
            self.block = Block::Aside;
        }
    }
}
