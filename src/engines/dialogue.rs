//! The dialogue engine: talk, distilled into a small argument graph.
//!
//! The talk itself is described in [`crate::engines::talk`]. From time to time a clerk reads the latest turns and
//! reports changes: a few new arguments; arguments narrowed or given up by their owners; attacks; concessions. Most
//! turns change nothing, and the graph shrinks with concessions. An argument is contested if it is in some preferred
//! extensions but not in all. A clerk compares every pair of claims by different speakers and reports its findings pair
//! by pair.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::argumentation::acceptance::{Standing, standings};
use crate::argumentation::limits::Limits;
use crate::argumentation::preferred::preferred_factors;
use crate::engines::brief;
use crate::engines::dialogue_reading as reading;
use crate::engines::dialogue_replies::Crystallized;
use crate::engines::options;
use crate::engines::talk::{Asked, Conversation, Distiller};
use crate::engines::talk_options::{self, TalkOptions};
use crate::engines::talk_phases::Outlook;
use crate::engines::talk_replies::Compared;
use crate::engines::talk_state::{Talk, Window};
use crate::engines::talk_telling as telling;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, Point};
use crate::kernel::engine::{OptionDoc, Refusal, Registration, Reply};
use crate::kernel::prompt::Words;
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::schema;
use crate::kernel::task::{ClaimTold, PairTold, Work};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;

/// Registration of the engine.
pub const REGISTRATION: Registration = Registration {
    name: "dialogue",
    about: "short turns of talk in four phases, distilled into a small graph of arguments",
    revision: 2,
    participants: (2, 12),
    options: OPTIONS,
    normalize: |given| read_options(given).map(|it| talk_options::written_out(&it)),
    start: |opened| {
        let (own, shared) = read_options(&opened.options)?;
        Ok(Box::new(Conversation::new(opened, shared, Dialogue { options: own, graph: ArgumentGraph::default() })))
    },
};

/// Prompt templates of the engine's clerk.
pub const WORDS: Words = Words(include_str!("dialogue.md"));

const OPTIONS: &[OptionDoc] = &talk_options::documented::<2, 20>([
    OptionDoc { name: "new_arguments", about: "new arguments per distillation, 1 to 12", default: "3" },
    OptionDoc {
        name: "live_arguments",
        about: "number of live arguments above which the clerk is asked to prune, 2 to 100",
        default: "8",
    },
]);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    new_arguments: u32,
    live_arguments: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { new_arguments: 3, live_arguments: 8 }
    }
}

fn read_options(given: &Value) -> Result<(Options, TalkOptions), Refusal> {
    let (own, shared) = talk_options::read::<Options>(given, OPTIONS)?;
    options::within("new_arguments", own.new_arguments, 1, 12)?;
    options::within("live_arguments", own.live_arguments, 2, 100)?;
    Ok((own, shared))
}

struct Dialogue {
    options: Options,
    graph: ArgumentGraph,
}

impl Distiller for Dialogue {
    fn evolve(&mut self, recorded: &Recorded) {
        self.graph.apply(recorded);
    }

    fn outlook(&self, talk: &Talk) -> Outlook {
        let framed = self.graph.framed();
        let acceptance = standings(&preferred_factors(&framed.framework, &Limits::default()));
        let credulous = (0..).zip(&acceptance.standings).filter(|(_, it)| **it == Standing::Credulous);
        let frontier: Vec<Point> = credulous.map(|(index, _)| Point::Argument(framed.id(index))).collect();
        let (pairs, examined) = (self.graph.pairs(), self.graph.examined());
        Outlook {
            live: framed.ids.len(),
            attacks: self.graph.active().count(),
            examined: pairs.iter().filter(|it| examined.contains(it)).count(),
            pairs: pairs.len(),
            looked: !examined.is_empty(),
            split: talk.disputes.counted().any(|(_, it)| it.is_split()),
            exact: acceptance.exact,
            frontier,
        }
    }

    /// Limits opening statements to the number of new arguments, so that none is left without an argument.
    fn openings(&self) -> usize {
        self.options.new_arguments as usize
    }

    fn missing(&self, _talk: &Talk, _speaker: &PersonaId) -> Vec<DisputeId> {
        Vec::new()
    }

    fn crystallization(&self, talk: &Talk, window: &Window) -> Asked {
        let turns = telling::window(window);
        let arguments = brief::arguments(&self.graph);
        let attacks: Vec<_> = self.graph.active().map(|(_, it)| brief::attack(&self.graph, it)).collect();
        let (live, wanted) = (arguments.len(), self.options.live_arguments as usize);
        let crowded = match live > wanted {
            true => WORDS.fill("crowded", &[("live", &live.to_string()), ("wanted", &wanted.to_string())]),
            false => String::new(),
        };
        let most = self.options.new_arguments;
        let lines = brief::argument_lines(&arguments, None, &talk.names);
        let values = [
            ("topic", talk.topic.as_str()),
            ("turns", &telling::clerk_lines(&turns, &talk.names)),
            ("arguments", if lines.is_empty() { "none yet" } else { &lines }),
            ("attacks", &brief::attack_lines(&attacks, &talk.names)),
            ("crowded", &crowded),
            ("most", &most.to_string()),
        ];
        Asked {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill("crystallize", &values),
            schema: (schema::strict::<Crystallized>(), "crystallization"),
            work: Work::Crystallize { turns, arguments, attacks, most },
        }
    }

    fn comparison(&self, talk: &Talk) -> Asked {
        let claim = |id: ArgumentId| {
            let argument = &self.graph.arguments[&id].advanced;
            ClaimTold { alias: id.to_string(), speaker: argument.speaker.clone(), text: argument.claim.clone() }
        };
        let pairs: Vec<PairTold> =
            self.unexamined(talk).iter().map(|it| PairTold { one: claim(it.0), other: claim(it.1) }).collect();
        let values = [("topic", talk.topic.as_str()), ("pairs", &telling::pair_lines(&pairs, &talk.names))];
        Asked {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill("compare", &values),
            schema: (schema::strict::<Compared>(), "comparison"),
            work: Work::Compare { pairs },
        }
    }

    fn crystallized(&self, talk: &Talk, window: &Window, reply: &Reply) -> Result<Vec<Event>, Unreadable> {
        let most = self.options.new_arguments as usize;
        reading::crystallized(talk, &self.graph, window, most, reply::read(reply.text)?.value)
    }

    fn compared(&self, talk: &Talk, text: &str) -> Result<Vec<Event>, Unreadable> {
        reading::compared(&self.graph, &self.unexamined(talk), reply::read(text)?.value)
    }
}

impl Dialogue {
    /// Returns the next pairs to examine, the oldest first.
    fn unexamined(&self, talk: &Talk) -> Vec<(ArgumentId, ArgumentId)> {
        let examined = self.graph.examined();
        let open = self.graph.pairs().into_iter().filter(|it| !examined.contains(it));
        open.take(talk.options.pairs as usize).collect()
    }
}
