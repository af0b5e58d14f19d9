//! Catalog of the personas, shared corpora and providers that debates can use.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::offline_topics::{check_offline_sides, check_offline_topic};
use crate::plain_sides::plain_side;
use faultline_core::engines::pro_con::pro_con;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::Persona;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_core::positions::model::AllPositions;
use faultline_core::positions::playable::OFFLINE;
use faultline_core::questions::nearest::suggestions;
use faultline_providers::ports::ChoosableModels;
use faultline_providers::prices::is_version_of;
use faultline_providers::scripted::SCRIPTED;
use faultline_store::library::shared_corpora::SharedCorpus;

/// Option of a debate that names its shared corpus.
pub const SHARED_CORPUS: &str = "shared_corpus";

/// Personas, shared corpora and providers that this service knows.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Personas by id.
    pub personas: BTreeMap<PersonaId, Member>,
    /// Shared corpora by id. None has the id of a persona.
    pub shared_corpora: BTreeMap<PersonaId, SharedCorpus>,
    /// Providers in order of preference; the first is the default.
    pub providers: Vec<Provider>,
    /// Auditors that read words and take no part in debates.
    pub auditors: Vec<Provider>,
    /// Name of the auditor that reads words unless another one is asked; `None` for the provider of the debate, and for
    /// the preferred provider after its end.
    pub default_auditor: Option<String>,
    /// Annotated writings of the personas, which the offline provider plays.
    pub positions: Arc<AllPositions>,
}

/// Persona with the topics of its writings.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Definition of the persona.
    pub persona: Persona,
    /// Topics that the persona wrote about.
    pub topics: Vec<String>,
}

/// Provider of model completions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Name by which debates request it.
    pub name: String,
    /// Description for people.
    pub about: String,
    /// Models that can be chosen for participants.
    pub models: ChoosableModels,
}

impl Catalog {
    /// Returns a persona by its id, or by its display name in any case.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known personas. A name that several personas bear finds none of them.
    pub fn persona(&self, id: &str) -> Result<&Member, Refusal> {
        let found = id.parse::<PersonaId>().ok().and_then(|id| self.personas.get(&id));
        found.or_else(|| self.named(id)).ok_or_else(|| {
            let known: Vec<&str> = self.personas.keys().map(PersonaId::as_str).collect();
            let id: String = id.chars().take(64).collect();
            Refusal::new(
                RefusalKind::NotFound,
                format!("unknown persona {id:?}{}; without a character: pro, con", suggestions(&id, &known)),
            )
        })
    }

    /// Returns a participant: a persona like [`Catalog::persona`], or a plain side, unless a persona has its id.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known personas.
    pub fn participant(&self, id: &str) -> Result<Persona, Refusal> {
        let found = self.persona(id).map(|member| member.persona.clone());
        found.or_else(|refusal| plain_side(id).ok_or(refusal))
    }

    /// Returns a shared corpus by its id.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known shared corpora.
    pub fn shared_corpus(&self, id: &str) -> Result<&SharedCorpus, Refusal> {
        let found = id.parse::<PersonaId>().ok().and_then(|id| self.shared_corpora.get(&id));
        found.ok_or_else(|| {
            let id: String = id.chars().take(64).collect();
            let known: Vec<&str> = self.shared_corpora.keys().map(PersonaId::as_str).collect();
            let reason = format!("unknown shared corpus {id:?}{}", suggestions(&id, &known));
            Refusal::new(RefusalKind::NotFound, reason)
        })
    }

    /// Checks that the shared corpus in the options of a debate exists. Options without one, or with another value than a
    /// text, are left to the engine.
    ///
    /// # Errors
    /// As [`Catalog::shared_corpus`].
    pub fn check_shared_corpus(&self, options: &Value) -> Result<(), Refusal> {
        match options.get(SHARED_CORPUS).and_then(Value::as_str) {
            Some(id) => self.shared_corpus(id).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the id of the persona or the shared corpus to which `id` refers: an id of either, or the display name of a
    /// persona.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known personas and shared corpora.
    pub fn corpus_owner(&self, id: &str) -> Result<&PersonaId, Refusal> {
        if let Ok(corpus) = self.shared_corpus(id) {
            return Ok(&corpus.id);
        }
        let found = self.persona(id).map(|member| &member.persona.id);
        found.map_err(|refusal| {
            let reason = format!("{}; shared corpora: {}", refusal.reason, self.listed_shared_corpora());
            if self.shared_corpora.is_empty() { refusal } else { Refusal::new(RefusalKind::NotFound, reason) }
        })
    }

    fn listed_shared_corpora(&self) -> String {
        listed(&self.shared_corpora.keys().map(PersonaId::as_str).collect::<Vec<_>>())
    }

    /// Returns the only persona with this display name.
    fn named(&self, name: &str) -> Option<&Member> {
        let name = name.trim().to_lowercase();
        let mut found = self.personas.values().filter(|member| member.persona.name.to_lowercase() == name);
        found.next().filter(|_| found.next().is_none())
    }

    /// Checks that a provider can play a debate: the offline one needs annotated writings of the participants.
    ///
    /// # Errors
    /// A [`Refusal`] (invalid) with the topics or personas that can be played instead.
    pub fn check_topic(&self, provider: &str, topic: &str, participants: &[PersonaId]) -> Result<(), Refusal> {
        if provider != OFFLINE {
            return Ok(());
        }
        let models = self.providers.iter().map(|provider| provider.name.as_str()).filter(|name| is_model(name));
        check_offline_topic(&self.positions, topic, participants, &models.collect::<Vec<_>>())
    }

    /// Checks that a provider can play the sides of a debate: offline, a participant of one with two sides speaks only for
    /// the side that its writings take.
    ///
    /// # Errors
    /// A [`Refusal`] (invalid) with the personas that take a side.
    pub fn check_sides(
        &self,
        provider: &str,
        engine: &str,
        topic: &str,
        participants: &[PersonaId],
    ) -> Result<(), Refusal> {
        if provider != OFFLINE || engine != pro_con::REGISTRATION.name {
            return Ok(());
        }
        check_offline_sides(&self.positions, topic, participants)
    }

    /// Returns a provider by its name, or the preferred one if `None`.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known providers.
    pub fn provider(&self, name: Option<&str>) -> Result<&Provider, Refusal> {
        match name {
            None => self.providers.first().ok_or_else(|| unknown("", &self.providers)),
            Some(name) if self.auditors.iter().any(|auditor| auditor.name == name) => {
                let what = format!("{name} reads words and cannot take part in a debate; choose another provider");
                Err(Refusal::new(RefusalKind::Invalid, what))
            }
            Some(name) => {
                let found = self.providers.iter().find(|provider| provider.name == name);
                found.ok_or_else(|| unknown(name, &self.providers))
            }
        }
    }

    /// Resolves the personas for which models are chosen.
    ///
    /// # Errors
    /// A [`Refusal`] if a persona is unknown or named twice, if the provider has no models to choose from, or if a model is
    /// not among those that can be chosen.
    pub fn models(&self, provider: &str, chosen: &[(String, String)]) -> Result<BTreeMap<PersonaId, String>, Refusal> {
        let known = self.providers.iter().find(|known| known.name == provider).map(|known| &known.models);
        let choosable = known.unwrap_or(&ChoosableModels::Nothing);
        for (_, model) in chosen {
            check_model(provider, choosable, model.trim())?;
        }
        let mut models = BTreeMap::new();
        for (persona, model) in chosen {
            let id = self.participant(persona)?.id;
            if models.insert(id.clone(), model.trim().to_owned()).is_some() {
                return Err(Refusal::invalid(format!("two models are chosen for {id}; choose one")));
            }
        }
        Ok(models)
    }

    /// Returns the provider that reads words, by its name, or the default one if `None`.
    ///
    /// # Errors
    /// A [`Refusal`] (not found) that lists the known providers.
    pub fn auditor(&self, name: Option<&str>) -> Result<&Provider, Refusal> {
        let Some(name) = name.or(self.default_auditor.as_deref()) else { return self.provider(None) };
        let found = self.auditors.iter().chain(&self.providers).find(|provider| provider.name == name);
        found.ok_or_else(|| unknown(name, self.providers.iter().chain(&self.auditors)))
    }
}

fn unknown<'a>(name: &str, known: impl IntoIterator<Item = &'a Provider>) -> Refusal {
    let known: Vec<&str> = known.into_iter().map(|provider| provider.name.as_str()).collect();
    let name: String = name.chars().take(64).collect();
    Refusal::new(RefusalKind::NotFound, format!("unknown provider {name:?}{}", suggestions(&name, &known)))
}

/// Checks that a model can be chosen: not everybody who may open debates may spend on any model.
fn check_model(provider: &str, choosable: &ChoosableModels, model: &str) -> Result<(), Refusal> {
    match choosable {
        ChoosableModels::Any => Ok(()),
        ChoosableModels::Nothing => Err(Refusal::invalid(format!(
            "the provider {provider} has no models to choose from; leave out the models of personas"
        ))),
        ChoosableModels::Listed(names) if names.iter().any(|name| is_version_of(model, name)) => Ok(()),
        ChoosableModels::Listed(names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let model: String = model.chars().take(64).collect();
            Err(Refusal::invalid(format!(
                "the model {model:?} cannot be chosen at the provider {provider}; available: {}; FAULTLINE_{}_MODELS \
                 lists others",
                listed(&names),
                provider.to_uppercase()
            )))
        }
    }
}

fn is_model(name: &str) -> bool {
    name != OFFLINE && name != SCRIPTED
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn catalog(ids: &[&str]) -> Catalog {
        let corpus = |id: &&str| {
            let id: PersonaId = id.parse().expect("an id");
            (id.clone(), SharedCorpus { id, name: "A survey".to_owned(), about: "Counts".to_owned() })
        };
        Catalog { shared_corpora: ids.iter().map(corpus).collect(), ..Catalog::default() }
    }

    #[test]
    fn an_unknown_shared_corpus_is_refused_with_the_available_ones() {
        let catalog = catalog(&["tides", "harbour-survey"]);
        assert_eq!(catalog.shared_corpus("tides").map(|corpus| corpus.id.as_str()), Ok("tides"));
        for options in [json!({ "shared_corpus": "tides" }), json!({ "shared_corpus": null }), json!({}), json!(null)] {
            assert_eq!(catalog.check_shared_corpus(&options), Ok(()), "{options}");
        }
        let refused = catalog.check_shared_corpus(&json!({ "shared_corpus": "Tide" })).unwrap_err();
        assert_eq!(refused.kind, RefusalKind::NotFound);
        assert_eq!(
            refused.reason,
            "unknown shared corpus \"Tide\"; did you mean tides? Available: harbour-survey, tides"
        );
        let none = Catalog::default().shared_corpus("tides").unwrap_err().reason;
        assert_eq!(none, "unknown shared corpus \"tides\"; available: none");
    }

    #[test]
    fn an_owner_of_a_corpus_is_a_persona_or_a_shared_corpus() {
        let corpora = catalog(&["tides"]);
        assert_eq!(corpora.corpus_owner("tides").map(PersonaId::as_str), Ok("tides"));
        let refused = |catalog: &Catalog| catalog.corpus_owner("nobody").unwrap_err().reason;
        assert!(refused(&corpora).ends_with("; shared corpora: tides"), "{}", refused(&corpora));
        assert!(!refused(&Catalog::default()).contains("shared"), "{}", refused(&Catalog::default()));
    }
}
