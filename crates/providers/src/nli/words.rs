//! Word lists by which [`super::hypotheses`] finds the end of a question's subject. All in lower case.

/// Words that make the scope of a negation ambiguous.
#[rustfmt::skip]
pub(super) const QUANTIFIERS: &[&str] = &[
    "all", "any", "anybody", "anyone", "anything", "both", "each", "either", "every", "everybody", "everyone",
    "everything", "few", "fewer", "half", "hardly", "little", "many", "more", "most", "much", "neither", "never", "no",
    "nobody", "none", "nor", "not", "nothing", "only", "rarely", "seldom", "several", "some", "somebody", "someone",
];

/// Words that open a clause, so that the first verb may not be that of the question.
#[rustfmt::skip]
pub(super) const SUBORDINATORS: &[&str] = &[
    "although", "because", "how", "if", "that", "though", "unless", "what", "when", "where", "whether", "which",
    "while", "who", "whom", "whose", "why",
];

/// Words before a noun: a verb cannot follow them.
pub(super) const DETERMINERS: &[&str] =
    &["a", "an", "her", "his", "its", "my", "our", "that", "the", "their", "these", "this", "those", "your"];

/// Words before a noun phrase that belongs to what stands before it.
#[rustfmt::skip]
pub(super) const PREPOSITIONS: &[&str] = &[
    "about", "above", "after", "against", "among", "and", "around", "at", "before", "behind", "below", "beside",
    "between", "beyond", "by", "during", "for", "from", "in", "inside", "into", "like", "near", "of", "off", "on",
    "or", "out", "outside", "over", "per", "since", "than", "through", "to", "towards", "under", "until", "up", "with",
    "within", "without",
];

/// Pronouns that are a whole subject.
pub(super) const PRONOUNS: &[&str] = &["he", "it", "she", "there", "they"];

/// Verbs that are hardly ever nouns or adjectives.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "abandon", "abolish", "accept", "achieve", "acquire", "adapt", "add", "admit", "adopt", "affect", "allow", "apply",
    "arrive", "ask", "attract", "avoid", "be", "become", "begin", "believe", "belong", "bring", "buy", "carry",
    "cease", "choose", "collect", "come", "compel", "compete", "consider", "consist", "consume", "contain", "continue",
    "contribute", "convince", "create", "decide", "declare", "decrease", "defend", "deliver", "depend", "deserve",
    "destroy", "develop", "die", "discourage", "earn", "eat", "eliminate", "employ", "enable", "encourage", "endanger",
    "ensure", "enter", "erode", "establish", "exceed", "exist", "expand", "expire", "explain", "extend", "fail", "fly",
    "follow", "forbid", "forgive", "get", "give", "go", "govern", "grow", "happen", "have", "hold", "ignore", "impede",
    "impose", "improve", "include", "increase", "inform", "inherit", "insist", "introduce", "invent", "invest",
    "invite", "join", "justify", "keep", "know", "learn", "legalize", "let", "lose", "maintain", "make", "manage",
    "mandate", "obey", "obtain", "occur", "oppose", "opt", "outlive", "outweigh", "persuade", "possess", "prefer",
    "prepare", "preserve", "prevent", "privatize", "proceed", "produce", "prohibit", "prolong", "protect", "prove",
    "provide", "publish", "punish", "put", "reach", "receive", "recognize", "reduce", "refuse", "regulate", "reject",
    "rely", "remain", "remove", "renew", "repeal", "replace", "require", "restore", "restrict", "retain", "ruin",
    "save", "sell", "send", "serve", "settle", "solve", "speak", "spend", "steal", "subsidize", "succeed", "suffer",
    "survive", "take", "teach", "tell", "tend", "think", "tolerate", "treat", "undermine", "understand", "unite",
    "violate", "want", "warn", "wear", "write",
];

/// Verbs that are nouns as well. They count as verbs before a determiner, a number or a plural.
#[rustfmt::skip]
pub(super) const NOUN_VERBS: &[&str] = &[
    "back", "ban", "block", "book", "build", "cause", "change", "charge", "close", "control", "cost", "cover", "cure",
    "cut", "damage", "deal", "drive", "dry", "end", "face", "fall", "feed", "force", "form", "fund", "gain", "guide",
    "harm", "heat", "help", "hire", "house", "hurt", "lack", "lead", "leave", "lift", "limit", "matter", "merge",
    "move", "name", "need", "offer", "order", "pass", "pay", "permit", "place", "plan", "plant", "play", "power",
    "print", "pull", "purchase", "raise", "rate", "record", "release", "rent", "repair", "report", "respect", "rest",
    "return", "reward", "ring", "risk", "run", "sail", "set", "share", "show", "sign", "spread", "start", "stay",
    "stop", "store", "study", "stunt", "support", "tax", "test", "track", "trade", "train", "trust", "use", "visit",
    "vote", "waste", "win", "work",
];

/// Adjectives, adverbs and comparatives that open what is said of a subject.
#[rustfmt::skip]
pub(super) const PREDICATES: &[&str] = &[
    "able", "acceptable", "accurate", "affordable", "alive", "always", "bad", "beneficial", "better", "cheaper",
    "compulsory", "correct", "dangerous", "dead", "desirable", "doomed", "easier", "effective", "enough", "essential",
    "ethical", "extinct", "fair", "false", "faster", "fit", "good", "greater", "guilty", "harder", "harmful",
    "healthier", "healthy", "higher", "illegal", "immoral", "impossible", "inevitable", "innocent", "justified",
    "larger", "likely", "mandatory", "moral", "necessary", "obsolete", "older", "possible", "proof", "ready", "real",
    "responsible", "right", "safe", "safer", "slower", "smaller", "stronger", "sufficient", "sustainable", "tired",
    "too", "true", "unacceptable", "unavoidable", "unethical", "unfair", "unfit", "unjust", "unlikely", "unnecessary",
    "unsafe", "useful", "useless", "viable", "wasteful", "weaker", "worse", "worth", "worthwhile", "wrong", "younger",
];

/// Numbers.
pub(super) const NUMBERS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"];
