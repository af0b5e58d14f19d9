//! `faultline topics suggest --provider`: suggests questions to debate that a model finds in the corpora.

use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::persona::draft_inputs::provider;
use crate::cli::topics::args::TopicsSuggestArgs;
use crate::cli::topics::model_run::{AskedPair, ModelRun};
use crate::cli::topics::page::SuggestionPage;
use crate::cli::topics::writings::CorpusAuthors;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::FailureKind;
use faultline_core::positions::playable::OFFLINE;
use faultline_core::positions::suggestions::SuggestedTopic;
use faultline_core::projections::summary::Spent;
use faultline_core::suggestions::pairs::ranked_pairs;
use faultline_core::suggestions::verification::{RejectedSuggestion, SuggestedQuestion};
use faultline_ingest::personas::PersonaFile;
use faultline_terminal::labels;
use faultline_terminal::text::clean::clean;
use faultline_terminal::text::style::Tone;

/// Asks the model about pairs of personas and prints the suggestions that passed all checks. Rejected ones, limits and the
/// cost go to standard error, or into the JSON value.
///
/// # Errors
/// [`CliError::Refused`] if the provider is unknown or has no model, or fewer than two personas have a corpus. If calls
/// failed, [`CliError::Refused`] or [`CliError::Fault`] after the suggestions so far were printed.
pub async fn run(
    config: &Config,
    args: &TopicsSuggestArgs,
    provider_name: &str,
    (files, annotated): (&[PersonaFile], Vec<SuggestedTopic>),
) -> Result<(), CliError> {
    let model = provider(config, Some(provider_name))?;
    if model.name() == OFFLINE {
        return Err(CliError::Refused(
            "the offline provider has no model, and cannot read corpora; without --provider, questions are suggested from \
             annotated writings (docs/corpora.md)"
                .to_owned(),
        ));
    }
    let CorpusAuthors { authors, skipped } = CorpusAuthors::read(config, files, &args.personas)?;
    let mut run = ModelRun::new(annotated, args.max_questions());
    run.notices.extend(skipped);
    run.ask(model.as_ref(), ranked_pairs(&authors), args.max_pairs(), &terminal::progress_reporter()).await;
    if args.json {
        json_line(&as_json(&run))?;
    } else {
        print(&page(files, &run, model.name()))?;
        report(&run);
    }
    run.pairs.iter().find_map(failed).map_or(Ok(()), Err)
}

fn page(files: &[PersonaFile], run: &ModelRun, provider: &str) -> String {
    let mut page = SuggestionPage::new(files);
    for suggested in &run.list.suggested {
        page.question(&suggested.question);
        for (persona, position) in &suggested.positions {
            page.position(persona, position.side, (&position.quote, &position.document));
        }
        let ids: Vec<&str> = suggested.positions.keys().map(PersonaId::as_str).collect();
        let question = quoted_for_shell(&suggested.question);
        page.command(&format!("faultline debate --personas {} --provider {provider} {question}", ids.join(",")));
    }
    if run.list.suggested.is_empty() {
        page.note(Tone::Plain, "The model suggested no question that passed all checks.");
    } else {
        page.blank();
        page.note(
            Tone::Quiet,
            "A model chose these questions and sides. Each quotation is a whole sentence of the writings; whether it takes \
             the side is for you to judge.",
        );
    }
    page.print()
}

/// Quotes a text as one word of a shell. The text is a model's: nothing in it may be expanded.
fn quoted_for_shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Reports on standard error what the page leaves out.
fn report(run: &ModelRun) {
    for notice in &run.notices {
        eprintln!("faultline: {}", clean(notice));
    }
    for RejectedSuggestion { question, reason, count } in &run.list.rejected {
        let what =
            if question.is_empty() { labels::count(labels::number(*count), "suggestion") } else { question.clone() };
        eprintln!("faultline: rejected: {}: {}", clean(&what), clean(reason));
    }
    let counted = |n: usize, what: &str| format!("{} {what}", labels::grouped(labels::number(n)));
    let list = &run.list;
    eprintln!(
        "faultline: {}, {}, {}; {} to {}, {}, {}",
        counted(list.suggested.len(), "suggested"),
        counted(list.n_merged, "merged with others"),
        counted(list.n_rejected(), "rejected"),
        labels::count(run.calls.into(), "call"),
        clean(run.by.as_deref().unwrap_or("the provider")),
        labels::count(run.usage.tokens(), "token"),
        labels::cost(&spent(run)),
    );
}

fn spent(run: &ModelRun) -> Spent {
    let unpriced = if run.usage.unpriced { run.calls } else { 0 };
    Spent { calls: run.calls, cost_micros: run.usage.cost_micros, unpriced, ..Spent::default() }
}

/// Returns the error of a pair that the model gave no usable reply for.
fn failed(asked: &AskedPair) -> Option<CliError> {
    let failure = asked.failure.as_ref()?;
    let why = format!("no questions on {} were suggested: {}", asked.name(), failure.message);
    Some(match failure.kind {
        FailureKind::Unavailable | FailureKind::TimedOut => CliError::Fault(format!("{why}; try again")),
        _ => CliError::Refused(format!("{why}; try another --provider, or none for annotated writings")),
    })
}

fn as_json(run: &ModelRun) -> Value {
    let rejected =
        run.list.rejected.iter().map(
            |rejected| json!({ "question": rejected.question, "reason": rejected.reason, "count": rejected.count }),
        );
    json!({
        "topics": run.list.suggested.iter().map(topic_json).collect::<Vec<_>>(),
        "rejected": rejected.collect::<Vec<_>>(),
        "rejectedCount": run.list.n_rejected(),
        "mergedCount": run.list.n_merged,
        "pairs": run.pairs.iter().map(pair_json).collect::<Vec<_>>(),
        "notices": run.notices,
        "by": run.by,
        "calls": run.calls,
        "usage": run.usage,
    })
}

/// Returns a suggestion in the shape of an annotated one, with its author and the passages.
fn topic_json(suggested: &SuggestedQuestion) -> Value {
    let positions = suggested.positions.iter().map(|(persona, position)| {
        json!({
            "persona": persona,
            "side": position.side.name(),
            "quote": position.quote,
            "document": position.document,
            "title": position.title,
            "passage": position.ordinal,
        })
    });
    json!({
        "question": suggested.question,
        "topic": suggested.question,
        "isTopic": false,
        "suggestedBy": suggested.by,
        "positions": positions.collect::<Vec<_>>(),
    })
}

fn pair_json(asked: &AskedPair) -> Value {
    let shown = asked
        .pair
        .authors
        .each_ref()
        .map(|author| json!({ "persona": author.id, "passages": author.passages.len(), "of": author.n_passages }));
    let error = asked.failure.as_ref().map(|failure| &failure.message);
    json!({ "shown": shown, "calls": asked.calls, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_question_is_expanded_by_a_shell() {
        assert_eq!(quoted_for_shell("Is $(it) \"so\"?"), "'Is $(it) \"so\"?'");
        assert_eq!(quoted_for_shell("Isn't it?'; ls"), "'Isn'\\''t it?'\\''; ls'");
    }
}
