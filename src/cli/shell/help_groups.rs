//! Help of the program: its commands under headings.

use clap::Command;

/// Headings, each with its commands. A test compares them with the commands that exist.
const GROUPS: &[(&str, &[&str])] = &[
    ("Run debates", &["demo", "serve", "debate", "run", "fork", "pause", "resume", "cancel", "audit"]),
    ("Read debates", &["list", "show", "open", "watch", "replay", "history", "export"]),
    ("Analyse", &["cruxes", "stats", "measures", "probe", "experiment", "compare", "redistill", "what-if", "argue"]),
    ("Corpora and personas", &["persona", "corpus", "topics", "init"]),
    (
        "Administration",
        &[
            "doctor",
            "config",
            "provider",
            "token",
            "keys",
            "erase",
            "import",
            "verify",
            "rebuild",
            "projections",
            "lanes",
            "questions",
        ],
    ),
    ("Reference", &["schema", "completions", "man", "help"]),
];
/// Heading of commands that are in no group.
const OTHERS: &str = "Other commands";

/// Returns the command with its subcommands listed in groups.
pub fn grouped(command: Command) -> Command {
    let header = command.get_styles().get_header();
    let (head, commands) = (header.render(), listed(&command));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}{head}Options:{header:#}\n\
         {{options}}{{after-help}}"
    );
    command.help_template(template)
}

fn listed(command: &Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let shown: Vec<(&str, String)> = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| (command.get_name(), command.get_about().map(ToString::to_string).unwrap_or_default()))
        .chain([("help", "Print the help of a command".to_owned())])
        .collect();
    let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> = shown.iter().map(|(name, _)| *name).filter(|name| !is_grouped(name)).collect();
    let groups = GROUPS.iter().map(|(heading, names)| (*heading, *names)).chain([(OTHERS, others.as_slice())]);
    let mut text = String::new();
    for (heading, names) in groups {
        let commands: Vec<_> = names.iter().filter_map(|name| shown.iter().find(|(known, _)| known == name)).collect();
        if commands.is_empty() {
            continue;
        }
        text += &format!("{header}{heading}:{header:#}\n");
        for (name, about) in commands {
            text += &format!("  {literal}{name}{literal:#}{:1$}{about}\n", "", width - name.len());
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::commands::Cli;

    #[test]
    fn every_command_is_in_one_group_and_its_line_fits() {
        let command = Cli::command();
        let mut existing: Vec<&str> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(Command::get_name)
            .chain(["help"])
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        existing.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, existing, "GROUPS lists each command once");
        let help = super::grouped(command).render_help().to_string();
        for (heading, _) in GROUPS {
            assert!(help.contains(&format!("\n{heading}:\n")), "{heading}: {help}");
        }
        assert!(!help.contains(OTHERS), "{help}");
        let long: Vec<&str> =
            listed_lines(&help).filter(|line| line.chars().count() > 100 || line.ends_with('.')).collect();
        assert_eq!(long, [""; 0], "one line of help, without a full stop");
    }

    #[test]
    fn every_command_can_print_json_unless_its_output_has_a_format_of_its_own() {
        const OTHER_FORMATS: [&str; 7] =
            ["demo", "example", "export", "schema", "completions", "man", "parse-document"];
        let mut command = Cli::command();
        command.build();
        let mut without = Vec::new();
        let mut left: Vec<&Command> = command.get_subcommands().filter(|it| it.get_name() != "help").collect();
        while let Some(command) = left.pop() {
            left.extend(command.get_subcommands().filter(|it| it.get_name() != "help"));
            let has_json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
            if !command.has_subcommands() && !has_json && !OTHER_FORMATS.contains(&command.get_name()) {
                without.push(command.get_name());
            }
        }
        assert_eq!(without, [""; 0]);
    }

    fn listed_lines(help: &str) -> impl Iterator<Item = &str> {
        help.lines().skip_while(|line| !line.starts_with("Run debates")).take_while(|line| !line.starts_with("Options"))
    }
}
