//! Quotations of a topic.

use crate::positions::model::{Basis, GivesWay, PassageQuote, TopicPositions};

/// Returns all quotations of a topic with their keys relative to it.
pub fn all_quotes(topic: &TopicPositions) -> Vec<(String, &PassageQuote)> {
    let mut quotes = vec![("statement".to_owned(), &topic.statement)];
    let lists = [("opening", &topic.openings), ("closing", &topic.closings), ("falsifiers", &topic.falsifiers)];
    for (key, list) in lists {
        quotes.extend(list.iter().map(|quote| (key.to_owned(), quote)));
    }
    for claim in &topic.claims {
        let key = format!("claims/{}", claim.name);
        quotes.push((key.clone(), &claim.sentence));
        quotes.extend(claim.premises.iter().chain(&claim.assumptions).filter_map(quoted).map(|it| (key.clone(), it)));
    }
    for reply in &topic.replies {
        let key = format!("replies/{}", reply.to);
        quotes.extend(reply.words.iter().chain(quoted(&reply.reason)).map(|quote| (key.clone(), quote)));
        let after = reply.gives_way.iter().filter_map(|way| match way {
            GivesWay::Claim { becomes: after, .. } | GivesWay::Topic { closing: after, .. } => after.as_ref(),
            GivesWay::Dispute { .. } => None,
        });
        quotes.extend(after.map(|quote| (key.clone(), quote)));
    }
    for dispute in &topic.disputes {
        let key = format!("disputes/{}", dispute.name);
        quotes.extend(dispute.settled_by.iter().chain([&dispute.words]).map(|quote| (key.clone(), quote)));
    }
    quotes.extend(topic.facts.iter().filter_map(|fact| Some((format!("facts/{}", fact.of), fact.source.as_ref()?))));
    if let Some(crux) = &topic.crux {
        quotes.push(("crux".to_owned(), &crux.words));
        quotes.extend(crux.signs.iter().map(|sign| ("crux".to_owned(), &sign.words)));
    }
    quotes
}

fn quoted(basis: &Basis) -> Option<&PassageQuote> {
    match basis {
        Basis::Quoted(quote) => Some(quote),
        Basis::Own(_) => None,
    }
}
