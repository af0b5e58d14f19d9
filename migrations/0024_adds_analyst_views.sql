-- Views for analysts, in a schema of their own: the served rows, without generations, under names that stay.
-- docs/tables.md describes them. They show what the stored rows hold in clear; bodies of events are encrypted, and no view
-- can show them.
--
-- A view runs with the rights of its owner: a role for analysts needs `usage` on the schema and `select` on its views, or on
-- some of their columns, and nothing else.
--
-- A later migration that changes a column behind a view replaces the view. It may add columns at the end, and neither
-- removes nor renames one.

-- Null in rows of earlier versions of the program, until they are rebuilt.
alter table debates
    -- every argument ever advanced
    add column if not exists n_arguments bigint,
    -- every attack ever raised
    add column if not exists n_attacks bigint,
    add column if not exists n_concessions bigint;

create schema if not exists analyst;

create view analyst.debates as
select
    d.debate_id,
    d.version,
    d.topic,
    d.engine,
    d.provider,
    d.status,
    d.phase,
    v.body -> 'outcome' ->> 'kind' as outcome,
    d.regime,
    (v.body ->> 'seed')::numeric as seed,
    d.participants,
    cardinality(d.participants)::bigint as n_participants,
    d.n_turns,
    d.n_arguments,
    d.n_attacks,
    (
        select count(*)
        from disputes q
        where q.generation = d.generation
        and q.debate_id = d.debate_id
    ) as n_disputes,
    (
        select count(*)
        from disputes q
        where q.generation = d.generation
        and q.debate_id = d.debate_id
        and q.status = 'open'
    ) as n_open_disputes,
    (
        select count(*)
        from cruxes c
        where c.generation = d.generation
        and c.debate_id = d.debate_id
    ) as n_cruxes,
    (
        select count(*)
        from cruxes c
        where c.generation = d.generation
        and c.debate_id = d.debate_id
        and c.open
    ) as n_open_cruxes,
    d.n_concessions,
    d.tokens,
    d.cost_micros,
    d.opened_at,
    d.changed_at,
    d.ended_at,
    d.measures
from debates d
join served s on s.name = 'debates' and s.generation = d.generation
left join views v on v.projection = 'summary' and v.generation = d.generation and v.debate_id = d.debate_id;

-- Measures that have a value, of debates that have ended.
create view analyst.measures as
select
    d.debate_id,
    d.version,
    m.key as measure_key,
    m.value::text::double precision as value
from debates d
join served s on s.name = 'debates' and s.generation = d.generation
cross join lateral jsonb_each(d.measures) as m (key, value);

create view analyst.participants as
select
    d.debate_id,
    d.version,
    p.place,
    p.participant ->> 'persona' as persona_id,
    p.participant ->> 'name' as name,
    p.participant ->> 'model' as model,
    coalesce((p.participant ->> 'left')::boolean, false) as has_left
from debates d
join served s on s.name = 'debates' and s.generation = d.generation
join views v on v.projection = 'summary' and v.generation = d.generation and v.debate_id = d.debate_id
cross join lateral jsonb_array_elements(v.body -> 'participants') with ordinality as p (participant, place);

create view analyst.cruxes as
select
    c.debate_id,
    d.version,
    c.key as crux_key,
    c.place as rank,
    c.kind,
    c.open as is_open,
    c.statement,
    c.body ->> 'question' as question,
    c.pivotality,
    c.crux_order as settling_order,
    c.n_dependents,
    c.personas,
    c.regime,
    c.opened_at,
    c.changed_at
from cruxes c
join served s on s.name = 'debates' and s.generation = c.generation
join debates d on d.generation = c.generation and d.debate_id = c.debate_id;

create view analyst.positions as
select
    c.debate_id,
    d.version,
    c.key as crux_key,
    p.place,
    p.held ->> 'persona' as persona_id,
    p.held ->> 'side' as side,
    p.held ->> 'basis' as basis,
    p.held ->> 'turn' as turn_id,
    p.held ->> 'argument' as argument_id,
    p.held ->> 'words' as words,
    p.held ->> 'quote' as quote
from cruxes c
join served s on s.name = 'debates' and s.generation = c.generation
join debates d on d.generation = c.generation and d.debate_id = c.debate_id
cross join lateral jsonb_array_elements(c.body -> 'positions') with ordinality as p (held, place);

create view analyst.disputes as
select
    q.debate_id,
    d.version,
    q.key as dispute_id,
    q.statement as question,
    q.status,
    q.is_topic,
    q.personas,
    q.opened_at,
    q.changed_at
from disputes q
join served s on s.name = 'debates' and s.generation = q.generation
join debates d on d.generation = q.generation and d.debate_id = q.debate_id;

-- Present stances; the table `stances` of an export has the earlier ones as well.
create view analyst.stances as
select
    q.debate_id,
    d.version,
    q.key as dispute_id,
    q.is_topic,
    t.persona_id,
    t.stance ->> 'side' as side,
    t.stance ->> 'turn' as turn_id,
    (t.stance ->> 'confidence')::double precision as confidence,
    t.stance ->> 'statement' as statement,
    t.stance ->> 'quote' as quote
from disputes q
join served s on s.name = 'debates' and s.generation = q.generation
join debates d on d.generation = q.generation and d.debate_id = q.debate_id
cross join lateral jsonb_each(q.body) as t (persona_id, stance);

-- Model calls of a debate, by model and by purpose. A fork counts its own calls only.
create view analyst.usage as
select
    d.debate_id,
    d.version,
    u.grouped_by,
    g.name,
    (g.spent ->> 'calls')::bigint as calls,
    (g.spent ->> 'failed')::bigint as failed,
    (g.spent ->> 'input_tokens')::bigint as input_tokens,
    (g.spent ->> 'output_tokens')::bigint as output_tokens,
    (g.spent ->> 'cost_micros')::bigint as cost_micros,
    (g.spent ->> 'millis')::bigint as latency_ms
from debates d
join served s on s.name = 'debates' and s.generation = d.generation
join views v on v.projection = 'summary' and v.generation = d.generation and v.debate_id = d.debate_id
cross join lateral (
    values ('model', v.body -> 'usage' -> 'by_model'), ('purpose', v.body -> 'usage' -> 'by_purpose')
) as u (grouped_by, parts)
cross join lateral jsonb_each(u.parts) as g (name, spent);

comment on schema analyst is 'Views for analysts: served rows under stable names; see docs/tables.md';
comment on view analyst.debates is 'One row per debate';
comment on view analyst.measures is 'One row per debate that has ended and measure that has a value';
comment on view analyst.participants is 'One row per debate and participant, in speaking order';
comment on view analyst.cruxes is 'One row per crux, open or resolved';
comment on view analyst.positions is 'One row per crux and position of a participant';
comment on view analyst.disputes is 'One row per dispute';
comment on view analyst.stances is 'One row per dispute and participant with a present stance';
comment on view analyst.usage is 'One row per debate and model (grouped_by = model), and per debate and purpose of calls (grouped_by = purpose)';
