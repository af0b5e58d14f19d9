//! Table of all fields of a verdict, each with another value and the change that this makes.

use faultline_core::verdicts::crux_id::CruxKey;
use serde_json::{Value, json};

/// Pointer to a field, another value, and the change that this makes: kind, item, and both values.
pub type FieldChange = (&'static str, Value, &'static str, &'static str, &'static str, &'static str);

/// Fields of a verdict, each with another value and its change.
pub fn fields() -> Vec<FieldChange> {
    let of_cruxes = [fields_of_cruxes(), fields_of_positions(), fields_of_cards()].concat();
    [fields_of_the_whole(), fields_of_audits(), of_cruxes, fields_of_grants(), fields_of_lists()].concat()
}

fn fields_of_the_whole() -> Vec<FieldChange> {
    vec![
        (
            "/algorithm",
            json!("faultline-verdict/2"),
            "algorithm",
            "verdict",
            "faultline-verdict/1",
            "faultline-verdict/2",
        ),
        ("/regime/kind", json!("polarized"), "regime_kind", "verdict", "partial", "polarized"),
        ("/regime/reason", json!("x"), "regime_reason", "verdict", "2 open disputes; 2 questions answered alike", "x"),
        (
            "/regime/coverage/examined",
            json!(2),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers, 3 turns unread",
            "2 of 4, 1 of 2 answers, 3 turns unread",
        ),
        (
            "/regime/coverage/pairs",
            json!(5),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers, 3 turns unread",
            "3 of 5, 1 of 2 answers, 3 turns unread",
        ),
        (
            "/regime/coverage/answered",
            json!(2),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers, 3 turns unread",
            "3 of 4, 2 of 2 answers, 3 turns unread",
        ),
        (
            "/regime/coverage/asked",
            json!(3),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers, 3 turns unread",
            "3 of 4, 1 of 3 answers, 3 turns unread",
        ),
        (
            "/regime/coverage/unread",
            json!(2),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers, 3 turns unread",
            "3 of 4, 1 of 2 answers, 2 turns unread",
        ),
        ("/regime/exact", json!(false), "regime_exactness", "verdict", "true", "false"),
        ("/regime/unknown_events", json!(7), "unknown_events", "verdict", "0", "7"),
        ("/topic", Value::Null, "topic", "dispute d9", "Should the ferry run?", "-"),
        ("/topic/dispute", json!("d8"), "topic_dispute", "dispute d9", "d9", "d8"),
        ("/topic/question", json!("x?"), "topic_question", "dispute d9", "Should the ferry run?", "x?"),
        ("/topic/positions/0/first", json!("no"), "topic_first_side", "dispute d9, participant ada", "undecided", "no"),
        ("/topic/positions/0/side", json!("no"), "topic_side", "dispute d9, participant ada", "yes", "no"),
        ("/topic/positions/0/turn", json!("t8"), "topic_turn", "dispute d9, participant ada", "t5", "t8"),
        ("/topic/positions/0/words", json!("x"), "topic_words", "dispute d9, participant ada", "So it is.", "x"),
        (
            "/topic/positions/0/quote",
            json!("x"),
            "topic_quote",
            "dispute d9, participant ada",
            "So it is, and ever was.",
            "x",
        ),
        (
            "/cruxes/0/origin",
            json!({ "kind": "acknowledged", "proposal": "c1" }),
            "crux_origin",
            "crux d1",
            "dispute d1",
            "acknowledged c1",
        ),
    ]
}

fn fields_of_audits() -> Vec<FieldChange> {
    const AUDITOR: &str = "reader-1 of openai, revision 1, qualified (measured), precision 0.95, recall 0.8";
    const WORDS: &str = "dispute d4, participant ada";
    let auditor = |field, value, to| (field, value, "auditor", "verdict", AUDITOR, to);
    vec![
        ("/audit/setting", json!("off"), "audit_setting", "verdict", "required", "off"),
        auditor("/audit/auditor", Value::Null, "-"),
        auditor(
            "/audit/auditor/provider",
            json!("x"),
            "reader-1 of x, revision 1, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/model",
            json!("x"),
            "x of openai, revision 1, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/revision",
            json!(2),
            "reader-1 of openai, revision 2, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/qualified",
            json!(false),
            "reader-1 of openai, revision 1, not qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/basis",
            json!("unmeasured"),
            "reader-1 of openai, revision 1, qualified (unmeasured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/precision",
            json!(0.5),
            "reader-1 of openai, revision 1, qualified (measured), precision 0.5, recall 0.8",
        ),
        auditor(
            "/audit/auditor/recall",
            Value::Null,
            "reader-1 of openai, revision 1, qualified (measured), precision 0.95, recall none",
        ),
        ("/audit/failure", Value::Null, "audit_failure", "verdict", "no answer", "-"),
        ("/audit/words/0/question", json!("x?"), "audited_record", WORDS, "yes to \"Is it so?\"", "yes to \"x?\""),
        (
            "/audit/words/0/recorded",
            json!("no"),
            "audited_record",
            WORDS,
            "yes to \"Is it so?\"",
            "no to \"Is it so?\"",
        ),
        ("/audit/words/0/reading", json!("none"), "audit_reading", WORDS, "yes", "none"),
        ("/audit/words/0/reading", Value::Null, "audit_reading", WORDS, "yes", "not read"),
        ("/audit/words/0/is_audited", json!(false), "audit_reading", WORDS, "yes", "yes, not counted"),
        ("/audit/words/0/is_contested", json!(true), "audit_reading", WORDS, "yes", "yes, contested"),
    ]
}

fn fields_of_cruxes() -> Vec<FieldChange> {
    vec![
        ("/cruxes/0/origin/dispute", json!("d8"), "crux_origin", "crux d1", "dispute d1", "dispute d8"),
        ("/cruxes/1/origin/level", json!("claim"), "crux_origin", "crux s0000000000aa", "premise", "claim"),
        ("/cruxes/0/open", json!(false), "crux_open", "crux d1", "true", "false"),
        ("/cruxes/0/statement", json!("x"), "crux_statement", "crux d1", "Statement d1", "x"),
        (
            "/cruxes/0/other_statements/0",
            json!("x"),
            "crux_other_statements",
            "crux d1",
            "\"Nights are long.\", \"Days are short.\"",
            "\"x\", \"Days are short.\"",
        ),
        ("/cruxes/0/question", json!("x?"), "crux_question", "crux d1", "Are crews scarce?", "x?"),
        ("/cruxes/0/why", json!("x"), "crux_reason", "crux d1", "It decides one thesis.", "x"),
        ("/cruxes/0/agreed", json!("c2"), "crux_agreement", "crux d1", "c1", "c2"),
        ("/cruxes/0/agreed", Value::Null, "crux_agreement", "crux d1", "c1", "-"),
        ("/cruxes/0/pivotality", json!(0.25), "crux_pivotality", "crux d1", "0.5", "0.25"),
        ("/cruxes/0/pivotality", Value::Null, "crux_pivotality", "crux d1", "0.5", "-"),
        (
            "/cruxes/0/consequence",
            Value::Null,
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "-",
        ),
        (
            "/cruxes/0/consequence/changed",
            json!(2),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 2 of 2 theses, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/among",
            json!("disputed_claims"),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 disputed claims, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/theses",
            json!(3),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 3 theses, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/order",
            Value::Null,
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 theses, no order, searched to 2",
        ),
        (
            "/cruxes/0/consequence/searched",
            json!(1),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 theses, order 1, searched to 1",
        ),
        ("/cruxes/0/dependents/0", json!("a7"), "crux_dependents", "crux d1", "a1, a2", "a7, a2"),
        (
            "/cruxes/0/assumptions",
            json!([]),
            "crux_assumptions",
            "crux d1",
            "\"Fuel is dear.\", \"Fuel is cheap.\"",
            "-",
        ),
        (
            "/cruxes/0/assumptions/1",
            json!("x"),
            "crux_assumptions",
            "crux d1",
            "\"Fuel is dear.\", \"Fuel is cheap.\"",
            "\"Fuel is dear.\", \"x\"",
        ),
    ]
}

fn fields_of_positions() -> Vec<FieldChange> {
    vec![
        ("/cruxes/0/attack_degree", json!(4), "crux_attack_degree", "crux d1", "3", "4"),
        ("/cruxes/0/positions/0/side", json!("yes"), "crux_side", "crux d1, participant ada", "rests_on", "yes"),
        ("/cruxes/0/positions/0/turn", json!("t8"), "crux_position_turn", "crux d1, participant ada", "t1", "t8"),
        (
            "/cruxes/0/positions/0/turn_basis",
            json!("matched_words"),
            "crux_position_turn",
            "crux d1, participant ada",
            "t1",
            "t1 by matching words",
        ),
        (
            "/cruxes/0/positions/0/basis",
            json!("assumed"),
            "crux_position_basis",
            "crux d1, participant ada",
            "said",
            "assumed",
        ),
        (
            "/cruxes/0/positions/0/argument",
            Value::Null,
            "crux_position_argument",
            "crux d1, participant ada",
            "a1",
            "-",
        ),
        (
            "/cruxes/0/positions/0/words",
            json!("x"),
            "crux_position_words",
            "crux d1, participant ada",
            "Words of ada.",
            "x",
        ),
        ("/cruxes/0/positions/0/name", json!("A"), "crux_position_name", "crux d1, participant ada", "ADA", "A"),
        ("/cruxes/0/positions/0/quote", json!("x"), "crux_position_quote", "crux d1, participant ada", "So.", "x"),
        ("/cruxes/0/turns/1", json!("t8"), "crux_turns", "crux d1", "t1, t2", "t1, t8"),
        ("/cruxes/0/opened", json!("t2"), "crux_opening_turn", "crux d1", "t1", "t2"),
    ]
}

fn fields_of_cards() -> Vec<FieldChange> {
    let premise = "premise: It is a premise of a1.";
    let diagnosis = "Ada rests a1 on it. (card of m1)";
    let criteria = "\"A cold winter.\", \"A mild winter.\"; none";
    let (mind, of_ada) = ("crux_mind_change", "crux d1, participant ada");
    vec![
        (
            "/cruxes/0/card/kind",
            Value::Null,
            "crux_disagreement",
            "crux d1",
            premise,
            "unknown: It is a premise of a1.",
        ),
        ("/cruxes/0/card/kind_reason", json!("x"), "crux_disagreement", "crux d1", premise, "premise: x"),
        ("/cruxes/0/card/diagnosis", json!("x"), "crux_diagnosis", "crux d1", diagnosis, "x (card of m1)"),
        ("/cruxes/0/card/diagnosed_in", Value::Null, "crux_diagnosis", "crux d1", diagnosis, "Ada rests a1 on it."),
        ("/cruxes/0/card/horizon", Value::Null, "crux_horizon", "crux d1", "a year", "-"),
        (
            "/cruxes/0/card/criteria/0",
            json!("x"),
            "crux_criteria",
            "crux d1",
            criteria,
            "\"x\", \"A mild winter.\"; none",
        ),
        (
            "/cruxes/0/card/criteria_missing",
            Value::Null,
            "crux_criteria",
            "crux d1",
            criteria,
            "\"A cold winter.\", \"A mild winter.\"",
        ),
        ("/cruxes/0/card/resolution", Value::Null, "crux_resolution", "crux d1", "Settled in t2.; none", "none"),
        (
            "/cruxes/0/card/resolution_missing",
            Value::Null,
            "crux_resolution",
            "crux d1",
            "Settled in t2.; none",
            "Settled in t2.",
        ),
        ("/cruxes/0/card/mind_changes/0/quote", json!("x"), mind, of_ada, "t2: If it froze.", "t2: x"),
        ("/cruxes/0/card/mind_changes/0/turn", json!("t8"), mind, of_ada, "t2: If it froze.", "t8: If it froze."),
        (
            "/cruxes/0/card/mind_changes/0/on_crux",
            json!(false),
            mind,
            of_ada,
            "t2: If it froze.",
            "t2, on the topic: If it froze.",
        ),
        (
            "/cruxes/0/card/mind_changes/0",
            json!({ "persona": "ada", "source": "unknown", "reason": "Never." }),
            mind,
            of_ada,
            "t2: If it froze.",
            "unknown: Never.",
        ),
    ]
}

fn fields_of_grants() -> Vec<FieldChange> {
    let key = CruxKey::of_statement("Crews are scarce.").to_string();
    let item: &'static str = format!("granted statement {key}").leak();
    let of_ben: &'static str = format!("granted statement {key}, participant ben").leak();
    let kind = "granted_statement";
    let from = "\"Crews are scarce.\" by ada in t1 (\"Crews are scarce.\"), from premise 2 of a1";
    let turn = json!({ "kind": "turn", "turn": "t1" });
    vec![
        (
            "/granted/0/statement",
            json!("crews are SCARCE"),
            kind,
            item,
            from,
            "\"crews are SCARCE\" by ada in t1 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/source",
            turn,
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t1 (\"Crews are scarce.\"), from a statement of t1",
        ),
        (
            "/granted/0/author/persona",
            json!("dan"),
            kind,
            item,
            from,
            "\"Crews are scarce.\" by dan in t1 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/author/turn",
            json!("t8"),
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t8 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/author/quote",
            Value::Null,
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t1 (not spoken), from premise 2 of a1",
        ),
        ("/granted/0/granters/0/turn", json!("t8"), "granted_turn", of_ben, "t4", "t8"),
        ("/granted/0/granters/0/quote", json!("x"), "granted_words", of_ben, "I grant it.", "x"),
    ]
}

fn fields_of_lists() -> Vec<FieldChange> {
    vec![
        ("/common_ground/0/question", json!("x?"), "common_ground_question", "dispute d4", "Question 4?", "x?"),
        ("/common_ground/0/side", json!("no"), "common_ground_side", "dispute d4", "yes", "no"),
        (
            "/common_ground/0/holders/0/turn",
            json!("t8"),
            "common_ground_turn",
            "dispute d4, participant ada",
            "t3",
            "t8",
        ),
        (
            "/common_ground/0/holders/0/quote",
            json!("x"),
            "common_ground_words",
            "dispute d4, participant ada",
            "Yes.",
            "x",
        ),
        (
            "/common_ground/0/holders/0/confidence",
            json!(0.5),
            "common_ground_confidence",
            "dispute d4, participant ada",
            "0.8",
            "0.5",
        ),
        ("/camps/1/arguments/0", json!("a8"), "camp_arguments", "camp 2", "a2, a4", "a8, a4"),
        ("/camps/1/personas/0", json!("eve"), "camp_members", "camp 2", "ben, dan", "eve, dan"),
        ("/camps/1/tied/0", json!("eve"), "camp_ties", "camp 2", "cleo, dan", "eve, dan"),
        ("/camps_exact", json!(false), "camps_exactness", "verdict", "true", "false"),
        ("/labels/a1", json!("UNDEC"), "label", "argument a1", "in", "undecided"),
        ("/n_extensions", json!("3"), "extension_count", "verdict", "2", "3"),
        ("/last_word/standing", json!(3), "unanswered", "verdict", "1 of 2", "1 of 3"),
        ("/last_word/unanswered", json!(2), "unanswered", "verdict", "1 of 2", "2 of 2"),
        ("/limit", Value::Null, "limit", "verdict", "turns", "-"),
    ]
}
