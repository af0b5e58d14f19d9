//! Check of a persona's positions against its writings and the positions of other personas.
//!
//! | kind | rule |
//! |------|------|
//! | quotation | the words are in one passage of the named document, byte for byte |
//! | duplicate | a short name occurs once per topic; a claim repeats no part; a part is answered once in the same way |
//! | reference | claims, disputes, personas and cruxes that are named exist |
//! | component | the answered claim has the part, and the kind of reply can be about it |
//! | consequence | a concession gives something up, and nothing else does |
//! | side | questions are equal in all files; sides, rebuttals and compatible pairs do not contradict each other |
//! | count | there are enough claims, replies, grants, concessions and disputes for a debate |
//! | repetition | no two replies are made in the same words (a remark) |

use std::collections::{BTreeMap, BTreeSet};

use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::positions::all_quotes::all_quotes;
use crate::positions::collector::{Collector, OtherPositions};
use crate::positions::fact_check::check_facts;
use crate::positions::finding::{FindingKind, PositionsFinding};
use crate::positions::model::{AnnotatedCrux, GivesWay, Positions, ReplyKind};
use crate::positions::reply_check;
use crate::positions::writings::{QuoteLookup, Writings};

/// Minimum number of claims on a topic.
pub const MIN_CLAIMS: usize = 8;

/// Minimum number of replies on a topic.
pub const MIN_REPLIES: usize = 12;

/// Minimum number of replies that grant something.
pub const MIN_GRANTS: usize = 2;

/// Minimum number of concessions that give up, narrow or condition an own claim.
pub const MIN_CONCESSIONS: usize = 1;

/// Minimum number of disputes on a topic.
pub const MIN_DISPUTES: usize = 2;

/// Minimum number of characters of a quotation; a shorter one would be found anywhere.
pub const MIN_QUOTE_CHARS: usize = 12;

/// Maximum number of characters of a quotation that a finding repeats.
const MAX_SHOWN_CHARS: usize = 80;

/// Checks positions. `others` contains the positions of all personas that are named, at least; an entry for the persona
/// itself is ignored. Returns the findings in the order of their lines; none if the file can be played.
///
/// Cost: number of quotations times the size of the named document, and pairs of claims and personas.
pub fn check(
    persona: &PersonaId,
    positions: &Positions,
    writings: &Writings,
    others: &OtherPositions,
) -> Vec<PositionsFinding> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for topic in &positions.topics {
        let mut collector = Collector { persona, topic, others, absent: BTreeSet::new(), findings: Vec::new() };
        if let Some(before) = seen.insert(&topic.name, topic.line) {
            let what = format!("topic {:?} is in line {before} already; rename or remove one", topic.name);
            collector.find(FindingKind::Duplicate, topic.line, "", what);
        }
        quotations(&mut collector, writings);
        names(&mut collector);
        sides(&mut collector);
        reply_check::replies(&mut collector);
        reply_check::compatible(&mut collector);
        if let Some(crux) = &topic.crux {
            crux_references(&mut collector, crux);
        }
        check_facts(&mut collector);
        counts(&mut collector);
        findings.append(&mut collector.findings);
    }
    if positions.topics.is_empty() {
        let what = "there are no topics; add [[topics]], or remove the file".to_owned();
        findings.push(PositionsFinding { line: None, key: String::new(), kind: FindingKind::Count, what });
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn quotations(collector: &mut Collector<'_>, writings: &Writings) {
    for (key, quote) in all_quotes(collector.topic) {
        let (shown, document) = (shown(&quote.quote), &quote.document);
        let what = match writings.find(quote) {
            QuoteLookup::Found { .. } if quote.quote.chars().count() >= MIN_QUOTE_CHARS => continue,
            QuoteLookup::Found { .. } => {
                format!("{shown:?} is too short as a quotation; quote at least {MIN_QUOTE_CHARS} characters")
            }
            QuoteLookup::NoDocument => format!("there is no document {document:?}, which {shown:?} is attributed to"),
            QuoteLookup::NoPassage => match writings.document_with(&quote.quote) {
                Some(actual) => format!("{shown:?} is not in {document:?}; it is in {actual:?}"),
                None => format!("{shown:?} is not in {document:?}; quote words of one passage, byte for byte"),
            },
        };
        collector.find(FindingKind::Quotation, quote.line, &key, what);
    }
}

fn shown(text: &str) -> String {
    let short: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

/// Finds short names and answers that occur twice, and replies in the same words.
fn names(collector: &mut Collector<'_>) {
    let topic = collector.topic;
    let claims = topic.claims.iter().map(|claim| ("claims", claim.name.clone(), claim.line));
    let disputes = topic.disputes.iter().map(|dispute| ("disputes", dispute.name.clone(), dispute.line));
    let mut seen = BTreeMap::new();
    for (list, name, line) in claims.chain(disputes) {
        let key = format!("{list}/{name}");
        if let Some(before) = seen.insert(key.clone(), line) {
            let what = format!("{name:?} is in line {before} already; rename or remove one");
            collector.find(FindingKind::Duplicate, line, &key, what);
        }
    }
    for claim in &topic.claims {
        let mut parts = BTreeSet::from([claim.sentence.quote.as_str()]);
        for part in claim.premises.iter().chain(&claim.assumptions).filter(|part| !parts.insert(part.text())) {
            let what = format!("{:?} is two parts of the same claim; remove one", shown(part.text()));
            collector.find(FindingKind::Duplicate, claim.line, &format!("claims/{}", claim.name), what);
        }
    }
    let (mut answered, mut spoken) = (BTreeMap::new(), BTreeMap::new());
    for reply in &topic.replies {
        let key = format!("replies/{}", reply.to);
        if let Some(before) = answered.insert((&reply.to, reply.kind, reply.component), reply.line) {
            let what = format!("line {before} answers the same part with {:?} already; remove one", reply.kind.name());
            collector.find(FindingKind::Duplicate, reply.line, &key, what);
        }
        for words in &reply.words {
            if let Some(before) = spoken.insert(&words.quote, words.line) {
                let what = format!("{:?} is the words of line {before} already; quote others", shown(&words.quote));
                collector.find(FindingKind::Repetition, words.line, &key, what);
            }
        }
    }
}

/// Checks that questions are equal in all files, and that sides fit each other.
fn sides(collector: &mut Collector<'_>) {
    let topic = collector.topic;
    let theses = topic.claims.iter().filter(|claim| claim.answers_topic).count();
    let decided = matches!(topic.side, Side::Yes | Side::No);
    if topic.side == Side::Undecided {
        let what = "side \"undecided\" cannot be played; take yes, no or nuanced".to_owned();
        collector.find(FindingKind::Side, topic.line, "", what);
    } else if decided && theses == 0 {
        let what = format!("the side is {}, but no claim has answers_topic = true", topic.side.name());
        collector.find(FindingKind::Side, topic.line, "", what);
    }
    for claim in topic.claims.iter().filter(|claim| claim.supports_side && !decided) {
        let what = format!("supports_side needs a side; the side is {}, so remove it", topic.side.name());
        collector.find(FindingKind::Side, claim.line, &format!("claims/{}", claim.name), what);
    }
    for (other, theirs) in collector.others_on_topic() {
        if theirs.question != topic.question {
            let what = format!("the question differs from that of {other}: {:?}", theirs.question);
            collector.find(FindingKind::Side, topic.line, "", what);
        }
        for dispute in &topic.disputes {
            let same = theirs.dispute(&dispute.name);
            if let Some(same) = same.filter(|same| same.question != dispute.question) {
                let what = format!("the question differs from that of {other}: {:?}", same.question);
                collector.find(FindingKind::Side, dispute.line, &format!("disputes/{}", dispute.name), what);
            }
        }
    }
}

/// Checks that a crux is a dispute on which somebody takes another side, and that acknowledged cruxes exist.
fn crux_references(collector: &mut Collector<'_>, crux: &AnnotatedCrux) {
    let Some(own) = collector.topic.dispute(&crux.dispute) else {
        let what = format!("there is no own dispute {:?}; a crux is a dispute with a side", crux.dispute);
        return collector.find(FindingKind::Reference, crux.line, "crux", what);
    };
    let sides: BTreeSet<Side> = collector
        .others_on_topic()
        .filter_map(|(_, theirs)| theirs.dispute(&crux.dispute))
        .map(|dispute| dispute.side)
        .collect();
    if collector.absent.is_empty() && sides.iter().all(|side| *side == own.side) {
        let what = format!("nobody takes another side than {} on {:?}, so it is no crux", own.side.name(), own.name);
        collector.find(FindingKind::Side, crux.line, "crux", what);
    }
    for sign in &crux.signs {
        if collector.absent.contains(&sign.persona) {
            continue;
        }
        let theirs = collector.others_on_topic().find(|(id, _)| **id == sign.persona);
        if theirs.and_then(|(_, topic)| topic.crux.as_ref()).is_none() {
            let what = format!("{} names no crux on this topic, so it cannot be acknowledged", sign.persona);
            collector.find(FindingKind::Reference, sign.line, "crux", what);
        }
    }
}

fn counts(collector: &mut Collector<'_>) {
    let topic = collector.topic;
    let grants = topic.replies.iter().filter(|reply| reply.kind == ReplyKind::Grant).count();
    let moves = |way: &GivesWay| matches!(way, GivesWay::Claim { .. });
    let concessions = topic.replies.iter().filter(|reply| reply.gives_way.iter().any(moves)).count();
    let counted = [
        ("claims", topic.claims.len(), MIN_CLAIMS),
        ("replies", topic.replies.len(), MIN_REPLIES),
        ("replies of kind grant", grants, MIN_GRANTS),
        ("concessions that give up, narrow or condition an own claim", concessions, MIN_CONCESSIONS),
        ("disputes", topic.disputes.len(), MIN_DISPUTES),
    ];
    for (noun, count, least) in counted {
        if count < least {
            let what = format!("{count} {noun} are fewer than {least}; a debate needs at least {least}");
            collector.find(FindingKind::Count, topic.line, "", what);
        }
    }
}
