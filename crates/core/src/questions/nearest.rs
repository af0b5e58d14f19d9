//! Known names that are similar to a mistyped one, for suggestions in refusals.

/// Least similarity (Jaro) of a name that is suggested.
const MIN_SIMILARITY: f64 = 0.7;

/// Returns the known name that is most similar to an unknown one; `None` if none is similar. Case does not matter.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().to_lowercase();
    let similar = known.into_iter().map(|known| (strsim::jaro(&name, &known.to_lowercase()), known));
    let similar = similar.filter(|(similarity, _)| *similarity > MIN_SIMILARITY);
    similar.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}

/// Formats the end of a refusal of an unknown name: the nearest known name, if any, and all that are available.
///
/// `; did you mean edda-tolvane? Available: ada, edda-tolvane`, or `; available: ada, edda-tolvane`.
pub fn suggestions(name: &str, known: &[&str]) -> String {
    let all = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("; did you mean {nearest}? Available: {all}"),
        None => format!("; available: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_suggested_and_no_other() {
        let known = ["agnes-wetherlow", "edda-tolvane", "gus-ormerand"];
        let check = |name: &str, expected: Option<&str>| assert_eq!(nearest(name, known), expected, "{name}");
        check("edda", Some("edda-tolvane"));
        check("gus-ormerant", Some("gus-ormerand"));
        check("Edda-Tolvane ", Some("edda-tolvane"));
        check("nobody", None);
        check("", None);
        let refused = suggestions("edda", &known);
        assert_eq!(refused, "; did you mean edda-tolvane? Available: agnes-wetherlow, edda-tolvane, gus-ormerand");
        assert_eq!(suggestions("zz", &["ada"]), "; available: ada");
        assert_eq!(suggestions("zz", &[]), "; available: none");
    }
}
