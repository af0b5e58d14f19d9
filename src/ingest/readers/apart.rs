//! Parsing what strangers wrote, in a process of its own.
//!
//! The same program is started again as [`COMMAND`], without the environment. It limits itself to so much memory and time of
//! a processor before it reads a byte (`limit`), takes one source from its standard input, and writes what it read to its
//! standard output. A parser that breaks down, takes too much or does not come back costs its source, and nothing is left of it.
//!
//! The wire: a line of JSON that says what the source is (`Task` in `read`), then its bytes; and back one value of JSON, what was read or
//! why nothing was.

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

use crate::ingest::readers::document::Reading;

/// The hidden command by which the program is a parser.
pub const COMMAND: &str = "parse-document";
/// Seconds that a parser may take, by the clock and of a processor.
pub const PARSE_SECONDS: u64 = 30;
/// The memory that a parser may have beside its program, in bytes: a PDF of 31 MB, mostly pictures, took a third of it.
pub const PARSE_BYTES: u64 = 256 << 20;

/// The bytes of its stack.
const STACK_BYTES: usize = 64 << 20;
/// The most bytes of what a parser may say.
const ANSWER_BYTES: u64 = 64 << 20;
/// The most bytes of the line before a source.
const TASK_BYTES: u64 = 64 << 10;
/// Else the allocator would set 1 GiB of addresses aside at once, which counts as taken.
const NO_RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "0");
/// The program of this very process, also where its file was replaced meanwhile.
#[cfg(target_os = "linux")]
const OWN: &str = "/proc/self/exe";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that parses, where this process is not `faultline` itself. Counts once.
pub fn parse_with(program: &Path) {
    // Whoever named one before named the same.
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

/// Has a source parsed by a process of its own. Blocks.
///
/// # Errors
/// In words: the parser's own, that it broke down, took too much memory or time, or could not be started.
pub fn apart(task: &impl Serialize, bytes: Vec<u8>) -> Result<Reading, String> {
    let program = program().map_err(|it| format!("no parser can be had for it: {it}"))?;
    apart_by(Command::new(program), task, bytes, Duration::from_secs(PARSE_SECONDS))
}

fn apart_by(mut program: Command, task: &impl Serialize, bytes: Vec<u8>, within: Duration) -> Result<Reading, String> {
    let unstarted = |it: io::Error| format!("no parser can be had for it: {it}");
    let mut line = serde_json::to_vec(task).map_err(|it| it.to_string())?;
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
        return Err("no parser can be had for it".to_owned());
    };
    // Both at once: a parser may say that it has enough before it has read everything, and then it does not listen.
    let feed = move || drop(to.write_all(&line).and_then(|()| to.write_all(&bytes)));
    let (done, told) = sync_channel(1);
    let hear = move || {
        let mut answer = Vec::new();
        let read = from.take(ANSWER_BYTES + 1).read_to_end(&mut answer);
        // Nobody may be waiting any more.
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
            return Err(format!("takes its parser longer than {} seconds", within.as_secs_f32()));
        }
    };
    if answer.len() as u64 > ANSWER_BYTES {
        end(&mut child);
        return Err(format!("holds more than {} MiB of text", ANSWER_BYTES >> 20));
    }
    let status = child.wait().map_err(unstarted)?;
    if !status.success() {
        return Err(broken(status));
    }
    serde_json::from_slice(&answer).unwrap_or_else(|_| Err(broken(status)))
}

/// Ends a parser and waits for its end, which does not take long.
fn end(child: &mut Child) {
    // One that has ended by itself cannot be ended.
    let _ended = child.kill();
    let _status = child.wait();
}

/// The reason for a parser's end.
fn broken(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) if signal == signals::XCPU => {
            format!("takes its parser more than {PARSE_SECONDS} seconds of a processor")
        }
        Some(signal) if signal == signals::KILL => {
            "had its parser killed by somebody else, perhaps because the machine ran out of memory".to_owned()
        }
        // The allocator gives up by it, and nothing else does.
        Some(signal) if signal == signals::ABRT => {
            format!("takes its parser more than {} MiB of memory", PARSE_BYTES >> 20)
        }
        _ => "breaks its parser; it is damaged, or made to do so".to_owned(),
    }
}

/// The numbers of signals, which Linux and macOS share.
mod signals {
    use rustix::process::Signal;

    pub const ABRT: i32 = Signal::ABORT.as_raw();
    pub const KILL: i32 = Signal::KILL.as_raw();
    pub const XCPU: i32 = Signal::XCPU.as_raw();
}

/// The other end: limits this process, takes a task and a source from standard input, and answers on standard output.
///
/// # Errors
/// The system's: the limits could not be set, or nobody listens.
pub fn serve<T: DeserializeOwned + Send + 'static>(parse: fn(T, Vec<u8>) -> Result<Reading, String>) -> io::Result<()> {
    limit()?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.by_ref().take(TASK_BYTES).read_until(b'\n', &mut line)?;
    let task: T = serde_json::from_slice(&line)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let run = move || catch_unwind(AssertUnwindSafe(|| parse(task, bytes)));
    let parser = thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES).spawn(run)?;
    let read = parser
        .join()
        .and_then(|it| it)
        .unwrap_or_else(|_| Err("breaks its parser; it is damaged, or made to do so".to_owned()));
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, &read)?;
    output.flush()
}

/// Takes from this process what a parser does not need: memory beyond its share, time, files, a dump of its memory.
fn limit() -> io::Result<()> {
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, to(0))?;
    setrlimit(Resource::Fsize, to(0))?;
    // The first limit says by its signal that it was met.
    setrlimit(Resource::Cpu, Rlimit { current: Some(PARSE_SECONDS), maximum: Some(PARSE_SECONDS + 1) })?;
    // What the program itself takes is not held against its input. Elsewhere this limit is not kept.
    #[cfg(target_os = "linux")]
    {
        let [size, data] = mapped(["VmSize:", "VmData:"])?;
        let beside = STACK_BYTES as u64 + PARSE_BYTES;
        setrlimit(Resource::As, to(size + beside))?;
        setrlimit(Resource::Data, to(data + beside))?;
        // The parser of a process that was killed is not left behind.
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    }
    Ok(())
}

/// Memory of this process as the system counts it, in bytes: lines of `/proc/self/status`.
#[cfg(target_os = "linux")]
fn mapped(names: [&str; 2]) -> io::Result<[u64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = |name: &str| -> Option<u64> {
        status.lines().find_map(|it| it.strip_prefix(name)?.trim().strip_suffix("kB")?.trim().parse().ok())
    };
    match names.map(kib) {
        [Some(one), Some(other)] => Ok([one << 10, other << 10]),
        _ => Err(io::Error::other("/proc/self/status is not as expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of a source whose parser does this.
    fn parsed(script: &str, within: Duration) -> Result<Reading, String> {
        let mut program = Command::new("/bin/sh");
        program.args(["-c", script]);
        apart_by(program, &"task", vec![b'x'; 1 << 20], within)
    }

    #[test]
    fn what_breaks_or_hangs_costs_only_itself() {
        let long = Duration::from_secs(60);
        let why = |script: &str, within| parsed(script, within).map(drop).unwrap_err();
        let said = r#"{"Ok":{"documents":[],"passed_over":["a"],"remarks":[]}}"#;
        assert_eq!(parsed(&format!("cat >/dev/null; echo '{said}'"), long).unwrap().passed_over, ["a"]);
        // It has said what it has to say, and reads nothing.
        assert_eq!(why(r#"echo '{"Err":"no"}'"#, long), "no");
        assert!(why("echo nonsense", long).starts_with("breaks its parser"));
        assert!(why("kill -SEGV $$", long).starts_with("breaks its parser"));
        assert!(why("exit 3", long).starts_with("breaks its parser"));
        assert_eq!(why("kill -ABRT $$", long), "takes its parser more than 256 MiB of memory");
        assert_eq!(why("kill -XCPU $$", long), "takes its parser more than 30 seconds of a processor");
        assert!(why("kill -KILL $$", long).starts_with("had its parser killed"));
        assert_eq!(why("exec sleep 60", Duration::from_millis(50)), "takes its parser longer than 0.05 seconds");
        let none = apart_by(Command::new("/no/such/program"), &"task", Vec::new(), long).map(drop).unwrap_err();
        assert!(none.starts_with("no parser can be had for it"), "{none}");
    }
}
