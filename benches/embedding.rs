//! Cost of embedding in process: by length of text, on one core and on two, and for the ingest of a corpus.
//!
//! Run `cargo bench --bench embedding`, optionally with the number of passages to ingest: 1,000 by default, 10,000 is
//! the figure of interest, 0 for none. It fetches the weights if they are missing, and runs a private server under
//! `.faultline`. Texts are the shipped corpora, cut to length. On a shared machine, the figures by processor time are
//! reliable and those by the clock are not.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faultline_ingest::corpus::{Folders, ingest};
use faultline_ingest::embedding::embed_all;
use faultline_providers::minilm::{EmbedderConcurrency, MiniLm};
use faultline_providers::ports::{Embedder, Pending};
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::embedded::cluster::open;
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::open::Store;
use faultline_store::provision::minilm::minilm_model;
use tokenizers::Tokenizer;

#[path = "shared/cpu_time.rs"]
mod cpu_time;

use cpu_time::cpu_time;

/// Tokens of a text, including the two special ones, and number of such texts in a measurement.
const LENGTHS: [(usize, usize); 3] = [(20, 240), (60, 120), (110, 80)];
/// Number of runs, of which the best counts: the others were disturbed.
const ROUNDS: usize = 2;

#[tokio::main]
async fn main() {
    let n_passages = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000);
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join(".faultline");
    let weights = minilm_model(&home.join("cache")).await.expect("fetch the weights");
    let minilm = |calls| MiniLm::open(&weights, EmbedderConcurrency { threads: 1, calls }).expect("open the weights");
    let mut tokenizer =
        Tokenizer::from_file(project_path("crates/providers/src/minilm-tokenizer.json")).expect("the tokenizer");
    // As the embedder configures it: the file would pad every text to 128 tokens.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).expect("no truncation");
    let words = words();

    println!("texts/s            cores   by the clock   by processor time   tokenizing, share of processor time");
    let (one, two) = (minilm(1), minilm(2));
    for (n_tokens, n) in LENGTHS {
        let texts = texts(&words, &tokenizer, n_tokens, n);
        let tokenizing = best(|| async {
            texts.iter().for_each(|text| drop(tokenizer.encode_fast(text.as_str(), true).expect("tokens")));
        });
        let tokenizing = tokenizing.await;
        for (cores, embedder) in [(1, &one), (2, &two)] {
            let spent = best(|| async { drop(embed_all(embedder, &texts, &|_| {}).await.expect("embed")) }).await;
            println!(
                "{n_tokens:>4} tokens        {cores:>5}   {:>12.0}   {:>17.0}   {:>5.1} %",
                n as f64 / spent.clock.as_secs_f64(),
                n as f64 / spent.cpu.as_secs_f64(),
                100.0 * tokenizing.cpu.as_secs_f64() / spent.cpu.as_secs_f64(),
            );
        }
    }
    by_call(&one, &words, &tokenizer).await;
    if n_passages > 0 {
        ingest_corpus(&home, &two, &words, &tokenizer, n_passages).await;
    }
}

/// Embedder with a fixed number of texts per call.
struct ByCall<'a>(&'a MiniLm, usize);

impl Embedder for ByCall<'_> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn max_batch_size(&self) -> usize {
        self.1
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        self.0.embed(texts)
    }
}

/// Prints the rate by the number of texts per call, for texts of all lengths together. The vectors must be equal.
async fn by_call(minilm: &MiniLm, words: &[String], tokenizer: &Tokenizer) {
    let texts: Vec<String> = (0..160).flat_map(|n| texts_from(words, tokenizer, 8 + n * 37 % 60, 1, n * 61)).collect();
    let mut first: Option<(Vec<Vec<f32>>, f64)> = None;
    println!(
        "\ntexts of 8 to 67 tokens, one core       texts a call   texts/s by processor time   times the rate one by one"
    );
    for a_call in [1, 4, 16, 64] {
        let embedder = ByCall(minilm, a_call);
        let spent = best(|| async { drop(embed_all(&embedder, &texts, &|_| {}).await.expect("embed")) }).await;
        let (vectors, rate) =
            (embed_all(&embedder, &texts, &|_| {}).await.expect("embed"), texts.len() as f64 / spent.cpu.as_secs_f64());
        let (reference, slowest) = first.get_or_insert_with(|| (vectors.clone(), rate));
        assert!(*reference == vectors, "vectors differ with {a_call} texts a call");
        println!("{:>54}   {rate:>25.0}   {:>10.2}", a_call, rate / *slowest);
    }
}

/// Ingests a corpus of `n_passages` passages of about 110 tokens, on two cores.
async fn ingest_corpus(home: &Path, minilm: &MiniLm, words: &[String], tokenizer: &Tokenizer, n_passages: usize) {
    let service = tempfile::tempdir().expect("a folder");
    let (personas, corpus) = (service.path().join("personas"), service.path().join("corpus"));
    std::fs::create_dir_all(&personas).expect("a folder");
    std::fs::create_dir_all(corpus.join("edda-tolvane")).expect("a folder");
    std::fs::copy(project_path("personas/edda-tolvane.toml"), personas.join("edda-tolvane.toml")).expect("a persona");
    for (n, passages) in texts(words, tokenizer, 110, n_passages).chunks(50).enumerate() {
        let front = format!("---\ntitle: Volume {n}\nsource: a drawer\ndate: 2025-02-20\nkind: letter\n---\n\n");
        let text = front + &passages.join("\n\n");
        std::fs::write(corpus.join(format!("edda-tolvane/{n:04}.md")), text).expect("a document");
    }
    let place = ClusterLayout { state: home.join("bench-postgres"), ..ClusterLayout::under(home) };
    let cluster = open(&place, &|_| ()).await.expect("a private PostgreSQL");
    let store = Store::open_private(&cluster, &ConnectionSettings::default()).await.expect("the store");
    store.library.remove_persona(&"edda-tolvane".parse().expect("an id")).await.expect("remove the persona");
    let (began, cpu) = (Instant::now(), own_cpu_time());
    let folders = Folders { personas, corpus, only: None };
    let report = ingest(&store.library, minilm, &folders, &|_| {}).await.expect("ingest");
    let (clock, cpu) = (began.elapsed(), own_cpu_time().saturating_sub(cpu));
    let holdings = &store.library.holdings().await.expect("count")[0];
    println!(
        "\ningest: {} passages with {} sentences in {:.0} s by the clock, {:.0} s of processor time without the server's; \
         10,000 passages would be {:.0} s and {:.0} s",
        report.total().passages.new,
        holdings.n_sentences,
        clock.as_secs_f64(),
        cpu.as_secs_f64(),
        clock.as_secs_f64() * 10_000.0 / holdings.n_passages as f64,
        cpu.as_secs_f64() * 10_000.0 / holdings.n_passages as f64,
    );
    store.close().await;
    cluster.stop().await.expect("stop");
}

/// Time spent.
#[derive(Clone, Copy)]
struct Spent {
    clock: Duration,
    cpu: Duration,
}

/// Returns the least time of several runs.
async fn best<F: Future<Output = ()>>(run: impl Fn() -> F) -> Spent {
    let mut best = Spent { clock: Duration::MAX, cpu: Duration::MAX };
    for _ in 0..ROUNDS {
        let (began, before) = (Instant::now(), own_cpu_time());
        run().await;
        best.clock = best.clock.min(began.elapsed());
        best.cpu = best.cpu.min(own_cpu_time().saturating_sub(before));
    }
    best
}

fn own_cpu_time() -> Duration {
    cpu_time(std::process::id())
}

fn project_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the words of the shipped corpora.
fn words() -> Vec<String> {
    let mut words = Vec::new();
    for folder in std::fs::read_dir(project_path("corpus")).expect("corpus") {
        for file in std::fs::read_dir(folder.expect("a folder").path()).expect("a folder") {
            let file = file.expect("a file").path();
            if file.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = std::fs::read_to_string(file).expect("a text");
            let body = text.splitn(3, "---").last().unwrap_or_default().to_owned();
            words.extend(body.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Builds `n` texts of `n_tokens` tokens, each from another place in the corpora.
fn texts(words: &[String], tokenizer: &Tokenizer, n_tokens: usize, n: usize) -> Vec<String> {
    texts_from(words, tokenizer, n_tokens, n, 0)
}

fn texts_from(words: &[String], tokenizer: &Tokenizer, n_tokens: usize, n: usize, from: usize) -> Vec<String> {
    let mut at = from;
    let mut text = || {
        let mut text = String::new();
        while tokenizer.encode_fast(text.as_str(), true).expect("tokens").len() < n_tokens {
            // Past the end it continues at the beginning, one word later, so that no two texts are alike.
            text.push_str(&words[(at + at / words.len()) % words.len()]);
            text.push(' ');
            at += 1;
        }
        text
    };
    let texts: Vec<String> = (0..n).map(|_| text()).collect();
    assert!(texts.iter().all(|text| !text.is_empty()), "texts to embed");
    texts
}
