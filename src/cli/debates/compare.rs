//! `faultline compare`: compares two versions of a debate, or two debates.

use serde_json::{Value, json};

use crate::api::local::query;
use crate::app::open_app::OpenApp;
use crate::cli::args::debates::CompareArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::crux_match::{CruxMatch, crux_match};
use faultline_core::verdicts::diff::verdict_diff::stance_diffs;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_terminal::tables::comparison::{ComparedDebate, VersionDifferences, comparison};

/// Query of both debates.
const DEBATES: &str = "query ($id: ID!, $with: ID!, $from: Int!, $to: Int!) {
    from: debate(id: $id, at: $from) { ...Compared }
    to: debate(id: $with, at: $to) { ...Compared }
}
fragment Compared on Debate {
    id topic engine provider seed status version turnCount extensionCount
    outcome { kind reason }
    regime { kind reason exact }
    participants { personaId name }
    topicVerdict { question agreedSide positions { personaId side firstSide moved } }
    cruxes { id rank origin statement question pivotality positions { personaId side } }
    commonGround { disputeId question side }
    camps { personaIds }
    usage { calls inputTokens outputTokens costMicros }
}";

/// Query of what only versions of one debate have in common.
const VERSIONS: &str = "query ($id: ID!, $from: Int!, $to: Int!) {
    compare(debateId: $id, from: $from, to: $to) {
        exact
        changes { kind cruxId disputeId statementId argumentId personaId campNumber from to }
        labelChanges { argumentId from to }
        stanceChanges { disputeId personaId from to turnId }
        commonGroundGained { disputeId question side }
        commonGroundLost { disputeId question side }
    }
}";

/// Both debates at their versions.
struct Pair {
    debates: (DebateId, DebateId),
    read_models: (DebateReadModel, DebateReadModel),
    verdicts: (Verdict, Verdict),
}

impl Pair {
    fn is_one_debate(&self) -> bool {
        self.debates.0 == self.debates.1
    }

    fn cruxes(&self) -> CruxMatch {
        crux_match(&self.verdicts.0.cruxes, &self.verdicts.1.cruxes, self.is_one_debate())
    }
}

/// Compares two versions or two debates, and prints the comparison.
///
/// # Errors
/// [`CliError::Refused`] if a debate or a version does not exist.
pub async fn run(config: &Config, args: CompareArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let compared = compare(&mut app, &args).await;
    app.close().await;
    compared
}

async fn compare(app: &mut OpenApp, args: &CompareArgs) -> Result<(), CliError> {
    let first = find(app, &args.id).await?;
    let second = match &args.with {
        Some(id) => find(app, id).await?,
        None => first,
    };
    let reads = app.read_router(None);
    let service = reads.now().await.service.clone();
    let read_models = (service.read_model(first, args.from).await?, service.read_model(second, args.to).await?);
    let verdicts = (read_models.0.verdict(), read_models.1.verdict());
    let pair = Pair { debates: (first, second), read_models, verdicts };
    if args.json {
        return json_line(&as_json(app, &pair).await?);
    }
    let stances = stance_diffs(&pair.read_models.0.disputes, &pair.read_models.1.disputes);
    let versions = pair.is_one_debate().then_some(VersionDifferences { stances: &stances });
    let one = ComparedDebate { read_model: &pair.read_models.0, verdict: &pair.verdicts.0 };
    let other = ComparedDebate { read_model: &pair.read_models.1, verdict: &pair.verdicts.1 };
    print(&comparison(one, other, &pair.cruxes(), versions, terminal::terminal_style()))
}

/// Returns the comparison with the names of the API: both debates, which cruxes they share, and for versions of one
/// debate what `Query.compare` lists.
async fn as_json(app: &OpenApp, pair: &Pair) -> Result<Value, CliError> {
    let (first, second) = pair.debates;
    let (from, to) = (pair.read_models.0.summary.version, pair.read_models.1.summary.version);
    let variables = json!({ "id": first, "with": second, "from": from, "to": to });
    let mut compared = query(app.schema_services(None), DEBATES, variables).await?;
    let matched = pair.cruxes();
    let crux = |side: &str, place: usize| compared[side]["cruxes"][place].clone();
    let shared = matched.shared.iter().map(|(one, other)| {
        json!({ "question": crux("from", *one)["question"], "fromId": crux("from", *one)["id"], "toId": crux("to", *other)["id"] })
    });
    let shared: Vec<Value> = shared.collect();
    let lost: Vec<Value> = matched.only_first.iter().map(|place| crux("from", *place)).collect();
    let gained: Vec<Value> = matched.only_second.iter().map(|place| crux("to", *place)).collect();
    if let Some(compared) = compared.as_object_mut() {
        compared.insert("cruxesShared".to_owned(), json!(shared));
        compared.insert("cruxesLost".to_owned(), json!(lost));
        compared.insert("cruxesGained".to_owned(), json!(gained));
    }
    if pair.is_one_debate() {
        let variables = json!({ "id": first, "from": from, "to": to });
        let mut versions = query(app.schema_services(None), VERSIONS, variables).await?;
        if let (Some(compared), Some(versions)) = (compared.as_object_mut(), versions["compare"].as_object_mut()) {
            compared.append(versions);
        }
    }
    Ok(compared)
}
