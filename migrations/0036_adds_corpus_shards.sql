-- Corpora on several database servers: the documents of a persona or a shared corpus, with their passages and vectors, can be
-- on a server other than the home. Personas and shared corpora themselves stay at home.
--
-- Each server that holds a corpus, or held it once, has its owner here.

alter table corpus_owners
    -- The owner is a shared corpus and no persona.
    add column is_shared boolean not null default false,
    -- At home: name of the shard that holds the documents.
    add column shard text not null default 'home',
    -- Documents of the owner are neither stored nor removed on this server: they are on another one, or being moved.
    add column is_closed boolean not null default false;

update corpus_owners
set is_shared = true
where id in (select id from shared_corpora);

create or replace function add_corpus_owner() returns trigger
language plpgsql as $$
begin
    insert into corpus_owners (id, is_shared)
    values (new.id, tg_table_name = 'shared_corpora');
    return null;
end;
$$;
