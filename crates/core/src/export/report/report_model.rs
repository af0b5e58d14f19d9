//! Report of a debate for readers: all its parts as text, before they are rendered as HTML or Markdown.

use crate::events::ids::{ArgumentId, PersonaId, RoomId, TurnId};
use crate::verdicts::crux_card::crux_text::listed;

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
    /// Positions of the participants on the topic, each with a quotation.
    pub on_topic: Vec<Statement>,
    /// Participants who took no side on the topic, contested ones left out, by index in speaking order.
    pub silent_on_topic: Vec<usize>,
    /// Cruxes of the disagreement.
    pub cruxes: Vec<CruxReport>,
    /// Former cruxes on which all came to one side.
    pub resolved: Vec<CruxReport>,
    /// Contested premises, which decide no thesis.
    pub contested: Vec<CruxReport>,
    /// Cruxes that participants proposed themselves.
    pub proposed: Vec<Statement>,
    /// Common ground: question, agreed side, and the participants who took it.
    pub common: Vec<CommonGroundReport>,
    /// Statements that one participant made and others granted.
    pub granted: Vec<GrantedReport>,
    /// Camps of the arguments.
    pub camps: Vec<CampReport>,
    /// True if there are several camps, and each has as many arguments of every participant as the others.
    pub is_tie_of_all: bool,
    /// Parts of the disagreement, each with at least one line.
    pub disagreement: Vec<DisagreementNotes>,
    /// Disputed questions with the participants' stances.
    pub questions: Vec<QuestionReport>,
    /// Rooms with their results.
    pub rooms: Vec<RoomReport>,
    /// Concessions, in order.
    pub concessions: Vec<Statement>,
    /// Claims that were checked.
    pub checks: Vec<CheckReport>,
    /// Arguments of the debate.
    pub arguments: Vec<ArgumentReport>,
    /// Proposals: thesis and outcome of each.
    pub proposals: Vec<Statement>,
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

/// Statement with its turn and its speaker.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Index of the speaker in speaking order; `None` for the moderator.
    pub speaker: Option<usize>,
    /// Turn in which it was made.
    pub turn: TurnId,
    /// Label of one or two words.
    pub what: String,
    /// Text of the statement.
    pub text: String,
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
    /// Arguments of this camp that not every camp accepts.
    pub own: Vec<ArgumentId>,
    /// Arguments that every camp accepts.
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
    /// The question.
    pub question: String,
    /// Name of the dispute's status.
    pub status: &'static str,
    /// Stances of the participants with quotations that show them.
    pub stances: Vec<Statement>,
    /// Reason for retiring it, and former wordings.
    pub remarks: Vec<String>,
}

/// Room with its result.
#[derive(Clone, Debug)]
pub struct RoomReport {
    /// Id of the room.
    pub id: RoomId,
    /// Question discussed in the room.
    pub question: String,
    /// Status in one or two words.
    pub status: &'static str,
    /// Participants of the room, by index in speaking order.
    pub speakers: Vec<usize>,
    /// Final stances in the room, with quotations that show them.
    pub stances: Vec<Statement>,
    /// Labelled notes: why the room was opened and closed, and the content of its card.
    pub notes: Vec<(&'static str, String)>,
    /// Turns taken in the room.
    pub turns: Vec<TurnId>,
}

/// Claim that was checked; `said.what` is the rating and who gave it.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The claim.
    pub said: Statement,
    /// Explanation of how the sources bear on the claim.
    pub explanation: Option<String>,
    /// Sources that were found.
    pub sources: Vec<String>,
}

/// Argument of the debate.
#[derive(Clone, Debug)]
pub struct ArgumentReport {
    /// Id of the argument.
    pub id: ArgumentId,
    /// Index of the speaker in speaking order.
    pub speaker: Option<usize>,
    /// Turn in which it was advanced; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// Turn in words, with the basis of an attribution, and whether the claim was not said aloud.
    pub turn_text: String,
    /// Conclusion of the argument.
    pub claim: String,
    /// Status: `accepted`, `rejected` or `undecided`, or the reason why the argument is not live.
    pub standing: &'static str,
    /// Premises of the argument, with a mark on those that its turns do not contain.
    pub premises: Vec<String>,
    /// Assumptions of the argument, with a mark on those that its turns do not contain.
    pub assumptions: Vec<String>,
    /// Evidence that the argument cites.
    pub evidence: Vec<String>,
    /// Arguments that attack it with a valid attack.
    pub attacked_by: Vec<ArgumentId>,
}

/// Section of the transcript.
#[derive(Clone, Debug)]
pub struct TranscriptSection {
    /// Title of the section.
    pub title: String,
    /// Turns in the section; `what` is the act of each turn.
    pub turns: Vec<Statement>,
}

impl DebateReport {
    /// True if the report contains any crux, found or proposed.
    pub fn has_cruxes(&self) -> bool {
        let found = self.cruxes.len() + self.resolved.len() + self.contested.len() + self.proposed.len();
        found > 0
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
