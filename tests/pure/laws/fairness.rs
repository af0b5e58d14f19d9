//! Fairness: the channel and the rooms beside it all advance, although calls are answered one after the other.

use std::collections::BTreeSet;

use faultline_core::events::event::Event;
use faultline_core::events::ids::RoomId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::receipt::EffectKey;

use crate::laws::support::script;
use crate::rehearsal::{Log, Script, perform};
use crate::rehearsals::rehearsals;
use crate::support::adversary::Adversary;

/// Number of debates of repliers without good will.
const TRIALS: u64 = 40;
/// While the channel has something to ask, no room receives more answers or failures in a row than there
/// are open rooms, and one more.
#[test]
fn no_room_and_no_channel_starves() {
    let engines = ["crux_rooms", "forum"];
    let named = rehearsals().iter().filter(|(name, _)| engines.iter().any(|engine| name.starts_with(engine)));
    let adversarial = engines.iter().flat_map(|engine| (0..TRIALS).map(move |number| (*engine, number)));
    let adversarial = adversarial.map(|(engine, number)| {
        let limits = DebateLimits { attempts: 2, ..DebateLimits::default() };
        let adversary = Some(Adversary::numbered(number));
        (format!("{engine} {number}"), perform(Script { adversary, ..script(engine, limits, &[]) }, None))
    });
    let named = named.cloned();
    let mut n_beside = 0;
    for (name, log) in named.chain(adversarial) {
        let (longest, most_open) = longest_run(&log);
        assert!(longest <= most_open + 1, "{name}: {longest} answers in rooms in a row:\n{}", log.lines());
        n_beside += usize::from(longest > 0);
    }
    assert!(n_beside > 0, "no room ran beside the channel");
}

/// Returns the largest number of answers in rooms between two answers in the channel, and of rooms open at once.
fn longest_run(log: &Log) -> (usize, usize) {
    let settled = |event: &Event| -> Option<EffectKey> {
        match event {
            Event::EffectAnswered(it) => Some(it.key.clone()),
            Event::EffectFailed(it) => Some(it.key.clone()),
            _ => None,
        }
    };
    let is_turn = |event: &Event| settled(event).is_some_and(|key| key.purpose == "turn");
    let last = log.0.iter().rposition(|recorded| is_turn(&recorded.event)).unwrap_or(0);
    let (mut open, mut most_open, mut run, mut longest) = (BTreeSet::<RoomId>::new(), 0, 0, 0);
    for recorded in &log.0[..last] {
        match &recorded.event {
            Event::RoomOpened(it) => drop(open.insert(it.room)),
            Event::RoomClosed(it) => drop(open.remove(&it.room)),
            event => match settled(event) {
                Some(key) if key.room().is_some() => run += 1,
                Some(key) if key.purpose != "detect" => run = 0,
                _ => {}
            },
        }
        most_open = most_open.max(open.len());
        longest = longest.max(run);
    }
    (longest, most_open)
}
