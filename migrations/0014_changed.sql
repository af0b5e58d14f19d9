-- Debates in the order in which something happened in them last.

create index debates_changed on debates (generation, changed_at desc, debate_id desc);
