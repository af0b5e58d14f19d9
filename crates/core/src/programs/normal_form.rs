//! Normal form of logic programs: one clause a line, one blank between literals, no comments.
//!
//! The syntax is that part of answer set programming and Prolog in which models write rules: facts, rules with one head,
//! and constraints; literals separated by `,` or `;`; default negation `not`; comparisons. Choice rules, disjunctive
//! heads and directives are not recognized. Recognition is lexical: a text that is not a program is compared as prose.

use std::collections::BTreeSet;

/// Logic program, read from a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProgram {
    clauses: Vec<Clause>,
}

/// Fact, rule or constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    /// The head; `None` in a constraint.
    head: Option<String>,
    /// Literals of the body, each but the last with the separator after it; empty in a fact.
    body: Vec<(String, char)>,
}

impl RuleProgram {
    /// Reads a program; `None` if the text is no program, or consists of single words only. Comments (`%` to the end of
    /// the line) and surplus white space are dropped; the full stop after the last clause may be missing.
    ///
    /// Cost: linear in the text.
    pub fn parse(text: &str) -> Option<RuleProgram> {
        let clauses: Vec<Clause> = sentences(text)?.iter().map(|sentence| clause(sentence)).collect::<Option<_>>()?;
        let is_rule =
            |clause: &Clause| !clause.body.is_empty() || clause.head.as_ref().is_some_and(|head| head.ends_with(')'));
        clauses.iter().any(is_rule).then_some(RuleProgram { clauses })
    }

    /// Returns the normal form: `head :- literal, literal.`, one clause a line.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.clauses.iter().map(Clause::text).collect();
        lines.join("\n")
    }

    /// Returns the literals of all bodies in normal form, without repetitions. Facts have none.
    pub fn body_literals(&self) -> BTreeSet<&str> {
        self.clauses.iter().flat_map(|clause| &clause.body).map(|(literal, _)| literal.as_str()).collect()
    }
}

impl Clause {
    fn text(&self) -> String {
        let mut text = self.head.clone().unwrap_or_default();
        if !self.body.is_empty() {
            text.push_str(if text.is_empty() { ":- " } else { " :- " });
        }
        for (index, (literal, separator)) in self.body.iter().enumerate() {
            text.push_str(literal);
            if index + 1 < self.body.len() {
                text.extend([*separator, ' ']);
            }
        }
        text + "."
    }
}

/// Character of a program, with what the lexer knows of its place.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    sign: char,
    /// True within a quoted term, quotes included.
    quoted: bool,
    /// Number of open brackets before it.
    depth: u32,
}

/// Splits a program at the full stops between clauses; `None` if a bracket or a quotation is not closed.
fn sentences(text: &str) -> Option<Vec<Vec<Symbol>>> {
    let signs: Vec<char> = text.chars().collect();
    let (mut sentences, mut sentence) = (Vec::new(), Vec::new());
    let (mut depth, mut quote, mut escaped, mut comment) = (0_u32, None, false, false);
    for (at, sign) in signs.iter().copied().enumerate() {
        if comment {
            comment = sign != '\n';
            continue;
        }
        if let Some(open) = quote {
            sentence.push(Symbol { sign, quoted: true, depth });
            if !escaped && sign == open {
                quote = None;
            }
            escaped = sign == '\\' && !escaped;
            continue;
        }
        match sign {
            '%' => {
                comment = true;
                continue;
            }
            '"' | '\'' => quote = Some(sign),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            '.' if depth == 0 && signs.get(at + 1).is_none_or(|next| next.is_whitespace() || *next == '%') => {
                sentences.push(std::mem::take(&mut sentence));
                continue;
            }
            _ => {}
        }
        sentence.push(Symbol { sign, quoted: quote.is_some(), depth });
    }
    if sentence.iter().any(|symbol| !symbol.sign.is_whitespace()) {
        sentences.push(sentence);
    }
    (depth == 0 && quote.is_none() && !sentences.is_empty()).then_some(sentences)
}

fn clause(symbols: &[Symbol]) -> Option<Clause> {
    let is_neck = |pair: &[Symbol]| pair[0].sign == ':' && pair[1].sign == '-' && !pair[0].quoted && pair[0].depth == 0;
    let Some(neck) = symbols.windows(2).position(is_neck) else {
        return Some(Clause { head: Some(atom(&normal(symbols))?), body: Vec::new() });
    };
    let head = normal(&symbols[..neck]);
    let head = if head.is_empty() { None } else { Some(atom(&head)?) };
    let mut body = Vec::new();
    let mut rest = &symbols[neck + 2..];
    loop {
        let end =
            rest.iter().position(|symbol| !symbol.quoted && symbol.depth == 0 && matches!(symbol.sign, ',' | ';'));
        let literal = literal(&normal(&rest[..end.unwrap_or(rest.len())]))?;
        body.push((literal, end.map_or(',', |end| rest[end].sign)));
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return Some(Clause { head, body }),
        }
    }
}

/// Drops white space, except one blank between two words, and everything within quotation marks.
fn normal(symbols: &[Symbol]) -> String {
    let mut text = String::new();
    let mut blank = false;
    for symbol in symbols {
        if symbol.sign.is_whitespace() && !symbol.quoted {
            blank = true;
            continue;
        }
        if blank && text.ends_with(is_word) && is_word(symbol.sign) {
            text.push(' ');
        }
        blank = false;
        text.push(symbol.sign);
    }
    text
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Returns the text if it is an atom with or without arguments, possibly under strong negation.
fn atom(text: &str) -> Option<String> {
    let name = text.strip_prefix('-').unwrap_or(text);
    let arguments = name.trim_start_matches(is_word);
    let starts_low = name.starts_with(|sign: char| sign.is_lowercase() || sign == '_');
    let is_call = arguments.is_empty() || arguments.starts_with('(') && closes_at_its_end(arguments);
    (starts_low && is_call).then(|| text.to_owned())
}

/// True if the bracket at the start of the text is closed by its last character.
fn closes_at_its_end(text: &str) -> bool {
    let mut depth = 0;
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + sign.len_utf8() == text.len();
        }
    }
    false
}

/// Returns the text if it is an atom, its default negation, or a comparison without words in a row.
fn literal(text: &str) -> Option<String> {
    let positive = text.strip_prefix("not ").unwrap_or(text);
    let compares = positive.contains(['=', '<', '>']) && !positive.contains(' ');
    if compares { Some(text.to_owned()) } else { atom(positive).map(|_| text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal_form(text: &str) -> Option<String> {
        RuleProgram::parse(text).map(|program| program.text())
    }

    #[test]
    fn white_space_and_comments_do_not_matter() {
        let normal = "may_sail(F) :- crew(F,2), not gale(S), W<8.\nferry(gull).\n:- fog.";
        let loose = "may_sail( F )\n  :-  crew(F , 2),not   gale(S),\n W < 8 . % wind\nferry( gull ).\n :- fog";
        assert_eq!(normal_form(loose).as_deref(), Some(normal));
        assert_eq!(normal_form(normal).as_deref(), Some(normal), "the normal form of a normal form is the same");
    }

    #[test]
    fn quoted_terms_are_kept() {
        let text = "named(F, \"The  gull. :- x\") :- ferry(F); seen('a , b').";
        assert_eq!(normal_form(text).as_deref(), Some("named(F,\"The  gull. :- x\") :- ferry(F); seen('a , b')."));
    }

    #[test]
    fn prose_is_no_program() {
        for text in [
            "",
            " \n",
            "With a crew.",
            "crew and lights and a calm sea",
            "calm",
            "Always, but never in a gale.",
            "p(X) :- when the sea is calm.",
            "p(X) :- q(X",
            "p(X)) :- q(X).",
            "p(\"X) :- q(X).",
            "p(X) :- .",
            "p(X) :- q(X),, r(X).",
            "{ p(X) } :- q(X).",
            "See section (4).",
        ] {
            assert_eq!(normal_form(text), None, "{text:?}");
        }
    }

    #[test]
    fn literals_of_bodies_are_a_set() {
        let program = RuleProgram::parse("p(X) :- q(X), not r(X), q( X ). s(a).").expect("a program");
        assert_eq!(program.body_literals().into_iter().collect::<Vec<_>>(), ["not r(X)", "q(X)"]);
    }
}
