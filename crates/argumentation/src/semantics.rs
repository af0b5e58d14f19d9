//! Argumentation semantics: criteria for sets of arguments that are accepted together.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// Criterion for sets of arguments that are accepted together (Dung 1995, except where another source is named).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantics {
    /// The least complete extension, and so the most sceptical one. Exactly one.
    Grounded,
    /// Conflict-free sets that attack all their attackers and contain every argument they defend. At least one.
    Complete,
    /// The maximal complete extensions. At least one.
    Preferred,
    /// Conflict-free sets that attack every other argument. There may be none.
    Stable,
    /// Complete extensions whose members and targets together are maximal (Caminada 2006). At least one.
    SemiStable,
    /// Conflict-free sets whose members and targets together are maximal (Verheij 1996). At least one.
    Stage,
    /// The maximal admissible set contained in all preferred extensions (Dung, Mancarella and Toni 2007). Exactly one.
    Ideal,
}

impl Semantics {
    /// All seven semantics.
    pub const ALL: [Self; 7] =
        [Self::Grounded, Self::Complete, Self::Preferred, Self::Stable, Self::SemiStable, Self::Stage, Self::Ideal];

    /// Returns the lower-case name, with a hyphen: `semi-stable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grounded => "grounded",
            Self::Complete => "complete",
            Self::Preferred => "preferred",
            Self::Stable => "stable",
            Self::SemiStable => "semi-stable",
            Self::Stage => "stage",
            Self::Ideal => "ideal",
        }
    }

    /// Returns the code used by the International Competition on Computational Models of Argumentation (ICCMA): `SST`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Grounded => "GR",
            Self::Complete => "CO",
            Self::Preferred => "PR",
            Self::Stable => "ST",
            Self::SemiStable => "SST",
            Self::Stage => "STG",
            Self::Ideal => "ID",
        }
    }
}

/// Formats the name.
impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error of parsing a semantics: the word is neither a name nor a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSemantics {
    /// The word that was parsed.
    pub word: String,
}

impl fmt::Display for UnknownSemantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown semantics `{}`; available: ", self.word)?;
        for (number, semantics) in Semantics::ALL.into_iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({})", semantics.name(), semantics.code())?;
        }
        Ok(())
    }
}

impl Error for UnknownSemantics {}

impl FromStr for Semantics {
    type Err = UnknownSemantics;

    /// Parses a name or a code, ignoring case; `semi-stable` is also accepted as `semistable` and `semi_stable`.
    fn from_str(word: &str) -> Result<Self, UnknownSemantics> {
        let plain = |word: &str| word.replace(['-', '_'], "").to_lowercase();
        let sought = plain(word);
        let named = |semantics: &Self| plain(semantics.name()) == sought || plain(semantics.code()) == sought;
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownSemantics { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_have_names_and_codes() {
        for semantics in Semantics::ALL {
            for word in [semantics.name(), semantics.code(), &semantics.code().to_lowercase(), &format!("{semantics}")]
            {
                assert_eq!(word.parse(), Ok(semantics));
            }
        }
        for word in ["semistable", "Semi_Stable", "sst"] {
            assert_eq!(word.parse(), Ok(Semantics::SemiStable));
        }
        let words = "unknown semantics `CF2`; available: grounded (GR), complete (CO), preferred (PR), stable (ST), \
                     semi-stable (SST), stage (STG), ideal (ID)";
        assert_eq!("CF2".parse::<Semantics>().map_err(|error| error.to_string()), Err(words.to_owned()));
        assert_eq!(format!("{:>7}|", Semantics::Ideal), "  ideal|");
    }
}
