//! Audits: what a second reading of words changes in a verdict, and what it cannot change.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::argument::ArgumentAdvanced;
use faultline_core::events::audit::{AuditQuestion, AuditRequested, Reading, WordsAudited, WordsReading};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, TurnId};
use faultline_core::events::receipt::EffectKey;
use faultline_core::kernel::command::{self, Command};
use faultline_core::kernel::session::{Session, SessionStep};
use faultline_core::projections::disputes::dispute_state::DisputeStatus;
use faultline_core::verdicts::audit::audit_verdict::AuditState;
use faultline_core::verdicts::audit::items::AuditSubject;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate};
use crate::rehearsal::{Log, auditor, confirming};
use crate::rehearsals::rehearsed;
use crate::support::personas::persona_id;

/// Appends an audit that reads all words as they were recorded, except for some.
fn audited(log: &Log, qualified: bool, otherwise: &[(i64, Reading)]) -> Log {
    let items = DebateReadModel::of(&log.0).audit_items();
    let reading =
        |event: i64, recorded: Reading| otherwise.iter().find(|(at, _)| *at == event).map_or(recorded, |it| it.1);
    let readings = items.iter().map(|item| WordsReading {
        event: item.event,
        asked: item.asked,
        reading: reading(item.event, item.recorded),
    });
    let mut log = log.clone();
    log.append(vec![Event::WordsAudited(WordsAudited {
        auditor: auditor(qualified),
        readings: readings.collect(),
        unread: Vec::new(),
        refused: Vec::new(),
    })]);
    log
}

/// Log of a debate of the builder.
fn built(debate: &VerdictDebate) -> Log {
    let mut log = Log::default();
    log.append(debate.events.clone());
    log
}

/// Version of the event that recorded a participant's stance in a turn.
fn stance(log: &Log, speaker: &str, turn: u32, side: Side) -> i64 {
    let found = log.0.iter().find(|recorded| {
        matches!(&recorded.event, Event::StanceTaken(taken)
            if taken.speaker == persona_id(speaker) && taken.turn == TurnId(turn) && taken.side == side)
    });
    found.expect("a stance").version
}

/// Rule 25: a stance that a qualified auditor reads otherwise is shown with both readings, and counts in nothing.
#[test]
fn a_contested_stance_is_shown_and_counts_in_nothing() {
    let mut debate = VerdictDebate::in_consensus(TWO);
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let log = built(&debate);
    let no = log.0.iter().rev().find(|recorded| matches!(recorded.event, Event::StanceTaken(_))).expect("a stance");
    for (qualified, reading, is_split) in [
        (true, Reading::No, true),
        (true, Reading::Yes, false),
        (true, Reading::Nuanced, false),
        (true, Reading::None, false),
        (false, Reading::Yes, true),
    ] {
        let verdict = DebateReadModel::of(&audited(&log, qualified, &[(no.version, reading)]).0).verdict();
        assert_eq!(!verdict.cruxes.is_empty(), is_split, "{qualified} {reading:?}");
        let shown =
            verdict.audit.words.iter().find(|words| words.differs()).map(|words| (words.recorded, words.reading));
        assert_eq!(shown, (reading != Reading::No).then_some((Reading::No, Some(reading))), "{qualified} {reading:?}");
        assert_eq!(verdict.audit.contested().count(), usize::from(qualified && reading != Reading::No));
    }
}

/// O11, and rule 25: without the contested last words, nobody is on one side with the others.
#[test]
fn a_contested_change_of_mind_settles_nothing() {
    let log = rehearsed("disputes_settles");
    assert_eq!(DebateReadModel::of(&log.0).verdict().regime.kind, RegimeKind::Consensus);
    let moved = stance(log, "ben", 6, Side::Yes);
    let read_model = DebateReadModel::of(&audited(log, true, &[(moved, Reading::None)]).0);
    let verdict = read_model.verdict();
    assert_eq!(verdict.regime.kind, RegimeKind::Undetermined, "{}", verdict.regime.reason);
    let topic = verdict.topic.expect("a topic");
    let ben = topic.positions.iter().find(|position| position.persona == persona_id("ben")).expect("ben");
    assert_eq!((ben.first, ben.side, topic.agreed_side()), (Side::No, Side::Undecided, None));
    let (_, dispute) = read_model.disputes.topic().expect("a topic");
    assert_eq!(dispute.status(), DisputeStatus::Open);
}

/// Rule 25: a later qualified reading replaces an earlier one, so that a wrong audit can be corrected.
#[test]
fn a_later_qualified_audit_replaces_an_earlier_one() {
    let log = rehearsed("disputes_settles");
    let moved = stance(log, "ben", 6, Side::Yes);
    let contested = audited(log, true, &[(moved, Reading::No)]);
    let kind = |log: &Log| DebateReadModel::of(&log.0).verdict().regime.kind;
    assert_eq!(kind(&contested), RegimeKind::Undetermined);
    assert_eq!(kind(&audited(&contested, false, &[])), RegimeKind::Undetermined);
    assert_eq!(kind(&audited(&contested, true, &[])), RegimeKind::Consensus);
}

/// Rule 25: agreed is not audited, unless a qualified auditor read every statement.
#[test]
fn a_consensus_needs_every_statement_read_by_a_qualified_auditor() {
    for (name, state, is_consensus) in [
        ("disputes_settles", AuditState::Complete, true),
        ("disputes_audit_off", AuditState::Off, true),
        ("disputes_audit_partial", AuditState::Partial, false),
        ("disputes_audit_forged", AuditState::Partial, false),
        ("disputes_audit_unqualified", AuditState::Unqualified, false),
        ("disputes_audit_unreadable", AuditState::Missing, false),
    ] {
        let verdict = DebateReadModel::of(&rehearsed(name).0).verdict();
        assert_eq!(verdict.audit.state(), state, "{name}");
        assert_eq!(verdict.regime.kind == RegimeKind::Consensus, is_consensus, "{name}: {}", verdict.regime.reason);
        if !is_consensus {
            assert!(verdict.regime.reason.starts_with("agreed, not audited"), "{name}: {}", verdict.regime.reason);
        }
    }
}

/// O14, rule 29: a clerk distilled the opposite of what was said. The claim is contested and stands in nothing.
#[test]
fn a_claim_that_its_words_do_not_say_is_in_no_set() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    let (turn, speaker) = (debate.turn("ben"), persona_id("ben"));
    let argument = ArgumentId(1);
    debate.events.push(Event::ArgumentAdvanced(ArgumentAdvanced {
        argument,
        speaker,
        turn,
        claim: "The city should close its centre.".into(),
        premises: vec!["Ben said so.".into()],
        assumptions: Vec::new(),
        evidence: Vec::new(),
        carries: None,
        answers_topic: true,
        distilled: true,
        paraphrased: false,
    }));
    let log = built(&debate);
    let before = DebateReadModel::of(&log.0);
    let item = before.audit_items().into_iter().find(|item| item.asked == AuditQuestion::Claim).expect("a claim");
    assert_eq!((&item.subject, item.words.as_str()), (&AuditSubject::Claim { argument }, "..."));
    assert!(before.verdict().labels.contains_key(&argument));
    let after = DebateReadModel::of(&audited(&log, true, &[(item.event, Reading::No)]).0);
    let verdict = after.verdict();
    assert!(after.arguments.arguments.contains_key(&argument), "a contested claim is shown");
    assert!(!verdict.labels.contains_key(&argument));
    assert!(verdict.camps.iter().all(|camp| !camp.arguments.contains(&argument)));
    let all = verdict.all_cruxes().chain(&verdict.contested);
    assert!(all.flat_map(|crux| &crux.dependents).all(|dependent| *dependent != argument));
}

/// A thesis that takes the other side than its speaker is contested; one that names no side is not.
#[test]
fn a_thesis_on_the_other_side_of_its_speaker_is_contested() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    debate.add_argument("ben", "The city should close its centre.", |advanced| advanced.answers_topic = true);
    let log = built(&debate);
    let items = DebateReadModel::of(&log.0).audit_items();
    let item = items.iter().find(|item| matches!(item.subject, AuditSubject::Thesis { .. })).expect("a thesis");
    assert_eq!((item.asked, item.recorded), (AuditQuestion::Side, Reading::No));
    for (reading, is_live) in
        [(Reading::Yes, false), (Reading::No, true), (Reading::None, true), (Reading::Nuanced, true)]
    {
        let read_model = DebateReadModel::of(&audited(&log, true, &[(item.event, reading)]).0);
        assert_eq!(read_model.arguments.live().count(), usize::from(is_live), "{reading:?}");
        assert_eq!(read_model.verdict().audit.contested().count(), usize::from(!is_live), "{reading:?}");
    }
}

/// The auditor sees neither who said the words nor what was recorded.
#[test]
fn an_auditor_sees_only_questions_and_words() {
    for name in ["disputes_settles", "dialogue_crux", "dialectic_ratified", "graph_polarized"] {
        for recorded in &rehearsed(name).0 {
            let Event::EffectRequested(asked) = &recorded.event else { continue };
            if asked.key.purpose == "audit" {
                let told = format!("{}\n{}", asked.system, asked.prompt).to_lowercase();
                let named = ["ada", "ben", "cleo"]
                    .iter()
                    .find(|name| told.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == **name));
                assert_eq!(named, None, "{name}: {told}");
            }
        }
    }
}

/// An audit of a debate that has ended is requested by a command, carried out by a session, and ends by itself. The
/// debate's budget is not asked, and nothing else can follow its end.
#[test]
fn a_debate_that_has_ended_can_be_audited_again() {
    let mut log = rehearsed("disputes_audit_unreadable").clone();
    let read_model = DebateReadModel::of(&log.0);
    let refused = command::decide(&DebateReadModel::of(&log.0[..20]).summary, Command::Audit("script".into()));
    assert!(refused.expect_err("it runs").reason.contains("once it has ended"));
    let requested = command::decide(&read_model.summary, Command::Audit("script".into())).expect("it has ended");
    assert_eq!(requested, [Event::AuditRequested(AuditRequested { provider: "script".into() })]);
    log.append(requested);
    let again = command::decide(&DebateReadModel::of(&log.0).summary, Command::Audit("script".into()));
    assert_eq!(again.expect("one is under way"), []);
    let Event::DebateOpened(opened) = &log.0[0].event else { panic!("the first event opens the debate") };
    let mut session = Session::open(ENGINES, opened).expect("the engine starts");
    log.0.iter().for_each(|recorded| session.evolve(recorded));
    assert_eq!(session.late_provider(), Some("script"));
    let mut kinds = Vec::new();
    loop {
        let events = match session.step(&Default::default()) {
            SessionStep::Done => break,
            SessionStep::Append(events) => events,
            SessionStep::Start(effects) => {
                let effect = effects.first().expect("an effect");
                assert_eq!(effect.key, EffectKey { purpose: "audit".into(), subject: "2".into(), ordinal: 0 });
                let mut ask = session.attempt(effect, Vec::new());
                let requested = session.requested(&ask);
                log.append(vec![requested]).iter().for_each(|recorded| session.evolve(recorded));
                ask.auditor = Some(auditor(true));
                let answer = serde_json::json!({ "by": "script", "text": confirming(&log), "millis": 0 });
                session.record_outcome(&ask, Ok(serde_json::from_value(answer).expect("an answer")), None)
            }
            other => panic!("{other:?}"),
        };
        kinds.extend(events.iter().map(|event| event.kind().to_owned()));
        log.append(events).iter().for_each(|recorded| session.evolve(recorded));
    }
    assert_eq!(kinds, ["effect_answered", "words_audited", "audit_concluded"]);
    let after = DebateReadModel::of(&log.0);
    assert_eq!(after.verdict().regime.kind, RegimeKind::Consensus);
    assert_eq!((after.summary.end, after.summary.ended_at), (read_model.summary.end, read_model.summary.ended_at));
    assert!(command::decide(&after.summary, Command::Pause).is_err());
}
