-- Views that are stored as compressed JSON, because no statement looks into them: the server takes as long to compress a long
-- `jsonb` as the program takes to compute it. If there is one, `body` is the JSON value null, which an earlier version of the
-- program cannot read as a view, and so computes it.
alter table views add column compressed bytea;

-- It does not shrink again.
alter table views alter column compressed set storage external;
