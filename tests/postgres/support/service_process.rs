//! The service as a process of its own.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{ExitStatus, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::support::client::Client;
use crate::support::waiting::with_timeout;

/// Process that runs `faultline serve`, killed on drop.
pub struct ServiceProcess {
    /// Client of the service.
    pub client: Client,
    child: Child,
}

/// Path of the binary under test: this build, or the one in `FAULTLINE_ATTACKED` to see how the tests fail there.
pub fn binary_under_test() -> OsString {
    std::env::var_os("FAULTLINE_ATTACKED").unwrap_or_else(|| env!("CARGO_BIN_EXE_faultline").into())
}

/// Command that runs the program with only these variables and `PATH` in its environment.
pub fn command(variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
    command_at(&binary_under_test(), variables, arguments)
}

/// [`command`] with the binary at a path.
pub fn command_at(path: &OsStr, variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .args(arguments)
        .env_clear()
        .env("PATH", path)
        .envs(variables.iter().map(|(name, value)| (name, OsStr::new(value))));
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

impl ServiceProcess {
    /// Starts a process without waiting for it.
    pub fn spawn(variables: &[(&'static str, String)]) -> Child {
        let mut command = command(variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).spawn().expect("start the service")
    }

    /// Starts a process and waits until it serves.
    pub async fn start(variables: &[(&'static str, String)]) -> ServiceProcess {
        ServiceProcess::wait_for_address(ServiceProcess::spawn(variables)).await
    }

    /// Starts a process by another program that runs its arguments, such as one that enters a network of its own first,
    /// and waits until it serves. Its client may not reach it.
    pub async fn start_by(program: &[&str], variables: &[(&'static str, String)]) -> ServiceProcess {
        let binary = binary_under_test().into_string().expect("a path of letters");
        let arguments = [&program[1..], &[&binary, "serve", "--listen", "127.0.0.1:0"]].concat();
        let mut command = command_at(OsStr::new(program[0]), variables, &arguments);
        command.stdout(Stdio::piped());
        ServiceProcess::wait_for_address(command.spawn().expect("start the service")).await
    }

    /// Starts a process that only serves clients, and waits until it does.
    pub async fn start_edge(variables: &[(&'static str, String)]) -> ServiceProcess {
        let mut command = command(variables, &["serve", "--edge", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped());
        ServiceProcess::wait_for_address(command.spawn().expect("start the edge")).await
    }

    /// Starts a process that listens at this address, and waits until it serves.
    pub async fn start_at(address: &str, variables: &[(&'static str, String)]) -> ServiceProcess {
        let mut command = command(variables, &["serve", "--listen", address]);
        command.stdout(Stdio::piped());
        ServiceProcess::wait_for_address(command.spawn().expect("start the service")).await
    }

    /// Starts a process that writes its log into a file, and waits until it serves.
    pub async fn start_logging(variables: &[(&'static str, String)], log: &Path) -> ServiceProcess {
        ServiceProcess::start_binary(&binary_under_test(), variables, log).await
    }

    /// [`Self::start_logging`] with the binary at a path.
    pub async fn start_binary(path: &OsStr, variables: &[(&'static str, String)], log: &Path) -> ServiceProcess {
        let mut command = command_at(path, variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(fs::File::create(log).expect("a file"));
        ServiceProcess::wait_for_address(command.spawn().expect("start the service")).await
    }

    async fn wait_for_address(mut child: Child) -> ServiceProcess {
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let first = with_timeout("the service starts", lines.next_line()).await.expect("read").expect("a line");
        let address = first.strip_prefix("serving on http://").unwrap_or_else(|| panic!("no address: {first}"));
        let client = Client::new(address);
        // Discard the rest, so that the process never blocks on a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        ServiceProcess { client, child }
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills the process and waits for its end.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("kill");
    }

    /// Sends the process a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("it runs");
        kill_process(pid, signal).expect("a signal");
    }

    /// Waits for the end of the process and returns its status.
    pub async fn wait(mut self) -> ExitStatus {
        with_timeout("the service ends", self.child.wait()).await.expect("wait")
    }
}

/// Exit code and output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    /// Exit code; `None` if a signal ended the command.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl CommandOutput {
    fn of(output: Output) -> CommandOutput {
        CommandOutput {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// Runs a command to its end.
pub async fn run_command(variables: &[(&'static str, String)], arguments: &[&str]) -> CommandOutput {
    let output = with_timeout(&format!("{arguments:?}"), command(variables, arguments).output()).await.expect("run");
    CommandOutput::of(output)
}

/// Runs a line of bash in a folder to its end, with only these variables and `PATH` in its environment. A variable that
/// is not set is an error, and a pipeline fails if one of its commands does.
pub async fn run_shell_line(folder: &Path, variables: &[(&'static str, String)], line: &str) -> CommandOutput {
    let mut bash = command_at(OsStr::new("bash"), variables, &["-u", "-o", "pipefail", "-c", line]);
    bash.current_dir(folder);
    CommandOutput::of(with_timeout(line, bash.output()).await.expect("bash"))
}

/// Runs a command that must succeed; returns the JSON values that it prints, one per line.
pub async fn run_json_command(variables: &[(&'static str, String)], arguments: &[&str]) -> Vec<Value> {
    let output = run_command(variables, arguments).await;
    // A busy machine may make a statement slow, which is reported and is no fault of the command.
    let faults: Vec<&str> = output.stderr.lines().filter(|line| !line.contains("slow statement")).collect();
    assert_eq!((output.code, faults.as_slice()), (Some(0), &[][..]), "{arguments:?}: {}", output.stdout);
    output
        .stdout
        .lines()
        .map(|it| serde_json::from_str(it).unwrap_or_else(|why| panic!("{arguments:?}: {why}: {it}")))
        .collect()
}
