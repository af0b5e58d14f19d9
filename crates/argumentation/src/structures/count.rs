//! Counts: natural numbers of any size, exact or a lower bound.

use std::fmt;

/// Number of items: exact, or a lower bound if the count is incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// The exact number.
    Exactly(Natural),
    /// A lower bound: there may be more.
    AtLeast(Natural),
}

impl Count {
    /// Returns the number, or the lower bound.
    pub fn number(&self) -> &Natural {
        match self {
            Self::Exactly(number) | Self::AtLeast(number) => number,
        }
    }
}

/// Formats the count for people: `1024`, or `at least 7`.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(number) => number.fmt(f),
            Self::AtLeast(number) => write!(f, "at least {number}"),
        }
    }
}

/// Exact natural number of any size; stored as a machine integer as long as it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Size);

/// Representation of a number. `Large` is used only above [`u128::MAX`], so that equal numbers are equal values. Its
/// digits are in base [`BASE`], lowest first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Small(u128),
    Large(Vec<u32>),
}

const BASE: u64 = 1_000_000_000;
const BASE_DIGITS: usize = 9;

impl Natural {
    /// Zero.
    pub const ZERO: Self = Self(Size::Small(0));

    /// One.
    pub const ONE: Self = Self(Size::Small(1));

    /// Returns the number if it fits in a `u128`.
    pub fn as_u128(&self) -> Option<u128> {
        match self.0 {
            Size::Small(number) => Some(number),
            Size::Large(_) => None,
        }
    }

    /// Returns the sum of two numbers. Linear in their digits.
    pub fn plus(&self, other: &Self) -> Self {
        if let (Size::Small(a), Size::Small(b)) = (&self.0, &other.0)
            && let Some(sum) = a.checked_add(*b)
        {
            return Self::from(sum);
        }
        let (mut sum, addend) = (self.digits(), other.digits());
        sum.resize(sum.len().max(addend.len()) + 1, 0);
        let mut carry = 0;
        for (digit, added) in sum.iter_mut().zip(addend.into_iter().chain(std::iter::repeat(0))) {
            carry += u64::from(*digit) + u64::from(added);
            (*digit, carry) = (low(carry), carry / BASE);
        }
        Self::from_large(sum)
    }

    /// Returns the product of the factors; one if there are none. Small factors are multiplied in a machine integer
    /// first, so that many small factors take time linear in their number times the digits of the product.
    pub fn product<'a>(factors: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut product, mut pending) = (Self::ONE, 1_u128);
        for factor in factors {
            match factor.0 {
                Size::Small(small) => match pending.checked_mul(small) {
                    Some(fits) => pending = fits,
                    None => {
                        product = product.times(&Self::from(pending));
                        pending = small;
                    }
                },
                Size::Large(_) => product = product.times(factor),
            }
        }
        product.times(&Self::from(pending))
    }

    fn times(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Size::Small(0), _) | (_, Size::Small(0)) => return Self::ZERO,
            (Size::Small(1), _) => return other.clone(),
            (_, Size::Small(1)) => return self.clone(),
            (Size::Small(a), Size::Small(b)) => {
                if let Some(product) = a.checked_mul(*b) {
                    return Self::from(product);
                }
            }
            _ => {}
        }
        let (a, b) = (self.digits(), other.digits());
        let mut product = vec![0; a.len() + b.len()];
        for (shift, &digit) in b.iter().enumerate() {
            let mut carry = 0;
            for (place, &factor) in product[shift..].iter_mut().zip(a.iter().chain(std::iter::repeat(&0))) {
                carry += u64::from(*place) + u64::from(digit) * u64::from(factor);
                (*place, carry) = (low(carry), carry / BASE);
            }
        }
        Self::from_large(product)
    }

    fn digits(&self) -> Vec<u32> {
        match &self.0 {
            Size::Large(digits) => digits.clone(),
            Size::Small(number) => {
                let base = u128::from(BASE);
                let rests = std::iter::successors(Some(*number), |rest| Some(rest / base)).take_while(|&rest| rest > 0);
                rests.map(|rest| u32::try_from(rest % base).expect("below the base")).collect()
            }
        }
    }

    /// Builds a number above [`u128::MAX`] from its digits, dropping leading zeros.
    fn from_large(mut digits: Vec<u32>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self(Size::Large(digits))
    }
}

fn low(number: u64) -> u32 {
    u32::try_from(number % BASE).expect("below the base")
}

impl From<u128> for Natural {
    fn from(number: u128) -> Self {
        Self(Size::Small(number))
    }
}

/// Formats the number in decimal digits.
impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Size::Small(number) => number.fmt(f),
            Size::Large(digits) => {
                let mut from_the_top = digits.iter().rev();
                if let Some(top) = from_the_top.next() {
                    write!(f, "{top}")?;
                }
                from_the_top.try_for_each(|digit| write!(f, "{digit:0BASE_DIGITS$}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: &str = "340282366920938463463374607431768211455";

    #[test]
    fn products_are_exact() {
        fn check(factors: &[u128], decimal: &str) {
            let factors: Vec<Natural> = factors.iter().map(|&factor| Natural::from(factor)).collect();
            let product = Natural::product(&factors);
            assert_eq!(product.to_string(), decimal);
            assert_eq!(Natural::product(factors.iter().rev()), product);
            assert_eq!(
                product.as_u128().map(|small| small.to_string()),
                decimal.parse::<u128>().ok().map(|n| n.to_string())
            );
        }
        check(&[], "1");
        check(&[7], "7");
        check(&[6, 0, 7], "0");
        check(&[u128::MAX, u128::MAX, 0], "0");
        check(&[1_000_000_007, 998_244_353, 2], "1996488719975420942");
        check(&[u128::MAX, 1], MAX);
        check(&[u128::MAX, 2], "680564733841876926926749214863536422910");
        check(&[2; 128], "340282366920938463463374607431768211456");
        check(&[2; 200], "1606938044258990275541962092341162602522202993782792835301376");
        check(
            &[u128::MAX, u128::MAX],
            "115792089237316195423570985008687907852589419931798687112530834793049593217025",
        );
        check(&[10; 81], &format!("1{}", "0".repeat(81)));
    }

    #[test]
    fn sums_are_exact() {
        fn check(a: &[u128], b: &[u128], decimal: &str) {
            let product = |factors: &[u128]| {
                let factors: Vec<Natural> = factors.iter().map(|&factor| Natural::from(factor)).collect();
                Natural::product(&factors)
            };
            let (a, b) = (product(a), product(b));
            assert_eq!(a.plus(&b).to_string(), decimal);
            assert_eq!(a.plus(&b), b.plus(&a));
            assert_eq!(a.plus(&Natural::ZERO), a);
        }
        check(&[2], &[40], "42");
        check(&[u128::MAX], &[0], MAX);
        check(&[u128::MAX], &[1], "340282366920938463463374607431768211456");
        check(&[10; 45], &[1], &format!("1{}1", "0".repeat(44)));
        check(&[2; 200], &[2; 200], "3213876088517980551083924184682325205044405987565585670602752");
    }

    #[test]
    fn counts_are_displayed_as_a_number_or_a_lower_bound() {
        assert_eq!(Count::Exactly(Natural::from(1024)).to_string(), "1024");
        assert_eq!(Count::AtLeast(Natural::ONE).to_string(), "at least 1");
        assert_eq!(Count::AtLeast(Natural::ONE).number(), &Natural::ONE);
    }
}
