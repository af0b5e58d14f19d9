//! The detector: it reads windows of turns and tells who opposes whom about which question.

use std::collections::BTreeSet;

use crate::engines::shared::bounded_lines::newest;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::question_matching::{Matched, QuestionMatcher};
use crate::engines::talk::raised_question::question;
use crate::engines::talk::replies::decode::{MAX_REFUSED, unit};
use crate::engines::talk::rooms::schema::{DetectionReply, DisagreementReply};
use crate::engines::talk::rooms::words::WORDS;
use crate::engines::talk::state::{Talk, Window};
use crate::events::channel::{DetectedDisagreement, DisagreementsDetected, StatedWords};
use crate::events::event::Event;
use crate::events::ids::CandidateId;
use crate::kernel::engine::EngineReply;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::safety::foreign_text::flat;
use crate::kernel::schema;
use crate::kernel::task::{CandidateInput, TaskKind};
use crate::projections::room_candidates::{RoomCandidate, RoomCandidates, pair};
use crate::projections::transcript::Turn;

/// Purpose of the detector's calls.
pub const DETECT: &str = "detect";
/// Maximum number of disagreements in a window; an excess is rejected.
pub const MAX_DISAGREEMENTS: usize = 4;
/// Maximum number of bytes of the candidates in a prompt.
const MAX_CANDIDATE_BYTES: usize = 4_000;

/// Identity of a candidate: disagreements with the same one are the same candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKey {
    /// The two participants and the question.
    PairAndQuestion,
    /// The question alone.
    Question,
}

/// Options of the detector.
#[derive(Clone, Copy, Debug)]
pub struct DetectorOptions {
    /// Number of turns after which it reads again.
    pub every: u32,
    /// Number of turns before the first window.
    pub fewest: u32,
    /// Maximum number of turns in a window.
    pub window: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
    /// Identity of candidates.
    pub key: CandidateKey,
}

/// Returns a window of turns, by its number from 0; `None` while there are too few turns.
pub fn window<'a>(turns: impl Iterator<Item = &'a Turn>, options: DetectorOptions, number: u32) -> Option<Window<'a>> {
    let end = options.fewest as usize + options.every as usize * number as usize;
    let turns: Vec<_> = turns.take(end).collect();
    let from = turns.len().saturating_sub(options.window as usize);
    (turns.len() == end).then(|| Window { older: Vec::new(), fresh: turns[from..].to_vec() })
}

/// The detector at work on a talk.
#[derive(Clone, Copy)]
pub struct Detector<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The candidates so far.
    pub candidates: &'a RoomCandidates,
    /// Its options.
    pub options: DetectorOptions,
    /// Questions under discussion elsewhere, which are left out.
    pub discussed: &'a [String],
}

impl Detector<'_> {
    /// Prepares the request to read a window.
    pub fn request(self, window: &Window) -> ModelRequest {
        let Detector { talk, options, discussed, .. } = self;
        let turns = prompts::window(window);
        let told: Vec<CandidateInput> = self
            .followed()
            .map(|(id, candidate)| CandidateInput {
                alias: id.to_string(),
                question: candidate.question.clone(),
                participants: candidate.pair().into_iter().flatten().cloned().collect(),
            })
            .collect();
        let line = |candidate: &CandidateInput| {
            let names: Vec<String> = candidate.participants.iter().map(|persona| talk.names.of(persona)).collect();
            format!("{} ({}): {}\n", candidate.alias, names.join(", "), flat(&candidate.question))
        };
        let lines: Vec<String> = discussed.iter().map(|question| format!("{}\n", flat(question))).collect();
        let questions = newest(lines, MAX_CANDIDATE_BYTES, "question", "none");
        let left_out = WORDS.fill("discussed", &[("questions", &questions)]);
        let one_pair = if options.key == CandidateKey::Question { " Name one pair for each question." } else { "" };
        let values = [
            ("topic", talk.topic.as_str()),
            ("discussed", if discussed.is_empty() { "" } else { &left_out }),
            ("candidates", &newest(told.iter().map(line).collect(), MAX_CANDIDATE_BYTES, "disagreement", "none")),
            ("turns", &prompts::clerk_lines(&turns, &talk.names)),
            ("most", &MAX_DISAGREEMENTS.to_string()),
            ("pairs", one_pair),
        ];
        let names = [("yes", window.sentence_names()), ("no", window.sentence_names())];
        let (discussed, each_pair) = (discussed.to_vec(), options.key == CandidateKey::PairAndQuestion);
        ModelRequest {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill("detect", &values),
            schema: (schema::closed(schema::strict::<DetectionReply>(), &names), "detection"),
            work: TaskKind::DetectDisagreements { turns, candidates: told, discussed, each_pair },
        }
    }

    /// Returns the texts whose semantic similarity is needed to decode a reply.
    pub fn similarity_inputs(self, text: &str) -> Vec<String> {
        let found = reply::read::<DetectionReply>(text).map(|reply| reply.value.disagreements).unwrap_or_default();
        if found.is_empty() {
            return Vec::new();
        }
        let found = found.into_iter().map(|it| it.question.trim().to_owned());
        let known = self.candidates.tracked().map(|(_, candidate)| candidate.question.clone());
        found.chain(known).chain(self.discussed.iter().cloned()).collect()
    }

    /// Decodes what the detector saw. The same question, in other words or negated, and by the options the same two
    /// participants, are one candidate.
    ///
    /// # Errors
    /// [`Unreadable`] if the reply names disagreements besides the topic and what is discussed elsewhere, and none of them
    /// could be used.
    pub fn decode(self, window: &Window, reply: &EngineReply) -> Result<Event, Unreadable> {
        let given = reply::read::<DetectionReply>(reply.text)?.value.disagreements;
        let matcher = QuestionMatcher { words: self.options.alike, likeness: reply.likeness };
        let mut decoding = Decoding { detector: self, window, matcher, found: Vec::new(), n_known: 0 };
        let mut refused = Vec::new();
        let n_given = given.len();
        if n_given > MAX_DISAGREEMENTS {
            refused.push(format!("{n_given} disagreements, of which the first {MAX_DISAGREEMENTS} are considered"));
        }
        for it in given.into_iter().take(MAX_DISAGREEMENTS) {
            if let Err(reason) = decoding.take(it) {
                refused.push(reason);
            }
        }
        refused.truncate(MAX_REFUSED);
        let Decoding { found, n_known, .. } = decoding;
        // That two disagree about the topic, or where it is discussed already, is no news, and no reason to ask again.
        if n_given > n_known && found.is_empty() {
            return Err(Unreadable::because(format!("nothing in the reply could be used: {}", refused.join("; ")))
                .advise("point at a sentence of each of two people, or give an empty list"));
        }
        Ok(Event::DisagreementsDetected(DisagreementsDetected { turns: window.names(), found, refused }))
    }

    /// Candidates that did not expire, without those that are discussed elsewhere.
    fn followed(&self) -> impl Iterator<Item = (CandidateId, &RoomCandidate)> {
        let is_left_out = |candidate: &RoomCandidate| !self.discussed.is_empty() && candidate.room.is_some();
        self.candidates.tracked().filter(move |(_, candidate)| !is_left_out(candidate))
    }
}

struct Decoding<'a> {
    detector: Detector<'a>,
    window: &'a Window<'a>,
    matcher: QuestionMatcher<'a>,
    found: Vec<DetectedDisagreement>,
    /// Number of disagreements that only name the topic, or what is discussed elsewhere.
    n_known: usize,
}

impl Decoding<'_> {
    fn take(&mut self, given: DisagreementReply) -> Result<(), String> {
        let talk = self.detector.talk;
        let question = question(talk, &given.question)?;
        if talk.disputes.asks_topic(&talk.topic, &question) {
            self.n_known += 1;
            return Err("names the topic as what two participants disagree about".to_owned());
        }
        if self.detector.discussed.iter().any(|discussed| self.matcher.of(discussed, &question).is_some()) {
            self.n_known += 1;
            return Err(format!("asks what is discussed elsewhere: {}", view_prompts::excerpt(&question)));
        }
        let (yes, no) = (self.words(&given.yes)?, self.words(&given.no)?);
        if yes.speaker == no.speaker {
            return Err(format!("lets {} disagree with themselves", yes.speaker));
        }
        let confidence = unit(given.confidence);
        let seen = DetectedDisagreement { candidate: self.next(), question, yes, no, confidence };
        let seen = self.known(seen)?;
        if self.found.iter().any(|other| other.candidate == seen.candidate) {
            return Err(format!("names {} twice", seen.candidate));
        }
        self.found.push(seen);
        Ok(())
    }

    fn words(&self, sentence: &str) -> Result<StatedWords, String> {
        let (turn, speaker, quote) = self.window.new_sentence(sentence)?;
        Ok(StatedWords { speaker, turn, quote })
    }

    fn next(&self) -> CandidateId {
        let new: BTreeSet<CandidateId> = self.found.iter().map(|seen| seen.candidate).collect();
        let next = self.detector.candidates.next_candidate();
        new.last().map_or(next, |last| next.max(CandidateId(last.0 + 1)))
    }

    /// Gives a disagreement the id of the candidate that it is, if there is one.
    fn known(&self, seen: DetectedDisagreement) -> Result<DetectedDisagreement, String> {
        let tracked = self
            .detector
            .candidates
            .tracked()
            .filter_map(|(id, candidate)| Some((id, candidate.question.as_str(), candidate.latest()?)));
        let here = self.found.iter().map(|other| (other.candidate, other.question.as_str(), other));
        let same = tracked.chain(here).find_map(|(candidate, question, latest)| {
            let is_same_pair = self.detector.options.key == CandidateKey::Question || pair(latest) == pair(&seen);
            let matched = self.matcher.of(question, &seen.question).filter(|_| is_same_pair)?.matched;
            (matched != Matched::Mirrored).then(|| (candidate, question, latest, matched == Matched::Negated))
        });
        let Some((candidate, question, latest, is_negated)) = same else { return Ok(seen) };
        let asked = view_prompts::excerpt(&seen.question);
        let seen = if is_negated {
            let DetectedDisagreement { yes, no, confidence, .. } = seen;
            DetectedDisagreement { candidate, question: question.to_owned(), yes: no, no: yes, confidence }
        } else {
            DetectedDisagreement { candidate, ..seen }
        };
        if seen.yes.speaker == latest.no.speaker || seen.no.speaker == latest.yes.speaker {
            return Err(format!("sees {candidate} with the sides turned round: {asked}"));
        }
        Ok(seen)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::talk;
    use crate::projections::projection::Projection;

    const SAID: &[&str] =
        &["ada: A crew can be had.", "ben: No crew can be had.", "cleo: The lamp is dear.", "ada: Ask in the port."];
    const CREW: &str = "Can a second crew be had?";

    fn options(key: CandidateKey) -> DetectorOptions {
        DetectorOptions { every: 3, fewest: 2, window: 10, alike: 1.0, key }
    }

    /// Reads a reply about all turns, after earlier replies. Returns what was seen, one line each, and what was rejected.
    fn read(key: CandidateKey, replies: &[Value]) -> Result<Vec<String>, String> {
        read_beside(key, &[], replies)
    }

    fn read_beside(key: CandidateKey, discussed: &[String], replies: &[Value]) -> Result<Vec<String>, String> {
        let talk = talk(&["ada", "ben", "cleo"], SAID);
        let fresh: Vec<_> = talk.channel_turns().collect();
        let window = Window { older: Vec::new(), fresh };
        let mut candidates = RoomCandidates::default();
        let mut last = Ok(Vec::new());
        for reply in replies {
            let text = json!({ "disagreements": reply }).to_string();
            let reply = EngineReply { text: &text, by: "script", grounds: Vec::new(), likeness: None, auditor: None };
            let detector = Detector { talk: &talk, candidates: &candidates, options: options(key), discussed };
            last = detector
                .decode(&window, &reply)
                .map(|event| {
                    candidates.apply(&noted(&event));
                    let Event::DisagreementsDetected(detected) = event else { return Vec::new() };
                    let line = |seen: &DetectedDisagreement| {
                        format!("{} {} {}: {}", seen.candidate, seen.yes.turn, seen.no.turn, seen.question)
                    };
                    detected.found.iter().map(line).chain(detected.refused).collect()
                })
                .map_err(|unreadable| unreadable.failure().message);
        }
        last
    }

    fn seen(yes: &str, no: &str, question: &str) -> Value {
        json!({ "yes": yes, "no": no, "question": question, "confidence": 0.9 })
    }

    #[test]
    fn a_disagreement_points_at_a_sentence_of_each_of_two() {
        let check = |given: Value, expected: &str| {
            let found = match read(CandidateKey::PairAndQuestion, std::slice::from_ref(&given)) {
                Ok(lines) => lines.join("; "),
                Err(reason) => format!("unreadable: {reason}"),
            };
            assert!(found.contains(expected), "{given}: {found}");
        };
        check(json!([seen("t1.1", "t2.1", CREW)]), "n1 t1 t2: Can a second crew be had?");
        check(json!([]), "");
        check(json!([seen("t1.1", "t4.1", CREW)]), "unreadable: nothing in the reply could be used: lets ada disagree");
        check(json!([seen("t1.1", "t9.1", CREW)]), "which is not a participant's turn among those shown");
        check(json!([seen("t1.1", "t2.7", CREW)]), "which is not a sentence of t2");
        check(json!([seen("t1.1", "t2.1", "What can be had?")]), "which is not a yes-or-no question");
        check(json!([seen("t1.1", "t2.1", "Should the ferry run at night?")]), "names the topic");
        let twice = json!([seen("t1.1", "t2.1", CREW), seen("t1.1", "t2.1", CREW)]);
        check(twice, "n1 t1 t2: Can a second crew be had?; names n1 twice");
    }

    #[test]
    fn the_same_two_and_the_same_question_are_one_candidate() {
        let first = json!([seen("t1.1", "t2.1", CREW)]);
        let by = |key: CandidateKey, next: Value, expected: &str| {
            let found = match read(key, &[first.clone(), json!([next])]) {
                Ok(lines) => lines.join("; "),
                Err(reason) => format!("unreadable: {reason}"),
            };
            assert!(found.contains(expected), "{next}: {found}");
        };
        let check = |next: Value, expected: &str| by(CandidateKey::PairAndQuestion, next, expected);
        check(seen("t1.1", "t2.1", "can a second crew be had"), "which is not a yes-or-no question");
        check(seen("t1.1", "t2.1", "Can the second crew be had?"), "n1 t1 t2: Can the second crew be had?");
        // The negation of the question has the sides turned round.
        check(seen("t2.1", "t1.1", "Can a second crew not be had?"), "n1 t1 t2: Can a second crew be had?");
        check(seen("t2.1", "t1.1", CREW), "sees n1 with the sides turned round");
        check(seen("t3.1", "t2.1", CREW), "n2 t3 t2: Can a second crew be had?");
        check(seen("t1.1", "t2.1", "Is the lamp dear?"), "n2 t1 t2: Is the lamp dear?");
        // Where threads are open to all, the question is enough.
        by(CandidateKey::Question, seen("t3.1", "t2.1", CREW), "n1 t3 t2: Can a second crew be had?");
        by(CandidateKey::Question, seen("t2.1", "t3.1", CREW), "sees n1 with the sides turned round");
    }

    #[test]
    fn what_is_discussed_elsewhere_is_no_candidate() {
        let discussed = [CREW.to_owned()];
        let read = |given: Value| read_beside(CandidateKey::Question, &discussed, &[given]);
        let told = "asks what is discussed elsewhere";
        let only = read(json!([seen("t1.1", "t2.1", "Can the second crew be had?")])).expect("no reason to ask again");
        assert!(only.iter().all(|line| line.contains(told)), "{only:?}");
        let both = json!([seen("t1.1", "t2.1", CREW), seen("t1.1", "t2.1", "Is the lamp dear?")]);
        let both = read(both).expect("one is new");
        assert!(both[0].contains("n1 t1 t2: Is the lamp dear?") && both[1].contains(told), "{both:?}");
    }
}
