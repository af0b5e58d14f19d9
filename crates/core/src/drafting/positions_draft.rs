//! Draft of positions, put together from the sentences at which a model points.
//!
//! The model writes no word of the file but the roles: every quotation is a whole sentence of the corpus, short names are
//! made from its words, and questions come from the user and from the files of other personas. What does not fit is
//! dropped, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::drafting::pointings::{PointableMaterial, PointableTarget, Pointing, PointingsReply, Role, short_name};
use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::turn::ConcessionExtent;
use crate::positions::model::{
    AnnotatedClaim, AnnotatedDispute, AnnotatedReply, Basis, GivesWay, PassageQuote, ReplyKind, TopicPositions,
};

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
        facts: Vec::new(),
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
                AnnotatedClaim {
                    name,
                    sentence,
                    premises: Vec::new(),
                    assumptions: Vec::new(),
                    answers_topic: false,
                    supports_side: false,
                    line: 0,
                }
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
                in_words: true,
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
            if !disputes.iter().any(|dispute| Some(dispute.name.as_str()) == pointing.dispute.as_deref().map(str::trim))
            {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drafting::pointings::{DraftSide, PointableDispute, PointableSentence, targets};
    use crate::events::ids::PersonaId;
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
            (
                vec![answering("s4", Role::Grant, "ann/boats"), reason()],
                "grant s4: it answers no claim of somebody else",
            ),
            (
                vec![answering("s4", Role::Undermine, "ann/seats"), reason()],
                "undermine s4: undermine answers a premise",
            ),
            (
                vec![answering("s4", Role::Rebut, "ann/seats premise 1"), reason()],
                "rebut s4: rebut answers a whole claim",
            ),
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
        for (role, expected) in
            [(Role::Statement, "role statement"), (Role::Opening, "role opening"), (Role::Closing, "role closing")]
        {
            let pointings = needed().into_iter().filter(|pointing| pointing.role != role).collect();
            let refused = assemble(&material(), &PointingsReply { side: DraftSide::No, pointings });
            assert!(refused.as_ref().is_err_and(|why| why.contains(expected)), "{refused:?}");
        }
    }
}
