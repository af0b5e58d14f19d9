//! Law for any bytes that are read as a file; the fuzz target and an ordinary test share it.

use faultline_argumentation::formats::file_limits::FileLimits;
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::named_framework::NamedFramework;
use faultline_argumentation::formats::names::ArgumentNames;
use faultline_argumentation::formats::read::read;
use faultline_argumentation::formats::write::write;

/// Limits for the small files of a fuzzer; a few bytes that declare millions of arguments would only take its time.
const LIMITS: FileLimits = FileLimits { bytes: 1 << 16, arguments: 1_000, attacks: 10_000 };

/// Reads the bytes as each format. Whatever is read is written in each format and reads back the same; whatever is
/// refused has an error of one line, at a place that exists. Returns the number of formats in which the bytes were
/// read.
///
/// # Panics
/// Panics if the law does not hold.
pub fn holds_of(bytes: &[u8]) -> usize {
    let _ = Format::of_content(bytes);
    let mut read_in = 0;
    for format in Format::ALL {
        match read(bytes, format, &LIMITS) {
            Ok(named) => {
                read_in += 1;
                writes_and_reads_back(&named, format);
            }
            Err(misread) => {
                let lines = bytes.split(|it| matches!(it, b'\n' | b'\r')).count();
                assert!((1..=lines).contains(&misread.line) && (1..=bytes.len() + 1).contains(&misread.column));
                assert_eq!(misread.to_string().lines().count(), 1, "{misread}");
            }
        }
    }
    read_in
}

fn writes_and_reads_back(named: &NamedFramework, own: Format) {
    for format in Format::ALL {
        let Ok(text) = write(format, &named.names, &named.framework) else {
            assert_eq!(format, Format::Tgf, "only tgf refuses a name");
            assert_ne!(own, format, "a name that was read in a format can be written in it");
            continue;
        };
        let roomy = FileLimits { bytes: usize::MAX, ..LIMITS };
        let back = read(text.as_bytes(), format, &roomy).unwrap_or_else(|it| panic!("{text}\n{it}"));
        assert_eq!(back.framework, named.framework);
        if format == Format::Af {
            assert_eq!(back.names.len(), named.names.len());
        } else {
            assert!(same(&back.names, &named.names), "{text}");
            assert_eq!(write(format, &back.names, &back.framework).as_ref(), Ok(&text));
        }
    }
}

fn same(one: &ArgumentNames, other: &ArgumentNames) -> bool {
    one.iter().eq(other.iter())
}
