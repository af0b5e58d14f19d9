-- Events that decide whether a debate needs a runner: every process follows these, and one the others.

create index events_lifecycle on events (lane, position)
where kind in (
    'audit_concluded', 'audit_requested', 'debate_aborted', 'debate_concluded', 'debate_forked', 'debate_opened',
    'debate_paused', 'debate_resumed', 'probes_concluded', 'probes_requested'
);
