//! Migrations of the schema, compiled into the program.

use std::sync::LazyLock;

use sqlx::SqlStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../migrations/", $name, ".sql")))),*]
    };
}

/// Names of the files in `migrations`, without their extension, and their content.
const FILES: &[(&str, &str)] = files![
    "0001_log",
    "0002_views",
    "0003_library",
    "0004_leases",
    "0005_cruxes",
    "0006_forks",
    "0007_sources",
    "0008_vectors_of_any_width",
    "0009_search",
    "0010_persona_versions",
    "0011_cited",
    "0012_questions",
    "0013_generations",
    "0014_changed",
    "0015_dead_letters",
    "0016_erasure",
    "0017_adds_lapses_and_letters",
    "0018_adds_key_checks",
    "0019_adds_told_versions",
    "0020_adds_auditors",
    "0021_adds_spending",
    "0022_adds_shared_corpora",
    "0023_adds_statistics",
    "0024_adds_analyst_views",
    "0025_adds_talk_sources",
    "0026_adds_hold_seconds",
    "0027_adds_claim_indexes",
    "0028_adds_speaker_figures",
    "0029_adds_projector_lease",
    "0030_adds_projection_lanes",
    "0031_adds_lifecycle_index",
    "0032_adds_bus_key",
    "0033_adds_question_queue",
    "0034_adds_compressed_views",
    "0035_adds_shards",
    "0036_adds_corpus_shards",
    "0037_adds_question_shards",
];

/// Migrations of this program, in order. Safe to run from several processes at once.
pub static MIGRATOR: LazyLock<Migrator> =
    LazyLock::new(|| Migrator::with_migrations(FILES.iter().map(|(name, sql)| migration(name, sql)).collect()));

/// Makes a migration of a file: its number is the version, the other words of its name are the description.
fn migration(name: &'static str, sql: &'static str) -> Migration {
    let (number, words) = name.split_once('_').unwrap_or((name, ""));
    let version = number.parse().expect("the name of a migration begins with its number");
    Migration::new(version, words.replace('_', " ").into(), MigrationType::Simple, SqlStr::from_static(sql), false)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_a_migration() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
        let entries = fs::read_dir(folder).expect("the migrations").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().expect("a name of letters")).collect();
        names.sort();
        let listed: Vec<String> = FILES.iter().map(|(name, _)| format!("{name}.sql")).collect();
        assert_eq!(names, listed);
        let versions: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..).take(names.len()).collect::<Vec<i64>>());
        assert!(FILES.iter().all(|(_, sql)| !sql.starts_with("-- no-transaction")));
    }
}
