//! The accessibility checker axe, run in a page of the studio.

use serde_json::{Value, json};

use crate::studio::browser::Tab;
use crate::support::environment::{project_path, report_skipped};

/// Rules that depend on colours: those that the dark scheme may break where the light one does not.
const COLOUR_RULES: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Script of the checker.
pub struct Axe(String);

impl Axe {
    /// Reads the script. Returns `None`, and says so, where it is not installed; `what` is not tested then.
    pub fn read(what: &str) -> Option<Axe> {
        let script = std::fs::read_to_string(project_path("studio/node_modules/axe-core/axe.min.js"));
        if script.is_err() {
            report_skipped(&format!("{what}, because axe is not here: npm --prefix studio ci"));
        }
        script.ok().map(Axe)
    }

    /// Returns what the checker finds on the page in the light scheme, and what it finds about colours in the dark one. The page
    /// was loaded in the light scheme, and is left in the dark one.
    pub async fn violations(&self, tab: &mut Tab) -> Vec<String> {
        tab.eval(&self.0).await;
        let mut found = run(tab, "light", json!({})).await;
        tab.prefer("dark").await;
        tab.wait("!document.getAnimations().some(it => it instanceof CSSTransition)").await;
        found.extend(run(tab, "dark", json!({ "runOnly": COLOUR_RULES })).await);
        found
    }
}

async fn run(tab: &mut Tab, scheme: &str, options: Value) -> Vec<String> {
    let script = format!(
        "axe.run(document, {options}).then(it => it.violations.map(found => \
         `{scheme} ${{found.impact}} ${{found.id}}: ${{found.nodes.map(node => node.target).join(', ')}}`))"
    );
    serde_json::from_value(tab.eval(&script).await).expect("texts")
}
