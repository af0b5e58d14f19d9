//! Parts of the report of a debate, in words.

use std::collections::BTreeMap;

use crate::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use crate::events::proposal::{ProposalCriticized, Recommendation};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, StatementSource};
use crate::export::report::missed_calls::{gaps, no_side, nobody_agreed};
use crate::export::report::model::report_model::{
    ArgumentReport, CampReport, CommonGroundReport, FormerClaim, GrantedReport, QuestionReport, Speaker,
    TranscriptEntry, TranscriptSection,
};
use crate::export::report::model::statement::Statement;
use crate::export::report::quotes::quote;
use crate::export::report::report_words::{
    beside_stances, dispute_remarks, move_word, question_status, recommendation_words, side_word, stance_words, title,
};
use crate::export::report::unsaid::unsaid_in_argument;
use crate::projections::argument_graph::Argument;
use crate::projections::summary::Participant;
use crate::questions::wording::says_the_same;
use crate::verdicts::common_ground::Holder;
use crate::verdicts::coverage::criticism_of;
use crate::verdicts::crux::CruxOrigin;
use crate::verdicts::crux_card::crux_text::{listed, quoted};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::topic::TopicPosition;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Read model of a debate with the lookups that a report needs.
pub struct ReportBuilder<'a> {
    /// The read model.
    pub read_model: &'a DebateReadModel,
    /// Participants, in speaking order.
    pub speakers: Vec<Speaker>,
    said: BTreeMap<TurnId, &'a str>,
}

impl<'a> ReportBuilder<'a> {
    /// Prepares a report of this read model.
    pub fn of(read_model: &'a DebateReadModel) -> ReportBuilder<'a> {
        let speaker = |participant: &Participant| Speaker {
            id: participant.persona.clone(),
            name: participant.name.clone(),
            about: participant.about.clone(),
        };
        ReportBuilder {
            read_model,
            speakers: read_model.summary.participants.iter().map(speaker).collect(),
            said: read_model.transcript.turns.iter().map(|turn| (turn.turn, turn.text.as_str())).collect(),
        }
    }

    /// Index of a participant in speaking order.
    pub fn place(&self, persona: &PersonaId) -> Option<usize> {
        self.speakers.iter().position(|speaker| speaker.id == *persona)
    }

    /// Quotation from a participant's turn that fits a statement.
    pub fn evidence(&self, persona: &PersonaId, turn: TurnId, what: &str, statement: &str) -> Statement {
        let text = self.said.get(&turn).map_or(String::new(), |text| quote(text, statement));
        Statement { speaker: self.place(persona), turn, what: what.to_owned(), text }
    }

    /// Side that a participant takes, in the words quoted with the stance.
    fn held(&self, holder: &Holder, side: &str, question: &str) -> Statement {
        let found = self.evidence(&holder.persona, holder.turn, side, question);
        Statement { text: holder.quote.as_deref().map_or(found.text, quoted), ..found }
    }

    /// Positions on the topic, in speaking order.
    pub fn on_topic(&self, verdict: &Verdict) -> Vec<Statement> {
        let positions = verdict.topic.iter().flat_map(|topic| {
            topic.positions.iter().filter_map(|position| {
                let side = side_word(position.side);
                let what = if position.has_moved() {
                    format!("{side}, at first {}", side_word(position.first))
                } else {
                    side.to_owned()
                };
                let (speaker, turn) = (self.place(&position.persona), position.turn?);
                Some(Statement { speaker, turn, what, text: position.words.clone() })
            })
        });
        positions.collect()
    }

    /// Participants without a side on the topic, in speaking order, each with a remark that says whether they spoke.
    pub fn silent_on_topic(&self, verdict: &Verdict) -> Vec<(usize, &'static str)> {
        let is_silent = |dispute: DisputeId, position: &TopicPosition| {
            position.turn.is_none() && !verdict.audit.contests(&position.persona, dispute)
        };
        let topic = verdict.topic.iter();
        topic
            .flat_map(|topic| topic.positions.iter().filter(move |position| is_silent(topic.dispute, position)))
            .filter_map(|position| Some((self.place(&position.persona)?, no_side(self.read_model, &position.persona))))
            .collect()
    }

    /// Remarks on the question of the topic.
    pub fn topic_remarks(&self, verdict: &Verdict) -> Vec<String> {
        let topic = self.read_model.disputes.topic().filter(|_| verdict.topic.is_some());
        topic.map(|(_, dispute)| dispute_remarks(dispute)).unwrap_or_default()
    }

    /// Cruxes that participants proposed, with the words that name them and those who agreed.
    pub fn proposed(&self) -> Vec<Statement> {
        let cruxes = self.read_model.crux_proposals.cruxes.values();
        let told = cruxes.map(|crux| {
            let agreed: Vec<&str> = crux
                .acknowledged
                .iter()
                .filter_map(|acknowledgement| self.place(&acknowledgement.speaker))
                .map(|place| self.speakers[place].name.as_str())
                .collect();
            let what = if agreed.is_empty() {
                nobody_agreed(self.read_model, crux)
            } else {
                format!("agreed: {}", agreed.join(", "))
            };
            let what = format!("{}; {what}", crux.proposed.crux);
            let proposed = &crux.proposed;
            let words = proposed.quote.as_ref().filter(|words| !says_the_same(words, &proposed.statement));
            let text = match words {
                Some(words) => format!("“{}” Recorded as: {}", quoted(words), proposed.statement),
                None => proposed.statement.clone(),
            };
            Statement { speaker: self.place(&proposed.speaker), turn: proposed.turn, what, text }
        });
        told.collect()
    }

    /// Common ground, with quotations.
    pub fn common(&self, verdict: &Verdict) -> Vec<CommonGroundReport> {
        let told = verdict.common_ground.iter().map(|ground| CommonGroundReport {
            question: ground.question.clone(),
            side: side_word(ground.side),
            holders: ground
                .holders
                .iter()
                .map(|holder| self.held(holder, side_word(ground.side), &ground.question))
                .collect(),
        });
        told.collect()
    }

    /// Granted statements, with the words of the author and of those who granted them.
    pub fn granted(&self, verdict: &Verdict) -> Vec<GrantedReport> {
        let told = verdict.granted.iter().map(|granted| {
            let said = |holder: &Holder, what: String| Statement {
                speaker: self.place(&holder.persona),
                turn: holder.turn,
                what,
                text: holder.quote.as_deref().map(quoted).unwrap_or_default(),
            };
            let author = match granted.source {
                StatementSource::Turn { .. } => said(&granted.author, "said it".to_owned()),
                source @ StatementSource::Argument { .. } => said(&granted.author, format!("said it ({source})")),
            };
            let granters = granted.granters.iter().map(|holder| said(holder, "granted it".to_owned()));
            let holders = std::iter::once(author).chain(granters).collect();
            GrantedReport { statement: granted.statement.clone(), holders }
        });
        told.collect()
    }

    /// Camps with their own and shared arguments.
    pub fn camps(&self, verdict: &Verdict) -> Vec<CampReport> {
        let places = |those: &[PersonaId]| those.iter().filter_map(|persona| self.place(persona)).collect();
        let is_shared =
            |id: &ArgumentId| verdict.camps.len() > 1 && verdict.camps.iter().all(|camp| camp.arguments.contains(id));
        let told = verdict.camps.iter().map(|camp| {
            let (shared, own) = camp.arguments.iter().copied().partition(is_shared);
            CampReport { speakers: places(&camp.personas), tied: places(&camp.tied), own, shared }
        });
        told.collect()
    }

    /// Disputed questions other than the topic, with quotations for each stance, and the criticism of proposals.
    pub fn questions(&self, verdict: &Verdict) -> Vec<QuestionReport> {
        let is_over = self.read_model.summary.status.is_final();
        let is_crux = |id: DisputeId| {
            let origin = CruxOrigin::Dispute { dispute: id };
            verdict.all_cruxes().any(|crux| crux.origin == origin)
        };
        let disputes = self.read_model.disputes.disputes.iter();
        let told = disputes.filter(|(_, dispute)| !dispute.is_topic || verdict.topic.is_none()).map(|(id, dispute)| {
            // The card of a crux tells them with the crux.
            let settling = (!dispute.criteria.is_empty() && !is_crux(*id))
                .then(|| format!("would be settled by: {}", dispute.criteria.join("; ")));
            let criticism = criticism_of(&self.read_model.proposals, dispute);
            // Older debates recorded a request for changes as a stance.
            let revising = criticism.filter(|criticism| criticism.recommendation == Recommendation::Revise);
            let answer = beside_stances(dispute, criticism).map(|criticism| self.recommends(criticism));
            let is_stance = |turn: TurnId| revising.is_none_or(|criticism| criticism.turn != turn);
            let stances = dispute.stances.iter().filter(|(_, stance)| is_stance(stance.turn));
            let stances = stances.map(|(who, stance)| {
                let found = self.evidence(who, stance.turn, &stance_words(stance), &dispute.question);
                Statement { text: stance.words().map_or(found.text, quoted), ..found }
            });
            QuestionReport {
                id: *id,
                question: dispute.question.clone(),
                status: question_status(dispute, criticism, is_over),
                stances: stances.chain(answer).collect(),
                remarks: settling.into_iter().chain(dispute_remarks(dispute)).collect(),
            }
        });
        told.collect()
    }

    /// Recommendation of a critic, with the first issue and the number of them all.
    fn recommends(&self, criticism: &ProposalCriticized) -> Statement {
        let text = criticism.issues.first().map(|issue| quoted(&issue.text)).unwrap_or_default();
        let words = recommendation_words(criticism.recommendation);
        let what = match criticism.issues.len() {
            0 | 1 => words.to_owned(),
            n => format!("{words} (the first of {n})"),
        };
        Statement { speaker: self.place(&criticism.speaker), turn: criticism.turn, what, text }
    }

    /// Concessions, in order.
    pub fn concessions(&self) -> Vec<Statement> {
        let told = self.read_model.concessions.concessions.iter().map(|concession| {
            let made = &concession.made;
            let kind = match made.kind {
                ConcessionExtent::Full => "withdraws",
                ConcessionExtent::Partial => "narrows",
                ConcessionExtent::Scope => "restricts",
            };
            let effect = match &made.effect {
                ConcessionEffect::Withdrew { argument } => format!(" {argument}"),
                ConcessionEffect::Revised { argument } => format!(" {argument}"),
                ConcessionEffect::Moved { dispute, to } => format!(", now {} on {dispute}", side_word(*to)),
                ConcessionEffect::Said => String::new(),
            };
            let what = match (&made.granted, &made.effect) {
                (Some(granted), ConcessionEffect::Said) => format!("grants {}", granted.source),
                (Some(granted), _) => format!("{kind}{effect}, grants {}", granted.source),
                (None, ConcessionEffect::Said) => conceding(made.kind).to_owned(),
                (None, _) => format!("{kind}{effect}"),
            };
            let answered = self.read_model.transcript.turn(made.turn).and_then(|turn| turn.answers);
            let answered = answered.filter(|_| made.granted.is_none());
            let what = what + &answered.map(|turn| format!(", in answer to {turn}")).unwrap_or_default();
            let text = made.quote.as_ref().unwrap_or(&made.what).clone();
            Statement { speaker: self.place(&made.speaker), turn: made.turn, what, text }
        });
        told.collect()
    }

    /// Arguments with their status and their attackers.
    pub fn arguments(&self, verdict: &Verdict) -> Vec<ArgumentReport> {
        let graph = &self.read_model.arguments;
        let mut attackers: BTreeMap<ArgumentId, Vec<ArgumentId>> = BTreeMap::new();
        for (_, attack) in graph.active() {
            attackers.entry(attack.raised.target).or_default().push(attack.raised.source);
            if attack.is_mutual() {
                attackers.entry(attack.raised.source).or_default().push(attack.raised.target);
            }
        }
        for (one, other) in graph.opposed_theses() {
            attackers.entry(one).or_default().push(other);
            attackers.entry(other).or_default().push(one);
        }
        let marked = |argument: &Argument, turn: Option<TurnId>, texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| format!("{text}{}", self.unsaid(argument, turn, text))).collect()
        };
        let is_unjudged = |argument: &Argument| {
            let attack = argument.advanced.carries.and_then(|attack| graph.attacks.get(&attack));
            attack.is_some_and(|attack| attack.judged.is_none())
        };
        let told = graph.arguments.iter().map(|(id, argument)| {
            let mut attacked_by = attackers.remove(id).unwrap_or_default();
            attacked_by.sort_unstable();
            attacked_by.dedup();
            let former = former_claims(argument);
            let narrowed_in = former.last().map(|former| former.narrowed_in);
            let turn = narrowed_in.or(argument.turn());
            let unsaid = self.unsaid(argument, turn, &argument.advanced.claim);
            let at_first = || argument.turn_basis.describe(argument.advanced.turn);
            ArgumentReport {
                id: *id,
                speaker: self.place(&argument.advanced.speaker),
                turn,
                turn_text: narrowed_in.map_or_else(at_first, |turn| turn.to_string()) + &unsaid,
                unsaid,
                claim: argument.advanced.claim.clone(),
                former,
                standing: match verdict.labels.get(id) {
                    Some(Label::In) => "accepted",
                    Some(Label::Out) => "rejected",
                    Some(Label::Undec) => "undecided",
                    None if argument.withdrawn.is_some() => "withdrawn",
                    None if argument.is_contested => "not counted, since the audit contests it",
                    None if is_unjudged(argument) => "not counted, since its attack was not judged",
                    None => "not counted, since its attack is not valid",
                },
                premises: marked(argument, turn, &argument.advanced.premises),
                assumptions: argument
                    .advanced
                    .assumptions
                    .iter()
                    .map(|text| match restricted_in(argument, text) {
                        Some(added) => format!("{text} (restriction added in {added})"),
                        None => format!("{text}{}", self.unsaid(argument, turn, text)),
                    })
                    .collect(),
                evidence: argument.advanced.evidence.iter().map(|piece| piece.text.clone()).collect(),
                attacked_by,
            }
        });
        told.collect()
    }

    fn unsaid(&self, argument: &Argument, turn: Option<TurnId>, statement: &str) -> String {
        let remark = unsaid_in_argument(self.read_model, argument, turn, statement);
        remark.map(|remark| format!(" ({remark})")).unwrap_or_default()
    }

    /// Transcript, divided into sections by phase, round and room.
    pub fn sections(&self) -> Vec<TranscriptSection> {
        let mut sections: Vec<TranscriptSection> = Vec::new();
        let mut add = |title: String, entry: TranscriptEntry| match sections.last_mut() {
            Some(last) if last.title == title => last.entries.push(entry),
            _ => sections.push(TranscriptSection { title, entries: vec![entry] }),
        };
        let mut announced = self.read_model.motion.announcements.iter().peekable();
        let mut gaps = gaps(self.read_model).into_iter().peekable();
        for turn in &self.read_model.transcript.turns {
            while let Some(gap) = gaps.next_if(|gap| gap.after.is_none_or(|after| after < turn.turn)) {
                add(gap.section, TranscriptEntry::Missed(gap.sentence));
            }
            while let Some(it) = announced.next_if(|it| it.after.is_none_or(|after| after < turn.turn)) {
                add(title(Some(&it.phase), it.round), TranscriptEntry::Announced(it.text.clone()));
            }
            let room = turn.room.map(|it| format!(", {}", self.read_model.rooms.named(it))).unwrap_or_default();
            let title = title(turn.phase.as_deref(), turn.round) + &room;
            let moves: Vec<String> = turn.moves.iter().map(|talk_move| move_word(*talk_move).to_owned()).collect();
            let answers = turn.answers.map(|id| format!("in answer to {id}"));
            let moves = Some(listed(&moves)).filter(|moves| !moves.is_empty());
            let said = Statement {
                speaker: turn.speaker.as_ref().and_then(|persona| self.place(persona)),
                turn: turn.turn,
                what: moves.into_iter().chain(answers).collect::<Vec<_>>().join(", "),
                text: turn.text.clone(),
            };
            add(title, TranscriptEntry::Turn(said));
        }
        for it in announced {
            add(title(Some(&it.phase), it.round), TranscriptEntry::Announced(it.text.clone()));
        }
        for gap in gaps {
            add(gap.section, TranscriptEntry::Missed(gap.sentence));
        }
        sections
    }
}

/// Concession by words alone: nothing recorded is withdrawn or changed by it, and no statement is granted.
fn conceding(extent: ConcessionExtent) -> &'static str {
    match extent {
        ConcessionExtent::Full => "concedes",
        ConcessionExtent::Partial => "concedes in part",
        ConcessionExtent::Scope => "concedes conditionally",
    }
}

/// Turn of the revision that added an assumption; `None` for one that the argument had from the beginning.
fn restricted_in(argument: &Argument, assumption: &str) -> Option<TurnId> {
    let revised = argument.revisions.iter().map(|it| &it.revised);
    revised.filter(|revised| revised.assumptions.iter().any(|it| it == assumption)).map(|revised| revised.turn).next()
}

/// Former claims of an argument, each with the turn in which it was made.
fn former_claims(argument: &Argument) -> Vec<FormerClaim> {
    let mut turn = argument.turn();
    let narrowed = argument.revisions.iter().filter_map(|it| Some((it.before.clone()?, it.revised.turn)));
    narrowed.map(|(claim, narrowed_in)| FormerClaim { claim, turn: turn.replace(narrowed_in), narrowed_in }).collect()
}
