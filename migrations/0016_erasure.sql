-- Erasure: what was said in a debate can be made unreadable for good, and the log stays what it was: every event in its
-- place, every hash as it was written.
--
-- Bodies are sealed under a key of the debate's own before they reach the log, so the chain is over what is stored. A body
-- that begins with the byte 1 or 2 is sealed, and no JSON begins so; one that does not is plain. To erase a debate is to
-- destroy its key, and to delete whatever was made from what it said. docs/erasure.md says how far that reaches.

-- The key of each debate that is sealed. Dumped without its data (pg_dump --exclude-table-data), a backup cannot be read.

create table debate_keys (
    debate_id uuid not null,
    -- null: destroyed. Then nothing of the debate is shown any more, sealed or not
    key bytea,
    -- which master key it is wrapped with, by the beginning of its digest; null: with none
    master bytea,
    constraint debate_keys_pkey primary key (debate_id),
    constraint debate_keys_key_has_its_length check (length(key) = case when master is null then 32 else 60 end),
    constraint debate_keys_destroyed_whole check (key is not null or master is null)
);

-- What was erased, when, at whose word and why: never what it said.

create table erasures (
    id bigint not null generated always as identity,
    -- one of the two
    debate_id uuid,
    persona text collate "C",
    -- false: some bodies had been recorded in plain, and are only hidden
    sealed boolean not null,
    asked_by text not null,
    reason text not null,
    erased_at timestamptz not null default clock_timestamp(),
    constraint erasures_pkey primary key (id),
    constraint erasures_debate_key unique (debate_id),
    constraint erasures_of_one_thing check ((debate_id is null) <> (persona is null))
);

create trigger log_only_grows
before update or delete or truncate on erasures
for each statement execute function refuse_rewriting();

alter table erasures enable always trigger log_only_grows;

-- Which debates share their past with which. It is in the events as well, where an erased fork cannot be asked any more.

create table fork_origins (
    fork uuid not null,
    origin uuid not null,
    -- the last version that both share
    at bigint not null,
    constraint fork_origins_pkey primary key (fork)
);

create index fork_origins_origin on fork_origins (origin);

insert into fork_origins (fork, origin, at)
select debate_id, (readable(body) ->> 'origin')::uuid, (readable(body) ->> 'at')::bigint
from events
where kind = 'debate_forked'
and readable(body) ->> 'at' = (version - 1)::text;

-- The key under which a debate that is about to begin is sealed: the one given, or the one that is there. None for a debate
-- that began without one.
--
-- It need not reach the disk by itself: it lies in the server's log before the first event that it seals, and gets there
-- with it.

create function provide_key(debate uuid, debate_lane smallint, new_key bytea, new_master bytea)
returns table (key bytea, master bytea)
language plpgsql as $$
#variable_conflict use_column
begin
    perform set_config('synchronous_commit', 'off', true);

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

-- Which of these debates are erased, with the promise that none of them will be before this transaction ends. Whoever
-- stores something that was made from debates asks first; whoever erases waits for them (src/store/erasure.rs).

create function erased_among(debates uuid[]) returns setof uuid
language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(7379041168);

    -- A statement of its own, so that it sees what was erased while the lock was waited for.
    return query
    select k.debate_id
    from debate_keys k
    where k.debate_id = any (debates)
    and k.key is null;
end;
$$;

-- Versions of a persona go when the persona does, and only then.

drop trigger log_only_grows on persona_versions;

create trigger log_only_grows
before update or truncate on persona_versions
for each statement execute function refuse_rewriting();

create function refuse_forgetting() returns trigger
language plpgsql as $$
begin
    if exists (select from erasures where persona = old.persona) then
        return old;
    end if;
    raise exception using
        errcode = 'FL001',
        constraint = 'log_only_grows',
        table = tg_table_name,
        message = format('the log only grows: delete on %s is refused', tg_table_name),
        hint = 'the versions of a persona go when the persona is erased';
end;
$$;

create trigger log_forgets_who_was_erased
before delete on persona_versions
for each row execute function refuse_forgetting();

-- For people with psql: a body that is sealed, said so.

create or replace function readable(body bytea) returns jsonb
language plpgsql immutable strict parallel safe as $$
begin
    if substr(body, 1, 1) in ('\x01', '\x02') then
        return '"sealed"';
    end if;
    return convert_from(body, 'UTF8')::jsonb;
exception when others then
    -- jsonb knows no \u0000; what it cannot hold is shown as text
    return to_jsonb(encode(body, 'escape'));
end;
$$;
