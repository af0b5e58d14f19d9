//! Escaping and wrapping of texts, so that they can only be text and stay in their place in other formats.

/// Cleans a text to one line: removes control characters, marks that change the direction of the following text
/// (Unicode 15, UAX #9) and invisible characters; merges white space into one blank.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_whitespace() {
            if !clean.is_empty() && !clean.ends_with(' ') {
                clean.push(' ');
            }
        } else if !sign.is_control() && !is_unseen(sign) {
            clean.push(sign);
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// True if a character is invisible or changes the direction of the following text.
pub fn is_unseen(sign: char) -> bool {
    matches!(sign,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Escapes a text for XML, in an element or between double quotes. Cleans it first.
pub fn xml(text: &str) -> String {
    replaced(&clean(text), |sign| match sign {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    })
}

/// Writes a text as a YAML string in double quotes. Cleans it first. Characters that Markdown, HTML or a template
/// around the YAML could interpret are written by number, so that the result can be embedded in a page.
pub fn yaml_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for sign in clean(text).chars() {
        let is_plain = !sign.is_ascii() || sign.is_ascii_alphanumeric() || " ,.;:?!'()-/%+=".contains(sign);
        if is_plain {
            quoted.push(sign);
        } else {
            quoted += &format!("\\u{:04X}", u32::from(sign));
        }
    }
    quoted + "\""
}

/// Replaces some characters of a text.
pub fn replaced(text: &str, by: impl Fn(char) -> Option<&'static str>) -> String {
    let mut changed = String::with_capacity(text.len());
    for sign in text.chars() {
        match by(sign) {
            Some(other) => changed.push_str(other),
            None => changed.push(sign),
        }
    }
    changed
}

/// Shortens a text to `most` characters, with an ellipsis if something is cut off.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let short: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// Breaks a text into at most `most` lines no wider than `room`, as measured by `width`. Cleans it first. Breaks at
/// blanks and between ideographs, and cuts words that are too wide. The last line ends in an ellipsis if text is cut
/// off.
pub fn wrapped(text: &str, room: f64, most: usize, width: impl Fn(char) -> f64) -> Vec<String> {
    let of = |text: &str| text.chars().map(&width).sum::<f64>();
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in pieces(&clean(text)) {
        if !line.is_empty() && of(&line) + of(word.trim_end()) > room {
            lines.push(std::mem::take(&mut line));
        }
        for sign in word.chars() {
            if sign != ' ' && !line.is_empty() && of(&line) + width(sign) > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(sign);
        }
    }
    lines.push(line);
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines.retain(|line| !line.is_empty());
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while of(last) + width('…') > room && last.pop().is_some() {}
            last.truncate(last.trim_end_matches([' ', ',', '.', ';', ':']).len());
            last.push('…');
        }
    }
    lines
}

/// Splits a text into words, each with the blank after it; an ideograph is a word of its own.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let end = at + sign.len_utf8();
        let breaks = sign == ' ' || is_wide(sign) || signs.peek().is_some_and(|(_, letter)| is_wide(*letter));
        if breaks || end == text.len() {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces
}

/// True if a character is as wide as it is high: ideographs, kana, Hangul, most emoji.
fn is_wide(sign: char) -> bool {
    matches!(sign, '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FF60}' | '\u{FFE0}'..='\u{FFE6}' | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}')
}

/// Approximate width of a character in a sans-serif font such as Helvetica, relative to its height; rather too wide.
pub fn sans_width(sign: char) -> f64 {
    match sign {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | 'I' | ' ' | '’' | '‘' => 0.30,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | '"' | '“' | '”' | '*' => 0.38,
        's' | 'c' | 'k' | 'x' | 'y' | 'z' | 'v' | 'J' => 0.53,
        'm' | 'M' | 'W' | '@' | '%' | '—' | '…' => 1.0,
        'w' | 'O' | 'Q' | 'G' | 'C' | 'D' | 'H' | 'N' | 'R' | 'U' => 0.78,
        _ if is_wide(sign) => 1.02,
        _ if sign.is_ascii_uppercase() => 0.70,
        _ if sign.is_ascii() => 0.58,
        _ => 0.64,
    }
}

/// Word with a capital first letter.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|letter| letter.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_text_is_one_line_without_direction_marks() {
        let check = |text: &str, expected: &str| assert_eq!(clean(text), expected, "{text:?}");
        check("", "");
        check(" a \r\n\t b ", "a b");
        check("a\u{0}b\u{1b}[31mc\u{7f}\u{9b}", "ab[31mc");
        check("\u{202e}abc\u{202c}\u{2066}d\u{2069}\u{200f}", "abcd");
        check("a\u{200b}b\u{feff}\u{ad}c\u{e0041}", "abc");
        check("ä 漢 ع <&>\"", "ä 漢 ع <&>\"");
    }

    #[test]
    fn xml_syntax_in_a_text_is_escaped() {
        assert_eq!(xml("<a b=\"c\">&'\n]]>"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39; ]]&gt;");
    }

    #[test]
    fn yaml_syntax_in_a_text_is_escaped() {
        assert_eq!(yaml_string("Why (not)? Ünder 5%: a-b"), "\"Why (not)? Ünder 5%: a-b\"");
        assert_eq!(
            yaml_string("</pre><b>\"\\\n```{{x}}#"),
            r#""\u003C/pre\u003E\u003Cb\u003E\u0022\u005C \u0060\u0060\u0060\u007B\u007Bx\u007D\u007D\u0023""#
        );
    }

    #[test]
    fn wrapped_lines_fit_the_width() {
        fn check(text: &str, room: f64, most: usize, lines: &[&str]) {
            let width = |sign| if is_wide(sign) { 2.0 } else { 1.0 };
            let wrapped = wrapped(text, room, most, width);
            assert_eq!(wrapped, lines, "{text:?}");
            assert!(wrapped.iter().all(|line| line.chars().map(width).sum::<f64>() <= room), "{wrapped:?}");
        }
        check("", 9.0, 3, &[]);
        check("one two three", 7.0, 3, &["one two", "three"]);
        check("one two three", 6.0, 3, &["one", "two", "three"]);
        check("abcdefghij k", 4.0, 9, &["abcd", "efgh", "ij k"]);
        check("a 漢字かな", 5.0, 9, &["a 漢", "字か", "な"]);
        check("one two, three four", 8.0, 2, &["one two,", "three…"]);
        check("one two, three", 8.0, 1, &["one two…"]);
        check("abcdefgh", 4.0, 1, &["abc…"]);
    }

    #[test]
    fn a_long_text_ends_in_an_ellipsis() {
        let check = |text: &str, most, expected: &str| assert_eq!(shortened(text, most), expected);
        check("abc", 3, "abc");
        check("abcd", 3, "ab…");
        check("ab cd", 4, "ab…");
    }
}
