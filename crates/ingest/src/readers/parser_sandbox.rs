//! Sandbox for parsers of untrusted documents: a separate process per source.
//!
//! The same program is started again with [`COMMAND`] and an empty environment. It limits its own memory and CPU time
//! before it reads a byte (`limit`), reads one source from standard input, and writes the result to standard output. A
//! parser that crashes, exceeds its limits or hangs loses its source and leaves nothing behind.
//!
//! Protocol: a line of JSON that describes the source (`Task` in `read`), followed by its bytes; the answer is one JSON
//! value, the result or the reason of the failure.

use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::readers::document::ReadDocuments;

/// Hidden command that runs the program as a parser.
pub const COMMAND: &str = "parse-document";
/// Time limit of a parser in seconds, for both wall-clock and CPU time.
pub const PARSE_SECONDS: u64 = 30;
/// Memory limit of a parser beyond its program, in bytes. A PDF of 31 MB, mostly pictures, took a third of it.
pub const PARSE_BYTES: u64 = 256 << 20;

/// Stack size of the parser thread, in bytes.
const STACK_BYTES: usize = 64 << 20;
/// Maximum size of a parser's answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 20;
/// Maximum size of the task line, in bytes.
const MAX_TASK_BYTES: u64 = 64 << 10;
/// Allocator option; by default it would reserve 1 GiB of address space at once, which counts against the limit.
const NO_RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "0");
/// Path of this process's own program, even if its file was replaced in the meantime.
#[cfg(target_os = "linux")]
const OWN: &str = "/proc/self/exe";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the parser program, if this process is not `faultline` itself. Only the first call has an effect.
pub fn parse_with(program: &Path) {
    // Earlier callers set the same program.
    let _known = PROGRAM.set(program.to_owned());
}

fn program() -> io::Result<PathBuf> {
    if let Some(program) = PROGRAM.get() {
        return Ok(program.clone());
    }
    #[cfg(target_os = "linux")]
    return Ok(PathBuf::from(OWN));
    #[cfg(not(target_os = "linux"))]
    std::env::current_exe()
}

/// Parses a source in a separate process. Blocks.
///
/// # Errors
/// A message if the parser refuses the source, crashes, exceeds its memory or time, or cannot be started.
pub fn run_isolated(task: &impl Serialize, bytes: Vec<u8>) -> Result<ReadDocuments, String> {
    let program = program().map_err(|error| format!("cannot start its parser: {error}"))?;
    apart_by(Command::new(program), task, bytes, Duration::from_secs(PARSE_SECONDS))
}

fn apart_by(
    mut program: Command,
    task: &impl Serialize,
    bytes: Vec<u8>,
    within: Duration,
) -> Result<ReadDocuments, String> {
    let unstarted = |error: io::Error| format!("cannot start its parser: {error}");
    let mut line = serde_json::to_vec(task).map_err(|error| error.to_string())?;
    line.push(b'\n');
    let mut child = program
        .arg(COMMAND)
        .env_clear()
        .env(NO_RESERVE.0, NO_RESERVE.1)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(unstarted)?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("cannot start its parser".to_owned());
    };
    // Write and read concurrently: a parser may answer before it has read all of its input, and then stops reading.
    let feed = move || drop(to.write_all(&line).and_then(|()| to.write_all(&bytes)));
    let (done, told) = sync_channel(1);
    let hear = move || {
        let mut answer = Vec::new();
        let read = from.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut answer);
        // The receiver may have timed out.
        let _unheard = done.send(read.map(|_| answer));
    };
    let threads = thread::Builder::new().spawn(feed).and_then(|_| thread::Builder::new().spawn(hear));
    if let Err(why) = threads {
        end(&mut child);
        return Err(unstarted(why));
    }
    let answer = match told.recv_timeout(within) {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Vec::new(),
        Err(RecvTimeoutError::Timeout) => {
            end(&mut child);
            return Err(format!("needs more than {} seconds to parse", within.as_secs_f32()));
        }
    };
    if answer.len() as u64 > MAX_ANSWER_BYTES {
        end(&mut child);
        return Err(format!("contains more than {} MiB of text", MAX_ANSWER_BYTES >> 20));
    }
    let status = child.wait().map_err(unstarted)?;
    if !status.success() {
        return Err(broken(status));
    }
    serde_json::from_slice(&answer).unwrap_or_else(|_| Err(broken(status)))
}

/// Kills a parser and waits for its exit.
fn end(child: &mut Child) {
    // The kill fails if the process has exited already; the failure does not matter.
    let _ended = child.kill();
    let _status = child.wait();
}

/// Describes the reason of a parser's abnormal exit.
fn broken(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) if signal == signals::XCPU => {
            format!("needs more than {PARSE_SECONDS} seconds of CPU time to parse")
        }
        Some(signal) if signal == signals::KILL => {
            "had its parser killed from outside, perhaps because the machine ran out of memory".to_owned()
        }
        // The allocator aborts if it is out of memory, and nothing else aborts.
        Some(signal) if signal == signals::ABRT => {
            format!("needs more than {} MiB of memory to parse", PARSE_BYTES >> 20)
        }
        _ => "crashes its parser; it is corrupt or malicious".to_owned(),
    }
}

/// Signal numbers, identical on Linux and macOS.
mod signals {
    use rustix::process::Signal;

    pub const ABRT: i32 = Signal::ABORT.as_raw();
    pub const KILL: i32 = Signal::KILL.as_raw();
    pub const XCPU: i32 = Signal::XCPU.as_raw();
}

/// Runs the parser side: limits this process, reads a task and a source from standard input, and answers on standard
/// output.
///
/// # Errors
/// [`io::Error`] if the limits cannot be set, the input is malformed, or the output cannot be written.
pub fn serve<T: DeserializeOwned + Send + 'static>(
    parse: fn(T, Vec<u8>) -> Result<ReadDocuments, String>,
) -> io::Result<()> {
    limit()?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.by_ref().take(MAX_TASK_BYTES).read_until(b'\n', &mut line)?;
    let task: T = serde_json::from_slice(&line)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let run = move || catch_unwind(AssertUnwindSafe(|| parse(task, bytes)));
    let parser = thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES).spawn(run)?;
    let read = parser
        .join()
        .and_then(|result| result)
        .unwrap_or_else(|_| Err("crashes its parser; it is corrupt or malicious".to_owned()));
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, &read)?;
    output.flush()
}

/// Limits this process to what a parser needs: memory, CPU time, no file output, no core dump.
fn limit() -> io::Result<()> {
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, to(0))?;
    setrlimit(Resource::Fsize, to(0))?;
    // The soft limit raises SIGXCPU, which identifies the cause.
    setrlimit(Resource::Cpu, Rlimit { current: Some(PARSE_SECONDS), maximum: Some(PARSE_SECONDS + 1) })?;
    // The limits come on top of the memory that the program itself maps. Other systems do not enforce them.
    #[cfg(target_os = "linux")]
    {
        let [size, data] = mapped(["VmSize:", "VmData:"])?;
        let beside = STACK_BYTES as u64 + PARSE_BYTES;
        setrlimit(Resource::As, to(size + beside))?;
        setrlimit(Resource::Data, to(data + beside))?;
        // The parser of a killed process is killed too.
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    }
    Ok(())
}

/// Reads memory counters of this process from `/proc/self/status`, in bytes.
#[cfg(target_os = "linux")]
fn mapped(names: [&str; 2]) -> io::Result<[u64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = |name: &str| -> Option<u64> {
        status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB")?.trim().parse().ok())
    };
    match names.map(kib) {
        [Some(one), Some(other)] => Ok([one << 10, other << 10]),
        _ => Err(io::Error::other("/proc/self/status has an unexpected format")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shell script as the parser and returns the result.
    fn parsed(script: &str, within: Duration) -> Result<ReadDocuments, String> {
        let mut program = Command::new("/bin/sh");
        program.args(["-c", script]);
        apart_by(program, &"task", vec![b'x'; 1 << 20], within)
    }

    #[test]
    fn parser_failures_are_reported_with_their_cause() {
        let long = Duration::from_secs(60);
        let why = |script: &str, within| parsed(script, within).map(drop).unwrap_err();
        let said = r#"{"Ok":{"documents":[],"passed_over":["a"],"remarks":[]}}"#;
        assert_eq!(parsed(&format!("cat >/dev/null; echo '{said}'"), long).unwrap().passed_over, ["a"]);
        // The parser answers without reading its input.
        assert_eq!(why(r#"echo '{"Err":"no"}'"#, long), "no");
        assert!(why("echo nonsense", long).starts_with("crashes its parser"));
        assert!(why("kill -SEGV $$", long).starts_with("crashes its parser"));
        assert!(why("exit 3", long).starts_with("crashes its parser"));
        assert_eq!(why("kill -ABRT $$", long), "needs more than 256 MiB of memory to parse");
        assert_eq!(why("kill -XCPU $$", long), "needs more than 30 seconds of CPU time to parse");
        assert!(why("kill -KILL $$", long).starts_with("had its parser killed"));
        assert_eq!(why("exec sleep 60", Duration::from_millis(50)), "needs more than 0.05 seconds to parse");
        let none = apart_by(Command::new("/no/such/program"), &"task", Vec::new(), long).map(drop).unwrap_err();
        assert!(none.starts_with("cannot start its parser"), "{none}");
    }
}
