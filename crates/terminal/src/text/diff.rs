//! Word-level diff of two texts.

/// Word of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Word in both texts.
    Kept(&'a str),
    /// Word only in the new text.
    Added(&'a str),
    /// Word only in the old text.
    Removed(&'a str),
}

impl<'a> Piece<'a> {
    /// Returns the word.
    pub fn word(&self) -> &'a str {
        match self {
            Piece::Kept(word) | Piece::Added(word) | Piece::Removed(word) => word,
        }
    }
}

/// Maximum number of words of a text that is compared.
pub const MAX_WORDS: usize = 600;

/// Returns the words of both texts in order, with as few additions and removals as possible; removals come before
/// additions. A line feed in the new text counts as a word. `None` if a text has more than [`MAX_WORDS`] words.
///
/// Cost: proportional to the product of the numbers of words.
pub fn diff<'a>(old: &'a str, new: &'a str) -> Option<Vec<Piece<'a>>> {
    let (old, new) = (words(old), words(new));
    if old.len().max(new.len()) > MAX_WORDS {
        return None;
    }
    let common = common(&old, &new);
    let (mut i, mut j) = (0, 0);
    let mut pieces = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            pieces.push(Piece::Kept(new[j]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            pieces.push(Piece::Removed(old[i]));
            i += 1;
        } else {
            pieces.push(Piece::Added(new[j]));
            j += 1;
        }
    }
    Some(pieces)
}

/// Table of the lengths of the longest common subsequences of all suffixes.
fn common(old: &[&str], new: &[&str]) -> Vec<Vec<u16>> {
    let mut common = vec![vec![0_u16; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    common
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if at > 0 {
            words.push("\n");
        }
        words.extend(line.split_whitespace());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> String {
        let pieces = diff(old, new).expect("short enough");
        let words = pieces.iter().map(|piece| match piece {
            Piece::Kept(word) => (*word).to_owned(),
            Piece::Added(word) => format!("+{word}"),
            Piece::Removed(word) => format!("-{word}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn small_changes_give_small_diffs() {
        assert_eq!(marked("a b c", "a b c"), "a b c");
        assert_eq!(marked("a b c", "a x c d"), "a -b +x c +d");
        assert_eq!(marked("", "a"), "+a");
        assert_eq!(marked("a", ""), "-a");
        assert_eq!(marked("a\nb", "a\nc"), "a \n -b +c");
    }

    #[test]
    fn long_texts_are_not_compared() {
        assert_eq!(diff(&"a ".repeat(MAX_WORDS + 1), "a"), None);
    }
}
