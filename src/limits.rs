//! Limits of the API, each with its unit, its default and its name.
//!
//! `FAULTLINE_LIMITS` sets them as `name=value` pairs separated by commas: `depth=12, rate_token=50`. Other limits keep
//! the values of [`ApiLimits::default`]. The table is [`LIMITS`]; `docs/api.md` contains it too, and a test compares the
//! two.

/// Limits on the requests of API clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiLimits {
    /// Maximum size of a request body, in bytes, including query and variables.
    pub body_bytes: usize,
    /// Maximum length of a query, in bytes.
    pub query_bytes: usize,
    /// Maximum size of the variables as JSON, in bytes.
    pub variable_bytes: usize,
    /// Maximum number of tokens in a query: names, numbers, strings and punctuation.
    pub tokens: usize,
    /// Maximum nesting of brackets of any kind in a query.
    pub brackets: usize,
    /// Maximum number of aliases in a query; a field under a hundred aliases costs as much as a hundred fields.
    pub aliases: usize,
    /// Maximum number of directives in a query.
    pub directives: usize,
    /// Maximum number of fields in all operations together; those of a fragment count wherever it is spread.
    pub fields: usize,
    /// Maximum number of operations in one document.
    pub operations: usize,
    /// Maximum number of fragments in one document.
    pub fragments: usize,
    /// Maximum nesting of fields.
    pub depth: usize,
    /// Maximum cost of one request, computed as described in `docs/api.md`.
    pub cost: usize,
    /// Maximum number of events that one request may fold over all its debates and versions; one debate is always
    /// allowed.
    pub fold_events: usize,
    /// Maximum number of events that all running requests may fold together; small debates are not counted.
    pub folding_events: usize,
    /// Maximum number of tables that are exported at a time.
    pub tables: usize,
    /// Maximum number of requests in one body; 1 refuses arrays.
    pub batch: usize,
    /// Timeout of a query or mutation, in seconds.
    pub seconds: usize,
    /// Time for a client to send the head of a request, and for its body, in seconds.
    pub send_seconds: usize,
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum size of messages on a socket up to and including `connection_init`, in bytes.
    pub hello_bytes: usize,
    /// Maximum number of sockets that have not sent `connection_init` yet.
    pub hello_sockets: usize,
    /// Maximum size of all incomplete messages of all sockets together, in bytes.
    pub socket_bytes: usize,
    /// Maximum number of pings that a client may send on one socket in eight seconds.
    pub pings: usize,
    /// Operations per second for one token, with bursts of twice as many; 0 means no limit.
    pub rate_token: usize,
    /// Operations per second from one address, with bursts of twice as many; 0 means no limit.
    pub rate_address: usize,
    /// Failed authentications per second from one address, with bursts of twice as many; 0 means no limit.
    pub rate_failures: usize,
    /// Maximum size of remembered queries, in bytes; 0 disables remembering.
    pub remembered_bytes: usize,
    /// Access to the schema by introspection: 1 allows it, 0 refuses it.
    pub introspection: usize,
    /// Number of events by which the lists may lag before the service reports that it is not ready; 0 means no limit.
    pub lag: usize,
}

impl Default for ApiLimits {
    fn default() -> ApiLimits {
        ApiLimits {
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
            tables: 4,
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

/// Definition of one limit: its name and its range.
pub struct LimitDef {
    /// Name in `FAULTLINE_LIMITS`.
    pub name: &'static str,
    /// Smallest value.
    pub lowest: usize,
    /// Largest value, up to which the service was tested.
    pub highest: usize,
    /// Accessor of the limit's field.
    pub field: fn(&mut ApiLimits) -> &mut usize,
}

/// All limits.
pub const LIMITS: &[LimitDef] = &[
    limit("body_bytes", 1_024, 16 << 20, |it| &mut it.body_bytes),
    limit("query_bytes", 256, 1 << 20, |it| &mut it.query_bytes),
    limit("variable_bytes", 0, 16 << 20, |it| &mut it.variable_bytes),
    limit("tokens", 10, 50_000, |it| &mut it.tokens),
    // The parser recurses; its stack was not tested beyond this.
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
    limit("tables", 1, 1_000, |it| &mut it.tables),
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

const fn limit(name: &'static str, lowest: usize, highest: usize, field: fn(&mut ApiLimits) -> &mut usize) -> LimitDef {
    LimitDef { name, lowest, highest, field }
}

impl ApiLimits {
    /// Parses `name=value` pairs separated by commas. Empty pairs are ignored.
    ///
    /// # Errors
    /// A description of the values that are valid instead of the first invalid pair.
    pub fn parse(text: &str) -> Result<ApiLimits, String> {
        let mut limits = ApiLimits::default();
        for pair in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("name=value, not {pair:?}"))?;
            let Some(limit) = LIMITS.iter().find(|it| it.name == name.trim()) else {
                let names: Vec<&str> = LIMITS.iter().map(|it| it.name).collect();
                return Err(format!("one of {}, not {:?}", names.join(", "), name.trim()));
            };
            let within = value.trim().parse().ok().filter(|it| (limit.lowest..=limit.highest).contains(it));
            *(limit.field)(&mut limits) =
                within.ok_or_else(|| format!("{} from {} to {}", limit.name, limit.lowest, limit.highest))?;
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_limits_keep_defaults_and_invalid_pairs_are_refused() {
        assert_eq!(ApiLimits::parse(" "), Ok(ApiLimits::default()));
        let few = ApiLimits::parse("depth=3, rate_token = 7,").expect("limits");
        assert_eq!(few, ApiLimits { depth: 3, rate_token: 7, ..ApiLimits::default() });
        let wrong = |text: &str| ApiLimits::parse(text).expect_err(text);
        assert_eq!(wrong("depth"), "name=value, not \"depth\"");
        assert_eq!(wrong("depth=many"), "depth from 1 to 64");
        assert!(wrong("dept=3").starts_with("one of body_bytes, query_bytes,"));
    }

    #[test]
    fn each_limit_accepts_its_bounds_and_nothing_beyond() {
        let mut default = ApiLimits::default();
        for LimitDef { name, lowest, highest, field } in LIMITS {
            assert!((*lowest..=*highest).contains(field(&mut default)), "{name}: its default is within");
            for edge in [lowest, highest] {
                let mut read = ApiLimits::parse(&format!("{name}={edge}")).expect(name);
                assert_eq!(field(&mut read), edge, "{name}");
            }
            let beyond = [lowest.checked_sub(1), highest.checked_add(1)];
            assert!(
                beyond.into_iter().flatten().all(|it| ApiLimits::parse(&format!("{name}={it}")).is_err()),
                "{name}"
            );
        }
    }

    #[test]
    fn the_documentation_lists_every_limit() {
        let page = include_str!("../docs/api.md");
        let mut default = ApiLimits::default();
        for LimitDef { name, lowest, highest, field } in LIMITS {
            let row = format!("| `{name}` | {} | {lowest} | {highest} | ", field(&mut default));
            assert!(page.contains(&row), "docs/api.md lacks {row}");
        }
        assert_eq!(
            page.lines().filter(|it| it.starts_with("| `") && it.matches(" | ").count() == 4).count(),
            LIMITS.len()
        );
    }
}
