-- Lease of the process that keeps the stored views up to date: one row, once a process has taken it.

create table projector_lease (
    is_only boolean not null default true,
    -- Number of the lease, raised whenever a process takes it; only the newest one saves rows.
    fence bigint not null default 1,
    -- Session of the holder's lock; if it has ended, the lease is free.
    backend integer not null,
    -- End of the lease, unless it is renewed.
    until timestamptz not null,
    constraint projector_lease_pkey primary key (is_only),
    constraint projector_lease_is_only check (is_only)
);
