//! Changes of granted statements.

use crate::events::ids::PersonaId;
use crate::verdicts::common_ground::Holder;
use crate::verdicts::concessions::granted::GrantedStatement;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::diff::list_match::match_items;
use crate::verdicts::diff::verdict_change::{ChangeKind, ChangeList, ChangedItem, listed, plain};

/// Key by which granted statements are matched: that of the statement.
pub fn granted_key(granted: &GrantedStatement) -> CruxKey {
    CruxKey::of_statement(&granted.statement)
}

/// Adds the changes of granted statements, matched by statement, and of those who granted them, matched by participant.
pub fn compare_granted(found: &mut ChangeList, before: &[GrantedStatement], after: &[GrantedStatement]) {
    let item =
        |granted: &GrantedStatement| ChangedItem { granted: Some(granted_key(granted)), ..ChangedItem::default() };
    let matched = match_items(before, after, granted_key);
    for (from, to) in &matched.both {
        let GrantedStatement { statement: _, source: _, author: _, granters } = from;
        let item = item(from);
        let texts = (&origin(from), &origin(to));
        found.compare(ChangeKind::GrantedStatement, &item, texts, plain);
        compare_granters(found, &item, granters, &to.granters);
    }
    for lost in &matched.lost {
        found.add(ChangeKind::Granted, &item(lost), plain(&lost.statement), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::Granted, &item(gained), None, plain(&gained.statement));
    }
    if matched.is_reordered {
        let order = |all: &[GrantedStatement]| listed(&all.iter().map(granted_key).collect::<Vec<_>>());
        found.add(ChangeKind::GrantedOrder, &ChangedItem::default(), order(before), order(after));
    }
}

/// Renders a statement with its author, turn, quotation and source; different ones differ.
fn origin(granted: &GrantedStatement) -> String {
    // Nobody states how sure they are of what they grant.
    let Holder { persona, turn, quote, confidence: _ } = &granted.author;
    let (statement, source) = (&granted.statement, granted.source);
    let quote = quote.as_ref().map_or("not spoken".to_owned(), |quote| format!("{quote:?}"));
    format!("{statement:?} by {persona} in {turn} ({quote}), from {source}")
}

fn compare_granters(found: &mut ChangeList, item: &ChangedItem, before: &[Holder], after: &[Holder]) {
    let held = match_items(before, after, |holder| &holder.persona);
    for (Holder { persona, turn, quote, confidence: _ }, to) in &held.both {
        let item = item.of(persona);
        found.compare(ChangeKind::GrantedTurn, &item, (turn, &to.turn), plain);
        found.compare(ChangeKind::GrantedWords, &item, (quote, &to.quote), Clone::clone);
    }
    for lost in &held.lost {
        found.add(ChangeKind::GrantedHolder, &item.of(&lost.persona), plain(&lost.turn), None);
    }
    for gained in &held.gained {
        found.add(ChangeKind::GrantedHolder, &item.of(&gained.persona), None, plain(&gained.turn));
    }
    if held.is_reordered {
        let order = |holders: &[Holder]| {
            let personas: Vec<&PersonaId> = holders.iter().map(|holder| &holder.persona).collect();
            listed(&personas)
        };
        found.add(ChangeKind::GrantedHolderOrder, item, order(before), order(after));
    }
}
