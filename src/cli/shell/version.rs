//! Version of the program: its number, the commit that it was built from, and the revisions of what it stores.

use std::sync::LazyLock;

use faultline_core::events::event::Event;
use faultline_core::verdicts::read_model;
use faultline_ingest::chunks;

/// Number of the version.
const NUMBER: &str = env!("CARGO_PKG_VERSION");
/// Commit, and its date after a space; `None` for a development build, or one outside a checkout.
const COMMIT: Option<&str> = option_env!("FAULTLINE_BUILD_COMMIT");

static SHORT: LazyLock<String> = LazyLock::new(|| match COMMIT {
    Some(commit) => format!("{NUMBER} ({commit})"),
    None => NUMBER.to_owned(),
});

static LONG: LazyLock<String> = LazyLock::new(|| {
    let (kinds, schemas) = vocabulary();
    format!(
        "{NUMBER}\ncommit       {}\nevents       {kinds} kinds, {schemas} schemas\nviews        revision {}\n\
         passages     revision {}",
        COMMIT.unwrap_or(if cfg!(debug_assertions) {
            "development build"
        } else {
            "unknown: built outside a checkout"
        }),
        read_model::REVISION,
        chunks::REVISION,
    )
});

/// Returns the version as one line.
pub fn short() -> &'static str {
    &SHORT
}

/// Returns the version with the commit and the revisions, one a line.
pub fn long() -> &'static str {
    &LONG
}

/// Returns the number of event kinds, and of the schemas in which their bodies were ever stored.
fn vocabulary() -> (usize, usize) {
    let schemas = Event::KINDS.iter().filter_map(|kind| Event::current_schema(kind.name));
    (Event::KINDS.len(), schemas.map(|schema| usize::try_from(schema).unwrap_or(0)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_names_the_number_the_commit_and_the_revisions() {
        assert!(short().starts_with(NUMBER) && !short().contains('\n'), "{}", short());
        let long = long();
        assert_eq!(long.lines().next(), Some(NUMBER));
        for expected in ["commit       ", " kinds, ", &format!("views        revision {}", read_model::REVISION)] {
            assert!(long.contains(expected), "{expected}: {long}");
        }
        let (kinds, schemas) = vocabulary();
        assert!(kinds > 40 && schemas >= kinds, "{kinds} {schemas}");
    }
}
