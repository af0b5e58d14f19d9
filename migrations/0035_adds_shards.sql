-- Lanes of the log on several servers: each has this schema, and one of them, the home, says where the lanes are.

-- Head at which a lane was closed on this server, because it is on another one. A closed lane does not grow, whoever writes to it
-- and whatever that process knows of the move.
alter table lanes add column closed_head bigint;
-- Move that closed the lane, or copies it here.
alter table lanes add column move uuid;
alter table lanes add constraint lanes_closed check (closed_head is null or head = closed_head);

-- Store to which this database belongs, and its name there.
create table store_identity (
    is_only boolean not null default true,
    store uuid not null default gen_random_uuid(),
    shard text not null default 'home',
    constraint store_identity_pkey primary key (is_only),
    constraint store_identity_is_only check (is_only)
);

insert into store_identity default values;

-- Server of each lane that was ever moved. The others are at home.
create table lane_shards (
    lane smallint not null,
    shard text not null,
    -- Raised by every move.
    epoch bigint not null,
    constraint lane_shards_pkey primary key (lane)
);

-- Move of a lane that is under way. If it is not renewed, the lane is opened again where it was.
create table lane_moves (
    lane smallint not null,
    target text not null,
    -- Names the process that moves it.
    token uuid not null,
    until timestamptz not null,
    constraint lane_moves_pkey primary key (lane)
);

-- Begins the stream of a fork, like fork_stream, behind a shared event that may be on another server: only its hash is given, null
-- if it is missing.
create function fork_stream_after(
    fork uuid,
    fork_lane smallint,
    shared_version bigint,
    shared_hash bytea,
    event_id uuid,
    event_kind text,
    event_schema smallint,
    event_body bytea
) returns table (outcome text, at_version bigint, at_position bigint, at_time timestamptz)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    first_event events%rowtype;
begin
    select head + 1
    into at_position
    from lanes
    where lane = fork_lane
    for update;

    at_time := clock_timestamp();

    select *
    into first_event
    from events e
    where e.lane = fork_lane
    and e.debate_id = fork
    order by e.version
    limit 1;

    if found then
        outcome := case
            when first_event.id <> event_id then 'conflict'
            when (first_event.kind, first_event.schema, first_event.body) = (event_kind, event_schema, event_body)
                then 'repeated'
            else 'reused'
        end;
        at_version := first_event.version;
        if outcome = 'conflict' then
            select max(e.version)
            into at_version
            from events e
            where e.lane = fork_lane
            and e.debate_id = fork;
        end if;
        at_position := first_event.position;
        at_time := first_event.recorded_at;
        return next;
        return;
    end if;

    if shared_hash is null then
        outcome := 'missing';
        return next;
        return;
    end if;

    outcome := 'appended';
    at_version := shared_version + 1;

    insert into events (position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash)
    values (
        at_position,
        at_version,
        at_time,
        fork,
        event_id,
        null,
        fork_lane,
        event_schema,
        event_kind,
        null,
        event_body,
        chain_hash(
            chain_fork(fork, shared_hash), event_id, at_version, at_time, event_schema, event_kind, null, null,
            event_body
        )
    );

    update lanes
    set head = at_position
    where lane = fork_lane;

    return next;
end;
$$;

create or replace function fork_stream(
    fork uuid,
    fork_lane smallint,
    shared_debate uuid,
    shared_lane smallint,
    shared_version bigint,
    event_id uuid,
    event_kind text,
    event_schema smallint,
    event_body bytea
) returns table (outcome text, at_version bigint, at_position bigint, at_time timestamptz)
language sql
as $$
    select *
    from fork_stream_after(
        fork,
        fork_lane,
        shared_version,
        (
            select hash
            from events
            where lane = shared_lane
            and debate_id = shared_debate
            and version = shared_version
        ),
        event_id,
        event_kind,
        event_schema,
        event_body
    );
$$;

-- The events of a lane that was moved are deleted from the server that it was moved from. All others stay for good.

create function refuse_rewriting_of_open_lanes() returns trigger
language plpgsql as $$
begin
    if exists (select from lanes where lane = old.lane and closed_head is not null) then
        return old;
    end if;
    raise exception using
        errcode = 'FL001',
        constraint = 'log_only_grows',
        table = tg_table_name,
        message = format('the log only grows: delete on %s is refused', tg_table_name),
        hint = 'what has happened is corrected by recording what happened next';
end;
$$;

drop trigger log_only_grows on events;

create trigger log_only_grows
before update or truncate on events
for each statement execute function refuse_rewriting();

alter table events enable always trigger log_only_grows;

create trigger open_lanes_only_grow
before delete on events
for each row execute function refuse_rewriting_of_open_lanes();

alter table events enable always trigger open_lanes_only_grow;
