//! The semantics: which sets of arguments are accepted together.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// Which sets of arguments are accepted together (Dung 1995, but where another source is named).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantics {
    /// The least complete extension: nobody gets the benefit of the doubt. Exactly one.
    Grounded,
    /// Sets that attack none of their own, attack all that attacks them, and hold all they defend. At least one.
    Complete,
    /// The maximal complete extensions. At least one.
    Preferred,
    /// Sets that attack none of their own and all else. There may be none.
    Stable,
    /// Complete extensions that hold or attack as much as they can (Caminada 2006). At least one.
    SemiStable,
    /// Sets that attack none of their own, and hold or attack as much as they can (Verheij 1996). At least one.
    Stage,
    /// The maximal admissible set within all preferred extensions (Dung, Mancarella and Toni 2007). Exactly one.
    Ideal,
}

impl Semantics {
    /// All seven.
    pub const ALL: [Self; 7] =
        [Self::Grounded, Self::Complete, Self::Preferred, Self::Stable, Self::SemiStable, Self::Stage, Self::Ideal];

    /// The name in words, with a hyphen: `semi-stable`.
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

    /// The code of the competition of argumentation solvers (ICCMA): `SST`.
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

/// The name.
impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no semantics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSemantics {
    /// The word.
    pub word: String,
}

impl fmt::Display for UnknownSemantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` names no semantics; known are ", self.word)?;
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

    /// By name or code, in any case; `semi-stable` also as `semistable` or `semi_stable`.
    fn from_str(word: &str) -> Result<Self, UnknownSemantics> {
        let plain = |word: &str| word.replace(['-', '_'], "").to_lowercase();
        let sought = plain(word);
        let named = |it: &Self| plain(it.name()) == sought || plain(it.code()) == sought;
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
        let words = "`CF2` names no semantics; known are grounded (GR), complete (CO), preferred (PR), stable (ST), \
                     semi-stable (SST), stage (STG), ideal (ID)";
        assert_eq!("CF2".parse::<Semantics>().map_err(|error| error.to_string()), Err(words.to_owned()));
        assert_eq!(format!("{:>7}|", Semantics::Ideal), "  ideal|");
    }
}
