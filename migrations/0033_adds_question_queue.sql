-- Texts of questions that lack a vector by the embedder in use, or whose vector was not compared with the others yet. Every
-- process looks for such texts every second, and before looked through all of them.

create table question_queue (
    embedder smallint not null,
    question bigint not null,
    constraint question_queue_pkey primary key (embedder, question),
    constraint question_queue_embedder_fkey foreign key (embedder) references embedders (id) on delete cascade,
    constraint question_queue_question_fkey foreign key (question) references questions (id) on delete cascade
);

-- Adds every text that lacks a compared vector by an embedder, and removes those that have one. Reads all texts.
create function fill_question_queue(wanted smallint) returns void
language sql
as $$
    delete from question_queue as queue
    using question_vectors as v
    where queue.embedder = wanted
    and v.embedder = wanted
    and v.question = queue.question
    and v.paired;

    insert into question_queue (embedder, question)
    select wanted, id
    from questions
    where not exists (
        select
        from question_vectors as v
        where v.embedder = wanted
        and v.question = questions.id
        and v.paired
    )
    order by id
    on conflict do nothing;
$$;

create function queue_new_questions() returns trigger
language plpgsql
as $$
begin
    insert into question_queue (embedder, question)
    select embedders.id, added.id
    from embedders
    cross join added
    where in_use
    order by added.id
    on conflict do nothing;
    return null;
end
$$;

create trigger new_questions_are_queued after insert on questions
referencing new table as added
for each statement execute function queue_new_questions();

-- An embedder that comes into use has vectors of no text, or of some.
create function queue_questions_of_embedder() returns trigger
language plpgsql
as $$
begin
    perform fill_question_queue(new.id);
    return null;
end
$$;

create trigger questions_are_queued_for_embedders after insert or update of in_use on embedders
for each row when (new.in_use) execute function queue_questions_of_embedder();

select fill_question_queue(id) from embedders where in_use;
