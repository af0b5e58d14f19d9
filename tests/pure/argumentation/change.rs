//! Incremental changes, compared with a full relabelling after each change.

use std::collections::BTreeSet;
use std::fs;

use faultline_argumentation::change::dynamic_framework::{ChangeError, DynamicFramework};
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, Labelling, grounded};

use serde::Deserialize;
use serde_json::Value;

use crate::support::random::Random;

/// Reference for a changing framework, kept in the simplest way.
#[derive(Default)]
struct Plain {
    next: u32,
    arguments: BTreeSet<u32>,
    attacks: BTreeSet<(u32, u32)>,
}

impl Plain {
    fn labelled(&self) -> (Vec<u32>, Labelling, Framework) {
        let arguments: Vec<u32> = self.arguments.iter().copied().collect();
        let place = |argument: u32| arguments.binary_search(&argument).expect("it is there") as u32;
        let attacks = self.attacks.iter().map(|&(a, b)| (place(a), place(b)));
        let framework = Framework::new(arguments.len(), attacks).expect("in range");
        (arguments, grounded(&framework), framework)
    }
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Add,
    Withdraw(u32),
    Attack(u32, u32),
    Retract(u32, u32),
}

/// Applies a change to both and compares everything observable.
fn both(plain: &mut Plain, changing: &mut DynamicFramework, change: Change) {
    let (before, labels_before, _) = plain.labelled();
    match change {
        Change::Add => {
            assert_eq!(changing.add(), Ok(plain.next));
            plain.arguments.insert(plain.next);
            plain.next += 1;
        }
        Change::Withdraw(argument) => {
            assert_eq!(changing.withdraw(argument), Ok(()));
            plain.arguments.remove(&argument);
            plain.attacks.retain(|&(a, b)| a != argument && b != argument);
        }
        Change::Attack(a, b) => assert_eq!(changing.attack(a, b), Ok(plain.attacks.insert((a, b)))),
        Change::Retract(a, b) => assert_eq!(changing.retract(a, b), Ok(plain.attacks.remove(&(a, b)))),
    }
    let (arguments, labels, framework) = plain.labelled();
    assert_eq!(changing.labelling(), labels, "{change:?}");
    assert_eq!((changing.arguments().collect(), changing.len()), (arguments.clone(), arguments.len()));
    assert_eq!(changing.snapshot(), (framework, arguments.clone()));
    let old = |argument: &u32| before.binary_search(argument).ok().map(|place| labels_before.0[place]);
    let differs = |(argument, label): &(&u32, &Label)| old(argument).is_some_and(|old| old != **label);
    let changed: Vec<u32> = arguments.iter().zip(&labels.0).filter(differs).map(|(argument, _)| *argument).collect();
    assert_eq!(changing.changed(), changed, "{change:?}");
}

/// Draws a random change that keeps the framework at about `size` arguments.
fn any_change(rng: &mut Random, plain: &Plain, size: u64) -> Change {
    let arguments: Vec<u32> = plain.arguments.iter().copied().collect();
    let one = |rng: &mut Random| arguments[rng.below(arguments.len() as u64) as usize];
    let attacks: Vec<(u32, u32)> = plain.attacks.iter().copied().collect();
    match rng.below(100) {
        _ if arguments.is_empty() => Change::Add,
        0..20 if (arguments.len() as u64) < size => Change::Add,
        20..28 if arguments.len() as u64 > size / 2 => Change::Withdraw(one(rng)),
        28..60 if !attacks.is_empty() => {
            let (a, b) = attacks[rng.below(attacks.len() as u64) as usize];
            Change::Retract(a, b)
        }
        60..64 => Change::Retract(one(rng), one(rng)),
        _ => Change::Attack(one(rng), one(rng)),
    }
}

#[test]
fn labels_equal_a_full_relabelling_after_every_change() {
    let mut rng = Random(0xB492_B66F_BE98_F273);
    for round in 0..40 {
        let size = [6, 12, 30, 70][round % 4];
        let (mut plain, mut changing) = (Plain::default(), DynamicFramework::default());
        for _ in 0..150 + 5 * size {
            let change = any_change(&mut rng, &plain, size);
            both(&mut plain, &mut changing, change);
        }
    }
}

#[test]
fn an_existing_framework_is_adopted_unchanged() {
    let mut rng = Random(0xC2B2_AE3D_27D4_EB4F);
    for size in [0, 1, 40, 100, 300] {
        let framework = if size < 2 { Framework::new(size, []).expect("empty") } else { rng.debate(size as u64) };
        let mut changing = DynamicFramework::of(&framework);
        assert_eq!(changing.labelling(), grounded(&framework));
        let mut plain = Plain {
            next: framework.len() as u32,
            arguments: framework.arguments().collect(),
            attacks: framework.attacks().collect(),
        };
        for _ in 0..200 {
            let change = any_change(&mut rng, &plain, 310);
            both(&mut plain, &mut changing, change);
        }
    }
}

/// Reverses an attack: the OUT argument attacks the IN argument that was the reason for its label.
#[test]
fn an_attack_by_an_out_argument_can_change_labels() {
    let mut changing = DynamicFramework::default();
    let (a, b) = (changing.add().expect("room"), changing.add().expect("room"));
    assert_eq!((changing.attack(a, b), changing.changed()), (Ok(true), vec![b]));
    assert_eq!((changing.label(a), changing.label(b)), (Some(Label::In), Some(Label::Out)));
    assert_eq!((changing.attack(b, a), changing.changed()), (Ok(true), vec![a, b]));
    assert_eq!((changing.label(a), changing.label(b)), (Some(Label::Undec), Some(Label::Undec)));
}

#[test]
fn changes_of_unknown_arguments_are_refused() {
    let mut changing = DynamicFramework::default();
    let (a, b) = (changing.add().expect("room"), changing.add().expect("room"));
    assert_eq!(changing.withdraw(a), Ok(()));
    let unknown = |argument| ChangeError::UnknownArgument { argument };
    assert_eq!(changing.withdraw(a), Err(unknown(a)));
    assert_eq!(changing.attack(b, a), Err(unknown(a)));
    assert_eq!(changing.retract(7, b), Err(unknown(7)));
    assert_eq!(changing.add(), Ok(2), "numbers are not reused");
    assert_eq!((changing.label(a), changing.label(b), changing.label(7)), (None, Some(Label::In), None));
    let words = "unknown argument 7: it was never added, or it was withdrawn";
    assert_eq!(unknown(7).to_string(), words);
}

/// Recorded trace: the changes, and what was known about the framework after each of them.
#[derive(Deserialize)]
struct Trace {
    id: String,
    ops: Vec<Vec<Value>>,
    after: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    /// Grounded extension as a hexadecimal number: bit i is set if argument i is in it.
    #[serde(rename = "GR")]
    grounded: String,
}

#[test]
fn known_traces_have_the_expected_labels() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/argumentation/dynamic.jsonl");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let traces: Vec<Trace> = text.lines().map(|line| serde_json::from_str(line).expect("a trace")).collect();
    assert!(traces.len() >= 20);
    for trace in &traces {
        let mut changing = DynamicFramework::default();
        for (op, known) in trace.ops.iter().zip(&trace.after) {
            let number = |at: usize| op[at].as_u64().and_then(|value| u32::try_from(value).ok()).expect("an argument");
            match op[0].as_str().expect("an operation") {
                "+n" => assert_eq!(changing.add(), Ok(number(1))),
                "-n" => assert_eq!(changing.withdraw(number(1)), Ok(())),
                "+a" => assert_eq!(changing.attack(number(1), number(2)), Ok(true)),
                "-a" => assert_eq!(changing.retract(number(1), number(2)), Ok(true)),
                other => panic!("{other}"),
            }
            let inside = changing.arguments().filter(|&argument| changing.label(argument) == Some(Label::In));
            assert!(inside.eq(members(&known.grounded)), "{} {op:?}", trace.id);
        }
    }
}

/// Returns the positions of the bits that are set in a hexadecimal number.
fn members(number: &str) -> impl Iterator<Item = u32> {
    let digits = number.chars().rev().map(|digit| digit.to_digit(16).expect("a digit"));
    let bits = digits.flat_map(|digit| (0..4).map(move |bit| digit >> bit & 1 == 1));
    bits.enumerate().filter(|(_, one)| *one).map(|(place, _)| place as u32)
}
