//! The factors of the semantics that want the largest ranges: semi-stable and stage.
//!
//! Nothing here is SCC-recursive, but parts between which there is no attack are independent. Where such a part has
//! stable sets, those are the ones of the largest range. Where it has none, its largest ranges are looked for, and the
//! sets of each are the stable ones of what is in range, that respect what is not: so these too are counted without
//! being listed.

use crate::argumentation::components::Components;
use crate::argumentation::factors::factors::{Choice, Factors, Part};
use crate::argumentation::factors::solver::{Patience, Solver};
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Label, grounded};
use crate::argumentation::limits::Work;
use crate::argumentation::sat::ranges::{Kind, Ranges, largest_ranges};
use crate::argumentation::search::region::Aim;

/// All semi-stable extensions, where the kind is admissible sets (Caminada 2006), or all stage extensions, where it is
/// conflict-free ones (Verheij 1996).
///
/// Semi-stable extensions hold what is IN in the grounded labelling, so that only what it leaves undecided is looked at;
/// stage extensions may not.
pub fn ranged_factors(framework: &Framework, kind: Kind, work: Work<'_>) -> Factors {
    let (fixed, undecided): (Vec<u32>, Vec<u32>) = match kind {
        Kind::Admissible => {
            let labelling = grounded(framework);
            (labelling.with(Label::In).collect(), labelling.with(Label::Undec).collect())
        }
        Kind::ConflictFree => (Vec::new(), framework.arguments().collect()),
    };
    let mut factors = Factors::single(framework.len(), fixed);
    if undecided.is_empty() {
        return factors;
    }
    let left = framework.restricted_to(&undecided);
    let components = Components::weak(&left);
    let mut solver = Solver::new(framework, Aim::Stable, work, Patience::default());
    let mut complete = true;
    for component in (0..).take(components.len()) {
        let members: Vec<u32> = components.members(component).iter().map(|&it| undecided[it as usize]).collect();
        let part = match stable(&mut solver, &members, |_| false) {
            Stable::Some { choice, complete } => Part { choices: vec![choice], complete },
            Stable::None => of_largest_range(framework, &mut solver, kind, &members),
            Stable::Unknown => Part { choices: Vec::new(), complete: false },
        };
        if !part.complete {
            complete = false;
            factors.unsettled.extend(members.iter().filter(|&&member| !framework.has_attack(member, member)));
        }
        factors.roots.push(solver.add(part));
    }
    factors.unsettled.sort_unstable();
    let (parts, limit) = solver.finish();
    (factors.parts, factors.limit) = (parts, limit.filter(|_| !complete));
    factors
}

/// What is known of the stable sets of some arguments.
enum Stable {
    /// There are some: these, and all of them if `complete`.
    Some {
        choice: Choice,
        complete: bool,
    },
    None,
    Unknown,
}

/// The stable sets of `members`, ascending, in which what `is_due` is OUT.
fn stable(solver: &mut Solver<'_>, members: &[u32], is_due: impl Fn(u32) -> bool) -> Stable {
    let Some(outcome) = solver.take_apart(members, is_due) else {
        return Stable::None;
    };
    let mut choice = Choice { inside: outcome.inside, parts: Vec::new() };
    let (mut complete, mut known) = (true, true);
    for problem in outcome.problems {
        let place = solver.solve(problem);
        let part = solver.part(place);
        match (part.choices.is_empty(), part.complete) {
            (true, true) => return Stable::None,
            (true, false) => known = false,
            (false, _) => complete &= part.complete,
        }
        choice.parts.push(place);
    }
    if known { Stable::Some { choice, complete } } else { Stable::Unknown }
}

/// The sets of the largest ranges of `members`, which have no stable set.
fn of_largest_range(framework: &Framework, solver: &mut Solver<'_>, kind: Kind, members: &[u32]) -> Part {
    let own = framework.restricted_to(members);
    let Ranges { left_out, complete } = largest_ranges(&own, kind, solver.work());
    let mut part = Part { choices: Vec::new(), complete };
    for left_out in left_out {
        let mut reached = vec![true; own.len()];
        left_out.iter().for_each(|&it| reached[it as usize] = false);
        let is_out_of_range = |it: &u32| !reached[*it as usize];
        let within: Vec<u32> = (0..).zip(members).filter(|(it, _)| reached[*it as usize]).map(|(_, &it)| it).collect();
        // What attacks something out of range is not IN, or that would be in range; nor is, where sets are to defend
        // themselves, what something out of range attacks.
        let is_due = |member: u32| {
            let it = u32::try_from(members.partition_point(|&other| other < member)).expect("as many as arguments");
            own.attacked(it).iter().any(is_out_of_range)
                || kind == Kind::Admissible && own.attackers(it).iter().any(is_out_of_range)
        };
        match stable(solver, &within, is_due) {
            Stable::Some { choice, complete } => {
                part.choices.push(choice);
                part.complete &= complete;
            }
            Stable::None | Stable::Unknown => part.complete = false,
        }
    }
    part
}
