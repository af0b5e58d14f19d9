-- A debate may go on from a moment of another. The fork's stream begins with one event that names its origin and the last
-- version that both share, and stands at the version behind it: what came before is read from the origin, not copied.

-- The chain of a fork starts from the shared event as it was and from the fork's own id, so whatever is altered in the
-- shared past breaks the chains of the forks as well. src/store/verify.rs computes the same from what is stored.

create function chain_fork(debate_id uuid, shared_hash bytea) returns bytea
language sql immutable strict parallel safe
return sha256(uuid_send(debate_id) || shared_hash);

-- Begins the stream of a fork. From then on append_events finds it as it finds any other.
--
-- outcome    at_version             which
-- appended   its first event
-- repeated   its first event                   the stream begins with this very event
-- conflict   the stream's head                 the stream is there and begins otherwise
-- reused                            the id     the stream begins with this id and other content
-- missing                                      the shared event is not there

create function fork_stream(
    fork uuid,
    fork_lane smallint,
    -- where the last shared event is kept: in the origin's stream, or in that of the origin's own origin
    shared_debate uuid,
    shared_lane smallint,
    shared_version bigint,
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
    shared_hash bytea;
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

    select e.hash
    into shared_hash
    from events e
    where e.lane = shared_lane
    and e.debate_id = shared_debate
    and e.version = shared_version;

    if not found then
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
