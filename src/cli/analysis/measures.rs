//! `faultline measures`: measures a debate, or lists all measures with their formulas.

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::statistics::MeasuresArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::measures::measure::{MeasureDefinition, Measured};
use faultline_core::measures::registry::{
    MEASURES, MEASURES_REVISION, measure, measures_with_timeline, unknown_measure,
};
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::diff::timeline::Timeline;
use faultline_service::scans::timeline_scan::extend_timeline;
use faultline_terminal::tables::measures::{definitions, measured};

/// Measures a debate, or lists the definitions of all measures.
///
/// # Errors
/// [`CliError::Usage`] for an unknown measure; [`CliError::Refused`] if the debate or the version does not exist.
pub async fn run(config: &Config, args: MeasuresArgs) -> Result<(), CliError> {
    if let Some(unknown) = args.measure.iter().find(|key| measure(key).is_none()) {
        return Err(CliError::Usage(unknown_measure(unknown)));
    }
    let is_wanted = |it: &MeasureDefinition| args.measure.is_empty() || args.measure.iter().any(|key| key == it.key);
    let Some(id) = &args.id else {
        let listed: Vec<&MeasureDefinition> = MEASURES.iter().filter(|it| is_wanted(it)).collect();
        return match args.json {
            true => json_line(&json!(listed.iter().map(|it| definition_json(it)).collect::<Vec<_>>())),
            false => print(&definitions(&listed, terminal::terminal_style())),
        };
    };
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let shown = async {
        let debate = find(&mut app, id).await?;
        let service = app.read_router(None).now().await.service.clone();
        let read_model = service.read_model(debate, args.at).await?;
        let mut timeline = Timeline::default();
        extend_timeline(&service, debate, read_model.summary.version, &mut timeline).await?;
        let timeline = timeline.until(read_model.summary.version);
        let found: Vec<Measured> = measures_with_timeline(&read_model, &read_model.verdict(), Some(timeline));
        let found: Vec<Measured> = found.into_iter().filter(|it| is_wanted(it.definition)).collect();
        if args.json {
            return json_line(&measures_json(&read_model.summary, &found));
        }
        print(&measured(&read_model.summary, &found, args.parts, terminal::terminal_style()))
    };
    let shown = shown.await;
    app.close().await;
    shown
}

/// Returns measures of a debate as JSON.
pub fn measures_json(summary: &Summary, found: &[Measured]) -> Value {
    json!({
        "debateId": summary.debate,
        "version": summary.version,
        "revision": MEASURES_REVISION,
        "measures": found.iter().map(measured_json).collect::<Vec<_>>(),
    })
}

fn definition_json(definition: &MeasureDefinition) -> Value {
    json!({
        "key": definition.key,
        "name": definition.name,
        "group": definition.group.name().to_uppercase(),
        "unit": definition.unit.name().to_uppercase(),
        "formula": definition.formula,
        "needsTimeline": definition.needs_timeline,
    })
}

fn measured_json(it: &Measured) -> Value {
    let parts = it.measurement.parts.iter().map(
        |part| json!({ "label": part.label, "personaId": part.persona, "value": part.value, "turnIds": part.turns }),
    );
    json!({
        "definition": definition_json(it.definition),
        "value": it.measurement.value,
        "absentReason": it.measurement.absent,
        "numerator": it.measurement.quotient.map(|quotient| quotient.count),
        "denominator": it.measurement.quotient.map(|quotient| quotient.total),
        "parts": parts.collect::<Vec<_>>(),
    })
}
