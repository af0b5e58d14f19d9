//! The clerk of rooms: disagreements, aspects, exit checks, and cards.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::clerk::disputes;
use crate::offline::clerk::sentence_names::{name_of, names_of};
use crate::offline::composition::quoted;
use crate::offline::mind_change::states_condition;
use crate::offline::phrases;
use crate::offline::room::{MAX_STEPS, claims_about, is_part, reference};
use crate::offline::spoken::{Spoken, SpokenTurn};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::task::{DisputeInput, ReasonInput, TurnInput};
use faultline_core::positions::model::AnnotatedDispute;
use faultline_core::positions::sides::stated_side;
use faultline_core::questions::wording::says_the_same;

/// Sentence that takes a side, as found in a turn.
struct StatedSentence<'a> {
    name: String,
    words: &'a str,
}

/// Tells who opposes whom: pairs of participants whose annotated sides on a dispute are opposite and both stated in the
/// window; the first pair of each question, unless each pair counts. Discussed questions are left out.
pub fn detect(cast: &Cast, turns: &[TurnInput], (discussed, each_pair): (&[String], bool), most: usize) -> Value {
    let spoken = Spoken::of(cast, turns);
    let mut questions: Vec<&str> = Vec::new();
    for dispute in cast.members.iter().flat_map(|member| &member.topic.disputes) {
        let is_discussed = discussed.iter().any(|question| says_the_same(question, &dispute.question));
        if !is_discussed && !questions.contains(&dispute.question.as_str()) {
            questions.push(&dispute.question);
        }
    }
    let mut found: Vec<Value> = Vec::new();
    for question in questions {
        let with = |side: Side| -> Vec<StatedSentence> {
            cast.members.iter().filter_map(|member| latest(&spoken, member, question, side)).collect()
        };
        let (yes, no) = (with(Side::Yes), with(Side::No));
        let pairs = yes.iter().flat_map(|yes| no.iter().map(move |no| (yes, no)));
        let pairs = pairs.take(if each_pair { most } else { 1 });
        found.extend(
            pairs.map(|(yes, no)| json!({ "question": question, "yes": yes.name, "no": no.name, "confidence": 1.0 })),
        );
    }
    found.truncate(most);
    json!({ "disagreements": found })
}

/// Finds the latest sentence in which a participant takes this side; `None` if the latest one takes another.
fn latest<'a>(spoken: &Spoken, member: &'a CastMember, question: &str, side: Side) -> Option<StatedSentence<'a>> {
    stated_last(spoken, member, question).filter(|it| it.0 == side).map(|it| it.1)
}

fn sentence<'a>(turn: &SpokenTurn, member: &'a CastMember, question: &str) -> Option<(Side, StatedSentence<'a>)> {
    let (side, words) = stated_side(&member.topic, question, &turn.input.text)?;
    let name = names_of(turn.input, words).pop()?;
    Some((side, StatedSentence { name, words }))
}

/// Names the aspects of a room's question: the other annotated questions on which all participants of the room have a side, if
/// replies lead from claims on one of the two questions to claims on the other, and one of them said in these turns something that
/// the annotations relate to it.
pub fn aspects(cast: &Cast, turns: &[TurnInput], (question, participants): (&str, &[PersonaId]), most: usize) -> Value {
    let spoken = Spoken::of(cast, turns);
    let inside: Vec<&CastMember> = cast.members.iter().filter(|member| participants.contains(&member.id)).collect();
    let Some((first, others)) = inside.split_first() else { return json!({ "aspects": [] }) };
    let is_shared = |asked: &str| others.iter().all(|member| member.topic.dispute_asking(asked).is_some());
    let narrower = first.topic.disputes.iter().filter(|own| !says_the_same(&own.question, question));
    let asked = inside.iter().find_map(|member| member.topic.dispute_asking(question));
    let about = |dispute: &AnnotatedDispute, n_steps| claims_about(cast, dispute, n_steps);
    let leads_to =
        |one: &AnnotatedDispute, other: &AnnotatedDispute| !about(one, MAX_STEPS).is_disjoint(&about(other, 0));
    let is_related = |own: &AnnotatedDispute| asked.is_some_and(|asked| leads_to(asked, own) || leads_to(own, asked));
    let narrower = narrower.filter(|own| is_related(own));
    let aspects = narrower.filter(|own| is_shared(&own.question)).filter_map(|own| {
        let sentences: Vec<String> = inside.iter().filter_map(|member| related(cast, &spoken, member, own)).collect();
        (!sentences.is_empty()).then(|| json!({ "question": own.question, "label": "", "sentences": sentences }))
    });
    json!({ "aspects": aspects.take(most).collect::<Vec<_>>() })
}

/// Finds the latest sentence in which a participant takes a side on a dispute, or else makes a claim about it.
fn related(cast: &Cast, spoken: &Spoken, member: &CastMember, dispute: &AnnotatedDispute) -> Option<String> {
    if let Some((_, sentence)) = stated_last(spoken, member, &dispute.question) {
        return Some(sentence.name);
    }
    let about = claims_about(cast, dispute, MAX_STEPS);
    let own = || member.topic.claims.iter().filter(|claim| about.contains(&reference(member, claim)));
    spoken.turns_of(member).rev().find_map(|turn| own().find_map(|claim| name_of(turn.input, &claim.sentence.quote)))
}

/// Finds the latest sentence in which a participant takes a side on a question, with the side.
fn stated_last<'a>(spoken: &Spoken, member: &'a CastMember, question: &str) -> Option<(Side, StatedSentence<'a>)> {
    spoken.turns_of(member).rev().find_map(|turn| sentence(turn, member, question))
}

/// Checks whether both participants of a room have stated there their side and what would settle the question.
pub fn check_exit(cast: &Cast, turns: &[TurnInput], dispute: &DisputeInput) -> Value {
    let spoken = Spoken::of(cast, turns);
    let stated: Vec<Option<[String; 2]>> =
        cast.members.iter().map(|member| settling(&spoken, member, &dispute.question)).collect();
    let surfaced = stated.len() > 1 && stated.iter().all(Option::is_some);
    let reason = if surfaced { phrases::SURFACED } else { phrases::NOT_SURFACED };
    let sentences: Vec<String> = stated.into_iter().flatten().flatten().filter(|_| surfaced).collect();
    json!({ "sentences": sentences, "reason": reason, "surfaced": surfaced })
}

/// Returns the sentence in which a participant states a side, and the one that says what would settle the question.
fn settling(spoken: &Spoken, member: &CastMember, question: &str) -> Option<[String; 2]> {
    let (_, side) = stated_last(spoken, member, question)?;
    let own = member.topic.dispute_asking(question)?;
    let words = || own.settled_by.iter().map(|quote| quote.quote.as_str());
    let settling = spoken.turns_of(member).rev().find_map(|turn| words().find_map(|words| name_of(turn.input, words)));
    Some([side.name, settling?])
}

/// Distils a room: sides, reasons and concessions as everywhere, and what its participants said would settle the question or
/// change their minds. The diagnosis quotes the side of each and the first reason for it.
pub fn extract(
    cast: &Cast,
    topic: &str,
    turns: &[TurnInput],
    (known, reasons): (&[DisputeInput], &[ReasonInput]),
) -> Value {
    let mut reply = disputes::distil(cast, topic, turns, (known, reasons), 0);
    let spoken = Spoken::of(cast, turns);
    let question = known.first().map_or("", |dispute| dispute.question.as_str());
    let (mut conditions, mut settled_by) = (Vec::new(), Vec::new());
    for turn in &spoken.turns {
        let own = turn.member.topic.dispute_asking(question).into_iter().flat_map(|own| &own.settled_by);
        let own: Vec<&str> = own.map(|quote| quote.quote.as_str()).collect();
        let falsifiers = turn.member.topic.falsifiers.iter().map(|quote| quote.quote.as_str());
        let minds = own.iter().copied().filter(|words| states_condition(words)).chain(falsifiers);
        conditions.extend(minds.filter_map(|words| name_of(turn.input, words)));
        settled_by.extend(own.iter().filter_map(|words| name_of(turn.input, words)));
    }
    let fields = json!({
        "conditions": conditions, "settled_by": settled_by, "resolution": null, "kind": null,
        "diagnosis": diagnosis(&spoken, cast, question),
    });
    for (name, value) in fields.as_object().into_iter().flatten() {
        reply[name] = value.clone();
    }
    reply
}

/// Quotes what a participant named as the crux of this question in the room, with the turn; without it the sides of both, and
/// for each what it rests on, as far as it was said there.
fn diagnosis(spoken: &Spoken, cast: &Cast, question: &str) -> String {
    let named = cast.members.iter().filter_map(|member| {
        let crux = member.topic.crux.as_ref()?;
        let dispute = member.topic.dispute(&crux.dispute).filter(|dispute| says_the_same(&dispute.question, question));
        let words = dispute.map(|_| crux.words.quote.as_str())?;
        let turn = spoken.turns_of(member).find(|turn| turn.input.text.contains(words))?;
        Some(format!("Named in {} as what it turns on: “{}”.", turn.input.alias, bare(words)))
    });
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        return named.join(" ");
    }
    let told = cast.members.iter().filter_map(|member| {
        let stated = spoken.turns_of(member).rev().find_map(|turn| Some((turn, sentence(turn, member, question)?)));
        let (turn, (side, words)) = stated?;
        let support = support(spoken, member, question);
        let support = support.map(|support| format!(", resting on “{}”", bare(support))).unwrap_or_default();
        let answer = match side {
            Side::Yes => "Yes",
            Side::No => "No",
            Side::Nuanced => "It depends",
            Side::Undecided => "Undecided",
        };
        Some(format!("{answer} in {}: “{}”{support}.", turn.input.alias, bare(words.words)))
    });
    told.collect::<Vec<_>>().join(" ")
}

/// Returns a premise of a participant's claim that states or rests on a side, if it was said.
fn support<'a>(spoken: &Spoken, member: &'a CastMember, question: &str) -> Option<&'a str> {
    let words = member.topic.dispute_asking(question)?.words.quote.as_str();
    let claims = member.topic.claims.iter().filter(|claim| is_part(claim, words));
    let mut premises =
        claims.flat_map(|claim| claim.premises.iter().filter_map(quoted)).map(|quote| quote.quote.as_str());
    premises.find(|premise| *premise != words && spoken.has_said(member, premise))
}

fn bare(words: &str) -> &str {
    words.trim_end_matches('.')
}
