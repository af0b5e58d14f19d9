//! Quality of the search on questions and look-ups over the shipped corpora, and its speed on generated libraries.
//!
//! `cargo bench --bench retrieval -- [quality] [1000] [100000] [1000000] [shards=2]` measures what is named; by default the
//! quality, 1,000 and 100,000 passages. With `shards`, the personas of a generated library are spread over so many databases of
//! the server, each of which is searched. It uses `DATABASE_URL`, whose user must be a superuser, or else a private server.
//!
//! A generated passage is four sentences of the shipped corpora, one and three of the thirty that are nearest to it in
//! meaning, and two made-up words; its vector is the mean of theirs. All vectors are therefore mixtures of real ones
//! and distributed like them; their similarity to the embedder's own vectors of the same texts is printed. One persona
//! has 20 % of the passages, others 5, 1 and 0.1 %, and sixty personas have the rest. Times are measured by the caller,
//! without embedding; beside them is the time of a scan of all vectors.

use std::time::{Duration, Instant};

use faultline_core::events::ids::PersonaId;
use faultline_providers::minilm::{EmbedderConcurrency, MiniLm};
use faultline_providers::ports::Embedder;
use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::library::open::Library;
use faultline_store::library::recall::{CorpusScope, LibrarySearch, MAX_SCAN_LIMIT, n_candidates};
use faultline_store::open::Store;
use faultline_store::provision::minilm::minilm_model;
use faultline_store::shard::ShardAddress;
use faultline_store::stored_embedder::StoredEmbedder;
use pgvector::HalfVector;
use sqlx::postgres::PgConnection;
use sqlx::{ConnectOptions, Connection, Executor, PgPool};
use tokio::task::JoinHandle;
use uuid::Uuid;

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "../tests/retrieval/evaluation_set.rs"]
mod evaluation_set;

use bench_database::{BenchDatabase, home_dir};
use evaluation_set::{EvaluationQuery, EvaluationSet, HALVES, KINDS, RANKINGS, Scope};

const WIDTH: usize = 384;
/// Passages written per statement.
const BATCH: usize = 2_000;
/// Sentences of a generated passage besides its first, and number of nearest sentences from which they are drawn.
const FURTHER: usize = 3;
const NEAREST: usize = 30;
/// Interval between reports on the progress of an index build.
const TOLD_EVERY: Duration = Duration::from_secs(10);
/// Difference of distances that half precision does not tell apart.
const SAME: f64 = 1e-6;
/// Numbers of candidates of an index that are compared.
const CANDIDATES: [i32; 4] = [100, 200, 300, 400];
/// Number of times each search is run; the first does not count.
const ROUNDS: usize = 3;

#[tokio::main]
async fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if wanted.is_empty() {
        wanted = ["quality", "1000", "100000"].map(str::to_owned).to_vec();
    }
    let weights = minilm_model(&home_dir().join("cache")).await.expect("fetch the weights");
    let embedder = MiniLm::open(&weights, EmbedderConcurrency { threads: 1, calls: 2 }).expect("open the weights");

    let (pool, database) = migrated_database("faultline_bench_shipped").await;
    let library = Library::new(pool.clone());
    let began = Instant::now();
    let by = evaluation_set::fill(&library, &embedder).await;
    println!("the shipped corpora were embedded and stored in {:.1} s", began.elapsed().as_secs_f64());
    let set = evaluation_set::read(&pool, &embedder).await;
    if wanted.iter().any(|argument| argument == "quality") {
        quality((&pool, &library, &by), &set).await;
    }
    let seeds = seeds(&pool).await;
    pool.close().await;
    database.delete().await;
    if wanted.iter().any(|argument| argument.parse::<usize>().is_ok()) {
        likeness(&seeds, &embedder).await;
    }
    let n_servers = wanted.iter().find_map(|argument| argument.strip_prefix("shards=")?.parse().ok()).unwrap_or(1);
    for n in wanted.iter().filter_map(|argument| argument.parse().ok()) {
        generated((n, n_servers), &seeds, &set).await;
    }
}

async fn migrated_database(name: &str) -> (PgPool, BenchDatabase) {
    let database = BenchDatabase::create(name).await;
    let pool = pool::connect(database.options.clone(), &ConnectionSettings::default()).await.expect("migrate");
    (pool, database)
}

async fn run(connection: &mut PgConnection, sql: String) {
    connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(sql))).await.expect("a statement");
}

async fn quality(over: (&PgPool, &Library, &StoredEmbedder), set: &EvaluationSet) {
    println!("\n{:<46} recall@5   MRR@10", "search in the passages ...");
    for scope in [Scope::All, Scope::Author] {
        for (half, half_name) in HALVES.iter().enumerate() {
            for (kind, halves) in KINDS.iter().zip(&set.queries) {
                for ranking in RANKINGS {
                    let score = evaluation_set::score(over, ranking, scope, &halves[half]).await;
                    let label = format!("{}, {kind}, {half_name}, {ranking:?}", scope.name());
                    println!("{label:<46} {:>8.3} {:>8.3}", score.recall, score.mrr);
                }
            }
        }
    }
}

/// Material of generated libraries: sentences, and for each of them the nearest ones.
struct Seeds {
    sentences: Vec<String>,
    vectors: Vec<Vec<f32>>,
    nearest: Vec<Vec<usize>>,
}

async fn seeds(pool: &PgPool) -> Seeds {
    let sql = "
        select distinct on (body) body, vector
        from sentences
        join sentence_vectors using (persona, chunk, ordinal)
        order by body";
    let rows: Vec<(String, HalfVector)> = sqlx::query_as(sql).fetch_all(pool).await.expect("sentences");
    let whole = |vector: HalfVector| vector.as_slice().iter().map(|component| component.to_f32()).collect();
    let (sentences, vectors): (Vec<String>, Vec<Vec<f32>>) =
        rows.into_iter().map(|(body, vector)| (body, whole(vector))).unzip();
    let nearest = |of: &Vec<f32>| {
        let mut order: Vec<(f32, usize)> = vectors.iter().map(|vector| dot(of, vector)).zip(0..).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        order[1..=NEAREST].iter().map(|(_, at)| *at).collect()
    };
    Seeds { nearest: vectors.iter().map(nearest).collect(), sentences, vectors }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Random numbers that are the same in every run (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Draws the sentences of a passage.
    fn passage(&mut self, seeds: &Seeds) -> [usize; 1 + FURTHER] {
        let first = self.below(seeds.sentences.len());
        std::array::from_fn(|at| if at == 0 { first } else { seeds.nearest[first][self.below(NEAREST)] })
    }

    fn text(&mut self, of: &[usize], seeds: &Seeds) -> String {
        let sentences: Vec<&str> = of.iter().map(|at| seeds.sentences[*at].as_str()).collect();
        format!("{} Note w{} x{}.", sentences.join(" "), self.below(200_000), self.below(20_000))
    }
}

/// Returns the mean of vectors, normalized to length 1.
fn mean(of: &[usize], seeds: &Seeds) -> Vec<f32> {
    let sum: Vec<f32> = (0..WIDTH).map(|at| of.iter().map(|index| seeds.vectors[*index][at]).sum()).collect();
    let length = dot(&sum, &sum).sqrt();
    sum.iter().map(|component| component / length).collect()
}

/// Prints the cosine between vectors of generated passages and the embedder's vectors of their texts.
async fn likeness(seeds: &Seeds, embedder: &MiniLm) {
    let mut chance = Random(11);
    let passages: Vec<_> = (0..64).map(|_| chance.passage(seeds)).collect();
    let texts: Vec<String> = passages.iter().map(|passage| chance.text(passage, seeds)).collect();
    let embedded = embedder.embed(&texts).await.expect("embed");
    let cosines = passages.iter().zip(&embedded).map(|(passage, own)| dot(&mean(passage, seeds), own));
    println!("\ngenerated vectors, cosine with the embedder's own: {:.3} (mean of 64)", cosines.sum::<f32>() / 64.0);
}

/// Returns the personas of a generated library, with the number of passages of each.
fn shelves(n: usize) -> Vec<(String, usize)> {
    let named = [("large", 0.2), ("middle", 0.05), ("small", 0.01), ("tiny", 0.001)];
    let mut shelves: Vec<(String, usize)> =
        named.iter().map(|(name, share)| ((*name).to_owned(), (n as f64 * share).ceil() as usize)).collect();
    let rest = n - shelves.iter().map(|(_, n)| n).sum::<usize>();
    shelves.extend((0..60).map(|at| (format!("other-{at}"), rest * (at + 1) / 60 - rest * at / 60)));
    shelves
}

/// Library whose corpora are on one or several databases.
struct Servers {
    store: Store,
    databases: Vec<BenchDatabase>,
}

impl Servers {
    async fn create(n_servers: usize) -> Servers {
        let home = BenchDatabase::create("faultline_bench_generated").await;
        let mut databases = vec![home];
        let mut shards = Vec::new();
        for number in 1..n_servers {
            let shard = databases[0].beside(&format!("faultline_bench_generated_{number}")).await;
            shards.push(ShardAddress { name: format!("s{number}"), url: shard.options.to_url_lossy().to_string() });
            databases.push(shard);
        }
        let settings = ConnectionSettings { shards, ..ConnectionSettings::default() };
        let store = Store::open(databases[0].options.clone(), &settings).await.expect("migrate");
        Servers { store, databases }
    }

    fn pools(&self) -> Vec<PgPool> {
        self.store.log.shards().pools().cloned().collect()
    }

    async fn delete(self) {
        self.store.close().await;
        // The private server ends with the first.
        for database in self.databases.into_iter().rev() {
            database.delete().await;
        }
    }
}

async fn generated((n, n_servers): (usize, usize), seeds: &Seeds, set: &EvaluationSet) {
    let servers = Servers::create(n_servers).await;
    let (library, pools) = (&servers.store.library, servers.pools());
    let by = library.embedder("generated", WIDTH, false).await.expect("an embedder");
    let began = Instant::now();
    generate(&pools, n, seeds).await;
    servers.store.log.shards().reload().await.expect("where the corpora are");
    println!("\n{n} passages on {n_servers} servers generated in {:.0} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let telling: Vec<_> = pools.iter().map(|pool| tokio::spawn(report_progress(pool.clone()))).collect();
    let tended = library.maintain().await.expect("tend");
    telling.iter().for_each(JoinHandle::abort);
    println!(
        "tended in {:.1} s: {} words, {} indexes",
        began.elapsed().as_secs_f64(),
        tended.n_words,
        tended.made.len()
    );
    let stats = library.stats().await.expect("count");
    println!("on disk: {} MB of texts, {} MB of vectors", stats.text_bytes / 1_000_000, stats.vector_bytes / 1_000_000);
    println!(
        "{:<26} {:>9} {:>9} {:>9} {:>9} {:>9}   recall@10 of the nearest",
        "search, ms", "p50", "p95", "min", "max", "each"
    );
    let asked: Vec<&EvaluationQuery> = set.queries.iter().flatten().flatten().collect();
    for persona in [None, Some("large"), Some("middle"), Some("small"), Some("tiny")] {
        let persona: Option<PersonaId> = persona.map(|name| name.parse().expect("an id"));
        let whose = persona.as_ref().map_or(CorpusScope::All, |persona| CorpusScope::Of(std::slice::from_ref(persona)));
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            for it in &asked {
                let began = Instant::now();
                let search = LibrarySearch { whose, text: &it.text, vector: &it.vector, limit: 10 };
                library.search(&by, search).await.expect("search");
                if round > 0 {
                    times.push(began.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        let name = persona.as_ref().map_or("all", PersonaId::as_str);
        let (wanted, each) = nearest_of_all(&pools, persona.as_ref(), &|_| None, &asked).await;
        // A few passages are scanned.
        let candidates = |n_passages| (n_passages > MAX_SCAN_LIMIT).then(|| n_candidates(n_passages));
        let (found, _) = nearest_of_all(&pools, persona.as_ref(), &candidates, &asked).await;
        let recall = recall(&wanted, &found);
        println!(
            "{name:<26} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {each:>9.1}   {recall:.3}",
            at(0.5),
            at(0.95),
            at(0.0),
            at(1.0)
        );
    }
    println!("\n{:<26} {:>9}   recall@10 of the nearest", "all, candidates", "p50, ms");
    let (wanted, _) = nearest_of_all(&pools, None, &|_| None, &asked).await;
    for n_candidates in CANDIDATES {
        let (found, median) = nearest_of_all(&pools, None, &|_| Some(n_candidates), &asked).await;
        println!("{n_candidates:<26} {median:>9.1}   {:.3}", recall(&wanted, &found));
    }
    servers.delete().await;
}

/// Reports the progress of an index build, until it is aborted.
async fn report_progress(pool: PgPool) {
    let sql = "
        select index_relid::regclass::text, phase, tuples_done, tuples_total
        from pg_stat_progress_create_index
        where datname = current_database()";
    loop {
        tokio::time::sleep(TOLD_EVERY).await;
        let under_way: Vec<(String, String, i64, i64)> =
            sqlx::query_as(sql).fetch_all(&pool).await.expect("see how far it is");
        for (index, phase, done, total) in under_way {
            println!("  {index}: {phase}, {done} of {total}");
        }
    }
}

/// Generates `n` passages. The personas are dealt to the servers in turn.
async fn generate(pools: &[PgPool], n: usize, seeds: &Seeds) {
    let mut chance = Random(7);
    let shelves = shelves(n);
    for (number, pool) in pools.iter().enumerate() {
        let dealt = shelves.iter().enumerate().filter(|(at, _)| at % pools.len() == number).map(|(_, shelf)| shelf);
        generate_on((pool, number), &dealt.collect::<Vec<_>>(), (&mut chance, seeds)).await;
    }
    for (at, (persona, _)) in shelves.iter().enumerate().filter(|(at, _)| at % pools.len() > 0) {
        let sql = "insert into corpus_owners (id, shard, is_closed) values ($1, 's' || $2::text, true)";
        let owner = sqlx::query(sql).bind(persona).bind((at % pools.len()).to_string());
        pools[0].execute(owner).await.expect("an owner");
    }
}

async fn generate_on(
    (pool, number): (&PgPool, usize),
    shelves: &[&(String, usize)],
    (chance, seeds): (&mut Random, &Seeds),
) {
    let mut connection = pool.acquire().await.expect("a connection");
    if number > 0 {
        let sql = format!(
            "insert into embedders (id, name, width, stand_in, in_use)
            overriding system value
            values (1, 'generated', {WIDTH}, false, true)"
        );
        run(&mut connection, sql).await;
    }
    // Neither order nor foreign keys of the generated rows need to be checked.
    connection.execute("set session_replication_role = replica").await.expect("a superuser");
    connection.execute("create temporary table seeds (at integer, vector halfvec)").await.expect("a table");
    let sql = "insert into seeds select place - 1, vector from unnest($1::halfvec[]) with ordinality as given (vector, place)";
    let vectors: Vec<HalfVector> = seeds.vectors.iter().map(|vector| HalfVector::from_f32_slice(vector)).collect();
    connection.execute(sqlx::query(sql).bind(vectors)).await.expect("seeds");
    for (persona, n) in shelves {
        let sql = "insert into personas (id, name, version, topics, body) values ($1, $1, 1, '{}', '{}')";
        connection.execute(sqlx::query(sql).bind(persona)).await.expect("a persona");
        // The trigger that adds the owner does not fire for a replica.
        let sql = "insert into corpus_owners (id) values ($1)";
        connection.execute(sqlx::query(sql).bind(persona)).await.expect("an owner");
        let sql = "
            insert into documents (persona, name, title, source, dated, kind, hash)
            values ($1, 'all', 'All', 'a drawer', '2025-01-01', 'book', decode(repeat('00', 32), 'hex'))";
        connection.execute(sqlx::query(sql).bind(persona)).await.expect("a document");
        for from in (0..*n).step_by(BATCH) {
            write(&mut connection, persona, from, BATCH.min(n - from), (&mut *chance, seeds)).await;
        }
    }
    connection.execute("set session_replication_role = origin").await.expect("reset the replication role");
    connection.execute("drop table seeds").await.expect("drop");
    connection.execute("set statement_timeout = 0").await.expect("set");
    connection.execute("analyze").await.expect("analyze");
    connection.detach().close().await.expect("close");
}

/// Writes passages of a persona, from this place on.
async fn write(
    connection: &mut PgConnection,
    persona: &str,
    from: usize,
    n: usize,
    (chance, seeds): (&mut Random, &Seeds),
) {
    let passages: Vec<_> = (0..n).map(|_| chance.passage(seeds)).collect();
    let ids: Vec<Uuid> = (0..n).map(|_| Uuid::from_u64_pair(chance.next(), chance.next())).collect();
    let texts: Vec<String> = passages.iter().map(|passage| chance.text(passage, seeds)).collect();
    let vectors: Vec<HalfVector> =
        passages.iter().map(|passage| HalfVector::from_f32_slice(&mean(passage, seeds))).collect();
    let sentences: Vec<i32> = passages.iter().flatten().map(|at| *at as i32).collect();
    let sql = "
        with given as (
            select * from unnest($2::uuid[], $3::text[], $4::halfvec[])
                with ordinality as given (id, body, vector, place)
        ),
        written as (
            insert into chunks (persona, id, document, ordinal, body)
            select $1, id, 'all', $5 + place::integer, body from given
        ),
        placed as (
            insert into chunk_vectors (persona, embedder, chunk, vector)
            select $1, (select id from embedders), id, vector from given
        )
        insert into sentence_vectors (persona, embedder, chunk, ordinal, vector)
        select $1, (select id from embedders), id, (nth - 1) % $7, seeds.vector
        from unnest($6::integer[]) with ordinality as sentence (at, nth)
        join seeds using (at)
        join given on given.place = (nth - 1) / $7 + 1";
    let query = sqlx::query(sql).bind(persona).bind(ids).bind(texts).bind(vectors).bind(from as i32);
    let query = query.bind(sentences).bind(1 + FURTHER as i64);
    connection.execute(query).await.expect("passages");
}

/// Returns the number of passages of a persona, or of all.
async fn count(pool: &PgPool, persona: Option<&PersonaId>) -> i64 {
    let sql = "select coalesce(sum(n_passages), 0)::bigint from shelves where $1::text is null or persona = $1";
    let count = sqlx::query_scalar(sql).bind(persona.map(PersonaId::as_str));
    count.fetch_one(pool).await.expect("the number of passages")
}

/// Returns the distances of the ten nearest passages on all servers for every third search, by indexes that keep so many
/// candidates as the function of their passages says, or by a scan (`None`); and the sum of the servers' median times in
/// milliseconds.
async fn nearest_of_all(
    pools: &[PgPool],
    persona: Option<&PersonaId>,
    n_candidates: &dyn Fn(i64) -> Option<i32>,
    asked: &[&EvaluationQuery],
) -> (Vec<Vec<f64>>, f64) {
    let (mut found, mut time): (Vec<Vec<f64>>, f64) = (Vec::new(), 0.0);
    for pool in pools {
        let n_passages = count(pool, persona).await;
        if n_passages == 0 {
            continue;
        }
        let (here, median) = nearest(pool, persona, n_candidates(n_passages), asked).await;
        found.resize(here.len(), Vec::new());
        found.iter_mut().zip(here).for_each(|(all, here)| all.extend(here));
        time += median;
    }
    for distances in &mut found {
        distances.sort_by(f64::total_cmp);
        distances.truncate(10);
    }
    (found, time)
}

/// Returns the distances of the ten nearest passages on one server for every third search, by an index that keeps this many
/// candidates, or by a scan (`None`); and the median time in milliseconds.
async fn nearest(
    pool: &PgPool,
    persona: Option<&PersonaId>,
    n_candidates: Option<i32>,
    asked: &[&EvaluationQuery],
) -> (Vec<Vec<f64>>, f64) {
    let whose = persona.map_or_else(|| "true".to_owned(), |persona| format!("persona = '{persona}'"));
    // No index has a sum.
    let added = if n_candidates.is_some() { "" } else { " + 0" };
    let sql = format!(
        "select vector::halfvec({WIDTH}) <=> $1::halfvec({WIDTH}) from chunk_vectors where {whose} and embedder = 1
        order by (vector::halfvec({WIDTH}) <=> $1::halfvec({WIDTH})){added} limit 10"
    );
    let mut tx = pool.begin().await.expect("begin");
    run(&mut tx, format!("set local hnsw.ef_search = {}", n_candidates.unwrap_or(100))).await;
    let (mut found, mut times) = (Vec::new(), Vec::new());
    for it in asked.iter().step_by(3) {
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.clone())).bind(HalfVector::from_f32_slice(&it.vector));
        let began = Instant::now();
        found.push(query.fetch_all(&mut *tx).await.expect("the nearest"));
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    tx.commit().await.expect("commit");
    times.sort_by(f64::total_cmp);
    (found, times[times.len() / 2])
}

/// Returns the share of the wanted passages that were found, or others that are as near: passages of the same sentences
/// have the same vector.
fn recall(wanted: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    let hits = wanted.iter().zip(found).map(|(wanted, found)| {
        let farthest = wanted.last().map_or(f64::MAX, |distance| distance + SAME);
        found.iter().filter(|distance| **distance <= farthest).count()
    });
    hits.sum::<usize>() as f64 / wanted.iter().map(Vec::len).sum::<usize>() as f64
}
