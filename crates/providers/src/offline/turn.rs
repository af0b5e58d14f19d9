//! Turn under composition: its text, and what it does.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::offline::composition::Composition;
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::PassageRef;
use faultline_core::events::turn::Move;

/// Turn to be said.
#[derive(Clone)]
pub(super) struct Turn<'a> {
    pub(super) text: Composition<'a>,
    /// Moves, with the words that make them.
    pub(super) moves: Vec<(Move, String)>,
    pub(super) answers: Option<String>,
    pub(super) crux: Option<String>,
    pub(super) agrees_with: Option<(String, String)>,
    /// Sides taken, by dispute, with the words that state them.
    pub(super) stances: Vec<(String, Side, String)>,
    /// Words that say what would settle a dispute, by dispute.
    pub(super) criteria: BTreeMap<String, &'a str>,
}

impl<'a> Turn<'a> {
    /// Creates a turn with this text, which makes no move yet.
    pub(super) fn new(text: Composition<'a>) -> Turn<'a> {
        Turn {
            text,
            moves: Vec::new(),
            answers: None,
            crux: None,
            agrees_with: None,
            stances: Vec::new(),
            criteria: BTreeMap::new(),
        }
    }

    /// Returns the number of moves.
    pub(super) fn n_moves(&self) -> usize {
        self.moves.len()
    }

    pub(super) fn make(&mut self, talk_move: Move, words: &str) {
        self.moves.push((talk_move, words.to_owned()));
    }

    pub(super) fn stances(&self) -> Value {
        let stance = |(dispute, side, words): &(String, Side, String)| {
            let settled_by = self.criteria.get(dispute);
            json!({ "dispute": dispute, "side": side.name(), "words": words, "settled_by": settled_by })
        };
        self.stances.iter().map(stance).collect()
    }

    pub(super) fn reply(self, condition: Option<&str>) -> (Value, Vec<PassageRef>) {
        let (text, stances) = (self.text.text(), self.stances());
        let (agrees_with, agreement_words) = self.agrees_with.unzip();
        let made = |(talk_move, words): &(Move, String)| json!({ "words": words, "move": talk_move });
        let moves: Value = self.moves.iter().map(made).collect();
        let reply = json!({
            "text": text, "moves": moves, "answers": self.answers, "crux": self.crux, "agrees_with": agrees_with,
            "agreement_words": agreement_words, "stances": stances, "would_change": condition,
        });
        self.text.finish(reply)
    }
}
