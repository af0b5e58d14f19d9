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
    constraint events_version_counts check (version > 0),
    -- an empty one and none at all hash alike, so only one of the two may exist
    constraint events_actor_named check (actor <> ''),
    constraint events_caused_by_named check (caused_by <> '00000000-0000-0000-0000-000000000000')
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

-- The chain: the hash of an event covers the hash of the event before it in its stream, and everything that is kept of
-- the event but its place in the lane (which is the store's, not the debate's). Before the first one stands the hash of the
-- debate's id. src/store/verify.rs computes the same from what is stored.

create function chain_start(debate_id uuid) returns bytea
language sql immutable strict parallel safe
return sha256(uuid_send(debate_id));

create function chain_hash(
    previous bytea,
    id uuid,
    version bigint,
    recorded_at timestamptz,
    schema smallint,
    kind text,
    actor text,
    caused_by uuid,
    body bytea
) returns bytea
language sql stable parallel safe
return sha256(
    previous
    || uuid_send(id)
    || int8send(version)
    -- microseconds since 2000-01-01 UTC
    || timestamptz_send(recorded_at)
    || int2send(schema)
    || convert_to(kind, 'UTF8') || '\x00'::bytea
    || coalesce(convert_to(actor, 'UTF8'), ''::bytea) || '\x00'::bytea
    || uuid_send(coalesce(caused_by, '00000000-0000-0000-0000-000000000000'))
    || body
);

-- The one way in. Takes a batch of appends, decides each as if it stood alone and in the order given, and writes what is
-- accepted. One statement, one transaction, one round trip; a refused append costs the others nothing.
--
-- outcome    at_version        at_position       which
-- appended   its first event   its first event
-- repeated                                                        all its ids are in the stream with the same content
-- conflict   the stream's head                                    not where the caller thought, or some ids are in it
-- reused                                         such an id       an id is in the stream with other content
-- fenced                                                          the lease it wrote under is no longer held
--
-- Under "read committed" every statement below has its own snapshot: those after the first see what the holders of the
-- lanes before us committed. src/store/batch.rs calls it, with no id twice in a batch and stream.

create function append_events(
    -- the lanes concerned, ascending
    lane_numbers smallint[],
    -- each stream concerned: its debate, its lane, and that lane's place among lane_numbers
    stream_debates uuid[],
    stream_lanes smallint[],
    stream_lane_places int[],
    -- each append: its stream's place, the version it expects, the fence it writes under or null, how many events;
    -- no fences at all where nobody writes under one
    append_streams int[],
    append_expects bigint[],
    append_fences bigint[],
    append_sizes int[],
    -- each event, append by append: its append's place, and what is kept
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
language plpgsql
-- Planned once a session: to plan for each batch's arrays anew would treble the cost of a small one. And everything is
-- looked up by index, whatever the planner believes of a table that has just begun to grow.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    n_appends constant int := cardinality(append_streams);
    n_events constant int := cardinality(event_ids);
    heads bigint[];
    versions bigint[];
    hashes bytea[];
    outcomes text[] := array_fill(null::text, array[n_appends]);
    others uuid[] := array_fill(null::uuid, array[n_appends]);
    new_versions bigint[] := array_fill(null::bigint, array[n_events]);
    new_positions bigint[] := array_fill(null::bigint, array[n_events]);
    new_hashes bytea[] := array_fill(null::bytea, array[n_events]);
    repeat_appends int[];
    repeat_counts bigint[];
    repeat_others uuid[];
    fenced int;
    stream int;
    lane_place int;
    event int := 0;
    grown boolean := false;
    version bigint;
    head bigint;
    link bytea;
begin
    -- From here to commit nobody else writes to these lanes. Ascending, so that two batches never wait for each other.
    select array_agg(locked.head order by locked.lane)
    into heads
    from (
        select lane, head
        from lanes
        where lane = any (lane_numbers)
        order by lane
        for update
    ) as locked;

    if cardinality(heads) is distinct from cardinality(lane_numbers) then
        raise exception using
            errcode = 'FL002',
            constraint = 'lanes_complete',
            table = 'lanes',
            message = format('of the lanes %s only %s exist', lane_numbers, coalesce(cardinality(heads), 0));
    end if;

    at_time := clock_timestamp();

    -- Where each stream stands; and what of the events is in its stream already. What was done before is done, also
    -- under a lease since lost, also at another version.
    select streams.versions, streams.hashes, repeats.appends, repeats.counts, repeats.others
    into versions, hashes, repeat_appends, repeat_counts, repeat_others
    from (
        select
            array_agg(coalesce(newest.version, 0) order by s.place) as versions,
            array_agg(coalesce(newest.hash, chain_start(s.debate_id)) order by s.place) as hashes
        from unnest(stream_debates, stream_lanes) with ordinality as s (debate_id, lane, place)
        left join lateral (
            select e.version, e.hash
            from events e
            where e.lane = s.lane
            and e.debate_id = s.debate_id
            order by e.version desc
            limit 1
        ) as newest on true
    ) as streams
    cross join (
        select array_agg(r.append) as appends, array_agg(r.n) as counts, array_agg(r.other) as others
        from (
            select
                n.append,
                count(*) as n,
                (array_agg(n.id) filter (where (e.kind, e.schema, e.body) <> (n.kind, n.schema, n.body)))[1] as other
            from unnest(event_appends, event_ids, event_kinds, event_schemas, event_bodies)
                as n (append, id, kind, schema, body)
            join events e
                on e.debate_id = stream_debates[append_streams[n.append]]
                and e.id = n.id
            group by n.append
        ) as r
    ) as repeats;

    for i in 1 .. coalesce(cardinality(repeat_appends), 0) loop
        others[repeat_appends[i]] := repeat_others[i];
        outcomes[repeat_appends[i]] := case
            when repeat_others[i] is not null then 'reused'
            when repeat_counts[i] = append_sizes[repeat_appends[i]] then 'repeated'
            else 'conflict'
        end;
    end loop;

    -- The lock lets a lease be renewed but not claimed: after a claim nothing more comes in under the fence before it.
    if append_fences is not null then
        for fenced in
            select f.append::int
            from unnest(append_streams, append_fences) with ordinality as f (stream, fence, append)
            left join lateral (
                select true as held
                from leases l
                where l.debate_id = stream_debates[f.stream]
                and l.fence = f.fence
                and l.holder is not null
                for key share
            ) as lease on true
            where f.fence is not null
            and lease.held is null
        loop
            outcomes[fenced] := coalesce(outcomes[fenced], 'fenced');
        end loop;
    end if;

    for place in 1 .. n_appends loop
        append := place;
        stream := append_streams[place];
        version := versions[stream];
        outcome := outcomes[place];
        which := others[place];
        at_version := version;
        at_position := null;
        if outcome is null and version <> append_expects[place] then
            outcome := 'conflict';
        end if;
        if outcome is null then
            outcome := 'appended';
            lane_place := stream_lane_places[stream];
            head := heads[lane_place];
            link := hashes[stream];
            at_version := version + 1;
            at_position := head + 1;
            for i in event + 1 .. event + append_sizes[place] loop
                version := version + 1;
                head := head + 1;
                link := chain_hash(
                    link, event_ids[i], version, at_time, event_schemas[i], event_kinds[i], event_actors[i],
                    event_causes[i], event_bodies[i]
                );
                new_versions[i] := version;
                new_positions[i] := head;
                new_hashes[i] := link;
            end loop;
            versions[stream] := version;
            heads[lane_place] := head;
            hashes[stream] := link;
            grown := true;
        end if;
        event := event + append_sizes[place];
        return next;
    end loop;

    if not grown then
        return;
    end if;

    with written as (
        insert into events (
            position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash
        )
        select
            n.position,
            n.version,
            at_time,
            stream_debates[append_streams[n.append]],
            n.id,
            n.caused_by,
            stream_lanes[append_streams[n.append]],
            n.schema,
            n.kind,
            n.actor,
            n.body,
            n.hash
        from unnest(
            new_positions, new_versions, event_appends, event_ids, event_causes, event_schemas, event_kinds,
            event_actors, event_bodies, new_hashes
        ) as n (position, version, append, id, caused_by, schema, kind, actor, body, hash)
        where n.version is not null
    )
    update lanes l
    set head = n.head
    from unnest(lane_numbers, heads) as n (lane, head)
    where l.lane = n.lane
    and l.head <> n.head;
end;
$$;

-- For people with psql.

create function readable(body bytea) returns jsonb
language plpgsql immutable strict parallel safe as $$
begin
    return convert_from(body, 'UTF8')::jsonb;
exception when others then
    -- jsonb knows no \u0000; what it cannot hold is shown as text
    return to_jsonb(encode(body, 'escape'));
end;
$$;

create view events_readable as
select
    lane,
    position,
    debate_id,
    version,
    id,
    kind,
    schema,
    readable(body) as body,
    actor,
    caused_by,
    recorded_at,
    encode(hash, 'hex') as hash
from events;
