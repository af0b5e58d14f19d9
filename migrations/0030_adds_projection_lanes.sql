-- Lanes of the stored views, shared among the processes that keep them up to date.

create table projector_members (
    member uuid not null,
    -- Revision of the member's folds; members of one revision share its lanes.
    revision integer not null,
    -- Session of the member's lock; if it has ended, the member is gone.
    backend integer not null,
    -- End of the membership, unless it is renewed.
    until timestamptz not null,
    constraint projector_members_pkey primary key (member)
);

create table projection_lanes (
    revision integer not null,
    lane smallint not null,
    -- Member that holds the lane; it is free if there is no such member.
    holder uuid,
    -- Raised whenever a member takes the lane; rows are saved under the newest fence only.
    fence bigint not null default 0,
    constraint projection_lanes_pkey primary key (revision, lane)
)
with (fillfactor = 50);

-- Fence of the newest lease whose holder shares the lanes. If it differs from the fence of the lease, an earlier version
-- of the program holds the lease and projects all lanes alone.
alter table projector_lease add column lanes_fence bigint;
