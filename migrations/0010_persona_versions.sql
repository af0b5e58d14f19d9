-- Every version of a persona that was ever ingested or took part in a debate, and which debate pinned which. Versions only
-- grow in number: what a debate was held with can be read and compared long after the persona's file was edited.
--
-- A debate's own log holds its personas whole, so nothing here is needed to go on with a debate; it is kept for questions
-- across debates, and filled from the log again whenever a fold is made anew.

create table persona_versions (
    persona text collate "C" not null,
    -- src/events/edition.rs: Edition, the number raised by hand and what contract and voice hash to
    edition text collate "C" not null,
    number integer not null,
    contract text not null,
    voice text not null,
    -- the persona as the event that opens a debate holds it
    body jsonb not null,
    -- when it was first met, by an ingest or in a debate
    seen_at timestamptz not null default clock_timestamp(),
    constraint persona_versions_pkey primary key (persona, edition)
);

create trigger log_only_grows
before update or delete or truncate on persona_versions
for each statement execute function refuse_rewriting();

create table casts (
    debate_id uuid not null,
    persona text collate "C" not null,
    edition text collate "C" not null,
    -- when the debate was opened
    opened_at timestamptz not null,
    constraint casts_pkey primary key (debate_id, persona, edition)
);

create index casts_of_persona on casts (persona, edition, opened_at desc, debate_id desc);
