//! Events of a debate in the formats of the predecessor systems, for clients that know only those.
//!
//! Debates of the engine `graph` use the names of the old graph engine, those of `crux_rooms` and `forum` the names of the old
//! crux rooms, those of `blitz` and `classical` the names of the old engines of these names, those of `pro_con` are states of the old debate
//! orchestrator, and all others those of the old dialogue engine ("v2"). One event becomes zero, one or several old ones; events
//! without an old counterpart are dropped. Events that the old systems sent together, such as the attacks of a round, become
//! one old event, which follows the last of them.
//! Results are those computed here: labels are never empty, and a regime never claims more than the verdict.

use serde_json::Value;

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::DebateOpened;
use crate::export::legacy::blackboard::TurnBatch;
use crate::export::legacy::crystal_batch::CrystalBatch;
use crate::export::legacy::legacy_debate::LegacyDebate;
use crate::export::legacy::round_batch::RoundBatch;
use crate::export::legacy::{blackboard, dialogue, graph, pro_con, rooms};

/// Engine whose debates have the format of the old graph engine, here and in files imported from it.
const GRAPH_ENGINE: &str = "graph";
/// Engine whose debates have the format of the old crux rooms, here and in files imported from them.
const ROOMS_ENGINE: &str = "crux_rooms";
/// Engine whose threads are told as rooms of the old crux rooms.
const FORUM_ENGINE: &str = "forum";
/// Engines whose debates have the format of the old engines of the same names.
const BLACKBOARD_ENGINES: [&str; 2] = ["blitz", "classical"];

/// Engine whose debates are told as states of the old debate orchestrator.
const PRO_CON_ENGINE: &str = "pro_con";

/// Translator of events into the old formats. Call [`LegacyTranslator::translate`] with every event, from the first on.
#[derive(Debug, Default)]
pub struct LegacyTranslator {
    debate: LegacyDebate,
    round: RoundBatch,
    crystal: CrystalBatch,
    turn: TurnBatch,
    /// Opening of the debate, or of the fork.
    opened: Option<Box<DebateOpened>>,
    format: LegacyFormat,
}

/// Format of one of the predecessor systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LegacyFormat {
    Graph,
    Rooms,
    Blackboard,
    ProCon,
    #[default]
    Dialogue,
}

impl LegacyTranslator {
    /// Translates the next event.
    ///
    /// Cost: that of a verdict when a phase, a round or the debate ends, and after each distillation.
    pub fn translate(&mut self, recorded: &Recorded) -> Vec<Value> {
        if let Some(opened) = recorded.event.opening() {
            self.format = match opened.engine.as_str() {
                GRAPH_ENGINE => LegacyFormat::Graph,
                ROOMS_ENGINE | FORUM_ENGINE => LegacyFormat::Rooms,
                PRO_CON_ENGINE => LegacyFormat::ProCon,
                engine if BLACKBOARD_ENGINES.contains(&engine) => LegacyFormat::Blackboard,
                _ => LegacyFormat::Dialogue,
            };
            self.opened = Some(Box::new(opened.clone()));
            self.debate.rounds = opened.options.get("rounds").and_then(Value::as_u64);
        }
        // A phase event describes the graph at the end of the phase before.
        let before = matches!(recorded.event, Event::PhaseEntered(_)).then(|| self.debate.read_model.verdict());
        self.debate.read_model.apply(recorded);
        match self.format {
            LegacyFormat::Graph => graph::translate(&mut self.debate, &mut self.round, recorded, before.as_ref()),
            LegacyFormat::Rooms => rooms::translate(&mut self.debate, recorded),
            LegacyFormat::Blackboard => blackboard::translate(&mut self.debate, &mut self.turn, recorded),
            LegacyFormat::ProCon => match &self.opened {
                Some(opened) => pro_con::translate(&self.debate, opened, recorded),
                None => Vec::new(),
            },
            LegacyFormat::Dialogue => {
                dialogue::translate(&mut self.debate, &mut self.crystal, recorded, before.as_ref())
            }
        }
    }
}
