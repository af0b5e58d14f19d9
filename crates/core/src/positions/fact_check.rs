//! Check of annotated facts.

use crate::events::checks::check::CheckVerdict;
use crate::positions::all_quotes::all_quotes;
use crate::positions::collector::Collector;
use crate::positions::finding::FindingKind;
use crate::positions::model::TopicPositions;

/// Checks that facts are about sentences that their persona can say in a debate, each once, and that those with a result have a
/// source.
pub fn check_facts(collector: &mut Collector<'_>) {
    let topic = collector.topic;
    for (at, fact) in topic.facts.iter().enumerate() {
        let key = format!("facts/{}", fact.of);
        if let Some(before) = topic.facts[..at].iter().find(|it| it.of == fact.of && it.sentence == fact.sentence) {
            let what = format!("the same sentence is in line {} already; remove one", before.line);
            collector.find(FindingKind::Duplicate, fact.line, &key, what);
        }
        match (fact.verdict, &fact.source) {
            (CheckVerdict::Unverifiable, Some(_)) => {
                let what =
                    "the verdict is unknown, but there is a source; remove it, or set the verdict to true or false"
                        .to_owned();
                collector.find(FindingKind::Consequence, fact.line, &key, what);
            }
            (CheckVerdict::True | CheckVerdict::False, None) => {
                let what = format!(
                    "the verdict {} needs a source: words of the corpus of the persona whose file this is",
                    fact.verdict.name()
                );
                collector.find(FindingKind::Consequence, fact.line, &key, what);
            }
            _ => {}
        }
        let theirs: Option<&TopicPositions> = if fact.of == *collector.persona {
            Some(topic)
        } else {
            collector.others_on_topic().find(|(id, _)| **id == fact.of).map(|(_, theirs)| theirs)
        };
        let is_said = theirs
            .is_some_and(|theirs| all_quotes(theirs).iter().any(|(_, quote)| quote.quote.contains(&fact.sentence)));
        if !is_said {
            let what = format!("{} has no quotation on this topic that contains the sentence", fact.of);
            collector.find(FindingKind::Reference, fact.line, &key, what);
        }
    }
}
