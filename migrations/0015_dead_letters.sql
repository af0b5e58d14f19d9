-- Events that a projection could not read: told, left out by name, and tried again when somebody asks for it.

create table dead_letters (
    projection text not null,
    debate_id uuid not null,
    version bigint not null,
    lane smallint not null,
    position bigint not null,
    kind text not null,
    reason text not null,
    attempts int not null default 1,
    found_at timestamptz not null default clock_timestamp(),
    tried_at timestamptz not null default clock_timestamp(),
    -- whether somebody asked for another attempt that was not made yet
    wanted boolean not null default false,
    constraint dead_letters_pkey primary key (projection, debate_id, version)
);

-- The log's own constraints, so that the table can be laid out by lane, in partitions or over machines: each of them has to
-- name the lane then. A debate has one lane, so it says what it said before.

alter table events
    drop constraint events_debate_id_key,
    add constraint events_debate_id_key unique (debate_id, id, lane);
