//! Draft of positions: a model points at numbered sentences of a corpus, and the positions are put together from these.
//!
//! The model writes no word of the file but the roles: every quotation is a whole sentence of the corpus, short names are
//! made from its words, and questions come from the user and from the files of other personas. What does not fit is
//! dropped, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drafting::cues::is_telling;
use crate::drafting::material::SourcePassage;
use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::events::turn::ConcessionExtent;
use crate::positions::check::LEAST_QUOTE_CHARS;
use crate::positions::model::{
    AnnotatedClaim, AnnotatedDispute, AnnotatedReply, Basis, ClaimRef, GivesWay, PassageQuote, ReplyKind,
    TopicPositions,
};
use crate::positions::parse::{NAME_BYTES, TEXT_BYTES};
use crate::positions::render::component;
use crate::questions::wording::TextFeatures;

/// Maximum number of sentences that are shown to the model; a schema can enumerate no more.
pub const MAX_SENTENCES: usize = 200;

/// Maximum number of claims, premises and assumptions of other personas that are shown.
pub const MAX_TARGETS: usize = 120;

/// Number of words from which a short name is made.
const NAME_WORDS: usize = 2;

/// Least length of a word in a short name.
const NAME_WORD_BYTES: usize = 4;

/// Reply of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointingsReply {
    /// Side that the author takes on the question.
    pub side: DraftSide,
    /// Sentences with their roles, at most 120.
    pub pointings: Vec<Pointing>,
}

/// Side on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DraftSide {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Yes in one case, no in another.
    Nuanced,
}

impl From<DraftSide> for Side {
    fn from(side: DraftSide) -> Side {
        match side {
            DraftSide::Yes => Side::Yes,
            DraftSide::No => Side::No,
            DraftSide::Nuanced => Side::Nuanced,
        }
    }
}

/// Role of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pointing {
    /// Number of the sentence: `s12`.
    pub sentence: String,
    /// Its role.
    pub role: Role,
    /// For a premise or a reason: the sentence that it supports. For a concession: the own claim that is given up.
    pub refers_to: Option<String>,
    /// For a reply: the claim of somebody else, or the part of it.
    pub answers: Option<String>,
    /// For a stance, and for what settles it: the disputed question.
    pub dispute: Option<String>,
    /// For a stance: the side.
    pub side: Option<DraftSide>,
}

/// Role of a sentence in the positions of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// States the side on the question; exactly one.
    Statement,
    /// Can open a debate.
    Opening,
    /// Can close a debate.
    Closing,
    /// Says what would change the author's mind.
    Falsifier,
    /// Claims something that answers the question itself.
    Thesis,
    /// Claims something else.
    Claim,
    /// Supports a claim.
    Premise,
    /// Denies a claim of somebody else.
    Rebut,
    /// Denies a premise or an assumption of somebody else.
    Undermine,
    /// Denies that a claim of somebody else follows from its premises.
    Undercut,
    /// Grants what somebody else says, and gives up nothing.
    Grant,
    /// Grants what somebody else says, and gives up an own claim for it.
    Concede,
    /// Gives the reason of a reply.
    Reason,
    /// Takes a side on a disputed question.
    Stance,
    /// Says what would settle a disputed question.
    Settles,
}

impl Role {
    fn reply(self) -> Option<ReplyKind> {
        match self {
            Role::Rebut => Some(ReplyKind::Rebut),
            Role::Undermine => Some(ReplyKind::Undermine),
            Role::Undercut => Some(ReplyKind::Undercut),
            Role::Grant => Some(ReplyKind::Grant),
            Role::Concede => Some(ReplyKind::Concede),
            _ => None,
        }
    }
}

/// Material of a draft: everything that a model can point at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointableMaterial {
    /// Short name of the topic.
    pub topic: String,
    /// Question of the topic.
    pub question: String,
    /// Sentences of the corpus; the first one is `s1`.
    pub sentences: Vec<PointableSentence>,
    /// Claims of other personas and their parts.
    pub targets: Vec<PointableTarget>,
    /// Disputed questions of other personas.
    pub disputes: Vec<PointableDispute>,
}

/// Sentence of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointableSentence {
    /// Name of the document.
    pub document: String,
    /// The sentence, unchanged.
    pub text: String,
}

/// Claim of another persona, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointableTarget {
    /// The claim.
    pub claim: ClaimRef,
    /// Part of the claim.
    pub part: ArgumentPart,
    /// Text of the part.
    pub text: String,
    /// True if the whole claim answers the topic, and its author stands on this side.
    pub thesis_of: Option<Side>,
}

impl PointableTarget {
    /// Returns the name by which a model refers to the part: `gus-ormerand/trade` or `gus-ormerand/trade premise 1`.
    pub fn name(&self) -> String {
        match self.part {
            ArgumentPart::Claim => self.claim.to_string(),
            part => format!("{} {}", self.claim, component(part)),
        }
    }
}

/// Disputed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointableDispute {
    /// Short name.
    pub name: String,
    /// Question.
    pub question: String,
}

/// Returns the names of the sentences: `s1`, `s2`, and so on.
pub fn sentence_names(material: &PointableMaterial) -> Vec<String> {
    (1..=material.sentences.len()).map(|number| format!("s{number}")).collect()
}

/// Selects at most [`MAX_SENTENCES`] sentences that can be quoted, in the order of the documents. Passages that share
/// content words with the question take precedence, then those with sentences that concede or doubt.
pub fn select(passages: &[SourcePassage], question: &str) -> Vec<PointableSentence> {
    let wanted: BTreeSet<String> = content_words(question).collect();
    let weight = |passage: &SourcePassage| {
        let words: BTreeSet<String> = passage.sentences.iter().flat_map(|sentence| content_words(sentence)).collect();
        let telling = passage.sentences.iter().filter(|sentence| is_telling(sentence)).count().min(3);
        2 * words.intersection(&wanted).count() + telling
    };
    let fits = |sentence: &&String| {
        let is_line = !sentence.contains(char::is_control);
        is_line && sentence.chars().count() >= LEAST_QUOTE_CHARS && sentence.len() <= TEXT_BYTES
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(weight(&passages[*at])), *at));
    let mut room = MAX_SENTENCES;
    let mut taken: Vec<usize> = order
        .into_iter()
        .filter(|at| {
            let size = passages[*at].sentences.iter().filter(fits).count();
            let has_room = size <= room;
            room -= if has_room { size } else { 0 };
            has_room
        })
        .collect();
    taken.sort_unstable();
    let sentences = taken.into_iter().flat_map(|at| {
        let passage = &passages[at];
        let sentence =
            |text: &String| PointableSentence { document: passage.document.clone(), text: text.clone() };
        passage.sentences.iter().filter(fits).map(sentence).collect::<Vec<_>>()
    });
    sentences.collect()
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.len() >= NAME_WORD_BYTES && TextFeatures::is_full(word))
}

/// Lists the claims of other personas on a topic with their parts, those of each persona in turn.
pub fn targets<'a>(others: impl IntoIterator<Item = (&'a PersonaId, &'a TopicPositions)>) -> Vec<PointableTarget> {
    let mut targets = Vec::new();
    for (persona, topic) in others {
        for claim in &topic.claims {
            let reference = ClaimRef { persona: persona.clone(), claim: claim.name.clone() };
            let parts = std::iter::once(ArgumentPart::Claim)
                .chain((0..).take(claim.premises.len()).map(ArgumentPart::Premise))
                .chain((0..).take(claim.assumptions.len()).map(ArgumentPart::Assumption));
            targets.extend(parts.map(|part| PointableTarget {
                claim: reference.clone(),
                part,
                text: claim.part(part).unwrap_or_default().to_owned(),
                thesis_of: claim.answers_topic.then_some(topic.side),
            }));
        }
    }
    targets.truncate(MAX_TARGETS);
    targets
}

/// Positions put together from what a model pointed at.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionsDraft {
    /// Positions on the topic.
    pub topic: TopicPositions,
    /// Pointings that do not fit, each with the reason.
    pub dropped: Vec<String>,
}

/// Puts positions together.
///
/// # Errors
/// The reason in words, for a repeated request, if there is no usable statement, opening, closing or claim.
pub fn assemble(material: &PointableMaterial, reply: &PointingsReply) -> Result<PositionsDraft, String> {
    let mut assembly = Assembly::new(material, reply);
    let needed = |role: Role, what: &str| {
        let name = format!("{role:?}").to_lowercase();
        format!("no sentence has the role {name}; give {what}")
    };
    let statement = assembly.quotes(Role::Statement).into_iter().next();
    let statement = statement.ok_or_else(|| needed(Role::Statement, "the one that states the side"))?;
    let (openings, closings) = (assembly.quotes(Role::Opening), assembly.quotes(Role::Closing));
    for (role, quotes) in [(Role::Opening, &openings), (Role::Closing, &closings)] {
        if quotes.is_empty() {
            return Err(needed(role, "at least one"));
        }
    }
    let falsifiers = assembly.quotes(Role::Falsifier);
    let claims = assembly.claims();
    if claims.is_empty() {
        return Err(needed(Role::Claim, "at least one, or a thesis"));
    }
    let topic = TopicPositions {
        name: material.topic.clone(),
        question: material.question.clone(),
        wordings: Vec::new(),
        side: reply.side.into(),
        statement,
        openings,
        closings,
        falsifiers,
        replies: assembly.replies(&claims),
        claims: claims.into_iter().map(|(_, claim)| claim).collect(),
        compatible: Vec::new(),
        disputes: assembly.disputes(),
        crux: None,
        line: 0,
    };
    assembly.drop_unused();
    Ok(PositionsDraft { topic, dropped: assembly.dropped })
}

/// Pointings of a reply that refer to existing sentences, and those that were used.
struct Assembly<'a> {
    material: &'a PointableMaterial,
    side: Side,
    /// Pointings with the indices of their sentence and of the sentence that they refer to.
    pointings: Vec<(&'a Pointing, usize, Option<usize>)>,
    used: BTreeSet<usize>,
    dropped: Vec<String>,
}

impl<'a> Assembly<'a> {
    fn new(material: &'a PointableMaterial, reply: &'a PointingsReply) -> Assembly<'a> {
        let index = |name: &str| {
            let number: usize = name.trim().strip_prefix('s')?.parse().ok()?;
            number.checked_sub(1).filter(|at| *at < material.sentences.len())
        };
        let (mut pointings, mut dropped) = (Vec::new(), Vec::new());
        for pointing in &reply.pointings {
            let refers_to = pointing.refers_to.as_deref();
            match (index(&pointing.sentence), refers_to.map(index)) {
                (Some(_), Some(None)) => {
                    dropped.push(format!("{}: there is no sentence {:?}", title(pointing), short(refers_to)));
                }
                (Some(at), refers_to) => pointings.push((pointing, at, refers_to.flatten())),
                (None, _) => dropped.push(format!("{}: there is no such sentence", title(pointing))),
            }
        }
        Assembly { material, side: reply.side.into(), pointings, used: BTreeSet::new(), dropped }
    }

    fn quote(&self, at: usize) -> PassageQuote {
        let sentence = &self.material.sentences[at];
        PassageQuote { document: sentence.document.clone(), quote: sentence.text.clone(), line: 0 }
    }

    /// Takes the pointings of a role, each with its number.
    fn take(&mut self, is_wanted: impl Fn(Role) -> bool) -> Vec<(usize, &'a Pointing, usize, Option<usize>)> {
        let numbered = self.pointings.iter().enumerate();
        let wanted = numbered.filter(|(_, (pointing, ..))| is_wanted(pointing.role));
        let taken: Vec<_> = wanted.map(|(number, (pointing, at, other))| (number, *pointing, *at, *other)).collect();
        self.used.extend(taken.iter().map(|(number, ..)| *number));
        taken
    }

    fn drop(&mut self, pointing: &Pointing, why: &str) {
        self.dropped.push(format!("{}: {why}", title(pointing)));
    }

    /// Returns the sentences of a role, each once.
    fn quotes(&mut self, role: Role) -> Vec<PassageQuote> {
        let mut seen = BTreeSet::new();
        let taken = self.take(|other| other == role);
        taken.into_iter().filter(|(_, _, at, _)| seen.insert(*at)).map(|(_, _, at, _)| self.quote(at)).collect()
    }

    /// Returns the claims with the indices of their sentences.
    fn claims(&mut self) -> Vec<(usize, AnnotatedClaim)> {
        let mut claims: BTreeMap<usize, AnnotatedClaim> = BTreeMap::new();
        let (mut order, mut names) = (Vec::new(), BTreeSet::new());
        for (_, pointing, at, _) in self.take(|role| matches!(role, Role::Thesis | Role::Claim)) {
            let sentence = self.quote(at);
            let claim = claims.entry(at).or_insert_with(|| {
                order.push(at);
                let name = short_name(&sentence.quote, &mut names);
                let (premises, assumptions) = (Vec::new(), Vec::new());
                AnnotatedClaim { name, sentence, premises, assumptions, answers_topic: false, line: 0 }
            });
            claim.answers_topic |= pointing.role == Role::Thesis;
        }
        for (_, pointing, at, supported) in self.take(|role| role == Role::Premise) {
            let premise = Basis::Quoted(self.quote(at));
            match supported.and_then(|supported| claims.get_mut(&supported)) {
                None => self.drop(pointing, "it refers to no claim"),
                Some(_) if supported == Some(at) => self.drop(pointing, "a sentence does not support itself"),
                Some(claim) if claim.premises.contains(&premise) => {}
                Some(claim) => claim.premises.push(premise),
            }
        }
        order.into_iter().filter_map(|at| Some((at, claims.remove(&at)?))).collect()
    }

    fn replies(&mut self, claims: &[(usize, AnnotatedClaim)]) -> Vec<AnnotatedReply> {
        let reasons = self.take(|role| role == Role::Reason);
        let mut reasoned = BTreeSet::new();
        let mut replies: Vec<AnnotatedReply> = Vec::new();
        for (_, pointing, at, given_up) in self.take(|role| role.reply().is_some()) {
            let Some(kind) = pointing.role.reply() else { continue };
            let reason = reasons.iter().find(|(_, _, _, supported)| *supported == Some(at));
            let given_up = given_up.and_then(|given_up| claims.iter().find(|(claim, _)| *claim == given_up));
            let is_answered = |target: &PointableTarget| {
                let same = |reply: &AnnotatedReply| reply.to == target.claim && reply.component == target.part;
                replies.iter().any(|reply| same(reply) && reply.kind == kind)
            };
            let named = pointing.answers.as_deref().map(str::trim);
            let target = self.material.targets.iter().find(|target| Some(target.name().as_str()) == named);
            let fault = match (target, reason) {
                (None, _) => Some("it answers no claim of somebody else"),
                (Some(target), _) if is_answered(target) => Some("the same part is answered in this way already"),
                (Some(target), _) => fault(kind, target, self.side, given_up.is_some()),
            };
            let fault = fault.or_else(|| reason.is_none().then_some("no sentence is its reason"));
            let (Some(target), Some((number, _, reason, _)), None) = (target, reason, fault) else {
                self.drop(pointing, fault.unwrap_or_default());
                continue;
            };
            reasoned.insert(*number);
            let gives_way = given_up.filter(|_| kind == ReplyKind::Concede).map(|(_, claim)| GivesWay::Claim {
                name: claim.name.clone(),
                extent: ConcessionExtent::Full,
                becomes: None,
            });
            replies.push(AnnotatedReply {
                to: target.claim.clone(),
                kind,
                component: target.part,
                with: None,
                words: vec![self.quote(at)],
                reason: Basis::Quoted(self.quote(*reason)),
                gives_way: gives_way.into_iter().collect(),
                needs: Vec::new(),
                line: 0,
            });
        }
        for (number, pointing, ..) in reasons {
            if !reasoned.contains(&number) {
                self.drop(pointing, "it is the reason of no reply");
            }
        }
        replies
    }

    fn disputes(&mut self) -> Vec<AnnotatedDispute> {
        let settling = self.take(|role| role == Role::Settles);
        let mut disputes: Vec<AnnotatedDispute> = Vec::new();
        for (_, pointing, at, _) in self.take(|role| role == Role::Stance) {
            let named = pointing.dispute.as_deref().map(str::trim);
            let dispute = self.material.disputes.iter().find(|dispute| Some(dispute.name.as_str()) == named);
            let settled_by: Vec<PassageQuote> = settling
                .iter()
                .filter(|(_, settles, ..)| settles.dispute.as_deref().map(str::trim) == named)
                .map(|(_, _, at, _)| self.quote(*at))
                .collect();
            match (dispute, pointing.side) {
                (None, _) => self.drop(pointing, "it names no disputed question"),
                (_, None) => self.drop(pointing, "it takes no side"),
                (Some(known), _) if disputes.iter().any(|dispute| dispute.name == known.name) => {
                    self.drop(pointing, "there is a stance on this question already");
                }
                (Some(known), Some(_)) if settled_by.is_empty() => {
                    self.drop(pointing, &format!("no sentence says what would settle {:?}", known.name));
                }
                (Some(known), Some(side)) => disputes.push(AnnotatedDispute {
                    name: known.name.clone(),
                    question: known.question.clone(),
                    side: side.into(),
                    words: self.quote(at),
                    settled_by,
                    line: 0,
                }),
            }
        }
        for (_, pointing, ..) in settling {
            if !disputes.iter().any(|dispute| Some(dispute.name.as_str()) == pointing.dispute.as_deref().map(str::trim)) {
                self.drop(pointing, "there is no stance on its question");
            }
        }
        disputes
    }

    fn drop_unused(&mut self) {
        let unused = self.pointings.iter().enumerate().filter(|(number, _)| !self.used.contains(number));
        self.dropped.extend(unused.map(|(_, (pointing, ..))| format!("{}: it is used for nothing", title(pointing))));
    }
}

/// Returns why a reply of this kind cannot answer this part, if so.
fn fault(kind: ReplyKind, target: &PointableTarget, side: Side, gives_up: bool) -> Option<&'static str> {
    let is_claim = target.part == ArgumentPart::Claim;
    let is_decided = matches!(side, Side::Yes | Side::No);
    match kind {
        ReplyKind::Rebut if !is_claim => Some("rebut answers a whole claim; a part is undermined"),
        ReplyKind::Rebut if is_decided && target.thesis_of == Some(side) => {
            Some("it denies the answer of somebody on the same side")
        }
        ReplyKind::Undermine if is_claim => Some("undermine answers a premise or an assumption; a claim is rebutted"),
        ReplyKind::Concede if !gives_up => Some("it gives up no own claim; what gives up nothing is a grant"),
        _ => None,
    }
}

fn title(pointing: &Pointing) -> String {
    let role = format!("{:?}", pointing.role).to_lowercase();
    format!("{role} {}", short(Some(&pointing.sentence)))
}

fn short(name: Option<&str>) -> String {
    name.unwrap_or_default().chars().take(20).collect()
}

/// Makes a short name of the first content words of a text that is not among `names`, and adds it.
pub fn short_name(text: &str, names: &mut BTreeSet<String>) -> String {
    let is_plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let words: Vec<String> = content_words(text).filter(is_plain).take(NAME_WORDS).collect();
    let name: String = words.join("-").chars().take(NAME_BYTES - 4).collect();
    let name = if name.is_empty() { "claim".to_owned() } else { name };
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name)).unwrap_or(name);
    names.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::check::check;
    use crate::positions::collector::OtherPositions;
    use crate::positions::finding::FindingKind;
    use crate::positions::model::Positions;
    use crate::positions::parse::parse;
    use crate::positions::render::render;
    use crate::positions::writings::Writings;

    const SENTENCES: [&str; 6] = [
        "The ferry should not run at night.",
        "Tired crews make mistakes that rested ones do not.",
        "Four groundings out of five were after midnight.",
        "She is right that the day boat is full.",
        "I counted the seats myself in August.",
        "I would think again if a second crew were hired.",
    ];

    fn persona() -> PersonaId {
        "ann".parse().expect("an id")
    }

    fn theirs() -> TopicPositions {
        let file = r#"
[[topics]]
name = "ferry"
question = "Should the ferry run at night?"
side = "yes"
statement = { document = "a", quote = "It should run at night." }
opening = [{ document = "a", quote = "It should run at night." }]
closing = [{ document = "a", quote = "It should run at night." }]
[[topics.claims]]
name = "seats"
sentence = { document = "a", quote = "The day boat is full." }
premises = [{ document = "a", quote = "People stand on deck." }]
[[topics.claims]]
name = "night"
sentence = { document = "a", quote = "It should run at night." }
answers_topic = true
"#;
        parse(file).expect("positions").topics.remove(0)
    }

    fn material() -> PointableMaterial {
        let sentence = |text: &str| PointableSentence { document: "letter".to_owned(), text: text.to_owned() };
        PointableMaterial {
            topic: "ferry".to_owned(),
            question: "Should the ferry run at night?".to_owned(),
            sentences: SENTENCES.map(sentence).to_vec(),
            targets: targets([(&persona(), &theirs())]),
            disputes: vec![PointableDispute { name: "crews".to_owned(), question: "Are the crews tired?".to_owned() }],
        }
    }

    fn point(sentence: &str, role: Role) -> Pointing {
        Pointing { sentence: sentence.to_owned(), role, refers_to: None, answers: None, dispute: None, side: None }
    }

    fn referring(sentence: &str, role: Role, to: &str) -> Pointing {
        Pointing { refers_to: Some(to.to_owned()), ..point(sentence, role) }
    }

    fn answering(sentence: &str, role: Role, to: &str) -> Pointing {
        Pointing { answers: Some(to.to_owned()), ..point(sentence, role) }
    }

    fn needed() -> Vec<Pointing> {
        vec![
            point("s1", Role::Statement),
            point("s1", Role::Opening),
            point("s1", Role::Closing),
            point("s1", Role::Thesis),
            point("s2", Role::Claim),
        ]
    }

    fn draft(more: impl IntoIterator<Item = Pointing>) -> PositionsDraft {
        let pointings = needed().into_iter().chain(more).collect();
        assemble(&material(), &PointingsReply { side: DraftSide::No, pointings }).expect("a draft")
    }

    #[test]
    fn positions_are_put_together_from_whole_sentences() {
        let stance = |role, side| Pointing { dispute: Some("crews".to_owned()), side, ..point("s2", role) };
        let draft = draft([
            referring("s3", Role::Premise, "s2"),
            point("s6", Role::Falsifier),
            answering("s4", Role::Grant, "ann/seats premise 1"),
            referring("s5", Role::Reason, "s4"),
            Pointing { refers_to: Some("s2".to_owned()), ..answering("s6", Role::Concede, "ann/seats") },
            referring("s5", Role::Reason, "s6"),
            stance(Role::Stance, Some(DraftSide::Yes)),
            stance(Role::Settles, None),
        ]);
        assert_eq!(draft.dropped, Vec::<String>::new());
        let positions = Positions { topics: vec![draft.topic] };
        let text = render("# DRAFT\n", &positions);
        let positions = parse(&text).expect("a positions file");
        let topic = &positions.topics[0];
        assert_eq!((topic.claims.len(), topic.replies.len(), topic.disputes.len()), (2, 2, 1), "{text}");
        assert_eq!(topic.claims[1].name, "tired-crews");
        assert_eq!(topic.replies[0].component, ArgumentPart::Premise(0));
        let mut writings = Writings::default();
        writings.add("letter", SENTENCES.join(" "));
        let others = OtherPositions::from([(persona(), Positions { topics: vec![theirs()] })]);
        let findings = check(&"ben".parse().expect("an id"), &positions, &writings, &others);
        let other: Vec<_> = findings.iter().filter(|finding| finding.kind != FindingKind::Count).collect();
        assert!(other.is_empty(), "{other:?}\n{text}");
    }

    #[test]
    fn pointings_that_do_not_fit_are_dropped_with_the_reason() {
        let reason = || referring("s5", Role::Reason, "s4");
        for (pointings, expected) in [
            (vec![point("s7", Role::Claim)], "claim s7: there is no such sentence"),
            (vec![referring("s3", Role::Premise, "s9")], "premise s3: there is no sentence \"s9\""),
            (vec![point("s3", Role::Premise)], "premise s3: it refers to no claim"),
            (vec![referring("s2", Role::Premise, "s2")], "premise s2: a sentence does not support itself"),
            (vec![answering("s4", Role::Grant, "ann/seats")], "grant s4: no sentence is its reason"),
            (vec![answering("s4", Role::Grant, "ann/boats"), reason()], "grant s4: it answers no claim of somebody else"),
            (vec![answering("s4", Role::Undermine, "ann/seats"), reason()], "undermine s4: undermine answers a premise"),
            (vec![answering("s4", Role::Rebut, "ann/seats premise 1"), reason()], "rebut s4: rebut answers a whole claim"),
            (vec![answering("s4", Role::Concede, "ann/seats"), reason()], "concede s4: it gives up no own claim"),
            (vec![reason()], "reason s5: it is the reason of no reply"),
            (vec![point("s2", Role::Stance)], "stance s2: it names no disputed question"),
            (vec![point("s2", Role::Settles)], "settles s2: there is no stance on its question"),
        ] {
            let dropped = draft(pointings).dropped;
            assert!(dropped.iter().any(|report| report.starts_with(expected)), "{expected}: {dropped:?}");
        }
        let same_side = PointingsReply {
            side: DraftSide::Yes,
            pointings: needed().into_iter().chain([answering("s4", Role::Rebut, "ann/night"), reason()]).collect(),
        };
        let dropped = assemble(&material(), &same_side).expect("a draft").dropped;
        assert!(dropped[0].starts_with("rebut s4: it denies the answer of somebody on the same side"), "{dropped:?}");
    }

    #[test]
    fn a_draft_without_statement_opening_closing_or_claim_is_refused_with_the_reason() {
        for (role, expected) in [
            (Role::Statement, "role statement"),
            (Role::Opening, "role opening"),
            (Role::Closing, "role closing"),
        ] {
            let pointings = needed().into_iter().filter(|pointing| pointing.role != role).collect();
            let refused = assemble(&material(), &PointingsReply { side: DraftSide::No, pointings });
            assert!(refused.as_ref().is_err_and(|why| why.contains(expected)), "{refused:?}");
        }
    }

    #[test]
    fn sentences_near_the_question_are_selected_and_keep_their_order() {
        let passage = |document: &str, sentence: &str, n: usize| SourcePassage {
            document: document.to_owned(),
            sentences: (0..n).map(|number| format!("{sentence} Number {number}.")).collect(),
            ..SourcePassage::default()
        };
        let passages = [
            passage("a", "It rained on the harbour.", 150),
            passage("b", "The ferry at night is full.", 120),
            passage("c", "It rained on the moor.", 60),
        ];
        let selected = select(&passages, "Should the ferry run at night?");
        assert_eq!(selected.len(), 180);
        assert_eq!((selected[0].document.as_str(), selected[179].document.as_str()), ("b", "c"));
    }

    #[test]
    fn short_names_are_made_of_content_words_and_differ() {
        let mut names = BTreeSet::new();
        let made = ["The ferry crews are tired.", "The ferry crews sleep.", "Is it so?"].map(|it| short_name(it, &mut names));
        assert_eq!(made, ["ferry-crews", "ferry-crews-2", "claim"]);
    }
}
