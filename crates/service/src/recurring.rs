//! Recurring questions: groups stored cruxes that ask the same question.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};

use faultline_core::events::ids::{DebateId, PersonaId, TurnId};
use faultline_core::questions::clusters::{SimilarityLink, clusters};
use faultline_core::questions::sameness::{QuestionRelation, is_alike, relation};
use faultline_core::questions::wording::TextFeatures;
use faultline_core::verdicts::crux::PositionSide;
use faultline_store::questions::neighbors::{CruxQuestion, NearPair, SideTaken};

/// Maximum number of neighbours listed for a cluster.
pub const MAX_NEIGHBOURS: usize = 10;

/// Input of the grouping, as found in the stored views.
#[derive(Clone, Debug, Default)]
pub struct ClusterInput {
    /// Cruxes and the questions they ask.
    pub cruxes: Vec<CruxQuestion>,
    /// Pairs of similar questions.
    pub pairs: Vec<NearPair>,
    /// True if the input is complete.
    pub exact: bool,
}

/// Questions that come up in several debates.
#[derive(Clone, Debug, Default)]
pub struct Recurring {
    /// Clusters, ordered by number of debates, then number of cruxes, then time of last activity, descending.
    pub clusters: Vec<QuestionCluster>,
    /// True if all data was examined; if not, clusters may be missing or split.
    pub exact: bool,
}

/// Cruxes that ask the same question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionCluster {
    /// Question, in the wording that is most similar to all others.
    pub question: String,
    /// Cruxes, in the order in which they were opened.
    pub members: Vec<CruxQuestion>,
    /// Number of distinct debates.
    pub debates: usize,
    /// Kinds of the cruxes, each listed once.
    pub kinds: BTreeSet<String>,
    /// Time at which the first crux was opened.
    pub first_seen: DateTime<Utc>,
    /// Time of the latest turn behind any of the cruxes.
    pub last_seen: DateTime<Utc>,
    /// Number of distinct wordings.
    pub wordings: usize,
    /// Lowest similarity of two compared wordings; 1 if there is only one wording.
    pub least: f32,
    /// Mean similarity of the compared wordings; 1 if there is only one wording.
    pub mean: f32,
    /// Personas and the sides they took.
    pub personas: Vec<PersonaSides>,
    /// Similar but different questions, most similar first.
    pub neighbours: Vec<Neighbour>,
}

/// Sides that a persona took in the cruxes of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonaSides {
    /// Id of the persona.
    pub persona: PersonaId,
    /// Sides, in the order in which the cruxes were opened.
    pub sides: Vec<SideIn>,
}

/// Side taken in one crux.
#[derive(Clone, Debug, PartialEq)]
pub struct SideIn {
    /// Debate of the crux.
    pub debate: DebateId,
    /// Key of the crux within its debate.
    pub key: String,
    /// Time at which the crux was opened.
    pub at: DateTime<Utc>,
    /// Side taken.
    pub side: PositionSide,
    /// Turn that shows the side.
    pub turn: TurnId,
}

/// Question similar to that of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Text of the question.
    pub question: String,
    /// Number of debates that ask it.
    pub debates: usize,
    /// Highest similarity of two wordings.
    pub similarity: f32,
    /// True if it negates the cluster's question, so that yes to one is no to the other.
    pub opposite: bool,
}

impl PersonaSides {
    /// Returns true if the persona affirmed the question in one crux and denied it in another.
    pub fn has_changed(&self) -> bool {
        self.sides.iter().any(|position| position.side.affirms())
            && self.sides.iter().any(|position| position.side.denies())
    }
}

impl QuestionCluster {
    /// Sets the sides that personas took in the cluster's cruxes.
    pub fn take_sides(&mut self, sides: &BTreeMap<(DebateId, String), Vec<SideTaken>>) {
        let mut held: BTreeMap<&PersonaId, Vec<SideIn>> = BTreeMap::new();
        for member in &self.members {
            for taken in sides.get(&(member.debate(), member.key.clone())).into_iter().flatten() {
                let (debate, key, at) = (member.debate(), member.key.clone(), member.opened_at);
                let side = SideIn { debate, key, at, side: taken.side, turn: taken.turn };
                held.entry(&taken.persona).or_default().push(side);
            }
        }
        self.personas =
            held.into_iter().map(|(persona, sides)| PersonaSides { persona: persona.clone(), sides }).collect();
    }
}

/// Distinct wording of a question. Texts are ordered by digest, so that results do not depend on database ids.
struct Text<'a> {
    text: &'a str,
    wording: TextFeatures,
    asked_by: Vec<&'a CruxQuestion>,
}

/// Relation between two texts.
struct Tie {
    one: usize,
    other: usize,
    cosine: f32,
    relation: QuestionRelation,
}

/// Returns the `first` largest clusters of cruxes from several debates.
///
/// Cost: linear in cruxes and pairs, plus the joins of [`clusters`]. Words are compared only for pairs whose cosine is
/// high enough to be the same question.
pub fn recurring(found: &ClusterInput, first: usize) -> Recurring {
    let mut by_digest: BTreeMap<&[u8], Text> = BTreeMap::new();
    for crux in &found.cruxes {
        let new = || Text { text: &crux.text, wording: TextFeatures::of(&crux.text), asked_by: Vec::new() };
        by_digest.entry(&crux.hash).or_insert_with(new).asked_by.push(crux);
    }
    let texts: Vec<Text> = by_digest.into_values().collect();
    let ties = ties(&texts, &found.pairs);
    let same = ties.iter().filter(|tie| tie.relation == QuestionRelation::Same);
    let same: Vec<SimilarityLink<usize>> =
        same.map(|tie| SimilarityLink { one: tie.one, other: tie.other, near: tie.cosine }).collect();
    let groups = clusters(&(0..texts.len()).collect(), &same);
    let map = Map::new(&texts, &groups, &ties);
    let mut order: Vec<usize> = (0..groups.len()).filter(|group| map.debates[*group] > 1).collect();
    order.sort_by_key(|group| (Reverse(map.weight(*group)), *group));
    order.truncate(first);
    Recurring { clusters: order.into_iter().map(|group| map.cluster(group)).collect(), exact: found.exact }
}

/// Determines the relations between texts, at most one per pair: by the words alone if these are equal, otherwise by
/// words and vectors.
fn ties(texts: &[Text], pairs: &[NearPair]) -> Vec<Tie> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut by_words: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        places.extend(text.asked_by.first().map(|crux| (crux.question, at)));
        if !text.wording.words.is_empty() {
            by_words.entry(&text.wording.words).or_default().push(at);
        }
    }
    let mut ties = Vec::new();
    for alike in by_words.values() {
        for (at, one) in alike.iter().enumerate() {
            let behind = alike[at + 1..].iter();
            ties.extend(behind.map(|index| Tie {
                one: *one,
                other: *index,
                cosine: 1.0,
                relation: QuestionRelation::Same,
            }));
        }
    }
    for pair in pairs {
        let (Some(one), Some(other)) = (places.get(&pair.one), places.get(&pair.other)) else { continue };
        let (a, b) = (&texts[*one].wording, &texts[*other].wording);
        let relation = relation(a, b, pair.cosine);
        if relation != QuestionRelation::Apart && !is_alike(a, b) {
            ties.push(Tie { one: *one, other: *other, cosine: pair.cosine, relation });
        }
    }
    ties
}

/// Assignment of texts to groups, with statistics of each group.
struct Map<'a> {
    texts: &'a [Text<'a>],
    groups: &'a [Vec<usize>],
    /// Group of each text.
    group: Vec<usize>,
    /// Number of debates that ask the question of each group.
    debates: Vec<usize>,
    /// Text of each group that is most similar to all others.
    centre: Vec<&'a str>,
    /// Ties within each group; `beside` has those that lead to other groups.
    within: Vec<Vec<&'a Tie>>,
    beside: Vec<Vec<&'a Tie>>,
}

impl<'a> Map<'a> {
    fn new(texts: &'a [Text<'a>], groups: &'a [Vec<usize>], ties: &'a [Tie]) -> Map<'a> {
        let mut group = vec![0; texts.len()];
        for (at, members) in groups.iter().enumerate() {
            members.iter().for_each(|member| group[*member] = at);
        }
        let (mut within, mut beside) = (vec![Vec::new(); groups.len()], vec![Vec::new(); groups.len()]);
        // Sum of each text's similarities to the texts of all cruxes in its group.
        let mut nearness: Vec<f64> = texts.iter().map(|text| text.asked_by.len() as f64).collect();
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
            let all = members.iter().flat_map(|member| &texts[*member].asked_by).map(|crux| crux.debate());
            all.collect::<BTreeSet<DebateId>>().len()
        };
        let centre = |members: &Vec<usize>| {
            let best = members.iter().max_by(|one, other| {
                let shorter = || texts[**other].text.len().cmp(&texts[**one].text.len());
                nearness[**one].total_cmp(&nearness[**other]).then_with(shorter).then(other.cmp(one))
            });
            best.map_or("", |member| texts[*member].text)
        };
        let (debates, centre) = (groups.iter().map(debates).collect(), groups.iter().map(centre).collect());
        Map { texts, groups, group, debates, centre, within, beside }
    }

    fn members(&self, group: usize) -> impl Iterator<Item = &'a CruxQuestion> {
        self.groups[group].iter().flat_map(|member| self.texts[*member].asked_by.iter().copied())
    }

    /// Sort key of a group, higher first: debates, cruxes, time of last activity.
    fn weight(&self, group: usize) -> (usize, usize, Option<DateTime<Utc>>) {
        (self.debates[group], self.members(group).count(), self.members(group).map(|member| member.changed_at).max())
    }

    fn cluster(&self, group: usize) -> QuestionCluster {
        let mut members: Vec<CruxQuestion> = self.members(group).cloned().collect();
        members.sort_by(|one, other| {
            let key = |member: &CruxQuestion| (member.opened_at, member.debate());
            key(one).cmp(&key(other)).then_with(|| one.key.cmp(&other.key))
        });
        let cosines: Vec<f32> = self.within[group].iter().map(|tie| tie.cosine).collect();
        let mean = cosines.iter().sum::<f32>() / cosines.len().max(1) as f32;
        QuestionCluster {
            question: self.centre[group].to_owned(),
            debates: self.debates[group],
            kinds: members.iter().map(|member| member.kind.clone()).collect(),
            first_seen: members.first().map(|member| member.opened_at).unwrap_or_default(),
            last_seen: members.iter().map(|member| member.changed_at).max().unwrap_or_default(),
            wordings: self.groups[group].len(),
            least: cosines.iter().copied().fold(1.0, f32::min),
            mean: if cosines.is_empty() { 1.0 } else { mean },
            personas: Vec::new(),
            neighbours: self.neighbours(group),
            members,
        }
    }

    /// Returns the groups most similar to one. A text that equals one member of a group but not another stays outside
    /// and counts as similar.
    fn neighbours(&self, group: usize) -> Vec<Neighbour> {
        let mut nearest: BTreeMap<usize, (f32, bool)> = BTreeMap::new();
        for tie in &self.beside[group] {
            let (one, other) = (self.group[tie.one], self.group[tie.other]);
            let (near, is_opposite) = nearest.entry(if one == group { other } else { one }).or_default();
            *near = near.max(tie.cosine);
            *is_opposite |= tie.relation == QuestionRelation::Opposite;
        }
        let mut nearest: Vec<(usize, (f32, bool))> = nearest.into_iter().collect();
        nearest.sort_by(|(one, a), (other, b)| b.0.total_cmp(&a.0).then(one.cmp(other)));
        nearest.truncate(MAX_NEIGHBOURS);
        let neighbour = |(group, (similarity, opposite)): (usize, (f32, bool))| Neighbour {
            question: self.centre[group].to_owned(),
            debates: self.debates[group],
            similarity,
            opposite,
        };
        nearest.into_iter().map(neighbour).collect()
    }
}
