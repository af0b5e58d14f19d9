//! Settings before they are parsed: environment variables, and the configuration file below them.
//!
//! The file is TOML. Its keys are the names of the variables in lower case, without `FAULTLINE_`. It is the one that
//! `FAULTLINE_CONFIG` names, else `faultline.toml` in the current folder, else `faultline/config.toml` in
//! `XDG_CONFIG_HOME`, by default `~/.config`. Relative paths in it are relative to its folder.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use faultline_core::questions::nearest::nearest;

/// Variable that names the configuration file.
pub const CONFIG_VARIABLE: &str = "FAULTLINE_CONFIG";
/// Configuration file of the current folder.
pub const LOCAL_FILE: &str = "faultline.toml";
/// Configuration file of the user, in the folder of all configurations.
const USER_FILE: &str = "faultline/config.toml";
/// Prefix of variables that keys leave out.
const PREFIX: &str = "FAULTLINE_";

/// Reads an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Setting that the program knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSetting {
    /// Name of its environment variable.
    pub variable: String,
    /// Default; `None` if it is unset by default.
    pub default: Option<String>,
    /// True if the value is a path.
    pub is_path: bool,
}

impl KnownSetting {
    /// Returns the key of the setting in the file.
    pub fn key(&self) -> String {
        self.variable.strip_prefix(PREFIX).unwrap_or(&self.variable).to_lowercase()
    }
}

/// Origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// The environment.
    Environment,
    /// The configuration file.
    File,
    /// The default.
    Default,
}

/// Values of settings, by variable. Blank values count as unset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    environment: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
    path: Option<PathBuf>,
}

/// Error of the configuration file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigFileError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {why}{remedy}")]
    Unreadable {
        /// Path of the file.
        path: String,
        /// Error of the system.
        why: String,
        /// Remedy, after a semicolon.
        remedy: &'static str,
    },
    /// The file contains something that is not valid.
    #[error("{path}:{line}: {what}")]
    Invalid {
        /// Path of the file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Description of the error.
        what: String,
    },
}

impl Settings {
    /// Reads the environment and the configuration file, if there is one.
    ///
    /// # Errors
    /// [`ConfigFileError`] if the file cannot be read, is not TOML, or contains a key that is no setting.
    pub fn load(environment: Environment<'_>, known: &[KnownSetting]) -> Result<Settings, ConfigFileError> {
        let given = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let (path, file) = match find(&given)? {
            Some((path, text)) => (Some(path.clone()), values(&path, &text, known)?),
            None => (None, BTreeMap::new()),
        };
        let variables = known.iter().map(|setting| &setting.variable);
        let environment = variables.filter_map(|name| Some((name.clone(), given(name)?))).collect();
        Ok(Settings { environment, file, path })
    }

    /// Returns the path of the configuration file; `None` if there is none.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the value of a variable, unless it has its default.
    pub fn value(&self, variable: &str) -> Option<&str> {
        self.environment.get(variable).or_else(|| self.file.get(variable)).map(String::as_str)
    }

    /// Returns the origin of the value of a variable.
    pub fn source(&self, variable: &str) -> SettingSource {
        match (self.environment.contains_key(variable), self.file.contains_key(variable)) {
            (true, _) => SettingSource::Environment,
            (false, true) => SettingSource::File,
            (false, false) => SettingSource::Default,
        }
    }
}

/// Lists the places of the configuration file, first the one that is preferred.
pub fn places(environment: Environment<'_>) -> Vec<PathBuf> {
    let folder = environment("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| environment("HOME").map(|home| Path::new(&home).join(".config")));
    std::iter::once(PathBuf::from(LOCAL_FILE)).chain(folder.map(|folder| folder.join(USER_FILE))).collect()
}

/// Finds the configuration file and reads it.
fn find(given: Environment<'_>) -> Result<Option<(PathBuf, String)>, ConfigFileError> {
    let unreadable = |path: &Path, why: std::io::Error, remedy| ConfigFileError::Unreadable {
        path: path.display().to_string(),
        why: why.to_string(),
        remedy,
    };
    if let Some(path) = given(CONFIG_VARIABLE).map(PathBuf::from) {
        let remedy = "; correct FAULTLINE_CONFIG, or unset it";
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error, remedy))?;
        return Ok(Some((path, text)));
    }
    for path in places(given) {
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(unreadable(&path, error, "")),
        }
    }
    Ok(None)
}

/// Parses the text of a file into values by variable.
fn values(path: &Path, text: &str, known: &[KnownSetting]) -> Result<BTreeMap<String, String>, ConfigFileError> {
    let invalid = |at: usize, what: String| {
        let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        ConfigFileError::Invalid { path: path.display().to_string(), line, what }
    };
    let table = DeTable::parse(text).map_err(|error| {
        invalid(error.span().map_or(0, |span| span.start), format!("not TOML: {}", error.message().trim()))
    })?;
    let mut values = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref();
        let setting = known.iter().find(|setting| setting.key() == **name);
        let setting = setting.ok_or_else(|| invalid(key.span().start, unknown_key(name, known)))?;
        let text = text_of(value).ok_or_else(|| {
            let expected = "a text, a number, true or false, or a list or table of them";
            invalid(value.span().start, format!("the value of {name} must be {expected}"))
        })?;
        let text = if setting.is_path { in_folder_of(path, &text) } else { text };
        if !text.trim().is_empty() {
            values.insert(setting.variable.clone(), text);
        }
    }
    Ok(values)
}

/// Converts a value to the text that the variable would have: lists separated by commas, tables as `name=value`.
fn text_of(value: &Spanned<DeValue<'_>>) -> Option<String> {
    let joined = |texts: Option<Vec<String>>| texts.map(|texts| texts.join(","));
    match value.get_ref() {
        DeValue::Array(items) => joined(items.iter().map(scalar).collect()),
        DeValue::Table(items) => joined(
            items.iter().map(|(key, value)| scalar(value).map(|value| format!("{}={value}", key.get_ref()))).collect(),
        ),
        _ => scalar(value),
    }
}

fn scalar(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        DeValue::Float(number) => Some(number.as_str().replace('_', "")),
        DeValue::Boolean(flag) => Some(u8::from(*flag).to_string()),
        _ => None,
    }
}

fn in_folder_of(file: &Path, path: &str) -> String {
    file.parent().unwrap_or_else(|| Path::new("")).join(path).display().to_string()
}

fn unknown_key(key: &str, known: &[KnownSetting]) -> String {
    let keys: Vec<String> = known.iter().map(KnownSetting::key).collect();
    let lower = key.to_lowercase();
    let short = lower.strip_prefix(&PREFIX.to_lowercase()).unwrap_or(&lower);
    let key: String = key.chars().take(64).collect();
    match nearest(short, keys.iter().map(String::as_str)) {
        Some(nearest) => format!("unknown setting {key:?}; did you mean {nearest}?"),
        None => format!("unknown setting {key:?}; `faultline config` lists all settings"),
    }
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SettingSource::Environment => "environment",
            SettingSource::File => "file",
            SettingSource::Default => "default",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<KnownSetting> {
        let setting =
            |(variable, is_path): (&str, bool)| KnownSetting { variable: variable.to_owned(), default: None, is_path };
        [
            ("FAULTLINE_POOL", false),
            ("FAULTLINE_HOME", true),
            ("FAULTLINE_SEALED", false),
            ("FAULTLINE_ORIGINS", false),
            ("FAULTLINE_LIMITS", false),
            ("OPENAI_API_KEY", false),
        ]
        .map(setting)
        .to_vec()
    }

    #[test]
    fn values_of_every_type_become_the_text_of_the_variable() {
        let text = "pool = 1_6\nhome = \"data\"\nsealed = true\norigins = [\"a\", \"b\"]\nopenai_api_key = \"k\"\n\
                    [limits]\ndepth = 20\n\"m:calls\" = 1\n";
        let values = values(Path::new("etc/faultline.toml"), text, &known()).expect("settings");
        let pairs: Vec<(&str, &str)> = values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("FAULTLINE_HOME", "etc/data"),
                ("FAULTLINE_LIMITS", "depth=20,m:calls=1"),
                ("FAULTLINE_ORIGINS", "a,b"),
                ("FAULTLINE_POOL", "16"),
                ("FAULTLINE_SEALED", "1"),
                ("OPENAI_API_KEY", "k"),
            ]
        );
        let home = |home: &str| {
            let text = format!("home = {home:?}");
            super::values(Path::new(LOCAL_FILE), &text, &known()).expect("settings").remove("FAULTLINE_HOME")
        };
        assert_eq!((home("/data").as_deref(), home("data").as_deref()), (Some("/data"), Some("data")));
        assert_eq!(home(" "), None);
    }

    #[test]
    fn errors_name_the_line_and_the_nearest_setting() {
        let check = |text: &str, expected: &str| {
            let error = values(Path::new("f.toml"), text, &known()).expect_err(text).to_string();
            assert_eq!(error, expected);
        };
        check("# pool\n\npools = 3\n", "f.toml:3: unknown setting \"pools\"; did you mean pool?");
        check("faultline_home = \"x\"", "f.toml:1: unknown setting \"faultline_home\"; did you mean home?");
        check("zzz = 1", "f.toml:1: unknown setting \"zzz\"; `faultline config` lists all settings");
        let expected = "a text, a number, true or false, or a list or table of them";
        check("pool = 1979-05-27", &format!("f.toml:1: the value of pool must be {expected}"));
        check("[[limits]]\na = 1", &format!("f.toml:1: the value of limits must be {expected}"));
        let error = values(Path::new("f.toml"), "pool 3", &known()).expect_err("an error").to_string();
        assert!(error.starts_with("f.toml:1: not TOML: "), "{error}");
    }

    #[test]
    fn the_environment_has_precedence_over_the_file_that_is_found_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, text).expect("a file");
            path.display().to_string()
        };
        let named = write("named.toml", "pool = 5\nsealed = false");
        write("xdg/faultline/config.toml", "pool = 6");
        write("home/.config/faultline/config.toml", "pool = 7");
        let in_folder = |name: &str| folder.path().join(name).display().to_string();
        let load = |pairs: &[(&str, String)]| {
            let pairs: BTreeMap<&str, String> = pairs.iter().cloned().collect();
            Settings::load(&|name| pairs.get(name).cloned(), &known())
        };
        let pool = |pairs: &[(&str, String)]| {
            let settings = load(pairs).expect("settings");
            (settings.value("FAULTLINE_POOL").map(str::to_owned), settings.source("FAULTLINE_POOL"))
        };
        let (xdg, home) = (("XDG_CONFIG_HOME", in_folder("xdg")), ("HOME", in_folder("home")));
        let config = (CONFIG_VARIABLE, named);
        let file = |pool: &str| (Some(pool.to_owned()), SettingSource::File);
        assert_eq!(pool(&[]), (None, SettingSource::Default));
        assert_eq!(pool(std::slice::from_ref(&home)), file("7"));
        assert_eq!(pool(&[home.clone(), xdg.clone()]), file("6"));
        assert_eq!(pool(&[home.clone(), xdg.clone(), config.clone()]), file("5"));
        let set = ("FAULTLINE_POOL", "9".to_owned());
        assert_eq!(pool(&[config.clone(), set]), (Some("9".to_owned()), SettingSource::Environment));
        assert_eq!(pool(&[config, ("FAULTLINE_POOL", " ".to_owned())]), file("5"), "blank is unset");
        let missing = load(&[(CONFIG_VARIABLE, in_folder("none.toml"))]).expect_err("an error").to_string();
        assert!(
            missing.contains("none.toml") && missing.ends_with("correct FAULTLINE_CONFIG, or unset it"),
            "{missing}"
        );
    }
}
