//! The browser of a test process: one for all tests, each of which has cookies and storage of its own in it
//! ([`Tab`](crate::studio::browser::Tab)).

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use crate::support::environment::report_skipped;

/// Names of the program, in order of preference.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// Options of a browser that talks to nobody else, and treats tabs that are behind others like those in front.
const OPTIONS: [&str; 13] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-update",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-port=0",
    "about:blank",
];
/// Time within which the browser must start.
const PATIENCE: Duration = Duration::from_secs(60);
/// Runs a browser until the input ends, which happens when the test process ends in any way, and deletes its files. Its reports
/// end with the browser, because the shell gives up its own end of them. The second attempt to delete is for files that the last
/// processes wrote meanwhile.
const KEEPER: &str = r#"
    trap '' INT
    "$@" &
    browser=$!
    exec 2>/dev/null
    read -r _
    kill "$browser"
    wait "$browser"
    rm -rf "$TMPDIR" || { sleep 1; rm -rf "$TMPDIR"; }
"#;

/// Running browser.
struct BrowserProcess {
    /// Address of its `DevTools`.
    address: String,
    /// Shell with [`KEEPER`], whose input is open as long as this process runs.
    _keeper: Child,
}

/// Returns the address of the browser's `DevTools`, and starts the browser if this is the first test with one. Returns `None`, and
/// says so, where none is installed.
pub fn devtools_address() -> Option<&'static str> {
    static BROWSER: LazyLock<Option<BrowserProcess>> = LazyLock::new(|| {
        let Some(program) = program() else {
            report_skipped("the studio in a browser, because Chromium is not installed");
            return None;
        };
        Some(start(program))
    });
    BROWSER.as_ref().map(|browser| browser.address.as_str())
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

fn start(program: PathBuf) -> BrowserProcess {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, "sh"])
        .arg(program)
        .args(OPTIONS)
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .env("TMPDIR", &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start the browser");
    let mut lines = BufReader::new(keeper.stderr.take().expect("stderr is piped")).lines();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let address = lines.find_map(|line| Some(line.ok()?.strip_prefix("DevTools listening on ")?.to_owned()));
        // Dropped without an address if the browser ended.
        if let Some(address) = address {
            sender.send(address).ok();
        }
        // A browser whose reports nobody reads would stop.
        lines.for_each(drop);
    });
    let address = receiver.recv_timeout(PATIENCE).expect("the browser starts");
    BrowserProcess { address, _keeper: keeper }
}
