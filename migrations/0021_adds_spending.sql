-- Calls to remote providers of all debates and of all processes, by day (UTC), for the budget over all debates. The log
-- tells what a debate cost; this table only limits what may still be spent today.
create table spending (
    day date primary key,
    calls bigint not null,
    tokens bigint not null,
    cost_micros bigint not null
);
