//! Report of a debate for readers: all its parts as text, before they are rendered as HTML or Markdown.

use std::collections::BTreeMap;

use crate::events::crux::RoomKind;
use crate::events::ids::{ArgumentId, DisputeId, IssueId, PersonaId, ProposalId, ReasonId, TurnId};
use crate::export::report::model::room_models::{
    AgendaReport, CandidateReport, CheckReport, CruxPlacesReport, MotionReport, RoomReport, TableReport,
};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_words::RoomKinds;
use crate::verdicts::crux_card::crux_text::listed;

/// Explanation of the only set of arguments that can be accepted together.
const ACCEPTED_TOGETHER: &str = "No valid attack runs between these arguments, and every valid attack on one of them is answered by one of them. This follows \
                                 from the attacks; it is not an agreement of the participants.";

/// Explanation of arguments that all can be accepted because none attacks another.
const NOTHING_ATTACKED: &str =
    "No valid attack on any of these arguments is in force. This is not an agreement of the participants.";

/// Explanation of the statuses of arguments.
pub const ARGUMENT_STATUSES: &str = "An argument is accepted if all its attackers are rejected, rejected if one of them is accepted, and \
     undecided otherwise. A status tells how the attacks stand, not whether a claim is true.";

/// Title of the conditions for a change of mind that belong to no crux.
pub const OTHER_CONDITIONS: &str = "Conditions for a change of mind that belong to no crux";

/// Report of a debate for readers.
#[derive(Clone, Debug)]
pub struct DebateReport {
    /// Topic of the debate.
    pub topic: String,
    /// Facts about the debate: label and value.
    pub facts: Vec<(&'static str, String)>,
    /// Participants, in speaking order.
    pub speakers: Vec<Speaker>,
    /// Name of the debate's regime.
    pub regime: &'static str,
    /// Reason for the regime.
    pub because: String,
    /// Warnings about the limits of the verdict.
    pub warnings: Vec<String>,
    /// Id of the question of the topic; `None` if no engine asked it.
    pub topic_dispute: Option<DisputeId>,
    /// Positions of the participants on the topic, each with a quotation.
    pub on_topic: Vec<Statement>,
    /// Participants without a side on the topic, contested ones left out: index in speaking order, and a remark that says
    /// whether they spoke.
    pub silent_on_topic: Vec<(usize, &'static str)>,
    /// Remarks on the question of the topic.
    pub topic_remarks: Vec<String>,
    /// Cruxes of the disagreement.
    pub cruxes: Vec<CruxReport>,
    /// Sentence that stands in the place of cruxes.
    pub no_cruxes: &'static str,
    /// Former cruxes on which all came to one side.
    pub resolved: Vec<CruxReport>,
    /// Rooms and threads in which each crux was worked out; empty in a debate without rooms.
    pub crux_places: Vec<CruxPlacesReport>,
    /// Title of the contested statements, which says of which claims none of them decides the status.
    pub contested_title: String,
    /// Contested statements: settling one alone changes the status of no counted claim but those that rest on it.
    pub contested: Vec<CruxReport>,
    /// Cruxes that participants proposed themselves.
    pub proposed: Vec<Statement>,
    /// Common ground: question, agreed side, and the participants who took it.
    pub common: Vec<CommonGroundReport>,
    /// Statements that one participant made and others granted.
    pub granted: Vec<GrantedReport>,
    /// Camps of the arguments.
    pub camps: Vec<CampReport>,
    /// Participants with arguments who are listed with no camp, by index in speaking order.
    pub unlisted: Vec<usize>,
    /// True if there are several camps, and each has as many arguments of every participant as the others.
    pub is_tie_of_all: bool,
    /// True if no other arguments can be accepted together: the graph has one preferred extension.
    pub is_only_set: bool,
    /// Number of sets that can be accepted together and of which none is larger, the camps among them, as a decimal number.
    pub n_sets: String,
    /// Parts of the disagreement, each with at least one line.
    pub disagreement: Vec<DisagreementNotes>,
    /// Disputed questions with the participants' stances; the topic has its own parts.
    pub questions: Vec<QuestionReport>,
    /// Reasons for the sides of the questions, the topic included.
    pub reasons: Vec<QuestionReasons>,
    /// Kinds of its rooms.
    pub room_kinds: RoomKinds,
    /// Rooms and threads with their results.
    pub rooms: Vec<RoomReport>,
    /// Agendas, in order; the last one was in force at the end.
    pub agendas: Vec<AgendaReport>,
    /// Tables of a blackboard debate, in order.
    pub tables: Vec<TableReport>,
    /// Disagreements that a detector saw and for which no room was opened.
    pub without_room: Vec<CandidateReport>,
    /// Concessions, in order.
    pub concessions: Vec<Statement>,
    /// Claims that were checked.
    pub checks: Vec<CheckReport>,
    /// Searches that participants asked for before their turns; the explanation says why nothing was found.
    pub searches: Vec<CheckReport>,
    /// Sides of a motion; `None` if the debate has none.
    pub motion: Option<MotionReport>,
    /// Reflections and critiques before turns.
    pub preparations: BTreeMap<TurnId, Vec<(&'static str, String)>>,
    /// Arguments of the debate.
    pub arguments: Vec<ArgumentReport>,
    /// Attacks between arguments: valid ones, with their end if they ended, and those that nobody judged.
    pub attacks: Vec<AttackReport>,
    /// Proposals, in order.
    pub proposals: Vec<ProposalReport>,
    /// Sentences on how the proposal changed from first to last; empty without proposals.
    pub refinement: Vec<String>,
    /// Transcript, divided into sections.
    pub sections: Vec<TranscriptSection>,
}

/// Participant of the debate.
#[derive(Clone, Debug)]
pub struct Speaker {
    /// Id of the persona.
    pub id: PersonaId,
    /// Display name.
    pub name: String,
    /// Description in one line.
    pub about: String,
}

/// Crux with its evidence.
#[derive(Clone, Debug)]
pub struct CruxReport {
    /// Question whose answer would settle the crux.
    pub question: String,
    /// Statement of the crux; `None` for a dispute, which is a question.
    pub statement: Option<String>,
    /// Other statements under the same arguments.
    pub others: Vec<String>,
    /// Kind of crux, and the way it was found.
    pub origin: String,
    /// Share of theses that the crux decides, in words; `None` for a question.
    pub weight: Option<String>,
    /// Positions of the participants with quotations that show them; without text if the turn does not contain the words.
    pub evidence: Vec<Statement>,
    /// Arguments that depend on the crux.
    pub dependents: Vec<ArgumentId>,
    /// Labelled content of the card: kind, diagnosis, criteria and resolution.
    pub notes: Vec<(&'static str, String)>,
    /// What would change the mind of each participant; `what` is the source.
    pub mind_changes: Vec<MindChangeReport>,
}

/// What would change a participant's mind on a crux.
#[derive(Clone, Debug)]
pub struct MindChangeReport {
    /// Index of the participant in speaking order.
    pub speaker: Option<usize>,
    /// Turn in which the participant said so, if they did.
    pub turn: Option<TurnId>,
    /// Source of the words, or the reason why there are none.
    pub source: String,
    /// Words of the condition; `None` if it is unknown.
    pub text: Option<String>,
}

/// Statement that one participant made and others granted.
#[derive(Clone, Debug)]
pub struct GrantedReport {
    /// The statement.
    pub statement: String,
    /// The author, then those who granted it, each with the turn and the words.
    pub holders: Vec<Statement>,
}

/// Question on which the participants agree.
#[derive(Clone, Debug)]
pub struct CommonGroundReport {
    /// The question.
    pub question: String,
    /// Side that all of them take.
    pub side: &'static str,
    /// Participants who said so, each with the turn.
    pub holders: Vec<Statement>,
}

/// Camp: arguments that can be accepted together.
#[derive(Clone, Debug)]
pub struct CampReport {
    /// Speakers in this camp, by index in speaking order.
    pub speakers: Vec<usize>,
    /// Speakers who belong to this camp and to another one equally.
    pub tied: Vec<usize>,
    /// Other arguments of this camp.
    pub own: Vec<ArgumentId>,
    /// Arguments that every camp accepts; empty if there is only one camp.
    pub shared: Vec<ArgumentId>,
}

/// Part of the disagreement in words.
#[derive(Clone, Debug)]
pub struct DisagreementNotes {
    /// Title of the part.
    pub title: &'static str,
    /// Sentences, each traceable to arguments, turns or disputes by their ids.
    pub lines: Vec<String>,
}

/// Disputed question with the participants' stances.
#[derive(Clone, Debug)]
pub struct QuestionReport {
    /// Id of its dispute.
    pub id: DisputeId,
    /// The question.
    pub question: String,
    /// Name of the dispute's status.
    pub status: &'static str,
    /// Stances of the participants with quotations that show them.
    pub stances: Vec<Statement>,
    /// Reason for retiring it, and former wordings.
    pub remarks: Vec<String>,
}

/// Reasons that were given on a question.
#[derive(Clone, Debug)]
pub struct QuestionReasons {
    /// Id of the dispute.
    pub id: DisputeId,
    /// Sentence about the participants between yes and no, for whose answer no reasons are recorded; `None` without any.
    pub remark: Option<String>,
    /// The question.
    pub question: String,
    /// Reasons, in order of their ids.
    pub reasons: Vec<ReasonReport>,
}

/// Reason for a side of a question.
#[derive(Clone, Debug)]
pub struct ReasonReport {
    /// Id of the reason.
    pub id: ReasonId,
    /// Claim with its turn; `what` is the side that it supports, with remarks.
    pub said: Statement,
    /// Evidence and assumptions, each with its role and a remark if it was not said.
    pub grounds: Vec<String>,
}

/// Proposal with its reasoning, and what others said of it.
#[derive(Clone, Debug)]
pub struct ProposalReport {
    /// Text of the proposal; `what` is its id, its relation to an earlier one, and its round.
    pub said: Statement,
    /// Reasoning for the proposal; may be empty.
    pub reasoning: String,
    /// Sentence for a proposal without a review.
    pub not_reviewed: &'static str,
    /// Remark on the reasoning if its turn does not contain it.
    pub unsaid: Option<&'static str>,
    /// Recommendation of the critic, and acceptances with their words; empty if nobody reviewed it.
    pub sides: Vec<Statement>,
    /// Issues that the critic raised.
    pub issues: Vec<IssueReport>,
}

/// Issue with a proposal.
#[derive(Clone, Debug)]
pub struct IssueReport {
    /// Id of the issue.
    pub id: IssueId,
    /// Severity in one word.
    pub severity: &'static str,
    /// Description of the issue.
    pub text: String,
    /// Proposal with a change that answers it; `None` while it is open.
    pub answered_by: Option<ProposalId>,
}

impl IssueReport {
    /// Severity, and the proposal that answers the issue: `major, open`, `minor, answered by p2`.
    pub fn remark(&self) -> String {
        let answered =
            self.answered_by.map_or_else(|| "not answered".to_owned(), |proposal| format!("answered by {proposal}"));
        format!("{}, {answered}", self.severity)
    }
}

impl RoomReport {
    /// Name of the room: its id, after `thread` for a thread.
    pub fn name(&self) -> String {
        match self.kind {
            RoomKind::Private => self.id.to_string(),
            RoomKind::Thread => format!("{} {}", self.kind.noun(), self.id),
        }
    }
}

/// Attack of one argument on another.
#[derive(Clone, Debug, PartialEq)]
pub struct AttackReport {
    /// Turn that makes it, or in which the later of the two arguments was made.
    pub turn: TurnId,
    /// Sentence that names the arguments and the attacked part, without a full stop.
    pub text: String,
}

/// Argument of the debate.
#[derive(Clone, Debug)]
pub struct ArgumentReport {
    /// Id of the argument.
    pub id: ArgumentId,
    /// Index of the speaker in speaking order.
    pub speaker: Option<usize>,
    /// Turn in which the present claim was made, at first or by a revision; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// Turn in words, with the basis of an attribution, and whether the claim was said elsewhere, or not aloud.
    pub turn_text: String,
    /// Remark in brackets if the turn does not contain the claim: the turn that does, or that none does; empty otherwise.
    pub unsaid: String,
    /// Conclusion of the argument.
    pub claim: String,
    /// Former claims, in order.
    pub former: Vec<FormerClaim>,
    /// Status: `accepted`, `rejected` or `undecided`, or the reason why the argument is not live.
    pub standing: &'static str,
    /// Premises of the argument, with a remark on those that its turns do not contain.
    pub premises: Vec<String>,
    /// Assumptions of the argument, with a remark on those that its turns do not contain.
    pub assumptions: Vec<String>,
    /// Evidence that the argument cites.
    pub evidence: Vec<String>,
    /// Arguments that attack it with a valid attack.
    pub attacked_by: Vec<ArgumentId>,
}

/// Claim of an argument before a revision.
#[derive(Clone, Debug)]
pub struct FormerClaim {
    /// The claim.
    pub claim: String,
    /// Turn in which it was made; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// Turn in which it was narrowed.
    pub narrowed_in: TurnId,
}

/// Section of the transcript.
#[derive(Clone, Debug)]
pub struct TranscriptSection {
    /// Title of the section.
    pub title: String,
    /// Turns of the section, calls that were given up and skipped turns, in order.
    pub entries: Vec<TranscriptEntry>,
}

/// Entry of a transcript.
#[derive(Clone, Debug)]
pub enum TranscriptEntry {
    /// Turn; `what` is its act.
    Turn(Statement),
    /// Sentence about a call that was given up or a skipped turn, so that nothing was said or recorded.
    Missed(String),
    /// Announcement of the moderator.
    Announced(String),
}

impl DebateReport {
    /// True if the report contains any crux, found or proposed.
    pub fn has_cruxes(&self) -> bool {
        let found = self.cruxes.len() + self.resolved.len() + self.contested.len() + self.proposed.len();
        found > 0
    }

    /// True if the report contains any room, or a disagreement that got none.
    pub fn has_rooms(&self) -> bool {
        !self.rooms.is_empty() || !self.without_room.is_empty()
    }

    /// True if the report tells anything of the positions on the topic.
    pub fn has_topic(&self) -> bool {
        !self.on_topic.is_empty() || !self.silent_on_topic.is_empty() || !self.topic_remarks.is_empty()
    }

    /// Title of the positions on the topic, with the id of its question.
    pub fn topic_title(&self) -> String {
        let id = self.topic_dispute.map(|id| format!(" ({id})")).unwrap_or_default();
        format!("On the topic{id}")
    }

    /// Title of the section on camps. The only set of arguments divides nobody.
    pub fn camps_title(&self) -> &'static str {
        if self.is_only_set { "Arguments that stand together" } else { "Camps" }
    }

    /// Sentence that explains the camps.
    pub fn camps_lead(&self) -> String {
        let n_camps = self.camps.len();
        let of =
            if self.n_sets == n_camps.to_string() { String::new() } else { format!(", {n_camps} of {}", self.n_sets) };
        let listed = "A participant is listed with the set that has more of their arguments than the others, but not with \
                      one that contains the opposite answer to the topic; `tied` is a participant of whom several sets \
                      have as many";
        match n_camps {
            _ if self.is_only_set && !self.is_any_attacked() => NOTHING_ATTACKED.to_owned(),
            _ if self.is_only_set => ACCEPTED_TOGETHER.to_owned(),
            1 => format!(
                "Arguments that the valid attacks allow to be accepted together, 1 of {} such sets. {listed}.{}",
                self.n_sets,
                self.unlisted_in_words()
            ),
            _ if self.is_tie_of_all => {
                format!("Sets of arguments that the valid attacks allow to be accepted together{of}.")
            }
            _ => format!(
                "Sets of arguments that the valid attacks allow to be accepted together{of}. {listed}.{}",
                self.unlisted_in_words()
            ),
        }
    }

    /// True if an argument of the only set is attacked.
    fn is_any_attacked(&self) -> bool {
        let is_in_set = |id: &ArgumentId| self.camps.iter().any(|camp| camp.own.contains(id));
        self.arguments.iter().any(|argument| is_in_set(&argument.id) && !argument.attacked_by.is_empty())
    }

    /// Sentence about participants who are listed with no camp, after a space; empty if there are none.
    fn unlisted_in_words(&self) -> String {
        let names: Vec<String> = self.unlisted.iter().map(|at| self.speakers[*at].name.clone()).collect();
        let is = if names.len() == 1 { "is" } else { "are" };
        if names.is_empty() { String::new() } else { format!(" {} {is} listed with none.", listed(&names)) }
    }

    /// Arguments of a camp by whether their speakers are its members. All are the members' if it has none.
    pub fn own_and_others(&self, camp: &CampReport) -> (Vec<ArgumentId>, Vec<ArgumentId>) {
        let members: Vec<usize> = camp.speakers.iter().chain(&camp.tied).copied().collect();
        let is_all = self.is_only_set || members.is_empty();
        let speaker = |id: &ArgumentId| self.arguments.iter().find(|argument| argument.id == *id)?.speaker;
        camp.own.iter().copied().partition(|id| is_all || speaker(id).is_none_or(|speaker| members.contains(&speaker)))
    }

    /// Arguments that every camp accepts; empty if there is only one camp.
    pub fn in_every_camp(&self) -> &[ArgumentId] {
        self.camps.first().map_or(&[][..], |camp| camp.shared.as_slice())
    }

    /// Sentences about the attacks that a turn makes.
    pub fn attacks_of(&self, turn: TurnId) -> impl Iterator<Item = &str> {
        self.attacks.iter().filter(move |attack| attack.turn == turn).map(|attack| attack.text.as_str())
    }

    /// Title of the parts of the disagreement.
    pub fn disagreement_title(&self) -> &'static str {
        let only_conditions = self.disagreement.iter().all(|part| part.title == OTHER_CONDITIONS);
        if only_conditions { "Conditions" } else { "Parts of the disagreement" }
    }

    /// Claims that a turn makes, with their arguments: advanced in it, or worded anew. A claim that the turn does not
    /// contain is marked.
    pub fn claims_of(&self, turn: TurnId) -> Vec<(ArgumentId, String)> {
        let former = self.arguments.iter().flat_map(|argument| {
            argument.former.iter().map(move |former| (argument.id, former.turn, former.claim.clone()))
        });
        let present = self
            .arguments
            .iter()
            .map(|argument| {
                (argument.id, argument.turn, (argument.former.is_empty(), &argument.claim, &argument.unsaid))
            })
            .map(|(id, turn, (is_first, claim, unsaid))| {
                (id, turn, format!("{}{claim}{unsaid}", if is_first { "" } else { "now worded: " }))
            });
        let made = former.chain(present).filter(|(_, made_in, _)| *made_in == Some(turn));
        let mut claims: Vec<(ArgumentId, String)> = made.map(|(id, _, claim)| (id, claim)).collect();
        claims.sort_by_key(|(id, _)| *id);
        claims
    }

    /// Sentence on camps of which none is anybody's; `None` unless all are tied.
    pub fn tie(&self) -> Option<String> {
        let tied = self.camps.first().filter(|_| self.is_tie_of_all)?;
        let names: Vec<String> = tied.tied.iter().map(|place| self.name(Some(*place)).to_owned()).collect();
        let n = self.camps.len();
        Some(format!("{n} camps, none larger: each has as many arguments of {} as the others.", listed(&names)))
    }

    /// Display name of the speaker at this index, or "Moderator" for `None`.
    pub fn name(&self, speaker: Option<usize>) -> &str {
        speaker.and_then(|place| self.speakers.get(place)).map_or("Moderator", |speaker| speaker.name.as_str())
    }
}
