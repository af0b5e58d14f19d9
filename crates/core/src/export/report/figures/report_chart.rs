//! Chart of a report with its caption.

use crate::export::report::markup::Markup;

/// Chart with the sentences that state what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportChart {
    /// Title of the chart.
    pub title: &'static str,
    /// The drawing, as SVG that this program wrote.
    pub svg: String,
    /// What the chart shows, with its numbers, in words.
    pub caption: String,
}

/// Renders the charts of a debate's course as HTML; nothing without charts.
pub fn charts_section(page: &mut Markup, charts: &[ReportChart]) {
    if charts.is_empty() {
        return;
    }
    page.raw("<h2 id=course>Course of the debate</h2>\n");
    for chart in charts {
        page.raw("<h3>").raw(chart.title).raw("</h3>\n<figure class=chart>").picture(&chart.svg);
        page.raw("<figcaption>").text(&chart.caption).raw("</figcaption></figure>\n");
    }
}

/// Number with its noun: `1 turn`, `3 turns`.
pub fn counted(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "open crux") => format!("{number} open cruxes"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_caption_and_a_page_without_charts_no_section() {
        let mut page = Markup::default();
        charts_section(&mut page, &[]);
        let chart = ReportChart { title: "Counts", svg: "<svg></svg>".to_owned(), caption: "3 turns & <b>".to_owned() };
        charts_section(&mut page, &[chart]);
        let expected = "<h2 id=course>Course of the debate</h2>\n<h3>Counts</h3>\n<figure class=chart><svg></svg>\
                        <figcaption>3 turns &amp; &lt;b&gt;</figcaption></figure>\n";
        assert_eq!(page.finish(), expected);
    }

    #[test]
    fn nouns_are_in_the_number_of_their_count() {
        let check = |number: usize, noun: &str, text: &str| assert_eq!(counted(number, noun), text);
        check(1, "turn", "1 turn");
        check(0, "stance", "0 stances");
        check(1, "open crux", "1 open crux");
        check(2, "open crux", "2 open cruxes");
    }
}
