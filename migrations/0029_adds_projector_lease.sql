-- Lease of the process that keeps the stored views up to date.

create table projector_lease (
    -- One row.
    is_only boolean not null default true,
    -- Number of the lease, raised whenever a process takes it; only the newest one saves rows.
    fence bigint not null default 0,
    -- Session of the holder's lock; if it has ended, the lease is free.
    backend integer,
    -- End of the lease, unless it is renewed.
    until timestamptz not null default '-infinity',
    constraint projector_lease_pkey primary key (is_only),
    constraint projector_lease_is_only check (is_only)
);

insert into projector_lease default values;
