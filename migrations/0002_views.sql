-- What the log adds up to, kept at hand. Every row here can be folded again from the log.
--
-- Rows belong to a revision of their projection. Another revision is filled beside the one being served and takes over
-- in one transaction (served), so a reader sees the old rows or the new ones, never a mixture and never none.

create table views (
    projection text not null,
    revision int not null,
    debate_id uuid not null,
    -- the debate's newest event in the fold
    version bigint not null,
    body jsonb not null,
    constraint views_pkey primary key (projection, revision, debate_id)
)
with (fillfactor = 80);

-- One line a debate, as columns: what is asked across debates.

create table debates (
    revision int not null,
    debate_id uuid not null,
    version bigint not null,
    topic text not null,
    engine text not null,
    provider text not null,
    status text not null,
    phase text,
    regime text,
    opened_at timestamptz not null,
    -- when its newest event was recorded
    changed_at timestamptz not null,
    ended_at timestamptz,
    n_turns bigint not null,
    tokens bigint not null,
    -- millionths of a US dollar
    cost_micros bigint not null,
    -- persona ids, in speaking order
    participants text[] not null,
    constraint debates_pkey primary key (revision, debate_id)
)
with (fillfactor = 80);

create index debates_newest on debates (revision, opened_at desc, debate_id desc);
create index debates_status on debates (revision, status, opened_at desc, debate_id desc);
create index debates_engine on debates (revision, engine, opened_at desc, debate_id desc);
create index debates_participants on debates using gin (participants) with (fastupdate = off);

-- How far a reader of the whole log has come, by name and revision. Saved together with the rows it stands for.

create table checkpoints (
    name text not null,
    revision int not null,
    -- src/store/lanes.rs: Cursor
    cursor text not null,
    saved_at timestamptz not null default clock_timestamp(),
    constraint checkpoints_pkey primary key (name, revision)
)
with (fillfactor = 50);

-- Which revision of a projection is shown to the world.

create table served (
    name text not null,
    revision int not null,
    since timestamptz not null default clock_timestamp(),
    constraint served_pkey primary key (name)
);
