//! Suggestions of questions: asks a model about the passages of two authors, and retries with the error.

use crate::drafts::draft_persona::MAX_ATTEMPTS;
use faultline_core::events::receipt::{Failure, FailureKind, Usage};
use faultline_core::kernel::degenerate;
use faultline_core::kernel::passages::prompt_assembly::assemble;
use faultline_core::kernel::reply;
use faultline_core::suggestions::pairs::AuthorPair;
use faultline_core::suggestions::reply::SuggestionsReply;
use faultline_core::suggestions::request::request;
use faultline_providers::ports::Model;

/// Answer of a model about two authors, with its cost.
#[derive(Clone, Debug)]
pub struct SuggestionsAnswer {
    /// Provider and model that answered, with the reply, which is not verified; or the last failure.
    pub result: Result<(String, SuggestionsReply), Failure>,
    /// Number of calls, at most [`MAX_ATTEMPTS`].
    pub calls: u32,
    /// Usage of all calls together, failed ones included.
    pub usage: Usage,
}

/// Asks a model for at most `most` questions on which two authors differ. A reply that cannot be read is requested again
/// with the reason; other failures are final. `known` are questions that are not to be suggested again.
pub async fn suggest_questions(model: &dyn Model, pair: &AuthorPair, known: &[&str], most: usize) -> SuggestionsAnswer {
    let effect = request(pair, known, most);
    let (mut usage, mut unreadable) = (Usage::default(), None::<String>);
    for calls in 1..=MAX_ATTEMPTS {
        let attempt = assemble(&effect, calls, Vec::new(), unreadable.as_deref(), 0);
        let answer = match model.complete(&attempt).await {
            Ok(answer) => answer,
            Err(failure) => {
                usage = failure.answer.iter().fold(usage, |usage, answer| usage.plus(&answer.usage));
                if failure.kind != FailureKind::Truncated {
                    return SuggestionsAnswer { result: Err(failure), calls, usage };
                }
                unreadable = Some(format!("{}; give fewer questions", failure.message));
                continue;
            }
        };
        usage = usage.plus(&answer.usage);
        let fault = degenerate::fault(&attempt.prompt, &answer.text).map_or(Ok(()), Err);
        match fault.and_then(|()| reply::read::<SuggestionsReply>(&answer.text)) {
            Ok(reading) => return SuggestionsAnswer { result: Ok((answer.by, reading.value)), calls, usage },
            Err(why) => unreadable = Some(why.to_string()),
        }
    }
    let why = unreadable.unwrap_or_default();
    let message = format!("none of {MAX_ATTEMPTS} replies was usable; the last one: {why}");
    let result = Err(Failure::new(FailureKind::Unreadable, message));
    SuggestionsAnswer { result, calls: MAX_ATTEMPTS, usage }
}
