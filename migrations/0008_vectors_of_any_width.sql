-- Vectors of any width: each embedder has its own, and all vectors under its name have it.
--
-- 4,000 is the most that half precision can be indexed with. Vectors of two widths can stand in one table, because a
-- search names the embedder; what was stored with 384 components stays as it is.

alter table embedders drop constraint embedders_width_is_384;
alter table embedders add constraint embedders_width_can_be_kept check (width between 1 and 4000);

-- Another has taken its place: nobody searches its vectors, nobody adds to them, and they go a few at a time.
alter table embedders add column retired boolean not null default false;
alter table embedders add constraint embedders_retired_is_not_in_use check (not (retired and in_use));

alter table chunk_vectors alter column vector type halfvec;
alter table sentence_vectors alter column vector type halfvec;

-- What the type no longer says. Vectors are written and removed, and never changed.
create function check_widths() returns trigger language plpgsql as $$
begin
    if exists (
        select
        from fresh
        join embedders on embedders.id = fresh.embedder
        where vector_dims(fresh.vector) <> embedders.width
    ) then
        raise exception 'a vector has another width than the embedder that it is by' using errcode = 'check_violation';
    end if;
    return null;
end $$;

create trigger chunk_vectors_have_their_width
    after insert on chunk_vectors
    referencing new table as fresh
    for each statement execute function check_widths();

create trigger sentence_vectors_have_their_width
    after insert on sentence_vectors
    referencing new table as fresh
    for each statement execute function check_widths();
