-- A debate's key is as durable as its first event: both are recorded in one transaction, and the log refuses a sealed first
-- event whose key is not in the table. Before, the key was committed on its own and without waiting for the disk, so a
-- server that died in between lost it, and the events that followed were unreadable.

-- Records the key of a debate that is about to begin, in the caller's transaction: the one given, unless one is there.
-- Returns the key under which to seal; no row for a debate that began without one.

create or replace function provide_key(debate uuid, debate_lane smallint, new_key bytea, new_master bytea)
returns table (key bytea, master bytea)
language plpgsql as $$
#variable_conflict use_column
begin
    insert into debate_keys (debate_id, key, master)
    select debate, new_key, new_master
    where not exists (
        select
        from events e
        where e.lane = debate_lane
        and e.debate_id = debate
    )
    on conflict (debate_id) do nothing;

    return query
    select k.key, k.master
    from debate_keys k
    where k.debate_id = debate;
end;
$$;

-- Refuses the first event of a stream if it is sealed and its debate has no key in the table. Later events need no check:
-- the key of their debate became durable with the first one, or before it.

create function refuse_lost_key() returns trigger
language plpgsql as $$
begin
    if substr(new.body, 1, 1) in ('\x01', '\x02')
        and not exists (
            select
            from debate_keys k
            where k.debate_id = new.debate_id
        )
    then
        raise exception using
            errcode = 'FL002',
            constraint = 'key_is_recorded',
            table = tg_table_name,
            message = format('the key of debate %s is not recorded', new.debate_id),
            hint = 'record the key in the transaction of the first event';
    end if;
    return null;
end;
$$;

create trigger key_is_recorded
after insert on events
for each row
when (new.version = 1 or new.kind = 'debate_forked')
execute function refuse_lost_key();

alter table events enable always trigger key_is_recorded;

-- Appends as append_events does, and records the keys of the debates that begin with it. Raises FL002 if a debate has
-- another key by now, or began without one: then the bodies are sealed wrongly, and nothing is recorded.

create function append_beginnings(
    key_debates uuid[],
    key_lanes smallint[],
    key_bytes bytea[],
    key_masters bytea[],
    lane_numbers smallint[],
    stream_debates uuid[],
    stream_lanes smallint[],
    stream_lane_places int[],
    append_streams int[],
    append_expects bigint[],
    append_fences bigint[],
    append_sizes int[],
    event_appends int[],
    event_ids uuid[],
    event_kinds text[],
    event_schemas smallint[],
    event_bodies bytea[],
    event_causes uuid[],
    event_actors text[]
) returns table (
    append int,
    outcome text,
    at_version bigint,
    at_position bigint,
    at_time timestamptz,
    which uuid
)
language plpgsql as $$
#variable_conflict use_column
declare
    other uuid;
begin
    -- In one order everywhere, so that two writers wait for each other and not in a circle.
    insert into debate_keys (debate_id, key, master)
    select given.debate, given.key, given.master
    from unnest(key_debates, key_lanes, key_bytes, key_masters) as given (debate, lane, key, master)
    where not exists (
        select
        from events e
        where e.lane = given.lane
        and e.debate_id = given.debate
    )
    order by given.debate
    on conflict (debate_id) do nothing;

    select given.debate
    into other
    from unnest(key_debates, key_bytes) as given (debate, key)
    left join debate_keys k on k.debate_id = given.debate
    where k.key is distinct from given.key
    limit 1;

    if found then
        raise exception using
            errcode = 'FL002',
            constraint = 'key_is_recorded',
            table = 'debate_keys',
            message = format('debate %s began under another key', other),
            hint = 'read the key that is recorded, seal the events again and repeat the append';
    end if;

    return query
    select *
    from append_events(
        lane_numbers, stream_debates, stream_lanes, stream_lane_places, append_streams, append_expects, append_fences,
        append_sizes, event_appends, event_ids, event_kinds, event_schemas, event_bodies, event_causes, event_actors
    );
end;
$$;
