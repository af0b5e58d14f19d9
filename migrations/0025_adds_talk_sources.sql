-- Sources of talks: which debate distils the talk of which other debate anew. It repeats the words of that debate, so it is
-- erased with it. Its opening says the same, but its body is encrypted, and an erasure must not read all openings.

create table talk_sources (
    debate uuid not null,
    source uuid not null,
    constraint talk_sources_pkey primary key (debate)
);

create index talk_sources_source on talk_sources (source);
