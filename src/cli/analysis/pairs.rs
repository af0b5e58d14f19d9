//! `faultline stats --pairs`: compares the sides of each pair of participants.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::statistics::DebateStatsArgs;
use crate::cli::catch_up::catch_up;
use crate::cli::output::csv_text::csv_text;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print, print_plain};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::measures::measure::rounded;
use faultline_store::views::persona_agreements::{MAX_PAIRS, PersonaAgreement};
use faultline_terminal::tables::pairs::{PairRow, pairs};

/// Compares pairs of participants.
///
/// # Errors
/// [`CliError::Usage`] for a malformed filter; [`CliError::Fault`] if the database fails.
pub async fn run(config: &Config, args: DebateStatsArgs) -> Result<(), CliError> {
    let filter = args.filter.query()?;
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let shown = async {
        catch_up(&mut app).await?;
        let reads = app.read_router(None);
        let views = &reads.now().await.views;
        let found = views.persona_agreements(views.generation_to_read().await?, &filter, MAX_PAIRS).await?;
        if found.len() as i64 == MAX_PAIRS {
            eprintln!("faultline: only the {MAX_PAIRS} pairs with the most questions are shown; filter the debates");
        }
        match (args.json, args.csv) {
            (true, _) => json_line(&json!(found.iter().map(as_json).collect::<Vec<_>>())),
            (_, true) => print_plain(&as_csv(&found)?),
            _ => print(&pairs(&found.into_iter().map(row).collect::<Vec<_>>(), terminal::terminal_style())),
        }
    };
    let shown = shown.await;
    app.close().await;
    shown
}

fn as_json(pair: &PersonaAgreement) -> Value {
    json!({
        "oneId": pair.one,
        "otherId": pair.other,
        "debateCount": pair.n_debates,
        "questionCount": pair.n_questions,
        "agreedCount": pair.n_agreed,
        "opposedCount": pair.n_questions - pair.n_agreed,
        "agreement": rounded(pair.agreement()),
    })
}

fn as_csv(pairs: &[PersonaAgreement]) -> Result<String, CliError> {
    let header = ["one", "other", "debates", "questions", "agreed", "opposed", "agreement"];
    let header = header.into_iter().map(Cow::Borrowed).collect();
    let lines = pairs.iter().map(|pair| {
        let counts = [pair.n_debates, pair.n_questions, pair.n_agreed, pair.n_questions - pair.n_agreed];
        let names = [&pair.one, &pair.other].map(|name| Cow::Borrowed(name.as_str()));
        let counts = counts.map(|count| Cow::Owned(count.to_string()));
        let agreement = Cow::Owned(rounded(pair.agreement()).to_string());
        names.into_iter().chain(counts).chain([agreement]).collect()
    });
    csv_text(std::iter::once(header).chain(lines))
}

fn row(pair: PersonaAgreement) -> PairRow {
    let agreement = pair.agreement();
    let PersonaAgreement { one, other, n_debates, n_questions, n_agreed } = pair;
    PairRow { one, other, n_debates, n_questions, n_agreed, agreement }
}
