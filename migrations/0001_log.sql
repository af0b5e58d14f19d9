-- The log: every event of every debate, once, for ever.
--
-- A debate lives in one of 16 lanes. An append holds its lanes' rows to commit, so the positions of a lane are dense and
-- become visible in their order: a reader that goes by "position > last" misses nothing, and a gap is damage.

create table lanes (
    lane smallint not null,
    -- the position of the lane's newest event; 0 where there is none
    head bigint not null default 0,
    constraint lanes_pkey primary key (lane),
    constraint lanes_head_counts check (head >= 0)
)
-- room for new versions of the row on its own page, so that no index is touched
with (fillfactor = 10);

-- src/store/lanes.rs counts on 16, and says which debate lives where
insert into lanes (lane)
select generate_series(0, 15);

create table events (
    position bigint not null,
    version bigint not null,
    recorded_at timestamptz not null default clock_timestamp(),
    debate_id uuid not null,
    id uuid not null,
    -- the event that this one followed from
    caused_by uuid,
    lane smallint not null,
    schema smallint not null,
    kind text not null,
    -- who asked for it, where somebody did
    actor text,
    -- one JSON value in UTF-8. Bytes, not jsonb: a fifth cheaper to write, 1.6 times as fast to read, and what was
    -- hashed is what is kept. Whoever reads by hand uses events_readable.
    body bytea not null,
    -- chains the event to the one before it; see chain_hash
    hash bytea not null,
    constraint events_pkey primary key (lane, debate_id, version),
    constraint events_lane_position_key unique (lane, position),
    constraint events_debate_id_key unique (debate_id, id),
    constraint events_lane_fkey foreign key (lane) references lanes (lane) not enforced
);

-- The log only grows. "always": also where a session has switched triggers off by session_replication_role.

create function refuse_rewriting() returns trigger
language plpgsql as $$
begin
    raise exception using
        errcode = 'FL001',
        constraint = 'log_only_grows',
        table = tg_table_name,
        message = format('the log only grows: %s on %s is refused', lower(tg_op), tg_table_name),
        hint = 'what has happened is corrected by recording what happened next';
end;
$$;

create trigger log_only_grows
before update or delete or truncate on events
for each statement execute function refuse_rewriting();

alter table events enable always trigger log_only_grows;

create trigger log_only_grows
before delete or truncate on lanes
for each statement execute function refuse_rewriting();

alter table lanes enable always trigger log_only_grows;
