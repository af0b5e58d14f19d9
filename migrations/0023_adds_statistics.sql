-- Statistics across debates: the outcome of a debate, the models that answered, and its measures once it has ended.
--
-- Nullable: a process of an earlier version, which may still run, does not write them. The rows of this version's
-- generation have them.

alter table debates
    -- Kind of the outcome, or `cancelled`; null until the debate ends.
    add column outcome text,
    -- Providers and models that answered, as `usage.byModel` names them.
    add column models text[],
    -- Measures that have a value, by key; null until the debate ends.
    add column measures jsonb,
    -- Figures of each participant: an array by persona, in the order of `SPEAKER_FIGURES`.
    add column speakers jsonb;
