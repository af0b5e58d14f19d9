//! Web sources of a persona: `corpus/<id>/sources.toml`.
//!
//! ```toml
//! [[source]]
//! url = "https://wall.example/feed.xml"
//! kind = "feed"                # feed, article, text or pdf; detected from the response by default
//! name = "wall-post"           # derived from the URL by default
//! ```
//!
//! The file is authoritative: a source removed from it is removed from the library.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::fetch::fetcher::url;
use crate::file_error::{FileError, line_of};
use crate::readers::document::slug;
use crate::readers::form::{Form, LINKS};
use crate::sources::text_of;
use faultline_shipped::files::kind;

/// Maximum size of the file, in bytes.
const MAX_LINKS_BYTES: u64 = 256 * 1024;

/// Maximum number of web sources of a persona.
pub const MAX_SOURCES: usize = 200;

/// Maximum size of a source's name, in bytes.
pub const MAX_NAME_BYTES: usize = 60;

/// Web source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSource {
    /// Name among the persona's sources.
    pub name: String,
    /// URL of the source.
    pub url: String,
    /// Format; detected from the response if `None`.
    pub form: Option<Form>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    source: Vec<WrittenSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSource {
    url: toml::Spanned<String>,
    kind: Option<toml::Spanned<String>>,
    name: Option<toml::Spanned<String>>,
}

/// Reads the web sources that a persona's folder lists; empty if it has no such file. Blocks on the file system.
///
/// # Errors
/// The first [`FileError`] in the file, with its line.
pub fn links(folder: &Path) -> Result<Vec<WebSource>, FileError> {
    let file = folder.join(LINKS);
    match kind(&file) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        _ => {}
    }
    let text = text_of(&file, MAX_LINKS_BYTES).map_err(|why| FileError::of(&file, why))?;
    read(&file, &text)
}

fn read(file: &Path, text: &str) -> Result<Vec<WebSource>, FileError> {
    let written: Written = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        FileError::at(file, line, format!("{}; a source is `[[source]]` with url, kind and name", error.message()))
    })?;
    if written.source.len() > MAX_SOURCES {
        return Err(FileError::of(file, format!("{} sources are more than {MAX_SOURCES}", written.source.len())));
    }
    let mut links: Vec<WebSource> = Vec::new();
    let mut names = HashSet::new();
    for source in written.source {
        let at = |span: std::ops::Range<usize>, what: String| FileError::at(file, line_of(text, span.start), what);
        let span = source.url.span();
        let address = url(source.url.get_ref()).map_err(|why| at(span.clone(), format!("the address {why}")))?;
        let form = match source.kind {
            Some(kind) => Some(Form::of_link(kind.get_ref()).ok_or_else(|| {
                let what = format!("{:?} is not a kind of source; use feed, article, text or pdf", kind.get_ref());
                at(kind.span(), what)
            })?),
            None => None,
        };
        let name = match source.name {
            Some(name) => {
                let given = name.get_ref().trim();
                if given.is_empty() || given.len() > MAX_NAME_BYTES || given.contains(['/', '\0', '\n', '\r', '\t']) {
                    let what =
                        format!("a name has at most {MAX_NAME_BYTES} bytes, and no slashes or control characters");
                    return Err(at(name.span(), what));
                }
                given.to_owned()
            }
            None => name_of(&address),
        };
        if !names.insert(name.clone()) {
            return Err(at(span, format!("two sources have the name {name}; give one of them another `name`")));
        }
        links.push(WebSource { name, url: address.into(), form });
    }
    Ok(links)
}

/// Derives a name from a URL: `wall.example/posts/feed.xml` becomes `wall-example-posts-feed-xml`.
fn name_of(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let whole = format!("{}{}?{}", host.trim_start_matches("www."), url.path(), url.query().unwrap_or_default());
    slug(&whole, MAX_NAME_BYTES)
}

/// Adds a source to the file, unless its URL is there already. Returns the name of the source. Blocks.
///
/// # Errors
/// [`FileError`] if the file or the URL is invalid, or the file cannot be written.
pub fn add(folder: &Path, address: &str) -> Result<String, FileError> {
    let file = folder.join(LINKS);
    let address = url(address).map_err(|why| FileError::of(&file, format!("the address {why}")))?;
    let before = links(folder)?;
    if let Some(known) = before.iter().find(|link| link.url == address.as_str()) {
        return Ok(known.name.clone());
    }
    let text = if before.is_empty() && !file.exists() { String::new() } else { text(&file)? };
    let gap = if text.is_empty() || text.ends_with("\n\n") {
        ""
    } else if text.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let text = format!("{text}{gap}[[source]]\nurl = {}\n", toml::Value::from(address.as_str()));
    let links = read(&file, &text)?;
    write(&file, &text)?;
    Ok(links.last().map(|link| link.name.clone()).unwrap_or_default())
}

/// Removes a source; returns false if there was none of this name. Blocks.
///
/// # Errors
/// [`FileError`] if the file is invalid, cannot be written, or has sources that are not separate `[[source]]` tables.
pub fn remove(folder: &Path, name: &str) -> Result<bool, FileError> {
    let file = folder.join(LINKS);
    let before = links(folder)?;
    let Some(at) = before.iter().position(|link| link.name == name) else { return Ok(false) };
    let text = text(&file)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_head =
        |line: &&str| line.split('#').next().unwrap_or_default().split_whitespace().collect::<String>() == "[[source]]";
    let heads: Vec<usize> = (0..lines.len()).filter(|index| is_head(&lines[*index])).collect();
    let own = || FileError::of(&file, format!("cannot be edited safely; remove {name} by hand"));
    if heads.len() != before.len() {
        return Err(own());
    }
    let end = heads.get(at + 1).copied().unwrap_or(lines.len());
    let kept: String = lines[..heads[at]].iter().chain(&lines[end..]).copied().collect();
    let after = read(&file, &kept)?;
    if after.iter().any(|link| link.name == name) || after.len() + 1 != before.len() {
        return Err(own());
    }
    write(&file, &kept)?;
    Ok(true)
}

fn text(file: &Path) -> Result<String, FileError> {
    text_of(file, MAX_LINKS_BYTES).map_err(|why| FileError::of(file, why))
}

/// Writes a temporary file and renames it, so that nobody reads a partial file.
fn write(file: &Path, text: &str) -> Result<(), FileError> {
    let beside: PathBuf = file.with_extension("toml.new");
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, file));
    written.map_err(|why| FileError::of(file, format!("cannot be written: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        read(Path::new("sources.toml"), text).expect_err(text).to_string()
    }

    #[test]
    fn sources_are_parsed_with_names_and_kinds() {
        let text = "[[source]]\nurl='https://www.wall.example/posts/feed.xml?a=b'\n[[source]]\nurl='http://b.example'\nkind='article'\nname='B one'";
        let links = read(Path::new("x"), text).unwrap();
        let told: Vec<_> = links.iter().map(|link| (link.name.as_str(), link.url.as_str(), link.form)).collect();
        let first = ("wall-example-posts-feed-xml-a-b", "https://www.wall.example/posts/feed.xml?a=b", None);
        assert_eq!(told, [first, ("B one", "http://b.example/", Some(Form::Html))]);
        assert_eq!(read(Path::new("x"), "").unwrap(), []);
    }

    #[test]
    fn errors_name_the_line() {
        assert!(told("[[source]]\nurl = 'file:///a'").starts_with("sources.toml:2: the address begins with `file:`"));
        assert!(
            told("[[source]]\nurl='http://a.example'\nkind='book'")
                .starts_with("sources.toml:3: \"book\" is not a kind")
        );
        assert!(
            told("[[source]]\nurl='http://a.example'\nname='a/b'").starts_with("sources.toml:3: a name has at most")
        );
        let twice = "[[source]]\nurl='http://a.example'\n".repeat(2);
        assert!(told(&twice).starts_with("sources.toml:4: two sources have the name a-example"));
        assert!(told("[[sauce]]").starts_with("sources.toml:1: unknown field"));
        assert!(told("[[source]]\nkind='feed'").contains("missing field `url`"));
    }

    #[test]
    fn sources_are_added_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path();
        assert_eq!(add(folder, "https://a.example/feed").unwrap(), "a-example-feed");
        assert_eq!(add(folder, "https://b.example/").unwrap(), "b-example");
        assert_eq!(add(folder, "https://a.example/feed#top").unwrap(), "a-example-feed");
        assert_eq!(links(folder).unwrap().len(), 2);
        assert!(add(folder, "ftp://a.example").is_err());
        assert!(!remove(folder, "c").unwrap());
        assert!(remove(folder, "a-example-feed").unwrap());
        assert_eq!(fs::read_to_string(folder.join(LINKS)).unwrap(), "[[source]]\nurl = \"https://b.example/\"\n");
        fs::write(folder.join(LINKS), "source = [{ url = 'http://c.example' }]").unwrap();
        assert!(remove(folder, "c-example").unwrap_err().to_string().contains("by hand"));
    }
}
