//! Documents that exhaust the memory or time of a parser, or crash it, fail alone.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::postgres::PgConnectOptions;

use crate::attacks::documents::{file_of, operator_bomb};
use crate::support::corpus_folders::PERSONA;
use crate::support::database::{Database, migrated_database};
use crate::support::process_stats::PeakMemory;
use crate::support::service_process::command;
use crate::support::test_home::{TestHome, scripted_replies};

/// Maximum memory of an ingest and its parser together, in KiB; without limits, one PDF took 6.9 GB.
const MAX_KIB: u64 = 480 * 1024;
/// Maximum time of an ingest of such documents in a debug build; each parser has at most 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// PDF of one page whose text stream decompresses to `mib` MiB.
fn text_bomb(mib: usize) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(b"BT /F1 12 Tf\n").expect("pack");
    let line = b"(lime takes its time) Tj T*\n".repeat(1 << 15);
    for _ in 0..(mib << 20) / line.len() {
        packer.write_all(&line).expect("pack");
    }
    packer.write_all(b"ET\n").expect("pack");
    let stream = packer.finish().expect("pack");
    let objects: [Vec<u8>; 5] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [ 4 0 R ] >>".to_vec(),
        [format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", stream.len()).as_bytes(), &stream, b"\nendstream"]
            .concat(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] /Contents 3 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    file_of(&objects)
}

/// A persona with documents, and the environment of an ingest.
struct HostileCorpus {
    variables: Vec<(&'static str, String)>,
    _database: Database,
    _home: TestHome,
}

impl HostileCorpus {
    async fn with(documents: &[(&str, Vec<u8>)]) -> HostileCorpus {
        let (database, home) = (migrated_database().await, TestHome::new());
        let options: PgConnectOptions = database.options.clone();
        let mut variables = home.environment(&options, &scripted_replies(0));
        variables.retain(|(name, _)| *name != "FAULTLINE_PERSONAS" && *name != "FAULTLINE_CORPUS");
        let (personas, corpus) = (PathBuf::from(home.path("personas")), PathBuf::from(home.path("corpus")));
        fs::create_dir_all(&personas).expect("a folder");
        fs::create_dir_all(corpus.join("ada-quill")).expect("a folder");
        fs::write(personas.join("ada-quill.toml"), PERSONA).expect("written");
        for (name, bytes) in documents {
            fs::write(corpus.join("ada-quill").join(name), bytes).expect("written");
        }
        variables.push(("FAULTLINE_PERSONAS", personas.display().to_string()));
        variables.push(("FAULTLINE_CORPUS", corpus.display().to_string()));
        HostileCorpus { variables, _database: database, _home: home }
    }

    /// Runs an ingest; returns its report and the peak memory of it and its parsers, in KiB.
    async fn ingest(&self) -> (Value, u64) {
        let mut command = command(&self.variables, &["corpus", "ingest", "--persona", "ada-quill", "--json"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("start an ingest");
        let memory = PeakMemory::of(child.id().expect("it runs"));
        let begun = Instant::now();
        let done = tokio::time::timeout(TIMEOUT, child.wait_with_output()).await.expect("it ends").expect("it ran");
        let (actual, kib) = (String::from_utf8_lossy(&done.stdout).into_owned(), memory.kib());
        println!("an ingest of hostile documents took {} MiB and {:.1?}", kib / 1024, begun.elapsed());
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!said.contains("panicked"), "{said}");
        (serde_json::from_str(&actual).unwrap_or_else(|_| panic!("{actual} {said}")), kib)
    }
}

/// Reason for which a document was skipped.
fn why<'a>(report: &'a Value, name: &str) -> &'a str {
    let skipped = report["skipped"].as_array().expect("a list");
    let of = |entry: &&Value| entry.to_string().contains(name);
    let found = skipped.iter().find(of).unwrap_or_else(|| panic!("{name} is not among {report:#}"));
    found["why"].as_str().unwrap_or_else(|| panic!("{found}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_documents_are_skipped_with_a_reason_and_others_are_read() {
    let page = "<html><body><article><h1>Of Lime</h1>".to_owned()
        + &"<p>Lime takes its time, and a mason who will not wait for it is no mason.</p>".repeat(12)
        + "</article></body></html>";
    let shelf = HostileCorpus::with(&[
        ("a-operators.pdf", operator_bomb()),
        ("b-text.pdf", text_bomb(60)),
        ("c-torn.pdf", b"%PDF-1.5\n1 0 obj\n[[[[".to_vec()),
        ("d-honest.html", page.into_bytes()),
    ])
    .await;
    let (report, kib) = shelf.ingest().await;
    assert!(
        why(&report, "a-operators").contains("decompresses to more than 64 MiB of drawing instructions"),
        "{report:#}"
    );
    assert!(why(&report, "b-text").contains("needs more than 256 MiB of memory to parse"), "{report:#}");
    assert!(why(&report, "c-torn").contains("cannot be read"), "{report:#}");
    assert_eq!(report["personas"]["ada-quill"]["documents"]["read"], 1, "{report:#}");
    assert!(kib <= MAX_KIB, "{kib} KiB");
}
