//! Agreement of the participants: for each pair, the questions on which both hold a side, and how often it is the same.

use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::export::report::markup::Markup;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::summary::Participant;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of participants that are compared; the first ones are.
pub const MAX_COLUMNS: usize = 12;
/// Explanation of the matrix.
const MATRIX_LEAD: &str =
    "Questions on which two participants hold the same side, of those on which both hold one, yes or no.";

/// Agreement of two participants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairAgreement {
    /// Number of questions on which both hold a side, yes or no; retired ones are not counted.
    pub questions: usize,
    /// Number of those on which it is the same side.
    pub agreed: usize,
}

impl PairAgreement {
    /// Describes the pair in a cell: `2 of 5`; a dash without questions.
    pub fn cell(self) -> String {
        if self.questions == 0 { "–".to_owned() } else { format!("{} of {}", self.agreed, self.questions) }
    }

    /// Opening tag of a cell, with a class by the share of agreement.
    fn tag(self) -> &'static str {
        match (self.questions, self.agreed * 2) {
            (0, _) => "<td>",
            (_, 0) => "<td class=opposed>",
            (questions, twice) if twice < questions => "<td class=rather-opposed>",
            (questions, twice) if twice == questions => "<td>",
            (questions, twice) if twice < 2 * questions => "<td class=rather-agreed>",
            _ => "<td class=agreed>",
        }
    }
}

/// Agreement of all pairs of participants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementMatrix {
    /// Names of the participants, in speaking order.
    pub names: Vec<String>,
    /// Agreement of each participant with each other one; that with themselves is empty.
    pub rows: Vec<Vec<PairAgreement>>,
    /// Number of further participants, who are not compared.
    pub n_left_out: usize,
}

impl AgreementMatrix {
    /// Explains the table, and says if it lacks participants.
    pub fn lead(&self) -> String {
        match self.n_left_out {
            0 => MATRIX_LEAD.to_owned(),
            _ => format!("{MATRIX_LEAD} Only the first {MAX_COLUMNS} participants are compared."),
        }
    }

    /// States the agreement of two participants as one sentence; `None` for more, whom a table shows.
    pub fn sentence(&self) -> Option<String> {
        let [one, other] = self.names.as_slice() else { return None };
        let PairAgreement { questions, agreed } = self.rows[0][1];
        let asked = if questions == 1 { "1 question".to_owned() } else { format!("{questions} questions") };
        Some(format!("{one} and {other} hold the same side on {agreed} of {asked} on which both hold one, yes or no."))
    }
}

/// Compares the present sides of the participants; `None` if no two of them hold a side on the same question.
pub fn agreement(read_model: &DebateReadModel) -> Option<AgreementMatrix> {
    let participants: Vec<&Participant> = read_model.summary.participants.iter().take(MAX_COLUMNS).collect();
    let compared = |one: &PersonaId, other: &PersonaId| {
        let mut pair = PairAgreement::default();
        for (_, dispute) in read_model.disputes.not_retired().filter(|_| one != other) {
            if let (Some(side), Some(other_side)) = (side_of(dispute, one), side_of(dispute, other)) {
                pair.questions += 1;
                pair.agreed += usize::from(side == other_side);
            }
        }
        pair
    };
    let row = |one: &&Participant| -> Vec<PairAgreement> {
        participants.iter().map(|other| compared(&one.persona, &other.persona)).collect()
    };
    let rows: Vec<Vec<PairAgreement>> = participants.iter().map(row).collect();
    let is_any = rows.iter().flatten().any(|pair| pair.questions > 0);
    let names = participants.iter().map(|participant| participant.name.clone()).collect();
    let n_left_out = read_model.summary.participants.len() - participants.len();
    is_any.then_some(AgreementMatrix { names, rows, n_left_out })
}

/// Side of a participant, if it is yes or no.
fn side_of(dispute: &Dispute, persona: &PersonaId) -> Option<Side> {
    let side = dispute.stances.get(persona)?.side;
    matches!(side, Side::Yes | Side::No).then_some(side)
}

/// Renders the agreement as HTML: a sentence for two participants, otherwise a table with shaded cells.
pub fn agreement_section(page: &mut Markup, matrix: &AgreementMatrix) {
    page.raw("<h2 id=agreement>Agreement</h2>\n");
    if let Some(sentence) = matrix.sentence() {
        page.raw("<p>").text(&sentence).raw("</p>\n");
        return;
    }
    page.raw("<p class=lead>")
        .text(&matrix.lead())
        .raw("</p>\n<div class=scrolls tabindex=0 role=region aria-label=Agreement>\n<table class=matrix>\n<tr><td>");
    for name in &matrix.names {
        page.raw("<th scope=col>").text(name);
    }
    for (one, (name, row)) in matrix.names.iter().zip(&matrix.rows).enumerate() {
        page.raw("\n<tr><th scope=row>").text(name);
        for (other, pair) in row.iter().enumerate() {
            if one == other {
                page.raw("<td>");
            } else {
                page.raw(pair.tag()).text(&pair.cell());
            }
        }
    }
    page.raw("\n</table>\n</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(names: &[&str], pair: PairAgreement) -> AgreementMatrix {
        let own =
            |one: usize| (0..names.len()).map(move |other| if one == other { PairAgreement::default() } else { pair });
        let rows = (0..names.len()).map(|one| own(one).collect()).collect();
        AgreementMatrix { names: names.iter().map(|name| (*name).to_owned()).collect(), rows, n_left_out: 0 }
    }

    fn rendered(matrix: &AgreementMatrix) -> String {
        let mut page = Markup::default();
        agreement_section(&mut page, matrix);
        page.finish()
    }

    #[test]
    fn two_participants_are_a_sentence_and_more_are_a_table() {
        let pair = PairAgreement { questions: 3, agreed: 2 };
        let two = matrix(&["Ada", "Bo & <b>"], pair);
        let sentence = "Ada and Bo & <b> hold the same side on 2 of 3 questions on which both hold one, yes or no.";
        assert_eq!(two.sentence().as_deref(), Some(sentence));
        assert!(rendered(&two).contains("Bo &amp; &lt;b&gt; hold the same") && !rendered(&two).contains("<table"));
        let three = matrix(&["Ada", "Bo", "Cy"], pair);
        assert_eq!(three.sentence(), None);
        let row = "<tr><th scope=row>Bo<td class=rather-agreed>2 of 3<td><td class=rather-agreed>2 of 3\n";
        assert!(rendered(&three).contains(row), "{}", rendered(&three));
        let many = AgreementMatrix { n_left_out: 1, ..three };
        assert!(rendered(&many).contains("Only the first 12 participants are compared."), "{}", rendered(&many));
    }

    #[test]
    fn cells_are_shaded_by_agreement() {
        let check = |agreed: usize, questions: usize, tag: &str, cell: &str| {
            let pair = PairAgreement { questions, agreed };
            assert_eq!((pair.tag(), pair.cell().as_str()), (tag, cell));
        };
        check(0, 0, "<td>", "–");
        check(0, 2, "<td class=opposed>", "0 of 2");
        check(1, 3, "<td class=rather-opposed>", "1 of 3");
        check(1, 2, "<td>", "1 of 2");
        check(2, 3, "<td class=rather-agreed>", "2 of 3");
        check(2, 2, "<td class=agreed>", "2 of 2");
    }
}
