//! Pairing of a text with very many others: by the index, beside the exact comparison in the same run.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use faultline_core::questions::sameness::NEAR;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::open::Store;
use faultline_store::questions::pairing::MAX_PAIRS;
use faultline_store::stored_embedder::StoredEmbedder;
use pgvector::HalfVector;
use sqlx::{AssertSqlSafe, PgPool};

use crate::bench_database::BenchDatabase;

/// Components of a vector, as many as those of `MiniLM` have.
const WIDTH: usize = 384;
/// Vectors around each centre: as many near questions as a common one may have.
const AROUND: usize = 50;
/// Texts that are paired one by one.
const N_NEW: usize = 200;
/// Those of them that are compared exactly as well.
const N_EXACT: usize = 20;
/// Vectors that one statement inserts.
const BATCH: usize = 2_000;

/// Measures with each number of vectors; 100,000 if there are none.
pub async fn measure_all(sizes: &[usize]) {
    println!(
        "vectors  index built, s  one text paired by it: p50 ms   p99   exactly: p50 ms   found of the exact pairs"
    );
    for n in if sizes.is_empty() { &[100_000] } else { sizes } {
        let database = BenchDatabase::create("faultline_bench_pairing").await;
        let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
        measure(&store, *n).await;
        store.close().await;
        database.delete().await;
    }
}

async fn measure(store: &Store, n: usize) {
    let (views, pool) = (&store.views, store.log.pool());
    let by = store.library.embedder("bench", WIDTH, false).await.expect("an embedder");
    let mut random = Random(7);
    fill(pool, &by, &mut random, 0..n, true).await;
    let begun = Instant::now();
    assert!(views.maintain_question_index(&by, 1).await.expect("an index"), "built");
    let built = begun.elapsed();
    fill(pool, &by, &mut random, n..n + N_NEW, false).await;
    let mut paired = Vec::new();
    for _ in 0..N_NEW {
        let begun = Instant::now();
        assert_eq!(views.pair_questions(&by, NEAR, 1).await.expect("paired"), 1);
        paired.push(begun.elapsed());
    }
    let (mut exact_times, mut n_pairs, mut n_found) = (Vec::new(), 0, 0);
    for ix in 0..N_EXACT {
        let question = (n + 1 + ix) as i64;
        let begun = Instant::now();
        let exact = exact_pairs(pool, question, (n + N_NEW) as i64).await;
        exact_times.push(begun.elapsed());
        let stored: Vec<(i64, i64)> =
            sqlx::query_as("select one, other from question_pairs where one = $1 or other = $1")
                .bind(question)
                .fetch_all(pool)
                .await
                .expect("pairs");
        let stored: HashSet<i64> = stored.into_iter().flat_map(|(one, other)| [one, other]).collect();
        n_pairs += exact.len();
        n_found += exact.iter().filter(|other| stored.contains(*other)).count();
    }
    paired.sort_unstable();
    exact_times.sort_unstable();
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{n:7}  {:14.1}  {:28.1} {:6.1}  {:15.1}   {:.3} of {n_pairs}",
        built.as_secs_f64(),
        ms(paired[N_NEW / 2]),
        ms(paired[N_NEW * 99 / 100]),
        ms(exact_times[N_EXACT / 2]),
        n_found as f64 / n_pairs as f64,
    );
}

/// Returns the questions that the exact comparison pairs with one.
async fn exact_pairs(pool: &PgPool, question: i64, last: i64) -> Vec<i64> {
    let sql = format!(
        "select question
        from (
            select others.question, 1 - (others.vector <=> due.vector) as cosine
            from question_vectors as due
            join question_vectors as others on others.question <> due.question
            where due.question = $1
            and others.question <= $2
            order by others.vector <=> due.vector
            limit {MAX_PAIRS}
        ) as near
        where cosine >= {NEAR}"
    );
    sqlx::query_scalar(AssertSqlSafe(sql)).bind(question).bind(last).fetch_all(pool).await.expect("compared")
}

/// Adds texts with vectors around centres.
async fn fill(pool: &PgPool, by: &StoredEmbedder, random: &mut Random, numbers: std::ops::Range<usize>, paired: bool) {
    let n_centres = numbers.end.div_ceil(AROUND).max(1);
    let all: Vec<usize> = numbers.collect();
    for batch in all.chunks(BATCH) {
        let texts: Vec<String> = batch.iter().map(|n| format!("Is case {n} like the others?")).collect();
        let vectors: Vec<HalfVector> = batch.iter().map(|n| vector(n % n_centres, random)).collect();
        sqlx::query(
            "with added as (
                insert into questions (hash, text)
                select question_hash(text), text
                from unnest($1::text[]) as text
                returning id, text
            )
            insert into question_vectors (embedder, question, width, vector, paired)
            select embedders.id, added.id, embedders.width, given.vector, $3
            from unnest($1::text[], $2::halfvec[]) as given (text, vector)
            join added using (text)
            cross join embedders
            where embedders.name = $4",
        )
        .bind(texts)
        .bind(vectors)
        .bind(paired)
        .bind(&by.name)
        .execute(pool)
        .await
        .expect("vectors");
    }
    sqlx::query("analyze question_vectors").execute(pool).await.expect("analyze");
}

/// Vector near a centre: their cosine is about 0.8.
fn vector(centre: usize, random: &mut Random) -> HalfVector {
    let mut of_centre = Random(centre as u64 + 1_000_003);
    let components: Vec<f32> = (0..WIDTH).map(|_| of_centre.next() - 0.5 + 0.6 * (random.next() - 0.5)).collect();
    HalfVector::from_f32_slice(&components)
}

/// Numbers from 0 to 1 (splitmix64, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }
}
