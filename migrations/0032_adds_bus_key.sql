-- Key of the messages that processes of this store exchange on a message bus: one row.

create table bus_key (
    is_only boolean not null default true,
    -- 244 random bits; `gen_random_uuid` draws from the cryptographic random numbers of the server.
    secret bytea not null,
    constraint bus_key_pkey primary key (is_only),
    constraint bus_key_is_only check (is_only)
);

insert into bus_key (secret)
select decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
