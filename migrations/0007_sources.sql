-- Sources in the web: what corpus/<id>/sources.toml names, and how a server is asked whether one has changed.
--
-- A document of a source that holds several is called <source>/<part>, so nothing else need say where it came from. A row
-- here is written after the documents: a crash in between costs one request more, never a document.

create table sources (
    persona text not null,
    -- As sources.toml has it, or as it is made from the address.
    name text not null,
    url text not null,
    etag text,
    modified text,
    -- Of the rules by which its documents were cut: under others it has to be fetched again, changed or not.
    revision smallint not null,
    fetched_at timestamptz not null default clock_timestamp(),
    constraint sources_pkey primary key (persona, name),
    constraint sources_persona_fkey foreign key (persona) references personas (id) on delete cascade
);

-- What looks like an attempt on the model that reads a document: `sign: what was found`. For people; nothing is refused.
alter table documents add column flags text[] not null default '{}';
