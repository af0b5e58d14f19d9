//! Sections for camps, labels, outcome and cost.

use crate::labels;
use crate::live::event_notices::ended;
use crate::live::speech::quoted;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, columns, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict::grounding_section::cited;
use crate::verdict_context::{VerdictContext, fact, title};
use faultline_argumentation::labelling::Label;
use faultline_core::events::ids::{ArgumentId, PersonaId};
use faultline_core::export::report::endings::ending_reason;
use faultline_core::projections::argument_graph::{ArgumentGraph, Attack};
use faultline_core::projections::summary::Status;
use faultline_core::verdicts::camps::{Camp, MAX_TIES, is_only_set, is_tie_of_all, unlisted};

/// Maximum number of camps on a card.
const MAX_CAMPS: usize = 4;
/// Maximum number of camps in a report; there can be hundreds, each as long as the debate.
const MAX_CAMPS_IN_FULL: usize = 24;
/// Maximum number of arguments per camp on a card.
const MAX_MEMBERS: usize = 12;
/// Maximum number of theses quoted per camp.
const MAX_THESES: usize = 2;
/// Maximum number of characters of the reason for an ending, which names all who agreed on a crux.
const MAX_REASON: usize = 800;

/// Renders the camps: their members and arguments. The only set of arguments divides nobody.
pub fn camps(page: &mut TextPage, telling: &VerdictContext) {
    let camps = &telling.verdict.camps;
    let (is_tie, is_only) = (is_tie_of_all(camps), is_only_set(camps, &telling.verdict.n_extensions));
    match camps.len() {
        0 => return,
        1 if is_only => {
            let about = match camps[0].arguments.iter().any(|id| is_attacked(&telling.read_model.arguments, *id)) {
                true => {
                    "by the attacks, not by agreement: no valid attack runs between them, and each one on them is answered"
                }
                false => "not by agreement: no valid attack on any of them is in force",
            };
            title(page, "Accepted together", about);
        }
        1 => {
            let about = format!(
                "1 of {} sets of arguments that the valid attacks allow to be accepted together; a participant is listed with the set \
                 that has more of their arguments than the others, but not with one that contains the opposite answer to the topic",
                telling.verdict.n_extensions
            );
            title(page, "Camps", &about);
        }
        n if is_tie => {
            title(
                page,
                "Camps",
                &format!("{n} sets of arguments that the valid attacks allow to be accepted together, none larger"),
            );
        }
        _ => {
            let about = about_camps(camps.len(), &telling.verdict.n_extensions);
            title(page, "Camps", &about);
        }
    }
    let most = if telling.full { MAX_CAMPS_IN_FULL } else { MAX_CAMPS };
    if let ([only], true) = (camps.as_slice(), is_only) {
        page.text(&telling.arguments(&only.arguments, MAX_MEMBERS));
    } else {
        each(page, telling, most);
    }
    let unlisted: Vec<PersonaId> = unlisted(&telling.read_model.arguments, camps).cloned().collect();
    if !is_only && !unlisted.is_empty() {
        let mut line = members_without_notes(telling, &unlisted);
        let is = if unlisted.len() == 1 { "is" } else { "are" };
        line.push(trusted(Tone::Quiet, format!(" {is} listed with none.")));
        page.text(&line);
    }
    if is_tie {
        let mut line = vec![trusted(Tone::Quiet, "Each has as many arguments of ")];
        line.extend(members_without_notes(telling, &camps[0].tied));
        line.push(trusted(Tone::Quiet, " as the others."));
        page.text(&line);
    } else if camps.len() > 1 && camps.iter().take(most).any(|camp| !camp.tied.is_empty()) {
        let note = "(tied): as many arguments of this participant are in another camp.";
        page.text(&[trusted(Tone::Quiet, note)]);
    }
    if !telling.verdict.camps_exact && telling.verdict.regime.exact {
        let note = format!(
            "The list is incomplete: a participant is tied among more than {MAX_TIES} camps. Nothing else is affected."
        );
        page.text(&[trusted(Tone::Quiet, note)]);
    }
}

/// Explains a list of camps.
fn about_camps(n_listed: usize, n_sets: &str) -> String {
    let of = if n_sets == n_listed.to_string() {
        String::new()
    } else {
        format!(" ({n_listed} of {n_sets}: those with a participant)")
    };
    format!(
        "sets of arguments that the valid attacks allow to be accepted together{of}; a participant is listed \
         with the set that has more of their arguments than the others, but not with one that contains the opposite \
         answer to the topic"
    )
}

/// True if a valid attack is aimed at an argument, or if it excludes an opposite answer to the topic.
fn is_attacked(graph: &ArgumentGraph, id: ArgumentId) -> bool {
    let mut opposed = graph.opposed_theses().into_iter();
    let is_aimed = |attack: &Attack| attack.raised.target == id || attack.is_mutual() && attack.raised.source == id;
    graph.active().any(|(_, attack)| is_aimed(attack)) || opposed.any(|(one, other)| one == id || other == id)
}

/// Renders the first camps of several, each with the arguments that not all have, and those that all have once.
fn each(page: &mut TextPage, telling: &VerdictContext, most: usize) {
    let camps = &telling.verdict.camps;
    let is_shared = |id: &ArgumentId| camps.len() > 1 && camps.iter().all(|camp| camp.arguments.contains(id));
    let rows: Vec<(&Camp, SpanLine)> = camps.iter().take(most).map(|camp| (camp, members(telling, camp))).collect();
    let widest = rows.iter().map(|(_, members)| columns(members)).max().unwrap_or(0);
    for (camp, members) in rows {
        let own: Vec<ArgumentId> = camp.arguments.iter().copied().filter(|id| !is_shared(id)).collect();
        let is_of_member = |id: &ArgumentId| {
            let argument = telling.read_model.arguments.arguments.get(id);
            let speaker = argument.map(|argument| &argument.advanced.speaker);
            speaker.is_some_and(|speaker| camp.personas.iter().chain(&camp.tied).any(|member| member == speaker))
        };
        let (members_own, others): (Vec<ArgumentId>, Vec<ArgumentId>) =
            own.iter().copied().partition(|id| camp.personas.is_empty() && camp.tied.is_empty() || is_of_member(id));
        let mut body = telling.arguments(&members_own, MAX_MEMBERS);
        if !others.is_empty() {
            let separator = if body.is_empty() { "" } else { " · " };
            body.push(trusted(Tone::Quiet, format!("{separator}of others: ")));
            body.extend(telling.arguments(&others, MAX_MEMBERS));
        }
        if is_tie_of_all(camps) {
            page.hang(&[], &[trusted(Tone::Quiet, "·")], 3, &body);
            continue;
        }
        for (speaker, thesis) in theses(telling, camp, &own) {
            body.push(trusted(Tone::Plain, "\n"));
            body.extend(telling.speakers.get(speaker).badge());
            body.push(trusted(Tone::Quiet, ": "));
            body.extend(quoted(Tone::Quiet, thesis));
        }
        if widest <= page.room() / 3 {
            page.hang(&[], &members, widest + 2, &body);
        } else {
            page.text(&members);
            page.hang(&[], &[], 3, &body);
        }
    }
    if camps.len() > most {
        let more = labels::count(labels::number(camps.len() - most), "more camp");
        page.text(&[trusted(Tone::Quiet, format!("and {more}: ")), telling.command()]);
    }
    let shared: Vec<ArgumentId> =
        camps.first().map(|camp| camp.arguments.iter().copied().filter(is_shared).collect()).unwrap_or_default();
    if !shared.is_empty() {
        let mut line = vec![trusted(Tone::Quiet, "in every camp, by the attacks alone: ")];
        line.extend(telling.arguments(&shared, MAX_MEMBERS));
        page.text(&line);
    }
}

/// Formats the names of participants, in speaking order.
fn members_without_notes(telling: &VerdictContext, personas: &[PersonaId]) -> SpanLine {
    let everybody = Camp { arguments: Vec::new(), personas: personas.to_vec(), tied: Vec::new() };
    members(telling, &everybody)
}

fn members(telling: &VerdictContext, camp: &Camp) -> SpanLine {
    let mut line = SpanLine::new();
    let tied = camp.tied.iter().map(|persona| (persona, " (tied)"));
    if camp.personas.is_empty() && camp.tied.is_empty() {
        return vec![trusted(Tone::Quiet, "nobody")];
    }
    let mut those: Vec<_> = camp.personas.iter().map(|persona| (persona, "")).chain(tied).collect();
    those.sort_by_key(|(persona, _)| telling.speakers.place(persona));
    for (persona, note) in those {
        if !line.is_empty() {
            line.push(trusted(Tone::Quiet, ", "));
        }
        line.extend(telling.speakers.get(persona).badge());
        line.push(trusted(Tone::Quiet, note));
    }
    line
}

/// Returns the theses that members of the camp advanced among its own arguments, with their authors.
fn theses<'a>(telling: &'a VerdictContext, camp: &Camp, own: &[ArgumentId]) -> Vec<(&'a PersonaId, &'a str)> {
    let arguments = own.iter().filter_map(|id| telling.read_model.arguments.arguments.get(id));
    let of_members = arguments.filter(|argument| camp.personas.contains(&argument.advanced.speaker));
    let theses = of_members.map(|argument| &argument.advanced).filter(|advanced| advanced.answers_topic);
    theses.map(|advanced| (&advanced.speaker, advanced.claim.as_str())).take(MAX_THESES).collect()
}

/// Renders the number of arguments per label, and whether arguments are accepted only because nobody answered them.
pub fn labels(page: &mut TextPage, telling: &VerdictContext) {
    let labels = &telling.verdict.labels;
    let n_all = telling.read_model.arguments.arguments.len();
    if n_all == 0 {
        return;
    }
    let mut line = SpanLine::new();
    for label in [Label::In, Label::Out, Label::Undec] {
        let n = labels.values().filter(|status| **status == label).count();
        if !line.is_empty() {
            line.push(trusted(Tone::Quiet, " · "));
        }
        line.extend([trusted(Tone::Plain, format!("{n}\u{a0}")), labels::label(label)]);
    }
    if n_all > labels.len() {
        line.push(trusted(Tone::Quiet, format!(" · {} not counted", n_all - labels.len())));
    }
    fact(page, "Arguments", &line);
    let last_word = telling.verdict.last_word;
    if last_word.is_all() {
        let warning =
            "Every accepted argument makes an attack that no attack answers, or is defended by such an attack.";
        fact(page, "Last word", &[trusted(Tone::Open, "⚠ "), trusted(Tone::Plain, warning)]);
    } else if telling.full && last_word.standing > 0 {
        let note = format!(
            "{} of {} accepted arguments attack unanswered, or are defended by such an attack",
            last_word.unanswered, last_word.standing
        );
        fact(page, "Last word", &[trusted(Tone::Quiet, note)]);
    }
}

/// Renders the outcome of the debate, or its current state.
pub fn ending(page: &mut TextPage, telling: &VerdictContext) {
    let summary = &telling.read_model.summary;
    if let Some(outcome) = &summary.outcome {
        let (tone, word) = ended(outcome, telling.read_model, telling.verdict);
        let mut line = vec![trusted(tone, word), trusted(Tone::Plain, " ")];
        line.extend(shortened(
            Tone::Plain,
            &labels::sentence(&ending_reason(telling.read_model, telling.verdict, outcome)),
            MAX_REASON,
        ));
        fact(page, "Ended", &line);
    } else if let Some(reason) = &summary.cancelled {
        let mut line = vec![trusted(Tone::Open, "Cancelled. ")];
        line.extend(shortened(Tone::Plain, &labels::sentence(reason), MAX_REASON));
        fact(page, "Ended", &line);
    } else {
        let word = if summary.status == Status::Paused { "Paused" } else { "Running" };
        let mut line = vec![trusted(Tone::Open, word)];
        if let Some(phase) = &summary.phase {
            line.extend([trusted(Tone::Quiet, " · "), untrusted(Tone::Quiet, phase)]);
        }
        if let Some(round) = summary.round {
            line.push(trusted(Tone::Quiet, format!(", round {round}")));
        }
        fact(page, "State", &line);
    }
}

/// Renders turns, calls, tokens, cost and duration.
pub fn cost(page: &mut TextPage, telling: &VerdictContext) {
    let summary = &telling.read_model.summary;
    let spent = summary.usage.total;
    let mut calls = labels::count(spent.calls.into(), "call");
    if spent.failed > 0 {
        calls.push_str(&format!(" ({}\u{a0}failed)", spent.failed));
    }
    let mut facts = vec![labels::count(summary.n_turns.into(), "turn"), calls];
    facts.push(labels::count(spent.input_tokens + spent.output_tokens, "token"));
    facts.push(labels::cost(&spent));
    if let (Some(opened), Some(last)) = (summary.opened_at, summary.ended_at.or(summary.updated_at)) {
        facts.push(labels::lasting(last - opened));
    }
    fact(page, "Took", &[trusted(Tone::Quiet, facts.join(" · "))]);
    cited(page, telling);
}
