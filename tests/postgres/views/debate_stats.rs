//! Statistics across debates: groups, figures, filters, agreement of pairs, and the list filters that come with them.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use faultline_core::events::ids::{DebateId, DisputeId};
use faultline_core::measures::registry::measure;
use faultline_core::measures::speaker_figures::SPEAKER_FIGURES;
use faultline_store::generations::save::ViewChanges;
use faultline_store::views::debate_stats::{DebateGroup, DebateStatsQuery, GroupBy};
use faultline_store::views::debates::{DebateQuery, DebateRow, PageDirection};
use faultline_store::views::dispute_writes::{DebateDisputes, DisputeRow};
use faultline_store::views::views::Views;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};

/// Row of a debate that has ended.
fn row(n: u128, engine: &str, regime: &str, novelty: Option<f64>) -> DebateRow {
    let opened_at: DateTime<Utc> = "2026-01-31T23:30:00Z".parse().expect("a time");
    let opened_at = opened_at + TimeDelta::hours(n as i64);
    let personas = ["ada", "ben"].map(|id| id.parse().expect("a persona"));
    DebateRow {
        generation: 1,
        debate: DebateId(Uuid::from_u128(n)),
        version: 9,
        topic: "Is it \"dear\"?".to_owned(),
        engine: engine.to_owned(),
        provider: "openai".to_owned(),
        status: "concluded".to_owned(),
        phase: None,
        regime: Some(regime.to_owned()),
        opened_at,
        changed_at: opened_at,
        ended_at: Some(opened_at + TimeDelta::seconds(60)),
        n_turns: n as i64,
        tokens: 100 * n as i64,
        cost_micros: 500_000,
        participants: personas.to_vec(),
        outcome: Some("limit".to_owned()),
        models: vec!["openai/small".to_owned(), "openai/org/large".to_owned()],
        measures: Some(novelty.map(|value| ("novelty".to_owned(), value)).into_iter().collect()),
        n_arguments: None,
        n_attacks: None,
        n_concessions: None,
        speaker_figures: (1..=2 * SPEAKER_FIGURES.len()).map(|n| n as f64).collect(),
    }
}

async fn stored(rows: Vec<DebateRow>) -> (Database, Views) {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    views.save(&ViewChanges { debates: rows, ..ViewChanges::default() }).await.expect("saved");
    (database, views)
}

async fn groups(views: &Views, by: &[GroupBy], filter: DebateQuery) -> Vec<DebateGroup> {
    let measures = ["novelty"].map(|key| measure(key).expect("a measure"));
    let request = DebateStatsQuery::new(by.to_vec(), filter, &measures);
    views.debate_stats(Some(1), &request).await.expect("statistics").groups
}

#[tokio::test]
async fn debates_are_summarized_by_group() {
    let (_database, views) = stored(vec![
        row(1, "graph", "polarized", Some(0.5)),
        row(2, "graph", "partial", Some(0.7)),
        row(3, "graph", "polarized", None),
        row(4, "dialogue", "polarized", Some(1.0)),
    ])
    .await;
    let found = groups(&views, &[GroupBy::Engine], DebateQuery::default()).await;
    let names: Vec<(&str, i64, i64)> =
        found.iter().map(|it| (it.values[0].as_str(), it.n_debates, it.n_ended)).collect();
    assert_eq!(names, [("graph", 3, 3), ("dialogue", 1, 1)]);
    let regimes: BTreeMap<&str, i64> = found[0].regimes.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(regimes, BTreeMap::from([("partial", 1), ("polarized", 2)]));
    let [turns, tokens, cost, seconds, novelty] = found[0].figures[..] else { panic!("{found:?}") };
    assert_eq!((turns.n, turns.sum, turns.mean, turns.median), (3, 6.0, Some(2.0), Some(2.0)));
    assert_eq!((turns.least, turns.greatest, turns.deviation), (Some(1.0), Some(3.0), Some(1.0)));
    assert_eq!((tokens.sum, cost.sum, seconds.mean), (600.0, 1.5, Some(60.0)));
    assert_eq!((novelty.n, novelty.mean), (2, Some(0.6)));
    assert_eq!(found[1].figures[0].deviation, None, "one value has no deviation");
    let request = DebateStatsQuery::new(vec![GroupBy::Engine], DebateQuery::default(), &[]);
    let request = DebateStatsQuery { with_medians: false, ..request };
    let found = views.debate_stats(Some(1), &request).await.expect("statistics").groups;
    assert_eq!((found[0].figures[0].mean, found[0].figures[0].median), (Some(2.0), None), "medians were not requested");
}

#[tokio::test]
async fn debates_are_grouped_by_month_model_and_participant() {
    let (_database, views) = stored(vec![row(0, "graph", "partial", None), row(1, "graph", "partial", None)]).await;
    let values = async |by: &[GroupBy]| -> Vec<(Vec<String>, i64)> {
        let found = groups(&views, by, DebateQuery::default()).await;
        found.into_iter().map(|it| (it.values, it.n_debates)).collect()
    };
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&[]).await, [(vec![], 2)]);
    assert_eq!(values(&[GroupBy::Month]).await, [(owned(&["2026-01"]), 1), (owned(&["2026-02"]), 1)]);
    assert_eq!(
        values(&[GroupBy::Model, GroupBy::Topic]).await,
        [(owned(&["openai/org/large", "Is it \"dear\"?"]), 2), (owned(&["openai/small", "Is it \"dear\"?"]), 2)]
    );
    let found = groups(&views, &[GroupBy::Persona], DebateQuery::default()).await;
    let own_figures = |group: &DebateGroup| {
        group.figures.iter().skip(4).take(SPEAKER_FIGURES.len()).map(|it| it.sum).collect::<Vec<_>>()
    };
    let doubled = |of_persona: std::ops::RangeInclusive<u8>| of_persona.map(|n| 2.0 * f64::from(n)).collect::<Vec<_>>();
    assert_eq!((found[0].values[0].as_str(), own_figures(&found[0])), ("ada", doubled(1..=8)));
    assert_eq!((found[1].values[0].as_str(), own_figures(&found[1])), ("ben", doubled(9..=16)));
}

#[tokio::test]
async fn lists_and_statistics_are_filtered_alike() {
    let (_database, views) = stored(vec![
        row(1, "graph", "polarized", None),
        DebateRow { outcome: Some("stalled".to_owned()), models: Vec::new(), ..row(2, "graph", "partial", None) },
    ])
    .await;
    let check = async |filter: DebateQuery, expected: &[i64]| {
        let listed = views.list(1, &filter, None, PageDirection::Older, 10).await.expect("a page");
        let turns: Vec<i64> = listed.rows.iter().map(|row| row.n_turns).collect();
        assert_eq!(turns, expected, "{filter:?}");
        let counted: i64 = groups(&views, &[], filter).await.iter().map(|group| group.n_debates).sum();
        assert_eq!(counted, expected.len() as i64);
    };
    let some = |text: &str| Some(text.to_owned());
    check(DebateQuery { outcome: some("stalled"), ..DebateQuery::default() }, &[2]).await;
    check(DebateQuery { model: some("small"), ..DebateQuery::default() }, &[1]).await;
    check(DebateQuery { model: some("openai/small"), ..DebateQuery::default() }, &[1]).await;
    check(DebateQuery { model: some("org/large"), ..DebateQuery::default() }, &[1]).await;
    check(DebateQuery { model: some("large"), ..DebateQuery::default() }, &[]).await;
    check(DebateQuery { model: some("' or true --"), ..DebateQuery::default() }, &[]).await;
}

/// Dispute of a debate with the current sides of participants.
fn dispute(place: u32, status: &str, sides: &[(&str, &str)]) -> DisputeRow {
    let stances: BTreeMap<&str, Value> = sides.iter().map(|(id, side)| (*id, json!({ "side": side }))).collect();
    let at: DateTime<Utc> = "2026-01-31T23:30:00Z".parse().expect("a time");
    DisputeRow {
        key: DisputeId(place),
        statement: format!("Is it so, {place}?"),
        status: status.to_owned(),
        is_topic: false,
        personas: sides.iter().map(|(id, _)| id.parse().expect("a persona")).collect(),
        opened_at: at,
        changed_at: at,
        body: to_raw_value(&stances).expect("JSON"),
    }
}

#[tokio::test]
async fn pairs_agree_on_the_questions_on_which_both_hold_the_same_side() {
    let (_database, views) = stored(Vec::new()).await;
    let debates = vec![row(1, "graph", "partial", None), row(2, "dialogue", "partial", None)];
    let disputes =
        |n: u128, rows| DebateDisputes { generation: 1, debate: DebateId(Uuid::from_u128(n)), version: 9, rows };
    let of_first = vec![
        dispute(1, "open", &[("ada", "yes"), ("ben", "no"), ("cy", "yes")]),
        dispute(2, "settled", &[("ada", "no"), ("ben", "no")]),
        dispute(3, "open", &[("ada", "nuanced"), ("ben", "yes")]),
        dispute(4, "retired", &[("ada", "yes"), ("ben", "yes")]),
    ];
    let of_second = vec![dispute(1, "open", &[("ben", "yes"), ("ada", "yes")])];
    let disputes = vec![disputes(1, of_first), disputes(2, of_second)];
    views.save(&ViewChanges { debates, disputes, ..ViewChanges::default() }).await.expect("saved");
    let found = async |filter: DebateQuery, limit| {
        let found = views.persona_agreements(1, &filter, limit).await.expect("pairs");
        found.into_iter().map(|it| (it.one, it.other, it.n_debates, it.n_questions, it.n_agreed)).collect::<Vec<_>>()
    };
    let pair = |one: &str, other: &str, debates, questions, agreed| {
        (one.to_owned(), other.to_owned(), debates, questions, agreed)
    };
    assert_eq!(
        found(DebateQuery::default(), 10).await,
        [pair("ada", "ben", 2, 3, 2), pair("ada", "cy", 1, 1, 1), pair("ben", "cy", 1, 1, 0)]
    );
    assert_eq!(found(DebateQuery::default(), 1).await, [pair("ada", "ben", 2, 3, 2)]);
    let by_dialogue = DebateQuery { engine: Some("dialogue".to_owned()), ..DebateQuery::default() };
    assert_eq!(found(by_dialogue, 10).await, [pair("ada", "ben", 1, 1, 1)]);
    assert_eq!(views.persona_agreements(2, &DebateQuery::default(), 10).await.expect("pairs"), []);
}
