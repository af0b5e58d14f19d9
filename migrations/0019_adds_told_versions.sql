-- Versions of personas that only debates told of go with the last of these debates. Before, a debate that was erased left
-- the names, descriptions and contracts of those who took part.

-- True if an ingest told of it: such a version is the library's, and stays until the persona is erased.
alter table persona_versions add column ingested boolean default false;

drop trigger log_only_grows on persona_versions;
drop trigger log_forgets_who_was_erased on persona_versions;

-- Which versions of before came from an ingest is not on record. Those of personas in the library are taken for such.
update persona_versions
set ingested = true
where persona in (select id from personas);

-- Versions that only debates told of, which were erased since. A version that is missing all the same is told again by the next fold.
delete from persona_versions
where ingested is not true
and not exists (
    select
    from casts c
    where c.persona = persona_versions.persona
    and c.edition = persona_versions.edition
);

create trigger log_only_grows
before truncate on persona_versions
for each statement execute function refuse_rewriting();

create trigger versions_stay_as_they_are
before update on persona_versions
for each row
when (
    (old.persona, old.edition, old.number, old.contract, old.voice, old.body, old.seen_at)
    is distinct from (new.persona, new.edition, new.number, new.contract, new.voice, new.body, new.seen_at)
)
execute function refuse_rewriting();

create or replace function refuse_forgetting() returns trigger
language plpgsql as $$
begin
    if exists (select from erasures where persona = old.persona) then
        return old;
    end if;
    if old.ingested is not true
        and not exists (select from casts where persona = old.persona and edition = old.edition)
    then
        return old;
    end if;
    raise exception using
        errcode = 'FL001',
        constraint = 'log_only_grows',
        table = tg_table_name,
        message = format('the log only grows: delete on %s is refused', tg_table_name),
        hint = 'the versions of a persona go when the persona is erased, or the last debate that told of them';
end;
$$;

create trigger log_forgets_who_was_erased
before delete on persona_versions
for each row execute function refuse_forgetting();
