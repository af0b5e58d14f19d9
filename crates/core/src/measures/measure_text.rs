//! Values of measures as text.

use crate::measures::measure::{MeasureUnit, MeasureValue};

/// Returns a value with its unit, such as `42.0 %` or `3.5 turns`.
pub fn number(value: f64, unit: MeasureUnit) -> String {
    match unit {
        MeasureUnit::Share => format!("{:.1} %", value * 100.0),
        MeasureUnit::Count => format!("{value:.0}"),
        MeasureUnit::Turns if (value - 1.0).abs() < f64::EPSILON => "1 turn".to_owned(),
        MeasureUnit::Turns if is_whole(value) => format!("{value:.0} turns"),
        MeasureUnit::Turns => format!("{value:.1} turns"),
        MeasureUnit::UsDollars => format!("${value:.4}"),
        MeasureUnit::Tokens => format!("{value:.0} tokens"),
        MeasureUnit::Seconds => format!("{value:.2} s"),
        MeasureUnit::Number => format!("{value:.2}"),
    }
}

/// Returns a value with its unit, and with its numerator and denominator if it is a share of things that are counted; `None`
/// without a value.
pub fn value_text(measured: &MeasureValue, unit: MeasureUnit) -> Option<String> {
    let shown = number(measured.value?, unit);
    Some(match measured.quotient {
        Some(quotient) if unit == MeasureUnit::Share && is_whole(quotient.count) => {
            format!("{shown} ({} of {})", quotient.count, quotient.total)
        }
        _ => shown,
    })
}

fn is_whole(number: f64) -> bool {
    number.fract().abs() < f64::EPSILON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_unit_and_shares_what_they_are_of() {
        let share = MeasureValue::share(3, 4, "nothing");
        assert_eq!(value_text(&share, MeasureUnit::Share).as_deref(), Some("75.0 % (3 of 4)"));
        assert_eq!(value_text(&MeasureValue::absent("nothing"), MeasureUnit::Share), None);
        assert_eq!(value_text(&MeasureValue::of(1.0), MeasureUnit::Turns).as_deref(), Some("1 turn"));
        assert_eq!(value_text(&MeasureValue::of(2.5), MeasureUnit::Turns).as_deref(), Some("2.5 turns"));
        assert_eq!(value_text(&MeasureValue::of(0.0123), MeasureUnit::UsDollars).as_deref(), Some("$0.0123"));
    }
}
