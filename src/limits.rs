//! How much a client may ask for: every limit of the API, with its unit, its default and the name by which it is set.
//!
//! `FAULTLINE_LIMITS` sets them, as `name=value` pairs with commas between: `depth=12, rate_token=50`. What is not named
//! stays as it is in [`Limits::default`]. The table is [`LIMITS`]; `docs/api.md` shows it, and a test compares the two.

/// How much a client may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest request body, in bytes: query, variables and all.
    pub body_bytes: usize,
    /// The longest query, in bytes.
    pub query_bytes: usize,
    /// The longest variables, in bytes, as JSON.
    pub variable_bytes: usize,
    /// The most names, numbers, strings and marks in a query.
    pub tokens: usize,
    /// How deep brackets of any kind may go in a query.
    pub brackets: usize,
    /// The most aliases in a query; a field asked for under a hundred names costs a hundred fields.
    pub aliases: usize,
    /// The most directives in a query.
    pub directives: usize,
    /// The most fields of all operations together, each fragment's counted wherever it is spread.
    pub fields: usize,
    /// The most operations in one document.
    pub operations: usize,
    /// The most fragments in one document.
    pub fragments: usize,
    /// How deep fields may nest.
    pub depth: usize,
    /// How much one request may cost, as `docs/api.md` counts it.
    pub cost: usize,
    /// How many events one request may fold, of all debates and versions that it asks for; one debate is always folded.
    pub fold_events: usize,
    /// How many events all requests under way may fold together; small debates are not counted.
    pub folding_events: usize,
    /// The most requests in one body; 1 takes no arrays.
    pub batch: usize,
    /// How long a query or mutation may take, in seconds.
    pub seconds: usize,
    /// How long a client may take to send the head of a request, or its body, in seconds.
    pub send_seconds: usize,
    /// The most connections at once.
    pub connections: usize,
    /// The longest message on a socket before `connection_init`, and that message itself, in bytes.
    pub hello_bytes: usize,
    /// The most sockets at once that have not sent `connection_init`.
    pub hello_sockets: usize,
    /// What all sockets together may have sent of messages that are not whole yet, in bytes.
    pub socket_bytes: usize,
    /// The most pings that a client may send on one socket in eight seconds.
    pub pings: usize,
    /// Operations a second that one token may ask for, and twice as many at once; 0 is without limit.
    pub rate_token: usize,
    /// Operations a second that one address may ask for, and twice as many at once; 0 is without limit.
    pub rate_address: usize,
    /// Wrong tokens a second that one address may send, and twice as many at once; 0 is without limit.
    pub rate_failures: usize,
    /// What remembered queries may take, in bytes; 0 remembers none.
    pub remembered_bytes: usize,
    /// Whether the schema may be asked for: 1 or 0.
    pub introspection: usize,
    /// How many events the lists may be behind before the service says that it is not ready; 0 is any number.
    pub lag: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 256 * 1024,
            query_bytes: 128 * 1024,
            variable_bytes: 256 * 1024,
            tokens: 5_000,
            brackets: 64,
            aliases: 100,
            directives: 50,
            fields: 5_000,
            operations: 50,
            fragments: 100,
            depth: 16,
            cost: 20_000,
            fold_events: 100_000,
            folding_events: 300_000,
            batch: 1,
            seconds: 30,
            send_seconds: 30,
            connections: 8_192,
            hello_bytes: 4_096,
            hello_sockets: 1_024,
            socket_bytes: 64 * 1024 * 1024,
            pings: 100,
            rate_token: 200,
            rate_address: 400,
            rate_failures: 5,
            remembered_bytes: 4 * 1024 * 1024,
            introspection: 1,
            lag: 0,
        }
    }
}

/// One limit: its name, and how far it can be set.
pub struct Limit {
    /// By which it is set.
    pub name: &'static str,
    /// The least that it can be set to.
    pub lowest: usize,
    /// The most that it can be set to: what the service was tried with.
    pub highest: usize,
    /// Where it is kept.
    pub of: fn(&mut Limits) -> &mut usize,
}

/// All of them.
pub const LIMITS: &[Limit] = &[
    limit("body_bytes", 1_024, 16 << 20, |it| &mut it.body_bytes),
    limit("query_bytes", 256, 1 << 20, |it| &mut it.query_bytes),
    limit("variable_bytes", 0, 16 << 20, |it| &mut it.variable_bytes),
    limit("tokens", 10, 50_000, |it| &mut it.tokens),
    // The parser recurses: beyond this its stack was not tried.
    limit("brackets", 4, 128, |it| &mut it.brackets),
    limit("aliases", 0, 10_000, |it| &mut it.aliases),
    limit("directives", 0, 1_000, |it| &mut it.directives),
    limit("fields", 1, 100_000, |it| &mut it.fields),
    limit("operations", 1, 1_000, |it| &mut it.operations),
    limit("fragments", 0, 1_000, |it| &mut it.fragments),
    limit("depth", 1, 64, |it| &mut it.depth),
    limit("cost", 1, 10_000_000, |it| &mut it.cost),
    limit("fold_events", 1, 100_000_000, |it| &mut it.fold_events),
    limit("folding_events", 2_000, 100_000_000, |it| &mut it.folding_events),
    limit("batch", 1, 100, |it| &mut it.batch),
    limit("seconds", 1, 600, |it| &mut it.seconds),
    limit("send_seconds", 1, 600, |it| &mut it.send_seconds),
    limit("connections", 1, 1_000_000, |it| &mut it.connections),
    limit("hello_bytes", 256, 1 << 20, |it| &mut it.hello_bytes),
    limit("hello_sockets", 1, 1_000_000, |it| &mut it.hello_sockets),
    limit("socket_bytes", 64 << 10, 1 << 34, |it| &mut it.socket_bytes),
    limit("pings", 1, 1_000_000, |it| &mut it.pings),
    limit("rate_token", 0, 1_000_000, |it| &mut it.rate_token),
    limit("rate_address", 0, 1_000_000, |it| &mut it.rate_address),
    limit("rate_failures", 0, 1_000_000, |it| &mut it.rate_failures),
    limit("remembered_bytes", 0, 1 << 30, |it| &mut it.remembered_bytes),
    limit("introspection", 0, 1, |it| &mut it.introspection),
    limit("lag", 0, 1_000_000_000, |it| &mut it.lag),
];

const fn limit(name: &'static str, lowest: usize, highest: usize, of: fn(&mut Limits) -> &mut usize) -> Limit {
    Limit { name, lowest, highest, of }
}

impl Limits {
    /// Reads `name=value` pairs with commas between. What is empty changes nothing.
    ///
    /// # Errors
    /// What is wrong with the first pair that cannot be meant, and what could be.
    pub fn read(text: &str) -> Result<Limits, String> {
        let mut limits = Limits::default();
        for pair in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("name=value, not {pair:?}"))?;
            let Some(limit) = LIMITS.iter().find(|it| it.name == name.trim()) else {
                let names: Vec<&str> = LIMITS.iter().map(|it| it.name).collect();
                return Err(format!("one of {}, not {:?}", names.join(", "), name.trim()));
            };
            let within = value.trim().parse().ok().filter(|it| (limit.lowest..=limit.highest).contains(it));
            *(limit.of)(&mut limits) =
                within.ok_or_else(|| format!("{} from {} to {}", limit.name, limit.lowest, limit.highest))?;
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_stays_and_what_cannot_be_meant_is_told() {
        assert_eq!(Limits::read(" "), Ok(Limits::default()));
        let few = Limits::read("depth=3, rate_token = 7,").expect("limits");
        assert_eq!(few, Limits { depth: 3, rate_token: 7, ..Limits::default() });
        let wrong = |text: &str| Limits::read(text).expect_err(text);
        assert_eq!(wrong("depth"), "name=value, not \"depth\"");
        assert_eq!(wrong("depth=many"), "depth from 1 to 64");
        assert!(wrong("dept=3").starts_with("one of body_bytes, query_bytes,"));
    }

    #[test]
    fn each_is_taken_at_its_edges_and_not_beyond() {
        let mut default = Limits::default();
        for Limit { name, lowest, highest, of } in LIMITS {
            assert!((*lowest..=*highest).contains(of(&mut default)), "{name}: its default is within");
            for edge in [lowest, highest] {
                let mut read = Limits::read(&format!("{name}={edge}")).expect(name);
                assert_eq!(of(&mut read), edge, "{name}");
            }
            let beyond = [lowest.checked_sub(1), highest.checked_add(1)];
            assert!(beyond.into_iter().flatten().all(|it| Limits::read(&format!("{name}={it}")).is_err()), "{name}");
        }
    }

    #[test]
    fn the_page_tells_what_is_so() {
        let page = include_str!("../docs/api.md");
        let mut default = Limits::default();
        for Limit { name, lowest, highest, of } in LIMITS {
            let row = format!("| `{name}` | {} | {lowest} | {highest} | ", of(&mut default));
            assert!(page.contains(&row), "docs/api.md lacks {row}");
        }
        assert_eq!(
            page.lines().filter(|it| it.starts_with("| `") && it.matches(" | ").count() == 4).count(),
            LIMITS.len()
        );
    }
}
