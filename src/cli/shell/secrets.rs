//! Values of settings without the secrets in them.

/// Text in place of a secret.
pub const HIDDEN: &str = "(hidden)";
/// Parts of the names of URL parameters whose values are secrets.
const SECRET_PARAMETERS: [&str; 4] = ["key", "password", "secret", "token"];

/// Returns true if the whole value of a variable is a secret. Variables of keys in files contain a path, which is none.
pub fn is_secret(variable: &str, is_path: bool) -> bool {
    variable.ends_with("_KEY") && !is_path
}

/// Returns a value without the credentials of the URLs in it, which are separated by commas: user information that
/// contains a password or, unless the scheme is that of a database, may be one; and parameters that are named like
/// secrets.
pub fn without_credentials(value: &str) -> String {
    let mut urls: Vec<String> = Vec::new();
    for part in value.split(',') {
        match urls.last_mut().filter(|_| !part.contains("://")) {
            // A comma within a URL.
            Some(url) => *url = format!("{url},{part}"),
            None => urls.push(part.to_owned()),
        }
    }
    urls.iter().map(|url| url_without_credentials(url)).collect::<Vec<_>>().join(",")
}

fn url_without_credentials(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user_without_password(scheme, user)),
        None => authority.to_owned(),
    };
    let path = match path.split_once('?') {
        Some((path, query)) => {
            format!("{path}?{}", query.split('&').map(shown_parameter).collect::<Vec<_>>().join("&"))
        }
        None => path.to_owned(),
    };
    format!("{scheme}://{authority}{path}")
}

fn user_without_password(scheme: &str, user: &str) -> String {
    match user.split_once(':') {
        Some((name, _)) => format!("{name}:{HIDDEN}"),
        None if scheme.starts_with("postgres") => user.to_owned(),
        None => HIDDEN.to_owned(),
    }
}

fn shown_parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _)) if SECRET_PARAMETERS.iter().any(|secret| name.to_lowercase().contains(secret)) => {
            format!("{name}={HIDDEN}")
        }
        _ => parameter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_urls_are_hidden() {
        for (value, expected) in [
            ("postgres://ada:s3cret@db:5432/f", "postgres://ada:(hidden)@db:5432/f"),
            ("postgres://ada:p@ss:w@db/f", "postgres://ada:(hidden)@db/f"),
            ("postgres://ada@db/f?sslmode=require", "postgres://ada@db/f?sslmode=require"),
            ("postgres:///f?host=/run&password=x&user=ada", "postgres:///f?host=/run&password=(hidden)&user=ada"),
            ("https://sk-123@models.example/v1", "https://(hidden)@models.example/v1"),
            ("https://models.example/v1?api_key=k", "https://models.example/v1?api_key=(hidden)"),
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318"),
            ("gpt-4.1", "gpt-4.1"),
            ("nats://a:1,nats://u:s3cret@b", "nats://a:1,nats://u:(hidden)@b"),
            ("nats://s3cret@a, tls://t0ken@b", "nats://(hidden)@a, tls://(hidden)@b"),
            ("postgres://ada:s3,cret@db1,db2/f", "postgres://ada:(hidden)@db1,db2/f"),
            (
                "b=postgres://u:s3cret@b/f,c=postgres://u:t0ken@c/f",
                "b=postgres://u:(hidden)@b/f,c=postgres://u:(hidden)@c/f",
            ),
            ("a,b", "a,b"),
        ] {
            assert_eq!(without_credentials(value), expected);
        }
        assert!(is_secret("OPENAI_API_KEY", false) && is_secret("FAULTLINE_EMBEDDINGS_KEY", false));
        assert!(!is_secret("FAULTLINE_MASTER_KEY", true) && !is_secret("FAULTLINE_POOL", false));
    }
}
