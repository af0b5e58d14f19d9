//! Options of the engine named on the command line, for `faultline debate --engine ENGINE --help`.

use clap::Command;

use faultline_core::engines::registry::{DEFAULT_ENGINE, ENGINES};
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::kernel::engine::EngineRegistration;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{blanks, padded, trusted};
use faultline_terminal::text::style::{TerminalStyle, Tone};

/// Appends the options of the named engine, by default [`DEFAULT_ENGINE`], to the help of `debate`. An unknown engine
/// changes nothing; the command itself then refuses it.
pub fn with_engine_options(command: Command, arguments: &[String]) -> Command {
    let Some(engine) = named_engine(arguments) else { return command };
    command.mut_subcommand("debate", |debate| {
        let example = debate.get_after_help().map(ToString::to_string).unwrap_or_default();
        debate.after_help(format!("{}\n{example}", options(engine, TerminalStyle::of_stdout())))
    })
}

fn named_engine(arguments: &[String]) -> Option<&'static EngineRegistration> {
    let after = |at: usize| arguments.get(at + 1).map(String::as_str);
    let named = arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix("--engine") {
        Some("") => after(at),
        Some(value) => value.strip_prefix('='),
        None => None,
    });
    let name = named.unwrap_or(DEFAULT_ENGINE.name);
    ENGINES.iter().find(|engine| engine.name == name)
}

/// Lists the options of an engine and the limits of a debate, with their defaults.
fn options(engine: &EngineRegistration, look: TerminalStyle) -> String {
    let limits = DebateLimits::default();
    let limits = [
        ("limits.calls", "maximum number of requests to the provider, failed ones included", limits.calls.to_string()),
        ("limits.tokens", "maximum number of tokens, input and output", limits.tokens.to_string()),
        ("limits.cost_micros", "maximum cost in millionths of a US dollar", limits.cost_micros.to_string()),
        ("limits.turns", "maximum number of turns taken by participants", limits.turns.to_string()),
        ("limits.seconds", "maximum duration in seconds, excluding pauses", limits.seconds.to_string()),
        ("limits.attempts", "maximum number of attempts at one reply", limits.attempts.to_string()),
    ];
    let own = engine.options.iter().map(|option| (option.name, option.about, option.default.to_owned()));
    let all: Vec<(&str, &str, String)> = own.chain(limits).collect();
    let indent = all.iter().map(|(name, ..)| name.len()).max().unwrap_or(0) + 2;
    let mut page = TextPage::wide(look);
    for (name, about, default) in &all {
        let name = padded(vec![trusted(Tone::Plain, *name)], indent);
        let default = if default == "null" { String::new() } else { format!(" [default: {default}]") };
        page.row(&name, &[blanks(indent)], &[trusted(Tone::Plain, format!("{about}{default}"))]);
    }
    format!("Options of the engine {} and limits, for --set:\n{}", engine.name, page.print())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_engine_is_found() {
        let check = |arguments: &[&str], expected: Option<&str>| {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            assert_eq!(named_engine(&arguments).map(|engine| engine.name), expected, "{arguments:?}");
        };
        check(&["debate", "--help"], Some(DEFAULT_ENGINE.name));
        check(&["debate", "--engine", "blitz", "--help"], Some("blitz"));
        check(&["debate", "--engine=pro_con", "-h"], Some("pro_con"));
        check(&["debate", "--engine", "none"], None);
        check(&["debate", "--engine"], Some(DEFAULT_ENGINE.name));
    }

    #[test]
    fn every_option_is_listed_with_its_default() {
        let look = TerminalStyle { width: 100, colour: false, unicode: true };
        for engine in ENGINES {
            let help = options(engine, look);
            for option in engine.options {
                assert!(help.contains(&format!("  {} ", option.name)), "{}: {help}", option.name);
            }
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }
}
