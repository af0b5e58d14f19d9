//! Report on an experiment as one HTML page with charts, without scripts.

use crate::experiments::chart::chart;
use crate::experiments::comparison::compare;
use crate::experiments::experiment::Experiment;
use crate::experiments::markdown_report::{OVERLAP, difference, extent, mean_text, name, stability_text};
use crate::experiments::results::{CellResult, arm_mean, figures};
use crate::experiments::stability::stability;
use crate::export::text::xml;
use crate::measures::registry::measure;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;\
background:#fff}table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;\
vertical-align:top}svg{display:block;max-width:640px;margin:1.5rem 0;font:13px system-ui,sans-serif}svg .title{font-weight:600}\
svg .axis{stroke:#ddd}svg circle{fill:#3a6ea5;fill-opacity:.45}svg .interval{stroke:#1c1c1c;stroke-width:2}svg .mean{stroke:#1c1c1c;\
stroke-width:2}svg .tick{fill:#666}@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}td,th{border-color:#444}\
svg text{fill:#e8e8e8}svg .axis{stroke:#444}svg circle{fill:#7fb2e5}svg .interval,svg .mean{stroke:#e8e8e8}}";

/// Writes the page: charts with means by arm, differences from the baseline, and every debate.
pub fn html_report(experiment: &Experiment, results: &[CellResult]) -> String {
    let title = xml(&experiment.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{}</p>\n<p>{} of {} debates have ended: {}.</p>\n",
        xml(&experiment.about),
        results.len(),
        experiment.cells().len(),
        extent(experiment),
    );
    for figure in figures(experiment) {
        page += &chart(experiment, results, figure);
        page += &means(experiment, results, figure);
        if let Some(definition) = measure(figure) {
            page += &format!("<p><small>{}</small></p>\n", xml(definition.formula));
        }
    }
    page + &cruxes_over_seeds(experiment, results) + &debates(experiment, results) + "</html>\n"
}

fn means(experiment: &Experiment, results: &[CellResult], figure: &str) -> String {
    let baseline = experiment.baseline();
    let mut table = format!(
        "<table><tr><th>{}</th><th>mean (95 %)</th><th>difference from {}</th></tr>",
        name(figure),
        xml(baseline)
    );
    for arm in &experiment.arms {
        let mean = mean_text(arm_mean(results, &arm.name, figure), figure);
        let compared = match compare(results, &arm.name, baseline, figure).filter(|_| arm.name != baseline) {
            None => String::new(),
            Some(found) => {
                let interval = found
                    .interval
                    .map(|(low, high)| format!(" ({} to {})", difference(low, figure), difference(high, figure)));
                let text = format!("{}{}", difference(found.difference, figure), interval.unwrap_or_default());
                let text = if found.is_distinct() { format!("<b>{text}</b>") } else { text };
                format!("{text}; {} pairs", found.pairs)
            }
        };
        table += &format!("<tr><td>{}</td><td>{mean}</td><td>{compared}</td></tr>", xml(&arm.name));
    }
    table + "</table>\n"
}

fn cruxes_over_seeds(experiment: &Experiment, results: &[CellResult]) -> String {
    if experiment.seeds.len() < 2 {
        return String::new();
    }
    let mut table = format!(
        "<h2>Cruxes over seeds</h2>\n<p>{}</p>\n<table><tr><th>topic</th><th>arm</th><th>overlap</th><th>in most debates</th></tr>",
        xml(OVERLAP)
    );
    for (place, topic) in experiment.topics.iter().enumerate() {
        for arm in &experiment.arms {
            let found = stability(results, &arm.name, place);
            let most = found.majority().map(|it| format!("{} of {}: {}", it.debates, found.debates, xml(&it.question)));
            table += &format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                xml(&topic.topic),
                xml(&arm.name),
                stability_text(&found),
                most.collect::<Vec<_>>().join("<br>"),
            );
        }
    }
    table + "</table>\n"
}

fn debates(experiment: &Experiment, results: &[CellResult]) -> String {
    let mut table = String::from(
        "<h2>Debates</h2>\n<table><tr><th>topic</th><th>arm</th><th>seed</th><th>verdict</th><th>outcome</th><th>debate</th></tr>",
    );
    for it in results {
        let topic = experiment.topics.get(it.topic).map_or("", |topic| topic.topic.as_str());
        table += &format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            xml(topic),
            xml(&it.arm),
            it.seed,
            it.regime,
            it.outcome,
            it.debate_id,
        );
    }
    table + "</table>\n"
}
