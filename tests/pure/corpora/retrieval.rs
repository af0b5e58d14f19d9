//! Questions and look-ups that evaluate the search: each is answered by an existing passage, and is fair.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use faultline_ingest::readers::form::Form;
use faultline_ingest::readers::read::read_file;

/// Passages of the shipped corpora, by `persona/document`.
fn corpora() -> HashMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let below = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let is_text = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut passages = HashMap::new();
    for file in below(&root).iter().filter(|path| path.is_dir()).flat_map(|folder| below(folder)).filter(is_text) {
        let bytes = std::fs::read(&file).expect("a document");
        let (_, document) = read_file(Form::Markdown, &file, bytes).expect("a document").documents.remove(0);
        let place = file.strip_prefix(&root).expect("below").with_extension("");
        passages.insert(place.to_string_lossy().replace('\\', "/"), document.passages);
    }
    passages
}

fn words(text: &str) -> HashSet<String> {
    text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect()
}

/// Parses the entries of a fixture: the query, and the passages that answer it, as text.
fn entries(text: &str, corpora: &HashMap<String, Vec<String>>) -> Vec<(String, Vec<String>, String)> {
    let mut entries: Vec<(String, Vec<String>, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(asked) = line.strip_prefix("? ") {
            entries.push((asked.to_owned(), Vec::new(), String::new()));
            continue;
        }
        let (place, fragment) = line.strip_prefix("= ").and_then(|rest| rest.split_once(": ")).expect(line);
        let found: Vec<&String> = corpora[place].iter().filter(|passage| passage.contains(fragment)).collect();
        assert_eq!(found.len(), 1, "{line}: it must occur in one passage");
        let entry = entries.last_mut().expect("a question first");
        if entry.1.is_empty() {
            place.clone_into(&mut entry.2);
        }
        entry.1.push(found[0].clone());
    }
    entries
}

/// Counts the passages in which each word occurs.
fn counts(corpora: &HashMap<String, Vec<String>>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in corpora.values().flatten().flat_map(|passage| words(passage)) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

#[test]
fn questions_share_no_rare_word_with_their_answer_and_lookups_do() {
    let corpora = corpora();
    let counts = counts(&corpora);
    let questions = entries(include_str!("../../fixtures/retrieval/questions.txt"), &corpora);
    let lookups = entries(include_str!("../../fixtures/retrieval/lookups.txt"), &corpora);
    for (asked, answers, _) in &questions {
        let of_answers: HashSet<String> = answers.iter().flat_map(|answer| words(answer)).collect();
        let borrowed =
            words(asked).into_iter().find(|word| word.len() >= 4 && of_answers.contains(word) && counts[word] <= 2);
        assert_eq!(borrowed, None, "{asked}");
    }
    for (asked, _, _) in &lookups {
        let rarest = words(asked).iter().filter_map(|word| counts.get(word)).min().copied();
        assert!(rarest.is_some_and(|count| count <= 6), "{asked} has no rare word");
    }
    for set in [questions, lookups] {
        assert!(set.len() >= 120, "{} are too few", set.len());
        for document in corpora.keys() {
            let n = set.iter().filter(|(_, _, of)| of == document).count();
            assert_eq!(n, 2, "{document}: one for tuning and one held out");
        }
    }
}
