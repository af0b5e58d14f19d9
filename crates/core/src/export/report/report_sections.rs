//! Sections of the HTML report, in their order.

use crate::events::ids::{ArgumentId, TurnId};
use crate::export::marks::{SPEAKER_COLOURS, SpeakerColour, mark};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{ARGUMENT_STATUSES, ArgumentReport, DebateReport, TranscriptEntry};
use crate::export::report::model::statement::Statement;
use crate::export::report::report_words::RoomKinds;
use crate::export::text::capital;

/// Renders topic and participants.
pub fn head(page: &mut Markup, account: &DebateReport) {
    page.raw("<p class=kind>Report of a debate</p>\n<h1 dir=auto>")
        .text(&account.topic)
        .raw("</h1>\n<ul class=cast>\n");
    for (place, speaker) in account.speakers.iter().enumerate() {
        page.raw("<li class=").raw(colour(Some(place))).raw("><b class=who>");
        who(page, account, Some(place));
        page.raw("</b> <span>");
        page.text(&speaker.about).raw("</span></li>\n");
    }
    page.raw("</ul>\n");
}

/// Renders the regime with its reason and the warnings.
pub fn verdict(page: &mut Markup, account: &DebateReport) {
    page.raw("<section class=\"verdict ")
        .raw(account.regime)
        .raw("\">\n<strong>")
        .text(&capital(account.regime))
        .raw("</strong>\n<p>");
    page.text(&capital(&account.because)).raw(".</p>\n");
    if !account.warnings.is_empty() {
        page.raw("<ul>\n");
        for warning in &account.warnings {
            page.raw("<li>").text(warning).raw("</li>\n");
        }
        page.raw("</ul>\n");
    }
    page.raw("</section>\n");
}

/// Pictures that a page has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureSections {
    /// True if it has the map of the debate.
    pub map: bool,
    /// True if it has the agreement of the participants.
    pub agreement: bool,
    /// True if it has charts of the course.
    pub course: bool,
}

/// Renders the table of contents.
pub fn contents(page: &mut Markup, account: &DebateReport, pictures: PictureSections) {
    page.raw("<nav aria-label=Contents>");
    let mut door = |there: bool, markup: &'static str| {
        if there {
            page.raw(markup);
        }
    };
    door(account.has_topic(), "<a href=#topic>Topic</a>");
    door(account.has_cruxes(), "<a href=#cruxes>Cruxes</a>");
    door(pictures.map, "<a href=#picture>Map</a>");
    let camps = if account.is_only_set { "<a href=#camps>Accepted together</a>" } else { "<a href=#camps>Camps</a>" };
    door(!account.camps.is_empty(), camps);
    door(!account.common.is_empty() || !account.granted.is_empty(), "<a href=#common>Common ground</a>");
    door(!account.questions.is_empty(), "<a href=#questions>Questions</a>");
    door(pictures.agreement, "<a href=#agreement>Agreement</a>");
    door(!account.reasons.is_empty(), "<a href=#reasons>Reasons</a>");
    let rooms = match account.room_kinds {
        RoomKinds::Rooms => "<a href=#rooms>Rooms</a>",
        RoomKinds::Threads => "<a href=#rooms>Threads</a>",
        RoomKinds::Both => "<a href=#rooms>Rooms and threads</a>",
    };
    door(account.has_rooms(), rooms);
    door(!account.agendas.is_empty(), "<a href=#agenda>Agenda</a>");
    door(!account.tables.is_empty(), "<a href=#tables>Tables</a>");
    door(account.motion.is_some(), "<a href=#motion>The motion</a>");
    door(!account.concessions.is_empty(), "<a href=#concessions>Concessions</a>");
    door(!account.checks.is_empty(), "<a href=#checks>Checks</a>");
    door(!account.searches.is_empty(), "<a href=#searches>Searches</a>");
    door(!account.proposals.is_empty(), "<a href=#proposals>Proposals</a>");
    door(!account.arguments.is_empty(), "<a href=#arguments>Arguments</a>");
    door(!account.sections.is_empty(), "<a href=#transcript>Transcript</a>");
    door(pictures.course, "<a href=#course>Course</a>");
    door(true, "<a href=#measures>Measures</a>");
    door(true, "<a href=#facts>Facts</a>");
    page.raw("</nav>\n");
}

/// Renders the positions on the topic.
pub fn on_topic(page: &mut Markup, account: &DebateReport) {
    if !account.has_topic() {
        return;
    }
    page.raw("<h2 id=topic>").text(&account.topic_title()).raw("</h2>\n");
    listed(page, account, &account.on_topic);
    for (place, remark) in &account.silent_on_topic {
        page.raw("<p>").text(account.name(Some(*place))).raw(" ").raw(remark).raw("</p>\n");
    }
    for remark in &account.topic_remarks {
        page.raw("<p dir=auto>").text(remark).raw("</p>\n");
    }
}

/// Renders the common ground.
pub fn common(page: &mut Markup, account: &DebateReport) {
    if account.common.is_empty() && account.granted.is_empty() {
        return;
    }
    page.raw("<h2 id=common>Common ground</h2>\n");
    page.raw(
        "<p class=lead>Answers that several participants gave, each in a turn of their own, and statements of one that another granted. Nobody denied them.</p>\n",
    );
    for held in &account.common {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&held.question).raw("</h4>\n<div class=meta>");
        side(page, held.side);
        page.raw("</div>\n");
        listed(page, account, &held.holders);
        page.raw("</section>\n");
    }
    for granted in &account.granted {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&granted.statement).raw("</h4>\n<div class=meta>");
        side(page, "granted");
        page.raw("</div>\n");
        listed(page, account, &granted.holders);
        page.raw("</section>\n");
    }
}

/// Renders the disputed questions with the participants' stances.
pub fn questions(page: &mut Markup, account: &DebateReport) {
    if account.questions.is_empty() {
        return;
    }
    page.raw("<h2 id=questions>Questions</h2>\n<p class=lead>Disputed questions with the current stance of each participant.</p>\n");
    for question in &account.questions {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&question.question).raw("</h4>\n<div class=meta><b>");
        page.text(&question.id.to_string()).raw("</b> ");
        side(page, question.status);
        page.raw("</div>\n<ul class=evidence>\n");
        for said in &question.stances {
            stance(page, account, said);
        }
        page.raw("</ul>\n");
        for remark in &question.remarks {
            page.raw("<p dir=auto>").text(remark).raw("</p>\n");
        }
        page.raw("</section>\n");
    }
}

/// Renders the concessions, in order.
pub fn concessions(page: &mut Markup, account: &DebateReport) {
    if account.concessions.is_empty() {
        return;
    }
    page.raw("<h2 id=concessions>Concessions</h2>\n<p class=lead>Concessions in order, with their effects.</p>\n<ol class=trail>\n");
    for said in &account.concessions {
        page.raw("<li class=").raw(colour(said.speaker)).raw("><span class=who>");
        who(page, account, said.speaker);
        page.raw("</span> ").text(&said.what).raw(" <span class=at>");
        turn_link(page, said.turn);
        page.raw("</span>").paragraphs(&said.text).raw("</li>\n");
    }
    page.raw("</ol>\n");
}

/// Renders every argument with its grounds and its attackers.
pub fn arguments(page: &mut Markup, account: &DebateReport) {
    if account.arguments.is_empty() {
        return;
    }
    page.raw("<h2 id=arguments>Arguments</h2>\n");
    page.raw("<p class=lead>").raw(ARGUMENT_STATUSES).raw("</p>\n");
    account.arguments.iter().for_each(|report| argument(page, account, report));
}

fn argument(page: &mut Markup, account: &DebateReport, argument: &ArgumentReport) {
    page.raw("<section class=\"argument ").raw(colour(argument.speaker)).raw("\" id=");
    page.text(&argument.id.to_string()).raw(">\n<div class=meta><b class=who>").text(&argument.id.to_string()).raw(" ");
    who(page, account, argument.speaker);
    page.raw("</b>");
    side(page, argument.standing);
    page.raw("<span class=at>");
    match argument.turn {
        Some(turn) => turn_link_as(page, turn, &argument.turn_text),
        None => {
            page.text(&argument.turn_text);
        }
    }
    page.raw("</span></div>\n<p dir=auto>").text(&argument.claim).raw("</p>\n");
    let lists = [
        ("<dt>premise</dt>", &argument.premises),
        ("<dt>assumption</dt>", &argument.assumptions),
        ("<dt>evidence</dt>", &argument.evidence),
    ];
    page.raw("<dl>");
    for (word, texts) in lists {
        for (at, text) in texts.iter().enumerate() {
            page.raw(if at == 0 { word } else { "<dt></dt>" }).raw("<dd dir=auto>").text(text).raw("</dd>");
        }
    }
    for former in &argument.former {
        page.raw("<dt>narrowed</dt><dd dir=auto>in ");
        turn_link(page, former.narrowed_in);
        page.raw(" from: ").text(&former.claim);
        if let Some(turn) = former.turn {
            page.raw(" (");
            turn_link(page, turn);
            page.raw(")");
        }
        page.raw("</dd>");
    }
    if !argument.attacked_by.is_empty() {
        page.raw("<dt>attacked by</dt><dd>");
        arguments_listed(page, &argument.attacked_by);
        page.raw("</dd>");
    }
    page.raw("</dl>\n</section>\n");
}

/// Renders the transcript.
pub fn transcript(page: &mut Markup, account: &DebateReport) {
    if account.sections.is_empty() {
        return;
    }
    page.raw("<h2 id=transcript>Transcript</h2>\n");
    for stretch in &account.sections {
        page.raw("<h3>").text(&stretch.title).raw("</h3>\n");
        for entry in &stretch.entries {
            let said = match entry {
                TranscriptEntry::Turn(said) => said,
                TranscriptEntry::Missed(sentence) => {
                    page.raw("<p class=lead dir=auto>").text(sentence).raw(".</p>\n");
                    continue;
                }
                TranscriptEntry::Announced(text) => {
                    page.raw("<p class=lead dir=auto>Moderator: ").text(text).raw("</p>\n");
                    continue;
                }
            };
            page.raw("<article class=\"turn ").raw(colour(said.speaker)).raw("\" id=").text(&said.turn.to_string());
            page.raw(">\n<header><b class=who>");
            who(page, account, said.speaker);
            page.raw("</b>");
            if !said.what.is_empty() {
                page.raw("<span class=tag>").text(&said.what).raw("</span>");
            }
            page.raw("<span class=at>");
            turn_link(page, said.turn);
            page.raw("</span></header>\n");
            for (part, text) in account.preparations.get(&said.turn).into_iter().flatten() {
                page.raw("<p class=at dir=auto>").raw(part).raw(": ").text(text).raw("</p>");
            }
            page.paragraphs(&said.text);
            for (id, claim) in account.claims_of(said.turn) {
                page.raw("<p class=at dir=auto>").text(&format!("{id}: {claim}")).raw("</p>");
            }
            for attack in account.attacks_of(said.turn) {
                page.raw("<p class=at>").text(attack).raw("</p>");
            }
            page.raw("\n</article>\n");
        }
    }
}

/// Renders the facts about the debate: time, engine, length and cost.
pub fn facts(page: &mut Markup, account: &DebateReport) {
    page.raw("<h2 id=facts>Facts</h2>\n<dl class=facts>\n");
    for (word, fact) in &account.facts {
        page.raw("<dt>").raw(word).raw("</dt><dd>").text(fact).raw("</dd>\n");
    }
    page.raw("</dl>\n");
}

/// Renders statements with their turns as a list.
pub fn listed(page: &mut Markup, account: &DebateReport, all: &[Statement]) {
    if !all.is_empty() {
        page.raw("<ul class=evidence>\n");
        all.iter().for_each(|statement| evidence(page, account, statement));
        page.raw("</ul>\n");
    }
}

/// Renders a participant's stance with its turn.
fn stance(page: &mut Markup, account: &DebateReport, said: &Statement) {
    position(page, account, said);
    page.raw("</li>\n");
}

/// Renders a participant's side with its turn, as a list item that is left open.
pub fn position(page: &mut Markup, account: &DebateReport, said: &Statement) {
    page.raw("<li class=").raw(colour(said.speaker)).raw("><b class=who>");
    who(page, account, said.speaker);
    page.raw("</b> ");
    side(page, &said.what);
    page.raw(" <span class=at>");
    turn_link(page, said.turn);
    page.raw("</span>");
}

/// Renders a statement with its turn and its words as a list item.
fn evidence(page: &mut Markup, account: &DebateReport, said: &Statement) {
    position(page, account, said);
    if !said.text.is_empty() {
        page.raw("<blockquote dir=auto>“").text(&said.text).raw("”</blockquote>");
    }
    page.raw("</li>\n");
}

/// Renders a word in the colour of its meaning.
pub fn side(page: &mut Markup, word: &str) {
    let (plain, _) = word.split_once(" (").unwrap_or((word, ""));
    page.raw(match plain {
        "yes" | "rests on it" => "<span class=\"tag yes\">",
        "no" | "attacks it" | "conflicts with it" => "<span class=\"tag no\">",
        "accepted" | "settled" | "granted" => "<span class=\"tag stands\">",
        "rejected" => "<span class=\"tag falls\">",
        "open" | "undecided" => "<span class=\"tag open\">",
        _ => "<span class=tag>",
    });
    page.text(word).raw("</span>");
}

/// Renders a link to a turn.
pub fn turn_link(page: &mut Markup, turn: TurnId) {
    turn_link_as(page, turn, &turn.to_string());
}

/// Writes a link to a turn with this text.
fn turn_link_as(page: &mut Markup, turn: TurnId, text: &str) {
    page.raw("<a href=\"#").text(&turn.to_string()).raw("\">").text(text).raw("</a>");
}

/// Renders a link to an argument.
pub fn argument_link(page: &mut Markup, id: ArgumentId) {
    let id = id.to_string();
    page.raw("<a href=\"#").text(&id).raw("\">").text(&id).raw("</a>");
}

/// Renders links to arguments.
pub fn arguments_listed(page: &mut Markup, ids: &[ArgumentId]) {
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            page.raw(" ");
        }
        argument_link(page, *id);
    }
}

/// Renders the mark and the name of a speaker, or "Moderator" for `None`.
pub fn who(page: &mut Markup, account: &DebateReport, speaker: Option<usize>) {
    if let Some(place) = speaker {
        page.raw("<span class=mark aria-hidden=true>").raw(mark(place).glyph).raw("</span> ");
    }
    page.text(account.name(speaker));
}

/// Renders the style sheet of the speakers' colours: for light and dark screens, and for print.
pub fn colours(page: &mut Markup) {
    let each = |variant: fn(SpeakerColour) -> String| SPEAKER_COLOURS.map(variant).join("");
    let light = each(|colour| format!("--{}:{};", colour.class, colour.on_light));
    let dark = each(|colour| format!("--{}:{};", colour.class, colour.on_dark));
    let classes = each(|colour| format!(".{class}{{--c:var(--{class})}}", class = colour.class));
    page.text(&format!(
        ":root{{{light}}} @media (prefers-color-scheme:dark){{:root{{{dark}}}}} @media print{{:root{{{light}}}}} {classes}"
    ));
}

/// Style class of a speaker's colour.
pub fn colour(speaker: Option<usize>) -> &'static str {
    speaker.map_or("nobody", |place| mark(place).colour.class)
}
