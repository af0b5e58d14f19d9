//! File formats of abstract argumentation, tested with thousands of damaged files; the fuzz target does the same at
//! length.

use std::time::Instant;

use crate::support::random::Random;

#[path = "../../../fuzz/law.rs"]
mod law;

/// Valid files, and files that are not.
const FILES: &[&str] = &[
    "",
    "#\n",
    "p af 0\n",
    "p af 3\n# a comment\n1 2\n2 3\n3 3\n",
    "# first\r\np af 2\r\n1 2\r\n\r\n2 1",
    "1\n2\n3\n#\n1 2\n2 3\n3 1\n",
    "a the label\nb\n#\na b\nb a back\n",
    "arg(a).\narg(b).\natt(a,b).\natt(b,a).\n",
    "att(b,a). arg( a ) . % why\narg(b).arg(a).",
    r#"arg("a b"). arg("\"\\"). att("a b","\"\\")."#,
    "arg(a1). arg(a01). arg(a12). arg(1). arg(a). att(a1,a12). att(1,a).",
    "\u{feff}arg(ä). arg(\"ß 漢\"). att(ä,\"ß 漢\").",
    "\u{feff}x\r\ny\r\n#\r\nx y\r\n",
];

/// Fragments that are inserted anywhere.
const SCRAPS: &[&[u8]] = &[
    b"arg(",
    b"att(",
    b"a",
    b"b",
    b"a1",
    b"1",
    b"2",
    b"0",
    b",",
    b")",
    b").",
    b".",
    b"\"",
    b"\\",
    b"\\\"",
    b"%",
    b"#",
    b"#\n",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b"p af ",
    b"p af 999\n",
    b"99999999999999999999",
    b"1001",
    b"-1",
    b"\xEF\xBB\xBF",
    b"\xC3\xA4",
    b"\xC2\x9B",
    b"\xFF",
    b"\xC3",
    b"\0",
    b"\x1B",
    b"\x7F",
    b"\xE2\x80\xAE",
    b"not",
];

const INPUTS: usize = 20_000;

#[test]
fn no_input_crashes_the_readers() {
    let started = Instant::now();
    let (mut rng, mut read) = (Random(0x5EED_1234_5678_9ABC), 0);
    for file in FILES {
        read += law::holds_of(file.as_bytes());
    }
    assert!(read >= FILES.len() - 1, "only {read} files were read");
    for _ in 0..INPUTS {
        let mut bytes = FILES[rng.below(FILES.len())].as_bytes().to_vec();
        for _ in 0..=rng.below(4) {
            spoil(&mut bytes, &mut rng);
        }
        read += law::holds_of(&bytes);
    }
    assert!(read > INPUTS / 10, "only {read} inputs were read: too few for a meaningful test");
    eprintln!("{INPUTS} inputs, {read} times read, in {:?}", started.elapsed());
}

/// Changes a file slightly.
fn spoil(bytes: &mut Vec<u8>, rng: &mut Random) {
    let at = rng.below(bytes.len() + 1);
    let end = at + rng.below((bytes.len() - at).min(12) + 1);
    match rng.below(6) {
        0 => {
            bytes.splice(at..at, SCRAPS[rng.below(SCRAPS.len())].iter().copied());
        }
        1 => {
            bytes.splice(at..end, SCRAPS[rng.below(SCRAPS.len())].iter().copied());
        }
        2 => {
            bytes.drain(at..end);
        }
        3 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        4 => {
            let other = FILES[rng.below(FILES.len())].as_bytes();
            let from = rng.below(other.len() + 1);
            bytes.splice(at.., other[from..].iter().copied());
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}
