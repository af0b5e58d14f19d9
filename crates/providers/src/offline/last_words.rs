//! Last words of a speaker: where they stand at the end, and what would change their mind.

use serde_json::json;

use crate::offline::mind_change::states_condition;
use crate::offline::phrases;
use crate::offline::talk::{Answer, Speaker};
use crate::offline::turn::Turn;
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::task::DisputeInput;
use faultline_core::positions::model::{AnnotatedReply, GivesWay, PassageQuote};

impl<'a> Speaker<'a> {
    /// Takes the closing turn: the side of the topic, a closing passage, and a condition that was not stated before.
    ///
    /// # Errors
    /// A [`Failure`] if a quotation is not in the corpus.
    pub fn close(&self) -> Answer {
        let mut turn = self.empty();
        let topic = &self.speaker.topic;
        match self.new_closing() {
            Some(closing) => turn.text.quotes(closing)?,
            None => {
                turn.text.quote(&topic.statement)?;
                turn.text.quotes(self.chooser.pick(&topic.closings, |quote| &quote.quote))?;
            }
        }
        if !self.has_condition_on_crux() {
            turn.text.quotes(self.unsaid_falsifier())?;
        }
        let crux = self.talk.cruxes.iter().find_map(|crux| Some((crux, self.signature(crux)?)));
        match crux {
            Some((crux, words)) if !crux.acknowledged.contains(&self.speaker.id) => {
                turn.text.quote(words)?;
                turn.agrees_with = Some((crux.alias.clone(), words.quote.clone()));
            }
            None if self.talk.cruxes.is_empty() => self.name_crux(&mut turn)?,
            _ => {}
        }
        self.answer_cruxes(&mut turn)?;
        self.state_sides(&mut turn);
        let (text, stances, condition) = (turn.text.text(), turn.stances(), self.condition_in(&turn));
        let (agrees_with, agreement_words) = turn.agrees_with.unzip();
        let core_words = topic.crux.as_ref().filter(|_| turn.crux.is_some()).map(|crux| crux.words.quote.as_str());
        let reply = json!({
            "text": text, "core_question": turn.crux, "core_words": core_words, "agrees_with": agrees_with,
            "agreement_words": agreement_words, "stances": stances, "would_change": condition,
        });
        Ok(turn.text.finish(reply))
    }

    /// Returns the closing passage for a side of the topic that the speaker came to.
    fn new_closing(&self) -> Option<Option<&'a PassageQuote>> {
        let mut ways = self.way_over().into_iter().flat_map(|reply| &reply.gives_way);
        ways.find_map(|way| match way {
            GivesWay::Topic { closing, .. } => Some(closing.as_ref()),
            GivesWay::Claim { .. } | GivesWay::Dispute { .. } => None,
        })
    }

    /// Returns the reply by which the speaker changed sides on the topic: one that was made, or one whose words were said
    /// and whose side is the recorded one. Where a proposal is accepted, no turn is answered.
    pub(super) fn way_over(&self) -> Option<&'a AnnotatedReply> {
        let (topic, id) = (&self.speaker.topic, &self.speaker.id);
        let over_to = |reply: &AnnotatedReply, wanted: Option<Side>| {
            let mut ways = reply.gives_way.iter();
            ways.any(|way| matches!(way, GivesWay::Topic { side, .. } if wanted.is_none_or(|wanted| *side == wanted)))
        };
        let made = self.spoken.replies_of(self.speaker).find(|reply| over_to(reply, None));
        let asked = self.talk.disputes.iter().find(|dispute| topic.is_asked_by(&dispute.question));
        let recorded = asked.and_then(|asked| asked.stances.iter().find(|(persona, _)| persona == id));
        let recorded = recorded.map(|(_, side)| *side).filter(|side| *side != topic.side);
        let is_said =
            |reply: &&AnnotatedReply| reply.words.iter().all(|words| self.spoken.has_said(self.speaker, &words.quote));
        made.or_else(|| {
            topic.replies.iter().filter(|reply| recorded.is_some() && over_to(reply, recorded)).find(is_said)
        })
    }

    /// Answers the questions that were agreed on as the crux.
    ///
    /// # Errors
    /// A [`Failure`] if a quotation is not in the corpus.
    pub fn answer_agreed(&self) -> Answer {
        let mut turn = self.empty();
        for dispute in &self.talk.disputes {
            self.answer_question(&mut turn, dispute)?;
        }
        self.state_sides(&mut turn);
        let is_taken = |alias: &String| turn.stances.iter().any(|stance| stance.0 == *alias);
        let open = self.talk.disputes.iter().map(|dispute| &dispute.alias).filter(|alias| !is_taken(alias));
        let open: Vec<String> = open.cloned().collect();
        if !open.is_empty() {
            let phrase = match (open.len(), self.talk.disputes.len()) {
                (1, 1) => phrases::NO_SIDE,
                (n_open, n_asked) if n_open == n_asked => phrases::NO_SIDES,
                _ => phrases::NO_OTHER_SIDE,
            };
            turn.text.phrase(phrase);
            let undecided = |alias| (alias, Side::Undecided, phrase.to_owned());
            turn.stances.extend(open.into_iter().map(undecided));
        }
        // One for each question at most.
        let conditions: Vec<&str> = self.conditions_in(&turn).into_iter().take(self.talk.disputes.len()).collect();
        let reply = json!({ "text": turn.text.text(), "stances": turn.stances(), "would_change": conditions });
        Ok(turn.text.finish(reply))
    }

    /// Says where the speaker stands now on the questions that were agreed to be the crux, as far as that is annotated.
    fn answer_cruxes(&self, turn: &mut Turn<'a>) -> Result<(), Failure> {
        self.asked_cruxes().try_for_each(|dispute| self.answer_question(turn, dispute))
    }

    /// Disputes that ask what was agreed to be the crux.
    fn asked_cruxes(&self) -> impl Iterator<Item = &'a DisputeInput> {
        let asked: Vec<&String> = self.talk.cruxes.iter().filter_map(|crux| crux.dispute.as_ref()).collect();
        self.talk.disputes.iter().filter(move |dispute| asked.contains(&&dispute.alias))
    }

    /// Returns true if what the speaker says would settle an agreed crux is also what would change their mind.
    fn has_condition_on_crux(&self) -> bool {
        let own = self.asked_cruxes().filter_map(|dispute| self.speaker.topic.dispute_asking(&dispute.question));
        own.filter_map(|own| own.settled_by.first()).any(|settling| states_condition(&settling.quote))
    }

    /// Says where the speaker stands on a question, and what would settle it.
    fn answer_question(&self, turn: &mut Turn<'a>, dispute: &DisputeInput) -> Result<(), Failure> {
        let Some(own) = self.speaker.topic.dispute_asking(&dispute.question) else { return Ok(()) };
        let moves = |way: &GivesWay| matches!(way, GivesWay::Dispute { name, .. } if *name == own.name);
        let mut made = self.spoken.replies_of(self.speaker);
        match made.rfind(|reply| reply.gives_way.iter().any(moves)) {
            Some(moving) => turn.text.quotes(&moving.words)?,
            None => turn.text.quote(&own.words)?,
        }
        match own.settled_by.first() {
            Some(settling) if !turn.text.contains(&settling.quote) => turn.text.quote(settling),
            _ => Ok(()),
        }
    }
}
