//! Words that an auditor read otherwise than they were recorded, as sentences of a report.

use crate::export::report::model::report_model::Speaker;
use crate::verdicts::audit::audit_verdict::AuditedWords;
use crate::verdicts::verdict::Verdict;

/// Describes all words whose reading differs from the record, each with both readings.
pub fn differing(verdict: &Verdict, speakers: &[Speaker]) -> Vec<String> {
    let differing = verdict.audit.words.iter().filter(|words| words.differs());
    differing.map(|words| sentence(words, speakers)).collect()
}

fn sentence(words: &AuditedWords, speakers: &[Speaker]) -> String {
    let name = speakers.iter().find(|speaker| speaker.id == words.persona).map(|speaker| speaker.name.as_str());
    let (name, turn) = (name.unwrap_or(words.persona.as_str()), words.turn);
    let recorded = words.recorded.name();
    let reading = words.reading.map_or("not read", |reading| reading.name());
    let counted = if words.is_contested { "They are not counted." } else { "The auditor is not qualified." };
    format!(
        "Contested: the words “{}” of {name} in {turn} were recorded as {recorded} and read as {reading} ({}) {counted}",
        words.words, words.question
    )
}
