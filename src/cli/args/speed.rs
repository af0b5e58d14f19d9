//! Speed of a replay.

use std::str::FromStr;
use std::time::Duration;

use chrono::TimeDelta;

/// Longest pause, after division by the speed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Highest numeric speed; `max` disables pauses.
const FASTEST: f64 = 1_000_000.0;

/// Replay speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// No pauses.
    AtOnce,
    /// Multiple of the original speed.
    Times(f64),
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim_end_matches('x').parse::<f64>() {
            _ if text == "max" => Ok(Speed::AtOnce),
            Ok(0.0) => Ok(Speed::AtOnce),
            Ok(times) if times > 0.0 && times <= FASTEST => Ok(Speed::Times(times)),
            _ => Err("expected a number above 0, such as 1, 2.5 or 10; use 0 or max for no pauses".to_owned()),
        }
    }
}

impl Speed {
    /// Returns the time to wait for a pause in the debate.
    pub fn wait(self, pause: TimeDelta) -> Duration {
        match self {
            Speed::AtOnce => Duration::ZERO,
            Speed::Times(times) => {
                let seconds = pause.to_std().unwrap_or_default().as_secs_f64() / times;
                Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE)
            }
        }
    }

    /// Returns the time that passed in the debate during a wait.
    pub fn passed(self, waited: Duration) -> TimeDelta {
        match self {
            Speed::AtOnce => TimeDelta::zero(),
            Speed::Times(times) => {
                let millis =
                    (waited.as_secs_f64() * times * 1_000.0).min(TimeDelta::weeks(52).as_seconds_f64() * 1_000.0);
                TimeDelta::milliseconds(millis as i64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_number_or_disables_pauses() {
        for (text, expected) in [
            ("1", Some(Speed::Times(1.0))),
            ("2.5", Some(Speed::Times(2.5))),
            ("4x", Some(Speed::Times(4.0))),
            ("0", Some(Speed::AtOnce)),
            ("max", Some(Speed::AtOnce)),
            ("-1", None),
            ("nan", None),
            ("inf", None),
            ("fast", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Speed>().ok(), expected, "{text}");
        }
    }

    #[test]
    fn pauses_are_scaled_and_capped() {
        let wait = |speed: Speed, seconds: i64| speed.wait(TimeDelta::seconds(seconds)).as_millis();
        assert_eq!(wait(Speed::Times(1.0), 2), 2_000);
        assert_eq!(wait(Speed::Times(4.0), 2), 500);
        assert_eq!(wait(Speed::Times(1.0), 3_600), 5_000);
        assert_eq!(wait(Speed::Times(0.001), 3_600_000), 5_000);
        assert_eq!(wait(Speed::Times(1.0), -5), 0);
        assert_eq!(wait(Speed::AtOnce, 3_600), 0);
        assert_eq!(Speed::Times(2.0).passed(Duration::from_millis(1_500)), TimeDelta::seconds(3));
    }
}
