-- Claims of debates without a holder, by provider, and of those whose lease expired. The former index `leases_open` lists all
-- open debates, also those that no process here can drive; processes of earlier versions still use it.

create index leases_free on leases (provider, debate_id)
where state = 'open' and holder is null;

create index leases_lapsing on leases (until)
where state = 'open' and holder is not null;
