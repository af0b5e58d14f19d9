-- Shared corpora: texts that belong to no persona and are common to the participants of a debate.
--
-- Documents, web sources and shelves belong to a corpus owner: a persona or a shared corpus. Their column `persona` is the
-- id of the owner. Triggers add and remove owners, so that processes of earlier versions, which write personas only, do so
-- as well: these processes can run beside this version. No shared corpus has the id of a persona, because the id of an
-- owner is unique.

create table shared_corpora (
    id text not null,
    name text not null,
    -- One line: what the corpus contains.
    about text not null,
    changed_at timestamptz not null default clock_timestamp(),
    constraint shared_corpora_pkey primary key (id)
);

create table corpus_owners (
    id text not null,
    constraint corpus_owners_pkey primary key (id)
);

create function add_corpus_owner() returns trigger
language plpgsql as $$
begin
    insert into corpus_owners (id)
    values (new.id);
    return null;
end;
$$;

create function remove_corpus_owner() returns trigger
language plpgsql as $$
begin
    delete from corpus_owners
    where id = old.id;
    return null;
end;
$$;

-- In the order in which writers of documents lock them.
lock table documents, sources, shelves, personas in access exclusive mode;

insert into corpus_owners (id)
select id
from personas;

create trigger persona_becomes_an_owner
after insert on personas
for each row execute function add_corpus_owner();

create trigger persona_is_removed_with_its_documents
after delete on personas
for each row execute function remove_corpus_owner();

create trigger shared_corpus_becomes_an_owner
after insert on shared_corpora
for each row execute function add_corpus_owner();

create trigger shared_corpus_is_removed_with_its_documents
after delete on shared_corpora
for each row execute function remove_corpus_owner();

alter table documents
    drop constraint documents_persona_fkey,
    add constraint documents_persona_fkey foreign key (persona) references corpus_owners (id) on delete cascade;

alter table sources
    drop constraint sources_persona_fkey,
    add constraint sources_persona_fkey foreign key (persona) references corpus_owners (id) on delete cascade;

alter table shelves
    drop constraint shelves_persona_fkey,
    add constraint shelves_persona_fkey foreign key (persona) references corpus_owners (id) on delete cascade;
