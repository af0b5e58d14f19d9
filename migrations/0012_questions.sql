-- What debates ask, across debates: every distinct text of a crux or a dispute once, where it lies in an embedder's space,
-- and what lies near it. Texts come with the rows that they are of (src/store/questions/texts.rs); vectors and pairs
-- follow in the background (src/store/questions/due.rs), and until then words find a text already.
--
-- A text stays when no debate has it any more: its debate may come to have it again, and the log holds it anyway.

-- The digest of a text, as a column can be made of it: backslashes doubled, so that every byte stands for itself.

create function question_hash(text text) returns bytea
language sql
immutable
strict
parallel safe
return sha256(decode(replace(text, E'\\', E'\\\\'), 'escape'));

create table questions (
    id bigint not null generated always as identity,
    hash bytea not null,
    text text not null,
    -- a text may be longer than what can be indexed of it
    words tsvector not null generated always as (to_tsvector('english'::regconfig, left(text, 20000))) stored,
    constraint questions_pkey primary key (id),
    constraint questions_hash_key unique (hash),
    constraint questions_hash_is_of_text check (hash = question_hash(text))
);

create index questions_words on questions using gin (words);

alter table embedders add constraint embedders_id_width_key unique (id, width);

create table question_vectors (
    embedder smallint not null,
    question bigint not null,
    width integer not null,
    -- Of any width, and of its embedder's only.
    vector halfvec not null,
    -- Whether it was held against all vectors that were there by then.
    paired boolean not null default false,
    constraint question_vectors_pkey primary key (embedder, question),
    constraint question_vectors_embedder_fkey foreign key (embedder, width) references embedders (id, width)
        on delete cascade,
    constraint question_vectors_question_fkey foreign key (question) references questions (id) on delete cascade,
    constraint question_vectors_is_of_its_width check (vector_dims(vector) = width)
);

create index question_vectors_unpaired on question_vectors (embedder, question) where not paired;

create table question_pairs (
    embedder smallint not null,
    -- the lesser id
    one bigint not null,
    other bigint not null,
    cosine real not null,
    constraint question_pairs_pkey primary key (embedder, one, other),
    constraint question_pairs_embedder_fkey foreign key (embedder) references embedders (id) on delete cascade,
    constraint question_pairs_one_fkey foreign key (one) references questions (id) on delete cascade,
    constraint question_pairs_other_fkey foreign key (other) references questions (id) on delete cascade,
    constraint question_pairs_in_order check (one < other)
);

-- What cruxes ask.

alter table cruxes add column question bytea not null generated always as (question_hash(statement)) stored;

create index cruxes_question on cruxes (question);

-- Disputes, one line each, as columns. Rows are those of the debate's line of the same revision, as cruxes are.

create table disputes (
    revision int not null,
    debate_id uuid not null,
    -- its name in the debate: d1
    key text collate "C" not null,
    statement text not null,
    -- proposed, open, settled, retired
    status text not null,
    is_topic boolean not null,
    -- who has a stance, of any side
    personas text[] not null,
    -- when the first turn behind it was recorded
    opened_at timestamptz not null,
    -- and the newest
    changed_at timestamptz not null,
    -- the present stances
    body jsonb not null,
    question bytea not null generated always as (question_hash(statement)) stored,
    constraint disputes_pkey primary key (revision, debate_id, key)
)
with (fillfactor = 80);

create index disputes_newest on disputes (revision, opened_at desc, debate_id desc, key desc);
create index disputes_personas on disputes using gin (personas);
create index disputes_question on disputes (question);

insert into questions (hash, text)
select distinct on (question) question, statement
from cruxes
order by question;
