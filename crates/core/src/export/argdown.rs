//! `argdown`: arguments, their premises and their attacks as Argdown (argdown.org).

use crate::events::argument::AttackKind;
use crate::export::map::{ArgumentMap, MapArgument, kind_name, label_name};
use crate::export::text::{clean, replaced, yaml_string};

/// Renders the debate: each argument with its claim, the attacks on it, and its inference.
///
/// A mutual attack is written at both arguments. Argdown can mark undercuts but not other attacked components, so a
/// comment on each attack names its kind.
pub fn argdown(map: &ArgumentMap) -> String {
    let mut argdown = format!("===\ntitle: {}\n===\n\n", yaml_string(&map.topic));
    argdown += &format!("// {}\n\n", map.summary());
    for (place, argument) in map.arguments.iter().enumerate() {
        argdown += &of_argument(map, argument);
        for attack in &map.attacks {
            let other = match (attack.target == place, attack.is_mutual && attack.source == place) {
                (true, _) => attack.source,
                (false, true) => attack.target,
                (false, false) => continue,
            };
            let sign = if attack.kind == AttackKind::Undercut { '_' } else { '-' };
            let why = plain(&attack.rationale);
            argdown += &format!(
                "  {sign} <{}> // {}: {}, {why}\n",
                map.arguments[other].id,
                attack.id,
                kind_name(attack.kind)
            );
        }
        argdown.push('\n');
    }
    for argument in
        map.arguments.iter().filter(|argument| !argument.premises.is_empty() || !argument.assumptions.is_empty())
    {
        argdown += &conclusion(argument);
    }
    argdown
}

fn of_argument(map: &ArgumentMap, argument: &MapArgument) -> String {
    let thesis = if argument.is_thesis { " #thesis" } else { "" };
    let (claim, speaker) = (plain(&argument.claim), &map.speakers[argument.speaker].persona);
    format!("<{}>: {claim} #({}) #({speaker}){thesis}\n", argument.id, label_name(argument.label))
}

/// Inference of an argument from its premises and assumptions.
fn conclusion(argument: &MapArgument) -> String {
    let mut argdown = format!("<{}>\n\n", argument.id);
    let given = argument.premises.iter().chain(&argument.assumptions);
    let n_given = argument.premises.len() + argument.assumptions.len();
    for (number, text) in (1..).zip(given) {
        let assumed = if number > argument.premises.len() { " #assumption" } else { "" };
        argdown += &format!("({number}) {}{assumed}\n", plain(text));
    }
    argdown + &format!("----\n({}) {}\n\n\n", n_given + 1, plain(&argument.claim))
}

/// Escapes all characters that are Argdown syntax.
fn plain(text: &str) -> String {
    replaced(&clean(text), |sign| match sign {
        '\\' => Some("\\\\"),
        '#' => Some("\\#"),
        '[' => Some("\\["),
        ']' => Some("\\]"),
        '(' => Some("\\("),
        ')' => Some("\\)"),
        '<' => Some("\\<"),
        '>' => Some("\\>"),
        '*' => Some("\\*"),
        '_' => Some("\\_"),
        '{' => Some("\\{"),
        '}' => Some("\\}"),
        '@' => Some("\\@"),
        '/' => Some("\\/"),
        ':' => Some("\\:"),
        '+' => Some("\\+"),
        '-' => Some("\\-"),
        '=' => Some("\\="),
        _ => None,
    })
}
