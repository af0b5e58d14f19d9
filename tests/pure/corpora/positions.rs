//! Positions of the shipped personas: valid, and rich enough for debates that end in different ways.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::model::{ClaimRef, GivesWay, Positions, ReplyKind, TopicPositions};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::personas::read_personas;
use faultline_ingest::positions::{check_positions, read_positions};

fn shipped() -> BTreeMap<PersonaId, Positions> {
    let files = read_personas(Path::new("personas"), None).expect("personas");
    let of = |id: PersonaId| {
        let positions = read_positions(Path::new("corpus"), &id).expect("positions").expect("a positions file");
        (id, positions)
    };
    files.into_iter().map(|file| of(file.persona.id)).collect()
}

/// Returns the shipped positions on a topic.
fn on(name: &str) -> BTreeMap<String, TopicPositions> {
    let all = shipped();
    let of = |(id, positions): (&PersonaId, &Positions)| Some((id.to_string(), positions.topic(name)?.clone()));
    all.iter().filter_map(of).collect()
}

fn sides(topic: &BTreeMap<String, TopicPositions>) -> Vec<Side> {
    topic.values().map(|positions| positions.side).collect()
}

/// Returns the pairs of claims of different personas whose relation is annotated, each pair once.
fn examined(topic: &BTreeMap<String, TopicPositions>) -> BTreeSet<[String; 2]> {
    let mut pairs = BTreeSet::new();
    let mut add = |persona: &str, own: &str, other: &ClaimRef| {
        let mut pair = [format!("{persona}/{own}"), other.to_string()];
        pair.sort();
        pairs.insert(pair);
    };
    for (persona, positions) in topic {
        for reply in positions.replies.iter().filter(|reply| reply.kind.attack().is_some()) {
            reply.with.iter().for_each(|own| add(persona, own, &reply.to));
        }
        for entry in &positions.compatible {
            entry.claims.iter().for_each(|own| add(persona, own, &entry.with));
        }
    }
    pairs
}

/// Returns the claims that nobody has to give up in order to change sides, as `persona/claim`.
fn remaining(topic: &BTreeMap<String, TopicPositions>) -> Vec<(String, String)> {
    let mut claims = Vec::new();
    for (persona, positions) in topic {
        let ways: Vec<&GivesWay> = positions.replies.iter().flat_map(|reply| &reply.gives_way).collect();
        let is_given_up = |name: &str| {
            ways.iter().any(|way| matches!(way, GivesWay::Claim { name: given, becomes: None, .. } if given == name))
        };
        let kept = positions.claims.iter().filter(|claim| !is_given_up(&claim.name));
        claims.extend(kept.map(|claim| (persona.clone(), claim.name.clone())));
    }
    claims
}

#[test]
fn shipped_positions_have_no_findings() {
    for file in read_personas(Path::new("personas"), None).expect("personas") {
        let id = &file.persona.id;
        let corpus = CorpusTexts::of_folder(&Path::new("corpus").join(id.as_str())).expect("a corpus");
        let findings = check_positions(Path::new("corpus"), id, &corpus);
        assert!(findings.is_empty(), "{findings:#?}");
    }
}

#[test]
fn every_shipped_persona_answers_every_other_on_its_topic() {
    let mut topics: BTreeMap<String, BTreeSet<PersonaId>> = BTreeMap::new();
    let mut answers: Vec<(PersonaId, String, BTreeSet<PersonaId>)> = Vec::new();
    for file in read_personas(Path::new("personas"), None).expect("personas") {
        let positions = read_positions(Path::new("corpus"), &file.persona.id).expect("positions").expect("a file");
        let [topic] = positions.topics.as_slice() else { panic!("{}: one topic", file.persona.id) };
        topics.entry(topic.name.clone()).or_default().insert(file.persona.id.clone());
        assert_eq!(file.topics, [topic.question.as_str()], "{}", file.persona.id);
        let answered = topic.replies.iter().map(|reply| reply.to.persona.clone()).collect();
        assert!(topic.falsifiers.len() >= 3 && topic.crux.is_some(), "{}", file.persona.id);
        answers.push((file.persona.id, topic.name.clone(), answered));
    }
    for (persona, topic, answered) in answers {
        let others: BTreeSet<PersonaId> = topics[&topic].iter().filter(|other| **other != persona).cloned().collect();
        assert_eq!(answered, others, "{persona} on {topic}");
    }
    let numbers = topics.iter().map(|(name, personas)| (name.as_str(), personas.len()));
    assert_eq!(numbers.collect::<Vec<_>>(), [("closure", 3), ("reactor", 3), ("review", 6)]);
}

#[test]
fn every_persona_attacks_and_answers_in_several_ways() {
    for name in ["closure", "reactor", "review"] {
        for (persona, positions) in on(name) {
            let attacks = positions.replies.iter().filter(|reply| reply.kind.attack().is_some()).count();
            let kinds: BTreeSet<ReplyKind> = positions.replies.iter().map(|reply| reply.kind).collect();
            assert!(attacks >= 6 && kinds.len() >= 4, "{persona}: {attacks} attacks, {kinds:?}");
        }
    }
}

#[test]
fn every_claim_is_answered_by_another_persona() {
    for name in ["closure", "reactor", "review"] {
        let topic = on(name);
        let replies = || topic.values().flat_map(|positions| &positions.replies);
        for (persona, positions) in &topic {
            for claim in &positions.claims {
                let reference = format!("{persona}/{}", claim.name);
                assert!(replies().any(|reply| reply.to.to_string() == reference), "nobody answers {reference}");
            }
        }
    }
}

#[test]
fn the_reactor_divides_on_one_test_that_all_three_name() {
    let topic = on("reactor");
    assert_eq!(sides(&topic), [Side::Nuanced, Side::No, Side::Yes]);
    for (persona, positions) in &topic {
        let crux = positions.crux.as_ref().expect("a crux");
        // Agnes names the same test, but nowhere says that it is what the others differ on.
        let signs = if persona == "agnes-wetherlow" { 0 } else { 2 };
        assert_eq!((crux.dispute.as_str(), crux.signs.len()), ("calm-carried", signs), "{persona}");
        let moves = positions.replies.iter().flat_map(|reply| &reply.gives_way);
        assert!(moves.into_iter().all(|way| matches!(way, GivesWay::Claim { .. })), "{persona} changes no side");
    }
    let side = |persona: &str| topic[persona].dispute("calm-carried").expect("a side").side;
    assert_eq!((side("bartle-sennack"), side("hedda-vornish")), (Side::Yes, Side::No));
    // Agnes and Bartle agree on the only question on which both say yes or no, but few of their claims were compared.
    let pair = ["agnes-wetherlow", "bartle-sennack"];
    let (agnes, bartle) = (&topic[pair[0]], &topic[pair[1]]);
    let examined = examined(&topic).into_iter().filter(|claims| {
        let belongs = |at: usize| claims[at].starts_with(pair[at]);
        belongs(0) && belongs(1)
    });
    assert!(examined.count() * 4 < agnes.claims.len() * bartle.claims.len());
    let both = agnes.disputes.iter().filter_map(|ours| Some((ours.side, bartle.dispute(&ours.name)?.side)));
    assert!(both.clone().any(|sides| sides == (Side::Yes, Side::Yes)));
    assert!(both.into_iter().all(|sides| sides != (Side::Yes, Side::No) && sides != (Side::No, Side::Yes)));
}

/// A condition for a change of mind, or a remark on something else, is no agreement that a question is the crux.
#[test]
fn nobody_agrees_with_a_crux_in_words_that_do_not_name_it() {
    for name in ["closure", "reactor", "review"] {
        for (persona, positions) in on(name) {
            let signs = positions.crux.iter().flat_map(|crux| &crux.signs);
            for words in signs.map(|sign| &sign.words.quote) {
                let names_it = ["question between", "part over one test", "quarrel", "disagree about", "differ on"];
                assert!(names_it.iter().any(|phrase| words.contains(phrase)), "{persona}: {words}");
                assert!(positions.falsifiers.iter().all(|falsifier| falsifier.quote != *words), "{persona}: {words}");
            }
        }
    }
}

#[test]
fn review_leaves_one_question_agreed_and_others_split() {
    let topic = on("review");
    assert_eq!(sides(&topic), [Side::Yes, Side::No, Side::Nuanced, Side::No, Side::Yes, Side::Nuanced]);
    let of = |name: &str| -> Vec<Side> {
        topic.values().filter_map(|positions| positions.dispute(name)).map(|dispute| dispute.side).collect()
    };
    assert_eq!(of("cannot-be-undone"), [Side::Yes; 6]);
    for name in ["staffed", "undone", "learning"] {
        let taken = of(name);
        let n = |side: Side| taken.iter().filter(|it| **it == side).count();
        assert!(n(Side::Yes) >= 2 && n(Side::No) >= 2, "{name}: {taken:?}");
    }
    assert!(topic.values().all(|positions| positions.replies.iter().any(|reply| reply.kind == ReplyKind::Grant)));
}

#[test]
fn the_closure_can_end_in_consensus_with_every_remaining_pair_examined() {
    let topic = on("closure");
    let [dara, edda, gus] = ["dara-velloway", "edda-tolvane", "gus-ormerand"].map(|id| &topic[id]);
    assert_eq!((dara.side, edda.side, gus.side), (Side::No, Side::Yes, Side::No));
    let change = edda
        .replies
        .iter()
        .find(|reply| reply.gives_way.iter().any(|way| matches!(way, GivesWay::Topic { side: Side::No, .. })));
    let change = change.expect("Edda changes sides");
    assert_eq!((change.to.persona.as_str(), change.needs.len()), ("dara-velloway", 2));
    for claim in edda.claims.iter().filter(|claim| claim.answers_topic) {
        let given_up =
            change.gives_way.iter().any(|way| matches!(way, GivesWay::Claim { name, .. } if *name == claim.name));
        assert!(given_up, "{} still answers yes", claim.name);
    }
    let (claims, examined) = (remaining(&topic), examined(&topic));
    let mut missing = Vec::new();
    for (at, (persona, claim)) in claims.iter().enumerate() {
        for (other, theirs) in claims[at + 1..].iter().filter(|(other, _)| other != persona) {
            let mut pair = [format!("{persona}/{claim}"), format!("{other}/{theirs}")];
            pair.sort();
            if !examined.contains(&pair) {
                missing.push(pair.join(" "));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    // Rebuttals are mutual and make camps; each persona has a case without those that remain.
    let remains = |persona: &str, claim: &str| claims.contains(&(persona.to_owned(), claim.to_owned()));
    let mut rebutted: BTreeSet<String> = BTreeSet::new();
    for (persona, positions) in &topic {
        for reply in positions.replies.iter().filter(|reply| reply.kind == ReplyKind::Rebut) {
            let own = reply.with.as_ref();
            if remains(reply.to.persona.as_str(), &reply.to.claim) && own.is_none_or(|own| remains(persona, own)) {
                rebutted.insert(reply.to.to_string());
                rebutted.extend(own.map(|own| format!("{persona}/{own}")));
            }
        }
    }
    for persona in topic.keys() {
        let own = claims.iter().filter(|(of, claim)| of == persona && !rebutted.contains(&format!("{of}/{claim}")));
        assert!(own.count() >= 4, "{persona}");
    }
}

#[test]
fn a_positions_file_that_is_no_text_is_an_error_with_its_line() {
    let root = tempfile::tempdir().expect("a folder");
    let id: PersonaId = "ada-quill".parse().expect("an id");
    assert_eq!(read_positions(root.path(), &id), Ok(None));
    let folder = root.path().join("ada-quill");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("positions.toml"), b"topics = []\n# caf\xe9\n").expect("a file");
    let corpus = CorpusTexts::of_folder(&folder).expect("a corpus");
    assert!(corpus.pages.is_empty() && corpus.skipped.is_empty(), "{corpus:?}");
    let findings = check_positions(root.path(), &id, &corpus);
    let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
    assert!(finding.fault.to_string().ends_with("is not UTF-8 in line 2; save it as UTF-8"), "{}", finding.fault);
    std::fs::write(folder.join("positions.toml"), "topics = []\n").expect("a file");
    let findings = check_positions(root.path(), &id, &corpus);
    assert!(findings[0].fault.to_string().contains("there are no topics"), "{findings:#?}");
}
