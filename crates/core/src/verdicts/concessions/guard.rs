//! Guard of common ground: no two items of it, agreed or granted, contradict each other.

use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::questions::contrast::mirrors;
use crate::questions::polarity::turns;
use crate::questions::sameness::is_alike;
use crate::questions::wording::TextFeatures;
use crate::verdicts::common_ground::CommonGround;
use crate::verdicts::concessions::granted::{GrantedStatement, affirms};

/// Item of common ground, with everything that it affirms or denies.
struct Item {
    /// Name of the item in a clause.
    name: String,
    /// True if the item is a statement, false if it is a question.
    is_statement: bool,
    /// Wordings; true for those that the item affirms, false for those that it denies.
    wordings: Vec<(TextFeatures, bool)>,
}

impl Item {
    fn agreed(disputes: &DisputeGraph, ground: &CommonGround) -> Item {
        let affirms = |negates: bool| (ground.side == Side::Yes) != negates;
        let dispute = disputes.disputes.get(&ground.dispute);
        let linked = dispute.into_iter().flat_map(|dispute| dispute.worded());
        let worded = std::iter::once((ground.question.as_str(), false)).chain(linked.skip(1));
        Item {
            name: ground.dispute.to_string(),
            is_statement: false,
            wordings: worded.map(|(text, negates)| (TextFeatures::of(text), affirms(negates))).collect(),
        }
    }

    fn granted(granted: &GrantedStatement) -> Item {
        Item {
            name: format!("the granted statement “{}”", granted.statement),
            is_statement: true,
            wordings: vec![(TextFeatures::of(&granted.statement), true)],
        }
    }

    /// True if the item affirms a statement in one of its wordings.
    fn affirms(&self, statement: &TextFeatures) -> bool {
        self.wordings.iter().any(|(wording, is_affirmed)| affirms(wording, *is_affirmed, statement))
    }

    /// True if the wordings of two items cannot both be affirmed as they are. A statement is compared with a question by
    /// its content words, since their word order differs.
    fn contradicts(&self, other: &Item) -> bool {
        let has_statement = self.is_statement || other.is_statement;
        self.wordings.iter().any(|(one, affirms_one)| {
            other.wordings.iter().any(|(two, affirms_two)| {
                let reversals = turns(one, two);
                let is_same_matter = reversals.left == 0 && one.numbers == two.numbers && !one.words.is_empty();
                let is_equal = if has_statement { is_same_matter && !reversals.is_odd() } else { is_alike(one, two) };
                let is_negated = is_same_matter && reversals.is_odd();
                let is_mirrored = *affirms_one && mirrors(one, two);
                if affirms_one == affirms_two { is_negated || is_mirrored } else { is_equal }
            })
        })
    }
}

/// Removes items of common ground that contradict each other, both of each pair: their wordings, recorded links included,
/// negate or mirror each other, one is affirmed and the other denied, or they affirm the two ends of a valid attack.
/// Returns what is left of both kinds, and the contradictions as clauses.
///
/// Cost: quadratic in the items, plus items times attacks.
pub fn without_contradictions(
    ground: Vec<CommonGround>,
    granted: Vec<GrantedStatement>,
    disputes: &DisputeGraph,
    graph: &ArgumentGraph,
) -> (Vec<CommonGround>, Vec<GrantedStatement>, Vec<String>) {
    let agreed = ground.iter().map(|ground| Item::agreed(disputes, ground));
    let items: Vec<Item> = agreed.chain(granted.iter().map(Item::granted)).collect();
    let mut is_lost = vec![false; items.len()];
    let mut clauses = Vec::new();
    let attacked = attacked_pairs(&items, graph);
    for one in 0..items.len() {
        for other in one + 1..items.len() {
            let reason = match attacked.iter().find(|(pair, _)| *pair == (one, other)) {
                _ if items[one].contradicts(&items[other]) => "contradict each other",
                Some((_, true)) => "answer the topic oppositely",
                Some((_, false)) => "stand in a valid attack",
                None => continue,
            };
            (is_lost[one], is_lost[other]) = (true, true);
            let (one, other) = (&items[one].name, &items[other].name);
            clauses.push(format!("{one} and {other} {reason} and are not counted as agreed upon"));
        }
    }
    let (lost_ground, lost_grants) = is_lost.split_at(ground.len());
    let ground = ground.into_iter().zip(lost_ground).filter(|(_, is_lost)| !**is_lost).map(|(it, _)| it).collect();
    let granted = granted.into_iter().zip(lost_grants).filter(|(_, is_lost)| !**is_lost).map(|(it, _)| it).collect();
    (ground, granted, clauses)
}

/// Pairs of items, the earlier first, that affirm the two ends of a valid attack, with a flag that is true if the attack
/// follows from opposite answers to the topic.
fn attacked_pairs(items: &[Item], graph: &ArgumentGraph) -> Vec<((usize, usize), bool)> {
    if items.len() < 2 {
        return Vec::new();
    }
    let affirming = |id: ArgumentId, component: ArgumentPart| -> Vec<usize> {
        let statement = graph.component_text(id, component).map(TextFeatures::of);
        let found = statement.iter().flat_map(|statement| {
            items.iter().enumerate().filter(|(_, item)| item.affirms(statement)).map(|(place, _)| place)
        });
        found.collect()
    };
    let attacks = graph.active().map(|(_, attack)| {
        let (source, target) = (attack.raised.source, attack.raised.target);
        ((source, ArgumentPart::Claim), (target, attack.component()), false)
    });
    let opposed = graph.opposed_theses().into_iter();
    let opposed = opposed.map(|(one, other)| ((one, ArgumentPart::Claim), (other, ArgumentPart::Claim), true));
    let mut pairs = Vec::new();
    for ((source, claim), (target, component), is_by_rule) in attacks.chain(opposed) {
        let attackers = affirming(source, claim);
        if attackers.is_empty() {
            continue;
        }
        for attacked in affirming(target, component) {
            let others = attackers.iter().filter(|attacker| **attacker != attacked);
            pairs.extend(others.map(|other| ((attacked.min(*other), attacked.max(*other)), is_by_rule)));
        }
    }
    pairs
}
