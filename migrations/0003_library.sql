-- The library: who the personas are, what they wrote, and where each passage and sentence lies in an embedder's space.
--
-- Everything here is made from personas/*.toml and corpus/<id>/*.md and can be made again. Debates do not lean on it:
-- a debate pins its personas in its first event and the passages that were used in its receipts.
--
-- Vectors stand in tables of their own. Beside a wide text they would be stored out of line, and the scan of a
-- persona's vectors would cost five times as much. Half precision costs no recall and halves the scan.
--
-- There is deliberately no index on any vector. A search is within one persona, and a scan of its vectors along the
-- primary key is exact, deterministic and takes about 1 ms a thousand passages; an approximate index over all personas
-- would be slower and less exact for each but the largest. Above 200,000 passages, partition chunk_vectors by
-- hash (persona) and give each partition an hnsw index.

create extension if not exists vector;

create table embedders (
    id smallint generated always as identity,
    -- Names the weights too: vectors under two names are never compared.
    name text not null,
    width integer not null,
    -- Knows spellings and no meaning: search leans on words where the vectors are by such a one.
    stand_in boolean not null,
    -- The one whose vectors are searched. Another may be filled beside it and then take its place.
    in_use boolean not null,
    constraint embedders_pkey primary key (id),
    constraint embedders_name_key unique (name),
    constraint embedders_width_is_384 check (width = 384)
);

create unique index embedders_one_in_use
    on embedders (in_use)
    where in_use;

create table personas (
    id text not null,
    name text not null,
    version integer not null,
    topics text[] not null,
    -- The persona as the event that opens a debate would hold it.
    body jsonb not null,
    changed_at timestamptz not null default clock_timestamp(),
    constraint personas_pkey primary key (id),
    constraint personas_version_from_1 check (version >= 1)
);

create table documents (
    persona text not null,
    -- The stem of the file's name.
    name text not null,
    title text not null,
    source text not null,
    dated date not null,
    kind text not null,
    -- Of the file and of the rules by which it was cut: as long as it stays, the document need not be read again.
    hash bytea not null,
    stored_at timestamptz not null default clock_timestamp(),
    constraint documents_pkey primary key (persona, name),
    constraint documents_persona_fkey foreign key (persona) references personas (id) on delete cascade,
    constraint documents_hash_is_sha256 check (length(hash) = 32)
);

create table chunks (
    persona text not null,
    -- Made from persona, document and text: the same passage always has the same id.
    id uuid not null,
    document text not null,
    -- Its place in the document, from 0.
    ordinal integer not null,
    body text not null,
    words tsvector not null generated always as (to_tsvector('english'::regconfig, body)) stored,
    constraint chunks_pkey primary key (persona, id),
    constraint chunks_ordinal_key unique (persona, document, ordinal) deferrable initially deferred,
    constraint chunks_document_fkey foreign key (persona, document) references documents (persona, name)
        on delete cascade
);

create index chunks_words on chunks using gin (words);

create table chunk_vectors (
    persona text not null,
    embedder smallint not null,
    chunk uuid not null,
    vector halfvec(384) not null,
    constraint chunk_vectors_pkey primary key (persona, embedder, chunk),
    constraint chunk_vectors_embedder_fkey foreign key (embedder) references embedders (id),
    constraint chunk_vectors_chunk_fkey foreign key (persona, chunk) references chunks (persona, id) on delete cascade
);

create table sentences (
    persona text not null,
    chunk uuid not null,
    -- Its place in the chunk, from 0.
    ordinal smallint not null,
    -- Byte for byte as it stands in the chunk.
    body text not null,
    constraint sentences_pkey primary key (persona, chunk, ordinal),
    constraint sentences_chunk_fkey foreign key (persona, chunk) references chunks (persona, id) on delete cascade
);

create table sentence_vectors (
    persona text not null,
    embedder smallint not null,
    chunk uuid not null,
    ordinal smallint not null,
    vector halfvec(384) not null,
    constraint sentence_vectors_pkey primary key (persona, embedder, chunk, ordinal),
    constraint sentence_vectors_embedder_fkey foreign key (embedder) references embedders (id),
    constraint sentence_vectors_sentence_fkey foreign key (persona, chunk, ordinal)
        references sentences (persona, chunk, ordinal) on delete cascade
);
