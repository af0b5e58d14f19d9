//! Reader of posts in an archive that X exports for its users: `window.YTD.tweets.part0 = [ … ]`.
//!
//! Only the user's own posts are read; reposts are left out. A post that answers another one of the same archive
//! continues it, so a thread is read as one text. Links, and the names at the start of a reply, are not the author's
//! words and are removed. Each month is a document, each thread or single post a paragraph.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::readers::document::{DocumentDraft, ReadDocuments, SourceMetadata};

/// Maximum number of posts of an archive.
pub const MAX_POSTS: usize = 500_000;

/// Maximum length of a chain of answers.
const MAX_CHAIN: usize = 1_000;

/// Minimum number of words of a thread or single post.
const MIN_WORDS: usize = 3;

/// Post in an archive; old archives use another name for the text.
#[derive(Deserialize)]
struct Post {
    #[serde(alias = "id")]
    id_str: String,
    #[serde(alias = "text")]
    full_text: String,
    created_at: String,
    in_reply_to_status_id_str: Option<String>,
    #[serde(default)]
    retweeted: bool,
    retweeted_status: Option<serde::de::IgnoredAny>,
}

/// Post with or without the wrapper object of newer archives.
#[derive(Deserialize)]
#[serde(untagged)]
enum Wrapped {
    New { tweet: Post },
    Old(Post),
}

/// Thread: the time of its first post, and its texts.
struct Thread {
    began: DateTime<Utc>,
    texts: Vec<String>,
}

/// Reads the posts in the files of an archive.
///
/// # Errors
/// A message if a file does not have the format of an archive, or there are too many posts.
pub fn posts(files: &[String], handle: Option<&str>, origin: &SourceMetadata) -> Result<ReadDocuments, String> {
    let mut posts = Vec::new();
    for file in files {
        posts.extend(listed(file)?);
    }
    if posts.len() > MAX_POSTS {
        return Err(format!("contains {} posts; at most {MAX_POSTS} are allowed", posts.len()));
    }
    let n_all = posts.len();
    posts.retain(|post| !post.retweeted && post.retweeted_status.is_none() && !post.full_text.starts_with("RT @"));
    let n_others = n_all - posts.len();
    let (threads, n_undated) = threads(&posts);
    let n_threads = threads.len();
    let mut months: BTreeMap<String, Vec<Thread>> = BTreeMap::new();
    for thread in threads.into_iter().filter(|thread| thread.texts.join(" ").split_whitespace().count() >= MIN_WORDS) {
        months.entry(thread.began.format("%Y-%m").to_string()).or_default().push(thread);
    }
    let n_kept: usize = months.values().map(Vec::len).sum();
    let mut reading = ReadDocuments::default();
    let left_out = [
        (n_others, "reposts"),
        (n_threads - n_kept, "posts of fewer than three words"),
        (n_undated, "posts without a date"),
    ];
    let told = left_out.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what} were left out"));
    reading.passed_over.extend(told);
    let source = handle.map_or_else(|| origin.place.clone(), |handle| format!("Posts of @{handle} on X"));
    for (month, threads) in months {
        let text: String = threads.iter().map(|thread| thread.texts.join("\n") + "\n\n").collect();
        let began = threads[0].began;
        let title = format!("Posts of {}", began.format("%B %Y"));
        let draft =
            DocumentDraft { title: &title, source: &source, date: began.date_naive(), kind: "post", text: &text };
        reading.part(month, draft.document());
    }
    Ok(reading)
}

/// Returns the account's name, from the archive's account file.
pub fn handle(file: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(payload(file)?).ok()?;
    let name = value[0]["account"]["username"].as_str()?;
    let is_name =
        !name.is_empty() && name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| name.to_owned())
}

/// Returns the JSON list after the assignment.
fn payload(file: &str) -> Option<&str> {
    Some(&file[file.find('[')?..])
}

fn listed(file: &str) -> Result<Vec<Post>, String> {
    let list = payload(file).ok_or("contains no list of posts")?.trim_end().trim_end_matches(';');
    let posts: Vec<Wrapped> =
        serde_json::from_str(list).map_err(|error| format!("does not have the format of archived posts: {error}"))?;
    let post = |wrapped| match wrapped {
        Wrapped::New { tweet } => tweet,
        Wrapped::Old(post) => post,
    };
    Ok(posts.into_iter().map(post).collect())
}

/// Groups posts into threads, in the order of their first posts. Returns also the number of undated posts.
fn threads(posts: &[Post]) -> (Vec<Thread>, usize) {
    let dated: Vec<(DateTime<Utc>, &Post)> =
        posts.iter().filter_map(|post| Some((at(&post.created_at)?, post))).collect();
    let n_undated = posts.len() - dated.len();
    let by_id: HashMap<&str, &Post> = dated.iter().map(|(_, post)| (post.id_str.as_str(), *post)).collect();
    let mut dated = dated;
    dated.sort_by(|a, b| (a.0, a.1.id_str.len(), &a.1.id_str).cmp(&(b.0, b.1.id_str.len(), &b.1.id_str)));
    let mut threads: Vec<Thread> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for (began, post) in dated {
        let root = root(post, &by_id);
        let text = words_of(&post.full_text);
        match place.get(root) {
            Some(at) => threads[*at].texts.push(text),
            None => {
                place.insert(root, threads.len());
                threads.push(Thread { began, texts: vec![text] });
            }
        }
    }
    (threads, n_undated)
}

/// Returns the id of the first post of a post's thread.
fn root<'a>(post: &'a Post, by_id: &HashMap<&str, &'a Post>) -> &'a str {
    let mut first = post;
    for _ in 0..MAX_CHAIN {
        match first.in_reply_to_status_id_str.as_deref().and_then(|id| by_id.get(id)) {
            Some(before) => first = before,
            None => break,
        }
    }
    &first.id_str
}

/// Parses a time such as `Wed Oct 10 20:19:24 +0000 2018`, or in ISO 8601.
fn at(text: &str) -> Option<DateTime<Utc>> {
    // Skip the weekday, which is redundant.
    let plain = text.get(4..).and_then(|rest| DateTime::parse_from_str(rest, "%b %d %H:%M:%S %z %Y").ok());
    plain.or_else(|| DateTime::parse_from_rfc3339(text).ok()).map(|time| time.with_timezone(&Utc))
}

/// Returns the author's own words: without links, the names at the start of a reply, and escapes.
fn words_of(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut rest = plain.trim_start();
    while let Some(after) = rest.strip_prefix('@') {
        let end = after.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(after.len());
        if end == 0 || !after[end..].starts_with(char::is_whitespace) {
            break;
        }
        rest = after[end..].trim_start();
    }
    let is_link = |word: &str| word.starts_with("https://t.co/") || word.starts_with("http://t.co/");
    let line = |line: &str| line.split_whitespace().filter(|word| !is_link(word)).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = rest.lines().map(line).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> SourceMetadata {
        let date = "2020-01-01".parse().unwrap();
        SourceMetadata { name: "archive".into(), place: "archive.zip".into(), date, url: None }
    }

    fn post(id: &str, day: &str, text: &str, answers: Option<&str>) -> String {
        let answers = answers.map_or("null".to_owned(), |answered| format!("\"{answered}\""));
        format!(
            r#"{{"tweet":{{"id_str":"{id}","full_text":"{text}","created_at":"Wed {day} 20:19:24 +0000 2018",
               "in_reply_to_status_id_str":{answers},"retweeted":false,"entities":{{"urls":[]}}}}}}"#
        )
    }

    fn read(posts_of: &[String]) -> ReadDocuments {
        let file = format!("window.YTD.tweets.part0 = [{}]", posts_of.join(","));
        posts(&[file], Some("ada_quill"), &origin()).unwrap()
    }

    #[test]
    fn own_posts_are_grouped_by_month_and_thread() {
        let reading = read(&[
            post("12", "Oct 11", "And then it rained on it. https://t.co/abc", Some("11")),
            post("11", "Oct 10", "The wall is up &amp; dry.", None),
            post("13", "Oct 12", "RT @bo: all walls are bad", None),
            post("14", "Nov 01", "@bo @cy_2 You have never laid a stone.", Some("999")),
            post("15", "Nov 02", "https://t.co/xyz", None),
        ]);
        let told: Vec<_> =
            reading.documents.iter().map(|(part, document)| (part.as_str(), document.title.as_str())).collect();
        assert_eq!(told, [("2018-10", "Posts of October 2018"), ("2018-11", "Posts of November 2018")]);
        assert_eq!(reading.documents[0].1.passages, ["The wall is up & dry. And then it rained on it."]);
        assert_eq!(reading.documents[1].1.passages, ["You have never laid a stone."]);
        assert_eq!(reading.documents[0].1.source, "Posts of @ada_quill on X");
        assert_eq!(reading.passed_over, ["1 reposts were left out", "1 posts of fewer than three words were left out"]);
    }

    #[test]
    fn old_archive_formats_are_read() {
        let old = r#"window.YTD.tweet.part0 = [{"id":"1","text":"Words of an old wall.","created_at":"2016-02-03T04:05:06Z"}];"#;
        let reading = posts(&[old.to_owned()], None, &origin()).unwrap();
        assert_eq!(
            (reading.documents[0].0.as_str(), reading.documents[0].1.source.as_str()),
            ("2016-02", "archive.zip")
        );
        assert_eq!(
            handle(r#"window.YTD.account.part0 = [{"account":{"username":"ada_quill"}}]"#).unwrap(),
            "ada_quill"
        );
        assert_eq!(handle("x"), None);
    }

    #[test]
    fn reply_cycles_and_malformed_files_are_handled() {
        let reading = read(&[
            post("1", "Oct 10", "one answers the other", Some("2")),
            post("2", "Oct 10", "the other answers one", Some("1")),
            post("3", "Oct 10", "answers itself for ever", Some("3")),
            post("4", "Foo 10", "has no date at all", None),
        ]);
        assert_eq!(reading.documents.len(), 1);
        assert_eq!(reading.passed_over, ["1 posts without a date were left out"]);
        for odd in ["", "no list", "[", "[{}]", "[[[[", "= [1]"] {
            assert!(posts(&[odd.to_owned()], None, &origin()).is_err(), "{odd}");
        }
        assert!(posts(&["[".repeat(1_000_000)], None, &origin()).is_err());
    }
}
