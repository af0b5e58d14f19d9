//! Requests of the engine: speeches, and the clerk's for fact checks.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::engines::pro_con::claims::WordsToCheck;
use crate::engines::pro_con::schema::{CheckReply, ClaimsReply, SpeechReply};
use crate::engines::pro_con::words::WORDS;
use crate::engines::shared::bounded_lines::newest;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TOPIC, TURN, Talk};
use crate::events::checks::check::CheckVerdict;
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::ids::{CheckId, PersonaId};
use crate::events::persona::Persona;
use crate::events::receipt::{CHECK_PURPOSE, EffectKey, Tier};
use crate::kernel::effect::{Effect, PassageQuery, effect_key};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::safety::foreign_text::{fenced, flat, flat_within};
use crate::kernel::schema;
use crate::kernel::task::{TaskKind, TurnInput};
use crate::projections::fact_checks::{FactCheck, FactChecks, UncheckedClaim};
use crate::projections::motion::Draft;

/// Maximum number of bytes of the results of checks in a prompt.
const MAX_CHECK_BYTES: usize = 4_000;

/// Returns the key of the check of a claim.
pub fn check_key(check: CheckId) -> EffectKey {
    effect_key(CHECK_PURPOSE, check, 0)
}

/// Speech to be asked for.
#[derive(Clone, Copy)]
pub struct SpeechAsked<'a> {
    /// The speaker.
    pub speaker: &'a Persona,
    /// Side of the speaker.
    pub side: MotionSide,
    /// Number of the round, from 1.
    pub round: u32,
    /// Index of the call among those of the speaker.
    pub ordinal: u32,
    /// The draft of this speech that was rejected last, if any.
    pub rejected: Option<&'a Draft>,
}

/// Requests, made from the present state.
pub struct ProConRequests<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The sides, once they are assigned.
    pub sides: Option<&'a SidesAssigned>,
    /// Fact checks so far.
    pub checks: &'a FactChecks,
    /// True if facts are checked.
    pub is_checked: bool,
    /// Number of rounds.
    pub rounds: u32,
    /// Maximum number of words of a speech.
    pub words: u32,
}

impl ProConRequests<'_> {
    /// Requests a speech.
    pub fn speech(&self, asked: SpeechAsked) -> Effect {
        let speaker = asked.speaker;
        let (told, names) = (prompts::talk(self.talk), &self.talk.names);
        let shown = prompts::shown(&told, self.talk.options.shown_turns as usize);
        let back = asked.rejected.map(|draft| self.rejected_lines(draft)).unwrap_or_default();
        let values = [
            ("motion", self.talk.topic.clone()),
            ("motion_dispute", TOPIC.to_string()),
            ("sides", self.side_lines()),
            ("interjections", view_prompts::interjections(&self.talk.transcript)),
            ("turns", prompts::turn_lines_within(&shown, names, self.talk.max_speech_bytes)),
            ("checks", if self.is_checked { self.check_lines() } else { String::new() }),
            ("disputes", prompts::dispute_lines(&told.disputes, names)),
            ("cruxes", prompts::crux_lines(&told.cruxes, names)),
            ("own", prompts::own_lines(&told, &speaker.id, &shown)),
            ("side", asked.side.in_words().to_owned()),
            ("round", asked.round.to_string()),
            ("rounds", self.rounds.to_string()),
            ("words", self.words.to_string()),
            ("refuted", self.refuted_lines(&speaker.id)),
            ("back", back),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(slot, text)| (*slot, text.as_str())).collect();
        let speeches = Speeches { talk: self.talk };
        let names = speeches.names(speaker, &told);
        let schema = (schema::closed(schema::strict::<SpeechReply>(), &names), "speech");
        let others = || shown.iter().rev().filter(|turn| turn.speaker.as_ref() != Some(&speaker.id));
        let about: Vec<String> =
            others().take(2).map(|turn| turn.text.clone()).chain([self.talk.topic.clone()]).collect();
        let refuted = self.refuted(&speaker.id).into_iter().map(|check| said_words(check).to_owned()).collect();
        let work = TaskKind::ArgueSide { talk: told, side: asked.side, refuted, most_words: self.words };
        let manner = if asked.round == 1 { TurnKind::Exchange } else { TurnKind::Answer };
        let made = speeches.asked(speaker, manner, WORDS.fill("speech", &values), schema, work);
        let manner = WORDS.fill(self.talk.options.combativeness.section(), &[]);
        let facts = WORDS.fill(if self.is_checked { "facts_checked" } else { "facts_unchecked" }, &[]);
        let system = WORDS.fill("speaker", &[("manner", manner.as_str()), ("facts", &facts)]);
        let made = ModelRequest { system, ..made };
        speeches.effect(effect_key(TURN, &speaker.id, asked.ordinal), speaker, made, &about)
    }

    /// Requests the claims of some words, at most `most`.
    pub fn extraction(&self, key: EffectKey, words: WordsToCheck, most: u32) -> Effect {
        let alias = words.alias();
        let mut lines = String::new();
        for (number, sentence) in (1..).zip(turn_quotes::sentences(words.text)) {
            let _ = writeln!(lines, "{alias}.{number}: {}", flat(&words.text[sentence]));
        }
        let values = [
            ("motion", self.talk.topic.as_str()),
            ("speaker", &self.talk.names.of(words.speaker)),
            ("sentences", &fenced(lines.trim_end())),
            ("most", &most.to_string()),
        ];
        let names = [("sentence", words.sentence_names())];
        let turn = TurnInput {
            alias,
            speaker: Some(words.speaker.clone()),
            moves: Vec::new(),
            answers: None,
            room: None,
            text: words.text.to_owned(),
            fresh: true,
        };
        let asked = ModelRequest {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill("extract_claims", &values),
            schema: (schema::closed(schema::strict::<ClaimsReply>(), &names), "claims"),
            work: TaskKind::ExtractClaims { turn, most: most as usize },
        };
        Speeches { talk: self.talk }.clerk(key, Tier::Quick, asked)
    }

    /// Requests the check of a claim, with as many texts as given.
    pub fn check(&self, claim: &UncheckedClaim, evidence: u32) -> Effect {
        let wording = claim.claim.claim.as_str();
        let speaker = self.talk.names.of(&claim.speaker);
        let values = [("motion", self.talk.topic.as_str()), ("speaker", &speaker), ("claim", &fenced(&flat(wording)))];
        let asked = ModelRequest {
            system: WORDS.fill("checker", &[]),
            text: WORDS.fill("check", &values),
            schema: (schema::strict::<CheckReply>(), "check"),
            work: TaskKind::CheckClaim { claim: wording.to_owned(), speaker: claim.speaker.clone() },
        };
        let effect = Speeches { talk: self.talk }.clerk(check_key(claim.claim.check), Tier::Quick, asked);
        Effect { ground: Some(PassageQuery::evidence(wording, evidence).without(&claim.speaker)), ..effect }
    }

    fn side_lines(&self) -> String {
        let names = |side: MotionSide| {
            let members = self.sides.map_or(&[][..], |sides| sides.of(side));
            let names: Vec<String> = members.iter().map(|id| self.talk.names.of(id)).collect();
            format!("{}: {}", side.in_words(), names.join(", "))
        };
        MotionSide::ALL.map(names).join("\n")
    }

    /// Formats the results of the checks of what was said, the newest of them that fit.
    fn check_lines(&self) -> String {
        let said = self.checks.checks.values().filter(|check| self.checks.is_said(check.checked.draft));
        let lines = said.map(|check| {
            let who =
                check.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |speaker| self.talk.names.of(speaker));
            check_line(&who, check)
        });
        let lines = newest(lines.collect(), MAX_CHECK_BYTES, "check", "none yet");
        WORDS.fill("checks", &[("checks", &lines)])
    }

    /// Formats a rejected draft with the claims for which it was rejected.
    fn rejected_lines(&self, draft: &Draft) -> String {
        let checks = draft.rejected.iter().flat_map(|rejected| &rejected.checks);
        let checks = checks.filter_map(|check| self.checks.checks.get(check));
        let claims: String = checks.map(|check| check_line("You", check)).collect();
        let text = flat_within(&draft.drafted.turn.text, self.talk.max_speech_bytes);
        WORDS.fill("rejected", &[("draft", &fenced(&text)), ("claims", &fenced(claims.trim_end()))])
    }

    fn refuted_lines(&self, speaker: &PersonaId) -> String {
        let lines: Vec<String> = self.refuted(speaker).into_iter().map(|check| check_line("You", check)).collect();
        if lines.is_empty() {
            return String::new();
        }
        WORDS.fill("refuted", &[("claims", &newest(lines, MAX_CHECK_BYTES, "claim", ""))])
    }

    /// Returns the checks that found something false that a speaker said or drafted, each claim once.
    fn refuted(&self, speaker: &PersonaId) -> Vec<&FactCheck> {
        let mut known: BTreeSet<CheckId> = BTreeSet::new();
        let own = self.checks.checks.values().filter(|check| check.speaker.as_ref() == Some(speaker));
        let refuted = own.filter(|check| check.checked.verdict == CheckVerdict::False);
        refuted.filter(|check| known.insert(check.checked.same_as.unwrap_or(check.checked.check))).collect()
    }
}

/// Returns the words that make the claim of a check.
fn said_words(check: &FactCheck) -> &str {
    check.checked.quote.as_deref().unwrap_or(&check.checked.claim)
}

fn check_line(who: &str, check: &FactCheck) -> String {
    let checked = &check.checked;
    let verdict = match checked.verdict {
        CheckVerdict::True => "found true",
        CheckVerdict::False => "found false",
        CheckVerdict::Unverifiable => "not decided",
    };
    let why = checked.explanation.as_deref().map(|why| format!(": {}", flat(why))).unwrap_or_default();
    format!("{who}, \"{}\" ({verdict}){why}\n", flat(said_words(check)))
}
