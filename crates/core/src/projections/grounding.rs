//! Grounding of speech: passages that participants were given and cite, and accuracy of their quotations.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::citation::Evidence;
use crate::events::citation::{Citation, QuoteCheck};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::receipt::CHECK_PURPOSE;
use crate::events::receipt::{EffectRequested, SuspectPassage};
use crate::projections::projection::Projection;

/// Grounding of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grounding {
    /// Grounding of each participant who took a turn or was given a passage.
    pub participants: BTreeMap<PersonaId, SpeakerGrounding>,
    /// Passages suspected of prompt injection, each with the version of the event that reported it.
    pub suspected: Vec<(i64, SuspectPassage)>,
    /// Citations of the turn being recorded, whose facts follow it one by one.
    now: Option<Now>,
}

/// Grounding of one participant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeakerGrounding {
    /// Number of turns.
    pub turns: u32,
    /// Number of turns that cite a passage that was given, in the speech or in a piece of evidence.
    pub grounded: u32,
    /// Number of passages cited, each counted once per turn.
    pub citations: u32,
    /// Number of passages cited that were not given.
    pub dangling: u32,
    /// Number of quotations that match their passage.
    pub verbatim: u32,
    /// Number of quotations that match their passage with omissions.
    pub abridged: u32,
    /// Number of quotations that do not match their passage.
    pub unverified: u32,
    /// Passages given with a prompt.
    given: BTreeSet<Uuid>,
    /// Passages cited in any turn.
    cited: BTreeSet<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Now {
    turn: TurnId,
    speaker: PersonaId,
    cited: BTreeSet<Uuid>,
    quoted: BTreeSet<(Uuid, String)>,
}

/// Counts of one participant's grounding, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GroundingCounts {
    /// Number of turns.
    pub turns: u32,
    /// Number of turns that cite a passage that was given.
    pub grounded: u32,
    /// Share of these turns, from 0 to 1; `None` before the first turn.
    pub rate: Option<f64>,
    /// Number of passages cited, each counted once per turn.
    pub citations: u32,
    /// Number of passages cited that were not given.
    pub dangling: u32,
    /// Number of quotations that match their passage.
    pub verbatim: u32,
    /// Number of quotations that match their passage with omissions.
    pub abridged: u32,
    /// Number of quotations that do not match their passage.
    pub unverified: u32,
    /// Number of different passages given with prompts.
    pub given: u32,
    /// Number of given passages that no turn cites.
    pub uncited: u32,
}

impl SpeakerGrounding {
    /// Computes the counts.
    pub fn counts(&self) -> GroundingCounts {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        GroundingCounts {
            turns: self.turns,
            grounded: self.grounded,
            rate: (self.turns > 0).then(|| f64::from(self.grounded) / f64::from(self.turns)),
            citations: self.citations,
            dangling: self.dangling,
            verbatim: self.verbatim,
            abridged: self.abridged,
            unverified: self.unverified,
            given: count(self.given.len()),
            uncited: count(self.given.difference(&self.cited).count()),
        }
    }
}

impl Grounding {
    /// Counts of all participants together. A passage that was given to two of them counts once.
    pub fn total(&self) -> GroundingCounts {
        let mut total = SpeakerGrounding::default();
        for it in self.participants.values() {
            total.turns += it.turns;
            total.grounded += it.grounded;
            total.citations += it.citations;
            total.dangling += it.dangling;
            total.verbatim += it.verbatim;
            total.abridged += it.abridged;
            total.unverified += it.unverified;
            total.given.extend(&it.given);
            total.cited.extend(&it.cited);
        }
        total.counts()
    }

    /// Counts of one participant; all zero if the participant neither spoke nor was given a passage.
    pub fn of(&self, persona: &PersonaId) -> GroundingCounts {
        self.participants.get(persona).map(SpeakerGrounding::counts).unwrap_or_default()
    }

    /// True if no passage was given or cited.
    pub fn is_empty(&self) -> bool {
        self.participants
            .values()
            .all(|participant| participant.given.is_empty() && participant.citations == 0 && participant.dangling == 0)
    }

    fn request(&mut self, requested: &EffectRequested) {
        // What a checker is given grounds nobody's speech.
        if requested.key.purpose == CHECK_PURPOSE {
            return;
        }
        let Ok(persona) = requested.key.subject.parse::<PersonaId>() else { return };
        if !requested.grounds.is_empty() {
            let chunks = requested.grounds.iter().map(|ground| ground.chunk);
            self.participants.entry(persona).or_default().given.extend(chunks);
        }
    }

    fn evidence(&mut self, turn: TurnId, evidence: &[Evidence]) {
        let citations = evidence.iter().filter_map(|piece| piece.citation.as_ref());
        citations.for_each(|citation| self.cite(turn, citation));
    }

    fn cite(&mut self, turn: TurnId, citation: &Citation) {
        let Some(now) = self.now.as_mut().filter(|current| current.turn == turn) else { return };
        let grounded = self.participants.entry(now.speaker.clone()).or_default();
        grounded.grounded += u32::from(now.cited.is_empty());
        grounded.citations += u32::from(now.cited.insert(citation.chunk));
        grounded.cited.insert(citation.chunk);
        for quote in &citation.quotes {
            if now.quoted.insert((citation.chunk, quote.text.clone())) {
                match quote.check {
                    QuoteCheck::Verbatim => grounded.verbatim += 1,
                    QuoteCheck::Abridged => grounded.abridged += 1,
                    QuoteCheck::Unverified => grounded.unverified += 1,
                }
            }
        }
    }
}

impl Projection for Grounding {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::EffectRequested(it) => self.request(it),
            Event::InjectionSuspected(it) => {
                self.suspected.extend(it.passages.iter().map(|passage| (recorded.version, passage.clone())));
            }
            Event::TurnTaken(it) => {
                let grounded = self.participants.entry(it.speaker.clone()).or_default();
                grounded.turns += 1;
                grounded.dangling += it.dangling;
                let (cited, quoted) = (BTreeSet::new(), BTreeSet::new());
                self.now = Some(Now { turn: it.turn, speaker: it.speaker.clone(), cited, quoted });
                it.citations.iter().for_each(|citation| self.cite(it.turn, citation));
            }
            Event::ArgumentAdvanced(it) => self.evidence(it.turn, &it.evidence),
            Event::ReasonGiven(it) => self.evidence(it.turn, &it.evidence),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::events::argument::ArgumentAdvanced;
    use crate::events::citation::Quote;
    use crate::events::ids::{ArgumentId, DebateId};
    use crate::events::receipt::{EffectKey, PassageRef, Tier};
    use crate::events::turn::TurnTaken;

    fn chunk(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    fn cites(n: u128, checks: &[QuoteCheck]) -> Citation {
        let quote =
            |(at, check): (usize, &QuoteCheck)| Quote { text: format!("words {at}"), check: *check, ranges: vec![] };
        Citation { quotes: checks.iter().enumerate().map(quote).collect(), ..Citation::new("g1", chunk(n)) }
    }

    fn given(speaker: &str, chunks: &[u128]) -> Event {
        let ground = |n: &u128| PassageRef::of_chunk("g1", chunk(*n), 1.0);
        Event::EffectRequested(EffectRequested {
            key: EffectKey { purpose: "turn".into(), subject: speaker.into(), ordinal: 0 },
            attempt: 1,
            tier: Tier::Deep,
            system: String::new(),
            prompt: String::new(),
            grounds: chunks.iter().map(ground).collect(),
            search: None,
        })
    }

    fn turn(n: u32, speaker: &str, citations: Vec<Citation>, dangling: u32) -> Event {
        Event::TurnTaken(TurnTaken {
            preparation: None,
            turn: TurnId(n),
            speaker: speaker.parse().unwrap(),
            round: None,
            room: None,
            moves: vec![],
            move_quotes: Vec::new(),
            answers: None,
            text: "Said.".into(),
            citations,
            refused: vec![],
            dangling,
        })
    }

    fn evidence(n: u32, speaker: &str, citation: Citation) -> Event {
        Event::ArgumentAdvanced(ArgumentAdvanced {
            argument: ArgumentId(1),
            speaker: speaker.parse().unwrap(),
            turn: TurnId(n),
            claim: "So.".into(),
            premises: vec![],
            assumptions: vec![],
            evidence: vec![Evidence { text: "words 0".into(), citation: Some(citation) }],
            carries: None,
            answers_topic: false,
            distilled: false,
            paraphrased: false,
        })
    }

    fn folded(events: Vec<Event>) -> Grounding {
        let mut grounding = Grounding::default();
        for (version, event) in (1..).zip(events) {
            let (id, debate, at) = (Uuid::nil(), DebateId(Uuid::nil()), DateTime::<Utc>::UNIX_EPOCH);
            grounding.apply(&Recorded { id, debate, version, lane: 0, position: 0, at, caused_by: None, event });
        }
        grounding
    }

    #[test]
    fn turns_citations_and_quotations_are_counted_by_participant() {
        use QuoteCheck::{Abridged, Unverified, Verbatim};
        let grounding = folded(vec![
            given("ada", &[1, 2, 3]),
            given("ben", &[3, 4]),
            turn(1, "ada", vec![cites(1, &[Verbatim, Abridged])], 2),
            evidence(1, "ada", cites(1, &[Verbatim])),
            evidence(1, "ada", cites(2, &[Unverified])),
            turn(2, "ben", vec![], 1),
            turn(3, "ada", vec![], 0),
            evidence(1, "ada", cites(3, &[])),
        ]);
        let ada = grounding.of(&"ada".parse().unwrap());
        assert_eq!((ada.turns, ada.grounded, ada.rate), (2, 1, Some(0.5)));
        assert_eq!((ada.citations, ada.dangling), (2, 2));
        assert_eq!((ada.verbatim, ada.abridged, ada.unverified), (1, 1, 1));
        assert_eq!((ada.given, ada.uncited), (3, 1));
        let all = grounding.total();
        assert_eq!((all.turns, all.grounded, all.dangling, all.verbatim), (3, 1, 3, 1));
        assert_eq!((all.given, all.uncited), (4, 2));
        assert!(!grounding.is_empty() && Grounding::default().is_empty());
        assert_eq!(Grounding::default().total().rate, None);
    }

    #[test]
    fn evidence_in_a_turn_grounds_it() {
        let grounding = folded(vec![turn(1, "ada", vec![], 0), evidence(1, "ada", cites(1, &[]))]);
        assert_eq!(grounding.total().grounded, 1);
    }
}
