-- A citation names its passage by the chunk's id alone: whoever reads a page of turns asks for all that they cite at once,
-- whichever persona wrote them.

create index chunks_by_id on chunks (id);
