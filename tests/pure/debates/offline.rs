//! Offline debates of the shipped personas: known verdicts, and transcripts of nothing but their writings.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use faultline_core::events::argument::AttackKind;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::events::receipt::FailureKind;
use faultline_core::positions::sides::side_of_words;
use faultline_core::projections::transcript::Turn;
use faultline_core::questions::wording::asks_the_same;
use faultline_core::verdicts::audit::audit_verdict::AuditState;
use faultline_core::verdicts::crux::{Crux, CruxOrigin, PositionSide};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_providers::offline::phrases;
use faultline_service::offline_topics::check_offline_topic;
use serde_json::{Value, json};

use crate::support::offline::{OfflineDebate, Shipped};

const CARS: &str = "Should the city close its centre to private cars?";
const REACTOR: &str = "Should the islands build a small nuclear plant instead of more wind?";
const REVIEW: &str = "Should software be merged without human review when a machine wrote it?";

const EDDA_GUS: &[&str] = &["edda-tolvane", "gus-ormerand"];
const CLOSURE: &[&str] = &["edda-tolvane", "gus-ormerand", "dara-velloway"];
const HEDDA_BARTLE: &[&str] = &["hedda-vornish", "bartle-sennack"];
const ISLES: &[&str] = &["hedda-vornish", "bartle-sennack", "agnes-wetherlow"];
const DORRIT_EMERIC: &[&str] = &["dorrit-halvane", "emeric-soldane"];
const MERGE: &[&str] = &["dorrit-halvane", "emeric-soldane", "hester-gannick"];

const ENGINES: [&str; 4] = ["graph", "dialogue", "disputes", "dialectic"];

fn shipped() -> Shipped {
    Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR")))
}

fn debate(topic: &'static str, engine: &'static str, personas: &[&'static str], seed: u64) -> OfflineDebate {
    OfflineDebate { topic, engine, personas: personas.to_vec(), seed, ..OfflineDebate::default() }
}

/// Debates of every topic under every engine, with their logs.
static PLAYED: LazyLock<Vec<(OfflineDebate, Vec<Recorded>)>> = LazyLock::new(|| {
    let shipped = shipped();
    let casts = [(CARS, CLOSURE), (CARS, EDDA_GUS), (REACTOR, ISLES), (REVIEW, MERGE)];
    let of = |seed| casts.iter().flat_map(move |(topic, cast)| ENGINES.map(|engine| debate(topic, engine, cast, seed)));
    (1..=2).flat_map(of).map(|debate| (debate.clone(), shipped.play(&debate))).collect()
});

/// Returns the questions and statements of the cruxes, each once.
fn cruxes(model: &DebateReadModel) -> Vec<String> {
    let mut found: Vec<String> = model.verdict().cruxes.into_iter().map(|crux| crux.statement).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn every_sentence_is_quoted_or_a_fixed_phrase() {
    let shipped = shipped();
    for (debate, log) in PLAYED.iter() {
        for recorded in log {
            let Event::TurnTaken(turn) = &recorded.event else { continue };
            let own = shipped.quotations(&turn.speaker);
            let mut rest = turn.text.clone();
            for known in own.iter().map(String::as_str).chain(phrases::spoken()) {
                rest = rest.replace(known, "");
            }
            let left = rest.trim_matches(|letter: char| letter.is_whitespace() || letter == '.');
            let is_engines_own = left == "No objection";
            assert!(left.is_empty() || is_engines_own, "{debate:?}: {left:?} of {}", turn.text);
            assert!(turn.refused.is_empty(), "{debate:?}: {:?}", turn.refused);
        }
    }
}

/// Rule 24: an agreement on the crux settles what the crux is, in every engine, except at a limit. Rule 25: all that ends
/// by itself is audited.
#[test]
fn an_agreement_on_the_crux_settles_a_debate_and_every_debate_is_audited() {
    let (mut agreements, mut settled) = (BTreeMap::new(), BTreeMap::new());
    for (debate, log) in PLAYED.iter() {
        let model = DebateReadModel::of(log);
        let agrees = model.crux_proposals.acknowledged().next().is_some();
        let outcome = model.summary.outcome.as_ref().map(DebateOutcome::kind);
        assert!(!agrees || matches!(outcome, Some("settled" | "limit")), "{debate:?}: {outcome:?}");
        assert_ne!(model.verdict().audit.state(), AuditState::Missing, "{debate:?}");
        *agreements.entry(debate.engine).or_insert(0) += usize::from(agrees);
        *settled.entry(debate.engine).or_insert(0) += usize::from(agrees && outcome == Some("settled"));
    }
    // In the others, cruxes are named in last words only, where nobody hears anybody.
    let talks = |engine: &str| matches!(engine, "dialogue" | "disputes");
    assert!(agreements.iter().all(|(engine, n)| (*n > 0) == talks(engine)), "{agreements:?}");
    assert!(settled.iter().all(|(engine, n)| (*n > 0) == talks(engine)), "{settled:?}");
}

/// Rule 22: a crux that several name in last words is answered by everybody, in quoted words, with what would settle it.
#[test]
fn a_crux_that_several_name_is_answered_by_everybody() {
    let mut answered = BTreeMap::new();
    for (debate, log) in PLAYED.iter().filter(|(debate, _)| matches!(debate.engine, "graph" | "dialectic")) {
        let model = DebateReadModel::of(log);
        let verdict = model.verdict();
        let shared: Vec<&str> =
            model.crux_proposals.shared().map(|(crux, _)| crux.proposed.statement.as_str()).collect();
        let is_shared = |crux: &&Crux| shared.iter().any(|statement| asks_the_same(&crux.question, statement));
        for crux in verdict.all_cruxes().filter(is_shared) {
            let is_answer = |side| !matches!(side, PositionSide::ProposesCrux | PositionSide::AgreesOnCrux);
            let answers = crux.positions.iter().filter(|it| is_answer(it.side) && it.quote.is_some()).count();
            assert_eq!(answers, model.summary.participants.len(), "{debate:?}: {crux:?}");
            assert!(!crux.card.criteria.is_empty(), "{debate:?}: {crux:?}");
            *answered.entry(debate.engine).or_insert(0) += 1;
        }
    }
    assert_eq!(answered.len(), 2, "{answered:?}");
}

/// Rule 23: what is granted was said by its owner, and an own claim that is given up was made.
#[test]
fn nothing_is_granted_that_was_not_said() {
    for (debate, log) in PLAYED.iter() {
        let model = DebateReadModel::of(log);
        for granted in model.verdict().granted {
            let said = model.transcript.quote(granted.author.turn, &granted.statement);
            assert!(said.is_some(), "{debate:?}: {granted:?}");
        }
    }
}

#[test]
fn nothing_that_a_clerk_distils_is_refused() {
    for (debate, log) in PLAYED.iter() {
        for recorded in log {
            let refused = match &recorded.event {
                Event::TurnsCrystallized(distilled) => distilled.refused.clone(),
                Event::ClaimsCompared(compared) => compared.refused.clone(),
                _ => Vec::new(),
            };
            assert!(refused.is_empty(), "{debate:?}: {refused:?}");
        }
    }
}

#[test]
fn nobody_repeats_a_turn_and_whoever_has_nothing_new_is_passed_over_at_once() {
    for (debate, log) in PLAYED.iter() {
        let failures = log.iter().filter_map(|recorded| match &recorded.event {
            Event::EffectFailed(failed) => Some(failed),
            _ => None,
        });
        for failed in failures {
            let is_silent = failed.failure.kind == FailureKind::Repeated && failed.answer.is_none();
            let is_unexamined = failed.failure.kind == FailureKind::Hopeless;
            assert!(is_silent || is_unexamined, "{debate:?}: {failed:?}");
            assert_eq!(failed.attempt, 1, "{debate:?}: {failed:?}");
        }
    }
}

#[test]
fn every_recorded_side_is_the_annotated_one() {
    let shipped = shipped();
    for (debate, log) in PLAYED.iter() {
        let mut questions = BTreeMap::new();
        for recorded in log {
            match &recorded.event {
                Event::DisputeRaised(raised) => drop(questions.insert(raised.dispute, raised.question.clone())),
                Event::StanceTaken(taken) => {
                    let question = &questions[&taken.dispute];
                    let words = taken.quote.as_deref().expect("words");
                    let positions = shipped.positions[&taken.speaker].topic_asked_by(debate.topic).expect("positions");
                    let is_about_proposal = question.starts_with("Should proposal");
                    let annotated = side_of_words(positions, question, words);
                    let is_open = words == phrases::NO_SIDE && taken.side == Side::Undecided;
                    assert!(is_about_proposal || is_open || annotated == Some(taken.side), "{debate:?}: {taken:?}");
                }
                _ => {}
            }
        }
    }
}

/// An attack is a reply that its speaker has annotated, or a conflict that a comparison found in one.
#[test]
fn every_attack_is_annotated() {
    let shipped = shipped();
    let mut attacks = 0;
    for (debate, log) in PLAYED.iter() {
        let graph = &DebateReadModel::of(log).arguments;
        let topic = |id| shipped.positions[graph.speaker(id).expect("a speaker")].topic_asked_by(debate.topic);
        for attack in graph.attacks.values() {
            let raised = &attack.raised;
            let ends = [(raised.source, raised.target), (raised.target, raised.source)];
            let directions = if raised.kind == AttackKind::Rebut { &ends[..] } else { &ends[..1] };
            let is_annotated = directions.iter().any(|(source, target)| {
                let (own, theirs) = (topic(*source).expect("positions"), topic(*target).expect("positions"));
                let replies = own.replies.iter().filter(|reply| reply.kind.attack() == Some(raised.kind));
                let targets = replies.filter(|reply| Some(&reply.to.persona) == graph.speaker(*target));
                let claims: Vec<&str> = targets
                    .filter_map(|reply| theirs.claim(&reply.to.claim))
                    .map(|it| it.sentence.quote.as_str())
                    .collect();
                let said = &graph.arguments[target];
                let first = said.revisions.first().and_then(|revision| revision.before.as_ref());
                let claim = first.unwrap_or(&said.advanced.claim);
                claims.iter().any(|annotated| annotated.contains(claim.trim_end_matches('.')))
            });
            assert!(is_annotated, "{debate:?}: {} {:?}", raised.attack, raised);
            assert!(attack.judged.as_ref().is_some_and(|judged| judged.valid), "{debate:?}: {}", raised.attack);
            attacks += 1;
        }
    }
    assert!(attacks > 100, "{attacks} attacks");
}

#[test]
fn a_seed_reproduces_a_debate() {
    let shipped = shipped();
    for engine in ENGINES {
        let debate = debate(CARS, engine, CLOSURE, 5);
        let bodies = |log: Vec<Recorded>| log.into_iter().map(|recorded| recorded.event).collect::<Vec<_>>();
        assert_eq!(bodies(shipped.play(&debate)), bodies(shipped.play(&debate)), "{engine}");
    }
}

#[test]
fn opponents_stay_opposed_and_name_one_crux() {
    let shipped = shipped();
    let evaporated = "Did most of the cars that left Weighhouse Bridge stop being driven?";
    let calm = "Would two cables and four heated diesels carry the isles through a calm fortnight?";
    let undone = "Can most of the harm that a wrong change does be undone within the hour?";
    let pairs = [(CARS, EDDA_GUS, evaporated), (REACTOR, HEDDA_BARTLE, calm), (REVIEW, DORRIT_EMERIC, undone)];
    for (topic, pair, crux) in pairs {
        for engine in ENGINES {
            for seed in 1..=3 {
                let model = DebateReadModel::of(&shipped.play(&debate(topic, engine, pair, seed)));
                let verdict = model.verdict();
                let sides: Vec<(Side, Side)> =
                    verdict.topic.iter().flat_map(|topic| &topic.positions).map(|it| (it.first, it.side)).collect();
                assert_eq!(sides, [(Side::Yes, Side::Yes), (Side::No, Side::No)], "{engine} {pair:?} {seed}");
                // A statement that one grants the other is common ground beside the split.
                let expected = if verdict.granted.is_empty() { RegimeKind::Polarized } else { RegimeKind::Partial };
                assert_eq!(verdict.regime.kind, expected, "{engine} {pair:?} {seed}: {}", verdict.regime.reason);
                assert_eq!(verdict.common_ground, [], "{engine} {pair:?} {seed}");
                if matches!(engine, "dialogue" | "disputes") {
                    assert!(
                        cruxes(&model).iter().any(|it| it == crux),
                        "{engine} {pair:?} {seed}: {:?}",
                        cruxes(&model)
                    );
                }
            }
        }
    }
}

/// "My whole quarrel with Mr Soldane" is no crux of a debate in which he takes no part.
#[test]
fn nobody_names_a_crux_with_somebody_who_is_absent() {
    let shipped = shipped();
    let casts = [
        (&["dorrit-halvane", "isbel-corvath"], "dorrit-halvane", "Soldane"),
        (&["hester-gannick", "oswin-crake"], "oswin-crake", "Sarn"),
    ];
    for (pair, namer, absent) in casts {
        let id: PersonaId = namer.parse().expect("an id");
        let crux = shipped.positions[&id].topics[0].crux.as_ref().expect("a crux");
        assert!(crux.words.quote.contains(absent), "{}", crux.words.quote);
        for engine in ["dialogue", "disputes"] {
            for seed in 1..=3 {
                let model = DebateReadModel::of(&shipped.play(&debate(REVIEW, engine, pair, seed)));
                let names = |turn: &&Turn| turn.text.contains(&crux.words.quote);
                let named = model.transcript.turns.iter().find(names);
                assert!(named.is_none(), "{engine} {seed}: {named:?}");
            }
        }
    }
}

#[test]
fn attacks_on_the_theses_are_structural_cruxes() {
    let shipped = shipped();
    let model = DebateReadModel::of(&shipped.play(&debate(REACTOR, "graph", HEDDA_BARTLE, 1)));
    let verdict = model.verdict();
    let found: Vec<&str> = verdict.cruxes.iter().map(|crux| crux.statement.as_str()).collect();
    // Attacked as an assumption and given as the answer to a question, it is one crux, with its consequence.
    let expected = "Wires, warm diesels and stores cannot carry the isles through a calm fortnight.";
    let answers = |crux: &&Crux| crux.positions.iter().any(|position| position.quote.as_deref() == Some(expected));
    let found_crux = verdict.cruxes.iter().find(answers);
    assert!(found_crux.is_some_and(|crux| crux.pivotality.is_some()), "{found:?}");
    assert!(!found.contains(&expected), "{found:?}");
    let is_dispute = |origin: CruxOrigin| matches!(origin, CruxOrigin::Dispute { .. });
    let is_named = |crux: &Crux| !is_dispute(crux.origin) || crux.why.contains("named as the crux by");
    assert!(verdict.cruxes.iter().all(is_named), "{found:?}");
    // Nobody's answer to the topic is listed as what the disagreement turns on.
    assert!(found.iter().all(|statement| !statement.contains("should build the reactor")), "{found:?}");
}

#[test]
fn a_debate_in_which_somebody_changes_sides_is_a_consensus() {
    let shipped = shipped();
    for seed in 1..=3 {
        let model = DebateReadModel::of(&shipped.play(&debate(CARS, "dialectic", CLOSURE, seed)));
        let verdict = model.verdict();
        let moved: Vec<(&str, Side, Side)> = verdict
            .topic
            .iter()
            .flat_map(|topic| topic.moved())
            .map(|position| (position.persona.as_str(), position.first, position.side))
            .collect();
        assert_eq!(moved, [("edda-tolvane", Side::Yes, Side::No)], "{seed}");
        assert_eq!(verdict.common_ground.len(), 2, "{seed}: the topic and the proposal");
    }
}

#[test]
fn concessions_withdraw_arguments() {
    let shipped = shipped();
    let mut withdrawn = 0;
    for seed in 1..=6 {
        let log = shipped.play(&debate(CARS, "dialogue", &["edda-tolvane", "dara-velloway"], seed));
        let count = |is: fn(&Event) -> bool| log.iter().filter(|recorded| is(&recorded.event)).count();
        let changes = count(|event| matches!(event, Event::ArgumentWithdrawn(_) | Event::ArgumentRevised(_)));
        let conceded = count(|event| matches!(event, Event::ConcessionMade(_)));
        assert!(changes == 0 || conceded > 0, "{seed}");
        withdrawn += changes;
    }
    assert!(withdrawn > 0);
}

#[test]
fn all_four_regimes_occur() {
    let shipped = shipped();
    let regime = |topic, engine, cast: &[&'static str], seed| {
        DebateReadModel::of(&shipped.play(&debate(topic, engine, cast, seed))).verdict().regime.kind
    };
    assert_eq!(regime(REACTOR, "graph", HEDDA_BARTLE, 1), RegimeKind::Polarized);
    assert_eq!(regime(REVIEW, "disputes", DORRIT_EMERIC, 1), RegimeKind::Partial);
    assert_eq!(regime(REACTOR, "dialogue", &["agnes-wetherlow", "bartle-sennack"], 1), RegimeKind::Undetermined);
}

#[test]
fn a_limit_leaves_opponents_unexamined() {
    let shipped = shipped();
    for engine in ["dialogue", "disputes"] {
        let options: Value = json!({ "turn_budget": 4 });
        let short = OfflineDebate { options, ..debate(CARS, engine, &["gus-ormerand", "dara-velloway"], 1) };
        let verdict = DebateReadModel::of(&shipped.play(&short)).verdict();
        assert_ne!(verdict.regime.kind, RegimeKind::Consensus, "{engine}: {}", verdict.regime.reason);
    }
}

#[test]
fn another_topic_is_refused_in_three_lines_with_the_nearest_first() {
    let shipped = shipped();
    let pair = EDDA_GUS.iter().map(|id| id.parse().expect("an id")).collect::<Vec<_>>();
    let refused = |topic: &str, models: &[&str]| {
        let refusal = check_offline_topic(&shipped.positions, topic, &pair, models).expect_err("it is refused");
        refusal.reason.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = refused("Should an automatic check merge software?", &[]);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[0].starts_with("no model is configured, and nobody has annotated writings on"), "{}", lines[0]);
    assert!(lines[1].starts_with(&format!("topics that can be played offline: {REVIEW:?}")), "{}", lines[1]);
    assert!(lines[2].contains("OPENAI_BASE_URL=http://127.0.0.1"), "{}", lines[2]);
    let others = refused(REACTOR, &["anthropic"]);
    assert!(others[0].contains("edda-tolvane, gus-ormerand have no annotated writings"), "{}", others[0]);
    assert!(others[1].contains("agnes-wetherlow, bartle-sennack, hedda-vornish"), "{}", others[1]);
    assert_eq!(others[2], "to debate any topic, choose a provider with a model: anthropic");
    assert_eq!(check_offline_topic(&shipped.positions, "Should the city centre become car-free?", &pair, &[]), Ok(()));
}
