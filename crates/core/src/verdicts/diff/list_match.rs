//! Matching of the items of two lists by a key.

use std::collections::{BTreeMap, VecDeque};

/// Items of two lists, matched by a key.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedItems<'a, T> {
    /// Items of both lists, in the order of the first one.
    pub both: Vec<(&'a T, &'a T)>,
    /// Items that only the first list has.
    pub lost: Vec<&'a T>,
    /// Items that only the second list has.
    pub gained: Vec<&'a T>,
    /// True if the items of both lists are in different orders.
    pub is_reordered: bool,
}

/// Matches the items of two lists. The n-th item with a key matches the n-th one with this key in the other list, so
/// repeated keys lose no item. Costs O(n log n).
pub fn match_items<'a, T, K: Ord>(before: &'a [T], after: &'a [T], key: impl Fn(&'a T) -> K) -> MatchedItems<'a, T> {
    let mut places: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
    for (place, item) in after.iter().enumerate() {
        places.entry(key(item)).or_default().push_back(place);
    }
    let mut matched = MatchedItems { both: Vec::new(), lost: Vec::new(), gained: Vec::new(), is_reordered: false };
    let mut is_matched = vec![false; after.len()];
    let mut last = None;
    for item in before {
        let Some(place) = places.get_mut(&key(item)).and_then(VecDeque::pop_front) else {
            matched.lost.push(item);
            continue;
        };
        matched.is_reordered |= Some(place) < last;
        last = last.max(Some(place));
        is_matched[place] = true;
        matched.both.push((item, &after[place]));
    }
    matched.gained.extend(after.iter().zip(is_matched).filter(|(_, is_matched)| !is_matched).map(|(item, _)| item));
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_matched_lost_or_gained() {
        let check = |before: &str, after: &str, both: &str, lost: &str, gained: &str, is_reordered: bool| {
            let (one, other): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
            let found = match_items(&one, &other, |letter| *letter);
            let text = |letters: &[&char]| letters.iter().copied().collect::<String>();
            let matched: String = found.both.iter().map(|(letter, _)| **letter).collect();
            assert_eq!(
                (&*matched, &*text(&found.lost), &*text(&found.gained)),
                (both, lost, gained),
                "{before} {after}"
            );
            assert_eq!(found.is_reordered, is_reordered, "{before} {after}");
        };
        check("", "", "", "", "", false);
        check("abc", "abc", "abc", "", "", false);
        check("abc", "cba", "abc", "", "", true);
        check("abc", "xbyc", "bc", "a", "xy", false);
        check("aab", "baa", "aab", "", "", true);
        check("aa", "a", "a", "a", "", false);
        check("ab", "", "", "ab", "", false);
    }
}
