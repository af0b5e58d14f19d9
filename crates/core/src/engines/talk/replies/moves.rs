//! Moves of a turn, with the words that make them.

use crate::engines::talk::copied_words::own_words;
use crate::engines::talk::replies::schema::MoveReply;
use crate::events::turn::{Move, MoveQuote};

/// Maximum number of moves in a turn; an excess is rejected.
const MAX_MOVES: usize = 12;

/// Moves of a turn, each once, with the words that make them.
#[derive(Default)]
pub struct Moves {
    /// The moves.
    pub made: Vec<Move>,
    /// Words that make them.
    pub quotes: Vec<MoveQuote>,
}

impl Moves {
    /// Creates a single move without words of its own.
    pub fn only(talk_move: Move) -> Moves {
        Moves { made: vec![talk_move], quotes: Vec::new() }
    }

    /// Adds a move, unless the turn makes it already.
    pub fn add(&mut self, talk_move: Move) {
        if !self.made.contains(&talk_move) {
            self.made.push(talk_move);
        }
    }

    /// Removes a move and its words.
    pub fn remove(&mut self, talk_move: Move) {
        self.made.retain(|made| *made != talk_move);
        self.quotes.retain(|quoted| quoted.talk_move != talk_move);
    }
}

/// Decodes the moves of a turn. A move beyond a claim counts by the words that make it; whether those of a crux are there
/// is checked with its statement.
pub fn moves(text: &str, given: Vec<MoveReply>, refused: &mut Vec<String>) -> Moves {
    let mut moves = Moves::default();
    if given.len() > MAX_MOVES {
        refused.push(format!("{} moves, of which the first {MAX_MOVES} are considered", given.len()));
    }
    for reply in given.into_iter().take(MAX_MOVES) {
        let talk_move = Move::from(reply.kind);
        let copied = reply.words.unwrap_or_default();
        match own_words(text, &copied, &format!("makes the move {}", talk_move.name())) {
            Ok(quote) => {
                moves.add(talk_move);
                let quoted = MoveQuote { talk_move, quote };
                if !moves.quotes.contains(&quoted) {
                    moves.quotes.push(quoted);
                }
            }
            Err(_) if matches!(talk_move, Move::Claim | Move::ProposeCrux) => moves.add(talk_move),
            Err(reason) => refused.push(reason),
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engines::talk::replies::schema::TurnReply;

    const TEXT: &str = "You are right about the crew. The tide is another matter.";

    fn read(given: Value) -> (Vec<&'static str>, Vec<String>, Vec<String>) {
        let reply: TurnReply = serde_json::from_value(json!({ "text": TEXT, "moves": given })).unwrap();
        let mut refused = Vec::new();
        let moves = moves(TEXT, reply.moves, &mut refused);
        let quotes = moves.quotes.into_iter().map(|quoted| quoted.quote).collect();
        (moves.made.into_iter().map(Move::name).collect(), quotes, refused)
    }

    #[test]
    fn moves_beyond_a_claim_count_by_their_words() {
        let conceded = json!({ "words": "you are right about the crew", "move": "concede" });
        for (given, made, quotes, n_refused) in [
            (json!(["claim"]), vec!["claim"], vec![], 0),
            (json!(["claim", "challenge"]), vec!["claim"], vec![], 1),
            (json!([{ "words": null, "move": "CLAIM" }]), vec!["claim"], vec![], 0),
            (json!([conceded, conceded]), vec![], vec![], 2),
            (
                json!([{ "words": "You are right about the crew.", "move": "concede" }]),
                vec!["concede"],
                vec!["You are right about the crew."],
                0,
            ),
            (json!([{ "words": "I give up.", "move": "concede" }]), vec![], vec![], 1),
            (json!([{ "move": "propose_crux" }]), vec!["propose_crux"], vec![], 0),
        ] {
            let (got, words, refused) = read(given.clone());
            assert_eq!(
                (got, words, refused.len()),
                (made, quotes.into_iter().map(str::to_owned).collect(), n_refused),
                "{given}"
            );
        }
    }

    #[test]
    fn an_excess_of_moves_is_refused() {
        let (made, _, refused) = read(json!(vec!["claim"; MAX_MOVES + 1]));
        assert_eq!((made, refused), (vec!["claim"], vec!["13 moves, of which the first 12 are considered".to_owned()]));
    }
}
