//! Model provider of the offline personas, with a cache of derived debates.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::offline::corpus::stance::CorpusSide;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::portrait::portrayed;
use crate::offline::stage::OfflineStage;
use crate::offline::{audit, phrases, speaking};
use crate::ports::{Corpora, Embedder, Model, Pending, Sentence};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{Task, TaskKind, WordsInput};

/// Maximum number of derived debates in the cache.
const KEPT: usize = 8;

/// Provider of personas that speak from their own corpora, without any language model.
pub struct Offline {
    corpora: Arc<dyn Corpora>,
    embedder: Arc<dyn Embedder>,
    kept: Mutex<VecDeque<Kept>>,
}

type Derived = Arc<OnceCell<Arc<OfflineStage>>>;

/// Cache entry: a derived debate under the hash of everything that it was derived from.
struct Kept {
    key: [u8; 32],
    derived: Derived,
}

impl Offline {
    /// Creates a provider that quotes these corpora and compares texts with this embedder.
    pub fn new(corpora: Arc<dyn Corpora>, embedder: Arc<dyn Embedder>) -> Self {
        Offline { corpora, embedder, kept: Mutex::default() }
    }

    async fn answer(&self, ask: &EffectAttempt) -> Result<ProviderAnswer, Failure> {
        let task = &ask.prompt.task;
        if let TaskKind::Portray(material) = &task.work {
            return portrayed(material);
        }
        if let TaskKind::ReadWords { items } = &task.work {
            return Ok(read(items));
        }
        let stage = self.stage(task).await?;
        let speaker = speaker(&stage.debate, task)?;
        let foreign = ResolvedTask::foreign(&stage.debate, &task.work);
        let vectors = if foreign.is_empty() { Vec::new() } else { self.embedder.embed(&foreign).await? };
        let (stage, asked) = (Arc::clone(&stage), ask.clone());
        let spoken = tokio::task::spawn_blocking(move || speaking::speak(&stage, &asked, speaker, foreign, &vectors));
        let (text, grounds) =
            spoken.await.map_err(|error| hopeless(format!("the offline provider's task failed: {error}")))??;
        Ok(ProviderAnswer {
            by: format!("offline/extractive-1 ({})", self.embedder.name()),
            text,
            usage: Usage::default(),
            millis: 0,
            request_id: None,
            tries: 1,
            grounds,
        })
    }

    /// Returns the debate of a task, derived at most once. Speakers are sorted, so their order in the task does not
    /// matter.
    async fn stage(&self, task: &Task) -> Result<Arc<OfflineStage>, Failure> {
        let mut speakers = task.participants.clone();
        speakers.extend(task.speaker.clone());
        speakers.sort_unstable();
        speakers.dedup();
        let mut corpora = Vec::with_capacity(speakers.len());
        for speaker in &speakers {
            corpora.push(self.corpora.sentences(speaker).await?);
        }
        let derived = self.kept(key(&task.topic, &speakers, &corpora));
        let stage = derived.get_or_try_init(|| self.derive(&task.topic, speakers, corpora)).await?;
        Ok(Arc::clone(stage))
    }

    async fn derive(
        &self,
        topic: &str,
        speakers: Vec<PersonaId>,
        corpora: Vec<Arc<Vec<Sentence>>>,
    ) -> Result<Arc<OfflineStage>, Failure> {
        let vectors = self.embedder.embed(&[topic.to_owned()]).await?;
        let vector = vectors.into_iter().next().ok_or_else(|| hopeless("the embedder sent no vector for the topic"))?;
        let (topic, embedder) = (topic.to_owned(), self.embedder.name().to_owned());
        let deriving = tokio::task::spawn_blocking(move || {
            OfflineStage::set(DerivedDebate::derive(&topic, &vector, &speakers, &corpora, &embedder))
        });
        deriving.await.map(Arc::new).map_err(|error| hopeless(format!("the offline provider's task failed: {error}")))
    }

    /// Returns the cache slot of a derived debate; evicts the oldest one if the cache is full.
    fn kept(&self, key: [u8; 32]) -> Derived {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|entry| entry.key == key) {
            return Arc::clone(&found.derived);
        }
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        let derived = Derived::default();
        kept.push_back(Kept { key, derived: Arc::clone(&derived) });
        derived
    }
}

impl Model for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    fn about(&self) -> String {
        format!(
            "no language model: personas quote their own corpora, sentence by sentence, with a few fixed connectives; \
             answers are selected by relatedness ({}), not by understanding",
            self.embedder.name()
        )
    }

    fn is_reproducible(&self) -> bool {
        true
    }

    fn reads_by_annotations(&self) -> bool {
        true
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask))
    }
}

/// Reads words of which the provider knows what they mean: its own fixed sentences.
fn read(items: &[WordsInput]) -> ProviderAnswer {
    let sides = [
        (CorpusSide::Yes, Side::Yes),
        (CorpusSide::No, Side::No),
        (CorpusSide::Nuanced, Side::Nuanced),
        (CorpusSide::Undecided, Side::Undecided),
    ];
    let fixed = sides.map(|(stated, side)| (phrases::side(stated), side));
    ProviderAnswer {
        by: audit::BY.to_owned(),
        text: audit::read(&[], &fixed, items).to_string(),
        usage: Usage::default(),
        millis: 0,
        request_id: None,
        tries: 1,
        grounds: Vec::new(),
    }
}

/// Returns the index of a task's speaker, who must have written on the topic; `None` for a task without a speaker.
fn speaker(debate: &DerivedDebate, task: &Task) -> Result<Option<usize>, Failure> {
    let Some(id) = &task.speaker else { return Ok(None) };
    let place = debate.papers.speaker(id).ok_or_else(|| hopeless(format!("{id} does not take part in this debate")))?;
    if !debate.papers.lines.iter().any(|line| line.speaker == place) {
        let message = format!(
            "{id} has no corpus, and the offline provider can only quote: put texts into corpus/{id}/ and ingest them, \
             or choose another provider"
        );
        return Err(Failure::new(FailureKind::Declined, message));
    }
    if !debate.knows(place) {
        let message = format!(
            "{id} has written nothing on {:?}, and the offline provider can only quote: choose a topic that {id} wrote \
             about, other personas, or another provider",
            debate.topic
        );
        return Err(Failure::new(FailureKind::Declined, message));
    }
    Ok(Some(place))
}

/// Hashes everything that a debate is derived from.
fn key(topic: &str, speakers: &[PersonaId], corpora: &[Arc<Vec<Sentence>>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(topic.as_bytes());
    for (speaker, corpus) in speakers.iter().zip(corpora) {
        add(speaker.as_str().as_bytes());
        for sentence in corpus.iter() {
            add(sentence.chunk.as_bytes());
            add(sentence.text.as_bytes());
        }
    }
    hash.finalize().into()
}

fn hopeless(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Hopeless, message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::offline::phrases;
    use crate::offline::sample::{PAPERS, ask, chunk, offline, persona, reply};
    use faultline_core::events::argument::{ArgumentPart, AttackKind};
    use faultline_core::events::receipt::PassageRef;
    use faultline_core::kernel::effect::SuppliedPassage;
    use faultline_core::kernel::task::{ArgumentInput, AttackInput, IssueInput, ProposalInput, TaskKind};

    const PAIR: &[&str] = &["mara", "tobias"];

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    fn texts(value: &Value) -> Vec<String> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Converts the arguments of an opening to the form in which the next prompt lists them.
    fn told(opening: &Value, speaker: &str, from: usize) -> Vec<ArgumentInput> {
        let arguments = opening["arguments"].as_array().cloned().unwrap_or_default();
        let told = arguments.iter().enumerate().map(|(at, argument)| ArgumentInput {
            alias: format!("a{}", from + at),
            speaker: persona(speaker),
            claim: argument["claim"].as_str().unwrap_or_default().to_owned(),
            premises: texts(&argument["premises"]),
            assumptions: texts(&argument["assumptions"]),
            label: "IN".to_owned(),
        });
        told.collect()
    }

    /// Splits a text into fixed phrases and sentences of a corpus, and fails on anything else.
    fn check_quoted(text: &str, speakers: &[&str]) {
        let corpora = PAPERS.iter().filter(|paper| speakers.contains(&paper.0));
        let mut known: Vec<&str> =
            corpora.flat_map(|paper| paper.1.iter().flat_map(|passage| passage.iter().copied())).collect();
        known.extend(phrases::connectives());
        known.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        let mut rest = text.trim();
        while !rest.is_empty() {
            let part = known.iter().find(|phrase| rest.starts_with(**phrase));
            let part = part.unwrap_or_else(|| panic!("{rest:?} is neither a phrase nor a sentence of {speakers:?}"));
            rest = rest[part.len()..].trim_start();
        }
    }

    fn check_argument(argument: &Value, speaker: &str) {
        assert_eq!(keys(argument), ["assumptions", "claim", "evidence", "premises"]);
        check_quoted(argument["claim"].as_str().unwrap_or_default(), &[speaker]);
        for part in ["premises", "assumptions"] {
            texts(&argument[part]).iter().for_each(|text| check_quoted(text, &[speaker]));
        }
        for evidence in argument["evidence"].as_array().into_iter().flatten() {
            assert_eq!(keys(evidence), ["passage", "text"]);
            check_quoted(evidence["text"].as_str().unwrap_or_default(), &[speaker]);
        }
        assert!((1..=3).contains(&texts(&argument["premises"]).len()));
        assert!(texts(&argument["assumptions"]).len() <= 2);
    }

    #[tokio::test]
    async fn every_reply_consists_of_quotations_and_fixed_phrases() {
        let offline = offline().await;
        for seed in 0..5 {
            let mut arguments = Vec::new();
            for speaker in PAIR {
                let (answer, opening) =
                    reply(&offline, &ask(Some(speaker), PAIR, seed, TaskKind::OpenWithArguments)).await.unwrap();
                assert_eq!(keys(&opening), ["arguments", "passages", "speech", "stance", "stance_words"]);
                assert!(opening["speech"].as_str().unwrap().contains(opening["stance_words"].as_str().unwrap()));
                check_quoted(opening["speech"].as_str().unwrap(), &[speaker]);
                opening["arguments"].as_array().unwrap().iter().for_each(|argument| check_argument(argument, speaker));
                assert_eq!(answer.grounds.len(), texts(&opening["passages"]).len());
                let told = told(&opening, speaker, arguments.len() + 1);
                assert!((2..=4).contains(&told.len()), "{speaker} opens with {} arguments", told.len());
                arguments.extend(told);
            }
            for speaker in PAIR {
                let work = TaskKind::Attack { round: 1, arguments: arguments.clone(), attacks: Vec::new() };
                let (_, attacks) = reply(&offline, &ask(Some(speaker), PAIR, seed, work)).await.unwrap();
                assert_eq!(keys(&attacks), ["attacks", "passages", "speech"]);
                check_quoted(attacks["speech"].as_str().unwrap(), &[speaker]);
                for attack in attacks["attacks"].as_array().unwrap() {
                    let wanted = ["component", "confidence", "counter", "index", "kind", "rationale", "target"];
                    assert_eq!(keys(attack), wanted);
                    check_argument(&attack["counter"], speaker);
                    check_quoted(attack["rationale"].as_str().unwrap(), &[]);
                    let target = arguments.iter().find(|argument| attack["target"] == argument.alias.as_str()).unwrap();
                    assert_ne!(target.speaker, persona(speaker), "nobody attacks their own argument");
                }
            }
        }
    }

    #[tokio::test]
    async fn sides_are_inferred_and_the_first_claim_declares_the_side() {
        let offline = offline().await;
        for (speaker, side, claim) in [("mara", "yes", "I support closing"), ("tobias", "no", "I'm against closing")] {
            let (_, opening) =
                reply(&offline, &ask(Some(speaker), PAIR, 1, TaskKind::OpenWithArguments)).await.unwrap();
            assert_eq!(opening["stance"], side);
            assert!(opening["arguments"][0]["claim"].as_str().unwrap().starts_with(claim));
        }
    }

    #[tokio::test]
    async fn replies_depend_on_the_seed_and_not_on_the_order_of_participants() {
        let mut said = BTreeSet::new();
        for seed in 0..6 {
            let question = ask(Some("mara"), PAIR, seed, TaskKind::OpenWithArguments);
            let first = offline().await.complete(&question).await.unwrap();
            assert_eq!(first, offline().await.complete(&question).await.unwrap());
            let turned = ask(Some("mara"), &["tobias", "mara"], seed, TaskKind::OpenWithArguments);
            assert_eq!(first.text, offline().await.complete(&turned).await.unwrap().text);
            assert_eq!((first.usage, first.millis, first.tries), (Usage::default(), 0, 1));
            assert_eq!(first.by, "offline/extractive-1 (hashing-ngram-384)");
            said.insert(first.text);
        }
        assert!(said.len() > 1, "another seed says something else");
    }

    #[tokio::test]
    async fn a_persona_without_texts_on_the_topic_declines() {
        let offline = offline().await;
        for (speaker, said) in [("nobody", "has no corpus"), ("kasper", "has written nothing on")] {
            let question = ask(Some(speaker), &[speaker, "mara"], 1, TaskKind::OpenWithArguments);
            let failure = offline.complete(&question).await.unwrap_err();
            assert_eq!(failure.kind, FailureKind::Declined);
            assert!(failure.message.contains(said), "{}", failure.message);
        }
    }

    #[tokio::test]
    async fn passages_in_the_prompt_are_cited_by_their_alias() {
        let offline = offline().await;
        let mut question = ask(Some("mara"), PAIR, 1, TaskKind::OpenWithArguments);
        let ground = PassageRef { alias: "g1".to_owned(), chunk: chunk("mara", 0), score: 1.0 };
        question.grounds = vec![SuppliedPassage { ground, text: String::new(), title: String::new() }];
        let (answer, opening) = reply(&offline, &question).await.unwrap();
        assert!(texts(&opening["passages"]).contains(&"g1".to_owned()));
        assert!(answer.grounds.iter().all(|ground| ground.chunk != chunk("mara", 0) && ground.alias.starts_with('q')));
    }

    fn argument(alias: &str, speaker: &str, passage: usize, claim: usize) -> ArgumentInput {
        let lines = PAPERS.iter().find(|paper| paper.0 == speaker).unwrap().1[passage];
        let premises = lines.iter().enumerate().filter(|(at, _)| *at != claim).map(|(_, line)| (*line).to_owned());
        ArgumentInput {
            alias: alias.to_owned(),
            speaker: persona(speaker),
            claim: lines[claim].to_owned(),
            premises: premises.collect(),
            assumptions: Vec::new(),
            label: "IN".to_owned(),
        }
    }

    fn attack(alias: &str, source: &ArgumentInput, target: &ArgumentInput) -> AttackInput {
        AttackInput {
            alias: alias.to_owned(),
            speaker: source.speaker.clone(),
            source: source.alias.clone(),
            counter_claim: source.claim.clone(),
            target: target.alias.clone(),
            target_text: target.claim.clone(),
            component: ArgumentPart::Claim,
            kind: AttackKind::Rebut,
            rationale: String::new(),
        }
    }

    #[tokio::test]
    async fn the_judge_separates_answers_from_unrelated_claims() {
        let offline = offline().await;
        let wall = argument("a1", "mara", 1, 2);
        let storm = argument("a2", "tobias", 1, 2);
        let smoke = argument("a3", "tobias", 2, 2);
        let friend = argument("a4", "ilse", 0, 2);
        let attacks = vec![attack("k1", &storm, &wall), attack("k2", &smoke, &wall), attack("k3", &friend, &wall)];
        let work = TaskKind::JudgeAttacks { arguments: vec![wall, storm, smoke, friend], attacks };
        let (_, judged) = reply(&offline, &ask(None, &["mara", "tobias", "ilse"], 1, work)).await.unwrap();
        let valid: Vec<Option<bool>> =
            judged["judgements"].as_array().unwrap().iter().map(|judgement| judgement["valid"].as_bool()).collect();
        assert_eq!(valid, [Some(true), Some(false), Some(false)], "{judged}");
        let wanted = ["attack", "component", "index", "kind", "reason", "strength", "valid"];
        assert_eq!(keys(&judged["judgements"][0]), wanted);
        assert!(judged["judgements"][0]["reason"].as_str().unwrap().contains("not contradiction"));
        assert!(judged["judgements"][2]["reason"].as_str().unwrap().contains("same side"));
    }

    #[tokio::test]
    async fn no_claim_repeats_and_silence_ends_the_debate() {
        let offline = offline().await;
        let mut arguments = vec![argument("a1", "mara", 1, 2), argument("a2", "mara", 2, 2)];
        let mut attacks: Vec<AttackInput> = Vec::new();
        for round in 1..=6 {
            let work = TaskKind::Attack { round, arguments: arguments.clone(), attacks: attacks.clone() };
            let (_, raised) = reply(&offline, &ask(Some("tobias"), PAIR, 1, work)).await.unwrap();
            let raised = raised["attacks"].as_array().unwrap().clone();
            if raised.is_empty() {
                assert!(round > 1, "there is an answer to the wall and one to the smoke");
                return;
            }
            for it in raised {
                let claim = it["counter"]["claim"].as_str().unwrap().to_owned();
                assert!(attacks.iter().all(|past| past.counter_claim != claim), "{claim:?} was said before");
                let target = arguments.iter().find(|told| it["target"] == told.alias.as_str()).unwrap().clone();
                let source = ArgumentInput {
                    alias: format!("a{}", arguments.len() + 1),
                    speaker: persona("tobias"),
                    claim,
                    premises: texts(&it["counter"]["premises"]),
                    assumptions: texts(&it["counter"]["assumptions"]),
                    label: "IN".to_owned(),
                };
                attacks.push(attack(&format!("k{}", attacks.len() + 1), &source, &target));
                arguments.push(source);
            }
        }
        panic!("after six rounds there was still something to say");
    }

    #[tokio::test]
    async fn a_proposal_is_criticized_and_qualified_until_no_objection_is_left() {
        let offline = offline().await;
        let (_, draft) =
            reply(&offline, &ask(Some("mara"), PAIR, 1, TaskKind::Draft { rejected: Vec::new() })).await.unwrap();
        assert_eq!(keys(&draft), ["confidence", "passages", "proposal", "reasoning", "terms", "topic"]);
        check_quoted(draft["reasoning"].as_str().unwrap(), &["mara"]);
        let mut text = draft["proposal"].as_str().unwrap().to_owned();
        check_quoted(&text, &["mara"]);
        for round in 0..3 {
            let mut proposal = ProposalInput {
                alias: format!("p{round}"),
                speaker: persona("mara"),
                text: text.clone(),
                reasoning: String::new(),
                issues: Vec::new(),
            };
            let work = TaskKind::Criticize { proposal: proposal.clone() };
            let (_, criticism) = reply(&offline, &ask(Some("tobias"), PAIR, 1, work)).await.unwrap();
            let wanted = ["contradictions", "edge_cases", "issues", "passages", "recommendation", "topic"];
            assert_eq!(keys(&criticism), wanted);
            let issues = criticism["issues"].as_array().unwrap();
            if criticism["recommendation"] == "no_objection" {
                assert!(issues.is_empty() && round > 0, "the wall and the smoke are answered first");
                return;
            }
            for (at, issue) in issues.iter().enumerate() {
                check_quoted(issue["text"].as_str().unwrap(), &["tobias"]);
                let of = |key: &str| issue[key].as_str().unwrap().to_owned();
                proposal.issues.push(IssueInput {
                    alias: format!("i{at}"),
                    severity: of("severity"),
                    text: of("text"),
                });
            }
            let work = TaskKind::Synthesize { proposal };
            let (_, synthesis) = reply(&offline, &ask(Some("mara"), PAIR, 1, work)).await.unwrap();
            assert_eq!(keys(&synthesis), ["changes", "confidence", "passages", "proposal", "reasoning"]);
            assert_eq!(synthesis["changes"].as_array().unwrap().len(), issues.len());
            text = synthesis["proposal"].as_str().unwrap().to_owned();
            check_quoted(&text, PAIR);
        }
        panic!("three rounds left objections: {text}");
    }

    #[tokio::test]
    async fn rejected_sentences_are_not_proposed_again() {
        let offline = offline().await;
        let draft = |rejected: Vec<ProposalInput>| ask(Some("mara"), PAIR, 1, TaskKind::Draft { rejected });
        let (_, first) = reply(&offline, &draft(Vec::new())).await.unwrap();
        let rejected = ProposalInput {
            alias: "p1".to_owned(),
            speaker: persona("mara"),
            text: first["proposal"].as_str().unwrap().to_owned(),
            reasoning: String::new(),
            issues: Vec::new(),
        };
        let (_, second) = reply(&offline, &draft(vec![rejected.clone()])).await.unwrap();
        let again = PAPERS[0]
            .1
            .iter()
            .flat_map(|passage| passage.iter())
            .any(|line| rejected.text.contains(line) && second["proposal"].as_str().unwrap().contains(line));
        assert!(!again, "{second}");
    }
}
