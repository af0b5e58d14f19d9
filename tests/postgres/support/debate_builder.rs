//! Builder of debates that a test records event by event. No process drives them, because their provider is not
//! configured.

use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use faultline_core::events::checks::check::{CheckVerdict, ClaimChecked, EvidenceSource};
use faultline_core::events::citation::Citation;
use faultline_core::events::crux::{Card, Falsifier, RoomClosed, RoomKind, RoomOpened, RoomOutcome};
use faultline_core::events::dispute::{DisputeRaised, Side, StanceTaken};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, CheckId, DebateId, DisputeId, PersonaId, RoomId, TurnId};
use faultline_core::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome};
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_core::events::turn::{Move, TurnTaken};
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use serde_json::Value;
use uuid::Uuid;

use crate::support::phase_events::new_debate_id;

/// Debate under construction.
pub struct DebateBuilder {
    /// Its id.
    pub id: DebateId,
    recorded: i64,
    pending: Vec<Event>,
    turns: u32,
    arguments: u32,
    attacks: u32,
    disputes: u32,
    rooms: u32,
    checks: u32,
}

fn persona(id: &str) -> Persona {
    Persona {
        id: id.parse().expect("a persona id"),
        name: id.to_uppercase(),
        about: format!("{id} of the tests"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    }
}

impl DebateBuilder {
    /// Starts a debate between these speakers.
    pub fn new(speakers: &[&str]) -> DebateBuilder {
        let opened = DebateOpened {
            topic: "Should the ferry run at night?".into(),
            engine: "graph".into(),
            engine_revision: 1,
            options: Value::Null,
            participants: speakers.iter().map(|speaker| persona(speaker)).collect(),
            limits: DebateLimits::default(),
            models: std::collections::BTreeMap::new(),
            seed: 1,
            provider: "elsewhere".into(),
            sentence_revision: None,
        };
        let pending = vec![Event::DebateOpened(Box::new(opened))];
        DebateBuilder {
            id: new_debate_id(),
            recorded: 0,
            pending,
            turns: 0,
            arguments: 0,
            attacks: 0,
            disputes: 0,
            rooms: 0,
            checks: 0,
        }
    }

    /// Lets agreement count without a second reading of the words. To be called before anything is appended.
    pub fn audit_off(&mut self) {
        let Some(Event::DebateOpened(opened)) = self.pending.first_mut() else { panic!("the opening was appended") };
        opened.options = serde_json::json!({ "audit": "off" });
    }

    fn add_turn(&mut self, speaker: &str, text: &str) -> TurnId {
        self.turns += 1;
        let turn = TurnId(self.turns);
        self.pending.push(Event::TurnTaken(TurnTaken {
            preparation: None,
            turn,
            speaker: speaker.parse().expect("a persona id"),
            round: None,
            room: None,
            moves: vec![Move::Claim],
            move_quotes: Vec::new(),
            answers: None,
            text: text.into(),
            citations: vec![],
            refused: vec![],
            dangling: 0,
        }));
        turn
    }

    /// Adds a turn that cites passages.
    pub fn cite(&mut self, speaker: &str, text: &str, citations: Vec<Citation>) {
        self.add_turn(speaker, text);
        if let Some(Event::TurnTaken(taken)) = self.pending.last_mut() {
            taken.citations = citations;
        }
    }

    /// Adds an argument that makes a claim and rests on an assumption.
    pub fn add_argument(&mut self, speaker: &str, claim: &str, assumption: &str) -> ArgumentId {
        let turn = self.add_turn(speaker, claim);
        self.arguments += 1;
        let argument = ArgumentId(self.arguments);
        self.pending.push(Event::ArgumentAdvanced(ArgumentAdvanced {
            argument,
            speaker: speaker.parse().expect("a persona id"),
            turn,
            claim: claim.into(),
            premises: vec![],
            assumptions: vec![assumption.into()],
            evidence: vec![],
            carries: None,
            answers_topic: false,
            distilled: false,
            paraphrased: false,
        }));
        argument
    }

    fn add_judged_attack(
        &mut self,
        speaker: &str,
        source: ArgumentId,
        target: ArgumentId,
        (kind, component): (AttackKind, ArgumentPart),
    ) {
        let turn = self.add_turn(speaker, "But no.");
        self.attacks += 1;
        let attack = AttackId(self.attacks);
        let (rationale, reason) = ("...".into(), "...".into());
        let speaker = speaker.parse().expect("a persona id");
        self.pending.push(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale,
            quote: None,
            confidence: 0.5,
        }));
        let (kind, component) = (None, None);
        self.pending.push(Event::AttackJudged(AttackJudged {
            attack,
            valid: true,
            strength: 0.5,
            reason,
            kind,
            component,
        }));
    }

    /// Adds a valid attack between two claims, in both directions.
    pub fn add_mutual_attack(&mut self, speaker: &str, source: ArgumentId, target: ArgumentId) {
        self.add_judged_attack(speaker, source, target, (AttackKind::Rebut, ArgumentPart::Claim));
    }

    /// Adds a valid attack on a claim, in one direction.
    pub fn add_attack(&mut self, speaker: &str, source: ArgumentId, target: ArgumentId) {
        self.add_judged_attack(speaker, source, target, (AttackKind::Undercut, ArgumentPart::Claim));
    }

    /// Adds a valid attack on the assumption of an argument, in one direction.
    pub fn undermine(&mut self, speaker: &str, source: ArgumentId, target: ArgumentId) {
        self.add_judged_attack(speaker, source, target, (AttackKind::Undermine, ArgumentPart::Assumption(0)));
    }

    /// Adds two valid attacks: each of the arguments attacks the assumption of the other.
    pub fn undermine_each_other(&mut self, (one, own): (&str, ArgumentId), (other, theirs): (&str, ArgumentId)) {
        self.undermine(other, theirs, own);
        self.undermine(one, own, theirs);
    }

    /// Raises a dispute, with the stances that speakers take on it.
    pub fn raise_dispute(&mut self, question: &str, stances: &[(&str, Side)]) -> DisputeId {
        self.disputes += 1;
        let dispute = DisputeId(self.disputes);
        self.pending.push(Event::DisputeRaised(DisputeRaised::bare(dispute, question, false)));
        stances.iter().for_each(|(speaker, side)| self.take_side(speaker, dispute, *side));
        dispute
    }

    /// Raises the dispute about the topic, with a criterion, and the stances that speakers take on it.
    pub fn raise_topic(&mut self, stances: &[(&str, Side)]) -> DisputeId {
        self.disputes += 1;
        let dispute = DisputeId(self.disputes);
        let criteria = vec!["A winter of night crossings".to_owned()];
        let raised = DisputeRaised { criteria, ..DisputeRaised::bare(dispute, "Should the ferry run at night?", true) };
        self.pending.push(Event::DisputeRaised(raised));
        stances.iter().for_each(|(speaker, side)| self.take_side(speaker, dispute, *side));
        dispute
    }

    /// Concludes the debate because nothing new came.
    pub fn conclude(&mut self) {
        let outcome = DebateOutcome::Exhausted { reason: "nobody has anything to add".into() };
        self.pending.push(Event::DebateConcluded(DebateConcluded { outcome }));
    }

    /// Adds a stance.
    pub fn take_side(&mut self, speaker: &str, dispute: DisputeId, side: Side) {
        let words = format!("I say {}.", side.name());
        let turn = self.add_turn(speaker, &words);
        let speaker = speaker.parse().expect("a persona id");
        let (statement, quote) = (None, Some(words));
        self.pending.push(Event::StanceTaken(StanceTaken {
            dispute,
            speaker,
            side,
            turn,
            statement,
            confidence: None,
            quote,
        }));
    }

    /// Adds a room in which speakers discuss a dispute, and closes it.
    pub fn discuss_in_room(&mut self, dispute: DisputeId, question: &str, speakers: &[&str]) -> RoomId {
        self.rooms += 1;
        let (room, who) = (RoomId(self.rooms), |speaker: &&str| speaker.parse().expect("a persona id"));
        let participants: Vec<PersonaId> = speakers.iter().map(who).collect();
        let (turns, reason) = (vec![TurnId(self.turns)], Some("seen three times".into()));
        let opened = RoomOpened {
            kind: RoomKind::Private,
            parent: None,
            room,
            question: question.into(),
            dispute: Some(dispute),
            participants,
            turns,
            candidate: None,
            reason,
        };
        self.pending.push(Event::RoomOpened(opened));
        for speaker in speakers {
            self.add_turn(speaker, &format!("On {question}: I say what I said."));
            if let Some(Event::TurnTaken(taken)) = self.pending.last_mut() {
                taken.room = Some(room);
            }
        }
        let falsifiers = vec![Falsifier { speaker: who(&speakers[0]), text: format!("Not {question}") }];
        let card = Card { kind: None, diagnosis: question.into(), resolution: None, falsifiers };
        let (outcome, reason) = (RoomOutcome::Exhausted, "its turns were spent".into());
        self.pending.push(Event::RoomClosed(RoomClosed { room, outcome, reason, card: Some(card) }));
        room
    }

    /// Adds a check of the latest turn against a passage that need not be in the library.
    pub fn add_check(&mut self, claim: &str) {
        self.checks += 1;
        let source = EvidenceSource {
            title: "Register".into(),
            address: Some("https://example.org".into()),
            excerpt: Some(claim.into()),
            check: None,
            alias: None,
            citation: Some(Citation::new("g1", Uuid::from_u128(self.checks.into()))),
        };
        self.pending.push(Event::ClaimChecked(ClaimChecked {
            check: CheckId(self.checks),
            turn: TurnId(self.turns),
            draft: None,
            same_as: None,
            claim: claim.into(),
            quote: None,
            verdict: CheckVerdict::False,
            sources: vec![source],
            by: "a register".into(),
            explanation: Some(claim.into()),
            confidence: Some(0.5),
        }));
    }

    /// Appends the events that are not recorded yet. Returns the version after them.
    pub async fn append_new(&mut self, log: &Log) -> i64 {
        let new = |event| NewEvent { id: Uuid::now_v7(), event, caused_by: None };
        let events: Vec<NewEvent> = self.pending.drain(..).map(new).collect();
        let append = Append { debate: self.id, expected: self.recorded, events, fence: None, actor: None };
        let recorded = log.append(append).await.expect("append");
        self.recorded += recorded.len() as i64;
        self.recorded
    }
}
