//! Replies to each kind of task, computed from the derived debate.

use serde::Serialize;

use crate::offline::argument_extraction;
use crate::offline::argument_extraction::Graph;
use crate::offline::arguments;
use crate::offline::attacks;
use crate::offline::attacks::DrawnAttack;
use crate::offline::choose::Chooser;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::history::SpeakerHistory;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::dialectic;
use crate::offline::dialectic::TextPart;
use crate::offline::dispute_extraction;
use crate::offline::judge;
use crate::offline::phrases;
use crate::offline::proposals::Unit;
use crate::offline::reply::{
    AttacksReply, Citations, CriticismReply, Judgements, OpeningReply, ProposalReply, ReplyAttack, ReplyChange,
    ReplyIssue, ReplyTopic, Synthesis, part_of,
};
use crate::offline::stage::OfflineStage;
use crate::offline::talk_reply::{FirstWords, LastWords, ReplyStance, TurnReply};
use crate::offline::talking;
use crate::offline::talking::{OfflineSpeaker, Say};
use crate::offline::text::words::words;
use faultline_core::events::argument::AttackKind;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{ArgumentInput, AttackInput, ProposalInput, TalkInput, TaskKind};

/// Maximum number of keywords of a proposal.
const TERMS: usize = 6;

/// Reply as JSON, with the passages that were retrieved for it.
pub type OfflineReply = Result<(String, Vec<PassageRef>), Failure>;

/// Answers a task. `foreign` are the texts of the task that occur in no corpus, `vectors` their embeddings.
///
/// # Errors
/// [`FailureKind::Declined`] if the speaker has too little to say; [`FailureKind::Hopeless`] if the task needs a
/// speaker and has none.
pub fn speak(
    stage: &OfflineStage,
    ask: &EffectAttempt,
    speaker: Option<usize>,
    foreign: Vec<String>,
    vectors: &[Vec<f32>],
) -> OfflineReply {
    let debate = &stage.debate;
    let work = &ask.prompt.task.work;
    if let TaskKind::JudgeAttacks { arguments, attacks } = work {
        return judged(debate, &ResolvedTask::read(debate, arguments, foreign, vectors), arguments, attacks);
    }
    if let TaskKind::Synthesize { proposal } = work {
        return synthesized(stage, ask, &ResolvedTask::read(debate, &[], foreign, vectors), proposal);
    }
    if let Some(distilled) = distilled(debate, work, &foreign, vectors) {
        return distilled;
    }
    let Some(speaker) = speaker else {
        return Err(Failure::new(FailureKind::Hopeless, "the offline provider speaks for personas only"));
    };
    match work {
        TaskKind::Attack { round, arguments, attacks } => {
            let reading = ResolvedTask::read(debate, arguments, foreign, vectors);
            attacked(debate, ask, speaker, *round, &reading, (arguments, attacks))
        }
        TaskKind::Draft { rejected } => drafted(stage, ask, speaker, rejected),
        TaskKind::Criticize { proposal } => {
            criticized(stage, ask, speaker, &ResolvedTask::read(debate, &[], foreign, vectors), proposal)
        }
        TaskKind::OpenTalk => talk_opened(stage, ask, speaker),
        TaskKind::Speak(told) => spoken(stage, ask, speaker, &ResolvedTask::read(debate, &[], foreign, vectors), told),
        TaskKind::Close(told) => closed(stage, ask, speaker, &ResolvedTask::read(debate, &[], foreign, vectors), told),
        TaskKind::OpenWithArguments
        | TaskKind::JudgeAttacks { .. }
        | TaskKind::Synthesize { .. }
        | TaskKind::Crystallize { .. }
        | TaskKind::CrystallizeDisputes { .. }
        | TaskKind::Compare { .. }
        | TaskKind::ReadWords { .. }
        | TaskKind::Portray(_) => opened(stage, ask, speaker),
    }
}

fn opened(stage: &OfflineStage, ask: &EffectAttempt, speaker: usize) -> OfflineReply {
    let debate = &stage.debate;
    let (papers, chooser) = (&debate.papers, chooser(debate, ask, speaker, "open"));
    let drawn = arguments::open(debate, &stage.claims, speaker, ask.prompt.task.seed);
    if drawn.len() < 2 {
        let message = format!("{} has written too little on this topic for two arguments", papers.speakers[speaker]);
        return Err(Failure::new(FailureKind::Declined, message));
    }
    let mut quoted = Citations::new(ask);
    let side = debate.sides[speaker];
    let mut speech =
        vec![phrases::side(side), chooser.phrase("lead", phrases::OPENING), &papers.lines[drawn[0].claim].text];
    speech.extend([chooser.phrase("further", phrases::FURTHER), &papers.lines[drawn[1].claim].text]);
    let speech = speech.join(" ");
    let arguments = drawn
        .iter()
        .map(|draft| quoted.argument(papers, draft, papers.passages[papers.lines[draft.claim].passage].topical))
        .collect();
    let (passages, grounds) = quoted.finish();
    let stance_words = phrases::side(side);
    written(&OpeningReply { stance: side, stance_words, speech, arguments, passages }, grounds)
}

/// Extracts arguments or disputes from turns, or compares claims; `None` for other tasks.
fn distilled(
    debate: &DerivedDebate,
    work: &TaskKind,
    foreign: &[String],
    vectors: &[Vec<f32>],
) -> Option<OfflineReply> {
    let read = |arguments: &[ArgumentInput]| ResolvedTask::read(debate, arguments, foreign.to_vec(), vectors);
    match work {
        TaskKind::Crystallize { turns, arguments, attacks, most } => {
            let graph = Graph { arguments, attacks };
            let drawn = argument_extraction::extract_arguments(debate, &read(arguments), turns, graph, *most as usize);
            Some(written(&drawn, Vec::new()))
        }
        TaskKind::CrystallizeDisputes { turns, disputes, most, .. } => {
            let drawn = dispute_extraction::extract_disputes(debate, &read(&[]), turns, disputes, *most as usize);
            Some(written(&drawn, Vec::new()))
        }
        TaskKind::Compare { pairs } => {
            Some(written(&argument_extraction::compare(debate, &read(&[]), pairs), Vec::new()))
        }
        _ => None,
    }
}

fn talk_opened(stage: &OfflineStage, ask: &EffectAttempt, speaker: usize) -> OfflineReply {
    let debate = &stage.debate;
    let parts = talking::open(stage, speaker, ask.prompt.task.seed);
    if parts.is_empty() {
        let message =
            format!("{} has written too little on this topic to open a talk", debate.papers.speakers[speaker]);
        return Err(Failure::new(FailureKind::Declined, message));
    }
    let mut quoted = Citations::new(ask);
    let text = told(debate, &mut quoted, &parts);
    let (passages, grounds) = quoted.finish();
    let stance = debate.sides[speaker];
    written(&FirstWords { text, stance, stance_words: phrases::side(stance), passages }, grounds)
}

fn spoken(
    stage: &OfflineStage,
    ask: &EffectAttempt,
    speaker: usize,
    reading: &ResolvedTask,
    talk: &TalkInput,
) -> OfflineReply {
    let debate = &stage.debate;
    let chooser = chooser(debate, ask, speaker, &format!("turn/{}", talk.turns.len()));
    let say = OfflineSpeaker::new(stage, talk, reading, &chooser, speaker).turn();
    let mut quoted = Citations::new(ask);
    let text = told(debate, &mut quoted, &say.parts);
    let (passages, grounds) = quoted.finish();
    let stances = say.stance.map(|(dispute, side)| ReplyStance { dispute, side, words: phrases::side(side) });
    let stances = stances.into_iter().collect();
    let (agrees_with, agreement_words) = say.agreement.unzip();
    let Say { moves, answers, crux, .. } = say;
    let reply = TurnReply { text, moves, answers, crux, agrees_with, agreement_words, stances, passages };
    written(&reply, grounds)
}

fn closed(
    stage: &OfflineStage,
    ask: &EffectAttempt,
    speaker: usize,
    reading: &ResolvedTask,
    talk: &TalkInput,
) -> OfflineReply {
    let debate = &stage.debate;
    let chooser = chooser(debate, ask, speaker, "close");
    let (say, stances) = OfflineSpeaker::new(stage, talk, reading, &chooser, speaker).close();
    let mut quoted = Citations::new(ask);
    let text = told(debate, &mut quoted, &say.parts);
    let (passages, grounds) = quoted.finish();
    written(
        &LastWords { text, core_question: None, agrees_with: None, agreement_words: None, stances, passages },
        grounds,
    )
}

fn attacked(
    debate: &DerivedDebate,
    ask: &EffectAttempt,
    speaker: usize,
    round: u32,
    reading: &ResolvedTask,
    told: (&[ArgumentInput], &[AttackInput]),
) -> OfflineReply {
    let (papers, chooser) = (&debate.papers, chooser(debate, ask, speaker, &format!("attack/{round}")));
    let past = SpeakerHistory::read(debate, reading, speaker, told.0, told.1);
    let raised = attacks::raise(debate, reading, &past, speaker, round, &chooser);
    let mut quoted = Citations::new(ask);
    let mut speech: Vec<&str> = Vec::new();
    for (at, attack) in raised.iter().take(2).enumerate() {
        let leads = match (at, attack.defends) {
            (0, true) => phrases::DEFENCE,
            (0, false) => phrases::AGAINST,
            _ => phrases::FURTHER,
        };
        speech.extend([chooser.phrase("lead", leads), &papers.lines[attack.counter.claim].text]);
    }
    if let Some((line, score)) = attacks::concession(debate, reading, speaker, &raised) {
        quoted.quote(&papers.lines[line], score);
        speech.extend([chooser.phrase("grants", phrases::GRANTS), &papers.lines[line].text]);
    }
    if speech.is_empty() {
        speech.push(chooser.phrase("silence", phrases::SILENCE));
    }
    let speech = speech.join(" ");
    let attacks = raised
        .iter()
        .map(|attack| ReplyAttack {
            target: told.0[attack.target].alias.clone(),
            component: part_of(attack.component).0,
            index: part_of(attack.component).1,
            kind: attack.kind,
            counter: quoted.argument(papers, &attack.counter, attack.near),
            rationale: rationale(attack.kind).to_owned(),
            confidence: confidence(debate, attack),
        })
        .collect();
    let (passages, grounds) = quoted.finish();
    written(&AttacksReply { speech, attacks, passages }, grounds)
}

fn rationale(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => phrases::REBUTS,
        AttackKind::Undermine => phrases::UNDERMINES,
        AttackKind::Undercut => phrases::UNDERCUTS,
    }
}

/// Confidence of an attack: from 0.3 at the threshold to 0.9, in steps of 0.01.
fn confidence(debate: &DerivedDebate, attack: &DrawnAttack) -> f64 {
    let share = ((attack.score - debate.floor.attack) / 0.3).clamp(0.0, 1.0);
    ((0.3 + 0.6 * share) * 100.0).round() / 100.0
}

fn judged(
    debate: &DerivedDebate,
    reading: &ResolvedTask,
    arguments: &[ArgumentInput],
    attacks: &[AttackInput],
) -> OfflineReply {
    let targets: Vec<String> = arguments.iter().map(|argument| argument.alias.clone()).collect();
    let judgements = attacks.iter().map(|attack| judge::judge(debate, reading, &targets, attack)).collect();
    written(&Judgements { judgements }, Vec::new())
}

fn drafted(stage: &OfflineStage, ask: &EffectAttempt, speaker: usize, rejected: &[ProposalInput]) -> OfflineReply {
    let debate = &stage.debate;
    let chooser = chooser(debate, ask, speaker, &format!("draft/{}", rejected.len()));
    let Some(drafted) = dialectic::draft(stage, speaker, rejected, &chooser) else {
        let message = format!("{} has nothing left to propose on this topic", debate.papers.speakers[speaker]);
        return Err(Failure::new(FailureKind::Declined, message));
    };
    let mut quoted = Citations::new(ask);
    let proposal = told(debate, &mut quoted, &drafted.parts);
    let reasons =
        drafted.reasons.iter().flat_map(|reason| [TextPart::Phrase(phrases::REASON), TextPart::Line(*reason)]);
    let reasoning = told(debate, &mut quoted, &reasons.collect::<Vec<TextPart>>());
    let terms = carrying(debate, &drafted.parts);
    let (passages, grounds) = quoted.finish();
    let topic = topic(debate, speaker);
    written(&ProposalReply { proposal, reasoning, confidence: 0.6, terms, topic, passages }, grounds)
}

fn criticized(
    stage: &OfflineStage,
    ask: &EffectAttempt,
    speaker: usize,
    reading: &ResolvedTask,
    proposal: &ProposalInput,
) -> OfflineReply {
    let (debate, lines) = (&stage.debate, &stage.debate.papers.lines);
    let units = Unit::of(debate, reading, proposal);
    let found = dialectic::criticize(stage, &units, speaker);
    let mut quoted = Citations::new(ask);
    let mut texts = |lines_of: &[usize]| -> Vec<String> {
        lines_of.iter().for_each(|at| drop(quoted.quote(&lines[*at], lines[*at].topical)));
        lines_of.iter().map(|at| lines[*at].text.clone()).collect()
    };
    let issues = texts(&found.issues.iter().map(|issue| issue.0.line).collect::<Vec<usize>>());
    let issues =
        issues.into_iter().zip(&found.issues).map(|(text, issue)| ReplyIssue { severity: issue.1, text }).collect();
    let (edge_cases, contradictions) = (texts(&found.edge_cases), texts(&found.contradictions));
    let (passages, grounds) = quoted.finish();
    let (recommendation, topic) = (found.recommendation, topic(debate, speaker));
    written(&CriticismReply { issues, edge_cases, contradictions, recommendation, topic, passages }, grounds)
}

/// Side of the topic that a speaker's corpus takes.
fn topic(debate: &DerivedDebate, speaker: usize) -> ReplyTopic {
    let side = debate.sides[speaker];
    ReplyTopic { side, words: phrases::side(side) }
}

fn synthesized(
    stage: &OfflineStage,
    ask: &EffectAttempt,
    reading: &ResolvedTask,
    proposal: &ProposalInput,
) -> OfflineReply {
    let debate = &stage.debate;
    let units = Unit::of(debate, reading, proposal);
    let (parts, changes) = dialectic::synthesize(stage, reading, &units, proposal);
    let mut quoted = Citations::new(ask);
    let text = told(debate, &mut quoted, &parts);
    let changes = changes.iter().map(|(issue, parts)| ReplyChange {
        issue: proposal.issues[*issue].alias.clone(),
        text: told(debate, &mut quoted, parts),
    });
    let changes = changes.collect();
    let (passages, grounds) = quoted.finish();
    let reasoning = phrases::JOINED.to_owned();
    written(&Synthesis { proposal: text, reasoning, changes, confidence: 0.7, passages }, grounds)
}

/// Joins phrases and quotations to a text, and records the quotations.
fn told(debate: &DerivedDebate, quoted: &mut Citations, parts: &[TextPart]) -> String {
    let text = |part: &TextPart| match part {
        TextPart::Phrase(phrase) => (*phrase).to_owned(),
        TextPart::Foreign(text) => text.clone(),
        TextPart::Line(at) => {
            let line = &debate.papers.lines[*at];
            quoted.quote(line, line.topical);
            line.text.clone()
        }
    };
    parts.iter().map(text).collect::<Vec<String>>().join(" ")
}

/// Returns the keywords of a text: the words of its lines that are rarest in the corpora.
fn carrying(debate: &DerivedDebate, parts: &[TextPart]) -> Vec<String> {
    let texts = parts.iter().filter_map(|part| match part {
        TextPart::Line(at) => Some(debate.papers.lines[*at].text.as_str()),
        TextPart::Phrase(_) | TextPart::Foreign(_) => None,
    });
    let mut weighed: Vec<(f64, String)> = texts
        .flat_map(words)
        .map(str::to_lowercase)
        .filter(|word| word.len() > 3 && word.chars().all(char::is_alphabetic))
        .map(|word| (debate.papers.gauge.weight(&word), word))
        .collect();
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    weighed.dedup();
    weighed.into_iter().map(|word| word.1).take(TERMS).collect()
}

fn chooser(debate: &DerivedDebate, ask: &EffectAttempt, speaker: usize, purpose: &str) -> Chooser {
    Chooser::new(ask.prompt.task.seed, format!("{purpose}/{}", debate.papers.speakers[speaker]))
}

fn written<T: Serialize>(reply: &T, grounds: Vec<PassageRef>) -> OfflineReply {
    let text = serde_json::to_string(reply)
        .map_err(|error| Failure::new(FailureKind::Hopeless, format!("writing the reply: {error}")))?;
    Ok((text, grounds))
}
