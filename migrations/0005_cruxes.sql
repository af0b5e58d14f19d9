-- What debates turn on, one line a crux, as columns: what is asked across debates. Rows are those of the debate's line of
-- the same revision, saved with it, and replaced with it.

create table cruxes (
    revision int not null,
    debate_id uuid not null,
    -- src/verdicts/crux_name.rs: CruxKey. It stays when the debate goes on
    key text collate "C" not null,
    -- its place in the debate's list, from 1; resolved ones behind
    place int not null,
    -- dispute, assumption, premise, claim
    kind text not null,
    -- false where all came to one side
    open boolean not null,
    statement text not null,
    -- null where it rests on no argument: a dispute
    pivotality double precision,
    -- how many have to be settled to change a thesis; null where that is more than was looked for
    crux_order int,
    n_dependents int not null,
    -- who takes a side
    personas text[] not null,
    -- what the debate amounts to
    regime text not null,
    opened_at timestamptz not null,
    -- when the newest turn behind it was recorded
    changed_at timestamptz not null,
    body jsonb not null,
    -- a text may be longer than what can be indexed of it
    words tsvector not null generated always as (to_tsvector('english'::regconfig, left(statement, 20000))) stored,
    constraint cruxes_pkey primary key (revision, debate_id, key)
)
with (fillfactor = 80);

create index cruxes_newest on cruxes (revision, opened_at desc, debate_id desc, key desc);
create index cruxes_changed on cruxes (revision, changed_at desc, debate_id desc, key desc);
create index cruxes_pivotality on cruxes (revision, coalesce(pivotality, -1) desc, debate_id desc, key desc);
create index cruxes_dependents on cruxes (revision, n_dependents desc, debate_id desc, key desc);
create index cruxes_kind on cruxes (revision, kind, opened_at desc, debate_id desc, key desc);
create index cruxes_open on cruxes (revision, open, opened_at desc, debate_id desc, key desc);
create index cruxes_personas on cruxes using gin (personas);
create index cruxes_words on cruxes using gin (words);
