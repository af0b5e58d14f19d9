//! Resolvers of participants.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::{FOLD_COMPLEXITY, SEARCH_COMPLEXITY};
use crate::api::error::invalid;
use crate::api::types::persona::participant::{Participant, ParticipantVoice, VoiceAttribution};
use crate::api::types::persona::persona::Contract;
use crate::api::types::speech::fact_check::Factuality;
use crate::api::types::speech::grounding::Grounding;

#[ComplexObject]
impl Participant {
    /// Positions, reasons and conditions for changing its mind, as used by the debate.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn contract(&self, context: &Context<'_>) -> Result<Contract> {
        let read_model = self.debate.read_model(context).await?;
        let persona = read_model.cast.get(&self.of.persona);
        persona
            .map(|persona| Contract::from(&persona.contract))
            .ok_or_else(|| invalid("the debate has no such participant"))
    }

    /// Grounding of its speech in its own texts.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<Grounding> {
        Ok(self.debate.read_model(context).await?.grounding.of(&self.of.persona).into())
    }

    /// Summary of the fact checks of its claims. Verdicts do not depend on it.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn factuality(&self, context: &Context<'_>) -> Result<Factuality> {
        Ok(self.debate.read_model(context).await?.fact_checks.of(&self.of.persona).into())
    }

    /// Compliance with the voice that the debate uses.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn voice(&self, context: &Context<'_>) -> Result<ParticipantVoice> {
        let kept =
            self.debate.read_model(context).await?.voice.by_persona.get(&self.of.persona).cloned().unwrap_or_default();
        Ok(ParticipantVoice::new(&kept, self))
    }
}

#[ComplexObject]
impl ParticipantVoice {
    /// Attribution of its turns to the participants by writing style: frequencies of common words and punctuation
    /// (Burrows's Delta). Null if the library contains too little text of any participant.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn attribution(&self, context: &Context<'_>) -> Result<Option<VoiceAttribution>> {
        let attributions = self.debate.voice_attributions(context).await?;
        Ok(attributions
            .get(&self.of.persona)
            .map(|attribution| VoiceAttribution::new(attribution, attributions.len(), &self.debate)))
    }
}
