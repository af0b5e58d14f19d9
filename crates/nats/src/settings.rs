//! Settings of the connection to NATS.

use async_nats::ServerAddr;

/// Addresses of NATS servers, and the beginning of the subjects.
#[derive(Clone, Debug)]
pub struct NatsSettings {
    pub(crate) servers: Vec<ServerAddr>,
    pub(crate) login: Option<Login>,
    pub(crate) subject: String,
}

/// Credentials of a client of NATS.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Login {
    Token(String),
    User { name: String, password: String },
}

/// Reason why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A URL is none of a NATS server. The message leaves the URL out, because it may contain a password.
    #[error(
        "URL {number} of FAULTLINE_NATS_URL is invalid ({reason}); expected nats://host:4222, tls://host:4222 or \
         nats://user:password@host:4222, several separated by commas"
    )]
    Url {
        /// Number of the URL in the list, from 1.
        number: usize,
        /// Reason.
        reason: String,
    },
    /// The subject cannot begin so.
    #[error(
        "FAULTLINE_NATS_SUBJECT is {0:?}; it must be words of letters, digits, hyphens and underscores, separated by dots"
    )]
    Subject(String),
}

impl NatsSettings {
    /// Parses URLs of servers, separated by commas, and the beginning of the subjects. The credentials of the first URL
    /// that has any are used for all: a user with a password, or a token in place of the user.
    ///
    /// # Errors
    /// [`SettingsError`] for the first invalid part.
    pub fn parse(urls: &str, subject: &str) -> Result<NatsSettings, SettingsError> {
        let urls = urls.split(',').map(str::trim).filter(|url| !url.is_empty());
        let server = |(number, url): (usize, &str)| {
            let parsed: Result<ServerAddr, _> = url.parse();
            let refused = |reason: String| SettingsError::Url { number, reason };
            match parsed {
                Ok(server) if !matches!(server.scheme(), "nats" | "tls") => {
                    Err(refused(format!("{}:// is not supported", server.scheme())))
                }
                Ok(server) => Ok(server),
                Err(error) => Err(refused(error.to_string())),
            }
        };
        let servers = (1..).zip(urls).map(server).collect::<Result<Vec<ServerAddr>, _>>()?;
        if servers.is_empty() {
            return Err(SettingsError::Url { number: 1, reason: "it is empty".to_owned() });
        }
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        };
        if !subject.split('.').all(is_word) {
            return Err(SettingsError::Subject(subject.to_owned()));
        }
        let login = servers.iter().find(|server| server.has_user_pass()).map(Login::of);
        Ok(NatsSettings { servers, login, subject: subject.to_owned() })
    }

    /// Returns hosts and ports of the servers, without credentials.
    pub fn places(&self) -> String {
        let places: Vec<String> =
            self.servers.iter().map(|server| format!("{}:{}", server.host(), server.port())).collect();
        places.join(", ")
    }
}

impl Login {
    fn of(server: &ServerAddr) -> Login {
        match (server.username().unwrap_or_default().to_owned(), server.password()) {
            (name, Some(password)) => Login::User { name, password: password.to_owned() },
            (token, None) => Login::Token(token),
        }
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Login")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_credentials_are_read_from_the_urls() {
        let read = |urls: &str| {
            let settings = NatsSettings::parse(urls, "faultline").expect("valid settings");
            (settings.places(), settings.login)
        };
        let user =
            |name: &str, password: &str| Some(Login::User { name: name.to_owned(), password: password.to_owned() });
        assert_eq!(read("nats://a:4222, tls://b"), ("a:4222, b:4222".to_owned(), None));
        assert_eq!(read("localhost"), ("localhost:4222".to_owned(), None));
        assert_eq!(read("nats://a,nats://u:p@b:1"), ("a:4222, b:1".to_owned(), user("u", "p")));
        assert_eq!(read("nats://s3cret@a"), ("a:4222".to_owned(), Some(Login::Token("s3cret".to_owned()))));
    }

    #[test]
    fn invalid_settings_are_refused_without_showing_a_password() {
        let refused = |urls: &str, subject: &str| {
            NatsSettings::parse(urls, subject).map_or_else(|error| error.to_string(), |_| String::new())
        };
        for urls in ["", " , ", "http://a", "ws://a", "nats://a,nats://u:hunter2@:x"] {
            let message = refused(urls, "faultline");
            assert!(message.starts_with("URL ") && message.contains("FAULTLINE_NATS_URL"), "{urls:?}: {message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
        for subject in ["", "a.", ".a", "a b", "a.*", "a.>", "ä"] {
            assert!(refused("nats://a", subject).contains("FAULTLINE_NATS_SUBJECT"), "{subject:?}");
        }
        assert_eq!(refused("nats://a", "faultline.stage-2_b"), "");
    }
}
