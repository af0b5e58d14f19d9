//! Exports: every format of a small debate literally, and hostile texts by the rules of the format.

use faultline_argumentation::formats::file_limits::FileLimits;
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::read::read;
use faultline_core::events::argument::AttackKind;
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackRaised};
use faultline_core::events::ids::{ArgumentId, AttackId, TurnId};
use faultline_core::export::drawing::layout::{Layout, layout};
use faultline_core::export::registry::{EXPORTERS, find};
use faultline_core::projections::argument_graph::{Argument, Attack};
use faultline_core::projections::summary::Participant;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::Value;

use crate::support::personas::persona_id;
use crate::support::random::Random;

/// Texts that try to act as markup.
pub const HOSTILE: &[&str] = &[
    "He said \"no\" & <script>alert('1')</script> ]]> --> end",
    "line\nbreak\r\n\ttab \u{202e}turned\u{202c} \u{0}\u{1b}[31mred \u{200b}unseen\u{feff}",
    "#35;quot; {a} [[b]] (c) |d| ;:`~*_ %% <br/> \\ \\\" @[x](y) // c /* d */ ---- + <a1> ->",
    "漢字かな混じりの主張は、幅の計算を試すためのものであり、改行できなければならない。",
    "العربية من اليمين إلى اليسار with English",
    "</svg><svg onload=\"x()\"> \"]; a1 -> a2 [label=\"x\"]; \"] --> b ]] }} ) \n\n# heading\n[x]: y\n  + <z>",
    "",
];

fn read_model(claims: &[(&str, &str)], attacks: &[(u32, u32, AttackKind, bool)]) -> DebateReadModel {
    let mut read_model = DebateReadModel::default();
    read_model.summary.topic = "Should the ferry run at night?".to_owned();
    for (id, name) in [("ada-quill", "Ada Quill"), ("bo-reed", "Bo \"The Reed\" <b>")] {
        let persona = persona_id(id);
        let participant = Participant {
            persona,
            name: name.to_owned(),
            about: String::new(),
            version: 1,
            edition: Default::default(),
            model: None,
            left: false,
        };
        read_model.summary.participants.push(participant);
    }
    for (number, (speaker, claim)) in (1..).zip(claims) {
        let argument = ArgumentId(number);
        let advanced = ArgumentAdvanced {
            argument,
            speaker: persona_id(speaker),
            turn: TurnId(number),
            claim: (*claim).to_owned(),
            premises: if number == 2 { vec!["Ice forms at night.".to_owned()] } else { Vec::new() },
            assumptions: Vec::new(),
            evidence: Vec::new(),
            carries: None,
            answers_topic: number == 1,
            distilled: false,
            paraphrased: false,
        };
        let argument = Argument {
            advanced,
            version: 1,
            revisions: Vec::new(),
            withdrawn: None,
            contested_withdrawal: None,
            turn_basis: Default::default(),
            reading: None,
            is_contested: false,
        };
        read_model.arguments.arguments.insert(argument.advanced.argument, argument);
    }
    for (number, (source, target, kind, valid)) in (1..).zip(attacks) {
        let attack = AttackId(number);
        let component = if *kind == Rebut { ArgumentPart::Claim } else { ArgumentPart::Premise(0) };
        let raised = AttackRaised {
            attack,
            speaker: persona_id("ada-quill"),
            turn: TurnId(1),
            source: ArgumentId(*source),
            target: ArgumentId(*target),
            component,
            kind: *kind,
            rationale: HOSTILE[number as usize % HOSTILE.len()].to_owned(),
            quote: None,
            confidence: 1.0,
        };
        let reason = String::new();
        let judged = AttackJudged { attack, valid: *valid, strength: 1.0, reason, kind: None, component: None };
        read_model.arguments.attacks.insert(
            attack,
            Attack {
                raised,
                judged: Some(judged),
                judged_version: Some(1),
                version: 1,
                withdrawn: None,
                is_between_equals: false,
            },
        );
    }
    read_model
}

pub fn small() -> DebateReadModel {
    let claims = [
        ("ada-quill", "It should: people work at night."),
        ("bo-reed", "It should not."),
        ("ada-quill", "Ice is rare."),
        ("bo-reed", "Nobody asked."),
    ];
    read_model(&claims, &[(2, 1, Rebut, true), (3, 2, Undermine, true), (4, 2, Undercut, false)])
}

pub fn exported(read_model: &DebateReadModel, format: &str) -> String {
    (find(format).expect("a format").write)(read_model, &[])
}

#[test]
fn a_small_debate_is_written_in_each_format() {
    let check = |format: &str, expected: &str| assert_eq!(exported(&small(), format), expected, "{format}");
    check("apx", "arg(a1).\narg(a2).\narg(a3).\narg(a4).\natt(a1,a2).\natt(a2,a1).\natt(a3,a2).\n");
    check("tgf", "a1\na2\na3\na4\n#\na1 a2\na2 a1\na3 a2\n");
    check("af", "p af 4\n# 1 a1\n# 2 a2\n# 3 a3\n# 4 a4\n1 2\n2 1\n3 2\n");
    let mermaid = exported(&small(), "mermaid");
    for line in [
        "  a1[[\"a1 ✓ IN · ▲ Ada Quill · thesis<br/>It should#58; people work at night.\"]]:::in\n",
        "  a2(\"a2 ✗ OUT · ● Bo #34;The Reed#34; #60;b#62;<br/>It should not.\"):::out\n",
        "  a2 <-- rebut --> a1\n",
        "  a3 -. undermine .-> a2\n",
        "  %% 4 arguments, 2 attacks; omitted as inactive: 0 arguments and 1 attack\n",
    ] {
        assert!(mermaid.contains(line), "{line}{mermaid}");
    }
    let argdown = exported(&small(), "argdown");
    assert!(
        argdown.contains("<a1>: It should\\: people work at night. #(IN) #(ada-quill) #thesis\n  - <a2> // k1: "),
        "{argdown}"
    );
    assert!(argdown.contains("<a2>\n\n(1) Ice forms at night.\n----\n(2) It should not.\n"), "{argdown}");
    let dot = exported(&small(), "dot");
    assert!(dot.contains("  a2 -> a1 [style=solid, label=\"rebut\", tooltip="), "{dot}");
    assert!(dot.contains(", dir=both];\n") && dot.contains(", peripheries=2];\n"), "{dot}");
}

#[test]
fn an_exported_framework_reads_back_as_that_of_the_debate() {
    let framed = small().arguments.framework();
    for format in Format::ALL {
        let text = exported(&small(), format.name());
        let back = read(text.as_bytes(), format, &FileLimits::default()).expect("what was written");
        assert_eq!(back.framework, framed.framework);
        assert_eq!(Format::of_content(text.as_bytes()), Some(format));
    }
}

#[test]
fn an_interchange_map_shows_the_attacked_node() {
    let whole: Value = serde_json::from_str(&exported(&small(), "aif")).expect("JSON");
    let list = |key: &str| whole[key].as_array().cloned().unwrap_or_default();
    let kinds = |kind: &str| list("nodes").iter().filter(|node| node["type"] == kind).count();
    assert_eq!(["I", "RA", "CA", "L", "YA"].map(kinds), [5, 1, 3, 4, 5]);
    let kind = |id: &Value| list("nodes").iter().find(|node| node["nodeID"] == *id).map(|node| node["type"].clone());
    for joint in list("edges") {
        let ends = (kind(&joint["fromID"]), kind(&joint["toID"]));
        assert!(ends != (Some("I".into()), Some("I".into())) && ends.0.is_some() && ends.1.is_some(), "{joint}");
    }
    let debate = [("ada-quill", "One."), ("bo-reed", "Two.")];
    let undercut: Value =
        serde_json::from_str(&exported(&read_model(&debate, &[(1, 2, Undercut, true)]), "aif")).expect("JSON");
    let id = |kind: &str| {
        undercut["nodes"].as_array().unwrap().iter().find(|node| node["type"] == kind).unwrap()["nodeID"].clone()
    };
    let hits = |edge: &&Value| edge["fromID"] == id("CA");
    let hit = undercut["edges"].as_array().unwrap().iter().find(hits).unwrap()["toID"].clone();
    assert_eq!(hit, id("RA"), "an undercut attacks the inference");
}

#[test]
fn hostile_texts_are_never_markup() {
    let claims: Vec<(&str, &str)> = HOSTILE.iter().map(|text| ("bo-reed", *text)).collect();
    let attacks: Vec<_> = (1..=7).flat_map(|a| [(a, a % 7 + 1, Undermine, true), (a, 1, Rebut, true)]).collect();
    let mut hostile = read_model(&claims, &attacks);
    for topic in HOSTILE {
        hostile.summary.topic = (*topic).to_owned();
        check_escapes(&hostile);
    }
}

/// Checks that no text of a debate acts as markup in an export.
pub fn check_escapes(hostile: &DebateReadModel) {
    // JSON carries every text unchanged, for programs.
    for exporter in EXPORTERS.iter().filter(|exporter| !exporter.name.starts_with("json")) {
        let text = (exporter.write)(hostile, &[]);
        let unwelcome =
            |letter: char| letter != '\n' && letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter);
        assert!(!text.contains(unwelcome), "{}: {text:?}", exporter.name);
    }
    check_picture(hostile);
    let dot = exported(hostile, "dot");
    for line in dot.lines().skip(1) {
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
    }
    let mermaid = exported(hostile, "mermaid");
    let tags = |line: &str| line.matches('<').count() - line.matches("<br/>").count() - line.matches(" <--").count();
    for line in mermaid.lines().skip(3).filter(|line| line.contains('"')) {
        assert_eq!((line.matches('"').count(), tags(line)), (2, 0), "{line}");
    }
}

/// Checks that a picture is well-formed, describes itself, and contains nothing that runs or is loaded.
pub fn check_picture(read_model: &DebateReadModel) {
    let svg = exported(read_model, "svg");
    let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
    for name in ["title", "desc"] {
        let actual = root.children().find(|child| child.has_tag_name(("http://www.w3.org/2000/svg", name)));
        assert!(actual.and_then(|child| child.text()).is_some_and(|text| !text.is_empty()), "no {name}");
    }
    for element in document.descendants().filter(|node| node.is_element()) {
        let name = element.tag_name().name();
        assert!(
            ["svg", "title", "desc", "defs", "marker", "style", "g", "rect", "path", "text"].contains(&name),
            "{name}"
        );
        for attribute in element.attributes() {
            let is_plain = !attribute.name().starts_with("on") && !attribute.name().ends_with("href");
            assert!(
                is_plain && !attribute.value().contains("NaN") && !attribute.value().contains("inf"),
                "{attribute:?}"
            );
        }
    }
    for (id, argument) in read_model.arguments.live() {
        let drawn = document.descendants().find(|node| node.attribute("id") == Some(id.to_string().as_str()));
        let title =
            drawn.and_then(|element| element.first_element_child()).and_then(|title| title.text()).unwrap_or_default();
        let said = title.contains(argument.advanced.claim.split(['\n', '\u{202e}']).next().unwrap_or_default().trim());
        assert!(title.starts_with(&id.to_string()) && said, "{id}: {title}");
    }
}

#[test]
fn a_picture_distinguishes_labels_speakers_and_kinds_without_colour() {
    check_picture(&small());
    check_picture(&DebateReadModel::default());
    let svg = exported(&small(), "svg");
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let boxed = |id: &str| document.descendants().find(|node| node.attribute("id") == Some(id)).expect("a box");
    let border = |id: &str| {
        boxed(id)
            .children()
            .find(|child| child.has_attribute("rx"))
            .and_then(|child| child.attribute("stroke-dasharray"))
    };
    assert_ne!(border("a1"), border("a2"), "labels have borders of their own");
    let mark = |id: &str| {
        boxed(id).children().find(|child| child.attribute("d").is_some()).and_then(|child| child.attribute("d"))
    };
    assert_eq!(mark("a1"), mark("a3"));
    assert_ne!(mark("a1"), mark("a2"), "speakers have shapes of their own");
    let texts = |id: &str| boxed(id).descendants().filter_map(|node| node.text()).any(|text| text == "OUT");
    assert!(texts("a2") && !texts("a1"));
    let heads = |class: &str, both: bool| {
        let lines = document.descendants().filter(|node| node.attribute("class") == Some(class));
        lines.filter(|line| line.has_attribute("marker-start") == both).count()
    };
    // The legend contains one of each.
    assert_eq!((heads("rebut", true), heads("rebut", false), heads("undermine", false)), (2, 1, 2));
}

#[test]
fn lines_go_around_boxes() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..30 {
        let boxes = 1 + random.below(40);
        let sizes: Vec<(f64, f64)> = (0..boxes).map(|_| (200.0, 40.0 + 17.0 * random.below(6) as f64)).collect();
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for _ in 0..random.below(2 * boxes) {
            let (a, b) = (random.below(boxes), random.below(boxes));
            if a != b && !lines.contains(&(a, b)) && !lines.contains(&(b, a)) {
                lines.push((a, b));
            }
        }
        let drawing = layout(&sizes, &lines);
        assert_eq!(drawing, layout(&sizes, &lines), "the same input, the same drawing");
        check_drawing(&drawing, &sizes, &lines);
    }
}

fn check_drawing(drawing: &Layout, sizes: &[(f64, f64)], lines: &[(usize, usize)]) {
    let inside = |place: usize, (x, y): (f64, f64), slack: f64| {
        let ((left, top), (width, height)) = (drawing.corners[place], sizes[place]);
        x > left - slack && x < left + width + slack && y > top - slack && y < top + height + slack
    };
    for (place, (left, top)) in drawing.corners.iter().enumerate() {
        assert!(*left > -0.1 && *top > -0.1 && left + sizes[place].0 < drawing.width + 0.1);
        assert!(top + sizes[place].1 < drawing.height + 0.1);
        for other in 0..place {
            let (x, y) = drawing.corners[other];
            let apart = (left - x).abs() >= 200.0 || (top > &(y + sizes[other].1)) || y > top + sizes[place].1;
            assert!(apart, "boxes {other} and {place} overlap");
        }
    }
    for (way, (first, last)) in drawing.paths.iter().zip(lines) {
        assert!(
            inside(*first, way[0], 0.1) && inside(*last, way[way.len() - 1], 0.1),
            "a line runs from border to border"
        );
        for pair in way.windows(2) {
            let length = (pair[0].0 - pair[1].0).abs() + (pair[0].1 - pair[1].1).abs();
            assert!(length > 0.09, "a piece without length has no direction");
            for step in 1..20 {
                // A curve that starts and ends vertically.
                let t = f64::from(step) / 20.0;
                let s = t * t * (3.0 - 2.0 * t);
                let (from, to) = (pair[0], pair[1]);
                let half = (from.1 + to.1) / 2.0;
                let y = (1.0 - t).powi(3) * from.1 + 3.0 * t * (1.0 - t) * half + t.powi(3) * to.1;
                let point = (from.0 + (to.0 - from.0) * s, y);
                assert!(
                    !(0..sizes.len()).any(|index| inside(index, point, -0.5)),
                    "a line runs through a box at {point:?}"
                );
            }
        }
    }
}
