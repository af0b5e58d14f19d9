-- Vectors of questions on another database server. Their texts, the pairs of similar ones and the queue stay at home.

-- Server of the vectors. Only the row of the home counts.
create table question_placement (
    is_only boolean not null default true,
    -- Name of the shard that has the vectors, and gets the new ones.
    shard text not null default 'home',
    -- Shard from which vectors are being moved; null once there are none left.
    former text,
    constraint question_placement_pkey primary key (is_only),
    constraint question_placement_is_only check (is_only),
    constraint question_placement_moves check (former <> shard)
);

insert into question_placement default values;

-- A row at home without a vector has it on the shard.
alter table question_vectors alter column vector drop not null;

-- Vectors on a shard. Ids are those of the home.
create table shard_question_vectors (
    embedder smallint not null,
    question bigint not null,
    vector halfvec not null,
    constraint shard_question_vectors_pkey primary key (embedder, question)
);

-- At home: deleted questions that may have vectors on a shard.
create table deleted_questions (
    question bigint not null,
    deleted_at timestamptz not null default now(),
    constraint deleted_questions_pkey primary key (question)
);

create function note_deleted_questions() returns trigger
language plpgsql
as $$
begin
    insert into deleted_questions (question)
    select gone.id
    from gone
    where exists (select from question_placement where shard <> 'home' or former <> 'home')
    on conflict do nothing;
    return null;
end
$$;

create trigger deleted_questions_are_noted after delete on questions
referencing old table as gone
for each statement execute function note_deleted_questions();
