//! Small-world frameworks: the time to an answer with its witness, which is checked.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Labelling, is_complete};
use faultline_argumentation::limits::{Exhausted, SolverLimits};
use faultline_argumentation::queries::extension_search::{deciding_extension, some_extension};
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::random_bits::RandomBits;

use crate::stopwatch::Stopwatch;

/// Share of the attacks that are mutual, in 256ths: a tenth.
const MUTUAL: u8 = 26;

/// Arguments whose acceptance is asked.
const ASKED: [u32; 3] = [0, 77, 333];

/// Times the queries on frameworks of 500 to 1,000 arguments, with at most `limit` a query, and writes them to `folder`
/// in the format of ICCMA 2023, so that other solvers can be run on the same. Returns true if every witness is right.
pub fn run(limit: Duration, folder: Option<&Path>) -> bool {
    let mut is_sound = true;
    println!("{:22} {:>7} {:>9} {:>23} {:>23}", "framework", "attacks", "SE-PR ms", "DC-PR ms", "DS-PR ms");
    for arguments in [500, 700, 1_000] {
        for neighbors in [4, 6, 8, 10, 12] {
            for (rewired, parts) in [(10, 26), (30, 77), (50, 128)] {
                let framework = small_world(arguments, neighbors, parts);
                let name = format!("ws-{arguments}-k{neighbors}-b{rewired}");
                if let Some(folder) = folder {
                    let path = folder.join(format!("{name}.af"));
                    fs::write(&path, text(&framework)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                }
                is_sound &= check(&name, &framework, limit);
            }
        }
    }
    is_sound
}

fn check(name: &str, framework: &Framework, limit: Duration) -> bool {
    let mut timer = Timer { framework, limit, is_sound: true };
    let one = timer.time(|limits| some_extension(framework, Semantics::Preferred, limits), |_| true);
    let [credulous, sceptical] = [true, false].map(|holds| {
        let times = ASKED.map(|argument| {
            timer.time(
                |limits| deciding_extension(framework, argument, Semantics::Preferred, holds, limits),
                |set| set.contains(&argument) == holds,
            )
        });
        times.join(" ")
    });
    println!("{name:22} {:7} {one:>9} {credulous:>23} {sceptical:>23}", framework.attack_count());
    timer.is_sound
}

/// Timer of the queries on one framework.
struct Timer<'f> {
    framework: &'f Framework,
    limit: Duration,
    /// True as long as every witness was right.
    is_sound: bool,
}

impl Timer<'_> {
    /// Returns the milliseconds of a query, marked if a witness was found and checked.
    fn time(
        &mut self,
        query: impl FnOnce(&SolverLimits<'_>) -> Result<Option<Vec<u32>>, Exhausted>,
        fits: impl FnOnce(&[u32]) -> bool,
    ) -> String {
        let (watch, limit) = (Stopwatch::start(), self.limit);
        let stop = move || watch.spent() > limit;
        let found = query(&SolverLimits { conflicts: u64::MAX, stop: Some(&stop), ..SolverLimits::default() });
        let spent = format!("{:.0}", watch.spent().as_secs_f64() * 1e3);
        match found {
            Ok(None) => spent,
            Ok(Some(set)) if fits(&set) && self.is_complete(&set) => format!("{spent}w"),
            Ok(Some(_)) => {
                self.is_sound = false;
                format!("{spent} WRONG")
            }
            Err(_) => "OPEN".to_owned(),
        }
    }

    fn is_complete(&self, set: &[u32]) -> bool {
        is_complete(self.framework, &Labelling::of_extension(self.framework, set))
    }
}

/// Generates a small world (Watts and Strogatz 1998): a ring in which each argument is linked to its next neighbors,
/// and `parts`/256 of the links lead elsewhere. Each link is an attack in one direction, chosen at random, or in both.
fn small_world(arguments: u32, neighbors: u32, parts: u8) -> Framework {
    let mut random = RandomBits::<1>::new(u64::from(arguments * 100 + neighbors));
    let mut attacks = Vec::new();
    for argument in 0..arguments {
        for step in 1..=neighbors / 2 {
            let is_rewired = random.bits(parts)[0] & 1 == 1;
            let far = 1 + (random.words()[0] % u64::from(arguments - 1)) as u32;
            let other = (argument + if is_rewired { far } else { step }) % arguments;
            let pair = if random.bits(128)[0] & 1 == 1 { (argument, other) } else { (other, argument) };
            attacks.push(pair);
            if random.bits(MUTUAL)[0] & 1 == 1 {
                attacks.push((pair.1, pair.0));
            }
        }
    }
    Framework::new(arguments as usize, attacks).expect("the arguments exist")
}

fn text(framework: &Framework) -> String {
    let mut text = format!("p af {}\n", framework.len());
    for (attacker, target) in framework.attacks() {
        let _ = writeln!(text, "{} {}", attacker + 1, target + 1);
    }
    text
}
