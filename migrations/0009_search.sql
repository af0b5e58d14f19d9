-- What a search wants to know of the library before it looks: how much each persona wrote, and how common each word is.
--
-- Both are counts as of the last tending (store/library/tend.rs), which follows every ingest. They only steer a search:
-- how it goes about it, and what a word tells. Where they are behind, a search is slower or ranks a little otherwise,
-- and finds what is there all the same.
--
-- The tables of vectors stay whole. An index over nearness is made by the tending where it is worth it, one for a
-- persona that wrote much and one for all together, each restricted to its persona and embedder, so that nothing has to
-- be filtered out behind it. Partitions by a hash of the persona would have to be asked one after another when all
-- personas are searched, and in each the largest persona would crowd out the others.

create table shelves (
    persona text not null,
    n_passages bigint not null,
    constraint shelves_pkey primary key (persona),
    constraint shelves_persona_fkey foreign key (persona) references personas (id) on delete cascade
);

create table word_counts (
    -- A lexeme of the text search configuration english.
    word text not null,
    -- In how many passages it stands.
    n_passages bigint not null,
    constraint word_counts_pkey primary key (word)
);

insert into shelves (persona, n_passages)
select persona, count(*)
from chunks
group by persona;

insert into word_counts (word, n_passages)
select word, ndoc
from ts_stat('select words from chunks');
