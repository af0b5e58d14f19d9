//! `faultline stats`: summarizes debates by engine, regime, persona and other properties.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::analysis::pairs;
use crate::cli::args::statistics::DebateStatsArgs;
use crate::cli::catch_up::catch_up;
use crate::cli::output::csv_text::csv_text;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print, print_plain};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::measures::interval::mean_interval;
use faultline_core::measures::registry::summarized_measure;
use faultline_store::views::debate_stats::{DebateGroup, DebateStatsQuery, Figure, GroupBy, Spread};
use faultline_terminal::tables::debate_stats::{FigureRow, GroupRow, debate_stats};

/// Maximum number of properties by which debates are grouped.
const MAX_PROPERTIES: usize = 3;

/// Summarizes debates.
///
/// # Errors
/// [`CliError::Usage`] for an unknown measure, a malformed persona id or too many properties; [`CliError::Fault`] if the
/// database fails.
pub async fn run(config: &Config, args: DebateStatsArgs) -> Result<(), CliError> {
    if args.pairs {
        return pairs::run(config, args).await;
    }
    if args.by.len() > MAX_PROPERTIES {
        return Err(CliError::Usage(format!("--by takes at most {MAX_PROPERTIES} properties")));
    }
    let known = args.measure.iter().map(|key| summarized_measure(key).map_err(CliError::Usage));
    let known = known.collect::<Result<Vec<_>, _>>()?;
    // A table on the terminal shows no medians.
    let with_medians = args.json || args.csv;
    let request =
        DebateStatsQuery { with_medians, ..DebateStatsQuery::new(args.by.clone(), args.filter.query()?, &known) };
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let shown = async {
        catch_up(&mut app).await?;
        let reads = app.read_router(None);
        let views = &reads.now().await.views;
        let found = views.debate_stats(Some(views.generation_to_read().await?), &request).await?;
        if found.more {
            eprintln!("faultline: only the {} largest groups are shown; filter, or group by less", found.groups.len());
        }
        match (args.json, args.csv) {
            (true, _) => json_line(&json!(found.groups.iter().map(|it| as_json(it, &request)).collect::<Vec<_>>())),
            (_, true) => print_plain(&as_csv(&found.groups, &request)?),
            _ => print(&debate_stats(&rows(&found.groups, &request), terminal::terminal_style())),
        }
    };
    let shown = shown.await;
    app.close().await;
    shown
}

fn as_json(group: &DebateGroup, request: &DebateStatsQuery) -> Value {
    let properties = request.by.iter().zip(&group.values).map(
        |(by, value)| json!({ "by": by.name().to_uppercase(), "value": Some(value).filter(|value| !value.is_empty()) }),
    );
    let regimes = group.regimes.iter().map(|(name, count)| json!({ "regime": name.to_uppercase(), "count": count }));
    let figures = request.figures.iter().zip(&group.figures).map(|(figure, it)| {
        let interval = interval(figure, it);
        json!({
            "key": figure.name(),
            "count": it.n,
            "sum": it.sum,
            "mean": it.mean,
            "deviation": it.deviation,
            "low": interval.map(|(low, _)| low),
            "high": interval.map(|(_, high)| high),
            "minimum": it.least,
            "median": it.median,
            "maximum": it.greatest,
        })
    });
    json!({
        "properties": properties.collect::<Vec<_>>(),
        "debateCount": group.n_debates,
        "endedCount": group.n_ended,
        "regimes": regimes.collect::<Vec<_>>(),
        "figures": figures.collect::<Vec<_>>(),
    })
}

fn interval(figure: &Figure, it: &Spread) -> Option<(f64, f64)> {
    it.mean.zip(it.deviation).and_then(|(mean, deviation)| mean_interval(it.n, mean, deviation, figure.is_share()))
}

/// Writes a line for each group and figure.
fn as_csv(groups: &[DebateGroup], request: &DebateStatsQuery) -> Result<String, CliError> {
    const FIGURES: [&str; 12] = [
        "debates",
        "ended",
        "figure",
        "count",
        "sum",
        "mean",
        "deviation",
        "low",
        "high",
        "minimum",
        "median",
        "maximum",
    ];
    let header = request.by.iter().map(|by| by.name()).chain(FIGURES).map(Cow::Borrowed).collect();
    let lines = groups.iter().flat_map(|group| {
        request.figures.iter().zip(&group.figures).map(move |(figure, it)| csv_line(group, figure, it))
    });
    csv_text(std::iter::once(header).chain(lines))
}

fn csv_line<'a>(group: &'a DebateGroup, figure: &'a Figure, it: &Spread) -> Vec<Cow<'a, str>> {
    let interval = interval(figure, it);
    let (low, high) = (interval.map(|(low, _)| low), interval.map(|(_, high)| high));
    let numbers = [Some(it.sum), it.mean, it.deviation, low, high, it.least, it.median, it.greatest];
    let own = group.values.iter().map(|value| Cow::Borrowed(value.as_str()));
    let counts = [group.n_debates, group.n_ended].map(|count| Cow::Owned(count.to_string()));
    let named = [Cow::Borrowed(figure.name()), Cow::Owned(it.n.to_string())];
    let numbers = numbers.map(|number| Cow::Owned(number.map(|it| it.to_string()).unwrap_or_default()));
    own.chain(counts).chain(named).chain(numbers).collect()
}

fn rows(groups: &[DebateGroup], request: &DebateStatsQuery) -> Vec<GroupRow> {
    let value = |(by, value): (&GroupBy, &String)| match value.is_empty() {
        true => format!("no {}", by.name()),
        false => value.clone(),
    };
    let row = |group: &DebateGroup| GroupRow {
        values: request.by.iter().zip(&group.values).map(value).collect(),
        n_debates: group.n_debates,
        n_ended: group.n_ended,
        regimes: group.regimes.clone().into_iter().collect(),
        figures: request
            .figures
            .iter()
            .zip(&group.figures)
            .filter_map(|(figure, it)| {
                let (name, interval) = (figure.name().to_owned(), interval(figure, it));
                Some(FigureRow { name, mean: it.mean?, interval, n: it.n })
            })
            .collect(),
    };
    groups.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_must_be_quoted() {
        let group = DebateGroup {
            values: vec!["Is it \"true\", or not?".to_owned()],
            n_debates: 2,
            n_ended: 1,
            regimes: Default::default(),
            figures: vec![Spread { n: 1, sum: 3.5, mean: Some(3.5), ..Spread::default() }],
        };
        let request = DebateStatsQuery { by: vec![GroupBy::Topic], figures: vec![Figure::Turns], ..Default::default() };
        let lines = as_csv(&[group], &request).expect("a table");
        assert_eq!(
            lines,
            "topic,debates,ended,figure,count,sum,mean,deviation,low,high,minimum,median,maximum\r\n\
             \"Is it \"\"true\"\", or not?\",2,1,turns,1,3.5,3.5,,,,,,\r\n"
        );
    }
}
