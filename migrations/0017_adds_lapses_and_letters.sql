-- Leases that ran out while somebody held them, as whoever claimed the debate next found them: what had been asked under
-- such a lease and not answered was lost with it, and is asked once more.

create table lapses (
    debate_id uuid not null,
    -- the fence of the claim
    fence bigint not null,
    -- the process that let it run out
    former uuid not null,
    -- the process that claimed it; the same one, where that had given up driving the debate
    claimant uuid not null,
    claimed_at timestamptz not null default clock_timestamp(),
    constraint lapses_pkey primary key (debate_id, fence)
);

-- Events that a generation under way could not be made of. They become dead letters when it takes over.

create table generation_letters (
    generation int not null,
    debate_id uuid not null,
    version bigint not null,
    lane smallint not null,
    position bigint not null,
    kind text not null,
    reason text not null,
    found_at timestamptz not null default clock_timestamp(),
    constraint generation_letters_pkey primary key (generation, debate_id, version)
);

-- Whether a generation may take over although it leaves out debates that are shown now.

alter table generations add column allows_letters boolean default false;
