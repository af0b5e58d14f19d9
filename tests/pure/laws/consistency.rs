//! Consistency of a report and of a verdict in the terminal: no two of their sentences contradict each other.

use std::collections::BTreeSet;

use faultline_core::export::report::model::report_model::{CruxReport, DebateReport, QuestionReport, TranscriptEntry};
use faultline_core::export::report::model::statement::Statement;

/// Returns the contradictions between sentences of a report, in words.
pub fn contradictions(report: &DebateReport) -> Vec<String> {
    let parts = [
        regime(report),
        topic(report),
        questions(report),
        cruxes(report),
        ending(report),
        camps(report),
        arguments(report),
        length(report),
        missing(report),
    ];
    parts.concat()
}

/// Adds a contradiction if the two sentences do not agree.
fn unless(agrees: bool, found: &mut Vec<String>, one: impl Into<String>, other: &str) {
    if !agrees {
        found.push(format!("{:?}, but {other}", one.into()));
    }
}

fn sides(statements: &[Statement]) -> BTreeSet<&str> {
    statements.iter().map(|statement| plain(&statement.what)).collect()
}

/// Side in a statement's label, without what follows it: `yes (80 % sure)`, `no, at first yes`.
fn plain(what: &str) -> &str {
    let end = what.find([',', '(']).unwrap_or(what.len());
    what[..end].trim()
}

fn is_split(statements: &[Statement]) -> bool {
    let sides = sides(statements);
    sides.contains("yes") && sides.contains("no")
}

/// The regime, its reason, the warnings and the lists that it speaks of.
fn regime(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let because = report.because.as_str();
    let says = |words: &str| because.contains(words);
    let splits = ["opposite sides on the topic", "open dispute", "camps of arguments that conflict"].map(says);
    let has_split = splits.into_iter().any(|is_said| is_said);
    let agrees = says("question answered alike") || says("questions answered alike");
    let grants = says("statement granted") || says("statements granted");
    let is_right = match report.regime {
        "consensus" => agrees && !has_split && (says("every pair of claims was examined") || says("answered by all")),
        "polarized" => has_split && !agrees && !grants,
        "partial" => has_split && (agrees || grants),
        _ => !has_split,
    };
    unless(is_right, &mut found, report.regime, &format!("the reason is {because:?}"));
    unless(agrees != report.common.is_empty(), &mut found, because, "the common ground is another");
    unless(grants != report.granted.is_empty(), &mut found, because, "other statements are granted");
    if agrees {
        let number = format!("{} question", report.common.len());
        unless(says(&number), &mut found, because, &format!("{} are listed as agreed upon", report.common.len()));
    }
    unless(splits[0] == is_split(&report.on_topic), &mut found, because, "the positions on the topic are others");
    let open =
        report.questions.iter().filter(|question| question.status == "open" && question.question != report.topic);
    let open = open.filter(|question| is_split(&question.stances)).count();
    unless(splits[1] == (open > 0), &mut found, because, &format!("{open} questions are open"));
    let unexamined = report.warnings.iter().any(|warning| warning.contains("comparable pairs of claims were examined"));
    unless(!(unexamined && says("every pair")), &mut found, because, "a warning counts pairs that were not examined");
    let is_limited = report.warnings.iter().any(|warning| warning.contains("a limit was reached"));
    unless(!(is_limited && report.regime == "consensus"), &mut found, "consensus", "a limit was reached");
    found
}

fn topic(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let placed: Vec<usize> = report.on_topic.iter().filter_map(|statement| statement.speaker).collect();
    let silent = report.silent_on_topic.iter().filter(|(place, _)| placed.contains(place)).count();
    unless(silent == 0, &mut found, "took no side on the topic", "a position on it is quoted");
    let distinct: BTreeSet<&usize> = placed.iter().collect();
    unless(distinct.len() == placed.len(), &mut found, "positions on the topic", "somebody has two");
    let is_crux = report
        .cruxes
        .iter()
        .any(|crux| crux.statement.as_ref() == Some(&report.topic) || crux.question == report.topic);
    unless(!is_crux, &mut found, "cruxes", "one of them is the topic");
    found
}

/// Questions, their statuses, and common ground.
fn questions(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    for QuestionReport { question, status, stances, remarks, .. } in &report.questions {
        let (split, sides) = (is_split(stances), sides(stances));
        let fits = match *status {
            "uncontested" => !split,
            "settled" => sides.len() <= 1,
            "open" => !stances.is_empty() || remarks.iter().any(|remark| remark.starts_with("the audit contests")),
            _ => true,
        };
        unless(fits, &mut found, format!("{question} {status}"), &format!("its stances are {sides:?}"));
        let retired = report.common.iter().any(|ground| ground.question == *question) && *status == "retired";
        let alive = report.questions.iter().any(|other| other.question == *question && other.status != "retired");
        unless(!retired || alive, &mut found, format!("{question} retired"), "it is common ground");
    }
    for ground in &report.common {
        let asked: Vec<&QuestionReport> = report
            .questions
            .iter()
            .filter(|question| question.question == ground.question && question.status != "retired")
            .collect();
        let denied = if ground.side == "yes" { "no" } else { "yes" };
        let is_denied = asked.iter().all(|question| sides(&question.stances).contains(denied)) && !asked.is_empty();
        unless(!is_denied, &mut found, format!("{} is common ground", ground.question), "somebody denies it");
        let twice = report.common.iter().any(|other| other.question == ground.question && other.side != ground.side);
        unless(!twice, &mut found, format!("{} {}", ground.question, ground.side), "the other side is agreed, too");
        unless(ground.holders.len() > 1, &mut found, "agreed", "one participant alone says so");
    }
    found
}

fn cruxes(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let was_agreed = |proposal: &Statement| proposal.what.contains("; agreed: ");
    let acknowledged = report.cruxes.iter().filter(|crux| crux.origin.starts_with("agreed on as the crux")).count();
    let agreed = report.proposed.iter().filter(|proposal| was_agreed(proposal)).count();
    unless(acknowledged == 0 || agreed > 0, &mut found, "agreed on as the crux", "nobody agreed with a proposed one");
    for CruxReport { question, origin, evidence, .. } in &report.cruxes {
        let mut by_speaker: Vec<(Option<usize>, &str)> =
            evidence.iter().map(|said| (said.speaker, plain(&said.what))).collect();
        by_speaker.sort_unstable();
        by_speaker.dedup();
        let opposed = |one: &str, other: &str| {
            let has = |speaker, side: &str| by_speaker.contains(&(speaker, side));
            by_speaker.iter().any(|(speaker, _)| has(*speaker, one) && has(*speaker, other))
        };
        unless(!opposed("yes", "no"), &mut found, format!("crux {question}"), "somebody says yes and no");
        let is_question = origin.starts_with("open question");
        let is_common = report.common.iter().any(|ground| ground.question == *question);
        let asked_again = report.questions.iter().filter(|other| other.question == *question).count() > 1;
        unless(
            !(is_question && is_common) || asked_again,
            &mut found,
            format!("{question} is open"),
            "it is agreed upon",
        );
    }
    let also_contested = report.contested.iter().any(|premise| {
        report.cruxes.iter().any(|crux| crux.statement == premise.statement && crux.dependents == premise.dependents)
    });
    unless(!also_contested, &mut found, "decides no thesis", "it is a crux as well");
    found
}

fn fact<'a>(report: &'a DebateReport, name: &str) -> &'a str {
    report.facts.iter().find(|(word, _)| *word == name).map_or("", |(_, fact)| fact.as_str())
}

/// The ending and what was agreed on.
fn ending(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let ended = fact(report, "Ended");
    let agreed = report.proposed.iter().any(|proposal| proposal.what.contains("; agreed: "));
    unless(!(agreed && ended.contains("none was acknowledged")), &mut found, ended, "somebody agreed with a crux");
    unless(!(agreed && ended.contains("named a crux")), &mut found, ended, "somebody agreed with a crux");
    // An acknowledgement that the audit contests is told in the ending and not counted.
    let is_contested = ended.contains("but the audit contests");
    unless(agreed || is_contested || !ended.contains("is the crux"), &mut found, ended, "nobody agreed with a crux");
    // Nor are contested stances: without them a dispute may be open again, as the ending says.
    if ended.contains("came to one side of every dispute") && !is_contested {
        let open = report.questions.iter().filter(|question| question.status == "open");
        let open = open.filter(|question| question.question != report.topic).count();
        unless(open == 0, &mut found, ended, &format!("{open} questions are open"));
    }
    let is_limited = report.warnings.iter().any(|warning| warning.contains("a limit was reached"));
    unless(is_limited == ended.starts_with("a limit was reached"), &mut found, ended, "the warnings say otherwise");
    if ended.starts_with("settled") {
        unless(!is_limited, &mut found, ended, "a limit was reached");
    }
    found
}

fn camps(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    for camp in &report.camps {
        unless(camp.own.iter().all(|id| !camp.shared.contains(id)), &mut found, "own", "shared by all camps");
        unless(camp.speakers.iter().all(|place| !camp.tied.contains(place)), &mut found, "tied", "in the camp alone");
        for speaker in &camp.speakers {
            let n = report.camps.iter().filter(|other| other.speakers.contains(speaker)).count();
            unless(n == 1, &mut found, format!("{} is in one camp", report.name(Some(*speaker))), &format!("in {n}"));
        }
    }
    found
}

fn arguments(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let standing = |id| report.arguments.iter().find(|other| other.id == id).map_or("", |other| other.standing);
    for argument in &report.arguments {
        let attackers: Vec<&str> = argument.attacked_by.iter().map(|id| standing(*id)).collect();
        let fits = match argument.standing {
            "accepted" => attackers.iter().all(|attacker| *attacker == "rejected"),
            "rejected" => attackers.contains(&"accepted"),
            "undecided" => !attackers.contains(&"accepted"),
            _ => true,
        };
        unless(fits, &mut found, format!("{} {}", argument.id, argument.standing), &format!("{attackers:?} attack it"));
    }
    found
}

fn length(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let n_turns = turns(report).count();
    let length = fact(report, "Length");
    // Interjections are in the transcript and are no turns.
    let moderated = turns(report).filter(|turn| turn.what.is_empty()).count();
    let noun = if n_turns - moderated == 1 { "turn" } else { "turns" };
    unless(
        length.starts_with(&format!("{} {noun}, ", n_turns - moderated)),
        &mut found,
        length,
        &format!("{n_turns} turns follow"),
    );
    let spent = format!("{} turns are in the transcript", n_turns - moderated);
    let ended = fact(report, "Ended");
    let held = ended.split_once(" turns of a budget of").and_then(|(count, _)| count.rsplit(' ').next()?.parse().ok());
    unless(held.is_none_or(|held: usize| held <= n_turns - moderated), &mut found, ended, &spent);
    found
}

fn turns(report: &DebateReport) -> impl Iterator<Item = &Statement> {
    report.sections.iter().flat_map(|section| &section.entries).filter_map(|entry| match entry {
        TranscriptEntry::Turn(turn) => Some(turn),
        TranscriptEntry::Missed(_) | TranscriptEntry::Announced(_) => None,
    })
}

/// Calls that were given up, participants who never spoke, and turns that no clerk read.
fn missing(report: &DebateReport) -> Vec<String> {
    let mut found = Vec::new();
    let entries = report.sections.iter().flat_map(|section| &section.entries);
    let is_given_up = |entry: &&TranscriptEntry| match entry {
        TranscriptEntry::Missed(sentence) => {
            !sentence.contains(" skipped a turn: ") && !sentence.contains(" had nothing new, and was left out: ")
        }
        TranscriptEntry::Turn(_) | TranscriptEntry::Announced(_) => false,
    };
    let n_missed = entries.filter(is_given_up).count();
    let warned = report.warnings.iter().find(|warning| warning.contains("given up after failed calls"));
    let n_warned = warned.and_then(|warning| warning.split(' ').next()?.parse().ok()).unwrap_or(0);
    let marked = format!("{n_missed} are marked in the transcript");
    unless(n_missed == n_warned, &mut found, format!("{n_warned} requests were given up"), &marked);
    for (place, remark) in &report.silent_on_topic {
        let spoke = turns(report).any(|turn| turn.speaker == Some(*place));
        let took = if spoke { "took no side" } else { "never spoke" };
        unless(*remark == took, &mut found, format!("{} {remark}", report.name(Some(*place))), took);
    }
    let unread = report.warnings.iter().find(|warning| warning.starts_with("The clerk did not read"));
    unless(unread.is_none() || report.regime != "consensus", &mut found, report.regime, "turns were not read");
    let is_told = report.because.contains("not read by the clerk");
    let is_over = !fact(report, "Ended").starts_with("still under way") && !fact(report, "Ended").starts_with("paused");
    unless(
        !(is_told && is_over) || unread.is_some(),
        &mut found,
        report.because.as_str(),
        "no warning names the turns",
    );
    found
}

/// Sentences of the terminal of which a verdict never contains both.
const EXCLUSIVE: &[(&str, &str)] = &[
    ("There was nothing to compare.", "Examined "),
    ("There was nothing to compare.", "agreed, not audited"),
    ("Too little was examined for a verdict.", "agreed, not audited"),
    ("Too little was examined for a verdict.", "question answered alike"),
    ("too little evidence", "Audited "),
    ("No question that was asked has both a yes and a no", "Opposite sides on the topic"),
    ("No question that was asked has both a yes and a no", "pen dispute"),
    ("The participants agree on some points", "othing is agreed"),
    ("The participants agree on some points", "Silence is not agreement."),
    ("The participants agree, ", "othing is agreed"),
    ("The participants agree, ", "Silence is not agreement."),
    ("The participants agree, and everything was examined.", "Not exact"),
    ("The participants agree, and everything was examined.", "o split was found"),
    ("The participants disagree", "o split was found"),
    ("The participants disagree.", "question answered alike"),
    ("The participants disagree.", "questions answered alike"),
    ("The participants disagree.", "granted by "),
    ("othing is agreed", "granted by "),
    ("Silence is not agreement.", "granted by "),
    ("The participants agree, and everything was examined.", "not read by the clerk"),
    ("Not looked for: this engine", "None found."),
    ("Silence is not agreement.", "question answered alike"),
    ("None. What follows was granted", "questions answered alike"),
    ("none larger", "(tied)"),
    ("Ended Settled. ", "agreed on as the crux"),
    ("Ended Settled on what the crux is", "None found"),
    ("participants agreed that the crux is", "None found"),
    ("None found", "Bars show pivotality"),
    ("unanswered: ", "Bars show pivotality"),
    ("Not looked for", "Bars show pivotality"),
];

/// Returns the contradictions between sentences of a verdict as the terminal shows it, in words: pairs that exclude each
/// other, and quotations beside the remark that nobody said them.
pub fn contradictions_of_picture(picture: &str) -> Vec<String> {
    let lines = picture.lines().map(|line| line.trim_matches(|sign: char| sign.is_whitespace() || sign == '│'));
    let text = lines.collect::<Vec<_>>().join(" ").replace('\u{a0}', " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Only the verdict: what participants said may contradict itself.
    let verdict = text.split("── Transcript").next().unwrap_or_default();
    let mut found = Vec::new();
    for (one, other) in EXCLUSIVE {
        unless(!(verdict.contains(one) && verdict.contains(other)), &mut found, *one, &format!("{other:?} as well"));
    }
    for unsaid in ["(taken for granted, not said)", "(in the written argument, not said aloud)"] {
        let is_quoted = verdict.contains(&format!("{unsaid}: “"));
        unless(!is_quoted, &mut found, unsaid, "words are quoted");
    }
    found
}
