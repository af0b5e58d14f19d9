//! GraphQL types of the layered drawing of a debate.

use async_graphql::{ID, SimpleObject};

use crate::api::types::scalars::LabelValue;
use faultline_core::export::drawing::map_layout::{MapLayout, map_layout};
use faultline_core::export::drawing::svg_boxes::DrawnBox;
use faultline_core::export::drawing::svg_parts::BOX_WIDTH;
use faultline_core::export::map;
use faultline_core::export::map_builder::debate_map;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Layered drawing of a debate, as in the export `svg`: live arguments with valid attacks, questions with their sides and
/// reasons, proposals with their issues. Coordinates are in pixels, from the upper left corner.
#[derive(SimpleObject)]
pub struct DebateMap {
    /// Width of the drawing.
    width: f64,
    /// Height of the drawing.
    height: f64,
    /// Boxes in the order of the nodes: arguments, then questions, then proposals.
    boxes: Vec<MapBox>,
    /// Lines between boxes. Attacks in both directions are one line.
    lines: Vec<MapLine>,
}

/// A box of the drawing.
#[derive(SimpleObject)]
pub struct MapBox {
    /// Id of the box within the drawing: the short id of an argument, question, reason, proposal or issue, or that of a question
    /// and one of its sides, such as `d1_yes`.
    box_id: ID,
    /// Text; for a side of a question, the question.
    text: String,
    /// Id of the speaker; null for questions and their sides.
    speaker_id: Option<ID>,
    /// Id of the turn in which it was said; null if it is unknown, and for questions and their sides.
    turn_id: Option<ID>,
    /// Acceptance label; null unless it is an argument or a reason that counts.
    label: Option<LabelValue>,
    /// Distance of its left border from the left.
    x: f64,
    /// Distance of its upper border from the top.
    y: f64,
    /// Width.
    width: f64,
    /// Height.
    height: f64,
}

/// A line of the drawing.
#[derive(SimpleObject)]
pub struct MapLine {
    /// Id of the box at which it begins.
    source_id: ID,
    /// Id of the box at which it ends.
    target_id: ID,
    /// Most direct relation of the source to the target, such as `rebut`, `support` or `answer`.
    relation: String,
    /// True if the target attacks the source as well.
    mutual: bool,
    /// Ids of the attacks on arguments that it stands for.
    attack_ids: Vec<ID>,
    /// Points from the border of the source to that of the target. Two points that are not vertically above each other
    /// are connected by a curve that leaves and arrives vertically. Empty if source and target are the same box.
    path: Vec<MapPoint>,
}

/// A point of the drawing.
#[derive(SimpleObject)]
pub struct MapPoint {
    /// Distance from the left.
    x: f64,
    /// Distance from the top.
    y: f64,
}

impl DebateMap {
    /// Lays out a debate. Costs as the export `svg`.
    pub fn of(read_model: &DebateReadModel) -> DebateMap {
        let map = debate_map(read_model);
        let drawn: Vec<DrawnBox<'_>> = map.nodes.iter().map(|node| DrawnBox::of(&map, node)).collect();
        let MapLayout { width, height, corners, heights, lines, loops } = map_layout(&map, &drawn);
        let placed = map.nodes.iter().zip(corners.into_iter().zip(heights));
        let boxes = placed.map(|(node, ((x, y), height))| MapBox {
            box_id: ID(node.id.to_string()),
            text: node.text.clone(),
            speaker_id: node.speaker.map(|speaker| ID(map.speakers[speaker].persona.to_string())),
            turn_id: node.turn.map(|turn| ID(turn.to_string())),
            label: node.label().map(LabelValue::from),
            x,
            y,
            width: BOX_WIDTH,
            height,
        });
        let between = lines.into_iter().map(|line| (line.edge, line.path));
        let all = between.chain(loops.into_iter().map(|edge| (edge, Vec::new())));
        DebateMap {
            width,
            height,
            boxes: boxes.collect(),
            lines: all.map(|(edge, path)| MapLine::new(&map, &edge, path)).collect(),
        }
    }
}

impl MapLine {
    fn new(map: &map::DebateMap, edge: &map::MapEdge, path: Vec<(f64, f64)>) -> MapLine {
        let attacks = edge.links.iter().filter_map(|link| map.links[*link].attack);
        MapLine {
            source_id: ID(map.nodes[edge.source].id.to_string()),
            target_id: ID(map.nodes[edge.target].id.to_string()),
            relation: edge.relation.name().to_owned(),
            mutual: edge.is_mutual,
            attack_ids: attacks.map(|attack| ID(attack.to_string())).collect(),
            path: path.into_iter().map(|(x, y)| MapPoint { x, y }).collect(),
        }
    }
}
