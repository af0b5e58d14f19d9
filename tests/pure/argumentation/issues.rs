//! Issues of the preferred extensions of small frameworks, compared with the definition.

use faultline_argumentation::framework::Framework;
use faultline_argumentation::issues::division::{DividingIssue, Division, division};
use faultline_argumentation::issues::issue_crux::issue_crux;
use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred;

use crate::support::random::Random;

fn column(division: &Division, argument: u32) -> Vec<Label> {
    (0..division.positions).map(|position| division.label(argument, position)).collect()
}

fn mirrored(labels: &[Label]) -> Vec<Label> {
    let mirror = |label: &Label| match label {
        Label::In => Label::Out,
        Label::Out => Label::In,
        Label::Undec => Label::Undec,
    };
    labels.iter().map(mirror).collect()
}

/// Returns true if the labels of `arguments` determine that of a thesis.
fn determine(division: &Division, arguments: &[u32], thesis: u32) -> bool {
    let alike =
        |one: usize, other: usize, argument: u32| division.label(argument, one) == division.label(argument, other);
    let rows = 0..division.positions;
    rows.clone().all(|one| {
        rows.clone()
            .all(|other| alike(one, other, thesis) || arguments.iter().any(|&argument| !alike(one, other, argument)))
    })
}

#[test]
fn issues_are_the_arguments_on_which_positions_differ() {
    let mut random = Random(0x1F83_D9AB_FB41_BD6B);
    let mut divided = 0;
    for _ in 0..400 {
        let framework = random.framework(11);
        let found = preferred(&framework, &SolverLimits::default());
        let division = division(&framework, &found.sets, found.exact);
        divided += usize::from(division.issues.len() > 1);
        let own = |argument: u32| division.issues.iter().filter(move |issue| issue.arguments().contains(&argument));
        for argument in framework.arguments() {
            let labels = column(&division, argument);
            let constant = labels.iter().all(|label| *label == labels[0]);
            assert_eq!(own(argument).count(), usize::from(!constant), "{argument} of {framework:?}");
            for other in framework.arguments().filter(|_| !constant) {
                let theirs = column(&division, other);
                let same = theirs == labels || theirs == mirrored(&labels);
                assert_eq!(own(argument).any(|issue| issue.arguments().contains(&other)), same, "{argument} {other}");
            }
        }
        for DividingIssue { alike, contrary } in &division.issues {
            let labels = column(&division, alike[0]);
            assert!(alike.iter().all(|&argument| column(&division, argument) == labels));
            assert!(contrary.iter().all(|&argument| column(&division, argument) == mirrored(&labels)));
        }
        for thesis in framework.arguments() {
            assert_smallest(&framework, &division, thesis);
        }
    }
    assert!(divided > 40, "only {divided}");
}

fn assert_smallest(framework: &Framework, division: &Division, thesis: u32) {
    let crux = issue_crux(framework, division, thesis).expect("preferred positions are complete");
    assert!(crux.smallest && crux.exact);
    let chosen: Vec<u32> = crux.issues.iter().map(|actual| actual.argument).collect();
    assert!(!chosen.contains(&thesis) && determine(division, &chosen, thesis), "{thesis} {framework:?}");
    assert!(chosen.is_empty() || !determine(division, &[], thesis));
    assert!(crux.issues.is_sorted_by(|one, other| one.bits >= other.bits));
    if chosen.len() == 2 {
        // No single argument suffices among those that attack the thesis, directly or indirectly.
        let mut cone = vec![thesis];
        let mut spent = 0;
        while let Some(&member) = cone.get(spent) {
            spent += 1;
            let new: Vec<u32> =
                framework.attackers(member).iter().copied().filter(|attacker| !cone.contains(attacker)).collect();
            cone.extend(new);
        }
        assert!(cone[1..].iter().all(|&alone| !determine(division, &[alone], thesis)), "{thesis} {framework:?}");
    }
}
