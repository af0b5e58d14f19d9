-- Generations: every set of stored rows that was made from the whole log, and what has become of it.
--
-- wanted ─▶ building ─▶ (held ─▶ approved) ─▶ served ─▶ retired ─▶ dropped
--                         └─▶ rejected ───────────────────────────▶ dropped
--
-- Rows of `views`, `debates`, `cruxes` and `disputes` belong to a generation, and `served` says which one the world sees.
-- Another is built beside it and takes over in one transaction. One is under way at a time.

alter table views rename column revision to generation;
alter table debates rename column revision to generation;
alter table cruxes rename column revision to generation;
alter table disputes rename column revision to generation;
alter table served rename column revision to generation;

create table generations (
    generation int not null,
    -- which fold its rows are from: src/verdicts/board.rs: REVISION
    revision int not null,
    state text not null,
    -- why it was wanted: first, revision, asked
    reason text not null,
    -- null: one a core
    workers int,
    -- whether it waits for an answer before it takes over
    holds boolean not null default false,
    -- until then it waits
    held_until timestamptz,
    -- why it makes no progress, where it makes none
    problem text,
    wanted_at timestamptz not null default clock_timestamp(),
    started_at timestamptz,
    caught_up_at timestamptz,
    served_at timestamptz,
    retired_at timestamptz,
    dropped_at timestamptz,
    constraint generations_pkey primary key (generation),
    constraint generations_state_known check (
        state in ('wanted', 'building', 'held', 'approved', 'rejected', 'served', 'retired', 'dropped')
    ),
    constraint generations_reason_known check (reason in ('first', 'revision', 'asked')),
    constraint generations_counts check (generation > 0)
);

-- One is under way at a time; two who want one at once want the same.
create unique index generations_under_way on generations ((true))
where state in ('wanted', 'building', 'held', 'approved');

-- One is served at a time.
create unique index generations_served on generations ((true))
where state = 'served';

-- How far each lane was read for a generation that is being built: first debate by debate, then, from where the lane's
-- head stood when that began, event by event. Saved together with the rows.

create table generation_lanes (
    generation int not null,
    lane smallint not null,
    -- once its debates are through, the rows hold every event of the lane up to here
    position bigint not null,
    -- the last debate that is in the rows; null before the first
    debate_id uuid,
    -- whether all debates are through
    is_through boolean not null default false,
    n_debates bigint not null default 0,
    n_events bigint not null default 0,
    saved_at timestamptz not null default clock_timestamp(),
    constraint generation_lanes_pkey primary key (generation, lane)
)
with (fillfactor = 50);

-- What was filled before generations had names bears the number of its revision; what was not served is made anew.

insert into generations (generation, revision, state, reason, started_at, caught_up_at, served_at)
select generation, generation, 'served', 'revision', since, since, since
from served
where name = 'debates';

insert into generations (generation, revision, state, reason)
select distinct revision, revision, 'rejected', 'revision'
from checkpoints
where name = 'debates'
and revision > 0
and not exists (
    select 1
    from generations
    where generations.generation = checkpoints.revision
);
