//! Cruxes that ask the same question, gathered from what is stored of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};

use crate::events::dispute::Side;
use crate::events::ids::{DebateId, PersonaId, TurnId};
use crate::questions::clusters::{Link, clusters};
use crate::questions::sameness::{Relation, is_alike, relation};
use crate::questions::wording::Wording;
use crate::store::questions::near::{AskedBy, NearPair, SideTaken};

/// The most neighbours that are told of a cluster.
pub const NEIGHBOURS: usize = 10;

/// What was found for it.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Who asks what.
    pub cruxes: Vec<AskedBy>,
    /// What lies near what.
    pub pairs: Vec<NearPair>,
    /// Whether that is everything.
    pub exact: bool,
}

/// The questions that come up in several debates.
#[derive(Clone, Debug, Default)]
pub struct Recurring {
    /// Those of most debates first, then those of most cruxes, then those that came up last.
    pub clusters: Vec<Cluster>,
    /// Whether everything was looked at: if not, there may be more, and more may be one.
    pub exact: bool,
}

/// Cruxes that ask one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The question, in the words that are nearest to all others.
    pub question: String,
    /// The cruxes, in the order in which they came to be.
    pub members: Vec<AskedBy>,
    /// How many debates they are of.
    pub debates: usize,
    /// How they were found, each way once.
    pub kinds: BTreeSet<String>,
    /// When the first came to be one.
    pub first_seen: DateTime<Utc>,
    /// When something was last said to one.
    pub last_seen: DateTime<Utc>,
    /// In how many different words it was asked.
    pub wordings: usize,
    /// The least similarity of any two wordings; 1 where there is one.
    pub least: f32,
    /// Their mean similarity; 1 where there is one.
    pub mean: f32,
    /// Who took which sides.
    pub personas: Vec<Held>,
    /// Questions near it that are not the same, the nearest first.
    pub neighbours: Vec<Neighbour>,
}

/// The sides that a persona took in the cruxes of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Who.
    pub persona: PersonaId,
    /// The sides, in the order in which the cruxes came to be.
    pub sides: Vec<SideIn>,
}

/// A side in a crux.
#[derive(Clone, Debug, PartialEq)]
pub struct SideIn {
    /// The crux's debate.
    pub debate: DebateId,
    /// The crux.
    pub key: String,
    /// When it came to be one.
    pub at: DateTime<Utc>,
    /// The side.
    pub side: Side,
    /// The turn that shows it.
    pub turn: TurnId,
}

/// A question near a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The question.
    pub question: String,
    /// How many debates ask it.
    pub debates: usize,
    /// The greatest similarity of any two wordings.
    pub similarity: f32,
    /// Whether it turns the cluster's question round: yes to it is no to the cluster.
    pub opposite: bool,
}

impl Held {
    /// Whether they said yes to one and no to another.
    pub fn has_changed(&self) -> bool {
        let took = |side| self.sides.iter().any(|it| it.side == side);
        took(Side::Yes) && took(Side::No)
    }
}

impl Cluster {
    /// Takes note of who took which side.
    pub fn take_sides(&mut self, sides: &BTreeMap<(DebateId, String), Vec<SideTaken>>) {
        let mut held: BTreeMap<&PersonaId, Vec<SideIn>> = BTreeMap::new();
        for member in &self.members {
            for taken in sides.get(&(member.debate(), member.key.clone())).into_iter().flatten() {
                let (debate, key, at) = (member.debate(), member.key.clone(), member.opened_at);
                let side = SideIn { debate, key, at, side: taken.side, turn: taken.turn };
                held.entry(&taken.persona).or_default().push(side);
            }
        }
        self.personas = held.into_iter().map(|(persona, sides)| Held { persona: persona.clone(), sides }).collect();
    }
}

/// A text that is asked. Texts are in the order of their digests, so that nothing depends on the numbers that a database
/// gave them.
struct Text<'a> {
    text: &'a str,
    wording: Wording,
    asked_by: Vec<&'a AskedBy>,
}

/// What two texts are to each other.
struct Tie {
    one: usize,
    other: usize,
    cosine: f32,
    relation: Relation,
}

/// The `first` clusters of cruxes of several debates.
///
/// Cost: linear in cruxes and pairs, but for the joins of [`clusters`]; the words of a pair are compared where its cosine
/// might be that of the same question.
pub fn recurring(found: &Found, first: usize) -> Recurring {
    let mut by_digest: BTreeMap<&[u8], Text> = BTreeMap::new();
    for crux in &found.cruxes {
        let new = || Text { text: &crux.text, wording: Wording::of(&crux.text), asked_by: Vec::new() };
        by_digest.entry(&crux.hash).or_insert_with(new).asked_by.push(crux);
    }
    let texts: Vec<Text> = by_digest.into_values().collect();
    let ties = ties(&texts, &found.pairs);
    let same = ties.iter().filter(|it| it.relation == Relation::Same);
    let same: Vec<Link<usize>> = same.map(|it| Link { one: it.one, other: it.other, near: it.cosine }).collect();
    let groups = clusters(&(0..texts.len()).collect(), &same);
    let map = Map::new(&texts, &groups, &ties);
    let mut order: Vec<usize> = (0..groups.len()).filter(|it| map.debates[*it] > 1).collect();
    order.sort_by_key(|it| (Reverse(map.weight(*it)), *it));
    order.truncate(first);
    Recurring { clusters: order.into_iter().map(|it| map.cluster(it)).collect(), exact: found.exact }
}

/// What texts are to each other, each two at most once: by the words alone where those are the same, else by words and
/// vectors.
fn ties(texts: &[Text], pairs: &[NearPair]) -> Vec<Tie> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut by_words: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        places.extend(text.asked_by.first().map(|it| (it.question, at)));
        if !text.wording.words.is_empty() {
            by_words.entry(&text.wording.words).or_default().push(at);
        }
    }
    let mut ties = Vec::new();
    for alike in by_words.values() {
        for (at, one) in alike.iter().enumerate() {
            let behind = alike[at + 1..].iter();
            ties.extend(behind.map(|it| Tie { one: *one, other: *it, cosine: 1.0, relation: Relation::Same }));
        }
    }
    for pair in pairs {
        let (Some(one), Some(other)) = (places.get(&pair.one), places.get(&pair.other)) else { continue };
        let (a, b) = (&texts[*one].wording, &texts[*other].wording);
        let relation = relation(a, b, pair.cosine);
        if relation != Relation::Apart && !is_alike(a, b) {
            ties.push(Tie { one: *one, other: *other, cosine: pair.cosine, relation });
        }
    }
    ties
}

/// Which text is in which group, and what is said of the groups.
struct Map<'a> {
    texts: &'a [Text<'a>],
    groups: &'a [Vec<usize>],
    /// Of each text its group.
    group: Vec<usize>,
    /// Of each group in how many debates it is asked.
    debates: Vec<usize>,
    /// Of each group the text that is nearest to all others.
    centre: Vec<&'a str>,
    /// Of each group the ties within it, and those that lead out of it.
    within: Vec<Vec<&'a Tie>>,
    beside: Vec<Vec<&'a Tie>>,
}

impl<'a> Map<'a> {
    fn new(texts: &'a [Text<'a>], groups: &'a [Vec<usize>], ties: &'a [Tie]) -> Map<'a> {
        let mut group = vec![0; texts.len()];
        for (at, members) in groups.iter().enumerate() {
            members.iter().for_each(|it| group[*it] = at);
        }
        let (mut within, mut beside) = (vec![Vec::new(); groups.len()], vec![Vec::new(); groups.len()]);
        // What each text is to all cruxes that ask its question: its similarity to their texts, summed.
        let mut nearness: Vec<f64> = texts.iter().map(|it| it.asked_by.len() as f64).collect();
        for tie in ties {
            let (one, other) = (group[tie.one], group[tie.other]);
            if one == other {
                within[one].push(tie);
                nearness[tie.one] += f64::from(tie.cosine) * texts[tie.other].asked_by.len() as f64;
                nearness[tie.other] += f64::from(tie.cosine) * texts[tie.one].asked_by.len() as f64;
            } else {
                beside[one].push(tie);
                beside[other].push(tie);
            }
        }
        let debates = |members: &Vec<usize>| {
            let all = members.iter().flat_map(|it| &texts[*it].asked_by).map(|it| it.debate());
            all.collect::<BTreeSet<DebateId>>().len()
        };
        let centre = |members: &Vec<usize>| {
            let best = members.iter().max_by(|one, other| {
                let shorter = || texts[**other].text.len().cmp(&texts[**one].text.len());
                nearness[**one].total_cmp(&nearness[**other]).then_with(shorter).then(other.cmp(one))
            });
            best.map_or("", |it| texts[*it].text)
        };
        let (debates, centre) = (groups.iter().map(debates).collect(), groups.iter().map(centre).collect());
        Map { texts, groups, group, debates, centre, within, beside }
    }

    fn members(&self, group: usize) -> impl Iterator<Item = &'a AskedBy> {
        self.groups[group].iter().flat_map(|it| self.texts[*it].asked_by.iter().copied())
    }

    /// The greater, the further up: debates, cruxes, when something was last said.
    fn weight(&self, group: usize) -> (usize, usize, Option<DateTime<Utc>>) {
        (self.debates[group], self.members(group).count(), self.members(group).map(|it| it.changed_at).max())
    }

    fn cluster(&self, group: usize) -> Cluster {
        let mut members: Vec<AskedBy> = self.members(group).cloned().collect();
        members.sort_by(|one, other| {
            let key = |it: &AskedBy| (it.opened_at, it.debate());
            key(one).cmp(&key(other)).then_with(|| one.key.cmp(&other.key))
        });
        let cosines: Vec<f32> = self.within[group].iter().map(|it| it.cosine).collect();
        let mean = cosines.iter().sum::<f32>() / cosines.len().max(1) as f32;
        Cluster {
            question: self.centre[group].to_owned(),
            debates: self.debates[group],
            kinds: members.iter().map(|it| it.kind.clone()).collect(),
            first_seen: members.first().map(|it| it.opened_at).unwrap_or_default(),
            last_seen: members.iter().map(|it| it.changed_at).max().unwrap_or_default(),
            wordings: self.groups[group].len(),
            least: cosines.iter().copied().fold(1.0, f32::min),
            mean: if cosines.is_empty() { 1.0 } else { mean },
            personas: Vec::new(),
            neighbours: self.neighbours(group),
            members,
        }
    }

    /// The groups nearest to one. What is the same as one member and not as another stays apart, and is near.
    fn neighbours(&self, group: usize) -> Vec<Neighbour> {
        let mut nearest: BTreeMap<usize, (f32, bool)> = BTreeMap::new();
        for tie in &self.beside[group] {
            let (one, other) = (self.group[tie.one], self.group[tie.other]);
            let (near, is_opposite) = nearest.entry(if one == group { other } else { one }).or_default();
            *near = near.max(tie.cosine);
            *is_opposite |= tie.relation == Relation::Opposite;
        }
        let mut nearest: Vec<(usize, (f32, bool))> = nearest.into_iter().collect();
        nearest.sort_by(|(one, a), (other, b)| b.0.total_cmp(&a.0).then(one.cmp(other)));
        nearest.truncate(NEIGHBOURS);
        let told = |(group, (similarity, opposite)): (usize, (f32, bool))| Neighbour {
            question: self.centre[group].to_owned(),
            debates: self.debates[group],
            similarity,
            opposite,
        };
        nearest.into_iter().map(told).collect()
    }
}
