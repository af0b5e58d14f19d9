//! The clerk that distils a talk into a small argument graph.
//!
//! From time to time the clerk reads the latest turns and reports changes: a few new arguments; arguments narrowed or given
//! up by their owners; attacks; concessions. Most turns change nothing, and the graph shrinks with concessions. An argument
//! is contested if it is in some preferred extensions but not in all. The clerk compares every pair of claims by different
//! speakers and reports its findings pair by pair.

use serde::{Deserialize, Serialize};

use crate::engines::shared::view_prompts;
use crate::engines::talk::argument_clerk::decode;
use crate::engines::talk::argument_clerk::schema::ArgumentDistillation;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::phases::StructureSummary;
use crate::engines::talk::prompts as telling;
use crate::engines::talk::replies::distillation::unexamined;
use crate::engines::talk::state::{Talk, Window};
use crate::engines::talk::talk::Distiller;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, PointId};
use crate::kernel::engine::{EngineReply, OptionDoc};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::task::{ClaimInput, PairInput, TaskKind};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;
use faultline_argumentation::explanation::acceptance::{AcceptanceStatus, acceptance_from_factors};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred_factors;

/// Prompt templates of the clerk.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("argument_clerk.md"));

/// Documentation of the clerk's options.
pub const OPTIONS: [OptionDoc; 2] = [
    OptionDoc::integer("new_arguments", (1, 12), "new arguments per distillation, 1 to 12", "6"),
    OptionDoc::integer(
        "live_arguments",
        (2, 100),
        "number of live arguments above which the clerk is asked to prune, 2 to 100",
        "8",
    ),
];

/// Options of the clerk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArgumentClerkOptions {
    /// Maximum number of new arguments in one distillation.
    pub new_arguments: u32,
    /// Number of live arguments above which the clerk is asked to prune.
    pub live_arguments: u32,
}

impl Default for ArgumentClerkOptions {
    fn default() -> Self {
        ArgumentClerkOptions { new_arguments: 6, live_arguments: 8 }
    }
}

/// Clerk, with the graph that it has distilled so far.
#[derive(Default)]
pub struct ArgumentClerk {
    options: ArgumentClerkOptions,
    graph: ArgumentGraph,
}

impl ArgumentClerk {
    /// Creates a clerk that has read nothing yet.
    pub fn new(options: ArgumentClerkOptions) -> ArgumentClerk {
        ArgumentClerk { options, graph: ArgumentGraph::default() }
    }
}

impl Distiller for ArgumentClerk {
    fn evolve(&mut self, recorded: &Recorded) {
        self.graph.apply(recorded);
    }

    fn summary(&self, talk: &Talk) -> StructureSummary {
        let framed = self.graph.framework();
        let acceptance = acceptance_from_factors(&preferred_factors(&framed.framework, &SolverLimits::default()));
        let credulous = (0..).zip(&acceptance.statuses).filter(|(_, status)| **status == AcceptanceStatus::Credulous);
        let frontier: Vec<PointId> = credulous.map(|(index, _)| PointId::Argument(framed.id(index))).collect();
        let (pairs, examined) = (self.graph.pairs(), self.graph.examined());
        StructureSummary {
            live: framed.ids.len(),
            attacks: self.graph.active().count(),
            examined: pairs.iter().filter(|pair| examined.contains(pair)).count(),
            pairs: pairs.len(),
            looked: !examined.is_empty(),
            split: talk.disputes.not_retired().any(|(_, dispute)| dispute.is_split()),
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

    fn crystallization(&self, talk: &Talk, window: &Window) -> ModelRequest {
        let turns = telling::window(window);
        let arguments = view_prompts::arguments(&self.graph);
        let attacks: Vec<_> =
            self.graph.active().map(|(_, attack)| view_prompts::attack(&self.graph, attack)).collect();
        let (n_live, wanted) = (arguments.len(), self.options.live_arguments as usize);
        let crowded = match n_live > wanted {
            true => WORDS.fill("crowded", &[("live", &n_live.to_string()), ("wanted", &wanted.to_string())]),
            false => String::new(),
        };
        let most = self.options.new_arguments;
        let lines = view_prompts::argument_lines(&arguments, &talk.names);
        let values = [
            ("topic", talk.topic.as_str()),
            ("turns", &telling::clerk_lines(&turns, &talk.names)),
            ("arguments", &lines),
            ("attacks", &view_prompts::attack_lines(&attacks, &talk.names)),
            ("crowded", &crowded),
            ("most", &most.to_string()),
        ];
        let new: Vec<String> = (1..=most).map(|number| format!("n{number}")).collect();
        let live: Vec<String> = arguments.iter().map(|argument| argument.alias.clone()).collect();
        let live_names = live.clone();
        let (sentences, either) = (window.sentence_names(), [live.as_slice(), &new].concat());
        let names = [
            ("name", new),
            ("claim", sentences.clone()),
            ("premises", sentences.clone()),
            ("evidence", sentences.clone()),
            ("sentence", sentences),
            ("argument", live),
            ("superseded_by", either.clone()),
            ("source", either.clone()),
            ("target", either),
            ("attack", self.graph.active().map(|(id, _)| id.to_string()).collect()),
            ("turn", window.turn_names()),
            ("grants", [window.shown_sentence_names(), live_names].concat()),
        ];
        ModelRequest::distillation::<ArgumentDistillation>(
            WORDS,
            &values,
            &names,
            TaskKind::Crystallize { turns, arguments, attacks, most },
        )
    }

    fn comparison(&self, talk: &Talk) -> ModelRequest {
        let claim = |id: ArgumentId| {
            let argument = &self.graph.arguments[&id].advanced;
            ClaimInput { alias: id.to_string(), speaker: argument.speaker.clone(), text: argument.claim.clone() }
        };
        let pairs: Vec<PairInput> =
            self.unexamined(talk).iter().map(|pair| PairInput { one: claim(pair.0), other: claim(pair.1) }).collect();
        ModelRequest::comparison(WORDS, talk, pairs)
    }

    fn crystallized(&self, talk: &Talk, window: &Window, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let most = self.options.new_arguments as usize;
        decode::crystallized(talk, &self.graph, window, most, reply::read(reply.text)?.value)
    }

    fn compared(&self, talk: &Talk, text: &str) -> Result<Vec<Event>, Unreadable> {
        decode::compared(&self.graph, &self.unexamined(talk), reply::read(text)?.value)
    }
}

impl ArgumentClerk {
    /// Returns the next pairs to examine, the oldest first.
    fn unexamined(&self, talk: &Talk) -> Vec<(ArgumentId, ArgumentId)> {
        unexamined(talk, self.graph.pairs(), &self.graph.examined())
    }
}
