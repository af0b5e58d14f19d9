//! What changed from one text to the next, word by word.

/// A word of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// In both.
    Kept(&'a str),
    /// Only in the new one.
    Added(&'a str),
    /// Only in the old one.
    Removed(&'a str),
}

impl<'a> Piece<'a> {
    /// The word.
    pub fn word(&self) -> &'a str {
        match self {
            Piece::Kept(word) | Piece::Added(word) | Piece::Removed(word) => word,
        }
    }
}

/// The most words of a text that are compared.
pub const MOST_WORDS: usize = 600;

/// The words of both texts in order, as few as possible added and removed; what went comes before what came. A line feed
/// of the new text is a word of its own. `None` where a text has more than [`MOST_WORDS`] words.
///
/// Cost: the product of the numbers of words.
pub fn diff<'a>(old: &'a str, new: &'a str) -> Option<Vec<Piece<'a>>> {
    let (old, new) = (words(old), words(new));
    if old.len().max(new.len()) > MOST_WORDS {
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

/// How many words the texts have in common from here on, in order.
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

    fn told(old: &str, new: &str) -> String {
        let pieces = diff(old, new).expect("short enough");
        let told = pieces.iter().map(|it| match it {
            Piece::Kept(word) => (*word).to_owned(),
            Piece::Added(word) => format!("+{word}"),
            Piece::Removed(word) => format!("-{word}"),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn little_changes_little() {
        assert_eq!(told("a b c", "a b c"), "a b c");
        assert_eq!(told("a b c", "a x c d"), "a -b +x c +d");
        assert_eq!(told("", "a"), "+a");
        assert_eq!(told("a", ""), "-a");
        assert_eq!(told("a\nb", "a\nc"), "a \n -b +c");
    }

    #[test]
    fn what_is_huge_is_not_compared() {
        assert_eq!(diff(&"a ".repeat(MOST_WORDS + 1), "a"), None);
    }
}
