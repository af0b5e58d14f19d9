//! Selection of a persona's next turn in a talk, from its own corpus.
//!
//! In order of preference, the speaker follows the moderator's hint (agrees with a proposed crux if its corpus says
//! that this would change its mind, names what would, or takes a side); concedes what its corpus concedes on the latest
//! turns; answers the turn addressed to it, or another one; makes a new claim; or states that it has nothing to add. No
//! sentence is said twice.

use std::collections::BTreeSet;

use crate::offline::answers;
use crate::offline::arguments;
use crate::offline::attacks;
use crate::offline::attacks::DrawnAttack;
use crate::offline::choose::Chooser;
use crate::offline::corpus::stance::CorpusSide;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::history::SpeakerHistory;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::debate::turns;
use crate::offline::debate::turns::ResolvedTurn;
use crate::offline::dialectic::TextPart;
use crate::offline::phrases;
use crate::offline::stage::OfflineStage;
use crate::offline::talk_reply::ReplyStance;
use crate::offline::text::relatedness::{ComparableText, rounded};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::turn::{Hint, Move};
use faultline_core::kernel::task::{HintInput, TalkInput};

/// Maximum number of sentences quoted in addition to the main one.
const BESIDE: usize = 2;
/// Number of the latest turns of others to which a speaker may concede a point.
const LATEST: usize = 3;

/// Turn to be said, with its moves.
#[derive(Clone, Debug, Default)]
pub struct Say {
    /// Phrases and sentences of the turn.
    pub parts: Vec<TextPart>,
    /// Moves that the turn makes.
    pub moves: Vec<&'static str>,
    /// Turn that it answers.
    pub answers: Option<String>,
    /// Crux that it proposes.
    pub crux: Option<String>,
    /// Crux that it agrees with, and the phrase that says so.
    pub agreement: Option<(String, &'static str)>,
    /// Dispute on which it takes a side, with the side.
    pub stance: Option<(String, CorpusSide)>,
}

/// Speaker in the middle of a talk.
pub struct OfflineSpeaker<'a> {
    stage: &'a OfflineStage,
    debate: &'a DerivedDebate,
    told: &'a TalkInput,
    reading: &'a ResolvedTask,
    chooser: &'a Chooser,
    speaker: usize,
    uttered: Vec<ResolvedTurn<'a>>,
    said: BTreeSet<usize>,
}

/// Selects the opening words: the side, the answer to the topic with its grounds, then the speaker's next best argument.
pub fn open(stage: &OfflineStage, speaker: usize, seed: u64) -> Vec<TextPart> {
    let drawn = arguments::open(&stage.debate, &stage.claims, speaker, seed);
    let lines = drawn.iter().take(2).flat_map(|argument| {
        std::iter::once(argument.claim)
            .chain(argument.premises.iter().copied())
            .take(1 + BESIDE)
            .collect::<Vec<usize>>()
    });
    let lines: Vec<TextPart> = lines.map(TextPart::Line).collect();
    let side = TextPart::Phrase(phrases::side(stage.debate.sides[speaker]));
    if lines.is_empty() { lines } else { std::iter::once(side).chain(lines).collect() }
}

impl<'a> OfflineSpeaker<'a> {
    /// Creates a speaker from the task of the next turn.
    pub fn new(
        stage: &'a OfflineStage,
        told: &'a TalkInput,
        reading: &'a ResolvedTask,
        chooser: &'a Chooser,
        speaker: usize,
    ) -> OfflineSpeaker<'a> {
        let debate = &stage.debate;
        let uttered = turns::read(debate, &told.turns);
        let said = turns::said(&uttered, speaker);
        OfflineSpeaker { stage, debate, told, reading, chooser, speaker, uttered, said }
    }

    /// Selects the next turn.
    pub fn turn(&self) -> Say {
        let hinted = self.told.hint.as_ref().and_then(|hint| self.hinted(hint));
        let say = hinted.or_else(|| self.yields()).or_else(|| self.answer()).or_else(|| self.claim());
        say.unwrap_or_else(|| Say {
            parts: vec![self.phrase("rests", phrases::RESTS)],
            moves: vec!["clarify"],
            answers: self.put_to_me(),
            ..Say::default()
        })
    }

    /// Selects the closing words, and the side of the topic at the end. They agree with no crux: without a question before
    /// it, a reader could not tell which one a phrase of agreement means.
    pub fn close(&self) -> (Say, Vec<ReplyStance>) {
        let answer = arguments::answer(self.debate, self.speaker, &BTreeSet::new(), self.chooser);
        let mut parts = vec![self.phrase("last", phrases::LAST), TextPart::Phrase(phrases::side(self.side()))];
        parts.extend(answer.map(TextPart::Line));
        parts.extend(self.flips().first().filter(|flip| !self.said.contains(flip)).map(|flip| TextPart::Line(*flip)));
        let topic = self.told.disputes.iter().find(|dispute| dispute.question == self.debate.topic);
        let side = self.side();
        let stances =
            topic.map(|dispute| ReplyStance { dispute: dispute.alias.clone(), side, words: phrases::side(side) });
        (Say { parts, ..Say::default() }, stances.into_iter().collect())
    }

    fn hinted(&self, hint: &HintInput) -> Option<Say> {
        match hint.hint {
            Hint::AgreementWanted => self.agreement(hint.crux.as_deref()?),
            Hint::CruxWanted => self.crux(),
            Hint::FlipWanted => self.flip(),
            Hint::StanceWanted => self.stance(hint.dispute.as_deref()?),
            _ => None,
        }
    }

    /// Agrees with another speaker's crux, or declines it.
    fn agreement(&self, alias: &str) -> Option<Say> {
        let crux = self.told.cruxes.iter().find(|crux| crux.alias == alias)?;
        let answers = self.told.hint.as_ref().and_then(|hint| hint.about.clone());
        if self.would_move_me(&self.probe(&crux.statement)) {
            let phrase = self.chooser.phrase("signs", phrases::SIGNS);
            let (parts, agreement) = (vec![TextPart::Phrase(phrase)], Some((crux.alias.clone(), phrase)));
            return Some(Say { parts, moves: vec!["concede"], answers, agreement, ..Say::default() });
        }
        let own = self.crux().or_else(|| self.answer()).or_else(|| self.claim());
        let mut say = own.unwrap_or_else(|| Say { moves: vec!["challenge"], ..Say::default() });
        say.parts.insert(0, self.phrase("declines", phrases::DECLINES));
        say.answers = answers;
        Some(say)
    }

    /// Returns true if the speaker's corpus says that something like this would change its mind.
    fn would_move_me(&self, statement: &ComparableText) -> bool {
        let papers = &self.debate.papers;
        let near = |at: &usize| papers.gauge.relate(&papers.lines[*at].probe, statement);
        self.flips().iter().map(near).fold(0.0, f64::max) >= self.debate.floor.valid
    }

    /// Proposes a crux: the condition that would change the speaker's mind, as a question, or else its best claim.
    fn crux(&self) -> Option<Say> {
        if self.told.cruxes.iter().any(|crux| self.is_me(&crux.speaker)) {
            return None;
        }
        let lines = &self.debate.papers.lines;
        let (line, statement) = match self.flips().first() {
            Some(at) => (*at, whether(&lines[*at].text)),
            None => {
                let at = self.best_claim()?;
                (at, lines[at].text.clone())
            }
        };
        let parts = vec![self.phrase("crux", phrases::CRUX), TextPart::Line(line)];
        Some(Say { parts, moves: vec!["propose_crux"], crux: Some(statement), ..Say::default() })
    }

    fn flip(&self) -> Option<Say> {
        let line = self.flips().into_iter().find(|flip| !self.said.contains(flip))?;
        let parts = vec![self.phrase("moves", phrases::MOVES), TextPart::Line(line)];
        Some(Say { parts, moves: vec!["clarify"], answers: self.put_to_me(), ..Say::default() })
    }

    fn stance(&self, alias: &str) -> Option<Say> {
        let dispute = self.told.disputes.iter().find(|dispute| dispute.alias == alias)?;
        let side = self.side_on(&dispute.question);
        let mut parts = vec![TextPart::Phrase(phrases::side(side))];
        parts.extend(self.nearest(&self.probe(&dispute.question)).map(TextPart::Line));
        Some(Say { parts, moves: vec!["clarify"], stance: Some((dispute.alias.clone(), side)), ..Say::default() })
    }

    /// Side on a question. The side of the topic if the question is the topic or is about a sentence of an ally; the
    /// opposite side if it is about a sentence of an opponent; undecided if the speaker wrote nothing close to it.
    fn side_on(&self, question: &str) -> CorpusSide {
        let papers = &self.debate.papers;
        if question == self.debate.topic {
            return self.side();
        }
        let quoted = papers.lines.iter().filter(|line| question.contains(line.text.as_str()));
        let Some(line) = quoted.max_by_key(|line| line.text.len()) else { return CorpusSide::Undecided };
        let theirs = self.debate.sides[line.speaker];
        let Some(near) = self.nearest(&line.probe) else { return CorpusSide::Undecided };
        match (self.side(), theirs) {
            _ if line.speaker == self.speaker || answers::echoes(self.debate, near, &line.probe) => CorpusSide::Yes,
            (CorpusSide::Undecided, _) | (_, CorpusSide::Undecided) => CorpusSide::Undecided,
            (CorpusSide::Nuanced, _) | (_, CorpusSide::Nuanced) => CorpusSide::Nuanced,
            (mine, theirs) if mine.opposes(theirs) => CorpusSide::No,
            _ => CorpusSide::Yes,
        }
    }

    /// Concedes what the speaker's corpus concedes on one of the latest turns of others.
    fn yields(&self) -> Option<Say> {
        let papers = &self.debate.papers;
        let granted: Vec<usize> = (0..papers.lines.len())
            .filter(|at| {
                let line = &papers.lines[*at];
                let grants = line.cues.concedes && !(line.cues.flips || line.cues.leans || line.cues.asks);
                line.speaker == self.speaker && grants && !self.said.contains(at)
            })
            .collect();
        let others = self.uttered.iter().rev().filter(|turn| turn.speaker != self.speaker).take(LATEST);
        let fits = others.flat_map(|turn| {
            let granted = &granted;
            turn.lines.iter().flat_map(move |theirs| {
                granted.iter().map(move |at| {
                    let aside = papers.relate_passages(papers.lines[*at].passage, papers.lines[*theirs].passage);
                    (rounded(0.5 * papers.relate(*at, *theirs) + 0.5 * aside), *at, turn)
                })
            })
        });
        let near = fits.filter(|candidate| candidate.0 >= self.debate.floor.valid);
        let best = near.max_by(|one, other| self.debate.order(&(one.0, one.1), &(other.0, other.1)))?;
        let parts = vec![self.phrase("yields", phrases::YIELDS), TextPart::Line(best.1)];
        Some(Say { parts, moves: vec!["concede"], answers: Some(best.2.told.alias.clone()), ..Say::default() })
    }

    /// Answers the turn addressed to the speaker, or else the turn that its corpus answers best.
    fn answer(&self) -> Option<Say> {
        let arguments = turns::arguments(self.debate, &self.uttered);
        let reading = self.reading.with(self.debate, &arguments);
        let attacks = turns::attacks(self.debate, &self.uttered);
        let mut past = SpeakerHistory::read(self.debate, &reading, self.speaker, &arguments, &attacks);
        past.said.extend(&self.said);
        let raised = attacks::raise(self.debate, &reading, &past, self.speaker, 2, self.chooser);
        let put_to_me = self.put_to_me();
        let turn = |attack: &DrawnAttack| turns::turn_of(&arguments[attack.target].alias).to_owned();
        let is_put_to_me = |attack: &&DrawnAttack| Some(turn(attack)) == put_to_me;
        let chosen = raised.iter().find(is_put_to_me).or(raised.first())?;
        let mut parts = vec![TextPart::Line(chosen.counter.claim)];
        parts.extend(chosen.counter.premises.iter().take(BESIDE).map(|premise| TextPart::Line(*premise)));
        let answers = Some(turn(chosen));
        Some(Say { parts, moves: vec!["challenge"], answers, ..Say::default() })
    }

    /// Makes a new claim.
    fn claim(&self) -> Option<Say> {
        let claim = self.best_claim()?;
        let drawn = arguments::assemble(self.debate, claim, &self.said, false);
        let beside = drawn.iter().flat_map(|argument| argument.premises.iter().copied()).take(BESIDE);
        let parts = std::iter::once(claim).chain(beside).map(TextPart::Line).collect();
        Some(Say { parts, moves: vec!["claim"], ..Say::default() })
    }

    /// Selects the best claim whose passage has not been used.
    fn best_claim(&self) -> Option<usize> {
        let lines = &self.debate.papers.lines;
        let used: BTreeSet<usize> = self.said.iter().map(|line| lines[*line].passage).collect();
        let claims = &self.stage.claims[self.speaker];
        let open: Vec<(f64, usize)> =
            claims.iter().filter(|claim| !used.contains(&lines[claim.1].passage)).copied().collect();
        let at = self.chooser.pick("claim", open.iter().map(|claim| (claim.0, lines[claim.1].text.as_str())))?;
        Some(open[at].1)
    }

    /// Returns the turn addressed to the speaker: the turn that the hint is about, else the latest turn of others that
    /// answers one of the speaker's turns, else the last turn of others.
    fn put_to_me(&self) -> Option<String> {
        let about = self
            .told
            .hint
            .as_ref()
            .filter(|advice| advice.hint == Hint::OneSided)
            .and_then(|advice| advice.about.clone());
        let mine = |alias: &String| {
            self.told
                .turns
                .iter()
                .any(|turn| turn.alias == *alias && turn.speaker.as_ref().is_some_and(|speaker| self.is_me(speaker)))
        };
        let others = || {
            self.told
                .turns
                .iter()
                .rev()
                .filter(|turn| turn.speaker.as_ref().is_some_and(|speaker| !self.is_me(speaker)))
        };
        let to_me =
            || others().find(|turn| turn.answers.as_ref().is_some_and(mine) && !turn.moves.contains(&Move::Concede));
        about.or_else(|| to_me().or_else(|| others().next()).map(|turn| turn.alias.clone()))
    }

    /// Returns the speaker's flip conditions: unsaid ones first, then by relatedness to the topic.
    fn flips(&self) -> Vec<usize> {
        let lines = self.debate.papers.lines.iter().enumerate();
        let own = lines.filter(|(_, line)| line.speaker == self.speaker && line.cues.flips && !line.cues.leans);
        let mut scored: Vec<(f64, usize)> = own.map(|(at, line)| (line.topical, at)).collect();
        scored.sort_by(|one, other| {
            self.said.contains(&one.1).cmp(&self.said.contains(&other.1)).then(self.debate.order(other, one))
        });
        scored.into_iter().map(|candidate| candidate.1).collect()
    }

    /// Finds the speaker's unsaid sentence closest to a text, if any is close enough.
    fn nearest(&self, to: &ComparableText) -> Option<usize> {
        let papers = &self.debate.papers;
        let own = papers.lines.iter().enumerate();
        let own = own
            .filter(|(at, line)| line.speaker == self.speaker && line.is_self_contained() && !self.said.contains(at));
        let near = own.map(|(at, line)| (papers.gauge.relate(&line.probe, to), at));
        let near = near.filter(|candidate| candidate.0 >= self.debate.floor.back);
        near.max_by(|one, other| self.debate.order(one, other)).map(|candidate| candidate.1)
    }

    fn probe(&self, text: &str) -> ComparableText {
        self.reading.probe(self.debate, None, text).1
    }

    fn side(&self) -> CorpusSide {
        self.debate.sides[self.speaker]
    }

    fn is_me(&self, persona: &PersonaId) -> bool {
        self.debate.papers.speakers[self.speaker] == *persona
    }

    fn phrase(&self, slot: &str, phrases: &'static [&'static str]) -> TextPart {
        TextPart::Phrase(self.chooser.phrase(slot, phrases))
    }
}

/// Converts a sentence like "I would change my mind if ..." to a clause that begins with "Whether".
fn whether(sentence: &str) -> String {
    match sentence.split_once(" if ") {
        Some((_, clause)) => format!("Whether {clause}"),
        None => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::offline::model::Offline;
    use crate::offline::sample::{PAPERS, TOPIC, ask, offline, persona, reply};
    use faultline_core::kernel::quotations::turn_quotes;
    use faultline_core::kernel::task::{ClaimInput, CruxInput, DisputeInput, PairInput, TaskKind, TurnInput};

    const PAIR: &[&str] = &["mara", "tobias"];

    /// Splits a text into fixed phrases and sentences of a corpus, and fails on anything else.
    fn check_quoted(text: &str, speaker: &str) {
        let own = PAPERS
            .iter()
            .filter(|paper| paper.0 == speaker)
            .flat_map(|paper| paper.1.iter().flat_map(|passage| passage.iter().copied()));
        let mut known: Vec<&str> = own.chain(phrases::connectives()).collect();
        known.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        let mut rest = text.trim();
        while !rest.is_empty() {
            let next = known.iter().find(|phrase| rest.starts_with(**phrase));
            rest = rest[next.unwrap_or_else(|| panic!("{rest:?} is no quotation of {speaker}")).len()..].trim_start();
        }
    }

    fn text(reply: &Value) -> String {
        reply["text"].as_str().unwrap_or_default().to_owned()
    }

    fn topic() -> Vec<DisputeInput> {
        vec![DisputeInput { alias: "d1".into(), question: TOPIC.into(), stances: Vec::new() }]
    }

    fn told(number: usize, speaker: &str, reply: &Value) -> TurnInput {
        let moves = serde_json::from_value(reply["moves"].clone()).unwrap_or_else(|_| vec![Move::Claim]);
        TurnInput {
            alias: format!("t{number}"),
            speaker: Some(persona(speaker)),
            moves,
            answers: reply["answers"].as_str().map(str::to_owned),
            text: text(reply),
            fresh: true,
        }
    }

    /// Runs a talk of the pair: opening words, then `n_turns` turns.
    async fn talk(offline: &Offline, seed: u64, n_turns: usize) -> Vec<TurnInput> {
        let mut turns = Vec::new();
        for speaker in PAIR {
            let (_, opening) =
                reply(offline, &ask(Some(speaker), PAIR, seed, TaskKind::OpenTalk)).await.expect("an opening");
            check_quoted(&text(&opening), speaker);
            turns.push(told(turns.len() + 1, speaker, &opening));
        }
        for turn in 0..n_turns {
            let speaker = PAIR[turn % 2];
            let talk = TalkInput { turns: turns.clone(), disputes: topic(), ..TalkInput::default() };
            let (_, spoken) =
                reply(offline, &ask(Some(speaker), PAIR, seed, TaskKind::Speak(talk))).await.expect("a turn");
            check_quoted(&text(&spoken), speaker);
            turns.push(told(turns.len() + 1, speaker, &spoken));
        }
        turns
    }

    #[tokio::test]
    async fn no_sentence_is_said_twice_and_turns_answer_each_other() {
        let offline = offline().await;
        for seed in 0..3 {
            let turns = talk(&offline, seed, 10).await;
            assert_eq!(turns, talk(&offline, seed, 10).await, "the same seed says the same");
            for (speaker, passages) in PAPERS.iter().filter(|paper| PAIR.contains(&paper.0)) {
                for line in passages.iter().flat_map(|passage| passage.iter()) {
                    let said =
                        turns.iter().filter(|turn| turn.speaker == Some(persona(speaker)) && turn.text.contains(line));
                    assert!(said.count() <= 1, "{speaker} says {line:?} again");
                }
            }
            let challenges = turns.iter().filter(|turn| turn.moves.contains(&Move::Challenge)).count();
            assert!(challenges >= 2, "{turns:?}");
            for it in turns.iter().filter(|turn| turn.moves.contains(&Move::Challenge)) {
                let answered = turns.iter().find(|other| Some(&other.alias) == it.answers.as_ref());
                assert!(answered.is_some_and(|other| other.speaker != it.speaker), "{it:?}");
            }
        }
    }

    #[tokio::test]
    async fn speakers_follow_the_moderators_hints() {
        let offline = offline().await;
        let turns = talk(&offline, 1, 2).await;
        let said = async |speaker: &str, hint: Hint, cruxes: Vec<CruxInput>| {
            let (dispute, crux) = (Some("d1".to_owned()), Some("c1".to_owned()));
            let hint = Some(HintInput { hint, about: None, dispute, crux });
            let talk = TalkInput { turns: turns.clone(), hint, disputes: topic(), cruxes };
            let (_, spoken) =
                reply(&offline, &ask(Some(speaker), PAIR, 1, TaskKind::Speak(talk))).await.expect("a turn");
            check_quoted(&text(&spoken), speaker);
            spoken
        };
        let crux = said("mara", Hint::CruxWanted, Vec::new()).await;
        assert_eq!(crux["crux"], "Whether takings on the quay fell by a tenth.");
        assert_eq!(crux["moves"], serde_json::json!(["propose_crux"]));
        let flip = said("mara", Hint::FlipWanted, Vec::new()).await;
        assert!(text(&flip).contains("I would change my mind"), "{flip}");
        let stance = said("tobias", Hint::StanceWanted, Vec::new()).await;
        assert_eq!(stance["stances"][0]["side"], "no", "{stance}");

        let proposed = |statement: &str| {
            let (speaker, statement) = (persona("mara"), statement.to_owned());
            vec![CruxInput { alias: "c1".into(), speaker, statement, acknowledged: Vec::new() }]
        };
        let signed =
            said("tobias", Hint::AgreementWanted, proposed("Whether takings on the quay fell by a tenth.")).await;
        assert_eq!(signed["agrees_with"], "c1", "the quay's takings would move him too: {signed}");
        let other = said("tobias", Hint::AgreementWanted, proposed("Whether bees winter badly in a tall hive.")).await;
        assert_eq!(other["agrees_with"], Value::Null, "{other}");
    }

    /// Returns true if a name such as `t3.2` is that of a sentence of one of the turns.
    fn is_sentence(turns: &[TurnInput], name: &str) -> bool {
        let (alias, number) = name.split_once('.').unwrap_or_default();
        let turn = turns.iter().find(|turn| turn.alias == alias);
        turn.zip(number.parse().ok()).and_then(|(turn, number)| turn_quotes::sentence(&turn.text, number)).is_some()
    }

    #[tokio::test]
    async fn the_clerk_extracts_arguments_and_disputes_from_turns() {
        let offline = offline().await;
        let turns = talk(&offline, 1, 6).await;
        let work = TaskKind::Crystallize { turns: turns.clone(), arguments: vec![], attacks: vec![], most: 3 };
        let (_, drawn) = reply(&offline, &ask(None, PAIR, 1, work)).await.expect("crystals");
        let arguments = drawn["arguments"].as_array().cloned().unwrap_or_default();
        assert!((1..=3).contains(&arguments.len()), "{drawn}");
        for it in &arguments {
            assert!(is_sentence(&turns, it["claim"].as_str().unwrap_or_default()), "{it}");
        }
        let work = TaskKind::CrystallizeDisputes { turns: turns.clone(), disputes: vec![], reasons: vec![], most: 2 };
        let (_, drawn) = reply(&offline, &ask(None, PAIR, 1, work)).await.expect("quarrels");
        let disputes = drawn["disputes"].as_array().cloned().unwrap_or_default();
        assert!((1..=2).contains(&disputes.len()), "{drawn}");
        for it in &disputes {
            assert!(it["question"].as_str().is_some_and(|question| question.ends_with('?')), "{it}");
            assert!(it["criteria"].as_array().is_some_and(|criteria| !criteria.is_empty()), "{it}");
        }
        for it in drawn["stances"].as_array().into_iter().flatten() {
            assert!(is_sentence(&turns, it["sentence"].as_str().unwrap_or_default()), "{it}");
            assert_eq!(it["side"], "yes", "an answer takes no side: {it}");
        }
    }

    #[tokio::test]
    async fn the_clerk_separates_conflicts_from_compatible_claims() {
        let offline = offline().await;
        let line = |speaker: &str, passage: usize| {
            let papers = PAPERS.iter().find(|paper| paper.0 == speaker).expect("papers").1;
            let text = papers[passage].last().copied().unwrap_or_default().to_owned();
            ClaimInput { alias: format!("{speaker}{passage}"), speaker: persona(speaker), text }
        };
        let pair = |one: (&str, usize), other: (&str, usize)| PairInput {
            one: line(one.0, one.1),
            other: line(other.0, other.1),
        };
        let pairs = vec![pair(("mara", 1), ("tobias", 1)), pair(("mara", 1), ("tobias", 2))];
        let (_, found) = reply(&offline, &ask(None, PAIR, 1, TaskKind::Compare { pairs })).await.expect("findings");
        let findings: Vec<&str> =
            found["pairs"].as_array().into_iter().flatten().filter_map(|pair| pair["finding"].as_str()).collect();
        assert_eq!(findings, ["conflict", "compatible"], "{found}");
    }
}
