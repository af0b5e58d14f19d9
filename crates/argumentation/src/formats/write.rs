//! Writing of frameworks in any of the formats.

use crate::formats::format::Format;
use crate::formats::names::ArgumentNames;
use crate::formats::{af, apx, tgf};
use crate::framework::Framework;

/// Error: a name that a format cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{format} cannot represent the name {name:?}, because it {reason}; apx can represent every name")]
pub struct UnrepresentableName {
    /// The format.
    pub format: Format,
    /// The name.
    pub name: String,
    /// Reason, such as "contains a space".
    pub reason: &'static str,
}

/// Writes a framework as text: arguments first, then attacks in the order of the framework. Reading the text returns
/// the same arguments and attacks, with the same names except in `af`, where each argument is its number.
///
/// # Errors
/// [`UnrepresentableName`] for the first name that the format cannot represent: in `tgf`, a name that contains a space or begins
/// with `#`.
///
/// # Panics
/// Panics if there are not as many names as arguments.
pub fn write(format: Format, names: &ArgumentNames, framework: &Framework) -> Result<String, UnrepresentableName> {
    assert_eq!(names.len(), framework.len(), "every argument has a name");
    let mut text = String::new();
    match format {
        Format::Apx => apx::write(names, framework, &mut text),
        Format::Tgf => {
            tgf::write(names, framework, &mut text).map_err(|(name, why)| UnrepresentableName {
                format,
                name,
                reason: why,
            })?;
        }
        Format::Af => af::write(names, framework, &mut text),
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::file_limits::FileLimits;
    use crate::formats::read::read;

    #[test]
    fn written_frameworks_are_read_back() {
        fn check(names: &[&str], attacks: &[(u32, u32)], format: Format, expected: Result<&str, &str>) {
            let framework = Framework::new(names.len(), attacks.iter().copied()).unwrap();
            let names = ArgumentNames::from_words(names.iter().copied()).unwrap();
            let written = write(format, &names, &framework);
            assert_eq!(written.as_deref().map_err(|error| error.to_string()), expected.map_err(str::to_owned));
            if let Ok(text) = written {
                let back = read(text.as_bytes(), format, &FileLimits::default()).unwrap();
                let expected = if format == Format::Af {
                    ArgumentNames::numbers(u32::try_from(names.len()).unwrap())
                } else {
                    names
                };
                assert_eq!((back.framework, back.names.iter().eq(expected.iter())), (framework, true));
            }
        }
        check(&[], &[], Format::Apx, Ok(""));
        check(&[], &[], Format::Tgf, Ok("#\n"));
        check(&[], &[], Format::Af, Ok("p af 0\n"));
        let attacks = [(1, 0), (0, 1), (1, 0)];
        check(&["a3", "A"], &attacks, Format::Apx, Ok("arg(a3).\narg(\"A\").\natt(a3,\"A\").\natt(\"A\",a3).\n"));
        check(&["a3", "A"], &attacks, Format::Tgf, Ok("a3\nA\n#\na3 A\nA a3\n"));
        check(&["a3", "2"], &attacks, Format::Af, Ok("p af 2\n# 1 a3\n1 2\n2 1\n"));
        check(&["a b", "#"], &[(0, 1)], Format::Apx, Ok("arg(\"a b\").\narg(\"#\").\natt(\"a b\",\"#\").\n"));
        check(&["a b", "#"], &[(0, 1)], Format::Af, Ok("p af 2\n# 1 a b\n# 2 #\n1 2\n"));
        let space = "tgf cannot represent the name \"a b\", because it contains a space; apx can represent every name";
        check(&["a b", "#"], &[(0, 1)], Format::Tgf, Err(space));
        let mark = "tgf cannot represent the name \"#\", because it begins with #; apx can represent every name";
        check(&["a", "#"], &[(0, 1)], Format::Tgf, Err(mark));
        let quotes = "\"\\".repeat(512);
        check(&[&quotes], &[(0, 0)], Format::Apx, Ok(&format!("arg({0}).\natt({0},{0}).\n", apx::term(&quotes))));
    }
}
