//! `faultline config`: prints every setting with its value and origin, or the path of the configuration file.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::records::{is_piped, record};
use crate::cli::output::terminal;
use crate::cli::shell::secrets::{HIDDEN, is_secret, without_credentials};
use crate::config::Config;
use crate::config_file::{KnownSetting, SettingSource, Settings, places};
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Arguments of `config`.
#[derive(Args)]
pub struct ConfigArgs {
    /// Subcommand to run; by default, all settings are listed.
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
    /// Print one JSON value.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Subcommands of `faultline config`.
#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Print the path of the configuration file that is in use.
    #[command(after_help = "Example: faultline config path")]
    Path,
}

/// Lists the settings, or prints the path of the configuration file.
///
/// # Errors
/// [`CliError::Usage`] if the file cannot be used or a value is invalid, which is told after the list;
/// [`CliError::Refused`] if the path is asked for and there is no file.
pub fn run(args: &ConfigArgs) -> Result<(), CliError> {
    let known = Config::known_settings();
    let settings = Settings::load(&|name| std::env::var(name).ok(), &known);
    let settings = settings.map_err(|error| CliError::Usage(error.to_string()))?;
    match args.command {
        Some(ConfigCommand::Path) => return print_path(&settings, args.json),
        None if args.json => json_line(&json!({
            "file": settings.path(),
            "settings": known.iter().map(|setting| as_json(setting, &settings)).collect::<Vec<_>>(),
        }))?,
        None if is_piped() => print(&records(&known, &settings))?,
        None => print(&page(&known, &settings))?,
    }
    Config::of(&settings).map(drop).map_err(|error| CliError::Usage(error.to_string()))
}

fn print_path(settings: &Settings, json: bool) -> Result<(), CliError> {
    match settings.path() {
        path if json => json_line(&json!({ "file": path })),
        Some(path) => print(&format!("{}\n", path.display())),
        None => {
            let places = places(&|name| std::env::var(name).ok());
            let places: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
            let reason =
                format!("there is no configuration file; create {}, or set FAULTLINE_CONFIG", places.join(" or "));
            Err(CliError::Refused(reason))
        }
    }
}

/// Returns the value of a setting for display; `None` if it is unset.
fn shown(setting: &KnownSetting, settings: &Settings) -> Option<String> {
    let value = settings.value(&setting.variable).or(setting.default.as_deref())?;
    let is_hidden = is_secret(&setting.variable, setting.is_path);
    Some(if is_hidden { HIDDEN.to_owned() } else { without_credentials(value) })
}

fn as_json(setting: &KnownSetting, settings: &Settings) -> Value {
    json!({
        "key": setting.key(),
        "variable": setting.variable,
        "value": shown(setting, settings),
        "source": settings.source(&setting.variable).to_string().to_uppercase(),
    })
}

fn records(known: &[KnownSetting], settings: &Settings) -> String {
    let line = |setting: &KnownSetting| {
        let source = settings.source(&setting.variable).to_string();
        record([&setting.key(), &shown(setting, settings).unwrap_or_default(), &source])
    };
    known.iter().map(line).collect()
}

fn page(known: &[KnownSetting], settings: &Settings) -> String {
    let mut page = TextPage::wide(terminal::terminal_style());
    let file = match settings.path() {
        Some(path) => format!("configuration file: {}", path.display()),
        None => "no configuration file".to_owned(),
    };
    page.text(&[untrusted(Tone::Quiet, &file)]);
    page.blank();
    let width = known.iter().map(|setting| setting.key().len()).max().unwrap_or(0) + 2;
    for setting in known {
        let source = settings.source(&setting.variable);
        let origin = match source {
            SettingSource::Environment => format!("  environment: {}", setting.variable),
            SettingSource::File => "  file".to_owned(),
            SettingSource::Default => String::new(),
        };
        let (value, tone) = match (shown(setting, settings), source) {
            (Some(value), SettingSource::Default) => (value, Tone::Quiet),
            (Some(value), _) => (value, Tone::Plain),
            (None, _) => ("-".to_owned(), Tone::Quiet),
        };
        let (key, value) = (trusted(Tone::Plain, setting.key()), untrusted(tone, &value));
        page.hang(&[], &[key], width, &[value, trusted(Tone::Good, origin)]);
    }
    page.print()
}
