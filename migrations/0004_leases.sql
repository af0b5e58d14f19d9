-- Which runner holds which debate. Kept up from the log by the supervisors; losing the table loses no fact.

create table leases (
    debate_id uuid not null,
    -- the newest event of the debate that the state was drawn from; older news never overwrites newer
    version bigint not null,
    -- open: wants a runner. resting: paused, wants none for now. closed: will never want one again
    state text not null,
    -- the registered name of the provider that answers in this debate
    provider text not null,
    -- the process that holds it
    holder uuid,
    -- raised by every claim; an append under an older fence is refused
    fence bigint not null default 0,
    -- when the hold ends, unless renewed
    until timestamptz,
    constraint leases_pkey primary key (debate_id),
    constraint leases_state_known check (state in ('open', 'resting', 'closed')),
    constraint leases_held_until check ((holder is null) = (until is null))
)
with (fillfactor = 70);

-- what a claim looks through. "until" stands in no index, so that a renewal touches none.
create index leases_open on leases (debate_id)
where state = 'open';

create index leases_holder on leases (holder)
where holder is not null;
