//! Parser and check of positions files.

use std::fmt::Write as _;

use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::check::check;
use faultline_core::positions::collector::OtherPositions;
use faultline_core::positions::finding::{FindingKind, PositionsFinding};
use faultline_core::positions::model::{Basis, GivesWay, Positions, ReplyKind};
use faultline_core::positions::parse::{MAX_LIST_ENTRIES, MAX_POSITIONS_BYTES, MAX_TEXT_BYTES, parse};
use faultline_core::positions::writings::Writings;

use crate::support::personas::persona_id;

const ADA: &str = "ada-quill";
const BEN: &str = "ben-stone";

/// Returns a quotation of a sentence of the test's writings.
fn quote(sentence: usize) -> String {
    format!("{{ document = \"walls\", quote = \"Sentence number {sentence} of the wall.\" }}")
}

/// Returns a valid file that answers the claims of another persona.
fn file(side: &str, other: &str, dispute: &str) -> String {
    let mut text = format!(
        "[[topics]]\nname = \"wall\"\nquestion = \"Should the wall stay?\"\nwordings = [\"Must the wall be kept?\"]\nside = \
         \"{side}\"\nstatement = {}\nopening = [{}]\nclosing = [{}]\nfalsifiers = [{}]\n",
        quote(1),
        quote(2),
        quote(3),
        quote(4)
    );
    for claim in 1..=8 {
        let (own, at) = ("{ own = \"Walls fall.\" }", 10 * claim);
        let _ = write!(
            text,
            "\n[[topics.claims]]\nname = \"c{claim}\"\nsentence = {}\npremises = [{}]\nassumptions = [{own}]\n",
            quote(at),
            quote(at + 1)
        );
        if claim == 1 {
            text.push_str("answers_topic = true\n");
        }
    }
    let kinds = ["rebut", "undermine", "undercut", "grant", "grant", "reframe", "compatible", "concede"];
    for (at, kind) in kinds.iter().chain(&["undercut"; 4]).enumerate() {
        let (claim, component) = (at % 8 + 1, if at % 8 == 1 { "premise 1" } else { "claim" });
        let component = if at >= 8 { "assumption 1" } else { component };
        let _ = write!(
            text,
            "\n[[topics.replies]]\nto = \"{other}/c{claim}\"\nkind = \"{kind}\"\ncomponent = \"{component}\"\nwords = \
             [{}]\nreason = {}\n",
            quote(100 + at),
            quote(200)
        );
        if *kind == "concede" {
            let _ =
                writeln!(text, "gives_way = [{{ claim = \"c3\", extent = \"partial\", becomes = {} }}]", quote(300));
        }
        if at == 0 {
            text.push_str("with = \"c1\"\n");
        }
    }
    let _ = write!(
        text,
        "\n[[topics.compatible]]\nwith = \"{other}/c2\"\nclaims = [\"c4\", \"c5\"]\nreason = \"Both can hold.\"\n"
    );
    for (name, side) in [("base", dispute), ("roof", "yes")] {
        let _ = write!(
            text,
            "\n[[topics.disputes]]\nname = \"{name}\"\nquestion = \"Is the {name} sound?\"\nside = \"{side}\"\nwords = \
             {}\nsettled_by = [{}]\n",
            quote(400),
            quote(401)
        );
    }
    let _ = write!(
        text,
        "\n[topics.crux]\ndispute = \"base\"\nwords = {}\nsigns = [{{ persona = \"{other}\", words = {} }}]\n",
        quote(402),
        quote(403)
    );
    text
}

fn good() -> String {
    file("yes", BEN, "yes")
}

fn writings() -> Writings {
    let mut writings = Writings::default();
    for sentence in 0..500 {
        writings.add("walls", format!("It rained. Sentence number {sentence} of the wall. It stood."));
    }
    writings.add("roofs", "A sentence about the roof.".to_owned());
    writings
}

fn read(text: &str) -> Positions {
    parse(text).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

fn checked(text: &str, theirs: &str) -> Vec<PositionsFinding> {
    let ada: PersonaId = persona_id(ADA);
    let others = OtherPositions::from([(persona_id(BEN), read(theirs))]);
    match parse(text) {
        Ok(positions) => check(&ada, &positions, &writings(), &others),
        Err(findings) => findings,
    }
}

/// Checks that replacing a part of the valid file gives exactly one finding of this kind, with this text.
#[track_caller]
fn finds(from: &str, to: &str, kind: FindingKind, expected: &str) {
    let good = good();
    let text = good.replacen(from, to, 1);
    assert_ne!(text, good, "{from:?} is not in the file");
    let found = checked(&text, &file("no", ADA, "no"));
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding.kind, kind, "{finding:#?}");
    assert!(finding.to_string().contains(expected), "{finding} does not say {expected:?}");
}

#[test]
fn a_valid_file_has_no_findings() {
    assert_eq!(checked(&good(), &file("no", ADA, "no")), []);
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let positions = read(&good());
    let topic = positions.topic("wall").expect("the topic");
    assert_eq!((topic.claims.len(), topic.replies.len(), topic.disputes.len()), (8, 12, 2));
    let claim = topic.claim("c2").expect("a claim");
    assert_eq!(claim.part(ArgumentPart::Premise(0)), Some("Sentence number 21 of the wall."));
    assert_eq!(claim.assumptions, [Basis::Own("Walls fall.".to_owned())]);
    assert_eq!(claim.part(ArgumentPart::Assumption(1)), None);
    let reply = topic.replies.iter().find(|reply| reply.kind == ReplyKind::Concede).expect("a concession");
    let [GivesWay::Claim { name, becomes: Some(becomes), .. }] = reply.gives_way.as_slice() else {
        panic!("{reply:#?}")
    };
    assert_eq!((name.as_str(), becomes.quote.as_str()), ("c3", "Sentence number 300 of the wall."));
    let line = good().lines().position(|line| line == "name = \"c2\"").expect("a line") + 1;
    assert_eq!(claim.line, line);
}

#[test]
fn unknown_and_missing_keys_are_refused_by_name_and_line() {
    finds("side =", "sides =", FindingKind::Structure, "unknown field `sides`");
    finds("name = \"c2\"", "name = \"c2\"\nweight = 3", FindingKind::Structure, "unknown field `weight`");
    finds("question = \"Should the wall stay?\"\n", "", FindingKind::Structure, "missing field `question`");
    finds("kind = \"rebut\"", "kind = \"refute\"", FindingKind::Structure, "unknown variant `refute`");
    finds("[[topics]]", "[[topics]", FindingKind::Structure, "");
    let found = parse("[[topics]]\nname = \"wall\"\ncolour = 1\n").expect_err("an unknown key");
    assert_eq!(found[0].line, Some(3), "{found:#?}");
}

#[test]
fn values_of_another_form_are_refused() {
    finds("\"premise 1\"", "\"premise 0\"", FindingKind::Structure, "component \"premise 0\" is not");
    finds("/c1\"\nkind", "\"\nkind", FindingKind::Structure, "is not the claim of a persona");
    finds("name = \"c8\"", "name = \"C 8\"", FindingKind::Structure, "is not a short name");
    finds("{ own = \"Walls fall.\" }", "{ quote = \"Walls fall.\" }", FindingKind::Structure, "or { own }");
    finds("extent = \"partial\"", "extent = \"full\"", FindingKind::Structure, "gives_way needs");
    finds("Must the wall be kept?", "Must the\\nwall be kept?", FindingKind::Structure, "must be one line");
    finds(
        &format!("opening = [{}]", quote(2)),
        "opening = []",
        FindingKind::Structure,
        "opening is empty; quote at least one passage",
    );
}

#[test]
fn words_must_be_in_the_named_document_byte_for_byte() {
    let of = |sentence: usize, to: &str| (quote(sentence), quote(sentence).replace("Sentence", to));
    let (from, to) = of(3, "sentence");
    finds(&from, &to, FindingKind::Quotation, "wall/closing: \"sentence number 3 of the wall.\" is not in \"walls\"");
    let (from, to) = (quote(400), quote(400).replace("walls", "moats"));
    finds(&from, &to, FindingKind::Quotation, "wall/disputes/base: there is no document \"moats\"");
    let to = "{ document = \"walls\", quote = \"A sentence about the roof.\" }";
    finds(
        &quote(10),
        to,
        FindingKind::Quotation,
        "wall/claims/c1: \"A sentence about the roof.\" is not in \"walls\"; it is in",
    );
    let to = "{ document = \"walls\", quote = \"It stood.\" }";
    finds(&quote(402), to, FindingKind::Quotation, "too short as a quotation");
    let to = "{ document = \"walls\", quote = \"It stood. It rained. Sentence number 4\" }";
    finds(&quote(4), to, FindingKind::Quotation, "quote words of one passage");
}

#[test]
fn short_names_and_answers_occur_once() {
    finds("name = \"c8\"", "name = \"c7\"", FindingKind::Duplicate, "\"c7\" is in line");
    finds(
        &quote(21),
        &quote(20),
        FindingKind::Duplicate,
        "wall/claims/c2: \"Sentence number 20 of the wall.\" is two parts",
    );
    let (from, to) = ("component = \"assumption 1\"", "component = \"claim\"");
    let text = good().replacen("kind = \"rebut\"", "kind = \"undercut\"", 1).replacen(from, to, 1);
    let found = checked(&text, &file("no", ADA, "no"));
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::Duplicate], "{found:#?}");
    let twice = format!("{}\n{}", good(), good());
    let found = checked(&twice, &file("no", ADA, "no"));
    assert!(
        found.iter().any(|finding| finding.to_string().contains("topic \"wall\" is in line 2 already")),
        "{found:#?}"
    );
}

#[test]
fn references_must_exist() {
    finds("ben-stone/c3", "ben-stone/c9", FindingKind::Reference, "ben-stone has no claim \"c9\"; it has: c1, c2");
    finds("ben-stone/c3", "cy-ash/c3", FindingKind::Reference, "cy-ash has no positions file that can be read");
    finds("ben-stone/c3", "ada-quill/c3", FindingKind::Reference, "a claim of the persona itself");
    finds("with = \"c1\"", "with = \"c9\"", FindingKind::Reference, "there is no own claim \"c9\"");
    finds("claim = \"c3\", ext", "claim = \"c9\", ext", FindingKind::Reference, "there is no own claim \"c9\"");
    finds(
        "[\"c4\", \"c5\"]",
        "[\"c4\", \"c9\"]",
        FindingKind::Reference,
        "wall/compatible/ben-stone/c2: there is no own",
    );
    finds("dispute = \"base\"", "dispute = \"moat\"", FindingKind::Reference, "there is no own dispute \"moat\"");
    finds("persona = \"ben-stone\"", "persona = \"cy-ash\"", FindingKind::Reference, "cy-ash names no crux");
    finds("with = \"c1\"", "with = \"c1\"\nneeds = [\"ben-stone/c9\"]", FindingKind::Reference, "needs ben-stone/c9: ");
}

#[test]
fn a_persona_without_positions_is_reported_once() {
    let positions = read(&good());
    let found = check(&persona_id(ADA), &positions, &writings(), &OtherPositions::new());
    let kinds: Vec<FindingKind> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Reference], "{found:#?}");
}

#[test]
fn a_reply_is_about_a_part_that_exists_and_that_it_can_attack() {
    finds("\"premise 1\"", "\"premise 2\"", FindingKind::Component, "component \"premise 2\" does not exist");
    finds(
        "kind = \"undermine\"\ncomponent = \"premise 1\"",
        "kind = \"undermine\"",
        FindingKind::Component,
        "a premise or",
    );
    finds(
        "\"rebut\"\ncomponent = \"claim\"",
        "\"rebut\"\ncomponent = \"premise 1\"",
        FindingKind::Component,
        "the claim;",
    );
    finds("kind = \"rebut\"", "kind = \"grant\"", FindingKind::Component, "is no attack; remove \"with\"");
}

#[test]
fn only_a_concession_gives_way_and_it_must() {
    let gives_way = format!("gives_way = [{{ claim = \"c3\", extent = \"partial\", becomes = {} }}]", quote(300));
    finds("kind = \"concede\"", "kind = \"reframe\"", FindingKind::Consequence, "only a reply of kind \"concede\"");
    let found = checked(&good().replacen(&gives_way, "", 1), &file("no", ADA, "no"));
    let kinds: Vec<FindingKind> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Count, FindingKind::Consequence], "{found:#?}");
}

#[test]
fn sides_do_not_contradict_each_other() {
    finds(
        "Should the wall stay?",
        "Should the wall go?",
        FindingKind::Side,
        "the question differs from that of ben-stone",
    );
    finds("Is the roof sound?", "Is the roof dry?", FindingKind::Side, "wall/disputes/roof: the question differs");
    finds("answers_topic = true\n", "", FindingKind::Side, "no claim has answers_topic");
    finds("side = \"yes\"\nstatement", "side = \"undecided\"\nstatement", FindingKind::Side, "cannot be played");
    finds(
        "side = \"yes\"\nstatement",
        "side = \"no\"\nstatement",
        FindingKind::Side,
        "both personas are on the side no",
    );
    finds(
        "dispute = \"base\"",
        "dispute = \"roof\"",
        FindingKind::Side,
        "nobody takes another side than yes on \"roof\"",
    );
    finds(
        "ben-stone/c2\"\nclaims = [\"c4\"",
        "ben-stone/c1\"\nclaims = [\"c1\"",
        FindingKind::Side,
        "called compatible",
    );
    let (from, to) = ("gives_way = [{", "gives_way = [{ topic = \"yes\" }, {");
    finds(from, to, FindingKind::Side, "gives way to yes on the topic, which is the side it has already");
}

#[test]
fn a_claim_supports_only_a_side_that_is_taken() {
    let text = good().replacen("name = \"c8\"", "name = \"c8\"\nsupports_side = true", 1);
    let positions = read(&text);
    let supports = |name: &str| positions.topics[0].claim(name).expect("a claim").is_for_its_side();
    assert_eq!(["c1", "c2", "c8"].map(supports), [true, false, true]);
    let other = file("no", ADA, "no");
    assert_eq!(checked(&text, &other), []);
    let nuanced = text.replacen("side = \"yes\"\nstatement", "side = \"nuanced\"\nstatement", 1);
    let found = checked(&nuanced, &other);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding.kind, FindingKind::Side, "{finding}");
    assert!(finding.to_string().contains("wall/claims/c8: supports_side needs a side"), "{finding}");
}

#[test]
fn a_debate_needs_a_minimum_of_each() {
    finds("kind = \"grant\"", "kind = \"reframe\"", FindingKind::Count, "1 replies of kind grant are fewer than 2");
    let found = checked("topics = []", &file("no", ADA, "no"));
    assert_eq!((found.len(), found[0].kind), (1, FindingKind::Count), "{found:#?}");
    let mut text = good();
    text.truncate(text.find("[[topics.claims]]").expect("claims"));
    let found: Vec<String> = checked(&text.replace("\"yes\"", "\"nuanced\""), &file("no", ADA, "no"))
        .iter()
        .map(|finding| format!("{:?} {finding}", finding.kind))
        .collect();
    assert_eq!(found.len(), 5, "{found:#?}");
    for (found, expected) in found.iter().zip(["claims", "replies", "replies of kind grant", "concessions", "disputes"])
    {
        assert!(found.starts_with("Count") && found.contains(expected), "{found}");
    }
}

#[test]
fn replies_in_the_same_words_are_remarked() {
    finds(&quote(105), &quote(104), FindingKind::Repetition, "is the words of line");
    assert!(!FindingKind::Repetition.is_error() && FindingKind::Quotation.is_error());
}

#[test]
fn hostile_files_are_refused_with_the_limit() {
    let refused = |text: &str| parse(text).expect_err("a refusal").swap_remove(0);
    let huge = refused(&"#".repeat(MAX_POSITIONS_BYTES + 1));
    assert_eq!(huge.kind, FindingKind::Limit, "{huge}");
    assert!(huge.to_string().contains("MAX_POSITIONS_BYTES"), "{huge}");
    let long = refused(&good().replacen("Walls fall.", &"x".repeat(MAX_TEXT_BYTES + 1), 1));
    assert!(long.kind == FindingKind::Limit && long.to_string().contains("MAX_TEXT_BYTES"), "{long}");
    let many = format!("wordings = [{}]", "\"Must it?\",".repeat(MAX_LIST_ENTRIES + 1));
    let many = refused(&good().replacen("wordings = [\"Must the wall be kept?\"]", &many, 1));
    assert!(many.kind == FindingKind::Limit && many.to_string().contains("wordings has 501 entries"), "{many}");
    for nested in
        ["[".repeat(100_000), format!("topics = {}", "[".repeat(100_000)), format!("a{} = 1", ".a".repeat(50_000))]
    {
        assert_eq!(refused(&nested).kind, FindingKind::Structure);
    }
    for text in ["", "topics = 3", "\u{0}", "topics = [{}]", "[[topics]]\nname = \"\u{202e}\"", "= = ="] {
        assert_eq!(refused(text).kind, FindingKind::Structure, "{text:?}");
    }
}

#[test]
fn truncated_files_are_refused_or_read_and_never_panic() {
    let good = good();
    for end in (0..good.len()).step_by(97) {
        if let Ok(positions) = parse(&good[..end]) {
            check(&persona_id(ADA), &positions, &writings(), &OtherPositions::new());
        }
    }
}
